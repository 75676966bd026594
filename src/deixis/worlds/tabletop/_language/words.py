"""The words for values, relations and ranks, and what else people say for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.expression.steps import Is
from deixis.language.lexicon import Lexicon
from deixis.worlds.tabletop._schema import SAME, SPATIAL
from deixis.worlds.tabletop._solids import COLORS, MATERIALS, SHAPES, SIZES


if TYPE_CHECKING:
    from deixis.expression.steps import Side


TOP = "object"
THAT_IS = "that is"
NOUNS = {shape: "ring" if shape == "torus" else shape for shape in SHAPES}
ADJECTIVES = {
    "size": {size: size for size in SIZES},
    "material": {material: material for material in MATERIALS},
    "color": {color: color for color in COLORS},
}
"""By attribute, in the order of the words: 'small shiny red cube'."""
STEPS_ORDER = ("shape", "color", "material", "size")
"""The order of the values in a description: the noun first."""
RELATIONS = {
    **{name: name for name in SPATIAL},
    **{name: f"the {name} as" for name in SAME},
    "same material": "made of the same material as",
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ENDS: dict[Side, str] = {"left": "leftmost", "right": "rightmost", "bottom": "frontmost", "top": "rearmost"}
FROM: dict[Side, str] = {"left": "left", "right": "right", "bottom": "front", "top": "back"}
MIDDLE = "middle"
DEFINITE, INDEFINITE, ANOTHER, ANY = "the", "a", "another", "any"
DETERMINERS = (DEFINITE, INDEFINITE, "an", ANOTHER, ANY)

SYNONYMS = {
    "ball": "sphere",
    "block": "cube",
    "torus": "ring",
    "donut": "ring",
    "thing": TOP,
    "big": "large",
    "little": "small",
    "tiny": "small",
    "grey": "gray",
    "metal": "shiny",
    "metallic": "shiny",
    "rubber": "matte",
}
"""Single words that are read like another."""
OTHER_RELATIONS = {
    **{f"to the {side} of": f"{side} of" for side in ("left", "right")},
    **{f"on the {side} of": f"{side} of" for side in ("left", "right")},
    "close to": "near",
    "next to": "near",
    "in back of": "behind",
    "the same material as": "same material",
    **{f"of the {name} as": name for name in SAME},
}
OTHER_OPENINGS = ("that's", "which is")

LEXICON = Lexicon(
    name="tabletop",
    determiners=(DEFINITE, INDEFINITE),
    relative=THAT_IS,
    conjunction="and",
    top=TOP,
    slots=(*ADJECTIVES, "shape"),
    words={
        **{name: {word: Is(name, value) for value, word in words.items()} for name, words in ADJECTIVES.items()},
        "shape": {word: Is("shape", value) for value, word in NOUNS.items()},
    },
    relations={phrase: name for name, phrase in RELATIONS.items()},
    verbs={},
    manners={},
    wordings={"biggest": "large", "in front": "in front of", "beside": "near"},
)
