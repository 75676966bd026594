"""Reference games of clembench: three grids of filled and empty cells, one of which is to be described or found.

Instances hold no expression, since a model gives it in the game; the text of an example is empty. Each grid is a scene
with one object. What is recorded of it follows from its cells: which rows, columns and diagonals are filled, which
corners, whether it is symmetric, and the filled cells themselves.

The instance files of all versions and languages are read. They differ in the mark of an empty cell and in the name of
the target (`first`, the same in another language, the numeral), and early ones repeat the number of a game. The target
is the grid of the second player that is the target grid of the first; a name that says otherwise is refused. Of a
folder all such files are read, each as a split.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.readers.files import head_of, json_items
from deixis.readers.reader import ALL, Reader, ReadExample, RefusedRecord
from deixis.scene.scene import PlainScene, Where
from deixis.schema import Attribute, Schema


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


LARGEST = 9  # rows and columns
PLACES = tuple(str(number) for number in range(1, LARGEST + 1))
SCHEMA = Schema(
    name="clembench",
    attributes=(
        Attribute(name="row", values=PLACES),
        Attribute(name="column", values=PLACES),
        Attribute(name="diagonal", values=("falling", "rising")),
        Attribute(name="corner", values=("top left", "top right", "bottom left", "bottom right")),
        Attribute(name="symmetry", values=("left-right", "top-bottom")),
        Attribute(name="cell", values=tuple(f"{row},{column}" for row in PLACES for column in PLACES)),
    ),
)
FILLED = frozenset("Xx×ХхΧ■█#1")  # also the letters of Russian and Greek that look like X
EMPTY = frozenset("▢□☐⬜◻◽O0o._-")
SHOWN = tuple(f"player_2_{name}_grid" for name in ("first", "second", "third"))
TARGET = "player_1_target_grid"
NUMBERS = {"first": 0, "1st": 0, "1": 0, "second": 1, "2nd": 1, "2": 1, "third": 2, "3rd": 2, "3": 2}
HEAD = 32768  # bytes: a prompt comes before the first grid
Cells = tuple[tuple[bool, ...], ...]


class Instance(NamedTuple):
    """One game: the experiment, its place in it, its fields, and of several files the name of its own."""

    experiment: str
    number: int
    fields: dict[str, Any]
    file: str = ""


def sniff(path: Path) -> bool:
    """Return whether a file holds instances of the reference game, or a folder such files.

    Other games have no grids of two players.
    """
    if path.is_dir():
        return bool(_files(path))
    head = head_of(path, HEAD) if path.suffix.lower() == ".json" else ""
    return '"game_instances"' in head and f'"{TARGET}"' in head


def records(path: Path) -> Iterator[Instance]:
    """Yield the games, experiment by experiment."""
    if not path.is_dir():
        yield from _instances(path, "")
        return
    if not (files := _files(path)):
        raise BrokenDataset(f"{path} holds no instances of the reference game")
    for file in files:
        yield from _instances(file, file.stem if len(files) > 1 else "")


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder, or of its subfolder `in`, as in the repository."""
    found = ([file for file in sorted(place.glob("*.json")) if sniff(file)] for place in (folder, folder / "in"))
    return next((files for files in found if files), [])


def _instances(path: Path, name: str) -> Iterator[Instance]:
    for experiment in json_items(path, "experiments"):
        is_whole = isinstance(experiment, dict) and isinstance(experiment.get("game_instances"), list)
        if not is_whole:
            yield Instance("", 0, {}, name)
            continue
        for number, fields in enumerate(experiment["game_instances"]):
            held = fields if isinstance(fields, dict) else {}
            yield Instance(str(experiment.get("name", "")), number, held, name)


