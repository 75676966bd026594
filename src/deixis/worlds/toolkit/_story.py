"""The story of an example in words: resolution step by step, parts that are needed, and misreadings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.misreadings import misreadings
from deixis.distractors.necessity import necessity
from deixis.errors import DeixisError, SchemaError
from deixis.expression.description import Description, describe
from deixis.language._misreadings import say_misreading
from deixis.language.explain import name_object
from deixis.resolution.reference import resolve
from deixis.resolution.trace import trace
from deixis.scene.scene import Context, Where
from deixis.worlds.example import context_of, scenes_of
from deixis.worlds.toolkit._drawing import draw_in, own_drawing
from deixis.worlds.toolkit._verdicts import UNEXPLAINED
from deixis.worlds.toolkit.pictures import links_of


if TYPE_CHECKING:
    from collections.abc import Iterable

    from markupsafe import Markup

    from deixis.distractors.misreadings import Misreading
    from deixis.expression.parts import Part
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


MOST_MISREADINGS = 40
SLIPS = {  # what follows "if you", where the world has no words for it
    "comparison": "compared with all objects",
    "attachment": "took a clause to be about the target",
    "ignored": "ignored a word",
    "misread": "read a word as another",
    "clause": "ignored a clause",
    "swap": "swapped words between two phrases",
    "relations": "swapped two relations",
    "clauses": "ignored everything except the first phrase",
    "noun alone": "ignored everything except the noun",
    UNEXPLAINED: "no misreading leads there",
}


class Piece(NamedTuple):
    """Some words of a text: the part that they say, and the objects that are left after it."""

    words: str
    kind: str = ""
    lights: str = ""
    told: str = ""


class ToldStep(NamedTuple):
    """One step: words, what kind of part it is, how deep it lies, and how many objects are there before and after."""

    words: str
    kind: str
    depth: int
    before: int
    after: int
    lights: str


class ToldMisreading(NamedTuple):
    """One misreading: what somebody did, what is understood, and the wrong objects that it picks out."""

    did: str
    understood: str
    wrong: tuple[str, ...]
    lights: str


class Thing(NamedTuple):
    """One object: its place, its name, and its values by attribute."""

    key: str
    where: Where
    name: str
    values: dict[str, str]
    is_target: bool


class Story:
    """The facts about an example that its page shows, also where nothing or several objects are meant."""

    def __init__(self, world: World, example: Example) -> None:
        self.world = world
        self.example = example
        self.targets = _targets_of(example)
        known = scenes_of(example)
        first = next((Where(place, 0) for place, scene in enumerate(known) if len(scene)), None)
        shown = self.targets[0] if self.targets else first
        if shown is None:
            raise SchemaError("no objects of this example are known")
        self.context = Context(known, shown)
        self.scene = known[shown.scene]
        self.is_many = len(known) > 1
        self.words = getattr(world.part("language"), "words", None) if world.has("language") else None
        self.utterance = _utterance(world, example, self.scene)

    @cached_property
    def things(self) -> list[Thing]:
        """All objects of all scenes."""
        found = []
        for place, scene in enumerate(self.context.scenes):
            for index in range(len(scene)):
                where = Where(place, index)
                values = {one.name: ", ".join(sorted(scene.values(index, one.name))) for one in scene.schema.attributes}
                is_target = where in self.targets
                found.append(Thing(self.key(where), where, name_object(scene, index), values, is_target))
        return found

    @property
    def attributes(self) -> list[str]:
        """The names of what objects differ in."""
        return [attribute.name for attribute in self.scene.schema.attributes]

    def key(self, where: Where) -> str:
        """Return the name of an object in the page."""
        return f"{where.scene}.{where.object}" if self.is_many else str(where.object)

    def keys(self, indices: Iterable[int]) -> str:
        """The same of objects of the scene of the target."""
        return " ".join(self.key(Where(self.context.target.scene, index)) for index in sorted(indices))

    @cached_property
    def steps(self) -> list[ToldStep]:
        """The resolution of the expression in the scene of the target, inner steps before the clause around them."""
        if self.example.expression is None:
            return []
        found = []
        for one in trace(self.example.expression, self.scene).walk():
            kind, depth = self._kind(one.part), len(one.part.address) - 1
            found.append(
                ToldStep(self._words_of(one.part), kind, depth, len(one.before), len(one.after), self.keys(one.after))
            )
        return found

    @cached_property
    def fits(self) -> list[Where]:
        """The objects that the expression picks out, in all scenes."""
        return [] if self.example.expression is None else sorted(resolve(self.example.expression, self.context).objects)

    @property
    def is_sound(self) -> bool:
        """True if the expression picks out what is meant and nothing else."""
        return self.fits == sorted(self.targets)

    @property
    def verdict(self) -> str:
        """What the expression picks out, in a sentence."""
        count = len(self.fits)
        if self.is_sound:
            wanted = ("nothing, as it should", "exactly one object, the target")
            return (
                f"✓ So it picks out {wanted[count] if count < len(wanted) else f'the {count} objects that are meant'}."
            )
        if not count:
            return "✗ It picks out nothing."
        if not self.targets:
            return f"✗ It picks out {count} object{'s' if count > 1 else ''}, where nothing is meant."
        is_other = "and is ambiguous" if count > len(self.targets) else "which is not the target"
        return f"✗ It picks out {count} object{'s' if count > 1 else ''}{' ' if count > 1 else ', '}{is_other}."

    @cached_property
    def needs(self) -> list[tuple[str, str, bool]]:
        """Of every part its words, its kind, and whether the target cannot be found without it."""
        if not self.is_sound or len(self.targets) != 1 or self.example.expression is None:
            return []
        found = necessity(self.example.expression, self.context).items()
        told = ((self._words_of(part), self._kind(part), does) for part, does in found)
        return list(dict.fromkeys(told))  # a clause and what it negates may be the same words

    @cached_property
    def misreadings(self) -> list[ToldMisreading]:
        """Those that pick out a wrong object, the slightest first."""
        if not self.is_sound or self.example.expression is None:
            return []
        found: dict[str, ToldMisreading] = {}
        names = {thing.where: thing.name for thing in self.things}
        for one in misreadings(self.example.expression, self.scene.schema):
            wrong = sorted(resolve(one.expression, self.context).objects - set(self.targets))
            did = self._did(one)
            if wrong and did not in found:
                told = tuple(f"{self.key(where)} {names[where]}" for where in wrong)
                lights = self._keys_of(wrong)
                found[did] = ToldMisreading(did, describe(one.expression), told, lights)
        return list(found.values())[:MOST_MISREADINGS]

    def reasons(self, key: str) -> list[str]:
        """What readers do who end at an object, as words that follow "if you", the slightest misreading first."""
        return [one.did for one in self.misreadings if key in one.lights.split(" ")]

    def why(self, thing: Thing) -> str:
        """Why an object is here, in a sentence."""
        name = f"The {thing.name} ({thing.key})"
        if thing.is_target:
            return f"{name} is {'the target' if len(self.targets) == 1 else 'meant'}."
        led = self.reasons(thing.key)
        if led:
            more = f" {len(led) - 1} more misreading{'s' if len(led) > 2 else ''} lead here." if len(led) > 1 else ""
            return f"{name}: you would end here if you {led[0]}.{more}"
        if thing.where in self.fits:
            return f"{name} fits as well."
        return f"{name}: no misreading leads here." if self.is_sound else f"{name}."

    @cached_property
    def pieces(self) -> list[Piece]:
        """The text in pieces, each with the objects left after it, or as a whole if its words are not known."""
        said = self.utterance
        if said is None or said.text != self.example.text:
            return [Piece(self.example.text)]
        lights = {one.part.address: one for one in trace(said.expression, self.scene).walk()}
        spans = sorted(
            ((span, address) for address, span in said.spans.items() if address[-1] >= 0),
            key=lambda one: one[0][1] - one[0][0],
        )
        mentions = {address[:-1]: span for address, span in said.spans.items() if address[-1] < 0}
        pieces: list[Piece] = []
        before: object = ()
        for place, word in enumerate(said.text.split(" ")):
            over = [at for (first, last), at in spans if first <= place < last]
            address = next((at for at in over if at in lights), over[0] if over else None)
            inside = mentions.get(address) if address is not None else None
            if inside is not None and inside[0] <= place < inside[1]:
                address = None  # a determiner or a filler of the phrase inside a clause
            one = lights.get(address) if address is not None else None
            if address is not None and address == before and pieces:
                pieces[-1] = pieces[-1]._replace(words=f"{pieces[-1].words} {word}")
            elif one is None:
                pieces.append(Piece(word))
            else:
                told = f"{len(one.before)} objects before it, {len(one.after)} after it"
                pieces.append(Piece(word, self._kind(one.part), self.keys(one.after), told))
            before = address
        return pieces

    @property
    def has_own_drawing(self) -> bool:
        """True if the world draws its objects as they look."""
        return own_drawing(self.world) is not None

    @cached_property
    def picture(self) -> Markup:
        """The objects with the target marked."""
        return draw_in(self.world, self.context, dict.fromkeys(self.targets, "meant"))

    @cached_property
    def relations(self) -> list[tuple[str, str, str]]:
        """(one object, relation, other object) for every relation that holds."""
        found = []
        for place, scene in enumerate(self.context.scenes):
            for relation, one, other in links_of(scene):
                found.append((self.key(Where(place, one)), relation, self.key(Where(place, other))))
        return found

    def _keys_of(self, some: Iterable[Where]) -> str:
        return " ".join(map(self.key, some))

    def _words_of(self, part: Part) -> str:
        """Return the words of a part, or its notation if they are not known."""
        if self.utterance is None or part.address not in self.utterance.spans:
            return _notation(part)
        return self.utterance.words_of(part.address)

    def _kind(self, part: Part) -> str:
        """How the style sheet calls a part."""
        if part.kind in ("clause", "negation", "alternative") or part.attribute is None:
            return "clause"
        attribute = self.scene.schema.attribute(part.attribute)
        return "noun" if attribute.is_head else "size" if attribute.is_ordered else "color"

    def _did(self, one: Misreading) -> str:
        if self.utterance is not None and self.words is not None:
            try:
                return say_misreading(one, self.utterance, words=self.words)
            except (DeixisError, KeyError):
                pass
        said = ", ".join(map(_notation, one.parts))
        return f"{SLIPS.get(one.slip, one.slip)}{f': {said}' if said else ''}"


def _targets_of(example: Example) -> tuple[Where, ...]:
    """The objects that are meant: one, several, or none where nothing fits."""
    context = context_of(example)
    if context is not None:
        return (context.target,)
    several = getattr(example, "targets", ())
    return tuple(several) if isinstance(several, tuple) else ()


def _notation(part: Part) -> str:
    """What a part says, without the words of a language."""
    return describe(Description((part.step,)))[1:-1]


def _utterance(world: World, example: Example, scene: Scene) -> Utterance | None:
    """The text with its meaning, where the world reads it as it is recorded, or can say it itself."""
    if example.expression is None or not world.has("language"):
        return None
    language = world.part("language")
    try:
        read: Utterance = language.read(example.text, scene)
        if read.expression == example.expression:
            return read
    except DeixisError:
        pass
    try:
        said: Utterance = language.realise(example.expression)
    except DeixisError:
        return None
    return said
