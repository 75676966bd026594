"""Ablations agree with the measures of an audit, and changed texts are what they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits.ablations import ablate_example, ablate_text
from deixis.audits.measures import bag_of_words_solves, left_without
from deixis.errors import SchemaError
from deixis.scene import Context
from deixis.worlds.example import PlainExample
from deixis.worlds.grid import language
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse


SCENE = grid("""
    0:y□1 .     3:y□2
    .     1:y○1 .
    4:r○2 .     2:r□1
""")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("the yellow circle", 1),
        ("the small red square", 2),
        ("the square that is in the same row as a red circle", 2),
        ("the square that is in the same row as a circle and in the same column as a yellow square", 2),
    ],
)
def test_dropped_parts_and_exchanged_words_agree_with_the_audit(text, target):
    """What is left is what `left_without` finds; a bag of words solves when no exchange leads elsewhere."""
    example = PlainExample(context=Context.of(SCENE, target), expression=parse(text), text=text)

    found = ablate_example(example, language=language)

    dropped = [one for one in found if one.change == "drop"]
    left = left_without(example.expression, example.context)
    assert [one.objects for one in dropped] == list(left.values())
    assert [one.is_needed for one in dropped] == [some != {example.context.target} for some in left.values()]
    exchanged = [one for one in found if one.change == "exchange"]
    solves = all(one.objects <= {example.context.target} for one in exchanged)
    assert solves == bag_of_words_solves(example.expression, example.context)
    assert all(parse(one.text) == one.expression for one in dropped if one.expression.steps)


def test_an_example_without_a_meaning_is_refused():
    """In one line that says what can be done."""
    with pytest.raises(SchemaError, match="ablate_text"):
        ablate_example(PlainExample(context=Context.of(SCENE), expression=None, text="that one"))


@given(st.lists(st.sampled_from(("red", "cup", "the", "on", "table")), max_size=6))
def test_changed_texts_hold_the_same_words(words):
    """A drop loses one word, a swap or a shuffle none; the same text is shuffled alike every time."""
    text = " ".join(words)
    found = list(ablate_text(text, shuffles=2, seed=3))

    assert found == list(ablate_text(text, shuffles=2, seed=3))
    for one in found:
        lost = 1 if one.change == "drop" else 0
        assert len(one.text.split()) == len(words) - lost
        if not lost:
            assert sorted(one.text.split()) == sorted(words)
            assert one.text != text
    assert sum(one.change == "drop" for one in found) == len(words)
