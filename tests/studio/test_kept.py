"""Pages that are kept: made once for many visitors, made anew when something has changed."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from deixis._studio import home
from deixis._studio import pages as pages_module
from deixis._studio.home import home as make_home
from deixis._studio.library import Library
from deixis._studio.pages import Pages
from deixis._studio.server import make_app
from deixis.errors import UnknownName


LOCAL = "http://127.0.0.1"


@pytest.fixture
def made(monkeypatch):
    """The addresses for which the first page is made from now on."""
    found: list[str] = []

    def make(request):
        found.append(str(request.url))
        sleep(0.05)
        if "fault" in request.query_params:
            raise UnknownName("nothing there")
        return make_home(request)

    monkeypatch.setattr(home, "ROUTES", (Route("/", pages_module.cache_pages(make)),))
    return found


def test_a_page_is_made_once_for_many(made, demo_roots):
    """Visitors at the same time, and after it, get what was made for the first; another address is another page."""
    with TestClient(make_app(demo_roots), base_url=LOCAL) as client, ThreadPoolExecutor(8) as visitors:
        texts = {answer.text for answer in visitors.map(client.get, ["/"] * 20)}

        assert len(texts) == len(made) == 1
        client.get("/?other")
        assert len(made) == 2


def test_a_page_follows_what_changes(made, tmp_path):
    """A run that appears, changes or goes is seen at the next look."""
    client = TestClient(make_app([tmp_path]), base_url=LOCAL)
    assert "No datasets" in client.get("/").text

    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}", encoding="utf-8")
    assert "run=run" in client.get("/").text
    (tmp_path / "run" / "log.jsonl").write_text("{}", encoding="utf-8")
    client.get("/")
    shutil.rmtree(tmp_path / "run")
    assert "run=run" not in client.get("/").text
    assert len(made) == 4


def test_a_mistake_is_not_kept(made, tmp_path):
    """What could not be shown is tried again."""
    client = TestClient(make_app([tmp_path]), base_url=LOCAL)

    assert [client.get("/?fault").status_code for _ in range(2)] == [404, 404]
    assert len(made) == 2


def test_pages_are_sent_to_those_who_cannot_unpack(tmp_path):
    """Packed or not, the page is the same."""
    client = TestClient(make_app([tmp_path]), base_url=LOCAL)

    plain, packed = (client.get("/", headers={"accept-encoding": how}) for how in ("identity", "gzip"))

    assert plain.text == packed.text
    assert (plain.headers.get("content-encoding"), packed.headers["content-encoding"]) == (None, "gzip")


def test_the_oldest_pages_go_when_they_are_too_many(monkeypatch):
    """The memory for pages is bounded by their size; what replaces a page takes its place."""
    monkeypatch.setattr(pages_module, "MOST_BYTES", 100)
    shelf = Pages()
    for number in range(12):
        shelf.keep((number,), b"x" * 10)
    shelf.keep((11,), b"y" * 10)

    assert [shelf.find((number,)) is not None for number in range(12)] == [False] * 2 + [True] * 10
    assert shelf.size == 100


def test_a_folder_that_did_not_change_is_not_listed_again(monkeypatch, tmp_path):
    """Looking again at a folder with thousands of pictures costs no more than at an empty one."""
    monkeypatch.setattr("deixis._studio.library.UNSURE_NS", -1)
    (tmp_path / "pictures").mkdir()
    for number in range(50):
        (tmp_path / "pictures" / f"{number}.png").touch()
    library = Library((tmp_path,))
    listed: list[object] = []
    monkeypatch.setattr("deixis._studio.library.os.scandir", lambda folder: listed.append(folder) or 1 / 0)

    library.refresh()

    assert listed == []
    assert library.version == 0


def test_a_manifest_is_read_again_only_when_it_has_changed(monkeypatch, tmp_path):
    """The manifest of a large dataset takes its time."""
    (tmp_path / "data").mkdir()
    manifest = tmp_path / "data" / "manifest.json"
    manifest.write_text(json.dumps({"kind": "unheard of"}), encoding="utf-8")
    library = Library((tmp_path,))
    read: list[object] = []
    monkeypatch.setattr("deixis._studio.library._kind_of_file", read.append)

    library.refresh()
    assert read == []
    manifest.write_text(json.dumps({"kind": "something else"}), encoding="utf-8")
    library.refresh()
    assert read == [tmp_path / "data"]
