"""How a speaker learns captions, and how it plays: frozen records that checkpoints carry."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from deixis.learn.settings import MAY_CHANGE, demand_choices, demand_known, demand_real, demand_whole


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Baseline", "Captioning", "Forcing", "Game", "Objective", "Pairing", "Reward", "Structure", "settings_from"]

Pairing: TypeAlias = Literal["random", "similar"]
Objective: TypeAlias = Literal["reinforce", "gumbel", "inverted", "severed"]
Baseline: TypeAlias = Literal["none", "mean", "self-critical"]
Structure: TypeAlias = Literal["forced", "free"]
Reward: TypeAlias = Literal["choice", "probability"]
Forcing: TypeAlias = Literal["always", "halved"]
FALLS = 0.2  # the last share of all updates, over which the rate falls to nothing
T = TypeVar("T", "Captioning", "Game")


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioning:
    """How a speaker learns exhaustive captions (the model B of the paper).

    Attributes:
        seed: weights, order and captions follow from it.
        data_seed: which images are for what, as in `deixis make a3ds --seed`.
        captions: of the twenty exhaustive ones of each image, so many are learnt.
        updates, batch, rate, clip: of the weights; the rate falls evenly to nothing over the last fifth.
        forcing: whether the words before are always the right ones, or, as published, with a probability that is
            halved with every pass over the data and otherwise the speaker's own.
        distractors: shown beside the target.
        look_every, log_every, save_every: updates between two looks at validation images, lines of the log and
            checkpoints.
        width: of the speaker and of the listener, 512 as published.
    """

    seed: int = 0
    data_seed: int = 42
    captions: int = 5
    updates: int = 23_430
    batch: int = 64
    rate: float = 1e-3
    clip: float = 0.0
    forcing: Forcing = "always"
    distractors: int = 1
    look_every: int = 2000
    log_every: int = 100
    save_every: int = 2000
    width: int = 512

    def __post_init__(self) -> None:
        _demand(self)

    @property
    def digest(self) -> str:
        """A name for the way that the weights take; how far they go on it is no part of it."""
        return _digest(self)

    def rate_at(self, update: int) -> float:
        """The learning rate of an update, counted from 0."""
        return self.rate * min(1.0, (self.updates - update) / (FALLS * self.updates))


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """How a speaker and a listener play.

    Attributes:
        seed, data_seed, updates, batch, rate, clip, look_every, log_every, save_every: as of `Captioning`.
        pairs: random ones (the model RP), or such as share at least three features (SP).
        distractors: how many images the target is told from.
        objective: `reinforce` with the true log-probabilities of what was said, or `gumbel`, where words are mixed so
            that gradients pass through them. Two faults of released code can be switched on: `inverted` takes
            log(1 - p) for log p, so that what succeeds is said less; `severed` lets no gradient of success through.
        baseline: what a reward is held against: nothing, as published, the mean of earlier ones, or what the caption
            would earn that the speaker holds for best.
        reward: 1 or -1 for the choice of the listener, or twice its probability less 1.
        cost: of every word, taken from the reward; 0 as published.
        entropy: how much the speaker is paid for staying undecided, for each nat and word; nothing under `gumbel`.
        structure: the weight of captions that people would give, against that of success.
        structural: whether these captions are learnt word by word after the right words (`forced`), or held against
            what the speaker says freely, place by place (`free`, as published).
        kl: the weight of keeping close to the speaker that the game began with.
        temperature: at which words are drawn; of the mixture under `gumbel`.
        listener: whether the listener learns, too (`joint`), or is as it was (`frozen`).
        listener_first: updates at the beginning in which the listener alone learns.
        listener_gold: the weight of captions that people would give among what the listener learns from, so that words
            keep their meaning; 0 as published.
        speaker_rate: the learning rate of the speaker, where it is not that of the listener; 0 for the same.
    """

    seed: int = 0
    data_seed: int = 42
    pairs: Pairing = "random"
    distractors: int = 1
    updates: int = 11_715
    batch: int = 64
    rate: float = 1e-3
    clip: float = 0.0
    objective: Objective = "reinforce"
    baseline: Baseline = "mean"
    reward: Reward = "choice"
    cost: float = 0.0
    entropy: float = 0.1
    structure: float = 0.75
    structural: Structure = "forced"
    kl: float = 0.0
    temperature: float = 1.0
    listener: Literal["joint", "frozen"] = "joint"
    listener_first: int = 0
    listener_gold: float = 0.0
    speaker_rate: float = 0.0
    look_every: int = 1000
    log_every: int = 100
    save_every: int = 1000

    def __post_init__(self) -> None:
        _demand(self)

    @property
    def digest(self) -> str:
        """A name for the way that the weights take; how far they go on it is no part of it."""
        return _digest(self)

    def rate_at(self, update: int) -> float:
        """The learning rate of an update, counted from 0."""
        return self.rate * min(1.0, (self.updates - update) / (FALLS * self.updates))


_WHOLE = {
    "seed": (0, (1 << 63) - 1),
    "data_seed": (0, (1 << 63) - 1),
    "captions": (1, 20),
    "updates": (1, 1 << 32),
    "batch": (2, 1 << 20),
    "distractors": (1, 99),
    "listener_first": (0, 1 << 32),
    "look_every": (1, 1 << 32),
    "log_every": (1, 100_000),
    "save_every": (1, 1 << 32),
    "width": (1, 4096),
}
_REAL = {
    "rate": (1e-9, 10.0),
    "clip": (0.0, 1e6),
    "cost": (0.0, 100.0),
    "entropy": (0.0, 100.0),
    "structure": (0.0, 1.0),
    "kl": (0.0, 1e6),
    "temperature": (1e-3, 100.0),
    "listener_gold": (0.0, 1e3),
    "speaker_rate": (0.0, 10.0),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "pairs": get_args(Pairing),
    "objective": get_args(Objective),
    "baseline": get_args(Baseline),
    "reward": get_args(Reward),
    "structural": get_args(Structure),
    "forcing": get_args(Forcing),
    "listener": ("joint", "frozen"),
}


def settings_from(record: type[T], values: Mapping[str, Any]) -> T:
    """Settings from plain values; what is not said is as published.

    Raises:
        RecipeError: when a name is not known or a value is impossible.
    """
    demand_known(values, [one.name for one in fields(record)])
    return record(**values)


def _demand(settings: Captioning | Game) -> None:
    mine = {one.name for one in fields(settings)}
    demand_choices(settings, {name: known for name, known in _CHOICES.items() if name in mine})
    demand_whole(settings, {name: limits for name, limits in _WHOLE.items() if name in mine})
    demand_real(settings, {name: limits for name, limits in _REAL.items() if name in mine})


def _digest(settings: Captioning | Game) -> str:
    way = {name: value for name, value in asdict(settings).items() if name not in MAY_CHANGE}
    return sha256(json.dumps([type(settings).__name__, way], sort_keys=True).encode()).hexdigest()
