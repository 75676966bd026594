"""Words that may be true of the same thing: someone who is sitting on a bench is also on it, and a man is a person.

Two annotators seldom choose the same word. An image in which nothing is recorded as 'sitting on' a bench may well show
somebody who sits on one, written down as 'on'. To be sure that an image does *not* show what an expression says, ask
for all these words at once: `merge_alike_relations` and `with_alternatives` do that.

The groups of relations follow the canonical relations that are in use for GQA (next to and beside are near; standing on
and on top of are on; and so on), the groups of names are everyday synonyms and kinds, those of attributes words that
two people may choose for one thing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Related
from deixis.worlds.photos.scene.vocabulary import NAME, SAME


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos.scene.graph_table import GraphTable
    from deixis.worlds.photos.scene.vocabulary import Vocabulary


_POSTURES = """
    climbing drinking driving flying floating growing hanging jumping kneeling laying leaning looking lying mounted
    painted parked perched placed playing posing printed reflected resting riding running seated sitting skating skiing
    sleeping stacked standing surfing swimming traveling walking working written
"""
POSTURES = frozenset(_POSTURES.split())
_RELATIONS = {
    "near": "near, next to, beside, by, around, close to, on side of, on the side of, alongside, at, next",
    "on": """on, on top of, over, above, against, on front of, on the front of, on back of, on the back of, at top of,
        atop, on top, upon, from, along, across, down""",
    "in": "in, inside, inside of, in middle of, in the middle of, within, into, in a",
    "under": "under, below, underneath, beneath, on bottom of, on the bottom of, at bottom of, supporting",
    "behind": "behind, in back of, in the back of",
    "in front of": "in front of, in front, before, front of",
    "to the left of": "to the left of, to left of, left of, on left side of, on the left side of, on left of",
    "to the right of": "to the right of, to right of, right of, on right side of, on the right side of, on right of",
    "with": "with, has, have, having, of, belonging to, part of, made of, attached to, connected to",
    "wearing": "wearing, wears, dressed in, worn by",
    "holding": "holding, holds, carrying, carries, holding onto, holding up, grabbing, gripping, grasping, using",
    "watching": "watching, looking at, staring at, facing, looking toward, looking towards, observing",
    "full of": "full of, filled with, containing, contains, contain, covered in, covered by, covered with, covering",
    "riding": "riding, riding on, rides, driving",
    "eating": "eating, eating from, chewing, biting, drinking, drinking from, feeding on, grazing on, grazing in",
    "touching": "touching, leaning against, hitting, kicking, pulling, pushing, petting",
}
CANONICAL = {" ".join(word.split()): name for name, words in _RELATIONS.items() for word in words.split(",")}
_SYNONYMS = """
    person, people, man, woman, boy, girl, child, kid, lady, guy, baby, player, skier, surfer, rider, skateboarder, men
    man, guy, gentleman, boy, player, skier, surfer, skateboarder, batter, catcher, umpire, rider, snowboarder, worker
    woman, lady, girl, player, skier, surfer, rider
    boy, child, kid, baby, toddler
    girl, child, kid, baby, toddler
    child, kid, baby, toddler
    couch, sofa, loveseat
    plate, dish, saucer
    bowl, dish
    cup, mug, glass
    bike, bicycle
    motorcycle, motorbike, bike
    airplane, plane, jet, aircraft
    car, automobile, vehicle, suv, taxi, van, minivan
    truck, vehicle, van, pickup
    bus, vehicle
    train, locomotive, train car
    boat, ship, vessel, sailboat, canoe
    tv, television, monitor, screen
    phone, cell phone, cellphone, telephone
    computer, laptop, monitor
    bag, purse, handbag, backpack, luggage, suitcase
    rug, carpet, mat
    road, street, pavement, ground
    sidewalk, pavement, path, walkway, ground
    ground, dirt, grass, field, floor, sand
    water, ocean, sea, lake, river, wave
    shirt, t-shirt, top, blouse, jersey, sweater, tee shirt
    jacket, coat, sweater, sweatshirt, hoodie
    pant, trouser, jean, short
    hat, cap, helmet
    shoe, sneaker, boot, sandal, footwear
    glass, sunglass, eyeglass, goggles, spectacle
    sign, street sign, traffic sign, stop sign, signboard
    light, lamp, street light, traffic light, streetlight, lamp post
    pole, post, lamp post
    plant, tree, bush, shrub, flower, vegetation
    branch, twig, limb
    leaf, foliage, leave
    picture, painting, photo, photograph, poster, frame
    cabinet, cupboard, drawer, dresser, shelf
    desk, table, counter
    chair, seat, stool, armchair
    stone, rock, boulder, pebble
    fence, railing, rail
    dog, puppy, animal
    cat, kitten, animal
    cow, bull, cattle, calf, animal
    horse, pony, animal
    sheep, lamb, animal
    bird, seagull, pigeon, duck, goose, animal
    elephant, animal
    giraffe, animal
    zebra, animal
    bear, animal
    paper, napkin, document, note
    bottle, container, jar
    box, container, carton, crate
    trash can, garbage can, bin, trash bin, waste basket
    refrigerator, fridge
    stove, oven
    building, house, tower, structure
    mountain, hill
    cloud, sky
