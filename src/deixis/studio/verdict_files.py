"""Where the verdicts on single examples come from: the files that `deixis evaluate` and `deixis score` leave."""

from __future__ import annotations

import csv
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.datasets.judged_plans import Places, places_of, read_verdicts
from deixis.errors import BrokenDataset, UnknownName
from deixis.scene.factors import IMAGES
from deixis.studio.judged import ABSENT, MEASURES
from deixis.studio.verdicts import NO_OBJECT, RIGHT_TARGET, WRONG_OBJECT, Verdicts


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.studio.judged import Judged
    from deixis.studio.library import Entry


__all__ = ["places_in", "verdicts_of"]

MOST_LINES = 3_000_000
LONGEST = 600  # letters of a text that are kept
AMISS = ("says something false", "says what is true of the distractor", "says what tells nothing apart")


def verdicts_of(judged: Judged, dataset: Entry | None) -> Verdicts:
    """The verdicts on a model.

    Args:
        judged: the model.
        dataset: what it was asked about; of photographs it tells which expressions fit nothing.

    Raises:
        UnknownName: when no verdicts were written.
        BrokenDataset: when they cannot be read.
    """
    if judged.rows is None:
        raise UnknownName(
            f"the results of {judged.model} say nothing about single examples; "
            f"write their verdicts with `deixis {'score' if judged.world == 'a3ds' else 'evaluate'} … --out FOLDER`"
        )
    try:
        found = judged.rows.stat()
    except OSError as error:
        raise BrokenDataset(f"{judged.rows.name} cannot be read: {error.strerror or error}") from error
    return _read(judged.world, judged.rows, (found.st_mtime_ns, found.st_size), dataset)


@lru_cache(maxsize=4)
def places_in(entry: Entry) -> Places:
    """Where the examples of a grid dataset lie, by their ids."""
    return places_of(entry.data)


# -------------------------------------------------------------------------------- files


@lru_cache(maxsize=4)
def _read(world: str, path: Path, stamp: tuple[int, int], dataset: Entry | None) -> Verdicts:
    del stamp
    match world:
        case "grid":
            return _plans(path)
        case "copsref":
            return _answers(path, dataset)
    return _captions(path)


def _plans(path: Path) -> Verdicts:
    found = read_verdicts(path)
    is_right, is_wrong = found.is_right_target, found.is_wrong_object
    return Verdicts(
        ids=found.ids,
        part=found.split,
        parts=found.splits,
        right={"exact": found.exact, "got_there": found.got_there, "right_target": is_right},
        outcome=np.select([is_right, is_wrong], [0, 1], 2).astype(np.int16),
        outcomes=(RIGHT_TARGET, WRONG_OBJECT, NO_OBJECT),
        role=found.role,
        roles=found.roles,
        missed=found.missed,
        misreadings=found.misreadings,
        chosen=found.chosen,
    )


