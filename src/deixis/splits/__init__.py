"""What is held out: rules, the catalogue of known splits, partition and the proof that nothing leaks."""

from deixis.splits.catalogue import find_rule as find_rule
from deixis.splits.catalogue import rules as rules
from deixis.splits.rules import Rule as Rule
