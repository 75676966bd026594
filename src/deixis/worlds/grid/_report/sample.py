"""A varied sample of a dataset to look at: few examples, as different from each other as can be."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset, DeixisError
from deixis.seeds import derive, mix_words
from deixis.worlds.grid.data.table import example_at


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.worlds.grid.navigate import Example


Table: TypeAlias = Any  # pyarrow's; only `datasets` may import it
CANDIDATES = 8  # of every split and pattern


class SampledExample(NamedTuple):
    """One example, its place, and its stored split, `a1+a2` for an example of two sets."""

    split: str
    pattern: str
    example: Example


class _Candidate(NamedTuple):
    rank: int
    sampled: SampledExample


class Sampler:
    """A sampler that keeps candidates for a varied sample from tables as they pass by.

    The sample depends on the seed and on what the examples are, not on how they are divided into tables.
    """

    def __init__(self, *, seed: int) -> None:
        self._salt = np.uint64(derive(seed, "gallery"))
        self._found: dict[tuple[str, str], list[_Candidate]] = {}

    def watch(self, tables: Iterable[Table]) -> Iterator[Table]:
        """Yield the tables unchanged, in the columns of `worlds.grid.data.table`, each looked at as it passes."""
        for table in tables:
            self._consider(table)
            yield table

    def choose(self, examples: int) -> list[SampledExample]:
        """Choose at most so many examples that cover splits, patterns, verbs, manners, relations and distractors."""
        pool = [candidate for key in sorted(self._found) for candidate in self._found[key]]
        return _most_different(pool, examples)

    def _consider(self, table: Table) -> None:
        ranks = mix_words(_plain(table, "id").astype(np.uint64) ^ self._salt)
        splits, patterns = _plain(table, "split"), _plain(table, "pattern")
        for split in sorted(set(splits.tolist())):
            here = splits == split
            for pattern in sorted(set(patterns[here].tolist())):
                rows = np.flatnonzero(here & (patterns == pattern))
                best = rows[np.argsort(ranks[rows], kind="stable")[:CANDIDATES]]
                self._keep(split, pattern, table, [(int(ranks[row]), row) for row in best.tolist()])

    def _keep(self, split: str, pattern: str, table: Table, ranked: list[tuple[int, int]]) -> None:
        """Keep the best of what was found before and some (rank, row) of a table."""
        kept = self._found.setdefault((split, pattern), [])
        for rank, row in ranked:
            if len(kept) < CANDIDATES or rank < kept[-1].rank:
                kept.append(_Candidate(rank, SampledExample(split, pattern, example_at(table, row))))
                kept.sort(key=lambda candidate: candidate.rank)
                del kept[CANDIDATES:]


def _plain(table: Table, name: str) -> np.ndarray:
    if name not in table.column_names or table[name].null_count:
        raise BrokenDataset(f"the column {name!r} is missing or has gaps")
    return table[name].to_numpy()


def _most_different(pool: list[_Candidate], examples: int) -> list[SampledExample]:
    """Return examples chosen one by one, each for what the ones before it do not show yet."""
    features = [_features(candidate.sampled) for candidate in pool]
    seen: Counter[str] = Counter()
    left = list(range(len(pool)))
    chosen: list[SampledExample] = []
    while left and len(chosen) < examples:
        best = max(left, key=lambda k: (_novelty(features[k], seen), -pool[k].rank))
        left.remove(best)
        chosen.append(pool[best].sampled)
        seen.update(features[best])
    return chosen


def _novelty(features: dict[str, float], seen: Counter[str]) -> float:
    return sum(weight / (1 + seen[name]) ** 2 for name, weight in features.items())


def _features(sampled: SampledExample) -> dict[str, float]:
    """What an example shows, each with how much it matters to show it."""
    example = sampled.example
    splits = names_in_split(sampled.split)
    features = {f"split {name}": (0.5 if name == "aside" else 4.0) / len(splits) for name in splits}
    features[f"pattern {sampled.pattern}"] = 2.0
    features |= {f"role {role.kind}": 0.5 for role in example.roles}
    try:
        said = {f"verb {example.verb}": 1.0, f"manner {example.manner}": 1.0}
        return features | said | {f"relation {name}": 1.0 for name in example.expression.relations()}
    except DeixisError:
        return features
