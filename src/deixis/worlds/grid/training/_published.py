"""The published trainings of the models of instructions, our quick ones, and quirks of the published code.

| name | model | published training |
|---|---|---|
| `m-lstm` | `multimodal_lstm` | learning rate 0.001, x 0.9 every 20,000 steps; 160,000 steps of 2,000 examples |
| `gcn-lstm` | `graph_lstm` | learning rate 0.0008, x 0.9 every 20,000 steps; 267,201 steps of 200 examples |
| `program` | `program` | ours, not published: learning rate 0.004; 6,000 steps of 256 examples |
| `transformer` | `grid_transformer` | learning rate 0.0001; 1,686,700 steps of 32 examples |

A quirk is something that the published code does, or its paper says, and that nobody would do on purpose. All are off
unless they are named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.errors import UnknownName, nearest


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirk:
    """Something odd that the published code does.

    Attributes:
        about: what, in one sentence.
        training: what it changes in the training; settings: what it changes in the model.
    """

    about: str
    training: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedModel:
    """The published training of a model.

    Attributes:
        training: fields of `Training`.
        quick: what we change in it to train in minutes on a GPU; sizes of the model are under `settings`.
        quirks: of the published code, by name.
    """

    training: Mapping[str, Any]
    quick: Mapping[str, Any]
    quirks: Mapping[str, Quirk]


PUBLISHED: Mapping[str, PublishedModel] = {
    "m-lstm": PublishedModel(
        training={"lr": 1e-3, "decay_every": 20_000, "batch_size": 2000, "steps": 160_000, "eval_every": 1000},
        quick={
            "steps": 44_000,
            "lr": 2e-3,
            "decay_every": 0,
            "cooldown": 12_000,
            "clip": 1.0,
            "eval_every": 4000,
        },
        quirks={
            "paper-rate": Quirk(
                about="learns at 0.0001 as the paper says, a tenth of what the code does", training={"lr": 1e-4}
            )
        },
    ),
    "gcn-lstm": PublishedModel(
        training={"lr": 8e-4, "decay_every": 20_000, "batch_size": 200, "steps": 267_201, "eval_every": 26_990},
        quick={
            "steps": 68_000,
            "batch_size": 512,
            "lr": 2e-3,
            "warmup": 500,
            "decay_every": 0,
            "cooldown": 22_000,
            "clip": 0.5,
            "eval_every": 7500,
            "settings": {"scaled": True},
        },
        quirks={
            "drops-85-percent": Quirk(
                about="drops 85 % of every action's vector where it meant to keep 85 %",
                settings={"action_dropout": 0.85},
            )
        },
    ),
    "program": PublishedModel(
        training={
            "steps": 6000,
            "batch_size": 256,
            "lr": 4e-3,
            "warmup": 100,
            "decay_every": 0,
            "clip": 1.0,
            "pointing": 1.0,
            "rare_first": 4000,
            "eval_every": 500,
        },
        quick={"steps": 1500, "cooldown": 700, "rare_first": 1200, "eval_every": 250},
        quirks={},
    ),
    "transformer": PublishedModel(
        training={"lr": 1e-4, "decay_every": 0, "batch_size": 32, "steps": 1_686_700, "eval_every": 16_867},
        quick={
            "steps": 20_000,
            "batch_size": 512,
            "lr": 1e-3,
            "warmup": 500,
            "cooldown": 8000,
            "clip": 1.0,
            "weight_decay": 0.1,
            "pointing": 1.0,
            "easy_first": 1333,
            "rare_first": 5000,
            "eval_every": 2500,
            "settings": {
                "norm_first": True,
                "points": True,
                "dropout": 0.1,
                "shared_blocks": True,
                "relative_words": True,
            },
        },
        quirks={
            "sees-padding": Quirk(
                about="lets the decoder attend to the positions after a command's end", settings={"sees_padding": True}
            )
        },
    ),
}


def find_published(model: str) -> PublishedModel:
    """Return the published training of a model, or raise `UnknownName` with the nearest one."""
    if model not in PUBLISHED:
        raise UnknownName(f"unknown model {model!r}{nearest(model, PUBLISHED)}")
    return PUBLISHED[model]


def find_quirks(model: str, names: Iterable[str]) -> list[Quirk]:
    """Return the quirks of these names, or raise `UnknownName` if the model does not have one."""
    known = find_published(model).quirks
    for name in names:
        if name not in known:
            others = [other for other, entry in PUBLISHED.items() if name in entry.quirks]
            hint = f"; it is one of {others[0]}" if others else nearest(name, known)
            raise UnknownName(f"{model} has no quirk {name!r}{hint}")
    return [known[name] for name in names]
