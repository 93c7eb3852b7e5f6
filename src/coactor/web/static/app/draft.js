// A proposal that is being edited. The draft lives on the server; this class sends the edits one after the
// other, shows them before the server has answered, and keeps those that could not be sent.

import { at, freshKey, get, post, Refusal } from "./api.js";
import { isSurprise } from "./format.js";
import { lockedAfter } from "./keeping.js";
import { windowMemory } from "./storage.js";

/** @import { Move, Proposal, Round } from "./types.js" */
/** @import { Memory } from "./storage.js" */

/**
 * An edit that the server has not confirmed yet.
 * @typedef {object} Pending
 * @property {"move" | "undo" | "redo"} action
 * @property {Move[]} [moves] of a "move"
 * @property {number} [count] of an "undo" or a "redo"
 * @property {string} key makes a second attempt safe
 * @property {string} text the edit in words
 * @property {number} [revision] set when it is sent for the first time
 */

/** @typedef {"saved" | "saving" | "unsent"} State */
/** @typedef {{ done: number[], undone: number[] }} Sizes how many moves each gesture had */

const RETRY = 3000; // milliseconds until the second attempt; doubled after each further one
const DOUBLED = 4; // at most so many times
const LONGEST = 3_600_000; // milliseconds between attempts, whatever the server asks for
const PASSING = [401, 408, 425, 429]; // refusals of the moment, not of the edit
const PAUSE = 60_000; // a longer pause is not work

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

/**
 * Sizes that add up to `count` moves; all ones if they are unknown.
 * @param {unknown} sizes
 * @param {number} count
 * @returns {number[]}
 */
export function fit(sizes, count) {
  if (Array.isArray(sizes) && sum(sizes) === count) return sizes;
  return Array.from({ length: count }, () => 1);
}

/**
 * Whether the server has refused the edit itself: nothing of it was recorded, and it never will be.
 * @param {unknown} error @returns {error is Refusal}
 */
const refused = (error) =>
  error instanceof Refusal &&
  error.status >= 400 &&
  error.status < 500 &&
  !PASSING.includes(error.status);

export class Draft {
  /** @type {Pending[]} */
  #queue = [];
  /** Solutions by the number of moves that lead to them, as far as they are known. @type {Map<number, unknown>} */
  #solutions = new Map();
  #sending = false;
  #failures = 0; // attempts in a row that failed
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {(() => void)[]} */
  #waiting = [];
  #touched = Date.now();

  /**
   * @param {string} study @param {Proposal} data
   * @param {(trouble?: unknown) => void} changed called after every change
   * @param {Memory} [memory]
   */
  constructor(study, data, changed, memory = windowMemory) {
    this.study = study;
    /** What the server has confirmed. */
    this.data = data;
    /** What the last gesture changed, per feature. @type {number[] | null} */
    this.last = null;
    /** Why the edits could not be sent; null if nothing is in the way. @type {Refusal | null} */
    this.obstacle = null;
    /** The last refusal of an edit. @type {Refusal | null} */
    this.refusal = null;
    /** The gestures that it has dropped. @type {Pending[]} */
    this.lost = [];
    /** The last confirmed edit in words. */
    this.message = "";
    this.changed = changed;
    this.path = at(study, `/proposals/${data.id}`);
    this.memory = memory;
    const sizes = this.recall("sizes") ?? {};
    /** @type {Sizes} */
    this.sizes = {
      done: fit(sizes.done, data.moves.length),
      undone: fit(sizes.undone, data.undone.length),
    };
    /** Seconds of active work. @type {number} */
    this.seconds = this.recall("seconds") ?? 0;
    this.#solutions.set(data.moves.length, data.solution);
    this.#queue = this.recall("unsent") ?? [];
    this.#pump();
  }

  /** How many gestures are not confirmed yet. */
  get unsent() {
    return this.#queue.length;
  }

  /** @returns {State} */
  get state() {
    if (this.obstacle) return "unsent";
    return this.#queue.length ? "saving" : "saved";
  }

