"""Questions for readers whose answer is a choice: which sentence fits, which image, or whether a statement is true.

Choices are shown in an order drawn from the seed and the id, and named by letters. The option `--orders both` asks each
question in this order and in the reverse one, so that a model that prefers a place is found out. Images are shown, or
named in prompts of text; scenes whose objects are known are listed in text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, RecipeError, SchemaError
from deixis.prompts.answers import Unparsable, parse_choice, read_only
from deixis.prompts.question import GoldMessage, Judgement, Message, Picture, QuestionPool
from deixis.prompts.tasks import TRAIN, Questions, demand_shots, demand_splits
from deixis.readers._choice_answers import ORDINALS, choices_of, plain_text
from deixis.readers._choice_judging import difference_of
from deixis.readers._draws import draw_different, splits_to_ask
from deixis.readers._shown_images import picture_folder, show_images
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.prompts.question import Part
    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import Tell
    from deixis.readers._choice_answers import Choices
    from deixis.readers._shown_images import ShownImage
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample
    from deixis.scene.scene import Scene
    from deixis.worlds.world import Examples


LETTERS = "ABCDEFGHI"
NAMED = re.compile(r"\(?([a-i1-9])[.):]+ (.+)")
"""A choice with its name before it."""
WORDS = frozenset({"true", "false"})
MEANT = {"YES": "true", "NO": "false", "CORRECT": "true", "INCORRECT": "false"}
ORDERS = ("drawn", "both")
TASKS = {
    "match": "You match sentences with images.",
    "verify": "You judge statements about scenes. Rows of objects count from the top, columns from the left.",
}
ASKED = {
    "sentence": "Exactly one of these sentences fits the image. Which one?",
    "image": "Exactly one of these images fits the sentence. Which one?",
    "statement": "Is the statement true or false?",
    "choice": "Exactly one of these answers is right. Which one?",
}
ENDING = "You may think first. End with one line that gives your answer, for example:\nAnswer: {}"


def ready_part(world: ReaderWorld) -> ChoiceQuestions:
    """The part `questions` of a reader whose answers are choices."""
    return ChoiceQuestions(world)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceGold:
    """The right one of several choices in the order in which they are shown.

    Attributes:
        texts: the choices.
        target: the place of the right one.
        misreadings: for every choice how it differs from the right one; empty where that cannot be said.
        split: where the example belongs.
        asked: what is asked for: `sentence`, `image`, `statement` or `choice`.
        example: the id of the example.
    """

    texts: tuple[str, ...]
    target: int
    misreadings: tuple[str, ...]
    split: str = ""
    asked: str = "sentence"
    example: str = ""

    @property
    def is_statement(self) -> bool:
        """Whether the choices are true and false, which are their own names."""
        return _is_statement(self.texts)

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of all choices: letters, or true and false."""
        return self.texts if self.is_statement else tuple(LETTERS[: len(self.texts)])

    @property
    def right(self) -> str:
        """The name of the right one."""
        return self.choices[self.target]

    @property
    def groups(self) -> dict[str, str]:
        """The split, what is asked for, and where the right choice stands."""
        place = "" if self.is_statement else f"right one {ORDINALS[self.target]}"
        return {"split": self.split or "all", "asked": self.asked, "order": place}

    def judge(self, text: str | None) -> Judgement:
        """Judge the name of a choice, its place or its text."""
        if text is None:
            return Judgement("unanswered", {"right": 0.0})
        try:
            chosen = self._read(text)
        except Unparsable as fault:
            return Judgement("unparsable", {"right": 0.0}, fault=str(fault))
        is_right = chosen == self.target
        misreadings = () if is_right or not self.misreadings[chosen] else (self.misreadings[chosen],)
        said = self.choices[chosen]
        return Judgement(
            "right" if is_right else "wrong", {"right": float(is_right)}, said=said, misreadings=misreadings
        )

    def _read(self, text: str) -> int:
        """The place of the choice that an answer names; `Unparsable` where it names none or several."""
        plain = [plain_text(one) for one in self.texts]

        def read(piece: str, *, is_marked: bool) -> set[int]:
            del is_marked
            said = plain_text(piece)
            named = NAMED.fullmatch(said)
            rest = named[2] if named else said
            return {place for place, one in enumerate(plain) if one in (said, rest)}

        try:
            return read_only(text, read)
        except Unparsable:
            names = self._names()
            return names[parse_choice(text, list(names))]

    def _names(self) -> dict[str, int]:
        """The place of every name that a choice has, in capitals."""
        if self.is_statement:
            known = {text.upper(): place for place, text in enumerate(self.texts)}
            return known | {name: known[word.upper()] for name, word in MEANT.items()}
        places = range(len(self.texts))
        names = {LETTERS[place]: place for place in places}
        return names | {str(place + 1): place for place in places} | {ORDINALS[at].upper(): at for at in places}

    def to_plain(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "texts": list(self.texts),
            "target": self.target,
            "missed": list(self.misreadings),
            "split": self.split,
            "asked": self.asked,
            "example": self.example,
        }

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> ChoiceGold:
        """Return the gold of a line of JSON, or raise `BrokenDataset` if it is none."""
        try:
            texts, misreadings = (_texts(values[name]) for name in ("texts", "missed"))
            target = values["target"]
            if type(target) is not int or not 0 <= target < len(texts) or not 2 <= len(texts) <= len(LETTERS):
                raise BrokenDataset(f"number {str(target)[:40]} of {len(texts)} choices is the right one")
            if len(misreadings) != len(texts):
                raise BrokenDataset(f"{len(misreadings)} of {len(texts)} choices have a difference")
            split, asked, example = (str(values[name]) for name in ("split", "asked", "example"))
        except (LookupError, TypeError, ValueError) as error:
            raise BrokenDataset(f"these are no choices: {error}") from error
        return cls(texts=texts, target=target, misreadings=misreadings, split=split, asked=asked, example=example)


