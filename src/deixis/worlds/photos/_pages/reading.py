"""The meaning of an expression in the image of its target: its words, the steps that find the target, and the tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.necessity import necessity
from deixis.errors import AmbiguousExpression, ParseError, SchemaError, UnknownName
from deixis.expression.parts import Part, parts
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.language._misreadings import join_misreadings
from deixis.resolution.reference import denotation, keep
from deixis.worlds.photos._judging.verdicts import slightest
from deixis.worlds.photos._misreadings import misreadings
from deixis.worlds.photos.language import STYLES, read_reference, realise_reference
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Description, Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Utterance
    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph import GraphScene
    from deixis.worlds.photos.scene.graph_table import GraphTable


RANKS = ("first", "second", "third", "fourth", "fifth")


class StepResult(NamedTuple):
    """The objects before and after a step."""

    before: frozenset[int]
    after: frozenset[int]


class Segment(NamedTuple):
    """Words of the text that say one part, or that say none.

    Attributes:
        kind: noun, color, size or clause; empty for words that say no part.
        address: of the part, with dots.
        lights: the objects that are left after it, in the image of the target.
        says: the same in words.
        is_idle: whether the target would be found without it.
    """

    text: str
    kind: str = ""
    address: str = ""
    lights: tuple[int, ...] = ()
    says: str = ""
    is_idle: bool = False


class ResolutionStep(NamedTuple):
    """One step of the resolution in words."""

    words: str
    depth: int
    kind: str
    before: int
    lights: tuple[int, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A statement of the tree about an object besides its name: a relation to another, or alternatives."""

    label: str
    node: Node | None = None
    either: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """An object of the reasoning tree, with the objects of the image that fit its description."""

    name: str
    attributes: tuple[str, ...]
    branches: tuple[Branch, ...]
    lights: tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """An example whose expression is read in the image of its target, each slow part computed once."""

    example: Example
    table: GraphTable

    @cached_property
    def utterance(self) -> Utterance | None:
        """The text with its meaning, or None where the text cannot be read or contradicts the record."""
        example = self.example
        try:
            read = read_reference(example.text, self.table.vocabulary)
        except (ParseError, SchemaError):
            read = None
        if read is not None and example.expression in (None, read.expression):
            return read
        return None if example.expression is None else _realise_as(example.text, example.expression)

    @cached_property
    def expression(self) -> Expression | None:
        """The meaning of the text, recorded or read just now."""
        if self.example.expression is not None:
            return self.example.expression
        return self.utterance.expression if self.utterance else None

    @cached_property
    def scene(self) -> GraphScene | None:
        """The image of the target, or None where there is no graph of it."""
        return self._scene(self.example.image_id)

    @cached_property
    def target(self) -> int | None:
        """The number of the target within its image, or None where it is not there."""
        if self.scene is None or self.example.object_id not in self.scene.object_ids:
            return None
        return self.scene.object_number(self.example.object_id)

    @cached_property
    def kept(self) -> Mapping[Address, StepResult]:
        """The objects that every part keeps, in the image of the target."""
        if self.expression is None or self.scene is None:
            return {}
        return narrowing(self.expression, self.scene)

    def _scene(self, image_id: str) -> GraphScene | None:
        try:
            return self.table.scene(self.table.find(image_id))
        except (UnknownName, SchemaError):
            return None

    # ---------------------------------------------------------------------------- the words

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The text in stretches."""
        words = self.example.text.split()
        if self.utterance is None or self.expression is None:
            return (Segment(self.example.text),)
        owners = _owners(self.utterance, words)
        parts = parts_at(self.expression)
        found: list[Segment] = []
        start = 0
        for place in range(1, len(words) + 1):
            if place == len(words) or owners[place] != owners[start]:
                found.append(self._segment(" ".join(words[start:place]), owners[start], parts))
                start = place
        return tuple(found)

    def _segment(self, text: str, owner: Address, parts: Mapping[Address, Part]) -> Segment:
        address = owner[:-1] if owner[-1:] == (-1,) else owner
        if owner[-1:] == (-1,) or owner not in parts:
            return Segment(text, address=dotted_address(address))
        part = parts[owner]
        words = self.words_of(owner)
        lights = tuple(sorted(self.kept[owner].after)) if owner in self.kept else ()
        is_idle = self.necessary.get(owner, True) is False
        says = f"‘{words}’ leaves {self._objects(lights)}."
        if is_idle:
            says += " The target would be found without it."
        return Segment(text, kind_of(part.step), dotted_address(owner), lights, says, is_idle)

    def words_of(self, address: Address) -> str:
        """Return the words that say a part, or a compact notation where the text could not be read."""
        if self.utterance is None or address not in self.utterance.spans:
            return ".".join(map(str, address))
        pieces = [self.utterance.words_of(address)]
        if (*address, -2) in self.utterance.spans:
            pieces.append(self.utterance.words_of((*address, -2)))
        return " … ".join(pieces)

    # ---------------------------------------------------------------------------- misreadings

    def leading_to(self, scene: GraphScene) -> dict[int, tuple[PlannedMisreading, ...]]:
        """Return for each object of an image the slightest misreadings that lead to it."""
        led: dict[int, list[PlannedMisreading]] = {}
        for misreading in misreadings(self.expression) if self.expression else ():
            for index in denotation(misreading.expression, scene):
                led.setdefault(index, []).append(misreading)
        return {index: slightest(found) for index, found in led.items()}

    def say_misreadings(self, some: Sequence[PlannedMisreading]) -> str:
        """Say the misreadings that lead to one object, in the words that follow 'if you' (`language._misreadings`)."""
        return join_misreadings([self._say(one) for one in some])

    def _say(self, misreading: PlannedMisreading) -> str:
        words = [f"‘{self.words_of(part.address)}’" for part in misreading.parts]
        if len(words) > 1:
            heard = _say_expression(misreading.expression)
            return f"ignored all but ‘{heard}’" if heard else f"ignored {', '.join(words[:-1])} and {words[-1]}"
        address = misreading.parts[0].address
        spans = self.utterance.spans if self.utterance else {}
        (start, end), (first, last) = (spans.get(at, (0, 0)) for at in (address, (*address[:-1], -1)))
        if self.utterance is None or not first <= start < end <= last:  # a clause, or said behind the noun
            return f"ignored {words[0]}"
        return f"ignored {words[0]} in ‘{self.utterance.words_of((*address[:-1], -1))}’"

    def _objects(self, lights: Sequence[int]) -> str:
        if self.scene is None or not lights:
            return "nothing"
        names = [name_of(self.scene, index) for index in lights]
        shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        return f"1 object: {shown}" if len(names) == 1 else f"{len(names)} objects: {shown}"

    @cached_property
    def necessary(self) -> Mapping[Address, bool]:
        """For every part, whether the target cannot be found without it, empty where it is not found at all."""
        if self.target is None or self.expression is None:
            return {}
        try:
            context = self.example.context_in(self.table)
            return {part.address: needed for part, needed in necessity(self.expression, context).items()}
        except (AmbiguousExpression, UnknownName, SchemaError):
            return {}

    # ---------------------------------------------------------------------------- steps and tree

    @cached_property
    def steps(self) -> tuple[ResolutionStep, ...]:
        """The steps that find the target, with the landmark of a clause before the clause itself."""
        if self.expression is None or self.scene is None or self.utterance is None:
            return ()
        order = sorted(self.kept, key=lambda address: (*address, 10**6))  # what lies inside comes before the whole
        parts = parts_at(self.expression)
        found = []
        for address in order:
            before, after = self.kept[address]
            lights = tuple(sorted(after))
            words = self.words_of(address)
            says = f"‘{words}’ leaves {self._objects(lights)}."
            found.append(
                ResolutionStep(words, len(address) - 1, kind_of(parts[address].step), len(before), lights, says)
            )
        return tuple(found)

    @cached_property
    def tree(self) -> Node | None:
        """The reasoning tree."""
        if self.expression is None or self.scene is None:
            return None
        return self._node(self.expression)

    def _node(self, description: Description) -> Node:
        attributes, branches = [], []
        for step in description.steps:
            if isinstance(step, Is) and step.attribute == NAME:
                continue
            match step:
                case Is() | Nth() | Extreme() | Not(Is()):
                    attributes.append(_word_for(step))
                case _:
                    branches.append(self._branch(step))
        lights = tuple(sorted(denotation(description, self.scene))) if self.scene else ()
        return Node(description.value(NAME) or "object", tuple(attributes), tuple(branches), lights)

    def _branch(self, step: Step) -> Branch:
        match step:
            case Related(relation, to):
                return Branch(relation, self._node(to))
            case Not(Related(relation, to)):
                return Branch(f"not {relation}", self._node(to))
            case AnyOf(steps):
                return Branch("or", either=tuple(self._branch(inner) for inner in steps))
            case _:
                return Branch(_word_for(step))


def narrowing(expression: Expression, scene: GraphScene) -> dict[Address, StepResult]:
    """Return the objects of a scene that every part of an expression keeps, even inside negations and alternatives."""
    found: dict[Address, StepResult] = {}
    everything = frozenset(range(len(scene)))

    def go_through(steps: Sequence[Step], above: Address) -> None:
        left = everything
        for place, step in enumerate(steps):
            left = note(step, (*above, place), left)

    def note(step: Step, address: Address, left: frozenset[int]) -> frozenset[int]:
        after = keep(step, left, scene, reading=scene.schema.reading)
        found[address] = StepResult(left, after)
        match step:
            case Related(_, to):
                go_through(to.steps, address)
            case Not(inner):
                note(inner, (*address, 0), left)
            case AnyOf(steps):
                for place, inner in enumerate(steps):
                    note(inner, (*address, place), left)
        return after

    go_through(expression.steps, ())
    return found


def name_of(scene: GraphScene, index: int) -> str:
    """Return an object by its attributes and its category."""
    return " ".join((*sorted(scene.words[index]), scene.names[index]))


def parts_at(expression: Expression) -> dict[Address, Part]:
    """Return the parts of an expression, those inside others included, by their addresses."""
    return {part.address: part for part in parts(expression)}


def dotted_address(address: Address) -> str:
    """Write an address with dots, as pages do."""
    return ".".join(map(str, address))


def _realise_as(text: str, expression: Expression) -> Utterance | None:
    """Return the utterance whose words are those of the text, in one of the wordings that are known."""
    plain = text.lower().rstrip(".").split()
    for style in STYLES.values():
        try:
            said = realise_reference(expression, style)
        except SchemaError:
            return None
        if said.text.lower().split() == plain:
            return said
    return None


def _owners(utterance: Utterance, words: Sequence[str]) -> list[Address]:
    """For every word the innermost part that it says; with a final -1 where it belongs to a phrase but to no part."""
    spoken = [place for place, word in enumerate(words) if word.strip('.,;:!?"“”')]  # as the reader counts words
    owners: list[Address] = [()] * len(words)
    for address, (start, end) in sorted(utterance.spans.items(), key=lambda item: (len(item[0]), item[0][-1] != -1)):
        owner = address[:-1] if address[-1] == -2 else address
        for place in spoken[start:end]:
            owners[place] = owner
    return owners


def _say_expression(expression: Expression) -> str:
    """Return an expression in English, or empty where it cannot be said."""
    try:
        text = realise_reference(expression).text
    except SchemaError:
        return ""
    return text[:1].lower() + text[1:]


def kind_of(step: Step) -> str:
    """Return how style sheets call a part: noun, color, size or clause."""
    match step:
        case Is(attribute):
            return "noun" if attribute == NAME else "color" if attribute == "color" else "size"
        case Nth() | Extreme():
            return "size"
        case _:
            return "clause"


def _word_for(step: Step) -> str:
    match step:
        case Is(_, value):
            return value
        case Not(inner):
            return f"not {_word_for(inner)}"
        case Nth(index, side):
            rank = RANKS[index - 1] if index <= len(RANKS) else f"number {index}"
            return "in the middle" if side == "middle" else f"{rank} from the {side}"
        case AnyOf(steps):
            return " or ".join(map(_word_for, steps))
        case Extreme(attribute, which):
            return f"{which.name.lower()} {attribute}"
        case Related(relation, _):  # pragma: no branch (the last kind of step)
            return relation
