from __future__ import annotations

import shutil
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from deixis.data.recipes import fresh_recipe
from deixis.errors import BrokenDataset, DeixisError, RecipeError, UnknownName
from deixis.prompts.ask import ask
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.tasks import task_of
from deixis.worlds.grid._questions.pose import in_reading_order
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.registry import find_world


KINDS = [
    ("navigate", "actions"),
    ("navigate", "target"),
    ("refer", "choose"),
    ("refer", "caption"),
    ("localise", "region"),
]


@pytest.fixture
def data_of(grid_data, room_data, photograph_data):
    return {"navigate": grid_data, "refer": room_data, "localise": photograph_data}


@pytest.mark.parametrize(("task", "answer"), KINDS)
def test_the_right_answer_is_judged_right(data_of, task, answer):
    """Of every task, the answer that is recorded as right is right by every measure of shares."""
    made = ask(PromptRecipe(task=task, answer=answer, limit=5, shots=1), data_of[task])

    for question, gold in made.items:
        found = gold.judge(f"Let me see.\nAnswer: {gold.right}")
        assert found.outcome == "right", (question.text, gold.right, found)
        assert found.misreadings == ()
        assert next(iter(found.measures.values())) == 1


@pytest.mark.parametrize(("task", "answer"), KINDS)
def test_equal_recipes_give_equal_questions(data_of, task, answer):
    """The same seed asks the same, another seed something else."""
    recipe = PromptRecipe(task=task, answer=answer, limit=5, shots=2, seed=4)

    one, same, other = (ask(some, data_of[task]) for some in (recipe, recipe, replace(recipe, seed=5)))

    assert one.questions == same.questions
    assert one.facts == same.facts
    assert {question.id for question in one.questions} != {question.id for question in other.questions}
    assert one.facts["recipe digest"] != other.facts["recipe digest"]


@pytest.mark.parametrize(("task", "answer"), KINDS)
def test_no_prompt_shows_its_answer(data_of, task, answer):
    """The last message holds no answer line, and the messages of all questions begin alike."""
    made = ask(PromptRecipe(task=task, answer=answer, limit=5, shots=2), data_of[task])

    beginnings = {question.messages[:-1] for question in made.questions}
    assert len(beginnings) == 1
    assert [message.speaker for message in beginnings.pop()] == ["system", *["user", "assistant"] * 2]
    assert not any("Answer:" in question.messages[-1].text for question in made.questions)


def test_solved_examples_come_from_training(grid_data):
    """No solved example is asked, and all of them are in the training split."""
    made = ask(PromptRecipe(task="navigate", limit=100, shots=8), grid_data)
    trained = {example.text for table in open_source(grid_data).tables("train") for example in _examples(table)}

    shots = [message.text for message in made.questions[0].messages if message.speaker == "user"][:-1]

    assert len(set(shots)) == 8
    assert {shot.partition("Command: ")[2] for shot in shots} <= trained
    assert not set(shots) & {question.messages[-1].text for question in made.questions}


def test_objects_are_listed_in_reading_order(grid_data):
    """The order in which objects were placed, the target often first, is not shown."""
    made = ask(PromptRecipe(task="navigate", limit=30), grid_data)

    for _, gold in made.items:
        places = [(thing.row, thing.column) for thing in in_reading_order(gold.example.scene).objects]
        assert places == sorted(places)


def test_the_right_choice_is_not_always_the_same(room_data, photograph_data):
    """Targets stand in every place, and the right image is not always the first."""
    rooms = ask(PromptRecipe(task="refer", limit=10, splits=("object",)), room_data)
    photographs = ask(PromptRecipe(task="localise", limit=20, options={"absent": 0}), photograph_data)

    assert {gold.right for _, gold in rooms.items} == {"A", "B"}
    assert len({gold.right for _, gold in photographs.items}) > 5


def test_some_expressions_fit_nothing(photograph_data):
    """As many expressions fit nothing as were wanted."""
    made = ask(PromptRecipe(task="localise", limit=20, options={"absent": 0.25}), photograph_data)

    absent = [gold for _, gold in made.items if gold.target is None]
    assert len(absent) == round(len(made) * 0.25)
    assert made.questions[0].choices[-1] == "not there"


def test_a_board_drawn_with_signs_says_the_same_as_the_list(grid_data):
    """Both styles ask about the same examples; every object's token is on the board."""
    recipe = PromptRecipe(task="navigate", limit=5)
    lists, boards = ask(recipe, grid_data), ask(replace(recipe, style="board"), grid_data)

    for (_, gold), (question, other) in zip(lists.items, boards.items, strict=True):
        assert gold == other
        text = question.messages[-1].text
        for thing in gold.example.scene.objects:
            assert f"{thing.color[0]}{'○▱□▣'[thing.codes()[0]]}{thing.size}" in text.splitlines()[thing.row + 1]


@pytest.mark.parametrize("task", ["navigate", pytest.param("refer", marks=pytest.mark.slow)])
def test_pictures_are_png(data_of, task):
    """Image prompts hold pictures that can be opened, and text that names them."""
    made = ask(PromptRecipe(task=task, limit=2, style="image"), data_of[task])

    for picture in made.questions[0].pictures:
        with Image.open(BytesIO(picture.png)) as opened:
            assert opened.format == "PNG"
            assert min(opened.size) >= 200


