"""Drawings of tables: what is outlined, numbered and boxed, and masks that come back from their files."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from deixis.errors import RecipeError
from deixis.scene.scene import Where
from deixis.worlds.tabletop._pictures import LOOKS, PICTURES, SIZE, decode_png, encode_masks, middle_of, outline_of
from deixis.worlds.tabletop._render.ids import draw_ids, masks
from deixis.worlds.tabletop._render.picture import draw_picture
from deixis.worlds.tabletop._scene import SolidScene
from deixis.worlds.tabletop._solids import Solid, Tabletop


TABLE = Tabletop(
    solids=(
        Solid(shape="torus", color="red", material="shiny", size="large", x=-1_500, y=0),
        Solid(shape="cube", color="blue", material="matte", size="small", x=1_000, y=-1_000, turn=20),
        Solid(shape="cone", color="green", material="matte", size="large", x=1_200, y=1_500),
    )
)


BLUE = Where(0, 1)


def _example(target: Where | None = BLUE, scenes: int = 1) -> SimpleNamespace:
    return SimpleNamespace(scenes=(SolidScene(TABLE),) * scenes, target=target, text="the small <blue> cube")


def _open(held: bytes) -> np.ndarray:
    return np.array(Image.open(BytesIO(held)).convert("RGB"))


def test_the_plain_look_is_the_picture() -> None:
    """Nothing is drawn into the plain look, and several tables stand side by side."""
    picture = draw_picture(TABLE, *SIZE)
    assert (_open(PICTURES.draw(_example(), look="plain")) == picture).all()
    assert (_open(PICTURES.draw(_example(scenes=2), look="plain"))[:, -SIZE[0] :] == picture).all()


def test_the_target_is_outlined_outside_its_mask() -> None:
    """The outline leaves every pixel of every solid but its neighbours as it was, and is there for a target alone."""
    picture, ids = draw_picture(TABLE, *SIZE), draw_ids(TABLE, *SIZE)
    with_target = _open(PICTURES.draw(_example()))[-SIZE[1] :]
    changed = (with_target != picture).any(axis=2)
    assert changed.any()
    assert not changed[ids == 2].any()
    assert not (_open(PICTURES.draw(_example(None)))[-SIZE[1] :] != picture).any()


def test_a_question_numbers_every_solid_and_tells_no_target() -> None:
    """The picture of a question has each number upon its solid, and is the same whatever is meant."""
    asked = PICTURES.question(_example(), [[7, 12, 3]])
    assert asked == PICTURES.question(_example(Where(0, 2)), [[7, 12, 3]])
    changed = (_open(asked) != draw_picture(TABLE, *SIZE)).any(axis=2)
    for mask in masks(draw_ids(TABLE, *SIZE), 3):
        assert (changed & mask).sum() > 100


def test_masks_come_back_from_their_file() -> None:
    """The indices of an indexed PNG are the ids of the pixels."""
    ids = draw_ids(TABLE, 64, 48)
    assert (decode_png(encode_masks(ids)) == ids).all()
    assert (decode_png(PICTURES.draw(_example(), look="masks")) == draw_ids(TABLE, *SIZE)).all()


def test_an_svg_has_a_shape_for_every_solid() -> None:
    """Each solid is an element with its name, and texts are escaped."""
    for look in LOOKS:
        drawn = PICTURES.draw(_example(), format="svg", look=look).decode()
        assert drawn.count("<polygon") == 3
        assert "<title>small blue matte cube<" in drawn
        assert "<blue>" not in drawn


def test_the_middle_of_a_mask_lies_in_it() -> None:
    """A number stands on its solid, also on one with a hole."""
    for mask in masks(draw_ids(TABLE, *SIZE), 3):
        x, y = middle_of(mask)
        assert mask[y, x]


def test_an_outline_holds_its_mask() -> None:
    """The corners of the outline are the extremes of the mask."""
    mask = np.zeros((6, 8), bool)
    mask[2:4, 1:5] = True
    assert set(outline_of(mask)) == {(1, 2), (1, 4), (5, 4), (5, 2)}


@pytest.mark.parametrize("wrong", [{"look": "pretty"}, {"format": "gif"}, {"size": 3}])
def test_unknown_looks_are_refused(wrong: dict[str, object]) -> None:
    """Another look, form or option is a mistake that the message names."""
    with pytest.raises(RecipeError, match=r"look|not 'gif'|size"):
        PICTURES.draw(_example(), **wrong)


def test_what_is_clicked_holds_all_that_is_seen_of_a_solid() -> None:
    """In the pictures of a question about two tables, and nothing of a solid that is hidden is clicked."""
    example = _example(scenes=2)
    pictures = PICTURES.question(example, [[1, 2, 3], [4, 5, 6]])
    for scene, areas, held in zip(example.scenes, PICTURES.areas(example), pictures, strict=True):
        found = masks(draw_ids(scene.table, *SIZE), len(scene))
        assert len(areas) == len(scene)
        for mask, area in zip(found, areas, strict=True):
            rows, columns = np.nonzero(mask)
            assert (area is None) == (not len(rows))
            if area is not None:
                high, wide, _ = _open(held).shape
                edges = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
                assert np.allclose(area, edges / [wide, high, wide, high])
