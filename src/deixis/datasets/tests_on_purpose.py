"""Commands for the test sets that are made on purpose: B1, C1 and C2 (specification section 7.2).

B1 combines noun phrases that training has seen, each by itself, but never together. C1 has one clause more than training. C2 hangs the second clause of a command
on the first instead of on the target; the corrected one draws from all such commands that are made of known phrases and relations.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import RecipeError
from deixis.expression.description import Description
from deixis.expression.steps import Related
from deixis.language.parse import read
from deixis.language.utterance import Instruction
from deixis.splits.partition import _mixed
from deixis.splits.rules import phrase_key, relation_key
from deixis.worlds.grid.choose import choose_balanced, choose_uniform, with_balanced_verbs, with_random_verbs
from deixis.worlds.grid.commands import commands
from deixis.worlds.grid.patterns import P3, pattern, pattern_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from deixis.datasets.recipe import Mode, Pool
    from deixis.expression.description import Expression
    from deixis.seeds import Stream
    from deixis.splits.rules import Rule


__all__ = ["Trained", "instructions_for", "trained_on"]


@dataclass(frozen=True)
class Trained:
    """What training has seen.

    Attributes:
        instructions: the different commands, determiners aside, in the order of the pools.
        examples: for every training example the number of its command, in a random order that depends on the content only.
    """

    instructions: tuple[Instruction, ...]
    examples: np.ndarray


def trained_on(rows: Iterable[tuple[pa.Table, np.ndarray]]) -> Trained:
    """What the chosen rows of some shards hold."""
    numbers: dict[Instruction, int] = {}
    which, ids = [], []
    for table, chosen in rows:
        column = table["command"].combine_chunks()
        used = column.indices.to_numpy()[chosen]
        texts = column.dictionary
        known = {int(u): numbers.setdefault(read(texts[int(u)].as_py()).instruction, len(numbers)) for u in np.unique(used)}
        which.append(np.array([known[int(u)] for u in used], np.int64))
        ids.append(table["id"].to_numpy()[chosen])
    order = np.argsort(_mixed(np.concatenate(ids)), kind="stable")
    return Trained(tuple(numbers), np.concatenate(which)[order])


def instructions_for(rule: Rule, pool: Pool, trained: Trained, *, mode: Mode, rng: Stream) -> Iterator[Instruction]:
    """The commands of a test set, in the order in which they are tried."""
    if rule.new_phrases:
        return _new_combinations(trained, mode=mode, rng=rng)
    if rule.name == "c2" and rule.pattern == "chain":
        return _rehung(trained) if mode == "compatible" else _known_in_part(trained, pool, rng=rng)
    if not rule.pattern:
        raise RecipeError(f"no test set can be made on purpose for {rule.id}: it names neither a pattern nor new phrases")
    choose = choose_uniform if mode == "compatible" else choose_balanced
    return choose(pattern(pool.pattern), rng=rng)


def _new_combinations(trained: Trained, *, mode: Mode, rng: Stream) -> Iterator[Instruction]:
    """Two-clause commands whose phrases, relations and pair of relations occur in training, but never these phrases together.

    The released set was filled from the front of the enumeration, so all its targets are bare nouns; the corrected one is drawn from everywhere.
    """
    seen = [i.expression for i in trained.instructions]
    together = {phrase_key(e) for e in seen}
    alone = set(chain.from_iterable(together))
    pairs = {relation_key(e) for e in seen}
    relations = set(chain.from_iterable(pairs))

    def is_new(expression: Expression) -> bool:
        key = phrase_key(expression)
        return key not in together and set(key) <= alone and relation_key(expression) in pairs and set(expression.relations()) <= relations

    if mode == "compatible":
        return with_random_verbs(filter(is_new, commands(P3)), rng=rng)
    chosen = (i.expression for i in choose_balanced(P3, rng=rng))
    return with_balanced_verbs(filter(is_new, chosen), rng=rng)


def _rehung(trained: Trained) -> Iterator[Instruction]:
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


def _known_in_part(trained: Trained, pool: Pool, *, rng: Stream) -> Iterator[Instruction]:
    """Different commands of a new pattern whose phrases, and whose relations together, all occur in training."""
    seen = [i.expression for i in trained.instructions]
    phrases = {mention.phrase for e in seen for mention in e.mentions()}
    together = {relation_key(e) for e in seen}
    drawn = (i.expression for i in choose_balanced(pattern(pool.pattern), rng=rng))
    known = (e for e in drawn if relation_key(e) in together and {m.phrase for m in e.mentions()} <= phrases)
    return with_balanced_verbs(known, rng=rng)


def _hang_second_on_first(expression: Expression) -> Expression:
    first, second = expression.clauses
    longer = Related(first.relation, Description((*first.to.steps, second)))
    return Description((*expression.phrase.steps, longer))
