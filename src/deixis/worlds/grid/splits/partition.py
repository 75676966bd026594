"""The division of examples into splits.

Examples that a rule holds out stay out of train, dev and test. Of those, the ones in which the held-out word really
matters form the rule's test set (an example may be in several); the rest is set aside. Everything else is divided at
random.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.data._ids import repeated_ids
from deixis.data._split_names import join_splits, names_in_split
from deixis.errors import LeakySplit
from deixis.expression.plain import expression_to_json
from deixis.seeds import mix_words
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.language import read
from deixis.worlds.grid.scene import GRID
from deixis.worlds.grid.splits.cases import rows_of_cases, size_word
from deixis.worlds.grid.splits.rules import phrase_key


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid.splits.cases import Facts
    from deixis.worlds.grid.splits.rules import Rule

__all__ = [
    "ASIDE",
    "TRAINING",
    "Examples",
    "Fractions",
    "LeakageProof",
    "ProofPart",
    "divide_at_random",
    "membership_names",
]


TRAINING = ("train", "dev", "test")  # what is divided at random, in the order of the numbers of `divide_at_random`
ASIDE = "aside"


class Fractions(NamedTuple):
    """The shares of dev and test, where train takes the rest (specification section 7.1)."""

    dev: float = 0.052
    test: float = 0.01


def divide_at_random(digests: np.ndarray, *, seed: int, fractions: Fractions) -> np.ndarray:
    """0 for train, 1 for dev, 2 for test, decided by nothing but the seed and what each example is.

    Shapes:
        digests: uint64 [example], of their content, all different. Returns uint8 [example].
    """
    keys = mix_words(digests ^ np.uint64(seed))
    n = len(digests)
    dev, test = int(fractions.dev * n), int(fractions.test * n)
    return _greatest(keys, dev + test).astype(np.uint8) + _greatest(keys, test)


def _greatest(keys: np.ndarray, count: int) -> np.ndarray:
    """Whether each of some different keys is one of so many greatest: bool [key]."""
    return keys >= np.partition(keys, len(keys) - count)[len(keys) - count] if count else np.zeros(len(keys), bool)


def membership_names(rules: tuple[Rule, ...], kept: int) -> str:
    """The name of the place of a held-out example: its test sets joined by +, or aside where it is in none."""
    return join_splits(rule.name for bit, rule in enumerate(rules) if kept >> bit & 1) or ASIDE


class Examples(NamedTuple):
    """Some examples as arrays.

    Shapes:
        ids: int64 [example]; which: int [example], the number of its text; stored: int [example], the number of the
        expression stored with it; shapes, colors: uint8 [object], all objects one after another; starts: int
        [example], where those of each example start. facts: what cases ask of each example, needed where a rule has
        some; what the words say of it is read from the text instead.
    """

    ids: np.ndarray
    texts: Sequence[str]
    which: np.ndarray
    expressions: Sequence[str]
    stored: np.ndarray
    shapes: np.ndarray
    colors: np.ndarray
    starts: np.ndarray
    facts: Facts | None = None


class _Command(NamedTuple):
    """What the proof needs to know of one text: a bit for every rule that holds it out, its mentions, its phrases."""

    held: int
    mentions: int
    deed: tuple[int, int, int]  # verb, manner and size word of the target, as in `Facts`
    phrases: tuple[str, ...]
    expression: str  # as JSON


class ProofPart(NamedTuple):
    """The facts of some examples, each proven by itself, that are held against those of all others.

    Attributes:
        phrases: by split, the noun phrases of its commands, as far as a rule asks for new ones.
        shots: by rule, how many of the examples it holds out are in train.
    """

    phrases: dict[str, set[tuple[str, ...]]]
    shots: dict[str, int]


@dataclass
class LeakageProof:
    """Collects what goes where, then proves or refuses.

    Feed it with `add`, chunk by chunk; `conclude` raises `LeakySplit` or returns what was shown. Chunks may as well be
    added to proofs elsewhere, whose parts are merged here in any order, beside all ids.
    """

    rules: tuple[Rule, ...]
    ids: dict[str, list[np.ndarray]] = field(default_factory=lambda: defaultdict(list))
    phrases: dict[str, set[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(set))
    shots: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _known: dict[str, _Command] = field(default_factory=dict)

    def add(self, place: str, examples: Examples) -> None:
        """Take note of some examples of one place (`train`, `a1+a2`, `aside`)."""
        self.ids[place].append(examples.ids)
        used = np.unique(examples.which)
        commands = [self._command(examples.texts[number]) for number in used.tolist()]
        self._demand_stored(place, examples)
        for name in names_in_split(place):
            self.phrases[name].update(command.phrases for command in commands)
        held, mentions = np.zeros((2, len(examples.texts)), np.int64)
        held[used] = [command.held for command in commands]
        mentions[used] = [command.mentions for command in commands]
        for bit, rule in enumerate(self.rules):
            says = held[examples.which] >> bit & 1 == 1
            shows = _shows(rule, examples, mentions[examples.which])
            if rule.cases:
                shows = shows | self._meets(rule, examples)
            if place == "train" and rule.shots:
                self._count_shots(rule, int((says | shows).sum()))
            elif place in TRAINING:
                _demand_none(rule, place, examples, says, shows)
            elif rule.name in names_in_split(place) and not rule.new_phrases:
                _demand_all(rule, place, examples, says | shows)

    def part(self) -> ProofPart:
        """Return what another proof must know of what was added here, ids aside."""
        asked = {rule.name for rule in self.rules if rule.new_phrases}
        wanted = {*asked, "train"} if asked else set()
        return ProofPart({name: self.phrases[name] for name in wanted & set(self.phrases)}, dict(self.shots))

    def add_ids(self, place: str, ids: np.ndarray) -> None:
        """Take note of the ids of examples of one place, the rest of which is in a part."""
        self.ids[place].append(ids)

    def merge(self, part: ProofPart) -> None:
        """Take over what was proven elsewhere."""
        for name, phrases in part.phrases.items():
            self.phrases[name] |= phrases
        for rule in self.rules:
            if rule.id in part.shots:
                self._count_shots(rule, part.shots[rule.id])

    def conclude(self) -> dict[str, object]:
        """Return what was shown, for the manifest.

        Raises:
            LeakySplit: when something was not.
        """
        examples = self._demand_different()
        for rule in self.rules:
            if self.shots[rule.id] != rule.shots and examples:
                raise LeakySplit(f"{rule.id} lets {rule.shots} examples into train, which has {self.shots[rule.id]}")
        for rule in self.rules:
            if rule.new_phrases and self.phrases[rule.name] & self.phrases["train"]:
                raise LeakySplit(f"{rule.id} promises new combinations of phrases, but train has some of them")
        held = [rule for rule in self.rules if not rule.new_phrases]
        return {
            "examples": examples,
            "shown": [
                "no example occurs twice, within a split or across splits",
                *[f"{_where_none(rule)} is held out by {rule.id}" for rule in held],
                *[f"every example of {rule.name} is held out by {rule.id}" for rule in held if rule.tested],
                *[
                    f"no combination of noun phrases of {rule.name} occurs in train ({rule.id})"
                    for rule in self.rules
                    if rule.new_phrases
                ],
            ],
        }

    def _meets(self, rule: Rule, examples: Examples) -> np.ndarray:
        """bool [example]: a case of the rule holds."""
        if examples.facts is None:
            raise LeakySplit(f"nothing is known of the examples that {rule.id} asks about")
        deeds = np.zeros((len(examples.texts), 3), np.int64)
        for number in np.unique(examples.which).tolist():
            deeds[number] = self._command(examples.texts[number]).deed
        verb, manner, said = deeds[examples.which].T
        return rows_of_cases(rule.cases, examples.facts._replace(verb=verb, manner=manner, said=said))

    def _count_shots(self, rule: Rule, found: int) -> None:
        self.shots[rule.id] += found
        if self.shots[rule.id] > rule.shots:
            raise LeakySplit(f"{rule.id} lets {rule.shots} examples into train, which has {self.shots[rule.id]}")

    def _demand_different(self) -> int:
        """How many examples there are, all of them different."""
        repeated = repeated_ids([part for parts in self.ids.values() for part in parts])
        if len(repeated):
            first = int(repeated[0])
            owners = [
                name for name in sorted(self.ids) for part in self.ids[name] for _ in range((part == first).sum())
            ]
            one, two = owners[:2]
            where = f"twice in {one}" if one == two else f"in both {one} and {two}"
            again = sum(int(np.isin(part, repeated).sum()) for parts in self.ids.values() for part in parts)
            more = again - len(repeated)
            raise LeakySplit(f"{more} examples occur more than once; the first, {first}, is {where}")
        return sum(len(part) for parts in self.ids.values() for part in parts)

    def _demand_stored(self, place: str, examples: Examples) -> None:
        """`LeakySplit` unless each text means the expression that is stored with it."""
        for pair in np.unique(examples.which * len(examples.expressions) + examples.stored).tolist():
            number, meaning = divmod(pair, len(examples.expressions))
            text, stored = examples.texts[number], examples.expressions[meaning]
            if self._command(text).expression != stored:
                raise LeakySplit(
                    f"{place} has the command {text!r}, but another expression is stored with it: {stored}"
                )

    def _command(self, text: str) -> _Command:
        if text not in self._known:
            instruction = read(text).instruction
            expression = instruction.expression
            held = sum(1 << bit for bit, rule in enumerate(self.rules) if rule.says(expression))
            mentions = sum(1 for _ in expression.mentions())
            deed = Verb(instruction.verb).code, Manner(instruction.manner).code, size_word(expression)
            self._known[text] = _Command(held, mentions, deed, phrase_key(expression), expression_to_json(expression))
        return self._known[text]


def _shows(rule: Rule, examples: Examples, mentions: np.ndarray) -> np.ndarray:
    """bool [example]: one of the mentioned objects, which come first, is the held-out thing."""
    shows = np.zeros(len(mentions), bool)
    if not rule.thing:
        return shows
    tables = {"shape": examples.shapes, "color": examples.colors}
    for k in range(int(mentions.max(initial=0))):
        at = np.minimum(examples.starts + k, len(examples.shapes) - 1)
        fits = mentions > k
        for attribute, value in rule.thing_codes().items():
            fits &= tables[attribute][at] == GRID.attribute(attribute).code(value)
        shows |= fits
    return shows


def _demand_none(rule: Rule, place: str, examples: Examples, says: np.ndarray, shows: np.ndarray) -> None:
    if says.any():
        culprit = examples.texts[int(examples.which[np.argmax(says)])]
        raise LeakySplit(f"{rule.id} is held out, but {place} has the command {culprit!r}")
    if shows.any():
        number = int(examples.ids[np.argmax(shows)])
        what = f"mentions a {rule.thing}" if rule.thing else "is such a case"
        raise LeakySplit(f"{rule.id} is held out, but example {number} of {place} {what}")


def _where_none(rule: Rule) -> str:
    if not rule.shots:
        return "no example of train, dev or test"
    many = "example" if rule.shots == 1 else "examples"
    return f"no example of dev or test, and {rule.shots} {many} of train,"


def _demand_all(rule: Rule, place: str, examples: Examples, held: np.ndarray) -> None:
    if not held.all():
        number = int(examples.ids[np.argmin(held)])
        raise LeakySplit(f"example {number} of {place} is not held out by {rule.id}")