  /**
   * The draft as the person sees it: with the edits that are not confirmed yet.
   * @returns {Proposal}
   */
  get view() {
    if (!this.#queue.length) return this.data;
    let { moves, undone, locked } = this.data;
    for (const { action, moves: added = [], count = 0 } of this.#queue) {
      if (action === "move") {
        [moves, undone] = [[...moves, ...added], []];
        locked = lockedAfter(locked, added);
      } else if (action === "undo") {
        undone = [...undone, ...moves.slice(-count).reverse()];
        moves = moves.slice(0, -count);
      } else {
        moves = [...moves, ...undone.slice(-count).reverse()];
        undone = undone.slice(0, -count);
      }
    }
    const solution = this.#solutions.get(moves.length) ?? this.data.solution;
    return { ...this.data, moves, undone, solution, locked };
  }

  /**
   * Make edits as one gesture.
   * @param {Move[]} moves @param {string} text the gesture in words
   * @param {unknown} [solution] what they lead to, if it is known
   */
  edit(moves, text, solution) {
    if (!moves.length) return;
    const count = this.view.moves.length + moves.length;
    this.#forgetAfter(count - moves.length);
    if (solution !== undefined) this.#solutions.set(count, solution);
    this.sizes.done.push(moves.length);
    this.sizes.undone = [];
    this.#enqueue({ action: "move", moves, text, key: freshKey() });
  }

  undo() {
    const count = this.sizes.done.pop();
    if (!count) return;
    this.sizes.undone.push(count);
    this.#enqueue({ action: "undo", count, text: "Undone.", key: freshKey() });
  }

  redo() {
    const count = this.sizes.undone.pop();
    if (!count) return;
    this.sizes.done.push(count);
    this.#enqueue({ action: "redo", count, text: "Done again.", key: freshKey() });
  }

  /** Try again at once to send what could not be sent. */
  retry() {
    clearTimeout(this.#timer);
    return this.#pump();
  }

  /** Drop the edits that could not be sent. */
  discard() {
    clearTimeout(this.#timer);
    this.take(this.data);
    this.changed();
  }

  /** Wait until every edit is confirmed; raises Refusal if one is refused or cannot be sent. */
  async flush() {
    this.refusal = null;
    await this.retry();
    if (this.#sending) await new Promise((done) => this.#waiting.push(() => done(null)));
    if (this.refusal) throw this.refusal;
    if (this.#queue.length) {
      throw new Refusal(
        0,
        "Your edits are not saved yet. They will be sent when the server is back.",
      );
    }
  }

  /** Submit the draft. @param {boolean} learn @param {string} note @returns {Promise<Round>} */
  async submit(learn, note) {
    await this.flush();
    this.touch();
    const unsure = learn && isSurprise(this.data); // the next page asks
    const body = { learn, unsure, note, seconds: Math.round(this.seconds * 10) / 10 };
    const request = { body, revision: this.data.revision };
    try {
      return await post(`${this.path}/submit`, request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 0) throw error;
      return post(`${this.path}/submit`, request); // a second submit gives the same answer
    }
  }

  /** Take over a state that another window made. @param {Proposal | undefined} current */
  take(current) {
    if (current?.revision === undefined) return;
    this.#queue = [];
    this.data = { ...this.data, ...current };
    this.last = null;
    this.message = "";
    this.sizes = {
      done: fit([], this.data.moves.length),
      undone: fit([], this.data.undone.length),
    };
    this.#solutions = new Map([[this.data.moves.length, this.data.solution]]);
    this.#forgetFailures();
    this.#remember();
  }

  /**
   * Look whether another window has changed the draft, and take its state over.
   * @returns {Promise<boolean>}
   */
  async look() {
    if (this.#queue.length) return false;
    const { revision, state } = this.data;
    const now = await get(`${this.path}?brief=true`);
    if (this.#queue.length || (now.revision === revision && now.state === state)) return false;
    const changed = now.revision !== revision || now.state === "done";
    this.take(now);
    return changed;
  }

  /**
   * The parts of the draft that cause a feature, the largest first.
   * @param {number} feature @returns {Promise<{ part: number, amount: number }[]>}
   */
  causes(feature) {
    return get(`${this.path}/causes?feature=${feature}`);
  }

  /** Make an edit that was refused although it breaks a rule. */
  insist() {
    const [{ moves = [], text }] = this.lost;
    this.edit(
      moves.map((move) => ({ ...move, anyway: "seen on the page" })),
      text,
    );
  }

  /** Count the time since the last touch as work, unless it was a pause. */
  touch() {
    const now = Date.now();
    if (now - this.#touched < PAUSE) this.seconds += (now - this.#touched) / 1000;
    this.#touched = now;
    this.store("seconds", this.seconds);
  }

  /** Something about this draft that only this window needs. @param {string} name */
  recall(name) {
    return this.memory.read(`coactor/${this.study}/${this.data.id}/${name}`);
  }

  /** @param {string} name @param {unknown} value */
  store(name, value) {
    this.memory.write(`coactor/${this.study}/${this.data.id}/${name}`, value);
  }

  /** @param {Pending} pending */
  #enqueue(pending) {
    this.touch();
    this.#queue.push(pending);
    this.#remember();
    this.changed();
    if (!this.obstacle?.after) this.#pump(); // else the server has asked to wait
  }

  #remember() {
    this.store("sizes", this.sizes);
    this.store("unsent", this.#queue.length ? this.#queue : null);
  }

  /** Forget solutions that a new edit makes unreachable. @param {number} count */
  #forgetAfter(count) {
    for (const known of [...this.#solutions.keys()]) {
      if (known > count) this.#solutions.delete(known);
    }
  }

  /** Send what waits, one after the other. */
  async #pump() {
    if (this.#sending || !this.#queue.length) return;
    this.#sending = true;
    let trouble;
    try {
      while (this.#queue.length) {
        await this.#send(this.#queue[0]);
        this.message = this.#queue.shift()?.text ?? "";
        this.#forgetFailures();
        this.#remember();
        if (this.#queue.length) this.changed();
      }
    } catch (error) {
      trouble = this.#handle(error);
    }
    this.#sending = false;
    for (const done of this.#waiting.splice(0)) done();
    this.changed(trouble);
  }

  /** @param {Pending} pending */
  async #send(pending) {
    const { action, moves, count, key } = pending;
    const before = this.data.change;
    const body = action === "move" ? { action, moves } : { action, count };
    pending.revision ??= this.data.revision;
    const answer = await post(`${this.path}/edits`, { body, revision: pending.revision, key });
    this.data = { ...this.data, ...answer };
    this.#solutions.set(this.data.moves.length, this.data.solution);
    this.last = this.data.change.map((value, i) => value - before[i]);
  }

  /**
   * Drop the edits if the server refuses one of them. After any other failure, keep them and try again: the
   * server may have recorded the edit, but its key makes another attempt safe.
   * @param {unknown} error
   */
  #handle(error) {
    if (refused(error)) {
      this.refusal = error;
      this.lost = this.#queue;
      this.take(error.current ?? this.data);
      return error;
    }
    this.obstacle = error instanceof Refusal ? error : new Refusal(0, String(error));
    const pause = RETRY * 2 ** Math.min(this.#failures, DOUBLED);
    const asked = this.obstacle.after * 1000;
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), Math.min(Math.max(pause, asked), LONGEST));
    return error;
  }

  #forgetFailures() {
    this.obstacle = null;
    this.#failures = 0;
  }
}
