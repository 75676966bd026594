from __future__ import annotations

import hashlib

import numpy as np
import pytest

from deixis.errors import SchemaError
from deixis.worlds.rooms.pairs import (
    CATEGORIES,
    SETS,
    context_of,
    draw_contexts,
    partition,
    random_pairs,
    similar_pairs,
    test_sets,
)
from deixis.worlds.rooms.scene import FACTORS, IMAGES, PLACES, SIZES, factors_of


@pytest.fixture(scope="module")
def sets():
    return test_sets(seed=11)


def test_there_are_thirteen_sets_of_7500_pairs(sets):
    """Six sets share one factor, four share two and three share three."""
    assert list(sets) == list(SETS)
    assert [len(names) for names in CATEGORIES.values()] == [6, 4, 3]
    assert {pairs.shape for pairs in sets.values()} == {(7_500, 2)}


@pytest.mark.parametrize("name", SETS)
def test_pairs_agree_on_what_their_set_says_and_are_never_one_image(sets, name):
    """Target and distractor are different images that share at least the factors of the set."""
    targets, distractors = factors_of(sets[name][:, 0]), factors_of(sets[name][:, 1])
    same = targets == distractors
    shared = SETS[name]

    assert (sets[name][:, 0] != sets[name][:, 1]).all()
    if isinstance(shared, int):
        assert (same.sum(axis=1) >= shared).all()
        assert same.mean(axis=0).min() > shared / 6  # every factor is shared now and then
    else:
        assert same[:, [FACTORS.index(factor) for factor in shared]].all()
        free = [place for place, factor in enumerate(FACTORS) if factor not in shared]
        assert same[:, free].mean(axis=0) == pytest.approx([1 / SIZES[place] for place in free], abs=0.03)


def test_test_images_are_held_out(sets):
    """No image of a test set is one for training, tuning or validation, and no image is on two sides."""
    parts = partition(seed=11)

    assert [len(part) for part in parts] == [30_000, 30_000, 20_000, 400_000]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(IMAGES))
    assert np.isin(np.concatenate([pairs.ravel() for pairs in sets.values()]), parts.test).all()


def test_the_same_seed_gives_the_same_sets():
    """Sets are reproducible to the byte, on every machine, and differ between seeds."""
    few, other = test_sets(seed=11, count=50), test_sets(seed=12, count=50)
    digest = hashlib.sha256(b"".join(few[name].astype("<i8").tobytes() for name in few)).hexdigest()

    assert digest[:16] == "cd7ae0886dd205b3"
    assert not any(np.array_equal(few[name], other[name]) for name in few)


def test_random_pairs_differ_in_as_many_factors_as_chance_says():
    """The mean number of contrastive features is the sum over factors of 1 - 1/n."""
    factors = factors_of(random_pairs(100_000, seed=2))
    differing = (factors[:, 0] != factors[:, 1]).sum(axis=1)
    shares = np.bincount(differing, minlength=7) / len(differing)

    assert differing.mean() == pytest.approx(5.258, abs=0.01)
    assert shares[3:] == pytest.approx([0.022, 0.139, 0.390, 0.447], abs=0.006)


def test_distractors_are_uniform_among_the_images_that_match():
    """Each of the few images that share five factors with a target is chosen equally often, the target never."""
    shared = [factor for factor in FACTORS if factor != "scale"]
    targets = np.full(7_000, 163_233)
    found = similar_pairs(targets, shared, seed=4)[:, 1]
    images, counts = np.unique(found, return_counts=True)

    assert len(images) == 7
    assert 163_233 not in images
    assert counts == pytest.approx([1_000] * 7, abs=150)


def test_a_target_without_a_match_is_an_error():
    """Where no image qualifies, the error names the target and what it should share."""
    with pytest.raises(SchemaError, match="image 0 shares floor_hue with 0 other images"):
        similar_pairs(np.array([0]), ["floor_hue"], seed=0, among=np.array([0, 479_999]))
    with pytest.raises(SchemaError, match="at least two images"):
        random_pairs(1, seed=0, among=np.array([5, 5]))


def test_a_target_may_lie_outside_of_the_images_to_choose_from():
    """Then no place is taken by the target itself."""
    found = similar_pairs(np.array([0]), ["shape"], seed=0, among=np.array([1, 479_999]))

    assert found.tolist() == [[0, 1]]


def test_contexts_may_have_many_distractors():
    """All images of a context are different, and all share what was asked for."""
    rows = draw_contexts(
        300, seed=9, distractors=7, shared=("shape", "scale", "object_hue", "orientation", "floor_hue")
    )

    assert rows.shape == (300, 8)
    assert all(len(set(row)) == 8 for row in rows.tolist())
    factors = factors_of(rows)
    assert (factors[:, :1, [0, 2, 3, 4, 5]] == factors[:, 1:, [0, 2, 3, 4, 5]]).all()


def test_too_many_distractors_are_an_error():
    """A wall has ten hues, so a target that may differ in it alone has nine distractors at most."""
    shared = [factor for factor in FACTORS if factor != "wall_hue"]

    assert draw_contexts(5, seed=0, distractors=9, shared=shared).shape == (5, 10)
    with pytest.raises(SchemaError, match="with 9 other images to choose from, but 10 are needed"):
        draw_contexts(5, seed=0, distractors=10, shared=shared)


def test_orientations_with_one_phrase_agree_by_expression():
    """By expression images share an orientation if captions say the same of it."""
    pairs = draw_contexts(2_000, seed=3, shared=("orientation",), by="expression")
    orientations = factors_of(pairs)[..., 5]

    assert all(PLACES[a] == PLACES[b] for a, b in orientations.tolist())
    assert (orientations[:, 0] != orientations[:, 1]).any()


def test_unknown_factors_are_an_error():
    """A misspelt factor is not ignored."""
    with pytest.raises(SchemaError, match="no factor 'colour'"):
        draw_contexts(1, seed=0, shared=("colour",))


def test_a_row_becomes_a_context():
    """The first image is the target."""
    context = context_of((163_233, 5))

    assert [scene.id for scene in context.scenes] == [163_233, 5]
    assert context.target == (0, 0)