def _answers(path: Path, dataset: Entry | None) -> Verdicts:
    fits = _fitting(dataset) if dataset is not None else {}
    ids: list[int] = []
    texts: list[str] = []
    columns: tuple[_Codes, ...] = (_Codes(), _Codes(), _Codes(), _Codes())
    right: list[bool] = []
    for where, values in _json_lines(path):
        try:
            number, setting, outcome = int(values["id"]), str(values["setting"]), str(values["outcome"])
            is_there = fits.get(number, True)
            ids.append(number % (1 << 64))
            texts.append(str(values.get("text", ""))[:LONGEST])
            said = (
                setting if is_there else f"{setting}, {ABSENT}",
                outcome,
                str(values.get("place") or ""),
                tuple(map(str, values.get("missed") or ())),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise BrokenDataset(f"{where} is no verdict as `deixis evaluate` writes it") from error
        for codes, value in zip(columns, said, strict=True):
            codes.add(value)
        right.append(outcome == ("right" if is_there else "said not there"))
    part, result, place, missed = columns
    return Verdicts(
        ids=np.array(ids, np.uint64),
        part=part.codes,
        parts=part.names,
        right={"right": np.array(right, bool)},
        outcome=result.codes,
        outcomes=result.names,
        role=place.codes,
        roles=place.names,
        missed=missed.codes,
        misreadings=missed.names,
        chosen=np.full(len(ids), -1, np.int16),
        texts=texts,
    )


def _fitting(entry: Entry) -> dict[int, bool]:
    """Of every example whether its expression fits anything."""
    return {
        number: bool(thing)
        for table in entry.data.dataset.tables(columns=["id", "object"])
        for number, thing in zip(table["id"].to_pylist(), table["object"].to_pylist(), strict=True)
    }


def _captions(path: Path) -> Verdicts:
    """Captions are right by a measure when they have the most that it gives, beside the first distractor."""
    part, outcome, amiss = _Codes(), _Codes(), _Codes()
    ids: list[int] = []
    texts: list[str] = []
    right: dict[str, list[bool]] = {measure: [] for measure in MEASURES["a3ds"]}
    for where, row in _csv_rows(path):
        try:
            target, other = int(row["target_id"]), int(row["distractor_id"])
            _demand_images(target, other)
            is_apart = row["binary_contrastiveness"] == "1"
            false, of_other = int(row["num_false"]), int(row["num_false_true_of_dist"])
            faults = (false > 0, of_other > 0, int(row["num_nondiscriminative"]) > 0)
            few = is_apart and int(row["num_discriminative"]) == 1
            is_best = {
                "discriminativity": is_apart,
                "contrastive_efficiency": row["contrastive_efficiency"] == "1",
                "relevance": row["relevance"] == "1",
                "optimal_discriminativity": few,
            }
        except (KeyError, TypeError, ValueError) as error:
            raise BrokenDataset(f"{where} is not as `deixis score` writes it") from error
        ids.append(target * IMAGES + other)
        texts.append((row.get("prediction") or "")[:LONGEST])
        part.add(row.get("set") or "all")
        outcome.add("told apart" if is_apart else "not told apart")
        amiss.add(tuple(name for name, does in zip(AMISS, faults, strict=True) if does))
        for measure, does in is_best.items():
            right[measure].append(does)
    return Verdicts(
        ids=np.array(ids, np.uint64),
        part=part.codes,
        parts=part.names,
        right={measure: np.array(found, bool) for measure, found in right.items()},
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=np.zeros(len(ids), np.int16),
        roles=("",),
        missed=amiss.codes,
        misreadings=amiss.names,
        chosen=np.full(len(ids), -1, np.int16),
        texts=texts,
    )


class _Codes:
    """Values that repeat, as numbers."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self._codes: list[int] = []

    def add(self, value: Any) -> None:
        self._codes.append(self._known.setdefault(value, len(self._known)))

    @property
    def codes(self) -> np.ndarray:
        if len(self._known) > np.iinfo(np.int16).max:
            raise BrokenDataset("the verdicts hold more different values than a model can miss")
        return np.array(self._codes, np.int16)

    @property
    def names(self) -> tuple[Any, ...]:
        return tuple(self._known)


def _demand_images(*numbers: int) -> None:
    if not all(0 <= number < IMAGES for number in numbers):
        raise BrokenDataset("there is no such image")


def _json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in _numbered(path):
        where = f"{path.name}, line {number}"
        try:
            values = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError) as error:
            raise BrokenDataset(f"{where} is no JSON") from error
        if not isinstance(values, dict):
            raise BrokenDataset(f"{where} is no JSON object")
        if values:
            yield where, values


def _csv_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        for number, row in enumerate(csv.DictReader(line for _, line in _numbered(path)), start=1):
            yield f"{path.name}, row {number}", row
    except csv.Error as error:
        raise BrokenDataset(f"{path.name} is no CSV: {error}") from error


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file, counted from 1."""
    number = 0
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            for number, line in enumerate(stream, start=1):
                if number > MOST_LINES:
                    break
                yield number, line
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"{path.name} cannot be read: {str(error).partition(chr(10))[0]}") from error
    if number > MOST_LINES:
        raise BrokenDataset(f"{path.name} has more than {MOST_LINES:,} lines")
