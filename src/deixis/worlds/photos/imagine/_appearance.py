"""The look of one thing, and the words that describe it.

Words follow looks: nothing is said of a thing that its sprite does not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos.imagine._kinds import UNSAID_COLORS
from deixis.worlds.photos.imagine._pen import Look
from deixis.worlds.photos.imagine._sprites.people import HAIR, SKIN
from deixis.worlds.photos.imagine._textures import COLORS, IMPLIED


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos.imagine._chance import Chance
    from deixis.worlds.photos.imagine._kinds import Kind
    from deixis.worlds.photos.imagine._skeleton import Skeleton
    from deixis.worlds.photos.imagine._textures import Color
    from deixis.worlds.photos.scene.graph import Box

RESTING = ("on", "on top of", "riding")
SLACK_PX = 3
OPPOSITES = {"large": "small", "tall": "short"}


def is_borne_out(relation: str, box: Box, other: Box) -> bool:
    """Return whether the visible boxes agree with a relation: a thing that rests on another reaches down to it."""
    across = min(box.x + box.w, other.x + other.w) - max(box.x, other.x)
    down = min(box.y + box.h, other.y + other.h) - max(box.y, other.y)
    if relation in RESTING or relation.endswith(" on"):
        return across > 0 and box.y + box.h >= other.y - SLACK_PX
    if relation in ("in front of", "behind"):
        return across > 0 and down > 0
    return True


def sizes_in_doubt(names: Sequence[str], words: Sequence[Sequence[str]], boxes: Sequence[Box]) -> set[int]:
    """Return the things called large, small, tall or short beside one of their name that looks the opposite."""
    doubtful: set[int] = set()
    for large, small in OPPOSITES.items():
        for one, box in enumerate(boxes):
            if large not in words[one]:
                continue
            for other, rest in enumerate(boxes):
                if names[one] != names[other] or small not in words[other]:
                    continue
                is_so = box.area > rest.area if large == "large" else box.h > rest.h
                if not is_so:
                    doubtful |= {one, other}
    return doubtful


PATTERNED = 0.24  # share of the things that may have a pattern and do
SIZES = {"size": ("small", "large"), "height": ("short", "tall")}
SMALL, LARGE = 0.72, 1.36  # how a small and a large thing compare with their kind
SIZED = 0.2  # share of small, and of large, things
POTS = ("orange", "brown", "white", "blue", "red", "gray")


class Appearance(NamedTuple):
    """The look of one thing, the words for it, and its width and height relative to its kind's."""

    look: Look
    words: tuple[str, ...]
    wider: float
    higher: float


def draw_appearance(kind: Kind, chance: Chance, **fixed: str) -> Appearance:
    """Draw a look of a kind at random.

    `color`, `material`, `pattern`, `shape`, `state` and `size` may be given.
    """
    color = fixed.get("color") or _draw_color(kind, chance)
    material = fixed["material"] if "material" in fixed else chance.choice(kind.materials)
    pattern = chance.choice(kind.patterns) if kind.patterns and chance.happens(PATTERNED) else ""
    pattern = fixed.get("pattern", pattern)
    shape = fixed["shape"] if "shape" in fixed else chance.choice(kind.shapes)
    state = fixed["state"] if "state" in fixed else chance.choice(kind.states)
    size = fixed["size"] if "size" in fixed else _draw_size(kind, chance)
    if pattern:
        material = ""
    if material == "metal" and color in ("gray", "white"):
        color = "silver"
    look = Look(
        color=COLORS[color],
        second=_second(kind, color, pattern, chance),
        texture=material,
        pattern="striped" if kind.name == "zebra" else pattern,
        shape=shape,
        state=state,
        variant=chance.below(64),
    )
    words = [] if kind.name in UNSAID_COLORS else [color, *([IMPLIED[color]] if color in IMPLIED else [])]
    if kind.name == "traffic light":
        words, state = [state], "lit"
    words += [word for word in (material, look.pattern, shape, state, size) if word]
    factor = {"small": SMALL, "short": SMALL, "large": LARGE, "tall": LARGE}.get(size, 1.0)
    return Appearance(look, tuple(words), factor if kind.size == "size" else factor**0.5, factor)


def draw_person(kind: Kind, chance: Chance, body: Skeleton) -> Appearance:
    """Draw a person's look at random: skin, hair, and whether they smile."""
    hair = chance.choose_weighted(tuple(HAIR), (4, 4, 3, 1, 1.2 if kind.name in ("man", "woman") else 0))
    words, state = [], []
    if kind.name == "man" and chance.happens(0.14):
        state.append("bald")
        words.append("bald")
    elif hair == "blond":
        words.append("blond")
    if chance.happens(0.35):
        state.append("smiling")
        words.append("smiling")
    look = Look(color=chance.choice(SKIN), second=HAIR[hair], state=" ".join(state), body=body)
    return Appearance(look, tuple(words), 1.0, chance.between(0.95, 1.06))


def _draw_color(kind: Kind, chance: Chance) -> str:
    if not kind.colors:
        return "white"
    counts = gqa_counts().attributes
    return chance.choose_weighted(kind.colors, [counts.get(color, 100) ** 0.55 for color in kind.colors])


def _draw_size(kind: Kind, chance: Chance) -> str:
    if not kind.size:
        return ""
    draw = chance.fraction()
    small, large = SIZES[kind.size]
    return small if draw < SIZED else large if draw > 1 - SIZED else ""


def _second(kind: Kind, color: str, pattern: str, chance: Chance) -> Color:
    if kind.name == "zebra":
        return COLORS["black"]
    if kind.name == "cow":
        return COLORS["black"] if color == "white" else COLORS["white"]
    if kind.name in ("plant", "house", "bed", "counter"):
        return COLORS[chance.choice(POTS if kind.name == "plant" else ("brown", "maroon", "light brown", "gray"))]
    if pattern or kind.name in ("kite", "rug", "hat"):
        others = ("white",) if color not in ("white", "beige", "yellow") else ("red", "blue", "black", "green")
        return COLORS[chance.choice(others)]
    return COLORS["white"]
