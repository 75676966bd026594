"""Counts of a dataset: splits, lengths, words, worlds, distractors and needed words.

Everything is counted from whole columns; only the different commands are read one by one, each once. Statistics of
pieces merge into those of the whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow.compute as pc

from deixis.data._ragged import Ragged
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset
from deixis.expression.parts import parts
from deixis.expression.patterns import pattern_of
from deixis.worlds.grid.data._commands import StoredCommands
from deixis.worlds.grid.data.table import NOWHERE, _column, with_optional_columns
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.roles import KINDS, SHIFT, Role
from deixis.worlds.grid.scene import COLORS, SHAPES


if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import pyarrow as pa

    from deixis.expression.description import Expression
    from deixis.expression.parts import Part


__all__ = [
    "COLUMNS",
    "COMPASS",
    "LENGTH_BINS",
    "PART_KINDS",
    "Statistics",
    "WorldsPerCommand",
    "length_bin",
    "part_kind",
    "statistics_of",
]

Key: TypeAlias = tuple[Any, ...]
COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west", "here")
PART_KINDS = ("noun", "colour word", "size word", "clause", "other")
LENGTH_BINS = ("1–10", "11–20", "21–30", "31–40", "41–50", "over 50")  # those of ReaSCAN's Figure 4
COLUMNS = (
    "command",
    "expression",
    "pattern",
    "verb",
    "manner",
    "shape",
    "color",
    "size",
    "row",
    "column",
    "role",
    "misreading",
    "target",
    "agent_row",
    "agent_column",
    "agent_facing",
    "plan",
    "necessary",
    "split",
)
_NO_PART = len(PART_KINDS)
_CLAUSE = PART_KINDS.index("clause")
_RELATION = KINDS.index("relation")
_COPIES = tuple(KINDS.index(kind) for kind in ("relation", "attribute", "isomorphism"))


class WorldsPerCommand(NamedTuple):
    """Number of commands of some examples, and number of worlds of each."""

    commands: int
    least: int
    mean: float
    most: int


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Counts of one dataset or of a piece of it.

    Attributes:
        examples: how many there are.
        texts: the different commands.
        unread: examples whose command cannot be read; their words and parts are not counted.
        worlds: examples of each command, by (pattern, command); commands are told apart by their words other than
            determiners, which depend on the world.
        places: by (split, pattern); the split as stored, so that an example of two sets is under `a1+a2`.
        lengths: by (pattern, number of actions).
        objects: by (pattern, number of objects).
        verbs, manners: by (name,); the manner is empty where none is said.
        said: words of commands, by (attribute or `relation`, value); sizes are `small` and `big`.
        shown: objects of worlds, by (attribute, value); sizes are 1 to 4.
        directions: where the target lies as seen from the agent, by (direction,); north is up.
        facings: by (code,).
        with_kind: worlds with at least one object of a role, by (pattern, kind); of sets that copy what is mentioned
            (relation, attribute, isomorphism) those count of which every object found a place.
        with_all_relations: worlds with such a set of relation distractors for every clause, by (pattern,).
        of_kind: objects of a role, by (pattern, kind).
        competitors: by (pattern, number of objects placed to punish a misreading); only where roles are known.
        parts: by (pattern, kind of part, whether it is needed); only where necessity is recorded.
    """

    examples: int = 0
    texts: frozenset[str] = frozenset()
    unread: int = 0
    worlds: Mapping[Key, int] = field(default_factory=dict)
    places: Mapping[Key, int] = field(default_factory=dict)
    lengths: Mapping[Key, int] = field(default_factory=dict)
    objects: Mapping[Key, int] = field(default_factory=dict)
    verbs: Mapping[Key, int] = field(default_factory=dict)
    manners: Mapping[Key, int] = field(default_factory=dict)
    said: Mapping[Key, int] = field(default_factory=dict)
    shown: Mapping[Key, int] = field(default_factory=dict)
    directions: Mapping[Key, int] = field(default_factory=dict)
    facings: Mapping[Key, int] = field(default_factory=dict)
    with_kind: Mapping[Key, int] = field(default_factory=dict)
    with_all_relations: Mapping[Key, int] = field(default_factory=dict)
    of_kind: Mapping[Key, int] = field(default_factory=dict)
    competitors: Mapping[Key, int] = field(default_factory=dict)
    parts: Mapping[Key, int] = field(default_factory=dict)

    def merge(self, other: Statistics) -> Statistics:
        """The statistics of both together."""
        return Statistics(**{f.name: _join(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)})

    @property
    def patterns(self) -> dict[str, int]:
        """Number of examples of each pattern, in the order in which they are met by name."""
        totals: Counter[str] = Counter()
        for (_, pattern), count in self.places.items():
            totals[pattern] += count
        return {name: totals[name] for name in sorted(totals, key=_pattern_order)}

    @property
    def splits(self) -> dict[str, int]:
        """Number of examples of each split.

        An example of two test sets counts in both.
        """
        totals: Counter[str] = Counter()
        for (split, _), count in self.places.items():
            for name in names_in_split(split):
                totals[name] += count
        return dict(sorted(totals.items()))

    @property
    def shares_needed(self) -> dict[str, float]:
        """For each kind of part, how often the target cannot be found without it."""
        needed, total = Counter[str](), Counter[str]()
        for (_, kind, is_needed), count in self.parts.items():
            total[kind] += count
            needed[kind] += count if is_needed else 0
        return {kind: needed[kind] / total[kind] for kind in PART_KINDS if total[kind]}

    @property
    def with_roles(self) -> dict[str, int]:
        """For each pattern, how many worlds say why their objects are there."""
        totals: Counter[str] = Counter()
        for (pattern, _), count in self.competitors.items():
            totals[pattern] += count
        return {name: totals[name] for name in self.patterns}

    def worlds_per_command(self, pattern: str | None = None) -> WorldsPerCommand:
        """Return the number of worlds of the commands of one pattern, or of all."""
        counts = [count for (name, _), count in self.worlds.items() if pattern in (None, name)]
        if not counts:
            return WorldsPerCommand(0, 0, 0.0, 0)
        return WorldsPerCommand(len(counts), min(counts), sum(counts) / len(counts), max(counts))

    def to_dict(self) -> dict[str, object]:
        """Return the counts as plain values, with keys joined by ` / `.

        Commands are counted, not listed.
        """
        plain: dict[str, object] = {
            "examples": self.examples,
            "texts": len(self.texts),
            "unread": self.unread,
            "commands": {name: self.worlds_per_command(name).commands for name in self.patterns},
        }
        for one in fields(self)[4:]:
            counts: Mapping[Key, int] = getattr(self, one.name)
            plain[one.name] = {" / ".join(map(str, key)): counts[key] for key in sorted(counts, key=str)}
        return plain


