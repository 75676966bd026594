"""When the studio stops while somebody looks at it: one banner says so, and nothing is done that nobody sees."""

from __future__ import annotations

import pytest

from deixis._studio.server import make_app
from tests.studio.conftest import running


expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser

GONE = "The studio has stopped"


@pytest.fixture
def visit(browser, demo_roots):
    """Open a page of a studio of its own; the second thing stops it."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(30_000)
    faults: list[str] = []
    page = opened.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    studio = running(make_app(demo_roots))
    address = studio.__enter__()

    def go(path):
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        return page

    def stop():
        opened.route("**/*", lambda route: route.abort("connectionrefused"))

    yield go, stop, lambda: opened.unroute("**/*")
    opened.close()
    studio.__exit__(None, None, None)
    assert faults == []


@pytest.mark.slow
def test_a_gallery_says_that_the_studio_is_gone(visit):
    """The list stays as it was, the address too; the banner goes when the studio answers again."""
    go, stop, start = visit
    page = go("/d/grid-worlds")
    before = page.locator("#list h2").inner_text()
    stop()

    page.get_by_label("Verb").select_option("push")
    expect(page.locator("#gone")).to_contain_text(GONE)

    assert page.locator("#list h2").inner_text() == before
    assert "verb" not in page.url
    start()
    page.get_by_label("Verb").select_option("pull")
    expect(page.locator("#gone")).to_be_hidden()
    expect(page.locator("#list h2")).to_contain_text("found")


@pytest.mark.slow
def test_the_playground_says_it_once(visit):
    """There is no second message beside the banner."""
    go, stop, _ = visit
    page = go("/playground")
    stop()

    page.locator("#text").fill("the red square")
    expect(page.locator("#gone")).to_contain_text(GONE)

    expect(page.locator("#fault")).to_be_hidden()


@pytest.mark.slow
def test_no_action_is_taken_that_nobody_sees(visit):
    """Keys that are pressed while the studio is gone are not part of the plan."""
    go, stop, start = visit
    page = go("/play?data=grid-worlds&task=navigate")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".question[data-ready]")
    page.keyboard.press("a")
    expect(page.locator("#board [name=plan]")).to_have_value("L")
    stop()
    page.keyboard.press("d")
    expect(page.locator("#gone")).to_contain_text(GONE)
    page.keyboard.press("d")
    page.wait_for_timeout(200)
    start()

    page.keyboard.press("a")

    expect(page.locator("#board [name=plan]")).to_have_value("LL")


@pytest.mark.slow
def test_a_room_says_it_too(visit):
    """Choosing another caption fails with the banner, not with an error of the script."""
    go, stop, _ = visit
    page = go("/d/3d-shapes/image/5")
    stop()

    page.locator("#number").fill("3")
    page.locator("#number").press("Enter")

    expect(page.locator("#gone")).to_contain_text(GONE)
