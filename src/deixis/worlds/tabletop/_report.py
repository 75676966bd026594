"""Part `paper`: evaluations side by side, by split. There is no published table of these data to stand beside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, RecipeError
from deixis.learn.run import read_json, write_json
from deixis.report.output import Output, TextTable
from deixis.worlds.tabletop._making.splits import TESTS


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


EVALUATION = "evaluation.json"
SPLITS = ("dev", "test", *TESTS)
ABOUT = "Right answers in %, with half of the widest side of the 95 % interval"


def recognises(folder: Path) -> bool:
    """Return whether a folder holds an evaluation of tables."""
    try:
        return bool(json.loads((folder / EVALUATION).read_text(encoding="utf-8")).get("world") == "tabletop")
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Return what all runs score, by split, and write it to a folder if one is given."""
    del progress
    if notes is not None:
        raise RecipeError("--notes are about cells of a published table; there is none of tables")
    found = [_scores(run) for run in runs]
    splits = [split for split in SPLITS if any(split in scores for _, _, scores in found)]
    splits += sorted({split for _, _, scores in found for split in scores} - set(splits))
    rows = [(model, data, *(_cell(scores.get(split)) for split in splits)) for model, data, scores in found]
    for name in dict.fromkeys(data for _, data, _ in found):
        chances = {split: score["chance"] for _, data, s in found if data == name for split, score in s.items()}
        rows.append(("chance", name, *(f"{100 * chances[one]:.1f}" if one in chances else "" for one in splits)))
    heads = ("model", "data", *splits)
    values = {"runs": [{"model": model, "data": data, "splits": scores} for model, data, scores in found]}
    files = []
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        lines = [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]
        (out / "report.md").write_text("\n".join((f"{ABOUT}.", "", *lines)) + "\n", encoding="utf-8")
        write_json(out / "report.json", values)
        files = [out / "report.md", out / "report.json"]
    return Output(values=values, blocks=[f"{ABOUT}.", TextTable(heads, rows, range(2, len(heads)), 2)], files=files)


def _scores(run: Path) -> tuple[str, str, dict[str, Any]]:
    """Return the model, the dataset and the scores by split of an evaluation."""
    values = read_json(run / EVALUATION)
    try:
        scores = {
            str(split): {
                "examples": int(score["examples"]),
                "chance": float(score["chance"]),
                **{name: float(score["accuracy"][name]) for name in ("mean", "low", "high")},
            }
            for split, score in values["splits"].items()
        }
        return str(values["model"] or values["predictions"]["answers"]), str(values["data"]), scores
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{run / EVALUATION} is no evaluation of tables: {str(error)[:60]}") from error


def _cell(score: dict[str, Any] | None) -> str:
    if score is None:
        return ""
    half = max(score["mean"] - score["low"], score["high"] - score["mean"])
    return f"{100 * score['mean']:.1f} ±{100 * half:.1f}"
