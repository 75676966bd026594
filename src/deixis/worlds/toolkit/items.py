"""Ready-made items for worlds whose examples are rows: objects as numbers for PyTorch, and how many are found.

| column | added for PyTorch |
|---|---|
| `objects` | int64 [object, attribute], the number of each value, -1 for none; objects of all scenes in order |
| `scene` | int64 [object], the scene that each is in |
| `target` | int64, the number of the object that is meant among all of them, -1 for none |
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._example_rows import no_columns
from deixis.errors import SchemaError
from deixis.judge._lists import demand_alike, demand_data, mean


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.judge._lists import Numbers
    from deixis.scene.scene import Scene
    from deixis.schema import Schema
    from deixis.worlds.world import World


__all__ = ["ObjectItems", "ready_part"]


def ready_part(world: World) -> ObjectItems:
    """The items of a world that has none of its own."""
    return ObjectItems(world)


@dataclass(frozen=True)
class ObjectItems:
    """Part `items` for every world with examples.

    Columns are added only to rows of `toolkit.examples`.
    """

    world: World

    @property
    def metrics(self) -> Mapping[str, Callable[..., Numbers]]:
        """The share of objects that are found, under a name of the world's own."""
        return {f"{self.world.name}_accuracy": self.accuracy}

    def columns(self, path: Path, *, pictures: bool) -> Callable[[Any], dict[str, Any]]:
        """The objects of rows as numbers."""
        del path, pictures
        examples = self.world.part("examples")
        schema = getattr(examples, "schema", None)
        return no_columns if schema is None else _Columns(schema, examples.scene_from).of

    def accuracy(self, predictions: Sequence[str], references: Sequence[str], **options: Any) -> Numbers:
        """Return the share of predictions that are the number of the target among the objects of all scenes, from 0.

        Args:
            predictions: numbers of objects, as text; anything else is wrong.
            references: the numbers of the examples in the dataset.
            **options: `data`, the dataset.
        """
        demand_alike(predictions=predictions, references=references)
        demand_data(options, next(iter(self.metrics)))
        examples = self.world.part("examples").open(Path(options["data"]))
        try:
            right = [_target(examples[int(number)].context) for number in references]
        except ValueError:
            raise SchemaError("references are the numbers of examples") from None
        said = [int(text) if text.strip().isdecimal() else None for text in map(str, predictions)]
        found = [one == other for one, other in zip(said, right, strict=True)]
        return {"accuracy": mean(found), "unparsable": said.count(None), "examples": len(found)}


@dataclass(frozen=True)
class _Columns:
    schema: Schema
    scene_from: Callable[[object], Scene]

    def of(self, table: Any) -> dict[str, Any]:
        """The objects of some rows."""
        if not {"scenes", "target_scene", "target_object"} <= set(table.column_names):
            return {}
        every = [[self.scene_from(one) for one in json.loads(text)] for text in table.column("scenes").to_pylist()]
        places = zip(
            every, table.column("target_scene").to_pylist(), table.column("target_object").to_pylist(), strict=True
        )
        return {
            "objects": [np.array([row for one in scenes for row in self._codes(one)], np.int64) for scenes in every],
            "scene": [np.repeat(np.arange(len(scenes)), [len(one) for one in scenes]) for scenes in every],
            "target": np.array([_place(scenes, scene, number) for scenes, scene, number in places], np.int64),
        }

    def _codes(self, scene: Scene) -> list[list[int]]:
        return [[self._code(scene, k, one.name) for one in self.schema.attributes] for k in range(len(scene))]

    def _code(self, scene: Scene, index: int, attribute: str) -> int:
        values = sorted(scene.values(index, attribute))
        return self.schema.attribute(attribute).code(values[0]) if values else -1


def _place(scenes: Sequence[Scene], scene: int, number: int) -> int:
    """Return the number of an object among those of all scenes, or -1 where none is meant."""
    return sum(map(len, scenes[:scene])) + number if scene >= 0 else -1


def _target(context: Any) -> int:
    return sum(map(len, context.scenes[: context.target.scene])) + int(context.target.object)
