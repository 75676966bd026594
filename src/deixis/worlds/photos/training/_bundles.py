"""Models that ground expressions, on disk, and the names they go by."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._numbers import is_number
from deixis.errors import BrokenCheckpoint, RecipeError, nearest
from deixis.learn._checkpoints import Bundle, Kind, read_bundle
from deixis.worlds.photos._models.erasing import ErasingGrounder, ErasingGrounderSettings
from deixis.worlds.photos._models.grounder import PhraseGrounder, PhraseGrounderSettings
from deixis.worlds.photos._models.modular import ModularGrounder, ModularGrounderSettings
from deixis.worlds.photos._models.retrieval import ImageRetriever, ImageRetrieverSettings
from deixis.worlds.photos._models.tree import TreeGrounder, TreeGrounderSettings
from deixis.worlds.photos.data._programs import ProgramWords
from deixis.worlds.photos.training._tiny import TinyEyes, TinySettings


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import nn


LARGEST = 8192
TREE = "tree"  # reads programs instead of texts
EYES = "eyes"  # what a network that learns to see is kept as, beside the model
BETWEEN = ": "  # the dimension of a word of programs, and the word


class Builder(NamedTuple):
    """The class of a model, and the record of its sizes."""

    model: Callable[..., nn.Module]
    record: type


BUILDERS: Mapping[str, Builder] = {
    "grounder": Builder(PhraseGrounder, PhraseGrounderSettings),
    "mattnet": Builder(ModularGrounder, ModularGrounderSettings),
    "cm-att-erase": Builder(ErasingGrounder, ErasingGrounderSettings),
    "scan": Builder(ImageRetriever, ImageRetrieverSettings),
    TREE: Builder(TreeGrounder, TreeGrounderSettings),
}


def sizes_of(model: str, data: Mapping[str, int], said: Mapping[str, Any]) -> dict[str, Any]:
    """All sizes of a model: those that the data demand, those that are said, and the published ones.

    Args:
        model: its name.
        data: the channels `low` and `high` of features and the number of `attributes`; a model takes what it knows.
        said: other sizes than the published ones.

    Raises:
        RecipeError: when the model has no such size, or not one that the data do not demand.
    """
    record = BUILDERS[model].record
    known = [one.name for one in fields(record)]
    for name in said:
        if name not in known or name in data:
            why = "follows from the data" if name in data else f"is no size of {model}{nearest(name, known)}"
            raise RecipeError(f"the size {name!r} {why}")
    demanded = {name: value for name, value in data.items() if name in known}
    try:
        return asdict(record(**{**said, **demanded}))
    except (TypeError, ValueError) as error:
        raise RecipeError(f"{model} cannot be built: {str(error)[:160]}") from error


def build(name: str, settings: Mapping[str, Any], vocabulary: tuple[str, ...]) -> nn.Module:
    """A model with fresh weights.

    Raises:
        BrokenCheckpoint: when there is no such model or it cannot have these sizes.
    """
    if name not in (*BUILDERS, EYES):
        raise BrokenCheckpoint(f"there is no model {name[:40]!r}; known: {', '.join((*BUILDERS, EYES))}")
    for key, value in settings.items():
        if value is not None and not (isinstance(value, bool) or (is_number(value) and 0 <= value <= LARGEST)):
            raise BrokenCheckpoint(f"{name} cannot be built: {key} goes from 0 to {LARGEST:,}, got {str(value)[:40]}")
    try:
        if name == EYES:
            return TinyEyes(TinySettings(**settings))
        made = BUILDERS[name].record(**settings)
        if name == TREE:
            return TreeGrounder(made, len(vocabulary), words_in(vocabulary).values)
        return BUILDERS[name].model(made, len(vocabulary))
    except (TypeError, ValueError, RuntimeError, ZeroDivisionError, AssertionError, RecipeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
        raise BrokenCheckpoint(f"{name} cannot be built: {reason}") from error


REGIONS = Kind("regions", "model that grounds expressions", build)


def words_in(vocabulary: tuple[str, ...]) -> ProgramWords:
    """Return the words of programs in the vocabulary of a checkpoint, as the inverse of `vocabulary_of`."""
    pairs = [word.partition(BETWEEN) for word in vocabulary[2:]]
    return ProgramWords(tuple((dimension, word) for dimension, _, word in pairs))


def vocabulary_of(words: ProgramWords) -> tuple[str, ...]:
    """The words of programs as a checkpoint has them: `color: red`."""
    return ("<pad>", "<unknown>", *(f"{dimension}{BETWEEN}{word}" for dimension, word in words.words))


def read_grounding(path: Path) -> Bundle:
    """Read the model in a file, or raise `BrokenCheckpoint` if it is missing, damaged or of another kind."""
    return read_bundle(path, REGIONS)
