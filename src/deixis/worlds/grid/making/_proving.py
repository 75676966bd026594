"""The proof that nothing leaks: whoever is free proves shards, and the parts are put together."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.compute as pc

from deixis.data._ragged import Ragged
from deixis.expression.plain import expression_from_json
from deixis.worlds.grid.data.table import OBJECT_COLUMNS
from deixis.worlds.grid.making._kept_shards import read_rows
from deixis.worlds.grid.splits.cases import Facts
from deixis.worlds.grid.splits.partition import Examples, LeakageProof, ProofPart


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

    from deixis.data._crew import Progress, Promise
    from deixis.worlds.grid.making._hands import Hands
    from deixis.worlds.grid.making._kept_shards import KeptRows
    from deixis.worlds.grid.splits.rules import Rule


SHARDS_AT_ONCE = 8  # at most; a fraction of a second of work
COLUMNS = ("id", "command", "expression", "shape", "color")
COLUMNS_OF_FACTS = (*OBJECT_COLUMNS[2:], "agent_row", "agent_column", "plan")


class Stretch(NamedTuple):
    """Rows of a kept shard: its file, their numbers and their places, numbers into the names of the places."""

    name: str
    numbers: np.ndarray
    places: np.ndarray


class Prover:
    """A proof on the way: shards are handed out to be proven, and the parts put together in the end.

    No more are under way than twice as many as can be proven at a time, so that memory does not grow with the dataset.
    """

    def __init__(self, rules: tuple[Rule, ...], hands: Hands) -> None:
        self.proof = LeakageProof(rules)
        self.hands = hands
        self.total = 0
        self._todo: deque[tuple[tuple[str, ...], Sequence[tuple[KeptRows, np.ndarray]]]] = deque()
        self._under_way: deque[tuple[int, Promise[ProofPart]]] = deque()

    def add(self, names: tuple[str, ...], rows: Sequence[tuple[KeptRows, np.ndarray]]) -> None:
        """Hand out shards whose rows have places."""
        for shard, places in rows:
            for number in np.unique(places).tolist():
                self.proof.add_ids(names[number], shard.ids[places == number])
        size = max(1, min(SHARDS_AT_ONCE, len(rows) // (4 * self.hands.size)))
        self._todo.extend((names, rows[first : first + size]) for first in range(0, len(rows), size))
        self.total += sum(len(shard) for shard, _ in rows)
        self._hand_out()

    def conclude(self, progress: Progress) -> dict[str, object]:
        """Return what was shown.

        Raises:
            LeakySplit: when something was not, see `LeakageProof`.
        """
        done = 0
        while self._under_way:
            count, part = self._under_way[0]
            self.proof.merge(part.result())
            self._under_way.popleft()
            self._hand_out()
            done += count
            progress("leakage proof", done, self.total)
        return self.proof.conclude()

    def cancel(self) -> None:
        """Nobody needs the proof any more."""
        for _, part in self._under_way:
            part.cancel()

    def _hand_out(self) -> None:
        while self._todo and len(self._under_way) < 2 * self.hands.size + 1:
            names, rows = self._todo.popleft()
            some = [Stretch(shard.name, shard.numbers, places) for shard, places in rows]
            done = self.hands.submit(prove_stretches, self.proof.rules, names, some)
            self._under_way.append((sum(len(shard) for shard, _ in rows), done))


def prove_stretches(
    folder: Path, rules: tuple[Rule, ...], names: tuple[str, ...], stretches: Sequence[Stretch]
) -> ProofPart:
    """Prove what can be told of some rows by themselves, and return what must be held against the others."""
    proof = LeakageProof(rules)
    has_cases = any(rule.cases for rule in rules)
    columns = (*COLUMNS, *COLUMNS_OF_FACTS) if has_cases else COLUMNS
    for stretch in stretches:
        add_table(proof, names, read_rows(folder, stretch.name, stretch.numbers, columns), stretch.places)
    return proof.part()


def add_table(proof: LeakageProof, names: tuple[str, ...], table: pa.Table, numbers: np.ndarray) -> None:
    """Take note of the rows of a shard, whose places are numbers into some names."""
    commands = table["command"].combine_chunks()
    texts, which = commands.dictionary.to_pylist(), commands.indices.to_numpy().astype(np.int64)
    expressions = table["expression"].combine_chunks()
    meanings, stored = expressions.dictionary.to_pylist(), expressions.indices.to_numpy()
    shapes, colors = Ragged.of_column(table["shape"]), Ragged.of_column(table["color"])
    ids = table["id"].to_numpy()
    facts = _facts_of(table) if any(rule.cases for rule in proof.rules) else None
    for number in np.unique(numbers).tolist():
        here = numbers == number
        said = texts, which[here], meanings, stored[here]
        known = None if facts is None else Facts(*(array[here] for array in facts))
        examples = Examples(ids[here], *said, shapes.values, colors.values, shapes.start[:-1][here], known)
        proof.add(names[number], examples)


def _facts_of(table: pa.Table) -> Facts:
    """What cases ask about the worlds and plans of a shard; what its words say is read from the text."""
    columns = [Ragged.of_column(table[name]) for name in OBJECT_COLUMNS]
    starts, counts = columns[0].start[:-1], columns[0].length
    places = starts[:, None] + np.minimum(np.arange(2), counts[:, None] - 1)
    zeros = np.zeros(table.num_rows, np.int64)
    return Facts.of(
        verb=zeros,
        manner=zeros,
        said=zeros,
        things=np.stack([column.values[places] for column in columns], axis=2),
        mentions=_mentions_of(table),
        agent=np.stack([table["agent_row"].to_numpy(), table["agent_column"].to_numpy()], axis=1),
        actions=pc.utf8_length(table["plan"]).to_numpy(),
    )


def _mentions_of(table: pa.Table) -> np.ndarray:
    """How many objects the command of each row mentions."""
    stored = table["expression"].combine_chunks()
    counts = [sum(1 for _ in expression_from_json(text).mentions()) for text in stored.dictionary.to_pylist()]
    return np.array(counts, np.int64)[stored.indices.to_numpy()]
