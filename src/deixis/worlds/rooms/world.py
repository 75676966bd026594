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
        "recipes": "deixis.worlds.rooms._recipes",
        "formats": "deixis.worlds.rooms.formats._convert",
        "environment": "deixis.worlds.rooms.environment:register",
        "language": "deixis.worlds.rooms._language:LANGUAGE",
        "pictures": "deixis.worlds.rooms._pictures",
        "judging": "deixis.worlds.rooms.judging._evaluate",
        "paper": "deixis.worlds.rooms._paper.report",
        "models": "deixis.worlds.rooms.training._models:MODELS",
        "examples": "deixis.worlds.rooms._examples",
        "checks": "deixis.worlds.rooms._checks",
        "card": "deixis.worlds.rooms._card:facts_of",
        "statistics": "deixis.worlds.rooms._statistics",
        "items": "deixis.worlds.rooms._items",
        "questions": "deixis.worlds.rooms._questions.asking:QUESTIONS",
        "pages": "deixis.worlds.rooms._pages:PAGES",
    },
    datasets={"a3ds": "A3DS: captions of 3D Shapes, and pairs to tell apart"},
    options={"evaluate": EVALUATE},
    help={"convert": "--to release, and from a release --to parquet."},
    models={
        "room-encoder": "Encoder of pictures of rooms, for speakers and listeners",
        "captioner": "Speaker that learns exhaustive captions (model B of A3DS)",
        "room-program": "Program model, told the parse: learns words, finds the image of a caption",
        "game": "Speaker and listener that play the reference game (RP and SP of A3DS)",
    },
    kinds=("a3ds",),
)
