"""Pages of expressions about photographs in a browser: words light up regions, regions say what goes unheard."""

from __future__ import annotations

import pytest

from deixis.worlds.photos.data.store import open_copsref


pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(demo_roots):
    """An example with something that tempts."""
    data = open_copsref(demo_roots[0] / "photographs")
    number = next(one.id for one in data.examples() if any(d.object_id for d in one.distractors))
    return f"/d/photographs/{number}"


def test_a_word_lights_what_it_leaves_and_can_be_pinned(page, address, shots):
    """Focus lights the objects that are left, a key keeps them lit, Escape lets them go."""
    page.goto(address)
    word = page.locator(".sentence .part.noun").first
    lights = set(word.get_attribute("data-lights").split())

    word.focus()
    lit = {one.get_attribute("data-object") for one in page.locator("#image-0 .region.lit").all()}
    page.keyboard.press("Enter")
    page.locator(".foot").click()
    page.screenshot(path=shots / "photographs.png", full_page=True)

    assert lit == lights
    assert word.get_attribute("aria-pressed") == "true"
    assert page.locator("#image-0.lighting").count() == 1
    assert "leaves" in page.locator("#told").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#image-0.lighting").count() == 0


def test_a_tempting_region_says_what_goes_unheard(page, address):
    """A click on it explains it below its image, and strikes out what was missed; so does a key."""
    page.goto(address)
    region = page.locator(".set .region.tempting").first

    region.focus()
    page.keyboard.press("Enter")

    answer = page.locator("figure", has=page.locator(".region.chosen")).locator(".answer")
    assert answer.inner_text().startswith("You would end here if you ignored")
    assert page.locator("#sentence .missed").count() > 0
    page.keyboard.press("Enter")
    assert page.locator(".chosen").count() == 0


def test_it_fits_a_phone(page, address):
    """At 390 pixels nothing sticks out of the page."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)

    assert page.evaluate("document.documentElement.scrollWidth") == 390
