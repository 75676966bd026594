"""Searching for tables on which no word can be spared: how many are found, and how much faster than building readings.

python -m benchmarks.table_search
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from benchmarks.machine import Row
from deixis.audits.measures import bag_of_words_solves
from deixis.expression.steps import Is
from deixis.scene.scene import Context, Where
from deixis.seeds import Stream, derive
from deixis.worlds.tabletop._making.demands import demands_of, plan_of
from deixis.worlds.tabletop._making.find import Stage, find_tables
from deixis.worlds.tabletop._making.forms import Phrases
from deixis.worlds.tabletop._making.trees import plan_of_tree
from deixis.worlds.tabletop._solids import COLORS, SHAPES, Camera


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.worlds.tabletop._making.find import Find

__all__ = ["measure_table_search"]

PROMISED = 300.0  # tables with two relations found a second and core
MOST_SOLVED = 5.0  # % of them by a bag of words
MOST_WORDS = 5  # of an expression with two relations, see `_making.draw.WORDS`
STAGE = Stage((10,), (Camera(),), 0.4, frozenset((color, shape) for color in COLORS for shape in SHAPES))


def main() -> int:
    """Measure and print; 1 when a promise is broken."""
    rows = measure_table_search()
    for row in rows:
        print(f"{row.name}: {row.value:,.4g} {row.unit}")
    return 1 if any(row.is_broken for row in rows) else 0


def measure_table_search(count: int = 600) -> list[Row]:
    """Tables found per second of processor time, what a bag of words solves of them, and the two ways to plan."""
    said = _expressions(count)
    _search(said[:1])  # compiled before the clock starts
    start = time.process_time()
    found = _search(said)
    rate = len(found) / (time.process_time() - start)
    solved = sum(
        bag_of_words_solves(expression, Context(one.scenes, Where(one.table, one.solid))) for expression, one in found
    )
    start = time.process_time()
    for expression in said:
        plan_of_tree(expression)
    fast = time.process_time() - start
    start = time.process_time()
    for expression in said:
        plan_of(expression, demands_of(expression))
    plain = time.process_time() - start
    return [
        Row("every-word tables with two relations found, 10 solids", rate, "tables/s", at_least=PROMISED),
        Row("of these, solved by a bag of words", 100 * solved / max(1, len(found)), "%", at_most=MOST_SOLVED),
        Row("plans of trees of relations against their plain definition", plain / fast, "times", at_least=2.0),
    ]


def _expressions(count: int) -> list[Expression]:
    """Expressions with two relations, one inside the other or both of the target."""
    found: list[Expression] = []
    number = 0
    while len(found) < count:
        expression = Phrases(Stream(derive(2, "bench", number))).expression("chain" if number % 2 else "and")
        number += 1
        words = sum(isinstance(step, Is) for mention in expression.mentions() for step in mention.steps)
        if len(expression.relations()) == 2 and words <= MOST_WORDS:
            found.append(expression)
    return found


def _search(said: list[Expression]) -> list[tuple[Expression, Find]]:
    tried = ((one, find_tables(one, STAGE, Stream(derive(3, "bench", n)))) for n, one in enumerate(said))
    return [(expression, found) for expression, found in tried if found is not None]


if __name__ == "__main__":
    sys.exit(main())
