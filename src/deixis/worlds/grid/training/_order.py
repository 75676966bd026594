"""The examples of each step: a function of the seed and the number of the step, and of nothing else.

`random` takes the next so many of a fresh shuffle of everything, as the published runs do. `bucketed` puts plans of
about the same length together, so that little is computed for padding; which length an update is about is drawn by how
many examples have it, so every example is seen equally often.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from deixis.errors import RecipeError
from deixis.seeds import GOLDEN_WORD, derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.grid.data._arrays import PlanArrays
    from deixis.worlds.grid.training.settings import Training


Batching: TypeAlias = Literal["bucketed", "random"]
CAPS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024)  # steps, the one that ends a plan included
MOST_TIMES = 8  # that a rare command is shown for once of a common one


@dataclass(frozen=True)
class Order:
    """The order of examples: those of every step.

    Attributes:
        lengths: int [example], the number of actions.
        batch: how many examples an update has.
        updates: how many updates there are.
        seed: of the run.
    """

    lengths: np.ndarray
    batch: int
    updates: int
    seed: int
    batching: Batching = "bucketed"
    _buckets: list[np.ndarray] = field(init=False, repr=False)
    _caps: list[int] = field(init=False, repr=False)
    _choice: np.ndarray = field(init=False, repr=False)
    _turn: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        steps = np.asarray(self.lengths) + 1
        if not len(steps):
            raise RecipeError("there are no examples to learn from")
        if steps.max() > CAPS[-1]:
            raise RecipeError(f"a plan has {steps.max() - 1:,} actions; at most {CAPS[-1] - 1:,} can be learnt")
        caps = [*(cap for cap in CAPS if cap < steps.max()), int(steps.max())]
        which = np.searchsorted(caps, steps)
        groups = [np.flatnonzero(which == k) for k in range(len(caps))]
        if self.batching == "random":
            groups, caps = [np.arange(len(steps))], [caps[-1]]
        kept = [(group, cap) for group, cap in zip(groups, caps, strict=True) if len(group)]
        choice = _draw_buckets(self.seed, self.updates, [len(group) for group, _ in kept])
        turn = np.zeros(self.updates, np.int64)
        for k in range(len(kept)):
            turn[choice == k] = np.arange(np.count_nonzero(choice == k))
        for name, value in (("_buckets", [group for group, _ in kept]), ("_caps", [cap for _, cap in kept])):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_choice", choice)
        object.__setattr__(self, "_turn", turn)
        object.__setattr__(self, "_shuffled", lru_cache(maxsize=2 * len(kept))(self._shuffle))

    _shuffled: Callable[[int, int], np.ndarray] = field(init=False, repr=False)

    @property
    def caps(self) -> tuple[int, ...]:
        """The numbers of steps that occur."""
        return tuple(self._caps)

    def __call__(self, update: int) -> tuple[np.ndarray, int]:
        """Return the examples of a step, int64 [batch], and the number of actions to compute for them."""
        bucket = int(self._choice[update])
        size = len(self._buckets[bucket])
        first = int(self._turn[update]) * self.batch
        taken: list[int] = []
        while len(taken) < self.batch:
            tour, at = divmod(first + len(taken), size)
            taken.extend(self._shuffled(bucket, tour)[at : at + self.batch - len(taken)].tolist())
        return np.array(taken, np.int64), self._caps[bucket]

    def _shuffle(self, bucket: int, tour: int) -> np.ndarray:
        group = self._buckets[bucket]
        return group[np.argsort(_words(derive(self.seed, "order", bucket, tour), len(group)), kind="stable")]


@dataclass(frozen=True)
class StagedOrder:
    """A curriculum: some examples alone, or some more often than others, in the first steps, and then all alike.

    Attributes:
        stages: one after another, the examples of each, int64 [row], and an order of these rows for as many updates as
            it has; who is shown more often has several rows.
        all: the order of all examples, for the updates that are left.
    """

    stages: tuple[tuple[np.ndarray, Order], ...]
    all: Order

    def __call__(self, update: int) -> tuple[np.ndarray, int]:
        """Return the examples of a step, int64 [batch], and the number of actions to compute for them."""
        at = update
        for rows, order in self.stages:
            if at < order.updates:
                taken, steps = order(at)
                return rows[taken], steps
            at -= order.updates
        return self.all(update)


def order_of(training: Training, examples: PlanArrays) -> Order | StagedOrder:
    """The order of a training.

    Raises:
        RecipeError: when there is nothing to learn from, or nothing easy to begin with.
    """

    def order_lengths(lengths: np.ndarray, updates: int) -> Order:
        return Order(lengths, training.batch_size, updates, training.seed, training.batching)

    everything = order_lengths(examples.plans.length, training.steps)
    chosen = []
    if training.easy_first:
        chosen.append((_easy(training, examples), training.easy_first))
    if training.rare_first:
        times = times_shown(examples.words, training.rare_share)
        chosen.append((np.repeat(np.arange(len(examples)), times), training.rare_first))
    if not chosen:
        return everything
    stages = tuple((rows, order_lengths(examples.plans.length[rows], count)) for rows, count in chosen)
    return StagedOrder(stages, everything)


def times_shown(words: np.ndarray, share: float) -> np.ndarray:
    """Return how often each command is shown, so that none of its words is too rare.

    The rarest word of a command decides: about as often as would bring it into `share` of all commands, were it there
    alone, once at least and eight times at most.

    Shapes:
        words: int [example, place], numbers from 1; 0 after the end. Returned: int64 [example].
    """
    sorted_words = np.sort(words, axis=1)
    is_first = np.diff(sorted_words, axis=1, prepend=0) != 0  # of its kind in the command, and a word
    commands_with = np.bincount(sorted_words[is_first], minlength=1)
    commands_with[0] = len(words)  # after the end there is nothing rare
    rarest = commands_with[words].min(axis=1, initial=len(words))
    return np.clip(np.rint(share * len(words) / rarest), 1, MOST_TIMES).astype(np.int64)


def _easy(training: Training, examples: PlanArrays) -> np.ndarray:
    rows = np.flatnonzero(examples.word_count <= training.easy_words)
    if not len(rows):
        raise RecipeError(
            f"no command has {training.easy_words} words or fewer; leave easy_first out, or raise easy_words"
        )
    return rows


def _words(seed: int, count: int) -> np.ndarray:
    """Random 64-bit words, the same on every machine."""
    with np.errstate(over="ignore"):
        return mix_words(np.uint64(seed) + GOLDEN_WORD * np.arange(1, count + 1, dtype=np.uint64))


def _draw_buckets(seed: int, count: int, sizes: list[int]) -> np.ndarray:
    """Draw bucket numbers, each as likely as its bucket is large."""
    shares = np.cumsum(sizes) / np.sum(sizes)
    uniform = (_words(derive(seed, "buckets"), count) >> np.uint64(11)) * 2.0**-53
    return np.minimum(np.searchsorted(shares, uniform, side="right"), len(sizes) - 1)
