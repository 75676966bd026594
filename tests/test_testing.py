from __future__ import annotations

from hypothesis import find, given, settings
from hypothesis import strategies as st

from deixis.expression import AnyOf, Extreme, Is, Not, Nth, Related, parts
from deixis.schema import Attribute, Schema
from deixis.testing import ALL_KINDS, PLAIN_KINDS, agents, expressions, grid_scenes, plain_scenes, steps, the


TYPES = {"is": Is, "extreme": Extreme, "nth": Nth, "related": Related, "not": Not, "any_of": AnyOf}
BARE = Schema(name="bare", attributes=())
FLAT = Schema(name="flat", attributes=(Attribute(name="color", values=("red", "blue")),))


def test_phrases_are_written_in_the_order_in_which_they_are_read():
    """Values come before the size word that compares what they leave, clauses come last."""
    expression = the("circle", Related("inside", the("box")), color="red", size="big")

    assert str(expression) == "[color=red, shape=circle, size=most, inside: [shape=box]]"
    assert str(the()) == "[]"


@given(grid_scenes(size=3, min_objects=2, max_objects=4, with_agent=True))
def test_drawn_boards_are_possible_boards(scene):
    """No two solids share a cell and no two boxes a corner; the agent is there when asked for."""
    cells = [(thing.is_box, thing.row, thing.column) for thing in scene.objects]

    assert 2 <= len(scene) <= 4
    assert len(set(cells)) == len(cells)
    assert scene.size == 3
    assert scene.agent is not None


@given(grid_scenes(), agents(size=2))
def test_boards_have_no_agent_unless_asked(scene, agent):
    """A board is drawn without an agent by default, and an agent stands on the board it was drawn for."""
    assert scene.agent is None
    assert max(agent.row, agent.column) < 2


@given(
    st.data(), st.frozensets(st.sampled_from(sorted(ALL_KINDS)), min_size=1).filter(lambda kinds: kinds != {"related"})
)
def test_expressions_keep_to_the_kinds_asked_for(data, kinds):
    """Only steps of the given kinds occur, at any depth."""
    kinds = kinds | {"is"}
    expression = data.draw(expressions(kinds=kinds, max_depth=1, max_steps=3, max_mentions=3))

    assert all(isinstance(part.step, tuple(TYPES[kind] for kind in kinds)) for part in parts(expression))
    assert expression.depth <= 1
    assert len(expression.steps) <= 3
    assert len(list(expression.mentions())) <= 3


def test_every_kind_of_step_is_drawn():
    """The strategy leaves no kind of step out."""
    for kind in TYPES.values():
        found = find(steps(), lambda step, kind=kind: isinstance(step, kind), settings=settings(max_examples=500))
        assert isinstance(found, kind)


@given(expressions(kinds=PLAIN_KINDS | {"nth"}, in_spoken_order=True))
def test_spoken_expressions_say_one_word_per_attribute_in_order(expression):
    """In spoken order values precede size words, ranks and clauses, and no attribute is said twice."""
    for mention in expression.mentions():
        ranks = [(Is, Extreme, Nth, Related).index(type(step)) for step in mention.steps]
        said = [step.attribute for step in mention.steps if isinstance(step, Is | Extreme)]
        assert ranks == sorted(ranks)
        assert len(set(said)) == len(said)


@given(expressions(FLAT), plain_scenes(FLAT, min_objects=1), plain_scenes(BARE))
def test_schemas_without_relations_or_attributes_are_served(expression, scene, bare):
    """Without relations no clause is drawn and no link; without attributes objects have no values."""
    assert expression.relations() == ()
    assert scene.links == frozenset()
    assert len(scene) >= 1
    assert all(values == frozenset() for values in bare.objects)
