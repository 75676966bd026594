"""Contamination of examples, measured by a fuller annotation of the same images.

Graphs that people have drawn leave most things out: an image may be shown as a distractor although the expression is
true in it, and a target may have a rival that nobody wrote down. For imagined images everything is known, so both can
be counted; it is what the hand check of the paper's test set was for. An expression is shown with a dozen images, so
that few contaminated images make many contaminated expressions: both are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.worlds.photos._misreadings import ALL_KINDS, DISTRACTOR_KINDS
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, resolve_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph_table import GraphTable


@dataclass(frozen=True, slots=True)
class Contamination:
    """Counts of examples that a fuller annotation contradicts.

    Attributes:
        examples: how many were looked at.
        lost: how many of them fit nothing in their own image any more, as a fuller annotation can deny a `not`.
        ambiguous: how many fit several objects of their own image.
        shown: distractor images that were looked at, by kind.
        contaminated: of these, how many the expression fits something in.
        posed, misled: examples that are shown with distractor images, and of these how many fit something in any.
        absent: expressions that should fit nothing, and of these how many do fit something in an image shown.
    """

    examples: int
    lost: int
    ambiguous: int
    shown: Mapping[str, int]
    contaminated: Mapping[str, int]
    posed: int
    misled: int
    absent: tuple[int, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and shares as plain values."""
        return {
            "examples": self.examples,
            "lost": self.lost,
            "ambiguous": self.ambiguous,
            "distractor images": {
                kind: {
                    "shown": shown,
                    "contaminated": self.contaminated[kind],
                    "share": round(self.contaminated[kind] / shown, 6) if shown else None,
                }
                for kind, shown in self.shown.items()
            },
            "expressions": {
                "with distractor images": self.posed,
                "true in one of them": self.misled,
                "share": round(self.misled / self.posed, 6) if self.posed else None,
            },
            "fit nothing": {"examples": self.absent[0], "do fit something": self.absent[1]},
        }


def measure_contamination(examples: Iterable[Example], truth: GraphTable) -> Contamination:
    """Resolve examples in the fuller graphs of their images.

    Examples whose meaning is unknown are left out.

    Args:
        examples: made from a poorer annotation.
        truth: the same images with the same ids, told more fully.
    """
    known = [example for example in examples if example.expression is not None]
    programs = [compile_for(e.expression, truth.vocabulary) for e in known if e.expression is not None]
    rows = [(number, truth.find(example.image_id), -1) for number, example in enumerate(known)]
    rows += [
        (number, truth.find(one.image_id), ALL_KINDS.index(one.kind))
        for number, example in enumerate(known)
        for one in example.distractors
    ]
    which, scenes, kinds = np.array(rows, np.int64).reshape(-1, 3).T
    fitting = counts_of(resolve_graph_pairs(programs, truth, which, scenes))
    is_there = np.array([example.is_there for example in known], np.bool_)
    own = fitting[: len(known)]
    beside = is_there[which]
    of_kind = {kind: fitting[beside & (kinds == number)] for number, kind in enumerate(ALL_KINDS)}
    of_kind = {kind: found for kind, found in of_kind.items() if kind in DISTRACTOR_KINDS or len(found)}
    is_shown = beside & (kinds >= 0)
    return Contamination(
        examples=int(is_there.sum()),
        lost=int((own[is_there] == 0).sum()),
        ambiguous=int((own[is_there] > 1).sum()),
        shown={kind: len(found) for kind, found in of_kind.items()},
        contaminated={kind: int((found > 0).sum()) for kind, found in of_kind.items()},
        posed=len(np.unique(which[is_shown])),
        misled=len(np.unique(which[is_shown & (fitting > 0)])),
        absent=(int((~is_there).sum()), len(np.unique(which[~beside & (fitting > 0)]))),
    )
