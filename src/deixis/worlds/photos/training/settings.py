"""How a model learns to find what expressions point at: the frozen record that its checkpoints carry.

| name | model | published training |
|---|---|---|
| `grounder` | GroundeR | Adam, rate 0.001, 40 expressions at a time |
| `mattnet` | MattNet | rate 0.0004, Adam with 0.8 and 0.999, gradients cut at 0.1; ten times slower every 8,000 updates after 8,000 |
| `cm-att-erase` | CM-Att-Erase | the same in two stages; in the second, words and things are erased |
| `scan` | SCAN, which finds images | rate 0.0002, 128 expressions at a time, gradients of norm 2 at most |
| `tree` | modules along the tree of an expression | not published: rate 0.0004, gradients of norm 2 at most |

MattNet-Mine is `mattnet` with `mining`; its second stage mines.
"""  # noqa: E501 (a row of a table)

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from deixis.errors import RecipeError, nearest
from deixis.learn.settings import (
    MAY_CHANGE,
    demand_choices,
    demand_flags,
    demand_known,
    demand_real,
    demand_whole,
)
from deixis.numbers import is_number


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["MODELS", "PUBLISHED", "RECORDED", "Decay", "Grounding", "Mining", "Precision", "Probe", "grounding_of"]

Probe: TypeAlias = Literal["none", "deaf", "shuffle", "obj-attr"]
Decay: TypeAlias = Literal["smooth", "steps"]
Precision: TypeAlias = Literal["auto", "fp32", "tf32"]
Mining: TypeAlias = Literal["none", "random", "class-aware", "sentence-sim", "module-specific"]
OPEN = (*MAY_CHANGE, "record")  # what may change when a run goes on
_MATTNET: dict[str, Any] = {
    "updates": 30_000,
    "batch": 30,
    "repeats": 3,
    "rate": 4e-4,
    "betas": (0.8, 0.999),
    "clamp": 0.1,
    "decay_from": 8_000,
    "decay_every": 8_000,
}
PUBLISHED: dict[str, dict[str, Any]] = {
    "grounder": {"updates": 30_000, "batch": 40, "rate": 1e-3},
    "mattnet": _MATTNET,
    "cm-att-erase": {**_MATTNET, "updates": 60_000, "first_stage": 30_000},
    "scan": {
        "updates": 28_000,
        "batch": 128,
        "rate": 2e-4,
        "clip": 2.0,
        "decay": "steps",
        "decay_from": 14_000,
        "decay_every": 14_000,
    },
    "tree": {"updates": 30_000, "batch": 64, "rate": 4e-4, "clip": 2.0, "decay_from": 8_000, "decay_every": 8_000},
}
MODELS = tuple(PUBLISHED)
MINES = ("mattnet",)  # models with phrases of their own for each module
RECORDED = ("mattnet", "cm-att-erase")  # models whose lessons are all of one shape, unless they learn to see


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """One training, given its data.

    Attributes:
        model: one of `MODELS`.
        sizes: of the model, where they are not the published ones.
        features: what regions look like: `lite0`, `handcrafted`, `oracle`, the path of what a detector saw, or a
            network that learns to see together with the model, `tiny`.
        eyes: for `tiny`, sizes of the network where they are not the usual ones: `side`, `low` and `high`.
        grid: cells of a region across and down, where pictures are looked at.
        noise: of `oracle`.
        probe: what is done to every expression, in training and afterwards: no words at all (`deaf`), their order lost
            (`shuffle`), or only nouns and attributes left (`obj-attr`).
        seed: weights, order, negatives and all chance follow from it.
        updates, batch: how many updates, and how many expressions each is made with.
        repeats: how often an expression stands in an update, each time against other negatives.
        rate, betas, clamp, clip: of Adam; the largest number in a gradient, and the largest norm; 0 for no limit.
        decay_from, decay_every: after so many updates of a stage, the rate becomes ten times smaller every so many;
            with `decay_every` 0 it stays.
        decay: whether it does so `smooth`ly, a little with every update, or in `steps`, the first at `decay_from`.
        first_stage: updates before the second stage begins, in which a model erases or mines; 0 where there is only
            one stage, in which it then does so from the beginning.
        same_category: how often a negative is of the target's category, where the image has one.
        mining: where expressions that are easily mistaken are taken from: anywhere (`random`), from those about the
            same category (`class-aware`), of these rather those with similar words (`sentence-sim`), or rather those
            with a similar phrase for a module (`module-specific`).
        refresh_every: updates after which these are drawn anew.
        temperature: the larger, the less similarity counts.
        anywhere: how often one is taken from anywhere all the same, whatever is mined.
        exclude_same_image: whether nothing is mined from the image of the expression itself.
        exclude_true: whether nothing is mined that is true of the target as well, as the scene graph has it.
        precision: of products: `fp32`, `tf32`, or the faster of them that the device has, `auto`.
        record: whether updates are recorded on a GPU and replayed, where lessons are all of one shape.
        look_every, look_at: updates between two looks at the split val, and at how many of its expressions.
        log_every, save_every: updates between two lines of the log, and two checkpoints besides those at every look.
    """

    model: str
    sizes: Mapping[str, Any] = field(default_factory=dict)
    features: str = "lite0"
    eyes: Mapping[str, Any] = field(default_factory=dict)
    grid: int = 3
    noise: float = 0.25
    probe: Probe = "none"
    seed: int = 0
    updates: int = 30_000
    batch: int = 30
    repeats: int = 1
    rate: float = 4e-4
    betas: tuple[float, float] = (0.9, 0.999)
    clamp: float = 0.0
    clip: float = 0.0
    decay_from: int = 0
    decay_every: int = 0
    decay: Decay = "smooth"
    first_stage: int = 0
    same_category: float = 0.3
    mining: Mining = "none"
    refresh_every: int = 50
    temperature: float = 1.0
    anywhere: float = 0.0
    exclude_same_image: bool = True
    exclude_true: bool = False
    precision: Precision = "auto"
    record: bool = True
    look_every: int = 2000
    look_at: int = 2000
    log_every: int = 100
    save_every: int = 2000

    def __post_init__(self) -> None:
        _demand(self)

    @property
    def digest(self) -> str:
        """A name for the way that the weights take; how far they go on it is no part of it."""
        way = {name: value for name, value in asdict(self).items() if name not in OPEN}
        return sha256(json.dumps(way, sort_keys=True).encode()).hexdigest()

    @property
    def is_recorded(self) -> bool:
        """Whether updates on a GPU are recorded and replayed: if that is wanted, and their shapes stay the same."""
        return self.record and self.model in RECORDED and self.features != "tiny"

    def is_second_stage(self, update: int) -> bool:
        """Whether an update, counted from 0, is of the second stage."""
        return update >= self.first_stage

    def rate_at(self, update: int) -> float:
        """The learning rate of an update, counted from 0; the second stage begins as the first did."""
        within = update - self.first_stage if self.is_second_stage(update) else update
        if not self.decay_every or within < self.decay_from:
            return self.rate
        late = (within - self.decay_from) / self.decay_every
        return float(self.rate * 0.1 ** (late if self.decay == "smooth" else 1 + int(late)))


