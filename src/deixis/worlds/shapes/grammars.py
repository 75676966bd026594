"""The grammars of captions: two of the paper, one of them also as it was released, and two of ours.

| grammar | captions of an image | each names |
|---|---|---|
| `exhaustive` | 20 | all six features |
| `exhaustive-released` | 20 | the same, but the tenth ends before the word 'wall', as in the released files |
| `short` | 27 | the shape and one or two more |
| `partial` | 63 | any choice of features, one caption for each |
| `natural` | 48 | all six features, in varied order and words |

The captions of the paper are kept as they are, 'a orange ball' included. Ours say 'an orange ball'.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from deixis.errors import SchemaError
from deixis.expression.steps import Is
from deixis.language.frames import Frame, FrameGrammar, synonyms
from deixis.language.lexicon import lexicon
from deixis.scene.factors import FACTORS


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


__all__ = ["FRAMES", "GRAMMARS", "Feature", "Grammar", "frames", "grammar_named", "is_varied"]

Grammar: TypeAlias = Literal["exhaustive", "short", "exhaustive-released", "partial", "natural"]
Feature: TypeAlias = Literal["floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"]
GRAMMARS: tuple[Grammar, ...] = get_args(Grammar)

WALL, FLOOR = "in front of a {wall_hue} wall", "on {floor_hue} floor"
ORDERS = (
    f"{{orientation}} {WALL} {FLOOR}",
    f"{{orientation}} {FLOOR} {WALL}",
    f"{FLOOR} {{orientation}} {WALL}",
    f"{FLOOR} {WALL} {{orientation}}",
)
CORES = (
    "a {{scale}} {{object_hue}} {{shape}} {order}",
    "the picture shows a {{scale}} {{object_hue}} {{shape}} {order}",
    "a {{scale}} {{object_hue}} {{shape}} standing {order}",
    "the {{scale}} {{shape}} {order} is {{object_hue}}",
    "the {{object_hue}} {{shape}} {order} is {{scale}}",
)
LOST_WALL = 9  # this frame of the released captions lacks its last word

THING = "{a} {scale} {object_hue} {shape}"
NATURAL_WALL, NATURAL_FLOOR = "in front of {a} {wall_hue} wall", "on {a} {floor_hue} floor"
BACKGROUND = (
    f"{{a}} {{wall_hue}} wall is behind {THING} {{orientation}} {NATURAL_FLOOR}",
    f"{{a}} {{floor_hue}} floor is under {THING} {{orientation}} {NATURAL_WALL}",
    f"the wall behind {THING} {{orientation}} {NATURAL_FLOOR} is {{wall_hue}}",
    f"the floor under {THING} {{orientation}} {NATURAL_WALL} is {{floor_hue}}",
    f"the wall is {{wall_hue}} and the floor is {{floor_hue}} and {THING} is {{orientation}}",
    f"the floor is {{floor_hue}} and the wall is {{wall_hue}} and {THING} is {{orientation}}",
)


def frames(grammar: Grammar) -> tuple[Frame, ...]:
    """The captions of a grammar, with gaps."""
    if grammar not in FRAMES:
        raise SchemaError(f"unknown grammar {grammar!r}; known: {', '.join(GRAMMARS)}")
    return FRAMES[grammar]


@cache
def grammar_named(grammar: Grammar) -> FrameGrammar:
    """A grammar with the words that fill its gaps."""
    return FrameGrammar(name=grammar, frames=frames(grammar), phrases=_phrases(with_synonyms=is_varied(grammar)))


def is_varied(grammar: Grammar) -> bool:
    """Whether a grammar has several phrases for a value."""
    return grammar == "natural"


def _phrases(*, with_synonyms: bool) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """For each attribute and value the phrases that say it, the published one first."""
    words, others = lexicon("a3ds").words, synonyms("a3ds") if with_synonyms else {}
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    for attribute in FACTORS:
        more = others.get("hue" if attribute.endswith("hue") else attribute, {})
        steps = ((word, step) for word, step in words[attribute].items() if isinstance(step, Is))
        tables[attribute] = {step.value: (word, *more.get(step.value, ())) for word, step in steps}
    return tables


def _exhaustive() -> Iterator[str]:
    return (core.format(order=order) for core in CORES for order in ORDERS)


def _released() -> Iterator[str]:
    for number, text in enumerate(_exhaustive()):
        yield text.removesuffix(" wall") if number == LOST_WALL else text


def _short() -> Iterator[str]:
    places = ("{orientation}", WALL, FLOOR)
    said = ["{scale} {shape}", "{object_hue} {shape}"]
    said += [f"{noun} {place}" for noun in ("{shape}", "{scale} {shape}", "{object_hue} {shape}") for place in places]
    yield from (f"there is a {one}" for one in said)
    yield from (f"a {one}" for one in said)
    yield from (f"the {{shape}} is {end}" for end in (*places, "{scale}", "{object_hue}"))


def _partial() -> Iterator[str]:
    """One caption for every choice of features, fewer before more."""
    for size in range(1, len(FACTORS) + 1):
        for chosen in combinations(FACTORS, size):
            noun = ("{a}", *(f"{{{name}}}" for name in ("scale", "object_hue") if name in chosen))
            head = "{shape}" if "shape" in chosen else "thing"
            places = {"orientation": "{orientation}", "wall_hue": NATURAL_WALL, "floor_hue": NATURAL_FLOOR}
            yield " ".join((*noun, head, *(place for name, place in places.items() if name in chosen)))


def _natural() -> Iterator[str]:
    """The object and three places in every order, then sentences that end with its size or colour, then others."""
    places = ("{orientation}", NATURAL_WALL, NATURAL_FLOOR)
    for order in permutations((f"there is {THING}", *places)):
        yield " ".join(order)
    for subject, rest in (
        ("{scale} {shape}", "{object_hue}"),
        ("{object_hue} {shape}", "{scale}"),
        ("{shape}", "{scale} and {object_hue}"),
    ):
        for order in permutations(places):
            yield f"the {subject} {' '.join(order)} is {rest}"
    yield from BACKGROUND


def _framed(texts: Iterable[str]) -> tuple[Frame, ...]:
    return tuple(Frame.of(text) for text in texts)


FRAMES: dict[Grammar, tuple[Frame, ...]] = {
    "exhaustive": _framed(_exhaustive()),
    "short": _framed(_short()),
    "exhaustive-released": _framed(_released()),
    "partial": _framed(_partial()),
    "natural": _framed(_natural()),
}
