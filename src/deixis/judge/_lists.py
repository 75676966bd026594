"""Shared parts of metrics on lists: checks of lists, matches of predictions with examples, and means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Sequence


Numbers: TypeAlias = dict[str, float | int | None]


def demand_alike(**lists: Sequence[Any]) -> None:
    """`SchemaError` unless these are lists of one length, which is not 0."""
    for name, values in lists.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            raise SchemaError(f"{name} must be a list, got {str(values)[:40]!r}")
    sizes = {name: len(values) for name, values in lists.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{size:,} {name}" for name, size in sizes.items())
        raise SchemaError(f"the lists must be equally long, got {told}")
    if not all(sizes.values()):
        raise SchemaError(f"there is nothing to score: {', '.join(sizes)} are empty")


def demand_data(options: Mapping[str, Any], metric: str) -> None:
    """`SchemaError` unless the dataset is named, which a metric needs."""
    if "data" not in options:
        raise SchemaError(f"{metric} needs the dataset: compute(..., data=PATH, split=NAME)")


def predictions_by_id(predictions: Mapping[int, str] | Sequence[str], ids: Sequence[int | str]) -> dict[int, str]:
    """Predictions by the id of their example: as they are given, or those of a list with a list of ids."""
    from deixis.data._ids import current_ids

    if isinstance(ids, str | bytes) or not hasattr(ids, "__len__"):
        raise SchemaError(f"ids must be a list, got {str(ids)[:40]!r}")
    if isinstance(predictions, Mapping):
        ids, predictions = list(predictions), list(predictions.values())
    else:
        demand_alike(predictions=predictions, ids=ids)
    return dict(zip(current_ids([_number(one) for one in ids]).tolist(), predictions, strict=True))


def mean(values: Any) -> float:
    """The mean of some values."""
    return float(np.mean(values))


def mean_of_known(values: np.ndarray) -> float | None:
    """Return the mean of the values that are defined, or None if none is."""
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else None


def _number(value: int | str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise SchemaError(f"the id of an example is a number, got {str(value)[:40]!r}") from None
