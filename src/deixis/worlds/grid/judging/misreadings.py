"""What somebody misread who went to the wrong object: the slightest misreading of the command that leads there.

| what was missed        | the misreading                                                                    | rank |
|------------------------|-----------------------------------------------------------------------------------|------|
| size among everything  | a size word compared with everything there is, not within its own phrase          | 0    |
| clause of a clause     | a clause about something else heard as one more about the target                  | 1    |
| noun, colour word, size word | one word of the target's phrase not heard, or taken for another             | 2    |
| … of another           | the same in the phrase of something else that is mentioned                        | 2    |
| clause: same row, …    | one clause not heard, with all that hangs on it                                   | 3    |
| words exchanged        | words for one attribute exchanged between two phrases, or a whole phrase's        | 4    |
| relations exchanged    | the relations of two clauses exchanged                                            | 4    |
| all clauses            | only the target's own phrase heard                                                | 5    |
| all but the noun       | only the target's noun heard                                                      | 6    |
| nothing in particular  | none of these leads there                                                         |      |

Of the misreadings that pick out the object, be it among others, those of the lowest rank count; where they miss
different things, each is given its share. Ranks are such that a wider misreading never hides a narrower one: whoever
does not hear a clause misses all its words, and may go wherever missing one of them leads. In the first two every word
is heard.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.distractors.relaxations import relaxations
from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import Part, mention_at, parts, replacing
from deixis.expression.steps import Extreme, Is, Related
from deixis.resolution.reference import denotation
from deixis.scene.grid import GRID
from deixis.worlds.grid.blueprint import PARENT, RELATION, blueprint, from_blueprint


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.scene.grid import GridScene


__all__ = ["MISSED", "NO_REASON", "UNCLEAR", "Misreading", "Tables", "misreadings", "missed", "names_of"]

WORDS = {"shape": "noun", "color": "colour word", "size": "size word"}
NO_REASON = "nothing in particular"
UNCLEAR = "command does not point at the target"
FLATTENED = "clause of a clause"
MISSED: tuple[str, ...] = (  # in the order of the bits of `kernels.navigation.find_misreadings`
    "size among everything",
    FLATTENED,
    *WORDS.values(),
    *(f"{word} of another" for word in WORDS.values()),
    *(f"clause: {relation.name}" for relation in GRID.relations),
    "words exchanged",
    "relations exchanged",
    "all clauses",
    "all but the noun",
    UNCLEAR,
)
MOST_MENTIONS = 16  # that the compiled reader has room for


class Misreading(NamedTuple):
    """One way to misread a command: what is missed, how grave that is, and what is understood."""

    missed: str
    rank: int
    expression: Expression


def misreadings(expression: Expression) -> tuple[Misreading, ...]:
    """Every misreading of a grid expression that is looked at, the slightest first."""
    found = [*_relaxed(expression), *_sizes_among_all(expression), *_flattened(expression), *_exchanged(expression)]
    found.append(_noun_alone(expression))
    different = (one for one in found if one.expression != expression)
    return tuple(sorted(different, key=lambda one: one.rank))


def missed(expression: Expression, scene: GridScene, *, target: int, chosen: int) -> tuple[str, ...]:
    """What was missed by somebody who went to the wrong object: names of `MISSED`, in its order, or `NO_REASON`.

    The compiled twin is `kernels.navigation.find_misreadings`.
    """
    if _table(expression) is None or denotation(expression, scene) != {target}:
        return (UNCLEAR,)
    found: set[str] = set()
    rank = -1
    for one in misreadings(expression):
        if found and one.rank > rank:
            break
        if one.missed not in found and chosen in denotation(one.expression, scene):
            found.add(one.missed)
            rank = one.rank
    return tuple(name for name in MISSED if name in found) or (NO_REASON,)


def names_of(bits: int) -> tuple[str, ...]:
    """What the bits of the compiled twin stand for."""
    return tuple(name for number, name in enumerate(MISSED) if bits >> number & 1) or (NO_REASON,)


class Tables(NamedTuple):
    """The blueprints of several expressions, one after the other, as the kernel takes them.

    Shapes:
        mentions: int8 [mention, 5]; start: int64 [table + 1]; number: int64 [expression], which table it has; -1 where
        there is none, since the expression says what grid commands do not.
    """

    mentions: np.ndarray
    start: np.ndarray
    number: np.ndarray

    @classmethod
    def of(cls, expressions: Sequence[Expression | None]) -> Tables:
        """The tables of these expressions; None stands for a command that cannot be read."""
        tables = [_table(expression) for expression in expressions]
        known = [table for table in tables if table is not None]
        numbers = np.cumsum([table is not None for table in tables], dtype=np.int64) - 1
        return cls(
            np.concatenate([np.zeros((0, 5), np.int8), *known]),
            np.cumsum([0, *(len(table) for table in known)], dtype=np.int64),
            np.where([table is not None for table in tables], numbers, -1),
        )


def _table(expression: Expression | None) -> np.ndarray | None:
    try:
        table = None if expression is None else blueprint(expression)
    except SchemaError:
        return None
    return table if table is not None and len(table) <= MOST_MENTIONS else None


# -------------------------------------------------------------------------------- the misreadings


def _relaxed(expression: Expression) -> Iterator[Misreading]:
    """Those that distractors are made for."""
    for one in relaxations(expression, GRID):
        match one.kind:
            case "attribute" | "selector":
                yield Misreading(_word(one.parts[0]), 2, one.expression)
            case "relation":
                yield Misreading(_clause(one.parts[0]), 3, one.expression)
            case "isomorphism":
                yield Misreading("words exchanged", 4, one.expression)
            case "phrase":
                yield Misreading("all clauses", 5, one.expression)


def _word(part: Part) -> str:
    word = WORDS[part.attribute or ""]
    return word if len(part.address) == 1 else f"{word} of another"


def _clause(part: Part) -> str:
    assert isinstance(part.step, Related)
    return f"clause: {part.step.relation}"


def _sizes_among_all(expression: Expression) -> Iterator[Misreading]:
    """One size word heard before everything else in its phrase, so that it compares with everything."""
    for part in parts(expression):
        if isinstance(part.step, Extreme):
            above = part.address[:-1]
            steps = mention_at(expression, above).steps
            others = (step for place, step in enumerate(steps) if place != part.address[-1])
            yield Misreading("size among everything", 0, _with_steps(expression, above, (part.step, *others)))


def _with_steps(expression: Expression, address: tuple[int, ...], steps: tuple[Step, ...]) -> Expression:
    if not address:
        return Description(steps)
    clause = mention_at(expression, address[:-1]).steps[address[-1]]
    assert isinstance(clause, Related)
    return replacing(expression, Part(address, clause), Related(clause.relation, Description(steps)))


def _flattened(expression: Expression) -> Iterator[Misreading]:
    """One clause about something else, with all that hangs on it, heard as one more about the target."""
    table = blueprint(expression)
    for mention in range(len(table)):
        if table[mention, PARENT] > 0:
            changed = table.copy()
            changed[mention, PARENT] = 0
            yield Misreading(FLATTENED, 1, from_blueprint(changed))


def _exchanged(expression: Expression) -> Iterator[Misreading]:
    """Words for one attribute, or relations, exchanged between two phrases; a word that one lacks moves there."""
    table = blueprint(expression)
    for one, other in combinations(range(len(table)), 2):
        for slot in (*range(len(WORDS)), RELATION):
            if slot != RELATION or one > 0:
                changed = table.copy()
                changed[[one, other], slot] = table[[other, one], slot]
                name = "relations exchanged" if slot == RELATION else "words exchanged"
                yield Misreading(name, 4, from_blueprint(changed))


def _noun_alone(expression: Expression) -> Misreading:
    nouns = tuple(step for step in expression.steps if isinstance(step, Is) and step.attribute == "shape")
    return Misreading("all but the noun", 6, Description(nouns))
