// The studies one may see, and those to try.

import { get } from "../app/api.js";
import { $, h, put, say } from "../app/dom.js";
import { number, plural } from "../app/format.js";

const content = $("#content");

try {
  const [studies, trials] = await Promise.all([get("/studies"), get("/try")]);
  const named = new Map(trials.map((one) => [one.study, one]));
  const own = studies.filter((one) => !named.has(one.name));
  const first = trials[0];
  put(
    content,
    trials.length
      ? h(
          "section",
          { class: "try" },
          h("h2", { text: "Try it" }),
          h("p", {
            class: "lead",
            text: `${first.colleague} corrects what a solver proposes. She has her own taste and has never told anybody what it is. Correct a few proposals yourself, or let her do ten, and watch how the program finds out and leaves less and less to correct.`,
          }),
          h(
            "div",
            { class: "cards" },
            trials.map((one) =>
              card(
                studies.find((study) => study.name === one.study),
                one.title,
                one.story,
              ),
            ),
          ),
        )
      : null,
    own.length
      ? h(
          "section",
          {},
          trials.length ? h("h2", { text: "Studies" }) : null,
          h(
            "div",
            { class: "cards" },
            own.map((one) => card(one, one.name, "")),
          ),
        )
      : null,
    studies.length
      ? null
      : h(
          "p",
          { class: "card" },
          "There is no study here yet. Create one with ",
          h("code", { text: "coactor study create" }),
          ", or start the server with ",
          h("code", { text: "coactor serve --try" }),
          " to look around.",
        ),
  );
  content.append(
    h(
      "p",
      { class: "hint" },
      "For programs: ",
      h("a", { href: "/api/docs", text: "HTTP API" }),
      ".",
    ),
  );
  $(".card a", content)?.focus({ preventScroll: true });
} catch (error) {
  say(error.message, true);
}

function card(study, title, story) {
  if (!study.usable)
    return h(
      "article",
      { class: "card" },
      h("h3", { text: title }),
      h("p", { class: "hint", text: "Its domain is not installed on this server." }),
    );
  const { told, open, untouched, effort } = study;
  return h(
    "article",
    { class: "card" },
    h("h3", {}, h("a", { href: `/s/${study.name}`, text: title })),
    story ? h("p", { text: story }) : null,
    h(
      "dl",
      { class: "figures" },
      h("div", {}, h("dt", { text: "open" }), h("dd", { text: open })),
      h("div", {}, h("dt", { text: "done" }), h("dd", { text: told })),
      h(
        "div",
        {},
        h("dt", { text: "edits each" }),
        h("dd", { text: told ? number(effort / told, 2) : "–" }),
      ),
      h(
        "div",
        {},
        h("dt", { text: "untouched" }),
        h("dd", { text: told ? `${Math.round((100 * untouched) / told)} %` : "–" }),
      ),
    ),
    h(
      "p",
      { class: "row" },
      h("a", {
        class: "button",
        href: `/s/${study.name}/report`,
        "aria-label": `Report of ${title}`,
        text: "Report",
      }),
      study.version ? h("span", { class: "hint", text: plural(study.version, "version") }) : null,
    ),
  );
}
