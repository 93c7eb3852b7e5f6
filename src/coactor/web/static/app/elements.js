// Builds elements without markup: text is only ever set as text, so no name or note can become code.

/** @typedef {Node | string | number | null | undefined | false} Leaf */
/** @typedef {Leaf | Leaf[] | (Leaf | Leaf[])[]} Child */
/**
 * Attributes by name. `on` holds listeners by event, `text` the text content, `data` the data-* values.
 * @typedef {Record<string, any>} Props
 */

/**
 * Words for people with keys, or for people who touch the screen and have none.
 * @param {string} keys @param {string} touch
 */
export const wording = (keys, touch) => (matchMedia("(pointer: coarse)").matches ? touch : keys);

/** What is said of a drag over nothing. @param {string} [what] */
export const leaveText = (what = "it") =>
  wording(
    `Let go here, or press Escape, to leave ${what} as it is.`,
    `Let go here to leave ${what} as it is.`,
  );

const SVG = "http://www.w3.org/2000/svg";

/** @param {Child[]} children @returns {(Node | string)[]} */
function flatten(children) {
  const leaves = /** @type {Leaf[]} */ (children.flat(Number.POSITIVE_INFINITY));
  return leaves
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "number" ? String(child) : child));
}

/** @param {HTMLElement | SVGElement} element @param {string} name @param {any} value */
function setProperty(element, name, value) {
  if (name === "on") {
    for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
  } else if (name === "text") element.textContent = value;
  else if (name === "data") Object.assign(element.dataset, value);
  else element.setAttribute(name, value === true ? "" : value);
}

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} element @param {Props | undefined} props @param {Child[]} children
 * @returns {E}
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value !== null && value !== undefined && value !== false) setProperty(element, name, value);
  }
  element.append(...flatten(children));
  return element;
}

/**
 * Create an HTML element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Props} [props] @param {...Child} children
 */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/**
 * Create an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Props} [props] @param {...Child} children
 */
export const s = (tag, props, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);

/**
 * Find the one element that must be there.
 * @param {string} selector @param {ParentNode} [root]
 */
export function $(selector, root = document) {
  const element = root.querySelector(selector);
  if (!(element instanceof HTMLElement)) throw new Error(`There is no ${selector} on this page.`);
  return element;
}

/**
 * Replace the children of an element.
 * @template {Element} E
 * @param {E} element @param {...Child} children
 * @returns {E}
 */
export function put(element, ...children) {
  element.replaceChildren(...flatten(children));
  return element;
}

/**
 * Create a button.
 * @param {Child} content @param {(event: MouseEvent) => void} act @param {Props} [props]
 */
export const button = (content, act, props = {}) =>
  h("button", { type: "button", ...props, on: { click: act } }, content);

/**
 * Create a table from its rows.
 * @param {string} caption @param {string[]} head @param {Child} rows @param {string | null} [name] of a class
 */
export const plainTable = (caption, head, rows, name) =>
  h(
    "table",
    { class: name },
    h("caption", { class: "unseen", text: caption }),
    h("thead", {}, line(head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, rows),
  );

/** @param {Child[]} cells */
const line = (cells) => h("tr", {}, ...cells);

/**
 * Create a table that scrolls by itself; each row is a list of cells.
 * @param {string} caption @param {string[]} head @param {Child[][]} rows
 */
export const table = (caption, head, rows) => {
  const lines = rows.map((cells) => line(cells.map((cell) => h("td", {}, cell))));
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    plainTable(caption, head, lines, head.length > 4 ? "wide" : null),
  );
};

/** Values to choose from, with their texts. @param {string[][]} values @param {string} chosen */
export const options = (values, chosen) =>
  values.map(([value, text]) =>
    h("option", { value, dir: "auto", selected: value === chosen }, text),
  );

/**
 * Create a field in which one of some values is chosen.
 * @param {string[][]} values with their texts @param {string} chosen
 * @param {(value: string) => void} changed @param {Props} props
 */
export const select = (values, chosen, changed, props) => {
  const act = () => changed(element.value);
  const element = h("select", { ...props, on: { change: act } }, options(values, chosen));
  return element;
};

/** Create a part of a page with a heading. @param {string} title @param {...Child} children */
export const card = (title, ...children) =>
  h("section", { class: "card" }, h("h2", { text: title }), ...children);

/** The name of a person, in its own writing direction. @param {string} text */
export const bdi = (text) => h("bdi", { text });

/** Show a key to press. @param {string} text */
export const kbd = (text) => h("kbd", { text });

/**
 * The closest ancestor (or the element itself) that matches.
 * @param {EventTarget | null} target
 * @param {string} selector
 */
export const closest = (target, selector) => {
  const element = target instanceof Element ? target.closest(selector) : null;
  return element instanceof HTMLElement || element instanceof SVGElement ? element : null;
};
