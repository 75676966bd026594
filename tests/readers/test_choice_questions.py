"""Questions about choices: orders, names of choices, and answers in the words of models."""

from __future__ import annotations

import json
from collections import Counter
from io import BytesIO

import pytest
from PIL import Image

from deixis._cli import main
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.prompts.ask import ask
from deixis.prompts.files import gold_from, gold_line
from deixis.prompts.recipe import PromptRecipe
from deixis.readers._choice_questions import ChoiceGold
from deixis.readers.registry import reader_of, world_of_reader
from tests.readers.pairs import WRONG, cola_record, crepe_file, write
from tests.readers.test_nlvr import statement


def posed(data, **changes):
    """The questions about a file."""
    return ask(PromptRecipe(task=reader_of(data).name, **changes), data)


def gold(**changes):
    """Two sentences, the right one second."""
    fields = {"texts": ("A dog bites a man.", "A man bites a dog."), "target": 1, "misreadings": ("words", "")}
    return ChoiceGold(**{**fields, **changes})


def test_choices_are_shown_in_an_order_that_the_seed_draws(tmp_path):
    """The right one is as often first as second, and another seed draws another order."""
    data = crepe_file(tmp_path / "swap_att.json", 200)
    first = posed(data, limit=200)
    places = Counter(item.gold.groups["order"] for item in first.items)

    assert len(first) == 200
    assert set(places) == {"right one first", "right one second"}
    assert min(places.values()) > 70
    assert [item.gold for item in posed(data, limit=200).items] == [item.gold for item in first.items]
    other = {item.gold.example: item.gold.target for item in posed(data, limit=200, seed=1).items}
    assert any(other[item.gold.example] != item.gold.target for item in first.items)


def test_a_prompt_names_the_image_and_lists_the_sentences(tmp_path):
    """And does not tell the answer."""
    data = crepe_file(tmp_path / "swap_att.json", 1)
    (item,) = posed(data).items

    assert "Image: 000000000000.jpg" in item.question.text
    assert f". {WRONG}" in item.question.text
    assert item.question.choices == ("A", "B")


def test_both_orders_are_asked_where_wanted(tmp_path):
    """Each question comes twice, reversed; the limit counts both."""
    data = crepe_file(tmp_path / "swap_att.json", 10)
    items = posed(data, limit=7, options={"orders": "both"}).items

    assert len(items) == 6
    for one, other in zip(items[::2], items[1::2], strict=True):
        assert one.gold.example == other.gold.example
        assert one.gold.texts == other.gold.texts[::-1]
    with pytest.raises(RecipeError, match="orders"):
        posed(data, options={"orders": "all"})
    with pytest.raises(RecipeError, match="unknown setting"):
        posed(data, options={"side": 1})


@pytest.mark.parametrize(
    "said",
    [
        "B",
        "b)",
        "(B)",
        "Answer: B",
        "Answer: 2",
        "Answer: (2)",
        "I look at the man.\nAnswer: **B**",
        "Answer: second",
        "The second",
        "Answer: A man bites a dog.",
        "a man bites a dog",
        '"A man bites a dog."',
        "Answer: B. A man bites a dog.",
        "(2) A man bites a dog.",
        '{"answer": "B"}',
        "Option B",
    ],
)
def test_an_answer_may_have_many_forms(said):
    """Letter, number, place, or the sentence itself."""
    assert gold().judge(said).outcome == "right"


def test_answers_that_name_none_or_several_are_not_understood():
    """They are never taken for wrong."""
    for said in ("", "Neither of them", "Answer: C", "A or B", "I cannot see the image.", "Answer: both"):
        assert gold().judge(said).outcome == "unparsable"
    assert gold().judge(None).outcome == "unanswered"
    wrong = gold().judge("Answer: A dog bites a man.")
    assert (wrong.outcome, wrong.said, wrong.misreadings) == ("wrong", "A", ("words",))


def test_statements_come_with_their_scenes(tmp_path):
    """Objects are listed, and true and false are the answers."""
    data = write(tmp_path / "dev.json", [statement(), statement(label="false", identifier="2")], as_lines=True)
    items = {item.gold.example: item for item in posed(data, options={"orders": "both"}).items}
    item = items["12-0"]

    assert len(items) == 2
    assert "Scene 3: nothing" in item.question.text
    assert "1. medium blue triangle (row 80, column 80)" in item.question.text
    assert "Statement: One box is empty." in item.question.text
    assert (item.gold.right, items["2"].gold.right) == ("true", "false")
    outcomes = [item.gold.judge(said).outcome for said in ("Answer: True", "yes", "No.", "false", "B")]
    assert outcomes == ["right", "right", "wrong", "wrong", "unparsable"]


def test_two_images_and_two_sentences_are_four_questions(tmp_path):
    """Each image is asked for its sentence, and each sentence for its image."""
    data = write(tmp_path / "cola.json", [cola_record(number) for number in range(3)])
    items = posed(data, limit=8).items

    assert Counter(item.gold.asked for item in items) == {"sentence": 4, "image": 4}
    image = next(item for item in items if item.gold.asked == "image")
    assert "Sentence: " in image.question.text
    assert image.gold.texts[image.gold.target].endswith(".jpg")


