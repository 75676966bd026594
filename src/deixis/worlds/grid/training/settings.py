"""Settings of trainings that are about instructions: the frozen record that checkpoints carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from deixis.errors import RecipeError
from deixis.learn.run import Precision
from deixis.settings import MAX_SEED, MAX_STEPS, Setting, Settings
from deixis.worlds.grid.training._order import Batching
from deixis.worlds.grid.training._published import find_published, find_quirks


__all__ = ["Training", "training_from", "training_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Training(Settings):
    """One training, given its data."""

    model: Annotated[str, Setting("name of the model", is_option=False)]
    settings: Annotated[
        Mapping[str, Any], Setting("sizes of the model that are not the published ones", is_option=False)
    ] = field(default_factory=dict)
    seed: Annotated[int, Setting("random seed of weights, order and dropout", least=0, most=MAX_SEED)] = 0
    steps: Annotated[
        int, Setting("optimizer steps in all", least=1, most=MAX_STEPS, was="updates", may_change=True)
    ] = 100_000
    batch_size: Annotated[int, Setting("examples in a step", least=1, most=1 << 20, was="batch")] = 200
    lr: Annotated[float, Setting("learning rate after the warm-up", above=0, most=10, was="rate")] = 1e-3
    decay: Annotated[
        float,
        Setting("factor of the learning rate every `decay_every` steps, smoothly", above=0, most=1, is_option=False),
    ] = 0.9
    decay_every: Annotated[
        int, Setting("steps after which `decay` is reached; 0 for no decay", least=0, most=MAX_STEPS, is_option=False)
    ] = 20_000
    warmup: Annotated[int, Setting("steps of linear warm-up", least=0, most=MAX_STEPS)] = 0
    cooldown: Annotated[
        int,
        Setting("steps at the end over which the learning rate falls to 0", least=0, most=MAX_STEPS, may_change=True),
    ] = 0
    clip: Annotated[float, Setting("largest norm of the gradient; 0 for no clipping", least=0)] = 0.0
    weight_decay: Annotated[
        float, Setting("decoupled weight decay (AdamW); not applied to biases and norms", least=0, most=10)
    ] = 0.0
    pointing: Annotated[
        float, Setting("weight of the pointing loss, for models that point", least=0, most=100, is_option=False)
    ] = 0.0
    easy_first: Annotated[
        int, Setting("first steps that see short commands only", least=0, most=MAX_STEPS, is_option=False)
    ] = 0
    easy_words: Annotated[int, Setting("words of a short command at most", least=1, most=1 << 16, is_option=False)] = 10
    rare_first: Annotated[
        int,
        Setting("next steps that oversample commands with rare words", least=0, most=MAX_STEPS, is_option=False),
    ] = 0
    rare_share: Annotated[
        float,
        Setting("share of commands that each word is raised to, up to eightfold", above=0, most=1, is_option=False),
    ] = 0.2
    batching: Annotated[
        Batching, Setting("batches of plans of about the same length (bucketed), or of random examples")
    ] = "bucketed"
    precision: Annotated[
        Precision, Setting("precision of matrix products; auto is bf16 on a GPU and fp32 on a CPU")
    ] = "auto"
    eval_every: Annotated[
        int, Setting("steps between evaluations on dev", least=1, most=MAX_STEPS, was="look_every")
    ] = 1000
    dev_examples: Annotated[
        int,
        Setting(
            "dev examples per evaluation; with 0 no checkpoint is selected and the last one is kept",
            least=0,
            most=MAX_STEPS,
            is_option=False,
        ),
    ] = 2000
    decode_limit: Annotated[
        int, Setting("actions after which decoding stops", least=1, most=10_000, is_option=False)
    ] = 120
    save_every: Annotated[
        int, Setting("steps between checkpoints besides those at evaluations", least=0, most=MAX_STEPS, may_change=True)
    ] = 5000
    log_every: Annotated[
        int, Setting("steps between lines of the log", least=1, most=100_000, is_option=False, may_change=True)
    ] = 100
    compile: Annotated[bool, Setting("let torch compile parts of the model")] = False
    quirks: Annotated[tuple[str, ...], Setting("quirks of the published code to repeat", is_option=False)] = ()
    half: Annotated[bool, Setting("keep the best weights in bfloat16, at half the size", may_change=True)] = False
    tensorboard: Annotated[bool, Setting("also write event files for TensorBoard", may_change=True)] = False

    def demand_sense(self) -> None:
        """Raise `RecipeError` for sizes that the model cannot have, `UnknownName` for quirks that it does not."""
        from deixis.worlds.grid.models.registry import settings_of

        settings_of(self.model, self.settings)
        find_quirks(self.model, self.quirks)

    def lr_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        lr = self.lr * (self.decay ** (step / self.decay_every) if self.decay_every else 1.0)
        if step + 1 < self.warmup:
            lr *= (step + 1) / self.warmup
        if self.cooldown and step > self.cooldown_start:
            lr *= max(0, self.steps - step) / (self.steps - self.cooldown_start)
        return lr

    @property
    def cooldown_start(self) -> int:
        """Number of steps before the cooldown begins, or all if there is none."""
        return max(0, self.steps - self.cooldown)


def training_of(model: str, changes: Mapping[str, Any] | None = None, *, quick: bool = False) -> Training:
    """The published training of a model with some changes, which override what quirks change.

    Args:
        model: one of `PUBLISHED`.
        changes: fields of `Training`.
        quick: whether to begin with what trains in minutes on a GPU, instead of what is published.

    Raises:
        RecipeError: when a change has an unknown name or an impossible value.
        UnknownName: when there is no such model or quirk.
    """
    changes = {**Training.rename(changes or {}), "model": model}
    known = find_published(model)
    ours = dict(known.quick) if quick else {}
    inside = dict(ours.pop("settings", {}))
    for quirk in find_quirks(model, _names(changes.get("quirks", ()))):
        ours |= quirk.training
        inside |= quirk.settings
    said = changes.get("settings", {})
    if isinstance(said, dict):
        changes["settings"] = inside | said
    return training_from({**known.training, **ours, **changes})


def training_from(values: Mapping[str, Any]) -> Training:
    """Return a training from plain data, as the inverse of `to_dict`."""
    if not isinstance(values.get("model"), str):
        raise RecipeError("a training needs the name of a model")
    return Training.read(values)


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise RecipeError(f"quirks must be a list of names, got {value!r}")
    return tuple(value)
