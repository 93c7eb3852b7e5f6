// Saves files: texts, and drawings of the page that look as they do here.

import { h, s } from "./elements.js";

const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
];

/** A drawing with its styles in it, so that it stands alone. @param {SVGElement} svg */
function standalone(svg) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of PROPERTIES) element.setAttribute(name, style.getPropertyValue(name));
  });
  const fill = getComputedStyle(svg).backgroundColor;
  copy.prepend(s("rect", { width: "100%", height: "100%", fill }));
  const text = new XMLSerializer().serializeToString(copy);
  return { width, height, address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` };
}

/** @param {string} address @param {string} name */
const download = (address, name) => h("a", { href: address, download: name }).click();

/** @param {string} text @param {string} type @param {string} name */
export const saveText = (text, type, name) =>
  download(`data:${type};charset=utf-8,${encodeURIComponent(text)}`, name);

/** @param {SVGElement} svg @param {string} name */
export const saveSvg = (svg, name) => download(standalone(svg).address, `${name}.svg`);

/** @param {SVGElement} svg @param {string} name */
export async function savePng(svg, name) {
  const { width, height, address } = standalone(svg);
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = h("canvas", { width: String(2 * width), height: String(2 * height) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, 2 * width, 2 * height);
  download(canvas.toDataURL("image/png"), `${name}.png`);
}
