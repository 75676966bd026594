"""Part `recipes`: examples drawn one by one from their own seeds, by any number of workers, and put into splits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from deixis.worlds.tabletop._making.recipe import TabletopRecipe
from deixis.worlds.toolkit.recipes import ExampleRecipes


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deixis.worlds.tabletop._examples import TableExample
    from deixis.worlds.toolkit.recipes import Recipe


@dataclass(frozen=True, kw_only=True)
class TabletopRecipes(ExampleRecipes):
    """The dataset of this world."""

    def draw_example(self, recipe: Any, number: int) -> TableExample:
        """Draw the example of a number: of train, dev and test, or of the test set by rule whose block it is in."""
        from deixis.worlds.tabletop._making.draw import wish_of

        drawn = replace(_draw_example(recipe, number), id=number)
        return replace(drawn, split=wish_of(recipe, number).test or self.split_of(recipe, drawn))

    def rows_of(self, examples: Iterable[Any]) -> Any:
        """Return examples as a table of pyarrow, each with its tables in whole numbers."""
        from deixis.worlds.tabletop._examples import row_of
        from deixis.worlds.toolkit.examples import table_of

        return table_of(examples, row_of)

    def write_split(self, recipe: Any, rows: Any, path: Path, *, workers: int, crew: Any) -> None:
        """Write the rows of a split, with their pictures if the recipe asks for them."""
        if not recipe.pictures:
            super().write_split(recipe, rows, path, workers=workers, crew=crew)
            return
        from deixis.worlds.tabletop._making.pictures import write_with_pictures

        write_with_pictures(rows, path, size=(recipe.width, recipe.height), workers=workers, crew=crew)

    def demo(self, seed: int = 0) -> Recipe:
        """A small dataset to look at, with all test sets."""
        return TabletopRecipe(examples=160, tests=8, seed=seed)


def _draw_example(recipe: Any, number: int) -> TableExample:
    from deixis.worlds.tabletop._making.draw import (
        draw_example,  # with its kernels, which help and completion do without
    )

    return draw_example(recipe, number)


RECIPES = TabletopRecipes(
    world="tabletop",
    recipe=TabletopRecipe,
    draw=_draw_example,  # type: ignore[arg-type]  # asked by number above, not by a stream of chance
)
