"""The reader reads its file, and every verb takes it."""

from pathlib import Path

from deixis.testing import check_reader
from deixis_shelf import READER


def test_the_reader_drops_nothing() -> None:
    """Deixis reads the file twice, resolves every expression and tries every verb."""
    facts = check_reader(READER, Path(__file__).parent / "shelf.csv")

    assert (facts.records, facts.examples, facts.refused) == (7, 6, {"no-target": 1})
    assert (facts.with_meaning, facts.resolved) == (5, 5)
