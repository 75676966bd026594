"""What one thing looks like, and the words that say so.

Words follow looks: nothing is said of a thing that its sprite does not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.graphs.counts import gqa_counts
from deixis.worlds.graphs.imagine.kinds import UNSAID_COLORS
from deixis.worlds.graphs.imagine.palette import COLORS, IMPLIED
from deixis.worlds.graphs.imagine.pen import Look
from deixis.worlds.graphs.imagine.sprites.people import HAIR, SKIN


if TYPE_CHECKING:
    from deixis.worlds.graphs.imagine.chance import Chance
    from deixis.worlds.graphs.imagine.kinds import Kind
    from deixis.worlds.graphs.imagine.palette import Color
    from deixis.worlds.graphs.imagine.skeleton import Skeleton


__all__ = ["Appearance", "draw_appearance", "draw_person"]

PATTERNED = 0.24  # share of the things that may have a pattern and do
SIZES = {"size": ("small", "large"), "height": ("short", "tall")}
SMALL, LARGE = 0.72, 1.36  # how a small and a large thing compare with their kind
SIZED = 0.2  # share of small, and of large, things
POTS = ("orange", "brown", "white", "blue", "red", "gray")


class Appearance(NamedTuple):
    """How one thing looks, the words for it, and how its width and height compare with its kind's."""

    look: Look
    words: tuple[str, ...]
    wider: float
    higher: float


def draw_appearance(kind: Kind, chance: Chance, **fixed: str) -> Appearance:
    """A look of a kind; `color`, `material`, `pattern`, `shape`, `state` and `size` may be given."""
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
    """A person: skin, hair, and whether they smile."""
    hair = chance.weighted(tuple(HAIR), (4, 4, 3, 1, 1.2 if kind.name in ("man", "woman") else 0))
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
    return chance.weighted(kind.colors, [counts.get(color, 100) ** 0.55 for color in kind.colors])


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
