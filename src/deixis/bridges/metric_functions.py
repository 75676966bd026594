"""Metrics as plain functions on lists: predictions in, a dictionary of numbers out.

Every world brings its own, in its part `items`; they can be imported from here.

| function | for | numbers |
|---|---|---|
| `exact_match` | plans beside recorded plans | `exact_match`, `tokens_right` |
| `navigation` | plans for the examples of a dataset | the same, `got_there`, `right_target` |
| `pragmatic` | captions of rooms that are to be told from others | `discriminativity`, `relevance`, … |
| `localisation` | objects for the expressions of a dataset | `accuracy`, `denied`, `chance` |

Shares are from 0 to 1. What was not answered or cannot be read is wrong, and counted apart in `unparsable` and
`unanswered`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.worlds.registry import parts_of


if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["known_metrics"]


def known_metrics() -> dict[str, Callable[..., dict[str, Any]]]:
    """The metrics of all worlds by name, as functions of predictions, references and options."""
    return {name: metric for _, part in parts_of("items") for name, metric in part.metrics.items()}


def __getattr__(name: str) -> Any:
    """The function of a metric, with the arguments that it has by itself."""
    for _, part in parts_of("items") if not name.startswith("_") else ():
        if name in part.metrics:
            return getattr(part, name, part.metrics[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
