"""Pages of a world that brings none of its own: the beads that `deixis new world` writes."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from deixis._studio.library import Library
from deixis._studio.model_results import read_model_results
from deixis._studio.server import make_app
from deixis.judge.request import Request
from deixis.scene import Context, PlainScene
from deixis.worlds.registry import find_world
from deixis.worlds.toolkit._story import Story
from deixis.worlds.toolkit.pages import ReadyPages, draw_objects
from tests.beads import installed_beads


if TYPE_CHECKING:
    from collections.abc import Iterator


SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module", autouse=True)
def beads() -> Iterator[None]:
    """The world of beads beside the built-in ones."""
    with installed_beads():
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    """A dataset of beads, and the results of two that need no training."""
    world = find_world("beads")
    folder = tmp_path_factory.mktemp("ready")
    recipes = world.part("recipes")
    recipes.make(replace(recipes.demo(), examples=60), folder / "strings", workers=1)
    for name in ("random", "oracle"):
        answers = Request(answers=(Path(name),), data=folder / "strings", out=folder / "results" / name)
        world.part("judging").evaluate(answers)
    return folder


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> Path:
    """Where answers of people go."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(scope="module")
def client(root, answers):
    """A studio over them."""
    return TestClient(make_app([root], answers=answers), base_url="http://127.0.0.1")


def test_the_gallery_has_texts_pictures_splits_and_a_search(client, root):
    """Facets are counted, words are found, and every card has a picture of its own."""
    (entry,) = Library((root,)).datasets
    page = client.get("/d/strings").text
    assert entry.kind == "beads"
    assert "Beads on a string" in page
    assert page.count('src="/d/strings/') == 24
    for name, size in entry.splits.items():
        assert f'<option value="{name}">{name} ({size})' in page
    word = entry.data[0].text.split()[1]
    texts = re.findall(r'<h3><a href="/d/strings/\d+[^"]*">([^<]*)', client.get(f"/d/strings?text={word}").text)
    assert texts
    assert all(word in text.split() for text in texts)
    assert client.get("/d/strings?split=no").status_code == 404


def test_a_filter_is_carried_along_to_the_example(client):
    """The page of an example leads on within what was searched."""
    links = re.findall(r'<h3><a href="(/d/strings/\d+[^"]*)"', client.get("/d/strings?split=train").text)
    page = client.get(links[0].replace("&amp;", "&")).text
    assert f'rel="next" href="{links[1]}"' in page


def test_the_page_of_an_example_shows_steps_objects_and_misreadings(client, root):
    """Every step, every object with its values, and where each misreading leads, as the core says."""
    (entry,) = Library((root,)).datasets
    story = Story(find_world("beads"), entry.data[0])
    page = client.get("/d/strings/0").text
    assert page.count("<tr data-object=") == len(story.things) == 8
    assert len(re.findall('<li tabindex="0" data-lights="[^"]*" style="--depth', page)) == len(story.steps) > 0
    assert page.count("★ target") == 1
    assert story.misreadings
    for one in story.misreadings:
        assert one.did in page.replace("&#39;", "'")
        assert one.lights
    assert "So it picks out exactly one object" in page
    assert 'href="/d/strings/0/ask"' in page
    assert client.get("/d/strings/0/ask").status_code == 200


def test_pictures_are_files_that_can_do_nothing(client):
    """They come as SVG under a policy without scripts, and are never put into a page."""
    answer = client.get("/d/strings/0/picture.svg")
    assert ET.fromstring(answer.text).tag.endswith("svg")  # noqa: S314 (our own beads)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "stroke-dasharray" not in client.get("/d/strings/0").text


def test_what_examples_say_is_escaped(root):
    """A text, a value and a fact with markup in them are shown as they are."""
    (entry,) = Library((root,)).datasets
    schema = entry.data[0].context.scenes[0].schema
    strange = replace(schema.attributes[1], values=(SCRIPT,))
    scene = PlainScene(schema=replace(schema, attributes=(strange,)), objects=(frozenset({(strange.name, SCRIPT)}),))
    drawn = str(draw_objects(Context.of(scene)))
    assert "<script" not in drawn
    assert "&lt;script" in drawn


def test_somebody_plays_and_is_judged_as_a_model_is(client, root, answers):
    """Questions show no picture that tells; answers are judged, kept, and read by the page of results."""
    begun = client.post(
        "/play",
        data={"data": "strings", "task": "point", "split": "train", "questions": "4", "player": "Ada"},
        follow_redirects=False,
    )
    address = begun.headers["location"]
    for number in range(4):
        page = client.get(address).text
        assert "picture.svg" not in page
        assert page.count('name="object"') == 8
        told = client.post(address, data={"object": "0", "question": str(number + 1)}).text
        assert "picture.svg" in told
    assert "right object" in client.get(address).text
    (folder,) = answers.iterdir()
    lines = [json.loads(line) for line in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["object"] for line in lines] == [0] * 4
    (judged,), broken = read_model_results(Library((answers,)))
    assert (judged.world, judged.model, judged.task, broken) == ("beads", "person: Ada", "point", [])
    studio = TestClient(make_app([root, answers]), base_url="http://127.0.0.1")
    assert studio.get(f"/results/examples?run={folder.name}&show=all").text.count("picture.svg") == 4


def test_an_object_that_is_not_there_is_refused(client):
    """The question is asked again, with the reason."""
    begun = client.post("/play", data={"data": "strings", "task": "point", "split": "train"}, follow_redirects=False)
    answer = client.post(begun.headers["location"], data={"object": "99", "question": "1"})
    assert answer.status_code == 400
    assert "there is no object" in answer.text


def test_results_of_evaluate_are_shown(client):
    """Scores, what came of it, what was misread, and the examples behind, with the objects that were chosen."""
    overview = client.get("/results").text
    assert "right object" in overview
    assert "random" in overview
    run = client.get("/results?run=random").text
    assert "Misreadings when the wrong object was chosen" in run
    examples = client.get("/results/examples?run=random&show=wrong").text
    assert "Chose " in examples
    assert "/d/strings/" in examples
    assert client.get("/results/compare?a=oracle&b=random").status_code == 200


def test_a_world_whose_pages_fail_leaves_the_others_alone(root, monkeypatch):
    """Its datasets say why, and the studio opens."""

    def visit() -> list[str]:
        studio = TestClient(make_app([root]), base_url="http://127.0.0.1")
        return [studio.get(address).text for address in ("/", "/playground")]

    monkeypatch.setattr(ReadyPages, "of", lambda _: 1 / 0)
    with pytest.warns(UserWarning, match="the pages of the world 'beads' are left out"):
        home, playground = visit()

    assert "ZeroDivisionError" in home
    assert "Playground" in playground


@pytest.mark.parametrize(
    ("about", "inside"),
    [
        ("Strings of beads", "strings of beads"),
        ("RefCOCO, RefCOCO+: references", "RefCOCO, RefCOCO+: references"),
        ("Google Refexp: expressions", "Google Refexp: expressions"),
        ("Stars2: people's descriptions", "Stars2: people's descriptions"),
    ],
)
def test_a_name_keeps_its_capital_inside_a_sentence(about, inside):
    """Descriptions of worlds begin with a word, those of readers often with a name."""
    assert replace(ReadyPages.of(find_world("beads")), about=about).about_inside == inside
