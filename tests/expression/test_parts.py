from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.expression import (
    AnyOf,
    Description,
    Extreme,
    Is,
    Not,
    Nth,
    Part,
    Related,
    exchanging,
    mention_at,
    parts,
    replacing,
    swapping,
    without,
)
from deixis.schema import Which
from deixis.testing import expressions, the


RED, BLUE, CIRCLE = Is("color", "red"), Is("color", "blue"), Is("shape", "circle")
SMALL = Extreme("size", Which.LEAST)
TWO_CLAUSES = the("circle", Related("same row", the("square", color="red")), Related("inside", the("box", size="big")))


def test_parts_are_listed_outer_before_inner_with_the_way_down():
    """Every removable piece has an address: the way down from the whole."""
    listed = [(part.address, part.kind, part.attribute) for part in parts(TWO_CLAUSES)]

    assert listed == [
        ((0,), "value", "shape"),
        ((1,), "clause", None),
        ((1, 0), "value", "color"),
        ((1, 1), "value", "shape"),
        ((2,), "clause", None),
        ((2, 0), "value", "shape"),
        ((2, 1), "selector", "size"),
    ]


def test_negations_and_alternatives_have_parts_too():
    """What is negated and each alternative can be addressed by itself."""
    expression = Description((Not(RED), AnyOf((CIRCLE, Nth(1, "left")))))

    kinds = {part.address: part.kind for part in parts(expression)}

    assert kinds == {(0,): "negation", (0, 0): "value", (1,): "alternative", (1, 0): "value", (1, 1): "selector"}


@pytest.mark.parametrize(
    ("steps", "address", "left"),
    [
        ((RED, CIRCLE), (0,), (CIRCLE,)),
        ((Not(RED), CIRCLE), (0, 0), (CIRCLE,)),
        ((AnyOf((RED, CIRCLE)),), (0, 0), (CIRCLE,)),
        ((AnyOf((RED, BLUE, CIRCLE)),), (0, 1), (AnyOf((RED, CIRCLE)),)),
        ((AnyOf((Not(RED), CIRCLE)),), (0, 0, 0), (CIRCLE,)),
        ((Related("same row", Description((RED,))),), (0, 0), (Related("same row", Description()),)),
        (
            (Not(Related("same row", Description((RED, CIRCLE)))),),
            (0, 0, 1),
            (Not(Related("same row", Description((RED,)))),),
        ),
    ],
)
def test_leaving_out_a_part_leaves_the_rest(steps, address, left):
    """A negation goes with what it negates; of two alternatives the other remains; a clause may lose all its words."""
    expression = Description(steps)
    (part,) = [part for part in parts(expression) if part.address == address]

    assert without(expression, part) == Description(left)


@given(expressions(min_steps=1), st.data())
def test_replacing_says_something_else_in_that_place_only(expression, data):
    """After a replacement the new step stands at the address, and putting the old one back undoes it."""
    listed = list(parts(expression))
    part = data.draw(st.sampled_from(listed))

    changed = replacing(expression, part, Nth(9, "top"))

    assert Part(part.address, Nth(9, "top")) in list(parts(changed))
    assert replacing(changed, part, part.step) == expression
    assert replacing(expression, part, part.step) == expression


@given(expressions(min_steps=1), st.data())
def test_leaving_out_makes_an_expression_shorter_by_the_part(expression, data):
    """Leaving a part out takes away that part and what lies inside it, or the shell that it leaves empty."""
    listed = list(parts(expression))
    part = data.draw(st.sampled_from(listed))
    below = sum(other.address[: len(part.address)] == part.address for other in listed)

    shorter = list(parts(without(expression, part)))

    assert len(shorter) <= len(listed) - below
    assert len(shorter) >= len(listed) - below - len(part.address) + 1


@given(expressions(min_steps=2), st.data())
def test_swapping_twice_is_no_swap(expression, data):
    """Exchanging two parts and exchanging what stands in their places gives the first expression back."""
    listed = list(parts(expression))
    one = data.draw(st.sampled_from(listed))
    other = data.draw(st.sampled_from([part for part in listed if _are_apart(one, part)]))

    swapped = swapping(expression, one, other)

    assert {Part(one.address, other.step), Part(other.address, one.step)} <= set(parts(swapped))
    assert swapping(swapped, Part(one.address, other.step), Part(other.address, one.step)) == expression