class ChoiceQuestions(Questions):
    """Part `questions` for readers of the tasks `match` and `verify`."""

    answers = ("choice",)
    styles = ("text", "image")

    def __init__(self, world: ReaderWorld) -> None:
        self.world = world

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The settings `orders`, `drawn` or `both` for every question in two orders, and `pictures`, a folder."""
        for name in given:
            if name not in ("orders", "pictures"):
                raise RecipeError(f"unknown setting {name[:40]!r} of a questionnaire")
        orders = given.get("orders") or ORDERS[0]
        if orders not in ORDERS:
            raise RecipeError(f"choices are shown in the orders {' or '.join(ORDERS)}, not {str(orders)[:40]!r}")
        return {"orders": orders, **picture_folder(given)}

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
        """Examples of a file; nobody can make fresh ones."""
        del folder, workers, progress
        if fresh is not None or data is None:
            raise RecipeError(f"{self.world.name} is read from files of others, so there is no fresh test set")
        examples = self.world.part("examples").open(data)
        demand_splits(recipe.splits, examples.splits, examples.path.name, shots=recipe.shots)
        shots: list[GoldMessage] = []
        if recipe.shots:
            demand_splits((TRAIN,), examples.splits, examples.path.name)
            some = draw_different(examples, examples.numbers(TRAIN), recipe.shots, seed=derive(recipe.seed, "shots"))
            shots = [next(self._pose(one, recipe)) for one in demand_shots(some, recipe.shots)]
        posed = [
            one
            for split in recipe.splits or splits_to_ask(examples)
            for one in self._pose_split(examples, split, recipe)
        ]
        instructions = Message("system", (TASKS["verify" if self.is_verify else "match"],))
        return QuestionPool(instructions, shots, posed, _digest_of(examples))

    @property
    def is_verify(self) -> bool:
        """Whether statements are judged."""
        return bool(self.world.reader.task == "verify")

    def gold_from(self, plain: Mapping[str, Any], answer: str) -> ChoiceGold:
        """The choices that `ChoiceGold.to_plain` wrote."""
        del answer
        return ChoiceGold.from_plain(plain)

    def _pose_split(self, examples: Examples, split: str, recipe: PromptRecipe) -> list[GoldMessage]:
        """As many questions of a split as are wanted, all those about an example one after another."""
        found: list[GoldMessage] = []
        numbers, seed = examples.numbers(split), derive(recipe.seed, "ask", split)
        for example in draw_different(examples, numbers, recipe.limit, seed=seed):
            mine = list(self._pose(example, recipe))
            if found and len(found) + len(mine) > recipe.limit:
                break
            found += mine
        return found

    def _pose(self, example: ReadExample, recipe: PromptRecipe) -> Iterator[GoldMessage]:
        """Yield the questions about an example, in one order or in both."""
        has_pictures = recipe.shown == "image"
        shown = show_images(example, recipe.options.get("pictures")) if has_pictures else []
        if has_pictures and not shown:
            raise RecipeError(f"example {example.id} has no images; leave --style image out")
        for asked in choices_of(example, self.world.reader.task):
            if len(asked.texts) > len(LETTERS):
                raise SchemaError(
                    f"example {example.id} has {len(asked.texts)} choices; at most {len(LETTERS)} are asked"
                )
            order = _shown_order(example, asked, recipe.seed)
            yield self._in_order(example, asked, order, shown)
            if recipe.options.get("orders") == "both" and not _is_statement(asked.texts):
                yield self._in_order(example, asked, order[::-1], shown)

    def _in_order(
        self, example: ReadExample, asked: Choices, order: Sequence[int], shown: Sequence[ShownImage]
    ) -> GoldMessage:
        """One question with its choices in an order."""
        is_match = not self.is_verify
        gold = ChoiceGold(
            texts=tuple(asked.texts[number] for number in order),
            target=list(order).index(asked.right),
            misreadings=tuple(difference_of(asked, number, example) if is_match else "" for number in order),
            split=example.split,
            asked=_asked_for(asked, is_match=is_match),
            example=str(example.id),
        )
        example_answer = gold.choices[0] if not gold.is_statement else "true"
        ending = "\n".join((ASKED[gold.asked], ENDING.format(example_answer)))
        if shown:
            some = [shown[number] for number in order] if gold.asked == "image" else shown
            return GoldMessage(Message("user", (*_shown_parts(example, asked, gold, some), ending)), gold)
        lines = [*_context_lines(example, asked, is_match=is_match), *_choice_lines(gold)]
        return GoldMessage(Message("user", ("\n".join([*lines, ending]),)), gold)


def _asked_for(asked: Choices, *, is_match: bool) -> str:
    if not is_match:
        return "statement" if _is_statement(asked.texts) else "choice"
    return "image" if asked.asked.startswith("sentence") else "sentence"


def _choice_lines(gold: ChoiceGold) -> Iterator[str]:
    """Yield the choices with their names, unless they are their own."""
    if not gold.is_statement:
        yield from (f"{name}. {text.strip()}" for name, text in zip(gold.choices, gold.texts, strict=True))


def _shown_parts(example: ReadExample, asked: Choices, gold: ChoiceGold, shown: Sequence[ShownImage]) -> Iterator[Part]:
    """Yield the images that are shown, the statement or sentence, and the choices."""
    what, _, number = asked.asked.partition(" ")
    if what == "sentence":
        yield f"Sentence: {example.choices[int(number)]}"
        for name, one in zip(gold.choices, shown, strict=True):
            yield f"{name}."
            yield Picture(one.png, f"image {name}")
        return
    some = [shown[int(number)]] if what == "image" else shown
    for place, one in enumerate(some, start=1):
        name = "Image" if len(some) == 1 else f"Image {place}"
        yield f"{name}:"
        yield Picture(one.png, name.lower())
    lines = [f"Statement: {example.text}"] if gold.asked in ("statement", "choice") else []
    yield "\n".join((*lines, *_choice_lines(gold)))


def _context_lines(example: ReadExample, asked: Choices, *, is_match: bool) -> Iterator[str]:
    """Yield what is known of the images, and the statement or sentence where one is judged."""
    what, _, number = asked.asked.partition(" ")
    if what != "sentence":
        images = [example.images[int(number)]] if what == "image" else example.images
        for place, image in enumerate(images, start=1):
            yield f"Image{f' {place}' if len(images) > 1 else ''}: {image.name}"
    for place, scene in enumerate(example.scenes, start=1):
        yield from _scene_lines(scene, f"Scene{f' {place}' if len(example.scenes) > 1 else ''}")
    if what == "sentence":
        yield f"Sentence: {example.choices[int(number)]}"
    elif not is_match:
        yield f"Statement: {example.text}"


def _scene_lines(scene: Scene, name: str) -> Iterator[str]:
    """Yield a line for every object of a scene: its values, its place, and what it is related to."""
    yield f"{name}: {'nothing' if not len(scene) else ''}".rstrip()
    for number in range(len(scene)):
        values = ("/".join(sorted(scene.values(number, one.name))) for one in scene.schema.attributes[::-1])
        said = " ".join(value for value in values if value)
        for relation in scene.schema.relations:
            others = [other for other in range(len(scene)) if other != number]
            related = [str(other + 1) for other in others if scene.related(relation.name, number, other)]
            said += f"; {relation.name} {', '.join(related)}" if related else ""
        yield f"{number + 1}. {said}{_point(scene, number)}"


def _point(scene: Scene, number: int) -> str:
    try:
        row, column = scene.position(number)
    except SchemaError:
        return ""
    return f" (row {row:g}, column {column:g})"


def _shown_order(example: ReadExample, asked: Choices, seed: int) -> list[int]:
    """The order in which choices are shown; true and false keep theirs, as they are not listed."""
    numbers = list(range(len(asked.texts)))
    if _is_statement(asked.texts):
        return numbers
    return Stream(derive(seed, "choices", str(example.id), asked.asked)).permutation(numbers)


def _is_statement(texts: Sequence[str]) -> bool:
    """Return whether the choices are true and false, which are their own names."""
    return {text.casefold() for text in texts} == WORDS


def _digest_of(examples: Examples) -> str:
    """A name for exactly these examples."""
    digest = sha256()
    for example in examples:
        content = example.content()  # type: ignore[attr-defined]
        digest.update(json.dumps([str(example.id), content], ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError("texts are a list of words")
    return tuple(values)
