"""Examples straight from storage: the stream of the folder, each byte fetched once, and on from anywhere."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import fsspec
import numpy as np
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st

from deixis.bridges.epochs import EpochOrder, Share, lanes_for
from deixis.bridges.pytorch import ExampleLoader, IndexedExamples, StreamedExamples
from deixis.data import _retries, store
from deixis.data._stored_paths import StoredPath
from deixis.data.remote import StorageError, upload
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import quick


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


ADDRESS = "memory://shelf/tiny"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset whose files have many groups of rows."""
    out = tmp_path_factory.mktemp("stream") / "dataset"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "ROW_GROUP", 4)
        make(quick(), out, workers=1)
    return out


@pytest.fixture
def shelf(folder: Path) -> Iterator[MemoryFileSystem]:
    """Storage in memory that holds the dataset."""
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    upload(folder, ADDRESS)
    yield storage
    storage.store.clear()


def stream_of(place: object, **options: object) -> StreamedExamples:
    """A stream of several lanes."""
    return StreamedExamples(place, **{"split": "train", "batch": 3, "seed": 5, "window": 16, "lanes": 4, **options})


def ids_in(batches: object) -> list[list[int]]:
    """The ids of each batch."""
    return [batch["id"].tolist() for batch in batches]


# -------------------------------------------------------------------------------- the order


orders = st.builds(
    EpochOrder,
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=8).map(tuple),
    batch=st.integers(1, 5),
    seed=st.integers(0, 1 << 62),
    window=st.integers(1, 30),
    lanes=st.integers(1, 6),
)


@given(orders, st.integers(0, 2), st.integers(1, 3), st.integers(1, 3), st.data())
def test_what_follows_a_state_is_what_would_have_followed(order, epoch, ranks, workers, data):
    """After any batch, with any number of workers now and later, the rest of an epoch is that of the unbroken one."""
    rank = data.draw(st.integers(0, ranks - 1))
    whole = [(turn, rows.tolist()) for turn, rows in order.batches(epoch, Share(rank, ranks))]
    start = data.draw(st.integers(0, len(whole)))

    parts = [
        [(turn, rows.tolist()) for turn, rows in order.batches(epoch, Share(rank, ranks, one, workers), start=start)]
        for one in range(workers)
    ]

    assert sorted(batch for part in parts for batch in part) == whole[start:]
    assert all((turn - start) % workers == one for one, part in enumerate(parts) for turn, _ in part)


@given(orders, st.integers(0, 2))
def test_workers_whose_number_divides_the_lanes_share_no_lane(order, epoch):
    """Each row is looked up by one worker only: what its lanes hold are its own batches and nothing else."""
    workers = order.lanes if order.has_lanes else 1
    shares = [Share(worker=worker, workers=workers) for worker in range(workers)]
    left = [order.rows_left(epoch, order.lanes_of(share)) for share in shares]
    given_out = [np.concatenate([np.zeros(0, int), *(r for _, r in order.batches(epoch, one))]) for one in shares]
    starts = np.cumsum([0, *order.sizes])

    assert sum(left).tolist() == list(order.sizes)
    for held, rows in zip(left, given_out, strict=True):
        which = np.searchsorted(starts, rows, side="right") - 1
        assert held.tolist() == np.bincount(which, minlength=len(order.sizes)).tolist()


def test_one_lane_is_the_order_of_earlier_versions():
    """The batches of orders without lanes are the recorded ones."""
    order = EpochOrder(sizes=(4, 3, 5), batch=4, seed=1, window=8)

    assert [rows.tolist() for _, rows in order.batches(2)] == EARLIER


EARLIER = [[5, 1, 3, 2], [4, 6, 0, 10], [8, 11, 7, 9]]


def test_lanes_suit_the_groups():
    """Lanes are a power of two, and none has less than a group in its window; what fits a window is not cut."""
    assert lanes_for([100] * 16, 800) == 8
    assert lanes_for([100] * 16, 799) == 4
    assert lanes_for([100] * 3, 250) == 2
    assert lanes_for([100] * 16, 1600) == 1
    assert lanes_for([100] * 16, None) == 1
    assert lanes_for([], 5) == 1
    with pytest.raises(RecipeError, match="at least 1 lane"):
        EpochOrder(sizes=(1,), batch=1, lanes=0)


# -------------------------------------------------------------------------------- from storage


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_an_address_gives_the_stream_of_the_folder(folder, shelf, workers):
    """Batches from storage are those from disk, tensor by tensor in order, for any number of workers."""
    here = list(stream_of(folder))
    there = list(ExampleLoader(stream_of(ADDRESS), workers=workers))

    assert ids_in(there) == ids_in(here)
    assert all((a["grid"] == b["grid"]).all() for a, b in zip(here, there, strict=True))
    assert Counter(row for ids in ids_in(there) for row in ids) == Counter(
        row for table in store.open_dataset(folder).tables("train") for row in table["id"].to_pylist()
    )


