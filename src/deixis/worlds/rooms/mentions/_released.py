"""The caption reader of the paper's released script, with its faults, each of which can be mended alone.

Written anew from a description of its behaviour. The script asks whether strings occur in the caption: for each feature
the expression of the target, followed by its noun where the target has the same hue twice. Where it leaves word classes
to a statistical tagger, a fixed table over the words of captions stands in, so that results are the same everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import UnknownName
from deixis.language._frames import plain_words
from deixis.worlds.rooms.mentions._judging import false_of, judge, said_of
from deixis.worlds.rooms.mentions._reading import read_mentions
from deixis.worlds.rooms.scene import FACTORS, HUES, PLACES, SCALES, SOLIDS, RoomScene


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from deixis.worlds.rooms.mentions._reading import Reading


BASE_COLORS = ("red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink")
SIZE_SIGNS = ("tiny", "small", "medium", "middle sized", "big", "large", "huge", "giant")
PLACE_SIGNS = ("middle", "corner", "left", "right")
NEVER_FALSE = frozenset(("picture", "front", "wall", "floor", "unk", "pad", "standing", "a", "on", "in", "the", "of"))
CLASSES = {
    "NN": "block cylinder ball pill middle corner side left right picture front wall floor",
    "JJ": f"tiny small medium sized big large huge giant close light dark {' '.join(BASE_COLORS)}",
}
TAGS = {word: tag for tag, words in CLASSES.items() for word in words.split()}  # other words are neither of the two
STRAIGHT_ANGLE = 7  # the orientation of zero degrees, whose label equals that of red
_COLOR_BEFORE = {noun: re.compile(f"(?:{'|'.join(BASE_COLORS)}) {noun}") for noun in ("floor", "wall")}
_NO_WALL = re.compile(rf"in front of a (?:{'|'.join(sorted(HUES, key=len, reverse=True))})(?! wall)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Faults of the released script, all present by default.

    Attributes:
        sticky_color: once the object's colour was found in some caption, it counts as mentioned in all that follow.
        hyphens: 'medium-sized' and 'middle-sized' are looked for with a hyphen, which captions of models do not have.
        nearly: 'nearly in the middle' is looked for as 'nearly middle', which nobody says.
        substrings: 'green' is found in 'light green', 'middle' in 'close to the middle', 'right' in 'the right corner'.
        predicates: a hue that the target has twice is not found in 'the ball is red', only right before its noun.
        lost_walls: 'in front of a red' does not show the wall's hue, though some released captions end like that.
        capitals: what stands in capitals is not found.
        false_words: every noun or adjective that is no part of a true expression counts as a false feature, again and
            again if it is repeated; mended, each feature counts once.
    """

    sticky_color: bool = True
    hyphens: bool = True
    nearly: bool = True
    substrings: bool = True
    predicates: bool = True
    lost_walls: bool = True
    capitals: bool = True
    false_words: bool = True

    @classmethod
    def without(cls, names: Iterable[str]) -> Self:
        """All faults but these."""
        known = [field.name for field in fields(cls)]
        for name in names:
            if name not in known:
                raise UnknownName(f"the released script has no fault called {name!r}; known: {', '.join(known)}")
        return replace(cls(), **dict.fromkeys(names, False))


class ScriptFindings(NamedTuple):
    """Features that the script finds in captions, one row each.

    Shapes:
        found: bool [caption, 6], the target's expressions that occur.
        shown: bool [caption, 6], the features that seem to be mentioned, true or not.
        false, false_of_distractor: int64 [caption], words that do not describe the target, and those of them that
            describe the distractor.
    """

    found: np.ndarray
    shown: np.ndarray
    false: np.ndarray
    false_of_distractor: np.ndarray


def look_up(
    texts: Sequence[str], targets: np.ndarray, distractors: np.ndarray, faults: Faults | None = None
) -> ScriptFindings:
    """Read captions as the released script does.

    Args:
        texts: the captions.
        targets: int64 [caption], numbers of images.
        distractors: int64 [caption], numbers of images; the script knows one distractor only.
        faults: which of them to keep; all by default.
    """
    faults = faults or Faults()
    found, shown, false = [], [], []
    for text, target, distractor in zip(texts, targets.tolist(), distractors.tolist(), strict=True):
        caption = text if faults.capitals else text.lower()
        scene = RoomScene(target)
        hits = _find_needles(caption, scene, faults)
        found.append(hits)
        shown.append(_mentioned_features(caption, scene, RoomScene(distractor), hits, faults))
        false.append(_false(caption, scene, RoomScene(distractor), faults))
    signs = np.array(shown, bool).reshape(-1, 6)
    if faults.sticky_color:
        signs[:, 2] = np.logical_or.accumulate(signs[:, 2])
    counts = np.array(false, np.int64).reshape(-1, 2)
    return ScriptFindings(np.array(found, bool).reshape(-1, 6), signs, counts[:, 0], counts[:, 1])


