"""The live sentence of the first pages in a browser: from the disk as in the documentation, and in the studio."""

from __future__ import annotations

import pytest

from deixis.report._skeleton import resource
from deixis.worlds.grid._report.live_board import TEXT, live_board


pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = pytest.mark.browser

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Live</title>
<style>body{{background:Canvas;color:CanvasText}}</style><link rel="stylesheet" href="live.css">
<script src="live.js" defer></script></head>
<body><main>{}</main></body>
</html>
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_from_the_disk_switches_parts_off_and_on(browser, tmp_path, theme):
    """Keys alone do it; the board, the headline and the sentence follow, and back again."""
    page = browser.new_page(color_scheme=theme)
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(_written(tmp_path).as_uri())

    page.get_by_role("button", name="yellow", exact=True).focus()
    page.keyboard.press("Enter")

    assert page.locator(".live-headline").inner_text() == "2 objects fit: what is left is ambiguous."
    assert page.locator(".live-picture .object.fits").count() == 2
    assert page.get_by_role("button", name="yellow", exact=True).get_attribute("aria-pressed") == "false"

    page.get_by_role("button", name="that is in the same column as").click()
    assert page.get_by_role("button", name="red", exact=True).is_disabled()
    page.get_by_role("button", name="All words again").click()

    assert page.locator(".live-headline").inner_text().startswith("All words together pick out one object")
    assert page.evaluate("document.activeElement.textContent") == "yellow"
    assert faults == []
    page.close()


def test_without_scripts_the_page_is_a_picture(browser, tmp_path):
    """Sentence, board and answer are there, and nothing that could be pressed."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(_written(tmp_path).as_uri())

    assert page.locator(".live-said").inner_text() == TEXT
    assert page.locator(".live-picture svg").is_visible()
    assert page.locator(".live button:visible").count() == 0
    context.close()


def _written(folder):
    """Write a page with the live board as the documentation has it."""
    for name in ("live.css", "live.js"):
        (folder / name).write_text(resource(name), encoding="utf-8")
    (folder / "page.html").write_text(PAGE.format(live_board().markup()), encoding="utf-8")
    return folder / "page.html"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_it(browser, tmp_path, axe, theme):
    """With a part switched off, names, roles and contrast are in order in light and in dark."""
    page = browser.new_page(color_scheme=theme)
    page.goto(_written(tmp_path).as_uri())
    page.get_by_role("button", name="big", exact=True).click()
    page.evaluate(axe)

    found = page.evaluate("axe.run('.live')")["violations"]

    assert {one["id"]: [node["html"] for node in one["nodes"]] for one in found} == {}
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_page_of_the_studio_has_it(page, width):
    """Under the policy of the studio it runs as well, fits a phone, and leads to the playground with the same board."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/")

    page.get_by_role("button", name="cylinder", exact=True).click()

    assert page.locator(".live-headline").inner_text() == "2 objects fit: what is left is ambiguous."
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name="Change the sentence and the board").click()
    page.locator("#verdict .verdict h2", has_text="Picks out exactly one object").wait_for()
    assert page.input_value("#text") == TEXT
