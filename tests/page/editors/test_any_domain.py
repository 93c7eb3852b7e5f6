"""Domains that the page has no editor for: their views, their words, their edits, their own editor."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from coactor import domains
from coactor.studies import catalog, open_study
from tests.page.actions import submit
from tests.studies.stubs import Switches

pytestmark = pytest.mark.browser
EXAMPLES = Path(__file__).parents[3] / "examples"


class Lamps(Switches):
    """Switches that show and describe themselves; light is a merit, heat a cost."""

    feature_names = ("light (lm)", "heat (W)", "noise")
    feature_signs = (1, -1, -1)

    def show(self, x, y):
        names = ["hall", "<b>stairs</b>", "cellar"]
        return [
            {"kind": "text", "title": "Lamps", "text": f"{sum(y)} of 3 are on."},
            {
                "kind": "table",
                "head": ["lamp", "on"],
                "rows": [list(row) for row in zip(names, y, strict=True)],
            },
            {"kind": "list", "items": [name for name, on in zip(names, y, strict=True) if on]},
            {
                "kind": "drawing",
                "size": [30, 10],
                "shapes": [
                    {"shape": "circle", "at": [5 + 10 * k, 5], "radius": 4, "title": names[k]}
                    for k in range(3)
                ]
                + [{"shape": "text", "at": [15, 5], "text": "lamps"}],
            },
        ]

    def describe_edit(self, x, y, move):
        return f"Switch the lamp in the {('hall', 'stairs', 'cellar')[move['args'][0]]}"


@pytest.fixture
def install(site, monkeypatch):
    """A function that installs a domain and opens a study of it with one proposal."""

    def add(name: str, kind: type) -> None:
        monkeypatch.setattr(domains, kind.__name__, kind, raising=False)
        monkeypatch.setitem(catalog.BUILT_IN, name, kind.__name__)
        with open_study(site.store, name, kind(), "CSPER", create=True) as study:
            study.ask([1.0, -2.0, 3.0])

    return add


def test_domain_without_abilities_is_edited_by_a_list_of_its_moves(site, revision, install):
    install("switches", Switches)
    page = site.open(site.log_in(), "/s/switches/p/1")
    page.get_by_role("button", name="flip 2").click()
    revision(page, 1)
    assert page.locator(".views tr td:last-child").all_inner_texts() == ["0", "0", "1"]
    page.get_by_text("As proposed").click()
    assert page.locator(".before tr td:last-child").all_inner_texts() == ["0", "0", "0"]
    page.keyboard.press("Control+z")
    revision(page, 2)
    page.get_by_role("button", name="flip 0").click()
    revision(page, 3)
    submit(page)
    page.wait_for_url("**/s/switches")  # nothing else waits
    assert site.study("switches").weights().tolist() == [1.0, 0.0, 0.0]


def test_the_example_to_copy_is_usable(site, revision, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    example = importlib.import_module("own_domain")
    monkeypatch.setattr(domains, "Shifts2", example.Shifts, raising=False)
    monkeypatch.setitem(catalog.BUILT_IN, "shifts", "Shifts2")
    with open_study(site.store, "shifts", example.Shifts(), "default", create=True) as study:
        study.ask(next(example.Shifts().sample(np.random.default_rng(1), 1)))
    page = site.open(site.log_in(), "/s/shifts/p/1")
    assert page.locator(".views td").first.inner_text() == "Mon early"
    option = page.locator(".option").first
    text = option.locator("b").inner_text()
    assert " takes " in text or " trade " in text
    option.click()
    revision(page, 1)
    assert page.locator(".views .changed").count() > 0


class Fixed(Lamps):
    """Lamps that can be kept as they are."""

    def parts(self, x, y):
        return [
            (name, "on" if on else "off") for name, on in zip(("hall", "stairs", "cellar"), y, strict=True)
        ]


def test_domain_with_parts_keeps_and_replans(site, revision, install):
    install("fixed", Fixed)
    page = site.open(site.log_in(), "/s/fixed/p/1")
    page.get_by_role("button", name="Switch the lamp in the cellar").click()
    revision(page, 1)
    page.get_by_role("button", name="Parts", exact=True).click()
    page.locator(".parts li", has_text="hall").get_by_role("button", name="Lock").click()
    revision(page, 2)
    assert page.locator(".parts .locked").inner_text().startswith("hall: off")
    assert page.locator(".parts .kept").inner_text().startswith("cellar: on")
    page.get_by_role("button", name="Edits", exact=True).click()
    lines = page.locator(".edits li").all_inner_texts()
    assert lines == ["Switch the lamp in the cellar", "Locked hall: off"]
    page.locator("#replan").click()
    page.locator("#message", has_text="Nothing better").wait_for()


def test_domain_that_shows_and_describes_itself(site, revision, install):
    install("lamps", Lamps)
    page = site.open(site.log_in(), "/s/lamps/p/1")
    assert "0 of 3 are on." in page.locator(".views").inner_text()
    assert "<b>stairs</b>" in page.locator(".views table").inner_text()
    assert page.locator(".views circle").count() == 3
    drawing, words = page.locator(".views svg"), page.locator(".views svg text")
    assert words.bounding_box()["width"] < drawing.bounding_box()["width"] / 5  # whatever its unit
    page.locator("#find-edit").fill("Lamp CELLAR")
    page.get_by_text("1 edit", exact=True).wait_for()
    cellar = page.locator(".option")
    assert "Switch the lamp in the cellar" in cellar.inner_text()
    assert "noise −3" in cellar.inner_text()  # a cost: phi rises by 3
    cellar.click()
    revision(page, 1)
    page.get_by_text("1 of 3 are on.").wait_for()
    assert page.locator(".views .shown-list li").all_inner_texts() == ["cellar"]
    page.get_by_role("button", name="Edits", exact=True).click()
    assert page.locator(".edits li").all_inner_texts() == ["Switch the lamp in the cellar"]
    page.locator("#submit[data-armed]").click()
    page.wait_for_url("**/s/lamps")  # nothing else waits
    site.open(page, "/s/lamps/p/1")  # finished: in words, and nothing to search for
    assert page.locator(".edits li").all_inner_texts() == ["Switch the lamp in the cellar"]
    assert page.locator("#find-edit").count() == 0
    assert "Edits you can make" not in page.locator(".side").inner_text()


def test_domain_brings_its_own_editor(site, revision, install, tmp_path: Path):
    (tmp_path / "words.js").write_text('export const word = "Flip the first";\n')
    (tmp_path / "secret.txt").write_text("not served")
    (tmp_path / "lamp-editor.js").write_text(
        'import { button, h } from "/static/app/elements.js";\n'
        'import { word } from "./words.js";\n'
        "export function mount({ draft }) {\n"
        '  const now = h("p", { id: "own" });\n'
        '  const flip = button(word, () => draft.edit([{ op: "flip", args: [0] }], "Flipped."));\n'
        "  const render = (data) => { now.textContent = `on: ${data.solution}`; };\n"
        '  const canvas = h("div", {}, now, flip);\n'
        '  return { canvas, panels: [], keys: [], render, describe: () => "flip" };\n'
        "}\n"
    )
    install("own", type("OwnLamps", (Switches,), {"editor": tmp_path / "lamp-editor.js"}))
    page = site.open(site.log_in(), "/s/own/p/1")
    page.get_by_role("button", name="Flip the first").click()
    revision(page, 1)
    assert page.locator("#own").inner_text() == "on: 1,0,0"
    for path, status in (("lamp-editor.js", 200), ("secret.txt", 404), ("%2e%2e/x.js", 404), ("no.js", 404)):
        assert page.request.get(f"{site.address}/s/own/editor/{path}").status == status
    stranger = site.accounts.create("elsewhere", "try-tour", "expert")
    other = site.new_context(extra_http_headers={"Authorization": f"Bearer {stranger}"})
    answer = other.request.get(f"{site.address}/s/own/editor/lamp-editor.js")
    assert answer.status in (403, 404)
