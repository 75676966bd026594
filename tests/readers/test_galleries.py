"""Files of others in galleries: what their words do, where they have a meaning, and saving what is found."""

from __future__ import annotations

import re

import pytest
from PIL import Image

from deixis.readers.registry import BUILT_IN
from tests.readers.samples import write_sample


pytest.importorskip("starlette", reason="needs deixis[studio]")
pytest.importorskip("httpx", reason="needs httpx")

from starlette.testclient import TestClient

from deixis._studio.library import Library
from deixis._studio.meanings import MISREAD, meaning_of
from deixis._studio.server import make_app
from deixis.worlds.example import context_of, scenes_of


@pytest.fixture(params=BUILT_IN)
def opened(request, tmp_path):
    """A small file in the layout of a reader, as the studio opens it, and somebody who visits it."""
    path, _ = write_sample(request.param, tmp_path / "sample")
    client = TestClient(make_app([path]), base_url="http://127.0.0.1")
    (entry,) = Library((path,)).datasets
    return entry, client


def total(answer) -> int:
    """How many examples a page says that there are."""
    return int(re.search(r'<h2 aria-live="polite">\s*([\d,]+)', answer.text)[1].replace(",", ""))


def judged_in(entry) -> int:
    """How many examples have a meaning that fits their target alone."""
    told = [(one.expression, context_of(one)) for one in entry.data]
    return sum(said is not None and seen is not None and meaning_of(said, seen) is not None for said, seen in told)


def test_words_are_filtered_where_they_have_a_meaning(opened):
    """Each example with a meaning is led astray by some misreading or by none; without meanings, that is told."""
    entry, client = opened
    path, judged = f"/d/{entry.slug}", judged_in(entry)

    some, none = (client.get(f"{path}?{MISREAD}={value}") for value in ("any", "none"))

    if judged:
        assert total(some) + total(none) == judged
    else:
        assert (some.status_code, none.status_code) == (404, 404)
        assert "are not judged" in some.text


def test_everything_is_saved_in_every_form(opened):
    """As many lines as examples, a Parquet file, and a sheet with pictures or the reasons why there are none."""
    entry, client = opened
    path = f"/d/{entry.slug}"

    lines = client.get(f"{path}/examples.jsonl?order=many-words").text.splitlines()

    assert len(lines) == len(entry.data)
    assert client.get(f"{path}/examples.parquet").content.startswith(b"PAR1")
    assert client.get(f"{path}/sheet.png").content.startswith(b"\x89PNG")


def test_the_task_is_offered_where_there_are_objects_to_point_at(opened):
    """The gallery, the pages of examples, the first page and the chooser agree on whether there is a game."""
    entry, client = opened
    link = f'href="/play?data={entry.slug}"'
    is_meant = [context_of(example) is not None for example in entry.data]

    assert (link in client.get(f"/d/{entry.slug}").text) is any(is_meant)
    assert ('href="/play"' in client.get("/").text.split("doors")[1].split("</p>")[0]) is any(is_meant)
    for number, is_here in enumerate(is_meant):
        assert (link in client.get(f"/d/{entry.slug}/{number}").text) is is_here
    chosen, begun = client.get(f"/play?data={entry.slug}"), client.post("/play", data={"data": entry.slug})
    if any(is_meant):
        assert '<form class="start"' in chosen.text
    else:
        for refused in (chosen, begun):
            assert refused.status_code == 400
            assert f"{entry.title} has no example in which something is to be pointed at" in refused.text
            assert '<form class="start"' not in refused.text


def test_a_picture_is_offered_where_something_is_shown(opened):
    """Scenes and boxes are saved as a picture; sentences whose images are not at hand are not."""
    entry, client = opened

    for number, example in enumerate(entry.data):
        has_something = any(map(len, scenes_of(example))) or any(example.regions) or bool(example.boxes)
        page = client.get(f"/d/{entry.slug}/{number}").text
        assert ("Picture as SVG" in page) is has_something, (example, number)


def test_a_sentence_beside_its_image_has_a_picture(tmp_path):
    """The image of a caption pair is a picture where its file lies beside the captions."""
    path, _ = write_sample("sugarcrepe", tmp_path / "sample")
    (entry,) = Library((path,)).datasets
    name = entry.data[0].images[0].name
    folder = path if path.is_dir() else path.parent
    Image.new("RGB", (40, 30), (200, 60, 60)).save(folder / name)
    client = TestClient(make_app([path]), base_url="http://127.0.0.1")

    assert "Picture as SVG" in client.get(f"/d/{entry.slug}/0").text
