"""Scenes of GRE3D3, and the values and relations that its descriptions and those of GRE3D7 speak of.

The distribution does not say what is in the scenes. For the 20 scenes of GRE3D3 it is known from elsewhere: `SCENES`
has the facts of Castro Ferreira's public annotation (EACH-GRE, `dominios.csv`), save that the ball of scene 13 lies on
its cube, as all say who mention it. Of the 2,106 recorded values that people say of target, landmark and relation,
2,102 agree; of the third object few speak, but with it 621 of 627 descriptions fit the target alone. An annotation of
GRE3D7 could not be checked in the same way, so its scenes are not claimed.
"""

from __future__ import annotations

from functools import cache

from deixis.scene.scene import PlainScene
from deixis.schema import Attribute, Relation, Schema


SCHEMA = Schema(
    name="gre3d",
    attributes=(
        Attribute(name="type", values=("ball", "cube"), is_head=True),
        Attribute(name="color", values=("blue", "green", "red", "yellow")),
        Attribute(name="size", values=("small", "large")),
        Attribute(name="place", values=("left-hand", "center", "right-hand", "top", "bottom", "front", "back")),
    ),
    relations=(
        Relation(name="on-top-of"),
        Relation(name="under"),
        Relation(name="in-front-of"),
        Relation(name="behind"),
        Relation(name="next-to", is_symmetric=True),
        Relation(name="left-of"),
        Relation(name="right-of"),
    ),
)
SCENES = (  # of GRE3D3: target, landmark, the third object
    "small green ball, large blue cube, large blue cube",
    "small red ball, large yellow cube, small red cube",
    "small blue ball, large green cube, large blue ball",
    "small yellow cube, large yellow cube, small red cube",
    "small blue cube, small green cube, large blue ball",
    "small green ball, large blue cube, large blue cube",
    "small yellow ball, large red cube, small yellow cube",
    "small blue ball, large green cube, large blue ball",
    "small red cube, large red cube, small yellow cube",
    "small blue cube, small green cube, large blue ball",
    "small yellow ball, large red cube, large red cube",
    "small blue ball, large green cube, small blue cube",
    "small red ball, large yellow cube, large red ball",
    "small green cube, large green cube, small blue cube",
    "small yellow cube, small red cube, large yellow ball",
    "small red ball, large yellow cube, large yellow cube",
    "small blue ball, large green cube, small blue cube",
    "small red ball, large yellow cube, large red ball",
    "small green cube, large green cube, small blue cube",
    "small red cube, small yellow cube, large red ball",
)
MIRRORED = 10  # the scenes behind this one are mirrored
SCHEMAS = "ABCDE"  # in turn


def is_known(number: int, schema: str) -> bool:
    """Return whether a scene is one of GRE3D3, whose descriptions name the schema of their scene."""
    return 1 <= number <= len(SCENES) and schema == SCHEMAS[(number - 1) % len(SCHEMAS)]


@cache
def known_scene(number: int) -> PlainScene:
    """Return a scene of GRE3D3: in those of odd numbers the target lies on the landmark, else in front of it."""
    is_stacked, is_mirrored = number % 2 == 1, number > MIRRORED
    here, there = ("right-hand", "left-hand") if is_stacked != is_mirrored else ("left-hand", "right-hand")
    relation, inverse, place = ("on-top-of", "under", "top") if is_stacked else ("in-front-of", "behind", "front")
    objects: list[set[tuple[str, str]]] = []
    for words, side in zip(SCENES[number - 1].split(", "), (here, here, there), strict=True):
        objects.append({*zip(("size", "color", "type"), words.split(), strict=True), ("place", side)})
    objects[0].add(("place", place))
    links = frozenset({(relation, 0, 1), (inverse, 1, 0), ("next-to", 0, 1)})
    return PlainScene(schema=SCHEMA, objects=tuple(map(frozenset, objects)), links=links)
