"""Ids of 53 bits, and how those of 64 bits from before are understood."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._ids import current_ids, ids_of_digests, with_current_ids
from deixis.data.store import file_digest, open_dataset
from deixis.worlds.grid.checks import check_dataset
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.data.plans import read_plans, write_plans
from deixis.worlds.grid.data.sources import open_source, row_groups_of
from deixis.worlds.grid.judging.navigation import align_plans
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import examples_in, quick


DIGESTS = st.lists(st.integers(1 << 54, (1 << 64) - 1), min_size=1, max_size=30)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """A few examples as they are made now."""
    return make(quick(), tmp_path_factory.mktemp("ids") / "now", workers=1)


@pytest.fixture(scope="module")
def old(dataset, tmp_path_factory):
    """The same examples as they were written before: ids of 64 bits, uint64 in files."""
    folder = tmp_path_factory.mktemp("ids") / "old"
    manifest = json.loads((dataset.path / "manifest.json").read_text(encoding="utf-8"))
    digests = {example.id: example.digest for example in examples_in(dataset)}
    for entry in manifest["files"]:
        table = pq.read_table(dataset.path / entry["path"])
        long = pa.array([digests[number] for number in table["id"].to_pylist()], pa.uint64())
        (folder / entry["path"]).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table.set_column(0, "id", long), folder / entry["path"])
        entry["sha256"] = file_digest(folder / entry["path"])
        entry["bytes"] = (folder / entry["path"]).stat().st_size
    for later in ("other files", "manifest sha256"):  # not written at that time
        manifest.pop(later, None)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return open_dataset(folder)


@given(DIGESTS)
def test_old_ids_become_those_of_today(digests):
    """Of 64 bits the upper 53 are kept, as of the digest of the content; a signed copy of them gives the same."""
    expected = [digest >> 11 for digest in digests]
    signed = [digest - (1 << 64) if digest >> 63 else digest for digest in digests]

    assert ids_of_digests(np.array(digests, np.uint64)).tolist() == expected
    assert current_ids(digests).tolist() == expected
    assert current_ids(signed).tolist() == expected
    assert current_ids(np.array(signed, np.int64)).tolist() == expected


@given(st.lists(st.integers(0, (1 << 53) - 1), max_size=30))
def test_ids_of_today_stay_as_they_are(ids):
    """What has 53 bits is not touched, whatever holds it; a stray large one among them is brought down alone."""
    stray = [*ids, *ids, (1 << 64) - 1] if ids else []

    assert current_ids(ids).tolist() == ids
    assert current_ids(np.array(ids, np.uint64)).tolist() == ids
    assert with_current_ids(pa.table({"id": pa.array(ids, pa.uint64())}))["id"].to_pylist() == ids
    assert current_ids(stray).tolist() == [*ids, *ids, (1 << 53) - 1][: len(stray)]


def test_new_files_hold_short_ids_in_signed_columns(dataset):
    """A dataset that is made today has ids below 2 to the 53rd in int64 columns."""
    for path in dataset.files():
        table = pq.read_table(path)
        assert table.schema.field("id").type == pa.int64()
        assert max(table["id"].to_pylist()) < 1 << 53


def test_a_dataset_from_before_is_read_as_if_made_today(dataset, old):
    """Every reader gives the ids of today, and the checks find nothing."""
    now, then = open_source(dataset.path), open_source(old.path)
    ids = [number for table in now.tables() for number in table["id"].to_pylist()]

    assert [number for table in then.tables() for number in table["id"].to_pylist()] == ids
    assert row_groups_of(then).take(range(len(ids)))["id"].to_pylist() == ids
    assert not check_dataset(old, workers=1).has_errors


@pytest.mark.parametrize("form", ["now", "long", "signed", "text"])
def test_plans_from_before_answer_the_examples_of_today(dataset, tmp_path, form):
    """Plans with ids of 64 bits, as they were or as a tensor left them, are to the same examples."""
    asked = example_arrays(dataset.tables("train"))
    digests = {example.id: example.digest for example in examples_in(dataset, "train")}
    called = {
        "now": lambda number: number,
        "long": lambda number: digests[number],
        "signed": lambda number: int(np.uint64(digests[number]).astype(np.int64)),
        "text": lambda number: str(digests[number]),
    }[form]
    path = tmp_path / "plans.jsonl"
    path.write_text("".join(json.dumps({"id": called(n), "plan": "W"}) + "\n" for n in asked.ids.tolist()))

    plans = read_plans(path)

    assert align_plans(asked, plans)[1].all()
    assert not plans.faults


def test_parquet_plans_from_before_are_understood(dataset, tmp_path):
    """So are those in a Parquet file whose ids are uint64."""
    asked = example_arrays(dataset.tables("train"))
    digests = [example.digest for example in examples_in(dataset, "train")]
    pq.write_table(
        pa.table({"id": pa.array(digests, pa.uint64()), "plan": ["W"] * len(digests)}), tmp_path / "p.parquet"
    )
    write_plans(tmp_path / "q.parquet", asked.ids, (np.zeros(0, np.uint8), np.zeros(len(asked) + 1, np.int64)))

    assert align_plans(asked, read_plans(tmp_path / "p.parquet"))[1].all()
    assert align_plans(asked, read_plans(tmp_path / "q.parquet"))[1].all()
