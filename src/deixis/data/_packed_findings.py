"""Findings and contents as JSON can tell them, for checks that go on where they were interrupted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._contents import Contents
from deixis.data._pieces import pack_arrays, unpack_arrays
from deixis.data.checks import Collector, Finding, Report


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def request_settings(request: Any, **further: Any) -> dict[str, Any]:
    """Return what a report depends on of a `CheckRequest`, beside the data."""
    names = ("select", "thorough", "sample", "seed", "most")
    return {**{name: getattr(request, name) for name in names}, "options": dict(request.options), **further}


def pack_collector(found: Collector) -> dict[str, Any]:
    """Return what a collector has found."""
    first = {code: _pack_findings(some) for code, some in found.first.items()}
    return {"rows": found.rows, "splits": dict(found.splits), "tally": dict(found.tally), "first": first}


def unpack_collector(packed: Mapping[str, Any], empty: Collector) -> Collector:
    """Fill an empty collector with what another had found."""
    empty.rows = packed["rows"]
    empty.splits.update(packed["splits"])
    empty.tally.update(packed["tally"])
    for code, some in packed["first"].items():
        empty.first[code] = list(_unpack_findings(code, empty.messages[code], some))
    return empty


def pack_report(report: Report) -> dict[str, Any]:
    """Return the report of a piece."""
    return {
        "rows": report.rows,
        "splits": dict(report.splits),
        "tally": dict(report.tally),
        "first": {
            code: [found[0].message if found else "", *_pack_findings(found)] for code, found in report.first.items()
        },
        "parts": {kind: list(counts) for kind, counts in report.parts.items()},
        "pieces": [pack_contents(contents) for contents in report.pieces],
    }


def unpack_report(packed: Mapping[str, Any], empty: Report) -> Report:
    """Return an empty report with what another had found."""
    return replace(
        empty,
        rows=packed["rows"],
        splits=packed["splits"],
        tally=packed["tally"],
        first={
            code: tuple(_unpack_findings(code, message, some)) for code, (message, *some) in packed["first"].items()
        },
        parts={kind: (needed, total) for kind, (needed, total) in packed["parts"].items()},
        pieces=tuple(unpack_contents(contents) for contents in packed["pieces"]),
    )


def pack_contents(contents: Contents) -> dict[str, Any]:
    """Return contents; ids that are texts stand as such."""
    are_texts = contents.id.dtype == object
    arrays = {"digest": contents.digest, "row": contents.row, "split": contents.split}
    return {
        "ids": contents.id.tolist() if are_texts else None,
        "names": list(contents.names),
        "alone": sorted(contents.alone),
        "arrays": pack_arrays(arrays if are_texts else {**arrays, "id": contents.id}),
    }


def unpack_contents(packed: Mapping[str, Any]) -> Contents:
    """Return the same contents again."""
    arrays = unpack_arrays(packed["arrays"])
    ids = arrays["id"] if packed["ids"] is None else np.array(packed["ids"], object)
    return Contents(
        digest=arrays["digest"],
        id=ids,
        row=arrays["row"],
        split=arrays["split"],
        names=tuple(packed["names"]),
        alone=frozenset(packed["alone"]),
    )


def _pack_findings(found: Iterable[Finding]) -> list[list[Any]]:
    return [[one.split, one.row, one.id, one.detail, one.path, one.file] for one in found]


def _unpack_findings(code: str, message: str, packed: Sequence[Sequence[Any]]) -> Iterable[Finding]:
    return (Finding(code, message, *values) for values in packed)
