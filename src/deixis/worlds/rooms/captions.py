"""The captions of A3DS: twenty that say everything and twenty-seven short ones, for every image.

A caption has an address: the number of its image and its number among the captions of a grammar, in the order in which
the grammars of the paper produce them. Nothing needs to be stored: a caption is made when it is asked for, one or many
at a time, and read back into what it says.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from deixis.errors import ParseError, SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.language._frames import ARTICLE, Caption, Frame, FrameGrammar, article, synonyms
from deixis.language.lexicon import lexicon
from deixis.seeds import mix, mix_words
from deixis.worlds.rooms.scene import FACTORS, HUES, IMAGES, ORIENTATIONS, PLACES, SCALES, SOLIDS, RoomScene, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis.expression.description import Expression

__all__ = [
    "FRAMES",
    "GRAMMARS",
    "Caption",
    "Feature",
    "Frame",
    "Grammar",
    "Phrases",
    "Segment",
    "caption",
    "captions",
    "count",
    "expression_of",
    "frames",
    "grammar_named",
    "is_varied",
    "lengths",
    "numbers_of_all",
    "parse_caption",
    "phrase_numbers",
    "phrase_tables",
    "realise_caption",
    "segments",
    "words_of",
]


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
    """Return whether a grammar has several phrases for a value."""
    return grammar == "natural"


def _phrases(*, with_synonyms: bool) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """For each attribute and value the phrases that say it, the published one first."""
    words, others = lexicon("deixis.worlds.rooms").words, synonyms("deixis.worlds.rooms") if with_synonyms else {}
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    for attribute in FACTORS:
        more = others.get("hue" if attribute.endswith("hue") else attribute, {})
        steps = ((word, step) for word, step in words[attribute].items() if isinstance(step, Is))
        tables[attribute] = {step.value: (word, *more.get(step.value, ())) for word, step in steps}
    return tables


def _exhaustive() -> Iterator[str]:
    return (core.format(order=order) for core in CORES for order in ORDERS)


def _released_frames() -> Iterator[str]:
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


def _frames_of(texts: Iterable[str]) -> tuple[Frame, ...]:
    return tuple(Frame.of(text) for text in texts)


FRAMES: dict[Grammar, tuple[Frame, ...]] = {
    "exhaustive": _frames_of(_exhaustive()),
    "short": _frames_of(_short()),
    "exhaustive-released": _frames_of(_released_frames()),
    "partial": _frames_of(_partial()),
    "natural": _frames_of(_natural()),
}


SPOKEN = (HUES, HUES, HUES, SCALES, SOLIDS, PLACES)  # what captions distinguish of each factor
_PLACE_OF = dict(zip(ORIENTATIONS, PLACES, strict=True))


def caption(image: int, number: int, grammar: Grammar = "exhaustive") -> str:
    """One caption of an image.

    Example:
        >>> caption(163_233, 0)
        'a tiny red ball near the right corner in front of a light green wall on green floor'
    """
    known = grammar_named(grammar)
    known.frame(number)
    return known.fill(number, words_of(image, number, grammar))


def captions(image: int, grammar: Grammar = "exhaustive") -> tuple[str, ...]:
    """All captions of an image, in order."""
    known = grammar_named(grammar)
    same = words_of(image)
    varied = is_varied(grammar)
    return tuple(
        known.fill(number, words_of(image, number, grammar) if varied else same) for number in range(len(known.frames))
    )


def words_of(image: int, number: int = 0, grammar: Grammar = "exhaustive") -> dict[str, str]:
    """Return the phrase of a caption for each feature of an image.

    If there are several phrases, the number of the caption chooses one.
    """
    word = mix(_address(image, number)) if is_varied(grammar) else 0
    said = {}
    for place, (name, options) in enumerate(zip(FACTORS, _options_of(image, grammar), strict=True)):
        said[name] = options[(word >> 8 * place & 255) % len(options)]
    return said


def expression_of(image: int, features: Iterable[str] = FACTORS) -> Expression:
    """Return the meaning of captions that name these features of an image, with the orientation by its phrase.

    Example:
        >>> print(expression_of(163_233, ["shape", "orientation"]))
        [shape=ball, orientation=near the right corner]
    """
    wanted = frozenset(features)
    if not wanted <= frozenset(FACTORS):
        raise SchemaError(f"images have the features {', '.join(FACTORS)}, got {', '.join(sorted(wanted))}")
    values = zip(FACTORS, SPOKEN, RoomScene(image).factors, strict=True)
    return Description(tuple(Is(name, table[value]) for name, table, value in values if name in wanted))


def realise_caption(expression: Expression, number: int | None = None, grammar: Grammar = "exhaustive") -> Caption:
    """The caption that says an expression, with the words for each part.

    Args:
        expression: values of features in any order; an orientation in degrees is said by its phrase.
        number: which caption of the grammar; by default the first that names just these features.
        grammar: `partial` has a caption for any choice of features.
    """
    steps = tuple(
        Is(step.attribute, _PLACE_OF.get(step.value, step.value))
        if isinstance(step, Is) and step.attribute == "orientation"
        else step
        for step in expression.steps
    )
    return grammar_named(grammar).realise(Description(steps), number)


def parse_caption(text: str, grammar: Grammar | None = None) -> Caption:
    """Return the meaning of a caption, its grammar and number, and the words for each part.

    Args:
        text: a caption; capitals, hyphens and a full stop at the end do not matter.
        grammar: the grammar it has to follow; by default the first that fits.

    Raises:
        ParseError: at the first word at which no grammar can continue.
    """
    errors: list[ParseError] = []
    for known in (grammar,) if grammar else GRAMMARS:
        try:
            return grammar_named(known).parse(text)
        except ParseError as error:
            errors.append(error)
    furthest = max(error.position for error in errors)
    reached = [error for error in errors if error.position == furthest]
    expected = dict.fromkeys(word for error in reached for word in error.expected)
    raise ParseError(text=reached[0].text, word=reached[0].word, position=furthest, expected=tuple(expected))


def count(grammar: Grammar) -> int:
    """Return the number of captions of a grammar."""
    return IMAGES * len(frames(grammar))


class Phrases(NamedTuple):
    """The phrases of one factor in a grammar, those of one value after another.

    Attributes:
        phrases: the phrases.
        first: for each value of the factor the number of its first phrase.
        size: how many it has.
    """

    phrases: tuple[str, ...]
    first: tuple[int, ...]
    size: tuple[int, ...]


@cache
def phrase_tables(grammar: Grammar) -> tuple[Phrases, ...]:
    """The phrases of each of the six factors."""
    tables = []
    for name, spoken in zip(FACTORS, SPOKEN, strict=True):
        options = grammar_named(grammar).phrases[name]
        phrases = tuple(phrase for some in options.values() for phrase in some)
        first = tuple(phrases.index(options[value][0]) for value in spoken)
        tables.append(Phrases(phrases, first, tuple(len(options[value]) for value in spoken)))
    return tuple(tables)


def phrase_numbers(images: np.ndarray, number: int, grammar: Grammar = "exhaustive") -> np.ndarray:
    """Return the phrase of a caption for each factor: uint8 [image, 6], numbers in `phrase_tables`."""
    factors = factors_of(images)
    words = mix_words(_addresses(images, number)) if is_varied(grammar) else np.zeros(len(factors), np.uint64)
    numbers = np.empty_like(factors)
    for place, table in enumerate(phrase_tables(grammar)):
        value = factors[:, place]
        chosen = (words >> np.uint64(8 * place) & np.uint64(255)) % np.array(table.size, np.uint64)[value]
        numbers[:, place] = np.array(table.first, np.uint8)[value] + chosen.astype(np.uint8)
    return numbers


class Segment(NamedTuple):
    """A stretch of a caption: fixed words, or the phrases of one factor, with their articles where these agree.

    Attributes:
        place: the number of the factor; None for fixed words.
        phrases: what may stand here, by `phrase_numbers`; of fixed words, one.
    """

    place: int | None
    phrases: tuple[str, ...]


@cache
def segments(number: int, grammar: Grammar = "exhaustive") -> tuple[Segment, ...]:
    """Return the segments of the captions of one number, which make the text when joined by spaces."""
    made: list[Segment] = []
    fixed: list[str] = []
    for piece in grammar_named(grammar).frame(number).pieces:
        if piece[0] != "{" or piece == ARTICLE:
            if fixed[-1:] == [ARTICLE]:
                fixed[-1] = article(piece)
            fixed.append(piece)
            continue
        place = FACTORS.index(piece[1:-1])
        phrases = phrase_tables(grammar)[place].phrases
        if fixed[-1:] == [ARTICLE]:
            fixed.pop()
            phrases = tuple(f"{article(phrase)} {phrase}" for phrase in phrases)
        if fixed:
            made.append(Segment(None, (" ".join(fixed),)))
            fixed = []
        made.append(Segment(place, phrases))
    return (*made, Segment(None, (" ".join(fixed),))) if fixed else tuple(made)


def numbers_of_all(grammar: Grammar) -> Iterator[tuple[int, np.ndarray]]:
    """For every caption of a grammar its number and the phrases that it has over all images: uint8 [image, 6]."""
    images = np.arange(IMAGES)
    chosen = phrase_numbers(images, 0, grammar)
    for number in range(len(frames(grammar))):
        yield number, phrase_numbers(images, number, grammar) if is_varied(grammar) else chosen


def lengths(grammar: Grammar, *, split_hyphens: bool = True) -> dict[int, int]:
    """Return the number of captions of each length in words, over all images.

    Args:
        grammar: which captions.
        split_hyphens: count 'medium-sized' as two words, as models see it; otherwise as one.
    """
    tally = np.zeros(100, np.int64)
    for number, chosen in numbers_of_all(grammar):
        total = np.zeros(IMAGES, np.uint8)
        for place, phrases in segments(number, grammar):
            sizes = np.array([_words_in(phrase, split_hyphens) for phrase in phrases], np.uint8)
            total += sizes[0] if place is None else sizes[chosen[:, place]]
        tally += np.bincount(total, minlength=len(tally))
    return {length: int(number) for length, number in enumerate(tally) if number}


def _options_of(image: int, grammar: Grammar) -> Sequence[tuple[str, ...]]:
    tables = grammar_named(grammar).phrases
    factors = zip(FACTORS, SPOKEN, RoomScene(image).factors, strict=True)
    return [tables[name][spoken[value]] for name, spoken, value in factors]


def _address(image: int, number: int) -> int:
    return image * 64 + number + 1


def _addresses(images: np.ndarray, number: int) -> np.ndarray:
    return np.asarray(images).astype(np.uint64) * np.uint64(64) + np.uint64(number + 1)


def _words_in(phrase: str, split_hyphens: bool) -> int:
    return len((phrase.replace("-", " ") if split_hyphens else phrase).split())
