"""Worlds: kinds of scenes with everything that Deixis does with them, one folder each.

>>> import deixis as dx
>>> first, *others = dx.worlds.names()
>>> dx.worlds.find(first).title
'Instructions in grid worlds'
"""

from deixis.worlds.registry import find_world as find
from deixis.worlds.registry import world_names as names
from deixis.worlds.registry import world_of as of
from deixis.worlds.world import Example as Example
from deixis.worlds.world import World as World


__all__ = ["Example", "World", "find", "names", "of"]
