// A page with nothing but a message.
import { $, h, put } from "../app/elements.js";
import { say } from "../app/shell.js";

say($("#message").textContent ?? "", true);
put($("#content"), h("p", {}, h("a", { class: "button", href: "/", text: "Back to all studies" })));
