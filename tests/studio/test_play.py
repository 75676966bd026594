"""Doing the task oneself: what is asked, what comes of answers, and what is kept of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deixis._studio.answers import Sittings, draw_numbers
from deixis._studio.library import Library
from deixis._studio.server import make_app
from deixis.data._ragged import Ragged
from deixis.distractors.misreadings import leading_to
from deixis.errors import SchemaError, UnknownName
from deixis.resolution.reference import denotation
from deixis.seeds import Stream
from deixis.worlds.grid._pages.play import GridGame, grid_game
from deixis.worlds.grid._pages.results import verdict_words
from deixis.worlds.grid._pages.story import objects_of, story_of
from deixis.worlds.grid.actions import plan_to_letters
from deixis.worlds.grid.data.plans import read_plans
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.judging._misreadings import LABELS, NO_REASON, category
from deixis.worlds.grid.judging.navigation import PlanEvaluation, Score
from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans, judge_all, judge_choice, judge_plan
from deixis.worlds.grid.plan import plan as make_plan
from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos._judging.verdicts import LABELS as REGION_LABELS
from deixis.worlds.photos._judging.verdicts import UNEXPLAINED
from deixis.worlds.photos._pages.example import Story
from deixis.worlds.photos._pages.play import ABSENT, _draw_sample, photograph_game
from deixis.worlds.photos.data._predictions import read_answers
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.rooms._pages.play import Pair, RoomGame, _about, _differ_in_words, _features, _judge_choice, _telling
from deixis.worlds.rooms.judging._predictions import read_predictions
from deixis.worlds.rooms.scene import FACTORS, PLACES, ids_of


NO_MISREADING = "No single misreading leads there."
SCRIPT = "<script>alert(1)</script>"
TASKS = (("grid", "point"), ("grid", "navigate"), ("rooms", "pick"), ("rooms", "caption"), ("photos", "find"))


@pytest.fixture
def answers(tmp_path):
    """The folder for answers."""
    return tmp_path / "answers"


@pytest.fixture
def client(demo_roots, answers):
    """A studio that keeps answers."""
    return TestClient(make_app(demo_roots, answers=answers), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def entries(demo_roots):
    """A dataset of each kind."""
    return {entry.kind: entry for entry in Library(tuple(demo_roots))}


def start(client, entry, task, **more):
    """Begin a sitting; its address."""
    split = "" if entry.kind == "rooms" else "test"
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
        case "grid/play_point.html":
            return {"object": str(game.examples[place].target)}
        case "grid/play_navigate.html":
            return {"plan": plan_to_letters(game.examples[place].plan)}
        case "rooms/play_pick.html":
            return {"image": str(game.pairs[place].target)}
        case "rooms/play_caption.html":
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

    assert "Not quite" in page
    assert "You would end there if you" in page


@pytest.mark.parametrize("task", ["point", "navigate"])
def test_feedback_score_and_cards_name_the_same_misreading(client, entries, task):
    """Whatever object is chosen, the reply, the score page, the object's card and a model's card agree on why."""
    address = start(client, entries["grid"], task, questions=6)
    game = sitting_of(client, address).game
    told = 0
    for place, example in enumerate(game.examples):
        if denotation(example.expression, example.scene) != {example.target}:
            continue
        cards = objects_of(example, story_of(example))
        for chosen in range(len(example.scene)):
            plan = make_plan(example.scene, chosen, example.verb, example.manner)
            verdict = judge_choice(example, chosen) if task == "point" else judge_plan(example, plan)
            if chosen == example.target or verdict.chosen != chosen:  # a box under a solid has the plan of the solid
                continue
            said = str(chosen) if task == "point" else plan_to_letters(plan)
            reply = game.judge(place, said)
            why = cards[chosen].reached[0] if cards[chosen].reached else ""
            sentence = f"You would end there if you {why}." if why else "No single misreading leads there."
            assert reply.why[-1] == sentence
            assert verdict_words(example, verdict).endswith(sentence if why else "no single misreading leads there.")
            found = {category(one) for one in leading_to(example.expression, example.scene, chosen)} or {NO_REASON}
            assert set(verdict.misreadings) == set(game.verdict(place, said).misreadings) == found
            assert place or set(game.misreadings([said])) == {LABELS[name] for name in found}
            told += bool(why)

    assert told > 5


@pytest.mark.slow
def test_feedback_score_and_cards_of_photographs_name_the_same_misreading(entries):
    """Whatever region is chosen, the reply and the card of the region have one sentence; the score counts the same."""
    game = photograph_game(entries["photos"], "test", "Full", 6, seed=3, absent="never")
    told = 0
    for place, example in enumerate(game.examples):
        cards = {shown.image_id: shown.regions for shown in Story(example, game.data.scenes).shown}
        for which, image in enumerate(game.images(place)):
            for region in cards[image]:
                said, sentence = f"{which}.{region.index}", region.says.rpartition(". You would")
                if region.role == "target":
                    continue
                why = sentence[2] if sentence[1] else region.says.removeprefix("You would")
                does = why.startswith(" end here if you ignored")
                reply = game.judge(place, said).why[-1]
                assert reply == (f"You would{why}".replace("here", "there") if does else NO_MISREADING)
                misreadings = game.verdict(place, said).misreadings
                assert (misreadings == (UNEXPLAINED,)) is not does
                assert place or set(game.misreadings([said])) == {REGION_LABELS[name] for name in misreadings}
                told += does

    assert told > 20


@pytest.mark.slow
def test_a_click_is_judged_by_the_very_object(entries, tmp_path):
    """Where a solid stands on the corner of a box, a click on one is none on the other, on any page."""
    game = grid_game(entries["grid"], "b2", "point", 12, seed=1)
    shared = 0
    for chosen in range(min(len(example.scene) for example in game.examples)):
        said = [str(chosen)] * len(game)
        plans = [judge_plan(example, game.plan(place, said[place])) for place, example in enumerate(game.examples)]
        shared += sum(one.chosen != chosen for one in plans)
        is_right = [chosen == example.target for example in game.examples]

        game.write(tmp_path, said, {}, is_over=True)
        (kept,) = json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8"))["splits"].values()
        told = {LABELS[name]: share for name, share in kept["wrong_objects_by_misreading"].items()}

        assert [game.judge(place, one).is_right for place, one in enumerate(said)] == is_right
        assert kept["right_target"] == game.measures(said)[0].estimate.mean == np.mean(is_right)
        assert told == pytest.approx(game.misreadings(said))
        assert pq.read_table(tmp_path / "verdicts.parquet")["chosen"].to_pylist() == [chosen] * len(game)

    assert shared > 5


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
    address = start(client, entries["photos"], "find", questions=6)
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
    address = start(client, entries["rooms"], "caption")
    finish(client, address)
    sitting = sitting_of(client, address)

    found = read_predictions(sitting.folder / "captions.jsonl")

    assert sum(map(len, found.values())) == 2
    assert {text for part in found.values() for text in part.captions} == set(sitting.said)


def test_without_a_folder_answers_can_be_downloaded(demo_roots, entries):
    """Where nothing is kept on disk, the archive still holds the predictions."""
    client = TestClient(make_app(demo_roots), base_url="http://127.0.0.1")
    address = start(client, entries["grid"], "point")
    finish(client, address)

    archive = ZipFile(BytesIO(client.get(f"{address}/answers").content))

    split = sitting_of(client, address).split
    assert {f"{split}.parquet", "asked.parquet", "evaluation.json", "sitting.json"} <= set(archive.namelist())


def test_names_never_lead_out_of_the_folder(client, entries, answers, tmp_path):
    """Whatever a player calls themselves, their answers lie in a folder of the folder for answers."""
    address = start(client, entries["rooms"], "pick", player="../../../etc/x\x00")
    finish(client, address)

    written = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file()}

    assert written == {"answers"}
    assert sitting_of(client, address).folder.parent == answers.resolve()


def test_a_link_in_the_folder_is_not_followed(client, entries, answers, tmp_path):
    """A link that lies where answers would go is passed over."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    answers.mkdir()
    (answers / f"{entries['rooms'].slug}-pick-ada-001").symlink_to(elsewhere)

    finish(client, start(client, entries["rooms"], "pick"))

    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("task", ["pick", "caption"])
