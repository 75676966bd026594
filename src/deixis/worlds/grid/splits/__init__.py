"""Held-out examples: rules, the catalogue of known splits, partition and the proof that nothing leaks."""

from deixis.worlds.grid.splits.rules import Rule as Rule
from deixis.worlds.grid.splits.rules import find_rule as find_rule
from deixis.worlds.grid.splits.rules import rules as rules
