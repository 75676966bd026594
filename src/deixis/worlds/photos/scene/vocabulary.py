"""The words of a corpus of scene graphs, numbered, and the schema that they make.

An expression about a scene graph says a `name` (the noun), values of one dimension per attribute type (`color`,
`material`, …, and `other` for words without a type), the relations that the corpus records, and five that are computed:
two objects have the `same color` when they share a value of that dimension.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from deixis.errors import SchemaError, UnknownName
from deixis.schema import Attribute, Relation, Schema


if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ATTRIBUTE_TYPES",
    "MOST_WORDS",
    "NAME",
    "OTHER",
    "RARE",
    "SAME",
    "SAME_TYPES",
    "TYPES",
    "TYPE_OF",
    "Vocabulary",
]


OTHER = "other"  # the kind of every word that is not listed

_WORDS = {
    "color": """beige, black, blond, blue, brown, brunette, cream colored, cyan, dark, dark blue, dark brown, gold,
        gray, green, khaki, light blue, light brown, maroon, orange, pink, purple, red, silver, tan, teal,
        white, yellow""",
    "material": """brick, cardboard, ceramic, concrete, glass, leather, marble, metal, paper, plastic, porcelain,
        rubber, steel, stone, wicker, wood, wool""",
    "shape": "octagonal, oval, rectangular, round, square, triangular",
    "pattern": "checkered, dotted, plaid, striped",
    "gender": "female, male",
    "size": "big, giant, huge, large, little, medium, small, tiny",
    "height": "short, tall",
    "length": "long",
    "width": "narrow, wide",
    "thickness": "thick, thin",
    "depth": "deep, shallow",
    "tone": "light",
    "weight": "heavy",
    "age": "old, young",
    "fatness": "fat, skinny",
    "hardness": "hard, soft",
    "texture": "coarse, fine",
    "cleanliness": "clean, dirty, stained, tinted",
    "state": "calm, choppy, rough, smooth, still, wavy",
    "pose": """bending, crouching, jumping, lying, pointing, running, shaking hand, sitting, standing, taking a photo,
        taking a picture, taking picture, walking""",
    "activity": """brushing tooth, cooking, drinking, driving, eating, looking down, looking up, playing, posing,
        reading, resting, sleeping, staring, talking, waiting""",
    "sport": "performing trick, riding, skateboarding, skating, skiing, snowboarding, surfing, swimming",
    "face": "making a face",
    "weather": "clear, cloudless, cloudy, foggy, overcast, partly cloudy, rainy, stormy, sunny",
    "room": "attic, bathroom, bedroom, dining room, kitchen, living room, office",
    "side": "left, right",
    "race": "asian, caucasian",
    "brand": "adida, nike",
    "flavor": "chocolate, strawberry, vanilla",
    "realism": "fake, real",
}
ATTRIBUTE_TYPES: dict[str, tuple[str, ...]] = {
    kind: tuple(" ".join(word.split()) for word in words.split(",")) for kind, words in _WORDS.items()
}
TYPES: tuple[str, ...] = (*ATTRIBUTE_TYPES, OTHER)
TYPE_OF: dict[str, str] = {word: kind for kind, words in ATTRIBUTE_TYPES.items() for word in words}


NAME = "name"
RARE = "(rare)"  # stands for all names of a corpus beyond the most frequent; no expression says it
MOST_WORDS = 32_000  # names, attribute words and relations each: programs number them in 16 bits
SAME_TYPES = ("color", "shape", "material", "gender", "pattern")  # Cops-Ref section 3.1
SAME = tuple(f"same {kind}" for kind in SAME_TYPES)


@dataclass(frozen=True, eq=False, kw_only=True)
class Vocabulary:
    """Names, attributes and relations of a corpus.

    A code is a place in one of the tuples.

    Attributes:
        names: of categories, the most frequent first.
        words: of attributes, those of one type together, in the order of `TYPES`, the most frequent first.
        relations: that are recorded, the most frequent first.
    """

    names: tuple[str, ...]
    words: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, some in (("name", self.names), ("attribute", self.words), ("relation", self.relations)):
            if len(set(some)) != len(some):
                raise SchemaError(f"the vocabulary lists the {what} {_first_twice(some)!r} twice")
            if len(some) > MOST_WORDS:
                raise SchemaError(f"a vocabulary holds at most {MOST_WORDS:,} {what}s, got {len(some):,}")
        places = [TYPES.index(TYPE_OF.get(word, OTHER)) for word in self.words]
        if places != sorted(places):
            raise SchemaError("the attribute words of a vocabulary stand in the order of their types")
        if computed := set(self.relations) & set(SAME):
            raise SchemaError(f"{min(computed)!r} is computed, so a corpus cannot record it")

    @cached_property
    def schema(self) -> Schema:
        """The schema of the corpus: every name, every word under its type, every relation, then those of `SAME`."""
        heads = Attribute(name=NAME, values=self.names, is_head=True)
        words: dict[str, list[str]] = {kind: [] for kind in TYPES}
        for word in self.words:
            words[self.type_of(word)].append(word)
        return Schema(
            name="scene graphs",
            attributes=(heads, *(Attribute(name=kind, values=tuple(some)) for kind, some in words.items())),
            relations=(
                *(Relation(name=relation) for relation in self.relations),
                *(Relation(name=relation, is_symmetric=True) for relation in SAME),
            ),
            distinct=True,
            exchanges=(("color",), ("size", "shape")),
        )

    @staticmethod
    def type_of(word: str) -> str:
        """Return the dimension that a word is a value of."""
        return TYPE_OF.get(word, OTHER)

    @cached_property
    def name_codes(self) -> Mapping[str, int]:
        """The code of every name."""
        return {name: code for code, name in enumerate(self.names)}

    @cached_property
    def word_codes(self) -> Mapping[str, int]:
        """The code of every attribute word."""
        return {word: code for code, word in enumerate(self.words)}

    @cached_property
    def relation_codes(self) -> Mapping[str, int]:
        """The code of every relation, the computed ones included."""
        return {relation: code for code, relation in enumerate((*self.relations, *SAME))}

    @cached_property
    def word_start(self) -> tuple[int, ...]:
        """Offsets of the words of each dimension of the schema, with the end.

        Value v of dimension d is start[d] + v.

        The name, dimension 0, has its own codes and takes no place here.
        """
        held = Counter(self.type_of(word) for word in self.words)
        return (0, *accumulate((held[kind] for kind in TYPES), initial=0))

    def name_code(self, name: str) -> int:
        """Return the code of a name, or raise an error that names the nearest one."""
        return _look_up(self.name_codes, name, "name")

    def word_code(self, word: str) -> int:
        """Return the code of an attribute word, or raise an error that names the nearest one."""
        return _look_up(self.word_codes, word, "attribute")

    def relation_code(self, relation: str) -> int:
        """Return the code of a relation, computed ones included, or raise an error that names the nearest one."""
        return _look_up(self.relation_codes, relation, "relation")


def _look_up(codes: Mapping[str, int], word: str, what: str) -> int:
    code = codes.get(word)
    if code is None:
        near = get_close_matches(word, codes, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; the corpus has {len(codes):,} others"
        raise UnknownName(f"unknown {what} {word!r}{hint}")
    return code


def _first_twice(some: tuple[str, ...]) -> str:
    return next(word for word, times in Counter(some).items() if times > 1)
