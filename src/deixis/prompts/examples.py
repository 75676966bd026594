"""The examples that are asked about, and those that are solved before: from a dataset, or made fresh by a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.datasets.a3ds import read_pairs
from deixis.datasets.asked import data_digest
from deixis.datasets.copsref.store import open_copsref
from deixis.datasets.judged_plans import places_of
from deixis.datasets.row_groups import row_groups_of
from deixis.datasets.sources import open_source, sample_rows
from deixis.datasets.store import open_dataset
from deixis.datasets.table import example_at, examples_of
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.prompts.ask import Found, Posed
from deixis.prompts.fresh import fresh_grid, fresh_photographs
from deixis.prompts.gold_grid import GridGold
from deixis.prompts.pose_grid import grid_instructions, grid_question
from deixis.prompts.pose_photographs import Photographs, region_instructions
from deixis.prompts.pose_rooms import room_gold, room_instructions, room_question
from deixis.prompts.recipe import digest_of
from deixis.scene.factors import IMAGES
from deixis.seeds import Stream, derive
from deixis.worlds.shapes.pairs import SETS, draw_contexts, partition, test_sets


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from deixis.datasets.copsref.store import CopsRef
    from deixis.datasets.sources import Source
    from deixis.prompts.gold_rooms import RoomGold
    from deixis.prompts.recipe import PromptRecipe
    from deixis.tasks.localise import Example as Expression
    from deixis.tasks.navigate import Example

    Tell = Callable[[str, int, int | None], None]


__all__ = ["find_grid", "find_photographs", "find_rooms"]

TRAIN, TEST = "train", "test"
SPARE = 4  # times as many pairs are drawn as are asked: some cannot be told apart in words


# -------------------------------------------------------------------------------- grid worlds


def find_grid(
    recipe: PromptRecipe, data: Path | None, fresh: int | None, folder: Path, workers: int, progress: Tell | None
) -> Found:
    """Commands to ask about."""
    given = open_source(data) if data is not None else None
    if fresh is not None:
        source, digest = fresh_grid(fresh, folder, like=given, workers=workers, progress=progress)
        known = places_of(given) if given is not None else None
    else:
        assert given is not None
        source, digest, known = given, data_digest(given), None
    splits = recipe.splits or (TEST,)
    _demand_known(splits, source.splits, source.path.name)
    if TRAIN in splits and recipe.shots:
        raise RecipeError("solved examples come from the split train, which cannot be asked about as well")
    asked: list[Example] = []
    for split in splits:
        some = _grid_examples(source, split, recipe.limit, seed=derive(recipe.seed, "ask", split))
        if known is not None:  # a fresh example that happens to be in the dataset is not fresh
            places = known.find(np.array([example.id for example in some], np.uint64))
            some = [example for example, place in zip(some, places.tolist(), strict=True) if place < 0]
        asked += some
    shots = _grid_shots(source, recipe, {example.id for example in asked})

    def posed(example: Example) -> Posed:
        gold = GridGold(example, recipe.wanted)  # type: ignore[arg-type]
        return Posed(grid_question(gold, recipe.style), gold)

    instructions = grid_instructions(recipe.wanted, recipe.style)
    return Found(instructions, [*map(posed, shots)], [*map(posed, asked)], digest)


def _grid_shots(source: Source, recipe: PromptRecipe, asked: set[int]) -> list[Example]:
    if not recipe.shots:
        return []
    _demand_known((TRAIN,), source.splits, source.path.name)
    some = _grid_examples(source, TRAIN, 2 * recipe.shots, seed=derive(recipe.seed, "shots"))
    shots = [example for example in some if example.id not in asked and example.split in (TRAIN, "")]
    return _enough(shots, recipe.shots)


def _grid_examples(source: Source, split: str, count: int, *, seed: int) -> list[Example]:
    """A random sample of a split, in random order."""
    if source.dataset is None:
        table = sample_rows(source.tables(split), count, seed=seed)
        some = [] if table is None else list(examples_of(table))
        return Stream(seed).shuffled(some)
    start, stretches = 0, []
    for file in source.dataset.manifest["files"]:
        if split in (file["split"], *file["split"].split("+")):
            stretches.append(np.arange(start, start + file["rows"]))
        start += file["rows"]
    numbers = np.concatenate([np.zeros(0, np.int64), *stretches])
    rows = row_groups_of(source).take(numbers[_drawn(len(numbers), count, seed=seed)])
    return [example_at(rows, number) for number in range(rows.num_rows)]


def _drawn(total: int, count: int, *, seed: int) -> list[int]:
    """Different numbers below a total in random order; all of them where there are not more."""
    stream = Stream(seed)
    if total <= 2 * count:
        return stream.shuffled(range(total))[:count]
    chosen: dict[int, None] = {}
    while len(chosen) < count:
        chosen[stream.below(total)] = None
    return list(chosen)


# -------------------------------------------------------------------------------- rooms


def find_rooms(
    recipe: PromptRecipe, data: Path | None, fresh: int | None, folder: Path, workers: int, progress: Tell | None
) -> Found:
    """Pairs of images to ask about: those of a dataset, or fresh ones of images that nothing was trained on."""
    del folder, workers, progress
    images = _images(data, fresh)
    if fresh is None:
        assert data is not None
        path = data / "pairs" / "test.parquet"
        if not path.is_file():
            raise BrokenDataset(f"{data} has no test sets of pairs; make it with test sets, or add --fresh SEED")
        sets = read_pairs(path)
        digest = str(open_dataset(data).manifest.get("recipe digest", ""))
    else:
        sets = test_sets(seed=fresh, count=SPARE * recipe.limit, among=images[TEST])
        digest = digest_of(
            {"test sets": list(SETS), "seed": fresh, "images": [int(images[TEST][0]), len(images[TEST])]}
        )
    names = recipe.splits or tuple(sets)
    if names == (TEST,):
        names = tuple(sets)
    _demand_known(names, sets, "the dataset")
    golds: list[RoomGold] = []
    for name in names:
        some: list[RoomGold] = []
        rows = sets[name]
        for place in _drawn(len(rows), min(SPARE * recipe.limit, len(rows)), seed=derive(recipe.seed, "ask", name)):
            gold = _room(rows[place], name, recipe)
            if gold is not None and len(some) < recipe.limit:
                some.append(gold)
            if len(some) == recipe.limit:
                break
        golds += some
    drawn = draw_contexts(
        SPARE * max(recipe.shots, 1), seed=derive(recipe.seed, "shots"), shared=2, among=images[TRAIN]
    )
    shots = [gold for row in drawn if (gold := _room(row, TRAIN, recipe)) is not None] if recipe.shots else []

    def posed(gold: RoomGold) -> Posed:
        return Posed(room_question(gold, recipe.style), gold)

    instructions = room_instructions(recipe.wanted, recipe.style)  # type: ignore[arg-type]
    return Found(instructions, [*map(posed, _enough(shots, recipe.shots))], [*map(posed, golds)], digest)


def _room(row: np.ndarray, name: str, recipe: PromptRecipe) -> RoomGold | None:
    images = tuple(int(image) for image in row)
    return room_gold(images, name=name, answer=recipe.wanted, seed=recipe.seed)  # type: ignore[arg-type]


def _images(data: Path | None, fresh: int | None) -> dict[str, np.ndarray]:
    """The images of the training and the test split: those of the dataset, or of the partition by a seed."""
    if data is None:
        return partition(seed=fresh or 0)._asdict()
    found = {}
    for split in (TRAIN, TEST):
        path = data / "ids" / f"{split}.txt"
        try:
            numbers = np.array(path.read_text(encoding="utf-8").split(), np.int64)
        except (OSError, ValueError, OverflowError) as error:
            raise BrokenDataset(f"{path} does not list the images of the split {split}: {error}") from error
        if not len(numbers) or numbers.min() < 0 or numbers.max() >= IMAGES:
            raise BrokenDataset(f"{path} lists no images, or some that there are not")
        found[split] = numbers
    return found


# -------------------------------------------------------------------------------- photographs


def find_photographs(
    recipe: PromptRecipe, data: Path | None, fresh: int | None, folder: Path, workers: int, progress: Tell | None
) -> Found:
    """Expressions to ask about."""
    given = open_copsref(data) if data is not None else None
    if fresh is not None:
        source, digest = fresh_photographs(fresh, folder, like=given, workers=workers, progress=progress)
    else:
        assert given is not None
        source, digest = given, digest_of(given.dataset.manifest["files"])
    splits = recipe.splits or (TEST,)
    _demand_known(splits, source.splits, source.path.name)
    if TRAIN in splits and recipe.shots:
        raise RecipeError("solved examples come from the split train, which cannot be asked about as well")
    photographs = Photographs(source.scenes, _picture_folders(source), recipe.seed)
    asked = [example for split in splits for example in _expressions(source, split, recipe)]
    shown = [photographs.shown(example, recipe.setting) for example in asked]
    shots = [photographs.shown(example, recipe.setting) for example in _expression_shots(source, recipe)]

    def posed(one: Any) -> Posed:
        return Posed(photographs.question(one, recipe.style), one.gold)

    return Found(region_instructions(recipe.style), [*map(posed, shots)], [*map(posed, shown)], digest)


def _expressions(source: CopsRef, split: str, recipe: PromptRecipe) -> list[Expression]:
    """A random sample of a split, with the wanted share of expressions that fit nothing as far as there are any."""
    known = list(source.examples(split))
    there = [example for example in known if example.is_there]
    absent = [example for example in known if not example.is_there]
    wanted = round(recipe.limit * recipe.absent)
    if len(there) < recipe.limit - wanted and recipe.absent < 1:  # keep the share where there are too few
        wanted = round(len(there) * recipe.absent / (1 - recipe.absent))
    seed = derive(recipe.seed, "ask", split)
    chosen = [there[place] for place in _drawn(len(there), recipe.limit - wanted, seed=derive(seed, "there"))]
    chosen += [absent[place] for place in _drawn(len(absent), wanted, seed=derive(seed, "absent"))]
    return Stream(seed).shuffled(chosen)


def _expression_shots(source: CopsRef, recipe: PromptRecipe) -> list[Expression]:
    if not recipe.shots:
        return []
    _demand_known((TRAIN,), source.splits, source.path.name)
    known = list(source.examples(TRAIN))
    return _enough(
        [known[place] for place in _drawn(len(known), recipe.shots, seed=derive(recipe.seed, "shots"))], recipe.shots
    )


def _picture_folders(source: CopsRef) -> tuple[Path, ...]:
    """Where pictures may lie: in the dataset, or where `deixis make copsref` draws, beside it."""
    beside = source.path.with_name(f"{source.path.name}-imagined")
    return source.path / "images", source.path / "pictures", beside / "images"


# -------------------------------------------------------------------------------- what must be there


def _demand_known(names: Iterable[str], known: Any, where: str) -> None:
    for name in names:
        if known is not None and name not in known:
            raise UnknownName(f"there is no split {name[:40]!r} in {where}; it has {', '.join(known) or 'none'}")


def _enough(shots: list[Any], wanted: int) -> list[Any]:
    if len(shots) < wanted:
        raise RecipeError(f"{wanted} solved examples are wanted, but the training split has {len(shots)} for it")
    return shots[:wanted]
