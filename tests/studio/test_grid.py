"""The page of an example of a grid world: what it says, and what it refuses."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deixis._studio.server import make_app
from deixis.distractors.misreadings import misreadings
from deixis.errors import DeixisError
from deixis.language._misreadings import join_misreadings
from deixis.resolution.reference import denotation
from deixis.testing import PLAIN_KINDS, expressions, grid_scenes
from deixis.worlds.grid._pages.film import CELL, Inks, draw_board, find_film
from deixis.worlds.grid._pages.story import objects_of, story_of
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.draw import Marks
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import read, realise, say_misreading, say_misreadings_to
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.scene import GRID
from deixis.worlds.grid.simulate import simulate
from tests.studio.drawn import drawn, examples, plan_to, write_answers, write_dataset, write_evaluation


MARGIN = 0.16  # around a board, in cells


def studio_over(*roots) -> TestClient:
    return TestClient(make_app(roots), base_url="http://127.0.0.1")


def seen(answer) -> str:
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A studio over drawn worlds, with a model that is right, one that ignores 'red', and the verdicts on another."""
    root = tmp_path_factory.mktemp("grid")
    asked = examples()["test"]
    write_dataset(root / "drawn")
    write_answers(root / "careful", asked, [example.plan for example in asked])
    write_answers(root / "careless", asked, [plan_to(asked[0], 1), *(example.plan for example in asked[1:])])
    write_evaluation(root / "judged", asked, [plan_to(asked[0], 2), *(example.plan for example in asked[1:])])
    return studio_over(root)


FIRST = "/d/drawn/1"  # the first example of the split test, after one of train


def test_every_part_lights_what_the_resolution_keeps_after_it(client):
    """'circle' keeps the three circles, then 'red' keeps one of them."""
    found = re.findall(r'data-step="(\d)" data-lights="([\d ]*)"[^>]*>(\w+)</span>', client.get(FIRST).text)

    assert found == [("1", "0", "red"), ("0", "0 1 3", "circle")]


def test_the_trace_counts_what_is_left(client):
    """Each step says how many objects there were and how many are left."""
    text = seen(client.get(FIRST))

    assert "circle 4 → 3" in text
    assert "red 3 → 1" in text
    assert "So it fits exactly one object: red circle of size 2 (0)." in text


def test_a_distractor_says_which_misreading_leads_to_it(client):
    """The slightest misreading comes first, then all others."""
    text = seen(client.get(FIRST))

    assert "The blue circle (1): you would end here if you ignored ‘red’ in ‘the red circle’." in text
    assert "The red square (2): you would end here if you ignored ‘circle’ in ‘the red circle’." in text
    assert "Also if you read ‘circle’ as ‘square’ in ‘the red circle’" in text
    assert "The red circle (0) is the target." in text


def test_an_idle_word_is_dotted_and_named(client):
    """Of 'the green circle' only 'green' is needed, since there is one green object."""
    answer = client.get("/d/drawn/5")

    assert re.search(r'class="part noun idle"[^>]*>circle</span>', answer.text)
    assert "Without ‘circle’ the target would be found all the same." in seen(answer)
    assert "1 of 2 parts not needed" in seen(answer)


def test_the_neighbours_are_those_of_the_split(client):
    """The next example of a split may lie in another file, after those of other splits."""
    text = client.get("/d/drawn/2").text

    assert 'rel="prev" href="/d/drawn/1"' in text
    assert 'rel="next" href="/d/drawn/5"' in text
    assert 'rel="prev"' not in client.get(FIRST).text


def test_the_page_says_where_the_example_comes_from(client):
    """Dataset, recipe, seed, command, id, file and row."""
    text = seen(client.get(FIRST))

    for fact in ("every-word", "Seed 42", "d1ce" * 16, "number 7 of the recipe", str(examples()["test"][0].id)):
        assert fact in text
    assert "data/test-0.parquet , row 0" in text


def test_the_checks_of_a_sound_example_pass_and_a_wrong_plan_is_found(client):
    """The second example of a1 records no plan, although the target is elsewhere."""
    assert "checks found nothing wrong with this example" in seen(client.get(FIRST))
    assert "E301 The recorded plan is not the planner's" in seen(client.get("/d/drawn/6"))


def test_an_ambiguous_command_is_told_and_still_shown(client):
    """'the circle' fits three objects; then necessity is not defined, but the steps are."""
    text = seen(client.get("/d/drawn/3"))

    assert "it fits 3 objects and is ambiguous" in text
    assert "circle 4 → 3" in text
    assert "Is every word needed?" not in text


