"""The result of an audit: counts that can be merged, and the shares that follow from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from deixis.audits._shares import Information, Share, information
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["CLAUSE", "IMPLIED", "SHORTCUTS", "Audit", "Chance", "Counts", "Information", "Key", "Share", "information"]

Key: TypeAlias = tuple[Any, ...]
Counts: TypeAlias = "Mapping[Key, int]"
FORMAT = "deixis audit 1"
CLAUSE, IMPLIED = "clause", "implied noun"  # the kinds of parts that are not content words
SHORTCUTS = ("noun alone", "noun phrase alone", "first clause alone", "bag of words")
REPEATED = {"example": "examples", "world": "scenes", "command": "expressions"}
"""What is looked for twice, by the name that counts have for it."""
SUFFICIENT = ("both needed", "colour alone suffices", "shape alone suffices", "either alone suffices")
PLACES = ("row", "column", "cell")  # features that follow from where an object stands
KNOWN_PATTERNS = ("p1", "p2", "p3", "p4", "chain")

# why examples cannot be judged at all; those of which the expression does not pick out the target are a finding
UNREADABLE, NO_COMMAND, NO_WORLD = "row cannot be read", "command cannot be read", "impossible world"
NO_OBJECT, NO_MEANING = "target is no object", "meaning unknown"
LOST = (UNREADABLE, NO_COMMAND, NO_WORLD, NO_OBJECT, NO_MEANING)


class Chance(NamedTuple):
    """Accuracy of a guess among all objects, and among those that fit the noun of the target."""

    examples: int
    objects: float  # on average
    chance: float  # mean of one over the number of objects
    namesakes: float  # objects that fit the noun, on average
    chance_among_namesakes: float

    def to_dict(self) -> dict[str, object]:
        """The values by name."""
        return self._asdict()


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Counts of one dataset, in mappings from a key, a tuple, to how often it occurs.

    Only examples whose expression picks out exactly the target are judged; the others are counted under `unjudged` and
    nowhere else. Two audits merge into that of both datasets together, but repeats between the two remain unseen.

    Attributes:
        examples: how many there are, judged or not.
        splits: by (split,); an example of two test sets counts in both.
        unjudged: by (reason,).
        lengths: judged examples, by (pattern, words of the command); where there is no text, its parts are counted.
        relations: clauses, by (pattern, relation).
        parts: by (pattern, phrase, kind, whether it is needed); phrase is `target` or `other`.
        wholes: by (pattern, whether all content words are needed, whether all clauses are).
        words: by (pattern, content words needed, content words).
        sufficient: examples whose target is given a colour word and a noun, by (pattern, what suffices).
        shortcuts: by (pattern, shortcut, whether it finds the target).
        competitors: by (pattern, phrase, kind, wrong objects that dropping the part lets through); 4 is 4 or more.
        reached: by (pattern, wrong objects that some single misreading reaches, objects).
        chance: by (pattern, length, objects).
        namesakes: by (pattern, length, objects that fit the noun of the target).
        overlooked: by (pattern, parts, objects that fit without one of them, or 0 where the target is not among them).
        features: objects, by (feature, value, whether it is the target).
        cells: objects on grids, by (`solid` or `box`, row, column, whether it is the target).
        readers: by (feature, or `all features`, or `chance`; objects that seem best; whether the target is one).
        children: what clauses relate to, where that is recorded, by (relation, row, column).
        determiners: by (pattern, number of the mention, determiner, `all`, `some` or `none` of its words needed).
        determiner_kinds: mentions other than the target, by (determiner, kinds of distractors in the world).
        verbs: by (verb, whether the object moves).
        repeats: by (what, split, other split). For one split: how many of its examples, worlds and commands are
            repeats of earlier ones of it. For two: how many examples of the first have theirs in the second too.
        different: by (what, split): how many different examples, worlds and commands there are.
        held_out: what train, dev or test hold against a rule, by (rule, split).
    """

    examples: int = 0
    splits: Counts = field(default_factory=dict)
    unjudged: Counts = field(default_factory=dict)
    lengths: Counts = field(default_factory=dict)
    relations: Counts = field(default_factory=dict)
    parts: Counts = field(default_factory=dict)
    wholes: Counts = field(default_factory=dict)
    words: Counts = field(default_factory=dict)
    sufficient: Counts = field(default_factory=dict)
    shortcuts: Counts = field(default_factory=dict)
    competitors: Counts = field(default_factory=dict)
    reached: Counts = field(default_factory=dict)
    chance: Counts = field(default_factory=dict)
    namesakes: Counts = field(default_factory=dict)
    overlooked: Counts = field(default_factory=dict)
    features: Counts = field(default_factory=dict)
    cells: Counts = field(default_factory=dict)
    readers: Counts = field(default_factory=dict)
    children: Counts = field(default_factory=dict)
    determiners: Counts = field(default_factory=dict)
    determiner_kinds: Counts = field(default_factory=dict)
    verbs: Counts = field(default_factory=dict)
    repeats: Counts = field(default_factory=dict)
    different: Counts = field(default_factory=dict)
    held_out: Counts = field(default_factory=dict)

    def merge(self, other: Audit) -> Audit:
        """The audit of both datasets together."""
        joined = {name: _add_counts(getattr(self, name), getattr(other, name)) for name in _COUNTS}
        return Audit(examples=self.examples + other.examples, **joined)

    # ---------------------------------------------------------------------------- how many

    @property
    def judged(self) -> int:
        """Number of judged examples."""
        return sum(self.lengths.values())

    @property
    def patterns(self) -> dict[str, int]:
        """Number of judged examples by pattern, the simple patterns first."""
        totals = _group_counts(self.lengths, lambda key: key[0])
        return {name: totals[name] for name in sorted(totals, key=_pattern_order)}

    # ---------------------------------------------------------------------------- necessity

    @property
    def needed(self) -> dict[tuple[str, str], Share]:
        """Share of needed parts of each kind, by (phrase, kind)."""
        return _shares(self.parts, lambda key: key[1:3])

    @property
    def needed_by_pattern(self) -> dict[str, dict[tuple[str, str], Share]]:
        """The same for each pattern."""
        return {pattern: _shares(_of(self.parts, pattern), lambda key: key[1:3]) for pattern in self.patterns}

    def words_needed(self, phrase: str | None = None, pattern: str | None = None) -> Share:
        """Return the share of needed content words in the target's phrase, in the others (`other`) or in all."""
        return _share(
            (key[3], count)
            for key, count in self.parts.items()
            if key[2] not in (CLAUSE, IMPLIED) and phrase in (None, key[1]) and pattern in (None, key[0])
        )

    def clauses_needed(self, pattern: str | None = None) -> Share:
        """Return the share of needed clauses."""
        return _share(
            (key[3], count) for key, count in self.parts.items() if key[2] == CLAUSE and pattern in (None, key[0])
        )

    def all_words_needed(self, pattern: str | None = None) -> Share:
        """Return the share of examples in which every content word is needed."""
        return _share((key[1], count) for key, count in _of(self.wholes, pattern).items())

    def all_clauses_needed(self, pattern: str | None = None) -> Share:
        """Return the share of examples with clauses in which every clause is needed.

        Patterns without clauses do not count.
        """
        clauses = _group_counts(self.relations, lambda key: key[0])
        return _share((key[2], count) for key, count in _of(self.wholes, pattern).items() if clauses[key[0]])

    @property
    def words_that_matter(self) -> tuple[float, float]:
        """(content words that are needed, content words) of a command, on average."""
        total = sum(self.words.values())
        needed, said = (sum(key[place] * count for key, count in self.words.items()) for place in (1, 2))
        return (needed / total, said / total) if total else (0.0, 0.0)

    def colour_and_shape(self, pattern: str | None = None) -> dict[str, Share]:
        """Return the shares of examples in which a colour word, a noun, either or both suffice for the target.

        The four shares add up to 1.
        """
        found = _group_counts(_of(self.sufficient, pattern), lambda key: key[1])
        return {what: Share(found[what], found.total()) for what in SUFFICIENT} if found else {}

    # ---------------------------------------------------------------------------- shortcuts and competitors

    def shortcut_shares(self, pattern: str | None = None) -> dict[str, Share]:
        """Return the share of examples that each shortcut solves, among those to which it applies."""
        found = _shares(_of(self.shortcuts, pattern), lambda key: key[1])
        return {name: found[name] for name in SHORTCUTS if name in found}

    @property
    def let_through(self) -> dict[tuple[str, str], tuple[int, ...]]:
        """For each (phrase, kind), how many parts let 0, 1, 2, 3, and 4 or more wrong objects through when dropped."""
        found: dict[tuple[str, str], list[int]] = {}
        for (_, phrase, kind, wrong), count in sorted(self.competitors.items(), key=repr):
            found.setdefault((phrase, kind), [0] * 5)[wrong] += count
        return {key: tuple(counts) for key, counts in found.items()}

    def mean_reached(self, pattern: str | None = None) -> float | None:
        """Return the mean number of wrong objects that some single misreading reaches."""
        return _mean((key[1], count) for key, count in _of(self.reached, pattern).items())

    # ---------------------------------------------------------------------------- chance and difficulty

    @property
    def chance_overall(self) -> Chance | None:
        """Accuracy of guessing on all examples."""
        return next(iter(self._chances(lambda _: "").values()), None)

    @property
    def chance_by_pattern(self) -> dict[str, Chance]:
        """Accuracy of guessing by pattern."""
        found = self._chances(lambda key: key[0])
        return {pattern: found[pattern] for pattern in self.patterns}

    @property
    def chance_by_length(self) -> dict[int, Chance]:
        """Accuracy of guessing by length of the command."""
        return dict(sorted(self._chances(lambda key: key[1]).items()))

    def _chances(self, by: Callable[[Key], Any]) -> dict[Any, Chance]:
        found = {}
        for group in dict.fromkeys(by(key) for key in self.chance):
            everything, same = (
                [(key[2], count) for key, count in counts.items() if by(key) == group]
                for counts in (self.chance, self.namesakes)
            )
            guesses = (_mean((1 / size, count) for size, count in some) or 0.0 for some in (everything, same))
            sizes = (_mean(some) or 0.0 for some in (everything, same))
            (chance, among), (objects, namesakes) = guesses, sizes
            found[group] = Chance(sum(count for _, count in everything), objects, chance, namesakes, among)
        return found

    def difficulty(self, pattern: str | None = None) -> float | None:
        """Return the error rate of a reader who ignores one part at random and guesses among the objects that fit."""
        errors, examples = 0.0, 0.0
        for (_, parts, left), count in sorted(_of(self.overlooked, pattern).items()):
            errors += count / parts * (1 - 1 / left if left else 1)
            examples += count / parts
        return errors / examples if examples else None

    # ---------------------------------------------------------------------------- what gives the answer away

    @property
    def feature_tables(self) -> dict[str, dict[tuple[str, bool], int]]:
        """For each feature of an object, how often each value occurs with and without being the target."""
        tables: dict[str, Counter[tuple[str, bool]]] = {}
        for (feature, value, is_target), count in self.features.items():
            tables.setdefault(feature, Counter())[value, is_target] += count
        for (_, row, column, is_target), count in self.cells.items():
            for place, value in zip(PLACES, (f"{row}", f"{column}", f"{row}, {column}"), strict=True):
                tables.setdefault(place, Counter())[value, is_target] += count
        return {name: dict(sorted(table.items(), key=_by_value)) for name, table in sorted(tables.items())}

    @property
    def skew(self) -> dict[str, Information]:
        """Information of each feature of an object about its being the target."""
        return {name: information(table) for name, table in self.feature_tables.items()}

    @property
    def reading_nothing(self) -> dict[str, float]:
        """Accuracy of a reader who sees the world but not the command, choosing by one feature or by all."""
        totals = _group_counts(self.readers, lambda key: key[0])
        right = dict.fromkeys(totals, 0.0)
        for (name, best, is_right), count in sorted(self.readers.items()):
            right[name] += count / best if is_right else 0.0
        return {name: right[name] / totals[name] for name in totals}

    @property
    def child_skew(self) -> dict[str, Information]:
        """Information of the relation of a clause about the row and the column of its landmark."""
        if not self.children:
            return {}
        return {
            place: information(_group_counts(self.children, lambda key, at=at: (key[0], key[at])))  # type: ignore[misc]
            for at, place in ((1, "row"), (2, "column"))
        }

    def determiner_shares(self, pattern: str | None = None) -> dict[str, dict[str, int]]:
        """Return the number of uses of each determiner, for the target and for others."""
        found: dict[str, dict[str, int]] = {}
        for key, count in sorted(_of(self.determiners, pattern).items()):
            phrase = found.setdefault("other" if key[1] else "target", {})
            phrase[key[2]] = phrase.get(key[2], 0) + count
        return found

    @property
    def determiner_leak(self) -> dict[str, Information]:
        """Information of the determiner of a landmark about its words and about the distractors."""
        others = {key: count for key, count in self.determiners.items() if key[1]}
        found = {"words needed": information(_group_counts(others, lambda key: (key[2], key[3])))} if others else {}
        if self.determiner_kinds:
            found["distractor kinds"] = information({(key[0], key[1]): n for key, n in self.determiner_kinds.items()})
        return found

    @property
    def moving(self) -> dict[str, Share]:
        """Share of commands in which something really moves, by verb."""
        return _shares(self.verbs, lambda key: key[0])

    # ---------------------------------------------------------------------------- plain values

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain values: the counts, from which `from_dict` makes it again, and what follows from them."""
        counts = {name: _rows(getattr(self, name)) for name in _COUNTS}
        return {"format": FORMAT, "examples": self.examples, "measures": self.measures(), "counts": counts}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Audit:
        """The audit that `to_dict` wrote.

        Raises:
            BrokenDataset: when the values are not those of an audit.
        """
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise BrokenDataset(f"this is no audit; its format should be {FORMAT!r}")
        try:
            counts = {name: {tuple(key): int(count) for *key, count in values["counts"][name]} for name in _COUNTS}
            return cls(examples=int(values["examples"]), **counts)
        except (KeyError, TypeError, ValueError) as error:
            raise BrokenDataset(f"the audit cannot be read: {type(error).__name__} {error}") from error

    def measures(self) -> dict[str, Any]:
        """Everything that follows from the counts, as plain values."""
        matter, said = self.words_that_matter
        return {
            "judged": self.judged,
            "unjudged": {key[0]: count for key, count in sorted(self.unjudged.items())},
            "patterns": self.patterns,
            "needed": {_name(key): share.to_dict() for key, share in sorted(self.needed.items())},
            "words needed": {
                "target": self.words_needed("target").to_dict(),
                "other": self.words_needed("other").to_dict(),
                "all": self.words_needed().to_dict(),
            },
            "clauses needed": self.clauses_needed().to_dict(),
            "examples with all words needed": self.all_words_needed().to_dict(),
            "examples with all clauses needed": self.all_clauses_needed().to_dict(),
            "words that matter": matter,
            "content words": said,
            "colour and shape": {what: share.to_dict() for what, share in self.colour_and_shape().items()},
            "solved": {name: share.to_dict() for name, share in self.shortcut_shares().items()},
            "let through": {_name(key): list(counts) for key, counts in sorted(self.let_through.items())},
            "objects reached": self.mean_reached(),
            "chance": _plain(self.chance_overall),
            "chance by pattern": {name: chance.to_dict() for name, chance in self.chance_by_pattern.items()},
            "chance by length": {str(name): chance.to_dict() for name, chance in self.chance_by_length.items()},
            "difficulty": self.difficulty(),
            "skew": {name: found.to_dict() for name, found in self.skew.items()},
            "reading nothing": self.reading_nothing,
            "child skew": {name: found.to_dict() for name, found in self.child_skew.items()},
            "determiners": self.determiner_shares(),
            "determiner leak": {name: found.to_dict() for name, found in self.determiner_leak.items()},
            "moving": {verb: share.to_dict() for verb, share in self.moving.items()},
            "by pattern": {pattern: self._of_pattern(pattern) for pattern in self.patterns},
        }

    def _of_pattern(self, pattern: str) -> dict[str, Any]:
        return {
            "words needed": {phrase: self.words_needed(phrase, pattern).to_dict() for phrase in ("target", "other")},
            "clauses needed": self.clauses_needed(pattern).to_dict(),
            "needed": {_name(key): share.to_dict() for key, share in sorted(self.needed_by_pattern[pattern].items())},
            "examples with all words needed": self.all_words_needed(pattern).to_dict(),
            "examples with all clauses needed": self.all_clauses_needed(pattern).to_dict(),
            "colour and shape": {what: share.to_dict() for what, share in self.colour_and_shape(pattern).items()},
            "solved": {name: share.to_dict() for name, share in self.shortcut_shares(pattern).items()},
            "objects reached": self.mean_reached(pattern),
            "difficulty": self.difficulty(pattern),
        }


_COUNTS = tuple(one.name for one in fields(Audit) if one.name != "examples")


def _add_counts(one: Counts, other: Counts) -> dict[Key, int]:
    total = Counter(one)
    total.update(other)
    return dict(total)


def _of(counts: Counts, pattern: str | None) -> Counts:
    return counts if pattern is None else {key: count for key, count in counts.items() if key[0] == pattern}


def _group_counts(counts: Counts, by: Callable[[Key], Any]) -> Counter[Any]:
    totals: Counter[Any] = Counter()
    for key, count in counts.items():
        totals[by(key)] += count
    return totals


def _shares(counts: Counts, by: Callable[[Key], Any]) -> dict[Any, Share]:
    """How often the flag at the end of the key is set, for each group."""
    totals = _group_counts(counts, by)
    held = _group_counts({key: count for key, count in counts.items() if key[-1]}, by)
    return {group: Share(held[group], totals[group]) for group in sorted(totals)}


def _share(flagged: Any) -> Share:
    """How often the flag is set that stands before the count."""
    part = of = 0
    for *_, flag, count in flagged:
        part += count if flag else 0
        of += count
    return Share(part, of)


def _mean(weighted: Any) -> float | None:
    total = weight = 0.0
    for value, count in sorted(weighted):
        total += value * count
        weight += count
    return total / weight if weight else None


def _pattern_order(name: str) -> tuple[int, int, str]:
    return (KNOWN_PATTERNS.index(name) if name in KNOWN_PATTERNS else len(KNOWN_PATTERNS), len(name), name)


def _by_value(entry: tuple[tuple[str, bool], int]) -> tuple[bool, int, str, bool]:
    """Numbers in their order, then words in theirs."""
    value, is_target = entry[0]
    number = int(value) if value.isdecimal() else 0
    return not value.isdecimal(), number, value, is_target


def _rows(counts: Counts) -> list[list[Any]]:
    return [[*key, counts[key]] for key in sorted(counts, key=repr)]


def _name(key: tuple[str, str]) -> str:
    return " / ".join(key)


def _plain(chance: Chance | None) -> dict[str, object] | None:
    return chance.to_dict() if chance else None
