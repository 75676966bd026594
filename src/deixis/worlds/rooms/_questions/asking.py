"""Pairs of rooms as questions: which are asked, and which are solved before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from deixis.data.store import open_dataset
from deixis.errors import BrokenDataset
from deixis.prompts.question import GoldMessage, QuestionPool
from deixis.prompts.recipe import digest_of
from deixis.prompts.tasks import TEST, TRAIN, Questions, demand_shots, demand_splits, draw_numbers
from deixis.seeds import derive
from deixis.worlds.rooms._questions.gold import RoomGold, contrast
from deixis.worlds.rooms._questions.pose import FOR_PEOPLE, room_areas, room_gold, room_instructions, room_question
from deixis.worlds.rooms.data.make import read_test_sets
from deixis.worlds.rooms.every_word import EVERY_WORD, draw_every_word
from deixis.worlds.rooms.pairs import SETS, draw_contexts, partition, test_sets
from deixis.worlds.rooms.scene import IMAGES


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell


SPARE = 4  # times as many pairs are drawn as are asked: some cannot be told apart in words


class RoomQuestions(Questions):
    """Pairs of images: which of them a caption describes, or a caption that tells them apart."""

    answers = ("choose", "caption")
    styles = ("text", "image")
    limit = 10  # of each set of pairs
    tokens: ClassVar[Mapping[str, int]] = {"choose": 128, "caption": 128}
    shown_to_people: ClassVar[Mapping[str, str]] = FOR_PEOPLE
    lower_is_better = ("mentioned_features", "false_features")

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
        """Pairs of a dataset, or fresh ones of images that nothing was trained on."""
        del folder, workers, progress
        images = _images(data, fresh)
        if fresh is None:
            assert data is not None
            sets = read_test_sets(data)
            if not sets:
                raise BrokenDataset(f"{data} has no test sets of pairs; make it with test sets, or add --fresh SEED")
            digest = str(open_dataset(data).manifest.get("recipe digest", ""))
        else:
            sets = test_sets(seed=fresh, count=SPARE * recipe.limit, among=images[TEST])
            if set(recipe.splits) & set(EVERY_WORD):
                sets |= draw_every_word(seed=fresh, count=SPARE * recipe.limit, among=images[TEST])
            digest = digest_of(
                {"test sets": list(SETS), "seed": fresh, "images": [int(images[TEST][0]), len(images[TEST])]}
            )
        names = recipe.splits or tuple(sets)
        if names == (TEST,):
            names = tuple(sets)
        demand_splits(names, sets, "the fresh test sets" if data is None else data.name)
        golds: list[RoomGold] = []
        for name in names:
            some: list[RoomGold] = []
            rows = sets[name]
            seed = derive(recipe.seed, "ask", name)
            for place in draw_numbers(len(rows), min(SPARE * recipe.limit, len(rows)), seed=seed):
                gold = _gold(rows[place], name, recipe)
                if gold is not None and len(some) < recipe.limit:
                    some.append(gold)
                if len(some) == recipe.limit:
                    break
            golds += some
        drawn = draw_contexts(
            SPARE * max(recipe.shots, 1), seed=derive(recipe.seed, "shots"), shared=2, among=images[TRAIN]
        )
        shots = [gold for row in drawn if (gold := _gold(row, TRAIN, recipe)) is not None] if recipe.shots else []

        def pose(gold: RoomGold) -> GoldMessage:
            areas = room_areas(gold) if recipe.wanted == "choose" else ()
            return GoldMessage(room_question(gold, recipe.shown), gold, areas)

        instructions = room_instructions(recipe.wanted, recipe.shown)
        return QuestionPool(instructions, [*map(pose, demand_shots(shots, recipe.shots))], [*map(pose, golds)], digest)

    def difficulty(self, gold: RoomGold) -> dict[str, int]:
        """Count the images that are not meant, and the features in which all of them differ from the one that is."""
        target = gold.images[gold.target]
        others = [image for place, image in enumerate(gold.images) if place != gold.target]
        telling = set.intersection(*(set(contrast(target, other)) for other in others))
        return {"distractors": len(others), "differences": len(telling)}

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> RoomGold:
        """The images that `RoomGold.to_plain` wrote."""
        return RoomGold.from_plain(plain, answer)


QUESTIONS = RoomQuestions()


def _gold(row: np.ndarray, name: str, recipe: PromptRecipe) -> RoomGold | None:
    return room_gold(tuple(int(image) for image in row), name=name, answer=recipe.wanted, seed=recipe.seed)


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
