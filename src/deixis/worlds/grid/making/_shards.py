"""From commands to a table: what one worker makes in one go.

A shard is a pure function of the recipe, the pool and the numbers of its commands; it does not matter who makes it, or
when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from deixis.data._ids import ids_of_digests
from deixis.expression.parts import parts
from deixis.expression.patterns import pattern
from deixis.expression.plain import expression_to_json
from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid._kernels.board import BOARD, MAX_SETS
from deixis.worlds.grid._kernels.plan import longest_plan
from deixis.worlds.grid._kernels.start import DIRECTIONS, DISTANCES, LENGTHS, SITUATIONS
from deixis.worlds.grid._kernels.worlds import (
    COMPATIBLE,
    CORRECTED,
    EVERY_WORD,
    GSCAN,
    OUTCOMES,
    SPATIAL,
    WHOLE,
    Demands,
    Worlds,
    make_worlds,
)
from deixis.worlds.grid.actions import LETTERS, Manner, Verb
from deixis.worlds.grid.data.table import OBJECT_COLUMNS
from deixis.worlds.grid.language import realise
from deixis.worlds.grid.making.pool import DISTRACTORS
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.roles import KINDS, SHIFT
from deixis.worlds.grid.scene import GRID
from deixis.worlds.grid.splits.cases import Facts, rows_of_cases, size_word


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.language.utterance import Instruction
    from deixis.worlds.grid.making.recipe import Pool, Recipe
    from deixis.worlds.grid.splits.rules import Rule


OUTCOME_NAMES = (
    "accepted",
    "no room for a mentioned object",
    "second referent after relation distractors",
    "second referent after attribute distractors",
    "second referent after isomorphism distractors",
    "second referent after random distractors",
    "target not picked out",
    "a clause is not needed",
    "size words read differently",
    "same world again",
    "nothing would move",
    "a word is not needed",
    "something would move",
)
MODES = {"compatible": COMPATIBLE, "corrected": CORRECTED, "every-word": EVERY_WORD, "gscan": GSCAN, "spatial": SPATIAL}
FREE_SIZES = 1 << len(DISTRACTORS)
EVEN = {"directions": DIRECTIONS, "distances": DISTANCES, "lengths": LENGTHS, "situations": SITUATIONS}
LETTER_BYTES = np.frombuffer(LETTERS.encode(), np.uint8)


class Shard(NamedTuple):
    """Some commands of a pool with their worlds.

    Attributes:
        table: the examples, in the columns of `table.SCHEMA` without `split`, text columns dictionary-encoded, plus
            `digest`, uint64, of which the id is the upper part, and `held` and `kept`: a bit for every hold-out rule
            that keeps the example out of training, and for every one whose test set it belongs to.
        outcomes: int64 [command, outcome], how the tries ended.
    """

    table: pa.Table
    outcomes: np.ndarray


def make_shard(recipe: Recipe, pool: Pool, instructions: Sequence[Instruction], first: int) -> Shard:
    """Worlds for some commands, numbered from `first`."""
    blueprints = [blueprint(instruction.expression) for instruction in instructions]
    worlds, outcomes = _run_kernel(recipe, pool, instructions, blueprints, first)
    table = _to_table(recipe, pool, instructions, worlds, first)
    held, kept = _memberships(recipe, instructions, worlds)
    table = table.append_column("held", pa.array(held)).append_column("kept", pa.array(kept))
    return Shard(table, outcomes)


def _run_kernel(
    recipe: Recipe, pool: Pool, instructions: Sequence[Instruction], blueprints: list[np.ndarray], first: int
) -> tuple[Worlds, np.ndarray]:
    n = len(instructions)
    mentions = np.array([len(table) for table in blueprints], np.int64)
    stacked = np.full((n, int(mentions.max()), 5), -1, np.int8)
    for number, table in enumerate(blueprints):
        stacked[number, : len(table)] = table
    worlds = _room_for(n * pool.worlds, recipe)
    outcomes = np.zeros((n, OUTCOMES), np.int64)
    made = make_worlds(
        stacked,
        mentions,
        np.array([Verb(i.verb).code for i in instructions], np.int64),
        np.array([Manner(i.manner).code for i in instructions], np.int64),
        np.array([derive(recipe.seed, pool.name, first + i) for i in range(n)], np.uint64),
        _demands_of(recipe, pool),
        np.zeros(1, BOARD),
        worlds,
        outcomes,
    )
    return Worlds(*(array[:made] for array in worlds)), outcomes


def _demands_of(recipe: Recipe, pool: Pool) -> Demands:
    return Demands(
        wanted=pool.worlds,
        retries=pool.retries,
        size=recipe.grid_size,
        cap=recipe.cap,
        fill=recipe.fill,
        kinds=sum(1 << bit for bit, name in enumerate(DISTRACTORS) if name in pool.distractors)
        + (FREE_SIZES if pool.free_sizes else 0),
        mode=MODES[recipe.mode],
        turned=recipe.any_facing,
        moving=bool(recipe.must_move),
        competitors=recipe.competitors,
        exhaustive=recipe.exhaustive,
        even=sum(EVEN.get(name, 0) for name in recipe.balance),
        new_forms=recipe.mode == "every-word",
        blocked=-1 if recipe.blocked is None else round(recipe.blocked * WHOLE),
    )


def _room_for(rows: int, recipe: Recipe) -> Worlds:
    cap = recipe.cap
    return Worlds(
        objects=np.zeros((rows, cap, 5), np.uint8),
        roles=np.zeros((rows, cap), np.uint8),
        count=np.zeros(rows, np.uint8),
        agent=np.zeros((rows, 3), np.uint8),
        codes=np.zeros((rows, MAX_SETS), np.uint16),
        sets=np.zeros(rows, np.uint8),
        plan=np.zeros((rows, int(longest_plan(recipe.grid_size))), np.uint8),
        length=np.zeros(rows, np.uint16),
        definite=np.zeros(rows, np.uint16),
        necessary=np.zeros(rows, np.uint32),
        digest=np.zeros(rows, np.uint64),
        tries=np.zeros(rows, np.uint32),
        command=np.zeros(rows, np.int32),
    )


def _to_table(recipe: Recipe, pool: Pool, instructions: Sequence[Instruction], worlds: Worlds, first: int) -> pa.Table:
    rows = len(worlds.count)
    texts, which = _texts(instructions, worlds)
    digests = np.array([text_digest(text) for text in texts], np.uint64)
    with np.errstate(over="ignore"):
        contents = mix_words((digests[which] + GOLDEN_WORD) ^ worlds.digest) if rows else np.zeros(0, np.uint64)
    in_use = np.arange(worlds.objects.shape[1]) < worlds.count[:, None]
    part_counts = np.array([sum(1 for _ in parts(i.expression)) for i in instructions], np.int64)
    columns = {
        "id": pa.array(ids_of_digests(contents)),
        "command": _dictionary_array(texts, which),
        "expression": _dictionary_array([expression_to_json(i.expression) for i in instructions], worlds.command),
        "pattern": _dictionary_array([pattern(pool.pattern).name], np.zeros(rows, np.int32)),
        "verb": _dictionary_array(
            [str(v) for v in Verb], _per_command([Verb(i.verb).code for i in instructions], worlds)
        ),
        "manner": _dictionary_array(
            [str(m) for m in Manner], _per_command([Manner(i.manner).code for i in instructions], worlds)
        ),
        "grid_size": pa.array(np.full(rows, recipe.grid_size, np.uint8)),
        **{name: _lists(worlds.objects[:, :, k], in_use) for k, name in enumerate(OBJECT_COLUMNS)},
        "role": _lists(worlds.roles, in_use),
        "misreading": _lists(worlds.codes, np.arange(MAX_SETS) < worlds.sets[:, None]),
        "target": pa.array(np.zeros(rows, np.uint8)),
        "agent_row": pa.array(worlds.agent[:, 0]),
        "agent_column": pa.array(worlds.agent[:, 1]),
        "agent_facing": pa.array(worlds.agent[:, 2]),
        "plan": _letters(worlds),
        "necessary": _bits(worlds.necessary, part_counts[worlds.command]),
        "command_number": pa.array(worlds.command + np.int32(first)),
        "world_number": pa.array(_world_numbers(worlds.command)),
        "digest": pa.array(contents),
    }
    return pa.table(columns)


def _texts(instructions: Sequence[Instruction], worlds: Worlds) -> tuple[list[str], np.ndarray]:
    """The different texts, and which one each world has: a command's determiners depend on its world."""
    keys = worlds.command.astype(np.int64) << 16 | worlds.definite
    different, which = np.unique(keys, return_inverse=True)
    texts = []
    for key in different.tolist():
        instruction, definite = instructions[key >> 16], key & 0xFFFF
        mentions = sum(1 for _ in instruction.expression.mentions())
        determiners = ["the" if definite >> k & 1 else "a" for k in range(mentions)]
        texts.append(realise(instruction, determiners=determiners).text)
    return texts, which.astype(np.int32)


