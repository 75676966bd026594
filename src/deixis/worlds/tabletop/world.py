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
        "checks": "deixis.worlds.tabletop._checks:CHECKS",
        "judging": "deixis.worlds.tabletop._judging:JUDGING",
        "models": "deixis.worlds.tabletop._models.part:MODELS",
    },
    datasets={"tabletop": "Tabletop: many solids in 3D, and expressions in which every word and its order counts"},
    models={
        "tabletop-program": "Soft sets along the parse of an expression, over solids whose values are told",
        "tabletop-pixels": "The same over solids that are seen in a picture, each in its box",
    },
)
