"""Part `examples`: tables with what is said of them, kept as rows.

| column | |
|---|---|
| `id` | int64, its number in the dataset |
| `split` | `train`, `dev`, `test`, or the test set by rule |
| `text` | what is said |
| `expression` | what it means, as JSON (`deixis.expression.plain`) |
| `scenes` | the tables, as JSON: `camera` (azimuth, elevation, distance, view) and `solids` (size, colour, material, \
shape, x, y, turn), in whole numbers |
| `target_scene`, `target_object` | int32, the solid that is meant; -1 where nothing fits |
| `facts` | the form, and of what fits nothing the false word, as JSON |
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data.store import Dataset, open_dataset
from deixis.errors import BrokenDataset, DeixisError, SchemaError, UnknownName
from deixis.expression.plain import expression_from_json, expression_to_json, expression_to_plain
from deixis.scene.scene import Context, Where
from deixis.worlds.tabletop._scene import SolidScene, table_from_plain, table_to_plain


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deixis.expression.description import Expression


COLUMNS = ("id", "split", "text", "expression", "scenes", "target_scene", "target_object", "facts")
NOWHERE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class TableExample:
    """One expression with the tables that it is said of.

    Attributes:
        scenes: the tables.
        target: the solid that is meant, or None where nothing fits.
        expression: what is said.
        text: its words.
        split: where it belongs.
        id: its number in the dataset.
        facts: the form of the expression, and of one that fits nothing, which word is false.
    """

    scenes: tuple[SolidScene, ...]
    target: Where | None
    expression: Expression
    text: str
    split: str = ""
    id: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def context(self) -> Context:
        """The tables and the target, or `SchemaError` where nothing fits."""
        if self.target is None:
            raise SchemaError(f"nothing on these tables is {self.text!r}, so there is no target")
        return Context(self.scenes, self.target)

    @property
    def answer(self) -> int | None:
        """The number of the solid that is meant, or None where nothing fits."""
        return None if self.target is None else self.target.object

    @property
    def is_there(self) -> bool:
        """Whether something fits."""
        return self.target is not None

    def content(self) -> list[Any]:
        """Everything but the id and the split, by which copies are found."""
        tables = [table_to_plain(scene.table) for scene in self.scenes]
        target = None if self.target is None else list(self.target)
        return [self.text, expression_to_plain(self.expression), tables, target]


def row_of(example: TableExample) -> dict[str, Any]:
    """Return an example as the row of a table."""
    target = example.target or Where(NOWHERE, NOWHERE)
    return {
        "id": example.id,
        "split": example.split,
        "text": example.text,
        "expression": expression_to_json(example.expression),
        "scenes": _json([table_to_plain(scene.table) for scene in example.scenes]),
        "target_scene": target.scene,
        "target_object": target.object,
        "facts": _json(example.facts),
    }


def table_of(examples: Iterable[TableExample]) -> Any:
    """Return examples as a table of pyarrow."""
    import pyarrow as pa

    kinds = {"id": pa.int64(), "target_scene": pa.int32(), "target_object": pa.int32()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    return pa.Table.from_pylist([row_of(example) for example in examples], schema=schema)


def example_of(row: dict[str, Any]) -> TableExample:
    """Return the example of a row; whatever is wrong with it is a `DeixisError`, `ValueError` or `TypeError`."""
    tables = json.loads(row["scenes"])
    if not isinstance(tables, list) or not tables:
        raise SchemaError("an example shows one table or several")
    scenes = tuple(SolidScene(table_from_plain(one)) for one in tables)
    target = Where(row["target_scene"], row["target_object"])
    facts = json.loads(row["facts"])
    made = TableExample(
        scenes=scenes,
        target=None if target == (NOWHERE, NOWHERE) else target,
        expression=expression_from_json(row["expression"]),
        text=row["text"],
        split=row["split"],
        id=row["id"],
        facts=facts if isinstance(facts, dict) else {},
    )
    if made.target is not None:
        _ = made.context  # the target is there
    return made


class TableExamples:
    """Part `examples`."""

    def open(self, path: Path) -> TableDataset:
        """Open the examples of a dataset folder, or raise `BrokenDataset` if there are none."""
        return TableDataset(open_dataset(Path(path)))

    def recognises(self, path: Path) -> bool:
        """Return False, as no file without a manifest is of this world."""
        del path
        return False


class TableDataset:
    """The examples of a dataset folder, read when they are asked for."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    @property
    def path(self) -> Path:
        """The folder of the dataset."""
        return self.dataset.path

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split."""
        return self.dataset.splits

    @cached_property
    def _table(self) -> Any:
        import pyarrow as pa

        tables = list(self.dataset.tables(columns=list(COLUMNS)))
        if not tables:
            raise BrokenDataset(f"{self.path} holds no examples")
        return pa.concat_tables(tables)

    @cached_property
    def _splits(self) -> np.ndarray:
        return np.array(self._table["split"].to_pylist())

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, number: int) -> TableExample:
        if not 0 <= number < len(self):
            raise UnknownName(f"there is no example {number} in {self.path.name}; it has {len(self):,}, counted from 0")
        try:
            return example_of({name: self._table[name][number].as_py() for name in COLUMNS})
        except (DeixisError, ValueError, TypeError, LookupError, RecursionError) as error:
            raise BrokenDataset(f"example {number} of {self.path.name} cannot be read: {error}") from error

    def __iter__(self) -> Iterator[TableExample]:
        return (self[number] for number in range(len(self)))

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for an unknown split."""
        if split is None:
            return range(len(self))
        if split not in self.splits:
            raise UnknownName(f"there is no split {split[:40]!r} in {self.path.name}; it has {', '.join(self.splits)}")
        found: list[int] = np.flatnonzero(self._splits == split).tolist()
        return found


EXAMPLES = TableExamples()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
