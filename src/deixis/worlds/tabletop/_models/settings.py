"""Settings of the training of a reader of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from deixis.settings import MAX_SEED, MAX_STEPS, Setting, Settings


Reads: TypeAlias = Literal["parse", "bag", "nothing"]
COOLDOWN_SHARE = 0.2  # of all steps, at the end, over which the learning rate falls to 0
CROP = 28
"""Pixels of a side of what is cut out of a picture around each solid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReading(Settings):
    """Settings of the training of a reader, which finds solids by what is said of them."""

    seed: Annotated[int, Setting("random seed of weights and order", least=0, most=MAX_SEED)] = 0
    reads: Annotated[
        Reads,
        Setting(
            "what is told of an expression: its parse; the bag of its words, without their order; or nothing at all"
        ),
    ] = "parse"
    steps: Annotated[int, Setting("optimizer steps in all", least=1, most=MAX_STEPS, may_change=True)] = 2000
    batch_size: Annotated[int, Setting("expressions in a step", least=2, most=1 << 16)] = 64
    lr: Annotated[
        float, Setting("learning rate; it falls to 0 over the last fifth of the steps", least=1e-9, most=10)
    ] = 3e-3
    clip: Annotated[float, Setting("largest norm of the gradient; 0 for no clipping", least=0, most=1e6)] = 1.0
    truth: Annotated[
        float, Setting("how much it counts that fits are probabilities", least=0, most=100, is_option=False)
    ] = 0.1
    width: Annotated[int, Setting("width of words and looks", least=1, most=4096)] = 64
    pair: Annotated[int, Setting("width of what is seen of two solids together", least=1, most=4096)] = 32
    eval_every: Annotated[
        int, Setting("steps between evaluations on dev", least=1, most=MAX_STEPS, may_change=True)
    ] = 250
    log_every: Annotated[
        int, Setting("steps between lines of the log", least=1, most=100_000, is_option=False, may_change=True)
    ] = 50
    save_every: Annotated[
        int, Setting("steps between checkpoints besides those at evaluations", least=1, most=MAX_STEPS, may_change=True)
    ] = 500

    def lr_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        left = (self.steps - step) / max(1.0, COOLDOWN_SHARE * self.steps)
        return self.lr * min(1.0, left)
