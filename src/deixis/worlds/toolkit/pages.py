"""Ready-made pages for worlds with examples: a gallery, a page for every example, a game, and results on objects.

A world that names no part `pages` gets these. They show what the core knows of any example: its text, the steps by
which its expression is resolved, its objects and their values, which words could be left out, and what each misreading
picks out. The picture is that of the part `pictures`, as a file of its own; what is drawn in the page itself is drawn
here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from markupsafe import Markup

from deixis._studio.answers import AnswerVerdict, Game, Measure, draw_numbers, write_json, write_lines
from deixis._studio.filters import (
    Card,
    Chip,
    Choice,
    Facet,
    Field,
    Lines,
    PageQuery,
    choose,
    field_of,
    keep,
    list_counted,
    list_uncounted,
)
from deixis._studio.gallery import find_way
from deixis._studio.library import Shelf, shelf_of
from deixis._studio.pages import render
from deixis._studio.world_pages import ResultWords, WorldPages, digest_of
from deixis._version import __version__
from deixis.data._split_names import names_in_split
from deixis.distractors.misreadings import misreadings
from deixis.distractors.necessity import necessity
from deixis.errors import DeixisError, SchemaError
from deixis.expression.description import Description, describe
from deixis.judge.uncertainty import wilson
from deixis.judge.verdicts import VERDICTS, id_code
from deixis.language._misreadings import say_misreading
from deixis.language.explain import name_object
from deixis.resolution.reference import resolve
from deixis.resolution.trace import trace
from deixis.scene.scene import Where
from deixis.worlds.example import context_of, scenes_of
from deixis.worlds.toolkit.judging import UNEXPLAINED, Answer, ObjectJudging, score_verdicts, write_object_verdicts
from deixis.worlds.toolkit.pictures import PlainPictures, links_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.filters import Listing
    from deixis._studio.library import Entry, Library
    from deixis._studio.verdicts import AnswerCard, ResultCard, Side
    from deixis.distractors.misreadings import Misreading
    from deixis.expression.parts import Part
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Context, Scene
    from deixis.worlds.example import Example
    from deixis.worlds.toolkit.judging import Verdict
    from deixis.worlds.world import Examples, World


__all__ = ["ObjectGame", "ReadyPages", "draw_objects", "ready_part"]


LARGE = 5_000  # examples of which the first page is shown before anything is counted
MOST_MISREADINGS = 40
TASKS = {"point": ("Point", "Choose the target.")}
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
WORDS = ResultWords(
    measures={"accuracy": "right object"},
    missed=("Misreadings when the wrong object was chosen", "misreading"),
    misreadings=SLIPS,
    roles=("", ""),
    missed_label="Misreading",
)
CELL, ACROSS = 112, 6  # pixels of an object, and objects in a line where no places are known
MOST_LINES = 12  # different rows or columns that are drawn where they are
COLORS = ("red", "blue", "green", "yellow")  # those of the boards of the studio
PAINT = {"black": "#222", "white": "#fff", "gray": "#888", "grey": "#888", "orange": "#e58a2b", "purple": "#8152a8"}
PAINT |= {"brown": "#8a5a33", "pink": "#e48fb0", "cyan": "#38b6c4"}


def ready_part(world: World) -> ReadyPages:
    """The part `pages` of a world that names none."""
    return ReadyPages.of(world)


@dataclass(frozen=True, eq=False)
class ReadyPages(WorldPages):
    """Pages of the studio for a world without pages of its own."""

    @classmethod
    def of(cls, world: World) -> Self:
        """The pages of a world."""
        return cls(world=world, about=world.title, short=world.name, tasks=TASKS, results=WORDS)

    # ---------------------------------------------------------------------------- gallery

    def list_examples(self, entry: Entry, wanted: PageQuery, library: Library) -> Listing:
        """One page of the gallery."""
        del library
        data: Examples = entry.data
        shelf = shelf_of(entry, ReadyShelf)
        text, split = wanted.get("text"), wanted.get("split")

        def cards(numbers: Iterable[int]) -> Iterator[Card]:
            return (self._card(entry, int(number)) for number in numbers)

        hint = Field("text", "text has", text, hint="words")
        if not shelf.has_codes and len(data) > LARGE and not text and set(wanted.values) <= {"split"}:
            known = tuple(Choice(name, name, size) for name, size in entry.splits.items())
            places = [range(n, n + 1) for n in data.numbers(split)] if split else [range(len(data))]
            uncounted = (Field("split", "split", split, known, any="all"), hint)
            return list_uncounted("examples", wanted, places, uncounted, cards)
        codes = shelf.codes()
        also = [codes.lines.having(text)] if text else []
        found = choose(len(codes.ids), codes.facets, wanted.values, also)
        fields = (*(field_of(facet, wanted, found.counts[facet.name]) for facet in codes.facets), hint)
        return list_counted("examples", wanted, found, fields, lambda numbers: cards(numbers.tolist()))

    def filter_examples(
        self, entry: Entry, wanted: PageQuery, library: Library
    ) -> tuple[np.ndarray, Callable[[int], str]]:
        """Return the examples that pass a filter."""
        del library
        codes, text = shelf_of(entry, ReadyShelf).codes(), wanted.get("text")
        also = [codes.lines.having(text)] if text else []
        return keep(len(codes.ids), codes.facets, wanted.values, also), lambda number: f"/d/{entry.slug}/{number}"

    def prepare(self, entry: Entry) -> None:
        """Read what a search needs."""
        shelf_of(entry, ReadyShelf).codes()

    def count(self, entry: Entry) -> None:
        """Read what a search needs."""
        shelf_of(entry, ReadyShelf).codes()

    def picture(self, entry: Entry, number: int) -> bytes:
        """Draw an example, or its objects with their relations if the world draws none."""
        return _draw(self.world, entry.data[number])

    def _card(self, entry: Entry, number: int) -> Card:
        address = f"/d/{entry.slug}/{number}"
        try:
            example: Example = entry.data[number]
            count = sum(map(len, scenes_of(example)))
        except DeixisError as error:
            return Card(address, f"example {number:,}", None, (), str(error))
        chips = [Chip(name, "split") for name in names_in_split(example.split) if name]
        chips += [Chip(f"{count} objects")] if count else []
        return Card(address, example.text, _image(entry, number), tuple(chips))

    # ---------------------------------------------------------------------------- examples

    def example(self, request: Request, entry: Entry, number: int) -> Response:
        """Everything that the core knows of an example."""
        data: Examples = entry.data
        example = data[number]
        is_told = context_of(example) is not None
        return render(
            request,
            "ready_example.html" if is_told else "ready_shown.html",
            title=f"{entry.title}, example {number}",
            entry=entry,
            number=number,
            example=example,
            way=find_way(request, entry, number),
            before=number - 1 if number else None,
            after=number + 1 if number + 1 < len(data) else None,
            story=Story(self.world, example) if is_told else None,
            picture=f"/d/{entry.slug}/{number}/picture.svg",
            facts=_facts(entry, example, number),
        )

    # ---------------------------------------------------------------------------- playing

    def game(self, entry: Entry, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Game:
        """Expressions whose targets are to be pointed at."""
        del task, form
        numbers = self.numbers_to_play(entry.data, split or None)
        if not len(numbers):
            raise SchemaError(f"{entry.title} has no example in which one object is to be found")
        chosen = [int(numbers[at]) for _, at in draw_numbers([len(numbers)], questions, seed=seed)]
        examples = tuple(entry.data[number] for number in chosen)
        return ObjectGame(self.world, entry, split, tuple(chosen), examples, seed)

    def numbers_to_play(self, data: Examples, split: str | None) -> Sequence[int]:
        """Return the numbers of the examples in which an object can be pointed at."""
        return data.numbers(split)

    # ---------------------------------------------------------------------------- results

    def say(self, outcome: str, role: str, missed: Sequence[str]) -> str:
        """Describe the outcome of an answer."""
        del role
        told = " or ".join(SLIPS.get(name, name) for name in missed)
        return f"{outcome.capitalize()}. {told[0].upper()}{told[1:]}." if told else f"{outcome.capitalize()}."

    def cards(
        self,
        cards: Sequence[ResultCard],
        sides: Sequence[Side],
        rows: Sequence[np.ndarray],
        dataset: Entry | None,
    ) -> Sequence[ResultCard]:
        """Cards with texts and pictures, and the objects that were chosen by their names."""
        if dataset is None:
            return cards
        places = shelf_of(dataset, ReadyShelf).codes().places
        made = []
        for place, card in enumerate(cards):
            number = places.get(int(sides[0].verdicts.ids[rows[0][place]]))
            if number is None:
                made.append(card)
                continue
            example = dataset.data[number]
            said = tuple(
                _with_object(one, example, int(side.verdicts.chosen[some[place]]))
                for one, side, some in zip(card.answers, sides, rows, strict=True)
            )
            link, picture = f"/d/{dataset.slug}/{number}", _image(dataset, number)
            made.append(replace(card, text=example.text, link=link, picture=picture, answers=said))
        return made


def _with_object(said: AnswerCard, example: Example, chosen: int) -> AnswerCard:
    """The same words with the object that was chosen, where only one scene is shown."""
    scenes = scenes_of(example)
    if len(scenes) != 1 or not 0 <= chosen < len(scenes[0]):
        return said
    return said._replace(words=f"Chose {chosen}, the {name_object(scenes[0], chosen)}. {said.words}")


def _image(entry: Entry, number: int) -> Markup:
    address = f"/d/{entry.slug}/{number}/picture.svg"
    return Markup(f'<img class="drawn" src="{address}" alt="" loading="lazy">')  # noqa: S704 (a slug and a number)


def _draw(world: World, example: Example) -> bytes:
    if world.has("pictures"):
        pictures = world.part("pictures")
        if "svg" in pictures.formats:
            drawn: bytes = pictures.draw(example, format="svg")
            return drawn
    return PlainPictures().draw(example, format="svg")


def _facts(entry: Entry, example: Example, number: int) -> list[tuple[str, str]]:
    """Where an example comes from."""
    own = getattr(example, "facts", None)
    told = [
        ("Dataset", entry.title),
        ("Split", example.split),
        ("Id", example.id),
        *(own.items() if isinstance(own, dict) else ()),
        ("Meaning", "" if example.expression is None else describe(example.expression)),
        ("In the terminal", f"deixis show {entry.path.name} {number}"),
    ]
    return [(str(name), str(value)) for name, value in told if value not in ("", None)]


# -------------------------------------------------------------------------------- searching


@dataclass(frozen=True, eq=False)
class ReadyCodes:
    """Filter columns of all examples, and their numbers by their ids."""

    ids: tuple[int, ...]
    lines: Lines
    facets: tuple[Facet, ...]

    @cached_property
    def places(self) -> dict[int, int]:
        """The number of the example of every id."""
        return {one: number for number, one in enumerate(self.ids)}


class ReadyShelf(Shelf[ReadyCodes]):
    """The examples of a dataset, and once somebody searches, what can be asked of them."""

    data: Examples

    def read_codes(self) -> ReadyCodes:
        """Read all examples once."""
        ids, texts, splits, objects, relations = [], [], [], [], []
        for example in self.data:
            ids.append(id_code(example.id))
            texts.append(example.text)
            splits.append(tuple(names_in_split(example.split)))
            objects.append((str(sum(map(len, scenes_of(example)))),))
            said = example.expression
            relations.append(tuple(sorted(set(said.relations()))) if said is not None else ())
        facets = [_facet("split", splits, list(self.data.splits)), _facet("relation", relations, ())]
        counts = sorted({one for (one,) in objects}, key=int)
        facets += [_facet("objects", objects, counts)] if len(counts) > 1 else []
        return ReadyCodes(tuple(ids), Lines(texts), tuple(facet for facet in facets if facet.tables))


def _facet(name: str, values: Sequence[tuple[str, ...]], known: Sequence[str]) -> Facet:
    """A facet of which every example has several values, or none."""
    sets = {one: place for place, one in enumerate(dict.fromkeys(values))}
    names = dict.fromkeys([*known, *sorted({value for some in sets for value in some})])
    tables = {value: np.array([value in some for some in sets], bool) for value in names if value}
    codes = np.fromiter((sets[one] for one in values), np.int64, len(values))
    return Facet(name, name, codes, tables if sets else {})


# -------------------------------------------------------------------------------- telling


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
    """The facts about an example that its page shows."""

    def __init__(self, world: World, example: Example) -> None:
        self.example = example
        self.context: Context = example.context
        self.scene = self.context.scenes[self.context.target.scene]
        self.is_many = len(self.context.scenes) > 1
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
                is_target = where == self.context.target
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
        """True if the expression picks out the target alone."""
        return self.fits == [self.context.target]

    @cached_property
    def needs(self) -> list[tuple[str, str, bool]]:
        """Of every part its words, its kind, and whether the target cannot be found without it."""
        if not self.is_sound or self.example.expression is None:
            return []
        found = necessity(self.example.expression, self.context).items()
        return [(self._words_of(part), self._kind(part), does) for part, does in found]

    @cached_property
    def misreadings(self) -> list[ToldMisreading]:
        """Those that pick out a wrong object, the slightest first."""
        if not self.is_sound or self.example.expression is None:
            return []
        found: dict[str, ToldMisreading] = {}
        names = {thing.where: thing.name for thing in self.things}
        for one in misreadings(self.example.expression, self.scene.schema):
            wrong = sorted(resolve(one.expression, self.context).objects - {self.context.target})
            did = self._did(one)
            if wrong and did not in found:
                told = tuple(f"{self.key(where)} {names[where]}" for where in wrong)
                lights = " ".join(self.key(where) for where in wrong)
                found[did] = ToldMisreading(did, describe(one.expression), told, lights)
        return list(found.values())[:MOST_MISREADINGS]

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
            address = next((at for (first, last), at in spans if first <= place < last), None)
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

    @cached_property
    def drawing(self) -> Markup:
        """The objects, drawn."""
        return draw_objects(self.context)

    @cached_property
    def relations(self) -> list[tuple[str, str, str]]:
        """(one object, relation, other object) for every relation that holds."""
        found = []
        for place, scene in enumerate(self.context.scenes):
            for relation, one, other in links_of(scene):
                found.append((self.key(Where(place, one)), relation, self.key(Where(place, other))))
        return found

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


# -------------------------------------------------------------------------------- drawing


def draw_objects(context: Context, marks: Mapping[Where, str] | None = None) -> Markup:
    """Draw the objects of all scenes with numbers and values, in the colours of the page and without the target.

    Args:
        context: the scenes.
        marks: a word for some objects, shown above them.
    """
    is_many = len(context.scenes) > 1
    drawn = []
    for place, scene in enumerate(context.scenes):
        cells = _cells(scene)
        width = CELL * (1 + max((column for column, _ in cells), default=0))
        height = CELL * (1 + max((row for _, row in cells), default=0))
        things = "".join(
            _object(
                scene,
                index,
                cell,
                f"{place}.{index}" if is_many else str(index),
                (marks or {}).get(Where(place, index)),
            )
            for index, cell in enumerate(cells)
        )
        label = f"Scene {place + 1}" if is_many else "The scene"
        drawn.append(
            f'<svg class="objects-drawn" viewBox="0 0 {width} {height}" style="max-width:{width}px" role="img" '
            f'aria-label="{label}, {len(scene)} objects">{things}</svg>'
        )
    return Markup("".join(drawn))  # noqa: S704 (all texts are escaped below)


def _cells(scene: Scene) -> list[tuple[int, int]]:
    """The column and row of every object: as the scene has them, or one after the other where that cannot be drawn."""
    count = len(scene)
    flow = [(index % ACROSS, index // ACROSS) for index in range(count)]
    try:
        points = [scene.position(index) for index in range(count)]
    except DeixisError:
        return flow
    columns, rows = (sorted({point[axis] for point in points}) for axis in (1, 0))
    if max(len(columns), len(rows), 1) > MOST_LINES or len(set(points)) < count:
        return flow
    return [(columns.index(point.column), rows.index(point.row)) for point in points]


def _object(scene: Scene, index: int, cell: tuple[int, int], key: str, mark: str | None) -> str:
    x, y = cell[0] * CELL + CELL // 2, cell[1] * CELL
    values = [value for one in scene.schema.attributes for value in sorted(scene.values(index, one.name))]
    color = next((value for value in values if value in COLORS or value in PAINT), "")
    fill = f"var(--board-{color})" if color in COLORS else PAINT.get(color, "var(--panel)")
    lines = "".join(
        f'<text class="value" x="{x}" y="{y + 62 + 13 * line}">{escape(value[:16])}</text>'
        for line, value in enumerate(values[:3])
    )
    ring = f'<text class="mark" x="{x}" y="{y + CELL - 9}">{escape(mark)}</text>' if mark else ""
    return (
        f'<g data-object="{key}" class="{escape(f"is-{mark}") if mark else "plain"}">'
        f'<rect class="cell" x="{x - CELL // 2 + 3}" y="{y + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="12"/>'
        f'<circle cx="{x}" cy="{y + 32}" r="17" style="fill:{fill}"/>'
        f'<text class="number" x="{x}" y="{y + 37}">{escape(key)}</text>{lines}{ring}</g>'
    )


# -------------------------------------------------------------------------------- playing


@dataclass(frozen=True)
class ObjectGame(Game):
    """Expressions whose targets are to be pointed at."""

    world: World
    entry: Entry
    split: str
    numbers: tuple[int, ...]
    examples: tuple[Example, ...]
    seed: int

    template = "ready_play.html"

    def __len__(self) -> int:
        return len(self.examples)

    @cached_property
    def _judging(self) -> ObjectJudging:
        return ObjectJudging(self.world)

    def text(self, place: int) -> str:
        """Return the text of the example."""
        return self.examples[place].text

    def address(self, place: int) -> str:
        """The page of the example."""
        return f"/d/{self.entry.slug}/{self.numbers[place]}"

    def read(self, place: int, form: Mapping[str, str]) -> str:
        """Return the number of an object, and of several scenes that of the scene before it."""
        said = form.get("object", "")
        if said not in {thing.key for thing in Story(self.world, self.examples[place]).things}:
            raise SchemaError("choose one of the objects" if not said else f"there is no object {said[:20]!r} here")
        return said

    def show_question(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """Show the objects and their relations, without a picture, which may show the target."""
        del form
        return {"story": Story(self.world, self.examples[place])}

    def show_verdict(self, place: int, said: str) -> dict[str, Any]:
        """The picture, and how the target is found."""
        story = Story(self.world, self.examples[place])
        chosen, target = self._where(place, said), self.examples[place].context.target
        marks = {chosen: "yours", target: "meant"}
        picture = f"/d/{self.entry.slug}/{self.numbers[place]}/picture.svg"
        return {"story": story, "drawing": draw_objects(story.context, marks), "picture": picture}

    def judge(self, place: int, said: str) -> AnswerVerdict:
        """Judge an answer, with the reason if it is wrong."""
        story, found = Story(self.world, self.examples[place]), self.verdict(place, said)
        names = {thing.where: f"{thing.key}, the {thing.name}" for thing in story.things}
        target = story.context.target
        if found.outcome == "right":
            return AnswerVerdict(True, "Right", (f"It is {names[target]}.",))
        why = [f"The target is {names[target]}; you chose {names[self._where(place, said)]}."]
        led = [one.did for one in story.misreadings if said in one.lights.split(" ")]
        why.append(f"You would end there if you {led[0]}." if led else "No single misreading leads there.")
        return AnswerVerdict(False, "Not quite", tuple(why))

    def verdict(self, place: int, said: str) -> Verdict:
        """The judgement that a model would get."""
        example = self.examples[place]
        return self._judging.judge(example, Answer(str(example.id), self._where(place, said)))

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """Return the measures of `deixis evaluate` for objects."""
        if not said:
            return []
        right = sum(self.verdict(place, one).outcome == "right" for place, one in enumerate(said))
        chance = float(np.mean(self._chances(said)))
        return [Measure("right object", "the target was chosen", wilson(right, len(said)), True, chance)]

    def misreadings(self, said: Sequence[str]) -> dict[str, float]:
        """Return the shares of misreadings behind wrong objects, divided where several explain one."""
        shares: dict[str, float] = {}
        for place, one in enumerate(said):
            found = self.verdict(place, one).misreading
            for name in (SLIPS.get(slip, slip) for slip in found):
                shares[name] = shares.get(name, 0.0) + 1 / len(found)
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Answers as `deixis evaluate` reads them, and in the end the evaluation."""
        write_lines(folder / "answers.jsonl", (self._line(place, one) for place, one in enumerate(said)))
        if is_over:
            verdicts = [self.verdict(place, one) for place, one in enumerate(said)]
            score = score_verdicts(verdicts, self._chances(said))
            about = {"world": self.world.name, **facts, "data": self.entry.title, "digest": self.digest}
            splits = {self.split or "all": score}
            write_json(folder / "evaluation.json", {"deixis": __version__, **about, "splits": splits})
            judged = [one._replace(split=self.split or "all") for one in verdicts]
            write_object_verdicts(folder / VERDICTS, judged, world=self.world)
        return ["deixis evaluate FOLDER/answers.jsonl --data DATA"]

    @property
    def digest(self) -> str:
        """The digest of the content of the dataset, as results hold it."""
        return digest_of(self.entry)

    def _line(self, place: int, said: str) -> dict[str, Any]:
        where = self._where(place, said)
        several = {"scene": where.scene} if len(self.examples[place].context.scenes) > 1 else {}
        return {"id": self.examples[place].id, **several, "object": where.object}

    def _where(self, place: int, said: str) -> Where:
        scene, dot, index = said.rpartition(".")
        del place
        return Where(int(scene) if dot else 0, int(index))

    def _chances(self, said: Sequence[str]) -> list[float]:
        some = self.examples[: len(said)]
        return [1 / max(sum(map(len, example.context.scenes)), 1) for example in some]