@lru_cache(1 << 17)
def needles(scene: RoomScene, faults: Faults) -> tuple[str, ...]:
    """Return the texts that the script looks for: each feature, with its noun where a hue occurs more than once."""
    floor, wall, hue, scale, shape, orientation = scene.factors
    hues = (floor, wall, hue)
    size = SCALES[scale].replace("-", "-" if faults.hyphens else " ")
    place = PLACES[orientation]
    if not (orientation == STRAIGHT_ANGLE and hues.count(0) == 1):  # its label, 0, then occurs once among the hues
        shorter = place.replace("in the ", "").replace("on the ", "")
        place = shorter if faults.nearly or not place.startswith("nearly") else place
    nouns = ("floor", "wall", SOLIDS[shape])
    colors = (HUES[h] if hues.count(h) == 1 else f"{HUES[h]} {noun}" for h, noun in zip(hues, nouns, strict=True))
    return (*colors, size, SOLIDS[shape], place)


def _find_needles(caption: str, scene: RoomScene, faults: Faults) -> tuple[bool, ...]:
    hits = [needle in caption for needle in needles(scene, faults)]
    if not faults.substrings:
        reading = read_mentions(caption)
        hits = [hit and _is_phrase(feature, reading, scene) for feature, hit in zip(FACTORS, hits, strict=True)]
    if not faults.predicates:
        verdict = judge(caption, scene).verdicts["object_hue"]
        hits[2] = hits[2] or (verdict == "true" and f" is {HUES[scene.factors[2]]}" in caption)
    return tuple(hits)


def _is_phrase(feature: str, reading: Reading, scene: RoomScene) -> bool:
    """Whether the target's expression occurs as a phrase of its own, not as a piece of a longer one."""
    said = said_of(scene)[feature]
    is_color = feature in FACTORS[:3]
    hues = scene.factors[:3]
    noun = ""
    if is_color and hues.count(hues[FACTORS.index(feature)]) > 1:
        noun = {"floor_hue": " floor", "wall_hue": " wall", "object_hue": f" {SOLIDS[scene.factors[4]]}"}[feature]
    return any(
        mention.is_exact
        and mention.expressions == (said,)
        and (mention.feature == feature or (is_color and mention.feature in (*FACTORS[:3], None)))
        and reading.text[mention.span.end :].startswith(noun)
        for mention in reading.mentions
    )


def _mentioned_features(
    caption: str, target: RoomScene, distractor: RoomScene, hits: tuple[bool, ...], faults: Faults
) -> tuple[bool, ...]:
    shape = SOLIDS[target.factors[4]]
    first = needles(target, faults)[2].split()[0]
    differs = target.factors[2] != distractor.factors[2]
    hue = (differs and hits[2]) or (first in caption and (differs or shape in caption))
    wall = bool(_COLOR_BEFORE["wall"].search(caption))
    if not faults.lost_walls:
        wall = wall or bool(_NO_WALL.search(caption))
    return (
        bool(_COLOR_BEFORE["floor"].search(caption)),
        wall,
        hue,
        any(sign in caption for sign in SIZE_SIGNS),
        shape in caption,
        any(sign in caption for sign in PLACE_SIGNS),
    )


def _false(caption: str, target: RoomScene, distractor: RoomScene, faults: Faults) -> tuple[int, int]:
    """Words that do not describe the target, and those of them that describe the distractor."""
    if not faults.false_words:
        return judge(caption, target).false, false_of(caption, target, (distractor,))
    true, other = (" ".join(needles(scene, faults)) for scene in (target, distractor))
    words = [
        word for word in plain_words(caption).split() if word in TAGS and word not in NEVER_FALSE and word not in true
    ]
    return len(words), sum(word in other for word in words)
