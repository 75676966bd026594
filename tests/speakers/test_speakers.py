from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.distractors._contrast import Options, options
from deixis.errors import SchemaError
from deixis.expression import Is
from deixis.judge.pragmatics import pragmatics
from deixis.resolution import resolve
from deixis.scene import Context, Where
from deixis.seeds import Stream, derive
from deixis.speakers import Exhaustive, Greedy, Incremental, Minimal, Random, Rational, speak
from deixis.speakers._rational import literal_listener
from deixis.worlds.grid.drawn import grid
from deixis.worlds.rooms.judging._anchors import SPEAKERS
from deixis.worlds.rooms.mentions import judge
from deixis.worlds.rooms.pairs import context_of, draw_contexts
from deixis.worlds.rooms.scene import FACTORS, RoomScene
from deixis.worlds.rooms.speakers import INCREMENTAL, caption_of, choose_rows
from tests.language.mentions.strategies import rooms


def contexts() -> st.SearchStrategy[Context]:
    """Rooms with one to four distractors."""
    shown = st.lists(rooms(), min_size=2, max_size=5, unique=True)
    return shown.map(lambda scenes: Context(tuple(scenes), Where(0, 0)))


def menu(*rules_out: int, others: int) -> Options:
    """Features a, b, c … of which each rules out the objects whose bits are set."""
    return Options(tuple(Is(name, "x") for name in "abcdef"[: len(rules_out)]), rules_out, others)


@given(contexts(), st.sampled_from(list(SPEAKERS)))
def test_speakers_tell_the_truth(context, name):
    """Whatever a speaker says holds of the target."""
    said = speak(SPEAKERS[name], context, rng=Stream(1))

    assert context.target in resolve(said, context)


@given(contexts())
def test_those_who_look_at_the_distractors_find_the_target(context):
    """All but the random and the rational speaker leave the target alone wherever that can be done."""
    for speaker in (Exhaustive(), Minimal(), Greedy(), INCREMENTAL):
        assert pragmatics(speak(speaker, context, rng=Stream(2)), context).is_discriminative


@given(contexts())
def test_the_minimal_speaker_is_ideal(context):
    """It is discriminative, efficient and optimal, and nothing that it says could be left out."""
    found = pragmatics(speak(Minimal(), context, rng=Stream(3)), context)

    assert found.is_optimal
    assert found.is_minimal
    assert found.efficiency() == found.relevance == 1.0 or found.needed > 1


@pytest.mark.parametrize("name", SPEAKERS)
def test_rows_are_spoken_of_as_contexts_are(name):
    """The fast path says what `speak` says of each row."""
    images = draw_contexts(40, seed=6, distractors=2, shared=2)
    said = choose_rows(SPEAKERS[name], images, seed=8)
    for row, row_said in enumerate(said.tolist()):
        expression = speak(SPEAKERS[name], context_of(images[row].tolist()), rng=Stream(derive(8, row)))
        assert {step.attribute for step in expression.steps} == {f for f, s in zip(FACTORS, row_said, strict=True) if s}


@given(rooms(), st.sets(st.sampled_from(FACTORS)))
def test_a_caption_says_what_was_chosen_and_no_more(scene, chosen):
    """What the speaker says in words is read back as the same features."""
    assert set(judge(caption_of(scene.id, chosen), scene).true) == chosen


def test_greedy_may_say_more_than_it_takes():
    """Taking what helps most at once can miss the shortest description."""
    there = menu(0b011110, 0b000111, 0b111000, others=0b111111)

    assert Greedy().choose(there, rng=Stream(0)) == (0, 1, 2)
    assert Minimal().choose(there, rng=Stream(0)) == (1, 2)


def test_the_incremental_speaker_keeps_what_it_said():
    """It follows its preferences, says the noun in any case, and takes nothing back."""
    context = context_of((RoomScene.of(0, 0, 0, 0, 0, 0).id, RoomScene.of(0, 0, 1, 1, 0, 0).id))
    first = speak(INCREMENTAL, context, rng=Stream(0))
    sizes = speak(Incremental(preferred=("scale", "object_hue"), head=None), context, rng=Stream(0))

    assert [step.attribute for step in first.steps] == ["shape", "object_hue"]
    assert [step.attribute for step in sizes.steps] == ["scale"]
    with pytest.raises(SchemaError, match="twice"):
        Incremental(preferred=("scale", "scale"))


def test_the_rational_speaker_follows_the_formula():
    """Two features, one of which rules out the distractor: the probabilities are those of the model."""
    there = menu(0b1, 0b0, others=0b1)
    found = Rational(alpha=2.0, cost=0.3).probabilities(there)
    weights = {
        (): exp(2 * log(0.5)),
        (0,): exp(2 * -0.3),
        (1,): exp(2 * (log(0.5) - 0.3)),
        (0, 1): exp(2 * -0.6),
    }

    assert literal_listener(there, (1,)) == 0.5
    assert found == pytest.approx({choice: weight / sum(weights.values()) for choice, weight in weights.items()})


def test_a_rational_speaker_becomes_minimal_as_alpha_grows():
    """A very rational speaker with costs says a shortest description; one without reason says anything."""
    images = draw_contexts(300, seed=1, shared=3)
    minimal = choose_rows(Minimal(), images, seed=0).sum(axis=1)

    assert (choose_rows(Rational(alpha=500.0), images, seed=0).sum(axis=1) == minimal).all()
    assert choose_rows(Rational(alpha=0.0), images, seed=0).mean() == pytest.approx(0.5, abs=0.05)
    with pytest.raises(SchemaError, match="alpha and cost"):
        Rational(alpha=-1.0)


def test_the_random_speaker_says_as_much_as_it_was_told():
    """A fixed number of features, all equally often."""
    images = draw_contexts(2_000, seed=1)
    said = choose_rows(Random(count=3), images, seed=0)

    assert set(said.sum(axis=1).tolist()) == {3}
    assert said.mean(axis=0) == pytest.approx(np.full(6, 0.5), abs=0.05)
    with pytest.raises(SchemaError, match="cannot say -1"):
        Random(count=-1)


def test_nothing_can_be_said_of_two_equal_images():
    """No description tells an image from itself, so those who look at it say nothing."""
    context = context_of((5, 5))

    assert speak(Minimal(), context, rng=Stream(0)).steps == ()
    assert speak(Greedy(), context, rng=Stream(0)).steps == ()


def test_speakers_talk_about_boards_too():
    """The same speakers choose words for an object among others on one board."""
    scene = grid("""
        r○ b○
        r□ g□
    """)
    context = Context.of(scene, 0)
    said = speak(Minimal(), context, rng=Stream(0))

    assert resolve(said, context).only() == context.target
    assert len(said.steps) == 2
    assert options(context).others == 0b111
