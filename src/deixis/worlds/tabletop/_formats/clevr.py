"""Scene files of CLEVR, read and written.

CLEVR calls matte solids rubber and shiny ones metal, and has cubes, spheres and cylinders only. Its directions say from
where a scene is seen; height and distance of the camera are those of CLEVR's own, which the files do not tell.
"""

from __future__ import annotations

import json
from math import atan2, degrees, radians
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis._numbers import is_number
from deixis.errors import BrokenDataset, SchemaError
from deixis.worlds.tabletop._geometry import ONE, frame_of
from deixis.worlds.tabletop._scene import MOST_SOLIDS, SolidScene
from deixis.worlds.tabletop._schema import BEHIND, FRONT, LEFT, RIGHT, SCHEMA
from deixis.worlds.tabletop._solids import HALF_HEIGHTS, Camera, Solid, Tabletop


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


MATERIALS = {"matte": "rubber", "shiny": "metal"}
SHAPES = ("cube", "sphere", "cylinder")
SIDES = {"left": LEFT, "right": RIGHT, "front": FRONT, "behind": BEHIND}
WIDTH, HEIGHT = 480, 360
"""Pixels of pictures that are written: as wide as CLEVR's, and higher."""
ELEVATION, DISTANCE, VIEW = 27, 11_200, 49
"""CLEVR's camera: degrees above the table, thousandths from its middle, degrees that it sees."""
MOST_BYTES = 512 << 20


def read_tables(path: Path) -> Iterator[Tabletop]:
    """Yield the tables of a file of scenes.

    Raises:
        BrokenDataset: when the file cannot be read, or the scene that comes next is none of CLEVR's.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BrokenDataset(f"{path} is too large for a file of scenes")
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} cannot be read: {str(error)[:80]}") from error
    scenes = values.get("scenes") if isinstance(values, dict) else None
    if not isinstance(scenes, list):
        raise BrokenDataset(f"{path} is no file of CLEVR scenes: it has no list of scenes")
    for number, scene in enumerate(scenes):
        try:
            yield table_from_clevr(scene)
        except (SchemaError, LookupError, TypeError, ValueError, AttributeError) as error:
            told = str(error) if isinstance(error, SchemaError) else f"{type(error).__name__}: {str(error)[:60]}"
            raise BrokenDataset(f"scene {number} of {path.name} cannot be read: {told}") from error


def table_from_clevr(scene: Any) -> Tabletop:
    """Return the solids and the camera of a scene of CLEVR, with places in whole thousandths."""
    right = scene["directions"]["right"]
    azimuth = round(degrees(atan2(-_number(right[0]), _number(right[1])))) % 360
    if len(scene["objects"]) > MOST_SOLIDS:
        raise SchemaError(f"a scene has at most {MOST_SOLIDS} solids, got {len(scene['objects'])}")
    camera = Camera(azimuth=azimuth, elevation=ELEVATION, distance=DISTANCE, view=VIEW)
    return Tabletop(solids=tuple(map(_solid_from, scene["objects"])), camera=camera)


def scene_to_clevr(scene: SolidScene, *, number: int, split: str, name: str) -> dict[str, Any]:
    """Return a table as CLEVR keeps scenes, with places in its picture."""
    from deixis.worlds.tabletop._render.ids import project

    frame, solids = frame_of(scene.table.camera), scene.table.solids
    sine, cosine = frame.sine / ONE, frame.cosine / ONE
    right, behind = [-sine, cosine, 0.0], [-cosine, -sine, 0.0]
    points = np.array([[one.x, one.y, HALF_HEIGHTS[one.size]] for one in solids], np.float64).reshape(-1, 3) / 1000
    pixels = project(scene.table.camera, points, WIDTH, HEIGHT)
    return {
        "image_index": number,
        "image_filename": name,
        "split": split,
        "directions": {
            "right": right,
            "left": [-one for one in right],
            "behind": behind,
            "front": [-one for one in behind],
            "above": [0.0, 0.0, 1.0],
            "below": [0.0, 0.0, -1.0],
        },
        "objects": [
            {
                "shape": one.shape,
                "size": one.size,
                "color": one.color,
                "material": MATERIALS[one.material],
                "3d_coords": [float(value) for value in point],
                "rotation": radians(one.turn),
                "pixel_coords": [round(float(pixel[0])), round(float(pixel[1])), round(float(pixel[2]), 6)],
            }
            for one, point, pixel in zip(solids, points, pixels, strict=True)
        ],
        "relationships": {
            side: [
                [k for k in range(len(scene)) if k != n and scene.related(relation, k, n)] for n in range(len(scene))
            ]
            for side, relation in SIDES.items()
        },
    }


def _solid_from(thing: Any) -> Solid:
    """A solid of CLEVR, whose rotation was drawn as degrees and then taken for radians, as its pictures show."""
    materials = {other: own for own, other in MATERIALS.items()}
    values = {name: thing[name] for name in ("size", "color", "shape")}
    values["material"] = materials.get(thing["material"], thing["material"])
    for name, value in values.items():
        SCHEMA.attribute(name).code(value)
    x, y = (round(1000 * _number(value)) for value in thing["3d_coords"][:2])
    return Solid(**values, x=x, y=y, turn=round(degrees(_number(thing.get("rotation", 0)))) % 360)


def _number(value: Any) -> float:
    if not is_number(value) or abs(value) > 1e6:
        raise SchemaError(f"a number was expected, got {str(value)[:40]}")
    return float(value)
