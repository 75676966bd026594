"""Expressions about objects in photographs, told by scene graphs (Cops-Ref)."""

from __future__ import annotations

from pathlib import Path

from deixis.worlds.photos._judging import EVALUATE
from deixis.worlds.world import Option, World


__all__ = ["WORLD"]

WORLD = World(
    name="photos",
    title="Expressions about photographs",
    task="localise",
    parts={
        "recipes": "deixis.worlds.photos._recipes",
        "formats": "deixis.worlds.photos._formats.convert",
        "language": "deixis.worlds.photos.language._part:LANGUAGE",
        "pictures": "deixis.worlds.photos._pictures",
        "judging": "deixis.worlds.photos._judging.evaluate",
        "paper": "deixis.worlds.photos._paper.report",
        "models": "deixis.worlds.photos.training._models:MODELS",
        "examples": "deixis.worlds.photos._examples",
        "checks": "deixis.worlds.photos._checks",
        "audit": "deixis.worlds.photos._audit.run",
        "card": "deixis.worlds.photos._card:facts_of",
        "statistics": "deixis.worlds.photos._paper.statistics",
        "items": "deixis.worlds.photos._items",
        "questions": "deixis.worlds.photos._questions.asking:QUESTIONS",
        "pages": "deixis.worlds.photos._pages:PAGES",
    },
    datasets={"copsref": "Cops-Ref: expressions and distractor images"},
    models={
        "grounder": "GroundeR: attention over regions",
        "mattnet": "MattNet: modules for subject, place and relation; with --mining, MattNet-Mine",
        "cm-att-erase": "CM-Att-Erase: MattNet that learns with words and regions erased",
        "scan": "SCAN: finds the image that a text is about",
        "tree": "Modules along the tree of an expression, which it is given",
        "region-encoder": "Lite0, or a small network, that learns categories and attributes of regions",
    },
    options={
        "convert": (
            Option(
                name="scenes",
                help="The scene graphs that released records are about, which they do not hold themselves.",
                kind=Path,
                many=True,
            ),
            Option(name="images", help="With --to coco, write the pictures, too.", kind=bool),
            Option(name="distractors", help="With --to huggingface, write the other pictures shown, too.", kind=bool),
            Option(name="allow_losses", help="Go on although over one record in a hundred is lost.", kind=bool),
        ),
        "stats": (Option(name="paper", help="Show all datasets that the paper compares.", kind=bool),),
        "evaluate": EVALUATE,
        "prompts": (
            Option(
                name="setting",
                help="Which images are shown with an expression; Full by default.",
                choices=("Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist"),
            ),
            Option(name="absent", help="The share of expressions that fit nothing; 0.25 by default.", kind=float),
        ),
    },
    help={
        "convert": "--to parquet, copsref, coco or huggingface.",
        "stats": "figure2 of Cops-Ref (clouds of words) and distributions are drawn.",
    },
    kinds=("copsref",),
)
