// Keep what is fixed and solve the rest again: locks, and the preview of what a re-plan would change.

import { post } from "../app/api.js";
import { button, closest, kbd, wording } from "../app/elements.js";
import { changeTexts } from "../app/format.js";
import { keyOf, lockText, setOf, stateOf, toggled } from "../app/keeping.js";
import { say, sayError } from "../app/shell.js";

/** @import { Draft } from "../app/draft.js" */
/** @import { Part } from "../app/keeping.js" */
/** @import { Editor, Proposal } from "../app/types.js" */

const HOLD = 500; // milliseconds of a long press
const FAR = 10; // pixels that a finger may move meanwhile
const FEW = 3; // changes named
const SAYS = { locked: "locked", kept: "kept" };

export class Keeping {
  /** The draft as a re-plan would make it. @type {Proposal | null} */
  #offer = null;
  #asking = false;
  #previewing = false;

  /** @param {Draft} draft @param {Editor} editor @param {() => boolean} editable @param {HTMLElement} content */
  constructor(draft, editor, editable, content) {
    this.draft = draft;
    this.editor = editor;
    this.editable = editable;
    this.content = content;
    this.again = button(["Re-plan the rest ", kbd("R")], () => this.ask(), { id: "replan" });
    this.taking = button(["Take it ", kbd("Enter")], () => this.enter(), {
      id: "take",
      class: "primary",
    });
    this.leaving = button(["Leave it ", kbd("Esc")], () => this.leave(), { id: "leave" });
    const { keeps } = draft.data;
    this.buttons = keeps ? [this.again, this.taking, this.leaving] : [];
    this.keys = keeps
      ? [
          ["L", "lock or unlock"],
          ["R", "re-plan the rest"],
          ...(editor.only ? [["Shift R", `re-plan ${editor.only} only`]] : []),
        ]
      : [];
    content.classList.toggle("keeps", Boolean(keeps));
    this.taking.hidden = this.leaving.hidden = true;
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
    this.draft.edit([move], `${lockText(move, this.editor.joint)}.`, solution);
  }

  /** Solve again what an element stands for, but for what is kept there. @param {EventTarget | null} target */
  only(target) {
    const { locked, own } = this.draft.view;
    const kept = setOf([...locked, ...own]);
    const parts = this.#partsAt(target, true).filter((part) => !kept.has(keyOf(part)));
    if (parts.length) this.ask(parts);
    else say("All of it is kept.");
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const mark = closest(event.target, ".lock, .again");
    if (!mark) return;
    if (!mark.matches("button")) event.stopPropagation();
    if (mark.matches(".lock")) this.lock(mark);
    else this.only(mark);
  }

  /** A long press locks. @param {PointerEvent} press */
  #onPress({ target, pointerId, pointerType, clientX, clientY }) {
    if (pointerType !== "touch" || closest(target, "button, .grip")) return;
    const end = new AbortController();
    const timer = setTimeout(() => {
      // What was pressed is not picked up or chosen as well.
      target?.dispatchEvent(new PointerEvent("pointercancel", { pointerId, bubbles: true }));
      const stop = (/** @type {Event} */ event) => {
        event.preventDefault();
        event.stopPropagation();
      };
      this.content.addEventListener("click", stop, { capture: true, once: true });
      addEventListener("pointerdown", () => this.content.removeEventListener("click", stop, true), {
        capture: true,
        once: true,
      });
      this.lock(target);
    }, HOLD);
    const on = { capture: true, signal: end.signal };
    const stop = () => {
      clearTimeout(timer);
      end.abort();
    };
    for (const kind of ["pointerup", "pointercancel", "pointerdown"])
      addEventListener(kind, stop, on);
    addEventListener(
      "pointermove",
      ({ clientX: x, clientY: y }) => Math.hypot(x - clientX, y - clientY) > FAR && stop(),
      on,
    );
    addEventListener("contextmenu", (event) => event.preventDefault(), on);
  }

  /** Show how everything that can be locked is kept. */
  #paint() {
    const { locked, own } = this.draft.view;
    const [fast, edited] = [setOf(locked), setOf(own)];
    for (const mark of this.content.querySelectorAll(".lock, .grid [data-part]")) {
      const state = stateOf(this.#partsAt(mark), fast, edited);
      const holder = mark.closest("li, [role=option], .routename, th, [data-part], .cell-menu");
      for (const name of ["locked", "kept"]) holder?.classList.toggle(name, state === name);
      if (mark instanceof HTMLButtonElement) mark.ariaPressed = String(state === "locked");
      if (state) holder?.setAttribute("aria-description", SAYS[state]);
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
      const { revision } = draft.data;
      /** @type {Proposal} */
      const answer = await post(`${draft.path}/replan`, { body: only ? { only } : {} });
      if (draft.unsent || draft.data.revision !== revision)
        say("You went on: nothing was re-planned.");
      else if (answer.moves.length === draft.data.moves.length)
        say("Nothing better around what is kept.");
      else this.#show(answer);
    } catch (error) {
      sayError(error);
    }
    this.#asking = false;
  }

  /** @param {Proposal} offer */
  #show(offer) {
    const { data } = this.draft;
    const held = this.again.matches(":focus-visible");
    this.#offer = offer;
    const change = offer.change.map((value, i) => value - data.change[i]);
    const facts = changeTexts(data, change, FEW).join(", ");
    const what = this.#text.replace("Re-planned", "The re-plan");
    const how = wording("Enter takes it, Escape leaves it.", "Take it or leave it.");
    say(`${what}${facts ? ` (${facts})` : ""}. ${how}`);
    this.#draw();
    if (held) this.taking.focus();
  }

  get #text() {
    return this.#offer?.texts?.at(-1) ?? "Re-planned";
  }

  #draw() {
    const offers = this.#offer !== null;
    const focused =
      !offers && [this.taking, this.leaving].some((one) => one.matches(":focus-visible"));
    if (offers || this.#previewing) this.editor.preview?.(this.#offer);
    this.#previewing = offers;
    this.content.classList.toggle("previewing", offers);
    this.again.hidden = offers;
    this.taking.hidden = this.leaving.hidden = !offers;
    if (focused) this.again.focus();
  }

  /** Draw the editor and what is kept. */
  render() {
    const { draft, editor } = this;
    if (draft.unsent || draft.data.revision !== this.#offer?.revision) this.#offer = null;
    this.again.disabled = !this.editable();
    if (!this.#offer) this.#draw(); // what is drawn next is compared with the proposal again
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
    this.#draw();
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
    if (!this.draft.data.keeps || altKey || closest(target, "input, textarea, select"))
      return false;
    const letter = key.toLowerCase();
    if (letter === "l") this.lock(document.activeElement);
    else if (letter === "r" && !shiftKey) this.ask();
    else if (letter === "r" && this.editor.only) this.only(document.activeElement);
    else return false;
    return true;
  }
}
