"""The operations of programs: the one table that resolvers, stored programs and the model that reads those share.

It stands beside the kernels: machine code holds the numbers as constants, and is made anew when a file here changes.
"""

from __future__ import annotations

from enum import IntEnum


class Op(IntEnum):
    """The operations of programs, with fixed numbers, since models are trained on them."""

    PAD = 0
    ALL = 1
    IS = 2
    NTH = 3
    RELATED = 4
    SAME = 5
    COPY = 6
    NOT = 7
    OR = 8
    DROP = 9
    EXTREME = 10
    MARK = 11


GROWTH = (0, 1, 0, 0, -1, -1, 1, -1, -1, -1, 0, 0)  # of the stack, by operation
