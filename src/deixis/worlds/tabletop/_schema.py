"""What can be said of solids: their size, material, colour and shape, and how they stand to each other.

Values are absolute, as in CLEVR: a solid is small or large whatever stands beside it. An object that is mentioned may
be the same as another one that is mentioned; generated expressions have one reading only, see `_making`.
"""

from __future__ import annotations

from deixis.schema import Attribute, Relation, Schema
from deixis.worlds.tabletop._solids import COLORS, MATERIALS, SHAPES, SIZES


LEFT, RIGHT, FRONT, BEHIND, NEAR = SPATIAL = ("left of", "right of", "in front of", "behind", "near")
COMPARED = ("size", "color", "material", "shape")
SAME = tuple(f"same {name}" for name in COMPARED)
OPPOSITE = {LEFT: RIGHT, RIGHT: LEFT, FRONT: BEHIND, BEHIND: FRONT}
"""What a relation is turned round to; `near` and the comparisons have no opposite."""

SCHEMA = Schema(
    name="tabletop",
    attributes=(
        Attribute(name="size", values=SIZES),
        Attribute(name="color", values=COLORS),
        Attribute(name="material", values=MATERIALS),
        Attribute(name="shape", values=SHAPES, is_head=True),
    ),
    relations=(
        *(Relation(name=name, is_symmetric=name == NEAR) for name in SPATIAL),
        *(Relation(name=name, is_symmetric=True) for name in SAME),
    ),
    exchanges=(("size",), ("color",), ("material",), ("shape",)),
)
