"""Part `paper`: evaluations side by side, by split. There is no published table of these data to stand beside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, RecipeError
from deixis.learn.run import read_json, write_json
from deixis.report._json_facts import flat_facts
from deixis.report._results.groups import group_runs
from deixis.report._runs import read_run
from deixis.report.output import Output, TextTable
from deixis.worlds.tabletop._making.splits import TESTS


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.report._runs import Run


EVALUATION = "evaluation.json"
SPLITS = ("dev", "test", *TESTS)
IGNORED = ("seed", "eval_every", "log_every", "save_every")  # settings that do not say how a model was trained
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
    found = [(name, *_scores(run)[1:]) for name, run in zip(_names(runs), runs, strict=True)]
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


def _names(folders: Sequence[Path]) -> list[str]:
    """Return the models with what sets their runs apart: settings, then seeds, then the names of the folders."""
    runs = [read_run(folder, is_strict=False) for folder in folders]
    judged = [_scores(folder)[:2] for folder in folders]
    names = [""] * len(runs)
    groups = group_runs(
        range(len(runs)),
        kind=lambda place: (judged[place][0], judged[place][0]),
        within=lambda place: judged[place][1],
        traits=lambda place: _traits(runs[place]),
        has_settings=lambda place: bool(_traits(runs[place])),
        order=lambda place: (runs[place].seed or 0, runs[place].folder),
    )
    for group in groups:
        seeds = [runs[place].seed for place in group.runs]
        are_named = None not in seeds and len(set(seeds)) == len(seeds)
        for place, seed in zip(group.runs, seeds, strict=True):
            own = f", seed {seed}" if are_named else f", {runs[place].folder}"
            names[place] = group.label + own * (len(seeds) > 1)
    return names


def _traits(run: Run) -> dict[str, str]:
    """How a model was trained; empty where that is not known."""
    settings = dict(flat_facts(run.trained.inner("settings").values))
    found = {name: value for name, value in settings.items() if name not in IGNORED}
    if found and run.training is not None:
        found["trained on"] = f"{run.training.name} ({run.training.digest[:8]})"
        found["begins with"] = "a checkpoint" if run.training.begins_with else "fresh weights"
    return found


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
