from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError, UnknownName
from deixis.expression import Description, Is, Nth, Related, compile_expression
from deixis.resolution import denotation
from deixis.seeds import Stream
from deixis.testing import expressions
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.resolution.graphs import (
    compile_for,
    counts_of,
    only_of,
    resolve_graph_pairs,
    resolve_graphs,
    sets_of,
)
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import SCHEMA, STREET, VISUAL_GENOME, image, needs_graphs, tables, thing


RELATIONS = [relation.name for relation in SCHEMA.relations]
PHRASES = st.builds(lambda step: Description((step,)), st.sampled_from([Is("name", "car"), Is("color", "red")]))
COMPETING = st.lists(
    st.builds(Related, st.sampled_from(RELATIONS), PHRASES | st.just(Description())), min_size=2, max_size=4
)


@given(table=tables(), said=st.lists(expressions(SCHEMA), min_size=1, max_size=4), data=st.data())
def test_the_compiled_resolver_follows_the_definition(table, said, data):
    """Whatever is said of whichever scene, the kernel finds what the plain definition says."""
    which = np.array(data.draw(st.lists(st.integers(0, len(said) - 1), min_size=1, max_size=12)))
    scenes = np.array([data.draw(st.integers(0, len(table) - 1)) for _ in which])

    masks = resolve_graph_pairs(said, table, which, scenes)

    expected = [denotation(said[w], table.scene(s)) for w, s in zip(which.tolist(), scenes.tolist(), strict=True)]
    assert sets_of(masks) == expected
    assert counts_of(masks).tolist() == [len(some) for some in expected]
    assert only_of(masks).tolist() == [next(iter(some)) if len(some) == 1 else -1 for some in expected]


@given(table=tables(max_objects=8), clauses=COMPETING)
def test_mentions_are_matched_to_different_objects(table, clauses):
    """Where several clauses compete for objects, the kernel follows the definition too."""
    expression = Description(tuple(clauses))

    found = sets_of(resolve_graphs(expression, table))

    assert found == [denotation(expression, table.scene(i)) for i in range(len(table))]


def test_scenes_of_more_than_a_word_of_objects_are_resolved():
    """A street of two hundred cars, one of them beside a tree, needs four words."""
    cars = [thing(n, "car", "red" if n % 2 else "blue", "near 200" if n == 150 else "") for n in range(200)]
    table = GraphTable.of([image(*cars, thing(200, "tree"), width=5000), STREET])

    masks = resolve_graphs(Description((Is("name", "car"), Nth(151, "left"))), table)
    beside = resolve_graphs(Description((Related("near", Description((Is("name", "tree"),))),)), table)

    assert masks.shape == (2, 4)
    assert only_of(masks).tolist() == [150, -1]
    assert sets_of(beside) == [{150}, {3}]
    assert counts_of(resolve_graphs(Description((Is("color", "red"),)), table)).tolist() == [100, 2]


def test_nothing_is_related_to_itself():
    """A link from an object to itself, which cleaning would take out, relates it to nothing."""
    table = GraphTable.of([image(thing(0, "car", "", "near 0"), thing(1, "car", "", "near 0"))])

    assert sets_of(resolve_graphs(Description((Related("near", Description()),)), table)) == [{1}]


def test_programs_are_those_of_the_core():
    """Compiling for a vocabulary gives the same program as compiling for its schema."""
    table = GraphTable.of([STREET])
    expression = Description((Is("name", "car"), Related("same color", Description((Is("other", "parked"),)))))

    quick, core = compile_for(expression, table.vocabulary), compile_expression(expression, table.vocabulary.schema)

    assert np.array_equal(quick.rows, core.rows)
    assert np.array_equal(quick.tree, core.tree)
    assert sets_of(resolve_graphs(quick, table)) == [{0}]


def test_what_is_asked_must_be_there():
    """Words, scenes and expressions beyond what there is are named, and pairs come in twos."""
    table = GraphTable.of([STREET])
    car = Description((Is("name", "car"),))

    with pytest.raises(UnknownName, match="unknown name value 'zebra'"):
        resolve_graphs(Description((Is("name", "zebra"),)), table)
    with pytest.raises(SchemaError, match="there are 1 scenes"):
        resolve_graphs(car, table, np.array([1]))
    with pytest.raises(SchemaError, match="there are 1 expressions"):
        resolve_graph_pairs([car], table, np.array([-1]), np.array([0]))
    with pytest.raises(SchemaError, match="a pair is an expression and a scene"):
        resolve_graph_pairs([car], table, np.array([0, 0]), np.array([0]))
    assert resolve_graph_pairs([], table, np.array([]), np.array([])).shape == (0, 1)


@needs_graphs
def test_real_graphs_are_resolved_as_defined():
    """On real Visual Genome graphs of up to 118 objects, sampled expressions find what the definition says."""
    table = read_table(VISUAL_GENOME)
    rng = Stream(7)
    said = [_about_some_object(table.scene(rng.below(len(table))), rng) for _ in range(60)]
    scenes = np.array([rng.below(len(table)) for _ in range(20)] + [int(np.argmax(np.diff(table.scene_ptr)))])

    for expression in said:
        found = sets_of(resolve_graphs(expression, table, scenes))
        assert found == [denotation(expression, table.scene(s)) for s in scenes.tolist()]
    own = [int(only) for e in said for only in only_of(resolve_graphs(e, table)) if only >= 0]
    assert len(own) > 1000  # the sample says things that hold


def _about_some_object(scene, rng: Stream) -> Description:
    """A description that is true of some object: its name, or one clause, or a chain, or a rank."""
    index = rng.below(len(scene))
    steps = [Is("name", scene.names[index])]
    if rng.below(3) == 0:
        return Description((*steps, Nth(1 + rng.below(3), rng.choice(("left", "right", "middle")[:2]))))
    for relation, other in rng.permutation(scene.outgoing(index))[: 1 + rng.below(2)]:
        inner = [Is("name", scene.names[other])]
        inner += [Related(r, Description((Is("name", scene.names[o]),))) for r, o in scene.outgoing(other)[:1]]
        steps.append(Related(relation, Description(tuple(inner))))
    return Description(tuple(steps))
