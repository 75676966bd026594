"""Questions of task localise, for boxes.

In text, images are named, and candidates are listed where they are known. With pictures, the images are shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from deixis.data.store import MANIFEST, open_dataset
from deixis.distractors.misreadings import leading_to
from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import Region
from deixis.prompts._box_forms import BOX_ANSWERS, FORMS, OWN, ask_for_box, write_box
from deixis.prompts._box_gold import BoxGold
from deixis.prompts.question import GoldMessage, Message, Picture, QuestionPool
from deixis.prompts.tasks import TRAIN, Questions, demand_shots, demand_splits
from deixis.readers._box_scores import group_values
from deixis.readers._box_verdicts import all_candidates, meant_candidates
from deixis.readers._draws import draw_different, splits_to_ask
from deixis.readers._shown_images import picture_folder, show_images
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.prompts._box_forms import BoxForm
    from deixis.prompts.question import Part
    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.readers.reader import ReadExample
    from deixis.scene.scene import Where
    from deixis.worlds.world import World


SHOWN = "You are given an expression, and one or more images, each named with its size where that is known."
LISTED = "The objects that are known are listed with their boxes."
SEEN = "You see one or more images, and are given an expression."


def ready_part(world: World) -> BoxQuestions:
    """The part `questions` of a reader of task localise."""
    return BoxQuestions(world)


class BoxQuestions(Questions):
    """Part `questions` where boxes are asked for.

    The kind of answer is the space of the boxes; `box` is the space in which the dataset has them.
    """

    answers = BOX_ANSWERS
    styles = ("text", "image")

    def __init__(self, world: World) -> None:
        self.world = world

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
                examples, examples.numbers(split), recipe.limit, seed=derive(recipe.seed, "ask", split)
            )
        ]
        shots: list[ReadExample] = []
        if recipe.shots:
            demand_splits((TRAIN,), examples.splits, examples.path.name)
            some = draw_different(examples, examples.numbers(TRAIN), recipe.shots, seed=derive(recipe.seed, "shots"))
            shots = demand_shots(some, recipe.shots)
        form = _form_of(recipe.wanted, asked)
        pose = _Poser(
            form=FORMS[form],
            seed=recipe.seed,
            has_pictures=recipe.shown == "image",
            folder=recipe.options.get("pictures"),
        )
        facts = _facts_of(asked)
        has_candidates = any(one.regions for one in asked)
        shown = SEEN if pose.has_pictures else f"{SHOWN} {LISTED}" if has_candidates else SHOWN
        instructions = Message("system", (f"{shown}\n\n{ask_for_box(form)}",))
        posed = [pose(example, told) for example, told in zip(asked, facts, strict=True)]
        solved = [pose(example, {}) for example in shots]
        return QuestionPool(instructions, solved, posed, _digest_of(data))

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> BoxGold:
        """The boxes that `BoxGold.to_plain` wrote."""
        del answer
        return BoxGold.from_plain(plain)


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


@dataclass(frozen=True, kw_only=True)
class _Poser:
    """How examples are put.

    Attributes:
        form: of the boxes.
        seed: of the order of candidates.
        has_pictures: whether the images are shown; otherwise they are named, and the candidates listed.
        folder: where the image files are; None for that of the dataset.
    """

    form: BoxForm
    seed: int
    has_pictures: bool
    folder: Path | None

    def __call__(self, example: ReadExample, facts: Mapping[str, str]) -> GoldMessage:
        """Pose an example, with its candidates in an order that tells nothing."""
        stream = Stream(derive(self.seed, "candidates", str(example.id)))
        known = list(all_candidates(example))
        order = [known[place] for place in stream.permutation(range(len(known)))]
        meant = meant_candidates(example)
        shown = show_images(example, self.folder) if self.has_pictures else []
        sizes = tuple((float(one.width), float(one.height)) for one in shown)
        candidates = tuple(
            (
                self._convert(example, Region(where.scene, box), sizes),
                () if where in meant else _missed_by(example, where),
            )
            for where, box in order
        )
        gold = BoxGold(
            text=example.text,
            boxes=tuple(self._convert(example, one, sizes) for one in example.boxes),
            space=self.form.space,
            images=len(example.images),
            candidates=candidates,
            split=example.split,
            facts=facts,
            writing=self.form.writing,
            sizes=sizes,
        )
        parts: list[Part] = []
        for place, one in enumerate(shown, start=1):
            name = "Image" if len(shown) == 1 else f"Image {place}"
            parts += [f"{name} ({one.width} x {one.height} pixels):", Picture(one.png, name.lower())]
        if not shown:
            parts = ["\n".join(self._lines(example, [where for where, _ in order], [one for one, _ in candidates]))]
        return GoldMessage(Message("user", (*parts, f"Expression: {example.text}")), gold)

    def _convert(self, example: ReadExample, region: Region, sizes: Sequence[tuple[float, float]]) -> Region:
        """Return a box in the space that is asked for, of the image as the dataset has it or as it is shown."""
        image, box = region
        told = (example.images[image].width, example.images[image].height)
        seen = sizes[image] if sizes else told
        told = told if all(told) else seen
        try:
            if told == seen:
                return Region(image, box.convert(example.space, self.form.space, told))
            return Region(image, box.convert(example.space, "share", told).convert("share", self.form.space, seen))
        except SchemaError as error:
            raise BrokenDataset(f"example {example.id}: {error}; ask for another space with --answer") from error

    def _lines(self, example: ReadExample, order: Sequence[Where], boxes: Sequence[Region]) -> Iterator[str]:
        """Yield a line for every image, and one for every candidate in it."""
        for place, image in enumerate(example.images):
            name = "Image" if len(example.images) == 1 else f"Image {place + 1}"
            size = f", {image.width:g} x {image.height:g} pixels" if image.width and image.height else ""
            yield f"{name}: {image.name}{size}"
            for where, region in zip(order, boxes, strict=True):
                if where.scene == place:
                    written = write_box(region.box, self.form.space, writing=self.form.writing)
                    yield f"- {_values_of(example, where)}{written}"


def _values_of(example: ReadExample, where: Where) -> str:
    """The values of a candidate in words, where they are known."""
    if where.scene >= len(example.scenes):
        return ""
    scene = example.scenes[where.scene]
    told = []
    for attribute in scene.schema.attributes:
        value = "/".join(sorted(scene.values(where.object, attribute.name)))
        told.append(f"{attribute.name} {value}" if value.isdecimal() else value)
    return "".join(f"{value} " for value in told if value)


def _missed_by(example: ReadExample, where: Where) -> tuple[str, ...]:
    """Return the misreadings of a reader who takes an object for the one that is meant, where the meaning is known."""
    if example.expression is None or where.scene >= len(example.scenes):
        return ()
    found = leading_to(example.expression, example.scenes[where.scene], where.object)
    return tuple(dict.fromkeys(one.slip for one in found))


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
