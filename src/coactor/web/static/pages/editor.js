// The page on which a proposal is corrected: the frame around the editor of its kind.

import { at, get, post, Refusal } from "../app/api.js";
import { Draft } from "../app/draft.js";
import { loadEditor } from "../app/editors.js";
import { $, bdi, button, closest, h, kbd, put } from "../app/elements.js";
import { edited, likely, number, plural, upper } from "../app/format.js";
import { isLock, linesOf } from "../app/keeping.js";
import { forWhom } from "../app/names.js";
import { leaveNotice, showNotice } from "../app/notice.js";
import { openNext } from "../app/queue-query.js";
import {
  attempt,
  counting,
  free,
  may,
  messageOf,
  name,
  ownsKeys,
  proposal,
  QUIET,
  say,
  sayError,
  study,
} from "../app/shell.js";
import { windowMemory } from "../app/storage.js";
import { fillQueue, findTrial } from "../app/trials.js";
import { makeActionBar, savingText } from "../views/action-bar.js";
import { drawChanges, drawEdits } from "../views/changes.js";
import { showFinished } from "../views/finished.js";
import { Keeping } from "../views/keeping.js";
import { makePanels } from "../views/panels.js";
import { Play } from "../views/play.js";

/** @import { Editor, EditorModule, Proposal, Round, Trial } from "../app/types.js" */

const FOLDED = "coactor/folded"; // whether the panels are hidden
const phone = matchMedia("(max-width: 44rem)");
const path = at(study, `/proposals/${proposal}`);

/**
 * Take the proposal, or look at it if it cannot be had.
 * @param {URLSearchParams} omitted the fields that are left out
 * @returns {Promise<Proposal>}
 */
async function take(omitted) {
  if (!may("edit")) {
    say("You can view this, but not edit it.");
    return get(`${path}?${omitted}`);
  }
  // The page says whether the proposal was free; another person may have claimed it since.
  if (free) {
    try {
      return await post(`${path}/claim?${omitted}`);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
    }
  }
  return get(`${path}?${omitted}`);
}

class EditorPage {
  /** @type {Draft} */
  draft;
  /** @type {Editor} */
  editor;
  submitting = false;
  tabs = new BroadcastChannel("coactor"); // other windows of this browser
  gestures = 0; // how many edits the person sees; some count as several
  left = false; // submitted, or on the way to another page

  /**
   * @param {Proposal} data
   * @param {EditorModule} module
   * @param {Trial | null} trial
   * @param {unknown} prepared
   * @param {Round[] | null} own what this person has done in a demo study
   */
  constructor(data, module, trial, prepared, own) {
    this.trial = trial;
    this.draft = new Draft(study, data, (trouble) => this.refresh(trouble));
    const prompt = h("p", { class: "prompt", id: "gesture", role: "status" });
    const editable = () => this.editable;
    this.editor = module.mount({ draft: this.draft, prompt, editable, prepared });
    this.play = own && new Play(own, this.editor);
    this.effort = h("p", { class: "effort" });
    this.changes = h("div");
    this.edits = h("ol", { class: "edits" });
    this.keeping = new Keeping(this.draft, this.editor, editable, $("#content"));
    const more = this.keeping.buttons;
    this.bar = makeActionBar(this.draft, { submit: () => this.submit(), editable, more });
    const words = { id: "fold", title: "Fold the panels: ]", "aria-label": "Fold the panels" };
    const fold = button("◨", () => this.fold(), { ...words, class: "small" });
    const about = h("p", { class: "hint", id: "about" });
    this.about = about;
    $(".title").append(about);
    const notes = this.editable ? [this.begun(data), this.offer(data)] : [];
    $(".title").append(...[forWhom(data, name), ...notes, fold].filter((note) => note !== null));
    put(
      $("#content"),
      h(
        "section",
        { class: "canvas", "aria-label": "Editor" },
        this.editor.canvas,
        prompt,
        this.play?.badge,
      ),
      this.panels(),
      this.bar.element,
    );
    this.listen();
  }

  get editable() {
    const { state, holder } = this.draft.data;
    return (
      may("edit") &&
      !this.left &&
      !this.submitting &&
      state !== "done" &&
      (!holder || holder === name)
    );
  }

