"""Our pictures of rooms beside the published ones: how far apart they are, and what is read off them.

    python -m benchmarks.renderer --real real_samples_64x64.npz --picture compared.png

The file holds groups of pictures, uint8 [image, 64, 64, 3], each under its name, and beside them numbers of images or
factors: `NAME_ids`, `NAME_factors`, `NAME_factors_est` (estimates), or `gif_factors` for `gif_frames`. Where there are
only estimates, pictures are compared with drawings of the factors read off them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.machine import Row
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.rooms.data._room_pictures import read_archive
from deixis.worlds.rooms.decode import decode_room, picture_error
from deixis.worlds.rooms.draw import GEOMETRIES, draw_rooms, encode_png
from deixis.worlds.rooms.scene import FACTORS, factors_of, ids_of


__all__ = ["compare", "measure_renderer"]

PROMISED = 15.0  # of 255, on the mean of a group
COLUMNS, GAP, ZOOM = 13, 2, 2


class Group(NamedTuple):
    """Published pictures of one origin."""

    name: str
    pictures: np.ndarray  # uint8 [image, row, column, channel]
    factors: np.ndarray  # [image, 6]
    is_certain: bool


class Compared(NamedTuple):
    """A group held against drawings."""

    group: Group
    read: np.ndarray  # factors read off the pictures, [image, 6]
    drawn: np.ndarray  # uint8 [image, row, column, channel]
    errors: np.ndarray  # root mean square difference, [image]


def main(arguments: list[str] | None = None) -> int:
    """Compare, print, optionally draw; 1 when a group is further off than promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.renderer", description=__doc__.splitlines()[0])
    parser.add_argument("--real", type=Path, help="an .npz file with published pictures")
    parser.add_argument(
        "--picture", type=Path, help="draw them side by side into this PNG file: above real, below ours"
    )
    options = parser.parse_args(arguments)
    try:
        compared = [] if options.real is None else [compare(group) for group in read_groups(options.real)]
    except DeixisError as error:
        print(error, file=sys.stderr)
        return 2
    for row in measure_renderer():
        print(f"{row.name}: {row.value:,.0f} {row.unit}")
    for one in compared:
        print("\n" + "\n".join(report(one)))
    if compared and options.picture is not None:
        options.picture.write_bytes(encode_png(side_by_side(compared)))
        print(f"\nwrote {options.picture}")
    return 1 if any(one.errors.mean() > PROMISED for one in compared) else 0


def measure_renderer() -> list[Row]:
    """Pictures per second of processor time: new rooms, and rooms that differ from drawn ones in hues alone."""
    draw_rooms(np.array([0]))  # compiled before the clock starts
    new = np.arange(1, GEOMETRIES, 7)
    start = time.process_time()
    draw_rooms(new, size=63)  # of a size that nothing is kept of yet
    cast = len(new) / (time.process_time() - start)
    ids = np.arange(20) * GEOMETRIES
    draw_rooms(ids)
    start = time.process_time()
    for _ in range(50):
        draw_rooms(ids)
    painted = 50 * len(ids) / (time.process_time() - start)
    return [
        Row("rooms drawn from nothing, 64 pixels, 16 rays each", cast, "pictures/s", at_least=20.0),
        Row("rooms drawn in other hues, 64 pixels", painted, "pictures/s", at_least=5_000.0),
    ]


def read_groups(path: Path) -> list[Group]:
    """The groups of pictures in a file."""
    arrays = read_archive(path)
    groups = []
    for name, pictures in arrays.items():
        if pictures.ndim != 4 or pictures.dtype != np.uint8:
            continue
        certain = arrays.get(f"{name}_factors", arrays.get(f"{name.removesuffix('_frames')}_factors"))
        if f"{name}_ids" in arrays:
            certain = factors_of(arrays[f"{name}_ids"])
        factors = certain if certain is not None else arrays.get(f"{name}_factors_est")
        if factors is not None:
            groups.append(Group(name, pictures, factors, certain is not None))
    if not groups:
        raise BrokenDataset(f"{path} holds no pictures with factors; it holds {', '.join(arrays) or 'nothing'}")
    return groups


def compare(group: Group) -> Compared:
    """Draw what the pictures show, by their factors where these are certain, and measure how far apart they are."""
    read = np.array([decode_room(picture).room.factors for picture in group.pictures])
    drawn = draw_rooms(ids_of(group.factors if group.is_certain else read), size=group.pictures.shape[1])
    return Compared(group, read, drawn, picture_error(drawn, group.pictures))


def report(compared: Compared) -> list[str]:
    """Lines on one group."""
    group, errors = compared.group, compared.errors
    is_same = compared.read == group.factors
    kind = "certain" if group.is_certain else "estimated"
    lines = [
        f"{group.name}: {len(errors)} pictures, factors {kind}",
        f"  root mean square difference: mean {errors.mean():.2f} of 255, {errors.min():.2f} to {errors.max():.2f}",
        "  " + " ".join(f"{error:.1f}" for error in errors),
        "  read as given: " + ", ".join(f"{n} {s:.0%}" for n, s in zip(FACTORS, is_same.mean(axis=0), strict=True)),
    ]
    for number in np.flatnonzero(~is_same.all(axis=1)):
        given, read = group.factors[number].tolist(), compared.read[number].tolist()
        lines.append(f"  picture {number}: given {given}, read {read}")
    return lines


def side_by_side(compared: list[Compared]) -> np.ndarray:
    """Real pictures above, ours below, row after row."""
    rows = []
    for one in compared:
        for first in range(0, len(one.drawn), COLUMNS):
            rows += [_strip(pictures[first : first + COLUMNS]) for pictures in (one.group.pictures, one.drawn)]
            rows.append(np.full((3 * GAP, rows[-1].shape[1], 3), 255, np.uint8))
    whole = np.concatenate(rows[:-1])
    return whole.repeat(ZOOM, axis=0).repeat(ZOOM, axis=1)


def _strip(pictures: np.ndarray) -> np.ndarray:
    side = pictures.shape[1]
    strip = np.full((side + GAP, COLUMNS * (side + GAP), 3), 255, np.uint8)
    for number, picture in enumerate(pictures):
        strip[:side, number * (side + GAP) :][:, :side] = picture
    return strip


if __name__ == "__main__":
    sys.exit(main())
