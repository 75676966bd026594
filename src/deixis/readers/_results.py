"""What judging choices and judging boxes share: which examples are judged, lines of answers, and what is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.data._kept_results import demand_same, place_for, read_kept, write_evaluation
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset, UnknownName
from deixis.judge.verdicts import VERDICTS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import Examples


def examples_to_judge(examples: Examples, splits: Sequence[str]) -> list[ReadExample]:
    """Return the examples of some splits, by default of all but train, or of all if there is no other split."""
    known = list(examples.splits)
    unknown = [split for split in splits if split not in known]
    if unknown:
        raise UnknownName(f"there is no split {unknown[0]!r} in {examples.path.name}; it has {', '.join(known)}")
    wanted = set(splits) or {split for split in known if split != "train"} or set(known)
    return [one for one in examples if wanted.intersection(names_in_split(one.split))]  # type: ignore[misc]


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


def write_results(
    request: Request, values: Mapping[str, Any], write_verdicts: Callable[[Path, bool], None]
) -> tuple[list[Path], list[str]]:
    """Write an evaluation and its verdicts, keep those of other splits, and return the files and what to tell.

    Args:
        request: says where.
        values: the evaluation.
        write_verdicts: is given the file, and whether to keep what it holds of other splits.
    """
    out = place_for(request.out, {"data": values["data"], "digest": values["digest"]})  # type: ignore[arg-type]
    kept = read_kept(out)
    demand_same(out, _answerer(values), None if kept is None else _answerer(kept), force=request.force)
    before = {} if kept is None or request.force else dict(kept.get("splits") or {})
    others = [split for split in before if split not in values["splits"]]
    write_verdicts(out / VERDICTS, bool(others))
    files = [write_evaluation(out, {**values, "splits": before | values["splits"]}), out / VERDICTS]
    notes = [f"Kept there of earlier: {', '.join(others)}"] if others else []
    return files, notes + ([f"{request.out} itself holds results on another dataset"] if out != request.out else [])


def _answerer(kept: Mapping[str, Any]) -> dict[str, Any]:
    facts = kept.get("predictions")
    return {"model": kept.get("model") or "", **(facts if isinstance(facts, dict) else {})}
