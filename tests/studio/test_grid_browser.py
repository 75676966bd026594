"""The page of an example of a grid world in a real browser: pointing, clicking, playing, and all of it by keyboard."""

from __future__ import annotations

import re

import pytest

from deixis._studio.server import make_app
from tests.studio.conftest import running, watch
from tests.studio.drawn import examples, plan_to, write_answers, write_dataset


pytestmark = pytest.mark.browser
LIT = "#scene [data-object].lit.object"
ADDRESS = "/d/drawn/1"  # 'walk to the red circle'
PULLED = "/d/drawn/2"  # 'pull the red circle hesitantly'


@pytest.fixture(scope="module")
def drawn_url(tmp_path_factory):
    """A studio over drawn worlds and one careless model."""
    root = tmp_path_factory.mktemp("grid")
    asked = examples()["test"]
    write_dataset(root / "drawn")
    write_answers(root / "careless", asked, [plan_to(asked[0], 1), *(example.plan for example in asked[1:])])
    with running(make_app([root])) as address:
        yield address


@pytest.fixture
def sheet(browser, drawn_url):
    """A page of a browser; the test fails when a script does."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=drawn_url)
    context.set_default_timeout(60_000)
    opened = context.new_page()
    faults = watch(opened, drawn_url)
    yield opened
    context.close()
    assert faults == []


def lit(page) -> list[str]:
    """The objects that are lit."""
    return sorted(page.locator(LIT).evaluate_all("all => all.map(one => one.dataset.object)"))


def agent(page, board: str = "#scene") -> str:
    """How the agent is moved from where it was drawn."""
    return page.locator(f"{board} .agent").evaluate("agent => agent.style.transform")


def test_pointing_at_a_word_lights_what_it_keeps(sheet):
    """'circle' keeps three objects; when the pointer leaves, everything is lit again."""
    sheet.goto(ADDRESS)

    sheet.hover("h1 .part.noun")
    assert lit(sheet) == ["0", "1", "3"]
    assert sheet.text_content("#told") == "Of 4 objects ‘circle’ keeps 3."

    sheet.mouse.move(2, 2)
    assert lit(sheet) == []


@pytest.mark.slow
def test_a_clicked_word_stays_lit_and_its_step_is_marked(sheet):
    """Pointing elsewhere and leaving again comes back to it; a second click lets go."""
    sheet.goto(ADDRESS)

    sheet.click("h1 .part.color")
    sheet.hover("h1 .part.noun")
    sheet.mouse.move(2, 2)

    assert lit(sheet) == ["0"]
    assert sheet.get_attribute("#trace [data-step='1']", "aria-pressed") == "true"
    sheet.click("h1 .part.color")
    sheet.mouse.move(2, 2)
    assert lit(sheet) == []


@pytest.mark.slow
def test_the_resolution_is_walked_through_by_keyboard(sheet):
    """Words are buttons for the keyboard, and so are the steps."""
    sheet.goto(ADDRESS)

    sheet.focus("h1 .part.noun")
    sheet.keyboard.press("Enter")
    assert sheet.get_attribute("h1 .part.noun", "aria-pressed") == "true"

    sheet.focus("[data-trace=next]")
    sheet.keyboard.press("Space")
    assert sheet.get_attribute("h1 .part.color", "aria-pressed") == "true"
    assert sheet.is_disabled("[data-trace=next]")


def test_a_clicked_distractor_says_who_would_end_there(sheet):
    """The sentence stands above the scene, and the entry of the object opens."""
    sheet.goto(ADDRESS)

    sheet.locator('#scene g.object[data-object="1"]').click()

    assert (
        sheet.text_content("#told")
        == "The blue circle (1): you would end here if you ignored ‘red’ in ‘the red circle’."
    )
    assert sheet.locator("#object-1").evaluate("entry => entry.open")
    assert sheet.locator("#scene .chosen.object").count() == 1


@pytest.mark.slow
def test_objects_are_chosen_from_the_list_by_keyboard(sheet):
    """One entry is open at a time."""
    sheet.goto(ADDRESS)

    for number in ("1", "2"):
        sheet.focus(f"#object-{number} summary")
        sheet.keyboard.press("Enter")

    assert "ignored ‘circle’" in (sheet.text_content("#told") or "")
    assert sheet.locator("details.object[open]").count() == 1


def test_the_plan_is_stepped_forth_and_back(sheet):
    """The agent moves, the list of actions and the slider follow, and the start is as it was."""
    sheet.goto(PULLED)
    start = agent(sheet)

    sheet.click(".stage [data-do=step]")
    assert agent(sheet) != start
    assert sheet.input_value(".stage input[type=range]") == "1"
    assert sheet.locator(".stage .act[aria-current=step]").get_attribute("data-at") == "1"

    sheet.keyboard.press("ArrowRight")
    assert (sheet.text_content(".stage [data-now]") or "").startswith("2 of ")
    sheet.keyboard.press("Home")
    assert sheet.locator("#scene .agent").evaluate("one => new DOMMatrix(getComputedStyle(one).transform).isIdentity")
    assert sheet.input_value(".stage input[type=range]") == "0"


@pytest.mark.slow
def test_the_plan_plays_to_its_end_and_can_be_paused(sheet):
    """At four times the speed it ends soon; the button says what it does."""
    sheet.goto(PULLED)
    count = sheet.locator(".stage .act").count()
    play = sheet.locator(".stage [data-do=play]")

    sheet.select_option(".stage [data-do=speed]", "0.5")
    play.click()
    assert play.get_attribute("aria-label") == "Pause"
    play.click()
    assert play.get_attribute("aria-label") == "Play"
    sheet.select_option(".stage [data-do=speed]", "4")
    play.click()

    sheet.wait_for_selector(f".stage .act[data-at='{count}'][aria-current=step]")
    sheet.wait_for_selector(".stage [data-do=play][aria-label=Play]")


@pytest.mark.slow
def test_an_action_and_the_slider_lead_anywhere(sheet):
    """A click on an action shows the world after it."""
    sheet.goto(PULLED)
    last = sheet.locator(".stage .act").count()

    sheet.locator(".stage .act").last.click()
    ended = agent(sheet)
    sheet.locator(".stage input[type=range]").fill("1")

    assert agent(sheet) != ended
    sheet.locator(".stage input[type=range]").fill(str(last))
    assert agent(sheet) == ended


@pytest.mark.slow
def test_nothing_glides_where_motion_is_not_wanted(browser, drawn_url):
    """Steps are taken at once."""
    context = browser.new_context(base_url=drawn_url, reduced_motion="reduce")
    page = context.new_page()
    page.goto(PULLED)

    page.click(".stage [data-do=step]")
    moving = page.locator("#scene .agent").evaluate("agent => agent.getAnimations().length")

    assert moving == 0
    context.close()


@pytest.mark.slow
def test_a_model_is_played_beside_the_right_plan(sheet, shots):
    """Both boards have an agent of their own, moved by one set of buttons."""
    sheet.goto(ADDRESS)

    sheet.click("[data-answer]")
    sheet.wait_for_selector(".beside [data-film]")
    sheet.click(".beside [data-do=step]")
    sheet.click(".beside [data-do=step]")

    first, second = (sheet.locator(".beside .agent").nth(k).evaluate("one => one.style.transform") for k in (0, 1))
    assert first != second
    sheet.screenshot(path=shots / "grid-model.png", full_page=True)


@pytest.mark.slow
def test_the_page_fits_a_phone_and_both_themes(browser, drawn_url, shots):
    """Nothing sticks out at 390 pixels, light or dark."""
    for theme in ("light", "dark"):
        for width in (390, 1280):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=theme, base_url=drawn_url
            )
            page = context.new_page()
            page.goto(PULLED)
            page.screenshot(path=shots / f"grid-{width}-{theme}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            context.close()


@pytest.mark.slow
def test_the_theme_of_the_reader_reaches_the_drawing(sheet):
    """The button in the bar changes the paper of the scene."""
    sheet.goto(ADDRESS)
    paper = "document.querySelector('#scene svg > rect')"
    before = sheet.evaluate(f"getComputedStyle({paper}).fill")

    sheet.click("#theme")

    assert sheet.evaluate(f"getComputedStyle({paper}).fill") != before
    assert re.match(r"rgb", before)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 1000, 390])
def test_badges_stay_on_their_cards(page, width):
    """The letter of an object's role lies within its card, however long the name is."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/d/grid-worlds/300")

    outside = page.locator(".object").evaluate_all(
        """(all) => all.filter((card) => {
          const badge = card.querySelector(".badge")?.getBoundingClientRect(), frame = card.getBoundingClientRect();
          return badge && (badge.right > frame.right || badge.left < frame.left);
        }).map((card) => card.querySelector("summary").textContent)"""
    )

    assert page.locator(".object .badge").count() > 3
    assert outside == []
