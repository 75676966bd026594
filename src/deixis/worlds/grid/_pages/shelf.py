"""The examples of a dataset of grids by their numbers, and the codes of all of them once they are needed."""

from __future__ import annotations

from functools import cached_property
from threading import Lock, Thread
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from deixis._studio.library import Shelf, shelf_of
from deixis.data._row_groups import spare_memory
from deixis.errors import UnknownName
from deixis.worlds.grid._examples import GridExamples
from deixis.worlds.grid.data._example_codes import pack_worlds, read_codes
from deixis.worlds.grid.data._judged_plans import places_of
from deixis.worlds.grid.data.sources import row_groups_of
from deixis.worlds.grid.data.table import example_at


if TYPE_CHECKING:
    from deixis._studio.library import Entry
    from deixis.data._row_groups import RowGroups
    from deixis.worlds.grid.data._example_codes import ExampleCodes, PackedWorlds
    from deixis.worlds.grid.data._judged_plans import Places
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.navigate import Example


PLACES: WeakKeyDictionary[GridShelf, Places] = WeakKeyDictionary()
_preparing = Lock()


class GridShelf(Shelf["ExampleCodes"]):
    """A grid dataset: its rows, and after the first search the codes of all of them.

    The codes (some eleven bytes an example) are read when first needed, the worlds (some forty) after them in the
    background; until they are there, the rows that are shown are read from the files.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        spare_memory()
        self.source = source
        self.worlds: PackedWorlds | None = None
        self._helper: Thread | None = None

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number, with a released file read once for them."""
        return row_groups_of(self.source)

    @cached_property
    def examples(self) -> GridExamples:
        """The examples by number."""
        return GridExamples(self.source)

    def read_codes(self) -> ExampleCodes:
        """Read the facets of every example."""
        return read_codes(self.rows)

    def prepare(self) -> None:
        """Read codes and worlds in the background, with errors raised where they are needed."""
        with _preparing:
            if self._helper is None:
                self._helper = Thread(target=self._prepare, name="shelf", daemon=True)
                self._helper.start()

    def finish(self) -> None:
        """Wait until the work in the background is done."""
        if self._helper is not None:
            self._helper.join()

    def _prepare(self) -> None:
        try:
            self.codes()
            self.worlds = pack_worlds(self.rows, workers=1)  # which leaves room for visitors
        except Exception:  # noqa: BLE001 (a search, or the reading of a row, will say the same to somebody)
            return


def grid_shelf(entry: Entry) -> GridShelf:
    """Return the shelf of a dataset."""
    return shelf_of(entry, GridShelf)


def grid_rows(entry: Entry) -> RowGroups:
    """Return the rows of a grid dataset, by number."""
    return grid_shelf(entry).rows


def grid_size(entry: Entry) -> int:
    """Return the number of examples of a grid dataset."""
    return len(grid_rows(entry))


def find_grid_id(entry: Entry, said: str) -> int:
    """Return the number of the example with an id, or raise `UnknownName`."""
    shelf = grid_shelf(entry)
    if shelf not in PLACES:
        PLACES[shelf] = places_of(shelf.source)
    is_id = said.isascii() and said.removeprefix("-").isdecimal() and len(said) < 20 and abs(int(said)) < 1 << 63
    number = int(PLACES[shelf].find(np.array([int(said)]))[0]) if is_id else -1
    if number < 0:
        raise UnknownName(f"there is no example with the id {said[:60]!r} in {entry.title}")
    return number


def grid_example(entry: Entry, number: int) -> Example:
    """Return one example, counted from 0 over all files of the dataset in the order of its manifest.

    Raises:
        UnknownName: when there is no example of this number.
        BrokenDataset: when it cannot be read.
    """
    return example_at(grid_rows(entry).row(number), 0)
