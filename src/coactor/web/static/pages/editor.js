// @ts-nocheck: rewritten next
// The page on which a proposal is corrected: the frame around the editor of its kind.

import { at, get, post } from "../app/api.js";
import { Draft } from "../app/draft.js";
import { $, button, h, kbd, put } from "../app/elements.js";
import { clock, feature, likely, plural } from "../app/format.js";
import { ownsKeys, say } from "../app/shell.js";
import { drawChanges } from "../views/changes.js";

const { study, proposal, free, name, rights, editor } = document.body.dataset;
const place = at(study, `/proposals/${proposal}`);
const MAY_EDIT = rights.split(" ").includes("edit");
const content = $("#content");
let draft, kind, trial, panel, bar, history, about;
let finished = false;
let advised = null; // the revision the colleague was asked about
let forget = null;

start().catch((error) => say(error.message, true));

async function start() {
  const [data, trials] = await Promise.all([take(), get("/try")]);
  if (!data) return;
  trial = trials.find((one) => one.study === study) ?? null;
  const module = await import(`../editors/${editor}.js`);
  draft = new Draft(study, data, refresh);
  if (data.state === "done") return showDone();
  build(module, await module.prepare?.(study));
}

/** Take the proposal, or look at it where it cannot be had. */
async function take() {
  if (!MAY_EDIT) {
    say("You can view this, but not edit it.");
    return get(place);
  }
  // The server said with the page whether it is free; somebody may have been faster since.
  if (free) {
    try {
      return await post(`${place}/claim`);
    } catch (error) {
      if (error.status !== 409) throw error;
    }
  }
  const data = await get(place);
  if (data.state !== "done") {
    say(
      `${data.holder || "Somebody else"} is editing this proposal; you see it as it is now.`,
      true,
    );
    $("#message").append(
      " ",
      button("Look again", () => location.reload()),
    );
  }
  return data;
}

const editable = () =>
  MAY_EDIT &&
  !finished &&
  draft.data.state !== "done" &&
  (!draft.data.holder || draft.data.holder === name);

function build(module, prepared) {
  const canvas = h("section", { class: "canvas", "aria-label": "Editor" });
  const side = h("aside", { class: "side", "aria-label": "Changes" });
  const effort = h("p", { class: "effort" });
  const changes = h("div");
  side.append(h("h2", { text: "What changes" }), effort, changes);
  panel = ({ data, last }) => {
    const edits = ` ${data.effort === 1 ? "edit" : "edits"}`;
    const cancelled = ` (you made ${data.moves.length}; they cancel out)`;
    put(
      effort,
      h("strong", { text: String(data.effort) }),
      edits,
      data.steps === data.moves.length ? null : h("span", { class: "hint", text: cancelled }),
    );
    drawChanges(changes, { ...data, counts_costs: data.counts_costs ?? true }, last);
  };
  history = h("ol", { class: "edits" });
  side.append(h("details", {}, h("summary", { text: "Edits" }), history));
  kind = module.mount(canvas, {
    draft,
    editable,
    trial,
    prepared,
    make: (moves) => draft.gesture(() => moves),
    makeFrom: (make) => draft.gesture(make),
  });
  side.append(
    h(
      "details",
      {},
      h("summary", { text: "Keys" }),
      h(
        "dl",
        { class: "keys" },
        [...kind.keys, ["Ctrl Z", "undo"], ["Ctrl Y", "redo"], ["Enter", "submit"]].map(
          ([key, text]) => [
            h(
              "dt",
              {},
              key.split(" ").map((one) => kbd(one)),
            ),
            h("dd", { text }),
          ],
        ),
      ),
    ),
  );
  bar = makeBar();
  about = h("p", { class: "hint", id: "about" });
  put(
    content,
    about,
    trial ? advice() : null,
    h("div", { class: "work" }, canvas, side),
    bar.element,
  );
  document.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", () => draft.touch());
  document.addEventListener("visibilitychange", onReturn);
  refresh();
}

