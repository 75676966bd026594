"""The playground in a real browser: typing, dragging, keys, undo, sharing and saving."""

import re

import pytest


expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser

HEADLINE = "#verdict .verdict h2"
BOARD = "/playground?text={text}&scene=5_a0.0e_rc2.1.1_bc1.1.3_bs3.3.1_gx3.0.2"


@pytest.fixture
def board(page):
    """A board with two circles, a square, a box and an agent, and a text that fits one of them."""
    page.goto(BOARD.format(text="push+the+red+circle"))
    page.locator(".token").nth(4).wait_for()
    return page


def token(page, name):
    return page.locator(".tokens").get_by_role("button", name=re.compile(name))


def verdict_becomes(page, words):
    page.locator(HEADLINE, has_text=words).wait_for()


def test_the_verdict_follows_what_is_typed(board):
    """Typing changes the verdict; a word that does not fit is underlined, and a chip mends it."""
    board.fill("#text", "the circle")
    verdict_becomes(board, "Picks out 2 objects: ambiguous")
    assert board.locator(".token.many").count() == 2

    board.fill("#text", "the rod circle")
    verdict_becomes(board, "Cannot be read")
    assert board.locator("#said .wrong").inner_text() == "rod"

    board.locator("#next").get_by_role("button", name="red", exact=True).click()
    verdict_becomes(board, "Picks out exactly one object")
    assert board.input_value("#text") == "the red circle"


@pytest.mark.slow
def test_a_command_can_be_put_together_from_chips_by_keyboard(board):
    """From the empty field on, a command is chosen word by word with Tab and Enter alone."""
    board.fill("#text", "")
    verdict_becomes(board, "Say which object")
    for words in ("push", "the", "blue", "square"):
        chip = board.locator("#next:not([inert])").get_by_role("button", name=words, exact=True)
        chip.wait_for()
        chip.focus()
        board.keyboard.press("Enter")

    verdict_becomes(board, "Picks out exactly one object")
    assert board.input_value("#text") == "push the blue square"
    assert board.evaluate("document.activeElement.id") == "text"


@pytest.mark.slow
def test_keys_change_the_object_in_focus(board):
    """Arrows move, letters change colour, shape and size, Delete removes, n adds; the verdict follows."""
    token(board, "blue circle").focus()
    board.keyboard.press("c")  # blue to green
    token(board, "green circle of size 1, row 1, column 3").wait_for()
    board.keyboard.press("Shift+C")
    board.keyboard.press("Shift+C")  # back to blue, and on to red: now two fit
    verdict_becomes(board, "Picks out 2 objects")

    board.keyboard.press("ArrowDown")
    board.keyboard.press("ArrowRight")
    board.keyboard.press("z")
    token(board, "red circle of size 2, row 2, column 4").wait_for()
    board.keyboard.press("s")
    token(board, "red cylinder of size 2, row 2, column 4").wait_for()
    verdict_becomes(board, "Picks out exactly one object")

    board.keyboard.press("n")
    board.locator(".token").nth(5).wait_for()
    board.locator("[data-thing='4']:focus").wait_for()
    board.keyboard.press("Delete")
    board.locator(".token").nth(5).wait_for(state="detached")


@pytest.mark.slow
def test_the_agent_is_moved_and_turned_by_keys(board):
    """The agent is a thing of the board like any other; f turns it."""
    token(board, "agent").focus()
    board.keyboard.press("f")
    board.keyboard.press("ArrowDown")
    token(board, "agent facing south, row 1, column 0").wait_for()
    board.keyboard.press("Delete")
    board.get_by_text("There is nobody to do it").wait_for()
    board.click("#agent")
    board.get_by_text("Watch it").wait_for()


def test_an_object_can_be_dragged_and_the_drag_undone(board):
    """A drag moves an object by whole cells; undo and redo go back and forth."""
    box = token(board, "red circle").bounding_box()
    cell = board.locator(".board svg").bounding_box()["width"] / 5.3
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    board.mouse.move(x, y)
    board.mouse.down()
    board.mouse.move(x + cell, y + cell, steps=4)
    board.mouse.move(x + 2 * cell, y + 3 * cell, steps=4)
    board.mouse.up()
    token(board, "red circle of size 2, row 4, column 3").wait_for()

    board.click("#undo")
    token(board, "red circle of size 2, row 1, column 1").wait_for()
    board.keyboard.press("Control+Shift+Z")
    token(board, "red circle of size 2, row 4, column 3").wait_for()


@pytest.mark.slow
def test_a_click_on_an_empty_cell_puts_an_object_there(board):
    """The new object is what the choices say, and can be changed by them afterwards."""
    board.locator("#choices").get_by_role("radio", name="yellow").check(force=True)
    frame = board.locator(".board svg").bounding_box()
    board.mouse.click(frame["x"] + frame["width"] - 60, frame["y"] + frame["height"] - 60)
    token(board, "yellow circle of size 2, row 4, column 4").wait_for()

    board.locator("#choices").get_by_role("radio", name="cylinder").check(force=True)
    token(board, "yellow cylinder of size 2, row 4, column 4").wait_for()
    board.click("#delete")
    token(board, "yellow cylinder").wait_for(state="detached")


