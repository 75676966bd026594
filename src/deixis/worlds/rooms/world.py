"""Rooms of 3D Shapes, described so that they can be told from each other (A3DS)."""

from __future__ import annotations

from deixis.worlds.rooms.judging import EVALUATE
from deixis.worlds.world import World


__all__ = ["WORLD"]

WORLD = World(
    name="rooms",
    title="Captions of rooms",
    task="refer",
    parts={
        "recipes": "deixis.worlds.rooms.recipes",
        "formats": "deixis.worlds.rooms.formats.convert",
        "environment": "deixis.worlds.rooms.environment:register",
        "language": "deixis.worlds.rooms.language:LANGUAGE",
        "pictures": "deixis.worlds.rooms.pictures",
        "judging": "deixis.worlds.rooms.judging.evaluate",
        "paper": "deixis.worlds.rooms.paper.report",
        "models": "deixis.worlds.rooms.training.models:MODELS",
        "examples": "deixis.worlds.rooms.examples",
        "checks": "deixis.worlds.rooms.checks",
        "card": "deixis.worlds.rooms.card:facts_of",
        "statistics": "deixis.worlds.rooms.statistics",
        "items": "deixis.worlds.rooms.items",
        "questions": "deixis.worlds.rooms.questions.asking:QUESTIONS",
        "pages": "deixis.worlds.rooms.pages:PAGES",
    },
    datasets={"a3ds": "A3DS: captions of 3D Shapes, and pairs to tell apart"},
    options={"evaluate": EVALUATE},
    help={"convert": "--to release, and from a release --to parquet."},
    models={
        "room-encoder": "Encoder of pictures of rooms, for speakers and listeners",
        "captioner": "Speaker that learns exhaustive captions (model B of A3DS)",
        "game": "Speaker and listener that play the reference game (RP and SP of A3DS)",
    },
    kinds=("a3ds",),
)
