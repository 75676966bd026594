"""Examples kept as rows: one table with the text, the expression and the scenes of every example.

| column | |
|---|---|
| `id` | int64, its number in the dataset |
| `split` | `train`, `dev`, `test` or the name of what is held out |
| `text` | what is said |
| `expression` | what it means, as JSON (`deixis.expression.plain`) |
| `scenes` | the scenes, as JSON (`deixis.scene.plain`) |
| `target_scene`, `target_object` | int32, the object that is meant; -1 where a world has what fits nothing |
| `facts` | whatever else the world keeps of it, as JSON |
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data.store import Dataset, open_dataset, read_parquet
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.expression.plain import expression_from_plain, expression_to_plain
from deixis.scene.plain import scene_from_plain, scene_to_plain
from deixis.scene.scene import Context, Where
from deixis.worlds.example import PlainExample


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deixis.data._row_groups import Group, RowGroups
    from deixis.scene.scene import PlainScene
    from deixis.schema import Schema


__all__ = ["COLUMNS", "RowDataset", "RowExamples", "table_of"]

COLUMNS = ("id", "split", "text", "expression", "scenes", "target_scene", "target_object", "facts")


def table_of(examples: Iterable[Any], row_of: Callable[[Any], dict[str, Any]] | None = None) -> Any:
    """Examples as a table of pyarrow.

    Args:
        examples: what to keep.
        row_of: the columns of one; by default those of a `PlainExample`.
    """
    import pyarrow as pa

    rows = [(row_of or _row)(example) for example in examples]
    kinds = {"id": pa.int64(), "target_scene": pa.int32(), "target_object": pa.int32()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    return pa.Table.from_pylist(rows, schema=schema)


@dataclass(frozen=True, slots=True)
class RowExamples:
    """Part `examples` for worlds that keep examples as rows.

    Attributes:
        schema: of all scenes.
    """

    schema: Schema

    def open(self, path: Path) -> RowDataset:
        """Open the examples of a dataset folder, or raise `BrokenDataset` if there are none."""
        return RowDataset(open_dataset(Path(path)), self.schema)

    def scene_from(self, values: object) -> PlainScene:
        """Return a scene as rows keep it, or raise `SchemaError` for anything else."""
        return scene_from_plain(values, self.schema)

    def recognises(self, path: Path) -> bool:
        """Return False, as no file without a manifest is of this world."""
        del path
        return False


class RowDataset:
    """The examples of a dataset folder, read when they are asked for.

    A world whose scenes hold more than plain scenes do overrides `example_of`.
    """

    def __init__(self, dataset: Dataset, schema: Schema) -> None:
        self.dataset = dataset
        self.schema = schema
        self._latest: tuple[Group | None, Any] = (None, None)  # the rows that were asked for last

    @property
    def path(self) -> Path:
        """The folder of the dataset."""
        return self.dataset.path

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split."""
        return self.dataset.splits

    @cached_property
    def _rows(self) -> RowGroups:
        """The rows by number, of which some groups are in memory; that all can be read was seen."""
        from deixis.data._row_groups import RowGroups

        sizes = [
            (path, sum(table.num_rows for table in read_parquet(path, columns=list(COLUMNS))))
            for path in self.dataset.files()
        ]
        rows = RowGroups(sizes, COLUMNS)
        if not len(rows):
            raise BrokenDataset(f"{self.path} holds no examples")
        return rows

    def _row(self, number: int) -> dict[str, Any]:
        """The columns of an example; its neighbours are likely to be asked for next."""
        group, table = self._latest
        if group is None or not group.start <= number < group.stop:
            group = self._rows.group_of(number)
            table = self._rows.read(group, keep=True)
            self._latest = group, table
        return {name: table[name][number - group.start].as_py() for name in COLUMNS}

    def _column(self, name: str) -> list[np.ndarray]:
        """One column, group by group."""
        groups = self._rows.groups()
        return [np.array(self._rows.read(group, [name])[name].to_pylist()) for group in groups]

    @cached_property
    def has_absent(self) -> bool:
        """True if there are examples that fit nothing, whose target is -1."""
        return len(self.numbers_with_target()) < len(self)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> Any:
        if not 0 <= number < len(self):
            raise UnknownName(f"there is no example {number} in {self.path.name}; it has {len(self):,}, counted from 0")
        row = self._row(number)
        try:
            return self.example_of(row)
        except (DeixisError, LookupError, ValueError, TypeError, RecursionError) as error:
            raise BrokenDataset(f"example {number} of {self.path.name} cannot be read: {error}") from error

    def take(self, numbers: Sequence[int]) -> Any:
        """Return some of the rows, in the given order, as a table of pyarrow."""
        return self._rows.take(numbers)

    def example_of(self, row: dict[str, Any]) -> Any:
        """Return the example of a row, or raise any usual error for a row that holds none."""
        return _example(row, self.schema)

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for an unknown split."""
        if split is None:
            return range(len(self))
        if split not in self.splits:
            raise UnknownName(f"there is no split {split[:40]!r} in {self.path.name}; it has {', '.join(self.splits)}")
        is_inside = [names == split for names in self._column("split")]
        return np.flatnonzero(np.concatenate(is_inside)).tolist()

    def numbers_with_target(self, split: str | None = None) -> list[int]:
        """Return the numbers of the examples of a split, or of all, that fit an object."""
        targets = np.concatenate(self._column("target_object"))
        return [number for number in self.numbers(split) if targets[number] >= 0]


def _row(example: PlainExample) -> dict[str, Any]:
    expression = None if example.expression is None else expression_to_plain(example.expression)
    scenes = [scene_to_plain(scene) for scene in example.context.scenes]
    return {
        "id": example.id,
        "split": example.split,
        "text": example.text,
        "expression": _json(expression),
        "scenes": _json(scenes),
        "target_scene": example.context.target.scene,
        "target_object": example.context.target.object,
        "facts": _json(example.facts),
    }


def _example(row: dict[str, Any], schema: Schema) -> PlainExample:
    scenes = tuple(scene_from_plain(one, schema) for one in json.loads(row["scenes"]))
    said = json.loads(row["expression"])
    return PlainExample(
        id=row["id"],
        split=row["split"],
        text=row["text"],
        expression=None if said is None else expression_from_plain(said),
        context=Context(scenes, Where(row["target_scene"], row["target_object"])),
        facts=json.loads(row["facts"]),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
