"""Questions of task localise: images are named, candidates are listed where they are known, and boxes are asked for."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from deixis.data.store import MANIFEST, open_dataset
from deixis.distractors.misreadings import leading_to
from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import Box, Space
from deixis.prompts._box_gold import BoxGold, write_box
from deixis.prompts.question import GoldMessage, Message, QuestionPool
from deixis.prompts.tasks import TRAIN, Questions, demand_shots, demand_splits
from deixis.readers._box_scores import group_values
from deixis.readers._box_verdicts import all_candidates, meant_candidates
from deixis.readers._draws import draw_different, splits_to_ask
from deixis.readers.reader import Region
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.readers.reader import ReadExample
    from deixis.scene.scene import Where
    from deixis.worlds.world import World


OWN = "box"  # the answer in the space in which the dataset has its boxes
KINDS = (OWN, "pixels", "share", "0..1000")
SHOWN = "You are given an expression, and one or more images, each named with its size where that is known."
LISTED = "The objects that are known are listed with their boxes."
ASKED = """\
Find what the expression describes. Give its box as [left, top, right, bottom], {space}. You may think first. End with \
one line that gives the box, for example:
Answer: {box}
Where there are several images, name the number of the image before the box:
Answer: image 2: {box}
Where several things fit, give all their boxes in this line, with a semicolon between them. Where nothing fits:
Answer: not there"""
SPACE_WORDS: Mapping[Space, str] = {
    "pixels": "in pixels of the image",
    "share": "as shares of the width and height of the image, from 0 to 1",
    "0..1000": "in thousandths of the width and height of the image, from 0 to 1000",
}
EXAMPLES: Mapping[Space, Box] = {
    "pixels": Box(40, 25, 210, 180),
    "share": Box(0.05, 0.1, 0.4, 0.75),
    "0..1000": Box(50, 100, 400, 750),
}


def ready_part(world: World) -> BoxQuestions:
    """The part `questions` of a reader of task localise."""
    return BoxQuestions(world)


class BoxQuestions(Questions):
    """Part `questions` where boxes are asked for.

    The kind of answer is the space of the boxes; `box` is the space in which the dataset has them.
    """

    answers = KINDS
    styles = ("text",)

    def __init__(self, world: World) -> None:
        self.world = world

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
        space: Space = _space_of(recipe.wanted, asked)
        facts = _facts_of(asked)
        instructions = Message("system", (_instructions(space, has_candidates=any(one.regions for one in asked)),))
        posed = [_pose(example, space, told, recipe.seed) for example, told in zip(asked, facts, strict=True)]
        solved = [_pose(example, space, {}, recipe.seed) for example in shots]
        return QuestionPool(instructions, solved, posed, _digest_of(data))

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> BoxGold:
        """The boxes that `BoxGold.to_plain` wrote."""
        del answer
        return BoxGold.from_plain(plain)


def _space_of(wanted: str, asked: Sequence[ReadExample]) -> Space:
    """Return the space that is asked for, that of the dataset by default."""
    if wanted != OWN:
        return wanted  # type: ignore[return-value]
    found = {example.space for example in asked}
    if len(found) > 1:
        raise BrokenDataset("the boxes of the examples are in several spaces; choose one with --answer")
    return found.pop() if found else "pixels"


def _facts_of(asked: Sequence[ReadExample]) -> list[dict[str, str]]:
    """Return the facts of every example by which results can be told apart, the same for all."""
    values = group_values(asked)
    return [{name: " + ".join(some[place]) or "–" for name, some in values.items()} for place in range(len(asked))]


def _instructions(space: Space, *, has_candidates: bool) -> str:
    shown = f"{SHOWN} {LISTED}" if has_candidates else SHOWN
    return f"{shown}\n\n{ASKED.format(space=SPACE_WORDS[space], box=write_box(EXAMPLES[space], space))}"


def _pose(example: ReadExample, space: Space, facts: Mapping[str, str], seed: int) -> GoldMessage:
    """Pose an example, with its candidates in an order that tells nothing."""
    stream = Stream(derive(seed, "candidates", str(example.id)))
    known = list(all_candidates(example))
    order = [known[place] for place in stream.permutation(range(len(known)))]
    meant = meant_candidates(example)
    candidates = tuple(
        (_convert(example, Region(where.scene, box), space), () if where in meant else _missed_by(example, where))
        for where, box in order
    )
    gold = BoxGold(
        text=example.text,
        boxes=tuple(_convert(example, one, space) for one in example.boxes),
        space=space,
        images=len(example.images),
        candidates=candidates,
        split=example.split,
        facts=facts,
    )
    lines = list(_lines(example, [where for where, _ in order], [region for region, _ in candidates], space))
    return GoldMessage(Message("user", ("\n".join(lines), f"Expression: {example.text}")), gold)


def _convert(example: ReadExample, region: Region, space: Space) -> Region:
    size = example.images[region.image]
    try:
        return Region(region.image, region.box.convert(example.space, space, (size.width, size.height)))
    except SchemaError as error:
        raise BrokenDataset(f"example {example.id}: {error}; ask for another space with --answer") from error


def _lines(example: ReadExample, order: Sequence[Where], boxes: Sequence[Region], space: Space) -> Iterator[str]:
    """Yield a line for every image, and one for every candidate in it."""
    for place, image in enumerate(example.images):
        name = "Image" if len(example.images) == 1 else f"Image {place + 1}"
        size = f", {image.width:g} x {image.height:g} pixels" if image.width and image.height else ""
        yield f"{name}: {image.name}{size}"
        for where, region in zip(order, boxes, strict=True):
            if where.scene == place:
                yield f"- {_values_of(example, where)}{write_box(region.box, space)}"


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
