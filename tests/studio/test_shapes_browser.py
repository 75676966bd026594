"""Pages of 3D Shapes in a browser: captions are judged while they are typed."""

from __future__ import annotations

import re

import pytest


playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = pytest.mark.browser
PAIR = "/d/3d-shapes/image/163233?beside=167073"  # which differ in the colour of the object


def test_what_is_typed_is_judged_at_once(page, shots):
    """Marks and metrics follow the text, and the address keeps it."""
    page.goto(f"{PAIR}&speaker=minimal")
    page.locator("#judged .caption-text .mention.contrastive").wait_for()

    page.fill("#text", "a floogle ball")
    page.locator("#judged .caption-text .mention.unknown").wait_for()
    page.screenshot(path=shots / "shapes.png", full_page=True)

    assert page.locator("#judged .caption-text .mention.contrastive").count() == 0
    assert "text=a+floogle+ball" in page.url


def test_a_grammar_and_a_speaker_fill_the_box(page):
    """A caption of a grammar is taken when it is chosen; what a speaker says when its button is pressed."""
    page.goto(PAIR)

    page.select_option("#grammar", "short")
    playwright.expect(page.locator("#text")).to_have_value(re.compile("^there is a "))
    page.get_by_role("button", name="Judge what the minimal speaker says").press("Enter")

    playwright.expect(page.locator("#text")).to_have_value("a red thing")
    playwright.expect(page.locator("#text")).to_be_focused()


def test_a_script_in_a_caption_is_only_text(page):
    """What is typed is never run."""
    page.goto(PAIR)

    page.fill("#text", "<img src=x onerror=\"document.title='run'\"> red")
    page.locator("#judged .caption-text .mention.unknown").first.wait_for()

    assert page.locator("#judged img").count() == 0
    assert page.title() != "run"


def test_it_fits_a_phone(page):
    """At 390 pixels nothing sticks out of the page."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(PAIR)

    assert page.evaluate("document.documentElement.scrollWidth") == 390
