"""The recipe of a dataset: the frozen configuration that its manifest records.

The configuration of a dataset is a tree of records itself; a TOML file is one-to-one with it. Two datasets that one
version of deixis makes from equal recipes are equal byte for byte.
"""

from deixis.worlds.grid.making._paper_recipes import GscanSplits, Scale, every_word_mixture, gscan, reascan
from deixis.worlds.grid.making._recipe_files import read_recipe, recipe_from
from deixis.worlds.grid.making._record import BALANCE, MODES, Balance, Mode, Recipe
from deixis.worlds.grid.making.pool import DISTRACTORS, Distractors, Pool


__all__ = [
    "BALANCE",
    "DISTRACTORS",
    "MODES",
    "Balance",
    "Distractors",
    "GscanSplits",
    "Mode",
    "Pool",
    "Recipe",
    "Scale",
    "every_word_mixture",
    "gscan",
    "read_recipe",
    "reascan",
    "recipe_from",
]
