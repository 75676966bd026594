"""The models by name, with the settings of their published training and the known quirks of their published code.

| name | model | published training |
|---|---|---|
| `m-lstm` | `multimodal_lstm` | rate 0.001, x 0.9 every 20,000 updates; 160,000 updates of 2,000 examples |
| `gcn-lstm` | `graph_lstm` | rate 0.0008, x 0.9 every 20,000 updates; 267,201 updates of 200 examples |
| `transformer` | `grid_transformer` | rate 0.0001; 1,686,700 updates of 32 examples |

A quirk is something that the published code does, or its paper says, and that nobody would do on purpose. All are off
unless they are named.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError, UnknownName, nearest
from deixis.worlds.grid.batches import CHANNELS
from deixis.worlds.grid.models.graph_lstm import GraphLSTM, GraphLSTMSettings
from deixis.worlds.grid.models.multimodal_lstm import MultimodalLSTM, MultimodalLSTMSettings
from deixis.worlds.grid.models.transformer import GridTransformer, GridTransformerSettings


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deixis.worlds.grid.models.policy import Policy


__all__ = ["MODELS", "Known", "Quirk", "build", "find_model", "find_quirks", "settings_of"]

LARGEST = 4096  # of any size of a model


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
class Known:
    """A model.

    Attributes:
        model: how it is built. settings: the record of its sizes.
        training: as published. quirks: of the published code, by name.
        quick: what we change in the training to have it learn in minutes, sizes under `settings`.
    """

    model: Callable[[Any, int], Policy]
    settings: type
    training: Mapping[str, Any]
    quick: Mapping[str, Any]
    quirks: Mapping[str, Quirk]


MODELS: Mapping[str, Known] = {
    "m-lstm": Known(
        model=MultimodalLSTM,
        settings=MultimodalLSTMSettings,
        training={"rate": 1e-3, "decay_every": 20_000, "batch": 2000, "updates": 160_000, "look_every": 1000},
        quick={
            "updates": 44_000,
            "rate": 2e-3,
            "decay_every": 0,
            "cooldown": 12_000,
            "clip": 1.0,
            "look_every": 4000,
        },
        quirks={
            "paper-rate": Quirk(
                about="learns at 0.0001 as the paper says, a tenth of what the code does", training={"rate": 1e-4}
            )
        },
    ),
    "gcn-lstm": Known(
        model=GraphLSTM,
        settings=GraphLSTMSettings,
        training={"rate": 8e-4, "decay_every": 20_000, "batch": 200, "updates": 267_201, "look_every": 26_990},
        quick={
            "updates": 68_000,
            "batch": 512,
            "rate": 2e-3,
            "warmup": 500,
            "decay_every": 0,
            "cooldown": 22_000,
            "clip": 0.5,
            "look_every": 7500,
            "settings": {"scaled": True},
        },
        quirks={
            "drops-85-percent": Quirk(
                about="drops 85 % of every action's vector where it meant to keep 85 %",
                settings={"action_dropout": 0.85},
            )
        },
    ),
    "transformer": Known(
        model=GridTransformer,
        settings=GridTransformerSettings,
        training={"rate": 1e-4, "decay_every": 0, "batch": 32, "updates": 1_686_700, "look_every": 16_867},
        quick={
            "updates": 60_000,
            "batch": 512,
            "rate": 1e-3,
            "warmup": 500,
            "cooldown": 15_000,
            "clip": 1.0,
            "weight_decay": 0.1,
            "pointing": 1.0,
            "easy_first": 2000,
            "rare_first": 15_000,
            "look_every": 2500,
            "settings": {"norm_first": True, "points": True, "dropout": 0.1},
        },
        quirks={
            "sees-padding": Quirk(
                about="lets the decoder look at the places after a command's end", settings={"sees_padding": True}
            )
        },
    ),
}


def find_model(name: str) -> Known:
    """The model of a name; `UnknownName` with the nearest one where there is none."""
    if name not in MODELS:
        raise UnknownName(f"unknown model {name!r}{nearest(name, MODELS)}")
    return MODELS[name]


def find_quirks(model: str, names: Iterable[str]) -> list[Quirk]:
    """The quirks of these names; `UnknownName` where the model does not have one."""
    known = find_model(model).quirks
    for name in names:
        if name not in known:
            others = [other for other, entry in MODELS.items() if name in entry.quirks]
            hint = f"; it is one of {others[0]}" if others else nearest(name, known)
            raise UnknownName(f"{model} has no quirk {name!r}{hint}")
    return [known[name] for name in names]


def build(name: str, settings: Mapping[str, Any], words: int) -> Policy:
    """A model with fresh weights, drawn from torch's default generator.

    Args:
        name: one of `MODELS`.
        settings: the sizes that are not the published ones.
        words: how many words it knows.
    """
    if not 0 < words < 1 << 16:
        raise RecipeError(f"a model knows from 1 to {(1 << 16) - 1:,} words, got {words}")
    return find_model(name).model(settings_of(name, settings), words)


def settings_of(name: str, values: Mapping[str, Any]) -> Any:
    """The record of a model's sizes, with some that are not the published ones.

    Raises:
        RecipeError: when a setting is not known or its value is impossible.
    """
    record = find_model(name).settings
    defaults = {one.name: one.default for one in fields(record)}
    for key in values:
        if key not in defaults:
            raise RecipeError(f"{name} has no setting {key!r}{nearest(key, defaults)}")
    made = record(**{key: _fitting(name, key, value, defaults[key]) for key, value in values.items()})
    _demand_sense(name, asdict(made))
    return made


def _fitting(model: str, key: str, value: object, default: object) -> object:
    """A value of the kind of the default."""
    match default:
        case bool():
            fits, wanted = isinstance(value, bool), "true or false"
        case int():
            fits, wanted = _is_size(value), f"a whole number from 1 to {LARGEST:,}"
        case float():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            fits, wanted = is_number and 0 <= value < 1, "a share from 0 to below 1"  # type: ignore[operator]
        case _:
            value = tuple(value) if isinstance(value, list | tuple) else ()
            fits, wanted = bool(value) and all(map(_is_size, value)), "a list of whole numbers"
    if not fits:
        raise RecipeError(f"{key} of {model} must be {wanted}, got {value!r}")
    return value


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST


def _demand_sense(model: str, settings: Mapping[str, Any]) -> None:
    """What the sizes of a model must be to each other."""
    width = settings["width"]
    parts = settings.get("heads", 4 if model == "gcn-lstm" else 1)
    if width % parts:
        raise RecipeError(f"width of {model} must be a multiple of {parts}, got {width}")
    if any(kernel % 2 == 0 for kernel in settings.get("kernels", ())):
        raise RecipeError(f"kernels of {model} must be odd, got {list(settings['kernels'])}")
    if settings.get("channels", CHANNELS[0]) not in CHANNELS:
        raise RecipeError(f"channels of {model} must be {' or '.join(map(str, CHANNELS))}, got {settings['channels']}")
    if min(settings.get("longest_command", 3), settings.get("longest_plan", 3)) < 3:
        raise RecipeError(f"longest_command and longest_plan of {model} must be at least 3")
