"""Needed words of captions: the definition of audits where there is a meaning, and the same of any text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.audits.measures import audited_parts, left_without, why_not_judged
from deixis.worlds.rooms._language import LANGUAGE
from deixis.worlds.rooms._needed_words import needed_words
from deixis.worlds.rooms.captions import GRAMMARS, caption, frames
from deixis.worlds.rooms.pairs import context_of
from deixis.worlds.rooms.scene import IMAGES, SIZES, factors_of, ids_of


ROOM = 163_233  # a tiny red ball near the right corner in front of a light green wall on green floor
CHANGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 14)), min_size=1, max_size=3)


def changed(room, changes):
    """A room that differs in some factors."""
    factors = factors_of(np.array([room]))[0].copy()
    for place, value in changes:
        factors[place] = value % SIZES[place]
    return int(ids_of(factors))


def beside(**factors):
    """A room like `ROOM` but for some factors."""
    held = dict(zip(("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"), range(6), strict=True))
    return changed(ROOM, [(held[name], value) for name, value in factors.items()])


@settings(max_examples=150, deadline=None)
@given(
    room=st.integers(0, IMAGES - 1),
    others=st.lists(CHANGES, min_size=1, max_size=3),
    grammar=st.sampled_from(GRAMMARS),
    number=st.integers(0, 100),
)
def test_words_are_needed_as_audits_have_it(room, others, grammar, number):
    """Of every caption of every grammar, among any rooms: the same features are needed, or nothing is judged."""
    text = caption(room, number % len(frames(grammar)), grammar)
    rooms = (room, *(changed(room, one) for one in others))
    expression, context = LANGUAGE.read(text).expression, context_of(rooms)

    found = needed_words(text, rooms)

    assert (found is None) is bool(why_not_judged(expression, context))
    if found is not None:
        left = left_without(expression, context)
        judged = audited_parts(expression, context.scenes[0].schema)
        told = {one.part.step.attribute: left[one.part] != {context.target} for one in judged}
        assert {said.features[0]: said.is_needed for said in found} == told


@pytest.mark.parametrize(
    ("text", "others", "found"),
    [
        ("a red ball", [{"object_hue": 3}], {"red": ("object_hue",)}),
        ("a red ball", [{"object_hue": 3}, {"shape": 0}], {"red": ("object_hue",), "ball": ("shape",)}),
        ("tiny red of xyzzy", [{"object_hue": 3, "scale": 5}], {}),
        ("it is not big and not on red floor, tiny", [{"scale": 4}], {"big, tiny": ("scale",)}),
        ("green green floor", [{"floor_hue": 0}], {"green": ("floor_hue",)}),
    ],
)
def test_any_text_is_judged_by_the_features_that_it_mentions(text, others, found):
    """Negations, loose colours and unknown words are no obstacle; the words of one feature count as one."""
    rooms = (ROOM, *(beside(**one) for one in others))

    told = needed_words(text, rooms)

    assert told is not None
    assert {said.words: said.features for said in told if said.is_needed} == found


@pytest.mark.parametrize("text", ["", "a blue ball", "a ball", "a picture"])
def test_what_does_not_fit_the_target_alone_is_not_judged(text):
    """Where something false is said, or the other image fits, too, nothing can be said of single words."""
    assert needed_words(text, (ROOM, beside(object_hue=3))) is None
