"""Commands in grid worlds as questions: those that are asked, and those solved as examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.data.recipes import fresh_recipe
from deixis.errors import RecipeError
from deixis.expression.patterns import pattern
from deixis.prompts._box_forms import BOX_ANSWERS
from deixis.prompts._box_gold import BoxGold
from deixis.prompts._box_questions import is_box
from deixis.prompts.question import GoldMessage, QuestionPool
from deixis.prompts.tasks import TEST, TRAIN, Questions, demand_shots, demand_splits, draw_numbers
from deixis.seeds import Stream, derive
from deixis.worlds.grid._questions.gold import GridGold
from deixis.worlds.grid._questions.pose import FOR_PEOPLE, grid_areas, grid_box, grid_instructions, grid_question
from deixis.worlds.grid.data._judged_plans import places_of
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.data.sources import open_source, row_groups_of, sample_rows
from deixis.worlds.grid.data.table import example_at, examples_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.pool import MAX_EXAMPLES
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.making.recipe import Recipe
    from deixis.worlds.grid.navigate import Example


class GridQuestions(Questions):
    """Questions about commands: the actions that carry each out, or its target."""

    answers = ("actions", "target", *BOX_ANSWERS)
    styles = ("text", "board", "image")
    tokens: ClassVar[Mapping[str, int]] = {"actions": 512}
    asked_of_people = "target"
    shown_to_people: ClassVar[Mapping[str, str]] = {"target": FOR_PEOPLE}

    def styles_for(self, answer: str) -> tuple[str, ...]:
        """Return how boards are shown: as pictures, where a box is wanted."""
        return ("image",) if is_box(answer) else self.styles

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of fresh sets, those that are given: at most so many `objects`, so many `clauses`."""
        for name, value in given.items():
            if name not in BOUNDS:
                raise RecipeError(
                    f"unknown setting {name[:40]!r} of questions about commands; known: {', '.join(BOUNDS)}"
                )
            if type(value) is not int or not BOUNDS[name] <= value:
                raise RecipeError(f"{name} is a whole number from {BOUNDS[name]}, got {value!r}")
        return dict(given)

    def bounds(self, most: Mapping[str, int]) -> dict[str, int]:
        """Return the bounds of objects and clauses as settings."""
        return {name: most[name] for name in BOUNDS if name in most}

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
            fresh_one: Any = fresh_recipe(WORLD, fresh, like=data)
            made = _within(fresh_one, recipe.options)
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
            if is_box(recipe.wanted):
                return grid_box(gold, recipe.wanted)
            areas = grid_areas(gold) if recipe.wanted == "target" else ()
            return GoldMessage(grid_question(gold, recipe.shown), gold, areas)

        instructions = grid_instructions(recipe.wanted, recipe.shown)
        return QuestionPool(instructions, [*map(pose, shots)], [*map(pose, asked)], digest)

    def difficulty(self, gold: GridGold | BoxGold) -> dict[str, int]:
        """Count objects, those of them that are not mentioned, clauses, and actions of the right plan."""
        if isinstance(gold, BoxGold):
            return {"objects": len(gold.candidates), "clauses": len(pattern(gold.facts["pattern"])) - 1}
        example = gold.example
        objects, mentions = len(example.scene), sum(1 for _ in example.expression.mentions())
        return {
            "objects": objects,
            "distractors": max(0, objects - mentions),
            "clauses": mentions - 1,
            "actions": len(example.plan),
        }

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> GridGold | BoxGold:
        """Read the plan, the cell or the box that `to_plain` wrote."""
        return BoxGold.from_plain(plain) if is_box(answer) else GridGold.from_plain(plain, answer)


QUESTIONS = GridQuestions()
BOUNDS = {"objects": 4, "clauses": 0}  # of fresh sets, with the least that each can be


def _within(made: Recipe, bounds: Mapping[str, int]) -> Recipe:
    """Return a recipe without longer commands and larger worlds than asked, and without test sets made on purpose."""
    if not bounds:
        return made
    clauses, cap = bounds.get("clauses", MAX_EXAMPLES), min(made.cap, bounds.get("objects", made.cap))
    pools = tuple(pool for pool in made.pools if len(pattern(pool.pattern)) - 1 <= min(clauses, cap - 1))
    if not pools:
        raise RecipeError(f"the recipe has no commands of at most {clauses} clauses in worlds of {cap} objects")
    more = max(1, sum(pool.commands for pool in made.pools) // sum(pool.commands for pool in pools))
    return replace(
        made,
        pools=tuple(replace(pool, commands=pool.commands * more) for pool in pools),
        tests=(),
        hold_out=tuple(rule for rule in made.hold_out if not rule.is_generated),
        cap=cap,
        fill=min(made.fill, cap),
    )


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
