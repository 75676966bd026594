"""Predicted answers from a file: JSON Lines of this project, or a list of detections in the layout of COCO.

**JSON Lines**, one answer on each line:

    {"id": 12, "image": "2386621", "object": "1231798"}
    {"id": 13, "image": "2386621", "box": [10, 20, 60, 100], "space": "xyxy"}
    {"id": 14, "not there": true}
    {"id": 15, "scores": {"2386621": {"1231798": 0.31, "1231799": 0.02}, "2400001": {"7": 0.9}}}

`id` is that of the example. A box needs its coordinate space, which is never guessed: `xywh` (corner and size) or
`xyxy` (two corners) in pixels, or `xywh-normalised` or `xyxy-normalised` in shares of the width and height of the
image. It may stand on each line, or hold for all when the first line is `{"boxes": "xyxy"}`. Likewise `setting`
(`Full`, `WithoutDist`, `Cat`, …) says which images the model was shown; `Full` where nothing is said, and `all` for an
answer that holds in every setting. `scores` of all candidates are judged in every setting anyway.

**COCO**, a JSON list of `{"ref_id": 12, "image_id": 2386621, "bbox": [x, y, width, height], "score": 0.9}` in the
numbers of the exported files (`coco`); boxes are in pixels, as COCO defines them. Of several boxes for one reference
the one with the highest score counts. `ann_id` may stand in place of `bbox`, and `"not there": true` in place of both.

A line that is no JSON, and an answer that cannot be understood, are counted and told; the rest is judged all the same.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._numbers import is_number
from deixis.data._json_stream import Cursor
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.worlds.photos._formats.scene_graphs import id_of
from deixis.worlds.photos.data._coco import coco_image_numbers
from deixis.worlds.photos.localise import SETTINGS, SPACES, Answer, Setting, Space, in_pixels


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.worlds.photos.scene.graph_table import GraphTable


LONGEST_LINE = 64 << 20
NOT_THERE = "not there"
EVERY = "all"  # settings
WAYS = "'object', 'box', 'scores' or 'not there'"


@dataclass(slots=True)
class AnswerReport:
    """Faults found while answers are read.

    Attributes:
        answers: how many there were, those included that cannot be understood.
        faults: how often each sort of thing was wrong.
        first: a line for each, with where it was found first.
    """

    answers: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, where: str) -> None:
        """Enter one finding."""
        self.faults[what] += 1
        self.first.setdefault(what, where)

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each sort of fault: its count, its message, and its first place."""
        return tuple(f"{count:>9,} × {what} (first: {self.first[what]})" for what, count in self.faults.items())


@dataclass(frozen=True, slots=True)
class _Defaults:
    """What holds for answers that do not say so themselves."""

    space: Space | None
    setting: Setting | None  # None for every setting


def read_answers(
    path: Path | str,
    scenes: GraphTable,
    *,
    space: Space | None = None,
    setting: Setting | None = "Full",
    report: AnswerReport | None = None,
) -> Iterator[Answer]:
    """Read the answers in a file, one at a time.

    Answers that cannot be understood say why in `fault`.

    Args:
        path: JSON Lines or a COCO-style list.
        scenes: the graphs of the images, for their sizes.
        space: the coordinate space of boxes that do not say theirs.
        setting: of answers that do not say theirs; None for every setting.
        report: what is found is entered here.

    Raises:
        BrokenDataset: when the file cannot be read or holds no answer at all.
    """
    report = report if report is not None else AnswerReport()
    path = Path(path)
    told = _Defaults(space, setting)
    try:
        answers = _coco(path, scenes, told, report) if _is_list(path) else _lines(path, scenes, told, report)
        for answer in answers:
            report.answers += 1
            if answer.fault:
                report.add(answer.fault, f"id {answer.id}")
            yield answer
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error
    if not report.answers:
        why = next(iter(report.lines), "it is empty").strip()
        raise BrokenDataset(f"{path} holds no answers: {why}")


# -------------------------------------------------------------------------------- JSON Lines


def _is_list(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _lines(path: Path, scenes: GraphTable, told: _Defaults, report: AnswerReport) -> Iterator[Answer]:
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if not line.strip():
                continue
            values = _json(line)
            if not isinstance(values, dict):
                report.add("a line is no JSON object", f"line {number}")
            elif "id" not in values and not values.keys() - {"format", "boxes", "setting"}:
                told = _header(values, told, f"{path}, line {number}")
            elif type(values.get("id")) is not int:
                report.add("a line has no 'id' that is a whole number", f"line {number}")
            else:
                yield _answer(values["id"], values, scenes, told)


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):  # also what is no UTF-8
        return None


def _header(values: Mapping[str, Any], told: _Defaults, where: str) -> _Defaults:
    space = values.get("boxes", told.space)
    setting = values.get("setting", told.setting or EVERY)
    if space is not None and space not in SPACES:
        raise BrokenDataset(f"{where}: unknown coordinate space {str(space)[:40]!r}; known: {', '.join(SPACES)}")
    if setting not in (*SETTINGS, EVERY):
        raise BrokenDataset(f"{where}: unknown setting {str(setting)[:40]!r}; known: {', '.join((*SETTINGS, EVERY))}")
    return _Defaults(space, None if setting == EVERY else setting)