def statistics_of(
    tables: Iterable[pa.Table], *, apart: Collection[str] = (), sets_are_copies: bool = True
) -> Statistics:
    """The statistics of some tables together.

    Args:
        tables: in the columns of `worlds.grid.data.table`, of which those in `COLUMNS` are enough;
            `expression` may be missing.
        apart: splits whose commands are no part of the pools, so that their pattern is counted by itself: `p3 of b1`.
        sets_are_copies: whether a distractor set has an object for everything it mentions; in every-word worlds it also
            makes use of objects that are there.

    Raises:
        BrokenDataset: when a column is missing or contradicts another.
    """
    commands = _Commands()
    total = Statistics()
    for table in tables:
        if table.num_rows:
            total = total.merge(
                _Piece(with_optional_columns(table), commands, frozenset(apart), sets_are_copies).count()
            )
    return total


def length_bin(length: int) -> str:
    """Return the bin of ReaSCAN's Figure 4 for a number of actions.

    A plan of no action counts with the shortest.
    """
    return LENGTH_BINS[min(max(length - 1, 0) // 10, len(LENGTH_BINS) - 1)]


def part_kind(part: Part) -> str:
    """Return the kind of words of a part: a noun, a colour word, a size word or a clause."""
    if part.kind == "clause":
        return "clause"
    return {"shape": "noun", "color": "colour word", "size": "size word"}.get(part.attribute or "", "other")


class _CommandCounts(NamedTuple):
    """What is counted of one text."""

    said: Counter[Key]
    kinds: tuple[int, ...]  # of its parts, in order; numbers of PART_KINDS
    clauses: int
    below: tuple[int, ...]  # of every mention, how many hang on it, itself included


class _Commands:
    """Commands as they are met, each counted once."""

    def __init__(self) -> None:
        self._stored = StoredCommands()
        self._known: dict[str, _CommandCounts | None] = {}

    def of_table(self, table: pa.Table) -> tuple[np.ndarray, list[str], list[_CommandCounts | None]]:
        """The number of each row's command, the texts of the commands, and what is counted of each."""
        which, commands = self._stored.of_table(table)
        for command in commands:
            if command.text not in self._known:
                self._known[command.text] = _count_command(command.expression) if command.is_read else None
        return which, [one.text for one in commands], [self._known[one.text] for one in commands]


def _count_command(expression: Expression) -> _CommandCounts:
    said: Counter[Key] = Counter(("relation", name) for name in expression.relations())
    kinds = []
    for part in parts(expression):
        kinds.append(PART_KINDS.index(part_kind(part)))
        if part.attribute:
            said[part.attribute, WORDS.word_for(part.step)] += 1
    return _CommandCounts(said, tuple(kinds), kinds.count(_CLAUSE), _below(pattern_of(expression).parents))


def _below(parents: tuple[int, ...]) -> tuple[int, ...]:
    """How many mentions hang on each, itself included; children come after their parents."""
    counts = [1] * len(parents)
    for child in range(len(parents) - 1, 0, -1):
        counts[parents[child]] += counts[child]
    return tuple(counts)


def _without_determiners(text: str) -> str:
    """What a command says whatever the world; the 'the' of 'in the same row as' goes too, in all commands alike."""
    return " ".join(word for word in text.split() if word not in WORDS.determiners)


@dataclass(frozen=True)
class _Piece:
    """One table while it is counted."""

    table: pa.Table
    commands: _Commands
    apart: frozenset[str]
    sets_are_copies: bool

    def count(self) -> Statistics:
        for name in ("command", "expression", "verb", "manner"):
            _column(self.table, name)
        which, texts, read_ones = self.commands.of_table(self.table)
        weights = np.bincount(which, minlength=len(texts))
        patterns, names = self.patterns()
        starts = self.starts()
        unread = sum(int(n) for n, command in zip(weights, read_ones, strict=True) if command is None)
        return Statistics(
            examples=self.table.num_rows,
            texts=frozenset(texts),
            unread=unread,
            worlds=self.worlds(which, texts, patterns, names),
            places=self.places(patterns, names),
            lengths=_pairs(patterns, self.lengths(), names),
            objects=_pairs(patterns, np.diff(starts), names),
            verbs=self.names("verb"),
            manners=self.names("manner"),
            said=_weigh(read_ones, weights),
            shown=self.count_shown(),
            directions=self.directions(starts),
            facings={(int(code),): int(n) for code, n in _tally(self.numbers("agent_facing"))},
            **self.roles(patterns, names, starts, which, read_ones),
            parts=self.parts(which, read_ones, patterns, names),
        )

    def codes(self, name: str) -> tuple[np.ndarray, list[str]]:
        """A text column as the number of each row's text and the different texts."""
        encoded = _column(self.table, name).combine_chunks().dictionary_encode()
        return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()

    def patterns(self) -> tuple[np.ndarray, list[str]]:
        """The patterns; those of splits that stand apart have names of their own."""
        which, names = self.codes("pattern")
        places, splits = self.codes("split")
        if not self.apart & set(splits):
            return which, names
        called = [f" of {split}" if split in self.apart else "" for split in splits]
        pairs, codes = np.unique(which * len(splits) + places, return_inverse=True)
        said = [names[pair // len(splits)] + called[pair % len(splits)] for pair in pairs.tolist()]
        different = list(dict.fromkeys(said))
        return np.array([different.index(name) for name in said], np.int64)[codes], different

    def numbers(self, name: str) -> np.ndarray:
        return _column(self.table, name).to_numpy().astype(np.int64)

    def lists(self, name: str) -> Ragged:
        """A list column."""
        return Ragged.of_column(_column(self.table, name))

    def starts(self) -> np.ndarray:
        starts = self.lists("shape").start
        for name in ("color", "size", "row", "column"):
            if not np.array_equal(self.lists(name).start, starts):
                raise BrokenDataset(f"the columns shape and {name} do not describe the same objects")
        if (self.numbers("target") >= np.diff(starts)).any():
            raise BrokenDataset("a target is the number of an object that its world does not have")
        return starts

    def lengths(self) -> np.ndarray:
        return pc.binary_length(_column(self.table, "plan")).to_numpy().astype(np.int64)

    def names(self, name: str) -> dict[Key, int]:
        which, texts = self.codes(name)
        return {(text,): int(n) for text, n in zip(texts, np.bincount(which, minlength=len(texts)), strict=True)}

    def places(self, patterns: np.ndarray, names: list[str]) -> dict[Key, int]:
        which, splits = self.codes("split")
        return {(splits[s], names[p]): n for (s, p), n in _pairs(which, patterns).items()}

    def worlds(self, which: np.ndarray, texts: list[str], patterns: np.ndarray, names: list[str]) -> Counter[Key]:
        commands = [_without_determiners(text) for text in texts]
        found: Counter[Key] = Counter()
        for (pattern, number), count in _pairs(patterns, which, names).items():
            found[pattern, commands[number]] += count
        return found

    def count_shown(self) -> dict[Key, int]:
        worded: tuple[tuple[str, tuple[str, ...]], ...] = (("shape", SHAPES), ("color", COLORS))
        found: dict[Key, int] = {}
        for name, values in worded:
            for code, n in _tally(self.lists(name).values):
                if code >= len(values):
                    raise BrokenDataset(f"the column {name} must hold values from 0 to {len(values) - 1}")
                found[name, values[code]] = n
        return found | {("size", str(code)): n for code, n in _tally(self.lists("size").values)}

    def directions(self, starts: np.ndarray) -> dict[Key, int]:
        at = starts[:-1] + self.numbers("target")
        has_agent = self.numbers("agent_row") != NOWHERE[0]
        down = np.sign(self.lists("row").values.astype(np.int64)[at] - self.numbers("agent_row"))[has_agent]
        right = np.sign(self.lists("column").values.astype(np.int64)[at] - self.numbers("agent_column"))[has_agent]
        number = {
            (-1, 0): 0,
            (-1, 1): 1,
            (0, 1): 2,
            (1, 1): 3,
            (1, 0): 4,
            (1, -1): 5,
            (0, -1): 6,
            (-1, -1): 7,
            (0, 0): 8,
        }
        return {(COMPASS[number[d, r]],): n for (d, r), n in _pairs(down + 1, right + 1, shift=-1).items()}

    def roles(
        self,
        patterns: np.ndarray,
        names: list[str],
        starts: np.ndarray,
        which: np.ndarray,
        commands: list[_CommandCounts | None],
    ) -> dict[str, dict[Key, int]]:
        recorded = self.lists("role")
        values, row, count = recorded.values, recorded.row, recorded.length
        if ((count > 0) & (count != np.diff(starts))).any():
            raise BrokenDataset("there are not as many roles as objects")
        kinds = values.astype(np.int64) >> SHIFT
        if len(kinds) and kinds.max() >= len(KINDS):
            raise BrokenDataset("the column role holds something that is not the code of a role")
        is_whole = self.is_whole(row, values, which, commands)
        has_kind = np.zeros(len(count) * len(KINDS), bool)
        has_kind[(row * len(KINDS) + kinds)[is_whole]] = True
        present = np.flatnonzero(has_kind)
        punishing = np.array([Role(kind).has_misreading for kind in KINDS])[kinds]
        competitors = np.bincount(row[punishing], minlength=len(count))
        related = (kinds == _RELATION) & is_whole
        sets = np.unique(row[related] << 8 | values[related].astype(np.int64))
        clauses = np.array([c.clauses if c else 0 for c in commands])[which]
        has_all = (clauses > 0) & (np.bincount(sets >> 8, minlength=len(count)) >= clauses)
        return {
            "with_all_relations": {(names[p],): n for p, n in _tally(patterns[has_all])},
            "of_kind": _with_kind_names(_pairs(patterns[row], kinds, names)),
            "with_kind": _with_kind_names(_pairs(patterns[present // len(KINDS)], present % len(KINDS), names)),
            "competitors": _pairs(patterns[count > 0], competitors[count > 0], names),
        }

    def is_whole(
        self, row: np.ndarray, roles: np.ndarray, which: np.ndarray, commands: list[_CommandCounts | None]
    ) -> np.ndarray:
        """bool [object]: it belongs to no set of copies, or to one of which every object found a place.

        Sets whose code is not recorded, or whose command cannot be read, are taken for whole.
        """
        kinds, numbers = roles.astype(np.int64) >> SHIFT, roles.astype(np.int64) & (1 << SHIFT) - 1
        sets = self.lists("misreading")
        known = np.isin(kinds, _COPIES) & (numbers < sets.length[row])
        if not self.sets_are_copies or not known.any():
            return np.ones(len(row), bool)
        codes = sets.values.astype(np.int64)
        below = np.zeros((len(commands), 16), np.int64)
        for place, command in enumerate(commands):
            if command:
                below[place, : len(command.below)] = command.below[:16]
        said = which[sets.row]  # the command of every set
        dropped = np.where(codes >> 12 == _RELATION, below[said, codes >> 8 & 15], 0)
        wanted = below[said, 0] - dropped
        placed = np.bincount(sets.start[row[known]] + numbers[known], minlength=len(codes))
        whole = np.ones(len(row), bool)
        whole[known] = (placed >= wanted)[sets.start[row[known]] + numbers[known]]
        return whole

    def parts(
        self, which: np.ndarray, commands: list[_CommandCounts | None], patterns: np.ndarray, names: list[str]
    ) -> dict[Key, int]:
        necessary = self.lists("necessary")
        count = necessary.length
        lengths = np.array([len(c.kinds) if c else 0 for c in commands], np.int64)
        known = (count > 0) & (lengths[which] > 0)
        if (known & (count != lengths[which])).any():
            raise BrokenDataset("the column necessary does not have one value for every part of the command")
        kinds = np.full((len(commands), int(lengths.max(initial=1))), _NO_PART, np.int64)
        for number, command in enumerate(commands):
            if command:
                kinds[number, : len(command.kinds)] = command.kinds
        keep = known[necessary.row]
        row, place = necessary.row[keep], necessary.place[keep]
        needed = necessary.values[keep].astype(np.int64)
        counts = _pairs(patterns[row], kinds[which[row], place] * 2 + needed, names)
        return {(pattern, PART_KINDS[code // 2], bool(code % 2)): n for (pattern, code), n in counts.items()}


def _pairs(one: np.ndarray, other: np.ndarray, names: list[str] | None = None, *, shift: int = 0) -> dict[Key, int]:
    """How often every pair of codes occurs; the first is named, or both are shifted."""
    width = int(other.max(initial=0)) + 1
    tally = _tally(one * width + other)
    if names is None:
        return {(code // width + shift, code % width + shift): n for code, n in tally}
    return {(names[code // width], code % width): n for code, n in tally}


def _with_kind_names(counts: dict[Key, int]) -> dict[Key, int]:
    return {(pattern, KINDS[code]): n for (pattern, code), n in counts.items()}


def _tally(codes: np.ndarray) -> list[tuple[int, int]]:
    """How often every code occurs, for those that do."""
    counts = np.bincount(codes)
    found = np.flatnonzero(counts)
    return list(zip(found.tolist(), counts[found].tolist(), strict=True))


def _weigh(commands: list[_CommandCounts | None], weights: np.ndarray) -> Counter[Key]:
    total: Counter[Key] = Counter()
    for command, weight in zip(commands, weights.tolist(), strict=True):
        for key, count in command.said.items() if command else ():
            total[key] += count * weight
    return total


def _join(one: Any, other: Any) -> Any:
    """Two values of one field together: numbers and counts add up, sets unite."""
    if isinstance(one, int):
        return one + other
    if isinstance(one, frozenset):
        return one | other
    return dict(Counter(one) + Counter(other))


def _pattern_order(name: str) -> tuple[int, str]:
    known = ("p1", "p2", "p3", "p4", "chain")
    return (known.index(name) if name in known else len(known), name)