  /** Whose edits the draft has, and the way to be rid of them. @param {Proposal} data */
  begun({ editor, steps, effort }) {
    if (!steps || !editor || editor === name) return null;
    const again = solvingButton("Start again for me", "start-again", async () => {
      await this.draft.flush();
      const { moves, revision } = this.draft.data;
      const body = { action: "undo", count: moves.length };
      if (moves.length) await post(`${path}/edits`, { body, revision });
      await post(`${path}/renew`);
    });
    return h(
      "p",
      { class: "hint remark", id: "begun" },
      bdi(editor),
      ` began this: ${plural(effort, "edit")}. `,
      again,
    );
  }

  /** What to do with a proposal that was solved earlier, or for another person. @param {Proposal} data */
  offer({ due, for_another: another, solved_for: other }) {
    if (!due) return null;
    const whose = other ? "This was solved for another person. " : "This was not solved for you. ";
    const again = solvingButton(another ? "Solve it for me" : "Propose again", "again", () =>
      post(`${path}/renew`),
    );
    return h(
      "p",
      { class: "hint remark" },
      another ? whose : "More was learned since this was proposed. ",
      again,
    );
  }

  panels() {
    const { panels, keys } = this.editor;
    const all = [
      ...keys,
      ...this.keeping.keys,
      ["Ctrl Z", "undo"],
      ["Ctrl Y", "redo"],
      ["]", "fold the panels"],
      ["Enter", "submit"],
    ];
    const list = all.map(([key, text]) => [
      h("dt", {}, key.split(" ").map(kbd)),
      h("dd", { text }),
    ]);
    const wants = h("a", { href: `/s/${study}/wants`, text: "What it thinks you want" });
    const soFar = h("div", { class: "so-far" }, this.effort, wants);
    const about = h("div", {}, this.play?.element, soFar, this.changes);
    const content = [
      ...panels,
      { title: "What changes", content: about, asks: this.play?.asks },
      { title: "Edits", content: this.edits, folded: true },
      { title: "Keys", content: h("dl", { class: "keys" }, list), folded: true },
    ];
    const side = makePanels(content);
    side.hidden = !phone.matches && (windowMemory.read(FOLDED) ?? Boolean(this.editor.wide));
    return side;
  }

  /** Hide the panels, or show them again. */
  fold() {
    const side = /** @type {HTMLElement} */ ($(".side"));
    side.hidden = !side.hidden;
    windowMemory.write(FOLDED, side.hidden);
  }

  listen() {
    document.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("pointerdown", () => this.draft.touch());
    document.addEventListener("visibilitychange", () => this.look());
    window.addEventListener("pageshow", (event) => event.persisted && location.reload());
    window.addEventListener("pagehide", () => this.release());
    window.addEventListener("online", () => this.draft.retry());
    this.tabs.addEventListener("message", ({ data }) => data === path && this.look());
  }

  /** Draw everything as it is now. @param {unknown} [trouble] */
  refresh(trouble) {
    const { draft } = this;
    if (this.left) return;
    if (draft.data.state === "done") {
      location.reload();
      return;
    }
    const { view } = draft;
    this.drawPanels(view);
    this.bar.render(view, this.gestures, this.editor.warning?.(view) ?? "");
    this.bar.accept.hidden = !may("edit") || (view.holder !== "" && view.holder !== name);
    this.sayStatus(trouble);
    this.keeping.render(); // last: it scrolls to what was edited once all else has its height
    if (draft.unsent) return;
    const revision = String(draft.data.revision);
    if (document.body.dataset.revision !== revision) this.tabs.postMessage(path);
    document.body.dataset.revision = revision;
  }

  /** @param {Proposal} view */
  drawPanels(view) {
    const { draft, editor } = this;
    const { effort, steps, moves } = draft.data;
    const lines = linesOf(editor, view);
    const made = moves.filter((move) => !isLock(move)).length;
    const cancelled = !draft.unsent && steps !== made;
    this.gestures = cancelled ? 0 : lines.length - view.moves.filter(isLock).length;
    const known = draft.unsent ? this.gestures : effort;
    const [count, ...noun] = edited(known, this.gestures).split(" ");
    const counts = this.gestures && this.gestures < known;
    const more = cancelled ? ` (you made ${made}; they cancel out)` : "";
    const waiting = draft.unsent ? ` (${draft.unsent} not saved yet)` : "";
    const size = counts ? ` (counts as ${plural(effort, "edit")})` : more;
    put(
      this.effort,
      h("strong", { text: count }),
      ` ${noun.join(" ")}`,
      size || waiting ? h("span", { class: "hint", text: waiting || size }) : null,
    );
    this.play?.render(draft.data);
    this.changes.hidden = this.play !== null && !view.moves.length;
    const learns = !this.bar.today.checked && !editor.warning?.(view);
    drawChanges(this.changes, draft.data, draft.last, {
      learns,
      light: editor.light?.bind(editor),
    });
    drawEdits(this.edits, lines, "None yet.");
    [this.about.textContent, this.about.title] = origin(view);
  }

