"""Settings of the picture encoder, the captioner and the game: frozen records that checkpoints carry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from deixis.settings import MAX_SEED, MAX_STEPS, Setting, Settings


__all__ = [
    "Augmentation",
    "Baseline",
    "Captioning",
    "Encoding",
    "Forcing",
    "Game",
    "GamePairing",
    "Objective",
    "Pairing",
    "Reading",
    "Reward",
    "Structure",
    "Teacher",
]

Pairing: TypeAlias = Literal["random", "similar"]
GamePairing: TypeAlias = Literal["random", "similar", "mixed"]
Teacher: TypeAlias = Literal["exhaustive", "minimal", "incremental", "rational"]
Objective: TypeAlias = Literal["reinforce", "gumbel", "inverted", "severed"]
Baseline: TypeAlias = Literal["none", "mean", "self-critical"]
Structure: TypeAlias = Literal["forced", "free"]
Reward: TypeAlias = Literal["choice", "probability"]
Forcing: TypeAlias = Literal["always", "halved"]
COOLDOWN_SHARE = 0.2  # of all steps, at the end, over which the learning rate falls to 0

Seed: TypeAlias = Annotated[int, Setting("random seed of weights, order and captions", least=0, most=MAX_SEED)]
DataSeed: TypeAlias = Annotated[
    int, Setting("seed of the split of images, as in `deixis make a3ds --seed`", least=0, most=MAX_SEED)
]
Steps: TypeAlias = Annotated[
    int, Setting("optimizer steps in all", least=1, most=MAX_STEPS, was="updates", may_change=True)
]
BatchSize: TypeAlias = Annotated[int, Setting("contexts in a step", least=2, most=1 << 20, was="batch")]
LearningRate: TypeAlias = Annotated[
    float,
    Setting("learning rate; it falls to 0 over the last fifth of the steps", least=1e-9, most=10, was="rate"),
]
Clip: TypeAlias = Annotated[float, Setting("largest norm of the gradient; 0 for no clipping", least=0, most=1e6)]
EvalEvery: TypeAlias = Annotated[
    int,
    Setting(
        "steps between evaluations on validation images", least=1, most=MAX_STEPS, was="look_every", may_change=True
    ),
]
LogEvery: TypeAlias = Annotated[
    int, Setting("steps between lines of the log", least=1, most=100_000, is_option=False, may_change=True)
]
SaveEvery: TypeAlias = Annotated[
    int, Setting("steps between checkpoints besides those at evaluations", least=1, most=MAX_STEPS, may_change=True)
]
Distractors: TypeAlias = Annotated[int, Setting("images beside the target", least=1, most=99)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Augmentation(Settings):
    """Ranges of the random changes of pictures, drawn for each picture."""

    plain: Annotated[float, Setting("share of pictures that stay as they are", least=0, most=1)] = 0.1
    shift: Annotated[float, Setting("largest shift in pixels, also by fractions", least=0, most=32)] = 3.0
    stretch: Annotated[float, Setting("largest stretch or squeeze of a side, as a share", least=0, most=0.9)] = 0.02
    resampled: Annotated[
        float, Setting("share of pictures scaled down and up again, which doubles rows", least=0, most=1)
    ] = 0.5
    coarsest: Annotated[int, Setting("rows and columns of these in between, at least", least=1, most=4096)] = 44
    brightness: Annotated[float, Setting("largest change of brightness", least=0, most=0.9)] = 0.15
    contrast: Annotated[float, Setting("largest change of contrast", least=0, most=0.9)] = 0.15
    tint: Annotated[float, Setting("largest change of one colour channel", least=0, most=0.9)] = 0.04
    blur: Annotated[float, Setting("largest standard deviation of the blur, in pixels", least=0, most=2)] = 1.0
    noise: Annotated[
        float, Setting("largest standard deviation of noise, fine and coarse, for values in 0..1", least=0, most=0.9)
    ] = 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding(Settings):
    """Settings of the training of the encoder of pictures."""

    pictures: Annotated[int, Setting("training pictures, at most 30,000", least=1, most=480_000)] = 30_000
    judged: Annotated[int, Setting("validation pictures, at most 20,000", least=1, most=480_000)] = 20_000
    steps: Annotated[int, Setting("optimizer steps in all", least=1, most=MAX_STEPS, was="updates")] = 32_000
    batch_size: Annotated[int, Setting("pictures in a step", least=1, most=1 << 20, was="batch")] = 256
    lr: Annotated[float, Setting("learning rate; it falls linearly to 0", least=1e-9, most=10, was="rate")] = 1e-3
    channels: Annotated[tuple[int, ...], Setting("channels of the layers", least=1, most=4096, is_option=False)] = (
        32,
        64,
        128,
        128,
        128,
    )
    augmentation: Annotated[Augmentation | None, Setting("how pictures are changed before a step", is_option=False)] = (
        field(default_factory=Augmentation)
    )
    data_seed: DataSeed = 42
    seed: Seed = 0


class _Course(Settings):
    """What both trainings have in common."""

    __slots__ = ()
    added: ClassVar[Mapping[str, Any]] = {}  # settings of later versions, with what runs before them did
    lr: float
    steps: int

    @classmethod
    def rename(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return plain values under the present names, with those that earlier versions did not write."""
        return {**cls.added, **super().rename(values)}

    def digest_values(self) -> dict[str, Any]:
        """Return the values of the digest, which is that of earlier versions where nothing newer is asked for."""
        values = super().digest_values()
        return {name: value for name, value in values.items() if name not in self.added or value != self.added[name]}

    @property
    def digest(self) -> str:
        """Identify how weights are trained; how many steps are taken is no part of it."""
        values = [type(self).__name__, self.digest_values()]
        return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

    def lr_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        return self.lr * min(1.0, (self.steps - step) / (COOLDOWN_SHARE * self.steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioning(_Course):
    """Settings of the training of a speaker on captions: exhaustive ones (the model B of the paper), or a teacher's."""

    added: ClassVar[Mapping[str, Any]] = {"teacher": "exhaustive"}
    seed: Seed = 0
    data_seed: DataSeed = 42
    captions: Annotated[
        int, Setting("captions of each image that are trained on; of a teacher, on average", least=1, most=20)
    ] = 5
    teacher: Annotated[
        Teacher,
        Setting(
            "whose captions are learnt: exhaustive ones, or captions that a rule-based speaker chooses for each pair "
            "(minimal, incremental, rational); pairs are then of the kinds of the test sets, which share one to three "
            "features"
        ),
    ] = "exhaustive"
    steps: Steps = 23_430
    batch_size: BatchSize = 64
    lr: LearningRate = 1e-3
    clip: Clip = 0.0
    forcing: Annotated[
        Forcing,
        Setting("teacher forcing: always, or, as published, with a probability that is halved every epoch (halved)"),
    ] = "always"
    distractors: Distractors = 1
    eval_every: EvalEvery = 2000
    log_every: LogEvery = 100
    save_every: SaveEvery = 2000
    width: Annotated[int, Setting("width of the speaker", least=1, most=4096)] = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(_Course):
    """Settings of the training of a reader, which is told the parse of captions and finds their images."""

    seed: Seed = 0
    data_seed: DataSeed = 42
    examples: Annotated[int, Setting("contexts that are trained on, each with one caption", least=1, most=1 << 20)] = (
        20_000
    )
    pairs: Annotated[Pairing, Setting("images drawn at random, or sharing three features with the target")] = "similar"
    distractors: Distractors = 3
    steps: Steps = 1500
    batch_size: BatchSize = 128
    lr: LearningRate = 3e-3
    clip: Clip = 1.0
    truth: Annotated[
        float, Setting("how much it counts that fits are probabilities", least=0, most=100, is_option=False)
    ] = 0.1
    eval_every: EvalEvery = 250
    log_every: LogEvery = 50
    save_every: SaveEvery = 500
    width: Annotated[int, Setting("width of words and looks", least=1, most=4096)] = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(_Course):
    """Settings of the training of a speaker and a listener in the reference game."""

    added: ClassVar[Mapping[str, Any]] = {"teacher": "exhaustive", "listener_said": 1.0}
    seed: Seed = 0
    data_seed: DataSeed = 42
    pairs: Annotated[
        GamePairing,
        Setting(
            "pairs of images: random ones (the model RP), ones that share three features or more (SP), or the kinds of "
            "the test sets, which share at least one, two and three, a third each (mixed)"
        ),
    ] = "random"
    teacher: Annotated[
        Teacher,
        Setting(
            "whose captions the structural loss and the listener's gold captions are: exhaustive ones, or those of a "
            "rule-based speaker, with which the speaker has to have learnt"
        ),
    ] = "exhaustive"
    distractors: Distractors = 1
    steps: Steps = 11_715
    batch_size: BatchSize = 64
    lr: LearningRate = 1e-3
    clip: Clip = 0.0
    objective: Annotated[
        Objective,
        Setting(
            "reinforce, gumbel (a Gumbel-softmax relaxation), or a fault of released code: inverted (log(1 - p) for "
            "log p), severed (no gradient of the reward)"
        ),
    ] = "reinforce"
    baseline: Annotated[
        Baseline,
        Setting("baseline of the reward: none (as published), the mean of earlier ones, or self-critical"),
    ] = "mean"
    reward: Annotated[
        Reward, Setting("1 or -1 for the listener's choice, or twice its probability less 1 (probability)")
    ] = "choice"
    cost: Annotated[float, Setting("cost of every word, subtracted from the reward", least=0, most=100)] = 0.0
    entropy: Annotated[
        float, Setting("weight of the entropy bonus, per nat and word; not used by gumbel", least=0, most=100)
    ] = 0.1
    structure: Annotated[
        float, Setting("weight of the structural loss against that of the reward", least=0, most=1)
    ] = 0.75
    structural: Annotated[
        Structure,
        Setting(
            "structural loss with teacher forcing (forced), or position by position on samples (free, as published)"
        ),
    ] = "forced"
    kl: Annotated[float, Setting("weight of the KL divergence from the speaker at the start", least=0, most=1e6)] = 0.0
    temperature: Annotated[
        float, Setting("sampling temperature; of the relaxation with gumbel", least=1e-3, most=100)
    ] = 1.0
    listener: Annotated[
        Literal["joint", "frozen"], Setting("whether the listener is trained, too", is_option=False)
    ] = "joint"
    listener_first: Annotated[
        int, Setting("first steps in which only the listener is trained", least=0, most=MAX_STEPS)
    ] = 0
    listener_gold: Annotated[
        float,
        Setting("weight of gold captions in the listener's loss, so that words keep their meaning", least=0, most=1e3),
    ] = 0.0
    listener_said: Annotated[
        float,
        Setting(
            "weight of the speaker's captions in the listener's loss; 0 for a listener that learns from gold captions "
            "alone",
            least=0,
            most=1e3,
        ),
    ] = 1.0
    speaker_lr: Annotated[
        float, Setting("learning rate of the speaker; 0 for that of the listener", least=0, most=10, was="speaker_rate")
    ] = 0.0
    eval_every: EvalEvery = 1000
    log_every: LogEvery = 100
    save_every: SaveEvery = 1000
