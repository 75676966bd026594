"""Suggestions: what to change in a text that picks out several objects, or none, so that it picks out one.

**Definition.** An edit adds a part to a noun phrase, leaves a part out, or says another word in its place. A
*suggestion* for an object is one edit of a word, or else two, or else one clause that is added, after which the text
picks out this object and no other. Where several objects fit, the suggestions for each of them only add. Where none
fits, everything may change, and of all objects those are suggested for which the least has to change; the noun of the
whole is given up last.

Every suggestion is put into words, read again, and resolved in the scene before it is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from deixis.errors import DeixisError
from deixis.language._edits import EditedExpression, GoalEdits
from deixis.resolution.reference import resolve
from deixis.scene.scene import Context, Where


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene


__all__ = ["Speech", "Suggestion", "TextChange", "suggest_edits"]

MOST_TRIES = 3000  # expressions that are resolved for one text; of a board of ReaSCAN about a hundred are
MOST_FOR_ONE = 2
MOST_FOR_NOTHING = 6
ORDINALS = ("first", "second", "third", "fourth", "fifth")


class Speech(Protocol):
    """The language of a world, as suggestions need it."""

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Return a text with its meaning, or raise `ParseError`."""

    def realise(self, expression: Any) -> Utterance:
        """Return a text for an expression, or an instruction where the language has any."""


