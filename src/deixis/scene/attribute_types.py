"""Which kind of attribute a word names: 'red' is a color, 'wooden' a material, 'wet' none of the kinds below.

The kinds and most of the words follow the attribute types of GQA (Hudson and Manning, 2019), with three changes: every
word stands under one kind only ('short' could be said of height or of length), kinds with telling names replace
`hposition`, `sportActivity` and `company`, and words that Visual Genome and CLEVR use for colors, materials and sizes
are added.
"""

from __future__ import annotations


__all__ = ["ATTRIBUTE_TYPES", "OTHER", "TYPES", "TYPE_OF"]

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
