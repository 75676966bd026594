"""Asking about a scene in a browser: the answer follows what is typed, in one screen."""

from __future__ import annotations

import pytest


pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = pytest.mark.browser


@pytest.fixture
def asking(page):
    """The page that the first page leads to."""
    page.goto("/")
    page.get_by_role("link", name="ask about a scene").first.click()
    page.wait_for_url("**/ask")
    page.wait_for_load_state("load")  # scripts have run
    return page


def test_a_suggestion_mends_an_ambiguous_text(asking):
    """Typed text is answered, a button puts a suggestion into the field, and the address keeps it."""
    asking.fill("#text", "object")
    asking.locator("#asked-headline", has_text="ambiguous").wait_for()
    assert "Read as ‘the object’: ‘the’ was added." in asking.locator(".asked-verdict").inner_text()

    asking.locator(".suggestions button").first.click()
    asking.locator("#asked-headline", has_text="Picks out exactly one object").wait_for()
    text = asking.input_value("#text")
    asking.reload()

    assert asking.input_value("#text") == text
    assert asking.locator("#asked-headline").inner_text() == "✓ Picks out exactly one object"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_scene_field_and_verdict_are_seen_at_once(asking, width, height):
    """Without scrolling, the field, the whole scene and the headline are on the screen."""
    asking.set_viewport_size({"width": width, "height": height})

    for name in ("#text", ".asked-scene", "#asked-headline"):
        box = asking.locator(name).bounding_box()
        assert box["y"] >= 0, name
        assert box["y"] + box["height"] <= height, name
    assert asking.evaluate("document.documentElement.scrollWidth") <= width
