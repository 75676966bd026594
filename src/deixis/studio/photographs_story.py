"""What there is to tell about an expression and its images: words, steps, the tree, regions and what they tempt to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.distractors.necessity import necessity
from deixis.errors import AmbiguousExpression, DeixisError, ParseError, SchemaError, UnknownName
from deixis.expression.parts import Part, parts
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.language.copsref import STYLES, read_reference, realise_reference
from deixis.resolution.reference import denotation, keep, narrow
from deixis.resolution.unknowns import judge
from deixis.scene.vocabulary import NAME
from deixis.tasks.localise import SETTINGS
from deixis.worlds.graphs.misreadings import misreadings


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.distractors.relaxations import Relaxation
    from deixis.expression.description import Description, Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Utterance
    from deixis.scene.graph import Box, GraphScene
    from deixis.scene.graph_table import GraphTable
    from deixis.tasks.localise import DistractorImage, Example


__all__ = ["Branch", "Check", "Node", "Region", "Segment", "Shown", "Story", "Told", "narrowing", "related_to"]

Role: TypeAlias = Literal["target", "related", "tempting", "reached", "other"]
KINDS = {
    "DiffCat": "Nothing of the target's category: hearing the noun is enough.",
    "Cat": "Something of the category: tempts who hears only the noun.",
    "Cat&attr": "Something of the category with the attributes that are said: tempts who hears no more than these.",
    "Cat&cat": "Everything that is mentioned, related otherwise: tempts who does not hear how things relate.",
}
RANKS = ("first", "second", "third", "fourth", "fifth")


class Kept(NamedTuple):
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


class Told(NamedTuple):
    """One step of the resolution in words."""

    words: str
    depth: int
    kind: str
    before: int
    lights: tuple[int, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Branch:
    """What the tree says of an object besides its name: a relation to another, or alternatives."""

    label: str
    node: Node | None = None
    either: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """An object of the reasoning tree, with the objects of the image that fit all that is said of it."""

    name: str
    attributes: tuple[str, ...]
    branches: tuple[Branch, ...]
    lights: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """An object of an image.

    Attributes:
        name: its category with its attributes.
        role: why it matters.
        says: what a reader must miss to take it, or why nobody would.
        misses: the addresses of the parts that go unheard then.
    """

    index: int
    name: str
    box: Box
    role: Role
    says: str
    misses: str = ""

    @property
    def is_told(self) -> bool:
        """Whether its name is written into the picture."""
        return self.role in ("target", "related", "tempting")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An image of the set.

    Attributes:
        kind: why it is shown; empty for the image of the target.
        fault: why its regions cannot be shown, if so.
        left: how many objects are left after each step of the expression.
    """

    image_id: str
    kind: str
    width: int = 0
    height: int = 0
    regions: tuple[Region, ...] = ()
    fault: str = ""
    left: tuple[int, ...] = ()


class Check(NamedTuple):
    """Something that must hold of an example, and whether it does."""

    code: str
    claim: str
    holds: bool


