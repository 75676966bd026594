"""Commands in grid worlds as questions: those that are asked, and those solved as examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.data.recipes import fresh_recipe
from deixis.prompts.question import GoldMessage, QuestionPool
from deixis.prompts.tasks import TEST, TRAIN, Questions, demand_shots, demand_splits, draw_numbers
from deixis.seeds import Stream, derive
from deixis.worlds.grid._questions.gold import GridGold
from deixis.worlds.grid._questions.pose import FOR_PEOPLE, grid_areas, grid_instructions, grid_question
from deixis.worlds.grid.data._judged_plans import places_of
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.data.sources import open_source, row_groups_of, sample_rows
from deixis.worlds.grid.data.table import example_at, examples_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.navigate import Example


class GridQuestions(Questions):
    """Questions about commands: the actions that carry each out, or its target."""

    answers = ("actions", "target")
    styles = ("text", "board", "image")
    tokens: ClassVar[Mapping[str, int]] = {"actions": 512}
    asked_of_people = "target"
    shown_to_people: ClassVar[Mapping[str, str]] = {"target": FOR_PEOPLE}

    def find(
        self,
        recipe: PromptRecipe,
        data: Path | None,
        *,
        fresh: int | None,
        folder: Path,
        workers: int,
        progress: Tell | None,
    ) -> QuestionPool:
        """Find commands of a dataset, or make fresh ones, which proves that no split leaks."""
        given = open_source(data) if data is not None else None
        if fresh is not None:
            made: Any = fresh_recipe(WORLD, fresh, like=data)
            make(made, folder, workers=workers, progress=progress)
            source, digest = open_source(folder), made.digest
            known = places_of(given) if given is not None else None
        else:
            assert given is not None
            source, digest, known = given, data_digest(given), None
        splits = recipe.splits or (TEST,)
        demand_splits(splits, source.splits, source.path.name, shots=recipe.shots)
        asked: list[Example] = []
        for split in splits:
            some = _examples(source, split, recipe.limit, seed=derive(recipe.seed, "ask", split))
            if known is not None:  # a fresh example that happens to be in the dataset is not fresh
                places = known.find(np.array([example.id for example in some], np.int64))
                some = [example for example, place in zip(some, places.tolist(), strict=True) if place < 0]
            asked += some
        shots = _shots(source, recipe, {example.id for example in asked})

        def pose(example: Example) -> GoldMessage:
            gold = GridGold(example, recipe.wanted)
            areas = grid_areas(gold) if recipe.wanted == "target" else ()
            return GoldMessage(grid_question(gold, recipe.style), gold, areas)

        instructions = grid_instructions(recipe.wanted, recipe.style)
        return QuestionPool(instructions, [*map(pose, shots)], [*map(pose, asked)], digest)

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> GridGold:
        """Read the plan or the cell that `GridGold.to_plain` wrote."""
        return GridGold.from_plain(plain, answer)


QUESTIONS = GridQuestions()


def _shots(source: Source, recipe: PromptRecipe, asked: set[int]) -> list[Example]:
    if not recipe.shots:
        return []
    demand_splits((TRAIN,), source.splits, source.path.name)
    some = _examples(source, TRAIN, 2 * recipe.shots, seed=derive(recipe.seed, "shots"))
    shots = [example for example in some if example.id not in asked and example.split in (TRAIN, "")]
    return demand_shots(shots, recipe.shots)


def _examples(source: Source, split: str, count: int, *, seed: int) -> list[Example]:
    """Return a random sample of a split, in random order."""
    if source.dataset is None:
        table = sample_rows(source.tables(split), count, seed=seed)
        some = [] if table is None else list(examples_of(table))
        return Stream(seed).permutation(some)
    start, stretches = 0, []
    for file in source.dataset.manifest["files"]:
        if split in (file["split"], *names_in_split(file["split"])):
            stretches.append(np.arange(start, start + file["rows"]))
        start += file["rows"]
    numbers = np.concatenate([np.zeros(0, np.int64), *stretches])
    rows = row_groups_of(source).take(numbers[draw_numbers(len(numbers), count, seed=seed)])
    return [example_at(rows, number) for number in range(rows.num_rows)]
