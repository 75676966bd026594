from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import AmbiguousExpression, SchemaError, UnknownName
from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related, parts, without
from deixis.resolution import Referents, denotation, resolve, resolve_one
from deixis.scene import Context, PlainScene, Where
from deixis.schema import Attribute, Schema, Which
from deixis.testing import PLAIN_KINDS, expressions, plain_scenes, the
from deixis.worlds.grid.drawn import grid


RED, BLUE = Is("color", "red"), Is("color", "blue")
SMALL, BIG = Extreme("size", Which.LEAST), Extreme("size", Which.MOST)


def test_saying_nothing_fits_everything(crowd):
    """An empty description fits every object, boxes included."""
    assert denotation(Description(), crowd) == {0, 1, 2, 3, 4, 5}


def test_a_value_keeps_the_objects_that_have_it(crowd):
    """'red' keeps the red ones, 'red square' those that are both."""
    assert denotation(Description((RED,)), crowd) == {0, 4}
    assert denotation(the("square", color="blue"), crowd) == {1, 5}
    assert denotation(the("square", color="red"), crowd) == set()


def test_a_clause_needs_another_object_that_fits(crowd):
    """A clause keeps the objects that stand in the relation to something that fits the inner description."""
    assert denotation(the("object", Related("same row", the("square"))), crowd) == {0}
    assert denotation(the("object", Related("inside", the("box", color="green"))), crowd) == {3, 4}
    assert denotation(the("object", Related("inside", the("box", color="red"))), crowd) == set()


def test_clauses_can_be_nested(crowd):
    """'in the same row as something that is in the same column as a blue square' looks two objects away."""
    inner = the("object", Related("same column", the("square", color="blue")))

    assert denotation(the("cylinder", Related("same row", inner)), crowd) == {3}


def test_nothing_is_in_the_same_color_as_itself():
    """'the object in the same color as the square' cannot be the square."""
    scene = grid("""
        r□ .  .
        .  b○ .
        .  .  r○
    """)
    alone = grid("""
        r□ .
        .  b○
    """)
    expression = the("object", Related("same color", the("square")))

    assert denotation(expression, scene) == {2}
    assert denotation(expression, alone) == set()


def test_two_clauses_need_two_objects():
    """One red square cannot be both 'a red object' of one clause and 'a square' of the other."""
    expression = the("circle", Related("same row", the(color="red")), Related("same row", the("square")))
    one = grid("""
        g○ r□ .
        .  .  .
        .  .  .
    """)
    two = grid("""
        g○ r□ r▱
        .  .  .
        .  .  .
    """)

    assert denotation(expression, one) == set()
    assert denotation(expression, two) == {0}


def test_a_chain_does_not_come_back_to_where_it_began():
    """In a chain of clauses the last object is neither the first nor the second."""
    expression = the("circle", Related("same row", the("square", Related("same row", the("circle")))))
    one = grid("r○ b□\n. .")
    two = grid("""
        r○ b□ g○
        .  .  .
        .  .  .
    """)

    assert denotation(expression, one) == set()
    assert denotation(expression, two) == {0, 2}


def test_a_later_clause_can_make_an_earlier_one_choose_again():
    """Objects are not handed out greedily: the first clause gives way when the second needs its object."""
    expression = the("circle", Related("same row", the(color="red")), Related("same row", the("square")))
    scene = grid("""
        g○ r□ r▱ .
        .  .  .  .
        .  .  .  .
        .  .  .  .
    """)

    assert denotation(expression, scene) == {0}


def test_mentions_may_coincide_where_the_schema_allows_it():
    """Without the convention of different objects, one object may serve two clauses and a chain may come back."""
    scene = grid("g○ r□\n. .")
    free = Schema(name="free", attributes=scene.schema.attributes, relations=scene.schema.relations)
    recorded = PlainScene(
        schema=free,
        objects=(frozenset({("shape", "circle")}), frozenset({("shape", "square"), ("color", "red")})),
        links=frozenset({("same row", 0, 1)}),
    )
    clauses = the("circle", Related("same row", the(color="red")), Related("same row", the("square")))
    chain = the("circle", Related("same row", the("square", Related("same row", the("circle")))))

    assert denotation(clauses, recorded) == denotation(chain, recorded) == {0}
    assert denotation(clauses, scene) == denotation(chain, scene) == set()


def test_size_words_compare_within_what_is_left():
    """'small' is relative: the same circle is small among circles and not small among red things."""
    scene = grid("""
        r○2 .   r□1
        .   b○4 .
        .   .   .
    """)

    assert denotation(the("circle", size="small"), scene) == {0}
    assert denotation(the(color="red", size="small"), scene) == {1}
    assert denotation(the(color="red", size="big"), scene) == {0}