def test_what_users_write_is_escaped(client, entries, task):
    """Names and captions with markup are shown as text."""
    address = start(client, entries["rooms"], task, player=SCRIPT)
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
        ("rooms", "pick", {"image": "7"}),
        ("rooms", "caption", {"caption": "  "}),
        ("rooms", "caption", {"caption": "x" * 401}),
        ("photos", "find", {"region": "0.9999"}),
        ("photos", "find", {"region": "a.b"}),
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
    address = start(client, entries["photos"], "find", questions=12)
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
    asked = ExampleArrays.of(game.examples)
    starts = [0]
    for one in coded:
        starts.append(starts[-1] + len(one))
    import numpy as np

    actions = np.array([action for one in coded for action in one], np.uint8)
    found = judge_all(asked, Plans(ids=asked.ids, codes=Ragged(actions, np.array(starts, np.int64))))

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


def find_game(entries, **more):
    """Questions about photographs."""
    return photograph_game(entries["photos"], "test", "Full", more.pop("count", 10), seed=3, **more)


def test_in_half_of_the_questions_nothing_fits_unless_something_else_is_chosen(entries):
    """Always saying that it is not there is no way to a good score, and the share is announced."""
    shares = {how: [one.is_there for one in find_game(entries, absent=how).examples] for how in ABSENT}

    assert sum(shares["half"]) == 5
    assert find_game(entries).examples == find_game(entries, absent="half").examples
    assert all(shares["never"])
    assert len(shares["as is"]) == 10
    assert len({one.id for one in find_game(entries).examples}) == 10
    assert shares["half"] not in ([True] * 5 + [False] * 5, [False] * 5 + [True] * 5)