def test_frames_are_drawn_onto_photographs(photograph_data, tmp_path):
    """Every image that is shown has frames and numbers where its objects are."""
    data = tmp_path / "photographs"
    shutil.copytree(photograph_data, data)
    (data / "images").mkdir()
    scenes = open_copsref(data).scenes
    for number in range(len(scenes)):
        scene = scenes.scene(number)
        Image.new("RGB", (scene.width, scene.height), "white").save(data / "images" / f"{scene.image_id}.png")

    made = ask(PromptRecipe(task="localise", limit=2, style="image", options={"setting": "WithoutDist"}), data)

    (picture,) = made.questions[0].pictures
    with Image.open(BytesIO(picture.png)) as opened:
        assert len(opened.getcolors(1 << 24)) > 5


def test_pictures_that_are_not_there(photograph_data):
    """Where there are no pictures of photographs, the error says what to do."""
    with pytest.raises(UnknownName, match="use the style text"):
        ask(PromptRecipe(task="localise", limit=2, style="image"), photograph_data)


@pytest.mark.slow
def test_a_fresh_test_set_has_the_same_recipe_and_other_examples(grid_data):
    """A fresh seed gives other examples by the recipe of the dataset; the facts say which seed and recipe."""
    known = {example.id for table in open_source(grid_data).tables() for example in _examples(table)}
    recipe = PromptRecipe(task="navigate", limit=50, shots=1)

    one, other = (ask(recipe, grid_data, fresh=seed) for seed in (11, 12))

    for made in (one, other):
        assert len(made) > 3
        assert not known & {gold.example.id for _, gold in made.items}
    assert one.facts["fresh"] == 11
    assert one.facts["data digest"] == fresh_recipe(find_world("grid"), 11, like=grid_data).digest
    assert not {q.id for q in one.questions} & {q.id for q in other.questions}
    assert {gold.example.pattern for _, gold in one.items} <= {"p1", "p3"}


def test_fresh_pairs_are_of_images_that_nothing_was_trained_on(room_data):
    """Fresh pairs come from the images of the test split, solved ones from those of training."""
    test, train = (set(map(int, (room_data / "ids" / f"{name}.txt").read_text().split())) for name in ("test", "train"))

    made = ask(PromptRecipe(task="refer", limit=2, shots=1), room_data, fresh=5)

    assert {image for _, gold in made.items for image in gold.images} <= test
    assert not test & train


@pytest.mark.slow
def test_fresh_test_sets_without_a_dataset():
    """All three tasks can be asked from a seed alone."""
    for task in ("navigate", "refer", "localise"):
        made = ask(PromptRecipe(task=task, limit=3, shots=1), fresh=7)
        assert len(made) >= 3
        assert made.facts["fresh"] == 7


def test_what_is_asked_is_recorded(grid_data):
    """The facts name the dataset by its content."""
    made = ask(PromptRecipe(task="navigate", limit=1), grid_data)

    assert made.facts["data digest"] == data_digest(open_source(grid_data))
    assert task_of(grid_data) == "navigate"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"task": "sing"}, "unknown task"),
        ({"answer": "caption"}, "actions or target"),
        ({"style": "film"}, "can be shown as"),
        ({"shots": 99}, "solved examples"),
        ({"limit": 0}, "questions of each split"),
        ({"options": {"setting": "Full"}}, "unknown setting"),
        ({"task": "localise", "options": {"setting": "Half"}}, "unknown setting"),
        ({"task": "localise", "options": {"absent": 2.0}}, "between 0 and 1"),
    ],
)
def test_impossible_recipes(change, error):
    """What cannot be asked is refused in one line."""
    with pytest.raises(RecipeError, match=error):
        PromptRecipe(**({"task": "navigate"} | change))


def test_data_that_does_not_fit(grid_data, room_data, tmp_path):
    """A dataset for another task, an unknown split, too many solved examples, and no data at all are named."""
    with pytest.raises(RecipeError, match="for the task navigate"):
        ask(PromptRecipe(task="refer"), grid_data)
    with pytest.raises(UnknownName, match="no split 'nope'"):
        ask(PromptRecipe(task="navigate", splits=("nope",)), grid_data)
    with pytest.raises(RecipeError, match="cannot be asked about as well"):
        ask(PromptRecipe(task="navigate", splits=("train",), shots=1), grid_data)
    with pytest.raises(RecipeError, match="--fresh SEED"):
        ask(PromptRecipe(task="navigate"))
    with pytest.raises(DeixisError):
        ask(PromptRecipe(task="navigate"), tmp_path / "nothing")
    broken = tmp_path / "rooms"
    shutil.copytree(room_data, broken)
    (broken / "ids" / "train.txt").write_text("1 2 no")
    with pytest.raises(BrokenDataset, match=r"train\.txt"):
        ask(PromptRecipe(task="refer", limit=1), broken)


def _examples(table):
    from deixis.worlds.grid.data.table import examples_of

    return examples_of(table)
