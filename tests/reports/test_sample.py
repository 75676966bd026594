"""The sample of the gallery: seeded, varied and independent of how a dataset is stored."""

from __future__ import annotations

import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.grid._report.sample import Sampler
from deixis.worlds.grid.data.table import table_of
from tests.reports.conftest import an_example


TEXTS = [
    f"{verb} the {size} red circle{manner}"
    for verb in ("walk to", "push", "pull")
    for size in ("small", "big")
    for manner in ("", " hesitantly", " cautiously")
]


def sample(tables, *, examples, seed):
    sampler = Sampler(seed=seed)
    assert sum(1 for _ in sampler.watch(tables)) == len(tables)
    return sampler.choose(examples)


@pytest.fixture(scope="module")
def table():
    return table_of([an_example(text, split) for split in ("train", "dev", "a1") for text in TEXTS])


def test_the_seed_decides(table):
    """The same seed gives the same sample, and not every seed does."""
    samples = {seed: [one.example.id for one in sample([table], examples=3, seed=seed)] for seed in range(6)}

    assert samples[0] == [one.example.id for one in sample([table], examples=3, seed=0)]
    assert len({tuple(ids) for ids in samples.values()}) > 1


def test_tables_do_not_matter(table):
    """Rows in one table, one by one or backwards give the same sample."""
    rows = [table.slice(row, 1) for row in range(table.num_rows)]
    whole = sample([table], examples=5, seed=1)

    assert sample(rows, examples=5, seed=1) == sample(rows[::-1], examples=5, seed=1) == whole


def test_a_sample_is_varied(table):
    """Three examples of three splits show every split and every verb."""
    found = sample([table], examples=3, seed=0)

    assert {one.split for one in found} == {"train", "dev", "a1"}
    assert {str(one.example.verb) for one in found} == {"walk", "push", "pull"}


def test_a_small_dataset_is_shown_whole(table):
    """There are never more examples than rows, and none twice."""
    found = sample([table.slice(0, 4)], examples=12, seed=0)

    assert len({one.example.id for one in found}) == len(found) == 4


def test_a_missing_column_is_named(table):
    """The error says what is not there."""
    with pytest.raises(BrokenDataset, match="split"):
        sample([table.drop_columns(["split"])], examples=1, seed=0)
