"""A studio that runs over a small dataset of each world, and a browser to visit it with."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest


pytest.importorskip("starlette", reason="needs deixis[studio]")
pytest.importorskip("httpx", reason="needs httpx")

import uvicorn
from starlette.testclient import TestClient

from deixis._studio.demo import make_demo
from deixis._studio.server import make_app
from tests.sharing import share_folder
from tests.studio.crawl import pages_of


if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page


ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PICTURES_AND_CODE = {"font", "image", "script", "stylesheet"}
MADE_BEFORE = "DEIXIS_STUDIO_DEMO"  # a folder with the demo, to save the making while one works on the studio


@pytest.fixture(scope="session")
def demo_roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """One folder with a small dataset of each world (`deixis._studio.demo`), made once for all processes."""
    if MADE_BEFORE in os.environ:
        return (make_demo(Path(os.environ[MADE_BEFORE])),)
    return (share_folder(tmp_path_factory, "studio-demo", make_demo),)


@pytest.fixture(scope="session")
def studio_url(demo_roots: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a studio runs: `http://127.0.0.1:PORT`, without a slash at its end."""
    with running(make_app(demo_roots, answers=tmp_path_factory.mktemp("answers"))) as address:
        yield address


@pytest.fixture(scope="module")
def addresses(demo_roots: tuple[Path, ...]) -> list[str]:
    """One address of every kind of page, found by following links from the first."""
    return pages_of(TestClient(make_app(demo_roots), base_url="http://127.0.0.1"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or one under another of its names, without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as program:
        started = program.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, studio_url: str) -> Iterator[Page]:
    """A fresh page, 1280 pixels wide; the test fails when a script does, or when anything is asked of another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=studio_url)
    context.set_default_timeout(60_000)
    opened = context.new_page()
    faults = watch(opened, studio_url)
    yield opened
    context.close()
    assert faults == []


@pytest.fixture(scope="session")
def shots() -> Path:
    """The folder that screenshots are written to."""
    folder = ROOT / ".cache" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core, which comes with a package of the tests."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("needs axe-playwright-python")
    return next(Path(found.origin).parent.rglob("axe.min.js")).read_text(encoding="utf-8")


def watch(page: Page, studio_url: str) -> list[str]:
    """What goes wrong in a page from now on: the list grows.

    An address that answers "no" (4xx) is no fault, except where the page needs it for its looks.
    """
    faults: list[str] = []
    here = urlsplit(studio_url).netloc

    def answered(response) -> None:
        needed = response.request.resource_type in PICTURES_AND_CODE
        if response.status >= (400 if needed else 500):
            faults.append(f"{response.status} for {response.url}")

    def asked(request) -> None:
        place = urlsplit(request.url)
        if place.scheme not in ("data", "blob") and place.netloc != here:
            faults.append(f"a request to another host: {request.url}")

    def said(message) -> None:
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            faults.append(message.text)

    def failed(request) -> None:
        if request.failure != "net::ERR_ABORTED":  # what is left behind when one goes to another page
            faults.append(f"{request.failure} for {request.url}")

    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", said)
    page.on("request", asked)
    page.on("requestfailed", failed)
    page.on("response", answered)
    return faults


@contextmanager
def running(app) -> Iterator[str]:
    """The address of an application, while it runs in a thread."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen(128)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started and thread.is_alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.started
        yield f"http://127.0.0.1:{place.getsockname()[1]}"
        server.should_exit = True
        thread.join(20)
