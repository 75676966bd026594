"""Questions of task localise, for boxes, or for the number of one of the candidates.

In text, images are named, and candidates are listed where they are known. With pictures, the images are shown; where a
number is wanted, every candidate has a frame with its number.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from deixis.data.store import MANIFEST, open_dataset
from deixis.errors import BrokenDataset
from deixis.prompts._box_forms import BOX_ANSWERS, FORMS, OWN, ask_for_box
from deixis.prompts._box_gold import BoxGold
from deixis.prompts.question import Message, QuestionPool
from deixis.prompts.tasks import TRAIN, Questions, demand_shots, demand_splits
from deixis.readers._box_posing import BoxPoser
from deixis.readers._box_scores import group_values
from deixis.readers._box_verdicts import meant_candidates
from deixis.readers._draws import draw_different, splits_to_ask
from deixis.readers._shown_images import picture_folder
from deixis.seeds import derive
from deixis.worlds.toolkit.questions import ASKED, ASKED_OR_NONE, ObjectGold


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import Examples, World


SHOWN = "You are given an expression, and one or more images, each named with its size where that is known."
LISTED = "The objects that are known are listed with their boxes."
FRAMED = "You see one or more images in which objects are framed and numbered, and are given an expression."
OBJECT = "object"  # the answer is the number of a candidate
SEEN = "You see one or more images, and are given an expression."


def ready_part(world: World) -> BoxQuestions:
    """The part `questions` of a reader of task localise."""
    return BoxQuestions(world)


class BoxQuestions(Questions):
    """Part `questions` where boxes are asked for.

    The kind of answer is the space of the boxes; `box` is the space in which the dataset has them.
    """

    answers = (*BOX_ANSWERS, OBJECT)
    styles = ("text", "image")

    def __init__(self, world: World) -> None:
        self.world = world

    def styles_for(self, answer: str) -> tuple[str, ...]:
        """Return how images are shown: as pictures with frames, where a number is wanted."""
        return ("image",) if answer == OBJECT else self.styles

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The setting `pictures`: the folder with the image files, if they are not beside the data."""
        return {
            **super().settings({name: value for name, value in given.items() if name != "pictures"}),
            **picture_folder(given),
        }

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
        """Examples of a file; there are no fresh ones."""
        del folder, workers, progress
        if fresh is not None or data is None:
            self.world.part("recipes")  # says that there are none
        assert data is not None
        examples = self.world.part("examples").open(data)
        splits = recipe.splits or splits_to_ask(examples)
        demand_splits(splits, examples.splits, examples.path.name, shots=recipe.shots)
        asked = [
            example
            for split in splits
            for example in draw_different(
                examples, _numbers(examples, split, recipe), recipe.limit, seed=derive(recipe.seed, "ask", split)
            )
        ]
        shots: list[ReadExample] = []
        if recipe.shots:
            demand_splits((TRAIN,), examples.splits, examples.path.name)
            some = draw_different(
                examples, _numbers(examples, TRAIN, recipe), recipe.shots, seed=derive(recipe.seed, "shots")
            )
            shots = demand_shots(some, recipe.shots)
        form = "pixels" if recipe.wanted == OBJECT else _form_of(recipe.wanted, asked)
        pose = BoxPoser(
            form=FORMS[form],
            seed=recipe.seed,
            has_pictures=recipe.shown == "image",
            folder=recipe.options.get("pictures"),
        )
        facts = _facts_of(asked)
        if recipe.wanted == OBJECT:
            may_be_none = any(not one.boxes for one in (*shots, *asked))
            instructions = Message("system", (f"{FRAMED}\n\n{ASKED_OR_NONE if may_be_none else ASKED}",))
            solved, posed = ([pose.frame(one, may_be_none=may_be_none) for one in some] for some in (shots, asked))
            return QuestionPool(instructions, solved, posed, _digest_of(data))
        instructions = Message("system", (_instructions(form, [*shots, *asked], has_pictures=pose.has_pictures),))
        posed = [pose(example, told) for example, told in zip(asked, facts, strict=True)]
        solved = [pose(example, {}) for example in shots]
        return QuestionPool(instructions, solved, posed, _digest_of(data))

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> BoxGold | ObjectGold:
        """The boxes or the objects that `to_plain` wrote."""
        return ObjectGold.from_plain(plain) if answer == OBJECT else BoxGold.from_plain(plain)


def _numbers(examples: Examples, split: str, recipe: PromptRecipe) -> Sequence[int]:
    """Return the examples of a split that can be asked about: where a number is wanted, those with candidates."""
    numbers = examples.numbers(split)
    if recipe.wanted != OBJECT:
        return numbers
    wanted = frozenset(numbers)
    found = [number for number, one in enumerate(examples) if number in wanted and _has_candidates(one)]
    if not found:
        raise BrokenDataset(f"{examples.path.name} does not know the objects of its images; ask for boxes instead")
    return found


def _has_candidates(example: Any) -> bool:
    """Return whether objects are known, at most one of which is meant."""
    return any(example.regions) and len(meant_candidates(example)) == len(example.boxes) <= 1


def _instructions(form: str, examples: Sequence[ReadExample], *, has_pictures: bool) -> str:
    """Return what a model is told first."""
    if not has_pictures:
        has_candidates = any(one.regions for one in examples)
        return f"{f'{SHOWN} {LISTED}' if has_candidates else SHOWN}\n\n{ask_for_box(form)}"
    asked = ask_for_box(
        form,
        has_several=any(len(one.images) > 1 for one in examples),
        may_be_none=any(not one.boxes for one in examples),
        may_be_many=any(len(one.boxes) > 1 for one in examples),
    )
    return f"{SEEN}\n\n{asked}"


def _form_of(wanted: str, asked: Sequence[ReadExample]) -> str:
    """Return the form of boxes that is asked for, corners in the space of the dataset by default."""
    if wanted != OWN:
        return wanted
    found = {example.space for example in asked}
    if len(found) > 1:
        raise BrokenDataset("the boxes of the examples are in several spaces; choose one with --answer")
    return found.pop() if found else "pixels"


def _facts_of(asked: Sequence[ReadExample]) -> list[dict[str, str]]:
    """Return the facts of every example by which results can be told apart, the same for all."""
    values = group_values(asked)
    return [{name: " + ".join(some[place]) or "–" for name, some in values.items()} for place in range(len(asked))]


def _digest_of(data: Path) -> str:
    """The digest of a dataset, or of the bytes of a file."""
    if (data / MANIFEST).is_file():
        return open_dataset(data).digest
    if not data.is_file():
        return ""
    found = sha256()
    with data.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()
