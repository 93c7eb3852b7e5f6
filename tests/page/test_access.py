"""Accessibility: axe-core finds nothing serious; narrow and dark screens, the keyboard alone."""

from __future__ import annotations

import pytest

from coactor import domains
from coactor.studies import catalog, open_study
from coactor.web.demo import studies
from tests.page.actions import press, submit
from tests.page.conftest import check_log, demo_site
from tests.studies.stubs import Switches

pytestmark = pytest.mark.browser

# Width and scheme. Colours do not depend on the width, so that two states of a page share the four.
FIRST, SECOND = [(1280, "light"), (390, "dark")], [(390, "light"), (1280, "dark")]
ONLY = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}  # of the rest a dark page is as the light one
SERIOUS = """async (only) => (await axe.run({ resultTypes: ["violations"], ...only })).violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`)"""


def open_folds(page) -> None:
    """Open everything that is folded."""
    for folded in (".panel:not(.open) h2 button", "details:not([open]) > summary"):
        while (fold := page.locator(f"{folded} >> visible=true")).count():
            fold.first.click()


def with_axe(page):
    """A page with axe-core in it; putting it in once saves most of the time."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install 'coactor[test]'")
    page.evaluate(axe.Axe().axe_script)
    return page


def looked_at(page, name: str, looks: list[tuple[int, str]]) -> list[str]:
    """What is wrong with a page as it stands, at these widths and schemes."""
    wrong: list[str] = []
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        wrong += [f"{name}, {width}, {scheme}: {said}" for said in page.evaluate(SERIOUS, ONLY[scheme])]
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        if wide > width:
            wrong.append(f"{name}, {width}: {wide} wide")
    page.set_viewport_size({"width": 320, "height": 640})  # 1280 at a zoom of 400 %: WCAG 1.4.10
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    return [*wrong, f"{name}, 320: {wide} wide"] if wide > 320 else wrong


@pytest.fixture(scope="module")
def rooms(tmp_path_factory, demo_store, browser):
    """A study in every state: few and many rounds, an empty queue, one without a drawing of its own."""
    with (
        pytest.MonkeyPatch.context() as patch,
        demo_site(tmp_path_factory.mktemp("museum"), demo_store, browser) as site,
    ):
        for name, rounds in (("try-tour", 24), ("try-plan", 3), ("try-ranking", 1)):
            study = site.study(name)
            studies.play(study, rounds, "admin")
            studies.fill(study, "admin")
        patch.setattr(domains, "Switches", Switches, raising=False)
        patch.setitem(catalog.BUILT_IN, "switches", "Switches")
        with open_study(site.store, "switches", Switches(), "CSPER", create=True) as study:
            study.ask([1.0, -2.0, 3.0])
        open_study(site.store, "empty", Switches(), "CSPER", create=True).close()
        yield site


@pytest.fixture
def museum(rooms):
    """The same for one test."""
    yield rooms
    rooms.close()
    check_log(rooms)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/s/try-tour",
        "/s/empty",
        "/s/try-tour/report",
        "/s/try-plan/report",
        "/s/try-plan/wants",
        "/s/empty/report",
        "/s/try-tour/p/1",
    ],
)
def test_every_page(museum, path):
    page = museum.open(museum.log_in(viewport={"width": 1280, "height": 844}), path)
    open_folds(page)
    assert looked_at(with_axe(page), path, [*FIRST, SECOND[0]]) == []


def test_every_page_without_work(museum):
    page, wrong = museum.log_in(), []
    for path, ready in (("/login", "form"), ("/s/nowhere", ".button"), ("/lost", ".button")):
        page.goto(museum.address + path)
        page.locator(ready).first.wait_for()
        wrong += looked_at(with_axe(page), path, FIRST)
    assert wrong == []
    museum.log.errors = [said for said in museum.log.errors if "404" not in said]


# -- each editor, by the keyboard alone --------------------------------------------------------------------


def tab_to(page, role: str, selector: str = "*") -> None:
    """Press Tab until something of this role has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(
            "([role, selector]) => { const on = document.activeElement; return on.matches(selector)"
            " && (on.getAttribute('role') ?? on.tagName.toLowerCase()) === role; }",
            [role, selector],
        ):
            return
    raise AssertionError(f"No {role} ({selector}) is reached by Tab.")


def turn(page) -> None:
    tab_to(page, "option")
    press(page, "Home", "ArrowDown", "ArrowDown", "Space", "ArrowDown", "ArrowDown", "v")


def move(page) -> None:
    tab_to(page, "option")
    press(page, "Home", "ArrowDown", "Space", "ArrowDown", "ArrowDown", "m")


def carry(page) -> None:
    tab_to(page, "li", ".doc")
    press(page, "Home", "ArrowDown", "Space", "ArrowUp", "Space")


def detour(page) -> None:
    tab_to(page, "option")
    press(page, "Home", "ArrowDown", "ArrowDown")
    page.locator("#stretch", has_text="Instead of").wait_for()
    page.locator(".choice").first.wait_for()
    press(page, "ArrowRight")
    page.locator(".choice.chosen").wait_for()
    press(page, "Enter")


def choose(page) -> None:
    page.locator(".options button").first.wait_for()
    tab_to(page, "button", ".options button")
    press(page, "Enter")


@pytest.mark.parametrize(
    ("path", "act"),
    [
        ("/s/try-tour/p/25", turn),
        ("/s/try-plan/p/4", move),
        ("/s/try-ranking/p/2", carry),
        ("/s/try-roads/p/1", detour),
        ("/s/switches/p/1", choose),
    ],
)
def test_every_editor(museum, revision, path, act):
    """Untouched, in the middle of a gesture, and edited."""
    page = museum.open(museum.log_in(viewport={"width": 1280, "height": 844}), path)
    open_folds(page)
    wrong = looked_at(with_axe(page), path, FIRST)
    act(page)
    revision(page, 1)
    assert [*wrong, *looked_at(page, f"{path}, edited", SECOND)] == []


@pytest.mark.parametrize(("study", "act"), [("try-tour", turn), ("try-plan", move), ("try-ranking", carry)])
def test_by_keyboard_alone(site, revision, study, act):
    """Open, edit, take back, do again, submit, and on to the report, without a pointer."""
    page = site.open(site.log_in(), f"/s/{study}")
    press(page, "Enter")
    revision(page, 0)
    act(page)
    revision(page, 1)
    assert page.evaluate("() => document.activeElement !== document.body")  # the focus is not lost
    press(page, "Control+z")
    revision(page, 2)
    press(page, "Control+y")
    revision(page, 3)
    assert page.locator(".effort strong").inner_text() == "1"
    submit(page)
    assert site.study(study).effort()[0].effort == 1
    tab_to(page, "a", "[href$='/report']")
    press(page, "Enter")
    page.locator(".log li").first.wait_for()


def test_the_page_says_when_it_cannot_work(site):
    page = site.log_in(java_script_enabled=False)
    page.goto(site.address)
    assert "JavaScript" in page.locator("noscript").inner_text()