def test_what_gold_writes_it_reads(tmp_path):
    """On a line of JSON, by the task of the reader."""
    for data in (
        crepe_file(tmp_path / "swap_att.json", 3),
        write(tmp_path / "cola.json", [cola_record()]),
        write(tmp_path / "dev.json", [statement()], as_lines=True),
    ):
        for item in posed(data).items:
            assert gold_from(json.loads(json.dumps(gold_line(item)))) == item.gold
            assert item.gold.judge(f"Answer: {item.gold.right}").outcome == "right"


def test_damaged_gold_is_refused():
    """Whatever a line holds instead."""
    plain = gold().to_plain()
    part = world_of_reader("sugarcrepe").part("questions")
    for changes in (
        {"texts": ["a"]},
        {"target": 2},
        {"target": True},
        {"missed": []},
        {"texts": 3},
        {"missed": [1, 2]},
    ):
        with pytest.raises(BrokenDataset):
            part.gold_from({**plain, **changes}, "choice")
    for name in plain:
        with pytest.raises(BrokenDataset):
            part.gold_from({key: value for key, value in plain.items() if key != name}, "choice")


def test_all_splits_are_asked_about_unless_some_are_named(tmp_path):
    """The limit holds for each; solved examples need a split train, and nothing can be made fresh."""
    for name in ("swap_att", "add_obj"):
        crepe_file(tmp_path / f"{name}.json", 5)

    assert len(posed(tmp_path, limit=3)) == 6
    assert {item.gold.split for item in posed(tmp_path, splits=("add_obj",)).items} == {"add_obj"}
    with pytest.raises(UnknownName, match="train"):
        posed(tmp_path, shots=1)
    with pytest.raises(UnknownName):
        posed(tmp_path, splits=("nowhere",))
    with pytest.raises(RecipeError, match="fresh"):
        ask(PromptRecipe(task="sugarcrepe"), tmp_path, fresh=1)


def test_solved_examples_come_from_train(tmp_path):
    """They stand before each question and are not asked."""
    for name in ("train", "dev"):
        write(tmp_path / f"{name}.json", [statement(identifier=f"{name}-{k}") for k in range(1)], as_lines=True)
    (item,) = posed(tmp_path, shots=1, splits=("dev",)).items or posed(tmp_path, splits=("dev",)).items

    assert item.gold.split == "dev"


def test_prompts_and_answers_work_from_the_command_line(tmp_path, capsys):
    """A model that always says A is right in one order only."""
    data = crepe_file(tmp_path / "swap_att.json", 6)
    prompts = tmp_path / "prompts.jsonl"

    assert main(["prompts", str(data), "--orders", "both", "--out", str(prompts)]) == 0
    ids = [json.loads(line)["id"] for line in prompts.read_text().splitlines() if '"id"' in line]
    answers = write(tmp_path / "a.jsonl", [{"id": one, "answer": "Answer: A"} for one in ids], as_lines=True)
    capsys.readouterr()
    assert main(["answers", str(answers), "--prompts", str(prompts), "--json"]) == 0
    orders = json.loads(capsys.readouterr().out)["groups"]["order"]
    assert orders["right one first"]["measures"]["right"]["mean"] == 1.0
    assert orders["right one second"]["measures"]["right"]["mean"] == 0.0


def test_choices_are_shown_as_pictures(tmp_path):
    """Sentences of one image, or images of one sentence, in the order of their letters; no file is named."""
    shades = {}
    for number in range(2):
        for shade, name in ((40 + number, f"{number}.jpg"), (140 + number, f"{number}b.jpg")):
            Image.new("RGB", (20, 20), (shade, 0, 0)).save(tmp_path / name, "PNG")
            shades[name] = shade
    data = write(tmp_path / "cola.json", [cola_record(number) for number in range(2)])
    for item in posed(data, style="image", limit=8).items:
        message = item.question.messages[-1]
        seen = [Image.open(BytesIO(one.png)).getpixel((5, 5))[0] for one in message.pictures]
        assert ".jpg" not in message.text
        assert item.gold.judge(f"Answer: {item.gold.right}").outcome == "right"
        if item.gold.asked == "image":
            assert seen == [shades[text] for text in item.gold.texts]
            assert [part for part in message.parts if part in ("A.", "B.")] == ["A.", "B."]
            assert message.text.startswith("Sentence: ")
        else:
            assert len(seen) == 1
            assert f"A. {item.gold.texts[0]}" in message.text


def test_statements_and_captions_are_shown_with_their_image(tmp_path):
    """A caption pair under its image; scenes without images cannot be shown as pictures."""
    data = crepe_file(tmp_path / "swap_att.json", 2)
    for number in range(2):
        Image.new("RGB", (20, 20), "red").save(tmp_path / f"{number:012}.jpg")
    item = posed(data, style="image").items[0]
    assert item.question.messages[-1].parts[0] == "Image:"
    assert len(item.question.pictures) == 1
    assert item.question.text.count("\nA. ") == 1
    scenes = write(tmp_path / "dev.json", [statement()], as_lines=True)
    with pytest.raises(RecipeError, match="has no images; leave --style image out"):
        posed(scenes, style="image")
