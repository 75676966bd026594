"""Settings of trainings that are about expressions: the frozen record that checkpoints carry.

| name | model | published training |
|---|---|---|
| `grounder` | GroundeR | Adam, learning rate 0.001, 40 expressions at a time |
| `mattnet` | MattNet | learning rate 0.0004, Adam with betas 0.8 and 0.999, gradients clamped at 0.1; a tenth of the rate every 8,000 steps after 8,000 |
| `cm-att-erase` | CM-Att-Erase | the same in two stages; in the second, words and things are erased |
| `scan` | SCAN, which finds images | learning rate 0.0002, 128 expressions at a time, gradients clipped at norm 2 |
| `tree` | modules along the tree of an expression | not published: learning rate 0.0004, gradients clipped at norm 2 |

MattNet-Mine is `mattnet` with `mining`; its second stage mines. `region-encoder` learns what the regions of other
pictures are, and is then what any of these sees with.
"""  # noqa: E501 (a row of a table)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from deixis.errors import RecipeError, nearest
from deixis.settings import MAX_SEED, MAX_STEPS, Setting, Settings


__all__ = [
    "MODELS",
    "PUBLISHED",
    "RECORDED",
    "Decay",
    "Grounding",
    "Mining",
    "Precision",
    "Probe",
    "RegionEncoderTraining",
    "SeeingNetwork",
    "grounding_of",
]

