"""E1, W2, E3 and E6: does the command mean the target, is everything needed, is the plan right, do small words fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.data.checks import Hits
from deixis.distractors.necessity import is_implied
from deixis.worlds.grid.actions import Action, Verb, plan_to_letters
from deixis.worlds.grid.checks._registry import check
from deixis.worlds.grid.commands import RULES
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.plan import plan
from deixis.worlds.grid.resolution import to_indices
from deixis.worlds.grid.scene import BOX, COLORS, GRID, MAX_GRID, MAX_OBJECTS, SHAPES, SIZES


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.expression.parts import Part
    from deixis.worlds.grid.checks._chunk import Chunk
    from deixis.worlds.grid.data._commands import Command


@check("E101")
def no_referent(chunk: Chunk) -> Hits:
    """The command fits no object of its world."""
    return Hits.where(chunk.is_judged & (chunk.referents == 0), lambda row: repr(chunk.command(row).text))


@check("E102")
def several_referents(chunk: Chunk) -> Hits:
    """The command fits more than one object of its world."""
    several = chunk.is_judged & (np.bitwise_count(chunk.referents) > 1)
    return Hits.where(
        several, lambda row: f"objects {_list_objects(chunk.referents[row])} fit {chunk.command(row).text!r}"
    )


@check("E103")
def other_target(chunk: Chunk) -> Hits:
    """The recorded target is not the object that the command fits."""
    unique = chunk.is_judged & (np.bitwise_count(chunk.referents) == 1)
    missed = unique & ~(chunk.has_target & (chunk.referents == chunk.target_bit))
    return Hits.where(
        missed, lambda row: f"object {_list_objects(chunk.referents[row])} fits, {chunk.target[row]} is recorded"
    )


@check("E104")
def unreadable_command(chunk: Chunk) -> Hits:
    """The command cannot be read."""
    return Hits.where(~chunk.is_read, lambda row: chunk.command(row).error)


@check("W105")
def ungrammatical(chunk: Chunk) -> Hits:
    """The command breaks a rule of the language.

    The finding names the rule. Such a command can be understood, but ReaSCAN has no commands like it.
    """
    broken = chunk.of_command([bool(c.broken_rules) if c.is_read else False for c in chunk.commands], bool)
    return Hits.where(broken, lambda row: f"{_rules(chunk.command(row))}: {chunk.command(row).text!r}")


@check("E106")
def impossible_world(chunk: Chunk) -> Hits:
    """The world is impossible.

    Something is unknown or off the grid, two solids share a cell, two boxes share a corner, a box reaches over the
    edge, or the agent starts on a solid.
    """
    collisions = _collisions(chunk)
    return Hits.where(
        ~chunk.is_sound | (collisions != ""), lambda row: str(collisions[row]) or _strangeness(chunk, row)
    )


@check("W107")
def readings_differ(chunk: Chunk) -> Hits:
    """Size words mean another object when read as smallest and biggest.

    The usual reading is comparative: an object is small when another object of its class is bigger.
    """
    sized = chunk.of_command([c.is_read and c.has_size_word for c in chunk.commands], bool) & chunk.points
    if not sized.any():
        return Hits.where(sized, lambda _: "")
    differ = sized & (chunk.superlative_referents != chunk.referents)
    return Hits.where(
        differ, lambda row: f"read so, the command fits objects {_list_objects(chunk.superlative_referents[row])}"
    )


def _rules(command: Command) -> str:
    return "; ".join(f"rule {name}, {RULES[name]}" for name in command.broken_rules)


def _list_objects(mask: np.uint64) -> str:
    return ", ".join(map(str, sorted(to_indices(int(mask))))) or "none"


def _collisions(chunk: Chunk) -> np.ndarray:
    """[row]: what is wrong with a world whose codes are all known, as text; empty where nothing is."""
    objects, size = chunk.objects.astype(np.int64), chunk.size[:, None]
    there = np.arange(objects.shape[1]) < chunk.count[:, None]
    cell = objects[:, :, 3] * 256 + objects[:, :, 4]
    boxes, solids = there & (objects[:, :, 0] == BOX), there & (objects[:, :, 0] != BOX)
    agent = chunk.agent[:, 0].astype(np.int64) * 256 + chunk.agent[:, 1]
    reaching = (boxes & ((objects[:, :, 3:] + objects[:, :, 2:3]) > size[:, :, None]).any(axis=2)).any(axis=1)
    found = np.full(len(chunk), "", object)
    found[_shares_cell(cell, solids)] = "two solids share a cell"
    found[_shares_cell(cell, boxes)] = "two boxes share a corner"
    found[reaching] = "a box reaches over the edge"
    found[(solids & (cell == agent[:, None])).any(axis=1)] = "the agent starts on a solid"
    found[~chunk.is_sound] = ""
    return found


def _shares_cell(cell: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return bool [row]: two of the objects marked are on one cell."""
    ordered = np.sort(np.where(among, cell, -1 - np.arange(cell.shape[1])), axis=1)
    return (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)


