"""The pragmatic metrics of many captions at once, from the numbers of their images, as `pragmatics` defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.rooms.mentions import Faults, false_of_rows, judge_rows, look_up, read_rows
from deixis.worlds.rooms.mentions._judging import expressions_of
from deixis.worlds.rooms.scene import FACTORS, IMAGES, factors_of


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.distractors._contrast import By
    from deixis.judge.pragmatics import Denominator


Mode: TypeAlias = Literal["clean", "paper"]
COUNT = len(FACTORS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Counts of captions, one row each, with the names of `Pragmatics`.

    Shapes:
        true: bool [caption, 6], features said truly.
        shown: bool [caption, 6], features spoken of at all, whether or not what is said holds.
        contrasts: bool [caption, 6], features that tell the target from some distractor.
        needed: int64 [caption], how few features would do; 0 where all of them together do not.
        false, false_of_distractor: int64 [caption].
        is_discriminative, is_minimal: bool [caption].
        order: int64 [caption], of size and colour before the noun: 0 not both, 1 usual, 2 unusual.
        unknown: int64 [caption], words that belong to no known phrase.
    """

    true: np.ndarray
    shown: np.ndarray
    contrasts: np.ndarray
    needed: np.ndarray
    false: np.ndarray
    false_of_distractor: np.ndarray
    is_discriminative: np.ndarray
    is_minimal: np.ndarray
    order: np.ndarray
    unknown: np.ndarray

    def __len__(self) -> int:
        return len(self.true)

    @property
    def said(self) -> np.ndarray:
        """True features said (k): int64 [caption]."""
        return self.true.sum(axis=1)

    @property
    def contrastive(self) -> np.ndarray:
        """Contrastive features said (c): int64 [caption]."""
        return (self.true & self.contrasts).sum(axis=1)

    @property
    def available(self) -> np.ndarray:
        """Contrastive features there are (z): int64 [caption]."""
        return self.contrasts.sum(axis=1)

    @property
    def mentioned(self) -> np.ndarray:
        """Features spoken of: int64 [caption]."""
        return self.shown.sum(axis=1)

    @property
    def is_optimal(self) -> np.ndarray:
        """Optimal discriminativity: bool [caption]."""
        return self.is_discriminative & (self.contrastive == self.needed)

    @property
    def relevance(self) -> np.ndarray:
        """Relevance r: float64 [caption]."""
        most = COUNT - self.available
        return 1 - (self.said - self.contrastive) / np.maximum(most, 1) * (most > 0)

    def efficiency(self, denominator: Denominator = "z") -> np.ndarray:
        """Contrastive efficiency e: float64 [caption], not a number where the target is not found."""
        most = {"z": self.available, "k": self.said}[denominator] - self.needed
        e = np.where(most == 0, 1.0, 1 - (self.contrastive - self.needed) / np.where(most == 0, 1, most))
        return np.where(self.is_discriminative, e, np.nan)


def score_captions(
    texts: Sequence[str],
    targets: np.ndarray,
    distractors: np.ndarray,
    *,
    mode: Mode = "clean",
    by: By = "label",
    faults: Faults | None = None,
) -> Scores:
    """Score captions of rooms.

    Args:
        texts: the captions; an empty one says nothing.
        targets: integers [caption], numbers of images.
        distractors: integers [caption] or [caption, distractor].
        mode: `clean` reads captions as `judge` does, `paper` as the released script does.
        by: whether features contrast by their labels or by the expressions of captions; the script knows labels only.
        faults: those of the script that are kept in the mode `paper`, all by default.
    """
    targets = _ids(targets)
    distractors = _ids(distractors)
    if distractors.ndim == 1:
        distractors = distractors[:, None]
    if not len(texts) == len(targets) == len(distractors):
        raise SchemaError(f"{len(texts)} captions, {len(targets)} targets and {len(distractors)} distractors differ")
    own, others = factors_of(targets), factors_of(distractors)
    rows = read_rows(texts)
    judged = judge_rows(rows, own)
    if mode == "clean":
        return score_mentions(
            judged.true,
            own,
            others,
            by=by,
            shown=judged.true | judged.false | judged.ambiguous,
            false=judged.false.sum(axis=1) + judged.stray,
            false_of_distractor=false_of_rows(rows, judged, own, others),
            order=judged.order,
            unknown=judged.unknown,
        )
    if distractors.shape[1] != 1:
        raise SchemaError(f"the released script knows one distractor, got {distractors.shape[1]}; use the mode clean")
    looked = look_up(texts, targets, distractors[:, 0], faults)
    return score_mentions(
        looked.found,
        own,
        others,
        by=by,
        shown=looked.shown,
        false=looked.false,
        false_of_distractor=looked.false_of_distractor,
        order=judged.order,
        unknown=judged.unknown,
    )


def score_mentions(
    true: np.ndarray,
    targets: np.ndarray,
    distractors: np.ndarray,
    *,
    by: By = "label",
    shown: np.ndarray | None = None,
    **counts: np.ndarray,
) -> Scores:
    """Score the features that are mentioned truly, without the words.

    Shapes:
        true: bool [caption, 6]. targets: integers [caption, 6]. distractors: integers [caption, distractor, 6].
        shown: bool [caption, 6], `true` by default. counts: the further fields of `Scores`, 0 by default.
    """
    if by == "expression":
        targets, distractors = expressions_of(targets), expressions_of(distractors)
    differs = targets[:, None, :] != distractors  # [caption, distractor, 6]
    found = _finds(true, differs)
    nothing = np.zeros(len(true), np.int64)
    return Scores(
        true=true,
        shown=true if shown is None else shown,
        contrasts=differs.any(axis=1),
        needed=_min_features(differs),
        is_discriminative=found,
        is_minimal=found & _spares_nothing(true, differs),
        **dict.fromkeys(("false", "false_of_distractor", "order", "unknown"), nothing) | counts,
    )


def _finds(said: np.ndarray, differs: np.ndarray) -> np.ndarray:
    """Whether what is said rules out every distractor."""
    return (said[:, None, :] & differs).any(axis=2).all(axis=1)


def _spares_nothing(said: np.ndarray, differs: np.ndarray) -> np.ndarray:
    kept = np.ones(len(said), bool)
    for feature in range(COUNT):
        without = said.copy()
        without[:, feature] = False
        kept &= ~(said[:, feature] & _finds(without, differs))
    return kept


def _min_features(differs: np.ndarray) -> np.ndarray:
    """Return the smallest number of features that rule out every distractor, or 0 if all together do not."""
    bits = (differs * (1 << np.arange(COUNT))).sum(axis=2)  # [caption, distractor]
    needed = np.zeros(len(bits), np.int64)
    for choice in sorted(range(1, 1 << COUNT), key=int.bit_count):
        open_yet = np.flatnonzero(needed == 0)
        found = ((bits[open_yet] & choice) != 0).all(axis=1)
        needed[open_yet[found]] = choice.bit_count()
        if len(open_yet) == 0:
            break
    return needed


def _ids(ids: np.ndarray) -> np.ndarray:
    ids = np.asarray(ids)
    if ids.size and not np.issubdtype(ids.dtype, np.integer):
        raise SchemaError(f"numbers of images are integers from 0 to {IMAGES - 1:,}, got {ids.dtype}")
    return ids.astype(np.int64)
