"""The place of every example of a dataset, and the files that it is written to."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._ragged import Ragged
from deixis.data._split_names import names_in_split
from deixis.data.store import file_digest, write_parquet
from deixis.errors import RecipeError
from deixis.expression.plain import expression_from_json
from deixis.seeds import derive, mix_words
from deixis.worlds.grid.data.table import OBJECT_COLUMNS, SCHEMA, STATISTICS
from deixis.worlds.grid.splits.cases import Facts
from deixis.worlds.grid.splits.partition import (
    ASIDE,
    TRAINING,
    Examples,
    Fractions,
    LeakageProof,
    divide_at_random,
    membership_names,
)


if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.worlds.grid.making.recipe import Recipe
    from deixis.worlds.grid.splits.rules import Rule


ROWS_PER_FILE = 131_072


class Places(NamedTuple):
    """Examples with their places.

    Attributes:
        names: the places there are: train, dev, test, held-out sets (`a1`, `a1+a2`), aside.
        rows: shards, each with an int64 [row] of numbers into `names`.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[pa.Table, np.ndarray], ...]

    @property
    def total(self) -> int:
        """Number of examples."""
        return sum(table.num_rows for table, _ in self.rows)

    def only(self, name: str) -> Iterator[tuple[pa.Table, np.ndarray]]:
        """The shards, each with a bool [row]: which of its rows go to one place."""
        number = self.names.index(name)
        return ((table, places == number) for table, places in self.rows)

    def with_test(self, name: str, tables: list[pa.Table]) -> Places:
        """The same with a test set made on purpose."""
        names = self.names if name in self.names else (*self.names, name)
        added = ((table, np.full(table.num_rows, names.index(name))) for table in tables)
        return Places(names, (*self.rows, *added))

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
        for table, _ in self.rows:
            digest.update(table["digest"].to_numpy().astype("<u8").tobytes())
        for _, places in self.rows:
            digest.update(places.astype("<u4").tobytes())
        return digest.hexdigest()

    def _rank(self, name: str) -> tuple[int, int]:
        """Training first, then single sets, then joint ones, what is set aside last."""
        group = 0 if name in TRAINING else 3 if name == ASIDE else 1 + (len(names_in_split(name)) > 1)
        return group, self.names.index(name)


def divide(recipe: Recipe, tables: list[pa.Table]) -> Places:
    """The place of every example of the pools: held out by a rule, or divided at random."""
    columns = ("held", "kept", "digest")
    held, kept, digests = (np.concatenate([table[name].to_numpy() for table in tables]) for name in columns)
    places = np.zeros(len(digests), np.int64)
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
    ends = np.cumsum([table.num_rows for table in tables])
    return Places(tuple(names), tuple(zip(tables, np.split(places, ends[:-1]), strict=True)))


def _shots_of(recipe: Recipe, rule: Rule, there: np.ndarray, digests: np.ndarray) -> np.ndarray:
    """The numbers of the examples of a test set that go to train, chosen at random."""
    rows = np.flatnonzero(there)
    if len(rows) <= rule.shots:
        raise RecipeError(
            f"{rule.id} lets {rule.shots} examples into train, but its test set has {len(rows)}; ask for more examples"
        )
    order = np.argsort(mix_words(digests[rows] ^ np.uint64(derive(recipe.seed, "shots", rule.name))), kind="stable")
    return rows[order[: rule.shots]]


def prove(recipe: Recipe, places: Places, progress: Progress) -> dict[str, object]:
    """Prove that nothing leaks, and return what was shown.

    Raises:
        LeakySplit: when something was not, see `LeakageProof`.
    """
    proof = LeakageProof(recipe.hold_out)
    done = 0
    for table, numbers in places.rows:
        commands = table["command"].combine_chunks()
        texts, which = commands.dictionary.to_pylist(), commands.indices.to_numpy().astype(np.int64)
        expressions = table["expression"].combine_chunks()
        meanings, stored = expressions.dictionary.to_pylist(), expressions.indices.to_numpy()
        shapes, colors = Ragged.of_column(table["shape"]), Ragged.of_column(table["color"])
        ids = table["id"].to_numpy()
        facts = _facts_of(table) if any(rule.cases for rule in recipe.hold_out) else None
        for number in np.unique(numbers).tolist():
            here = numbers == number
            said = texts, which[here], meanings, stored[here]
            known = None if facts is None else Facts(*(array[here] for array in facts))
            examples = Examples(ids[here], *said, shapes.values, colors.values, shapes.start[:-1][here], known)
            proof.add(places.names[number], examples)
        done += table.num_rows
        progress("leakage proof", done, places.total)
    return proof.conclude()


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


def write_files(places: Places, folder: Path, threads: Executor, progress: Progress) -> list[dict[str, object]]:
    """Write every place to files of its own in `data/`, and return the entries of the manifest."""
    jobs = []
    for name, size in places.sizes().items():
        chunks = _chunks([(table, mask) for table, mask in places.only(name) if mask.any()]) if size else []
        for number, chunk in enumerate(chunks):
            path = folder / "data" / f"{name}-{number:05d}-of-{len(chunks):05d}.parquet"
            jobs.append((name, path, chunk))
    entries = []
    done = 0
    for rows, entry in threads.map(lambda job: _write_file(*job), jobs):
        done += rows
        progress("writing", done, places.total)
        entries.append(entry)
    return entries


def _chunks(masks: list[tuple[pa.Table, np.ndarray]]) -> list[list[tuple[pa.Table, np.ndarray]]]:
    """Rows divided into files of bounded size; a shard is never divided."""
    chunks: list[list[tuple[pa.Table, np.ndarray]]] = []
    rows = ROWS_PER_FILE
    for table, mask in masks:
        here = int(mask.sum())
        if rows + here > ROWS_PER_FILE:
            chunks.append([])
            rows = 0
        chunks[-1].append((table, mask))
        rows += here
    return chunks


def _write_file(split: str, path: Path, chunk: list[tuple[pa.Table, np.ndarray]]) -> tuple[int, dict[str, object]]:
    whole = pa.concat_tables([_in_schema(table.filter(pa.array(mask)), split) for table, mask in chunk])
    write_parquet(whole.combine_chunks(), path, statistics=STATISTICS)
    return whole.num_rows, {
        "path": path.relative_to(path.parent.parent).as_posix(),
        "split": split,
        "rows": whole.num_rows,
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
    }


def _in_schema(table: pa.Table, split: str) -> pa.Table:
    """The rows of a shard in the columns that datasets have."""
    columns = {field.name: pc.cast(table[field.name], field.type) for field in SCHEMA if field.name != "split"}
    columns["split"] = pa.repeat(pa.scalar(split, pa.string()), table.num_rows)
    return pa.table(columns, schema=SCHEMA)