def _strangeness(chunk: Chunk, row: int) -> str:
    """What cannot be taken as a world."""
    size = int(chunk.size[row])
    if not 2 <= size <= MAX_GRID:
        return f"a grid of size {size}"
    if chunk.count[row] > MAX_OBJECTS:
        return f"{chunk.count[row]} objects; at most {MAX_OBJECTS} can be told apart"
    for index, (shape, color, big, *where) in enumerate(chunk.codes[row].tolist()):
        if shape >= len(SHAPES) or color >= len(COLORS) or not 1 <= big <= len(SIZES):
            return f"object {index} has unknown codes: shape {shape}, color {color}, size {big}"
        if max(where) >= size:
            return f"object {index} is off the grid, at row {where[0]}, column {where[1]}"
    *cell, facing = chunk.agent[row].tolist()
    return f"the agent is at row {cell[0]}, column {cell[1]}, facing {facing}"


# -------------------------------------------------------------------------------- what is needed


@check("W201")
def idle_clause(chunk: Chunk) -> Hits:
    """A clause is not needed to find the target."""
    return _idle(chunk, lambda part, _: part.kind == "clause")


@check("I202")
def idle_word(chunk: Chunk) -> Hits:
    """A word of a noun phrase is not needed to find the target.

    Every report on necessity has the shares of needed parts by kind. The noun 'box' after 'inside of' counts in
    neither, because only boxes can contain something.
    """
    return _idle(chunk, lambda part, command: part.kind != "clause" and not is_implied(part, command.expression, GRID))


@check("E203")
def other_necessity(chunk: Chunk) -> Hits:
    """The recorded necessity of the parts is not what comes out.

    Rows without recorded necessity are skipped.
    """
    said = chunk.necessary
    count = chunk.of_command([len(c.parts) if c.is_read else 0 for c in chunk.commands], np.int64)
    asked = chunk.points & (said.length > 0)
    wrong = asked & (said.length != count)
    if chunk.needed.shape[1]:
        differ = (chunk.needed >= 0) & (said.pad(chunk.needed.shape[1]).astype(np.int8) != chunk.needed)
        wrong |= asked & differ.any(axis=1)
    return Hits.where(wrong, lambda row: f"it should be {_write_out(chunk, row)}, {_letters(said[row])} is recorded")


@check("E204")
def spared_word(chunk: Chunk) -> Hits:
    """A content word is not needed, although the recipe of the dataset promises that every one is.

    The noun 'box' after 'inside of' is not a content word.
    """
    if not chunk.promises_every_word:
        return Hits.where(np.zeros(len(chunk), bool), lambda _: "")
    return _idle(chunk, lambda part, command: not is_implied(part, command.expression, GRID))


