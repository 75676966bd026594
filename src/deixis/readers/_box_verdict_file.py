"""The file of verdicts on answers with boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from deixis.data._split_names import names_in_split
from deixis.judge.boxes import LADDER
from deixis.judge.verdicts import Codes, Verdicts, id_code, write_verdicts


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.readers._box_verdicts import BoxVerdict
    from deixis.worlds.world import World


BOXES = pa.list_(pa.list_(pa.float64()))  # the number of an image, then left, top, right and bottom


def write_box_verdicts(path: Path, verdicts: Sequence[BoxVerdict], *, world: World, keep: bool = False) -> None:
    """Write verdicts on boxes in the common schema, with the overlap and the boxes that were given besides.

    Args:
        path: the file.
        verdicts: one for each example; an example of two splits has a row in each.
        world: whose they are.
        keep: whether to keep what the file holds of other splits.
    """
    rows = [(split, verdict) for verdict in verdicts for split in names_in_split(verdict.split or "all")]
    judged = [verdict for _, verdict in rows]
    part, outcome = Codes.of(split for split, _ in rows), Codes.of(one.outcome for one in judged)
    missed = Codes.of(one.misreading for one in judged)
    ids = [one.id for one in judged]
    ladder = {f"IoU {step:g}": np.array([one.worst >= step for one in judged], bool) for step in LADDER}
    found = Verdicts(
        ids=np.array([id_code(one) for one in ids], np.int64),
        part=part.codes,
        parts=part.names,
        right={
            "accuracy": np.array([one.is_right for one in judged], bool),
            **ladder,
            "center": np.array([one.center == 1 for one in judged], bool),
        },
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=np.zeros(len(rows), np.int16),
        roles=("",),
        misreading=missed.codes,
        misreadings=missed.names,
        chosen=np.array([-1 if one.chosen is None else one.chosen.object for one in judged], np.int32),
        names=ids,
    )
    overlaps = [None if np.isnan(one.overlap) else one.overlap for one in judged]
    more = {
        "scene": pa.array([None if one.chosen is None else one.chosen.scene for one in judged], pa.int32()),
        "overlap": pa.array(overlaps, pa.float64()),
        "boxes": pa.array([one.given for one in judged], pa.int32()),
        "given_boxes": pa.array([[[at, *box] for at, box in one.regions] for one in judged], BOXES),
        "right_boxes": pa.array([one.wanted for one in judged], pa.int32()),
        "read_as": pa.array([list(one.read_as) for one in judged], pa.list_(pa.string())),
    }
    write_verdicts(path, found, world=world.name, more=more, keep=keep)
