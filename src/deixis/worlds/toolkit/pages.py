"""Ready-made pages for worlds with examples: a gallery, a page for every example, a game, and results on objects.

A world that names no part `pages` gets these. They show what the core knows of any example: its text, the steps by
which its expression is resolved, its objects and their values, which words could be left out, and what each misreading
picks out. The picture is that of the part `pictures`, as a file of its own; what is drawn in the page itself is drawn
here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

from markupsafe import Markup

from deixis._studio.answers import Game, draw_numbers
from deixis._studio.catalogue import Catalogue
from deixis._studio.example_answers import ModelAnswer, find_verdicts, spot_of
from deixis._studio.filters import Card, Chip, Choice, Field, PageQuery, list_uncounted, order_field
from deixis._studio.gallery import find_way
from deixis._studio.library import shelf_of
from deixis._studio.meanings import CLAUSES, uncounted_fields
from deixis._studio.pages import library_of, render
from deixis._studio.provenance import Fact, provenance_of
from deixis._studio.world_pages import ResultWords, WorldPages
from deixis.data._split_names import names_in_split
from deixis.errors import DeixisError, SchemaError
from deixis.expression.description import describe
from deixis.language.explain import name_object
from deixis.scene.scene import Where
from deixis.worlds.example import scenes_of
from deixis.worlds.toolkit._asking import answer_about, can_be_asked
from deixis.worlds.toolkit._drawing import draw_in, draw_objects
from deixis.worlds.toolkit._object_game import ObjectGame
from deixis.worlds.toolkit._shelf import ReadyShelf
from deixis.worlds.toolkit._story import SLIPS, Story
from deixis.worlds.toolkit.pictures import PlainPictures


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.example_answers import FoundVerdict
    from deixis._studio.filters import Listing
    from deixis._studio.library import Entry, Library
    from deixis._studio.verdicts import AnswerCard, ResultCard, Side
    from deixis.worlds.example import Example
    from deixis.worlds.world import Examples, World


__all__ = ["ObjectGame", "ReadyPages", "draw_objects", "ready_part"]


LARGE = 5_000  # examples of which the first page is shown before anything is counted
TASKS = {"point": ("Point", "Choose the target.")}
WORDS = ResultWords(
    measures={"accuracy": "right object"},
    misreadings_heading=("Misreadings when the wrong object was chosen", "misreading"),
    misreadings=SLIPS,
    roles=("", ""),
    misreading_label="Misreading",
)


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
        data: Examples = entry.data
        if shelf_of(entry, ReadyShelf).has_codes or len(data) <= LARGE or not set(wanted.values) <= {"split"}:
            return super().list_examples(entry, wanted, library)
        split = wanted.get("split")
        known = tuple(Choice(name, name, size) for name, size in entry.splits.items())
        places = [range(n, n + 1) for n in data.numbers(split)] if split else [range(len(data))]
        fields = (
            Field("split", "split", split, known, any="all"),
            *(Field(name, name, choices=(Choice("", "being counted"),)) for name in ("relation", "objects")),
            *uncounted_fields(),
            order_field(wanted, ("words", "objects", CLAUSES)),
            _text_field(wanted),
        )
        return list_uncounted("examples", wanted, places, fields, lambda numbers: self._cards(entry, numbers))

    def catalogue(self, entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
        """Return all examples with what can be asked of them."""
        del library
        codes = shelf_of(entry, ReadyShelf).codes()
        return Catalogue(
            what="examples",
            size=len(codes.ids),
            facets=codes.facets,
            cards=lambda numbers: self._cards(entry, numbers.tolist()),
            having=lambda text: [codes.lines.having(text)],
            text=_text_field(wanted),
            sizes=codes.sizes,
        )

    def table(self, entry: Entry, numbers: np.ndarray, wanted: PageQuery) -> Any:
        """Return the rows of the dataset, where it keeps examples as rows."""
        take = getattr(entry.data, "take", None)
        return super().table(entry, numbers, wanted) if take is None else take(numbers.tolist())

    def prepare(self, entry: Entry) -> None:
        """Read what a search needs."""
        shelf_of(entry, ReadyShelf).codes()

    def count(self, entry: Entry) -> None:
        """Read what a search needs."""
        shelf_of(entry, ReadyShelf).codes()

    def picture(self, entry: Entry, number: int) -> bytes:
        """Draw an example, or its objects with their relations if the world draws none."""
        return _draw(self.world, entry.data[number])

    def _cards(self, entry: Entry, numbers: Iterable[int]) -> Iterator[Card]:
        return (self._card(entry, int(number)) for number in numbers)

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
        story = self.story(example)
        split = next(iter(names_in_split(example.split)), "")
        return render(
            request,
            "ready_example.html",
            title=f"{entry.title}, example {number}",
            here=f"example {number:,}",
            entry=entry,
            number=number,
            example=example,
            way=find_way(request, entry, number),
            within=(example.split, f"/d/{entry.slug}?{urlencode({'split': split})}") if split else None,
            before=f"/d/{entry.slug}/{number - 1}" if number else "",
            after=f"/d/{entry.slug}/{number + 1}" if number + 1 < len(data) else "",
            story=story,
            choices=getattr(example, "choices", ()),
            drawing=self.drawing(example, story),
            is_on_paper=self.is_on_paper,
            picture=f"/d/{entry.slug}/{number}/picture.svg",
            has_picture=self.has_picture(example, story),
            tasks=self.tasks_of(entry),
            facts=self.facts(entry, example, number),
            answers=list(self.answers(entry, example, story, library_of(request))),
        )

    def can_be_asked(self, entry: Entry) -> bool:
        """Return whether the first example of a dataset can be asked about."""
        return bool(len(entry.data)) and can_be_asked(self.world, entry.data[0])

    def ask(self, request: Request, entry: Entry, number: int) -> Response:
        """Show what a text picks out in the scene of an example, by default the text of the example."""
        example = entry.data[number]
        answer = answer_about(self.world, example, request.query_params.get("text", example.text))
        marks = dict.fromkeys(answer.story.fits if answer.story else (), "fits")
        return render(
            request,
            "ask_answer.html" if request.query_params.get("part") == "answer" else "ask.html",
            title=f"Ask about {entry.title}, example {number}",
            entry=entry,
            number=number,
            example=example,
            answer=answer,
            has_next=number + 1 < len(entry.data),
            drawing=self.game_drawing(example, answer.story or Story(self.world, example), marks),
        )

    def story(self, example: Example) -> Story | None:
        """The story of the objects of an example, or None where none are known."""
        return Story(self.world, example) if any(map(len, scenes_of(example))) else None

    @property
    def is_on_paper(self) -> bool:
        """True if drawings in pages are on white paper in both themes, and show all that there is to see."""
        return False

    def has_picture(self, example: Example, story: Story | None) -> bool:
        """Return whether the picture of an example shows more than its text."""
        del example, story
        return True

    def drawing(self, example: Example, story: Story | None) -> Markup | None:
        """The scenes as elements with `data-object` that can be clicked, or None where there is nothing to click."""
        del example
        return None if story is None else story.picture

    def game_drawing(self, example: Example, story: Story, marks: Mapping[Where, str]) -> Markup:
        """The same for a game, with marks for some objects, and nothing else that tells what is meant."""
        del example
        return draw_in(self.world, story.context, marks)

    def facts(self, entry: Entry, example: Example, number: int) -> list[Fact]:
        """The facts about the origin of an example, and others that its dataset records."""
        own = getattr(example, "facts", None)
        meaning = "" if example.expression is None else describe(example.expression)
        told = [Fact(str(name), str(value)) for name, value in own.items()] if isinstance(own, dict) else []
        more = (*told, Fact("Meaning", meaning, is_code=True))
        return provenance_of(entry, number=number, split=example.split, id=example.id, more=more)

    def answers(self, entry: Entry, example: Example, story: Story | None, library: Library) -> Iterator[ModelAnswer]:
        """Yield the answers of models to an example."""
        for found in find_verdicts(entry, example.id, library, also=("scene",)):
            yield self.show_answer(found, story)

    def show_answer(self, found: FoundVerdict, story: Story | None) -> ModelAnswer:
        """The answer of a model, with the object that it chose."""
        key = ""
        if story is not None and found.chosen >= 0:
            key = story.key(Where(int(found.column("scene") or 0), found.chosen))
        return ModelAnswer(
            key=found.side.judged.key,
            model=found.side.judged.model,
            sign="good" if found.is_right else "bad",
            said=self.say_answer(found, story, key),
            spots=(spot_of(key),) if key else (),
            keys=(key,) if key else (),
        )

    def say_answer(self, found: FoundVerdict, story: Story | None, key: str) -> str:
        """Describe the answer of a model in a sentence: the object, and the misreading that leads to it."""
        names = {} if story is None else {thing.key: thing.name for thing in story.things}
        if key not in names:
            return self.say(found.outcome, found.role, found.misreadings)
        chose = f"Chose {key}, the {names[key]}"
        if found.is_right or story is None:
            return f"{chose}."
        led = story.reasons(key)
        return f"{chose}. You would end there if you {led[0]}." if led else f"{chose}. No misreading leads there."

    # ---------------------------------------------------------------------------- playing

    def game(self, entry: Entry, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Game:
        """Expressions whose targets are to be pointed at."""
        del task, form
        numbers = self.numbers_to_play(entry.data, split or None)
        if not len(numbers):
            raise SchemaError(f"{entry.title} has no example in which one object is to be found")
        chosen = [int(numbers[at]) for _, at in draw_numbers([len(numbers)], questions, seed=seed)]
        examples = tuple(entry.data[number] for number in chosen)
        return ObjectGame(self.world, entry, split, tuple(chosen), examples, seed, self.game_drawing, self.is_on_paper)

    def numbers_to_play(self, data: Examples, split: str | None) -> Sequence[int]:
        """Return the numbers of the examples in which an object can be pointed at."""
        found: Sequence[int] = getattr(data, "numbers_with_target", data.numbers)(split)
        return found

    # ---------------------------------------------------------------------------- results

    def say(self, outcome: str, role: str, misreadings: Sequence[str]) -> str:
        """Describe the outcome of an answer."""
        del role
        told = " or ".join(SLIPS.get(name, name) for name in misreadings)
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


def _text_field(wanted: PageQuery) -> Field:
    return Field("text", "text has", wanted.get("text"), hint="words")


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
