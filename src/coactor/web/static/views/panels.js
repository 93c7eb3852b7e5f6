// The panels beside the canvas. They fold; on a phone one of them is open at a time.

import { button, h } from "../app/elements.js";
import { windowMemory } from "../app/storage.js";

/** @import { Panel } from "../app/types.js" */

const phone = matchMedia("(max-width: 44rem)");

/** @param {HTMLElement} panel @param {boolean} open */
function setOpen(panel, open) {
  panel.classList.toggle("open", open);
  panel.querySelector("button")?.setAttribute("aria-expanded", String(open));
}

/** @param {Panel[]} panels */
export function makePanels(panels) {
  const element = h("aside", { class: "side", "aria-label": "Panels" });
  for (const { title, content, grows, folded, asks } of panels) {
    const memory = `coactor/panel/${title}`;
    const toggle = () => {
      const open = !panel.classList.contains("open");
      if (phone.matches)
        for (const other of element.children) setOpen(/** @type {HTMLElement} */ (other), false);
      else windowMemory.write(memory, open);
      setOpen(panel, open);
    };
    const panel = h(
      "section",
      { class: grows ? "panel grows" : "panel" },
      h("h2", {}, button(title, toggle, { "aria-expanded": "false" })),
      h("div", { class: "panel-body", role: "group", "aria-label": title, tabindex: "0" }, content),
    );
    setOpen(panel, phone.matches ? Boolean(asks) : (windowMemory.read(memory) ?? !folded));
    element.append(panel);
  }
  return element;
}
