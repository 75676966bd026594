"""Why an expression picks out what it picks out, in words.

An explanation goes through the mentions of an expression, inner ones first, and says after every word which objects
are left; then which words the target cannot be found without, and where a careless reader would have ended up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from deixis.distractors.misreadings import misreadings, slightest
from deixis.distractors.necessity import necessity
from deixis.errors import SchemaError, UnknownName
from deixis.expression.description import Description, describe
from deixis.expression.steps import Extreme, Related
from deixis.language._misreadings import say_misreading
from deixis.language.lexicon import Lexicon
from deixis.language.realise import realise
from deixis.resolution.reference import denotation
from deixis.resolution.trace import trace
from deixis.scene.scene import Context, Where
from deixis.schema import Which


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sized

    from deixis.distractors.misreadings import Misreading
    from deixis.expression.description import Expression
    from deixis.expression.parts import Address, Part
    from deixis.expression.steps import Step
    from deixis.language.lexicon import Words
    from deixis.language.utterance import Utterance
    from deixis.resolution.trace import Trace, TracedStep
    from deixis.scene.scene import Scene
    from deixis.schema import Schema


__all__ = [
    "ExplainedMention",
    "ExplainedMisreading",
    "ExplainedPart",
    "ExplainedStep",
    "Explanation",
    "OtherScene",
    "explain",
    "name_object",
]


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """One step: the words that say it, and the objects before and after it."""

    words: str
    kind: str
    address: Address
    before: tuple[int, ...]
    after: tuple[int, ...]
    note: str = ""

    def __str__(self) -> str:
        dropped = len(self.before) - len(self.after)
        if self.note:
            return f"{self.words}: none left, {dropped} dropped: {self.note}"
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
    """One misreading in words that follow 'if you', what is understood, and the wrong objects it leads to.

    Attributes:
        wrong: objects of the scene that is explained.
        elsewhere: objects of the other scenes.
    """

    words: str
    kind: str
    understood: str
    wrong: tuple[int, ...]
    misreading: Misreading
    elsewhere: tuple[Where, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherScene:
    """A scene that is shown beside the one that is explained: its number, its objects in words, and which fit."""

    number: int
    names: tuple[str, ...]
    referents: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Resolution of an expression in a scene, step by step.

    Attributes:
        text: what was said.
        names: every object in words.
        mentions: the noun phrases, inner ones first, the whole expression last.
        referents: the objects it picks out.
        parts: the necessity of every part; empty unless there is exactly one referent in all scenes.
        misreadings: those that lead to a wrong object, the slightest first; empty unless there is exactly one
            referent in all scenes.
        scene: the number of the scene among those that are shown.
        others: the other scenes.
    """

    text: str
    names: tuple[str, ...]
    mentions: tuple[ExplainedMention, ...]
    referents: tuple[int, ...]
    parts: tuple[ExplainedPart, ...] = ()
    misreadings: tuple[ExplainedMisreading, ...] = ()
    scene: int = 0
    others: tuple[OtherScene, ...] = ()

    @property
    def fitting(self) -> tuple[Where, ...]:
        """The objects of all scenes that fit, those of the scene that is explained first."""
        here = tuple(Where(self.scene, index) for index in self.referents)
        return here + tuple(Where(one.number, index) for one in self.others for index in one.referents)

    @property
    def is_unique(self) -> bool:
        """True if exactly one object fits."""
        return len(self.fitting) == 1

    @property
    def target(self) -> int | None:
        """The one object that fits, if there is exactly one and it is in the scene that is explained."""
        return self.referents[0] if self.is_unique and self.referents else None

    @property
    def verdict(self) -> str:
        """In one line, what the expression picks out."""
        if not self.fitting:
            return f"it fits no object: {self._where_it_fails()}"
        if self.is_unique:
            return f"it fits exactly one object: {self._list_all(self.fitting)}"
        return f"it fits {len(self.fitting)} objects and is ambiguous: {self._list_all(self.fitting)}"

    def slightest_to(self, index: int) -> tuple[str, ...]:
        """Return the smallest misreadings that lead to a wrong object, in words.

        Empty if none does.
        """
        led = {one.misreading: one.words for one in self.misreadings if index in one.wrong}
        return tuple(led[one] for one in slightest(led))

    def lines(self) -> Iterator[str]:
        """The whole explanation, line by line."""
        beside = f" of scene {self.scene}, beside {_number_of('other scene', self.others)}" if self.others else ""
        yield f"“{self.text}” among {_number_of('object', self.names)}{beside}"
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
            **self._plain_others(),
        }

    def _plain_others(self) -> dict[str, Any]:
        """Where several scenes are shown, which one is explained and what the others hold."""
        if not self.others:
            return {}
        others = [
            {"scene": one.number, "objects": list(one.names), "referents": list(one.referents)} for one in self.others
        ]
        return {"scene": self.scene, "others": others}

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
        yield "Where you would end if you"
        for misreading in self.misreadings:
            wrong = (*(Where(self.scene, index) for index in misreading.wrong), *misreading.elsewhere)
            yield f"  {misreading.words}: {self._list_all(wrong)}"

    def _list_all(self, places: Iterable[Where]) -> str:
        """Objects in words, with their numbers, and the numbers of other scenes."""
        others = {one.number: one.names for one in self.others}
        return ", ".join(
            f"{self.names[index]} ({index})" if scene == self.scene else f"{others[scene][index]} ({scene}:{index})"
            for scene, index in places
        )

    def _where_it_fails(self) -> str:
        for mention in self.mentions:
            for step in mention.steps:
                if step.before and not step.after:
                    return f"nothing is left after '{step.words}'" + (f", as {step.note}" if step.note else "")
            if mention.lost_to_others:
                return "different mentions would have to be the same object"
        return "there is nothing to choose from"


