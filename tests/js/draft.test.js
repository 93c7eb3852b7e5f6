import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Draft, fit } from "../../src/coactor/web/static/app/draft.js";
import { savingText } from "../../src/coactor/web/static/views/action-bar.js";

/** A server that keeps a draft of reversals; `respond` may replace its next answers. */
class Server {
  revision = 0;
  moves = [];
  undone = [];
  requests = [];
  respond = null;

  data() {
    const { revision, moves, undone } = this;
    const solution = `after ${moves.length}`;
    return { id: 1, state: "held", revision, moves, undone, solution, change: [moves.length] };
  }

  fetch = async (path, { body, headers }) => {
    const request = {
      path,
      body: JSON.parse(body),
      revision: headers["If-Match"],
      key: headers["Idempotency-Key"],
    };
    this.requests.push(request);
    const answer = this.respond?.(request);
    if (answer) return answer;
    const { action, moves, count } = request.body;
    if (action === "move") [this.moves, this.undone] = [[...this.moves, ...moves], []];
    else if (action === "undo") {
      for (let i = 0; i < count; i += 1) this.undone.push(this.moves.pop());
    } else for (let i = 0; i < count; i += 1) this.moves.push(this.undone.pop());
    this.revision += action === "move" ? moves.length : count;
    return reply(200, this.data());
  };
}

const reply = (status, data, headers = {}) => ({
  status,
  ok: status < 400,
  headers: new Map(Object.entries(headers)),
  json: async () => data,
});

/** A promise that some calls can be awaited with. */
const settle = () => new Promise((done) => setTimeout(done, 5));

let server;
let memory;
let troubles;
const open = () => {
  const store = memory;
  troubles = [];
  return new Draft("study", server.data(), (trouble) => trouble && troubles.push(trouble), {
    read: (name) => JSON.parse(store.get(name) ?? "null"),
    write: (name, value) => store.set(name, JSON.stringify(value)),
  });
};
const move = (...args) => ({ op: "reverse", args });

beforeEach(() => {
  server = new Server();
  memory = new Map();
  globalThis.fetch = server.fetch;
});

test("edits are shown at once and confirmed one after the other", async () => {
  const draft = open();
  draft.edit([move(1, 2)], "First.", "guess 1");
  draft.edit([move(3, 4), move(5, 6)], "Second.", "guess 2");
  assert.equal(draft.state, "saving");
  assert.deepEqual(draft.view.moves.length, 3);
  assert.equal(draft.view.solution, "guess 2");
  assert.equal(draft.data.moves.length, 0);
  await draft.flush();
  assert.deepEqual(
    [draft.state, draft.message, draft.view.solution],
    ["saved", "Second.", "after 3"],
  );
  assert.deepEqual(
    server.requests.map(({ revision }) => revision),
    ['"0"', '"1"'],
  );
  assert.deepEqual(draft.last, [2]);
});

test("undo and redo take back whole gestures, also after a reload", async () => {
  const draft = open();
  draft.edit([move(1, 2)], "First.", "one");
  draft.edit([move(3, 4), move(5, 6)], "Second.");
  draft.undo();
  assert.equal(draft.view.moves.length, 1);
  assert.equal(draft.view.solution, "one");
  await draft.flush();
  assert.equal(server.moves.length, 1);
  const again = open();
  again.redo();
  await again.flush();
  assert.equal(server.moves.length, 3);
  assert.deepEqual(again.data.moves, [move(1, 2), move(3, 4), move(5, 6)]);
});

test("an edit that cannot be sent is kept, shown and sent again", async () => {
  const draft = open();
  server.respond = () => {
    throw new TypeError("offline");
  };
  draft.edit([move(1, 2)], "First.", "guess");
  await settle();
  assert.deepEqual([draft.state, draft.unsent, draft.view.solution], ["unsent", 1, "guess"]);
  await assert.rejects(draft.flush(), /will be sent/);
  await assert.rejects(draft.submit(true, ""), /will be sent/);
  assert.ok(
    server.requests.every(({ path }) => path.endsWith("/edits")),
    "nothing is submitted",
  );
  server.respond = null;
  await draft.retry();
  assert.deepEqual([draft.state, draft.unsent, server.moves.length], ["saved", 0, 1]);
});

