"""Playing in a real browser, with the mouse and with nothing but the keyboard."""

from __future__ import annotations

import pytest


pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def slugs(demo_roots):
    """The names of the datasets in addresses, by kind."""
    from deixis._studio.library import Library

    return {entry.kind: entry.slug for entry in Library(tuple(demo_roots))}


def start(page, slug, task, questions=1):
    """Begin a sitting through the form."""
    page.goto(f"/play?data={slug}")
    page.check(f"input[name=task][value={task}]")
    page.fill("#questions", str(questions))
    page.fill("#player", "Ada")
    page.click("button.main")
    page.wait_for_selector("[data-ready]")


def test_clicking_an_object_answers(page, slugs, shots):
    """A click in the picture chooses the object; the judgement and the score follow."""
    start(page, slugs["grid"], "point")
    page.locator("#scene .object").last.click(force=True)
    chosen = page.locator("input[name=object]:checked").get_attribute("value")
    page.screenshot(path=shots / "play-point.png")
    page.click("#done")
    page.wait_for_selector(".verdict")
    page.screenshot(path=shots / "play-point-told.png")

    page.click("#onwards")

    page.wait_for_selector(".measures")
    assert page.locator("#content h1").inner_text().startswith("Ada: ")
    assert chosen is not None
    page.screenshot(path=shots / "play-score.png", full_page=True)


@pytest.mark.slow
def test_a_grid_is_walked_with_keys_alone(page, slugs, shots):
    """Letters and arrows act, Backspace takes back, Enter is done; the server draws every board."""
    start(page, slugs["grid"], "navigate")
    for key in ("d", "ArrowUp", "p", "Backspace", "s"):
        page.keyboard.press(key)
    page.locator(".acts li", has_text="stay").wait_for()  # there were three actions before Backspace, too
    page.get_by_text("3 actions").wait_for()
    acts = page.locator(".acts li").all_inner_texts()
    page.screenshot(path=shots / "play-navigate.png")

    page.keyboard.press("Enter")

    page.wait_for_selector(".verdict")
    assert acts == ["turn right", "walk", "stay"]
    assert page.locator("#onwards").evaluate("one => one === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_selector(".measures")


@pytest.mark.slow
def test_actions_are_sent_even_when_keys_are_fast(page, slugs):
    """Enter right after many keys sends all of them."""
    start(page, slugs["grid"], "navigate")
    for key in "wdwdwdwd":
        page.keyboard.press(key)
    page.keyboard.press("Enter")

    page.wait_for_selector(".verdict")

    done = page.locator("figcaption").first.inner_text()
    assert "4 times (walk, turn right)" in done


@pytest.mark.slow
def test_an_image_is_picked_with_keys_alone(page, slugs, shots):
    """A digit chooses an image, Enter answers."""
    start(page, slugs["rooms"], "pick")
    page.keyboard.press("2")
    page.screenshot(path=shots / "play-pick.png")
    page.keyboard.press("Enter")

    page.wait_for_selector(".verdict")

    assert page.locator(".room img").count() == 2


def test_a_caption_is_typed_at_once(page, slugs, shots):
    """The cursor stands in the field; what the caption says is told feature by feature."""
    start(page, slugs["rooms"], "caption")
    page.keyboard.type("a tiny red ball on green floor")
    page.screenshot(path=shots / "play-caption.png")
    page.keyboard.press("Enter")

    page.wait_for_selector(".verdict")

    assert "a tiny red ball on green floor" in page.locator("h1").inner_text()
    assert page.locator(".verdict p").count() > 2


@pytest.mark.slow
def test_a_region_is_found_by_click_and_by_keys(page, slugs, shots):
    """A region is chosen by a click, another one with the arrow keys."""
    start(page, slugs["photos"], "find")
    regions = page.locator(".region input")
    regions.last.check(force=True)
    first = page.locator("input[name=region]:checked").get_attribute("value")
    page.keyboard.press("ArrowUp")
    second = page.locator("input[name=region]:checked").get_attribute("value")
    page.screenshot(path=shots / "play-find.png")

    page.keyboard.press("Enter")

    page.wait_for_selector(".verdict")
    assert first != second
    assert page.locator(".frame.chosen, .frame.target").count() >= 1


@pytest.mark.slow
def test_a_sitting_is_resumed_by_its_link(page, slugs):
    """Whoever comes back to the address goes on with the next question."""
    start(page, slugs["grid"], "point", questions=2)
    address = page.url
    page.locator("input[name=object]").first.check()
    page.click("#done")
    page.wait_for_selector(".verdict")

    page.goto("/play")
    page.goto(address)

    assert "question 2 of 2" in page.locator(".progress").inner_text()


@pytest.mark.slow
def test_it_fits_a_phone(page, slugs):
    """No page of a question is wider than a phone."""
    page.set_viewport_size({"width": 390, "height": 800})
    for kind, task in (("grid", "navigate"), ("rooms", "pick"), ("photos", "find")):
        start(page, slugs[kind], task)

        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_the_expression_stays_in_view(page, width, shots):
    """While the images are looked through, what is to be found and the buttons can be seen."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/play?data=photographs")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".question[data-ready]")
    page.locator(".photograph").last.scroll_into_view_if_needed()
    page.mouse.wheel(0, 100_000)
    page.wait_for_timeout(200)

    for what in (".asked", "#done"):
        box = page.locator(what).bounding_box()
        assert box["y"] >= -1
        assert box["y"] + box["height"] <= 801
    page.screenshot(path=shots / f"play-find-scrolled-{width}.png")
