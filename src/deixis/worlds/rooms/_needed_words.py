"""Which words of a caption are needed: those without which it would fit another image, too.

The words of one feature count as one. What is needed is what a listener needs who takes every word literally, as audits
have it (`deixis.audits.measures.left_without`), but of any text that mentions features, not of captions of grammars
alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.rooms.mentions import judge, read_mentions
from deixis.worlds.rooms.mentions._judging import said_of
from deixis.worlds.rooms.scene import FACTORS, RoomScene


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.rooms.mentions import Judgement, Reading, Span


class SaidFeature(NamedTuple):
    """A feature that a caption mentions, or several of which its words may be.

    Attributes:
        features: which; several where the words are a colour of nothing in particular.
        words: that mention it.
        rules_out: the places of the images that these words rule out, from 1.
        needed_for: those of them that nothing else rules out.
    """

    features: tuple[str, ...]
    words: str
    rules_out: tuple[int, ...]
    needed_for: tuple[int, ...]

    @property
    def is_needed(self) -> bool:
        """True if the caption would fit another image without these words."""
        return bool(self.needed_for)


def needed_words(text: str, rooms: Sequence[int]) -> tuple[SaidFeature, ...] | None:
    """Return what a caption of the first room says, feature by feature, or None where it does not fit that room alone.

    Args:
        text: the caption.
        rooms: numbers of images, the target first.

    Example:
        >>> [(said.words, said.is_needed) for said in needed_words("a red ball", (163_233, 167_073)) or ()]
        [('red', True), ('ball', False)]
    """
    reading, target = read_mentions(text), RoomScene(rooms[0])
    held = judge(reading, target)
    if held.stray or held.false or not reading.mentions:
        return None
    owners = dict(_owners(reading, held, target))
    reasons = [_reasons(reading, owners, RoomScene(room)) for room in rooms[1:]]
    if not all(reasons):
        return None
    spans: dict[tuple[str, ...], list[Span]] = {}
    for span, features in owners.items():
        spans.setdefault(features, []).append(span)
    return tuple(
        SaidFeature(
            features=features,
            words=", ".join(dict.fromkeys(text[start:end] for start, end in some)),
            rules_out=tuple(place for place, one in enumerate(reasons, 1) if features in one),
            needed_for=tuple(place for place, one in enumerate(reasons, 1) if one == {features}),
        )
        for features, some in spans.items()
    )


def _owners(reading: Reading, held: Judgement, target: RoomScene) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield each mention with the features of the target that it is about.

    A colour that only repeats what is said is about the features that have it.
    """
    holds = said_of(target)
    for mention in reading.mentions:
        found = tuple(name for name in FACTORS if mention.span in held.spans[name])
        yield mention.span, found or tuple(name for name in FACTORS[:3] if holds[name] in mention.expressions)


def _reasons(reading: Reading, owners: dict[Span, tuple[str, ...]], other: RoomScene) -> set[tuple[str, ...]]:
    """The features whose words do not hold of another room."""
    found = judge(reading, other)
    wrong = [span for name, verdict in found.verdicts.items() if verdict == "false" for span in found.spans[name]]
    return {owners[span] for span in (*wrong, *(mention.span for mention in found.stray))}
