"""Judgement of a caption against the target: each feature is absent, true, false or ambiguous.

A feature is *true* when a whole expression says of it what holds, and nothing says otherwise. It is *false* when
everything that is said of it fails to hold. It is *ambiguous* when only part of an expression fits ('left', 'blue'),
when true and false are both said, or when a loose colour could be about it or about another feature.

A loose colour that occurs once among the three hues of the target is about that feature (the paper's rule); one that
occurs several times is about none of them for certain, unless it only repeats what is said of one anyway; one that
does not occur is *stray*, a false feature of nobody knows what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import DeixisError
from deixis.worlds.rooms.mentions._phrases import EXPRESSIONS, PLACE_OF
from deixis.worlds.rooms.mentions._reading import LOOSE, NARROW, ORDER, PARTLY, UNKNOWN, Reading, read_mentions
from deixis.worlds.rooms.scene import FACTORS, RoomScene


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.worlds.rooms.mentions._reading import Mention, Span


Verdict: TypeAlias = Literal["absent", "true", "false", "ambiguous"]
HUE_FEATURES = FACTORS[:3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Judgement of a caption against a target.

    Attributes:
        verdicts: for each of the six features.
        spans: where each is spoken of; a loose colour stands under every feature that it may be about.
        stray: loose colours that the target has nowhere.
        unknown: words that belong to no known phrase.
    """

    verdicts: dict[str, Verdict]
    spans: dict[str, tuple[Span, ...]]
    stray: tuple[Mention, ...]
    unknown: tuple[Span, ...]

    @property
    def true(self) -> tuple[str, ...]:
        """The features that are said truly."""
        return tuple(feature for feature, verdict in self.verdicts.items() if verdict == "true")

    @property
    def false(self) -> int:
        """Number of false mentions: features, and colours of nothing."""
        stray = {mention.expressions for mention in self.stray}
        return sum(verdict == "false" for verdict in self.verdicts.values()) + len(stray)


class Judgements(NamedTuple):
    """Judgements of many captions against their targets, in arrays of one row per caption.

    Shapes:
        true, false, ambiguous: bool [caption, 6], at most one of them for each feature.
        stray: int64 [caption], how many different loose colours the target has nowhere.
        unknown: int64 [caption], how many words belong to no known phrase.
        order: int64 [caption], of size and colour before the noun: 0 not both, 1 usual, 2 unusual.
    """

    true: np.ndarray
    false: np.ndarray
    ambiguous: np.ndarray
    stray: np.ndarray
    unknown: np.ndarray
    order: np.ndarray


def judge(caption: str | Reading, target: RoomScene) -> Judgement:
    """Judge a caption against a target, feature by feature.

    Example:
        >>> judge("A tiny red ball green near the floor in green of", RoomScene(163_233)).verdicts["floor_hue"]
        'true'
    """
    reading = _reading(caption)
    holds = said_of(target)
    about: dict[str, list[Mention]] = {feature: list(reading.of(feature)) for feature in FACTORS}
    unsure: dict[str, list[Mention]] = {feature: [] for feature in FACTORS}
    stray = []
    for mention in reading.of(None):
        owners = [feature for feature in HUE_FEATURES if holds[feature] in mention.expressions]
        if not owners:
            stray.append(mention)
        elif any(_repeats(mention, holds[feature], reading.of(feature)) for feature in owners):
            continue
        elif len(owners) == 1:
            about[owners[0]].append(mention)
        else:
            for feature in owners:
                unsure[feature].append(mention)
    return Judgement(
        verdicts={feature: _verdict(about[feature], unsure[feature], holds[feature]) for feature in FACTORS},
        spans={feature: tuple(sorted(m.span for m in (*about[feature], *unsure[feature]))) for feature in FACTORS},
        stray=tuple(stray),
        unknown=reading.unknown,
    )


def false_of(caption: str | Reading, target: RoomScene, distractors: Iterable[RoomScene]) -> int:
    """Count the false mentions of the target that hold, or may hold, of a distractor."""
    reading = _reading(caption)
    judgement = judge(reading, target)
    others = [said_of(scene) for scene in distractors]
    wrong = [feature for feature, verdict in judgement.verdicts.items() if verdict == "false"]
    features = sum(
        any(other[feature] in mention.expressions for mention in reading.of(feature) for other in others)
        for feature in wrong
    )
    colors = {other[feature] for other in others for feature in HUE_FEATURES}
    stray = {mention.expressions for mention in judgement.stray if colors.intersection(mention.expressions)}
    return features + len(stray)


def _reading(caption: str | Reading) -> Reading:
    if isinstance(caption, str):
        return read_mentions(caption)
    if not isinstance(caption, Reading):
        raise DeixisError(f"a caption is a text, got {type(caption).__name__}")
    return caption


