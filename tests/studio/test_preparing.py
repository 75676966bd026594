"""The demo is made while the studio is open: pages come first, datasets when they are ready."""

from __future__ import annotations

import shutil
import time
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from deixis._studio import demo
from deixis._studio.demo import Preparing, Stage, demo_folder, is_made
from deixis._studio.server import make_app
from deixis.errors import RecipeError


LOCAL = "http://127.0.0.1"


def make_some(folder, *, seed, workers, progress):
    """Make a run, slowly; in another process."""
    for done in range(3):
        progress("things", done, 3)
    (folder / f"run-{seed}-{workers}").mkdir()
    (folder / f"run-{seed}-{workers}" / "run.json").write_text("{}", encoding="utf-8")


def fail(folder, **_):
    """Fail as somebody's recipe may."""
    raise RecipeError(f"<b>{folder.name}</b> is not to be used")


def wait_long(folder, **_):
    """Make something that takes for ever."""
    (folder / "begun").touch()
    time.sleep(600)


def until(happened) -> None:
    """Wait for something, a minute at most."""
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_it_is_made_elsewhere_and_its_progress_is_told(tmp_path):
    """Another process does the work, stage by stage, and says when it is over."""
    told: list[tuple[object, ...]] = []
    with Preparing(tmp_path, seed=7, workers=2, made=make_some, progress=lambda *stage: told.append(stage)) as making:
        until(lambda: making.stage.is_over)

    assert making.stage.error == ""
    assert told == [("things", done, 3) for done in range(3)]
    assert (tmp_path / "run-7-2" / "run.json").is_file()


def test_what_cannot_be_made_is_told_on_the_page(tmp_path):
    """The first page has the reason, escaped, and the rest of the studio works."""
    with Preparing(tmp_path, made=fail) as making:
        until(lambda: making.stage.is_over)
        client = TestClient(make_app([tmp_path], preparing=making), base_url=LOCAL)

        text = client.get("/").text

        assert "could not be made" in text
        assert f"&lt;b&gt;{tmp_path.name}&lt;/b&gt; is not to be used" in text
        assert client.get("/playground").status_code == 200


def test_leaving_the_studio_ends_the_making(tmp_path):
    """No process stays behind."""
    with Preparing(tmp_path, made=wait_long) as making:
        until((tmp_path / "begun").exists)

    assert not making._process.is_alive()
    assert making.stage.error == "the making of the demo was stopped"


def test_the_first_page_shows_how_far_it_is_and_what_is_ready(tmp_path, demo_roots):
    """Pages come at once; a dataset appears as soon as it is whole; in the end nothing is said of the making."""
    making = SimpleNamespace(stage=Stage("grid-worlds, p2", 20, 180))
    client = TestClient(make_app([tmp_path], preparing=making), base_url=LOCAL)

    first = client.get("/").text
    shutil.copytree(demo_roots[0] / "grid-worlds", tmp_path / "grid-worlds")
    making.stage = Stage("3d-shapes, pairs")
    second, state = client.get("/").text, client.get("/preparing").json()
    making.stage = Stage(is_over=True)
    third = client.get("/").text

    assert "grid-worlds, p2: 20 of 180" in first
    assert 'max="180" value="20"' in first
    assert 'href="/playground"' in first
    assert "No datasets were found" not in first
    assert 'href="/d/grid-worlds"' in second
    assert "3d-shapes, pairs" in second
    assert (state["entries"], state["is_over"], state["total"]) == (1, False, None)
    assert 'id="preparing"' not in third
    assert 'href="/d/grid-worlds"' in third


def test_a_studio_that_makes_nothing_says_so(tmp_path):
    """Who asks a studio over datasets of one's own how far it is, is told that it is over."""
    client = TestClient(make_app([tmp_path]), base_url=LOCAL)

    assert client.get("/preparing").json()["is_over"]


@pytest.mark.slow
def test_a_demo_is_known_to_be_whole(demo_roots, tmp_path):
    """The last things that are made tell."""
    assert is_made(demo_roots[0])
    assert not is_made(tmp_path)


def test_another_edition_of_the_demo_has_another_place(monkeypatch):
    """What an older program or recipe has left is not in the way."""
    before = demo_folder()

    monkeypatch.setattr(demo, "_demos", list)

    assert demo_folder() != before
    assert demo_folder().parent == before.parent


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_follows_by_itself(browser, tmp_path, demo_roots):
    """Nobody has to reload."""
    from playwright.sync_api import expect

    from tests.studio.conftest import running

    making = SimpleNamespace(stage=Stage("grid-worlds, p2", 20, 180))
    with running(make_app([tmp_path], preparing=making)) as address:
        page = browser.new_page()
        page.goto(address)
        expect(page.locator("#stage")).to_contain_text("20 of 180")
        making.stage = Stage("grid-worlds, p3", 5, 300)
        expect(page.locator("#stage")).to_contain_text("5 of 300")
        shutil.copytree(demo_roots[0] / "results", tmp_path / "results")
        making.stage = Stage(is_over=True)
        expect(page.locator("#preparing")).to_have_count(0)
        assert page.locator("h3 a").all_inner_texts() == ["oracle", "random"]
        page.close()
