"""Verdicts on answers about photographs as `verdicts.parquet`, in the schema of all worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from deixis.judge.verdicts import MAX_TEXT, Codes, Verdicts, write_verdicts


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.worlds.photos._judging.verdicts import Verdict
    from deixis.worlds.photos.localise import Example


ABSENT = "not there"


def write_answer_verdicts(path: Path, verdicts: Sequence[Verdict], examples: Sequence[Example]) -> None:
    """Write the verdicts on answers in the common schema.

    Expressions that fit nothing are parts of their own.

    Args:
        path: the file.
        verdicts: one for each answer.
        examples: at least those that were asked.
    """
    known = {example.id: example for example in examples}
    part, outcome, place, misreading = (Codes() for _ in range(4))
    right = []
    for verdict in verdicts:
        is_there = known[verdict.id].is_there
        part.add(verdict.setting if is_there else f"{verdict.setting}, {ABSENT}")
        outcome.add(verdict.outcome)
        place.add(verdict.place)
        misreading.add(verdict.misreadings)
        right.append(verdict.outcome == ("right" if is_there else "said not there"))
    found = Verdicts(
        ids=np.array([verdict.id for verdict in verdicts], np.int64),
        part=part.codes,
        parts=part.names,
        right={"right": np.array(right, bool)},
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=place.codes,
        roles=place.names,
        misreading=misreading.codes,
        misreadings=misreading.names,
        chosen=np.array([verdict.object for verdict in verdicts], np.int32),
        texts=[known[verdict.id].text[:MAX_TEXT] for verdict in verdicts],
    )
    more = {
        "image": pa.array([verdict.image or None for verdict in verdicts], pa.string()),
        "candidates": pa.array([verdict.candidates for verdict in verdicts], pa.int32()),
        "is_same_category": pa.array([verdict.is_same_category for verdict in verdicts], pa.bool_()),
        "overlaps": pa.array([verdict.overlaps for verdict in verdicts], pa.bool_()),
    }
    write_verdicts(path, found, world="photos", more=more)
