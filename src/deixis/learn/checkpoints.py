"""Checkpoints: weights on disk, with facts about them, as safetensors, so that reading a file runs no code.

The metadata key `deixis` holds the facts as JSON. A file takes its name only when it is whole, so whatever happens
while one is written, the one before it stays. A `Bundle` is several models in one file, and all that tells where they
come from; which models there can be, a world says by its `Kind`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import safetensors.torch
import torch as library
from safetensors import SafetensorError, safe_open

from deixis._version import __version__
from deixis.data.store import replacing_file
from deixis.errors import BrokenCheckpoint, DeixisError, DivergedTraining


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor, nn


__all__ = [
    "Bundle",
    "Kind",
    "checkpoint_digest",
    "demand_shapes",
    "half_bundle",
    "read_bundle",
    "read_facts",
    "read_tensors",
    "write_bundle",
    "write_tensors",
]

FORMAT = 1
FIRST, SECOND, KEPT = "first/", "second/", "kept/"
KEY = "deixis"
MOST_WORDS = 100_000


# -------------------------------------------------------------------------------- tensors


def write_tensors(path: Path, facts: Mapping[str, Any], tensors: Mapping[str, Tensor], *, update: int) -> None:
    """Write tensors and facts; the file before stays until this one is whole.

    Raises:
        DivergedTraining: when a tensor holds what is no number; nothing is written then.
        OSError: when the disk is full or cannot be written to; the file before it is as it was.
    """
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    for name, tensor in kept.items():
        if not bool(library.isfinite(tensor).all()):
            before = f"the last good checkpoint is {path}" if path.exists() else "there is no good checkpoint yet"
            raise DivergedTraining(
                f"the weights {name!r} are no longer numbers at step {update:,}; {before}; "
                "a lower --lr or --clip 1 may help"
            )
    said = json.dumps(facts, ensure_ascii=False, allow_nan=False)
    content = safetensors.torch.save(kept, {KEY: said})
    with replacing_file(path) as draft:
        draft.write_bytes(content)


def read_tensors(
    path: Path, *, kind: str, version: int, fields: Mapping[str, type], called: str = ""
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The facts and the tensors of a file.

    Args:
        path: the file.
        kind: what it must be.
        version: of its format.
        fields: the facts that it must state, with their types.
        called: what to call its kind in a complaint.

    Raises:
        BrokenCheckpoint: when the file is missing, is no safetensors file, or was not written by deixis as such.
    """
    if not path.is_file():
        raise BrokenCheckpoint(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="pt") as opened:
            facts = _facts(path, opened.metadata() or {})
            if (facts.get("kind"), facts.get("format")) != (kind, version):
                raise BrokenCheckpoint(
                    f"{path} is no {called or kind} of format {version}; this version of deixis reads no other"
                )
            _demand_fields(path, facts, fields)
            return facts, {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (no dict)
    except (SafetensorError, OSError, ValueError, TypeError, RuntimeError, KeyError) as error:
        raise _unreadable(path, error) from error


def read_facts(path: Path) -> dict[str, Any]:
    """What a file says about itself, whatever kind it is; empty where it says nothing."""
    try:
        with safe_open(path, framework="pt") as opened:
            facts = json.loads((opened.metadata() or {}).get(KEY, "{}"))
    except (SafetensorError, OSError, ValueError, TypeError, RuntimeError, RecursionError) as error:
        raise _unreadable(path, error) from error
    return facts if isinstance(facts, dict) else {}


def demand_shapes(path: Path, model: str, wanted: Mapping[str, tuple[int, ...]], found: Mapping[str, Tensor]) -> None:
    """An error unless these are the tensors of a model."""
    for name in [*(wanted.keys() - found.keys()), *(found.keys() - wanted.keys())]:
        what = "lacks" if name in wanted else "has, without need,"
        raise BrokenCheckpoint(f"{path} is not a checkpoint of {model}: it {what} the weights {name!r}")
    for name, shape in wanted.items():
        if tuple(found[name].shape) != shape:
            has = " x ".join(map(str, found[name].shape)) or "one number"
            raise BrokenCheckpoint(
                f"{path} is not a checkpoint of this {model}: {name!r} is {has}, not {' x '.join(map(str, shape))}"
            )


def _unreadable(path: Path, error: Exception) -> DeixisError:
    if isinstance(error, DeixisError):
        return error
    reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
    return BrokenCheckpoint(f"{path} cannot be read as a safetensors file ({reason}); copy or train it again")


def _facts(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    if KEY not in metadata:
        raise BrokenCheckpoint(f"{path} holds tensors, but nothing that says of which model: deixis did not write it")
    try:
        facts = json.loads(metadata[KEY])
    except (ValueError, RecursionError) as error:
        raise BrokenCheckpoint(f"{path} has facts that are no JSON: {str(error)[:80]}") from error
    return facts if isinstance(facts, dict) else {}


_SAID: dict[tuple[str, str], tuple[type, ...]] = {
    **{("metrics", name): (int,) for name in ("update", "looks", "dev_examples", "best_update")},
    **{("metrics", name): (int, float) for name in ("seconds", "learning_seconds", "loss", "exact")},
    ("metrics", "best"): (int, float, dict),
    **{("metrics", name): (dict,) for name in ("look", "told", "disturbed")},
    **{("training", name): (int,) for name in ("seed", "steps", "batch_size", "updates", "batch")},
    ("training", "quirks"): (list,),
    **{("data", name): (str,) for name in ("name", "digest", "split", "mode", "encoder")},
    ("data", "examples"): (int,),
    ("data", "patterns"): (list,),
}  # what is printed or reckoned with, where it is there: a header is data of somebody else


def _demand_fields(path: Path, facts: Mapping[str, Any], fields: Mapping[str, type]) -> None:
    for name, wanted in fields.items():
        value = facts.get(name)
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise BrokenCheckpoint(f"{path} does not say {name!r} as a {wanted.__name__}; train it again")
    for (part, name), kinds in _SAID.items():
        inner = facts.get(part)
        value = inner.get(name) if isinstance(inner, dict) else None
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            told = " or ".join(kind.__name__ for kind in kinds)
            raise BrokenCheckpoint(f"{path} does not say {name!r} of its {part} as a {told}; train it again")
        leaves = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        held: tuple[type, ...] = (str,) if kinds == (list,) else (int, float)
        if any(leaf is not None and not isinstance(leaf, held) for leaf in leaves):
            raise BrokenCheckpoint(f"{path} says something of another kind in {name!r} of its {part}; train it again")
    words = facts.get("vocabulary", ["none"])
    if not 0 < len(words) <= MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise BrokenCheckpoint(f"{path} has a vocabulary that is no list of words")


# -------------------------------------------------------------------------------- several models


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

    kind: Kind
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


def read_bundle(path: Path, kind: Kind) -> Bundle:
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


def checkpoint_digest(path: Path) -> str:
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
