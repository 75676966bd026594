"""How a model is trained: the frozen record that its checkpoints carry."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, get_args

from deixis.errors import RecipeError, nearest
from deixis.learn.settings import Precision
from deixis.numbers import is_number
from deixis.worlds.grid.models.registry import find_model, find_quirks, settings_of
from deixis.worlds.grid.training.order import Batching


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["MAY_CHANGE", "Training", "training_from", "training_of"]

MAY_CHANGE = ("updates", "cooldown", "save_every", "log_every", "half", "tensorboard")  # when a run goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """One training, given its data.

    Attributes:
        model: one of `worlds.grid.models.registry.MODELS`.
        settings: the sizes of the model that are not the published ones.
        seed: weights, order, dropout and the choice of dev examples follow from it.
        updates: how many in all.
        batch: examples of an update.
        rate: the learning rate at the start, after the warm-up.
        decay, decay_every: the rate is multiplied by `decay` every so many updates, smoothly; 0 keeps it constant.
        warmup: updates over which the rate rises from 0.
        cooldown: updates at the end over which the rate falls to nothing, besides its decay.
        clip: the largest norm of a gradient; 0 for no limit.
        weight_decay: by what part of itself, times the rate, each weight of a product or table shrinks in an update,
            apart from what Adam does (as in AdamW); biases and norms do not.
        pointing: how much it counts, besides the plan, that a model which `points` does so at the cell of the target,
            and one which `points_mentions` at the cells of all objects that a command mentions.
        easy_first, easy_words: in so many updates at the beginning, only commands of so many words at most are learnt.
        rare_first, rare_share: in so many updates after those, commands with a rare word are shown more often, up to
            eight times, as if each word were in such a share of all commands.
        batching: plans of about the same length together, or examples as they come.
        precision: of the heavy products; `auto` is bf16 on a GPU and fp32 on a CPU.
        look_every: updates between two looks at dev; there is one at the end, too.
        dev_examples: how many of dev are looked at, always the same; with 0 nothing is selected and the last weights
            count.
        decode_limit: actions after which a plan is cut.
        save_every: updates between two checkpoints, besides those at every look; 0 for none.
        log_every: updates between two lines of the log.
        compile: whether parts of the model are compiled by torch.
        quirks: names of oddities of the published code that are repeated, see `worlds.grid.models.registry`.
        half: whether the best weights are kept in bfloat16, at half the size.
        tensorboard: whether event files are written besides the log.
    """

    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    updates: int = 100_000
    batch: int = 200
    rate: float = 1e-3
    decay: float = 0.9
    decay_every: int = 20_000
    warmup: int = 0
    cooldown: int = 0
    clip: float = 0.0
    weight_decay: float = 0.0
    pointing: float = 0.0
    easy_first: int = 0
    easy_words: int = 10
    rare_first: int = 0
    rare_share: float = 0.2
    batching: Batching = "bucketed"
    precision: Precision = "auto"
    look_every: int = 1000
    dev_examples: int = 2000
    decode_limit: int = 120
    save_every: int = 5000
    log_every: int = 100
    compile: bool = False
    quirks: tuple[str, ...] = ()
    half: bool = False
    tensorboard: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.settings, dict):
            raise RecipeError(f"settings must be a table of names and values, got {self.settings!r}")
        settings_of(self.model, self.settings)
        find_quirks(self.model, self.quirks)
        for name, (least, most) in _WHOLE.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise RecipeError(f"{name} must be a whole number from {least} to {most:,}, got {value!r}")
        for name, (fits, wanted) in _REAL.items():
            value = getattr(self, name)
            if not is_number(value) or not fits(value):
                raise RecipeError(f"{name} must be a number {wanted}, got {value!r}")
        for name, known in (("batching", get_args(Batching)), ("precision", get_args(Precision))):
            if getattr(self, name) not in known:
                raise RecipeError(f"unknown {name} {getattr(self, name)!r}; known: {', '.join(known)}")
        for name in ("compile", "half", "tensorboard"):
            if not isinstance(getattr(self, name), bool):
                raise RecipeError(f"{name} is true or false, got {getattr(self, name)!r}")

    def rate_at(self, update: int) -> float:
        """The learning rate of an update, counted from 0."""
        rate = self.rate * (self.decay ** (update / self.decay_every) if self.decay_every else 1.0)
        if update + 1 < self.warmup:
            rate *= (update + 1) / self.warmup
        if self.cooldown and update > self.cools_from:
            rate *= max(0, self.updates - update) / (self.updates - self.cools_from)
        return rate

    @property
    def cools_from(self) -> int:
        """How many updates are taken before the rate begins to fall to nothing; all, where it does not."""
        return max(0, self.updates - self.cooldown)

    def to_dict(self) -> dict[str, Any]:
        """The record as plain data; `training_from` is the inverse."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @property
    def digest(self) -> str:
        """A name for the way that the weights take; how far they go on it, and cool down there, is no part of it."""
        way = {name: value for name, value in self.to_dict().items() if name not in MAY_CHANGE}
        return sha256(json.dumps(way, sort_keys=True).encode()).hexdigest()


