"""Captions of a model, read from a file: JSON Lines or CSV, with the images they were made for.

    {"prediction": "a red ball", "target_id": 163233, "distractor_id": 167073, "set": "object_hue"}

`caption` may stand for `prediction`, a list `distractor_ids` for `distractor_id`, and `set` may be missing. CSV files
of the released script have the columns prediction, target_id and distractor_id.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import BrokenDataset
from deixis.worlds.rooms.scene import FACTORS, IMAGES


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from deixis.judge.pragmatics import Denominator
    from deixis.worlds.rooms.judging._arrays import Scores


ALL = "all"  # the set of captions that name none
CAPTION = ("prediction", "caption")
IMAGE = {
    "target_id": ("target_id", "target"),
    "distractor_id": ("distractor_id", "distractor"),
}  # the latter in our pairs
LONGEST = 60  # characters of a value that an error shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """The captions of one test set, with targets and distractors as numbers of images.

    Shapes:
        rows: int64 [caption], which row of the file each was, counted from 1.
        targets: int64 [caption]. distractors: int64 [caption, distractor].
    """

    rows: np.ndarray
    captions: tuple[str, ...]
    targets: np.ndarray
    distractors: np.ndarray

    def __len__(self) -> int:
        return len(self.captions)


def read_predictions(path: Path) -> dict[str, Predictions]:
    """The captions of a file, by test set, in the order in which the sets first occur.

    A caption that is missing, null or `nan` is an empty one, as a model may say nothing. Everything else that does not
    fit is an error that names the row.
    """
    sets: dict[str, list[tuple[int, str, int, tuple[int, ...]]]] = {}
    for row, record in _records(path):
        where = f"{path.name}, row {row}"
        target = _image(record, "target_id", where)
        distractors = _distractors(record, where)
        name = record.get("set")
        if name is not None and not isinstance(name, str):
            raise BrokenDataset(f"{where}: the name of a set is a text, got {_shorten(name)}")
        sets.setdefault(name or ALL, []).append((row, _caption(record, where), target, distractors))
    if not sets:
        raise BrokenDataset(f"{path} holds no captions")
    return {name: _together(name, rows, path) for name, rows in sets.items()}


def released_columns(
    predictions: Predictions, scores: Scores, *, denominator: Denominator = "z", undefined: float = float("nan")
) -> dict[str, np.ndarray | tuple[str, ...]]:
    """The columns that the released script writes, row by row.

    Args:
        predictions: captions and images; of several distractors the first is written.
        scores: of these captions.
        denominator: of contrastive efficiency.
        undefined: what stands for an efficiency that is not defined; the script writes 0.
    """
    efficiency = scores.efficiency(denominator)
    return {
        "target_id": predictions.targets,
        "distractor_id": predictions.distractors[:, 0],
        "prediction": predictions.captions,
        "binary_contrastiveness": scores.is_discriminative,
        "contrastive_efficiency": np.where(np.isnan(efficiency), undefined, efficiency),
        "relevance": scores.relevance,
        **{f"is_{name}": scores.shown[:, place] for place, name in enumerate(FACTORS)},
        **{f"is_{name}_disc": (scores.true & scores.contrasts)[:, place] for place, name in enumerate(FACTORS)},
        "num_mentioned_features": scores.mentioned,
        "num_nondiscriminative": scores.said - scores.contrastive,
        "num_discriminative": scores.contrastive,
        "num_false": scores.false,
        "num_false_true_of_dist": scores.false_of_distractor,
    }


def released_rows(
    sets: Mapping[str, Predictions],
    scores: Mapping[str, Scores],
    *,
    denominator: Denominator = "z",
    undefined: float = float("nan"),
) -> dict[str, np.ndarray | tuple[str, ...]]:
    """Return the columns of several sets below each other, with the name of the set in front.

    The columns are those of `released_columns`.
    """
    parts = [
        {
            "set": (name,) * len(some),
            **released_columns(some, scores[name], denominator=denominator, undefined=undefined),
        }
        for name, some in sets.items()
    ]
    return {column: _join_cells([part[column] for part in parts]) for column in parts[0]}


def _join_cells(cells: Sequence[np.ndarray | tuple[str, ...]]) -> np.ndarray | tuple[str, ...]:
    if isinstance(cells[0], tuple):
        return tuple(cell for part in cells for cell in part)
    return np.concatenate(cells)


def write_rows(path: Path, rows: Mapping[str, np.ndarray | tuple[str, ...]]) -> None:
    """Write columns as CSV, with empty cells for NaN."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows)
        for values in zip(*(_cells(column) for column in rows.values()), strict=True):
            writer.writerow(values)


