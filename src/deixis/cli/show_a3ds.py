"""`deixis show` for A3DS: a room with its captions, or a pair of rooms and what tells them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.cli.printing import print_json
from deixis.errors import RecipeError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    import numpy as np


__all__ = ["show_rooms"]

FEW = 4  # captions of each grammar shown in text
SMALL, LARGE = 32, 320  # pixels along one side, in a terminal and in a file
GAP = 16  # between two rooms in a file


def show_rooms(
    folder: Path,
    number: int | None,
    *,
    split: str | None,
    seed: int | None,
    out: Path | None,
    color: bool,
    as_json: bool,
) -> int:
    """Show an image of 3D Shapes with its captions, or with a split, the name of a set of pairs, one of its pairs."""
    if out is not None and out.suffix.lower() != ".png":
        raise RecipeError(f"the picture of a room is a .png, got {out.name!r}")
    rooms = _rooms(folder, number, split, seed)
    if out is not None:
        _write_picture(rooms, out)
    if as_json:
        print_json(_plain(rooms))
    elif out is not None:
        print(f"Wrote {' and '.join(f'image {room}' for room in rooms)} to {out}.")
    else:
        _print(rooms, color=color)
    return 0


def _rooms(folder: Path, number: int | None, split: str | None, seed: int | None) -> list[int]:
    """The image that is asked for, or the images of a pair, the target first."""
    from deixis.datasets.a3ds import read_pairs
    from deixis.scene.factors import IMAGES
    from deixis.seeds import Stream, derive

    if split is None:
        chosen = (number or 0) if seed is None else Stream(derive(seed, "show")).below(IMAGES)
        if not 0 <= chosen < IMAGES:
            raise UnknownName(f"there is no image {chosen}; they are numbered from 0 to {IMAGES - 1:,}")
        return [chosen]
    sets = {
        name: rows for path in sorted((folder / "pairs").glob("*.parquet")) for name, rows in read_pairs(path).items()
    }
    if split not in sets:
        known = (
            f"known: {', '.join(sets)}" if sets else "the folder holds no pairs; make it with --test-sets or --pairs"
        )
        raise UnknownName(f"there is no set of pairs {split!r}; {known}")
    pairs = sets[split]
    chosen = (number or 0) if seed is None else Stream(derive(seed, "show")).below(len(pairs))
    if not 0 <= chosen < len(pairs):
        raise UnknownName(f"there is no pair {chosen} in {split}; it has {len(pairs):,}, counted from 0")
    return [int(room) for room in pairs[chosen]]


def _contrast(rooms: Sequence[int]) -> list[str]:
    """The features in which two rooms differ."""
    from deixis.scene.factors import FACTORS, RoomScene

    one, other = (RoomScene(room).factors for room in rooms)
    return [name for name, a, b in zip(FACTORS, one, other, strict=True) if a != b]


def _plain(rooms: Sequence[int]) -> dict[str, Any]:
    from deixis.scene.factors import FACTORS, RoomScene
    from deixis.worlds.shapes.captions import captions, words_of

    entries = [
        {
            "image": room,
            "factors": dict(zip(FACTORS, RoomScene(room).factors, strict=True)),
            "words": words_of(room),
            "captions": {"exhaustive": captions(room, "exhaustive"), "short": captions(room, "short")},
        }
        for room in rooms
    ]
    return {"rooms": entries, "contrast": _contrast(rooms) if len(rooms) > 1 else None}


def _print(rooms: Sequence[int], *, color: bool) -> None:
    from deixis.scene.factors import RoomScene
    from deixis.worlds.shapes.captions import captions

    for place, room in enumerate(rooms):
        role = "" if len(rooms) == 1 else "target: " if place == 0 else "distractor: "
        print(f"{role}image {room}, {RoomScene(room)}")
        if color:
            print(_in_blocks(_drawn([room], SMALL)[0]))
    if len(rooms) > 1:
        print(f"told apart by: {', '.join(_contrast(rooms)) or 'nothing'}")
    for grammar in ("exhaustive", "short"):
        known = captions(rooms[0], grammar)
        print(f"{grammar} captions, {FEW} of {len(known)}:")
        for number in range(0, len(known), -(-len(known) // FEW)):
            print(f"  {number:2} {known[number]}")


def _drawn(rooms: Sequence[int], size: int) -> np.ndarray:
    import numpy as np

    from deixis.worlds.shapes.draw import draw_rooms

    return draw_rooms(np.array(rooms), size=size)


def _in_blocks(image: np.ndarray) -> str:
    """A picture in a terminal: two rows of pixels in each line, as the colours of half blocks."""
    lines = []
    for top, bottom in zip(image[::2].tolist(), image[1::2].tolist(), strict=True):
        cells = (
            f"\x1b[38;2;{a[0]};{a[1]};{a[2]}m\x1b[48;2;{b[0]};{b[1]};{b[2]}m▀" for a, b in zip(top, bottom, strict=True)
        )
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)


def _write_picture(rooms: Sequence[int], out: Path) -> None:
    """The rooms side by side."""
    from PIL import Image

    from deixis.datasets.store import replacing_file

    images = _drawn(rooms, LARGE)
    sheet = Image.new("RGB", (len(rooms) * (LARGE + GAP) - GAP, LARGE), "white")
    for place, image in enumerate(images):
        sheet.paste(Image.fromarray(image), (place * (LARGE + GAP), 0))
    with replacing_file(out) as draft:
        sheet.save(draft, "PNG")
