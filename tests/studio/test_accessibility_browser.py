"""Whether everybody can use the studio: what axe-core finds on every page, and what the keyboard reaches."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.studio.conftest import watch


if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page


pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
WIDTHS = (1280, 390)
CONTRAST = "{runOnly: ['color-contrast']}"  # all that differs in the dark


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_on_any_page(
    browser: Browser, studio_url: str, addresses: list[str], axe: str, scheme: str
):
    """Labels, names, roles, headings and contrast of every kind of page are in order, in light and in dark."""
    grave = {}
    context = browser.new_context(base_url=studio_url, bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    for address in addresses:
        visit(page, address)
        page.evaluate(axe)
        found = page.evaluate(f"axe.run({CONTRAST if scheme == 'dark' else ''})")["violations"]
        grave |= {
            f"{address}: {one['id']}": [node["html"][:160] for node in one["nodes"]][:3]
            for one in found
            if one["impact"] in GRAVE
        }
    context.close()

    assert grave == {}


@pytest.mark.slow
def test_every_page_fits_wide_and_narrow_screens_in_light_and_dark(
    browser: Browser, studio_url: str, addresses: list[str], shots: Path
):
    """No page has to be scrolled sideways, none has a fault; pictures of all are left to look at."""
    too_wide, faults = [], []
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            context = browser.new_context(
                base_url=studio_url, viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            page = context.new_page()
            faults.append(watch(page, studio_url))
            for address in addresses:
                visit(page, address)
                page.screenshot(path=shots / f"{file_name(address)}-{width}-{scheme}.png", full_page=True)
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    too_wide.append((address, width))
            context.close()

    assert too_wide == []
    assert [fault for some in faults for fault in some] == []


@pytest.mark.slow
def test_every_page_has_one_title_one_heading_and_a_way_past_the_menu(page: Page, addresses: list[str]):
    """Who listens to a page hears what it is, finds its one main heading, and can skip what all pages have."""
    titles = {}
    for address in addresses:
        page.goto(address)
        assert page.locator("h1").count() == 1, address
        assert page.locator("main#content").count() == 1, address
        levels = page.locator("h1,h2,h3,h4").evaluate_all("all => all.map(one => Number(one.tagName[1]))")
        assert all(after <= before + 1 for before, after in pairwise(levels)), (address, levels)
        titles[address] = page.title()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip", address

    assert len(set(titles.values())) > len(titles) // 2


@pytest.mark.slow
def test_the_keyboard_reaches_what_a_page_is_for(page: Page, addresses: list[str]):
    """Every link, button and field that can be seen is reached by Tab, in an order without detours."""
    missed = {}
    for address in addresses:
        visit(page, address)
        wanted = page.evaluate(WANTED)
        reached: set[str] = set()
        for _ in range(wanted["count"] + 40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.dataset.order ?? ''"))
            if wanted["main"] <= len(reached):
                break
        left = page.evaluate(STILL_SEEN, sorted(set(wanted["orders"]) - reached))
        if left:
            missed[address] = left

    assert missed == {}


def test_the_focus_can_be_seen(page: Page):
    """What has the focus by keyboard is outlined."""
    page.goto("/")
    for _ in range(3):
        page.keyboard.press("Tab")

    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_the_theme_can_be_changed_and_is_kept(page: Page):
    """The button turns light into dark, and the next page stays so."""
    page.emulate_media(color_scheme="light")
    page.goto("/")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.locator("#theme").press("Enter")
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()

    assert before != after == page.evaluate("getComputedStyle(document.body).backgroundColor")


# Whatever can be used and seen gets a number; of many alike (links of cards, say) the first twenty are looked for.
WANTED = """() => {
  const all = [...document.querySelectorAll("a[href],button,input,select,textarea,[tabindex]")].filter((one) =>
    one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }) && one.type !== "hidden" &&
    !one.closest("[inert],details:not([open])") && !(one.type === "radio" && !one.checked));
  all.slice(0, 60).forEach((one, place) => { one.dataset.order = String(place); });
  const orders = all.slice(0, 60).map((one) => one.dataset.order);
  return { orders, count: all.length, main: orders.length + 1 };
}"""


# What has gone away meanwhile (a form for what had the focus, say) needs no way to it.
STILL_SEEN = """(orders) => orders.map((order) => document.querySelector(`[data-order="${order}"]`))
  .filter((one) => one?.checkVisibility({ visibilityProperty: true })).map((one) => one.outerHTML.slice(0, 120))"""


def visit(page: Page, address: str) -> None:
    """Go to a page and wait until it has fetched what it wants to show."""
    page.goto(address)
    page.locator("[aria-busy=true]").first.wait_for(state="detached")


def file_name(address: str) -> str:
    """A name for the picture of a page."""
    return "page-" + ("".join(letter if letter.isalnum() else "-" for letter in address.strip("/"))[:60] or "home")
