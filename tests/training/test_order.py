from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from deixis.errors import RecipeError
from deixis.worlds.grid.training._order import Order, StagedOrder, times_shown


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
    order = StagedOrder(((rows, easy),), everything)

    first = np.concatenate([order(update)[0] for update in range(10)])

    assert set(first.tolist()) == set(rows.tolist())
    assert all(LENGTHS[order(update)[0]].max() < order(update)[1] for update in range(30))
    for update in range(10, 30):
        assert order(update)[0].tolist() == everything(update)[0].tolist()
    assert {order(update)[1] for update in range(30)} <= {*easy.caps, *everything.caps}


def test_after_the_easy_ones_the_rare_ones_come_more_often():
    """A row that is there thrice is shown thrice as often; afterwards every one as often as another."""
    easy, rare = np.array([1, 2]), np.repeat(np.arange(len(LENGTHS)), np.where(np.arange(len(LENGTHS)) == 3, 3, 1))
    stages = (
        (easy, Order(LENGTHS[easy], 1, 6, 7, "random")),
        (rare, Order(LENGTHS[rare], 1, len(rare) * 5, 7, "random")),
    )
    end = 6 + len(rare) * 5
    order = StagedOrder(stages, Order(LENGTHS, 1, end + 8, 7, "random"))

    shown = np.concatenate([order(update)[0] for update in range(6, end)])

    assert set(np.concatenate([order(update)[0] for update in range(6)]).tolist()) == {1, 2}
    assert np.bincount(shown, minlength=len(LENGTHS)).tolist() == [15 if row == 3 else 5 for row in range(len(LENGTHS))]
    assert order(end)[0].tolist() == order.all(end)[0].tolist()


def test_how_often_a_command_is_shown_follows_from_its_rarest_word():
    """Of twenty commands all have word 1; word 2 is in ten, 3 in four, 4 (twice) in one, and one command is empty."""
    words = np.zeros((21, 3), np.uint16)
    words[:20, 0] = 1
    words[:10, 1] = 2
    words[8:12, 2] = 3
    words[19] = (4, 1, 4)

    times = times_shown(words, 0.4)

    assert times[:8].tolist() == [1] * 8  # in ten of 21 commands
    assert times[8:12].tolist() == [2] * 4  # 8.4 wanted, 4 there
    assert times[12:19].tolist() == [1] * 7
    assert times[19] == 8  # 8.4 wanted, 1 there, eight at most
    assert times[20] == 1


@given(
    arrays(np.uint16, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.integers(0, 6)),
    st.floats(0.01, 1.0),
)
def test_times_agree_with_counting_commands(words, share):
    """The plain definition: look at every word of every command, count in how many commands it is."""
    commands = [{int(word) for word in row if word} for row in words]
    for command, times in zip(commands, times_shown(words, share), strict=True):
        rarest = min((sum(word in other for other in commands) for word in command), default=len(commands))
        assert times == min(max(round(share * len(commands) / rarest), 1), 8)
