"""Trainings of a second."""

from __future__ import annotations

from typing import Any

from deixis.worlds.photos.training.settings import Grounding, grounding_of


__all__ = ["SIZES", "small"]

SIZES: dict[str, dict[str, Any]] = {
    "grounder": {"width": 12, "joint": 8},
    "mattnet": {"width": 8},
    "cm-att-erase": {"width": 8, "bottleneck": 4},
    "scan": {"width": 8, "word_width": 6},
    "tree": {"width": 8, "pair": 4},
}


def small(model: str, **changes: Any) -> Grounding:
    """A model with few weights that learns from what scene graphs say."""
    few = {"features": "oracle", "sizes": SIZES[model], "steps": 6, "batch_size": 4, "eval_every": 3, "log_every": 1}
    return grounding_of(model, {**few, "first_stage": 0, **changes})
