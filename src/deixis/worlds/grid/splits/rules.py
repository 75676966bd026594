"""What a split holds out, as a rule over expressions and the objects they mention."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import RecipeError
from deixis.expression.parts import parts
from deixis.expression.steps import Extreme, Is
from deixis.language.parse import parse
from deixis.scene.grid import GRID
from deixis.worlds.grid.patterns import pattern, pattern_of


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Description, Expression
    from deixis.scene.grid import GridScene


__all__ = ["Decisive", "Rule", "phrase_key", "relation_key"]

Decisive: TypeAlias = Literal["", "shape", "color", "size"]
TAKEN = ("train", "dev", "test", "aside", "all")  # 'all' is how other tools call everything together


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What is kept out of training. An example is held out when any of the conditions given holds.

    Attributes:
        id: a versioned name, e.g. `reascan/A1-v1`; results are comparable only under the same id.
        name: the name of the split, e.g. `a1`.
        about: what it tests, in a few words.
        phrase: words said together in one noun phrase, e.g. 'yellow square'; other words may stand between.
        thing: what no mentioned object may be, e.g. 'red square', whatever it is called.
        relations: relations said together in one command.
        pattern: the pattern of the command.
        new_phrases: noun phrases that occur, each by itself, in training, but never all together.
        decisive: the attribute whose word in `phrase` must be needed to find the target for an example to be in the
            test set. Held-out examples without that are set aside: in neither training nor the test set.
    """

    id: str
    name: str
    about: str = ""
    phrase: str = ""
    thing: str = ""
    relations: tuple[str, ...] = ()
    pattern: str = ""
    new_phrases: bool = False
    decisive: Decisive = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", self.name) or self.name in TAKEN:
            raise RecipeError(
                f"a split cannot be called {self.name!r}; use small letters, digits and hyphens, not {'/'.join(TAKEN)}"
            )
        if not (self.phrase or self.thing or self.relations or self.pattern or self.new_phrases):
            raise RecipeError(
                f"the hold-out {self.name!r} holds out nothing; give it a phrase, a thing, relations or a pattern"
            )
        if self.new_phrases and (self.phrase or self.thing or self.relations or self.pattern):
            raise RecipeError(f"the hold-out {self.name!r} asks for new phrases; it can hold out nothing else besides")
        for words in filter(None, (self.phrase, self.thing)):
            self._check_words(words)
        if any(isinstance(step, Extreme) for step in _steps_of(self.thing)):
            raise RecipeError(
                f"the hold-out {self.name!r} names a thing by size; "
                "only shape and color can be seen on one object alone"
            )
        if self.decisive and not any(step.attribute == self.decisive for step in _steps_of(self.phrase)):
            raise RecipeError(
                f"the hold-out {self.name!r} wants {self.decisive} to be decisive, "
                f"but its phrase {self.phrase!r} does not say one"
            )
        for relation in self.relations:
            GRID.relation_code(relation)
        if self.pattern:
            object.__setattr__(self, "pattern", pattern(self.pattern).name)  # '^ &' is p3

    def _check_words(self, words: str) -> None:
        said = parse(f"the {words}")
        if said.clauses or not said.steps:
            raise RecipeError(
                f"the hold-out {self.name!r} must name one noun phrase that says more than 'object', got {words!r}"
            )

    @property
    def is_generated(self) -> bool:
        """Whether its test set is made on purpose: no pool of commands holds what it asks for."""
        return bool(self.pattern or self.new_phrases)

    def says(self, expression: Expression) -> bool:
        """Whether the command itself is held out, whatever its world."""
        return (
            (bool(self.phrase) and any(True for _ in self.mentions(expression)))
            or (bool(self.relations) and set(self.relations) <= set(expression.relations()))
            or (bool(self.pattern) and pattern_of(expression).name == self.pattern)
        )

    def mentions(self, expression: Expression) -> Iterator[int]:
        """The numbers of the mentions whose noun phrase says all words of the held-out phrase."""
        wanted = set(_steps_of(self.phrase))
        for number, mention in enumerate(expression.mentions()):
            if wanted and wanted <= set(mention.steps):
                yield number

    def decisive_parts(self, expression: Expression) -> tuple[int, ...]:
        """The places, in the order of `parts`, of the words that must be needed."""
        found = []
        said = set(self.mentions(expression))
        mention = 0
        for place, part in enumerate(parts(expression)):
            if part.kind == "clause":
                mention += 1
            elif mention in said and part.attribute == self.decisive:
                found.append(place)
        return tuple(found)

    def thing_codes(self) -> dict[str, str]:
        """The values that no mentioned object may have together, by attribute; empty where the rule names no thing."""
        return {step.attribute: step.value for step in _steps_of(self.thing) if isinstance(step, Is)}

    def shows(self, scene: GridScene, mentions: int) -> bool:
        """Whether one of the mentioned objects, which come first, is the held-out thing."""
        wanted = self.thing_codes()
        return bool(wanted) and any(
            all(getattr(thing, attribute) == value for attribute, value in wanted.items())
            for thing in scene.objects[:mentions]
        )

    def holds(self, expression: Expression, scene: GridScene) -> bool:
        """Whether an example must stay out of training."""
        return self.says(expression) or self.shows(scene, sum(1 for _ in expression.mentions()))


def phrase_key(expression: Expression) -> tuple[str, ...]:
    """The noun phrases of a command, whatever their order."""
    return tuple(sorted(_notation(mention.phrase) for mention in expression.mentions()))


def relation_key(expression: Expression) -> tuple[str, ...]:
    """The relations of a command, whatever their order."""
    return tuple(sorted(expression.relations()))


@lru_cache(maxsize=4096)
def _notation(phrase: Description) -> str:
    return str(phrase)


@lru_cache(maxsize=256)
def _steps_of(words: str) -> tuple[Is | Extreme, ...]:
    """The steps of a noun phrase without clauses."""
    return parse(f"the {words}").steps if words else ()  # type: ignore[return-value]
