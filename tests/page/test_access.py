"""For everybody: axe-core finds nothing serious; narrow and dark screens, touch, the keyboard alone."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

PATHS = (
    "/", "/s/try-tour", "/s/try-tour/p/1", "/s/try-plan/p/1", "/s/try-ranking/p/1", "/s/try-steps/p/1",
    "/s/try-tour/report",
)  # fmt: skip


def serious(page) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install 'coactor[test]'")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page(house, scheme, width):
    page = house.visit(viewport={"width": width, "height": 844}, color_scheme=scheme, has_touch=width < 600)
    house.open(page, "/s/try-tour")
    page.locator("#play").click()
    page.locator("#message", has_text="corrected ten").wait_for()
    for path in (*PATHS[:2], "/s/try-tour/p/11", "/s/try-tour/p/1", *PATHS[3:]):
        house.open(page, path)
        if path == "/s/try-tour/p/11":
            page.locator(".lists .stop").nth(2).click()
            page.locator(".lists .stop").nth(5).click()
            page.keyboard.press("r")
            page.locator('body[data-revision="1"]').wait_for(state="attached")
        assert serious(page) == [], path
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= width, path
    page.goto(f"{house.address}/login")
    assert serious(page) == []


def test_by_touch(house, revision):
    """A finger: the buttons, two taps, and the grip, while the page still scrolls."""
    page = house.visit(viewport={"width": 390, "height": 844}, has_touch=True)
    house.open(page, "/s/try-ranking/p/1")
    names = page.locator(".ranking .called").all_inner_texts()
    page.locator(".ranking li").nth(1).get_by_role("button", name="up").tap()
    revision(page, 1)
    assert page.locator(".ranking .called").first.inner_text() == names[1]
    house.open(page, "/s/try-tour/p/1")
    page.locator(".lists .stop").nth(2).tap()
    page.locator(".lists .stop").nth(4).tap()
    page.get_by_role("button", name="Turn stretch round").tap()
    revision(page, 1)


def test_by_keyboard_alone(house, revision):
    """From the first page to the submitted proposal without a pointer."""
    page = house.open(house.visit(), "/")
    page.keyboard.press("Enter")  # the first study has the focus
    page.locator(".ticket").wait_for()
    page.keyboard.press("Enter")
    page.locator("#submit kbd").wait_for()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.getAttribute('role')") == "option":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("r")
    revision(page, 1)
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "option"
    page.keyboard.press("Enter")
    page.locator("#lesson").wait_for()
    assert house.study("try-tour").effort()[0].effort == 1


def test_the_page_says_when_it_cannot_work(house):
    page = house.visit(java_script_enabled=False)
    page.goto(house.address)
    assert "JavaScript" in page.locator("noscript").inner_text()
