"""Speakers, listeners and encoders on disk: several models in one file, and all that tells where they come from."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import torch as library

from deixis._version import __version__
from deixis.errors import BrokenCheckpoint
from deixis.models.caption_language import CaptionLanguage, CaptionLanguageSettings
from deixis.models.room_encoder import RoomEncoder, RoomEncoderSettings
from deixis.models.room_listener import RoomListener, RoomListenerSettings
from deixis.models.room_speaker import RoomSpeaker, RoomSpeakerSettings
from deixis.training.tensor_files import demand_shapes, read_tensors, write_tensors


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor, nn


__all__ = ["ROOMS", "Bundle", "Kind", "build", "bundle_digest", "half_bundle", "read_bundle", "write_bundle"]

FORMAT, KIND, CALLED = 1, "rooms", "speaker, listener or encoder of rooms"
FIRST, SECOND, KEPT = "first/", "second/", "kept/"
LARGEST = 4096
MODELS: Mapping[str, tuple[Callable[..., nn.Module], type]] = {
    "speaker": (RoomSpeaker, RoomSpeakerSettings),
    "listener": (RoomListener, RoomListenerSettings),
    "language": (CaptionLanguage, CaptionLanguageSettings),
    "encoder": (RoomEncoder, RoomEncoderSettings),
}
WORDLESS = ("encoder",)


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        name: what the file says that it is.
        called: what to call it in a complaint.
        build: a model with fresh weights, from its name, its sizes and the words that it knows.
    """

    name: str
    called: str
    build: Callable[[str, Mapping[str, Any], tuple[str, ...]], nn.Module]


def build(name: str, settings: Mapping[str, Any], words: int) -> nn.Module:
    """A model with fresh weights.

    Raises:
        BrokenCheckpoint: when there is no such model or it cannot have these sizes.
    """
    if name not in MODELS:
        raise BrokenCheckpoint(f"there is no model {name!r}; known: {', '.join(MODELS)}")
    model, record = MODELS[name]
    try:
        sizes = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
        made = record(**sizes)
        numbers = [one for value in asdict(made).values() for one in (value if isinstance(value, tuple) else (value,))]
    except (TypeError, ValueError) as error:
        raise BrokenCheckpoint(f"the {name} cannot be built: {str(error)[:160]}") from error
    if not numbers or not all(type(one) is int and 0 < one <= LARGEST for one in numbers):
        raise BrokenCheckpoint(f"the {name} cannot be built: sizes go from 1 to {LARGEST:,}, got {str(sizes)[:80]}")
    return model(made) if name in WORDLESS else model(made, words)


ROOMS = Kind(KIND, CALLED, lambda name, settings, words: build(name, settings, len(words)))


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """Models after so many updates.

    Attributes:
        kind: of the file.
        role: what was learnt, e.g. `captioning`, `game` or `encoder`.
        models: the names of the models with their sizes.
        vocabulary: the words, in the order of their numbers; one filler where there are none.
        training: the settings; digest: a name for them.
        data: which images, seen through which encoder.
        update: how many updates were taken.
        metrics: how it went.
        weights: by names of model and parameter. memory: what it takes to go on, empty where that is not wanted.
    """

    role: str
    models: Mapping[str, Mapping[str, Any]]
    vocabulary: tuple[str, ...]
    training: Mapping[str, Any]
    digest: str
    data: Mapping[str, Any]
    update: int
    metrics: Mapping[str, Any]
    weights: Mapping[str, Tensor] = field(repr=False)
    memory: Mapping[str, Tensor] = field(default_factory=dict, repr=False)
    deixis: str = __version__
    torch: str = str(library.__version__)
    kind: Kind = ROOMS

    def model(self, name: str, device: library.device) -> nn.Module:
        """One of the models, ready to be used; `BrokenCheckpoint` where there is none of that name."""
        if name not in self.models:
            raise BrokenCheckpoint(f"there is no {name} in this checkpoint; it has {', '.join(self.models)}")
        made = self.kind.build(name, self.models[name], self.vocabulary)
        start = f"{name}."
        mine = {key[len(start) :]: value for key, value in self.weights.items() if key.startswith(start)}
        made.load_state_dict(mine)
        return made.to(device).eval()


_FIELDS: dict[str, type] = {
    "role": str,
    "models": dict,
    "vocabulary": list,
    "training": dict,
    "digest": str,
    "data": dict,
    "update": int,
    "metrics": dict,
    "deixis": str,
    "torch": str,
}


def write_bundle(path: Path, bundle: Bundle) -> None:
    """Write models; the file before stays until this one is whole."""
    facts = {"format": FORMAT, "kind": bundle.kind.name, **{name: getattr(bundle, name) for name in _FIELDS}}
    facts["vocabulary"] = list(bundle.vocabulary)
    write_tensors(path, facts, {**bundle.weights, **bundle.memory}, update=bundle.update)


def half_bundle(bundle: Bundle) -> Bundle:
    """The same in bfloat16, at half the size, and without what it takes to go on."""
    weights = {
        name: one.to(library.bfloat16) if one.is_floating_point() else one for name, one in bundle.weights.items()
    }
    return replace(bundle, weights=weights, memory={})


def read_bundle(path: Path, kind: Kind = ROOMS) -> Bundle:
    """The models in a file, in float32 and on the CPU.

    Raises:
        BrokenCheckpoint: when the file is missing, damaged, not of this kind, or holds other weights than it says.
    """
    facts, tensors = read_tensors(path, kind=kind.name, version=FORMAT, fields=_FIELDS, called=kind.called)
    memory = {name: one for name, one in tensors.items() if name.startswith((FIRST, SECOND, KEPT))}
    weights = {
        name: one.float() if one.is_floating_point() else one for name, one in tensors.items() if name not in memory
    }
    values = {name: facts[name] for name in _FIELDS}
    found = Bundle(**{**values, "vocabulary": tuple(values["vocabulary"])}, weights=weights, memory=memory, kind=kind)
    _demand_fit(path, found)
    return found


def bundle_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def _demand_fit(path: Path, found: Bundle) -> None:
    wanted: dict[str, tuple[int, ...]] = {}
    for name, settings in found.models.items():
        if not isinstance(settings, dict):
            raise BrokenCheckpoint(f"{path} does not say the sizes of its {name}")
        with library.device("meta"):  # shapes only: nothing of the size that a file claims is ever allocated
            made = found.kind.build(name, settings, found.vocabulary)
        wanted |= {f"{name}.{part}": tuple(one.shape) for part, one in made.state_dict().items()}
    demand_shapes(path, " and ".join(found.models), wanted, found.weights)
    for name, tensor in found.memory.items():
        part = name.split("/", 1)[1]
        if not name.startswith(KEPT) and (part not in wanted or tuple(tensor.shape) != wanted[part]):
            raise BrokenCheckpoint(f"{path} remembers {part!r} of another model; train it again")
