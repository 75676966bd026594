"""Rows of a study, one for each answer: as participants' browsers make them, in the fields of jsPsych.

| field | |
|---|---|
| `format` | 1 |
| `study` | the digest of the study |
| `form` | `served`, `static` (a page without a server) or `label-studio` |
| `participant` | a code that stands for a person |
| `trial_index` | the place of the item in this participant's order, practice first, from 0 |
| `trial_type` | `deixis-choice` or `deixis-typed` |
| `item` | the id of the item in `study.json` |
| `response` | the answer: a choice, `several fit`, `none fits`, or what was typed |
| `rt` | milliseconds from the first paint of the pictures to the confirmation, by the clock of the browser |
| `first` | milliseconds to the first choice; absent where there was none |
| `choices` | `[milliseconds, answer]` of every choice before the confirmation, at most 50 |
| `clicks` | `[milliseconds, picture, x, y]` of every press on a picture, as shares of its sides, at most 50 |
| `blurs` | how often the page was out of sight |
| `stimulus` | the pictures that were shown |
| `time_elapsed` | milliseconds since the page was opened |
| `screen`, `window`, `pixel_ratio` | the size of the screen and of the window in CSS pixels, and device pixels to one |

No time of day, no address, no name of a browser and no id of a recruiting platform is in them.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._study.journal import read_lines
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis._losses import Losses
    from deixis._study.design import Study
    from deixis._study.items import Item


ROW_FORMAT = 1
MAX_CLICKS = 50
LARGEST_FILE = 64 << 20
READ = (".jsonl", ".json", ".parquet")


class GivenAnswer(NamedTuple):
    """One row that belongs to a study.

    Attributes:
        participant: the code of the person.
        place: of the item in this person's order.
        item: the id of the item.
        response: the answer.
        rt: milliseconds; not a number where it is not known.
        row: everything that was kept.
    """

    participant: str
    place: int
    item: str
    response: str
    rt: float
    row: dict[str, Any]


def read_rows(study: Study, paths: Sequence[Path] = (), *, losses: Losses) -> list[GivenAnswer]:
    """Return the answers to a study, each item of each participant once.

    Args:
        study: what was asked.
        paths: files or folders of rows; by default the folder `answers` of the study.
        losses: counts rows that are of no use, by reason.

    Raises:
        BrokenDataset: when a file cannot be read, or there is no answer at all.
    """
    items = {item.id: item for item in study.items}
    found: dict[tuple[str, str], GivenAnswer] = {}
    for values in _all_rows(paths or [study.folder / "answers"], losses):
        if "event" in values:
            continue
        losses.see()
        reason, one = _read_row(study, items, values)
        if one is None:
            losses.leave_out(reason)
        elif (one.participant, one.item) in found:
            losses.leave_out("its participant answered this item before")
        else:
            found[one.participant, one.item] = one
    if not found:
        raise BrokenDataset(
            f"there is no answer to the study {study.digest} in {', '.join(map(str, paths)) or study.folder}"
        )
    return sorted(found.values(), key=lambda one: (one.participant, one.place))


def _read_row(study: Study, items: dict[str, Item], values: dict[str, Any]) -> tuple[str, GivenAnswer | None]:
    if values.get("study") != study.digest:
        return "it is of another study", None
    name, participant, place = values.get("item"), values.get("participant"), values.get("trial_index")
    item = items.get(name) if isinstance(name, str) else None
    if item is None:
        return "its item is none of this study", None
    response = values.get("response")
    if not isinstance(response, str) or not item.accepts(response):
        return "its answer is none of the answers to its item", None
    if not isinstance(participant, str) or not 0 < len(participant) <= 100 or not participant.isprintable():
        return "its participant has no name", None
    place = place if type(place) is int and place >= 0 else -1
    return "", GivenAnswer(participant, place, item.id, response, _milliseconds(values.get("rt")), values)


def _milliseconds(value: object) -> float:
    """Return a time, or not a number where there is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    return float(value) if is_number else float("nan")  # type: ignore[arg-type]


def _all_rows(paths: Iterable[Path], losses: Losses) -> Iterator[dict[str, Any]]:
    from deixis._study.exports import is_label_studio, rows_of_label_studio

    for path in _files(paths):
        if path.suffix == ".jsonl":
            yield from read_lines(path)
            continue
        values = _read_parquet(path) if path.suffix == ".parquet" else _read_json(path)
        if is_label_studio(values):
            values = list(rows_of_label_studio(values))
        if not isinstance(values, list):
            raise BrokenDataset(f"{path} holds no list of rows")
        for one in values:
            if isinstance(one, dict):
                yield one
            else:
                losses.see()
                losses.leave_out("it is no record")


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.iterdir() if one.suffix in READ and one.is_file())
        elif path.suffix in READ and path.is_file():
            yield path
        else:
            raise BrokenDataset(f"{path} holds no rows: a .jsonl, .json or .parquet file, or a folder of them")


def _read_json(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BrokenDataset(f"{path} is larger than {LARGEST_FILE >> 20} MB")
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} cannot be read: {error}") from error


def _read_parquet(path: Path) -> list[dict[str, Any]]:
    from deixis.data._parquet_files import open_parquet, read_all

    with open_parquet(path) as file:
        rows: list[dict[str, Any]] = read_all(file, path).to_pylist()
        return rows