function makeBar() {
  const undo = button("Undo", () => draft.undo(), { "aria-keyshortcuts": "Control+Z", id: "undo" });
  const redo = button("Redo", () => draft.redo(), { "aria-keyshortcuts": "Control+Y", id: "redo" });
  const today = h("input", {
    type: "checkbox",
    id: "today",
    on: { change: () => draft.keep("today", today.checked) },
  });
  const note = h("input", {
    type: "text",
    id: "note",
    maxlength: "2000",
    placeholder: "Note (optional)",
    "aria-label": "Note",
    on: {
      input: () => draft.keep("note", note.value),
      keydown: (event) => {
        if (event.key === "Enter" && !event.isComposing) submit();
      },
    },
  });
  note.value = draft.kept("note") ?? ""; // a reload loses no word
  today.checked = draft.kept("today") ?? false;
  const accept = button("", () => submit(), { class: "primary", id: "submit" });
  const element = h(
    "div",
    { class: "bar", role: "group", "aria-label": "Actions" },
    button("Back to the queue", leave, { class: "quiet leave" }),
    undo,
    redo,
    h(
      "label",
      { class: "switch", title: "Recorded, but nothing is learned from it" },
      today,
      " Just today",
    ),
    note,
    accept,
  );
  return { element, undo, redo, today, note, accept };
}

function refresh(trouble) {
  if (finished) return;
  if (draft.data.state === "done") return showDone(trouble);
  if (trouble)
    say(
      trouble.message +
        (trouble.status === 409 ? " You see it as it is now; your last edit was not made." : ""),
      true,
    );
  else if ($("#message").classList.contains("trouble") && editable()) say("");
  const { data } = draft;
  const can = editable();
  kind.render(data);
  panel(draft);
  about.textContent = said(data);
  if (advised !== data.revision) forget?.(); // advice on a draft that is no longer
  put(
    history,
    data.moves.length
      ? data.moves.map((move) => h("li", { text: kind.describe(move) }))
      : h("li", { class: "hint", text: "None yet." }),
  );
  bar.undo.disabled = !can || !data.moves.length;
  bar.redo.disabled = !can || !data.undone.length;
  bar.accept.disabled = bar.today.disabled = bar.note.disabled = !can;
  put(
    bar.accept,
    data.effort ? `Submit ${plural(data.effort, "edit")} ` : "Accept as proposed ",
    kbd("Enter"),
  );
  document.body.dataset.revision = data.revision;
}

/** Where the proposal comes from, and what may be expected of it. */
function said({ version, chance, moves }) {
  const made = `Made with version ${version} of the weights.`;
  const guess = moves.length ? "" : likely(chance);
  return guess ? `${upper(guess)}. ${made}` : made;
}

async function submit() {
  if (!editable() || bar.accept.disabled) return;
  bar.accept.disabled = true;
  try {
    const outcome = await draft.submit(!bar.today.checked, bar.note.value);
    showOutcome(outcome);
  } catch (error) {
    if (error.current) draft.take(error.current);
    refresh(error);
  }
}

/** Everything about a proposal that is done. */
async function showDone(trouble) {
  try {
    const outcome = await get(`${place}/outcome`);
    showOutcome(
      outcome,
      trouble ? trouble.message : `Done by ${outcome.actor || "somebody"}, ${clock(outcome.time)}.`,
    );
  } catch (error) {
    say(error.message, true);
  }
}

function showOutcome(outcome, message = "") {
  finished = true;
  document.removeEventListener("keydown", onKey);
  document.removeEventListener("visibilitychange", onReturn);
  say(message);
  const moved = h("div");
  const next = button("", goOn, { class: "primary", id: "next" });
  put(next, "Next proposal ", kbd("Enter"));
  const head = h("h2", {
    tabindex: "-1",
    text: outcome.effort ? `Submitted: ${plural(outcome.effort, "edit")}` : "Accepted as proposed",
  });
  put(
    content,
    h(
      "section",
      { class: "card outcome", "aria-label": "Outcome" },
      head,
      h("p", { class: "lesson", id: "lesson", text: outcome.lesson }),
      moved,
      h("p", { class: "hint", text: `Version ${outcome.version} of the weights.` }),
      h(
        "div",
        { class: "row" },
        next,
        MAY_EDIT ? button("Undo and edit again", reopen, { id: "reopen" }) : null,
        h("a", { class: "button", href: `/s/${study}/report`, text: "See the report" }),
        h("a", { class: "button", href: `/s/${study}`, text: "Queue" }),
      ),
    ),
  );
  next.focus();
  if (outcome.learn) showMoved(moved, outcome).catch(() => null); // the sentence has said it already
}

