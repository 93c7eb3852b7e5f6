"""A planner's morning on a roster and a timetable: by mouse, by finger and by keyboard.

One server for all tests; each has a study of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from coactor.grids import GridModel
from coactor.studies import Store, catalog, open_study
from coactor.web import demo
from coactor.web.app import create_app
from coactor.web.auth.permissions import PERMISSIONS
from tests.grids import cases
from tests.page.actions import Finger, drag, press, submit
from tests.page.conftest import Site
from tests.page.test_access import FIRST, SECOND, looked_at, open_folds, with_axe
from tests.web.conftest import serving

pytestmark = pytest.mark.browser

ROSTER, BOARD = "try-roster", "lessons"
catalog.add(BOARD, cache(cases.timetable))
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


class Desk(Site):
    """A server with a study for each test, and what the model says about its only proposal."""

    name = ""

    def begin(self, name: str, kind: str, **options: Any) -> Any:
        """Create a study of a model with one proposal, and return the page on which it is open."""
        self.name, self.model, rng = name, catalog.make(kind, {}), np.random.default_rng(7)
        problem = (
            next(self.model.sample(rng, 1)) if kind == ROSTER else self.model.problem(cases.lessons(rng, 4))
        )
        with open_study(self.store, name, self.model, create=True) as study:
            proposal = study.ask(problem)
        self.x, self.y = proposal.problem, proposal.solution
        return self.open(self.log_in(name, **options), f"/s/{name}/p/1")

    def find(self, op: str, refused: bool = False) -> tuple[int, int, Any, str]:
        """Return the first edit of this kind: its cell, the other cell or the choice, the move, the rules."""
        n = self.y.ndim
        for part in range(self.y.size):
            for move, _, rules in self.model.edits_of(self.x, self.y, part):
                if move["op"] != op or bool(rules) != refused:
                    continue
                if op == "set":
                    return part, int(np.ravel_multi_index(move["args"][n:], self.x.widths())), move, rules
                ends = [
                    int(np.ravel_multi_index(a, self.y.shape))
                    for a in (move["args"][:n], move["args"][n : 2 * n])
                ]
                return part, next(end for end in ends if end != part), move, rules
        raise AssertionError(f"There is no such {op}.")

    def words(self, move: Any) -> str:
        return str(self.model.describe_edit(self.x, self.y, move))

    def done(self) -> list[Any]:
        return self.moves(self.name)

    def reported_edits(self, page: Any) -> str:
        """Return the effort of the last finished proposal, as the report says it."""
        self.open(page, f"/s/{self.name}/report")
        page.get_by_text("Finished proposals").click()
        rows = page.get_by_role("region", name="Effort of each finished proposal").locator("tbody tr")
        return str(rows.first.locator("td").nth(1).inner_text())


@pytest.fixture(scope="module")
def server(tmp_path_factory: Any, browser: Any) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("ward")
    with Store(f"sqlite:///{folder}/desk.db") as store:
        demo.create_demo_studies(store, fill_queues=False)
        app = create_app(store, demo=demo)
        with serving(app) as address:
            yield Desk(store, address, browser, app)


@pytest.fixture
def desk(server: Desk) -> Iterator[Desk]:
    yield server
    server.close()
    assert server.log.errors == []
    assert server.log.dialogs == []


def cell(page: Any, part: int) -> Any:
    return page.locator(f'.grid [data-part="{part}"]')


def choice_of(page: Any, model: Any, choice: int) -> Any:
    """The entry of a choice in the open menu of a cell."""
    name = model.schema.names["shift"][choice]
    return page.locator(".cell-menu .menu-item:not(.anyway)", has_text=re.compile(f"^{name}")).first


def rule_in(text: str) -> str:
    return re.search(r"'([^']+)'", text)[1]


def gesture(page: Any, text: str) -> None:
    page.locator("#gesture", has_text=text).wait_for()


def locked(page: Any, part: int) -> bool:
    return "locked" in cell(page, part).get_attribute("class")


def test_planners_morning_by_mouse(desk, revision):
    page = desk.begin("mouse", ROSTER)
    a, b, _, rules = desk.find("swap", refused=True)
    drag(page, cell(page, a), cell(page, b), drop=False)
    gesture(page, rule_in(rules))  # before it happens
    assert "refused" in cell(page, b).get_attribute("class")
    page.mouse.up()
    gesture(page, rule_in(rules))
    a, b, move, _ = desk.find("swap")
    drag(page, cell(page, a), cell(page, b), drop=False)
    gesture(page, f"Let go: {desk.words(move)}")
    page.keyboard.press("Escape")
    page.mouse.up()
    assert desk.done() == []
    drag(page, cell(page, a), cell(page, b))
    revision(page, 1)
    assert desk.done() == [move]
    assert page.locator(".grid .changed").count() == 2
    page.locator(".changes tbody tr.moved").first.wait_for()  # what changes, wish by wish
    page.keyboard.press("Control+z")
    revision(page, 2)
    part, choice, move, _ = desk.find("set")
    cell(page, part).click()
    choice_of(page, desk.model, choice).click()
    revision(page, 3)
    assert desk.done() == [move]
    days = page.locator(".grid tbody tr").nth(part // 7).locator("td.count")
    worked = desk.model.apply(desk.x, desk.y, move)[part // 7] > 0
    assert days.inner_text() == str(worked.sum())
    cell(page, part).click()
    page.locator(".cell-menu button.lock").first.click()
    revision(page, 4)
    assert locked(page, part)
    drag(page, cell(page, part), cell(page, (part + 7) % 70))
    assert len(desk.done()) == 2  # the edit and the lock
    submit(page)
    assert desk.reported_edits(page) == "1"
    desk.open(page, "/s/mouse/p/1")
    assert page.locator(".edits li").inner_text() == desk.words(move)
    page.get_by_role("button", name="Before").click()
    assert cell(page, part).locator(".long").inner_text() == desk.x.positions["shift"][desk.y.ravel()[part]]


def test_a_rule_is_broken_with_a_reason_and_marked_until_it_is_mended(desk, revision):
    page = desk.begin("ill", ROSTER)
    part, choice, move, rules = desk.find("set", refused=True)
    cell(page, part).click()
    page.locator(".cell-menu .menu-refused summary").click()
    name = desk.model.schema.names["shift"][choice]
    entry = page.locator(".cell-menu .anyway", has_text=re.compile(f"^{name}"))
    entry.click()  # not without a reason
    assert desk.done() == []
    page.get_by_label("Reason").fill("Ben is ill")
    entry.click()
    revision(page, 1)
    assert desk.done() == [{**move, "anyway": "Ben is ill"}]
    page.locator("#warning", has_text=rule_in(rules)).wait_for()
    assert "breaks" in cell(page, part).get_attribute("class")
    assert f"breaks “{rule_in(rules)}”" in cell(page, part).get_attribute("aria-label")
    page.keyboard.press("Control+z")
    revision(page, 2)
    assert page.locator(".grid .breaks").count() == 0
    page.keyboard.press("Control+y")
    revision(page, 3)
    page.locator("#submit[data-armed]").wait_for()
    page.keyboard.press("Enter")
    page.locator("#message", has_text="Submit anyway? Press Enter again.").wait_for()
    submit(page)
    assert desk.reported_edits(page) == "1"
    desk.open(page, "/s/ill/p/1")
    assert page.locator(".edits li").inner_text() == f"{desk.words(move)} (anyway: Ben is ill)"


def test_nurse_is_ill_on_wednesday_and_nobody_fits(desk, revision):
    """The rule is broken with a reason, the rest re-planned and submitted; the report names the rule."""
    model = catalog.make(ROSTER, {})
    x = next(model.sample(np.random.default_rng(7), 1))
    y, data = model.solve(x, np.ones(model.dim)), model.encode_problem(x)
    ill, width = int(np.flatnonzero(y[:, 2])[0]), y.shape[1]
    leave = np.array(data["leave"])
    leave[:, 2] = (y[:, 2] == 0) | (np.arange(len(y)) == ill)
    x = model.problem({**data, "leave": leave.astype(int).tolist()})
    for _ in range(3):  # there is something to gain on Monday
        swaps = [m for m in model.moves(x, y) if m["op"] == "swap" and m["args"][1] == 0]
        y = model.apply(x, y, swaps[-1])
    off = {"op": "set", "args": [ill, 2, 0], "anyway": "ill"}
    with open_study(desk.store, "wednesday", model, create=True) as study:
        study.tell(study.ask(x, solution=y), moves=[off])
        study.ask(x, solution=y)
    desk.name = "wednesday"
    page = desk.open(desk.log_in("wednesday"), "/s/wednesday/p/2")
    page.locator("#warning", has_text="Leave").wait_for()
    cell(page, width * ill + 2).click()
    page.locator(".cell-menu .menu-refused summary").click()
    page.get_by_label("Reason").fill("ill")
    page.locator(".cell-menu .anyway", has_text=re.compile("^off")).click()
    revision(page, 1)
    page.locator("#warning", has_text="Enough staff").wait_for()
    press(page, "Escape", "r")
    page.locator("#message", has_text="The re-plan").wait_for()
    page.locator("#replan").click()
    revision(page, 2)
    assert [move["op"] for move in desk.moves("wednesday", 2)] == ["set", "replan"]
    page.locator("#warning", has_text="Enough staff").wait_for()
    page.locator("#submit[data-armed]").click()
    page.locator("#message", has_text="Submit anyway? Press Enter again.").wait_for()
    submit(page)
    with open_study(desk.store, "wednesday", model) as study:
        final = study.desk().view(2).solution
    assert final[ill, 2] == 0
    assert {one.rule for one in model.broken(x, final)} == {"Enough staff"}
    desk.open(page, "/s/wednesday/report")
    page.get_by_text("The rule 'Enough staff' was broken 2 times in 2 proposals").wait_for()


def test_a_role_is_denied_to_break_rules(desk, monkeypatch):
    monkeypatch.setitem(PERMISSIONS, "anyway", ("lead", "admin"))
    page = desk.begin("denied", ROSTER, role="expert")
    part, _, move, _ = desk.find("set", refused=True)
    cell(page, part).click()
    page.locator(".cell-menu .menu-refused summary").click()
    assert page.locator(".cell-menu .anyway").first.is_disabled()
    assert page.get_by_label("Reason").count() == 0
    edit = {"moves": [{**move, "anyway": "Ben is ill"}]}
    path = f"{desk.address}/api/studies/denied/proposals/1/edits"
    answer = page.request.post(path, data=edit, headers={"If-Match": '"0"', "Origin": desk.address})
    assert (answer.status, "needs one of: lead, admin" in answer.text()) == (403, True)
    assert desk.done() == []


def test_the_menu_offers_the_best_exchanges(desk, revision):
    page = desk.begin("partners", ROSTER)
    part = desk.find("swap")[0]
    swaps = [o for o in desk.model.edits_of(desk.x, desk.y, part) if o[0]["op"] == "swap" and not o[2]]
    cell(page, part).click()
    page.locator(".menu-part").wait_for()
    offered = page.locator(".menu-part ~ .menu-item:not(.anyway) .chip")
    assert offered.count() == min(5, len(swaps))
    offered.first.click()
    revision(page, 1)
    assert desk.done()[0] in [move for move, *_ in swaps]


def test_the_menu_leaves_its_cell_in_sight(desk):
    page = desk.begin("beside", ROSTER, **PHONE)
    for part in (3, 31, 59):
        cell(page, part).tap()
        menu = page.locator(".cell-menu[aria-busy=false]").bounding_box()
        own = cell(page, part).bounding_box()
        assert menu["y"] >= 0
        assert menu["y"] + menu["height"] <= 844
        assert menu["y"] >= own["y"] + own["height"] or menu["y"] + menu["height"] <= own["y"]
        cell(page, part).tap()


def test_a_month_fits_the_window(desk):
    days = [f"{'MTWTFSS'[day % 7]} {day + 1}" for day in range(31)]
    axes: Any = {"over": {"nurse": None, "day": days}, "choose": {"shift": ["off", "early"]}}
    model = GridModel(**axes, data={"need": "day"})
    model.wish("Early", model.has("early").per("nurse"))
    model.margin("people", model.has("early").per("day"), need="need")
    nurses = [f"Featherstone-Okonkwo {k}" for k in range(26)]
    study = open_study(desk.store, "month", model, create=True)
    study.ask(model.problem({"nurse": nurses, "need": [26] * 31}))
    desk.app.state.studies.add(study)
    page = desk.open(desk.log_in("month"), "/s/month/p/1")
    assert page.locator(".grid-scroller").evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_a_wish_lights_its_cells_and_marks_and_needs_are_shown(desk):
    page = desk.begin("reasons", ROSTER)
    feature = next(k for k, phi in enumerate(desk.model.features(desk.x, desk.y)) if phi < 0)
    causes = np.flatnonzero(desk.model.by_cell(desk.x, desk.y)[:, feature])
    label = desk.model.feature_names[feature].split(" (")[0]
    page.locator(".side details summary", has_text="no change").click()
    page.get_by_role("button", name=label).click()
    page.locator(".grid .lit").first.wait_for()
    lit = page.locator(".grid .lit").evaluate_all("cells => cells.map(cell => +cell.dataset.part)")
    assert lit == causes.tolist()
    leave = int(np.flatnonzero(desk.x.data["leave"])[0])
    assert ", leave" in cell(page, leave).get_attribute("aria-label")
    assert page.locator(".grid tbody th .marks").count() == np.count_nonzero(desk.x.data["senior"])
    counts = page.locator(".grid tfoot td.count").all_inner_texts()
    assert all(re.fullmatch(r"\d+\s/\s\d+", text) for text in counts)
    page.keyboard.press("]")
    page.locator(".side").wait_for(state="hidden")


def test_click_opens_the_choices_before_the_server_has_answered(desk):
    page = desk.begin("slow", ROSTER)
    held: list[Any] = []
    page.route("**/part?part=*", lambda route, _: held.append(route))
    cell(page, 3).click()
    page.locator(".cell-menu", has_text="Looking at its choices").wait_for()
    cell(page, 3).click()  # closes it
    page.locator(".cell-menu").wait_for(state="hidden")
    cell(page, 3).click()
    page.locator(".cell-menu").wait_for()
    for route in held:
        route.continue_()
    page.locator(".cell-menu .menu-item").first.wait_for()


def test_planners_morning_by_keyboard(desk, revision):
    page = desk.begin("keys", ROSTER)
    part, choice, move, _ = desk.find("set")
    cell(page, 0).focus()
    press(page, *["ArrowDown"] * (part // 7), *["ArrowRight"] * (part % 7))
    press(page, ("o", "e", "l", "n")[choice])
    revision(page, 1)
    assert desk.done() == [move]
    press(page, "Control+z")
    revision(page, 2)
    part, choice, _, rules = desk.find("set", refused=True)
    cell(page, part).focus()
    press(page, str(choice + 1))
    gesture(page, rule_in(rules))
    press(page, "F2")
    page.locator(".cell-menu .menu-refused").wait_for()
    press(page, "Escape")
    a, b, _, rules = desk.find("swap", refused=True)
    cell(page, a).focus()
    press(page, "Space", *["ArrowDown"] * ((b - a) // 7))
    gesture(page, rule_in(rules))  # before it is put down
    press(page, "Escape")
    a, b, move, _ = desk.find("swap")
    cell(page, a).focus()
    press(page, "Space", *["ArrowDown"] * ((b - a) // 7))
    gesture(page, f"Space: {desk.words(move)}")
    press(page, "Space")
    revision(page, 3)
    assert desk.done() == [move]
    cell(page, a).focus()
    press(page, "Shift+L")
    revision(page, 4)
    assert locked(page, a)
    press(page, "1", "2", "3", "4", "Space")
    gesture(page, "is locked")
    cell(page, b).focus()
    press(page, "Space", *["ArrowUp"] * ((b - a) // 7))
    gesture(page, "is locked")
    press(page, "Escape")
    assert len(desk.done()) == 2  # the edit and the lock
    cell(page, a).focus()
    press(page, "Shift+L")
    revision(page, 5)
    assert not locked(page, a)
    submit(page)
    assert desk.reported_edits(page) == "1"


def test_planners_morning_by_finger(desk, revision):
    page = desk.begin("finger", ROSTER, **PHONE)
    finger = Finger(page)
    a, b, move, _ = desk.find("swap")
    cell(page, a).tap()
    page.locator(".cell-menu .menu-item").first.wait_for()
    finger.drag(cell(page, a), cell(page, b))
    revision(page, 1)
    assert desk.done() == [move]
    page.locator("#undo").tap()
    revision(page, 2)
    a, b, _, rules = desk.find("swap", refused=True)
    cell(page, a).tap()
    page.locator(".cell-menu .menu-item").first.wait_for()
    finger.slide(cell(page, a), cell(page, b))
    gesture(page, rule_in(rules))
    finger.send("touchEnd")
    assert desk.done() == []
    part, choice, move, _ = desk.find("set")
    cell(page, part).tap()
    choice_of(page, desk.model, choice).tap()
    revision(page, 3)
    cell(page, part).tap()
    page.locator(".cell-menu button.lock").first.tap()
    revision(page, 4)
    assert locked(page, part)
    page.locator("#submit[data-armed]").tap()
    page.locator("#lesson").wait_for()
    assert desk.reported_edits(page) == "1"


def test_block_moves_by_mouse_keyboard_and_finger(desk, revision):
    page = desk.begin("block", ROSTER)
    a, b, move, _ = desk.find("block")
    last = a + move["args"][-1] - 1
    cell(page, a).focus()
    cell(page, last).click(modifiers=["Shift"])
    assert page.locator(".grid .chosen").count() == move["args"][-1]
    drag(page, cell(page, last), cell(page, b + 1), drop=False)  # held anywhere, dropped on the row
    gesture(page, f"Let go: {desk.words(move)}")
    page.mouse.up()
    revision(page, 1)
    assert desk.done() == [move]
    press(page, "Control+z")
    revision(page, 2)
    cell(page, a).focus()
    press(page, *["Shift+ArrowRight"] * (move["args"][-1] - 1))
    press(page, "Space", *["ArrowDown"] * ((b - a) // 7), "Space")
    revision(page, 3)
    assert desk.done() == [move]
    press(page, "Control+z")
    revision(page, 4)
    a, b, refused, rules = desk.find("block", refused=True)
    cell(page, a).focus()
    press(page, *["Shift+ArrowRight"] * (refused["args"][-1] - 1))
    press(page, "Space", *["ArrowDown"] * ((b - a) // 7))
    gesture(page, rule_in(rules))
    press(page, "Escape", "Escape")
    assert page.locator(".grid .chosen").count() == 0
    page = desk.begin("touched-block", ROSTER, **PHONE)
    a, b, move, _ = desk.find("block")
    for _ in range(move["args"][-1] - 1):
        cell(page, a).tap()
        page.locator(".cell-menu").get_by_text("Include").tap()
    Finger(page).drag(cell(page, a), cell(page, b))
    revision(page, 1)
    assert desk.done() == [move]


def test_lessons_are_moved_and_exchanged_on_a_board(desk, revision):
    page = desk.begin("lessons", BOARD, viewport={"width": 1600, "height": 900})
    part, choice, move, _ = desk.find("set")
    slot = page.locator(f'.grid [data-slot="{choice}"]')
    drag(page, cell(page, part), slot)
    revision(page, 1)
    assert desk.done() == [move]
    assert slot.locator(".item").get_attribute("data-part") == str(part)
    page.keyboard.press("Control+z")
    revision(page, 2)
    a, b, move, _ = desk.find("swap")
    drag(page, cell(page, a), cell(page, b))
    revision(page, 3)
    assert desk.done() == [move]


@pytest.mark.parametrize("kind", [ROSTER, BOARD])
def test_axe_finds_nothing_on_a_grid(desk, kind, revision):
    """Edited, a cell locked, and the choices of another one open."""
    page = desk.begin(f"axe-{kind}", kind)
    open_folds(page)
    a, b, _, _ = desk.find("swap")
    drag(page, cell(page, a), cell(page, b))
    revision(page, 1)
    cell(page, a).focus()
    page.keyboard.press("Shift+L")
    revision(page, 2)
    cell(page, a + 1).click()
    page.locator(".cell-menu .menu-refused").wait_for()
    assert looked_at(with_axe(page), kind, [*FIRST, SECOND[0]]) == []
