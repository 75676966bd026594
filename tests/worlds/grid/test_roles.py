"""Why objects are there: roles and misreadings as small integers."""

from __future__ import annotations

from itertools import product

import pytest

from deixis.distractors import planned_misreadings
from deixis.errors import SchemaError
from deixis.worlds.grid.language import parse, realise
from deixis.worlds.grid.roles import (
    KINDS,
    Role,
    decode_misreading,
    decode_role,
    encode_misreading,
    encode_role,
    mention_addresses,
)
from deixis.worlds.grid.scene import GRID


SIBLINGS = (
    "the big red circle that is in the same row as a small blue square and in the same column as a green cylinder"
)
CHAIN = "the circle that is in the same row as a blue square that is inside of a big box"
# kind, mention, second, value; then what kind of misreading it is, the words it concerns, what is understood
MISREADINGS = [
    (
        ("relation", 1, 0, 0), "relation", ("in the same row as a small blue square",),
        "the big red circle that is in the same column as a green cylinder",
    ),
    (
        ("relation", 2, 0, 0), "relation", ("in the same column as a green cylinder",),
        "the big red circle that is in the same row as a small blue square",
    ),
    (("attribute", 0, 0, 2), "attribute", ("circle",), SIBLINGS.replace("circle", "square")),
    (("attribute", 0, 1, 3), "attribute", ("red",), SIBLINGS.replace("red", "yellow")),
    (("attribute", 0, 2, 0), "selector", ("big",), SIBLINGS.replace("big", "small")),
    (("attribute", 1, 0, 0), "attribute", ("square",), SIBLINGS.replace("square", "circle")),
    (("attribute", 1, 2, 1), "selector", ("small",), SIBLINGS.replace("small", "big")),
    (("attribute", 2, 1, 0), "attribute", ("green",), SIBLINGS.replace("green", "red")),
    (("attribute", 2, 1, 15), "attribute", ("green",), SIBLINGS.replace("green ", "")),
    (("attribute", 0, 2, 15), "selector", ("big",), SIBLINGS.replace("big ", "")),
    (("size", 0, 0, 0), "selector", ("big",), SIBLINGS.replace("big ", "")),
    (("size", 1, 0, 0), "selector", ("small",), SIBLINGS.replace("small ", "")),
    (
        ("isomorphism", 1, 2, 0), "isomorphism", ("blue", "green"),
        "the big red circle that is in the same row as a small green square and in the same column as a blue cylinder",
    ),
    (
        ("isomorphism", 1, 2, 1), "isomorphism", ("square", "small", "cylinder"),
        "the big red circle that is in the same row as a blue cylinder and in the same column as a small green square",
    ),
]  # fmt: skip


def test_a_byte_says_a_role():
    """Every role of every kind and number comes back from its byte, and no two share one."""
    roles = [Role(kind, number) for kind, number in product(KINDS, range(32))]

    codes = [encode_role(role) for role in roles]

    assert [decode_role(code) for code in codes] == roles
    assert sorted(codes) == list(range(256))


@pytest.mark.parametrize("code", [256, -1, 10_000])
def test_other_bytes_say_no_role(code):
    """A code beyond the kinds is refused."""
    with pytest.raises(SchemaError, match=f"{code} is not the code of a role"):
        decode_role(code)


@pytest.mark.parametrize("number", [-1, 32])
def test_a_role_with_a_number_too_large_is_not_written(number):
    """A number that would spill into the kind is refused instead of being written as another role."""
    with pytest.raises(SchemaError, match=f"from 0 to 31, got {number}"):
        encode_role(Role("random", number))


def test_distractors_and_misreadings_are_told_apart():
    """Targets and mentioned objects are no distractors, and random objects punish nothing in particular."""
    distractors = [kind for kind in KINDS if Role(kind).is_distractor]
    punishing = [kind for kind in KINDS if Role(kind).has_misreading]

    assert distractors == ["relation", "attribute", "isomorphism", "size", "random", "helper"]
    assert set(distractors) - set(punishing) == {"random"}


