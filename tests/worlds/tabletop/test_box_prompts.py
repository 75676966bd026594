"""Prompts for boxes on tables: the verdicts of `deixis evaluate`, and boxes that hold what is seen of a solid."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from deixis.judge.boxes import overlap
from deixis.prompts._box_forms import write_box
from deixis.prompts.recipe import PromptRecipe
from deixis.scene.scene import Where
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._judging import JUDGING
from deixis.worlds.tabletop._making.recipe import TabletopRecipe
from deixis.worlds.tabletop._pictures import PICTURES
from deixis.worlds.tabletop._questions import QUESTIONS
from deixis.worlds.tabletop._recipes import RECIPES
from deixis.worlds.toolkit.judging import Answer
from deixis.worlds.toolkit.questions import UNEXPLAINED, ObjectQuestions


if TYPE_CHECKING:
    from pathlib import Path


RECIPE = PromptRecipe(task="find", answer="pixels")


def test_a_box_is_judged_as_the_number_of_its_solid(tables: Path) -> None:
    """Right where `deixis evaluate` says right, explained where it explains, and so is that nothing fits."""
    data = EXAMPLES.open(tables)
    judged = 0
    for number in data.numbers()[:8]:
        example = data[number]
        (view,) = PICTURES.views(example)
        gold = QUESTIONS._pose_box(example, RECIPE, may_be_none=True).gold
        is_none = JUDGING.judge(example, Answer(str(example.id), None, is_none=True)).outcome == "right"
        assert (gold.judge("Answer: not there").outcome == "right") == is_none
        for place, box in enumerate(view.boxes):
            others = [one for at, one in enumerate(view.boxes) if at != place and one is not None]
            if box is None or any(overlap(box, one) >= 0.5 for one in others):
                continue
            verdict = JUDGING.judge(example, Answer(str(example.id), Where(0, place)))
            said = gold.judge(f"Answer: {write_box(box, 'pixels')}")
            assert (said.outcome == "right") == (verdict.outcome == "right")
            is_explained = bool(verdict.misreading) and verdict.misreading != ("nothing in particular",)
            assert is_explained == (bool(said.misreadings) and said.misreadings != (UNEXPLAINED,))
            judged += 1
    assert judged > 20


def test_several_tables_are_several_pictures(tmp_path: Path) -> None:
    """With numbers that no two solids share, or none and a box in one of them; each can be clicked where it is."""
    RECIPES.make(TabletopRecipe(examples=6, images=3, seed=4), tmp_path / "data", workers=1)
    data = EXAMPLES.open(tmp_path / "data")
    for number in data.numbers()[:2]:
        example = data[number]
        marked = QUESTIONS._pose(example, PromptRecipe(task="find", style="image"), may_be_none=False)
        boxed = QUESTIONS._pose_box(example, RECIPE, may_be_none=False)
        assert len(marked.message.pictures) == len(boxed.message.pictures) == boxed.gold.images == 3
        area = next(one for one in marked.areas if one.answer == marked.gold.right)
        (right,) = boxed.gold.boxes
        assert area.picture == right.image
        assert np.allclose(np.multiply(area.box, (480, 360, 480, 360)), right.box)
        plain, numbered = (
            np.asarray(Image.open(BytesIO(one.message.pictures[right.image].png)).convert("RGB"), np.int16)
            for one in (boxed, marked)
        )
        left, top, wide, high = (int(edge) for edge in right.box)
        assert plain.shape == numbered.shape
        assert (plain[top:high, left:wide] != numbered[top:high, left:wide]).any()  # its number


def test_views_alone_are_enough_for_numbers(tables: Path) -> None:
    """A world that says where things are drawn has pictures with frames and numbers, to be clicked."""
    questions = ObjectQuestions(QUESTIONS.world)
    questions.draw, questions.find_areas = questions._number_views, questions._areas_in_views
    data = EXAMPLES.open(tables)
    example = data[data.numbers_with_target()[0]]
    posed = questions._pose(example, PromptRecipe(task="find", style="image"), may_be_none=False)
    (picture,) = posed.message.pictures

    assert Image.open(BytesIO(picture.png)).size == (960, 720)
    assert {one.answer for one in posed.areas} == set(posed.gold.choices)
    assert posed.message.parts[0] == picture