def _cells(column: np.ndarray | tuple[str, ...]) -> list[str]:
    if isinstance(column, tuple):
        return list(column)
    if column.dtype.kind == "f":
        return ["" if np.isnan(value) else f"{value:.6g}" for value in column.tolist()]
    return [str(int(value)) for value in column.tolist()]


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a file, counted from 1."""
    if path.is_dir():
        raise BrokenDataset(f"{path} is a folder; give a JSON Lines or CSV file with captions")
    reader = _csv_records if path.suffix.lower() in (".csv", ".tsv") else _json_records
    try:
        yield from reader(path)
    except UnicodeDecodeError:
        raise BrokenDataset(f"{path} is not a text file in UTF-8") from None


def _json_records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8") as file:
        for row, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BrokenDataset(f"{path.name}, row {row}: not a line of JSON: {_shorten(error)}") from None
            if not isinstance(record, dict):
                raise BrokenDataset(f"{path.name}, row {row}: a JSON object is needed, got {_shorten(record)}")
            yield row, record


def _csv_records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        try:
            names = reader.fieldnames or ()
            if not any(name in names for name in IMAGE["target_id"]) or not any(name in names for name in CAPTION):
                raise BrokenDataset(
                    f"{path.name} needs the columns prediction, target_id and distractor_id, "
                    f"got {_shorten(', '.join(names))}"
                )
            for row, record in enumerate(reader, 1):
                if None in record:
                    raise BrokenDataset(
                        f"{path.name}, row {row}: it has more cells than the {len(names)} columns of the header; "
                        "a caption with a comma stands in quotation marks"
                    )
                yield row, record
        except csv.Error as error:
            raise BrokenDataset(f"{path.name}: not a CSV file: {_shorten(error)}") from None


def _caption(record: Mapping[str, Any], where: str) -> str:
    name = next((name for name in CAPTION if name in record), None)
    if name is None:
        raise BrokenDataset(f"{where}: there is no caption; call it prediction or caption")
    value = record[name]
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if not isinstance(value, str):
        raise BrokenDataset(f"{where}: a caption is a text, got {_shorten(value)}")
    return "" if value.strip().lower() == "nan" else value


def _distractors(record: Mapping[str, Any], where: str) -> tuple[int, ...]:
    many = record.get("distractor_ids")
    if many is None:
        return (_image(record, "distractor_id", where),)
    if isinstance(many, str):  # a cell of a table
        many = many.replace(",", " ").strip(" []").split()
    if not isinstance(many, list) or not many:
        raise BrokenDataset(f"{where}: distractor_ids is a list of numbers of images, got {_shorten(many)}")
    return tuple(_image({"distractor_ids": one}, "distractor_ids", where) for one in many)


def _image(record: Mapping[str, Any], name: str, where: str) -> int:
    value = next((record[key] for key in IMAGE.get(name, (name,)) if record.get(key) is not None), None)
    if value is None:
        raise BrokenDataset(f"{where}: there is no {name}")
    number = _integer(value)
    if number is None or not 0 <= number < IMAGES:
        raise BrokenDataset(f"{where}: {name} is a number of an image from 0 to {IMAGES - 1}, got {_shorten(value)}")
    return number


def _integer(value: object) -> int | None:
    """A whole number, also one that a table wrote as '163233' or '163233.0'."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        number = float(value) if isinstance(value, str | float) else None
    except ValueError:
        return None
    return int(number) if number is not None and number.is_integer() else None


def _together(name: str, rows: list[tuple[int, str, int, tuple[int, ...]]], path: Path) -> Predictions:
    counts = {len(distractors) for *_, distractors in rows}
    if len(counts) > 1:
        odd = next(row for row, *_, distractors in rows if len(distractors) != len(rows[0][3]))
        raise BrokenDataset(
            f"{path.name}, row {odd}: the captions of a set have equally many distractors, but in {name!r} they have "
            f"{' or '.join(map(str, sorted(counts)))}; give them different sets"
        )
    numbers, captions, targets, distractors = zip(*rows, strict=True)
    return Predictions(
        rows=np.array(numbers, np.int64),
        captions=captions,
        targets=np.array(targets, np.int64),
        distractors=np.array(distractors, np.int64),
    )


def _shorten(value: object) -> str:
    text = repr(value) if not isinstance(value, Exception) else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
