from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError
from deixis.training.order import EasyFirst, Order


LENGTHS = np.array([3, 30, 5, 7, 100, 8, 12, 9, 31, 2])


def seen(order: Order, updates: int) -> np.ndarray:
    """How often each example occurs in the first updates."""
    return np.bincount(np.concatenate([order(update)[0] for update in range(updates)]), minlength=len(order.lengths))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 1 << 40))
def test_random_batches_are_tours_through_everything(examples, batch, seed):
    """As they come, every example is seen once before any is seen again."""
    order = Order(np.arange(examples), batch, 3 * examples, seed, "random")

    counts = seen(order, 3 * examples)

    assert counts.sum() == 3 * examples * batch
    assert counts.max() - counts.min() <= 1


def test_bucketed_batches_see_every_example_about_equally_often():
    """Which length an update is about is drawn by how many examples have it."""
    order = Order(LENGTHS, 4, 5000, 7)

    counts = seen(order, 5000)

    assert counts.sum() == 20_000
    assert abs(counts - 2000).max() < 200


@given(st.lists(st.integers(0, 200), min_size=1, max_size=30), st.integers(1, 7), st.integers(0, 99))
def test_a_bucket_has_room_for_its_plans_and_little_more(lengths, batch, seed):
    """Every plan of an update and its end fit into the steps, and in the same bucket none is shorter than the next."""
    order = Order(np.array(lengths), batch, 10, seed)

    for update in range(10):
        rows, steps = order(update)
        assert len(rows) == batch
        longest = max(lengths[row] for row in rows) + 1
        assert longest <= steps
        assert steps in order.caps


@pytest.mark.parametrize("batching", ["bucketed", "random"])
def test_an_update_depends_on_its_number_alone(batching):
    """Whoever asks for update 17 first, or last, or in a longer run, gets the same examples."""
    order, other = Order(LENGTHS, 3, 40, 5, batching), Order(LENGTHS, 3, 90, 5, batching)

    backwards = {update: order(update)[0].tolist() for update in reversed(range(40))}

    assert all(other(update)[0].tolist() == backwards[update] for update in range(40))


def test_the_order_is_the_same_on_every_machine():
    """Numbers that were computed once, and never change."""
    bucketed, random = Order(LENGTHS, 4, 6, 42), Order(LENGTHS, 4, 6, 42, "random")

    assert [bucketed(update)[0].tolist() for update in range(3)] == [[9, 2, 3, 0], [0, 3, 2, 9], [5, 7, 5, 7]]
    assert [random(update)[0].tolist() for update in range(3)] == [[8, 3, 1, 2], [4, 0, 5, 7], [9, 6, 4, 6]]


def test_other_seeds_give_other_orders():
    """The seed of a run decides."""
    one, other = (Order(LENGTHS, 4, 9, seed, "random") for seed in (1, 2))

    assert [one(update)[0].tolist() for update in range(9)] != [other(update)[0].tolist() for update in range(9)]


@pytest.mark.parametrize(("lengths", "complaint"), [([], "no examples"), ([2000], "2,000 actions")])
def test_what_cannot_be_learnt_is_refused(lengths, complaint):
    """Nothing to learn from, or plans beyond all measure."""
    with pytest.raises(RecipeError, match=complaint):
        Order(np.array(lengths, np.int64), 2, 5, 0)


def test_easy_examples_come_first_and_then_all():
    """As long as easy ones are wanted no other is seen; then the order is that of a run without them."""
    rows = np.array([0, 2, 3, 5, 9])
    easy, everything = Order(LENGTHS[rows], 4, 10, 7), Order(LENGTHS, 4, 30, 7)
    order = EasyFirst(rows, easy, everything)

    first = np.concatenate([order(update)[0] for update in range(10)])

    assert set(first.tolist()) == set(rows.tolist())
    assert all(LENGTHS[order(update)[0]].max() < order(update)[1] for update in range(30))
    for update in range(10, 30):
        assert order(update)[0].tolist() == everything(update)[0].tolist()
    assert {order(update)[1] for update in range(30)} <= {*easy.caps, *everything.caps}