def read(record: Instance) -> Iterator[ReadExample]:
    """Yield the example of one game."""
    experiment, number, fields, file = record
    if missing := [name for name in (TARGET, *SHOWN) if not isinstance(fields.get(name), str)]:
        raise RefusedRecord("no-grids", f"{experiment} {number} has no {missing[0]}")
    shown = [fields[name] for name in SHOWN]
    facts: dict[str, Any] = {
        "experiment": experiment,
        "game": fields.get("game_id", number),
        "language": str(fields.get("lang", "")) or "en",
        "grids": shown,
    }
    if "edit_distance_interval" in fields:
        facts["edit_distance"] = fields["edit_distance_interval"]
    yield ReadExample(
        id=f"{file}/{experiment}-{number}" if file else f"{experiment}-{number}",
        text="",
        split=file or ALL,
        scenes=tuple(map(_scene, shown)),
        targets=(Where(_target(shown, fields), 0),),
        facts=facts,
    )


def _target(shown: list[str], fields: dict[str, Any]) -> int:
    """Return the number of the target among the grids of the second player."""
    cells, wanted = [_cells(grid) for grid in shown], _cells(fields[TARGET])
    same = [number for number, grid in enumerate(cells) if grid == wanted]
    names = fields.get("target_grid_name")
    names = names if isinstance(names, list) else [names]
    named = {NUMBERS[name.lower()] for name in names if isinstance(name, str) and name.lower() in NUMBERS}
    if len(same) == 1 and named <= set(same):
        return same[0]
    if len(same) > 1 and len(named & set(same)) == 1:
        return (named & set(same)).pop()
    raise RefusedRecord("no-target", f"the target grid is grid {[n + 1 for n in same]}, its name {names}")


@lru_cache(maxsize=4096)
def _scene(grid: str) -> PlainScene:
    """Return the scene of a grid: one object, with what follows from the cells."""
    cells = _cells(grid)
    rows, columns = range(len(cells)), range(len(cells[0]))
    last, edge = len(cells) - 1, len(cells[0]) - 1
    corners = {(0, 0): "top left", (0, edge): "top right", (last, 0): "bottom left", (last, edge): "bottom right"}
    found = {("cell", f"{row + 1},{column + 1}") for row in rows for column in columns if cells[row][column]}
    found |= {("row", str(row + 1)) for row in rows if all(cells[row])}
    found |= {("column", str(column + 1)) for column in columns if all(cells[row][column] for row in rows)}
    found |= {("corner", name) for (row, column), name in corners.items() if cells[row][column]}
    if last == edge:
        found |= {("diagonal", "falling")} if all(cells[row][row] for row in rows) else set()
        found |= {("diagonal", "rising")} if all(cells[row][edge - row] for row in rows) else set()
    found |= {("symmetry", "left-right")} if all(row == row[::-1] for row in cells) else set()
    found |= {("symmetry", "top-bottom")} if cells == cells[::-1] else set()
    return PlainScene(schema=SCHEMA, objects=(frozenset(found),))


@lru_cache(maxsize=4096)
def _cells(grid: str) -> Cells:
    """Return which cells of a grid are filled."""
    rows = [line.split() if " " in line.strip() else list(line.strip()) for line in grid.strip().splitlines()]
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1 or max(len(rows), len(rows[0])) > LARGEST:
        raise RefusedRecord("odd-grid", f"no rows of equal length up to {LARGEST}: {grid[:40]!r}")
    if strange := {mark for row in rows for mark in row} - FILLED - EMPTY:
        raise RefusedRecord("odd-grid", f"the marks {' '.join(sorted(strange))[:40]} are not known")
    return tuple(tuple(mark in FILLED for mark in row) for row in rows)


READER = Reader(
    name="clembench",
    title="clembench: reference games with grids",
    task="refer",
    license="MIT",
    citation="Chalamalasetti and others (2023). clembench: using game play to evaluate chat-optimized language models "
    "as conversational agents. EMNLP.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "no-grids": "the game has no grids: it is another game, or one with pictures",
        "odd-grid": "a grid is no rectangle, or has marks that are neither filled nor empty",
        "no-target": "it is not clear which grid is meant",
    },
    about="Games have no expression of their own, so the text is empty and there is no meaning. The grids stand in the "
    "order in which the second player sees them; `grids` has them as text.",
)
