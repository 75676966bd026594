"""Part `checks`: those of all worlds, and what this one promises besides.

| code | found |
|------|-------|
| E301 | Two solids are so close that a relation between them is a matter of a pixel |
| E302 | A solid is hidden by others beyond the share that the recipe allows |
| E303 | An expression that fits nothing by its record fits something |
| E304 | A picture, its masks or its boxes do not show the table |
| E403 | An example is not in the test set whose rule it fits, or in one whose rule it does not fit |
| W202 | A reader who does not know the order of the words finds the target |
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deixis.audits.measures import bag_of_words_solves, exchanges
from deixis.data.store import MANIFEST
from deixis.errors import DeixisError
from deixis.resolution.reference import denotation
from deixis.worlds.tabletop._geometry import close_calls
from deixis.worlds.tabletop._making.draw import SIGHT
from deixis.worlds.tabletop._making.splits import TESTS, subjects_of
from deixis.worlds.tabletop._render.ids import visible_shares
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.checks import CODES, ExampleChecks


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from deixis.worlds.tabletop._examples import TableExample
    from deixis.worlds.world import World


OWN = {
    "E301": "Two solids are so close that a relation between them is a matter of a pixel",
    "E302": "A solid is hidden by others beyond the share that the recipe allows",
    "E303": "An expression that fits nothing by its record fits something",
    "E304": "A picture, its masks or its boxes do not show the table",
    "E403": "An example is not in the test set whose rule it fits, or in one whose rule it does not fit",
    "W202": "A reader who does not know the order of the words finds the target",
}
USUAL_HIDDEN = 0.4  # where the recipe does not say


class TableChecks(ExampleChecks):
    """Checks of the tables, of what fits nothing, and of the rules of the test sets.

    Args:
        world: this one.
        recipe: of the dataset that is checked, as its manifest holds it.
    """

    codes: Mapping[str, str] = MappingProxyType({**CODES, **OWN})

    def __init__(self, world: World, recipe: dict[str, Any] | None = None) -> None:
        super().__init__(world)
        told = recipe or {}
        hidden, tests = told.get("hidden", USUAL_HIDDEN), told.get("tests", 0)
        self.hidden = float(hidden) if isinstance(hidden, int | float) else USUAL_HIDDEN
        self.has_tests = isinstance(tests, int) and tests > 0

    def checks_for(self, path: Path) -> TableChecks:
        """Return the checks of a dataset by its recipe."""
        return TableChecks(self.world, _recipe_in(path))

    def file_faults(self, examples: Any) -> Iterator[tuple[str, str]]:
        """Yield the rows whose pictures, masks or boxes are not those of their tables."""
        from deixis.worlds.tabletop._making.pictures import faults_of_pictures

        try:
            yield from (("E304", what) for what in faults_of_pictures(examples.dataset))
        except (DeixisError, OSError, ValueError, TypeError, KeyError) as error:
            yield "E304", f"they cannot be read: {error}"

    def faults(self, example: TableExample) -> Iterable[tuple[str, str]]:  # type: ignore[override]
        """Yield what is wrong with the tables, the split or the order of the words."""
        yield from self._faults_of_tables(example)
        if example.target is None:
            fitting = sum(len(denotation(example.expression, scene)) for scene in example.scenes)
            if fitting:
                yield "E303", f"{fitting} objects fit {example.text!r}"
        elif exchanges(example.expression) and _is_solved_by_bag(example):
            yield "W202", f"{example.text!r}"
        if self.has_tests:
            should = subjects_of(example.expression, (scene.table for scene in example.scenes))
            stands = (example.split,) if example.split in TESTS else ()
            if should != stands:
                yield "E403", f"the rules say {' and '.join(should) or 'no test set'}"

    def _faults_of_tables(self, example: TableExample) -> Iterator[tuple[str, str]]:
        for place, scene in enumerate(example.scenes):
            told = f"table {place}: " if len(example.scenes) > 1 else ""
            yield from (("E301", f"{told}{what}") for what in close_calls(scene.table))
            shares = visible_shares(scene.table, *SIGHT)
            for k in range(len(scene)):
                if shares[k] < 1 - self.hidden:
                    yield "E302", f"{told}{1 - shares[k]:.0%} of solid {k} is hidden"


CHECKS = TableChecks(WORLD)


def _is_solved_by_bag(example: TableExample) -> bool:
    """Whether no exchange of words leads astray; only asked where the words find the target in their own order."""
    context = example.context
    found = [(place, k) for place, scene in enumerate(example.scenes) for k in denotation(example.expression, scene)]
    return found == [tuple(context.target)] and bag_of_words_solves(example.expression, context)


def _recipe_in(path: Path) -> dict[str, Any]:
    try:
        found = json.loads((path / MANIFEST).read_text(encoding="utf-8")).get("recipe")
    except (OSError, ValueError, RecursionError, AttributeError):
        return {}  # whatever is wrong with the folder, the checks of all worlds say
    return found if isinstance(found, dict) else {}
