from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.distractors import is_minimal
from deixis.distractors._contrast import features, options
from deixis.expression import Description, Is, Related
from deixis.judge.pragmatics import Pragmatics, pragmatics, truthful
from deixis.scene import Context, Where
from deixis.testing import the
from deixis.worlds.grid.drawn import grid
from deixis.worlds.rooms.judging._arrays import score_captions, score_mentions
from deixis.worlds.rooms.mentions._judging import said_of
from deixis.worlds.rooms.pairs import context_of, draw_contexts
from deixis.worlds.rooms.scene import FACTORS, RoomScene, factors_of
from tests.language.mentions.strategies import rooms


def counted(said: int, contrastive: int, available: int, needed: int | None = 1) -> Pragmatics:
    """One distractor, nothing false."""
    return Pragmatics(
        said=said,
        contrastive=contrastive,
        available=available,
        features=6,
        needed=needed if available else None,
        false=0,
        is_discriminative=contrastive > 0,
        is_minimal=said == contrastive == 1,
    )


@pytest.mark.parametrize(
    ("k", "c", "z", "by_z", "by_k", "r", "od"),
    [
        (1, 1, 3, 1.0, 1.0, 1.0, True),  # the ideal
        (1, 0, 3, None, None, 2 / 3, False),
        (2, 1, 1, 1.0, 1.0, 0.8, True),  # z = 1: efficient if and only if c = 1
        (2, 2, 3, 0.5, 0.0, 1.0, False),
        (6, 2, 2, 0.0, 0.8, 0.0, False),  # redundant features raise the printed formula
        (6, 3, 3, 0.0, 0.6, 0.0, False),
        (6, 6, 6, 0.0, 0.0, 1.0, False),  # everything is contrastive: nothing can be redundant
        (1, 1, 6, 1.0, 1.0, 1.0, True),
        (2, 0, 0, None, None, 2 / 3, False),  # the same image twice
        (0, 0, 3, None, None, 1.0, False),  # nothing is said
        (0, 0, 0, None, None, 1.0, False),
    ],
)
def test_every_edge_case_has_a_value(k, c, z, by_z, by_k, r, od):
    """The formulas of the paper, with both denominators, wherever they are defined."""
    found = counted(k, c, z)

    assert found.efficiency("z") == (by_z if by_z is None else pytest.approx(by_z))
    assert found.efficiency("k") == (by_k if by_k is None else pytest.approx(by_k))
    assert found.relevance == pytest.approx(r)
    assert found.is_optimal is od


def test_the_metrics_hold_for_boards_too():
    """A relative clause counts like a word: alone it is all that it takes, with a noun more than that."""
    scene = grid("""
        . r○ .  .
        . .  b□ r○
        . .  .  .
        . .  .  .
    """)
    target = next(n for n, thing in enumerate(scene.objects) if thing.shape == "circle" and thing.row == 1)
    context = Context.of(scene, target)

    clause = Related("same row", the("square"))

    alone = pragmatics(the("object", clause), context)
    with_noun = pragmatics(the("circle", clause), context)
    words = pragmatics(the("circle", color="red"), context)

    assert alone.is_optimal
    assert alone.is_minimal
    assert with_noun.is_discriminative
    assert not with_noun.is_optimal
    assert with_noun.efficiency() == pytest.approx(1 - 1 / 2)  # 'circle' rules out the square, as 'red' would have
    assert words.efficiency() is None


def test_false_words_do_not_count_as_said():
    """What does not hold of the target is counted apart and helps nobody."""
    context = context_of((163_233, 163_233 + 480 * 8))

    found = pragmatics(Description((Is("object_hue", "pink"), Is("shape", "ball"))), context)

    assert (found.said, found.contrastive, found.false, found.is_discriminative) == (1, 0, 1, False)


def test_labels_contrast_where_expressions_do_not():
    """Orientations of 0 and 4 degrees have one phrase: it tells them apart by label only."""
    context = context_of((7, 8))
    said = Description((Is("orientation", "in the middle"),))

    assert pragmatics(said, context, by="label").is_optimal
    assert not pragmatics(said, context, by="expression").is_discriminative


