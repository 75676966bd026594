"""The results page in a browser: switches, filters, charts and links that work with mouse and keyboard."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from deixis._studio.server import make_app
from deixis.worlds.grid.judging._misreadings import LABELS
from tests.studio.conftest import running, watch


if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page


pytestmark = pytest.mark.browser


def test_from_a_number_to_its_examples_and_to_one_of_them(page: Page, shots: Path) -> None:
    """A cell of the table leads to the examples behind it, and a card to the page of its example."""
    page.goto("/results")
    page.screenshot(path=shots / "results.png", full_page=True)

    page.locator("table.scores td.cell a").last.click()
    page.wait_for_url("**/results/examples?**")
    page.screenshot(path=shots / "results-examples.png", full_page=True)

    assert page.locator(".examples .card .scene svg").count() > 0
    assert "/d/" in (page.locator(".examples h3 a").first.get_attribute("href") or "")


@pytest.mark.slow
def test_next_stays_among_the_examples_behind_a_number(page: Page) -> None:
    """From a card of results, Next leads to the next card, and the trail back to their list."""
    page.goto("/results/examples?run=random&measure=right_target&show=wrong")
    cards = page.locator(".examples h3 a").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
    page.locator(".examples h3 a").first.click()
    page.get_by_role("link", name="Next →").click()
    page.wait_for_url(f"**{cards[1]}")
    page.get_by_role("link", name=re.compile("found$")).click()
    page.wait_for_url("**/results/examples?run=random**show=wrong**")


@pytest.mark.slow
def test_scores_are_saved_from_the_page(page: Page) -> None:
    """The links beside the chart give a table for spreadsheets and one for papers."""
    page.goto("/results")
    assert page.locator("figure.plot .dot").count() > 0
    for name, begins in (("CSV", b"\xef\xbb\xbfdata,"), ("LaTeX", b"% needs")):
        with page.expect_download() as saved:
            page.get_by_role("link", name=name, exact=True).first.click()
        assert saved.value.path().read_bytes().startswith(begins)


@pytest.mark.slow
def test_a_filter_applies_at_once_and_keeps_the_focus(page: Page) -> None:
    """Choosing what was missed shows only such examples, without a button, and the choice keeps the focus."""
    page.goto("/results/examples?run=random&measure=right_target")
    misreading = page.locator("#f-misreading option").nth(1).get_attribute("value") or ""

    page.select_option("#f-misreading", misreading)
    page.wait_for_url("**misreading=**")
    page.locator("#f-misreading:focus").wait_for()

    assert page.locator("form [data-without-script]").is_hidden()
    for words in page.locator(".what").all_inner_texts():
        assert LABELS[misreading].lower() in words.lower()


@pytest.mark.slow
def test_the_measure_is_switched_by_keyboard(page: Page) -> None:
    """Tab and Enter reach another measure."""
    page.goto("/results")
    page.get_by_role("link", name="reached goal state").first.focus()

    page.keyboard.press("Enter")
    page.wait_for_url("**measure=got_there**")

    assert page.locator(".measures [aria-current]").first.inner_text() == "reached goal state"


@pytest.mark.slow
def test_two_models_are_compared_from_the_form(page: Page, shots: Path) -> None:
    """The form leads to the comparison, and its quarters to the examples in them."""
    page.goto("/results")
    page.get_by_role("button", name="Compare examples").first.click()
    page.wait_for_url("**/results/compare?**")

    page.locator("table.square td a").last.click()
    page.wait_for_url("**show=neither**")
    page.screenshot(path=shots / "results-compare.png", full_page=True)

    assert page.get_by_role("heading", name="Both wrong").is_visible()


@pytest.mark.slow
def test_values_are_read_off_a_chart_by_keyboard_and_pointer(browser: Browser, tmp_path: Path, shots: Path) -> None:
    """The arrow keys and the pointer move along the lines of a chart, and their values are told."""
    (tmp_path / "run").mkdir()
    lines = [{"update": n, "loss": 2 / n} for n in (1, 50, 100)] + [{"update": 100, "dev": {"exact": 0.25}}]
    (tmp_path / "run" / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    (tmp_path / "run" / "run.json").write_text('{"model": "m-lstm"}', encoding="utf-8")
    with running(make_app([tmp_path])) as address:
        page = browser.new_page()
        faults = watch(page, address)
        page.goto(f"{address}/results?run=run")
        chart, told = page.locator("svg.axes.lines").first, page.locator(".readout").first

        chart.press("Home")
        first = told.inner_text()
        chart.press("ArrowRight")
        second = told.inner_text()
        chart.hover()
        page.screenshot(path=shots / "results-training.png", full_page=True)
        page.close()

    assert first == "Step 1: m-lstm 2.00"
    assert second == "Step 50: m-lstm 0.0400"
    assert faults == []


@pytest.mark.slow
def test_nothing_hangs_over_at_phone_width(page: Page) -> None:
    """At 390 pixels no page is wider than the screen."""
    page.set_viewport_size({"width": 390, "height": 800})
    for address in (
        "/results",
        "/results?run=random",
        "/results/examples?run=random",
        "/results/compare?a=random&b=oracle",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