/** What counts for more now and what for less, as shares of all that counts. */
async function showMoved(place, outcome) {
  const [before, after] = await Promise.all(
    [outcome.version - 1, outcome.version].map((one) => get(at(study, `/beliefs?version=${one}`))),
  );
  const share = ({ matter }) => {
    const all = matter.reduce((sum, value) => sum + Math.abs(value), 0) || 1;
    return matter.map((value) => Math.abs(value) / all);
  };
  const [was, is] = [share(before), share(after)];
  // In the order of the sentence: by how far each weight moved, in units of the doubt there was about it.
  const far = (i) =>
    Math.abs(outcome.change[i] * (after.weights[i] ? after.matter[i] / after.weights[i] : 0));
  const rows = after.feature_names
    .map((name, i) => ({
      label: feature(name).label,
      far: far(i),
      was: Math.round(100 * was[i]),
      is: Math.round(100 * is[i]),
    }))
    .filter((one) => one.was !== one.is)
    .sort((a, b) => b.far - a.far)
    .slice(0, 5);
  if (!rows.length) return;
  put(
    place,
    h("h3", { text: "How much each thing matters" }),
    h(
      "ul",
      { class: "moved" },
      rows.map((one) =>
        h(
          "li",
          {},
          h("span", { text: one.label }),
          h("span", {}, `${one.was} % → `, h("b", { text: `${one.is} %` })),
        ),
      ),
    ),
  );
}

async function reopen() {
  try {
    await post(`${place}/reopen`);
    location.reload();
  } catch (error) {
    say(error.message, true);
  }
}

/** On to the next proposal, or back to the queue where nothing waits. */
async function goOn() {
  try {
    if (trial && rights.split(" ").includes("ask")) await post(`/try/${study}/fill`);
    const following = await post(at(study, "/queue/next"));
    location.assign(following ? `/s/${study}/p/${following.id}` : `/s/${study}`);
  } catch (error) {
    say(error.message, true);
  }
}

async function leave() {
  if (editable()) await post(`${place}/release`).catch(() => null); // the lease would end by itself
  location.assign(`/s/${study}`);
}

async function onReturn() {
  if (document.hidden || finished) return;
  try {
    if (await draft.look()) {
      refresh();
      if (!finished)
        say("This proposal was changed in another window. You see it as it is now.", true);
    }
  } catch (error) {
    say(error.message, true);
  }
}

function onKey(event) {
  draft.touch();
  const control = event.ctrlKey || event.metaKey;
  const letter = event.key.toLowerCase();
  if (control && (letter === "y" || (letter === "z" && event.shiftKey))) {
    event.preventDefault();
    draft.redo();
  } else if (control && letter === "z") {
    if (event.target.closest("input[type=text]")) return;
    event.preventDefault();
    draft.undo();
  } else if (
    event.key === "Enter" &&
    !event.repeat &&
    !event.defaultPrevented &&
    !control &&
    !ownsKeys(event)
  ) {
    event.preventDefault();
    submit();
  }
}

/** In a study to try: what the colleague would do. */
function advice() {
  const said = h("span", { id: "advice", role: "status" });
  const act = h("span");
  const ask = async () => {
    try {
      await draft.line;
      const { moves, colleague } = await get(`/try/${study}/advice/${proposal}`);
      advised = draft.data.revision;
      put(act);
      if (!moves.length) {
        said.textContent = `${colleague} would leave it as it is. Press Enter.`;
        return;
      }
      said.textContent = `${colleague} would ${lower(kind.describe(moves[0], true))}${moves.length > 1 ? `, then make ${plural(moves.length - 1, "more edit")}` : ""}. `;
      kind.show?.(moves[0]);
      const follow = async (some) => {
        await draft.gesture(() => some);
        ask();
      };
      put(
        act,
        button("Do it", () => follow(moves.slice(0, 1)), { id: "do-it" }),
        " ",
        moves.length > 1
          ? button(`Do all ${moves.length}`, () => follow(moves), { id: "do-all" })
          : null,
      );
    } catch (error) {
      say(error.message, true);
    }
  };
  forget = () => {
    said.textContent = "";
    put(act);
  };
  return h(
    "div",
    { class: "advice" },
    button(`What would ${trial.colleague} do?`, ask, { id: "ask-colleague" }),
    said,
    act,
  );
}

const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);