def test_how_often_nothing_fits_is_said(client, entries):
    """The page of a question says it; where everything is there, nobody is asked whether it is."""
    texts = {}
    for how in ABSENT:
        texts[how] = client.get(start(client, entries["photos"], "find", questions=10, absent=how)).text

    assert "In half of the questions nothing fits" in texts["half"]
    assert "is there in every question" in texts["never"]
    assert ("It is not there" in texts["half"], "It is not there" in texts["never"]) == (True, False)
    assert re.search(r"In (half|\d+ of the 10) (of the )?questions nothing fits", texts["as is"])
    assert (
        client.post("/play", data={"data": "photographs", "task": "find", "split": "test", "absent": "x"}).status_code
        == 400
    )


@pytest.mark.parametrize(
    ("there", "gone", "asked", "expected"),
    [(100, 300, 10, 5), (100, 300, 11, 6), (3, 300, 10, 3), (300, 2, 10, 8), (4, 3, 10, 4), (0, 9, 4, 0), (9, 0, 4, 4)],
)
def test_more_questions_than_there_are_of_a_kind_are_filled_with_the_other(there, gone, asked, expected):
    """Where there are not enough expressions of one kind, more of the other are asked."""
    column = pa.table({"object": ["1"] * there + [""] * gone})
    dataset = SimpleNamespace(tables=lambda *_, **__: [column])
    data = SimpleNamespace(splits={"test": there + gone}, dataset=dataset)

    drawn = _draw_sample(data, "test", asked, "half", seed=3)

    assert len(set(drawn)) == len(drawn) == min(asked, there + gone)
    assert sum(place < there for place in drawn) == expected


DEGREES = Pair("s", None, 0, 0, "", False)


def turned(first: int, second: int, **more) -> Pair:
    """Two images that differ in their orientation, and in whatever else is said."""
    one = dict.fromkeys(FACTORS, 0) | {"orientation": first}
    other = one | {"orientation": second} | more
    target, distractor = (int(ids_of(np.array([list(room.values())]))[0]) for room in (one, other))
    return replace(DEGREES, target=target, distractor=distractor)


def test_a_difference_in_degrees_is_not_said_to_be_one_in_words():
    """Two orientations that captions call alike are told apart in degrees, in the table and in the verdict."""
    middle = PLACES.index("in the middle")
    pair = turned(middle, middle + 1, wall_hue=3)
    assert PLACES[middle + 1] == "in the middle"

    (reason,) = _judge_choice(pair, pair.target).why
    rows = {name: (one, other, how) for name, one, other, how in _features(pair)}

    assert "in the middle, not in the middle" not in reason
    assert "orientation in degrees, not in words" in reason
    assert rows["orientation"][2] == "differs in degrees, not in words"
    assert rows["orientation"][0] != rows["orientation"][1]
    assert rows["wall hue"][2] == "differs"
    advised = [line for line in _about(pair, "a picture") if line.startswith("Would have told them apart")]
    assert advised == ["Would have told them apart: wall hue."]


def test_pairs_that_no_caption_can_tell_apart_are_not_asked():
    """Pairs that differ in degrees alone are left out; all others are asked as before."""
    middle = PLACES.index("in the middle")
    pairs = [turned(middle, middle + 1), turned(middle, 0), turned(middle, middle + 1, shape=1)]

    found = _differ_in_words(np.array([(pair.target, pair.distractor) for pair in pairs]))

    assert found.tolist() == [False, True, True]


def test_captions_to_pick_by_differ_from_the_other_image_in_words():
    """A difference in degrees alone is no reason to ask for an image by its orientation."""
    middle = PLACES.index("in the middle")
    pair = turned(middle, middle + 1, wall_hue=3)

    asked = {_telling(pair.target, pair.distractor, Stream(seed)) for seed in range(50)}

    assert len(asked) > 5
    assert {replace(pair, caption=caption).named for caption in asked} == {("wall_hue",)}


def test_a_wrong_pick_missed_what_the_caption_names():
    """Reply and score page name the same features: those in which the images differ and that were said."""
    pair = replace(turned(0, 0, wall_hue=3, floor_hue=2), caption="a block in front of a red wall")
    game = RoomGame(None, "pick", (pair,), 0)

    reasons = _judge_choice(pair, pair.distractor).why

    assert pair.spoken == ("floor_hue", "wall_hue")
    assert reasons[1] == "Of these, the caption names wall hue."
    assert game.misreadings([str(pair.distractor)]) == {"wall hue": 1.0}
    assert game.misreadings([str(pair.target)]) == {}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("a xyzzy", "‘xyzzy’ is not understood here and was passed over."),
        ("a xyzzy and a Qux, a xyzzy", "‘xyzzy’, ‘Qux’ are not understood here and were passed over."),
    ],
)
def test_words_that_are_passed_over_are_named(said, words):
    """Each word of a caption that is not known is named once."""
    assert words in _about(turned(0, 5), said)
