from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from deixis.expression import Not, Related, mention_at, parts
from deixis.resolution import denotation, trace
from deixis.testing import expressions, grid_scenes, the
from deixis.worlds.grid.drawn import grid


def test_every_step_shows_what_it_excluded(crowd):
    """The trace tells, word by word, which objects were still meant and which dropped out."""
    found = trace(the("object", Not(Related("inside", the("box"))), color="red"), crowd)

    assert [(step.before, step.dropped) for step in found.steps] == [
        (frozenset(range(6)), {1, 2, 3, 5}),
        (frozenset({0, 4}), {4}),
    ]
    assert found.referents == {0}


def test_a_clause_shows_how_its_inner_description_was_resolved(crowd):
    """The objects an inner description fits come before the clause that needs them, addressed from the whole."""
    found = trace(the("circle", Related("inside", the("box", color="green"))), crowd)

    walked = [(step.part.address, step.after) for step in found.walk()]

    assert walked == [((0,), {0, 4}), ((1, 0), {2}), ((1, 1), {2}), ((1,), {4})]


def test_referents_can_be_fewer_than_the_last_step_leaves():
    """Objects whose clauses compete for one object survive every step and are still not meant."""
    scene = grid("g○ r□\n. .")
    expression = the("circle", Related("same row", the(color="red")), Related("same row", the("square")))

    found = trace(expression, scene)

    assert found.steps[-1].after == {0}
    assert found.referents == frozenset()


def test_the_reading_holds_for_the_whole_trace():
    """A superlative question is traced superlatively."""
    scene = grid("r○1 r○2\nr○3 .")

    found = trace(the("circle", size="small"), scene, reading="superlative")

    assert found.steps[-1].after == found.referents == {0}


@given(expressions(), grid_scenes())
def test_a_trace_ends_in_the_denotation(expression, scene):
    """Whatever is asked, steps follow on from each other, parts stand at their addresses, the end is the answer."""
    found = trace(expression, scene)
    known = set(parts(expression))

    assert found.referents == denotation(expression, scene)
    for step in found.walk():
        assert step.part in known
        assert step.after <= step.before
        if step.inner is not None:
            assert step.inner.referents == denotation(mention_at(expression, step.part.address), scene)
    assert all(one.after == two.before for one, two in pairwise(found.steps))
