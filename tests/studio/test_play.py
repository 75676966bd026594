"""Doing the task oneself: what is asked, what comes of answers, and what is kept of them."""

from __future__ import annotations

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deixis.datasets.copsref.predictions import read_answers
from deixis.datasets.copsref.store import open_copsref
from deixis.datasets.plans import read_plans
from deixis.datasets.sources import open_source
from deixis.errors import SchemaError, UnknownName
from deixis.metrics.grounding import evaluate_answers
from deixis.metrics.navigation import PlanEvaluation, Score
from deixis.metrics.plan_verdicts import Asked, Plans, judge_all
from deixis.metrics.predictions import read_predictions
from deixis.studio.answers import Sittings, draw_numbers
from deixis.studio.library import Library
from deixis.studio.play_grid import GridGame, grid_game
from deixis.studio.server import make_app
from deixis.worlds.grid.actions import plan_to_letters


SCRIPT = "<script>alert(1)</script>"
TASKS = (("grid", "point"), ("grid", "navigate"), ("a3ds", "pick"), ("a3ds", "caption"), ("copsref", "find"))


@pytest.fixture
def answers(tmp_path):
    """The folder for answers."""
    return tmp_path / "answers"


@pytest.fixture
def client(demo_roots, answers):
    """A studio that keeps answers."""
    return TestClient(make_app(demo_roots, parts=("home", "play"), answers=answers), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def entries(demo_roots):
    """A dataset of each kind."""
    return {entry.kind: entry for entry in Library(tuple(demo_roots))}


def start(client, entry, task, **more):
    """Begin a sitting; its address."""
    split = "" if entry.kind == "a3ds" else "test"
    form = {"data": entry.slug, "task": task, "split": split, "questions": 2, "seed": 3, "player": "Ada", **more}
    answer = client.post("/play", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def sitting_of(client, address):
    """What the server knows of a sitting."""
    return client.app.app.state.sittings.find(address.rpartition("/")[2])


def right_answer(game, place):
    """A form with the right answer to a question."""
    match game.template:
        case "play_point.html":
            return {"object": str(game.examples[place].target)}
        case "play_navigate.html":
            return {"plan": plan_to_letters(game.examples[place].plan)}
        case "play_pick.html":
            return {"image": str(game.pairs[place].target)}
        case "play_caption.html":
            return {"caption": game.pairs[place].caption}
    example = game.examples[place]
    if not example.is_there:
        return {"region": "not there"}
    which = game.images(place).index(example.image_id)
    return {"region": f"{which}.{game.scene(example.image_id).object_number(example.object_id)}"}


def finish(client, address):
    """Answer everything right; the page with the score."""
    sitting = sitting_of(client, address)
    for place in range(len(sitting.game)):
        page = client.post(address, data={"question": str(place + 1), **right_answer(sitting.game, place)})
        assert page.status_code == 200
        assert "is-right" in page.text, page.text
    return client.get(address).text


@pytest.mark.parametrize(("kind", "task"), TASKS)
def test_right_answers_get_the_full_score(client, entries, kind, task):
    """Whoever answers every question of a task right is told so and has all of them right in the end."""
    address = start(client, entries[kind], task)

    score = finish(client, address)

    assert "Ada: 2 of 2 right" in score
    assert "100 %" in score


@pytest.mark.parametrize(("kind", "task"), TASKS)
def test_every_question_has_an_example_page_and_links_to_it(client, entries, kind, task):
    """What came of an answer links to the page of the example."""
    address = start(client, entries[kind], task)
    finish(client, address)

    page = client.get(f"{address}/1").text

    assert f'href="/d/{entries[kind].slug}/' in page


def test_a_wrong_object_is_explained(client, entries):
    """A wrong click is told what is meant and which slip leads there."""
    address = start(client, entries["grid"], "point", questions=8)
    game = sitting_of(client, address).game
    example = game.examples[0]
    tempting = next(
        i for i, role in enumerate(example.roles) if role.has_misreading and role.number < len(example.misreadings)
    )

    page = client.post(address, data={"question": "1", "object": str(tempting)}).text

    assert "Another object is meant" in page
    assert "You would end there if you" in page


def test_plans_are_kept_as_evaluate_reads_them(client, entries, answers):
    """What a person did in a grid world is a file of plans, with the examples and the evaluation beside it."""
    address = start(client, entries["grid"], "navigate")
    finish(client, address)
    sitting = sitting_of(client, address)

    plans = read_plans(sitting.folder / f"{sitting.split}.parquet")
    evaluation = PlanEvaluation.from_dict(json.loads((sitting.folder / "evaluation.json").read_text()))
    asked = open_source(sitting.folder / "asked.parquet")

    assert plans.ids.tolist() == [example.id for example in sitting.game.examples]
    assert plans.facts["model"] == "person: Ada"
    assert evaluation.splits[sitting.split].score.estimate("exact").mean == 1
    assert asked.total == 2
    assert sitting.folder.parent == answers.resolve()


def test_regions_are_kept_as_evaluate_reads_them(client, entries):
    """What a person chose in photographs is a file of answers that is judged alike with the sample kept beside it."""
    address = start(client, entries["copsref"], "find", questions=6)
    finish(client, address)
    sitting = sitting_of(client, address)
    asked = open_copsref(sitting.folder / "asked")

    found = list(read_answers(sitting.folder / "answers.jsonl", asked.scenes))
    evaluation, _ = evaluate_answers(list(asked.examples()), found, asked.scenes, seed=3)

    kept = json.loads((sitting.folder / "evaluation.json").read_text())
    assert len(found) == 6
    assert {key: kept[key] for key in evaluation.to_dict()} == evaluation.to_dict()


def test_captions_are_kept_as_score_reads_them(client, entries):
    """What a person wrote about rooms is a file of captions."""
    address = start(client, entries["a3ds"], "caption")
    finish(client, address)
    sitting = sitting_of(client, address)

    found = read_predictions(sitting.folder / "captions.jsonl")

    assert sum(map(len, found.values())) == 2
    assert {text for part in found.values() for text in part.captions} == set(sitting.said)


def test_without_a_folder_answers_can_be_downloaded(demo_roots, entries):
    """Where nothing is kept on disk, the archive still holds the predictions."""
    client = TestClient(make_app(demo_roots, parts=("home", "play")), base_url="http://127.0.0.1")
    address = start(client, entries["grid"], "point")
    finish(client, address)

    archive = ZipFile(BytesIO(client.get(f"{address}/answers").content))

    split = sitting_of(client, address).split
    assert {f"{split}.parquet", "asked.parquet", "evaluation.json", "sitting.json"} <= set(archive.namelist())


def test_names_never_lead_out_of_the_folder(client, entries, answers, tmp_path):
    """Whatever a player calls themselves, their answers lie in a folder of the folder for answers."""
    address = start(client, entries["a3ds"], "pick", player="../../../etc/x\x00")
    finish(client, address)

    written = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file()}

    assert written == {"answers"}
    assert sitting_of(client, address).folder.parent == answers.resolve()


def test_a_link_in_the_folder_is_not_followed(client, entries, answers, tmp_path):
    """A link that lies where answers would go is passed over."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answers.mkdir()
    (answers / f"{entries['a3ds'].slug}-pick-ada-001").symlink_to(elsewhere)

    finish(client, start(client, entries["a3ds"], "pick"))

    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("task", ["pick", "caption"])
def test_what_users_write_is_escaped(client, entries, task):
    """Names and captions with markup are shown as text."""
    address = start(client, entries["a3ds"], task, player=SCRIPT)
    sitting = sitting_of(client, address)
    for place in range(2):
        form = {"caption": SCRIPT} if task == "caption" else right_answer(sitting.game, place)
        client.post(address, data={"question": str(place + 1), **form})

    pages = [client.get(f"{address}/1").text, client.get(address).text]

    assert not any(SCRIPT in page for page in pages)
    assert "&lt;script&gt;" in pages[1]


@pytest.mark.parametrize(
    "form",
    [
        {"questions": "0"},
        {"questions": "many"},
        {"questions": "9" * 400},
        {"seed": "-1"},
        {"task": "fly"},
        {"split": SCRIPT},
        {"data": "nothing"},
        {"data": ""},
    ],
)
def test_nonsense_is_refused_with_a_reason(client, entries, form):
    """A form that makes no sense is answered with what is wrong."""
    whole = {"data": entries["grid"].slug, "task": "point", "split": "train", "questions": "2", "seed": "1", **form}

    answer = client.post("/play", data=whole)

    assert answer.status_code in (400, 404)
    assert 'class="fault"' in answer.text
    assert SCRIPT not in answer.text


@pytest.mark.parametrize(
    ("kind", "task", "form"),
    [
        ("grid", "point", {"object": "99"}),
        ("grid", "point", {"object": "²"}),
        ("grid", "point", {}),
        ("grid", "navigate", {"plan": "LWX"}),
        ("grid", "navigate", {"plan": "W" * 301}),
        ("a3ds", "pick", {"image": "7"}),
        ("a3ds", "caption", {"caption": "  "}),
        ("a3ds", "caption", {"caption": "x" * 401}),
        ("copsref", "find", {"region": "0.9999"}),
        ("copsref", "find", {"region": "a.b"}),
    ],
)
def test_an_answer_that_is_none_is_asked_for_again(client, entries, kind, task, form):
    """What is no answer does not count, and the question stays."""
    address = start(client, entries[kind], task)

    answer = client.post(address, data={"question": "1", **form})

    assert answer.status_code == 400
    assert 'class="fault"' in answer.text
    assert sitting_of(client, address).replies == []


def test_an_answer_counts_once(client, entries):
    """Sending an answer a second time, another one at that, changes nothing."""
    address = start(client, entries["grid"], "point")
    game = sitting_of(client, address).game
    client.post(address, data={"question": "1", **right_answer(game, 0)})

    client.post(address, data={"question": "1", "object": str((game.examples[0].target + 1) % 3)})

    assert [reply.judged.is_right for reply in sitting_of(client, address).replies] == [True]


def test_questions_out_of_turn_are_refused(client, entries):
    """Nobody can answer a question that is not being asked, nor see what came of it."""
    address = start(client, entries["grid"], "point")

    assert client.post(address, data={"question": "2", "object": "0"}).status_code == 400
    assert client.get(f"{address}/2").status_code == 404
    assert client.get(f"{address}/answers").status_code == 404
    assert client.get("/play/0123456789ab").status_code == 404


def test_the_board_follows_the_simulator(client, entries):
    """The board after some actions is drawn by the server, and nonsense is refused."""
    address = start(client, entries["grid"], "navigate")

    walked = client.get(f"{address}/board?plan=RW")

    assert "2 actions" in walked.text
    assert client.get(f"{address}/board?plan=RW%3Cscript%3E").status_code == 400
    assert client.get(f"{start(client, entries['grid'], 'point')}/board").status_code == 404


def test_buttons_work_without_a_script(client, entries):
    """A button of the board adds an action, takes one back, or begins again."""
    address = start(client, entries["grid"], "navigate")

    page = client.post(address, data={"plan": "LW", "act": "W"}).text
    back = client.post(address, data={"plan": "LW", "act": "undo"}).text

    assert 'name="plan" value="LWW"' in page
    assert 'name="plan" value="L"' in back


def test_the_same_seed_asks_the_same(entries):
    """Questions follow from the seed alone."""
    one, same, other = (grid_game(entries["grid"], "train", "point", 5, seed=seed) for seed in (4, 4, 5))

    assert one.numbers == same.numbers
    assert one.numbers != other.numbers


def test_questions_are_of_the_split(entries):
    """Only examples of the chosen split are asked, each under its number."""
    game = grid_game(entries["grid"], "test", "point", 200, seed=0)

    assert {example.split for example in game.examples} == {"test"}
    assert len(set(game.numbers)) == len(game) == entries["grid"].splits["test"]


def test_the_order_of_images_does_not_tell_the_target(client, entries):
    """The right image is not always in the same place."""
    address = start(client, entries["copsref"], "find", questions=12)
    game = sitting_of(client, address).game
    several = [place for place in range(12) if len(game.images(place)) > 1]

    places = {game.images(place).index(game.examples[place].image_id) for place in several}

    assert len(places) > 1


def test_old_sittings_are_forgotten(entries):
    """Only so many sittings are kept in mind; the one in use stays."""
    sittings = Sittings(most=3)
    game = grid_game(entries["grid"], "train", "point", 1, seed=0)
    about = {"entry": entries["grid"], "task": "point", "split": "train", "player": "", "answers": None}
    first, second = (sittings.start(game, seed=0, **about) for _ in range(2))
    for _ in range(2):
        sittings.find(first.id)
        sittings.start(game, seed=0, **about)

    assert len(sittings) == 3
    assert sittings.find(first.id) is first
    with pytest.raises(UnknownName, match="not known"):
        sittings.find(second.id)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(1, 60), st.integers(0, 9))
def test_drawn_numbers_are_different_and_there(sizes, count, seed):
    """A sample holds different places that exist, as many as are asked for or all."""
    if not sum(sizes):
        with pytest.raises(SchemaError):
            draw_numbers(sizes, count, seed=seed)
        return

    drawn = draw_numbers(sizes, count, seed=seed)

    assert len(set(drawn)) == len(drawn) == min(count, sum(sizes))
    assert all(0 <= at < sizes[which] for which, at in drawn)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 50), st.lists(st.text("LRWPQS", max_size=12), min_size=6, max_size=6))
def test_the_score_is_that_of_models(entries, seed, plans):
    """The score of a person is what the compiled judge of models finds."""
    game: GridGame = grid_game(entries["grid"], "train", "navigate", 6, seed=seed)
    coded = [game.plan(place, one) for place, one in enumerate(plans)]
    asked = Asked.of(game.examples)
    starts = [0]
    for one in coded:
        starts.append(starts[-1] + len(one))
    import numpy as np

    actions = np.array([action for one in coded for action in one], np.uint8)
    found = judge_all(asked, Plans(ids=asked.ids, actions=actions, starts=np.array(starts, np.int64)))

    measures = {measure.name: measure.estimate for measure in game.measures(plans)}

    score = Score(
        6,
        tuple(int(column.sum()) for column in (found.exact, found.exact_cut, found.got_there, found.is_right_target)),
        float(found.tokens.mean()),
    )
    assert measures["exact"] == score.estimate("exact")
    assert measures["got there"] == score.estimate("got_there")
    assert measures["right target"] == score.estimate("right_target")
    assert measures["actions right"].mean == pytest.approx(score.tokens)


def test_pages_have_labels_and_one_heading(client, entries):
    """Every input of the first page has a label, and there is one main heading."""
    page = client.get(f"/play?data={entries['grid'].slug}").text

    named = set(re.findall(r'<label for="(\w+)"', page))
    assert page.count("<h1") == 1
    assert {"split", "questions", "seed", "player"} <= named
