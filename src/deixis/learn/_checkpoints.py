"""Checkpoints of every world, as safetensors files: reading one runs no code.

A file holds the weights of one or several models as `MODEL.PARAMETER` and, where a training can go on from it, the
moments of Adam as `first/MODEL.PARAMETER` and `second/MODEL.PARAMETER`, and other tensors as `kept/NAME`. The metadata
key `deixis` holds facts as JSON, see `Bundle`. Which models there can be, a world says by its `Kind`.

This is format 2. Format 1 says `update` for the step, and is still read; so is the layout of a single model without a
prefix, which a `Kind` can convert.
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
from deixis.learn.run import rename_facts


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor, nn


FORMAT, EARLIER_FORMAT = 2, 1
FIRST, SECOND, KEPT = "first/", "second/", "kept/"
KEY = "deixis"
MAX_WORDS = 100_000


class Kind(NamedTuple):
    """The checkpoints of one world.

    Attributes:
        name: what the files say that they are.
        called: the words for one in an error.
        build: makes a model with fresh weights from its name, its sizes and the words that it knows.
        earlier: what files of an earlier layout say that they are, where there are any: of a single model, whose
            tensors have no prefix.
        convert: turns the facts of that layout into those of a `Bundle`; facts that make no sense are told later.
    """

    name: str
    called: str
    build: Callable[[str, Mapping[str, Any], tuple[str, ...]], nn.Module]
    earlier: str = ""
    convert: Callable[[dict[str, Any]], dict[str, Any]] = dict


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """Models after some steps of training.

    Attributes:
        kind: the kind of the file.
        role: what was learnt: the name of a model, or `captioning`, `game`, `encoder`, `grounding`.
        models: the names of the models with their sizes.
        vocabulary: the words, in the order of their numbers; one filler where there are none.
        training: the settings.
        digest: identifies the settings.
        data: the data: name, digest, split, number of examples, and what else the outcome depends on.
        step: how many steps were taken.
        metrics: how training went: `dev` and `best` evaluation, number of `evaluations`, `seconds`.
        weights: by names of model and parameter.
        memory: what resuming needs; empty in a checkpoint that is only for use.
    """

    kind: Kind
    role: str
    models: Mapping[str, Mapping[str, Any]]
    vocabulary: tuple[str, ...]
    training: Mapping[str, Any]
    digest: str
    data: Mapping[str, Any]
    step: int
    metrics: Mapping[str, Any]
    weights: Mapping[str, Tensor] = field(repr=False)
    memory: Mapping[str, Tensor] = field(default_factory=dict, repr=False)
    deixis: str = __version__
    torch: str = str(library.__version__)

    def model(self, name: str, device: library.device) -> nn.Module:
        """Return one of the models, ready for use, or raise `BrokenCheckpoint` if there is none of that name."""
        if name not in self.models:
            raise BrokenCheckpoint(f"there is no {name} in this checkpoint; it has {', '.join(self.models)}")
        model = self.kind.build(name, self.models[name], self.vocabulary)
        model.load_state_dict(self.weights_of(name))
        return model.to(device).eval()

    def weights_of(self, model: str) -> dict[str, Tensor]:
        """Return the weights of one of the models, by the names of its parameters."""
        start = f"{model}."
        return {name[len(start) :]: value for name, value in self.weights.items() if name.startswith(start)}

    def facts(self) -> dict[str, Any]:
        """Return everything but the tensors, as plain data."""
        named = {name: getattr(self, name) for name in _FIELDS}
        return {"format": FORMAT, "kind": self.kind.name, **named, "vocabulary": list(self.vocabulary)}


_FIELDS: dict[str, type] = {
    "role": str,
    "models": dict,
    "vocabulary": list,
    "training": dict,
    "digest": str,
    "data": dict,
    "step": int,
    "metrics": dict,
    "deixis": str,
    "torch": str,
}


def write_bundle(path: Path, bundle: Bundle) -> None:
    """Write a checkpoint.

    The previous file stays until this one is complete.

    Raises:
        DivergedTraining: when a tensor holds NaN or infinity; nothing is written then.
        OSError: when the disk is full or cannot be written to; the file before it is as it was.
    """
    tensors = {name: one.detach().cpu().contiguous() for name, one in {**bundle.weights, **bundle.memory}.items()}
    for name, tensor in tensors.items():
        if not bool(library.isfinite(tensor).all()):
            before = f"the last good checkpoint is {path}" if path.exists() else "there is no good checkpoint yet"
            raise DivergedTraining(
                f"the weights {name!r} are no longer numbers at step {bundle.step:,}; {before}; "
                "a lower --lr or --clip 1 may help"
            )
    facts = json.dumps(bundle.facts(), ensure_ascii=False, allow_nan=False)
    content = safetensors.torch.save(tensors, {KEY: facts})
    with replacing_file(path) as draft:
        draft.write_bytes(content)


def half_bundle(bundle: Bundle) -> Bundle:
    """Return the same models in bfloat16, at half the size, without what resuming needs."""
    weights = {
        name: one.to(library.bfloat16) if one.is_floating_point() else one for name, one in bundle.weights.items()
    }
    return replace(bundle, weights=weights, memory={})


def read_bundle(path: Path, kind: Kind) -> Bundle:
    """Read a checkpoint of this or an earlier layout, in float32 and on the CPU.

    Raises:
        BrokenCheckpoint: when the file is missing, damaged, not of this kind, or holds other weights than it says.
    """
    facts, tensors = _read(path, kind)
    memory = {name: one for name, one in tensors.items() if name.startswith((FIRST, SECOND, KEPT))}
    weights = {
        name: one.float() if one.is_floating_point() else one for name, one in tensors.items() if name not in memory
    }
    values = {name: facts[name] for name in _FIELDS}
    found = Bundle(**{**values, "vocabulary": tuple(values["vocabulary"])}, weights=weights, memory=memory, kind=kind)
    _demand_fit(path, found)
    return found


def checkpoint_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def _read(path: Path, kind: Kind) -> tuple[dict[str, Any], dict[str, Tensor]]:
    if not path.is_file():
        raise BrokenCheckpoint(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="pt") as opened:
            facts = _facts(path, opened.metadata() or {})
            prefix = ""
            match facts.get("kind"), facts.get("format"):
                case (kind.name, version) if version == FORMAT:
                    pass
                case (kind.name, version) if version == EARLIER_FORMAT:
                    facts = _rename(facts)
                case (kind.earlier, version) if kind.earlier and version == EARLIER_FORMAT:
                    facts = kind.convert(facts)
                    prefix = f"{next(iter(facts['models']))}."
                case _:
                    raise BrokenCheckpoint(
                        f"{path} is no {kind.called} of format {FORMAT} or {EARLIER_FORMAT}; "
                        "this version of deixis reads no other"
                    )
            _demand_fields(path, facts)
            names = list(opened.keys())
            return facts, {_add_prefix(name, prefix): opened.get_tensor(name) for name in names}
    except (SafetensorError, OSError, ValueError, TypeError, RuntimeError, KeyError) as error:
        raise _unreadable(path, error) from error


def _rename(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of format 1 under the names of format 2."""
    metrics = facts.get("metrics")
    return {**rename_facts(facts), "metrics": rename_facts(metrics) if isinstance(metrics, dict) else metrics}


