"""Models whose plans were judged one by one, as galleries of grids filter by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis._studio.model_results import dataset_of, read_model_results
from deixis.errors import UnknownName
from deixis.judge.verdicts import read_verdicts
from deixis.worlds.grid._pages.shelf import PLACES
from deixis.worlds.grid.data._judged_plans import places_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis.worlds.grid._pages.shelf import GridShelf


VERDICTS = {"right": "right", "wrong": "wrong"}
VERDICT_CODES: dict[tuple[Path, int, int], np.ndarray] = {}


def models_of(entry: Entry, library: Library, wanted: PageQuery) -> list[ModelResults]:
    """Return the models whose plans for this dataset were judged one by one.

    A model that is asked for by name and not known may have been judged since the folders were read: they are read
    again.
    """
    models = _known_models(entry, library)
    key = wanted.get("model")
    if key and key not in {model.key for model in models}:
        library.refresh()
        models = _known_models(entry, library)
    return models


def _known_models(entry: Entry, library: Library) -> list[ModelResults]:
    if not library.runs:
        return []
    known, _ = read_model_results(library)
    fitting = [one for one in known if one.world == entry.kind and one.rows is not None]
    return [one for one in fitting if dataset_of(library, one) is entry]


def model_mask(shelf: GridShelf, wanted: PageQuery, models: Sequence[ModelResults]) -> Iterator[np.ndarray]:
    verdict = wanted.get("verdict")
    if verdict and verdict not in VERDICTS:
        raise UnknownName(f"a plan is right or wrong, not {verdict!r}")
    model = _model(wanted, models)
    if model is not None:
        codes = _verdict_codes(shelf, model)
        yield codes > 0 if not verdict else codes == (2 if verdict == "right" else 1)


def _model(wanted: PageQuery, models: Sequence[ModelResults]) -> ModelResults | None:
    """The model that is asked about; the only one, where a verdict is asked for and nothing else is said."""
    key = wanted.get("model")
    if not key:
        return models[0] if wanted.get("verdict") and models else None
    for model in models:
        if model.key == key:
            return model
    raise UnknownName(f"there are no plans of a model {key!r} for this dataset here")


def shown_verdicts(
    shelf: GridShelf, wanted: PageQuery, models: Sequence[ModelResults]
) -> tuple[str, np.ndarray] | None:
    model = _model(wanted, models)
    return None if model is None else (model.model or model.key, _verdict_codes(shelf, model))


def _verdict_codes(shelf: GridShelf, model: ModelResults) -> np.ndarray:
    """Of every example: 0 where the model was not asked, 1 where its plan is wrong, 2 where it is right."""
    path = model.rows
    if path is None:
        raise UnknownName(f"there is no verdict on the single plans of {model.model}")
    key = (path, path.stat().st_mtime_ns, id(shelf))
    if key not in VERDICT_CODES:
        if shelf not in PLACES:
            PLACES[shelf] = places_of(shelf.source)
        judged = read_verdicts(path)
        numbers = PLACES[shelf].find(judged.ids)
        codes = np.zeros(len(shelf.rows), np.uint8)
        right = judged.right["exact" if "exact" in model.measures else "right_target"]  # whoever points has no plan
        codes[numbers[numbers >= 0]] = 1 + right[numbers >= 0]
        while len(VERDICT_CODES) >= 8:
            VERDICT_CODES.pop(next(iter(VERDICT_CODES)), None)
        VERDICT_CODES[key] = codes
    return VERDICT_CODES[key]
