from __future__ import annotations

import pytest

from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos._words import singular


@pytest.mark.parametrize(
    ("name", "one"),
    [
        *((f"{stem}s", stem) for stem in ("rock", "tree", "banana", "jean", "short", "pant", "shoe", "glove", "house")),
        *((f"{stem}es", stem) for stem in ("glass", "bush", "bench", "box", "tomato", "bus", "lens")),
        *((f"{stem}ies", f"{stem}y") for stem in ("berr", "cand", "butterfl")),
        ("cookies", "cookie"),
        ("leaves", "leaf"),
        ("knives", "knife"),
        ("bookshelves", "bookshelf"),
        ("women", "woman"),
        ("firemen", "fireman"),
        ("teeth", "tooth"),
        ("skis", "ski"),
        ("street lights", "street light"),
        ("slice of tomatoes", "slice of tomato"),
    ],
)
def test_plurals_become_singular(name, one):
    """Names as Cops-Ref has them: a pant, a jean and a glass to wear included."""
    assert singular(name) == one


@pytest.mark.parametrize(
    "name", ["bus", "grass", "cactus", "tennis", "people", "clothes", "gas", "dress", "sheep", "s", ""]
)
def test_names_that_are_no_plurals_stay(name):
    """A final s does not make a plural."""
    assert singular(name) == name


def test_singular_names_stay_singular():
    """The singular of every name of GQA is its own singular, so categories do not depend on how often one asks."""
    names = gqa_counts().names

    assert [name for name in names if singular(singular(name)) != singular(name)] == []