@pytest.mark.parametrize(("workers", "later"), [(0, 0), (2, 0), (0, 2), (1, 2)])
def test_a_stream_from_storage_goes_on_mid_epoch(shelf, workers, later):
    """Stopped after any batch and taken up again through JSON, the rest is that of the unbroken stream."""
    whole = ids_in(stream_of(ADDRESS))
    for stop in range(len(whole) + 1) if workers == later else (4,):
        begun, seen = ExampleLoader(stream_of(ADDRESS), workers=workers), []
        for batch in begun if stop else ():
            seen += ids_in([batch])
            if len(seen) == stop:
                break
        resumed = ExampleLoader(stream_of(ADDRESS), workers=later)
        resumed.load_state_dict(json.loads(json.dumps(begun.state_dict())))

        assert seen + ids_in(resumed) == whole


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what the library says of itself
@pytest.mark.parametrize("workers", [0, 2])
def test_stateful_loaders_go_on_too(shelf, workers):
    """`StatefulDataLoader` of torchdata, stopped after any batch, goes on with its own state."""
    loaders = pytest.importorskip("torchdata.stateful_dataloader")

    def fresh():
        return loaders.StatefulDataLoader(stream_of(ADDRESS), batch_size=None, num_workers=workers)

    whole = ids_in(fresh())
    for stop in (0, 1, 4, len(whole)):
        begun = fresh()
        running = iter(begun)
        seen = ids_in(next(running) for _ in range(stop))
        resumed = fresh()
        resumed.load_state_dict(begun.state_dict())

        assert seen + ids_in(resumed) == whole


def test_nothing_is_fetched_twice(shelf, monkeypatch):
    """In an epoch every group of rows is fetched once, by one process or by workers whose number divides the lanes."""
    fetched: Counter[tuple[str, int]] = Counter()

    def cat_file(self, path, start=None, end=None, **more):
        if path.endswith(".parquet"):
            fetched[path, start] += 1
        return original(self, path, start=start, end=end, **more)

    original = MemoryFileSystem.cat_file
    alone = stream_of(ADDRESS, lanes=1)
    assert alone.rows.groups
    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat_file)
    list(alone)

    assert fetched
    assert set(fetched.values()) == {1}
    assert len(fetched) == len(alone.rows.groups)


def test_only_the_split_that_is_asked_for_is_fetched(folder, shelf, monkeypatch):
    """Nothing is copied to this machine; beside the manifest and the schema, only the files of the split are read."""
    seen: Counter[str] = Counter()
    original = MemoryFileSystem.cat_file

    def cat_file(self, path, start=None, end=None, **more):
        found = original(self, path, start=start, end=end, **more)
        seen[path.rpartition("/")[2]] += len(found)
        return found

    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat_file)
    batches = ids_in(stream_of(ADDRESS, split="dev"))

    assert batches
    first, dev = (folder / "data" / f"{name}-00000-of-00001.parquet" for name in ("train", "dev"))
    assert seen.keys() <= {"manifest.json", first.name, dev.name}
    assert seen[dev.name] <= 3 * dev.stat().st_size
    assert seen[first.name] <= first.stat().st_size


def test_storage_that_fails_now_and_then_changes_nothing(folder, shelf, monkeypatch):
    """A request in ten fails, another one brings too little, and the stream is the same; what always fails is told."""
    monkeypatch.setattr(_retries, "STORAGE_PAUSES", (0.0,) * len(_retries.STORAGE_PAUSES))
    calls, original = [0], MemoryFileSystem.cat_file

    def flaky(self, path, start=None, end=None, **more):
        calls[0] += 1
        found = original(self, path, start=start, end=end, **more)
        if path.endswith(".parquet") and calls[0] % 10 == 0:
            raise OSError("connection reset by peer")
        return found[:-1] if path.endswith(".parquet") and calls[0] % 10 == 5 else found

    monkeypatch.setattr(MemoryFileSystem, "cat_file", flaky)
    assert ids_in(stream_of(ADDRESS)) == ids_in(stream_of(folder))
    assert calls[0] >= 10

    stream = stream_of(ADDRESS)
    broken = StoredPath(ADDRESS, "data/train-00000-of-00001.parquet")
    monkeypatch.setattr(MemoryFileSystem, "cat_file", lambda *_, **__: (_ for _ in ()).throw(OSError("gone")))
    with pytest.raises(StorageError, match="cannot be read: gone"):
        broken.read(0, 4)
    with pytest.raises(StorageError, match="cannot be read: gone"):
        list(stream)


def test_examples_by_number_come_from_storage_too(folder, shelf):
    """Item by item what the folder gives."""
    here, there = (IndexedExamples(place, split="train") for place in (folder, ADDRESS))

    assert [item["id"].item() for item in there[:5]] == [item["id"].item() for item in here[:5]]


def test_what_is_wrong_with_storage_is_told_in_a_line(shelf):
    """No dataset, no such split, missing files, changed bytes and names that lead outside are told."""
    with pytest.raises(BrokenDataset, match=r"there is no manifest\.json"):
        stream_of("memory://shelf/nothing")
    with pytest.raises(UnknownName, match="no split 'b7'"):
        stream_of(ADDRESS, split="b7")
    with pytest.raises(StorageError, match="no storage called soup://"):
        stream_of("soup://shelf/tiny")
    with pytest.raises(BrokenDataset, match="not inside"):
        StoredPath(ADDRESS) / "../secret.parquet"
    train = next(name for name in shelf.store if "data/train" in name)
    held = shelf.cat_file(train)
    shelf.pipe_file(train, held[:60] + bytes(40) + held[100:])
    with pytest.raises(BrokenDataset, match="cannot be read"):
        list(stream_of(ADDRESS))
    shelf.rm_file(train)
    with pytest.raises(BrokenDataset, match=r"lacks the file data/train-.*\.parquet"):
        stream_of(ADDRESS)