def explain(
    utterance: Utterance,
    where: Scene | Context,
    *,
    words: Words,
    say: Callable[[Expression], Utterance] | None = None,
) -> Explanation:
    """The resolution of what was said, with the necessity of every part and the misreadings that lead astray.

    Args:
        utterance: the text with its meaning, as `read` gives it.
        where: the scene in which it is resolved; or several of them, of which that of the target is explained.
        words: the language of the utterance.
        say: what says an expression in words; by default `realise`, where the words are a lexicon.

    Example:
        >>> from deixis.worlds.grid.drawn import grid
        >>> from deixis.worlds.grid.language import WORDS, read
        >>> scene = grid('''
        ...     r○ b○
        ...     .  r□
        ... ''')
        >>> explanation = explain(read("the red circle"), scene, words=WORDS)
        >>> [str(step) for step in explanation.mentions[0].steps]
        ['circle: 2 left (0, 1), 1 dropped', 'red: 1 left (0), 1 dropped']
    """
    scenes, number = (where.scenes, where.target.scene) if isinstance(where, Context) else ((where,), 0)
    scene = scenes[number]
    traced = trace(utterance.expression, scene)
    others = tuple(
        OtherScene(place, _names(one), tuple(sorted(denotation(utterance.expression, one))))
        for place, one in enumerate(scenes)
        if place != number
    )
    found = Explanation(
        text=utterance.text,
        names=_names(scene),
        mentions=tuple(_mentions(traced, utterance, (), words)),
        referents=tuple(sorted(traced.referents)),
        scene=number,
        others=others,
    )
    if not found.is_unique:
        return found
    context = Context(scenes, found.fitting[0])
    if say is None and isinstance(words, Lexicon):
        say = partial(realise, words=words)
    return replace(
        found,
        parts=tuple(_explained_parts(utterance, context)),
        misreadings=tuple(_explained_misreadings(utterance, context, number, words, say)),
    )


def _names(scene: Scene) -> tuple[str, ...]:
    return tuple(name_object(scene, index) for index in range(len(scene)))


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


def _mentions(traced: Trace, utterance: Utterance, address: Address, words: Words) -> Iterator[ExplainedMention]:
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
    if (*address, -1) not in utterance.spans:
        return _words_of_part(utterance, address)
    first, last = utterance.spans[(*address, -1)]
    inside = (span[1] for place, span in utterance.spans.items() if place[: len(address)] == address)
    return " ".join(utterance.text.split(" ")[first : max(last, *inside)])