def _add_prefix(name: str, prefix: str) -> str:
    before, slash, part = name.rpartition("/")
    return f"{before}{slash}{prefix}{part}"


def read_facts(path: Path) -> dict[str, Any]:
    """Return the facts in the header of a file of any kind, or nothing if it has none."""
    try:
        with safe_open(path, framework="pt") as opened:
            facts = json.loads((opened.metadata() or {}).get(KEY, "{}"))
    except (SafetensorError, OSError, ValueError, TypeError, RuntimeError, RecursionError) as error:
        raise _unreadable(path, error) from error
    return facts if isinstance(facts, dict) else {}


def _demand_shapes(path: Path, model: str, wanted: Mapping[str, tuple[int, ...]], found: Mapping[str, Tensor]) -> None:
    """Raise `BrokenCheckpoint` unless these are the tensors of a model."""
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


_OPTIONAL_FACTS: dict[tuple[str, str], tuple[type, ...]] = {
    ("metrics", "evaluations"): (int,),
    **{("metrics", name): (int, float) for name in ("seconds", "learning_seconds")},
    **{("metrics", name): (dict,) for name in ("dev", "best", "told", "disturbed")},
    **{("training", name): (int,) for name in ("seed", "steps", "batch_size", "updates", "batch")},
    ("training", "quirks"): (list,),
    **{("data", name): (str,) for name in ("name", "digest", "split", "mode", "encoder")},
    **{("data", name): (int,) for name in ("examples", "cells", "channels")},
    ("data", "patterns"): (list,),
}  # of these types where they are there: a header may be written by anybody


def _demand_fields(path: Path, facts: Mapping[str, Any]) -> None:
    for name, wanted in _FIELDS.items():
        value = facts.get(name)
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise BrokenCheckpoint(f"{path} does not say {name!r} as a {wanted.__name__}; train it again")
    for (part, name), kinds in _OPTIONAL_FACTS.items():
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
    if not 0 < len(words) <= MAX_WORDS or not all(isinstance(word, str) for word in words):
        raise BrokenCheckpoint(f"{path} has a vocabulary that is no list of words")


def _demand_fit(path: Path, found: Bundle) -> None:
    """Raise `BrokenCheckpoint` unless weights and moments are those of the models, without building them for real."""
    wanted: dict[str, tuple[int, ...]] = {}
    for name, settings in found.models.items():
        if not isinstance(settings, dict):
            raise BrokenCheckpoint(f"{path} does not say the sizes of its {name}")
        try:
            with library.device("meta"):  # shapes only: nothing of the size that a file claims is ever allocated
                model = found.kind.build(name, settings, found.vocabulary)
        except BrokenCheckpoint as error:
            raise BrokenCheckpoint(f"{path} is of a model that this version cannot build: {error}") from error
        wanted |= {f"{name}.{part}": tuple(one.shape) for part, one in model.state_dict().items()}
    names = " and ".join(found.models)
    _demand_shapes(path, names, wanted, found.weights)
    moments = {name for name in found.memory if not name.startswith(KEPT)}
    for name in sorted(moments):
        part = name.split("/", 1)[1]
        if tuple(found.memory[name].shape) != wanted.get(part):
            raise BrokenCheckpoint(f"{path} remembers {part!r} of another model; train it again")
        for start in (FIRST, SECOND):
            if f"{start}{part}" not in moments:
                raise BrokenCheckpoint(f"{path} is not a checkpoint of {names}: it lacks the weights '{start}{part}'")
