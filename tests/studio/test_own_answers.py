"""What people answer in the studio, as its own pages of results show it."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape

import pytest
from starlette.testclient import TestClient

from deixis._cli import main
from deixis._studio.library import Library
from deixis._studio.model_results import read_model_results
from deixis._studio.server import make_app
from tests.studio.test_play import TASKS, right_answer, sitting_of, start


@pytest.fixture(scope="module")
def played(demo_roots, tmp_path_factory):
    """A studio in which Ada has done all tasks, each half right, and which shows her answers."""
    answers = tmp_path_factory.mktemp("answers")
    roots = (*demo_roots, answers)
    client = TestClient(make_app(roots, answers=answers), base_url="http://127.0.0.1")
    entries = {entry.kind: entry for entry in Library(tuple(demo_roots))}
    for kind, task in TASKS:
        address = start(client, entries[kind], task, questions=4)
        game = sitting_of(client, address).game
        for place in range(len(game)):
            said = right_answer(game, place) if place % 2 else wrong_answer(game, place)
            client.post(address, data={"question": str(place + 1), **said})
    return client, roots


def wrong_answer(game, place):
    """A form with a wrong answer to a question."""
    match game.template:
        case "grid/play_point.html":
            return {"object": str((game.examples[place].target + 1) % len(game.examples[place].scene))}
        case "grid/play_navigate.html":
            return {"plan": "S"}
        case "rooms/play_pick.html":
            return {"image": str(game.pairs[place].distractor)}
        case "rooms/play_caption.html":
            return {"caption": "a picture"}
    return {"region": "not there"} if game.examples[place].is_there else {"region": "0.0"}


def test_results_read_all_answers_of_the_studio(played):
    """Nothing that the studio has written is rejected, and everything has the name of the person."""
    _, roots = played

    found, broken = read_model_results(Library(roots))
    by_task = {one.entry.title.split("-")[-3]: one for one in found if one.model == "person: Ada"}

    assert broken == []
    assert set(by_task) == {"point", "navigate", "pick", "caption", "find"}
    assert "answers.jsonl" not in {one.model for one in found}


@pytest.mark.parametrize("caption", ["a blorp ball", "a ball"])
def test_the_commands_of_the_score_page_judge_what_people_typed(demo_roots, tmp_path, caption, capsys):
    """Captions with words that are not known are judged, too, and folders may have any name."""
    answers = tmp_path / "DATA of FOLDER"
    client = TestClient(make_app(demo_roots, answers=answers), base_url="http://127.0.0.1")
    entry = next(one for one in Library(tuple(demo_roots)) if one.kind == "rooms")
    address = start(client, entry, "caption", questions=1)
    client.post(address, data={"question": "1", "caption": caption})

    (line,) = re.findall(r"deixis (evaluate [^<]+)", unescape(client.get(address).text))

    assert main(shlex.split(line)) == 0, capsys.readouterr().err
    assert ("--allow-losses" in line) == ("blorp" in caption)


@pytest.mark.parametrize(
    ("task", "measures"),
    [
        ("point", {"right_target"}),
        ("navigate", {"exact", "got_there", "right_target"}),
        ("pick", {"right_image"}),
        ("caption", {"discriminativity", "contrastive_efficiency", "relevance", "optimal_discriminativity"}),
        ("find", {"right"}),
    ],
)
def test_answers_have_the_measures_of_their_task(played, task, measures):
    """Who points has no plan, who picks has no caption; half of the answers are right by the measure of the task."""
    _, roots = played
    found, _ = read_model_results(Library(roots))
    (one,) = [judged for judged in found if f"-{task}-ada" in judged.entry.path.name]
    main = "right_target" if task == "point" else next(iter(one.measures))

    right = sum(scores[main].mean * scores[main].rows for scores in one.scores.values())

    assert set(one.measures) == measures
    assert all(set(scores) == measures for scores in one.scores.values())
    assert right == pytest.approx(2)


def test_a_measure_that_a_task_cannot_have_is_a_dash(played):
    """Beside models with plans, a person who pointed has a dash for exact match, and a number for the right target."""
    client, _ = played

    exact, target = (client.get(f"/results?measure={measure}").text for measure in ("exact", "right_target"))

    pointed = r"run=grid-worlds-point-ada-001&amp;split=test&amp;measure="
    assert client.get("/results").text == exact
    assert ">person: Ada, point<" in exact
    assert re.search(pointed + "right_target", target)
    assert not re.search(pointed, exact)
    assert "which has no exact match" in exact


@pytest.mark.parametrize("task", ["point", "navigate", "pick", "caption", "find"])
def test_every_answer_has_its_pages(played, task):
    """The run, its examples and a comparison with itself open."""
    client, roots = played
    found, _ = read_model_results(Library(roots))
    (key,) = [judged.key for judged in found if f"-{task}-ada" in judged.entry.path.name]

    pages = [f"/results?run={key}", f"/results/examples?run={key}&show=all", f"/results/compare?a={key}&b={key}"]
    answers = [client.get(page) for page in pages]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "person: Ada" in answers[0].text
    assert answers[1].text.count('class="verdict"') == 4


def test_answers_to_different_tasks_are_not_compared(played):
    """Picking and describing have no measure in common, which is said."""
    client, _ = played

    answer = client.get("/results/compare?a=3d-shapes-pick-ada-001&b=3d-shapes-caption-ada-001")

    assert answer.status_code == 400
    assert "no measure fits both" in answer.text


def test_what_belongs_to_answers_is_no_dataset(played):
    """The examples that were asked lie beside the answers, and neither the first page nor Play offers them."""
    client, roots = played
    (asked,) = roots[-1].glob("*/asked/manifest.json")

    assert json.loads(asked.read_text(encoding="utf-8"))["kind"] == "copsref"
    for address in ("/", "/play"):
        assert "asked" not in re.findall(r"/d/([\w-]+)|data=([\w-]+)", client.get(address).text)
        assert ">asked<" not in client.get(address).text
    assert {entry.slug for entry in Library(roots).of_kind("photos")} == {"photographs"}


def test_the_page_of_an_example_says_what_a_person_pointed_at(played):
    """Pointing at the target is said as that, not as a plan that is right action by action."""
    client, _ = played
    numbers = [
        sitting.game.numbers[1] for sitting in client.app.app.state.sittings._all.values() if sitting.task == "point"
    ]

    text = client.get(f"/d/grid-worlds/{numbers[0]}").text

    assert "Pointed at the target." in text


def test_the_gallery_filters_by_what_a_person_pointed_at(played):
    """Right is who pointed at the target, though there is no plan."""
    client, _ = played

    texts = {
        verdict: client.get(f"/d/grid-worlds?model=grid-worlds-point-ada-001&verdict={verdict}").text
        for verdict in ("right", "wrong")
    }

    assert all("2 examples found" in text for text in texts.values())


def test_answers_that_are_judged_again_keep_the_measures_of_their_task(played, tmp_path, capsys):
    """`deixis evaluate --out` of what somebody pointed at has no exact match either."""
    _, roots = played
    (folder,) = roots[-1].glob("*-point-ada-001")
    again = ["evaluate", str(folder / "test.parquet"), "--data", str(folder / "asked.parquet"), "--split", "test"]

    assert main([*again, "--out", str(tmp_path / "again")]) == 0, capsys.readouterr().err
    (one,), broken = read_model_results(Library((tmp_path,)))

    assert broken == []
    assert set(one.measures) == {"right_target"}
