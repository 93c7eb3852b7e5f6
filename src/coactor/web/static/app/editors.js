// The editor of this study's kind, and what of a proposal it does without.

import { editor } from "./shell.js";

/** @import { EditorModule } from "./types.js" */

/** The module, and the parameters that leave out of a proposal what it does not read. */
export async function loadEditor() {
  /** @type {EditorModule} */
  const module = await import(editor);
  const omitted = new URLSearchParams((module.omits ?? []).map((field) => ["omit", field]));
  return { module, omitted };
}
