"""Prompts with pictures, of every world: boxes in every form, numbers at objects, and the misreading behind a box."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from PIL import Image

from deixis._cli import main
from deixis.errors import RecipeError
from deixis.judge.boxes import overlap
from deixis.prompts._box_forms import FORMS, write_box
from deixis.prompts.ask import ask
from deixis.prompts.files import gold_from, gold_line
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.tasks import questions_of, task_of


def boxes_of(made, answer="pixels", limit=4):
    """Some questions for boxes; none of a world that does not know where things are drawn."""
    task = task_of(made.path)
    if "box" not in questions_of(task).answers:
        assert made.world == "rooms"  # whose answer is one of several pictures
        with pytest.raises(RecipeError, match="the answer to refer is choose or caption, not"):
            PromptRecipe(task=task, answer=answer)
        return ()
    return ask(PromptRecipe(task=task, answer=answer, limit=limit), made.path).items


@pytest.mark.slow
def test_right_boxes_are_right_in_every_form(made):
    """In pixels, shares, thousandths, with the top first, and as tokens; gold survives its file."""
    for answer in FORMS:
        for item in boxes_of(made, answer, limit=2):
            gold = gold_from(json.loads(json.dumps(gold_line(item))))
            assert gold == item.gold
            judged = gold.judge(f"I look around.\nAnswer: {gold.right}")
            assert (judged.outcome, judged.measures["right"]) == ("right", 1), (answer, gold.right)
            assert item.question.style == "image"
            assert gold.judge("qwerty").outcome == "unparsable"


def test_a_box_of_another_object_is_wrong_for_the_reason_of_a_number(made):
    """Whoever boxes an object that is not meant has made the misreading that leads to it."""
    explained = 0
    for item in boxes_of(made, limit=2):
        gold = item.gold
        for region, misreadings in gold.candidates:
            if any(overlap(region.box, one.box) >= 0.5 for one in gold.boxes if one.image == region.image):
                continue
            image = region.image if gold.images > 1 else None
            judged = gold.judge(f"Answer: {write_box(region.box, 'pixels', image)}")
            assert judged.outcome == "wrong"
            twins = [names for other, names in gold.candidates if overlap(other.box, region.box) > 0.9]
            assert judged.misreadings in (misreadings, *twins)
            explained += bool(judged.misreadings)
    assert explained or made.world == "rooms"


def test_pictures_for_boxes_have_the_size_that_is_said_and_no_mark(made):
    """Every box lies in its picture, and the picture is the same whatever is meant."""
    for item in boxes_of(made):
        gold, pictures = item.gold, item.question.messages[-1].pictures
        assert len(pictures) == gold.images == len(gold.sizes)
        for picture, (width, height) in zip(pictures, gold.sizes, strict=True):
            assert Image.open(BytesIO(picture.png)).size == (width, height)
            assert f"({width:g} x {height:g} pixels)" in item.question.text
        for region, _ in gold.candidates:
            width, height = gold.sizes[region.image]
            assert -1 <= region.box.left < region.box.right <= width + 1
            assert -1 <= region.box.top < region.box.bottom <= height + 1


def test_boxes_in_another_space_are_not_understood(made):
    """Numbers beyond the picture are not taken for a wrong box, and tokens only where they are asked for."""
    for item in boxes_of(made, limit=1):
        of_image = "image 1: " if item.gold.images > 1 else ""
        for said in (f"{of_image}[2000, 2000, 3000, 3000]", f"{of_image}[0.1, 0.1, 0.2, 0.2]"):
            assert item.gold.judge(f"Answer: {said}").fault == "a box in another space than was asked for"
        tokens = item.gold.judge(f"Answer: {of_image}<loc0001><loc0002><loc0300><loc0400>")
        assert tokens.fault == "location tokens, which are not asked for"


def test_boxes_are_asked_for_in_pictures_only(made):
    """Text has no picture in which a box could be; the error says what there is."""
    if not boxes_of(made, limit=1):
        return
    with pytest.raises(RecipeError, match="can be shown as image where the answer is share, not as 'text'"):
        PromptRecipe(task=task_of(made.path), answer="share", style="text")


def test_scripted_models_are_scored_from_files(made, capsys, tmp_path):
    """The oracle has everything right, whoever boxes the first object not; the command line says the same as gold."""
    items = boxes_of(made, "0..1000")
    if not items:
        return
    prompts, said = tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    code = main(["prompts", str(made.path), "--answer", "0..1000", "--limit", "4", "--out", str(prompts)])
    assert code == 0, capsys.readouterr().err
    golds = {item.question.id: item.gold for item in items}
    lines = [json.loads(line) for line in prompts.read_text(encoding="utf-8").splitlines()]
    assert {line["id"] for line in lines} == set(golds)
    for line in lines:
        for part in line["messages"][-1]["content"]:
            assert part["type"] == "text" or (tmp_path / part["path"]).is_file()

    def score(answer):
        said.write_text("".join(json.dumps({"id": key, "answer": answer(gold)}) + "\n" for key, gold in golds.items()))
        capsys.readouterr()
        assert main(["answers", str(said), "--prompts", str(prompts), "--json"]) == 0
        return json.loads(capsys.readouterr().out)["overall"]["measures"]["right"]["mean"]

    def first(gold):
        region = gold.candidates[0][0]
        return f"Answer: {write_box(region.box, '0..1000', region.image if gold.images > 1 else None)}"

    assert score(lambda gold: f"Answer: {gold.right}") == 1
    assert score(lambda _: "I cannot see it.") == 0
    assert score(first) == sum(gold.judge(first(gold)).outcome == "right" for gold in golds.values()) / len(golds)
