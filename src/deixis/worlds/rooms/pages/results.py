"""Results on captions: what `deixis evaluate --out` leaves of them, and the rooms that they were written for."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset
from deixis.studio.judged import Judged, estimate_in, in_one_line, task_of
from deixis.studio.verdicts import LONGEST, Codes, Verdicts, csv_rows, json_lines
from deixis.studio.world_pages import ResultWords
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.studio.library import Entry
    from deixis.studio.verdicts import ResultCard


__all__ = ["OLDER", "WORDS", "read_results", "read_room_verdicts", "say_faults", "with_rooms"]

OLDER = "scores.json"  # what older versions left instead of evaluation.json
PICKS = "picks.jsonl"  # what the studio leaves of a person's choices
ROOMS = "3D Shapes"
ROOM_PIXELS = 112
AMISS = ("says something false", "says what is true of the distractor", "says what tells nothing apart")
WORDS = ResultWords(
    measures={
        "discriminativity": "tells the target apart",
        "contrastive_efficiency": "with few words",
        "relevance": "without idle words",
        "optimal_discriminativity": "as short as can be",
        "right_image": "right image",
    },
    part="test set",
    interval="Wilson’s where a caption is right or wrong, else by resampling captions",
    missed=("What is amiss", "amiss"),
    roles=("", ""),
    missed_label="Amiss",
    role_label="Lies in",
    needs_data=False,
    without_data="No dataset of 3D Shapes is in the given folders, so examples have no pages of their own.",
    quotes=True,
)


def read_results(entry: Entry, file: str, values: Any) -> Iterator[Judged]:
    """The results of captions that were scored together, or of a speaker; rows are kept of files only."""
    try:
        scores = values["scores"] if "scores" in values or "sets" not in values else {_speaker(entry, values): values}
        for number, (name, found) in enumerate(scores.items()):
            several = entry.path / f"rows-{number + 1}.csv"
            rows = several if several.is_file() else entry.path / "rows.csv" if number == 0 else None
            is_picked = any("right_image" in table for table in found["sets"].values())
            if is_picked:
                rows = entry.path / PICKS
            yield Judged(
                key=entry.slug,
                entry=entry,
                world=WORLD.name,
                model=str(name),
                data=ROOMS,
                scores={
                    str(part): {
                        metric: estimate_in(table[metric])
                        for metric in WORDS.measures
                        if (metric == "right_image") == is_picked
                    }
                    for part, table in found["sets"].items()
                },
                task=task_of(entry),
                rows=rows if rows is not None and rows.is_file() else None,
            )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{file} is not as `deixis evaluate` writes it: {in_one_line(error)}") from error


def _speaker(entry: Entry, values: Any) -> str:
    return f"{entry.title} ({values['role']})" if isinstance(values.get("role"), str) else entry.title


# -------------------------------------------------------------------------------- single captions


def read_room_verdicts(path: Path) -> Verdicts:
    """The verdicts on single captions, or on a person's choices."""
    return read_pick_verdicts(path) if path.name == PICKS else read_caption_verdicts(path)


def read_caption_verdicts(path: Path) -> Verdicts:
    """Captions are right by a measure when they have the most that it gives, beside the first distractor."""
    part, outcome, amiss = Codes(), Codes(), Codes()
    ids: list[int] = []
    texts: list[str] = []
    right: dict[str, list[bool]] = {measure: [] for measure in WORDS.measures if measure != "right_image"}
    for where, row in csv_rows(path):
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
            raise BrokenDataset(f"{where} is not as `deixis evaluate` writes it") from error
        ids.append(target * IMAGES + other)
        texts.append((row.get("prediction") or "")[:LONGEST])
        part.add(row.get("set") or "all")
        outcome.add("told apart" if is_apart else "not told apart")
        amiss.add(tuple(name for name, does in zip(AMISS, faults, strict=True) if does))
        for measure, does in is_best.items():
            right[measure].append(does)
    return Verdicts(
        ids=np.array(ids, np.int64),
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


def read_pick_verdicts(path: Path) -> Verdicts:
    """Choices between two images, with the captions that they were made for."""
    part, outcome = Codes(), Codes()
    ids: list[int] = []
    texts: list[str] = []
    right: list[bool] = []
    for where, row in json_lines(path):
        try:
            target, other, picked = (int(row[key]) for key in ("target_id", "distractor_id", "picked_id"))
            _demand_images(target, other)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise BrokenDataset(f"{where} is no choice as the studio writes it") from error
        ids.append(target * IMAGES + other)
        texts.append(str(row.get("caption", ""))[:LONGEST])
        part.add(str(row.get("set") or "all"))
        right.append(picked == target)
        outcome.add("picked the target" if picked == target else "picked the distractor")
    return Verdicts(
        ids=np.array(ids, np.uint64),
        part=part.codes,
        parts=part.names,
        right={"right_image": np.array(right, bool)},
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=np.zeros(len(ids), np.int16),
        roles=("",),
        missed=np.zeros(len(ids), np.int16),
        misreadings=((),),
        chosen=np.full(len(ids), -1, np.int16),
        texts=texts,
    )


def _demand_images(*numbers: int) -> None:
    if not all(0 <= number < IMAGES for number in numbers):
        raise BrokenDataset("there is no such image")


def say_faults(missed: Sequence[str]) -> str:
    """What is wrong with a caption, in a sentence."""
    first, *others = [name.removeprefix("says ") for name in missed] or [""]
    return f"It says {', and '.join([first, *others])}." if first else ""


def with_rooms(card: ResultCard, pair: int, entry: Entry | None) -> ResultCard:
    """A card with the pictures of both rooms."""
    target, other = divmod(pair, IMAGES)
    link = f"/d/{entry.slug}/image/{target}" if entry else ""
    return replace(
        card,
        name=f"{target} beside {other}",
        link=link,
        pictures=((f"target, image {target}", _room(target)), (f"distractor, image {other}", _room(other))),
    )


@lru_cache(maxsize=512)
def _room(number: int) -> str:
    return "data:image/png;base64," + b64encode(draw_png(number, size=ROOM_PIXELS)).decode()
