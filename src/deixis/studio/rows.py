"""Examples of grid worlds by their number, whichever of a million it is, and what is kept to search them."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from threading import Lock, Thread
from typing import TYPE_CHECKING

from deixis.datasets.example_codes import pack_worlds, read_codes
from deixis.datasets.row_groups import row_groups_of, spare_memory
from deixis.datasets.table import example_at


if TYPE_CHECKING:
    from deixis.datasets.example_codes import ExampleCodes, PackedWorlds
    from deixis.datasets.row_groups import RowGroups
    from deixis.datasets.sources import Source
    from deixis.studio.library import Entry
    from deixis.tasks.navigate import Example


__all__ = ["GridShelf", "grid_example", "grid_rows", "grid_shelf", "grid_size"]

MOST = 4  # datasets that are kept open


class GridShelf:
    """A grid dataset on which everything can be found: its rows, and once somebody searches, codes of all of them.

    The codes (some eleven bytes an example) are read when first needed, the worlds (some forty) after them in the
    background; until they are there, the rows that are shown are read from the files.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.worlds: PackedWorlds | None = None
        self._codes: ExampleCodes | None = None
        self._reading = Lock()
        self._helper: Thread | None = None

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number; a released file is read once for it."""
        return row_groups_of(self.source)

    @property
    def has_codes(self) -> bool:
        """Whether a search needs no reading any more."""
        return self._codes is not None

    def codes(self) -> ExampleCodes:
        """What can be asked of every example; read now, unless it was before."""
        with self._reading:
            if self._codes is None:
                self._codes = read_codes(self.rows)
            return self._codes

    def prepare(self) -> None:
        """Read codes and worlds in the background; what goes wrong is told to whoever needs them."""
        with _guard:
            if self._helper is None:
                self._helper = Thread(target=self._prepare, name="shelf", daemon=True)
                self._helper.start()

    def finish(self) -> None:
        """Wait until what was begun in the background is done."""
        if self._helper is not None:
            self._helper.join()

    def _prepare(self) -> None:
        try:
            self.codes()
            self.worlds = pack_worlds(self.rows, workers=1)  # which leaves room for visitors
        except Exception:  # noqa: BLE001 (a search, or the reading of a row, will say the same to somebody)
            return


_SHELVES: OrderedDict[int, GridShelf] = OrderedDict()
_guard = Lock()


def grid_shelf(entry: Entry) -> GridShelf:
    """The shelf of a dataset; those that were used last are kept."""
    source: Source = entry.data
    with _guard:
        shelf = _SHELVES.get(id(source))
        if shelf is None:
            spare_memory()
            shelf = _SHELVES[id(source)] = GridShelf(source)
        _SHELVES.move_to_end(id(source))
        while len(_SHELVES) > MOST:
            _SHELVES.popitem(last=False)
        return shelf


def grid_rows(entry: Entry) -> RowGroups:
    """The rows of a grid dataset, by number."""
    return grid_shelf(entry).rows


def grid_size(entry: Entry) -> int:
    """How many examples a grid dataset has."""
    return len(grid_rows(entry))


def grid_example(entry: Entry, number: int) -> Example:
    """One example, counted from 0 over all files of the dataset in the order of its manifest.

    Raises:
        UnknownName: when there is no example of this number.
        BrokenDataset: when it cannot be read.
    """
    return example_at(grid_rows(entry).row(number), 0)
