"""The program model: told the parse of a command, it learns what words, verbs and manners mean.

What is meant is found by `deixis.learn._told.ObjectReader`: soft sets over the objects of the board, along the parsed
expression. Then a small decoder says the plan. Its input at each step is

    the verb and the manner of the command
    shape, color and size of the target that was found
    how far the target still is, and where the agent faces, by dead reckoning from the actions so far
    how many pushes and pulls were said, how many actions since the last that moves, and the last six actions
    which cells before and behind the target, as the agent faces, hold no solid

and a network of two hidden layers learns which action comes next. So these are given: the parse, the features of
objects, that turns turn and steps step, and which cells are free. These are learnt: the meaning of every word and
relation, with whom the sizes are compared, and all that verbs and manners ask for.

In training the decoder is shown the target that is meant, afterwards the one that was found.

125,838 parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deixis._kernels.ops import Op
from deixis.errors import DeixisError, SchemaError
from deixis.expression.description import Description
from deixis.learn._programs import SchemaSymbols, lines_of, read_rows
from deixis.learn._soft_sets import NEVER
from deixis.learn._told import ObjectReader, ReaderSizes, choice_cost
from deixis.worlds.grid.actions import MANNERS, VERBS, Manner, Verb
from deixis.worlds.grid.language import WORDS, read_typed
from deixis.worlds.grid.models.policy import ACTIONS, Layout, Policy
from deixis.worlds.grid.scene import BESIDE, GRID


if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


PAD, START, STOP, FIRST, ROWS = 0, 1, 2, 4, 10
LOOKS = 13  # features of an object: its shape, its color and its size, that as a number, too
WINDOW = 6  # the last actions that the decoder sees
AT_ONCE = 512  # examples whose pairs of objects are seen together
SINCE, EFFORTS = 12, 24  # as far as it counts
EAST_SOUTH_WEST_NORTH = ((0, 1), (1, 0), (0, -1), (-1, 0))
PARTS = ("verb", "manner", "away", "facing", "efforts", "since", "last", "beyond", "looks")  # that the decoder sees
OF_VERB = tuple(name for name in PARTS if name != "manner")  # what a network of the verb sees of it
OF_MANNER = ("manner", "away", "facing", "since", "last")
AXES = 2  # along a row, along a column
SYMBOLS = SchemaSymbols(GRID)
SAYING = (Op.IS, Op.EXTREME, Op.RELATED)  # operations with a word
SIZE, SHAPE, COLOR = slice(0, 4), slice(4, 8), slice(8, 12)  # channels; of boxes, sizes from 12 and colors from 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSettings:
    """The sizes of the program model.

    Attributes:
        width: of words and of what is seen of an object. pair: of what is seen of two objects.
        hidden: of the decoder.
        channels: 25, since boxes and solids are to be told apart.
        longest_side: rows and columns that places have numbers for.
        symbols: how many of `SYMBOLS` it has scores for, those of ReaSCAN by default; `suit_words` makes them as many
            as commands can say. A command that says another counts as one that cannot be parsed.
        composes: whether what is learnt is put together from parts: the next action from what verb and manner say, see
            `NextAction`, and directions such as "north west of" from a row's part and a column's.
        truth: how much it counts in pointing that fits are probabilities, beside that the target fits best.
        sparse: how much it counts that words look at few features (`ObjectReader.spread`).
    """

    width: int = 64
    pair: int = 32
    hidden: int = 256
    channels: int = 25
    longest_side: int = 12
    symbols: int = 25
    composes: bool = False
    truth: float = 0.1
    sparse: float = 1e-4


def suit_words(settings: ProgramSettings, vocabulary: Sequence[str]) -> ProgramSettings:
    """Return the sizes of a model for commands of these words: with scores for all relations that they can say."""
    known = set(vocabulary)
    phrases = {**WORDS.relations, **WORDS.bare}
    said = {name for phrase, name in phrases.items() if known.issuperset(phrase.split())}
    most = max((number for number, name in enumerate(SYMBOLS.names, start=1) if name in said), default=0)
    return replace(settings, symbols=max(settings.symbols, most + 1))


def direction_parts(symbols: int) -> tuple[tuple[int, ...], ...]:
    """Return what the relation of each symbol is put together from: one or two of these symbols.

    A direction has one of three parts for rows (above, level, below) and one of three for columns, so that "north of"
    is made of the parts of "north west of" and "south of". The first six directions lend them their symbols.
    """
    parts: list[tuple[int, ...]] = [(number,) for number in range(symbols)]
    first = SYMBOLS.names.index(next(iter(BESIDE))) + 1
    for number, (row, column) in enumerate(BESIDE.values(), start=first):
        if number < symbols:
            parts[number] = (first + row + 1, first + 3 + column + 1)
    return tuple(parts)


class FoundTarget(NamedTuple):
    """What was read and found, for the decoder.

    Shapes:
        said: int64 [example, 2], verb and manner. target_scores: float32 [example, cell], logarithms of probabilities.
        target: int64 [example], the cell that the plan is about.
        looks: float [example, cell, feature]. free: bool [example, cell], holding no solid. agent: int64 [example, 3].
    """

    said: Tensor
    target_scores: Tensor
    target: Tensor
    looks: Tensor
    free: Tensor
    agent: Tensor


class Pose(NamedTuple):
    """Where a plan has come to.

    Shapes:
        away: int64 [example, 2], rows and columns still to go. facing, efforts, since: int64 [example].
        last: int64 [example, window], rows of the table of actions, the latest first.
        rays: bool [example, direction, cell], whether cells beyond the target in each direction are free.
    """

    away: Tensor
    facing: Tensor
    efforts: Tensor
    since: Tensor
    last: Tensor
    rays: Tensor


class ProgramPolicy(Policy):
    """The program model; `words` is how many words commands have, which it has no use for."""

    layout = Layout(size=ROWS, pad=PAD, start=START, stop=STOP, first=FIRST)
    points = True
    is_told = True
    learns_targets = True
    can_record = False  # which operations come differs from batch to batch

    def __init__(self, settings: ProgramSettings, words: int) -> None:  # noqa: ARG002 (as of every model)
        super().__init__()
        self.settings, self.channels = settings, settings.channels
        side = settings.longest_side
        self.reader = ObjectReader(
            ReaderSizes(
                features=LOOKS,
                places=2 * (2 * side - 1),
                words=settings.symbols,
                width=settings.width,
                pair=settings.pair,
            ),
            relations=direction_parts(settings.symbols) if settings.composes else (),
        )
        self.decoder: nn.Module = (
            NextAction(settings) if settings.composes else _network(sum(_parts(settings).values()), settings)
        )

    # ------------------------------------------------------------------------ what it is told

    def tell(self, commands: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return verb, manner and program of each command, and which are bags of words instead."""
        parsed = [self._read(command) for command in commands]
        lines = [_bag(said) if line is None else line for said, line in zip(commands, parsed, strict=True)]
        told = np.array(lines_of(lines), np.int16).reshape(len(lines), -1)
        return told, np.array([line is None for line in parsed], np.bool_)

    def _read(self, command: str) -> tuple[int, ...] | None:
        """Verb, manner and program of a command; None where the parser or this model does not know what it says."""
        line = _parse(command)
        is_known = line is not None and all(
            word < self.settings.symbols for op, word in zip(line[2::3], line[3::3], strict=True) if op in SAYING
        )
        return line if is_known else None

    # ------------------------------------------------------------------------ finding the target

    def encode(self, words: Tensor, word_count: Tensor, grid: Tensor, told: Tensor | None = None) -> FoundTarget:  # noqa: ARG002
        """Find what is meant; what a command says is in `told` alone."""
        if told is None:
            raise SchemaError("the program model must be told the parse of a command")
        slots, is_there = _slots(grid)  # [example, solid or box and cell, feature]
        scores = self._find(told[:, 2:], slots, is_there).unflatten(1, (2, -1))
        best = scores.argmax(dim=1)
        solid, box = slots.unflatten(1, (2, -1)).unbind(1)
        looks: Tensor = torch.where((best == 0)[..., None], solid, box)
        target = scores.logsumexp(dim=1)
        return FoundTarget(
            told[:, :2], target, target.argmax(dim=1), looks, ~is_there[:, : grid.shape[1]], _agents(grid)
        )

    def _find(self, lines: Tensor, slots: Tensor, is_there: Tensor) -> Tensor:
        """How each slot fits: float [example, slot]; some examples at once, since pairs of objects take room."""
        parts = [part.split(AT_ONCE) for part in (lines, slots, is_there)]
        return torch.cat([self._find_some(*part) for part in zip(*parts, strict=True)])

    def _find_some(self, lines: Tensor, slots: Tensor, is_there: Tensor) -> Tensor:
        """Do the same; slots that hold an object are put together before."""
        most = max(1, int(is_there.sum(1).max()))
        chosen = is_there.float().argsort(dim=1, descending=True, stable=True)[:, :most]
        there = is_there.gather(1, chosen)
        features = slots.gather(1, chosen[..., None].expand(-1, -1, LOOKS))
        cells = slots.shape[1] // 2
        cell = chosen % cells
        fits = self.reader.fit(read_rows(lines), self.reader.see(features, there, self._places(cell, isqrt(cells))))
        return fits.new_full(is_there.shape, NEVER).scatter(1, chosen, fits.masked_fill(~there, NEVER))

    def _places(self, cell: Tensor, side: int) -> Tensor:
        """How many rows and columns the other is away: float [example, object, other, number], one number lit each."""
        longest = self.settings.longest_side
        places = torch.stack((cell // side, cell % side), dim=-1)
        away = places[:, None] - places[:, :, None] + longest - 1
        lit = functional.one_hot(away.clamp(0, 2 * longest - 2), 2 * longest - 1)
        return lit.flatten(-2).float()

    def target_scores(self, memory: FoundTarget) -> Tensor:
        """Return the logarithm of the probability that what stands in a cell is meant."""
        return memory.target_scores

    def pointing_cost(self, memory: FoundTarget, target: Tensor) -> Tensor:
        """Compute the cost of pointing, summed over examples."""
        scores = memory.target_scores
        cost = choice_cost(scores, scores > NEVER / 2, target, truth=self.settings.truth).sum()
        return cost + self.settings.sparse * len(target) * self.reader.spread()

    # ------------------------------------------------------------------------ saying the plan

    def show_target(self, memory: FoundTarget, target: Tensor) -> FoundTarget:
        """Return what is known to the decoder in training: the cell of what is meant."""
        return memory._replace(target=target)

    def scores(self, memory: FoundTarget, shown: Tensor) -> Tensor:
        """Return scores for every next action, given the right ones before it."""
        pose, seen = self.begin(memory, 0), []
        for step in range(shown.shape[1]):
            pose = pose if step == 0 else self._advance(pose, shown[:, step])
            seen.append(self._input(memory, pose))
        return self.decoder(torch.stack(seen, dim=1)).float()

    def begin(self, memory: FoundTarget, limit: int) -> Pose:  # noqa: ARG002 (nothing grows)
        """Return the pose before the first action."""
        side = isqrt(memory.free.shape[1])
        target = torch.stack((memory.target // side, memory.target % side), dim=1)
        none = torch.zeros_like(memory.target)
        last = torch.full_like(memory.target, START)[:, None].expand(-1, WINDOW)
        return Pose(
            target - memory.agent[:, :2], memory.agent[:, 2], none, none, last, self._rays(memory.free, target, side)
        )

    def next_scores(self, memory: FoundTarget, last: Tensor, state: Pose) -> tuple[Tensor, Pose]:
        """Return scores for the action after the last one, and where it has led."""
        pose = self._advance(state, last)
        return self.decoder(self._input(memory, pose)).float(), pose

    def _advance(self, pose: Pose, action: Tensor) -> Pose:
        """Return the pose after an action, a row of the table; START changes nothing."""
        is_start = action == START
        left, right, walk, push, pull = (action == FIRST + number for number in range(ACTIONS - 1))
        facing = (pose.facing + 3 * left + right) % 4
        step = torch.tensor(EAST_SOUTH_WEST_NORTH, device=action.device)[facing]
        since = torch.where(walk | push | pull, 0, pose.since + 1).clamp(max=SINCE - 1)
        efforts = (pose.efforts + (push | pull)).clamp(max=EFFORTS - 1)
        last = torch.cat((action[:, None], pose.last[:, :-1]), dim=1)
        return Pose(
            pose.away - step * walk[:, None],
            facing,
            efforts,
            torch.where(is_start, pose.since, since),
            torch.where(is_start[:, None], pose.last, last),
            pose.rays,
        )

    def _rays(self, free: Tensor, target: Tensor, side: int) -> Tensor:
        """Whether the cells beyond a target in each direction are free: bool [example, direction, cell]."""
        steps = torch.tensor(EAST_SOUTH_WEST_NORTH, device=free.device)[:, None]
        ahead = torch.arange(1, self.settings.longest_side, device=free.device)[:, None]
        cells = target[:, None, None] + steps * ahead
        is_inside = ((cells >= 0) & (cells < side)).all(-1)
        row, column = cells.clamp(0, side - 1).unbind(-1)
        found = free.gather(1, (row * side + column).flatten(1)).view(row.shape)
        return found & is_inside

    def _input(self, memory: FoundTarget, pose: Pose) -> Tensor:
        """What the decoder sees at one step: float [example, number]."""
        every = torch.arange(len(memory.target), device=memory.target.device)
        longest = self.settings.longest_side - 1
        away, facing = self._view(pose)
        lit = (
            (memory.said[:, 0], len(VERBS) + 1),
            (memory.said[:, 1], len(MANNERS)),
            *((part.clamp(-longest, longest) + longest, 2 * longest + 1) for part in away.unbind(1)),
            facing,
            (pose.efforts, EFFORTS),
            (pose.since, SINCE),
            (pose.last, self.layout.size),
        )
        parts = [functional.one_hot(number, count).flatten(1).float() for number, count in lit]
        beyond = [pose.rays[every, (pose.facing + turn) % 4].float() for turn in (0, 2)]
        return torch.cat((*parts, *beyond, memory.looks[every, memory.target]), dim=1)

    def _view(self, pose: Pose) -> tuple[Tensor, tuple[Tensor, int]]:
        """How far the target is, int64 [example, 2], and where the agent faces, with how many cases there are."""
        if not self.settings.composes:
            return pose.away, (pose.facing, 4)
        headings = torch.tensor(EAST_SOUTH_WEST_NORTH, device=pose.facing.device)
        ahead, right = ((pose.away * headings[(pose.facing + turn) % 4]).sum(1) for turn in (0, 1))
        return torch.stack((ahead, right), dim=1), (pose.facing % AXES, AXES)


def _parts(settings: ProgramSettings) -> dict[str, int]:
    """What the decoder sees at a step, and in how many numbers."""
    side = settings.longest_side
    sizes = (
        len(VERBS) + 1,  # verb 0 is none
        len(MANNERS),
        2 * (2 * side - 1),
        AXES if settings.composes else 4,
        EFFORTS,
        SINCE,
        WINDOW * ROWS,
        2 * (side - 1),
        LOOKS,
    )
    return dict(zip(PARTS, sizes, strict=True))


def _network(inputs: int, settings: ProgramSettings, outputs: int = ROWS) -> nn.Sequential:
    hidden = settings.hidden
    layers = (nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
    return nn.Sequential(*layers)


class NextAction(nn.Module):
    """Scores for the next action as sums of what verb and manner say, each read by a network of its own.

    The network of the verb is not told the manner, that of the manner neither the verb nor how far things can be moved.
    The target is so many cells ahead and to the right of the agent, who faces along a row or a column, instead of so
    many rows and columns away from one who faces one of four directions. So a way that was never taken from the start
    may still be one that was taken later.
    """

    def __init__(self, settings: ProgramSettings) -> None:
        super().__init__()
        sizes = _parts(settings)
        self.sizes = list(sizes.values())
        self.by_verb = _network(sum(sizes[name] for name in OF_VERB), settings)
        self.by_manner = _network(sum(sizes[name] for name in OF_MANNER), settings)

    def forward(self, x: Tensor) -> Tensor:
        """Return float [..., row] for what is known, [..., number]."""
        known = dict(zip(PARTS, x.split(self.sizes, dim=-1), strict=True))
        of_verb, of_manner = (torch.cat([known[name] for name in some], dim=-1) for some in (OF_VERB, OF_MANNER))
        scores: Tensor = self.by_verb(of_verb) + self.by_manner(of_manner)
        return scores


def _slots(grid: Tensor) -> tuple[Tensor, Tensor]:
    """The features of solid and box of each cell, float [example, 2 x cell, feature], and which are there."""
    is_box = grid[..., 7:8]
    solids = torch.cat((grid[..., 4:7], torch.zeros_like(is_box), grid[..., COLOR], grid[..., SIZE]), dim=-1)
    boxes = torch.cat((torch.zeros_like(grid[..., 4:7]), is_box, grid[..., 16:20], grid[..., 12:16]), dim=-1)
    slots = torch.cat((solids, boxes), dim=1)
    size = slots[..., 8:] @ torch.arange(1.0, 5.0, device=grid.device)[:, None] / 4
    return torch.cat((slots, size), dim=-1), slots[..., :4].sum(-1) > 0


def _agents(grid: Tensor) -> Tensor:
    """Row, column and facing of the agents: int64 [example, 3]."""
    cell = grid[..., -5].argmax(dim=1)
    facing = grid[torch.arange(len(grid), device=grid.device), cell, -4:].argmax(dim=1)
    side = isqrt(grid.shape[1])
    return torch.stack((cell // side, cell % side, facing), dim=1)


@lru_cache(maxsize=1 << 18)
def _parse(command: str) -> tuple[int, ...] | None:
    """Verb, manner and program of a command; None where the parser cannot read it."""
    try:
        said = read_typed(command, any_order=True).instruction
        return (*_frame(said.verb, said.manner), *SYMBOLS.line(said.expression))
    except DeixisError:
        return None


def _bag(command: str) -> list[int]:
    """The same for a command without structure: what its words are known to say."""
    words = command.split()
    steps = [meaning[word] for meaning in WORDS.words.values() for word in words if word in meaning]
    verb = next((name for phrase, name in WORDS.verbs.items() if phrase.split()[0] in words), "")
    manner = next((name for phrase, name in WORDS.manners.items() if phrase.split()[-1] in words), "")
    return [*_frame(verb, manner), *SYMBOLS.bag([Description((step,)) for step in steps])]


def _frame(verb: str, manner: str) -> tuple[int, int]:
    """The numbers of a verb, 0 for none, and of a manner."""
    return 1 + Verb(verb).code if verb else 0, Manner(manner).code