@pytest.mark.parametrize(
    ("text", "addresses"), [("the circle", [()]), (SIBLINGS, [(), (3,), (4,)]), (CHAIN, [(), (1,), (1, 2)])]
)
def test_mentions_are_addressed_in_the_order_of_the_words(text, addresses):
    """The target has the empty address, every other mention that of its clause."""
    assert mention_addresses(parse(text)) == addresses


@pytest.mark.parametrize(("numbers", "kind", "words", "understood"), MISREADINGS)
def test_a_code_says_which_misreading_is_punished(numbers, kind, words, understood):
    """Each code decodes to the misreading that its table describes: what goes wrong, where, and what is understood."""
    said = realise(parse(SIBLINGS))

    misreading = decode_misreading(encode_misreading(*numbers), said.expression)

    assert misreading.kind == kind
    assert tuple(said.words_of(part.address) for part in misreading.parts) == words
    assert realise(misreading.expression).text == understood


def test_a_dropped_clause_takes_its_own_clauses_along():
    """In a chain, dropping the inner clause keeps the outer one; dropping the outer drops both."""
    expression = parse(CHAIN)

    outer, inner = (decode_misreading(encode_misreading("relation", mention), expression) for mention in (1, 2))

    assert realise(outer.expression).text == "the circle"
    assert realise(inner.expression).text == "the circle that is in the same row as a blue square"


@pytest.mark.parametrize("text", [SIBLINGS, CHAIN, "the small circle"])
def test_every_code_is_a_known_misreading_or_refused(text):
    """Whatever the code, it stands for one of the misreadings of the expression or is refused."""
    expression = parse(text)
    known = {misreading.expression for misreading in planned_misreadings(expression, GRID)} | {expression}

    decoded = [_decoded(code, expression) for code in _codes()]

    assert {misreading.expression for misreading in decoded if misreading} <= known
    assert any(decoded)


def test_only_the_codes_of_the_table_are_accepted():
    """For two sibling clauses exactly the kinds, mentions and values of the table have a meaning."""
    expression = parse(SIBLINGS)

    accepted = {code for code in _codes() if _decoded(code, expression)}

    anything = list(product(range(5), range(6)))
    slots = {(0, 0): 4, (0, 1): 4, (0, 2): 2, (1, 0): 4, (1, 1): 4, (1, 2): 2, (2, 0): 4, (2, 1): 4}
    assert accepted == {
        *(encode_misreading("relation", mention, *rest) for mention in (1, 2) for rest in anything),
        *(encode_misreading("size", mention, *rest) for mention in (0, 1) for rest in anything),
        *(encode_misreading("attribute", *slot, value) for slot, count in slots.items() for value in range(count)),
        *(encode_misreading("isomorphism", *pair, value) for pair in ((1, 2), (2, 1)) for value in (0, 1)),
    }


def test_a_word_that_is_not_there_cannot_be_misread():
    """The error names the mention and the attribute that it has no word for."""
    with pytest.raises(SchemaError, match="no word for size"):
        decode_misreading(encode_misreading("size", 2), parse(SIBLINGS))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (("random", 0), "as 'random' punishes no misreading"),
        (("target", 0), "as 'target' punishes no misreading"),
        (("relation", 16), "from 0 to 15, got 16, 0 and 0"),
        (("attribute", 0, 0, -1), "from 0 to 15, got 0, 0 and -1"),
    ],
)
def test_a_misreading_that_cannot_be_written_is_refused(numbers, message):
    """Kinds without misreadings and numbers beyond four bits are refused."""
    with pytest.raises(SchemaError, match=message):
        encode_misreading(*numbers)


def _codes():
    """Every kind and mention that fits in four bits, with seconds and values up to a little beyond the sensible."""
    numbers = product(range(17), range(16), range(5), range(6))
    return [kind << 12 | mention << 8 | second << 4 | value for kind, mention, second, value in numbers]


def _decoded(code, expression):
    try:
        return decode_misreading(code, expression)
    except SchemaError:
        return None
