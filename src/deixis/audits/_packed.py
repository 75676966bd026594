"""Pieces of audits as JSON can tell them, for audits that go on where they were interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.audits._counting import Looks, Tally
from deixis.audits._feature_readers import SeenThings
from deixis.audits._plain import AuditPiece
from deixis.audits._sightings import Sightings
from deixis.data._pieces import pack_arrays, unpack_arrays


if TYPE_CHECKING:
    from collections.abc import Mapping


def pack_piece(piece: AuditPiece) -> dict[str, Any]:
    """Return what was counted of some examples."""
    things = piece.things
    return {
        "tally": pack_tally(piece.tally),
        "sightings": pack_sightings(piece.sightings),
        "names": list(things.names),
        "values": [list(some) for some in things.values],
        "things": pack_arrays({"codes": things.codes, "start": things.start, "target": things.target}),
    }


def unpack_piece(packed: Mapping[str, Any]) -> AuditPiece:
    """Return the same piece again."""
    names, values = tuple(packed["names"]), tuple(map(tuple, packed["values"]))
    things = SeenThings(names, values, **unpack_arrays(packed["things"]))
    return AuditPiece(unpack_tally(packed["tally"]), unpack_sightings(packed["sightings"]), things)


def pack_tally(tally: Tally) -> dict[str, Any]:
    """Return counts, in their order."""
    counts = {name: [[*key, count] for key, count in some.items()] for name, some in tally.counts.items()}
    return {"examples": tally.examples, "counts": counts}


def unpack_tally(packed: Mapping[str, Any]) -> Tally:
    """Return the same counts again."""
    tally = Tally()
    tally.examples = packed["examples"]
    for name, some in packed["counts"].items():
        for *key, count in some:
            tally.add(name, *key, count=count)
    return tally


def pack_sightings(seen: Sightings) -> dict[str, Any]:
    """Return digests of examples."""
    columns = np.stack([seen.example, seen.world, seen.command, seen.split.astype(np.uint64)])
    return {"names": list(seen.names), "arrays": pack_arrays({"columns": columns})}


def unpack_sightings(packed: Mapping[str, Any]) -> Sightings:
    """Return the same digests again."""
    example, world, command, split = unpack_arrays(packed["arrays"])["columns"]
    return Sightings(example, world, command, split.astype(np.int64), tuple(packed["names"]))


def pack_looks(looks: Looks) -> dict[str, str]:
    """Return what objects look like."""
    return pack_arrays(looks._asdict())


def unpack_looks(packed: Mapping[str, str]) -> Looks:
    """Return the same again."""
    return Looks(**unpack_arrays(packed))
