"""Scene graphs for the tests: a street drawn by hand, small ones at random, and the real ones beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable


SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
VISUAL_GENOME = SHARED / "visual_genome" / "vg_997_gqa_schema.json"
GQA = SHARED / "gqa" / "scene_graphs_4.json"
CLEVR = SHARED / "clevr" / "CLEVR_scenes.json"
needs_graphs = pytest.mark.skipif(not VISUAL_GENOME.is_file(), reason="no real scene graphs beside the checkout")

NAMES = ("car", "man", "tree")
WORDS = ("red", "blue", "white", "wood", "metal", "round", "male", "striped", "wet", "parked")
RELATIONS = ("on", "near", "to the left of")


def thing(number: int, name: str, words: str = "", links: str = "", box: tuple[float, ...] = ()) -> GraphObject:
    """An object from e.g. `thing(0, "car", "red wet", "near 1, on 2")`; without a box it stands at its number."""
    related = [link.rpartition(" ") for link in links.split(", ") if link]
    return GraphObject(
        str(number),
        name,
        Box(*(box or (10 * number, 10, 8, 20))),
        tuple(words.split()),
        tuple(Link(relation, other) for relation, _, other in related),
    )


def image(*things: GraphObject, image_id: str = "1", width: int = 500, height: int = 400) -> SceneGraph:
    return SceneGraph(image_id, width, height, things)


STREET = image(  # from left to right
    thing(0, "car", "red", "near 1, to the left of 1"),
    thing(1, "man", "wet", "near 0, on 2"),
    thing(2, "road", "gray"),
    thing(3, "car", "blue parked", "on 2, near 4"),
    thing(4, "tree", "tall"),
    thing(5, "car", "red parked", "on 2"),
    image_id="street",
)

EVERYTHING = image(  # says every word once, so that all corpora of the tests can say the same
    *(thing(number, name) for number, name in enumerate(NAMES)),
    thing(3, "car", " ".join(WORDS), ", ".join(f"{relation} 0" for relation in RELATIONS)),
    image_id="everything",
)


@st.composite
def graphs(draw: st.DrawFn, *, max_objects: int = 6, image_id: str = "1") -> SceneGraph:
    """Graphs of few words, with boxes that are often level with each other; an object may be related to itself."""
    count = draw(st.integers(1, max_objects))
    number, side = st.integers(0, count - 1), st.integers(0, 4)
    things = []
    for index in range(count):
        links = draw(st.lists(st.tuples(st.sampled_from(RELATIONS), number), max_size=3, unique=True))
        words = draw(st.lists(st.sampled_from(WORDS), max_size=3, unique=True))
        things.append(
            GraphObject(
                str(index),
                draw(st.sampled_from(NAMES)),
                Box(10 * draw(side), 10 * draw(side), 4, 4),
                tuple(words),
                tuple(Link(relation, str(other)) for relation, other in links),
            )
        )
    return image(*things, image_id=image_id)


def tables(*, max_graphs: int = 5, max_objects: int = 6) -> st.SearchStrategy[GraphTable]:
    """Tables of a few small graphs; the first scene says every word once."""
    some = st.lists(graphs(max_objects=max_objects), max_size=max_graphs)
    return some.map(lambda drawn: GraphTable.of([EVERYTHING, *drawn]))


SCHEMA = GraphTable.of([EVERYTHING]).vocabulary.schema  # that of all tables of `tables`, up to the order of words
