// A page with nothing but a message.
import { $, h, put } from "../app/elements.js";
import { say } from "../app/shell.js";

say($("#message").textContent ?? "", true);
const study = /^(\/s\/[^/]+)\/./.exec(location.pathname)?.[1];
put(
  $("#content"),
  h(
    "p",
    { class: "row" },
    study ? h("a", { class: "button", href: study, text: "Back to the queue" }) : null,
    h("a", { class: "button", href: "/", text: "Back to all studies" }),
  ),
);
