// A page with nothing but a message.
import "./dom.js";