@pytest.mark.slow
def test_the_board_grows_and_shrinks(board):
    """Objects that would fall off a smaller board move to its edge."""
    board.select_option("#side", "12")
    board.locator("[data-scene] desc", has_text="12 by 12").wait_for(state="attached")
    board.select_option("#side", "4")
    token(board, "blue square of size 3, row 3, column 1").wait_for()


@pytest.mark.slow
def test_a_word_lights_the_objects_that_are_left(board):
    """Focus on a part dims every other object of the board."""
    board.locator("#said").get_by_role("button", name=re.compile("^circle")).focus()
    lit = board.locator("#board .object.lit")
    assert sorted(lit.evaluate_all("all => all.map(one => one.dataset.object)")) == ["0", "1"]


def test_a_chosen_distractor_says_which_misreading_leads_to_it(board):
    """An object that is clicked says why it is not meant."""
    token(board, "blue circle").click()
    assert "ignored ‘red’ in ‘the red circle’" in board.locator("#about").inner_text()


@pytest.mark.slow
def test_the_address_holds_board_and_text(board):
    """After a change the page can be opened again at its address, and the link can be copied."""
    token(board, "red circle").focus()
    board.keyboard.press("ArrowLeft")
    token(board, "row 1, column 0").wait_for()
    board.wait_for_url("**scene=5_a0.0e_rc2.1.0_**")
    board.reload()
    token(board, "red circle of size 2, row 1, column 0").wait_for()
    assert board.input_value("#text") == "push the red circle"
    board.click("#share")
    board.locator("#shared", has_text=re.compile("clipboard|/playground")).wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PNG", "SVG", "GIF of the plan", "JSON", "Python test"])
def test_everything_can_be_saved(board, name):
    """Each kind of file is downloaded under its name."""
    with board.expect_download() as download:
        board.locator("#keep").get_by_role("link", name=name, exact=True).click()
    assert download.value.path().stat().st_size > 100
    assert download.value.failure() is None


@pytest.mark.slow
def test_the_plan_can_be_watched(board):
    """The moving picture of the plan is loaded when it is asked for."""
    board.get_by_text("Watch it").click()
    board.locator("[data-film] img").evaluate("image => image.decode()")  # fails if it is no picture


@pytest.mark.slow
def test_a_start_can_be_picked(page, shots):
    """The page opens with an example, and another one can be picked; it fits a phone."""
    page.goto("/playground")
    verdict_becomes(page, "Picks out exactly one object")
    page.screenshot(path=shots / "playground.png", full_page=True)
    page.get_by_role("link", name="a random example").click()
    page.get_by_text("Begun from").wait_for()
    page.get_by_role("link", name="a blank board").click()
    verdict_becomes(page, "Say which object you mean")

    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/playground")
    page.locator(".token").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.screenshot(path=shots / "playground-phone.png", full_page=True)


@pytest.mark.slow
def test_escape_chooses_nothing(page):
    """Colour, shape and size are then those of the next object, and the one that was chosen stays as it is."""
    page.goto("/playground")
    page.locator(".token").first.click()
    expect(page.locator("#chosen")).not_to_contain_text("New object")
    before = page.locator(".token").first.get_attribute("aria-label")

    page.keyboard.press("Escape")
    expect(page.locator("#chosen")).to_contain_text("New object")
    page.locator("#inspector input[value=yellow]").check()

    assert page.locator(".token").first.get_attribute("aria-label") == before
    assert page.locator(".token[aria-pressed=true]").count() == 0


@pytest.mark.slow
def test_the_chip_puts_the_missing_word_in(page):
    """No word that was typed is lost."""
    page.goto("/playground")
    page.locator("#text").fill("red circle")
    page.locator("#next").get_by_role("button", name="the", exact=True).click()

    expect(page.locator("#text")).to_have_value("the red circle")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_scene_text_and_verdict_are_seen_at_once(page, width, height):
    """Without scrolling: the whole board, the field, and the headline; on a wide screen the suggestions, too."""
    page.set_viewport_size({"width": width, "height": height})
    page.goto(BOARD.format(text="push+the+circle"))
    page.locator(".token").first.wait_for()
    seen = ["#text", "#board", "#verdict-headline" if width < 860 else "#verdict .verdict"]

    for name in seen:
        box = page.locator(name).bounding_box()
        assert box["y"] >= 0, name
        assert box["y"] + box["height"] <= height, name
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_suggestion_is_put_into_the_text(board):
    """A button adds the word, and the text picks out one object."""
    board.fill("#text", "push the circle")
    verdict_becomes(board, "Picks out 2 objects: ambiguous")

    board.get_by_role("button", name="add ‘blue’").click()

    verdict_becomes(board, "Picks out exactly one object")
    assert board.input_value("#text") == "push the blue circle"
    assert board.evaluate("document.activeElement.id") == "text"
