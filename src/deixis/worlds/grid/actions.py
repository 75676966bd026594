"""Verbs, manners and the six actions of gSCAN and ReaSCAN.

A plan is a tuple of actions. It is written in three ways: as words (`turn left,walk`, the form of the files), as
letters (`LW`, for tests and the terminal) and as small integers (for arrays and the compiled planner).
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import ParseError, SchemaError


if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = [
    "MANNERS",
    "VERBS",
    "Action",
    "Manner",
    "Plan",
    "Verb",
    "plan_from_codes",
    "plan_from_letters",
    "plan_from_words",
    "plan_to_codes",
    "plan_to_letters",
    "plan_to_words",
    "say_plan",
]


LETTERS = "LRWPQS"  # of actions, by their numbers


class Action(IntEnum):
    """One action of the agent, whose number is its code in arrays."""

    TURN_LEFT = 0
    TURN_RIGHT = 1
    WALK = 2
    PUSH = 3
    PULL = 4
    STAY = 5

    @property
    def words(self) -> str:
        """The action as the files spell it."""
        return self.name.lower().replace("_", " ")

    @property
    def letter(self) -> str:
        """The action as one letter, with P for push and Q for pull."""
        return LETTERS[self]


class Verb(StrEnum):
    """The verb of a command."""

    WALK = "walk"
    PUSH = "push"
    PULL = "pull"

    @property
    def code(self) -> int:
        """The verb in arrays: walk 0, push 1, pull 2."""
        return VERBS.index(self)


class Manner(StrEnum):
    """The manner of a command."""

    NONE = ""
    ZIGZAGGING = "while zigzagging"
    SPINNING = "while spinning"
    CAUTIOUSLY = "cautiously"
    HESITANTLY = "hesitantly"

    @property
    def code(self) -> int:
        """The manner in arrays: none 0, zigzagging 1, spinning 2, cautiously 3, hesitantly 4."""
        return MANNERS.index(self)


VERBS = tuple(Verb)
MANNERS = tuple(Manner)
Plan = tuple[Action, ...]

_BY_WORDS = {action.words: action for action in Action}
_BY_LETTER = {action.letter: action for action in Action}


def plan_from_words(text: str) -> Plan:
    """Return the plan that comma-separated words spell out, empty for the empty text.

    Raises:
        ParseError: naming the first unknown action and its place, counted from 1.
    """
    words = text.split(",") if text.strip() else []
    return _looked_up((" ".join(word.split()) for word in words), _BY_WORDS, text=text)


def plan_to_words(plan: Iterable[Action]) -> str:
    """Return the plan as comma-separated words, as in the files."""
    return ",".join(action.words for action in plan)


def plan_from_letters(text: str) -> Plan:
    """Return the plan that letters spell out, ignoring blanks between them.

    Raises:
        ParseError: naming the first unknown letter and its place, counted from 1.
    """
    return _looked_up("".join(text.split()), _BY_LETTER, text=text)


def plan_to_letters(plan: Iterable[Action]) -> str:
    """Return the plan as one letter per action."""
    return "".join(action.letter for action in plan)


def plan_from_codes(codes: Iterable[int]) -> Plan:
    """Return the plan that a row of integers stands for.

    Raises:
        SchemaError: naming the first unknown code and its place, counted from 1.
    """
    actions = []
    for position, code in enumerate(codes, start=1):
        if not 0 <= code < len(Action):
            raise SchemaError(f"unknown action code {code} at position {position}; known: 0 to {len(Action) - 1}")
        actions.append(Action(code))
    return tuple(actions)


def plan_to_codes(plan: Iterable[Action]) -> np.ndarray:
    """Return the plan as uint8 [action], the form of the compiled planner."""
    return np.fromiter(plan, np.uint8)


def _looked_up(words: Iterable[str], known: dict[str, Action], *, text: str) -> Plan:
    actions = []
    for position, word in enumerate(words, start=1):
        if word not in known:
            raise ParseError(text=text, word=word or ",", position=position, expected=tuple(known))
        actions.append(known[word])
    return tuple(actions)


def say_plan(plan: Plan) -> str:
    """Return a plan in words, with what repeats counted: 'turn left 2x, walk 3x, push'."""
    if not plan:
        return "nothing to do"
    runs = ((action.words, sum(1 for _ in run)) for action, run in groupby(plan))
    said = ", ".join(words if times == 1 else f"{words} {times}x" for words, times in runs)
    return f"{said} ({len(plan)} actions)" if len(plan) > 1 else said
