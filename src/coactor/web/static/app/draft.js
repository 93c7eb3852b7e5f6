// @ts-nocheck: rewritten next
// A proposal being edited. The draft lives on the server; this keeps step with it, one gesture after the other.

import { at, freshKey, get, post } from "./api.js";

const kept = {
  read(name) {
    try {
      return JSON.parse(sessionStorage.getItem(name));
    } catch {
      return null;
    }
  },
  write(name, value) {
    try {
      sessionStorage.setItem(name, JSON.stringify(value));
    } catch {
      /* a browser without memory: fine */
    }
  },
};

const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

export class Draft {
  /** @param {(trouble?: Error) => void} changed called after every answer */
  constructor(study, data, changed) {
    this.study = study;
    this.data = data;
    this.changed = changed;
    this.last = null; // what the last gesture changed, per feature
    this.line = Promise.resolve();
    this.busy = 0;
    this.place = at(study, `/proposals/${data.id}`);
    this.memory = `coactor/${study}/${data.id}`;
    const seen = kept.read(`${this.memory}/sizes`) ?? { done: [], undone: [] };
    this.sizes = {
      done: fit(seen.done, data.moves.length),
      undone: fit(seen.undone, data.undone.length),
    };
    this.seconds = kept.read(`${this.memory}/seconds`) ?? 0;
    this.seen = Date.now();
  }

  get edited() {
    return this.data.moves.length > 0;
  }

  /** Make edits as one gesture; `make` is given the newest data and answers moves, or nothing. */
  gesture(make) {
    return this.enqueue(async () => {
      const moves = make(this.data);
      if (!moves?.length) return;
      await this.send({ action: "move", moves });
      this.sizes.done.push(moves.length);
      this.sizes.undone = [];
    });
  }

  undo() {
    return this.enqueue(async () => {
      const count = this.sizes.done.at(-1);
      if (!count) return;
      await this.send({ action: "undo", count });
      this.sizes.undone.push(this.sizes.done.pop());
    });
  }

  redo() {
    return this.enqueue(async () => {
      const count = this.sizes.undone.at(-1);
      if (!count) return;
      await this.send({ action: "redo", count });
      this.sizes.done.push(this.sizes.undone.pop());
    });
  }

  enqueue(act) {
    this.touch();
    this.busy += 1;
    this.line = this.line.then(async () => {
      let trouble;
      try {
        await act();
      } catch (error) {
        trouble = error;
        if (error.current) this.take(error.current);
      }
      this.busy -= 1;
      kept.write(`${this.memory}/sizes`, this.sizes);
      this.changed(trouble);
    });
    return this.line;
  }

  async send(body) {
    const before = this.data.change;
    const key = freshKey();
    const request = { body, revision: this.data.revision, key };
    let answer;
    try {
      answer = await post(`${this.place}/edits`, request);
    } catch (error) {
      if (error.status !== 0) throw error;
      answer = await post(`${this.place}/edits`, request); // the key makes a second try safe
    }
    this.data = { ...this.data, ...answer };
    this.last = answer.change.map((value, i) => value - before[i]);
  }

  /** Take over a state that came from elsewhere. */
  take(current) {
    if (current.revision === undefined) return;
    this.data = { ...this.data, ...current };
    this.last = null;
    this.sizes = {
      done: fit([], this.data.moves.length),
      undone: fit([], this.data.undone.length),
    };
  }

  /** Look whether somebody else changed it; answers whether that is so. */
  async look() {
    if (this.busy) return false;
    const now = await get(this.place);
    if (this.busy || (now.revision === this.data.revision && now.state === this.data.state))
      return false;
    const moved = now.revision !== this.data.revision || now.state === "done";
    this.take(now);
    return moved;
  }

  /** Count active time: a pause of more than a minute is not work. */
  touch() {
    const now = Date.now();
    if (now - this.seen < 60_000) this.seconds += (now - this.seen) / 1000;
    this.seen = now;
    kept.write(`${this.memory}/seconds`, this.seconds);
  }

  /** What belongs to this draft and is nobody else's business: it stays in this window. */
  kept(what) {
    return kept.read(`${this.memory}/${what}`);
  }
  keep(what, value) {
    kept.write(`${this.memory}/${what}`, value);
  }

  async submit(learn, note) {
    await this.line;
    this.touch();
    const body = { learn, note, seconds: Math.round(this.seconds * 10) / 10 };
    const request = { body, revision: this.data.revision };
    try {
      return await post(`${this.place}/submit`, request);
    } catch (error) {
      if (error.status !== 0) throw error;
      return post(`${this.place}/submit`, request); // the same again answers the same
    }
  }
}

/** Gesture sizes that add up to so many edits; one by one where they are not known. */
function fit(sizes, count) {
  return Array.isArray(sizes) && sum(sizes) === count
    ? sizes
    : Array.from({ length: count }, () => 1);
}
