from __future__ import annotations

import pyarrow as pa
import pytest

from deixis.audits._summary import compare_audits, summary
from deixis.audits.run import audit_path
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.grid._audit.run import audit_tables
from deixis.worlds.grid.checks._run import check_tables
from deixis.worlds.grid.data.table import SCHEMA
from tests.audits.strategies import tables_of_all_patterns


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Some dozen rows."""
    tables = tables_of_all_patterns("compatible", tmp_path_factory.mktemp("run") / "made", hold_out=())
    return pa.concat_tables(tables).combine_chunks()


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, pa.array(values, SCHEMA.field(name).type))


def test_rows_that_cannot_be_judged_are_counted_by_reason(table):
    """Gaps, nonsense and impossible worlds are left out, each under its own reason, and nothing else changes."""
    commands, sizes = table["command"].to_pylist(), table["grid_size"].to_pylist()
    commands[:3] = [None, "walk to nowhere", "the red circle"]
    sizes[3] = 1

    audit = audit_tables([with_column(with_column(table, "command", commands), "grid_size", sizes)])

    assert audit.unjudged == {("row cannot be read",): 1, ("command cannot be read",): 2, ("impossible world",): 1}
    assert audit.examples == audit.judged + 4 == table.num_rows


def test_a_table_without_a_column_is_refused(table):
    """What is no table of examples is an error of ours."""
    with pytest.raises(BrokenDataset, match="target"):
        audit_tables([table.drop_columns(["target"])])


def test_an_audit_needs_a_worker(table):
    """Nobody can do the work of nobody."""
    with pytest.raises(RecipeError, match="at least one worker"):
        audit_tables([table], workers=0)


def test_nothing_gives_an_empty_audit():
    """A dataset without examples has no shares, and its summary holds dashes."""
    audit = audit_tables([])

    assert audit.judged == 0
    assert audit.chance_overall is None
    assert summary(audit)["needed: clauses"] == "–"
    assert {"  colour alone suffices", "  noun alone suffices"} <= summary(audit).keys()
    assert [row[0] for row in compare_audits({"none": audit})] == ["examples", "  judged"]


def test_progress_goes_to_the_end(table):
    """The last thing told is the number of all examples."""
    told = []

    audit_tables([table.slice(0, 10), table.slice(10)], progress=told.append)

    assert told == [10, table.num_rows]


def test_a_missing_path_is_said_in_words(tmp_path):
    """A path that leads nowhere is an error of ours."""
    with pytest.raises(BrokenDataset, match="there is no file or folder"):
        audit_path(tmp_path / "missing")


def test_commands_that_are_forgotten_are_read_again(tmp_path, monkeypatch):
    """Where few commands are remembered, checks and audits of many pieces find the same."""
    tables = tables_of_all_patterns("corrected", tmp_path / "all")
    expected = check_tables(tables).to_json(), audit_tables(tables).to_dict()
    for name in ("data._commands.MOST_COMMANDS", "_audit.questions.MOST_COMMANDS"):
        monkeypatch.setattr(f"deixis.worlds.grid.{name}", 2)
    for name in ("checks._run.ROWS", "_audit.run.ROWS"):
        monkeypatch.setattr(f"deixis.worlds.grid.{name}", 8)

    assert (check_tables(tables).to_json(), audit_tables(tables).to_dict()) == expected