def test_a_model_is_told_what_it_misread(client):
    """Its plan goes to the blue circle, so it missed the colour word."""
    text = seen(client.get(FIRST))

    assert "✗ careless" in text
    assert "It makes for the blue circle (1), there as an attribute distractor." in text
    assert "You would end there if you ignored ‘red’ in ‘the red circle’." in text
    assert "✓ careful" in text


def test_a_verdict_without_a_plan_is_shown_too(client):
    """Where only the judgement was kept, there is nothing to play."""
    answer = client.get(FIRST)

    assert "It makes for the red square (2)" in seen(answer)
    assert "/answer/careless" in answer.text
    assert "/answer/judged" not in answer.text
    assert client.get(f"{FIRST}/answer/judged").status_code == 404


def test_both_plans_are_played_side_by_side(client):
    """The fragment has a film of each, and marks the actions that are others than the right ones."""
    text = client.get(f"{FIRST}/answer/careless").text

    films = [json.loads(unescape(film)) for film in re.findall(r"data-film='([^']*)'", text)]
    asked = examples()["test"][0]
    assert [len(film["actions"]) for film in films] == [len(asked.plan), len(plan_to(asked, 1))]
    assert 'class="act walk other"' in text


@pytest.mark.parametrize(
    ("kind", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("gif", b"GIF89a"), ("json", b"{")]
)
def test_an_example_can_be_kept_as(client, kind, begins):
    """Each comes as a file with a name of its own."""
    answer = client.get(f"{FIRST}/export.{kind}")

    assert answer.content.startswith(begins)
    assert answer.headers["content-disposition"] == f'attachment; filename="drawn-1.{kind}"'


@pytest.mark.parametrize(
    "address",
    [
        "/d/drawn/7",
        f"/d/drawn/{10**30}",
        "/d/nothing/0",
        "/d/drawn/0/export.exe",
        "/d/drawn/99/export.png",
        "/d/drawn/0/answer/nobody",
        "/d/careful/0/export.png",
    ],
)
def test_what_is_not_there_is_said_to_be_missing(client, address):
    """Status 404 with a sentence, never a traceback."""
    answer = client.get(address)

    assert answer.status_code == 404
    assert 'class="fault"' in answer.text


def test_a_command_that_cannot_be_read_is_shown_as_text(tmp_path):
    """The world is drawn, the reason given, and nothing of the command taken for markup."""
    strange = "walk to <script>alert(1)</script>"
    odd = write_row(tmp_path / "data", text=strange)

    answer = studio_over(odd).get("/d/data/0")

    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "This command cannot be explained" in seen(answer)
    assert "data-object=" in answer.text


def test_names_of_models_are_text(tmp_path):
    """What a prediction file says of itself is escaped."""
    asked = examples()["test"]
    write_dataset(tmp_path / "drawn")
    write_answers(tmp_path / "run", asked, [example.plan for example in asked], model="<img src=x onerror=alert(1)>")
    client = studio_over(tmp_path)

    for address in (FIRST, f"{FIRST}/answer/run"):
        assert "<img src=x" not in client.get(address).text
        assert "<img src=x onerror=alert(1)>" in unescape(client.get(address).text)


def test_predictions_for_other_data_or_outside_the_folder_are_left_alone(tmp_path):
    """A digest that differs, a split whose name climbs out, and a broken file give no answer and no error."""
    asked = [drawn(split="../../secret"), drawn("pull the red circle", split="../../secret")]
    write_dataset(tmp_path / "shown" / "drawn", {"test": asked})
    kept = write_answers(tmp_path / "elsewhere", asked, [example.plan for example in asked])
    (kept / "predictions" / "test.parquet").rename(tmp_path / "shown" / "secret.parquet")
    write_answers(tmp_path / "shown" / "run", asked, [example.plan for example in asked], data="other")
    (tmp_path / "shown" / "broken" / "predictions").mkdir(parents=True)
    (tmp_path / "shown" / "broken" / "run.json").write_text("{}", encoding="utf-8")
    (tmp_path / "shown" / "broken" / "predictions" / "test.parquet").write_bytes(b"PAR1 not really")

    answer = studio_over(tmp_path / "shown").get("/d/drawn/0")

    assert answer.status_code == 200
    assert "What models did" not in answer.text


