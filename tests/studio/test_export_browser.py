"""An export opened from the file system: no server, no errors, and what moves still moves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from deixis._studio.export import export_studio


pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def exported(demo_roots, tmp_path_factory):
    """An export of all worlds of the demo and their results."""
    out = tmp_path_factory.mktemp("exports") / "pages"
    with ThreadPoolExecutor(1) as pool:  # Playwright has an event loop in this thread
        pool.submit(export_studio, demo_roots, out, examples=12).result()
    return out


@pytest.fixture
def opened(browser):
    """A page that is watched; whatever it logs, fails to load or asks of a server fails the test."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(f"{request.url} cannot be loaded"))
    page.on("request", lambda request: None if is_local(request.url) else faults.append(f"asks for {request.url}"))
    yield page
    page.close()
    assert faults == []


def is_local(address: str) -> bool:
    """Return whether an address needs no server."""
    return address.startswith(("file:", "data:", "blob:"))


def test_every_kind_of_page_opens_from_a_file_without_an_error(opened, exported, shots):
    """Two pages of each folder, in one browser without a server."""
    folders = sorted({path.parent for path in exported.rglob("*.html")})
    for folder in folders:
        for path in sorted(folder.glob("*.html"))[:2]:
            opened.goto(path.as_uri())
            assert opened.locator("h1").count() == 1, path
            assert "Something went wrong" not in opened.title()
            name = str(path.relative_to(exported).with_suffix("")).replace("/", "-")
            opened.screenshot(path=shots / f"export-{name}.png")

    assert len(folders) > 5


def test_words_light_up_and_plans_play_without_a_server(opened, exported):
    """One goes from the first page to an example by links, and its scripts work."""
    opened.goto((exported / "index.html").as_uri())
    opened.get_by_role("link", name="grid-worlds").click()
    opened.locator(".gallery h3 a").first.click()
    opened.locator(".said .part").first.hover()
    assert opened.locator("#scene.lighting .lit").count() > 0

    opened.locator("[data-do=step]").click()
    assert opened.locator("[data-player] input[type=range]").input_value() == "1"


def test_the_theme_is_kept_from_page_to_page(opened, exported):
    """The button works, also on the next page."""
    opened.emulate_media(color_scheme="light")
    opened.goto((exported / "index.html").as_uri())
    opened.locator("#theme").click()
    opened.get_by_role("link", name="Results").first.click()

    opened.wait_for_function("document.title && location.href.includes('results') && document.readyState == 'complete'")
    assert opened.evaluate("document.documentElement.dataset.theme") == "dark"
