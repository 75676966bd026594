"""Beads on a string: a world for Deixis."""

from deixis.worlds import World


__all__ = ["WORLD"]

WORLD = World(
    name="beads",
    title="Beads on a string",
    task="point",
    package="deixis-beads",
    datasets={"beads": "Beads on a string: expressions that pick out one of them"},
    parts={
        "recipes": "deixis_beads.scenes:RECIPES",
        "examples": "deixis_beads.scenes:EXAMPLES",
        "language": "deixis_beads.scenes:LANGUAGE",
        "pictures": "deixis_beads.pictures:PICTURES",
    },
)