def test_a_world_without_an_agent_is_shown_still(tmp_path):
    """There is nothing to play, and the page says so."""
    scene = grid("""
        r○2 .
        .   b○1
    """)
    lonely = Example(text="walk to the red circle", scene=scene, target=0, plan=(), split="test")

    text = seen(studio_over(write_row(tmp_path / "data", lonely)).get("/d/data/0"))

    assert "So it fits exactly one object" in text


@given(expression=expressions(kinds=PLAIN_KINDS), scene=grid_scenes(min_objects=1, max_objects=6))
def test_the_pieces_say_the_command_and_light_the_trace(expression, scene):
    """Joined they are the text, and the last step of the whole leaves at least what the command picks out."""
    example = spoken(expression, scene)
    if example is None:
        return

    story = story_of(example)

    assert " ".join(piece.words for piece in story.pieces) == example.text
    assert [step.number for step in story.steps] == list(range(len(story.steps)))
    assert set(story.lit_in_the_end) == denotation(example.expression, scene)
    if story.mentions[-1].steps:
        assert story.mentions[-1].steps[-1].after == story.lit_in_the_end


@given(expression=expressions(kinds=PLAIN_KINDS), scene=grid_scenes(min_objects=1, max_objects=6))
def test_whoever_is_said_to_end_somewhere_does(expression, scene):
    """The misreadings of an object, put into words, are those that pick it out, the slightest first.

    What its card says first is what a model that goes there, and a person who clicks it, is told.
    """
    example = spoken(expression, scene)
    if example is None or denotation(example.expression, scene) != {example.target}:
        return
    found = misreadings(example.expression, GRID)

    for shown in objects_of(example, story_of(example)):
        told = say_misreadings_to(example.utterance, scene, shown.index)
        led = [one for one in found if shown.index in denotation(one.expression, scene)]
        leading = {say_misreading(one, example.utterance) for one in led}
        if shown.index != example.target:
            assert shown.reached[:1] == ((join_misreadings(told),) if told else ())
            assert {*shown.reached[1:], *told} == leading
        else:
            assert shown.reached == ()


@given(scene=grid_scenes(max_objects=6, with_agent=True), plan=st.lists(st.sampled_from(list(Action)), max_size=12))
def test_a_film_shows_what_the_simulator_says(scene, plan):
    """After each action the agent is drawn in its cell, and so is whatever it has moved."""
    film = find_film(scene, tuple(plan))

    assert film is not None
    for at in range(len(plan) + 1):
        outcome = simulate(scene, plan[:at])
        for mover in film["movers"]:
            thing = outcome.agent if mover["of"] == "agent" else outcome.objects[mover["of"]]
            x, y, *_ = mover["poses"][at]
            if mover["of"] == "agent" or not thing.is_box:
                assert (int(y / CELL - MARGIN), int(x / CELL - MARGIN)) == (thing.row, thing.column)


def test_too_long_a_plan_has_no_film():
    """Then the page says so instead."""
    assert find_film(drawn().scene, (Action.WALK,) * 301) is None


def test_a_drawing_follows_the_theme():
    """Every colour has a name with a light and a dark value, the same names in every drawing."""
    inks, others = Inks(), Inks()

    board = draw_board(drawn().scene, Marks(target=0), inks, title="A & B")
    draw_board(drawn().scene, Marks(), others, title="")

    names = set(re.findall(r"var\((--ink[0-9A-F]{6}-[0-9A-F]{6})\)", board))
    assert names
    assert all(f"{name}:#{name[5:11]};" in inks.rules() for name in names)
    assert all(f"{name}:#{name[12:]};" in inks.rules().partition("[data-theme=dark]")[2] for name in names)
    assert set(re.findall(r"--ink[\w-]+", others.rules())) <= set(re.findall(r"--ink[\w-]+", inks.rules()))
    assert "A &amp; B" in board


def spoken(expression, scene) -> Example | None:
    """An example with this command in this world, if it can be said so that it is understood."""
    try:
        text = f"walk to {realise(expression).text}"
        read(text, any_order=True)
    except DeixisError:
        return None
    found = denotation(read(text, any_order=True).expression, scene)
    return Example(text=text, scene=scene, target=min(found, default=0), plan=())


def write_row(folder, example: Example | None = None, *, text: str | None = None):
    """A dataset of one example, whose command may be any text."""
    from deixis.data.store import write_parquet
    from deixis.worlds.grid.data.table import table_of

    write_dataset(folder, {"test": [example or drawn()]})
    file = folder / "data" / "test-1.parquet"
    if text is not None:
        table = table_of([drawn()])
        place = table.column_names.index("command")
        write_parquet(table.set_column(place, "command", [[text]]), file)
    return folder
