# ruff: noqa: ARG002 (the studio asks all worlds alike)
"""Pages of expressions about photographs: their resolution, their distractor images, and results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse

from deixis._studio.library import shelf_of
from deixis._studio.world_pages import WorldPages
from deixis.errors import BrokenDataset, UnknownName
from deixis.worlds.photos._pages import example, play, results
from deixis.worlds.photos._pages.gallery import PhotographShelf, list_photographs, photograph_catalogue, prepare
from deixis.worlds.photos.data.store import CopsRef
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.answers import Game
    from deixis._studio.catalogue import Catalogue
    from deixis._studio.filters import Field, Listing, PageQuery
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis._studio.score_tables import PublishedScores
    from deixis._studio.verdicts import ResultCard, Side
    from deixis.report._runs import Run


class PhotographPages(WorldPages):
    """The studio's pages of expressions about photographs."""

    def open(self, path: Path) -> Any:
        """Open a folder, because a file of released expressions has no scenes to show."""
        found = super().open(path)
        if not isinstance(found, CopsRef):
            raise BrokenDataset(f"{path.name} has no scenes that could be shown; make a folder of it: deixis convert")
        return found

    def list_examples(self, entry: Entry, wanted: PageQuery, library: Library) -> Listing:
        """Show one page of the gallery."""
        return list_photographs(entry, wanted)

    def catalogue(self, entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
        """Return all expressions with what can be asked of them."""
        return photograph_catalogue(entry, wanted)

    def address(self, entry: Entry, number: int, wanted: PageQuery) -> str:
        """Return the address of an example, whose page is named by its id."""
        return f"/d/{entry.slug}/{example.ids_of(entry)[number]}"

    def find_id(self, entry: Entry, said: str) -> int:
        """Return the place of the example with an id."""
        ids = {str(one): place for place, one in enumerate(example.ids_of(entry))}
        if said not in ids:
            raise UnknownName(f"there is no example with the id {said[:60]!r} in {entry.title}")
        return ids[said]

    def table(self, entry: Entry, numbers: np.ndarray, wanted: PageQuery) -> Any:
        """Return the rows of the dataset."""
        return shelf_of(entry, PhotographShelf).rows.take(numbers.tolist())

    def prepare(self, entry: Entry) -> None:
        """Read the codes that a search needs."""
        prepare(entry)

    def count(self, entry: Entry) -> None:
        """Read the codes that a search needs."""
        prepare(entry)

    def example(self, request: Request, entry: Entry, number: int) -> Response:
        """Show one example with its images, by its id, or by its number where no example has that id."""
        ids = example.ids_of(entry)
        if number < len(ids) and number not in ids:
            return RedirectResponse(f"/d/{entry.slug}/{ids[number]}", 307)
        return example.example_page(request, entry, number)

    def options(self, form: Mapping[str, str]) -> tuple[Field, ...]:
        """Return the choices before playing: the images shown, the share of absent targets, and names of regions."""
        return play.options_of(form)

    def game(self, entry: Entry, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Game:
        """Return a game of expressions whose targets are to be found."""
        del task
        setting, absent = (option.value for option in play.options_of(form)[:2])
        is_named = bool(form.get("named"))
        return play.photograph_game(entry, split, setting, questions, seed=seed, is_named=is_named, absent=absent)

    def claims(self, found: Mapping[str, Any], file: str) -> bool:
        """Return whether results are told apart by settings."""
        return "settings" in found

    def read_results(self, entry: Entry, file: str, run: Run) -> list[ModelResults]:
        """Read the results of a model."""
        return [results.show_groundings(entry, run)]

    def is_about(self, judged: ModelResults, entry: Entry) -> bool:
        """Return whether results are about a dataset, by the name of its folder."""
        return entry.path.name == judged.data

    def published_scores(self, measure: str) -> PublishedScores | None:
        """Return Table 3 of the Cops-Ref paper, which is about right objects."""
        return results.published_groundings() if measure == "right" else None

    def cards(
        self,
        cards: Sequence[ResultCard],
        sides: Sequence[Side],
        rows: Sequence[np.ndarray],
        dataset: Entry | None,
    ) -> Sequence[ResultCard]:
        """Return cards with photographs."""
        return results.with_photographs(cards, sides[0].verdicts.ids[rows[0]], dataset) if dataset else cards

    def say(self, outcome: str, role: str, misreadings: Sequence[str]) -> str:
        """Describe the verdict on an answer in words."""
        return results.say_outcome(outcome, role, misreadings)


PAGES = PhotographPages(
    world=WORLD,
    about="Expressions about photographs",
    short="photographs",
    folder=Path(__file__).parent,
    routes=example.ROUTES,
    tasks=play.TASKS,
    results=results.WORDS,
    demo_folder="photographs",
)
