"""The first page in a browser: its covers can be seen, in light and dark, and links from elsewhere lead in."""

from __future__ import annotations

import pytest


pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = pytest.mark.browser

LIGHTNESS = """(element) => {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = getComputedStyle(element).fill;
  canvas.fillRect(0, 0, 1, 1);
  return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
}"""


def test_the_box_around_the_target_does_not_cover_it(page):
    """The cover of a dataset of photographs frames its target and leaves it visible."""
    page.goto("/")

    style = page.locator(".cover .photo .target").evaluate("(box) => [getComputedStyle(box).fill, box.tagName]")

    assert style == ["none", "rect"]
    assert page.locator(".cover .photo .target").evaluate("(box) => getComputedStyle(box).stroke") != "none"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_boards_take_the_colours_of_the_page(page, theme):
    """A board on a dark card is dark."""
    page.emulate_media(color_scheme=theme)
    page.goto("/")

    paper = page.locator(".cover svg:not(.photo) rect").first.evaluate(LIGHTNESS)

    assert (paper > 200) == (theme == "light")


def test_every_dataset_has_a_picture(page):
    """No card is empty: rooms, boards, photographs and tables are drawn."""
    page.goto("/")
    page.wait_for_load_state("networkidle")

    assert page.locator(".covers .card").count() == page.locator(".covers .card .cover").count() == 4
    pictures = page.locator(".cover img").evaluate_all("(all) => all.map((one) => one.naturalWidth)")
    assert len(pictures) == 3
    assert min(pictures) > 0


def test_a_link_on_a_page_of_another_site_leads_in(browser, studio_url):
    """What is linked in documentation or a notebook opens; a frame on such a page stays empty."""
    context = browser.new_context()
    page = context.new_page()
    body = f'<a href="{studio_url}/playground">there</a><iframe src="{studio_url}/"></iframe>'
    context.route("http://docs.example/", lambda route: route.fulfill(body=body, content_type="text/html"))
    statuses = {}
    page.on("response", lambda answer: statuses.setdefault(answer.url, answer.status))

    page.goto("http://docs.example/")
    page.get_by_text("there").click()
    page.wait_for_url(f"{studio_url}/playground")

    assert statuses[f"{studio_url}/playground"] == 200
    assert statuses.get(f"{studio_url}/", 403) == 403
    context.close()
