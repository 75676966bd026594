"""The story of an example of a grid world: its words, their resolution, and the misreadings that lead to each object.

Nothing is worked out here that the packages below do not already know; it is put into the order of the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import AmbiguousExpression, DeixisError
from deixis.expression.parts import mention_at, parts
from deixis.expression.steps import Related
from deixis.language._misreadings import join_misreadings
from deixis.worlds.grid._pictures.look import Role
from deixis.worlds.grid._report.explain import distractor_sets, ignored_parts
from deixis.worlds.grid._report.gallery import SHOWN, ignored_part_words
from deixis.worlds.grid.data.statistics import part_kind
from deixis.worlds.grid.language import explain


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.parts import Address, Part
    from deixis.language.explain import ExplainedMention, Explanation
    from deixis.language.utterance import Utterance
    from deixis.worlds.grid._report.explain import DistractorSet, IgnoredPart
    from deixis.worlds.grid.navigate import Example


ALONE = "every mention an object of its own"


class Step(NamedTuple):
    """One step of the resolution: the words, and the objects before and after it."""

    number: int
    words: str
    kind: str
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def told(self) -> str:
        """The step in a sentence."""
        kept, count = len(self.after), len(self.before)
        rest = "keeps all of them" if kept == count else f"keeps {kept}" if kept else "keeps none"
        return f"Of {_objects(count)} ‘{self.words}’ {rest}."


class Mention(NamedTuple):
    """One noun phrase with its clauses, and the steps that resolve it."""

    words: str
    steps: tuple[Step, ...]


class Piece(NamedTuple):
    """Some words of the command: those of a part with its step, or words that point at nothing."""

    words: str
    kind: str = ""
    step: Step | None = None
    is_idle: bool = False


class Word(NamedTuple):
    """A sentence on whether a part is needed."""

    words: str
    kind: str
    is_needed: bool
    said: str
    lights: tuple[int, ...]


class Branch(NamedTuple):
    """A noun phrase of the reasoning tree: its link to the one above, the objects that fit it, and its own branches."""

    relation: str
    words: str
    left: tuple[int, ...]
    below: tuple[Branch, ...]


@dataclass(frozen=True, kw_only=True)
class ShownObject:
    """One object and the reason why it is there.

    Attributes:
        index: its number in the scene.
        name: what it is, without its size: 'red circle'.
        shape, color: for its picture in lists.
        about: size and place.
        role: its role in words, empty where it is not recorded.
        letter: of the role.
        said: one sentence that answers a click on it.
        reasons: more about it.
        reached: the misreadings that lead to it, as words that follow 'if you': the slightest, together, then each
            of the others.
    """

    index: int
    name: str
    shape: str
    color: str
    about: str
    role: str
    letter: str
    said: str
    reasons: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Story:
    """Everything about the command of an example.

    Attributes:
        pieces: the words of the command, in order.
        mentions: the noun phrases, inner ones first.
        steps: all steps, in the order of the resolution.
        verdict: what the command picks out, in one line.
        is_unique: whether that is one object.
        words: the necessity of every part; empty where the command does not fit the target alone.
        tree: the noun phrases as they hang together.
        lit_in_the_end: the objects that the command picks out.
        explanation: how it is resolved.
    """

    pieces: tuple[Piece, ...]
    mentions: tuple[Mention, ...]
    steps: tuple[Step, ...]
    verdict: str
    is_unique: bool
    words: tuple[Word, ...]
    tree: Branch
    lit_in_the_end: tuple[int, ...]
    explanation: Explanation

    @property
    def idle(self) -> int:
        """Number of parts that are not needed."""
        return sum(not word.is_needed for word in self.words)


def story_of(example: Example) -> Story:
    """Tell the story of an example.

    Raises:
        DeixisError: when the command cannot be read.
    """
    explanation = explain(example.utterance, example.scene)
    kinds = {part.address: SHOWN[part_kind(part)] for part in parts(example.expression)}
    mentions = tuple(_list_mentions(explanation, kinds))
    steps = tuple(step for mention in mentions for step in mention.steps)
    found = _find_ignored_parts(example)
    said = (step.address for mention in explanation.mentions for step in mention.steps)
    by_address = dict(zip(said, (step for step in steps if step.words != ALONE), strict=True))
    return Story(
        pieces=tuple(_pieces(example.utterance, by_address, {one.part.address: one for one in found})),
        mentions=mentions,
        steps=steps,
        verdict=explanation.verdict,
        is_unique=explanation.is_unique,
        words=tuple(_word(example, one) for one in found),
        tree=_branch(example.utterance, {mention.address: mention for mention in explanation.mentions}, (), ""),
        lit_in_the_end=explanation.referents,
        explanation=explanation,
    )


def _find_ignored_parts(example: Example) -> list[IgnoredPart]:
    """What becomes of readers who overlook a part; nothing where the command does not fit the target alone."""
    try:
        return ignored_parts(example)
    except AmbiguousExpression:
        return []


def objects_of(example: Example, story: Story | None) -> list[ShownObject]:
    """Return every object of an example, and the misreadings that lead to it.

    Args:
        example: whose objects they are.
        story: of the example; None where its command cannot be read.
    """
    reasons = _reasons(example) if story else {}
    dropped = _dropping_words(story) if story else {}
    shown = []
    for index, thing in enumerate(example.scene.objects):
        role = Role(example.roles[index].kind) if example.roles else None
        if index == example.target:
            role = Role.TARGET
        leads = _misreadings_to(example, story, index)
        shown.append(
            ShownObject(
                index=index,
                name=f"{thing.color} {thing.shape}",
                shape=thing.shape,
                color=thing.color,
                about=f"size {thing.size}, row {thing.row}, column {thing.column}",
                role=role.words if role else "",
                letter=role.letter if role else "",
                said=_describe_object(example, index, leads, dropped.get(index, "")),
                reasons=tuple(reasons.get(index, ())),
                reached=leads,
            )
        )
    return shown


def object_name(example: Example, index: int) -> str:
    """Return an object in words: 'the red circle (5)'."""
    thing = example.scene.objects[index]
    return f"the {thing.color} {thing.shape} ({index})"


def _list_mentions(explanation: Explanation, kinds: dict[Address, str]) -> Iterator[Mention]:
    number = 0
    for mention in explanation.mentions:
        steps = []
        for step in mention.steps:
            steps.append(Step(number, step.words, kinds[step.address], step.before, step.after))
            number += 1
        if mention.lost_to_others and mention.steps:
            steps.append(Step(number, ALONE, "clause", mention.steps[-1].after, mention.left))
            number += 1
        yield Mention(mention.words, tuple(steps))


def _pieces(utterance: Utterance, steps: dict[Address, Step], found: dict[Address, IgnoredPart]) -> Iterator[Piece]:
    """The command cut where a part begins or ends; a clause owns its relation only, not the phrase behind it."""
    words = utterance.text.split(" ")
    owner: list[Part | None] = [None] * len(words)
    for part in parts(utterance.expression):
        first, last = utterance.spans[part.address]
        if isinstance(part.step, Related):
            last = utterance.spans[(*part.address, -1)][0]
        for place in range(first, last):
            owner[place] = part
    start = 0
    for place in range(1, len(words) + 1):
        if place == len(words) or owner[place] is not owner[start]:
            said, own = " ".join(words[start:place]), owner[start]
            step = steps.get(own.address) if own else None
            is_idle = own is not None and own.address in found and not found[own.address].is_punished
            yield Piece(said, step.kind, step, is_idle) if step else Piece(said)
            start = place


def _word(example: Example, one: IgnoredPart) -> Word:
    return Word(
        words=one.words,
        kind=SHOWN[part_kind(one.part)],
        is_needed=one.is_punished,
        said=ignored_part_words(example, one),
        lights=tuple(sorted({example.target, *one.wrong})) if one.keeps_target else one.wrong,
    )


def _branch(utterance: Utterance, mentions: dict[Address, ExplainedMention], address: Address, relation: str) -> Branch:
    below = []
    for place, step in enumerate(mention_at(utterance.expression, address).steps):
        inner = (*address, place)
        if isinstance(step, Related) and inner in mentions:
            first, phrase = utterance.spans[inner][0], utterance.spans[(*inner, -1)][0]
            said = " ".join(utterance.text.split(" ")[first:phrase])
            below.append(_branch(utterance, mentions, inner, said))
    return Branch(relation, utterance.words_of((*address, -1)), mentions[address].left, tuple(below))


def _misreadings_to(example: Example, story: Story | None, index: int) -> tuple[str, ...]:
    """Return the misreadings that lead to an object: first the slightest, together, then all others."""
    if story is None or story.explanation.target != example.target:
        return ()
    told = story.explanation.slightest_to(index)
    others = (one.words for one in story.explanation.misreadings if index in one.wrong and one.words not in told)
    return (join_misreadings(told), *others) if told else ()


def _reasons(example: Example) -> dict[int, list[str]]:
    """Why the maker of the example put every distractor there."""
    found: dict[int, list[str]] = {}
    for trap in _find_distractor_sets(example):
        for index in trap.ends:
            found.setdefault(index, []).append(f"Placed to catch readers who {trap.words}.")
        for index in trap.helpers:
            found.setdefault(index, []).append(_helps(example, trap))
    for index, role in enumerate(example.roles):
        if role.kind == "random":
            found.setdefault(index, []).append("Placed at random, to fill the world.")
        if role.kind == "mentioned":
            found.setdefault(index, []).append("A landmark: the command mentions it to tell the target from others.")
    return found


def _helps(example: Example, trap: DistractorSet) -> str:
    """What an object at which nobody ends is there for."""
    if trap.kind == "size":
        (part,) = trap.misreading.parts
        phrase = example.utterance.words_of((*part.address[:-1], -1))
        word = example.utterance.words_of(part.address)
        return f"It gives ‘{word}’ in ‘{phrase}’ something to be compared with."
    if trap.ends or trap.elsewhere:
        return f"Helper: needed to catch readers who {trap.words}."
    return f"Placed to catch readers who {trap.words}, but they would not end here."


def _find_distractor_sets(example: Example) -> list[DistractorSet]:
    """Return the distractor sets, or nothing where the file records them in a way that cannot be."""
    try:
        return distractor_sets(example)
    except DeixisError:
        return []


def _dropping_words(story: Story) -> dict[int, str]:
    """Return the words at which every object leaves those that could be the target."""
    last = story.mentions[-1].steps
    return {index: step.words for step in last for index in step.before if index not in step.after}


def _describe_object(example: Example, index: int, leads: tuple[str, ...], dropped: str) -> str:
    name = object_name(example, index).capitalize()
    if index == example.target:
        return f"{name} is the target."
    if leads:
        return f"{name}: you would end here if you {leads[0]}."
    why = f"; it drops out at ‘{dropped}’" if dropped else ""
    return f"{name}: no single misreading leads here{why}."


def _objects(count: int) -> str:
    return "1 object" if count == 1 else f"{count} objects"
