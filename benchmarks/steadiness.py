"""What the shipped speakers of rooms say of pictures that are moved, darker, blurred or noisy, and of published ones.

python -m benchmarks.steadiness
python -m benchmarks.steadiness --speaker speaker-sp --real real_samples_64x64.npz

Test pictures are drawn, changed and captioned. A caption is right when it names all six features truly; RP and SP name
fewer, so captions without anything false are counted, too.
"""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from deixis.errors import DeixisError
from deixis.learn.run import checkpoint_of
from deixis.worlds.rooms.data._room_pictures import read_room_pictures
from deixis.worlds.rooms.decode import decode_room
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.mentions import judge_rows, read_rows
from deixis.worlds.rooms.scene import factors_of
from deixis.worlds.rooms.training._augment import DISTURBANCES, move_pictures
from deixis.worlds.rooms.training._captions import images_of
from deixis.worlds.rooms.training._evaluate import say_pictures


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from deixis.worlds.rooms.data._room_pictures import RoomPictures


SEED = 42  # by which images are divided
FURTHER: dict[str, Callable[[Tensor], Tensor]] = {
    "3 px right": lambda x: move_pictures(x, 3, 0),
    "3 px left": lambda x: move_pictures(x, -3, 0),
}


class Borne(NamedTuple):
    """What a speaker says of pictures that were changed in one way."""

    change: str
    pictures: int
    all_six: int
    nothing_false: int


def main(arguments: list[str] | None = None) -> int:
    """Caption and print a table; 2 when something cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steadiness", description=__doc__.splitlines()[0])
    parser.add_argument("--speaker", type=Path, default=Path("speaker-b"), help="a run or the name of a shipped one")
    parser.add_argument("--count", type=int, default=1000, help="how many test pictures, at equal distances")
    parser.add_argument("--real", type=Path, help="an .npz file with published pictures and their factors")
    options = parser.parse_args(arguments)
    try:
        speaker = checkpoint_of(options.speaker)
        published = None if options.real is None else read_room_pictures(options.real)
        print("| picture | of | all six features right | nothing false |\n|---|---:|---:|---:|")
        for row in chain(of_drawn(speaker, options.count), of_published(speaker, published)):
            print(f"| {row.change} | {row.pictures:,} | {row.all_six:,} | {row.nothing_false:,} |", flush=True)
    except DeixisError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def of_drawn(speaker: Path, count: int) -> Iterator[Borne]:
    """Test pictures after each change."""
    test = images_of(SEED).test
    ids = test[np.arange(count) * len(test) // count]
    drawn = torch.from_numpy(draw_rooms(ids)).permute(0, 3, 1, 2).float() / 255
    for name, change in {**DISTURBANCES, **FURTHER}.items():
        pictures = (change(drawn) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).numpy()
        yield borne(name, speaker, pictures, ids)


def of_published(speaker: Path, found: RoomPictures | None) -> Iterator[Borne]:
    """Pictures from a file, where it tells their factors."""
    if found is not None and found.ids is not None:
        kind = "estimated" if found.are_estimated else "known"
        yield borne(f"published, factors {kind}", speaker, found.pictures, found.ids)
    if found is not None and found.are_estimated:
        fitted = np.array([decode_room(picture).room.id for picture in found.pictures])
        yield borne("published, factors of the drawing most like it", speaker, found.pictures, fitted)


def borne(change: str, speaker: Path, pictures: np.ndarray, ids: np.ndarray) -> Borne:
    """Caption pictures of these images and hold the captions against them."""
    said, _ = say_pictures(speaker, pictures)
    judged = judge_rows(read_rows(said.texts), factors_of(ids))
    is_clean = ~judged.false.any(axis=1) & (judged.stray == 0)
    return Borne(change, len(ids), int(judged.true.all(axis=1).sum()), int(is_clean.sum()))


if __name__ == "__main__":
    raise SystemExit(main())
