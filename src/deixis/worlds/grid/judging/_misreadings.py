"""The smallest misreading of a command that leads to the wrong object.

| name                   | the misreading                                                                    | rank |
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

The misreadings are those of `distractors.misreadings`; here they get names under which they can be counted. Of those
that pick out the object, be it among others, the ones of the lowest rank count; where they miss different things, each
is given its share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.data._ragged import Ragged
from deixis.distractors.misreadings import leading_to
from deixis.distractors.misreadings import misreadings as find_misreadings
from deixis.errors import SchemaError
from deixis.expression.steps import Related
from deixis.resolution.reference import denotation
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.distractors.misreadings import Misreading
    from deixis.expression.description import Expression
    from deixis.worlds.grid.scene import GridScene


WORDS = {"shape": "noun", "color": "colour word", "size": "size word"}
NO_REASON = "nothing in particular"
UNCLEAR = "command does not point at the target"
FLATTENED = "clause of a clause"
CATEGORIES = {
    "comparison": "size among everything",
    "attachment": FLATTENED,
    "swap": "words exchanged",
    "relations": "relations exchanged",
    "clauses": "all clauses",
    "noun alone": "all but the noun",
}
MISREADINGS: tuple[str, ...] = (  # in the order of the bits of `worlds.grid._kernels.navigation.find_misreadings`
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
LABELS: dict[str, str] = {  # the same as what somebody did, in the words of `language._misreadings`
    "size among everything": "compared a size with all objects",
    FLATTENED: "took a clause about another object to be about the target",
    **{word: f"ignored or misread the target's {word}" for word in WORDS.values()},
    **{f"{word} of another": f"ignored or misread another object's {word}" for word in WORDS.values()},
    **{f"clause: {relation.name}": f"ignored a clause ({relation.name})" for relation in GRID.relations},
    "words exchanged": "swapped words of two phrases",
    "relations exchanged": "swapped two relations",
    "all clauses": "ignored all clauses",
    "all but the noun": "ignored all but the noun",
    UNCLEAR: "the command does not point at the target",
    NO_REASON: "no misreading leads there",
}
MOST_MENTIONS = 16  # that the compiled reader has room for


def misreadings(expression: Expression) -> tuple[Misreading, ...]:
    """Every misreading of a grid expression that is looked at, the slightest first."""
    return find_misreadings(expression, GRID)


def category(misreading: Misreading) -> str:
    """Return the name of a misreading in `MISREADINGS`."""
    first = misreading.parts[0] if misreading.parts else None
    match misreading.slip:
        case "ignored" | "misread" if first is not None:
            word = WORDS[first.attribute or ""]
            return word if len(first.address) == 1 else f"{word} of another"
        case "clause" if first is not None and isinstance(first.step, Related):
            return f"clause: {first.step.relation}"
    return CATEGORIES[misreading.slip]


def misreadings_to(expression: Expression, scene: GridScene, *, target: int, chosen: int) -> tuple[str, ...]:
    """Return the misreadings that lead to the chosen object: names of `MISREADINGS`, in its order, or `NO_REASON`.

    The compiled twin is `worlds.grid._kernels.navigation.find_misreadings`.
    """
    if _table(expression) is None or denotation(expression, scene) != {target}:
        return (UNCLEAR,)
    found = {category(one) for one in leading_to(expression, scene, chosen)}
    return tuple(name for name in MISREADINGS if name in found) or (NO_REASON,)


def names_of(bits: int) -> tuple[str, ...]:
    """Return the names of the bits of the compiled twin."""
    return tuple(name for number, name in enumerate(MISREADINGS) if bits >> number & 1) or (NO_REASON,)


class Blueprints(NamedTuple):
    """The blueprints of several expressions, as the kernel takes them.

    Shapes:
        mentions: int8 [mention, 5] of each blueprint; number: int64 [expression], which blueprint it has; -1 where
        there is none, since the expression says what grid commands do not.
    """

    mentions: Ragged
    number: np.ndarray

    @classmethod
    def of(cls, expressions: Sequence[Expression | None]) -> Blueprints:
        """Return the blueprints of these expressions, None for a command that cannot be read."""
        tables = [_table(expression) for expression in expressions]
        known = [table for table in tables if table is not None]
        numbers = np.cumsum([table is not None for table in tables], dtype=np.int64) - 1
        return cls(
            Ragged.of_lists(known, np.zeros((0, 5), np.int8)),
            np.where([table is not None for table in tables], numbers, -1),
        )


def _table(expression: Expression | None) -> np.ndarray | None:
    try:
        table = None if expression is None else blueprint(expression)
    except SchemaError:
        return None
    return table if table is not None and len(table) <= MOST_MENTIONS else None
