// Keep what is fixed and solve the rest again: locks, and the preview of what a re-plan would change.

import { post } from "../app/api.js";
import { button, closest, h, kbd, put, wording } from "../app/elements.js";
import { changeTexts } from "../app/format.js";
import { keyOf, lockText, setOf, stateOf, toggled } from "../app/keeping.js";
import { counting, say, sayError } from "../app/shell.js";

/** @import { Draft } from "../app/draft.js" */
/** @import { Part } from "../app/keeping.js" */
/** @import { Editor, Proposal } from "../app/types.js" */

const HOLD = 500; // milliseconds of a long press
const FAR = 10; // pixels that a finger may move meanwhile
const FEW = 3; // changes named
const HOLDERS = "li, [role=option], .routename, th, [data-part], .cell-menu"; // show how a part is kept

export class Keeping {
  /** The draft as a re-plan would make it. @type {Proposal | null} */
  #offer = null;
  #asking = false;
  #pressed = false; // long: the click that follows is not a choice

  /** @param {Draft} draft @param {Editor} editor @param {() => boolean} editable @param {HTMLElement} content */
  constructor(draft, editor, editable, content) {
    this.draft = draft;
    this.editor = editor;
    this.editable = editable;
    this.content = content;
    const { keeps = false } = draft.data;
    this.again = button("", () => this.enter() || this.ask(), { id: "replan" });
    this.leaving = button(["Leave it ", kbd("Esc")], () => this.leave(), { id: "leave" });
    this.buttons = keeps ? [this.again, this.leaving] : [];
    const only = editor.only ? [["Shift R", `re-plan ${editor.only} only`]] : [];
    this.keys = keeps ? [["L", "lock or unlock"], ["R", "re-plan the rest"], ...only] : [];
    content.classList.toggle("keeps", keeps);
    if (!keeps || !editable()) return;
    document.addEventListener("keydown", (event) => this.#onEscape(event), { capture: true });
    content.addEventListener("click", (event) => this.#onClick(event), { capture: true });
    content.addEventListener("pointerdown", (event) => this.#onPress(event), { capture: true });
  }

  // -- locks -------------------------------------------------------------------------------------------

  /** The parts of an element, or of what is chosen. @param {EventTarget | null} target @param {boolean} [onward] @returns {Part[]} */
  #partsAt(target, onward) {
    return this.editor.partsAt?.(target instanceof Element ? target : null, onward) ?? [];
  }

  /** @param {EventTarget | null} target */
  lock(target) {
    const parts = this.#partsAt(target);
    if (!this.editable() || !parts.length) return;
    const { locked, solution } = this.draft.view;
    const move = toggled(locked, parts);
    this.draft.edit([move], `${lockText(move, this.editor.partName)}.`, solution);
  }

  /** Solve again what an element stands for, but for what is kept there. @param {EventTarget | null} target */
  only(target) {
    const { locked, own } = this.draft.view;
    const kept = setOf([...locked, ...own]);
    this.ask(this.#partsAt(target, true).filter((part) => !kept.has(keyOf(part))));
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const mark = closest(event.target, ".lock, .again");
    if (this.#pressed || (mark && !mark.matches("button"))) event.stopPropagation();
    if (this.#pressed || !mark) return;
    if (mark.matches(".lock")) this.lock(mark);
    else this.only(mark);
  }

  /** A long press locks. @param {PointerEvent} press */
  #onPress({ target, pointerId, pointerType, clientX, clientY }) {
    this.#pressed = false;
    if (pointerType !== "touch" || closest(target, "button, .grip")) return;
    const timer = setTimeout(() => {
      this.#pressed = true; // nothing is picked up as well
      target?.dispatchEvent(new PointerEvent("pointercancel", { pointerId, bubbles: true }));
      this.lock(target);
    }, HOLD);
    const end = new AbortController();
    /** @param {PointerEvent} event */
    const stop = ({ type, clientX: x, clientY: y, isTrusted }) => {
      if (type === "pointermove" && Math.hypot(x - clientX, y - clientY) < FAR) return;
      clearTimeout(timer);
      if (isTrusted) end.abort();
    };
    const on = { capture: true, signal: end.signal };
    window.addEventListener("contextmenu", (event) => event.preventDefault(), on);
    for (const kind of /** @type {const} */ (["pointerup", "pointercancel", "pointermove"]))
      window.addEventListener(kind, stop, on);
  }

  /** Show how everything that can be locked is kept. */
  #paint() {
    const { locked, own } = this.draft.view;
    const [fast, edited] = [setOf(locked), setOf(own)];
    for (const mark of this.content.querySelectorAll(".lock, .grid [data-part]")) {
      const state = stateOf(this.#partsAt(mark), fast, edited);
      const holder = mark.closest(HOLDERS);
      for (const name of ["locked", "kept"]) holder?.classList.toggle(name, state === name);
      if (mark instanceof HTMLButtonElement) mark.ariaPressed = String(state === "locked");
      if (state) holder?.setAttribute("aria-description", state);
      else holder?.removeAttribute("aria-description");
    }
  }

  // -- a re-plan ---------------------------------------------------------------------------------------

  /** Ask what solving again would change: the rest, or some parts only. @param {Part[]} [only] */
  async ask(only) {
    const { draft } = this;
    if (!this.editable() || this.#asking) return;
    this.#asking = true;
    this.leave();
    say("Re-planning …");
    try {
      await draft.flush();
      const { revision, moves } = draft.data;
      const solve = () => post(`${draft.path}/replan`, { body: only ? { only } : {} });
      /** @type {Proposal} */
      const offer = await counting("Re-planning …", say, solve);
      const changed = draft.unsent || draft.data.revision !== revision;
      if (changed) say("You went on: nothing was re-planned.");
      else if (offer.moves.length > moves.length) this.#show(offer);
      else say("Nothing better around what is kept.");
    } catch (error) {
      sayError(error);
    }
    this.#asking = false;
  }

  /** @param {Proposal} offer */
  #show(offer) {
    const { data } = this.draft;
    this.#offer = offer;
    const change = offer.change.map((value, i) => value - data.change[i]);
    const facts = changeTexts(data, change, FEW).join(", ");
    const what = this.#text.replace("Re-planned", "The re-plan");
    const how = wording("Enter takes it, Escape leaves it.", "Take it or leave it.");
    say(`${what}${facts && ` (${facts})`}. ${how}`);
    this.#draw();
  }

  get #text() {
    return this.#offer?.texts?.at(-1) ?? "Re-planned";
  }

  #draw() {
    const offers = this.#offer !== null;
    const rest = h("span", { text: " the rest" });
    put(this.again, offers ? ["Take it ", kbd("Enter")] : ["Re-plan", rest, kbd("R")]);
    this.again.classList.toggle("primary", offers);
    this.leaving.hidden = !offers;
    this.content.classList.toggle("previewing", offers);
    this.editor.preview?.(this.#offer);
  }

  /** Draw the editor and what is kept. */
  render() {
    const { draft, editor } = this;
    if (draft.unsent || draft.data.revision !== this.#offer?.revision) this.#offer = null;
    this.again.disabled = !this.editable();
    if (!this.#offer) this.#draw(); // the editor draws the draft again
    editor.render(draft.view);
    if (this.#offer) this.#draw();
    if (draft.data.keeps) this.#paint();
  }

  /** Take what is shown; false if nothing is. */
  enter() {
    const move = this.#offer?.moves.at(-1);
    if (!move || !this.editable()) return false;
    this.draft.edit([move], `${this.#text}.`, move.to);
    return true;
  }

  leave() {
    if (!this.#offer) return;
    this.#offer = null;
    say("");
    this.render();
  }

  // -- keyboard ----------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #onEscape(event) {
    if (event.key !== "Escape" || !this.#offer) return;
    event.preventDefault();
    event.stopPropagation();
    this.leave();
  }

  /** Obey a key that no editor has taken; whether there was something to do. @param {KeyboardEvent} event */
  key({ key, shiftKey, target, altKey }) {
    const typing = altKey || closest(target, "input, textarea, select");
    const letter = key.toLowerCase();
    if (!this.draft.data.keeps || typing || !/^[lr]$/.test(letter)) return false;
    if (letter === "l") this.lock(document.activeElement);
    else if (shiftKey && this.editor.only) this.only(document.activeElement);
    else this.ask();
    return true;
  }
}