"""
_WORDS = """
    big, large, huge, giant, massive, oversized
    large, huge, giant, massive, oversized
    huge, giant, massive
    small, little, tiny, miniature
    little, tiny
    black, dark, dark colored, dark gray
    dark, dark colored, dark blue, dark brown, dark gray, dark green, dark red, brown, navy
    white, light colored, cream colored, ivory, light gray
    gray, silver, dark gray, light gray
    blue, light blue, dark blue, navy, teal, cyan
    green, light green, dark green, teal
    red, dark red, maroon
    brown, light brown, dark brown, tan, beige, brunette
    tan, beige, light brown, khaki, cream colored
    beige, light brown, khaki, cream colored
    yellow, gold, golden, blond, yellowish
    gold, golden
    blond, light brown
    wood, hardwood
    metal, metallic, steel, stainless steel, iron, aluminum, chrome, copper, brass, tin
    steel, stainless steel
    ceramic, porcelain
    stone, marble, granite, cobblestone
    round, rounded, oval, curved, cylindrical
    square, rectangular
    checkered, plaid
    dotted, speckled
    old, elderly, antique, vintage
    lit, lighted, illuminated, glowing, on, turned on, bright
    on, turned on
    off, turned off, unlit
    full, filled
    empty, vacant, unoccupied
    lying, resting, sleeping
    sitting, resting, waiting
    standing, waiting, posing
    walking, running
    eating, grazing
    smiling, laughing, happy
    cut, sliced, chopped, diced, halved
    tall, high, large, long
    clear, transparent, translucent, cloudless, sunny
    cloudy, overcast, partly cloudy
    bare, leafless, barren
    leafy, lush
    shiny, glossy, reflective, polished
    tiled, paved
    worn, weathered, old, faded
    wavy, curly
    open, opened
    closed, shut
