"""Answers that are judged example by example: to which examples, how files of them are read, and what is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis._version import __version__
from deixis.data._kept_results import demand_same, place_for, read_kept, write_evaluation
from deixis.data._split_names import names_in_split
from deixis.data.store import MANIFEST, open_dataset
from deixis.errors import BrokenDataset, UnknownName
from deixis.judge.verdicts import VERDICTS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.worlds.world import Examples


def examples_to_judge(examples: Examples, splits: Sequence[str]) -> dict[int, Any]:
    """Return the examples of some splits by number, by default of all but train, or of all without another split."""
    known = list(examples.splits)
    unknown = [split for split in splits if split not in known]
    if unknown:
        raise UnknownName(f"there is no split {unknown[0]!r} in {examples.path.name}; it has {', '.join(known)}")
    wanted = set(splits) or {split for split in known if split != "train"} or set(known)
    return {number: one for number, one in enumerate(examples) if wanted.intersection(names_in_split(one.split))}


def answer_lines(path: Path) -> Iterator[Any]:
    """Yield the value of every line, None of one that is no JSON."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for line in stream:
                if line.strip():
                    try:
                        yield json.loads(line)
                    except (ValueError, RecursionError):
                        yield None
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"{path} cannot be read: {error}") from error


def begin_results(request: Request, *, world: str, word: str) -> dict[str, Any]:
    """Return what an evaluation says first, or raise `RecipeError` where the folder holds results of other answers.

    Args:
        request: what is judged, and where results go.
        world: what the answers are about.
        word: the baseline or model that answered; empty for answers in files.
    """
    data = request.folder
    names = " and ".join(path.resolve().name for path in request.answers)
    values = {
        "deixis": __version__,
        "world": world,
        "model": word or None,
        "predictions": {"answers": None if word else names, "seed": request.seed if word else None},
        "data": data.name,
        "digest": open_dataset(data).digest if (data / MANIFEST).is_file() else "",
        "seed": request.seed,
    }
    if request.out is not None:
        _place_of(request.out, values, force=request.force)
    return values


def write_results(
    request: Request, values: Mapping[str, Any], write_verdicts: Callable[[Path, bool], None]
) -> tuple[list[Path], list[str]]:
    """Write an evaluation and its verdicts, keep those of other splits, and return the files and what to tell.

    Args:
        request: says where; nothing is written where it names no folder.
        values: the evaluation.
        write_verdicts: is given the file, and whether to keep what it holds of other splits.
    """
    if request.out is None:
        return [], []
    out, kept = _place_of(request.out, values, force=request.force)
    before = {} if kept is None or request.force else dict(kept.get("splits") or {})
    others = [split for split in before if split not in values["splits"]]
    write_verdicts(out / VERDICTS, bool(others))
    files = [write_evaluation(out, {**values, "splits": before | values["splits"]}), out / VERDICTS]
    notes = [f"Kept there of earlier: {', '.join(others)}"] if others else []
    return files, notes + ([f"{request.out} itself holds results on another dataset"] if out != request.out else [])


def _place_of(out: Path, values: Mapping[str, Any], *, force: bool) -> tuple[Path, dict[str, Any] | None]:
    """The folder for results, and the results that are there, which have to be of the same answerer."""
    place = place_for(out, {"data": values["data"], "digest": values["digest"]})
    kept = read_kept(place)
    demand_same(place, _answerer(values), None if kept is None else _answerer(kept), force=force)
    return place, kept


def _answerer(kept: Mapping[str, Any]) -> dict[str, Any]:
    facts = kept.get("predictions")
    return {"model": kept.get("model") or "", **(facts if isinstance(facts, dict) else {})}