def _explained_step(step: TracedStep, utterance: Utterance, words: Words) -> ExplainedStep:
    part = step.part
    said = _words_of_part(utterance, part.address, part.step)
    if isinstance(part.step, Related):
        said = f"{words.phrase_for(part.step.relation)} {_words_of_part(utterance, (*part.address, -1), part.step.to)}"
    before, after = tuple(sorted(step.before)), tuple(sorted(step.after))
    note = _nothing_to_compare(part.step) if isinstance(part.step, Extreme) and before and not after else ""
    return ExplainedStep(said, part.kind, part.address, before, after, note)


def _words_of_part(utterance: Utterance, address: Address, meaning: Step | Description | None = None) -> str:
    """Return the words of a part, those of a rank in two pieces, or a notation if the text has no words for it."""
    if address not in utterance.spans:
        if meaning is None:
            return utterance.text
        return str(meaning if isinstance(meaning, Description) else Description((meaning,)))
    rest = f" … {utterance.words_of((*address, -2))}" if (*address, -2) in utterance.spans else ""
    return utterance.words_of(address) + rest


def _nothing_to_compare(step: Extreme) -> str:
    """Why a size word fits none of several objects: each of them is as big as all others of its class."""
    return f"there is nothing {'smaller' if step.which == Which.MOST else 'bigger'} of its kind to compare with"


def _explained_parts(utterance: Utterance, context: Context) -> Iterator[ExplainedPart]:
    for part, is_necessary in necessity(utterance.expression, context).items():
        yield ExplainedPart(_said_with_place(part, utterance), part.kind, part.address, is_necessary)


def _said_with_place(part: Part, utterance: Utterance) -> str:
    """The words of a part; those inside a clause with the phrase they stand in, since a word may occur twice."""
    said = _words_of_part(utterance, part.address, part.step)
    above = (*part.address[:-1], -1)
    is_inside = len(above) > 1 and part.kind != "clause" and above in utterance.spans
    return f"'{said}' in '{utterance.words_of(above)}'" if is_inside else f"'{said}'"


def _explained_misreadings(
    utterance: Utterance,
    context: Context,
    number: int,
    words: Words,
    say: Callable[[Expression], Utterance] | None,
) -> Iterator[ExplainedMisreading]:
    told: set[str] = set()
    for one in misreadings(utterance.expression, _schema_of_values_present(context)):
        said = say_misreading(one, utterance, words=words)
        wrong = [
            where
            for place, scene in enumerate(context.scenes)
            for index in sorted(denotation(one.expression, scene))
            if (where := Where(place, index)) != context.target
        ]
        if wrong and said not in told:
            told.add(said)
            is_sayable = say is not None and one.slip != "comparison"  # there the words are those that were said
            understood = (
                _say_or_describe(one.expression, say) if is_sayable and say is not None else describe(one.expression)
            )
            here = tuple(index for place, index in wrong if place == number)
            elsewhere = tuple(where for where in wrong if where.scene != number)
            yield ExplainedMisreading(said, one.slip, understood, here, one, elsewhere)


def _schema_of_values_present(context: Context) -> Schema:
    """Return the schema with only those values that some object may be called by, since others lead nowhere."""
    schema = context.scenes[context.target.scene].schema
    attributes = []
    for attribute in schema.attributes:
        recorded = {
            value
            for scene in context.scenes
            for index in range(len(scene))
            for value in scene.values(index, attribute.name)
        }
        wider = dict(attribute.broader)
        while more := {wider[value] for value in recorded if value in wider} - recorded:
            recorded |= more
        attributes.append(replace(attribute, values=tuple(value for value in attribute.values if value in recorded)))
    return replace(schema, attributes=tuple(attributes))


def _say_or_describe(expression: Expression, say: Callable[[Expression], Utterance]) -> str:
    """The words for an expression, or its notation where the language has none."""
    try:
        return say(expression).text
    except (SchemaError, UnknownName):
        return describe(expression)


def _number_of(thing: str, some: Sized) -> str:
    return f"{len(some)} {thing}{'s' * (len(some) != 1)}"


def _left(indices: tuple[int, ...]) -> str:
    return f"{len(indices)} left ({', '.join(map(str, indices))})" if indices else "none left"


def _plain(record: ExplainedStep | ExplainedPart | ExplainedMisreading) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in record.__slots__ if name != "misreading"}
    if not values.get("elsewhere", True):
        del values["elsewhere"]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
