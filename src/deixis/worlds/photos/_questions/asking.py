"""Expressions about photographs as questions: those that are asked, and those solved as examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from deixis._numbers import is_number
from deixis.data.recipes import fresh_recipe
from deixis.errors import RecipeError
from deixis.prompts._box_forms import BOX_ANSWERS
from deixis.prompts._box_gold import BoxGold
from deixis.prompts._box_questions import is_box
from deixis.prompts.question import GoldMessage, QuestionPool
from deixis.prompts.recipe import digest_of
from deixis.prompts.tasks import TEST, TRAIN, Questions, demand_shots, demand_splits, draw_numbers
from deixis.seeds import Stream, derive
from deixis.worlds.photos._questions.gold import RegionGold
from deixis.worlds.photos._questions.pose import FOR_PEOPLE, Photographs, region_instructions
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.making.make import make_copsref
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example


class PhotoQuestions(Questions):
    """Questions about expressions: the region of the images shown that each describes, if any."""

    answers = ("region", *BOX_ANSWERS)
    styles = ("text", "image")
    shown_to_people: ClassVar[Mapping[str, str]] = {"region": FOR_PEOPLE}

    def styles_for(self, answer: str) -> tuple[str, ...]:
        """Return how images are shown: as they are, where a box is wanted."""
        return ("image",) if is_box(answer) else self.styles

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings: `setting`, the images shown, and `absent`, the share of expressions that fit nothing."""
        chosen = {"setting": "Full", "absent": 0.25, **given}
        if len(chosen) > 2:
            raise RecipeError(f"questions about photographs have the settings setting and absent, not {set(given)}")
        if chosen["setting"] not in SETTINGS:
            raise RecipeError(f"unknown setting {str(chosen['setting'])[:40]!r}; known: {', '.join(SETTINGS)}")
        if not is_number(chosen["absent"]) or not 0 <= chosen["absent"] <= 1:
            said = f"got {chosen['absent']!r}"
            raise RecipeError(f"the share of expressions that fit nothing is between 0 and 1, {said}")
        return chosen

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
        """Find expressions of a dataset, or make fresh ones about freshly imagined images."""
        given = open_copsref(data) if data is not None else None
        if fresh is not None:
            made: Any = fresh_recipe(WORLD, fresh, like=data)
            make_copsref(made, folder, workers=workers, progress=progress)
            source = open_copsref(folder)
            digest = digest_of(made.to_dict())
        else:
            assert given is not None
            source, digest = given, digest_of(given.dataset.manifest["files"])
        splits = recipe.splits or (TEST,)
        demand_splits(splits, source.splits, source.path.name, shots=recipe.shots)
        photographs = Photographs(source.scenes, source.photographs.find, recipe.seed)
        setting = recipe.options["setting"]
        asked = [example for split in splits for example in _examples(source, split, recipe)]
        shown = [photographs.show(example, setting) for example in asked]
        shots = [photographs.show(example, setting) for example in _shots(source, recipe)]

        def pose(one: Any) -> GoldMessage:
            if is_box(recipe.wanted):
                return photographs.box(one, recipe.wanted)
            return GoldMessage(photographs.question(one, recipe.shown), one.gold, photographs.areas(one))

        return QuestionPool(
            region_instructions(recipe.wanted, recipe.shown), [*map(pose, shots)], [*map(pose, shown)], digest
        )

    def difficulty(self, gold: RegionGold | BoxGold) -> dict[str, int]:
        """Count the objects that are shown, the images, and the objects that are not meant."""
        if isinstance(gold, BoxGold):
            objects = len(gold.candidates)
            return {"objects": objects, "images": gold.images, "distractors": objects - len(gold.boxes)}
        images = {candidate.image_id for candidate in gold.candidates}
        objects = len(gold.candidates)
        return {"objects": objects, "images": len(images), "distractors": objects - (gold.target is not None)}

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> RegionGold | BoxGold:
        """Read the regions or boxes that `to_plain` wrote."""
        return BoxGold.from_plain(plain) if is_box(answer) else RegionGold.from_plain(plain)


QUESTIONS = PhotoQuestions()


def _examples(source: CopsRef, split: str, recipe: PromptRecipe) -> list[Example]:
    """A random sample of a split, with the wanted share of expressions that fit nothing as far as there are any."""
    known = list(source.examples(split))
    there = [example for example in known if example.is_there]
    absent = [example for example in known if not example.is_there]
    part = recipe.options["absent"]
    wanted = round(recipe.limit * part)
    if len(there) < recipe.limit - wanted and part < 1:  # keep the share where there are too few
        wanted = round(len(there) * part / (1 - part))
    seed = derive(recipe.seed, "ask", split)
    chosen = [there[place] for place in draw_numbers(len(there), recipe.limit - wanted, seed=derive(seed, "there"))]
    chosen += [absent[place] for place in draw_numbers(len(absent), wanted, seed=derive(seed, "absent"))]
    return Stream(seed).permutation(chosen)


def _shots(source: CopsRef, recipe: PromptRecipe) -> list[Example]:
    if not recipe.shots:
        return []
    demand_splits((TRAIN,), source.splits, source.path.name)
    known = list(source.examples(TRAIN))
    some = [known[place] for place in draw_numbers(len(known), recipe.shots, seed=derive(recipe.seed, "shots"))]
    return demand_shots(some, recipe.shots)
