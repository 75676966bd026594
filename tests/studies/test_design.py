"""A study is fixed when it is made: by its seed, in every world, and with what is declared beforehand."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis._study.design import DataCondition, make_study, read_study
from deixis._study.settings import StudySettings
from deixis.errors import BrokenDataset, RecipeError
from deixis.prompts.answers import NOT_THERE
from deixis.prompts.tasks import task_of
from tests.studies.conftest import FEW


def test_equal_seeds_make_equal_studies(grid_data, made, tmp_path):
    """Everything but the secret, the links and the texts to edit follows from the seed and the data."""
    make_study([DataCondition("grid", grid_data, {})], FEW, tmp_path / "again", task=task_of(grid_data))

    for name in ("study.json", "items.json", "prompts.jsonl", "prompts.gold.jsonl", "instructions.md"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()
    assert (tmp_path / "again" / "links.txt").read_text() != (made / "links.txt").read_text()


def test_another_seed_makes_another_study(grid_data, made, tmp_path):
    """The seed decides on items and order."""
    other = make_study(
        [DataCondition("grid", grid_data, {})], replace(FEW, seed=1), tmp_path / "other", task=task_of(grid_data)
    )

    assert other.digest != read_study(made).digest
    assert other.order_seed != read_study(made).order_seed


def test_no_question_is_asked_twice(made):
    """Practice, attention and main items are different questions."""
    items = read_study(made).items

    assert len({item.question for item in items}) == len(items) == 7


def test_every_condition_gets_as_many_items(grid_data, tmp_path):
    """Items are dealt out in turn, and two datasets with the same examples do not repeat one."""
    pair = [DataCondition(name, grid_data, {}) for name in ("one", "other")]

    study = make_study(pair, FEW, tmp_path / "study", task=task_of(grid_data))

    assert [facts["items"] for facts in study.conditions.values()] == [2, 2]
    assert len({item.question for item in study.items}) == len(study.items)


@pytest.mark.parametrize("data", ["room_data", "photograph_data"])
def test_every_world_can_be_asked_about(data, request, tmp_path):
    """A study knows worlds through the interface alone, and every right answer is among the choices."""
    place = request.getfixturevalue(data)
    settings = StudySettings(items=2, practice=1, attention=1, style="text", participants=1)

    study = make_study([DataCondition("here", place, {})], settings, tmp_path / "study", task=task_of(place))

    golds = study.golds()
    assert len(study.items) == 4
    assert all(golds[item.id].right in (*item.choices, NOT_THERE) for item in study.items)


def test_areas_are_where_things_are_drawn(made):
    """The picture differs from its paper inside of every area that can be clicked, and hardly elsewhere."""
    from io import BytesIO

    import numpy as np
    from PIL import Image

    study = read_study(made)
    item = next(item for item in study.items if item.areas)
    picture = (study.folder / "prompts.images" / item.shown[0]["image"]).read_bytes()
    pixels = np.asarray(Image.open(BytesIO(picture)).convert("RGB")).astype(int)
    high, wide, _ = pixels.shape

    colorful = np.ptp(pixels, axis=2) > 60  # objects are; paper, grid lines, numbers and the agent are not
    covered = np.zeros_like(colorful)
    for area in item.areas:
        left, top, right, bottom = (round(e * n) for e, n in zip(area.box, (wide, high, wide, high), strict=True))
        assert colorful[top:bottom, left:right].any(), area
        covered[top:bottom, left:right] = True

    assert not (colorful & ~covered).any()


def test_a_study_that_was_changed_is_refused(study):
    """What was declared beforehand cannot be changed afterwards without anybody's noticing."""
    path = study.folder / "study.json"
    record = json.loads(path.read_text())
    record["settings"]["attention_misses"] = 2
    path.write_text(json.dumps(record))

    with pytest.raises(BrokenDataset, match="were changed since it was made"):
        read_study(study.folder)


def test_mistakes_are_told_in_one_line(grid_data, made, tmp_path):
    """Too many items, a folder that is there, and settings that cannot be."""
    here = [DataCondition("grid", grid_data, {})]
    with pytest.raises(BrokenDataset, match=r"has only .* different questions"):
        make_study(here, replace(FEW, items=400), tmp_path / "large", task=task_of(grid_data))
    with pytest.raises(RecipeError, match="people are not asked to write boxes; ask for actions or target"):
        make_study(here, replace(FEW, answer="pixels"), tmp_path / "boxes", task=task_of(grid_data))
    with pytest.raises(RecipeError, match="is there already"):
        make_study(here, FEW, made, task=task_of(grid_data))
    with pytest.raises(RecipeError, match="items of a study: 1 to 500, got 0"):
        replace(FEW, items=0)
    with pytest.raises(BrokenDataset, match="holds no study"):
        read_study(tmp_path)
