"""Verdicts on captions, and on choices between two rooms, as `verdicts.parquet` in the schema of all worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.judge.verdicts import MAX_TEXT, Codes, Verdicts, write_verdicts
from deixis.worlds.rooms.scene import IMAGES


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.judge.pragmatics import Denominator
    from deixis.worlds.rooms.judging._arrays import Scores
    from deixis.worlds.rooms.judging._predictions import Predictions


FAULTS = ("says something false", "says what is true of the distractor", "says what tells nothing apart")
OUTCOMES = ("not told apart", "told apart")
PICKED = ("picked the distractor", "picked the target")


class Pick(NamedTuple):
    """A choice between two images, for a caption of one of them."""

    set: str
    target: int
    distractor: int
    picked: int
    caption: str


def write_caption_verdicts(
    path: Path, sets: Mapping[str, Predictions], scores: Mapping[str, Scores], *, denominator: Denominator = "z"
) -> None:
    """Write the verdicts on captions.

    A caption is right by a measure if it has the most that the measure gives.

    Args:
        path: the file.
        sets: captions and images; of several distractors the first is in the id.
        scores: of these captions.
        denominator: of contrastive efficiency.
    """

    def join(*columns: np.ndarray) -> np.ndarray:
        return np.concatenate(columns)

    targets = join(*(np.asarray(one.targets, np.int64) for one in sets.values()))
    others = join(*(np.asarray(one.distractors, np.int64)[:, 0] for one in sets.values()))
    found = [scores[name] for name in sets]
    is_apart = join(*(one.is_discriminative for one in found)).astype(bool)
    faults = join(
        *(np.stack([one.false > 0, one.false_of_distractor > 0, one.said > one.contrastive], axis=1) for one in found)
    )
    bits = faults.astype(np.int64) @ np.array([1, 2, 4])
    write_verdicts(
        path,
        Verdicts(
            ids=targets * IMAGES + others,
            part=np.repeat(np.arange(len(sets)), [len(one) for one in sets.values()]).astype(np.int16),
            parts=tuple(name or "all" for name in sets),
            right={
                "discriminativity": is_apart,
                "contrastive_efficiency": join(*(one.efficiency(denominator) == 1 for one in found)),
                "relevance": join(*(one.relevance == 1 for one in found)),
                "optimal_discriminativity": is_apart & (join(*(one.contrastive for one in found)) == 1),
            },
            outcome=is_apart.astype(np.int16),
            outcomes=OUTCOMES,
            role=np.zeros(len(targets), np.int16),
            roles=("",),
            misreading=bits.astype(np.int16),
            misreadings=tuple(tuple(name for bit, name in enumerate(FAULTS) if mask >> bit & 1) for mask in range(8)),
            chosen=np.full(len(targets), -1, np.int32),
            texts=[caption[:MAX_TEXT] for one in sets.values() for caption in one.captions],
        ),
        world="rooms",
    )


def write_pick_verdicts(path: Path, picks: Sequence[Pick]) -> None:
    """Write the verdicts on choices between two images, with the captions that they were made for."""
    part = Codes.of(pick.set or "all" for pick in picks)
    is_right = np.array([pick.picked == pick.target for pick in picks], bool)
    write_verdicts(
        path,
        Verdicts(
            ids=np.array([pick.target * IMAGES + pick.distractor for pick in picks], np.int64),
            part=part.codes,
            parts=part.names,
            right={"right_image": is_right},
            outcome=is_right.astype(np.int16),
            outcomes=PICKED,
            role=np.zeros(len(picks), np.int16),
            roles=("",),
            misreading=np.zeros(len(picks), np.int16),
            misreadings=((),),
            chosen=np.full(len(picks), -1, np.int32),
            texts=[pick.caption[:MAX_TEXT] for pick in picks],
        ),
        world="rooms",
    )
