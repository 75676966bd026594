"""Examples as arrays for readers: programs of what is said, and what is told or seen of every solid."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zipfile import BadZipFile

import numpy as np

from deixis._kernels.ops import Op
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset
from deixis.expression.parts import parts
from deixis.expression.plain import expression_from_json, expression_to_json
from deixis.expression.steps import Is, Nth, Related
from deixis.learn._programs import lines_of
from deixis.worlds.tabletop._models.reader import SYMBOLS, VALUES
from deixis.worlds.tabletop._models.settings import CROP
from deixis.worlds.tabletop._schema import SCHEMA
from deixis.worlds.tabletop._solids import HEIGHT, WIDTH


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.worlds.tabletop._examples import TableExample
    from deixis.worlds.tabletop._models.settings import Reads
    from deixis.worlds.tabletop._scene import SolidScene


REACH = 10_000  # thousandths that make 1 in the places of solids


class TableArrays(NamedTuple):
    """Examples as a reader takes them: all have the same number of tables, which are rows of their own.

    Shapes:
        seen: float32 [table, solid, value] or uint8 [table, solid, 3, crop, crop].
        places: float32 [table, solid, 4]. there: bool [table, solid]. target: int64 [example], among all solids of
            its tables with room for as many on each.
        said: uint8 [byte], the expressions as JSON, one in each line.
    """

    seen: np.ndarray
    places: np.ndarray
    there: np.ndarray
    target: np.ndarray
    said: np.ndarray

    def __len__(self) -> int:
        return len(self.target)

    @property
    def images(self) -> int:
        """The number of tables that an example has."""
        return len(self.there) // max(1, len(self.target))

    @property
    def room(self) -> int:
        """The number of solids for which there is room on each table."""
        return int(self.there.shape[1])

    def lines(self, reads: Reads) -> np.ndarray:
        """Return what a reader is told of the expressions: int64 [example, number]."""
        said = bytes(self.said).decode().splitlines()
        told = lines_of([line_of(expression_from_json(one), reads) for one in said])
        return np.array(told, np.int64).reshape(len(said), -1)


def arrays_of(
    examples: Sequence[TableExample], *, sees: bool, tell: Callable[[int, int], None] | None = None
) -> TableArrays:
    """Return examples as arrays.

    Args:
        examples: with one solid that is meant each.
        sees: whether solids are seen in pictures, instead of being told.
        tell: called with the number of tables that are done, and of all.
    """
    if len({len(example.scenes) for example in examples}) != 1:
        raise BrokenDataset("the examples of a reader all show the same number of tables")
    scenes = [scene for example in examples for scene in example.scenes]
    most = max(map(len, scenes))
    shape = (3, CROP, CROP) if sees else (VALUES,)
    seen = np.zeros((len(scenes), most, *shape), np.uint8 if sees else np.float32)
    places, there = np.zeros((len(scenes), most, 4), np.float32), np.zeros((len(scenes), most), np.bool_)
    for number, scene in enumerate(scenes):
        there[number, : len(scene)] = True
        if sees:
            seen[number, : len(scene)], places[number, : len(scene)] = _see(scene)
        else:
            seen[number, : len(scene)], places[number, : len(scene)] = _tell_values(scene)
        if tell is not None and number % 50 == 0:
            tell(number, len(scenes))
    meant = (example.target for example in examples)
    targets = [-1 if target is None else target.scene * most + target.object for target in meant]
    said = "\n".join(expression_to_json(example.expression) for example in examples).encode()
    return TableArrays(seen, places, there, np.array(targets, np.int64), np.frombuffer(said, np.uint8))


def kept_arrays(file: Path | None, make: Callable[[], TableArrays]) -> TableArrays:
    """Return the arrays in a file, or make them and keep them there.

    Raises:
        BrokenDataset: when the file is damaged.
    """
    if file is None:
        return make()
    if file.is_file():
        try:
            with np.load(file, allow_pickle=False) as kept:
                return TableArrays(*(kept[name] for name in TableArrays._fields))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise BrokenDataset(f"{file} cannot be read: {str(error)[:80]}; delete it") from error
    made = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing_file(file) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, **made._asdict())
    return made


def line_of(expression: Expression, reads: Reads) -> list[int]:
    """Return what a reader is told of an expression: its program, one in no particular order, or one word for all."""
    if reads == "parse":
        return SYMBOLS.line(expression)
    if reads == "nothing":
        return [Op.ALL, 0, 0, Op.IS, SYMBOLS.anything, 0]
    words = sorted({SYMBOLS.word(part.step) for part in parts(expression) if isinstance(part.step, Is | Related | Nth)})
    return [Op.ALL, 0, 0, *(number for word in words for number in (Op.IS, word, 0))]


def _tell_values(scene: SolidScene) -> tuple[np.ndarray, np.ndarray]:
    values = np.zeros((len(scene), VALUES), np.float32)
    for k, solid in enumerate(scene.table.solids):
        start = 0
        for attribute in SCHEMA.attributes:
            values[k, start + attribute.code(getattr(solid, attribute.name))] = 1
            start += len(attribute.values)
    places = np.array([(place.side, -place.distance, 0, 0) for place in scene.places], np.float32) / REACH
    values[:, -2:] = places[:, :2]
    return values, places


def _see(scene: SolidScene) -> tuple[np.ndarray, np.ndarray]:
    """Return what is seen of every solid in the box around it, and where the box is."""
    from deixis.worlds.tabletop._render.ids import boxes, draw_ids  # arrays that are kept need none
    from deixis.worlds.tabletop._render.picture import draw_picture

    picture, found = draw_picture(scene.table), boxes(draw_ids(scene.table), len(scene))
    crops = np.stack([_cut(picture, box) for box in found])
    x, y, width, height = found.T.astype(np.float32)
    places = np.stack((x + width / 2, y + height, width, height), axis=1)
    return crops.transpose(0, 3, 1, 2), places / np.array([WIDTH, HEIGHT, WIDTH, HEIGHT], np.float32)


def _cut(picture: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Return a square of a picture around a box, scaled to the size of a crop: uint8 [row, column, 3]."""
    x, y, width, height = box.tolist()
    side = max(width, height, 1) * 1.15
    steps = (np.arange(CROP) + 0.5) / CROP - 0.5
    columns = np.clip(np.floor(x + width / 2 + steps * side), 0, picture.shape[1] - 1).astype(np.int64)
    rows = np.clip(np.floor(y + height / 2 + steps * side), 0, picture.shape[0] - 1).astype(np.int64)
    return picture[rows[:, None], columns[None]]
