"""Verdicts on plans as `verdicts.parquet`, in the schema of all worlds."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from deixis.judge.verdicts import Verdicts, write_verdicts
from deixis.worlds.grid.judging._misreadings import names_of
from deixis.worlds.grid.judging.navigation import CHOICES, outcomes_of
from deixis.worlds.grid.judging.verdicts import UNRECORDED
from deixis.worlds.grid.roles import KINDS


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from deixis.worlds.grid.judging.verdicts import ExampleArrays
    from deixis.worlds.grid.judging.verdicts import Verdicts as PlanVerdicts


RIGHT_BY = {"exact": "exact", "got_there": "got_there", "right_target": "is_right_target"}  # measure -> field


def write_plan_verdicts(
    path: Path, asked: Mapping[str, ExampleArrays], verdicts: Mapping[str, PlanVerdicts], *, keep: bool = False
) -> None:
    """Write the verdicts on the plans of some splits in the common schema.

    Args:
        path: the file.
        asked: the examples, by split.
        verdicts: the verdict on each of them.
        keep: whether to keep what the file holds of other splits.
    """

    def join(of: Callable[[PlanVerdicts], np.ndarray]) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.int64), *map(of, verdicts.values())])

    is_wrong = join(lambda one: one.is_wrong_object).astype(bool)
    misread, misreading = np.unique(np.where(is_wrong, join(lambda one: one.misread), -1), return_inverse=True)
    found = Verdicts(
        ids=np.concatenate([np.zeros(0, np.int64), *(asked[split].ids for split in verdicts)]),
        part=np.repeat(np.arange(len(verdicts)), [len(one) for one in verdicts.values()]).astype(np.int16),
        parts=tuple(verdicts),
        right={name: join(attrgetter(field)).astype(bool) for name, field in RIGHT_BY.items()},
        outcome=join(outcomes_of).astype(np.int16),
        outcomes=CHOICES,
        role=np.where(is_wrong, join(lambda one: one.role) + 2, 0).astype(np.int16),
        roles=("", UNRECORDED, *KINDS),
        misreading=misreading.astype(np.int16),
        misreadings=tuple(names_of(bits) if bits >= 0 else () for bits in misread.tolist()),
        chosen=join(lambda one: one.chosen).astype(np.int32),
    )
    write_verdicts(path, found, world="grid", keep=keep)
