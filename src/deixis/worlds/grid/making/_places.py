"""The place of every example of a dataset."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.errors import RecipeError
from deixis.seeds import derive, mix_words
from deixis.worlds.grid.splits.partition import ASIDE, TRAINING, Fractions, divide_at_random, membership_names


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.grid.making._kept_shards import KeptRows
    from deixis.worlds.grid.making.recipe import Recipe
    from deixis.worlds.grid.splits.rules import Rule


class Places(NamedTuple):
    """Examples with their places.

    Attributes:
        names: the places there are: train, dev, test, held-out sets (`a1`, `a1+a2`), aside.
        rows: examples shard by shard, each with an integer [row] of numbers into `names`.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[KeptRows, np.ndarray], ...]

    @property
    def total(self) -> int:
        """Number of examples."""
        return sum(len(rows) for rows, _ in self.rows)

    def only(self, name: str) -> Iterator[tuple[KeptRows, np.ndarray]]:
        """The shards, each with a bool [row]: which of its rows go to one place."""
        number = self.names.index(name)
        return ((rows, places == number) for rows, places in self.rows)

    def with_test(self, name: str, added: Sequence[KeptRows]) -> Places:
        """The same with a test set made on purpose."""
        names = self.names if name in self.names else (*self.names, name)
        number = names.index(name)
        return Places(names, (*self.rows, *((rows, np.full(len(rows), number, np.uint16)) for rows in added)))

    def sizes(self) -> dict[str, int]:
        """Return the number of examples of each place, in the order in which they are written."""
        counts = np.zeros(len(self.names), np.int64)
        for _, places in self.rows:
            counts += np.bincount(places, minlength=len(self.names))
        sizes = dict(zip(self.names, counts.tolist(), strict=True))
        return {name: sizes[name] for name in sorted(sizes, key=self._rank)}

    def digest(self) -> str:
        """A digest of what the dataset holds and where, independent of files and their encoding."""
        digest = sha256("\n".join(self.names).encode())
        for rows, _ in self.rows:
            digest.update(rows.digests.astype("<u8").tobytes())
        for _, places in self.rows:
            digest.update(places.astype("<u4").tobytes())
        return digest.hexdigest()

    def _rank(self, name: str) -> tuple[int, int]:
        """Training first, then single sets, then joint ones, what is set aside last."""
        group = 0 if name in TRAINING else 3 if name == ASIDE else 1 + (len(names_in_split(name)) > 1)
        return group, self.names.index(name)


def divide(recipe: Recipe, shards: Sequence[KeptRows]) -> Places:
    """The place of every example of the pools: held out by a rule, or divided at random."""
    held, kept, digests = (
        np.concatenate([getattr(rows, name) for rows in shards]) for name in ("held", "kept", "digests")
    )
    places = np.zeros(len(digests), np.uint16)
    free = held == 0
    fractions = Fractions(recipe.dev, recipe.test)
    places[free] = divide_at_random(digests[free], seed=derive(recipe.seed, "partition"), fractions=fractions)
    names = [*TRAINING, *(rule.name for rule in recipe.hold_out if rule.tested)]
    for membership in np.unique(kept[~free]).tolist():
        name = membership_names(recipe.hold_out, membership)
        names += [name] if name not in names else []
        places[~free & (kept == membership)] = names.index(name)
    for rule in recipe.hold_out:
        if rule.shots:
            places[_shots_of(recipe, rule, places == names.index(rule.name), digests)] = names.index("train")
    ends = np.cumsum([len(rows) for rows in shards])
    return Places(tuple(names), tuple(zip(shards, np.split(places, ends[:-1]), strict=True)))


def _shots_of(recipe: Recipe, rule: Rule, there: np.ndarray, digests: np.ndarray) -> np.ndarray:
    """The numbers of the examples of a test set that go to train, chosen at random."""
    rows = np.flatnonzero(there)
    if len(rows) <= rule.shots:
        raise RecipeError(
            f"{rule.id} lets {rule.shots} examples into train, but its test set has {len(rows)}; ask for more examples"
        )
    order = np.argsort(mix_words(digests[rows] ^ np.uint64(derive(recipe.seed, "shots", rule.name))), kind="stable")
    return rows[order[: rule.shots]]
