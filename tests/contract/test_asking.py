"""In worlds with ready-made pages, any text about a scene is answered in the studio; others say that there is none."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote

import pytest


pytest.importorskip("starlette", reason="needs deixis[studio]")
pytest.importorskip("httpx", reason="needs httpx")

from starlette.testclient import TestClient

from deixis._studio.server import make_app
from deixis.worlds.registry import find_world


SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def asked(made):
    """A client, the entry of a small dataset, and whether its scenes can be asked about."""
    app = make_app([made.path])
    entry = next(iter(app.app.state.library))
    return TestClient(app, base_url="http://127.0.0.1"), entry, entry.pages.can_be_asked(entry)


def test_texts_about_a_scene_are_answered(asked, made):
    """The text of an example picks out one object, nonsense is pointed at, and the home page leads there."""
    client, entry, is_asked = asked
    there = f"/d/{entry.slug}/0/ask"

    if not is_asked:
        assert client.get(there).status_code == 404
        assert "/ask" not in client.get("/").text
        return
    example = find_world(made.world).part("examples").open(made.path)[0]
    page = client.get(there).text
    part = client.get(f"{there}?text={quote(example.text)}&part=answer").text

    assert example.text in unescape(page)
    assert "Picks out exactly one object" in part or example.context is None
    assert "<html" not in part
    assert "‘qqxx’ does not fit here" in client.get(f"{there}?text=the+qqxx").text
    assert re.search(rf'href="/d/{entry.slug}/\d+/ask"', client.get("/").text)


def test_no_text_about_a_scene_becomes_markup_or_a_fault(asked):
    """Whatever is asked is shown as text, and a text without end is refused in one line."""
    client, entry, is_asked = asked
    if not is_asked:
        return
    there = f"/d/{entry.slug}/0/ask"

    for text in (SCRIPT, f"the {SCRIPT}", "'\"><img src=x>", "", "\x00", "the " * 90):
        answer = client.get(f"{there}?text={quote(text)}")
        assert answer.status_code == 200
        assert SCRIPT not in answer.text
        assert "<img src=x" not in answer.text
    assert client.get(f"{there}?text={'x' * 500}").status_code == 400
    assert client.get(f"/d/{entry.slug}/999999/ask").status_code == 404
