"""Solids on a table: expressions about scenes in the manner of CLEVR."""

from __future__ import annotations

from deixis.worlds.world import World


__all__ = ["WORLD"]

WORLD = World(
    name="tabletop",
    title="Solids on a table",
    task="point",
    parts={
        "recipes": "deixis.worlds.tabletop._recipes:RECIPES",
        "examples": "deixis.worlds.tabletop._examples:EXAMPLES",
        "language": "deixis.worlds.tabletop._language.part:LANGUAGE",
        "pictures": "deixis.worlds.tabletop._pictures:PICTURES",
        "checks": "deixis.worlds.tabletop._checks:CHECKS",
    },
    datasets={"tabletop": "Tabletop: many solids in 3D, and expressions in which every word and its order counts"},
)
