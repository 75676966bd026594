"""What models of ours do on ReaSCAN as records: cells, columns and tables, each with what is published beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.worlds.grid.paper.models import Figure, KnownModel, Part, TableRow, Which
    from deixis.worlds.grid.paper.runs import Run


__all__ = ["FAR", "Cell", "Column", "Difference", "Measured", "ResultTable", "Results"]

FAR = 5.0  # points by which a cell may differ from the published figure without a reason


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The exact match of one or several seeds, in percent.

    Attributes:
        mean: over the seeds.
        deviation: the sample standard deviation over the seeds, None where there is one.
        interval: the 95 % interval after Wilson where there is one seed: how sure its examples make it.
        seeds: of the runs.
        examples: how many each run was judged on.
    """

    mean: float
    deviation: float | None
    interval: tuple[float, float] | None
    seeds: tuple[int | None, ...]
    examples: int


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What we measured beside what is published.

    Attributes:
        measured: ours, None where there is none.
        published: what it is compared with.
        superseded: the figure of the paper, where its authors gave another one later.
        reason: why ours differs, in a sentence.
    """

    measured: Measured | None = None
    published: Figure | None = None
    superseded: Figure | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the published, in points."""
        if self.measured is None or self.published is None:
            return None
        return self.measured.mean - self.published.mean

    @property
    def is_far(self) -> bool:
        """Whether ours differs so much that it asks for a reason."""
        return self.difference is not None and abs(self.difference) > FAR


@dataclass(frozen=True, kw_only=True)
class Column:
    """A model with all its runs, or a published model that nobody has run here.

    Attributes:
        label: its name, with what sets it apart from other columns of the same model.
        model: the published model it is compared with.
        runs: of all training sets and seeds.
    """

    label: str
    model: KnownModel | None
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ResultTable:
    """One of the two tables; cells are found by row, label of the column, and `dev` or `test`."""

    which: Which
    title: str
    rows: tuple[TableRow, ...]
    columns: tuple[Column, ...]
    parts: tuple[Part, ...]
    cells: Mapping[tuple[str, str, Part], Cell]

    def of(self, column: Column) -> list[Cell]:
        """The cells of a column."""
        return [self.cells[row.key, column.label, part] for row in self.rows for part in self.parts]

    def measured(self, column: Column) -> list[Measured]:
        """What was measured in a column."""
        return [cell.measured for cell in self.of(column) if cell.measured is not None]

    def is_measured(self, row: TableRow, column: Column) -> bool:
        """Whether there is a result of ours in a row of a column."""
        return any(self.cells[row.key, column.label, part].measured for part in self.parts)

    @property
    def own(self) -> tuple[Column, ...]:
        """The columns in which something was measured here."""
        return tuple(column for column in self.columns if self.measured(column))

    def seeds(self, column: Column) -> int | None:
        """How many seeds each cell of a column was measured with, None where cells differ in it."""
        found = {len(measured.seeds) for measured in self.measured(column)}
        return found.pop() if len(found) == 1 else None


class Difference(NamedTuple):
    """A cell that is far from what is published."""

    table: ResultTable
    row: TableRow
    column: Column
    part: Part
    cell: Cell

    @property
    def where(self) -> str:
        """Its place in words."""
        place = f"{self.table.which.replace('table', 'Table ')}, {self.row.title}"
        return f"{place} {self.part}" if len(self.table.parts) > 1 else place


@dataclass(frozen=True, kw_only=True)
class Results:
    """Both tables, and the runs that have no place in either."""

    tables: tuple[ResultTable, ...]
    columns: tuple[Column, ...]
    left_out: tuple[Run, ...]

    @property
    def differences(self) -> list[Difference]:
        """The cells that ask for a reason, column by column."""
        return [
            Difference(table, row, column, part, cell)
            for table in self.tables
            for column in table.columns
            for row in table.rows
            for part in table.parts
            if (cell := table.cells[row.key, column.label, part]).is_far
        ]
