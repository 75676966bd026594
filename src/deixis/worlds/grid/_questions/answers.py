"""Readers of plans and cells in answers of models, forgiving about form and exact about content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from deixis.prompts.answers import LISTED, Unparsable, read_only
from deixis.worlds.grid.actions import LETTERS, Action


if TYPE_CHECKING:
    from deixis.worlds.grid.actions import Plan


T = TypeVar("T")
MOST_ACTIONS = 500
MOST_TIMES = 99  # that an action is repeated


def parse_actions(text: str) -> Plan:
    r"""Parse the plan that an answer spells out, as words or letters, in a list or one after the other.

    Examples:
        >>> [action.letter for action in parse_actions("Answer: turn left, walk 2x, push")]
        ['L', 'W', 'W', 'P']
        >>> parse_actions('["L", "W"]') == parse_actions("LW") == parse_actions("1. turn left\n2. walk")
        True
    """
    return read_only(text, _actions)


def parse_cell(text: str, *, size: int) -> tuple[int, int]:
    """Parse the row and column that an answer names: `(2, 3)`, `row 2, column 3`, or `D3` as on a chart (rows from 1).

    Args:
        text: the answer.
        size: cells along one side; other cells are not understood.
    """
    row, column = read_only(text, _cell)
    if not (0 <= row < size and 0 <= column < size):
        raise Unparsable("a cell that is not on the board")
    return row, column


# -------------------------------------------------------------------------------- actions

_ACTIONS = {
    Action.TURN_LEFT: r"(?:turn|rotate)(?:ing)?[ _-]*(?:to[ ]+the[ ]+)?left|left[ _-]?turn|left",
    Action.TURN_RIGHT: r"(?:turn|rotate)(?:ing)?[ _-]*(?:to[ ]+the[ ]+)?right|right[ _-]?turn|right",
    Action.WALK: r"(?:walk|move|step|go)(?:[ _-]*(?:forwards?|ahead|straight))?(?![ -]+(?:left|right|back))|forwards?",
    Action.PUSH: r"push",
    Action.PULL: r"pull",
    Action.STAY: r"stay(?:[ ]+(?:in[ ]+place|still))?|wait|pause",
}
_WORD = re.compile("|".join(f"(?P<a{int(action)}>{words})" for action, words in _ACTIONS.items()), re.IGNORECASE)
_STEP = re.compile(
    rf"(?:(?P<before>\d{{1,4}})\s*(?:x|×|times)?\s+|(?P<tight>\d{{1,4}})\s*[x×]\s*)?(?P<word>{_WORD.pattern})\b"
    r"(?:\s*(?:\(\s*)?(?:[x×*]\s*(?P<after>\d{1,4})|(?P<times>\d{1,4})\s*(?:x\b|×|times\b|steps?\b|cells?\b))(?:\s*\))?"
    r"|\s+(?P<word_times>once|twice|thrice)\b)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:[\s,;|\[\]()>'\"`*•.→+-]|=>|\b(?:then|and|next|finally)\b)*", re.IGNORECASE)
_LETTERS = re.compile(rf"[{LETTERS}](?:[\s,;\[\]'\"|-]*[{LETTERS}])*")
_NOTHING = re.compile(r"(?:do )?nothing|no actions?(?: (?:is |are )?needed)?|none|\[\s*\]", re.IGNORECASE)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}


def _actions(text: str, *, is_marked: bool) -> set[Plan]:
    del is_marked
    text = LISTED.sub("", text.replace("_", " "))
    if _NOTHING.fullmatch(text):
        return {()}
    letters = re.sub(r"^\s*\[|\]\s*$", "", text).strip(" '\"")
    if _LETTERS.fullmatch(letters):
        return {_within(tuple(Action(LETTERS.index(sign)) for sign in letters if sign in LETTERS))}
    plan: list[Action] = []
    place = _skip(text, 0)
    while place < len(text):
        step = _STEP.match(text, place)
        if step is None:
            word = re.split(r"[,;\n]", text[place:])[0].strip()
            raise Unparsable("no answer in it" if not plan else f"an unknown action {word[:30]!r}")
        action = next(action for action in Action if step[f"a{int(action)}"] is not None)
        said = next((step[name] for name in ("before", "tight", "after", "times") if step[name]), None)
        times = int(said) if said else _TIMES.get((step["word_times"] or "once").lower(), 1)
        if not 1 <= times <= MOST_TIMES:
            raise Unparsable("an action repeated too often")
        plan += [action] * times
        _within(plan)
        place = _skip(text, step.end())
    return {tuple(plan)} if plan else set()


def _skip(text: str, place: int) -> int:
    found = _BETWEEN.match(text, place)
    return found.end() if found else place


def _within(plan: T) -> T:
    if len(plan) > MOST_ACTIONS:  # type: ignore[arg-type]
        raise Unparsable("a plan that is too long")
    return plan


# -------------------------------------------------------------------------------- cells

_ROW_COLUMN = re.compile(
    r"\brow\s*[:=]?\s*(\d{1,3})\b[\s,;]*(?:and\s+)?col(?:umn)?\s*[:=]?\s*(\d{1,3})\b", re.IGNORECASE
)
_COLUMN_ROW = re.compile(
    r"\bcol(?:umn)?\s*[:=]?\s*(\d{1,3})\b[\s,;]*(?:and\s+)?row\s*[:=]?\s*(\d{1,3})\b", re.IGNORECASE
)
_PAIR = re.compile(r"[(\[]\s*(\d{1,3})\s*[,;]\s*(\d{1,3})\s*[)\]]")
_BARE_PAIR = re.compile(r"(\d{1,3})\s*[,; ]\s*(\d{1,3})")
_CHART = re.compile(r"([A-Z])(\d{1,2})", re.IGNORECASE)


def _cell(text: str, *, is_marked: bool) -> set[tuple[int, int]]:
    del is_marked
    if bare := _BARE_PAIR.fullmatch(text):
        return {(int(bare[1]), int(bare[2]))}
    if chart := _CHART.fullmatch(text):
        return {(int(chart[2]) - 1, ord(chart[1].upper()) - ord("A"))}
    found = {(int(row), int(column)) for row, column in _ROW_COLUMN.findall(text)}
    found |= {(int(row), int(column)) for column, row in _COLUMN_ROW.findall(text)}
    return found | {(int(row), int(column)) for row, column in _PAIR.findall(text)}