_WHOLE = {
    "seed": (0, (1 << 63) - 1),
    "updates": (1, 1 << 32),
    "batch": (2, 1 << 16),
    "repeats": (1, 64),
    "grid": (1, 16),
    "decay_from": (0, 1 << 32),
    "decay_every": (0, 1 << 32),
    "first_stage": (0, 1 << 32),
    "refresh_every": (1, 100_000),
    "look_every": (1, 1 << 32),
    "look_at": (1, 1 << 32),
    "log_every": (1, 100_000),
    "save_every": (1, 1 << 32),
}
_REAL = {
    "noise": (0.0, 100.0),
    "rate": (1e-9, 10.0),
    "clamp": (0.0, 1e6),
    "clip": (0.0, 1e6),
    "same_category": (0.0, 1.0),
    "temperature": (1e-3, 1e3),
    "anywhere": (0.0, 1.0),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "model": MODELS,
    "probe": get_args(Probe),
    "mining": get_args(Mining),
    "decay": get_args(Decay),
    "precision": get_args(Precision),
}


def grounding_of(model: str, changes: Mapping[str, Any] | None = None) -> Grounding:
    """The published training of a model with some changes.

    Raises:
        RecipeError: when there is no such model, or a change has an unknown name or an impossible value.
    """
    if model not in PUBLISHED:
        raise RecipeError(f"unknown model {model!r}; known: {', '.join(MODELS)}{nearest(model, MODELS)}")
    demand_known(changes or {}, [one.name for one in fields(Grounding)])
    values = {**PUBLISHED[model], **(changes or {}), "model": model}
    if isinstance(values.get("betas"), list):
        values["betas"] = tuple(values["betas"])
    return Grounding(**values)


def _demand(how: Grounding) -> None:
    demand_choices(how, _CHOICES)
    demand_whole(how, _WHOLE)
    demand_real(how, _REAL)
    demand_flags(how, ("exclude_same_image", "exclude_true", "record"))
    betas: Any = how.betas
    if not isinstance(betas, tuple) or len(betas) != 2 or not all(is_number(b) and 0 <= b < 1 for b in betas):
        raise RecipeError(f"betas must be two numbers from 0 to below 1, got {betas!r}")
    features: Any = how.features
    are_tables = isinstance(how.sizes, dict) and isinstance(how.eyes, dict)
    if not are_tables or not isinstance(features, str) or not features or (how.eyes and features != "tiny"):
        raise RecipeError("sizes must be a table of names and values, eyes too, which tiny alone has; features a name")
    _demand_able(how)


def _demand_able(how: Grounding) -> None:
    """An error where a model is asked for what it cannot do."""
    if how.probe != "none" and how.model == "tree":
        raise RecipeError("tree reads the meaning of expressions, not their words, so no probe can change these")
    if how.mining != "none" and how.model not in MINES:
        raise RecipeError(f"{how.model} cannot mine, only {', '.join(MINES)} can; leave mining out")
