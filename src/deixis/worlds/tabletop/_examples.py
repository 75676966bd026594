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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.data.store import open_dataset
from deixis.errors import SchemaError
from deixis.expression.plain import expression_from_json, expression_to_json, expression_to_plain
from deixis.scene.scene import Context, Where
from deixis.worlds.tabletop._scene import SolidScene, table_from_plain, table_to_plain
from deixis.worlds.tabletop._schema import SCHEMA
from deixis.worlds.toolkit.examples import RowDataset, RowExamples


if TYPE_CHECKING:
    from deixis.expression.description import Expression


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

    @property
    def choices(self) -> tuple[str, ...]:
        """Texts to choose from, of which there are none."""
        return ()

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


class TableExamples(RowExamples):
    """Part `examples`."""

    def open(self, path: Path) -> TableDataset:
        """Open the examples of a dataset folder, or raise `BrokenDataset` if there are none."""
        return TableDataset(open_dataset(Path(path)), self.schema)

    def scene_from(self, values: object) -> SolidScene:
        """Return a table as rows keep it, or raise `SchemaError` for anything else."""
        return SolidScene(table_from_plain(values))


class TableDataset(RowDataset):
    """The examples of a dataset folder, read when they are asked for."""

    def example_of(self, row: dict[str, Any]) -> TableExample:
        """Return the example of a row."""
        return example_of(row)


EXAMPLES = TableExamples(SCHEMA)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
