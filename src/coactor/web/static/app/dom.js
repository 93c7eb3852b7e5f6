// Elements without markup: text is only ever set as text, so nothing anybody wrote can become code.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on")
      for (const [kind, act] of Object.entries(value)) element.addEventListener(kind, act);
    else if (name === "text") element.textContent = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** An HTML element. */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** An SVG element. */
export const s = (tag, props, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);

export const $ = (selector, root = document) => root.querySelector(selector);

/** Replace what an element holds. */
export function put(element, ...children) {
  element.replaceChildren(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A button. */
export const button = (text, act, props = {}) =>
  h("button", { type: "button", ...props, on: { click: act, ...props.on } }, text);

/** Say something to everybody, screen readers included. */
export function say(text, trouble = false) {
  const place = $("#message");
  place.textContent = text;
  place.className = trouble ? "banner trouble" : text ? "banner" : "";
}

/** A table; each row is a list of cells, each cell text or an element. */
export const table = (caption, head, rows, props = {}) =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: head.length > 4 ? "wide" : null, ...props },
      h("caption", { class: "unseen", text: caption }),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((cells) =>
          h(
            "tr",
            {},
            cells.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );

/** A key to press. */
export const kbd = (text) => h("kbd", { text });

/** Whether a key press belongs to the field or button it was made on. */
export const busyTarget = (target) =>
  target.closest?.("button, a, textarea, select, summary, input:not([type=checkbox])") !== null;

$("#logout")?.addEventListener("click", async () => {
  await fetch("/logout", { method: "POST" });
  location.assign("/login");
});
