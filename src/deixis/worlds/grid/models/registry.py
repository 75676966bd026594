"""The models of instructions by name: how each is built, and the record of its sizes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError, UnknownName, nearest
from deixis.worlds.grid._batches import CHANNELS
from deixis.worlds.grid.models._graph_lstm import GraphLSTM, GraphLSTMSettings
from deixis.worlds.grid.models._multimodal_lstm import MultimodalLSTM, MultimodalLSTMSettings
from deixis.worlds.grid.models._program import ProgramPolicy, ProgramSettings, suit_words
from deixis.worlds.grid.models._transformer import GridTransformer, GridTransformerSettings


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.worlds.grid.models.policy import Policy


__all__ = ["MODELS", "ModelEntry", "build", "find_model", "settings_of"]

LARGEST = 4096  # of any size of a model


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """A known model: how it is built, and the record of its sizes.

    Attributes:
        suit: returns sizes that suit a vocabulary.
    """

    model: Callable[[Any, int], Policy]
    settings: type
    suit: Callable[[Any, Sequence[str]], Any] = lambda settings, _: settings


MODELS: Mapping[str, ModelEntry] = {
    "m-lstm": ModelEntry(model=MultimodalLSTM, settings=MultimodalLSTMSettings),
    "gcn-lstm": ModelEntry(model=GraphLSTM, settings=GraphLSTMSettings),
    "program": ModelEntry(model=ProgramPolicy, settings=ProgramSettings, suit=suit_words),
    "transformer": ModelEntry(model=GridTransformer, settings=GridTransformerSettings),
}


def find_model(name: str) -> ModelEntry:
    """Return the model of a name, or raise `UnknownName` with the nearest one."""
    if name not in MODELS:
        raise UnknownName(f"unknown model {name!r}{nearest(name, MODELS)}")
    return MODELS[name]


def build(name: str, settings: Mapping[str, Any], words: int | Sequence[str]) -> Policy:
    """Build a model with fresh weights, drawn from torch's default generator.

    Args:
        name: one of `MODELS`.
        settings: the sizes that are not the published ones.
        words: the words that it knows, or how many they are; a model that is told the parse of a text must know them.
    """
    count = words if isinstance(words, int) else len(words)
    if not 0 < count < 1 << 16:
        raise RecipeError(f"a model knows from 1 to {(1 << 16) - 1:,} words, got {count}")
    known, sizes = find_model(name), settings_of(name, settings)
    vocabulary = () if isinstance(words, int) else tuple(words)
    model = known.model(known.suit(sizes, vocabulary), count)
    model.vocabulary = vocabulary
    return model


def settings_of(name: str, values: Mapping[str, Any]) -> Any:
    """Return the record of a model's sizes, with some that are not the published ones.

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
    """Return a value of the type of the default."""
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
    """Raise `RecipeError` unless the sizes of a model fit together."""
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