def _per_command(codes: list[int], worlds: Worlds) -> np.ndarray:
    return np.array(codes, np.int32)[worlds.command]


def _dictionary_array(words: list[str], which: np.ndarray) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(which, pa.int32()), pa.array(words, pa.string()))


def _lists(values: np.ndarray, in_use: np.ndarray) -> pa.Array:
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(in_use.sum(axis=1), out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values[in_use]))


def _letters(worlds: Worlds) -> pa.Array:
    in_use = np.arange(worlds.plan.shape[1]) < worlds.length[:, None]
    offsets = np.zeros(len(worlds.length) + 1, np.int32)
    np.cumsum(worlds.length, out=offsets[1:])
    data = LETTER_BYTES[worlds.plan[in_use]].tobytes()
    return pa.StringArray.from_buffers(len(worlds.length), pa.py_buffer(offsets), pa.py_buffer(data))


def _bits(words: np.ndarray, counts: np.ndarray) -> pa.Array:
    places = np.arange(32, dtype=np.uint32)
    return _lists((words[:, None] >> places & 1).astype(bool), places < counts[:, None])


def _world_numbers(command: np.ndarray) -> np.ndarray:
    """How many worlds of the same command come before each."""
    rows = np.arange(len(command), dtype=np.int32)
    starts = np.r_[True, command[1:] != command[:-1]] if len(command) else np.zeros(0, bool)
    return rows - np.maximum.accumulate(np.where(starts, rows, 0)) if len(command) else rows


