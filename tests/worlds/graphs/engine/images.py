"""Images for the tests of the engine: a shelf of cups made by hand, made-up graphs, and the real ones."""

from __future__ import annotations

from functools import cache

from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.engine import Engine, Tree
from deixis.worlds.photos.engine._choose import Chooser
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.imagine._corpus import Corpus, imagine_graphs
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import VISUAL_GENOME, image, thing


PLAIN = Engine(composition=0.0, related_attribute=1.0, variety=0.0, synonyms=0.0)

# From left to right: a white cup on the shelf, a red cup on the shelf beside a plate, a plate, a red cup on the table.
SHELF = image(
    thing(0, "cup", "white small", "on 4, to the left of 1", box=(0, 0, 90, 90)),
    thing(1, "cup", "red", "on 4, near 2, to the right of 0", box=(100, 0, 90, 90)),
    thing(2, "plate", "white metal", "near 1", box=(200, 0, 90, 90)),
    thing(3, "cup", "red small", "near 2", box=(300, 0, 90, 90)),
    thing(4, "shelf", "wood", "", box=(0, 100, 200, 50)),
    thing(5, "sky", "blue", "above 4", box=(0, 200, 400, 200)),
    thing(6, "spoon", "metal", "on 4", box=(400, 0, 4, 4)),
    image_id="shelf",
)


@cache
def shelf() -> GraphTable:
    return GraphTable.of([SHELF])


@cache
def made_up(images: int = 60) -> GraphTable:
    return GraphTable.of(clean_graphs(imagine_graphs(Corpus(images=images)), GraphReport()))


@cache
def real() -> GraphTable:
    return read_table(VISUAL_GENOME)


def chooser_for(table: GraphTable, scene: int = 0, engine: Engine = PLAIN) -> Chooser:
    facts = Facts.of(table, engine)
    return Chooser(facts.photograph(scene), facts, engine)


def drawn(builder: object, target: int, chooser: Chooser, times: int = 80) -> set[Tree]:
    """What a builder comes up with when it is asked many times."""
    return {builder(target, chooser) for _ in range(times)} - {None}  # type: ignore[operator]
