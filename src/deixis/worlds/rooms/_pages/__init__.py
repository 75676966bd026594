# ruff: noqa: ARG002 (the studio asks all worlds alike)
"""Pages of 3D Shapes: rooms and pairs of them, captions held against them, and results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import RedirectResponse

from deixis._studio.verdicts import AnswerCard
from deixis._studio.world_pages import WorldPages
from deixis.data.store import open_dataset
from deixis.errors import UnknownName
from deixis.report._runs import EVALUATION
from deixis.worlds.rooms._pages import example, play, results
from deixis.worlds.rooms._pages.gallery import examples_of, find_shown, pairs_of, room_catalogue, room_cover
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.answers import Game
    from deixis._studio.catalogue import Catalogue
    from deixis._studio.filters import Card, PageQuery
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis._studio.score_tables import PublishedScores
    from deixis._studio.verdicts import ResultCard, Side
    from deixis._studio.world_pages import ListedExamples
    from deixis.report._runs import Run
    from deixis.worlds.example import Example


class RoomPages(WorldPages):
    """Pages of the studio for 3D Shapes."""

    def open(self, path: Path) -> Any:
        """A folder."""
        return open_dataset(path)

    def catalogue(self, entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
        """Return all images, or where `set` names one, its pairs."""
        return room_catalogue(entry, wanted)

    def address(self, entry: Entry, number: int, wanted: PageQuery) -> str:
        """Return the address of an image, or of a place in a set of pairs."""
        return f"/d/{entry.slug}/{quote(wanted.get('set'), safe='') or 'image'}/{number}"

    def examples_of(self, entry: Entry, part: str = "") -> ListedExamples:
        """Return the pairs of a set as their cards show them."""
        return examples_of(entry, part)

    def find_example(self, entry: Entry, number: int, wanted: PageQuery) -> Example:
        """Return a pair of the set that is asked for, or an image."""
        return find_shown(entry, number, wanted)

    def find_id(self, entry: Entry, said: str) -> int:
        """Return an image, whose id is its number."""
        if not (said.isascii() and said.isdecimal() and len(said) < 9 and int(said) < IMAGES):
            raise UnknownName(f"there is no image {said[:60]!r}; they are numbered from 0 to {IMAGES - 1:,}")
        return int(said)

    def example(self, request: Request, entry: Entry, number: int) -> Response:
        """The page of an example by its number: that of its pair, or of its image where there are no pairs."""
        left = number
        for name, rows in pairs_of(entry).items():
            if left < len(rows):
                return RedirectResponse(f"/d/{entry.slug}/{quote(name, safe='')}/{left}", 307)
            left -= len(rows)
        if left != number:
            raise UnknownName(f"there is no example {number} in {entry.title}; it has {number - left:,}")
        return RedirectResponse(f"/d/{entry.slug}/image/{number}", 307)

    def cover(self, entry: Entry, library: Library) -> Card | None:
        """A pair that shows at a glance what captions are for."""
        return room_cover(entry)

    def samples(self, entry: Entry) -> dict[str, int]:
        """The sets of pairs."""
        return play.samples_of(entry)

    def game(self, entry: Entry, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Game:
        """Pairs of images to choose from, or to write captions for."""
        del form
        return play.room_game(entry, split, "caption" if task == "caption" else "pick", questions, seed=seed)

    def claims(self, found: Mapping[str, Any], file: str) -> bool:
        """Return whether results are scores of captions, which older versions kept in a file of their own."""
        return file == results.OLDER or bool({"scores", "sets"} & found.keys())

    def read_results(self, entry: Entry, file: str, run: Run) -> list[ModelResults]:
        """The results of every file of captions."""
        return [*results.show_captions(entry, run)]

    def is_about(self, judged: ModelResults, entry: Entry) -> bool:
        """3D Shapes are the same in every dataset."""
        return True

    def subject_of(self, data: str, digest: str) -> tuple[str, str]:
        """3D Shapes are the same in every dataset."""
        return results.ROOMS, ""

    def published_scores(self, measure: str) -> PublishedScores | None:
        """Return Table 1 of the A3DS paper."""
        return results.published_captions(measure)

    def cards(
        self,
        cards: Sequence[ResultCard],
        sides: Sequence[Side],
        rows: Sequence[np.ndarray],
        dataset: Entry | None,
    ) -> Sequence[ResultCard]:
        """Cards with both rooms."""
        pairs = sides[0].verdicts.ids[rows[0]].tolist()
        return [results.with_rooms(card, int(pair), dataset) for card, pair in zip(cards, pairs, strict=True)]

    def describe_answer(self, side: Side, row: int) -> AnswerCard:
        """Describe the caption of a model for a room, and its faults."""
        verdicts = side.verdicts
        caption = verdicts.texts[row] if verdicts.texts else ""
        faults = verdicts.misreadings[verdicts.misreading[row]]
        return AnswerCard(side.judged.model, side.marks(row), results.say_faults(faults), caption or "(nothing)")


PAGES = RoomPages(
    world=WORLD,
    about="Captions of 3D Shapes",
    short="3D Shapes",
    folder=Path(__file__).parent,
    routes=example.ROUTES,
    tasks=play.TASKS,
    split_word="Set of pairs",
    all_splits="all sets",
    results=results.WORDS,
    result_files=(EVALUATION, results.OLDER),
    demo_folder="3d-shapes",
)