@pytest.mark.parametrize(
    ("which", "reading", "found"),
    [
        (SMALL, "comparative", {0, 1, 2}),
        (BIG, "comparative", {2, 3}),
        (SMALL, "superlative", {0, 1}),
        (BIG, "superlative", {3}),
    ],
)
def test_the_middle_is_small_and_big_only_when_compared(which, reading, found):
    """Comparatively the middle object is both small and big; superlatively only the ends count, ties together."""
    scene = grid("""
        r○1 .   r○1
        .   r○2 .
        r○3 .   .
    """)

    assert denotation(Description((which,)), scene, reading=reading) == found


def test_objects_of_one_size_are_neither_small_nor_big():
    """Among equals nothing is small by comparison, though all are smallest."""
    scene = grid("r○2 r□2\n. .")

    assert denotation(Description((SMALL,)), scene) == set()
    assert denotation(Description((SMALL,)), scene, reading="superlative") == {0, 1}
    assert denotation(Description((RED, BLUE, BIG)), scene, reading="superlative") == set()


def test_an_object_with_several_levels_counts_by_the_nearest():
    """An object with two sizes lies towards an end by the one nearest to it; one without a size is left out."""
    schema = Schema(name="x", attributes=(Attribute(name="size", values=("s", "m", "l"), is_ordered=True),))
    objects = (frozenset({("size", "s"), ("size", "l")}), frozenset({("size", "m")}), frozenset())
    scene = PlainScene(schema=schema, objects=objects)

    assert denotation(Description((SMALL,)), scene) == {0}
    assert denotation(Description((BIG,)), scene) == {0}


def test_an_end_needs_an_order(crowd):
    """There is no most of colours."""
    with pytest.raises(SchemaError, match="'color' have no order"):
        denotation(Description((Extreme("color", Which.MOST),)), crowd)


def test_the_place_of_a_selector_matters():
    """'the smallest red thing' is not 'the smallest thing, if red'."""
    scene = grid("""
        r○2 .   b□1
        .   r○3 .
        .   .   .
    """)

    assert denotation(Description((RED, SMALL)), scene, reading="superlative") == {0}
    assert denotation(Description((SMALL, RED)), scene, reading="superlative") == set()


def test_a_selector_after_a_clause_compares_what_the_clause_left():
    """'the small one of those in a row with a square' compares only those."""
    scene = grid("""
        r○3 b□1 .
        .   .   r○1
        .   .   .
    """)
    clause = Related("same row", the("square"))

    assert denotation(Description((Is("shape", "circle"), clause, SMALL)), scene, reading="superlative") == {0}
    assert denotation(Description((Is("shape", "circle"), SMALL, clause)), scene, reading="superlative") == set()


@pytest.mark.parametrize(
    ("index", "side", "found"),
    [
        (1, "left", {2}),
        (2, "left", {0}),
        (3, "left", set()),
        (1, "right", set()),
        (3, "right", {0}),
        (1, "top", set()),
        (3, "top", {2}),
        (1, "bottom", {3}),
        (5, "left", set()),
        (1, "middle", set()),
    ],
)
def test_ranks_count_from_a_side_and_ties_leave_them_open(index, side, found):
    """The nth object from a side is the one with n - 1 objects before it; objects at equal distance have no rank."""
    scene = grid("""
        .  r○ b□ .
        .  .  .  .
        g▱ .  .  .
        .  .  y○ .
    """)

    assert denotation(Description((Nth(index, side),)), scene) == found


def test_the_middle_has_as_many_on_either_side():
    """The middle of three is the second; two have no middle, and neither do three of which two are level."""
    row = grid("""
        r○ b□ g○
        .  .  r□
        y○ .  .
    """)

    assert denotation(the("circle", Nth(1, "middle")), row) == set()
    assert denotation(Description((Nth(1, "middle"),)), row) == {1}
    assert denotation(the("square", Nth(1, "middle")), row) == set()


def test_a_rank_counts_only_what_is_left():
    """'the second circle from the left' skips everything that is not a circle."""
    scene = grid("""
        r○ b□ g○
        .  .  .
        .  .  .
    """)

    assert denotation(the("circle", Nth(2, "left")), scene) == {2}
    assert denotation(Description((Nth(2, "left"), Is("shape", "circle"))), scene) == set()


def test_a_negation_takes_out_what_its_step_would_keep(crowd):
    """'not red' keeps the rest, and a negated clause the objects for which it fails."""
    assert denotation(Description((Not(RED),)), crowd) == {1, 2, 3, 5}
    assert denotation(the("square", Not(Related("same row", the("circle")))), crowd) == {5}
    assert denotation(Description((Not(Not(RED)),)), crowd) == {0, 4}


