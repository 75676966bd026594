"""Our pictures of tables beside CLEVR's: how fast they are drawn, and how they look side by side.

    python -m benchmarks.tables --real FOLDER --picture compared.png

The folder holds public CLEVR pictures and the file `CLEVR_scenes.json` with what they show. Each is drawn anew from its
scene, with our camera and lamps, which theirs move a little from picture to picture.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.machine import Row
from deixis.worlds.tabletop._pictures import encode_picture
from deixis.worlds.tabletop._render.ids import draw_ids, visible_shares
from deixis.worlds.tabletop._render.picture import draw_picture
from deixis.worlds.tabletop._render.plain_light import Pixel
from deixis.worlds.tabletop._solids import COLORS, HALF_HEIGHTS, MATERIALS, SHAPES, SIZES, Solid, Tabletop


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["draw_tables", "measure_tables"]

PROMISED = 50.0  # pictures a second and core
COPIED = 64 << 20  # bytes
MATERIAL = {"rubber": "matte", "metal": "shiny"}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally draw; 1 when drawing is slower than promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__.splitlines()[0])
    parser.add_argument("--real", type=Path, help="a folder with CLEVR's pictures and CLEVR_scenes.json")
    parser.add_argument("--picture", type=Path, help="draw real pictures and ours side by side into this PNG file")
    options = parser.parse_args(arguments)
    rows = measure_tables()
    for row in rows:
        print(f"{row.name}: {row.value:,.4g} {row.unit}")
    if options.real is not None and options.picture is not None:
        pairs = list(pairs_of(options.real))
        errors = [float(np.sqrt(((ours.astype(float) - real) ** 2).mean())) for real, ours in pairs]
        print(f"root mean square difference of {len(errors)} pictures: {np.mean(errors):.1f} of 255 steps")
        options.picture.write_bytes(encode_picture(side_by_side(pairs)))
        print(f"wrote {options.picture}")
    return 1 if any(row.is_broken for row in rows) else 0


def measure_tables(count: int = 60) -> list[Row]:
    """Pictures and ids per second of processor time, with the plain definition and a copy in memory beside them."""
    tables = draw_tables(count, seed=1)
    draw_picture(tables[0])  # compiled before the clock starts
    visible_shares(tables[0])
    pictures = count / _seconds(lambda: [draw_picture(table) for table in tables])
    ids = count / _seconds(lambda: [draw_ids(table) for table in tables])
    shares = count / _seconds(lambda: [visible_shares(table, 160, 120) for table in tables])
    places = np.random.default_rng(0).integers((320, 240), size=(20, 2)).tolist()
    shown = draw_ids(tables[0])
    plain = len(places) / _seconds(lambda: [Pixel(tables[0], shown, x, y).light() for x, y in places])
    block = np.ones(COPIED, np.uint8)
    copied = 8 * COPIED / _seconds(lambda: [block.copy() for _ in range(8)])
    return [
        Row("tables drawn, 320 x 240, 3 to 10 solids", pictures, "pictures/s", at_least=PROMISED),
        Row("ids of the pixels of tables, 320 x 240", ids, "pictures/s", at_least=300.0),
        Row("shares of solids that are seen, 160 x 120", shares, "tables/s", at_least=800.0),
        Row("compiled painter against its plain definition, per pixel", pictures * 320 * 240 / plain, "times"),
        Row("bytes of pictures drawn against bytes copied in memory", pictures * 320 * 240 * 3 / copied, "times"),
    ]


def draw_tables(count: int, *, seed: int) -> list[Tabletop]:
    """Tables with 3 to 10 solids of all kinds that do not stand in each other."""
    rng = np.random.default_rng(seed)
    tables = []
    for number in range(count):
        solids: list[Solid] = []
        while len(solids) < 3 + number % 8:
            x, y, turn = rng.integers((-3_000, -3_000, 0), (3_001, 3_001, 360)).tolist()
            shape, color, material, size = (str(rng.choice(some)) for some in (SHAPES, COLORS, MATERIALS, SIZES))
            one = Solid(shape=shape, color=color, material=material, size=size, x=x, y=y, turn=turn)
            if all((x - o.x) ** 2 + (y - o.y) ** 2 > (_room(one) + _room(o)) ** 2 for o in solids):
                solids.append(one)
        tables.append(Tabletop(solids=tuple(solids)))
    return tables


def pairs_of(folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """CLEVR's pictures, each with ours of the same scene."""
    from PIL import Image

    for told in json.loads((folder / "CLEVR_scenes.json").read_text(encoding="utf-8"))["scenes"]:
        real = np.array(Image.open(folder / told["image_filename"]).convert("RGB"))
        yield real, draw_picture(_table_of(told), real.shape[1], real.shape[0])


def side_by_side(pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """CLEVR's pictures on the left of two columns, ours on the right."""
    columns = [np.vstack([np.hstack(pair) for pair in pairs[place::2]]) for place in range(2)]
    least = min(map(len, columns))
    return np.hstack([column[:least] for column in columns])


def _table_of(told: dict[str, Any]) -> Tabletop:
    """The table of a CLEVR scene, whose rotations are degrees by name that Blender took for radians."""
    solids = []
    for one in told["objects"]:
        x, y = (round(1_000 * part) for part in one["3d_coords"][:2])
        turn = round(degrees(one["rotation"])) % 360
        kind = {"shape": one["shape"], "color": one["color"], "size": one["size"]}
        solids.append(Solid(material=MATERIAL[one["material"]], x=x, y=y, turn=turn, **kind))
    return Tabletop(solids=tuple(solids))


def _room(solid: Solid) -> float:
    return 1.25 * HALF_HEIGHTS[solid.size] + 75


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
