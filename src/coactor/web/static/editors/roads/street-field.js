// A field for the name of a street, with suggestions.

import { button, h } from "../../app/elements.js";

/** @typedef {{ found: (name: string) => void, missing: (text: string) => void }} FieldEvents */

/**
 * The street of that name, or one that begins so.
 * @param {string[]} streets
 * @param {string} text
 */
function findStreet(streets, text) {
  const wanted = text.toLowerCase();
  return (
    streets.find((street) => street.toLowerCase() === wanted) ??
    streets.find((street) => street.toLowerCase().startsWith(wanted))
  );
}

/**
 * The field, or null if no street has a name.
 * @param {string[]} names
 * @param {FieldEvents} events
 */
export function makeStreetField(names, { found, missing }) {
  const streets = [...new Set(names)].filter(Boolean);
  if (!streets.length) return null;
  const field = h("input", { type: "text", id: "via", list: "street-names", autocomplete: "off" });
  field.placeholder = "Any street";
  field.maxLength = 200;
  const show = () => {
    const text = field.value.trim();
    const name = text && findStreet(streets, text);
    if (name) found(name);
    else if (text) missing(text);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    show();
  });
  return h(
    "div",
    { class: "row go-via" },
    h("label", { for: "via", text: "Go via" }),
    field,
    button("Show", show, { id: "show-via" }),
    h(
      "datalist",
      { id: "street-names" },
      streets.map((value) => h("option", { value })),
    ),
  );
}
