"""Examples with the fields of gSCAN's release, and the names that it gives to splits.

gSCAN says 'a' before every noun phrase and the colour before the size, and keeps `while spinning` and `north of`
together between its commas. A text without 'the' was read from such a file and stays as it is.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.expression.steps import Extreme, Is
from deixis.worlds.grid.actions import plan_to_words
from deixis.worlds.grid.formats._situation import Codes, Situation, write_situation
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.scene import BOX, COLORS, SHAPES, SIZES, Agent


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Description
    from deixis.worlds.grid.navigate import Example


# What its splits are called in the release.
RELEASED_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "yellow-squares": "visual_easier",
        "red-squares": "visual",
        "south-west": "situational_1",
        "small-circles": "situational_2",
        "pushed-squares": "contextual",
        "cautiously": "adverb_1",
        "pull-while-spinning": "adverb_2",
        "long-plans": "target_lengths",
        "relative-position-1": "relative_position_1",
        "relative-position-2": "relative_position_2",
    }
)
VECTOR_SHAPES = ("square", "cylinder", "circle")  # the bits of a vector: four sizes, then these
VECTOR_COLORS = ("yellow", "green", "red", "blue")
DEFINITE, INDEFINITE = WORDS.determiners
JOINED = tuple(sorted((*WORDS.manners, *WORDS.bare), key=len, reverse=True))  # longer ones first: north east of
JOINED = tuple(phrase for phrase in JOINED if " " in phrase)


def gscan_record(example: Example) -> dict[str, Any]:
    """Return the example with the fields of the release, in their order and with their types.

    Raises:
        RecipeError: when gSCAN cannot say the command or has no such object.
    """
    _demand_sayable(example)
    tokens = joined_words(gscan_text(example))
    head = example.expression
    record = {
        "command": ",".join(tokens),
        "meaning": ",".join(tokens),
        "derivation": "" if head.clauses else _derivation(tokens, str(example.manner)),
        "situation": _situation(example),
        "target_commands": plan_to_words(example.plan),
        "verb_in_command": str(example.verb),
        "manner": str(example.manner),
        "referred_target": " ".join(_words_of(head, slot) for slot in WORDS.slots),
    }
    if head.clauses:
        record["location_prep"] = WORDS.phrase_for(head.clauses[0].relation)
    return record


def gscan_text(example: Example) -> str:
    """Return the words of the command as gSCAN says them."""
    if DEFINITE not in example.text.split():
        return example.text
    said = [WORDS.verb_phrase(str(example.verb))]
    for number, mention in enumerate(example.expression.mentions()):
        said += [WORDS.phrase_for(example.expression.clauses[0].relation)] if number else []
        said += [INDEFINITE, *(_words_of(mention, slot) for slot in ("color", "size", "shape"))]
    said += [WORDS.manner_phrase(str(example.manner))] if example.manner else []
    return " ".join(word for word in said if word)


def joined_words(text: str) -> list[str]:
    """Return the words of a command, those that gSCAN keeps together as one."""
    words = f" {text} "
    for phrase in JOINED:
        words = words.replace(f" {phrase} ", f" {phrase.replace(' ', '_')} ")
    return [word.replace("_", " ") for word in words.split()]


def _demand_sayable(example: Example) -> None:
    """Raise an error for what only ReaSCAN has: boxes, other relations, several clauses, phrases without a noun."""
    mentions = list(example.expression.mentions())
    relations = list(example.expression.relations())
    reason = ""
    if any(thing.is_box for thing in example.scene.objects):
        reason = "gSCAN has no boxes"
    elif len(relations) > 1 or any(relation not in WORDS.bare.values() for relation in relations):
        reason = f"gSCAN has no command {example.text!r}"
    elif any(mention.value("shape") is None for mention in mentions):
        reason = f"gSCAN has no noun 'object' as in {example.text!r}"
    if reason:
        raise RecipeError(f"{reason}, so this cannot be written in its layout; convert it to reascan or compact")


def _words_of(mention: Description, slot: str) -> str:
    """Return the word that a phrase says for an attribute, or empty where it says none."""
    steps = (step for step in mention.steps if isinstance(step, Is | Extreme) and step.attribute == slot)
    return next((WORDS.word_for(step) for step in steps), "")


def _situation(example: Example) -> dict[str, Any]:
    agent = example.scene.agent or Agent(0, 0)
    objects = [thing.codes() for thing in example.scene.objects]
    place = (agent.row, agent.column, int(agent.facing))
    fields = write_situation(Situation(example.scene.size, objects, example.target, place))
    for codes, thing in zip(objects, fields["placed_objects"].values(), strict=True):
        thing["vector"] = gscan_vector(codes)
    fields["target_object"]["vector"] = gscan_vector(objects[example.target])
    return fields


def gscan_vector(codes: Codes) -> str:
    """Return the eleven bits of an object."""
    shape, color, size, _, _ = codes
    if shape == BOX:
        raise RecipeError("gSCAN has no boxes")
    kinds = (*SIZES, *VECTOR_SHAPES, *VECTOR_COLORS)
    return "".join("1" if kind in (SIZES[size - 1], SHAPES[shape], COLORS[color]) else "0" for kind in kinds)


def _derivation(tokens: list[str], manner: str) -> str:
    """Return the rules by which a command without a clause is derived, then its words with theirs."""
    verb, *rest = tokens
    is_walk = rest[0] == "to"
    *adjectives, noun = rest[2 if is_walk else 1 : len(rest) - bool(manner)]
    rules = ["NP -> NN", *["NP -> JJ NP"] * len(adjectives), "DP -> 'a' NP"]
    rules += ["VP -> VV_intrans 'to' DP" if is_walk else "VP -> VV_trans DP"]
    rules += [*["VP -> VP RB"] * bool(manner), "ROOT -> VP"]
    words = [f"T:{verb}", f"NT:VV_{'intransitive' if is_walk else 'transitive'} -> {verb}"]
    words += [*["T:to"] * is_walk, "T:a"]
    for number, adjective in enumerate(adjectives):
        words.append(f"T:{adjective}")
        if number == 0:
            words.append("NT" + "".join(f":JJ -> {word}" for word in reversed(adjectives)))
    words += [f"T:{noun}", f"NT:NN -> {noun}"]
    words += [f"T:{manner}", f"NT:RB -> {manner}"] if manner else []
    return ",".join(rules) + ";" + ",".join(words)