"""
_TOGETHER = {  # relations that often hold along with one
    "near": """on, in, under, behind, in front of, to the left of, to the right of, with, wearing, holding, watching,
        full of, riding, eating, touching""",
    "with": "on, in, wearing, holding, full of, riding, touching",
    "on": "in, riding, touching, wearing, full of",
    "in": "wearing, riding, full of, under",
    "holding": "touching, eating, wearing, riding",
    "touching": "riding, eating",
    "watching": "in front of",
}
MAX_ALIKE = 16  # names, so that the program stays short


@lru_cache(maxsize=65536)
def canonical_relation(relation: str) -> str:
    """Return the relation that stands for all that may hold where this one does: 'on' for 'are sitting on top of a'."""
    words = relation.split()
    while words and words[0] in ("is", "are", "was", "were", "being"):
        words = words[1:]
    while len(words) > 1 and words[-1] in ("a", "an", "the"):
        words = words[:-1]
    said = " ".join(words)
    if said not in CANONICAL and len(words) > 1 and words[0] in POSTURES:
        said = " ".join(words[1:])
    return CANONICAL.get(said, " ".join(words) or relation)


@lru_cache(maxsize=65536)
def alike_names(name: str) -> tuple[str, ...]:
    """Return the name, and the names that the same thing may have been given."""
    return (name, *sorted(_ALIKE.get(name, frozenset()) - {name}))[:MAX_ALIKE]


@lru_cache(maxsize=65536)
def alike_words(word: str) -> tuple[str, ...]:
    """Return the attribute, and those that the same thing may have been given."""
    return (word, *sorted(_ALIKE_WORDS.get(word, frozenset()) - {word}))[:MAX_ALIKE]


def may_both_hold(one: str, other: str) -> bool:
    """Return whether two relations may be true of the same things, so that swapping them changes little."""
    pair = canonical_relation(one), canonical_relation(other)
    return pair[0] == pair[1] or any(b in _HOLDING_TOO.get(a, ()) for a, b in (pair, pair[::-1]))


def merge_alike_relations(table: GraphTable) -> GraphTable:
    """Return the table with one relation in place of all that are alike: the most frequent of them."""
    codes = _blurred_codes(table.vocabulary)
    relation = codes[table.relation] if len(codes) else table.relation
    return replace(table, relation=np.ascontiguousarray(relation, table.relation.dtype))


def with_alternatives(expression: Expression, vocabulary: Vocabulary) -> Expression:
    """Return the expression with alternatives for every noun and attribute, in canonical relations.

    The relations are those of `merge_alike_relations`. Negations stay as they are.

    In the blurred table it picks out whatever the expression could have been said of, except that a rank is counted
    among more objects, and that a negated relation is wider, too.
    """
    return Description(tuple(_widen_step(step, vocabulary) for step in expression.steps))


def _widen_step(step: Step, vocabulary: Vocabulary) -> Step:
    match step:
        case Is(attribute, value) if attribute == NAME:
            names = [name for name in alike_names(value) if name in vocabulary.name_codes]
            return AnyOf(tuple(Is(NAME, name) for name in names)) if len(names) > 1 else step
        case Is(attribute, value):
            words = [word for word in alike_words(value) if word in vocabulary.word_codes]
            others = tuple(Is(vocabulary.type_of(word), word) for word in words)
            return AnyOf(others) if len(others) > 1 else step
        case Related(relation, to):
            return Related(_blurred_relation(relation, vocabulary), with_alternatives(to, vocabulary))
        case AnyOf(steps):
            return AnyOf(tuple(_widen_step(inner, vocabulary) for inner in steps))
        case Not(Related(relation, to)):
            return Not(Related(_blurred_relation(relation, vocabulary), to))
        case _:
            return step


def _blurred_relation(relation: str, vocabulary: Vocabulary) -> str:
    if relation in SAME:
        return relation
    return vocabulary.relations[int(_blurred_codes(vocabulary)[vocabulary.relation_code(relation)])]


@lru_cache(maxsize=16)
def _blurred_codes(vocabulary: Vocabulary) -> np.ndarray:
    """For every relation the code of the first one that is alike: int32 [relation]."""
    first: dict[str, int] = {}
    return np.array(
        [first.setdefault(canonical_relation(r), code) for code, r in enumerate(vocabulary.relations)], np.int32
    )


def _alike(groups: str) -> dict[str, frozenset[str]]:
    """Return for every name the first name of its group, and for each first name the others of its group."""
    found: dict[str, set[str]] = {}
    for line in groups.strip().splitlines():
        first, *others = (name.strip() for name in line.split(","))
        for other in others:
            found.setdefault(first, set()).add(other)
            found.setdefault(other, set()).add(first)
    return {name: frozenset(names) for name, names in found.items()}


_ALIKE = _alike(_SYNONYMS)
_ALIKE_WORDS = _alike(_WORDS)
_HOLDING_TOO = {one: frozenset(other.strip() for other in others.split(",")) for one, others in _TOGETHER.items()}
