"""Why an expression picks out what it picks out, in words.

An explanation goes through the mentions of an expression, inner ones first, and says after every word which objects
are left; then which words the target cannot be found without, and where a careless reader would have ended up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.distractors.necessity import competitors, necessity
from deixis.errors import SchemaError, UnknownName
from deixis.expression.description import describe
from deixis.expression.parts import mention_at, without
from deixis.expression.steps import Extreme, Is, Related
from deixis.language.lexicon import Lexicon, lexicon
from deixis.language.realise import realise
from deixis.resolution.trace import trace
from deixis.scene.scene import Context


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.distractors.relaxations import Relaxation
    from deixis.expression.description import Expression
    from deixis.expression.parts import Address, Part
    from deixis.expression.steps import Step
    from deixis.language.utterance import Utterance
    from deixis.resolution.trace import Trace, TracedStep
    from deixis.scene.scene import Scene


__all__ = [
    "ExplainedMention",
    "ExplainedMisreading",
    "ExplainedPart",
    "ExplainedStep",
    "Explanation",
    "explain",
    "name_object",
    "say_misreading",
]


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """One step: the words that say it, and the objects before and after it."""

    words: str
    kind: str
    address: Address
    before: tuple[int, ...]
    after: tuple[int, ...]

    def __str__(self) -> str:
        dropped = len(self.before) - len(self.after)
        return f"{self.words}: {_left(self.after)}" + (f", {dropped} dropped" if dropped else ", nothing dropped")


@dataclass(frozen=True, slots=True)
class ExplainedMention:
    """One noun phrase with its clauses: every step, and what is left in the end."""

    words: str
    address: Address
    steps: tuple[ExplainedStep, ...]
    left: tuple[int, ...]

    @property
    def lost_to_others(self) -> tuple[int, ...]:
        """The objects that pass every step, but only by taking an object that another mention needs."""
        last = self.steps[-1].after if self.steps else self.left
        return tuple(index for index in last if index not in self.left)


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """One part, its words, and whether the target cannot be found without it."""

    words: str
    kind: str
    address: Address
    is_necessary: bool


@dataclass(frozen=True, slots=True)
class ExplainedMisreading:
    """One misreading in words, what is understood, and the wrong objects it leads to."""

    words: str
    kind: str
    understood: str
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How an expression is resolved in a scene.

    Attributes:
        text: what was said.
        names: every object in words.
        mentions: the noun phrases, inner ones first, the whole expression last.
        referents: the objects it picks out.
        parts: the necessity of every part; empty unless there is exactly one referent.
        misreadings: those that lead to a wrong object; empty unless there is exactly one referent.
    """

    text: str
    names: tuple[str, ...]
    mentions: tuple[ExplainedMention, ...]
    referents: tuple[int, ...]
    parts: tuple[ExplainedPart, ...] = ()
    misreadings: tuple[ExplainedMisreading, ...] = ()

    @property
    def is_unique(self) -> bool:
        """Whether exactly one object fits."""
        return len(self.referents) == 1

    @property
    def target(self) -> int | None:
        """The one object that fits, if there is exactly one."""
        return self.referents[0] if self.is_unique else None

    @property
    def verdict(self) -> str:
        """In one line, what the expression picks out."""
        if not self.referents:
            return f"it fits no object: {self._where_it_fails()}"
        if self.is_unique:
            return f"it fits exactly one object: {self.names[self.referents[0]]} ({self.referents[0]})"
        return f"it fits {len(self.referents)} objects and is ambiguous: {self._list(self.referents)}"

    def lines(self) -> Iterator[str]:
        """The whole explanation, line by line."""
        yield f"“{self.text}” among {len(self.names)} objects"
        for mention in self.mentions:
            yield ""
            yield f"{mention.words}:"
            yield from (f"  {step}" for step in mention.steps)
            if mention.lost_to_others:
                yield f"  different mentions, different objects: {_left(mention.left)}"
        yield ""
        yield f"So {self.verdict}."
        if self.is_unique:
            yield from self._lines_on_parts()
            yield from self._lines_on_misreadings()

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain values."""
        return {
            "text": self.text,
            "objects": list(self.names),
            "mentions": [
                {
                    "words": mention.words,
                    "address": list(mention.address),
                    "left": list(mention.left),
                    "steps": [_plain(step) for step in mention.steps],
                }
                for mention in self.mentions
            ],
            "referents": list(self.referents),
            "unique": self.is_unique,
            "necessary": [_plain(part) for part in self.parts],
            "misreadings": [_plain(misreading) for misreading in self.misreadings],
        }

    def _lines_on_parts(self) -> Iterator[str]:
        yield ""
        yield "Could a word be left out?"
        for part in self.parts:
            answer = "needed" if part.is_necessary else "not needed: the same object is found without it"
            yield f"  {part.words}: {answer}"

    def _lines_on_misreadings(self) -> Iterator[str]:
        yield ""
        if not self.misreadings:
            yield "No misreading leads to a wrong object."
            return
        yield "Where careless readers end up:"
        for misreading in self.misreadings:
            yield f"  {misreading.words}: {self._list(misreading.wrong)}"

    def _list(self, indices: Iterable[int]) -> str:
        return ", ".join(f"{self.names[index]} ({index})" for index in indices)

    def _where_it_fails(self) -> str:
        for mention in self.mentions:
            for step in mention.steps:
                if step.before and not step.after:
                    return f"nothing is left after '{step.words}'"
            if mention.lost_to_others:
                return "different mentions would have to be the same object"
        return "there is nothing to choose from"


def explain(utterance: Utterance, scene: Scene, *, words: Lexicon | None = None) -> Explanation:
    """The resolution of what was said, with the necessity of every part and the misreadings that lead astray.

    Args:
        utterance: the text with its meaning, as `read` gives it.
        scene: where it is resolved.
        words: the language of the utterance; ReaSCAN's by default.

    Example:
        >>> from deixis.language.parse import read
        >>> from deixis.scene import grid
        >>> scene = grid('''
        ...     r○ b○
        ...     .  r□
        ... ''')
        >>> explanation = explain(read("the red circle"), scene)
        >>> [str(step) for step in explanation.mentions[0].steps]
        ['circle: 2 left (0, 1), 1 dropped', 'red: 1 left (0), 1 dropped']
    """
    words = words or lexicon()
    traced = trace(utterance.expression, scene)
    referents = tuple(sorted(traced.referents))
    parts: tuple[ExplainedPart, ...] = ()
    misreadings: tuple[ExplainedMisreading, ...] = ()
    if len(referents) == 1:
        context = Context.of(scene, referents[0])
        parts = tuple(_explained_parts(utterance, context))
        misreadings = tuple(_explained_misreadings(utterance, context, words))
    return Explanation(
        text=utterance.text,
        names=tuple(name_object(scene, index) for index in range(len(scene))),
        mentions=tuple(_mentions(traced, utterance, (), words)),
        referents=referents,
        parts=parts,
        misreadings=misreadings,
    )


def name_object(scene: Scene, index: int) -> str:
    """An object by all its values: 'red circle of size 2'."""
    adjectives: list[str] = []
    nouns: list[str] = []
    measures: list[str] = []
    for attribute in scene.schema.attributes:
        values = " and ".join(sorted(scene.values(index, attribute.name)))
        if not values:
            continue
        if attribute.is_ordered:
            measures.append(f"{attribute.name} {values}")
        else:
            (nouns if attribute.is_head else adjectives).append(values)
    name = " ".join([*adjectives, *(nouns or ["object"])])
    return f"{name} of {' and '.join(measures)}" if measures else name


def say_misreading(relaxation: Relaxation, utterance: Utterance, *, words: Lexicon | None = None) -> str:
    """A misreading in words: without 'red', 'red' read as 'blue', or what is understood when words are exchanged."""
    words = words or lexicon()
    said = [_said_with_place(part, utterance) for part in relaxation.parts]
    match relaxation.kind:
        case "phrase":
            return f"only '{utterance.words_of((-1,))}' understood"
        case "isomorphism":
            return f"words exchanged between two phrases: '{_realised(relaxation.expression, words)}'"
        case "relation":
            return f"without {said[0]}"
    (part,) = relaxation.parts
    if relaxation.expression == without(utterance.expression, part):
        return f"without {said[0]}"
    return f"{said[0]} read as '{_word(_step_at(relaxation.expression, part.address), words)}'"


def _mentions(traced: Trace, utterance: Utterance, address: Address, words: Lexicon) -> Iterator[ExplainedMention]:
    """The mention at an address, after those inside its clauses."""
    for step in traced.steps:
        if step.inner:
            yield from _mentions(step.inner, utterance, step.part.address, words)
    yield ExplainedMention(
        words=_mention_words(utterance, address),
        address=address,
        steps=tuple(_explained_step(step, utterance, words) for step in traced.steps),
        left=tuple(sorted(traced.referents)),
    )


def _mention_words(utterance: Utterance, address: Address) -> str:
    """The noun phrase at an address with all its clauses: from its determiner to the end of its last clause."""
    first, last = utterance.spans[(*address, -1)]
    inside = (span[1] for place, span in utterance.spans.items() if place[: len(address)] == address)
    return " ".join(utterance.text.split(" ")[first : max(last, *inside)])


def _explained_step(step: TracedStep, utterance: Utterance, words: Lexicon) -> ExplainedStep:
    part = step.part
    said = utterance.words_of(part.address)
    if isinstance(part.step, Related):
        said = f"{words.phrase_for(part.step.relation)} {utterance.words_of((*part.address, -1))}"
    return ExplainedStep(said, part.kind, part.address, tuple(sorted(step.before)), tuple(sorted(step.after)))


def _explained_parts(utterance: Utterance, context: Context) -> Iterator[ExplainedPart]:
    for part, is_necessary in necessity(utterance.expression, context).items():
        yield ExplainedPart(_said_with_place(part, utterance), part.kind, part.address, is_necessary)


def _said_with_place(part: Part, utterance: Utterance) -> str:
    """The words of a part; those inside a clause with the phrase they stand in, since a word may occur twice."""
    said = utterance.words_of(part.address)
    above = part.address[:-1]
    return f"'{said}' in '{utterance.words_of((*above, -1))}'" if above and part.kind != "clause" else f"'{said}'"


def _explained_misreadings(utterance: Utterance, context: Context, words: Lexicon) -> Iterator[ExplainedMisreading]:
    led_to: dict[Expression, tuple[Relaxation, list[int]]] = {}
    for where, found in competitors(utterance.expression, context).items():
        for relaxation in found:
            led_to.setdefault(relaxation.expression, (relaxation, []))[1].append(where.object)
    for relaxation, wrong in led_to.values():
        yield ExplainedMisreading(
            words=say_misreading(relaxation, utterance, words=words),
            kind=relaxation.kind,
            understood=_realised(relaxation.expression, words),
            wrong=tuple(sorted(wrong)),
        )


def _realised(expression: Expression, words: Lexicon) -> str:
    """The words for an expression, or its notation where the language has none."""
    try:
        return realise(expression, words=words).text
    except (SchemaError, UnknownName):
        return describe(expression)


def _word(step: Step, words: Lexicon) -> str:
    return words.word_for(step) if isinstance(step, Is | Extreme) else str(step)


def _step_at(expression: Expression, address: Address) -> Step:
    return mention_at(expression, address[:-1]).steps[address[-1]]


def _left(indices: tuple[int, ...]) -> str:
    return f"{len(indices)} left ({', '.join(map(str, indices))})" if indices else "none left"


def _plain(record: ExplainedStep | ExplainedPart | ExplainedMisreading) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in record.__slots__}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
