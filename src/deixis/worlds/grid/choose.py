"""Which commands a dataset uses: a random choice with a verb and a manner for each."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from deixis.language.utterance import Instruction
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.commands import sample_commands, schematics
from deixis.worlds.grid.patterns import P1


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression
    from deixis.seeds import Stream
    from deixis.worlds.grid.patterns import Pattern


__all__ = ["choose_balanced", "choose_uniform", "with_balanced_verbs", "with_random_verbs"]

VERBS = tuple(product([str(v) for v in Verb], [str(m) for m in Manner]))  # fifteen ways to act


def choose_uniform(pattern: Pattern, *, rng: Stream) -> Iterator[Instruction]:
    """Commands as the released generator chooses them.

    Simple commands come with every verb and manner; of the others each core command comes once, with a random verb and
    manner. All core commands are equally likely, so relations with few of them hardly occur.
    """
    if pattern == P1:
        pairs = product(sample_commands(pattern, rng=rng), VERBS)
        yield from rng.shuffled(Instruction(verb, expression, manner) for expression, (verb, manner) in pairs)
        return
    yield from with_random_verbs(sample_commands(pattern, rng=rng), rng=rng)


def choose_balanced(pattern: Pattern, *, rng: Stream) -> Iterator[Instruction]:
    """Commands with every combination of relations equally often, as long as it lasts, and every verb and manner."""
    if pattern == P1:
        yield from choose_uniform(pattern, rng=rng)
        return
    yield from with_balanced_verbs(_by_relations_in_turn(pattern, rng=rng), rng=rng)


def with_random_verbs(expressions: Iterator[Expression], *, rng: Stream) -> Iterator[Instruction]:
    """Each expression with one random verb and manner."""
    for expression in expressions:
        verb, manner = rng.choice(VERBS)
        yield Instruction(verb, expression, manner)


def with_balanced_verbs(expressions: Iterator[Expression], *, rng: Stream) -> Iterator[Instruction]:
    """Each expression with one verb and manner; every fifteen expressions use each pair once."""
    waiting: list[tuple[str, str]] = []
    for expression in expressions:
        waiting = waiting or rng.shuffled(VERBS)
        verb, manner = waiting.pop()
        yield Instruction(verb, expression, manner)


def _by_relations_in_turn(pattern: Pattern, *, rng: Stream) -> Iterator[Expression]:
    kinds = sorted({tuple(sorted(schematic.relations)) for schematic in schematics(pattern)})
    streams = [sample_commands(pattern, rng=rng, relations=kind) for kind in kinds]
    while streams:
        for stream in list(streams):
            expression = next(stream, None)
            if expression is None:
                streams.remove(stream)
            else:
                yield expression
