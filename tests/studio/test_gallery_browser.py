"""The gallery in a browser: filters apply at once, the address follows, the keyboard is enough."""

from __future__ import annotations

import re

import pytest


expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
pytestmark = pytest.mark.browser

GRID, ROOMS, PHOTOGRAPHS = "/d/grid-worlds", "/d/3d-shapes", "/d/photographs"


def found(page) -> int:
    """How many examples the list says that there are."""
    return int(re.sub(r"\D", "", page.locator("#list h2").inner_text().split()[0]))


def test_a_choice_exchanges_the_list_and_the_address(page):
    """Counts follow, and going back brings back what was there."""
    page.goto(GRID)
    everything = found(page)
    expect(page.locator("#filter-verb")).to_contain_text("(")
    page.get_by_label("Verb").select_option("push")
    page.wait_for_url("**/d/grid-worlds?verb=push")
    expect(page.locator("#list h2")).to_contain_text("found")
    pushed = found(page)
    assert 0 < pushed < everything
    label = page.locator("#filter-verb option:checked").inner_text()
    assert label == f"push ({pushed:,})"
    assert all(text.startswith("push") for text in page.locator(".gallery h3").all_inner_texts())
    page.go_back()
    expect(page.locator("#list h2")).to_contain_text(f"{everything:,}")
    assert page.get_by_label("Verb").input_value() == ""


def test_words_are_found_while_they_are_typed(page):
    """The field keeps its focus."""
    page.goto(GRID)
    page.get_by_label("Command contains").click()
    page.keyboard.type("red circle", delay=20)
    page.wait_for_url("**text=red+circle")
    expect(page.locator("#list h2")).to_contain_text("found")
    texts = page.locator(".gallery h3").all_inner_texts()
    assert texts
    assert all("red" in text and "circle" in text for text in texts)
    assert page.evaluate("document.activeElement.name") == "text"


@pytest.mark.slow
def test_what_is_typed_is_one_entry_of_the_history(page):
    """Back leads to where one was before, not through the letters."""
    page.goto("/")
    page.goto(GRID)
    entries = page.evaluate("history.length")
    field = page.get_by_label("Command contains")
    field.click()
    for letters in ("red", "red ci", "red circle"):
        field.fill(letters)
        page.wait_for_url(f"**text={letters.replace(' ', '+')}")
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(page.locator("#list h2")).not_to_contain_text("found")
    assert field.input_value() == ""
    assert page.url.endswith(GRID)


@pytest.mark.slow
def test_next_stays_within_the_filter(page):
    """From a card of a filtered gallery, Next leads to the next card."""
    page.goto(f"{GRID}?verb=push")
    listed = page.locator(".gallery h3 a").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
    page.locator(".gallery h3 a").first.click()
    page.get_by_role("link", name="Next →").click()
    page.wait_for_url(f"**{listed[1]}")
    page.locator(".crumbs a", has_text="found").click()
    page.wait_for_url("**/d/grid-worlds?verb=push")


@pytest.mark.slow
def test_pages_are_turned_with_the_keyboard(page):
    """The focus goes to the heading of the new list."""
    page.goto(f"{GRID}?split=train")
    first = page.locator(".gallery h3").first.inner_text(), page.locator(".gallery h3 a").first.get_attribute("href")
    page.get_by_role("link", name="Next →").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**page=2")
    expect(page.locator("#list h2")).to_be_focused()
    assert page.locator(".gallery h3 a").first.get_attribute("href") != first[1]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.card') !== null")


@pytest.mark.slow
def test_photographs_are_filtered_by_misreading_and_shuffled(page):
    """A choice of what words do lists its examples, and the shuffled list keeps it in its address."""
    page.goto(PHOTOGRAPHS)
    everything = found(page)
    page.get_by_label("Wrong if misread").select_option("clause")
    page.wait_for_url("**/d/photographs?misread=clause")
    expect(page.locator("#list h2")).to_contain_text("found")
    some = found(page)
    assert 0 < some < everything
    expect(page.locator("#filter-misread option:checked")).to_contain_text(f"({some:,})")
    expect(page.locator("#filter-clauses")).to_contain_text("1 clause (")
    listed = page.locator(".gallery h3").all_inner_texts()
    page.get_by_role("link", name="Shuffle").click()
    page.wait_for_url("**misread=clause&order=shuffled-1")
    assert found(page) == some
    assert page.locator(".gallery h3").all_inner_texts() != listed
    assert page.get_by_label("Order").input_value() == "shuffled-1"


@pytest.mark.slow
def test_a_sheet_of_what_is_found_is_saved(page):
    """The link below the list gives a PNG."""
    page.goto(f"{PHOTOGRAPHS}?misread=clause")
    with page.expect_download() as saved:
        page.get_by_role("link", name="a sheet of pictures (PNG)").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_an_example_is_reached_by_its_number_and_its_id(page):
    """Both forms lead to its page."""
    page.goto(GRID)
    page.get_by_label("Example number").fill("17")
    page.keyboard.press("Enter")
    page.wait_for_url("**/d/grid-worlds/17")
    page.goto(PHOTOGRAPHS)
    address = page.locator(".gallery h3 a").nth(2).get_attribute("href")
    page.get_by_label("or id in the dataset").fill(address.rpartition("/")[2])
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")


@pytest.mark.slow
def test_everything_can_be_cleared(page):
    """One button takes back all choices; it is not there while there is none."""
    page.goto(f"{GRID}?verb=push&pattern=p2")
    page.get_by_role("link", name="Clear all").click()
    page.wait_for_url("**/d/grid-worlds")
    expect(page.locator("#list h2")).not_to_contain_text("found")
    assert page.locator("#filter-verb").input_value() == page.locator("#filter-pattern").input_value() == ""
    assert not page.get_by_role("link", name="Clear all").is_visible()


@pytest.mark.slow
def test_it_works_without_scripts(browser, studio_url):
    """The form is a plain form."""
    context = browser.new_context(java_script_enabled=False, base_url=studio_url)
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(GRID)
    page.get_by_label("Verb").select_option("pull")
    page.get_by_role("button", name="Show").click()
    assert "verb=pull" in page.url
    assert all(text.startswith("pull") for text in page.locator(".gallery h3").all_inner_texts())
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("address", [GRID, ROOMS, f"{ROOMS}?set=object", PHOTOGRAPHS])
@pytest.mark.parametrize("width", [1280, 390])
def test_galleries_fit_the_screen(page, shots, address, width):
    """No page is wider than the screen, and on a phone the examples come first, unless something is chosen."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)
    page.wait_for_load_state("networkidle", timeout=30_000)  # some dozen rooms are drawn for it
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".gallery .card").count() == 24
    name = re.sub(r"\W+", "-", address.removeprefix("/d/"))
    page.screenshot(path=shots / f"gallery-{name}-{width}.png")
    if width == 390 and "?" not in address:
        filters = page.get_by_text("Filters", exact=True)
        assert page.locator(".gallery .card").first.bounding_box()["y"] < 600
        filters.click()
        assert page.locator("#filters select").first.is_visible()
