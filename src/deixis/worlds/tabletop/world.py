"""Solids on a table: expressions about scenes in the manner of CLEVR."""

from __future__ import annotations

from deixis.worlds.world import Option, World


__all__ = ["WORLD"]

LOOKS = ("target", "plain", "numbers", "boxes", "masks")
"""How a table can be drawn, see the part `pictures`."""
WORLD = World(
    name="tabletop",
    title="Solids on a table",
    task="find",
    parts={
        "recipes": "deixis.worlds.tabletop._recipes:RECIPES",
        "examples": "deixis.worlds.tabletop._examples:EXAMPLES",
        "language": "deixis.worlds.tabletop._language.part:LANGUAGE",
        "pictures": "deixis.worlds.tabletop._pictures:PICTURES",
        "checks": "deixis.worlds.tabletop._checks:CHECKS",
        "card": "deixis.worlds.tabletop._card:facts_of",
        "judging": "deixis.worlds.tabletop._judging:JUDGING",
        "formats": "deixis.worlds.tabletop._formats.convert",
        "questions": "deixis.worlds.tabletop._questions:QUESTIONS",
        "pages": "deixis.worlds.tabletop._pages:PAGES",
        "models": "deixis.worlds.tabletop._models.part:MODELS",
        "paper": "deixis.worlds.tabletop._report",
    },
    options={
        "convert": (Option(name="images", help="Also draw the pictures.", kind=bool),),
        "show": (
            Option(
                name="look",
                help="The table with what is meant outlined (target, the default), as it is (plain), with numbers or "
                "boxes of its solids, or as masks.",
                choices=LOOKS,
            ),
        ),
    },
    help={"convert": "--to clevr writes scenes of CLEVR with expressions and programs of CLEVR-Ref+."},
    datasets={"tabletop": "Tabletop: many solids in 3D, and expressions in which every word and its order counts"},
    models={
        "tabletop-program": "Soft sets along the parse of an expression, over solids whose values are told",
        "tabletop-pixels": "The same over solids that are seen in a picture, each in its box",
    },
)
