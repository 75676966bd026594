"""A pool: commands of one pattern and how their worlds are made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import RecipeError
from deixis.expression.patterns import pattern
from deixis.expression.steps import Extreme, Is


if TYPE_CHECKING:
    from deixis.language.utterance import Instruction


__all__ = ["DISTRACTORS", "MAX_EXAMPLES", "SAYS", "Distractors", "Pool", "Says", "demand_whole"]

Says: TypeAlias = Literal["", "noun", "color", "size", "size color"]
SAYS: tuple[Says, ...] = ("", "noun", "color", "size", "size color")
Distractors: TypeAlias = Literal["relation", "attribute", "isomorphism", "random"]
DISTRACTORS: tuple[Distractors, ...] = ("relation", "attribute", "isomorphism", "random")
MAX_WORLDS, MAX_RETRIES = 10_000, 100_000
MAX_EXAMPLES = 100_000_000  # a hundred times the released dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Commands of one pattern and the worlds made for them.

    Attributes:
        name: the name of the pool, e.g. `p3`; that of its split where it is a test set made on purpose.
        pattern: how the noun phrases of its commands hang together.
        commands: how many commands; one for which no world is found is replaced by another.
        worlds: how many worlds for each.
        retries: how often to try for one world before the command is given up.
        distractors: which kinds are added.
        free_sizes: whether relation distractors of two clauses and more have sizes of their own instead of those of
            what they copy; only the mode `compatible` knows the difference.
        says: what the phrase of the target says beside the noun: `noun` for nothing, `color`, `size` or `size color`;
            anything where it is empty.
        adverbs: whether commands may say in what manner something is to be done.
    """

    name: str
    pattern: str
    commands: int
    worlds: int
    retries: int = 500
    distractors: tuple[Distractors, ...] = DISTRACTORS
    free_sizes: bool = False
    says: Says = ""
    adverbs: bool = True

    def __post_init__(self) -> None:
        said: object = self.name
        if not isinstance(said, str) or not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", said):
            raise RecipeError(f"a pool cannot be called {self.name!r}; use small letters, digits, hyphens and _")
        pattern(self.pattern)
        for name, most in (("commands", MAX_EXAMPLES), ("worlds", MAX_WORLDS), ("retries", MAX_RETRIES)):
            demand_whole(f"{name} of pool {self.name!r}", getattr(self, name), 1, most)
        for name in ("free_sizes", "adverbs"):
            if not isinstance(getattr(self, name), bool):
                raise RecipeError(f"{name} of pool {self.name!r} is true or false, got {getattr(self, name)!r}")
        if self.says not in SAYS:
            raise RecipeError(f"says of pool {self.name!r} is one of {', '.join(SAYS[1:])}, got {self.says!r}")
        unknown = set(self.distractors) - set(DISTRACTORS)
        if unknown:
            known = ", ".join(DISTRACTORS)
            raise RecipeError(f"unknown distractors {sorted(unknown)} in pool {self.name!r}; known: {known}")

    def takes(self, instruction: Instruction) -> bool:
        """Return whether a command says what those of the pool do."""
        said = {step.attribute for step in instruction.expression.steps if isinstance(step, Is | Extreme)}
        words = " ".join(name for name in ("size", "color") if name in said) or "noun"
        return self.says in ("", words) and (self.adverbs or not instruction.manner)


def demand_whole(name: str, value: object, least: int, most: int) -> None:
    """Raise an error unless a value of a recipe is an integer within a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise RecipeError(f"{name} must be a whole number from {least} to {most:,}, got {value!r}")
