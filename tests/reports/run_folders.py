"""Folders as training and judging leave them, with values that mean nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from pathlib import Path


ALL = ("p1", "p2", "p3")
DIGEST = "ab12" * 16
SPLITS = ("dev", "test", "a1", "a2", "a3", "b1", "b2", "c1", "c2")


def score(exact: float, examples: int = 1000, **further: Any) -> dict[str, Any]:
    """What evaluation.json says of a split."""
    return {"examples": examples, "exact": exact, "exact_cut_30": exact, "got_there": exact, **further}


def evaluation(exact: float, *, model: str, patterns: tuple[str, ...] = ALL) -> dict[str, Any]:
    """An evaluation in which every split is a little worse than the one before."""
    splits = {name: score(round(exact * 0.97**place, 4)) for place, name in enumerate(SPLITS)}
    splits["test"]["by"] = {"pattern": {name: score(exact, 300) for name in patterns}}
    return {
        "format": 1,
        "kind": "plans evaluation",
        "data": "reascan",
        "digest": DIGEST,
        "model": model,
        "decode_limit": 120,
        "splits": splits,
    }


def run_facts(model: str, *, seed: int, patterns: tuple[str, ...] = ALL, **further: Any) -> dict[str, Any]:
    """What run.json says."""
    training = {"data": "reascan", "digest": DIGEST, "split": "train", "examples": 5000, "patterns": list(patterns)}
    chosen = {"on": "dev", "metric": "exact match", "evaluations": 4, "examples": 200, "best_step": 300, "best": 0.5}
    return {
        "format": 1,
        "kind": "run",
        "name": f"{model}-{seed}",
        "model": model,
        "settings": {"rate": 0.001},
        "training": training,
        "seed": seed,
        "steps": 400,
        "batch_size": 50,
        "device": "a machine",
        "seconds": 12.5,
        "examples_per_second": 1600.0,
        "parameters": 1234,
        "selection": chosen,
        "quirks": [],
        **further,
    }


def log_lines(updates: int = 400) -> list[dict[str, Any]]:
    """A log in which the loss falls and the exact match rises."""
    lines: list[dict[str, Any]] = []
    for update in range(10, updates + 1, 10):
        lines.append({"step": update, "loss": 2 / (1 + update / 40), "lr": 0.001, "seconds": update / 30})
        if update % 100 == 0:
            lines.append({"step": update, "dev": {"exact": 0.1 + 0.5 * update / updates, "examples": 200}})
    return lines


def write_run(
    folder: Path, model: str, exact: float, *, seed: int = 1, patterns: tuple[str, ...] = ALL, **further: Any
) -> Path:
    """A whole run folder."""
    folder.mkdir(parents=True)
    facts = run_facts(model, seed=seed, patterns=patterns, **further)
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    judged = evaluation(exact, model=model, patterns=patterns)
    (folder / "evaluation.json").write_text(json.dumps(judged), encoding="utf-8")
    lines = "".join(json.dumps(line) + "\n" for line in log_lines())
    (folder / "log.jsonl").write_text(lines, encoding="utf-8")
    return folder


def change(path: Path, **values: Any) -> None:
    """Change what a JSON file says."""
    facts = json.loads(path.read_text(encoding="utf-8")) | values
    path.write_text(json.dumps(facts), encoding="utf-8")