def test_a_part_cannot_be_swapped_with_what_lies_inside_it():
    """A clause and a word of its own phrase cannot change places, nor can a part with itself."""
    clause, word = Part((1,), TWO_CLAUSES.steps[1]), Part((1, 0), RED)

    for one, other in ((clause, word), (word, clause), (word, word)):
        with pytest.raises(SchemaError, match="cannot be swapped"):
            swapping(TWO_CLAUSES, one, other)


@pytest.mark.parametrize("address", [(3,), (-1,), (0, 0), (1, 2), (1, 0, 0)])
def test_a_wrong_address_is_an_error(address):
    """An edit at a place that the expression does not have is refused, whether outside the steps or inside a word."""
    with pytest.raises(SchemaError, match="no part at"):
        without(TWO_CLAUSES, Part(address, RED))
    with pytest.raises(SchemaError, match="no part at"):
        mention_at(TWO_CLAUSES, address)


def test_the_whole_is_not_a_part():
    """The empty address names the whole expression, which cannot be left out of itself."""
    with pytest.raises(SchemaError, match="whole expression is not a part"):
        without(TWO_CLAUSES, Part((), RED))


def test_mentions_have_addresses():
    """The empty address is the whole, the address of a clause is what it relates to."""
    assert mention_at(TWO_CLAUSES, ()) == TWO_CLAUSES
    assert mention_at(TWO_CLAUSES, (2,)) == the("box", size="big")


def test_a_word_that_only_one_phrase_has_moves_to_the_other():
    """'a red square … a big box' becomes 'a square … a big red box'."""
    exchanged = exchanging(TWO_CLAUSES, (1,), (2,), frozenset({"color"}))

    assert (
        exchanged.canonical()
        == the(
            "circle", Related("same row", the("square")), Related("inside", the("box", color="red", size="big"))
        ).canonical()
    )


def test_words_are_exchanged_between_the_whole_and_a_clause():
    """The described object itself can take part in an exchange."""
    expression = the("circle", Related("same row", the("square", color="red")), color="blue", size="small")

    exchanged = exchanging(expression, (), (3,), frozenset({"color", "size"}))

    assert exchanged == the("circle", Related("same row", the("square", color="blue", size="small")), color="red")


def test_words_are_exchanged_between_a_phrase_and_one_inside_it():
    """In a chain of clauses the inner phrase is found although the outer one loses a word."""
    inner = Related("same column", the("circle", size="small"))
    expression = the("object", Related("same row", the("square", inner, color="red")))

    exchanged = exchanging(expression, (0,), (0, 2), frozenset({"color"}))
    also = exchanging(expression, (0, 2), (0,), frozenset({"color"}))

    there = Related("same column", the("circle", color="red", size="small"))
    assert exchanged == also == the("object", Related("same row", the("square", there)))


def test_phrases_without_such_words_keep_their_order():
    """An exchange that moves nothing changes nothing, not even the order of the steps."""
    odd = Description((Nth(1, "left"), RED, Not(CIRCLE), SMALL))
    expression = Description((Related("same row", odd), Related("same column", odd)))

    for attributes in (frozenset({"shape"}), frozenset({"color", "size"})):
        assert exchanging(expression, (0,), (1,), attributes) == expression


def test_words_are_exchanged_only_between_mentions():
    """A value has no phrase of its own to exchange words with."""
    with pytest.raises(SchemaError, match=r"no clause at \(0,\)"):
        exchanging(TWO_CLAUSES, (0,), (1,), frozenset({"color"}))


SPOKEN = expressions(in_spoken_order=True, max_depth=1)
NAMES = st.frozensets(st.sampled_from(["shape", "color", "size"]))


@given(SPOKEN, SPOKEN, SPOKEN, NAMES)
def test_exchanging_twice_means_the_same(whole, first, second, attributes):
    """Exchanging the words of two phrases twice gives the first expression, up to the order of filters."""
    expression = Description((*whole.steps, Related("same row", first), Related("same column", second)))
    one, other = (len(whole.steps),), (len(whole.steps) + 1,)

    once = exchanging(expression, one, other, attributes)

    assert exchanging(once, one, other, attributes).canonical() == expression.canonical()


def _are_apart(one: Part, other: Part) -> bool:
    """Whether neither part lies inside the other."""
    shared = min(len(one.address), len(other.address))
    return one.address[:shared] != other.address[:shared]
