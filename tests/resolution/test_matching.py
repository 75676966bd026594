"""The definition against two libraries that know nothing of reference, only of graphs within graphs."""

from __future__ import annotations

import networkx as nx
import rustworkx as rx
from hypothesis import given

from deixis.expression import Description, Extreme, Is
from deixis.resolution import denotation
from deixis.schema import Which
from deixis.testing import PLAIN_KINDS, expressions, the
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.scene import GRID, GridScene


EXPRESSIONS = expressions(kinds=PLAIN_KINDS, max_mentions=5, in_spoken_order=True)


@given(expression=EXPRESSIONS)
def test_referents_are_what_networkx_matches(full_boards, expression):
    """An object is a referent exactly when the expression, as a graph, lies in the scene with its root on it."""
    pattern = _pattern(expression)
    for scene in full_boards[:20]:
        matcher = nx.algorithms.isomorphism.DiGraphMatcher(
            _networkx(scene, _objects(scene)),
            _networkx(scene, pattern, relations=_edges(expression)),
            node_match=lambda thing, mention: thing["name"] in mention["fits"],
            edge_match=lambda held, asked: asked["relations"] <= held["relations"],
        )
        roots = {o for mapping in matcher.subgraph_monomorphisms_iter() for o, m in mapping.items() if m == 0}
        assert roots == denotation(expression, scene)


@given(expression=EXPRESSIONS)
def test_referents_are_what_rustworkx_matches(full_boards, expression):
    """A second, independent matcher finds the same referents."""
    pattern = _pattern(expression)
    for scene in full_boards[:20]:
        mappings = rx.vf2_mapping(
            _rustworkx(scene, _objects(scene)),
            _rustworkx(scene, pattern, relations=_edges(expression)),
            node_matcher=_fits,
            edge_matcher=_holds,
            subgraph=True,
            induced=False,
        )
        roots = {o for mapping in mappings for o, m in mapping.items() if m == 0}
        assert roots == denotation(expression, scene)


def test_the_graphs_see_sizes_and_different_objects():
    """The graph of an expression knows size words, so the comparison above is not about colours alone."""
    scene = grid("r○1 r○3\n. .")
    (small,) = _pattern(the("circle", size="small"))

    assert small(scene) == {0}
    assert len(_pattern(the("circle", *the("circle").steps))) == 1


# A mention is the function from a scene to the objects that fit its own words.


def _pattern(expression: Description) -> list:
    return [lambda scene, mention=mention: _fitting(mention, scene) for mention in expression.mentions()]


def _objects(scene: GridScene) -> list[int]:
    return list(range(len(scene)))


def _fitting(mention: Description, scene: GridScene) -> frozenset[int]:
    """The objects of a phrase, worked out from shapes, colours and sizes alone."""
    left = list(scene.objects)
    for step in mention.phrase.steps:
        if isinstance(step, Is):
            left = [thing for thing in left if str(getattr(thing, step.attribute)) == step.value]
        elif isinstance(step, Extreme) and step.which is Which.LEAST:
            left = [thing for thing in left if any(other.size > thing.size for other in left)]
        else:
            left = [thing for thing in left if any(other.size < thing.size for other in left)]
    return frozenset(index for index, thing in enumerate(scene.objects) if thing in left)


def _edges(expression: Description) -> dict[tuple[int, int], frozenset[str]]:
    """Which mention is related to which, mentions numbered in the order of the words."""
    edges: dict[tuple[int, int], frozenset[str]] = {}
    numbers = iter(range(1, 100))

    def walk(description: Description, number: int) -> None:
        for clause in description.clauses:
            child = next(numbers)
            edges[number, child] = frozenset({clause.relation})
            walk(clause.to, child)

    walk(expression, 0)
    return edges


def _held(scene: GridScene) -> dict[tuple[int, int], frozenset[str]]:
    """Which object stands in which relations to which."""
    pairs = ((a, b) for a in range(len(scene)) for b in range(len(scene)) if a != b)
    held = {(a, b): frozenset(r.name for r in GRID.relations if scene.related(r.name, a, b)) for a, b in pairs}
    return {pair: relations for pair, relations in held.items() if relations}


def _networkx(scene: GridScene, nodes: list, relations: dict | None = None) -> nx.DiGraph:
    graph = nx.DiGraph()
    for number, node in enumerate(nodes):
        graph.add_node(number, name=number, fits=node(scene) if callable(node) else frozenset())
    for (a, b), names in (_held(scene) if relations is None else relations).items():
        graph.add_edge(a, b, relations=names)
    return graph


def _rustworkx(scene: GridScene, nodes: list, relations: dict | None = None) -> rx.PyDiGraph:
    graph = rx.PyDiGraph()
    graph.add_nodes_from([node(scene) if callable(node) else node for node in nodes])
    marked = "held" if relations is None else "asked"
    for (a, b), names in (_held(scene) if relations is None else relations).items():
        graph.add_edge(a, b, (marked, names))
    return graph


def _fits(one: int | frozenset[int], two: int | frozenset[int]) -> bool:
    """Whether an object fits a mention, whichever of the two comes first."""
    thing, mention = (one, two) if isinstance(one, int) else (two, one)
    return thing in mention


def _holds(one: tuple[str, frozenset[str]], two: tuple[str, frozenset[str]]) -> bool:
    """Whether an edge of the scene carries what an edge of the expression asks, whichever comes first."""
    named = dict((one, two))
    return named["asked"] <= named["held"]
