"""Verdicts on plans, and the misreadings behind wrong ones."""

from __future__ import annotations

from deixis.worlds.world import Option


__all__ = ["EVALUATE", "POINTING"]

POINTING = "point"  # the task of those who only choose an object

EVALUATE = (
    Option(
        name="by",
        help="Also show results by pattern, verb, manner, length, clauses, words or relation; separated by commas.",
    ),
    Option(name="limit", help="For checkpoints: the actions after which a plan is cut, 120 by default.", kind=int),
)
