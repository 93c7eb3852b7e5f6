// The page in a notebook: a frame whose requests go to Python as messages. anywidget loads this module.

/**
 * @typedef {{ get: (name: string) => string, send: (content: object) => void,
 *   on: (event: string, heard: Heard) => void, off: (event: string, heard: Heard) => void }} Model
 * @typedef {(answer: { id: string, status: number, headers: Record<string, string> },
 *   buffers: DataView<ArrayBuffer>[]) => void} Heard
 * @typedef {(path: string, init?: RequestInit) => Promise<Response>} Ask
 * @typedef {HTMLIFrameElement & { ask?: Ask, open?: () => Promise<void> }} Frame
 */

/** What a frame runs before the page: requests are messages, and every way out leads back to the
 * proposal: only the frame itself is replaced. */
const BEFORE = `
  window.fetch = frameElement.ask;
  window.navigation?.addEventListener("navigate", (event) => {
    if (!event.cancelable || event.hashChange || event.navigationType === "replace") return;
    event.preventDefault();
    frameElement.open();
  });
`;
const IMPORTS = /(\b(?:import|export)\b[^;"']*?")(\.[^"]+)(";)/g;
const EMPTY = [204, 304];

/** @param {Model} model @returns {{ ask: Ask, close: () => void }} */
function connect(model) {
  /** @type {Map<string, (answer: Response) => void>} */
  const waiting = new Map();
  /** @type {Heard} */
  const heard = ({ id, status, headers }, [body]) => {
    waiting.get(id)?.(new Response(EMPTY.includes(status) ? null : body, { status, headers }));
    waiting.delete(id);
  };
  model.on("msg:custom", heard);
  /** @type {Ask} */
  const ask = (path, { method = "GET", headers = {}, body = null } = {}) =>
    new Promise((resolve) => {
      const id = Math.random().toString(36).slice(2);
      waiting.set(id, resolve);
      model.send({ id, path, method, headers, body });
    });
  return { ask, close: () => model.off("msg:custom", heard) };
}

/**
 * These modules and all that they import, as an import map: each names the others as the map does.
 * @param {Ask} ask @param {string[]} paths
 */
async function modulesOf(ask, paths) {
  /** @type {Record<string, string>} */
  const imports = {};
  /** @param {string} path @returns {Promise<void>} */
  const load = async (path) => {
    if (nameOf(path) in imports) return;
    imports[nameOf(path)] = "";
    const text = await (await ask(path)).text();
    /** @type {string[]} */
    const found = [];
    const named = text.replace(IMPORTS, (_, start, file, end) => {
      found.push(new URL(file, `http://x${path}`).pathname);
      return start + nameOf(found[found.length - 1]) + end;
    });
    imports[nameOf(path)] = URL.createObjectURL(new Blob([named], { type: "text/javascript" }));
    await Promise.all(found.map(load));
  };
  await Promise.all(paths.map(load));
  return imports;
}

/** @param {string} path */
const nameOf = (path) => `coactor:${path}`;

/** A page with everything that it loads. @param {Ask} ask @param {string} address @param {string} hidden */
async function whole(ask, address, hidden) {
  const answer = await ask(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const link of page.querySelectorAll("link[rel=stylesheet]")) {
    const style = page.createElement("style");
    style.textContent = await (await ask(link.getAttribute("href") ?? "")).text();
    link.replaceWith(style);
  }
  const main = page.querySelector("script[src]")?.getAttribute("src") ?? "";
  const { editor = "" } = page.body.dataset;
  const imports = await modulesOf(ask, [main, editor]);
  page.body.dataset.editor = nameOf(editor);
  for (const one of page.querySelectorAll("script[src], link, img")) one.remove();
  page.head.prepend(
    add(page, "script", BEFORE),
    add(page, "script", JSON.stringify({ imports }), "importmap"),
    add(page, "style", `${hidden} { display: none !important }`),
  );
  page.body.append(add(page, "script", `import "${nameOf(main)}";`, "module"));
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/** @param {Document} page @param {string} tag @param {string} text @param {string} [type] */
function add(page, tag, text, type) {
  const element = page.createElement(tag);
  element.textContent = text;
  if (type) element.setAttribute("type", type);
  return element;
}

/** @param {{ model: Model, el: HTMLElement }} view */
function render({ model, el }) {
  const { ask, close } = connect(model);
  const frame = /** @type {Frame} */ (document.createElement("iframe"));
  frame.style.cssText = "width: 100%; height: 640px; border: 0; resize: vertical; overflow: auto";
  frame.title = "coactor";
  frame.ask = ask;
  frame.open = async () => {
    frame.srcdoc = await whole(ask, model.get("address"), model.get("hidden"));
  };
  el.append(frame);
  frame.open();
  return close;
}

export default { render };
