"""The compiled resolver and search: they agree with the plain definition, and what is found is as demanded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis._kernels.ops import Op
from deixis.audits.measures import bag_of_words_solves, exchanges
from deixis.distractors.necessity import is_minimal
from deixis.expression.program import compile_expression
from deixis.resolution.reference import denotation, resolve
from deixis.scene.scene import Context, Where
from deixis.seeds import Stream, derive
from deixis.worlds.tabletop._kernels.layout import relate
from deixis.worlds.tabletop._kernels.search import hold
from deixis.worlds.tabletop._kernels.sets import STACK, pick_out
from deixis.worlds.tabletop._making.demands import demands_of, plan_of
from deixis.worlds.tabletop._making.find import BASES, MARGINS, Stage, find_tables, set_tables
from deixis.worlds.tabletop._making.forms import Phrases
from deixis.worlds.tabletop._making.recipe import FORMS
from deixis.worlds.tabletop._making.trees import is_tree, plan_of_tree
from deixis.worlds.tabletop._schema import SCHEMA
from deixis.worlds.tabletop._solids import COLORS, SHAPES, SIZES, Camera


ANY_PAIR = frozenset((color, shape) for color in COLORS for shape in SHAPES)


def stage(*counts):
    """Tables of so many solids."""
    cameras = tuple(Camera(azimuth=300 + place) for place in range(len(counts)))
    return Stage(counts, cameras, 0.4, ANY_PAIR)


def arrays_of(scenes):
    """Scenes as the kernels hold them: values, places, relations and tables."""
    solids = [solid for scene in scenes for solid in scene.table.solids]
    values = np.array(
        [
            [SCHEMA.attribute(name).code(getattr(one, name)) for name in ("size", "color", "material", "shape")]
            for one in solids
        ],
        np.int64,
    )
    places = np.array(
        [(s.x, s.y, *p) for scene in scenes for s, p in zip(scene.table.solids, scene.places, strict=True)], np.int64
    )
    sizes = np.array([SIZES.index(one.size) for one in solids], np.int64)
    related, tables, start = np.zeros((5, len(solids)), np.uint64), [], 0
    for scene in scenes:
        stop = start + len(scene)
        relate(places, sizes, BASES, np.array([*MARGINS, 0, 0], np.int64), start, stop, related)
        tables.append(sum(1 << k for k in range(start, stop)))
        start = stop
    held = np.zeros((4, 8), np.uint64)
    hold(values, held)
    return held, values, related, places, np.array(tables, np.uint64)


@settings(max_examples=150)
@given(st.integers(0, 2**40), st.sampled_from(FORMS), st.booleans(), st.integers(1, 3))
def test_the_compiled_resolver_is_the_plain_definition(seed, form, is_every_word, images):
    """Any expression of any form on one table or several, negations, alternatives and ranks among them."""
    chance = Stream(seed)
    scenes = set_tables(stage(*(3 + chance.below(5) for _ in range(images))), chance).scenes
    solids = [solid for scene in scenes for solid in scene.table.solids]
    expression = Phrases(
        chance, relations=3, is_every_word=is_every_word, value=lambda name: getattr(chance.choice(solids), name)
    ).expression(form)
    rows = compile_expression(expression, SCHEMA).rows

    found = int(pick_out(rows, 0, len(rows), *arrays_of(scenes), np.zeros(STACK, np.uint64)))

    starts = np.cumsum([0, *map(len, scenes)])
    expected = {int(starts[n]) + k for n, scene in enumerate(scenes) for k in denotation(expression, scene)}
    assert {k for k in range(len(solids)) if found >> k & 1} == expected


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("images", [1, 3])
def test_nothing_of_what_is_found_can_be_spared(form, images):
    """By the plain definitions: one solid fits, each part is needed, each reading demanded leads astray."""
    seen = 0
    for number in range(60):
        chance = Stream(derive(9, form, number))
        expression = Phrases(chance).expression(form)
        found = find_tables(expression, stage(*[9 if images == 1 else 5] * images), chance)
        if found is None:
            continue
        seen += 1
        context = Context(found.scenes, Where(found.table, found.solid))
        assert resolve(expression, context).objects == {context.target}
        assert is_minimal(expression, context)
        assert not exchanges(expression) or not bag_of_words_solves(expression, context)
        met = {}
        for one in demands_of(expression):
            picked = resolve(one.expression, context).objects
            is_met = bool(picked - {context.target}) if one.is_strict else picked != {context.target}
            met[one.group] = met.get(one.group, False) or is_met
        assert all(met.values())
    assert seen >= 5


def test_directions_are_demanded_both_ways():
    """'Left of' may not be read as 'right of', nor 'second from the left' as 'second from the right'."""
    from deixis.worlds.tabletop._language.part import LANGUAGE

    expression = LANGUAGE.read("the red cube left of the second ring from the left").expression
    readings = {LANGUAGE.realise(one.expression).text for one in demands_of(expression) if one.is_strict}

    assert "the red cube right of the second ring from the left" in readings
    assert "the red cube left of the second ring from the right" in readings
    assert "the cube left of the second red ring from the left" in readings


def test_solids_of_two_tables_are_not_related():
    """A relation and a comparison hold on one table only."""
    scenes = set_tables(stage(3, 3), Stream(4)).scenes
    _, _, related, _, tables = arrays_of(scenes)

    for k in range(6):
        own = int(tables[0] if k < 3 else tables[1])
        assert all(int(related[r, k]) & ~own == 0 for r in range(5))


def demanded(plan):
    """The readings of a plan by groups, as programs in which the order of values does not matter."""
    groups = {}
    for number, (group, is_strict) in enumerate(plan.demands.tolist()):
        rows = plan.rows[plan.row_start[number] : plan.row_start[number + 1]].tolist()
        program, run = [], []
        for row in (*(row for row in rows if row[0] != Op.MARK), None):
            if row is not None and row[0] == Op.IS:
                run.append(tuple(row))
                continue
            program.extend((*sorted(run), row))
            run = []
        groups.setdefault(group, set()).add((is_strict, str(program)))
    return sorted(map(sorted, groups.values()))


@settings(max_examples=120)
@given(st.integers(0, 2**40), st.sampled_from(("phrase", "chain", "and", "same")))
def test_the_fast_plan_of_a_tree_is_the_plain_one(seed, form):
    """Every reading with its group, and the mentions by which it is acted out."""
    expression = Phrases(Stream(seed), relations=3).expression(form)
    fast, plain = plan_of_tree(expression), plan_of(expression, demands_of(expression))

    assert is_tree(expression)
    assert demanded(fast) == demanded(plain)
    assert sorted(row[1:] for row in fast.mentions.tolist()) == sorted(row[1:] for row in plain.mentions.tolist())
