"""Expressions and datasets that the tests of audits share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from deixis.worlds.grid._blueprint import from_blueprint
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from tests.datasets.tiny import tiny


PATTERNS = ("p1", "p2", "p3", "p4", "chain")


@st.composite
def grid_commands(draw, most=4):
    """Expressions that grid commands can say: up to four mentions, anything said of each."""
    table = []
    for number in range(draw(st.integers(1, most))):
        word = st.integers(-1, 3)
        parent = draw(st.integers(0, number - 1)) if number else -1
        relation = draw(st.integers(0, 5)) if number else -1
        table.append((draw(word), draw(word), draw(st.integers(-1, 1)), parent, relation))
    return from_blueprint(np.array(table, np.int8))


def tables_of_all_patterns(mode, folder, **changes):
    """The tables of a small dataset with every pattern, in splits."""
    pools = tuple(Pool(name=name, pattern=name, commands=6, worlds=2) for name in PATTERNS)
    dataset = make(tiny(mode, pools=pools, **changes), folder)
    return [table for table in dataset.tables() if table.num_rows]
