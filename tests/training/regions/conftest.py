"""A dataset of some dozens of expressions without pictures, and models of a few thousand weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.photos.language import realise_reference
from deixis.worlds.photos.localise import DistractorImage, Example
from tests.worlds.graphs.said import crowded_table, some_said


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.photos.data.store import CopsRef


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> CopsRef:
    """Expressions of three splits, with any other images as distractors, and some of what is not there."""
    table = crowded_table()
    return write_copsref(tmp_path_factory.mktemp("photographs") / "some", _examples(), table)


def _examples() -> Iterator[Example]:
    table = crowded_table()
    ids = table.image_ids
    for number, one in enumerate(some_said(table, 120, seed=4)):
        split = ("train", "train", "val", "test")[number % 4]
        others = [ids[(one.scene + 1 + k * (1 + number % 3)) % len(ids)] for k in range(len(DISTRACTOR_KINDS))]
        is_there = split == "train" or number % 3 > 0
        yield Example(
            id=100 + number,
            text=realise_reference(one.expression).text,
            expression=one.expression,
            form="chain",
            forms=("chain",),
            image_id=ids[one.scene],
            object_id=table.scene(one.scene).object_ids[one.target] if is_there else "",
            distractors=() if split == "train" else tuple(map(DistractorImage, DISTRACTOR_KINDS, others)),
            split=split,
            change="" if is_there else "attribute",
        )
