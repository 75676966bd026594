"""Expressions that fit nothing, each beside the one it was made of, from the examples of any world.

An example has to have a meaning that picks out its target, and scenes. One part of the meaning is changed so that it
fits nothing in any scene shown (`deixis.distractors.absence`). Then the change is said: in the text as it stands where
it has the word once, and else by the language of the world. Where the words can be read, they have to mean the change.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deixis.distractors.absence import absences
from deixis.errors import DeixisError, MissingPart, SchemaError
from deixis.expression.parts import parts
from deixis.expression.plain import expression_to_plain
from deixis.expression.steps import Is, Related
from deixis.judge.boxes import Box
from deixis.readers._rows import KeptMeaning
from deixis.readers.reader import Image, ReadExample, Region
from deixis.resolution.reference import resolve
from deixis.scene.scene import Where
from deixis.seeds import Stream, derive
from deixis.worlds.example import context_of, scenes_of


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.distractors.absence import Absence
    from deixis.expression.description import Expression
    from deixis.scene.scene import Scene
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


OWN = ("raw", "reference", "absent")  # facts of an example that are not those of a changed one
MAX_TRIED = 24  # changes of one example whose words are tried
OPPOSED = frozenset(  # relations whose names can take each other's place in a sentence
    map(
        frozenset,
        (("left", "right"), ("above", "below"), ("over", "under"), ("in front", "behind"), ("inside", "outside")),
    )
)
READING_ORDER = re.compile(r"\b(left|right|top|bottom)\s+to\s+(the\s+)?(left|right|top|bottom)\b", re.IGNORECASE)
"""The order in which things are named, which no exchanged word turns round."""
VOWELS = frozenset("aeiou")
NO_MEANING = "its meaning is not known"
NO_SCENES = "its objects are not known"
NOT_UNIQUE = "its expression does not pick out the target"
NO_CHANGE = "no change of one part fits nothing"
NO_WORDS = "no change can be said in its words"


class AbsenceMaker:
    """Makes of examples pairs: the example, and one that fits nothing.

    Attributes:
        world: of the examples.
        seed: chooses part and word.
        left_out: examples of which no pair comes, by reason.
        changed: pairs by what was changed.
    """

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.seed = seed
        self.left_out: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        try:
            self._language: Any = world.part("language") if world.has("language") else None
        except (DeixisError, MissingPart):
            self._language = None

    def pair(self, example: Example, number: int) -> tuple[ReadExample, ReadExample] | None:
        """Return an example and one that fits nothing, or None, counted by reason."""
        try:
            expression, scenes = self._judge(example)
            change, text = self._change(example, expression, scenes, number)
        except SchemaError as error:
            self.left_out[str(error)] += 1
            return None
        self.changed[change.part.attribute or change.part.kind] += 1
        shown = as_read(example)
        said = {
            "original": example.text,
            "of": example.id,
            "part": list(change.part.address),
            "kind": change.part.kind,
            "word": change.after,
            "instead_of": change.before,
            "expression": expression_to_plain(change.expression),
        }
        facts = {key: value for key, value in shown.facts.items() if key not in OWN}
        absent = replace(
            shown,
            id=f"{example.id}-absent",
            text=text,
            targets=(),
            boxes=(),
            meaning=change.expression,
            parse=None,
            facts={**facts, "absent": said},
        )
        return shown, absent

    def _judge(self, example: Example) -> tuple[Expression, tuple[Scene, ...]]:
        expression = example.expression
        if expression is None or not any(parts(expression)):
            raise SchemaError(NO_MEANING)
        scenes = scenes_of(example)
        if not scenes:
            raise SchemaError(NO_SCENES)
        context = context_of(example)
        try:
            is_right = context is not None and resolve(expression, context).objects == {context.target}
        except DeixisError as error:
            raise SchemaError(NOT_UNIQUE) from error
        if not is_right or not example.text.strip():
            raise SchemaError(NOT_UNIQUE)
        return expression, scenes

    def _change(
        self, example: Example, expression: Expression, scenes: tuple[Scene, ...], number: int
    ) -> tuple[Absence, str]:
        rng = Stream(derive(self.seed, "absence", number))
        why = NO_CHANGE
        for tried, change in enumerate(absences(expression, scenes, rng=rng)):
            if tried >= MAX_TRIED:
                break
            why = NO_WORDS
            if text := self._say(example, change):
                return change, text
        raise SchemaError(why)

    def _say(self, example: Example, change: Absence) -> str:
        """Return the words of a change, or an empty text where there are none that mean it."""
        text = _in_place(example.text, change)
        if text and self._means(example, text, change.expression):
            return text
        if self._language is None or not hasattr(self._language, "realise"):
            return ""
        try:
            said = str(self._language.realise(change.expression).text)
        except (DeixisError, NotImplementedError):
            return ""
        return said if self._means(example, said, change.expression) else ""

    def _means(self, example: Example, text: str, expression: Expression) -> bool:
        """Return whether a text means an expression, as far as it can be read; what cannot be is taken on trust."""
        parse = getattr(example, "parse", None)
        if isinstance(parse, KeptMeaning):
            return True
        if parse is not None:
            found = parse(replace(example, text=text, meaning=None))  # type: ignore[type-var]
            return found is not None and found.canonical() == expression.canonical()
        if self._language is None or not hasattr(self._language, "read"):
            return True
        try:
            read = self._language.read(text, next(iter(scenes_of(example))))
        except DeixisError:
            return False
        return bool(read.expression.canonical() == expression.canonical())


def as_read(example: Example) -> ReadExample:
    """Return an example of any world as a read one, with images and boxes where its scenes have them.

    A scene has boxes where it has `boxes` (left, top, width, height), `width`, `height` and `image_id`.
    """
    if isinstance(example, ReadExample):
        return example
    scenes = scenes_of(example)
    context = context_of(example)
    targets = (context.target,) if context is not None else ()
    regions = tuple(_regions(scene) for scene in scenes)
    images = tuple(_image(scene) for scene in scenes)
    is_whole = bool(scenes) and all(regions) and all(image is not None for image in images)
    if is_whole and targets:  # the image of the target; whatever else is shown was asked, too
        at = targets[0].scene
        scenes, regions, images = scenes[at : at + 1], regions[at : at + 1], images[at : at + 1]
        targets = (Where(0, targets[0].object),)
    return ReadExample(
        id=example.id,
        split=example.split,
        text=example.text,
        scenes=scenes,
        targets=targets,
        meaning=example.expression,
        images=tuple(image for image in images if image is not None) if is_whole else (),
        boxes=tuple(Region(scene, Box(*regions[scene][thing])) for scene, thing in targets) if is_whole else (),
        regions=regions if is_whole else (),
    )


def _regions(scene: Scene) -> tuple[Box, ...]:
    boxes = getattr(scene, "boxes", None)
    if not isinstance(boxes, tuple) or len(boxes) != len(scene):
        return ()
    return tuple(Box(left, top, left + width, top + height) for left, top, width, height in boxes)


def _image(scene: Scene) -> Image | None:
    name, width, height = (getattr(scene, field, None) for field in ("image_id", "width", "height"))
    return Image(f"{name}.jpg", width, height) if name and width and height else None


# -------------------------------------------------------------------------------- words


def _in_place(text: str, change: Absence) -> str:
    """Return a text with the word of a change instead of the one before, where it has that word exactly once."""
    before, after = (word.replace("-", " ").replace("_", " ") for word in (change.before, change.after))
    is_opposed = frozenset((before.removesuffix(" of"), after.removesuffix(" of"))) in OPPOSED
    if not (isinstance(change.part.step, Is) or (isinstance(change.part.step, Related) and is_opposed)):
        return ""
    found = list(re.finditer(rf"(?<!\w){re.escape(before)}(?!\w)", text, re.IGNORECASE)) if before else []
    if len(found) != 1:
        return ""
    start, end = found[0].span()
    if any(order.start() <= start < order.end() for order in READING_ORDER.finditer(text)):
        return ""
    new = after.capitalize() if text[start:end][:1].isupper() else after
    return _with_article(text[:start], new) + new + text[end:]


def _with_article(head: str, word: str) -> str:
    """Return what stands before a word, with 'a' or 'an' as the word needs it."""
    found = re.search(r"(?<!\w)(an?)(\s+)$", head, re.IGNORECASE)
    if found is None:
        return head
    article = "an" if word[:1].lower() in VOWELS else "a"
    if found[1][:1].isupper():
        article = article.capitalize()
    return head[: found.start()] + article + found[2]


def pairs_of(maker: AbsenceMaker, examples: Iterator[Example]) -> Iterator[ReadExample]:
    """Yield each example of which a pair can be made, then the one that fits nothing."""
    for number, example in enumerate(examples):
        if (pair := maker.pair(example, number)) is not None:
            yield from pair