Probe: TypeAlias = Literal["none", "deaf", "shuffle", "obj-attr"]
Decay: TypeAlias = Literal["smooth", "steps"]
Precision: TypeAlias = Literal["auto", "fp32", "tf32"]
SeeingNetwork: TypeAlias = Literal["lite0", "tiny"]
Mining: TypeAlias = Literal["none", "random", "class-aware", "sentence-sim", "module-specific"]
_MATTNET: dict[str, Any] = {
    "steps": 30_000,
    "batch_size": 30,
    "repeats": 3,
    "lr": 4e-4,
    "betas": (0.8, 0.999),
    "clamp": 0.1,
    "decay_from": 8_000,
    "decay_every": 8_000,
}
PUBLISHED: dict[str, dict[str, Any]] = {
    "grounder": {"steps": 30_000, "batch_size": 40, "lr": 1e-3},
    "mattnet": _MATTNET,
    "cm-att-erase": {**_MATTNET, "steps": 60_000, "first_stage": 30_000},
    "scan": {
        "steps": 28_000,
        "batch_size": 128,
        "lr": 2e-4,
        "clip": 2.0,
        "decay": "steps",
        "decay_from": 14_000,
        "decay_every": 14_000,
    },
    "tree": {"steps": 30_000, "batch_size": 64, "lr": 4e-4, "clip": 2.0, "decay_from": 8_000, "decay_every": 8_000},
}
MODELS = tuple(PUBLISHED)
MINES = ("mattnet",)  # models with phrases of their own for each module
RECORDED = ("mattnet", "cm-att-erase")  # models whose batches are all of one shape, unless features are learnt


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding(Settings):
    """One training, given its data."""

    model: Annotated[str, Setting("name of the model", is_option=False)]
    sizes: Annotated[Mapping[str, Any], Setting("sizes that are not the published ones", is_option=False)] = field(
        default_factory=dict
    )
    features: Annotated[
        str,
        Setting(
            "visual features of regions: lite0, handcrafted, tiny (a CNN trained with the model), oracle, or the path "
            "of a run of region-encoder or of detector features"
        ),
    ] = "lite0"
    eyes: Annotated[Mapping[str, Any], Setting("sizes of the CNN of tiny: side, low, high", is_option=False)] = field(
        default_factory=dict
    )
    grid: Annotated[int, Setting("cells of a region across and down", least=1, most=16, is_option=False)] = 3
    noise: Annotated[float, Setting("noise of oracle features", least=0, most=100, is_option=False)] = 0.25
    category_noise: Annotated[
        float | None,
        Setting(
            "noise of categories in oracle features, where not as that of attributes",
            least=0,
            most=100,
            is_option=False,
            is_later=True,
        ),
    ] = None
    probe: Annotated[
        Probe,
        Setting("input ablation: no words (deaf), shuffled words (shuffle), nouns and attributes only (obj-attr)"),
    ] = "none"
    seed: Annotated[int, Setting("random seed of weights, order, negatives and mining", least=0, most=MAX_SEED)] = 0
    train_share: Annotated[
        float,
        Setting("share of the images to learn from that is used", above=0, most=1, is_option=False, is_later=True),
    ] = 1.0
    steps: Annotated[
        int, Setting("optimizer steps in all", least=1, most=MAX_STEPS, was="updates", may_change=True)
    ] = 30_000
    batch_size: Annotated[int, Setting("expressions in a step", least=2, most=1 << 16, was="batch")] = 30
    repeats: Annotated[
        int,
        Setting("times an expression stands in a step, each with other negatives", least=1, most=64, is_option=False),
    ] = 1
    lr: Annotated[float, Setting("learning rate at the start", least=1e-9, most=10, was="rate")] = 4e-4
    betas: Annotated[tuple[float, float], Setting("betas of Adam", least=0, below=1, is_option=False)] = (0.9, 0.999)
    clamp: Annotated[
        float, Setting("largest component of a gradient; 0 for no limit", least=0, most=1e6, is_option=False)
    ] = 0.0
    clip: Annotated[float, Setting("largest norm of the gradient; 0 for no clipping", least=0, most=1e6)] = 0.0
    decay_from: Annotated[
        int, Setting("steps of a stage before the learning rate decays", least=0, most=MAX_STEPS, is_option=False)
    ] = 0
    decay_every: Annotated[
        int,
        Setting("steps in which it falls to a tenth; 0 for no decay", least=0, most=MAX_STEPS, is_option=False),
    ] = 0
    decay: Annotated[
        Decay, Setting("decay with every step (smooth), or in steps of a tenth (steps)", is_option=False)
    ] = "smooth"
    first_stage: Annotated[
        int, Setting("steps before mining or erasing begins; 0 for from the start", least=0, most=MAX_STEPS)
    ] = 0
    same_category: Annotated[
        float, Setting("share of negatives of the target's category", least=0, most=1, is_option=False)
    ] = 0.3
    mining: Annotated[
        Mining,
        Setting(
            "where hard negatives come from: any expression (random), one about the same category (class-aware), of "
            "these one with similar words (sentence-sim), or with a similar phrase for a module (module-specific)"
        ),
    ] = "none"
    refresh_every: Annotated[
        int, Setting("steps after which they are drawn anew", least=1, most=100_000, is_option=False)
    ] = 50
    temperature: Annotated[float, Setting("temperature of mining by similarity", least=1e-3, most=1e3)] = 1.0
    anywhere: Annotated[
        float, Setting("share of hard negatives drawn from any expression all the same", least=0, most=1)
    ] = 0.0
    exclude_same_image: Annotated[
        bool, Setting("mine nothing from the image of the expression itself", is_option=False)
    ] = True
    exclude_true: Annotated[bool, Setting("mine nothing that is true of the target, by the scene graph")] = False
    precision: Annotated[
        Precision, Setting("precision of matrix products; auto is tf32 on a GPU and fp32 on a CPU")
    ] = "auto"
    record: Annotated[
        bool,
        Setting("record CUDA graphs of steps where all batches have one shape", is_option=False, may_change=True),
    ] = True
    eval_every: Annotated[
        int, Setting("steps between evaluations on val", least=1, most=MAX_STEPS, was="look_every", may_change=True)
    ] = 2000
    eval_examples: Annotated[
        int, Setting("expressions of val per evaluation", least=1, most=MAX_STEPS, was="look_at", is_option=False)
    ] = 2000
    log_every: Annotated[
        int, Setting("steps between lines of the log", least=1, most=100_000, is_option=False, may_change=True)
    ] = 100
    save_every: Annotated[
        int, Setting("steps between checkpoints besides those at evaluations", least=1, most=MAX_STEPS, may_change=True)
    ] = 2000

    @property
    def is_recorded(self) -> bool:
        """True if CUDA graphs of steps are recorded on a GPU: if asked for, and all batches have one shape."""
        return self.record and self.model in RECORDED and self.features != "tiny"

    def is_second_stage(self, step: int) -> bool:
        """Return whether a step, counted from 0, is of the second stage."""
        return step >= self.first_stage

    def lr_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0.

        The second stage begins as the first did.
        """
        within = step - self.first_stage if self.is_second_stage(step) else step
        if not self.decay_every or within < self.decay_from:
            return self.lr
        late = (within - self.decay_from) / self.decay_every
        return float(self.lr * 0.1 ** (late if self.decay == "smooth" else 1 + int(late)))

    def demand_sense(self) -> None:
        """Raise `RecipeError` where a model is asked for what it cannot do."""
        if self.model not in PUBLISHED:
            raise RecipeError(f"unknown model {self.model!r}; known: {', '.join(MODELS)}{nearest(self.model, MODELS)}")
        if not self.features or (self.eyes and self.features != "tiny"):
            raise RecipeError("features must be a name or a path, and eyes are for tiny only")
        if self.probe != "none" and self.model == "tree":
            raise RecipeError("tree reads the meaning of expressions, not their words, so no probe can change these")
        if self.mining != "none" and self.model not in MINES:
            raise RecipeError(f"{self.model} cannot mine, only {', '.join(MINES)} can; leave mining out")


def grounding_of(model: str, changes: Mapping[str, Any] | None = None) -> Grounding:
    """The published training of a model with some changes.

    Raises:
        RecipeError: when there is no such model, or a change has an unknown name or an impossible value.
    """
    return Grounding.read({**PUBLISHED.get(model, {}), **Grounding.rename(changes or {}), "model": model})


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionEncoderTraining(Settings):
    """One training of a region encoder, given its pictures."""

    network: Annotated[
        SeeingNetwork,
        Setting("what learns: lite0 (EfficientNet-Lite0 from ImageNet) or tiny (four convolutions, from none)"),
    ] = "lite0"
    side: Annotated[int, Setting("pixels of the square that pictures are shrunk to", least=32, most=4096)] = 320
    low: Annotated[int, Setting("channels of the early map of tiny", least=1, most=4096, is_option=False)] = 64
    high: Annotated[int, Setting("channels of the late map of tiny", least=1, most=4096, is_option=False)] = 128
    seed: Annotated[int, Setting("random seed of weights and order", least=0, most=MAX_SEED)] = 0
    steps: Annotated[int, Setting("optimizer steps in all", least=1, most=MAX_STEPS, may_change=True)] = 10_000
    batch_size: Annotated[int, Setting("pictures in a step", least=1, most=1 << 16)] = 32
    lr: Annotated[float, Setting("learning rate at the start; it falls to 0 in a line", least=1e-9, most=10)] = 3e-4
    attributes: Annotated[
        float, Setting("weight of the loss of attributes beside that of categories", least=0, most=1e3, is_option=False)
    ] = 1.0
    clip: Annotated[float, Setting("largest norm of the gradient; 0 for no clipping", least=0, most=1e6)] = 5.0
    held_out: Annotated[
        float, Setting("share of the pictures that choose among checkpoints", least=0, most=0.5, is_option=False)
    ] = 0.05
    eval_every: Annotated[
        int, Setting("steps between evaluations on pictures held out", least=1, most=MAX_STEPS, may_change=True)
    ] = 1000
    log_every: Annotated[
        int, Setting("steps between lines of the log", least=1, most=100_000, is_option=False, may_change=True)
    ] = 50
    save_every: Annotated[
        int, Setting("steps between checkpoints besides those at evaluations", least=1, most=MAX_STEPS, may_change=True)
    ] = 1000

    def lr_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        return self.lr * max(1 - step / self.steps, 1e-3)