def said_of(scene: RoomScene) -> dict[str, str]:
    """The expression for each feature of a room."""
    if not isinstance(scene, RoomScene):
        raise DeixisError(f"captions are held against a RoomScene, got {type(scene).__name__}")
    codes = expressions_of(np.array(scene.factors)).tolist()
    return {name: EXPRESSIONS[place][code] for place, (name, code) in enumerate(zip(FACTORS, codes, strict=True))}


def _repeats(loose: Mention, held: str, mentions: tuple[Mention, ...]) -> bool:
    """Whether a loose colour says again what is already said exactly of a feature that has it."""
    return held in loose.expressions and any(m.is_exact and held in m.expressions for m in mentions)


def _verdict(about: list[Mention], unsure: list[Mention], holds: str) -> Verdict:
    is_true = any(mention.is_exact and holds in mention.expressions for mention in about)
    is_false = any(holds not in mention.expressions for mention in about)
    is_partly = bool(unsure) or any(not mention.is_exact and holds in mention.expressions for mention in about)
    if is_true:
        return "ambiguous" if is_false else "true"
    if is_partly:
        return "ambiguous"
    return "false" if is_false else "absent"


def expressions_of(factors: np.ndarray) -> np.ndarray:
    """Factors with the number of its phrase instead of the orientation: fifteen orientations share eleven phrases.

    Shapes:
        factors: integers [..., 6]. Returns int64 [..., 6].
    """
    codes = factors.astype(np.int64)
    codes[..., 5] = np.array(PLACE_OF)[codes[..., 5]]
    return codes


def judge_rows(rows: np.ndarray, factors: np.ndarray) -> Judgements:
    """`judge` for many captions at once.

    Shapes:
        rows: int32 [caption, 23], from `read_rows`.
        factors: integers [caption, 6], of the targets.
    """
    holds = np.left_shift(1, expressions_of(factors))  # [caption, 6]: the bit of the true expression
    exact, part = rows[:, :LOOSE], rows[:, PARTLY : PARTLY + LOOSE]
    is_true = (exact & holds) != 0
    is_partly = (part & holds) != 0
    is_false = ((exact & ~holds) != 0) | ((rows[:, NARROW : NARROW + LOOSE] & holds) == 0)
    hues = holds[:, :3]
    repeated = np.bitwise_or.reduce(np.where(is_true[:, :3], hues, 0), axis=1)  # what is said exactly of some hue
    same = (hues[:, :, None] == hues[:, None, :]).sum(axis=2)
    loose, vague = rows[:, LOOSE, None], rows[:, PARTLY + LOOSE, None]
    is_new = (hues & loose & ~repeated[:, None]) != 0
    is_vague = ((hues & vague) != 0) & ((repeated[:, None] & vague) == 0)
    anywhere = np.bitwise_or.reduce(hues, axis=1)
    is_true[:, :3] |= is_new & (same == 1)
    is_partly[:, :3] |= (is_new & (same > 1)) | is_vague
    stray = np.bitwise_count(rows[:, LOOSE] & ~anywhere).astype(np.int64)
    stray += (rows[:, PARTLY + LOOSE] != 0) & ((rows[:, PARTLY + LOOSE] & anywhere) == 0)
    return Judgements(
        true=is_true & ~is_false,
        false=is_false & ~is_true & ~is_partly,
        ambiguous=(is_true & is_false) | (is_partly & ~is_true),
        stray=stray,
        unknown=rows[:, UNKNOWN].astype(np.int64),
        order=rows[:, ORDER].astype(np.int64),
    )


def false_of_rows(rows: np.ndarray, judged: Judgements, targets: np.ndarray, distractors: np.ndarray) -> np.ndarray:
    """`false_of` for many captions at once.

    Shapes:
        rows, judged: from `read_rows` and `judge_rows`.
        targets: integers [caption, 6]. distractors: integers [caption, distractor, 6].
        Returns int64 [caption].
    """
    others = np.left_shift(1, expressions_of(distractors))
    said = rows[:, None, :LOOSE] | rows[:, None, PARTLY : PARTLY + LOOSE]
    features = (judged.false & ((said & others) != 0).any(axis=1)).sum(axis=1)
    own = np.bitwise_or.reduce(np.left_shift(1, targets[:, :3].astype(np.int64)), axis=1)
    theirs = np.bitwise_or.reduce(others[:, :, :3].reshape(len(rows), -1), axis=1)
    vague = rows[:, PARTLY + LOOSE]
    stray = np.bitwise_count(rows[:, LOOSE] & ~own & theirs).astype(np.int64)
    return features + stray + ((vague != 0) & ((vague & own) == 0) & ((vague & theirs) != 0))