def test_a_negated_selector_keeps_the_others():
    """'not the first from the left' keeps everything but that one."""
    scene = grid("r○ b○\n. .")

    assert denotation(Description((Not(Nth(1, "left")),)), scene) == {1}


def test_alternatives_join_what_each_would_keep(crowd):
    """'red or in the box' keeps what fits one or the other."""
    inside = Related("inside", the("box"))

    assert denotation(Description((AnyOf((RED, inside)),)), crowd) == {0, 3, 4}
    assert denotation(the("cylinder", AnyOf((RED, inside))), crowd) == {3}


def test_what_is_negated_or_alternative_takes_no_object_away():
    """Mentions inside negations and alternatives may be objects that other mentions already are."""
    scene = grid("""
        g○ r□ .
        .  .  .
        .  .  .
    """)
    square = Related("same row", the("square"))

    assert denotation(the("circle", square, AnyOf((square, RED))), scene) == {0}
    assert denotation(the("circle", square, Not(Related("same row", the("square", color="blue")))), scene) == {0}
    assert denotation(the("circle", square, square), scene) == set()


def test_unknown_words_are_named(crowd):
    """An expression outside the vocabulary of the scene is refused, not quietly false."""
    with pytest.raises(UnknownName, match="unknown attribute 'colour'; did you mean 'color'"):
        denotation(Description((Is("colour", "red"),)), crowd)
    with pytest.raises(UnknownName, match="unknown relation 'same rwo'"):
        denotation(the("object", Related("same rwo", the())), crowd)


def test_a_context_is_searched_scene_by_scene(crowd, red_circle_and_blue_square):
    """Referents of a context say in which scene they are; relations never reach from one scene into another."""
    context = Context((crowd, red_circle_and_blue_square), Where(1, 1))

    squares = resolve(the("square", color="blue"), context)

    assert squares.objects == {Where(0, 1), Where(0, 5), Where(1, 1)}
    assert squares.indices == {1, 5}
    assert len(squares) == 3
    assert Where(1, 1) in squares
    assert Where(1, 0) not in squares
    assert not squares.is_unique


def test_one_object_is_given_where_exactly_one_fits(crowd):
    """Asking for the one object gives it, or an error that says how many there were."""
    assert resolve_one(the("cylinder"), crowd) == Where(0, 3)
    assert resolve(the("cylinder"), crowd).is_unique
    with pytest.raises(AmbiguousExpression, match="fits 2 objects, not one"):
        resolve_one(the("circle"), crowd)
    with pytest.raises(AmbiguousExpression, match="fits 0 objects, not one"):
        Referents(frozenset()).only()


def test_the_reading_can_be_chosen_for_one_question(crowd):
    """A reading given with the question overrides that of the schema."""
    big = Description((BIG,))

    assert len(resolve(big, crowd)) == 4
    assert resolve_one(big, crowd, reading="superlative") == Where(0, 3)


@given(expression=expressions(kinds=PLAIN_KINDS, min_steps=1), data=st.data())
def test_leaving_out_a_part_never_loses_a_referent(full_boards, expression, data):
    """Without ranks, negations and alternatives, and comparatively read, saying less never excludes more."""
    shorter = without(expression, data.draw(st.sampled_from(list(parts(expression)))))

    for scene in full_boards[:40]:
        assert denotation(expression, scene) <= denotation(shorter, scene)


def test_leaving_out_a_part_can_lose_a_superlative_referent():
    """The superlative reading has no such promise: among more objects, another may be the smallest."""
    scene = grid("r○2 b○1\n. .")
    full, shorter = the("circle", color="red", size="small"), the("circle", size="small")

    assert denotation(full, scene, reading="superlative") == {0}
    assert denotation(shorter, scene, reading="superlative") == {1}


@given(expression=expressions(), reading=st.sampled_from(["comparative", "superlative"]))
def test_the_canonical_form_means_the_same(full_boards, expression, reading):
    """Putting filters into canonical order changes no referent, selectors inside negations included."""
    canonical = expression.canonical()

    for scene in full_boards[:40]:
        assert denotation(expression, scene, reading=reading) == denotation(canonical, scene, reading=reading)


PHOTO = Schema(name="photo", attributes=(Attribute(name="color", values=("red", "white"), is_ordered=True),))


@given(expressions(PHOTO), plain_scenes(PHOTO))
def test_a_step_only_narrows(expression, scene):
    """In any schema, each further step leaves a subset of what was left."""
    before = frozenset(range(len(scene)))
    for count in range(len(expression.steps) + 1):
        after = denotation(Description(expression.steps[:count]), scene)
        assert after <= before
        before = after