def _memberships(recipe: Recipe, instructions: Sequence[Instruction], worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
    """uint16 [row], twice: a bit for every rule that holds the example out, and for every one whose test it is in."""
    held = np.zeros(len(worlds.count), np.uint16)
    kept = np.zeros(len(worlds.count), np.uint16)
    mentions = np.array([sum(1 for _ in i.expression.mentions()) for i in instructions], np.int64)[worlds.command]
    facts = _facts_of(instructions, worlds, mentions) if any(rule.cases for rule in recipe.hold_out) else None
    for bit, rule in enumerate(recipe.hold_out):
        says = np.array([rule.says(i.expression) for i in instructions])[worlds.command]
        out = says | _shows(rule, worlds, mentions)
        if facts is not None:
            out |= rows_of_cases(rule.cases, facts)
        held |= (out << bit).astype(np.uint16)
        if rule.decisive:
            matter = _matters_by_set if recipe.mode == "compatible" else _matters_by_necessity
            out &= ~says | matter(rule, instructions, worlds, mentions)
        if rule.tested:
            kept |= (out << bit).astype(np.uint16)
    if recipe.overlaps_aside:
        kept[np.bitwise_count(held) > 1] = 0
    return held, kept


def _facts_of(instructions: Sequence[Instruction], worlds: Worlds, mentions: np.ndarray) -> Facts:
    """What cases ask about the examples."""
    return Facts.of(
        verb=_per_command([Verb(i.verb).code for i in instructions], worlds),
        manner=_per_command([Manner(i.manner).code for i in instructions], worlds),
        said=_per_command([size_word(i.expression) for i in instructions], worlds),
        things=worlds.objects[:, [0, min(1, worlds.objects.shape[1] - 1)]],
        mentions=mentions,
        agent=worlds.agent[:, :2],
        actions=worlds.length.astype(np.int64),
    )


def _shows(rule: Rule, worlds: Worlds, mentions: np.ndarray) -> np.ndarray:
    """Whether a mentioned object, which come first, is the held-out thing."""
    wanted = rule.thing_codes()
    if not wanted:
        return np.zeros(len(mentions), bool)
    fits = np.arange(worlds.objects.shape[1]) < mentions[:, None]
    for attribute, value in wanted.items():
        fits &= worlds.objects[:, :, OBJECT_COLUMNS.index(attribute)] == GRID.attribute(attribute).code(value)
    return np.asarray(fits.any(axis=1))


def _matters_by_necessity(
    rule: Rule, instructions: Sequence[Instruction], worlds: Worlds, mentions: np.ndarray
) -> np.ndarray:
    """The decisive word of the held-out phrase is needed to find the target."""
    del mentions
    wanted = [sum(1 << place for place in rule.decisive_parts(i.expression)) for i in instructions]
    return (np.array(wanted, np.uint32)[worlds.command] & worlds.necessary) != 0


def _matters_by_set(
    rule: Rule, instructions: Sequence[Instruction], worlds: Worlds, mentions: np.ndarray
) -> np.ndarray:
    """A complete attribute distractor set changes the decisive word of the held-out phrase, as in the published."""
    attribute = KINDS.index("attribute")
    said = [sum(1 << mention for mention in rule.mentions(i.expression)) for i in instructions]
    codes = worlds.codes.astype(np.int64)
    fits = np.arange(MAX_SETS) < worlds.sets[:, None]
    fits &= codes >> 12 == attribute
    fits &= codes >> 4 & 15 == OBJECT_COLUMNS.index(rule.decisive)
    fits &= np.array(said, np.int64)[worlds.command][:, None] >> (codes >> 8 & 15) & 1 == 1
    in_use = np.arange(worlds.roles.shape[1]) < worlds.count[:, None]
    placed = ((worlds.roles >> SHIFT == attribute) & in_use).sum(axis=1)
    return np.asarray(fits.any(axis=1) & (placed == mentions))
