# ruff: noqa: ARG002 (the studio asks all worlds alike)
"""Pages of instructions in grid worlds: galleries, examples, results, and a playground."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._studio.world_pages import WorldPages
from deixis.worlds.grid._pages import example, play, playground, results
from deixis.worlds.grid._pages.gallery import grid_catalogue, list_grid
from deixis.worlds.grid._pages.needs import need_facets, read_grid_meanings
from deixis.worlds.grid._pages.shelf import find_grid_id, grid_shelf
from deixis.worlds.grid._report.live_board import BOARD, TEXT, live_board
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.answers import Game
    from deixis._studio.catalogue import Catalogue
    from deixis._studio.filters import Facet, Listing, PageQuery
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis._studio.score_tables import PublishedScores
    from deixis._studio.verdicts import ResultCard, Side
    from deixis.report._live_board import LiveBoard
    from deixis.report._runs import Run
    from deixis.worlds.grid._examples import GridExamples


class GridPages(WorldPages):
    """The studio's pages of instructions in grid worlds."""

    def live_board(self) -> LiveBoard:
        """Return the sentence of the first page, which the playground opens, too."""
        return live_board(playground.link(BOARD, TEXT))

    def open(self, path: Path) -> Any:
        """Open the source of the examples in a folder, or in a file of a release."""
        return super().open(path).source

    def list_examples(self, entry: Entry, wanted: PageQuery, library: Library) -> Listing:
        """Show one page of the gallery."""
        return list_grid(entry, wanted, library)

    def prepare(self, entry: Entry) -> None:
        """Read codes and worlds in the background."""
        grid_shelf(entry).prepare()

    def count(self, entry: Entry) -> None:
        """Read the codes of all examples."""
        grid_shelf(entry).codes()

    def count_all(self, entry: Entry) -> None:
        """Read the codes of all examples, and which words they need."""
        super().count_all(entry)
        shelf = grid_shelf(entry)
        need_facets(shelf.codes(), shelf.rows)

    def catalogue(self, entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
        """Return all examples with what can be asked of them."""
        return grid_catalogue(entry, wanted, library)

    def examples_of(self, entry: Entry, part: str = "") -> GridExamples:
        """Return the examples by number."""
        return grid_shelf(entry).examples

    def find_id(self, entry: Entry, said: str) -> int:
        """Return the number of the example with an id."""
        return find_grid_id(entry, said)

    def read_meanings(self, entry: Entry, part: str = "") -> tuple[Facet, ...]:
        """Read which words are needed, and resolve all misreadings, compiled."""
        shelf = grid_shelf(entry)
        return read_grid_meanings(shelf.codes(), shelf.rows)

    def example(self, request: Request, entry: Entry, number: int) -> Response:
        """Show everything about one example."""
        return example.example_page(request, entry, number)

    def table(self, entry: Entry, numbers: np.ndarray, wanted: PageQuery) -> Any:
        """The rows of the dataset."""
        return grid_shelf(entry).rows.take(numbers.tolist())

    def game(self, entry: Entry, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Game:
        """Return a game of instructions to carry out, or of targets to point at."""
        del form
        return play.grid_game(entry, split, "navigate" if task == "navigate" else "point", questions, seed=seed)

    def claims(self, found: Mapping[str, Any], file: str) -> bool:
        """Return whether results are neither told apart by settings nor scores of captions."""
        return not {"settings", "scores", "sets"} & found.keys()

    def read_results(self, entry: Entry, file: str, run: Run) -> list[ModelResults]:
        """Read the results of a model."""
        return [results.show_plans(entry, run)]

    def is_about(self, judged: ModelResults, entry: Entry) -> bool:
        """Return whether results are about a dataset, by the digest of its content."""
        return bool(judged.digest) and data_digest(entry.data) == judged.digest

    def published_scores(self, measure: str) -> PublishedScores | None:
        """Return Table 3 of the ReaSCAN paper, which is about exact matches."""
        return results.published_plans() if measure == "exact" else None

    def cards(
        self,
        cards: Sequence[ResultCard],
        sides: Sequence[Side],
        rows: Sequence[np.ndarray],
        dataset: Entry | None,
    ) -> Sequence[ResultCard]:
        """Return cards with boards."""
        return results.with_boards(cards, sides, rows, dataset) if dataset else cards

    def say(self, outcome: str, role: str, misreadings: Sequence[str]) -> str:
        """Describe the verdict on a plan in words."""
        return results.say_outcome(outcome, role, misreadings)


PAGES = GridPages(
    world=WORLD,
    about="Instructions in grid worlds",
    short="grid worlds",
    folder=Path(__file__).parent,
    routes=(*example.ROUTES, *playground.ROUTES, *play.ROUTES),
    navigation={"/playground": "Playground"},
    tasks=play.TASKS,
    results=results.WORDS,
    demo_folder="grid-worlds",
    demo_readers=("oracle", "random"),
)
