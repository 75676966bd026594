"""Cases: examples that a rule holds out because of several things at once, such as pushing a square of size 3.

A case is read in two ways that tests hold against each other: plainly, of one example (`Case.holds`), and of many
examples as arrays (`rows_of_cases`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import RecipeError
from deixis.expression.steps import Extreme, Is
from deixis.schema import Which
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.language import WORDS, parse
from deixis.worlds.grid.scene import GRID, SIZES


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.worlds.grid.scene import GridObject, GridScene


__all__ = ["COMPASS", "Case", "Facts", "rows_of_cases", "size_word"]

COMPASS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")  # where the target lies, as seen from the agent on the map
_STEPS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # down and right
NO_WORD = -1
NO_REFERENCE = 255  # in place of a shape


@dataclass(frozen=True, kw_only=True)
class Case:
    """Conditions on one example that all have to hold, except those left empty.

    Attributes:
        verb: what is to be done, e.g. 'push'.
        manner: how, e.g. 'cautiously'.
        said: the size word said of the target, 'small' or 'big'.
        target: what the target is, whatever it is called, e.g. 'yellow square'.
        size: how big the target is, from 1 to 4.
        direction: where the target lies as seen from the agent, e.g. 'sw', with north on top.
        reference: what the object of the first clause is.
        longer_than: so many actions are fewer than those of the plan.
    """

    verb: str = ""
    manner: str = ""
    said: str = ""
    target: str = ""
    size: int = 0
    direction: str = ""
    reference: str = ""
    longer_than: int = 0

    def __post_init__(self) -> None:
        for name in ("verb", "manner", "said", "target", "direction", "reference"):
            if not isinstance(getattr(self, name), str):
                raise RecipeError(f"{name} of a case is a text, got {str(getattr(self, name))[:60]}")
        for name, most in (("size", len(SIZES)), ("longer_than", 10_000)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
                raise RecipeError(f"{name} of a case is a whole number up to {most}, got {value!r}")
        self._demand_known()
        if all(getattr(self, entry.name) == entry.default for entry in fields(self)):
            raise RecipeError("a case of a hold-out has no condition, so it would hold everything out")
        for words in filter(None, (self.target, self.reference)):
            if not all(isinstance(step, Is) for step in _steps_of(words)):
                raise RecipeError(f"a case names a thing by shape and color alone, got {words!r}")

    def _demand_known(self) -> None:
        """Raise an error for a word that no example can have."""
        known: dict[str, tuple[str, ...]] = {
            "verb": tuple(map(str, Verb)),
            "manner": tuple(str(manner) for manner in Manner if manner),
            "said": tuple(WORDS.words["size"]),
            "direction": COMPASS,
        }
        for name, words in known.items():
            if getattr(self, name) and getattr(self, name) not in words:
                raise RecipeError(f"unknown {name} {getattr(self, name)!r} in a case; known: {', '.join(words)}")

    def holds(self, expression: Expression, scene: GridScene, *, verb: str, manner: str, actions: int) -> bool:
        """Return whether an example is the case, in whose scene the mentioned objects come first."""
        target = scene.objects[0]
        reference = scene.objects[1] if expression.clauses and len(scene) > 1 else None
        return (
            self.verb in ("", verb)
            and self.manner in ("", manner)
            and (not self.said or size_word(expression) == _size_code(self.said))
            and _looks_like(target, self.target)
            and self.size in (0, target.size)
            and (not self.direction or _direction(scene) == self.direction)
            and (not self.reference or (reference is not None and _looks_like(reference, self.reference)))
            and actions > self.longer_than - (self.longer_than == 0)
        )


class Facts(NamedTuple):
    """Everything that cases ask about some examples, as arrays.

    Shapes:
        verb, manner: int [row], as in arrays elsewhere; said: int [row], the size word of the target: 0 small, 1 big,
        -1 none. target: int [row, 5], shape, color, size, row and column; reference: int [row, 2], shape and color of
        the object of the first clause, 255 where there is none. agent: int [row, 2], row and column. actions: int
        [row], the length of the plan.
    """

    verb: np.ndarray
    manner: np.ndarray
    said: np.ndarray
    target: np.ndarray
    reference: np.ndarray
    agent: np.ndarray
    actions: np.ndarray

    @classmethod
    def of(
        cls,
        *,
        verb: np.ndarray,
        manner: np.ndarray,
        said: np.ndarray,
        things: np.ndarray,
        mentions: np.ndarray,
        agent: np.ndarray,
        actions: np.ndarray,
    ) -> Facts:
        """Return the facts about the first two objects of each world, where the second may not be mentioned.

        Shapes:
            things: integers [row, 2, 5]; mentions: int [row]; the others are those of the attributes.
        """
        things = things.astype(np.int64)
        reference = np.where((mentions > 1)[:, None], things[:, 1, :2], NO_REFERENCE)
        return cls(verb, manner, said, things[:, 0], reference, agent.astype(np.int64), actions)


def rows_of_cases(cases: tuple[Case, ...], facts: Facts) -> np.ndarray:
    """Return bool [row]: any of the cases holds of the example."""
    found = np.zeros(len(facts.verb), bool)
    for case in cases:
        found |= _rows_of(case, facts)
    return found


def size_word(expression: Expression) -> int:
    """Return the size word of the target's phrase: 0 small, 1 big, -1 where none is said."""
    said = [step.which for step in expression.steps if isinstance(step, Extreme) and step.attribute == "size"]
    return int(Which(said[0])) if said else NO_WORD


def _size_code(word: str) -> int:
    step = WORDS.words["size"][word]
    return int(step.which) if isinstance(step, Extreme) else NO_WORD


def _rows_of(case: Case, facts: Facts) -> np.ndarray:
    holds = np.ones(len(facts.verb), bool)
    if case.verb:
        holds &= facts.verb == Verb(case.verb).code
    if case.manner:
        holds &= facts.manner == Manner(case.manner).code
    if case.said:
        holds &= facts.said == _size_code(case.said)
    for words, codes in ((case.target, facts.target), (case.reference, facts.reference)):
        for step in _steps_of(words):
            if isinstance(step, Is):
                place = GRID.attribute_code(step.attribute)
                holds &= codes[:, place] == GRID.attribute(step.attribute).code(step.value)
    if case.size:
        holds &= facts.target[:, 2] == case.size
    if case.direction:
        down, right = _STEPS[COMPASS.index(case.direction)]
        away = np.sign(facts.target[:, 3:] - facts.agent)
        holds &= (away[:, 0] == down) & (away[:, 1] == right)
    if case.longer_than:
        holds &= facts.actions > case.longer_than
    return holds


def _direction(scene: GridScene) -> str:
    """Return where the target lies as seen from the agent, or empty where it stands on it or there is none."""
    if scene.agent is None:
        return ""
    target = scene.objects[0]
    away = int(np.sign(target.row - scene.agent.row)), int(np.sign(target.column - scene.agent.column))
    return COMPASS[_STEPS.index(away)] if away in _STEPS else ""


def _looks_like(thing: GridObject, words: str) -> bool:
    return all(getattr(thing, step.attribute) == step.value for step in _steps_of(words) if isinstance(step, Is))


def _steps_of(words: str) -> tuple[Is | Extreme, ...]:
    return parse(f"the {words}").steps if words else ()  # type: ignore[return-value]