@dataclass(frozen=True)
class Story:
    """An example with all that its page tells; what takes long is worked out once."""

    example: Example
    table: GraphTable

    @cached_property
    def utterance(self) -> Utterance | None:
        """The text with its meaning; None where the text cannot be read, or says something else than is recorded."""
        example = self.example
        try:
            read = read_reference(example.text, self.table.vocabulary)
        except (ParseError, SchemaError):
            read = None
        if read is not None and example.expression in (None, read.expression):
            return read
        return None if example.expression is None else _realised(example.text, example.expression)

    @cached_property
    def expression(self) -> Expression | None:
        """What the text means, recorded or read just now."""
        if self.example.expression is not None:
            return self.example.expression
        return self.utterance.expression if self.utterance else None

    @cached_property
    def scene(self) -> GraphScene | None:
        """The image of the target; None where there is no graph of it."""
        return self._scene(self.example.image_id)

    @cached_property
    def target(self) -> int | None:
        """The number of the target within its image; None where it is not there."""
        if self.scene is None or self.example.object_id not in self.scene.object_ids:
            return None
        return self.scene.object_number(self.example.object_id)

    @cached_property
    def kept(self) -> Mapping[Address, Kept]:
        """What every part keeps, in the image of the target."""
        if self.expression is None or self.scene is None:
            return {}
        return narrowing(self.expression, self.scene)

    # ---------------------------------------------------------------------------- the expression

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The text in stretches."""
        words = self.example.text.split()
        if self.utterance is None or self.expression is None:
            return (Segment(self.example.text),)
        owners = _owners(self.utterance, words)
        parts = _parts_at(self.expression)
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
            return Segment(text, address=_dotted(address))
        part = parts[owner]
        words = self.words_of(owner)
        lights = tuple(sorted(self.kept[owner].after)) if owner in self.kept else ()
        is_idle = self.necessary.get(owner, True) is False
        says = f"‘{words}’ leaves {self._objects(lights)}."
        if is_idle:
            says += " The target would be found without it."
        return Segment(text, _kind(part.step), _dotted(owner), lights, says, is_idle)

    def words_of(self, address: Address) -> str:
        """The words that say a part; in a compact notation where the text could not be read."""
        if self.utterance is None or address not in self.utterance.spans:
            return ".".join(map(str, address))
        pieces = [self.utterance.words_of(address)]
        if (*address, -2) in self.utterance.spans:
            pieces.append(self.utterance.words_of((*address, -2)))
        return " … ".join(pieces)

    def _objects(self, lights: Sequence[int]) -> str:
        if self.scene is None or not lights:
            return "nothing"
        names = [name_of(self.scene, index) for index in lights]
        shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        return f"1 object: {shown}" if len(names) == 1 else f"{len(names)} objects: {shown}"

    @cached_property
    def necessary(self) -> Mapping[Address, bool]:
        """For every part whether the target cannot be found without it; empty where it is not found at all."""
        if self.target is None or self.expression is None:
            return {}
        try:
            context = self.example.context(self.table)
            return {part.address: needed for part, needed in necessity(self.expression, context).items()}
        except (AmbiguousExpression, UnknownName, SchemaError):
            return {}

    @cached_property
    def steps(self) -> tuple[Told, ...]:
        """How the target is found: every step, what a clause is about before the clause itself."""
        if self.expression is None or self.scene is None or self.utterance is None:
            return ()
        order = sorted(self.kept, key=lambda address: (*address, 10**6))  # what lies inside comes before the whole
        parts = _parts_at(self.expression)
        found = []
        for address in order:
            before, after = self.kept[address]
            lights = tuple(sorted(after))
            words = self.words_of(address)
            says = f"‘{words}’ leaves {self._objects(lights)}."
            found.append(Told(words, len(address) - 1, _kind(parts[address].step), len(before), lights, says))
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

    # ---------------------------------------------------------------------------- the images

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """All images, that of the target first; one for every distractor after it."""
        first = self._shown(self.example.image_id, None)
        return (first, *(self._shown(one.image_id, one) for one in self.example.distractors))

    @cached_property
    def groups(self) -> tuple[tuple[str, str, tuple[tuple[int, Shown], ...]], ...]:
        """The distractor images by kind: its name, what it is for, and the images with their places in `shown`."""
        numbered = list(enumerate(self.shown))[1:]
        grouped = ((kind, about, tuple(n for n in numbered if n[1].kind == kind)) for kind, about in KINDS.items())
        return tuple(group for group in grouped if group[2])

    def _scene(self, image_id: str) -> GraphScene | None:
        try:
            return self.table.scene(self.table.find(image_id))
        except (UnknownName, SchemaError):
            return None

    def _shown(self, image_id: str, distractor: DistractorImage | None) -> Shown:
        kind = distractor.kind if distractor else ""
        scene = self._scene(image_id)
        if scene is None:
            return Shown(image_id=image_id, kind=kind, fault="There is no scene graph of this image (E801).")
        left: tuple[int, ...] = ()
        if self.expression is not None:
            kept = narrowing(self.expression, scene) if distractor else self.kept
            left = tuple(len(kept[place,].after) for place in range(len(self.expression.steps)))
        return Shown(
            image_id=image_id,
            kind=kind,
            width=scene.width,
            height=scene.height,
            regions=tuple(self._regions(scene, distractor)),
            left=left,
        )

    def _regions(self, scene: GraphScene, distractor: DistractorImage | None) -> Iterator[Region]:
        """The regions of an image, large ones first, so that small ones lie above them."""
        reached = self._reached(scene)
        mentioned = self._mentioned(scene, None if distractor else self.target)
        tempting, recorded = self._tempting(scene, distractor)
        for index in sorted(range(len(scene)), key=lambda number: -scene.boxes[number].area):
            name = name_of(scene, index)
            by = recorded if index == tempting and recorded is not None else reached.get(index)
            if distractor is None and index == self.target:
                role: Role = "target"
                says = f"The {name} is the target: it alone fits all that is said."
                by = None
            elif index == tempting:
                role, says = "tempting", self._tempted(name, by)
            elif index in mentioned:
                role = "related"
                says = f"The {name} fits ‘{mentioned[index]}’, which the expression mentions."
                says += f" {self._tempted(name, by)}" if by else ""
            elif by is not None:
                role, says = "reached", self._tempted(name, by)
            else:
                role, says = "other", f"No part of the expression that goes unheard leads to the {name}."
            misses = " ".join(_dotted(part.address) for part in by.parts) if by else ""
            yield Region(index=index, name=name, box=scene.boxes[index], role=role, says=says, misses=misses)

    def _tempting(self, scene: GraphScene, distractor: DistractorImage | None) -> tuple[int | None, Relaxation | None]:
        """The object that is recorded as tempting, and the misreading that leads to it."""
        if distractor is None or distractor.object_id not in scene.object_ids:
            return None, None
        try:
            recorded = self.example.relaxation_of(distractor)
        except SchemaError:
            recorded = None
        return scene.object_number(distractor.object_id), recorded

    def _tempted(self, name: str, by: Relaxation | None) -> str:
        if by is None:
            return f"The {name} is recorded as tempting, but nothing says by what."
        missed = [f"‘{self.words_of(part.address)}’" for part in by.parts]
        heard = _said(by.expression)
        understood = f": ‘{heard}’ fits this {name}" if heard else ""
        return f"You would end here if you missed {_listed(missed)}{understood}."

    def _reached(self, scene: GraphScene) -> dict[int, Relaxation]:
        """For each object the slightest misreading that leads to it."""
        found: dict[int, Relaxation] = {}
        for misreading in misreadings(self.expression) if self.expression else ():
            for index in denotation(misreading.expression, scene):
                found.setdefault(index, misreading)
        return found

    def _mentioned(self, scene: GraphScene, target: int | None) -> dict[int, str]:
        """The objects that the expression mentions besides the target, and as what."""
        if self.expression is None:
            return {}
        if target is not None:
            found = related_to(self.expression, scene, target)
        else:
            found = {
                index: address
                for address, part in _parts_at(self.expression).items()
                if isinstance(part.step, Related)
                for index in narrow(part.step.to, scene, reading=scene.schema.reading)
            }
        return {index: self._mention(address) for index, address in found.items()}

    def _mention(self, address: Address) -> str:
        if self.utterance is None or (*address, -1) not in self.utterance.spans:
            return "what is mentioned"
        return self.utterance.words_of((*address, -1))

    # ---------------------------------------------------------------------------- checks and numbers

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """What must hold of the example, resolved anew."""
        if self.expression is None:
            return ()
        found = [Check("E801", "All images and objects that it names are there.", self._is_whole)]
        counts = [self._count(shown.image_id) for shown in self.shown]
        if not self.example.is_there:
            return (*found, Check("E803", "The expression fits nothing in any image.", not any(counts)))
        fits = denotation(self.expression, self.scene) if self.scene else frozenset()
        return (
            *found,
            Check("E101", "The expression fits an object of its image.", bool(fits)),
            Check("E102", "The expression fits no more than one object of its image.", len(fits) <= 1),
            Check("E103", "What it fits is the target.", self.target in fits),
            Check("E802", "The expression fits nothing in the distractor images.", not any(counts[1:])),
        )

    @property
    def _is_whole(self) -> bool:
        is_named = self.target is not None or not self.example.is_there
        return is_named and not any(shown.fault for shown in self.shown)

    def _count(self, image_id: str) -> int:
        scene = self._scene(image_id)
        return len(denotation(self.expression, scene)) if scene and self.expression else 0

    @cached_property
    def doubts(self) -> int | None:
        """How many distractor images the expression may fit for all that is known; None where that cannot be told."""
        try:
            scenes = [self._scene(one.image_id) for one in self.example.distractors]
            return sum(bool(judge(self.expression, scene).possible) for scene in scenes if scene and self.expression)
        except DeixisError:
            return None

    @cached_property
    def candidates(self) -> dict[str, int]:
        """How many objects there are to choose from in each setting that shows other images than the full one."""
        sizes = {shown.image_id: len(shown.regions) for shown in self.shown}
        return {setting: sum(sizes[image] for image in self.example.images(setting)) for setting in SETTINGS}


def narrowing(expression: Expression, scene: GraphScene) -> dict[Address, Kept]:
    """What every part of an expression keeps of a scene, parts inside negations and alternatives included."""
    found: dict[Address, Kept] = {}
    everything = frozenset(range(len(scene)))

    def go_through(steps: Sequence[Step], above: Address) -> None:
        left = everything
        for place, step in enumerate(steps):
            left = note(step, (*above, place), left)

    def note(step: Step, address: Address, left: frozenset[int]) -> frozenset[int]:
        after = keep(step, left, scene, reading=scene.schema.reading)
        found[address] = Kept(left, after)
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


def related_to(description: Description, scene: GraphScene, index: int, at: Address = ()) -> dict[int, Address]:
    """The objects that make the clauses of a description hold of an object, with the clause that each belongs to."""
    found: dict[int, Address] = {}
    for place, step in enumerate(description.steps):
        alternatives = step.steps if isinstance(step, AnyOf) else (step,)
        for number, inner in enumerate(alternatives):
            if not isinstance(inner, Related):
                continue
            address = (*at, place, number) if isinstance(step, AnyOf) else (*at, place)
            for other in sorted(narrow(inner.to, scene, reading=scene.schema.reading) - {index}):
                if scene.related(inner.relation, index, other):
                    found.setdefault(other, address)
                    for more, where in related_to(inner.to, scene, other, address).items():
                        found.setdefault(more, where)
    found.pop(index, None)
    return found


def name_of(scene: GraphScene, index: int) -> str:
    """An object by its attributes and its category."""
    return " ".join((*sorted(scene.words[index]), scene.names[index]))


def _realised(text: str, expression: Expression) -> Utterance | None:
    """The utterance whose words are those of the text, in one of the wordings that are known."""
    plain = text.lower().rstrip(".").split()
    for style in STYLES.values():
        try:
            said = realise_reference(expression, style)
        except SchemaError:
            return None
        if said.text.lower().split() == plain:
            return said
    return None


def _said(expression: Expression) -> str:
    try:
        text = realise_reference(expression).text
    except SchemaError:
        return ""
    return text[:1].lower() + text[1:]


def _owners(utterance: Utterance, words: Sequence[str]) -> list[Address]:
    """For every word the innermost part that it says; with a final -1 where it belongs to a phrase but to no part."""
    spoken = [place for place, word in enumerate(words) if word.strip('.,;:!?"“”')]  # as the reader counts words
    owners: list[Address] = [()] * len(words)
    for address, (start, end) in sorted(utterance.spans.items(), key=lambda item: (len(item[0]), item[0][-1] != -1)):
        owner = address[:-1] if address[-1] == -2 else address
        for place in spoken[start:end]:
            owners[place] = owner
    return owners


def _parts_at(expression: Expression) -> dict[Address, Part]:
    return {part.address: part for part in parts(expression)}


def _kind(step: Step) -> str:
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


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else "nothing"


def _dotted(address: Address) -> str:
    return ".".join(map(str, address))
