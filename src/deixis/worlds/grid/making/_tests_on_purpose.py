"""Commands for the test sets that are made on purpose: B1, C1 and C2 (specification section 7.2).

B1 combines noun phrases that training has seen, each by itself, but never together. C1 has one clause more than
training. C2 hangs the second clause of a command on the first instead of on the target; the corrected one draws from
all such commands that are made of known phrases and relations.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from deixis.data._ragged import Ragged
from deixis.expression.description import Description
from deixis.expression.parts import parts
from deixis.expression.patterns import C2, P3, pattern, pattern_of
from deixis.expression.plain import expression_from_json
from deixis.expression.steps import Related
from deixis.language.utterance import Instruction
from deixis.seeds import mix_words
from deixis.worlds.grid.commands import (
    choose_balanced,
    choose_uniform,
    commands,
    with_balanced_verbs,
    with_random_verbs,
)
from deixis.worlds.grid.splits.rules import phrase_key, relation_key


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from deixis.expression.description import Expression
    from deixis.expression.patterns import Pattern
    from deixis.seeds import Stream
    from deixis.worlds.grid.making._kept_shards import KeptRows
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Mode
    from deixis.worlds.grid.splits.rules import Rule


CANDIDATES = 400_000  # all two-clause commands; of longer ones so many are looked at before giving up


@dataclass(frozen=True)
class TrainingCommands:
    """The commands and examples that training has seen.

    Attributes:
        instructions: the different commands, determiners aside, in the order of the pools.
        examples: for every training example the number of its command, in a random order that depends on the content
            only.
    """

    instructions: tuple[Instruction, ...]
    examples: np.ndarray


def commands_trained_on(rows: Iterable[tuple[KeptRows, np.ndarray]]) -> TrainingCommands:
    """Return what the chosen rows of some shards hold."""
    numbers: dict[Instruction, int] = {}
    which, digests = [], []
    for shard, chosen in rows:
        different, used = np.unique(shard.commands[chosen], return_inverse=True)  # in the order of the commands
        said = [shard.batch[command] for command in different.tolist()]
        number_of = np.array([numbers.setdefault(one, len(numbers)) for one in said], np.int32)
        which.append(number_of[used])
        digests.append(shard.digests[chosen])
    order = np.argsort(mix_words(np.concatenate(digests)), kind="stable")
    return TrainingCommands(tuple(numbers), np.concatenate(which)[order])


def instructions_for(
    rule: Rule, pool: Pool, trained: TrainingCommands, *, mode: Mode, rng: Stream
) -> Iterator[Instruction]:
    """The commands of a test set, in the order in which they are tried."""
    if rule.new_phrases:
        return _new_combinations(trained, pattern(pool.pattern), mode=mode, rng=rng)
    if rule.pattern == C2.name:
        return _rehung(trained) if mode == "compatible" else _known_in_part(trained, C2, rng=rng)
    choose = choose_uniform if mode == "compatible" else choose_balanced
    return choose(pattern(pool.pattern), rng=rng)


def is_every_clause_needed(table: pa.Table) -> np.ndarray:
    """Whether no clause can be left out, as in the published C1 (specification section 7.2): bool [row]."""
    necessary = Ragged.of_column(table["necessary"])
    stored = table["expression"].combine_chunks()
    clauses = [_clauses(expression_from_json(expression)) for expression in stored.dictionary.to_pylist()]
    good = [
        all(necessary.values[start + place] for place in clauses[which])
        for start, which in zip(necessary.start.tolist(), stored.indices.to_pylist(), strict=False)
    ]
    return np.array(good, bool)


def _clauses(expression: Expression) -> list[int]:
    """The places of the clauses among the parts of an expression."""
    return [place for place, part in enumerate(parts(expression)) if part.kind == "clause"]


def _new_combinations(trained: TrainingCommands, of: Pattern, *, mode: Mode, rng: Stream) -> Iterator[Instruction]:
    """Commands whose phrases, and whose relations together, occur in training, but never these phrases together.

    The released set was filled from the front of the enumeration, so all its targets are bare nouns; the corrected one
    is drawn from everywhere.
    """
    seen = [i.expression for i in trained.instructions]
    together = {phrase_key(e) for e in seen}
    alone = set(chain.from_iterable(together))
    relations = {relation_key(e) for e in seen}

    def is_new(expression: Expression) -> bool:
        key = phrase_key(expression)
        return key not in together and set(key) <= alone and relation_key(expression) in relations

    if mode == "compatible":
        return with_random_verbs(filter(is_new, islice(commands(of), CANDIDATES)), rng=rng)
    drawn = (i.expression for i in choose_balanced(of, rng=rng))
    return with_balanced_verbs(filter(is_new, islice(drawn, CANDIDATES)), rng=rng)


def _rehung(trained: TrainingCommands) -> Iterator[Instruction]:
    """Training commands with two clauses, same row and same column, the second hung on what the first is about.

    They are taken from training examples, as the released set was, so that commands repeat.
    """
    lines = {"same row", "same column"}
    fitting = {
        number: _hang_second_on_first(i.expression)
        for number, i in enumerate(trained.instructions)
        if pattern_of(i.expression) == P3 and set(i.expression.relations()) == lines
    }
    for number in trained.examples.tolist():
        if number in fitting:
            source = trained.instructions[number]
            yield Instruction(source.verb, fitting[number], source.manner)


def _known_in_part(trained: TrainingCommands, of: Pattern, *, rng: Stream) -> Iterator[Instruction]:
    """Different commands of a new pattern whose phrases, and whose relations together, all occur in training."""
    seen = [i.expression for i in trained.instructions]
    phrases = {mention.phrase for e in seen for mention in e.mentions()}
    together = {relation_key(e) for e in seen}
    drawn = (i.expression for i in islice(choose_balanced(of, rng=rng), CANDIDATES))
    known = (e for e in drawn if relation_key(e) in together and {m.phrase for m in e.mentions()} <= phrases)
    return with_balanced_verbs(known, rng=rng)


def _hang_second_on_first(expression: Expression) -> Expression:
    first, second = expression.clauses
    longer = Related(first.relation, Description((*first.to.steps, second)))
    return Description((*expression.phrase.steps, longer))
