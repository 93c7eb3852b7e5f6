// A page with nothing but a message.
import { $, h, put, say } from "../app/dom.js";

say($("#message").textContent, true);
put($("#content"), h("p", {}, h("a", { class: "button", href: "/", text: "To the studies" })));