for (const status of [500, 502, 503, 504, 429, 408, 401]) {
  test(`an edit is kept and sent again after ${status}, with the same key`, async () => {
    globalThis.location = { pathname: "/s/a/p/1", search: "", assign: () => null };
    const draft = open();
    server.respond = () => reply(status, { detail: "Not now." });
    draft.edit([move(1, 2)], "First.", "guess");
    draft.edit([move(3, 4)], "Second.", "guess 2");
    await settle();
    assert.deepEqual([draft.state, draft.unsent, draft.view.solution], ["unsent", 2, "guess 2"]);
    assert.match(savingText(draft), /The server cannot save now. 2 edits are not saved yet/);
    await assert.rejects(draft.submit(true, ""), /not saved yet/);
    server.respond = null;
    await draft.retry();
    assert.deepEqual([draft.state, draft.unsent, server.moves.length], ["saved", 0, 2]);
    const keys = server.requests.map(({ key }) => key);
    assert.equal(new Set(keys).size, 2);
    assert.equal(keys[0], keys[1]);
  });
}

test("attempts are made later and later, and not before the server asks for one", async (t) => {
  const pauses = [];
  t.mock.method(globalThis, "setTimeout", (_, pause) => pauses.push(pause / 1000));
  const draft = open();
  server.respond = () => reply(503, { detail: "Not now." });
  draft.edit([move(1, 2)], "First.");
  await new Promise((done) => setImmediate(done));
  for (let i = 0; i < 5; i += 1) await draft.retry();
  assert.deepEqual(pauses, [3, 6, 12, 24, 48, 48]);
  server.respond = () => reply(503, { detail: "Not now." }, { "Retry-After": "100" });
  await draft.retry();
  const requests = server.requests.length;
  draft.edit([move(3, 4)], "Second.");
  assert.deepEqual([server.requests.length, draft.unsent], [requests, 2]);
  server.respond = () => reply(503, { detail: "Not now." }, { "Retry-After": "9999999999" });
  await draft.retry();
  assert.deepEqual(pauses.slice(-2), [100, 3600]);
});

test("a page of a proxy is not taken for an answer", async () => {
  const draft = open();
  server.respond = () => ({ ...reply(200), json: () => Promise.reject(new SyntaxError("<html>")) });
  draft.edit([move(1, 2)], "First.");
  await settle();
  assert.deepEqual([draft.state, draft.unsent], ["unsent", 1]);
});

test("edits that cannot be sent may be discarded", async () => {
  const draft = open();
  server.respond = () => reply(500, { detail: "A bug." });
  draft.edit([move(1, 2)], "First.");
  await settle();
  draft.discard();
  assert.deepEqual([draft.state, draft.unsent, draft.view.moves], ["saved", 0, []]);
});

for (const status of [403, 404, 409, 412, 422]) {
  test(`an edit is dropped and the person told after ${status}; nothing is submitted`, async () => {
    const draft = open();
    server.respond = ({ path }) => path.endsWith("/edits") && reply(status, { detail: "No." });
    draft.edit([move(1, 2)], "First.");
    draft.edit([move(3, 4)], "Second.");
    await assert.rejects(draft.submit(true, ""), { status });
    assert.deepEqual([draft.state, draft.unsent, draft.lost.length], ["saved", 0, 2]);
    assert.equal(troubles[0].status, status);
    assert.equal(server.requests.length, 1);
  });
}

test("an unsent edit survives a reload", async () => {
  server.respond = () => {
    throw new TypeError("offline");
  };
  open().edit([move(1, 2)], "First.", "guess");
  await settle();
  server.respond = null;
  const again = open();
  assert.equal(again.unsent, 1);
  await again.flush();
  assert.equal(server.moves.length, 1);
});

test("a refused edit is dropped and the server's state is taken over", async () => {
  const draft = open();
  const current = { ...server.data(), revision: 7, moves: [move(8, 9)], solution: "theirs" };
  server.respond = () => reply(409, { detail: "Changed.", current });
  draft.edit([move(1, 2)], "First.", "guess");
  draft.edit([move(3, 4)], "Second.", "guess");
  await settle();
  assert.deepEqual([draft.unsent, draft.view.solution, draft.data.revision], [0, "theirs", 7]);
  assert.equal(troubles[0].status, 409);
  assert.deepEqual(draft.sizes, { done: [1], undone: [] });
});

test("fit keeps sizes only if they add up", () => {
  assert.deepEqual(fit([1, 2], 3), [1, 2]);
  assert.deepEqual(fit([1, 2], 4), [1, 1, 1, 1]);
  assert.deepEqual(fit(null, 0), []);
});
