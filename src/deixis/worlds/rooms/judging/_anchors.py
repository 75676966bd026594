"""Scores of untrained speakers on the thirteen test sets, as anchors for the scores of models."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.seeds import Stream, derive
from deixis.speakers import Exhaustive, Greedy, Minimal, Random, Rational
from deixis.worlds.rooms.captions import caption, frames
from deixis.worlds.rooms.judging._arrays import score_captions, score_mentions
from deixis.worlds.rooms.mentions import read_rows
from deixis.worlds.rooms.mentions._reading import ORDER
from deixis.worlds.rooms.pairs import PAIRS, test_sets
from deixis.worlds.rooms.scene import FACTORS, factors_of
from deixis.worlds.rooms.speakers import INCREMENTAL, caption_of, choose_rows


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deixis.distractors._contrast import By
    from deixis.speakers import Speaker
    from deixis.worlds.rooms.judging._arrays import Mode, Scores


SPEAKERS: Mapping[str, Speaker] = {
    "exhaustive": Exhaustive(),
    "random": Random(),
    "random, three features": Random(count=3),
    "rational (alpha 1)": Rational(alpha=1.0),
    "rational (alpha 4)": Rational(alpha=4.0),
    "rational (alpha 16)": Rational(alpha=16.0),
    "incremental": INCREMENTAL,
    "greedy": Greedy(),
    "minimal": Minimal(),
}


def speaker_captions(speaker: Speaker, images: np.ndarray, *, seed: int, by: By = "label") -> list[str]:
    """Return the captions of a speaker for the first image of each row."""
    said = choose_rows(speaker, images, seed=seed, by=by)
    return [
        caption_of(image, [name for name, is_said in zip(FACTORS, row, strict=True) if is_said])
        for image, row in zip(images[:, 0].tolist(), said.tolist(), strict=True)
    ]


def captions_of(images: np.ndarray, *, seed: int) -> list[str]:
    """One of the released exhaustive captions of each image, as a model would write it: hyphens taken out."""
    rng = Stream(derive(seed, "released captions"))
    count = len(frames("exhaustive-released"))
    numbers = [rng.below(count) for _ in range(len(images))]
    texts = (caption(*one, "exhaustive-released") for one in zip(images.tolist(), numbers, strict=True))
    return [text.replace("-", " ") for text in texts]


def score_speakers(
    *,
    seed: int,
    count: int = PAIRS,
    by: By = "label",
    speakers: Mapping[str, Speaker] = SPEAKERS,
    pairs: Mapping[str, np.ndarray] | None = None,
    share: Callable[[Callable[[SpeakerTurn], Scores], Sequence[SpeakerTurn]], Iterable[Scores]] = map,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, dict[str, Scores]]:
    """The scores of speakers on the thirteen test sets: name of the speaker -> name of the set -> scores.

    Two more rows show what the released captions score, read by the clean extractor and by that of the paper.

    Args:
        seed: of the pairs and the speakers.
        count: pairs in each set.
        by: whether features contrast by labels or by expressions.
        speakers: who.
        pairs: other test sets than those of the seed.
        share: does some work on each of several things, in their order, perhaps elsewhere.
        progress: called with the name of a speaker, how many are done, and how many there are.
    """
    pairs = test_sets(seed=seed, count=count) if pairs is None else pairs
    modes: dict[str, Mode] = {"released captions": "clean", "released captions, paper mode": "paper"}
    turns = [SpeakerTurn(name, part, rows, seed, by, modes[name]) for name in modes for part, rows in pairs.items()]
    turns += [
        SpeakerTurn(name, part, rows, seed, by, speaker=speaker)
        for name, speaker in speakers.items()
        for part, rows in pairs.items()
    ]
    found: dict[str, dict[str, Scores]] = {name: {} for name in (*modes, *speakers)}
    for turn, scores in zip(turns, share(score_turn, turns), strict=True):
        if not found[turn.name] and progress is not None:
            progress(turn.name, list(found).index(turn.name), len(found))
        found[turn.name][turn.part] = scores
    return found


class SpeakerTurn(NamedTuple):
    """A speaker and the pairs that it captions; without a speaker, released captions are read in a mode."""

    name: str
    part: str
    rows: np.ndarray
    seed: int
    by: By
    mode: Mode = "clean"
    speaker: Speaker | None = None


def score_turn(turn: SpeakerTurn) -> Scores:
    """The scores of what a speaker says of pairs."""
    rows = turn.rows
    if turn.speaker is None:
        said = captions_of(rows[:, 0], seed=turn.seed)
        return score_captions(said, rows[:, 0], rows[:, 1], mode=turn.mode, by=turn.by)
    features = choose_rows(turn.speaker, rows, seed=derive(turn.seed, turn.name, turn.part), by=turn.by)
    return _score_features(features, rows, turn.by)


def _score_features(said: np.ndarray, images: np.ndarray, by: By) -> Scores:
    """The scores of captions that say these features: what they say is known, so nobody has to read them."""
    target, *others = np.moveaxis(factors_of(images), 1, 0)
    masks = (said * (1 << np.arange(len(FACTORS)))).sum(axis=1)
    return score_mentions(said, target, np.stack(others, axis=1), by=by, order=_orders()[masks])


@cache
def _orders() -> np.ndarray:
    """The order of modifiers in captions that name the features of each mask: int64 [mask]; it is that of any image."""
    said = ([name for place, name in enumerate(FACTORS) if mask >> place & 1] for mask in range(1 << len(FACTORS)))
    return read_rows(caption_of(0, names) for names in said)[:, ORDER].astype(np.int64)
