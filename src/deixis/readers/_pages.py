"""Pages of the studio for files of others: those of any world, with games on examples in which one object is meant."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from markupsafe import Markup

from deixis._studio.example_answers import box_spot, find_verdicts, spot_of
from deixis._studio.provenance import Fact
from deixis.errors import DeixisError
from deixis.readers.reader import ReadExample
from deixis.worlds.example import context_of
from deixis.worlds.toolkit.pages import ReadyPages


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis._studio.example_answers import FoundVerdict, ModelAnswer
    from deixis._studio.library import Entry, Library
    from deixis.readers._world import ReaderWorld
    from deixis.scene.scene import Where
    from deixis.worlds.example import Example
    from deixis.worlds.toolkit._story import Story
    from deixis.worlds.world import Examples


RIGHT = {"accuracy": "right"}  # what is answered is a box or a choice, not an object
POINTING = ("refer", "localise")  # tasks whose answer may be an object
LOOKED_AT = 5_000  # examples among which one object must be meant somewhere, if there is to be a game


def ready_part(world: ReaderWorld) -> ReadPages:
    """The part `pages` of a reader."""
    pages = ReadPages.of(world)
    if world.reader.task not in POINTING:
        pages = replace(pages, tasks={})
    return pages if world.reader.task == "refer" else replace(pages, results=replace(pages.results, measures=RIGHT))


class ReadPages(ReadyPages):
    """Part `pages` for files of others."""

    def tasks_of(self, entry: Entry) -> Mapping[str, tuple[str, str]]:
        """Return the game where its examples have objects of which one is meant."""
        try:
            return self.tasks if self.tasks and _has_objects_to_point_at(entry.data) else {}
        except DeixisError:
            return {}

    def numbers_to_play(self, data: Examples, split: str | None) -> Sequence[int]:
        """Return the numbers of the examples with objects of which one is meant."""
        wanted = frozenset(data.numbers(split))
        return [number for number, one in enumerate(data) if number in wanted and context_of(one) is not None]

    # ---------------------------------------------------------------------------- examples

    @property
    def is_on_paper(self) -> bool:
        """Pictures of files of others have white paper in both themes."""
        return True

    def has_picture(self, example: Example, story: Story | None) -> bool:
        """Return whether there is a scene, a box or an image at hand; the text alone is no picture."""
        assert isinstance(example, ReadExample)
        is_known = story is not None or any(example.regions) or bool(example.boxes)
        return is_known or self.world.part("pictures").has_images(example)

    def drawing(self, example: Example, story: Story | None) -> Markup | None:
        """Draw images with their boxes, or scenes as far as they are known; None where there is only text."""
        assert isinstance(example, ReadExample)
        if story is None and not example.images:
            return None
        return Markup(self.world.part("pictures").scene(example))  # noqa: S704 (our drawing, whose texts are escaped)

    def game_drawing(self, example: Example, story: Story, marks: Mapping[Where, str]) -> Markup:
        """Draw the same for a game: without what is meant until that is told."""
        drawn = self.world.part("pictures").scene(example, has_answer=bool(marks))
        for where, mark in marks.items():
            key = f'data-object="{story.key(where)}"'
            drawn = drawn.replace(key, f'{key} class="is-{mark}"')
        return Markup(drawn)  # noqa: S704 (our drawing, whose texts are escaped)

    def answers(self, entry: Entry, example: Example, story: Story | None, library: Library) -> Iterator[ModelAnswer]:
        """Yield the answers of models, boxes as they were given."""
        assert isinstance(example, ReadExample)
        choices = example.choices if len(example.choices) != len(example.images) else ()  # of pairs much is asked
        for found in find_verdicts(entry, example.id, library, also=("scene", "given_boxes")):
            if example.choices:
                yield _show_choice(self.show_answer(found, None), found, choices)
                continue
            answer = self.show_answer(found, story)
            boxes = found.column("given_boxes")
            yield replace(answer, spots=tuple(box_spot(int(at), box) for at, *box in boxes)) if boxes else answer

    def facts(self, entry: Entry, example: Example, number: int) -> list[Fact]:
        """The same with the number of its record, and the publication to cite."""
        assert isinstance(example, ReadExample)
        found = super().facts(entry, example, number)
        at = next(place for place, fact in enumerate(found) if fact.name == "Number")
        found.insert(at, Fact("Record", f"{example.record:,}"))
        return [*found, Fact("To cite", self.world.reader.citation)]  # type: ignore[attr-defined]

    def say_answer(self, found: FoundVerdict, story: Story | None, key: str) -> str:
        """Describe the answer of a model: of a box how far it overlaps, of an object what leads there."""
        overlap = found.column("overlap")
        if overlap is None:
            return super().say_answer(found, story, key)
        told = f"{found.outcome.capitalize()}, overlap {overlap:.2f} with what is meant."
        return told if found.is_right or not key else f"{told} {super().say_answer(found, story, key)}"


def _has_objects_to_point_at(data: Examples) -> bool:
    """Return whether one object is meant in an example, among the first ones of a dataset."""
    known = _known.get(data)
    if known is None:
        known = _known[data] = any(context_of(one) is not None for one in islice(data, LOOKED_AT))
    return known


_known: WeakKeyDictionary[Examples, bool] = WeakKeyDictionary()


def _show_choice(answer: ModelAnswer, found: FoundVerdict, choices: Sequence[str]) -> ModelAnswer:
    """The answer of a model where one of several texts is chosen."""
    if not 0 <= found.chosen < len(choices):
        return answer
    why = "" if found.is_right or not found.misreadings else f" It differs by: {', '.join(found.misreadings)}."
    spots = (spot_of(str(found.chosen), within="choices"),)
    return replace(answer, said=f"Chose ‘{choices[found.chosen]}’.{why}", spots=spots)