def _answer(number: int, values: Mapping[str, Any], scenes: GraphTable, told: _Defaults) -> Answer:
    said = values.get("setting", told.setting or EVERY)
    if said not in (*SETTINGS, EVERY):
        return Answer(number, told.setting, fault="the setting is unknown")
    setting = None if said == EVERY else said
    if values.get(NOT_THERE) is True:
        return Answer(number, setting, is_absent=True)
    if "scores" in values:
        scores = _scores(values["scores"])
        return Answer(
            number, None, scores=scores, fault="" if scores else "the scores are not numbers by image and object"
        )
    image = id_of(values.get("image"))
    if not image:
        known = any(key in values for key in ("object", "box"))
        return Answer(number, setting, fault="it does not say in which image" if known else f"it has none of {WAYS}")
    if "object" in values:
        chosen = id_of(values["object"])
        return Answer(number, setting, image, chosen, fault="" if chosen else "the object is not named by an id")
    if "box" in values:
        return _with_box(Answer(number, setting, image), values["box"], values.get("space", told.space), scenes)
    return Answer(number, setting, fault=f"it has none of {WAYS}")


def _with_box(answer: Answer, numbers: Any, space: Any, scenes: GraphTable) -> Answer:
    if space is None:
        return answer._replace(fault="a box has no coordinate space; declare it, it is not guessed")
    if space not in SPACES:
        return answer._replace(fault="the coordinate space is unknown")
    if not isinstance(numbers, list) or not all(type(one) in (int, float) for one in numbers):
        return answer._replace(fault="a box is not four numbers")
    try:
        number = scenes.find(answer.image_id)
        size = {"width": float(scenes.width[number]), "height": float(scenes.height[number])}
        return answer._replace(box=in_pixels(numbers, space, **size))
    except UnknownName:
        return answer._replace(fault="the image is unknown")
    except (DeixisError, OverflowError):
        return answer._replace(fault=f"a box is none of the space {space}")


def _scores(values: Any) -> dict[tuple[str, str], float] | None:
    if not isinstance(values, dict) or not all(isinstance(some, dict) for some in values.values()):
        return None
    scores = {(image, thing): score for image, some in values.items() for thing, score in some.items()}
    if not scores or not all(map(is_number, scores.values())):
        return None
    return {candidate: float(score) for candidate, score in scores.items()}


# -------------------------------------------------------------------------------- COCO


def _coco(path: Path, scenes: GraphTable, told: _Defaults, report: AnswerReport) -> Iterator[Answer]:
    """Yield one answer for every reference that is named."""
    best: dict[int, tuple[float, Answer]] = {}
    ids = dict(zip(coco_image_numbers(scenes), scenes.image_ids, strict=True))
    try:
        with path.open("rb") as stream:
            cursor = Cursor(stream, str(path))
            for place in cursor.items("the detections"):
                values = cursor.value(f"detection {place}")
                number = _reference_of(values)
                if number is None:
                    report.add("a detection has no 'ref_id' that is a whole number", f"detection {place}")
                    continue
                score = values.get("score", 1.0)
                is_score = is_number(score)
                answer = _detection(number, values, ids, scenes, told)
                if not is_score:
                    answer, score = answer._replace(fault="the score is no number"), 0.0
                if number not in best or score > best[number][0]:
                    best[number] = float(score), answer
    except BrokenDataset as error:
        report.add("the file cannot be read further", str(error))
    yield from (answer for _, answer in best.values())


def _reference_of(values: Any) -> int | None:
    if not isinstance(values, dict):
        return None
    return next((values[key] for key in ("ref_id", "sent_id", "id") if type(values.get(key)) is int), None)


def _detection(
    number: int, values: Mapping[str, Any], ids: Mapping[int, str], scenes: GraphTable, told: _Defaults
) -> Answer:
    if values.get(NOT_THERE) is True:
        return Answer(number, told.setting, is_absent=True)
    if "ann_id" in values:
        thing = values["ann_id"]
        if type(thing) is not int or not 0 <= thing <= scenes.object_count:
            return Answer(number, told.setting, fault="the annotation is unknown")
        thing %= scenes.object_count  # see `annotation_number`
        image = scenes.image_ids[int(scenes.scene_of[thing])]
        return Answer(number, told.setting, image, scenes.object_ids[thing])
    given = values.get("image_id")
    image = ids.get(given, "") if type(given) is int else id_of(given)
    if not image:
        return Answer(number, told.setting, fault="the image is unknown")
    if "bbox" not in values:
        return Answer(number, told.setting, fault="it has neither 'bbox', 'ann_id' nor 'not there'")
    return _with_box(Answer(number, told.setting, image), values["bbox"], "xywh", scenes)