def _idle(chunk: Chunk, concerns: Callable[[Part, Command], bool]) -> Hits:
    """Return the rows in which a part of some kind is not needed."""
    width = chunk.needed.shape[1]
    asked = np.zeros((len(chunk.commands), width), bool)
    for number, command in enumerate(chunk.commands):
        if command.is_read:
            asked[number, : len(command.parts)] = [concerns(part, command) for part in command.parts]
    idle = (chunk.needed == 0) & asked[chunk.which]

    def detail(row: int) -> str:
        command = chunk.command(row)
        return "; ".join(f"{command.words_of(command.parts[place])!r}" for place in np.flatnonzero(idle[row]))

    return Hits.where(idle.any(axis=1), detail)


def _write_out(chunk: Chunk, row: int) -> str:
    return _letters(chunk.needed[row, : len(chunk.command(row).parts)])


def _letters(flags: np.ndarray) -> str:
    return "".join("+" if flag else "-" for flag in flags)


# -------------------------------------------------------------------------------- plans


@check("E301")
def other_plan(chunk: Chunk) -> Hits:
    """The recorded plan is not the planner's."""

    def detail(row: int) -> str:
        command = chunk.command(row)
        made = plan(chunk.scene(row), int(chunk.target[row]), command.verb, command.manner)
        return f"it should be {plan_to_letters(made) or 'empty'}, {_recorded_plan(chunk, row)} is recorded"

    return Hits.where(_failing(chunk, chunk.judge.agreements), detail)


@check("E302")
def astray(chunk: Chunk) -> Hits:
    """The recorded plan, carried out, does not reach the target.

    The agent must stand on the cell of the target when it first pushes or pulls, or else at the end.
    """
    return Hits.where(_failing(chunk, chunk.judge.arrivals), lambda row: f"{_recorded_plan(chunk, row)} is recorded")


@check("I303")
def nothing_moves(chunk: Chunk) -> Hits:
    """Pushing or pulling moves nothing, so that the plan is that of walking.

    The target stands at the edge or against another solid.
    """
    efforts = (chunk.plan.values == Action.PUSH) | (chunk.plan.values == Action.PULL)
    moves = np.bincount(chunk.plan.row[efforts], minlength=len(chunk)) > 0
    asked = chunk.of_command([c.is_read and c.verb != Verb.WALK for c in chunk.commands], bool)
    return Hits.where(asked & ~moves, lambda row: repr(chunk.command(row).text))


def _failing(chunk: Chunk, ask: Callable[[Chunk, np.ndarray], np.ndarray]) -> np.ndarray:
    """Return bool [row]: the plan can be judged and fails."""
    rows = np.flatnonzero(chunk.is_planned)
    failing = np.zeros(len(chunk), bool)
    failing[rows] = ~ask(chunk, rows)
    return failing


def _recorded_plan(chunk: Chunk, row: int) -> str:
    return chunk.table["plan"][row].as_py() or "the empty plan"


# -------------------------------------------------------------------------------- small words


@check("E601")
def other_determiners(chunk: Chunk) -> Hits:
    """The determiners are not those that the world asks for.

    The target is definite; anything else is definite when at most one object fits the words of its noun phrase.
    """
    definite, indefinite = WORDS.determiners
    rows = np.flatnonzero(chunk.is_judged)
    most = max((len(c.phrases) for c in chunk.commands if c.is_read), default=0)
    expected = np.ones((len(chunk), most), bool)
    recorded = np.ones((len(chunk), most), bool)
    for mention in range(most):
        phrases = [c.phrases[mention] if c.is_read and len(c.phrases) > mention else None for c in chunk.commands]
        said = [p is None or c.determiners[mention] == definite for c, p in zip(chunk.commands, phrases, strict=True)]
        recorded[rows, mention] = chunk.of_command(said, bool)[rows]
        if mention > 0:
            some, found = chunk.resolve(phrases, rows)
            expected[some, mention] = np.bitwise_count(found) <= 1

    def detail(row: int) -> str:
        words = [definite if the else indefinite for the in expected[row, : len(chunk.command(row).phrases)]]
        return f"they should be {', '.join(words)} in {chunk.command(row).text!r}"

    return Hits.where((expected != recorded).any(axis=1), detail)
