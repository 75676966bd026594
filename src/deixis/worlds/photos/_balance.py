"""Balancing of changed expressions, so that their words do not give them away.

Whoever reads many expressions of what is there and of what is not, but sees no image, should not be able to tell one
from the other. A change takes one word out and puts another in; if rare words are put in more often than they are taken
out, rare words betray the change. So of several changes that would do, that one is chosen after which the words that
came in so far are most nearly those that went out, a little in favour of the kind of change that was made least. Every
expression is changed equally often: if chains were changed more often than ranks, 'second' would betray that nothing
was changed.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from deixis.expression.parts import parts
from deixis.expression.steps import Is, Related


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.expression.description import Expression


class GqaCounts(NamedTuple):
    """Words with their counts, the most frequent first."""

    names: Mapping[str, int]
    attributes: Mapping[str, int]
    relations: Mapping[str, int]


@cache
def gqa_counts() -> GqaCounts:
    """Return the counts of the table in this folder, which names its source."""
    table = tomllib.loads(files(__package__).joinpath("gqa_counts.toml").read_text(encoding="utf-8"))
    return GqaCounts(*(_counts(table[kind]) for kind in GqaCounts._fields))


def _counts(text: str) -> dict[str, int]:
    entries = (" ".join(entry.split()).rpartition(" ") for entry in text.split(","))
    return {word: int(count) for word, _, count in entries}


EVENLY = 0.05  # what every earlier change of the same kind adds to the cost of one


class Balance:
    """Net count of the insertions of each word, and the count of each change."""

    def __init__(self, originals: Iterable[Expression]) -> None:
        self.common = Counter(word for one in originals for word in said_words(one))
        self.owed: Counter[str] = Counter()
        self.made: Counter[str] = Counter()

    def cost(self, change: str, moved: Mapping[str, int]) -> float:
        """Return the loss of balance from a change in which some words come in or go out."""
        words = sum(((self.owed[w] + n) ** 2 - self.owed[w] ** 2) / (1 + self.common[w]) for w, n in moved.items())
        return words + EVENLY * self.made[change]

    def take(self, change: str, moved: Mapping[str, int]) -> None:
        """Count a change with the words that came in and went out."""
        self.made[change] += 1
        for word, more in moved.items():
            self.owed[word] += more


def moved_words(was: Expression, now: Expression) -> dict[str, int]:
    """Return the words that one expression says more or less often than another, with the difference."""
    before, after = Counter(said_words(was)), Counter(said_words(now))
    return {word: after[word] - before[word] for word in sorted(before | after) if after[word] != before[word]}


def said_words(expression: Expression) -> list[str]:
    """Return the names, attributes and relations that an expression says, with their counts."""
    found = []
    for part in parts(expression):
        if isinstance(part.step, Is):
            found.append(part.step.value)
        elif isinstance(part.step, Related):
            found.append(part.step.relation)
    return found