  /** @param {unknown} trouble */
  sayStatus(trouble) {
    const { draft } = this;
    if (draft.obstacle) {
      say(savingText(draft), true);
      offerAction("Try now", () => draft.retry());
      if (draft.obstacle.status) offerAction("Discard", () => draft.discard());
    } else if (trouble) this.sayTrouble(trouble);
    else if (this.editable) say(savingText(draft));
    else this.sayHolder();
  }

  /** @param {unknown} trouble */
  sayTrouble(trouble) {
    const { draft } = this;
    const conflict = trouble instanceof Refusal && trouble.status === 409;
    const dropped = trouble === draft.refusal ? draft.lost : [];
    say(`${conflict ? CHANGED : messageOf(trouble)} ${lost(dropped.length)}`, true);
    const [only] = dropped.length === 1 && !conflict ? dropped : [];
    if (this.editor.insists && only?.moves && !only.moves[0].anyway)
      offerAction("Do it anyway", () => draft.insist()).focus();
    this.arm(); // what is shown has changed
  }

  sayHolder() {
    const { holder } = this.draft.data;
    if (!may("edit") || !holder || holder === name) return;
    say(`${holder} is editing this proposal; you see it as it is now.`);
    offerAction("Look again", () => location.reload());
    if (may("lead")) offerAction("Take over", () => this.takeOver());
  }

  takeOver() {
    return attempt(async () => {
      await post(`${path}/release`);
      location.reload();
    });
  }

  /** Obey an Enter only after a pause: quick presses accept one proposal, and none unseen. */
  obeysEnter() {
    const quiet = this.#armed;
    this.arm();
    return quiet;
  }