_WHOLE = {
    "seed": (0, (1 << 63) - 1),
    "updates": (1, 1 << 32),
    "batch": (1, 1 << 20),
    "decay_every": (0, 1 << 32),
    "warmup": (0, 1 << 32),
    "cooldown": (0, 1 << 32),
    "easy_first": (0, 1 << 32),
    "easy_words": (1, 1 << 16),
    "rare_first": (0, 1 << 32),
    "look_every": (1, 1 << 32),
    "dev_examples": (0, 1 << 32),
    "decode_limit": (1, 10_000),
    "save_every": (0, 1 << 32),
    "log_every": (1, 100_000),
}
_REAL: dict[str, tuple[Callable[[float], bool], str]] = {
    "rate": (lambda value: 0 < value <= 10, "above 0 and up to 10"),
    "decay": (lambda value: 0 < value <= 1, "above 0 and up to 1"),
    "rare_share": (lambda value: 0 < value <= 1, "above 0 and up to 1"),
    "clip": (lambda value: value >= 0, "of at least 0"),
    "weight_decay": (lambda value: 0 <= value <= 10, "from 0 to 10"),
    "pointing": (lambda value: 0 <= value <= 100, "from 0 to 100"),
}


def training_of(model: str, changes: Mapping[str, Any] | None = None, *, quick: bool = False) -> Training:
    """The published training of a model with some changes; what a quirk changes gives way to what is said outright.

    Args:
        model: one of `worlds.grid.models.registry.MODELS`.
        changes: fields of `Training`.
        quick: whether to begin with what we found to learn in minutes on a GPU, instead of what is published.

    Raises:
        RecipeError: when a change has an unknown name or an impossible value.
        UnknownName: when there is no such model or quirk.
    """
    changes = {**(changes or {}), "model": model}
    quirks = find_quirks(model, _names(changes.get("quirks", ())))
    known = find_model(model)
    ours = dict(known.quick) if quick else {}
    inside = dict(ours.pop("settings", {}))
    for quirk in quirks:
        ours |= quirk.training
        inside |= quirk.settings
    said = changes.get("settings", {})
    if isinstance(said, dict):
        changes["settings"] = inside | said
    return training_from({**known.training, **ours, **changes})


def training_from(values: Mapping[str, Any]) -> Training:
    """A training from plain data."""
    known = [one.name for one in fields(Training)]
    for name in values:
        if name not in known:
            raise RecipeError(f"a training has no setting {name!r}{nearest(str(name), known)}")
    if not isinstance(values.get("model"), str):
        raise RecipeError("a training needs the name of a model")
    return Training(**{**values, "quirks": _names(values.get("quirks", ()))})


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise RecipeError(f"quirks must be a list of names, got {value!r}")
    return tuple(value)
