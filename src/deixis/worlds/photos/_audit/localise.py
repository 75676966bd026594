"""Shortcuts in expressions about photographs, measured on the data itself: no model is trained.

A reader who hears only the noun, or only the noun and its attributes, or all words but not their order, is left with
some objects of the images shown. Where the target is all that is left, the reader has found it without understanding
the rest; where more is left, it can guess. The paper's argument is that distractor images take these shortcuts away;
the tables here show how far they do.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.audits.audit import NO_MEANING
from deixis.audits.measures import reorderings
from deixis.data._pieces import pack_arrays, unpack_arrays
from deixis.expression.description import Description
from deixis.judge.uncertainty import CHUNK, RESAMPLES, Estimate, resample, wilson
from deixis.resolution.reference import denotation, resolve
from deixis.seeds import derive
from deixis.worlds.photos._audit.words_alone import HeardWords
from deixis.worlds.photos._misreadings import noun_alone, noun_with_attributes
from deixis.worlds.photos._wants import mentioned_things
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, resolve_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.data._resumable_work import ResumableWork
    from deixis.expression.description import Expression
    from deixis.expression.program import Program
    from deixis.judge.uncertainty import Resamples
    from deixis.scene.scene import Context, Where
    from deixis.worlds.photos._audit.words_alone import WordsAlone
    from deixis.worlds.photos.localise import Example, Setting
    from deixis.worlds.photos.scene.graph_table import GraphTable


PROBES = ("nothing", "noun alone", "noun and attributes", "phrases unrelated", "bag of words", "whole expression")
UNRELATED = PROBES.index("phrases unrelated")
THERE = len(PROBES)  # the place of what must be there for the reader of unrelated phrases
BATCH = 1_000  # examples that are resolved together
NO_TARGET, NO_IMAGES = "fits nothing", "no distractor images"


class Shortcuts(NamedTuple):
    """Accuracy of each partial reader in one setting, with intervals.

    Attributes:
        setting: the images that are shown.
        shares: of the examples in which a reader is left with the target alone.
        guesses: how often a reader hits the target who guesses among what it is left with; for who hears `nothing`,
            that is chance.
    """

    setting: Setting
    shares: Mapping[str, Estimate]
    guesses: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "setting": self.setting,
            "solved": {probe: _plain(share) for probe, share in self.shares.items()},
            "guessed": {probe: _plain(guess) for probe, guess in self.guesses.items()},
        }


@dataclass(frozen=True, slots=True)
class ShortcutAudit:
    """The shortcuts of a dataset.

    Attributes:
        examples, judged: how many there are, and how many of them were judged.
        left_out: why the others were not, with their numbers.
        shortcuts: one entry for each setting.
        words_alone: how well words alone tell what is there from what is not; None where there are too few of either.
    """

    examples: int
    judged: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    shortcuts: tuple[Shortcuts, ...] = ()
    words_alone: WordsAlone | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return {
            "examples": self.examples,
            "judged": self.judged,
            "left out": dict(self.left_out),
            "settings": [one.to_dict() for one in self.shortcuts],
            "words alone": self.words_alone.to_dict() if self.words_alone else None,
        }


def audit_shortcuts(
    examples: Iterable[Example],
    scenes: GraphTable,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    resumable: ResumableWork | None = None,
) -> ShortcutAudit:
    """Return the shortcuts of a dataset in every setting.

    Examples that have no distractor images, as those to train on, would blur the settings; they are judged only where
    no other has any, and then without.

    Args:
        examples: of the dataset; gone through twice.
        scenes: the graphs of their images.
        seed: of the resamples behind the intervals.
        resamples: how many.
        resumable: what was found before the same audit was interrupted.
    """
    everything = list(examples) if isinstance(examples, Iterator) else examples
    total, known, shown, absent, heard = _count_kinds(everything)
    judged = shown or known
    left_out = {NO_TARGET: absent, NO_MEANING: total - absent - known, NO_IMAGES: known - judged}
    settings: tuple[Setting, ...] = SETTINGS if shown else ("WithoutDist",)

    def hearing() -> Iterator[Example]:
        for one in everything:
            heard.add(one)
            if one.distractors or not shown:
                yield one

    how: dict[str, Any] = {"settings": settings, "seed": seed, "resamples": resamples, "resumable": resumable}
    found = summarise_shortcuts(hearing(), scenes, **how)
    reasons = {reason: count for reason, count in left_out.items() if count}
    return ShortcutAudit(total, judged, reasons, tuple(found) if judged else (), heard.tell(seed=seed))


def _count_kinds(examples: Iterable[Example]) -> tuple[int, int, int, int, HeardWords]:
    """How many examples there are, fit something that is known, have distractor images too, and fit nothing."""
    total = known = shown = absent = 0
    origins = array("q")
    for one in examples:
        total += 1
        absent += not one.is_there
        if not one.is_there and one.changed_id is not None:
            origins.append(one.changed_id)
        if one.is_there and one.expression is not None:
            known += 1
            shown += bool(one.distractors)
    return total, known, shown, absent, HeardWords(origins)


def summarise_shortcuts(
    examples: Iterable[Example],
    scenes: GraphTable,
    *,
    settings: Sequence[Setting] = ("WithoutDist", "Full"),
    seed: int = 0,
    resamples: int = RESAMPLES,
    resumable: ResumableWork | None = None,
) -> list[Shortcuts]:
    """Return the accuracy of each partial reader, by setting.

    Examples without target or meaning are left out.
    """
    counts = {name: _GuessCount(seed, resamples) for name in SETTINGS if name in settings}
    judged = (example for example in examples if example.is_there and example.expression is not None)

    def share(batches: Iterator[list[Example]], _count: int = 0) -> Iterator[list[np.ndarray]]:
        return ([find_guesses(batch, scenes, setting) for setting in counts] for batch in batches)

    for guesses in (
        share(_batches(judged))
        if resumable is None
        else resumable.go_on("guesses", _batches(judged), 0, share, pack=_pack_guesses, unpack=_unpack_guesses)
    ):
        for count, some in zip(counts.values(), guesses, strict=True):
            count.add(some)
    return [count.shortcuts(name) for name, count in counts.items()]


class _GuessCount:
    """How often readers hit the target, with resamples, in one setting."""

    def __init__(self, seed: int, resamples: int) -> None:
        self.seed, self.resamples = derive(seed, "shortcuts"), resamples
        self.solved = np.zeros(len(PROBES), np.int64)
        self.rows = 0
        self._waiting = np.zeros((0, len(PROBES)))
        self._done = 0  # rows that are resampled
        self._found: Resamples | None = None

    def add(self, guesses: np.ndarray) -> None:
        """Count some examples: float64 [example, probe], see `find_guesses`."""
        self.solved += (guesses == 1.0).sum(axis=0)
        self.rows += len(guesses)
        self._waiting = np.concatenate([self._waiting, guesses])
        while len(self._waiting) >= CHUNK:
            self._resample(self._waiting[:CHUNK])
            self._waiting = self._waiting[CHUNK:]

    def shortcuts(self, setting: Setting) -> Shortcuts:
        """The shares and guesses of all that were counted."""
        if len(self._waiting) or self._found is None:
            self._resample(self._waiting)
            self._waiting = self._waiting[:0]
        assert self._found is not None
        shares = [wilson(solved, self.rows) for solved in self.solved.tolist()]
        hits = self._found.estimates()
        return Shortcuts(setting, dict(zip(PROBES, shares, strict=True)), dict(zip(PROBES, hits, strict=True)))

    def _resample(self, values: np.ndarray) -> None:
        part = resample(values, seed=self.seed, first_row=self._done, resamples=self.resamples)
        self._found = part if self._found is None else self._found + part
        self._done += len(values)


def _batches(examples: Iterator[Example]) -> Iterator[list[Example]]:
    while batch := list(islice(examples, BATCH)):
        yield batch


def _pack_guesses(guesses: list[np.ndarray]) -> dict[str, str]:
    return pack_arrays({str(number): some for number, some in enumerate(guesses)})


def _unpack_guesses(packed: dict[str, str]) -> list[np.ndarray]:
    return list(unpack_arrays(packed).values())


def shortcut_rows(found: Sequence[Shortcuts], *, guessing: bool = False, intervals: bool = True) -> list[list[str]]:
    """Return a table: a row for each reader below the heads, a column for each setting, in percent.

    Args:
        found: the settings.
        guessing: whether to tell how often a guess hits instead of how often the target is all that is left.
        intervals: whether to put half of them behind the figures, where that is not below 0.05.
    """
    heads = ["hears", *(one.setting for one in found)]
    columns = [one.guesses if guessing else one.shares for one in found]
    probes = PROBES if guessing else PROBES[1:]  # nothing solves nothing
    return [heads, *([probe, *(_format_share(column[probe], intervals) for column in columns)] for probe in probes)]


# -------------------------------------------------------------------------------- by definition


def left_for(example: Example, scenes: GraphTable, setting: Setting) -> dict[str, frozenset[Where]]:
    """Return the objects that each reader is left with, by the plain definition.

    * who hears `nothing` is left with all objects of all images;
    * `phrases unrelated`: with those that fit noun and attributes, in images that hold everything else that is
      mentioned, see `mentioned_things`, however it is related;
    * `bag of words`: with all that some order of the words fits, see `reorderings`.
    """
    assert example.expression is not None
    context = example.context_in(scenes, setting)
    by_word_order = (
        resolve(reading, context).objects for reading in (example.expression, *reorderings(example.expression))
    )
    return {
        "nothing": resolve(Description(()), context).objects,
        "noun alone": resolve(noun_alone(example.expression), context).objects,
        "noun and attributes": resolve(noun_with_attributes(example.expression), context).objects,
        "phrases unrelated": _objects_by_unrelated_phrases(example.expression, context),
        "bag of words": frozenset(chain.from_iterable(by_word_order)),
        "whole expression": resolve(example.expression, context).objects,
    }


def solved_by(example: Example, scenes: GraphTable, setting: Setting) -> dict[str, bool]:
    """Return the readers that are left with the target alone, by the plain definition."""
    target = {example.context_in(scenes, setting).target}
    return {probe: left == target for probe, left in left_for(example, scenes, setting).items()}


def _objects_by_unrelated_phrases(expression: Expression, context: Context) -> frozenset[Where]:
    groups = mentioned_things(expression)
    holds_all = [all(any(denotation(one, scene) for one in group) for group in groups) for scene in context.scenes]
    return frozenset(w for w in resolve(noun_with_attributes(expression), context).objects if holds_all[w.scene])


# -------------------------------------------------------------------------------- compiled


def find_shortcuts(examples: Sequence[Example], scenes: GraphTable, setting: Setting) -> np.ndarray:
    """Find the readers that are left with the target alone: bool [example, probe], compiled (see `find_guesses`)."""
    return find_guesses(examples, scenes, setting) == 1.0


def find_guesses(examples: Sequence[Example], scenes: GraphTable, setting: Setting) -> np.ndarray:
    """Return each reader's chance to hit the target by guessing among the objects left: float64 [example, probe].

    Args:
        examples: that fit something and whose meaning is known, see `is_there` and `expression`.
        scenes: the graphs of their images.
        setting: the images that are shown.
    """
    found = np.zeros((len(examples), len(PROBES)))
    for start in range(0, len(examples), BATCH):
        batch = examples[start : start + BATCH]
        found[start : start + len(batch)] = _guesses(batch, scenes, setting)
    return found


class _Cell(NamedTuple):
    """Readings of one example that are joined: an object that fits any of them is left to the reader."""

    example: int
    place: int  # of the probe, or THERE
    first: int  # number of the first reading
    readings: int


def _guesses(examples: Sequence[Example], scenes: GraphTable, setting: Setting) -> np.ndarray:
    shown = [np.array(example.scenes(scenes, setting), np.int64) for example in examples]
    cells, programs = _cells(examples, scenes)
    which = [np.tile(np.arange(cell.first, cell.first + cell.readings), len(shown[cell.example])) for cell in cells]
    where = [np.repeat(shown[cell.example], cell.readings) for cell in cells]
    masks = resolve_graph_pairs(programs, scenes, np.concatenate(which), np.concatenate(where))
    images = np.array([len(shown[cell.example]) for cell in cells])
    readings = np.repeat([cell.readings for cell in cells], images)
    masks = np.bitwise_or.reduceat(masks, np.cumsum(readings) - readings, axis=0)  # [cell and image, word]
    first = np.cumsum(images) - images  # row of the cell's first image, that of the target
    counts = _where_all_is_there(counts_of(masks), cells, images, shown)
    sizes = np.add.reduceat(counts, first)
    targets = [_target(example, scenes, int(some[0])) for example, some in zip(examples, shown, strict=True)]
    target = np.array([targets[cell.example] for cell in cells])
    is_fitting = (masks[first, target // 64] >> (target % 64).astype(np.uint64) & np.uint64(1)) > 0
    is_hit = is_fitting & (target >= 0) & (counts[first] > 0)
    guesses = np.zeros((len(examples), THERE + 1))
    owner, place = np.array([(cell.example, cell.place) for cell in cells]).T
    guesses[owner, place] = np.where(is_hit, 1 / np.maximum(sizes, 1), 0.0)
    return guesses[:, :THERE]


def _cells(examples: Sequence[Example], scenes: GraphTable) -> tuple[list[_Cell], list[Program]]:
    cells: list[_Cell] = []
    programs: list[Program] = []
    for number, example in enumerate(examples):
        assert example.expression is not None
        for place, readings in _readings(example.expression):
            cells.append(_Cell(number, place, len(programs), len(readings)))
            programs += [compile_for(reading, scenes.vocabulary) for reading in readings]
    return cells, programs


def _readings(expression: Expression) -> Iterator[tuple[int, tuple[Expression, ...]]]:
    phrase = noun_with_attributes(expression)
    bag = (expression, *reorderings(expression))
    yield from enumerate(((Description(()),), (noun_alone(expression),), (phrase,), (phrase,), bag, (expression,)))
    yield from ((THERE, group) for group in mentioned_things(expression))


def _where_all_is_there(
    counts: np.ndarray, cells: Sequence[_Cell], images: np.ndarray, shown: Sequence[np.ndarray]
) -> np.ndarray:
    """How much is left in each image, for unrelated phrases nothing where something that is mentioned is missing."""
    seats = np.cumsum([0, *map(len, shown)])  # every image of every example has one
    seat = np.concatenate([np.arange(seats[cell.example], seats[cell.example + 1]) for cell in cells])
    place = np.repeat([cell.place for cell in cells], images)
    lacks = np.zeros(seats[-1], np.bool_)
    lacks[seat[(place == THERE) & (counts == 0)]] = True
    return np.where((place == UNRELATED) & lacks[seat], 0, counts)


def _target(example: Example, scenes: GraphTable, scene: int) -> int:
    """The number of the target; -1 for one that its image does not have, which nobody finds."""
    some = scenes.objects_of(scene)
    ids = scenes.object_ids[some.start : some.stop]
    return ids.index(example.object_id) if example.object_id in ids else -1


def _format_share(share: Estimate, intervals: bool) -> str:
    half = 50 * (share.high - share.low)
    return f"{100 * share.mean:.1f}" + (f" ±{half:.1f}" if intervals and half >= 0.05 else "")


def _plain(share: Estimate) -> dict[str, float]:
    return {"share": round(share.mean, 6), "low": round(share.low, 6), "high": round(share.high, 6)}
