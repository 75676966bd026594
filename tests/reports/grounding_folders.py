"""Folders as training and judging models that ground expressions leave them, with values that mean nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.worlds.photos.localise import FORMS, LENGTHS, SETTINGS


if TYPE_CHECKING:
    from pathlib import Path


CHANCE = {"Full": 0.004, "DiffCat": 0.017, "Cat": 0.018, "Cat&attr": 0.019, "Cat&cat": 0.017, "WithoutDist": 0.066}


def share(mean: float, rows: int = 1000) -> dict[str, Any]:
    """A share with its interval."""
    return {"mean": mean, "low": max(mean - 0.02, 0), "high": min(mean + 0.02, 1), "rows": rows}


def write_trial(
    folder: Path,
    model: str,
    accuracy: dict[str, float],
    *,
    seed: int = 1,
    retriever: str = "",
    is_trained: bool = True,
    begins_with: str = "",
    **settings: Any,
) -> Path:
    """A whole run folder; `accuracy` is by setting."""
    folder.mkdir(parents=True)
    probe, mining = settings.setdefault("probe", "none"), settings.setdefault("mining", "none")
    if is_trained:
        facts = {
            "format": 1,
            "kind": "run",
            "name": folder.name,
            "model": "grounding",
            "settings": {"model": model, "sizes": {"width": 8}, "features": "oracle", "seed": seed, **settings},
            "seed": seed,
            "updates": 40,
            "updates_wanted": 40,
            "batch": 4,
            "training": {
                "name": "photographs",
                "digest": "ab" * 32,
                "examples": 60,
                "features": "oracle",
                "begins with": begins_with,
            },
            "best": {"merit": 0.5, "update": 20},
            "parameters": {model: 1234},
            "device": "a machine",
            "seconds": 12.5,
            "examples_per_second": 160.0,
        }
        (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        lines = [{"update": update, "loss": 1 / update} for update in range(1, 41)]
        lines += [{"update": update, "look": {"Full": 0.1, "WithoutDist": 0.5}} for update in (20, 40)]
        (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    if accuracy:
        (folder / "evaluation.json").write_text(
            json.dumps(_evaluation(model, accuracy, seed, retriever, probe, mining)), encoding="utf-8"
        )
    return folder


def _evaluation(
    model: str, accuracy: dict[str, float], seed: int, retriever: str, probe: str, mining: str
) -> dict[str, Any]:
    told = {"accuracy": 0.7, "found": 0.8, "denied": 0.6, "area under the curve": 0.75}
    about = {
        "model": model,
        "mining": mining,
        "probe": probe,
        "features": "oracle",
        "seed": seed,
        "updates": 20,
        "checkpoint": f"checkpoint of {model} {mining} {probe} {seed}",
        "retriever": retriever,
        "telling what is there": {"Full": told},
    }
    settings = {
        name: {
            "accuracy": share(accuracy[name]),
            "chance": CHANCE[name],
            "by form": {form: share(0.3 + 0.3 * (form == "order"), 200) for form in FORMS},
            "by length": {length: share(0.3 + 0.3 * (length == "middle"), 300) for length in LENGTHS},
            "wrong choices by place": {"right image": 10, "Cat": 30},
            "wrong choices by category": {"same category": 35, "another category": 5},
            "wrong choices by what was missed": {"color": 2.5},
        }
        for name in SETTINGS
        if name in accuracy
    }
    return {"deixis": "0", "data": "photographs", "splits": ["test"], "seed": 0, "model": about, "settings": settings}