class TextChange(NamedTuple):
    """Words of a text and the words that take their place, either of which may be empty.

    Attributes:
        before: the words that go.
        after: the words that come.
        told: the change in words: "add ‘big’".
    """

    before: str
    after: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An edited text that picks out one object.

    Attributes:
        text: the text.
        expression: what it means.
        target: the object.
        changes: what was changed, in the order of the words.
        cost: how much was changed: one for a word, two for the noun of the whole, three and more for a clause.
    """

    text: str
    expression: Expression
    target: Where
    changes: tuple[TextChange, ...]
    cost: int

    @property
    def words(self) -> str:
        """The changes in words: "add ‘big’", "say ‘circle’ instead of ‘object’"."""
        return " and ".join(change.told for change in self.changes)

    def as_dict(self) -> dict[str, Any]:
        """The suggestion as plain values."""
        return {"words": self.words, "text": self.text, "scene": self.target.scene, "target": self.target.object}


def suggest_edits(
    utterance: Utterance, where: Scene | Context, *, language: Speech, most: int = MOST_FOR_ONE
) -> tuple[Suggestion, ...]:
    """Return the shortest edits after which a text picks out one object, or none if it does already.

    Args:
        utterance: what was said, with its meaning.
        where: the scene, or several that are shown together.
        language: reads and says texts.
        most: how many suggestions are made for one object.

    Example:
        >>> from deixis.worlds.grid.drawn import grid
        >>> from deixis.worlds.grid.language import LANGUAGE, read
        >>> scene = grid('''
        ...     r○1 b○1
        ...     .   r□1
        ... ''')
        >>> for one in suggest_edits(read("the circle"), scene, language=LANGUAGE):
        ...     print(one.words, "→", one.text)
        add ‘red’ → the red circle
        add ‘blue’ → the blue circle
    """
    return tuple(_Search(utterance, where, language, most).run())


class _Search:
    """A search for the cheapest edits."""

    def __init__(self, utterance: Utterance, where: Scene | Context, language: Speech, most: int) -> None:
        self.utterance, self.where, self.language, self.most = utterance, where, language, most
        self.scenes = where.scenes if isinstance(where, Context) else (where,)
        self.is_long = len(list(utterance.expression.mentions())) > 1
        self.tries = 0

    def run(self) -> Iterator[Suggestion]:
        fitting = sorted(resolve(self.utterance.expression, self.where).objects)
        if len(fitting) == 1:
            return
        if fitting:
            for goal in fitting:
                edits = GoalEdits(self.scenes[goal.scene], goal.object, may_change=False)
                helping = (self._helping(goal, edits, level) for level in self._levels(edits))
                yield from self._best(next(filter(None, helping), []))
            return
        goals = [Where(number, index) for number, scene in enumerate(self.scenes) for index in range(len(scene))]
        edits_of = {goal: GoalEdits(self.scenes[goal.scene], goal.object, may_change=True) for goal in goals}
        for levels in zip(*(self._levels(edits) for edits in edits_of.values()), strict=True):
            pairs = zip(edits_of.items(), levels, strict=True)
            by_goal = [self._helping(goal, edits, level) for (goal, edits), level in pairs]
            if any(by_goal):
                least = min(one.cost for some in by_goal for one in some)
                cheapest = ([one for one in some if one.cost == least] for some in by_goal)
                yield from islice(chain.from_iterable(map(self._best, cheapest)), MOST_FOR_NOTHING)
                return

    def _levels(self, edits: GoalEdits) -> Iterator[Iterable[EditedExpression]]:
        """The edits by their cost; of clauses there are none where everything may change."""
        said = self.utterance.expression
        yield edits.words(said)
        yield (
            EditedExpression(one.cost + two.cost, two.expression, one.left_out + two.left_out)
            for one in edits.words(said)
            for two in edits.words(one.expression)
        )
        if not edits.may_change:
            yield (one for one in edits.clauses(said) if one.cost == 3)
            yield (one for one in edits.clauses(said) if one.cost > 3)

    def _helping(self, goal: Where, edits: GoalEdits, level: Iterable[EditedExpression]) -> list[Suggestion]:
        """The edits after which the goal and nothing else fits, in words."""
        helping: dict[Expression, Suggestion] = {}
        seen: set[Expression] = set()
        for edited in level:
            meant = edited.expression.canonical()
            if meant in seen or not meant.steps or not edits.may_be_true(meant):
                continue
            seen.add(meant)
            self.tries += 1
            if self.tries > MOST_TRIES:
                break
            if resolve(edited.expression, self.where).objects == {goal}:
                said = self._say(edited, goal)
                if said is not None:
                    helping[meant] = said
        return list(helping.values())

    def _best(self, some: list[Suggestion]) -> list[Suggestion]:
        """The first few, those with the shortest texts first."""
        by_text = {one.text: one for one in sorted(some, key=lambda one: (one.cost, len(one.text), one.text))}
        return list(by_text.values())[: self.most]

    def _say(self, edited: EditedExpression, goal: Where) -> Suggestion | None:
        """The suggestion, if the language has words for it that mean the same."""
        try:
            said = self._realise(edited.expression)
            text = self._with_determiners(said, edited.left_out[:1])  # others are of another expression
            if text != said.text and self._picks_out(text) != {goal}:
                text = said.text
            if self._picks_out(text) != {goal}:
                return None
            read = self.language.read(text, self.scenes[goal.scene])
        except DeixisError:
            return None
        changes = min((list(_changes(base, text.split(" "), is_long=self.is_long)) for base in self._bases), key=_size)
        return Suggestion(text=text, expression=read.expression, target=goal, changes=tuple(changes), cost=edited.cost)

    @cached_property
    def _bases(self) -> list[list[str]]:
        """The words that were said, and the words in which the language itself says the same."""
        try:
            own = self._with_determiners(self._realise(self.utterance.expression), ())
        except DeixisError:
            own = self.utterance.text
        return [self.utterance.text.split(" "), own.split(" ")]

    def _realise(self, expression: Expression) -> Utterance:
        asked = self.utterance.instruction
        meaning: Any = replace(asked, expression=expression) if asked.verb or asked.manner else expression
        return self.language.realise(meaning)

    def _picks_out(self, text: str) -> frozenset[Where]:
        try:
            meant = self.language.read(text, self.scenes[0]).expression
        except DeixisError:
            return frozenset()
        return resolve(meant, self.where).objects

    def _with_determiners(self, said: Utterance, gone: Sequence[Address]) -> str:
        """The text with the determiners that were said, as far as their noun phrases are still there.

        It begins with a capital where what was said did.
        """
        if self.utterance.text[:1].islower():
            said = replace(said, text=said.text[:1].lower() + said.text[1:])
        old = _mentions(self.utterance)
        if len(old) != len(self.utterance.determiners):
            return said.text
        pairs = zip(old, self.utterance.determiners, strict=True)
        kept = [word for (address, _), word in pairs if not any(address[: len(one)] == one for one in gone)]
        tokens = said.text.split(" ")
        known = {*self.utterance.determiners, *said.determiners}
        for (_, start), word in zip(_mentions(said), kept, strict=False):
            if tokens[start] in known:
                tokens[start] = word
        return " ".join(tokens)


def _mentions(utterance: Utterance) -> list[tuple[tuple[int, ...], int]]:
    """The addresses of the noun phrases with their first words, in the order of the words."""
    found = sorted((span, address[:-1]) for address, span in utterance.spans.items() if address[-1] == -1)
    return [(address, span[0]) for span, address in found]


def _size(changes: Sequence[TextChange]) -> int:
    """How many words go or come."""
    return sum(len(change.before.split()) + len(change.after.split()) for change in changes)


def _changes(before: Sequence[str], after: Sequence[str], *, is_long: bool) -> Iterator[TextChange]:
    """What is different between two texts, in words; of one with several noun phrases also where something is added."""
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = " ".join(before[start:end]), " ".join(after[first:last])
        which = f"{_which(before, start, end)}‘{old}’"
        if kind == "replace":
            yield TextChange(old, new, f"say ‘{new}’ instead of {which}")
        elif kind == "delete":
            yield TextChange(old, "", f"leave out {which}")
        elif kind == "insert":
            place = f" before {_which(before, start, start + 1)}‘{before[start]}’" if before[start:] and is_long else ""
            yield TextChange("", new, f"add ‘{new}’{place}")


def _which(tokens: Sequence[str], start: int, end: int) -> str:
    """Which of several equal words is meant: "the second "; nothing where there is one."""
    words, width = list(tokens[start:end]), end - start
    places = [at for at in range(len(tokens) - width + 1) if list(tokens[at : at + width]) == words] if width else []
    if len(places) < 2 or places.index(start) >= len(ORDINALS):
        return ""
    return f"the {ORDINALS[places.index(start)]} "