def test_several_distractors_may_need_several_features():
    """Two distractors that share different features with the target cannot be ruled out by one word each does."""
    context = context_of((0, 480, 48_000))  # object hue differs in one, floor hue in the other
    both = Description((Is("object_hue", "red"), Is("floor_hue", "red")))

    found = pragmatics(both, context)

    assert found.needed == found.contrastive == 2
    assert found.is_optimal
    assert not pragmatics(Description((Is("object_hue", "red"),)), context).is_discriminative


@given(rooms(), st.lists(rooms(), min_size=1, max_size=4), st.sets(st.sampled_from(FACTORS)), st.booleans())
def test_arrays_agree_with_the_definition(target, distractors, said, by_label):
    """The fast path counts as the definition does, for any number of distractors, by label and by expression."""
    by = "label" if by_label else "expression"
    context = Context((target, *distractors), Where(0, 0))
    words = said_of(target)
    slow = pragmatics(Description(tuple(Is(name, words[name]) for name in sorted(said))), context, by=by)

    true = np.array([[name in said for name in FACTORS]])
    others = np.array([[scene.factors for scene in distractors]])
    fast = score_mentions(true, np.array([target.factors]), others, by=by)

    assert (fast.said[0], fast.contrastive[0], fast.available[0]) == (slow.said, slow.contrastive, slow.available)
    assert fast.needed[0] == (slow.needed or 0)
    assert fast.is_discriminative[0] == slow.is_discriminative
    assert fast.is_minimal[0] == slow.is_minimal
    assert fast.is_optimal[0] == slow.is_optimal
    assert fast.relevance[0] == pytest.approx(slow.relevance)
    for denominator in ("z", "k"):
        expected = slow.efficiency(denominator)
        assert fast.efficiency(denominator)[0] == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


@given(rooms(), rooms())
def test_necessity_and_contrast_agree_on_pairs(target, distractor):
    """With one distractor an expression is minimal when it says one contrastive feature and nothing else."""
    context = Context((target, distractor), Where(0, 0))
    there = options(context)
    for number, step in enumerate(there.features):
        said = Description((step,))
        if number in there.contrastive:
            assert is_minimal(said, context)
        else:
            assert not pragmatics(said, context).is_discriminative


def test_the_features_of_a_room_are_its_six_factors():
    """By label an orientation is told in degrees, by expression in words."""
    context = context_of((163_233, 0))

    assert [step.attribute for step in features(context)] == list(FACTORS)
    assert features(context, by="expression")[5] == Is("orientation", "near the right corner")
    steps, false = truthful(Description((Is("orientation", "near the right corner"),) * 2), context)
    assert steps == (features(context)[5],)
    assert false == 0


def test_captions_without_content_have_defined_scores():
    """Empty, foreign and broken captions score 0 on discriminativity and lose nothing on relevance."""
    texts = ["", "   ", "eine kleine rote kugel", "of of of", "\x00\x01"]
    images = draw_contexts(len(texts), seed=1)

    scores = score_captions(texts, images[:, 0], images[:, 1])

    assert not scores.is_discriminative.any()
    assert np.isnan(scores.efficiency()).all()
    assert scores.relevance.tolist() == [1.0] * len(texts)
    assert not scores.is_optimal.any()


def test_a_target_equal_to_its_distractor_cannot_be_told_apart():
    """With no contrastive feature nothing is discriminative, and every true feature is redundant."""
    scores = score_captions(["a tiny red ball"], np.array([163_233]), np.array([163_233]))

    assert scores.available[0] == 0
    assert not scores.is_discriminative[0]
    assert np.isnan(scores.efficiency()[0])
    assert scores.relevance[0] == pytest.approx(0.5)


def test_images_out_of_range_are_an_error():
    """A number that is no image is refused, whatever its type."""
    for bad in (np.array([480_000]), np.array([-1]), np.array([0.5])):
        with pytest.raises(ValueError, match=r"numbered from|integers from"):
            score_captions([""], bad, np.array([0]))


def test_the_caption_of_figure_1_is_contrastive():
    """Red is the one contrastive feature of the pair in the paper's Figure 1, and the caption says it."""
    purple = RoomScene.of(3, 4, 8, 0, 2, 3).id
    for mode in ("clean", "paper"):
        text = ["A tiny red ball green near the floor in green of"]
        scores = score_captions(text, np.array([163_233]), np.array([purple]), mode=mode)

        assert scores.is_discriminative[0]
        assert scores.contrastive[0] == scores.available[0] == 1
        assert factors_of(np.array([163_233])).tolist() == [[3, 4, 0, 0, 2, 3]]
