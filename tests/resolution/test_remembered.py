"""Resolution that remembers what it worked out about scenes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deixis.audits._counting import Tally
from deixis.audits._plain import count_expression
from deixis.audits.measures import reorderings, why_not_judged
from deixis.distractors.necessity import competitors, find_reached
from deixis.expression import Description, Is, Nth, Related
from deixis.resolution import _remembered, denotation
from deixis.resolution._remembered import RememberedScenes
from deixis.scene import Context, Where
from deixis.testing import expressions
from deixis.worlds.grid.drawn import grid
from tests.scene.graphs import SCHEMA, tables


RELATIONS = [relation.name for relation in SCHEMA.relations]
PHRASES = st.builds(lambda step: Description((step,)), st.sampled_from([Is("name", "car"), Is("color", "red")]))
NESTED = st.builds(lambda name, to: Description((Related(name, to),)), st.sampled_from(RELATIONS), PHRASES)
COMPETING = st.lists(
    st.builds(Related, st.sampled_from(RELATIONS), PHRASES | NESTED | st.just(Description())), min_size=1, max_size=4
)


@given(table=tables(), said=st.lists(expressions(SCHEMA), min_size=1, max_size=4))
def test_what_is_remembered_changes_no_result_on_graphs(table, said):
    """Whatever is said of whichever scene graphs, one after the other, is what the plain definition says."""
    memory = RememberedScenes()
    scenes = [table.scene(k) for k in range(len(table))]
    for expression in (*said, *said):
        assert [memory.denotation(expression, one) for one in scenes] == [denotation(expression, s) for s in scenes]


@given(table=tables(max_objects=8), clauses=COMPETING)
def test_remembered_mentions_are_matched_to_different_objects(table, clauses):
    """Where several clauses compete for objects, they are matched as the definition says."""
    memory, expression = RememberedScenes(), Description(tuple(clauses))
    for scene in (table.scene(k) for k in range(len(table))):
        assert memory.denotation(expression, scene) == denotation(expression, scene)


@given(expression=expressions(in_spoken_order=True))
def test_what_is_remembered_changes_no_result_on_grids(full_boards, expression):
    """Broader words, sizes and computed relations of grids are read as the plain definition says."""
    memory = RememberedScenes()
    for scene in full_boards[:10]:
        assert memory.denotation(expression, scene) == denotation(expression, scene)


@given(table=tables(), said=st.lists(expressions(SCHEMA), min_size=1, max_size=3))
def test_an_audit_that_remembers_counts_the_same(table, said):
    """Of every expression that picks out one object, all counts of an audit are those of the plain definitions."""
    memory, scenes = RememberedScenes(), tuple(table.scene(k) for k in range(len(table)))
    for expression in said:
        found = frozenset(Where(k, o) for k, scene in enumerate(scenes) for o in denotation(expression, scene))
        if len(found) != 1:
            continue
        context = Context(scenes, next(iter(found)))
        assert why_not_judged(expression, context, memory=memory) == ""
        counted, plain = Tally(), Tally()
        count_expression(counted, expression, context, 3, reorderings, memory=memory)
        count_expression(plain, expression, context, 3, reorderings)
        assert counted.audit() == plain.audit()
        assert find_reached(expression, context, memory=memory) == frozenset(competitors(expression, context))


def test_the_scenes_and_mentions_that_are_kept_are_bounded(monkeypatch):
    """With room for one scene and one mention, everything is worked out anew, with the same result."""
    monkeypatch.setattr(_remembered, "MOST_SCENES", 1)
    monkeypatch.setattr(_remembered, "MOST_MENTIONS", 1)
    scenes = (grid("r○1 b□2\n. ."), grid("b○1 .\n. r□2"))
    said = [
        Description((Related("same row", Description((Is("color", "blue"),))),)),
        Description((Is("shape", "circle"), Nth(1, "left"))),
        Description((Is("shape", "square"), Nth(1, "right"))),
    ]
    memory = RememberedScenes()
    for expression in (*said, *said):
        for scene in scenes:
            assert memory.denotation(expression, scene) == denotation(expression, scene)