  /** Obey the next Enter after a pause. */
  arm() {
    const { accept } = this.bar;
    clearTimeout(this.#timer);
    this.#armed = false;
    accept.removeAttribute("data-armed");
    this.#timer = setTimeout(() => {
      this.#armed = this.#seen = true;
      accept.setAttribute("data-armed", "");
    }, QUIET);
  }

  #armed = false; // whether an Enter would be obeyed
  #warned = ""; // what was wrong with the draft when a submit was asked about
  #seen = false; // whether the page was in view long enough to submit
  #timer = 0;

  async submit() {
    if (!this.editable || !this.#seen) return;
    const warning = this.editor.warning?.(this.draft.view) ?? "";
    if (warning && warning !== this.#warned) {
      this.#warned = warning;
      say(`${warning}. Submit anyway? Press Enter again.`, true);
      return;
    }
    this.submitting = true;
    this.refresh();
    say("Submitting …");
    try {
      const outcome = await this.draft.submit(!this.bar.today.checked, this.bar.note.value);
      this.left = true;
      leaveNotice(outcome, this.gestures, this.draft.data.asked_for);
      location.assign(await nextPage(this.trial));
    } catch (error) {
      this.submitting = false;
      if (this.left) location.reload(); // it is submitted; only the next one was not found
      if (error instanceof Refusal && error.current) this.draft.take(error.current);
      this.refresh(error);
    }
  }

  /** The person is leaving: give the proposal back; the draft stays. */
  release() {
    if (!this.editable) return;
    this.left = true;
    this.draft.touch();
    const body = JSON.stringify({ seconds: Math.round(this.draft.seconds * 10) / 10 });
    this.draft.store("seconds", null); // the server adds it to that of the others
    const headers = { "Content-Type": "application/json" };
    fetch(`/api${path}/release`, { method: "POST", keepalive: true, headers, body }).catch(
      () => null,
    );
  }

  /** The window is seen again: look whether another one has changed the draft. */
  async look() {
    if (document.hidden || this.left) return;
    await attempt(async () => {
      if (!(await this.draft.look())) return;
      this.refresh();
      say("This was changed in another window. You now see the latest version.", true);
    });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    this.draft.touch();
    if (event.defaultPrevented) return;
    if (event.key === "]" && !closest(event.target, "input")) this.fold();
    else if (event.ctrlKey || event.metaKey) this.onControl(event);
    else if (event.key === "Enter") this.onEnter(event);
    else if (this.keeping.key(event)) event.preventDefault();
    else if (document.activeElement === document.body && ENTERS.includes(event.key))
      enterWork(event);
  }

  /** Undo or redo. @param {KeyboardEvent} event */
  onControl(event) {
    const letter = event.key.toLowerCase();
    if (!/^[zy]$/.test(letter) || closest(event.target, "input[type=text]")) return;
    event.preventDefault();
    if (letter === "y" || event.shiftKey) this.draft.redo();
    else this.draft.undo();
  }

  /** @param {KeyboardEvent} event */
  onEnter(event) {
    if (event.repeat || ownsKeys(event)) return;
    event.preventDefault();
    // A preview or a question of the editor was seen: it is answered at once.
    const answered = this.keeping.enter() || (this.editor.enter?.() ?? false);
    if (this.obeysEnter() && !answered) this.submit();
    else if (!answered && this.#seen && this.editable) say("Press Enter again to submit.");
  }
}

/** The first keys that people press: they go to the work, wherever the focus is. */
const ENTERS = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", " "];

/** Give the focus to the item that the keyboard is on. @param {KeyboardEvent} event */
function enterWork(event) {
  const item = document.querySelector(
    "#content :is(li, [role=option], [role=gridcell])[tabindex='0']",
  );
  if (!(item instanceof HTMLElement)) return;
  event.preventDefault();
  item.focus();
  if (event.key === " ") item.dispatchEvent(new KeyboardEvent("keydown", event));
}

/**
 * A button that changes the proposal on the server and shows it anew.
 * @param {string} text @param {string} id @param {() => Promise<unknown>} change
 */
function solvingButton(text, id, change) {
  const act = async () => {
    element.disabled = true;
    try {
      const { budget } = await get(at(study));
      await counting("Solving …", (now) => (element.textContent = now), change, budget);
      location.reload();
    } catch (error) {
      element.disabled = false;
      element.textContent = text;
      sayError(error);
    }
  };
  const element = button(text, act, { id, class: "small" });
  return element;
}

/** Put a button behind the message at the top of the page. @param {string} text @param {() => void} act */
function offerAction(text, act) {
  const element = button(text, act, { class: "small" });
  $("#message").append(" ", element);
  return element;
}

const CHANGED = "This was changed in another window. You now see the latest version.";

/** What a refusal has cost. @param {number} dropped */
function lost(dropped) {
  if (dropped < 2) return dropped ? "Your last edit was not made." : "";
  return `Your last ${dropped} edits were not made.`;
}

/**
 * What to expect of the proposal and what it is based on: in short, and in full.
 * @param {Proposal} data
 */
function origin({ basis: { version, chance, proposer, reason }, moves }) {
  const learned = version
    ? `Proposed after ${plural(version, "proposal")}.`
    : "First proposal; nothing learned yet.";
  const based = proposer === "learner" || !reason ? learned : reason;
  const guess = moves.length ? "" : likely(chance);
  return guess ? [`${upper(guess)}.`, based] : [based, based];
}

/** The page of the next proposal, or the queue if nothing waits. @param {Trial | null} trial */
async function nextPage(trial) {
  if (frameElement) return ""; // in a notebook, which shows this proposal alone
  if (trial && may("edit")) await fillQueue();
  return (await openNext()) || `/s/${study}`;
}

const PLAYED = 10; // own corrections that end the play

/** What this person has done in a demo study that is there to play; else null. @param {Trial | null} trial */
async function ownRounds(trial) {
  if (!trial || trial.weeks || !may("edit")) return null;
  /** @type {Round[]} */
  const rounds = await get(at(study, "/effort?last=200"));
  const own = rounds.filter(({ work }) => work.actor === name);
  return own.length < PLAYED ? own : null;
}

async function start() {
  const { module, omitted } = await loadEditor();
  const [data, trial, prepared] = await Promise.all([
    take(omitted),
    findTrial(),
    module.prepare?.(study),
  ]);
  if (data.state === "done") {
    await showFinished(data, module, trial, prepared, () => nextPage(trial));
  } else {
    const page = new EditorPage(data, module, trial, prepared, await ownRounds(trial));
    page.refresh();
    page.arm();
  }
  showNotice();
}

await start().catch(sayError);
