"""Every example once, in an order that depends on the seed alone, however many share the work; and on from anywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib import import_module

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from deixis.bridges._items import Maker, collate
from deixis.bridges.epochs import EpochOrder, Share, share_of_process
from deixis.bridges.pytorch import EpochBatches, ExampleLoader, IndexedExamples, StreamedExamples
from deixis.data import store
from deixis.data._example_rows import open_rows
from deixis.errors import BrokenDataset, DeixisError, RecipeError, UnknownName
from deixis.worlds.grid import _items as items
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import quick


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small dataset whose files have many groups of rows."""
    out = tmp_path_factory.mktemp("torch") / "dataset"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "ROW_GROUP", 4)
        make(quick(), out, workers=1)
    return out


orders = st.builds(
    EpochOrder,
    sizes=st.lists(st.integers(1, 9), max_size=8).map(tuple),
    batch=st.integers(1, 7),
    seed=st.integers(0, 1 << 62),
    is_shuffled=st.booleans(),
    window=st.none() | st.integers(1, 30),
    lanes=st.integers(1, 6),
)


def delivered(order, epoch, rank, ranks, workers, start=0):
    """The batches of a rank as a loader delivers them that asks its workers in turn."""
    streams = [
        iter(order.batches(epoch, Share(rank, ranks, worker, workers), start=start)) for worker in range(workers)
    ]
    turns, found = list(streams), []
    while turns:
        stream = turns.pop(0)
        for turn, rows in stream:
            found.append((turn, rows.tolist()))
            turns.append(stream)
            break
    return found


@given(orders, st.integers(0, 3), st.integers(1, 4), st.integers(1, 4))
def test_no_example_is_lost_or_seen_twice(order, epoch, ranks, workers):
    """All ranks and workers together give every example once."""
    found = Counter(
        row for rank in range(ranks) for _, rows in delivered(order, epoch, rank, ranks, workers) for row in rows
    )

    assert found == Counter(range(order.examples))


@given(orders, st.integers(0, 3), st.integers(1, 3), st.integers(2, 4), st.data())
def test_the_order_does_not_depend_on_workers(order, epoch, ranks, workers, data):
    """Asked in turn, workers give a rank its batches in the order that one process gives, from any batch on."""
    rank = data.draw(st.integers(0, ranks - 1))
    alone = delivered(order, epoch, rank, ranks, 1)
    start = data.draw(st.integers(0, len(alone)))

    assert delivered(order, epoch, rank, ranks, workers) == alone
    assert len(alone) == order.batch_count(Share(rank, ranks))
    assert delivered(order, epoch, rank, ranks, workers, start) == alone[start:]


@given(orders.filter(lambda order: order.examples > 0), st.integers(1, 4))
def test_even_shares_have_equally_many_whole_batches(order, ranks):
    """Where all ranks must take equally many steps, what is left over is dropped and nothing is repeated."""
    even = EpochOrder(sizes=order.sizes, batch=order.batch, seed=order.seed, window=order.window, is_even=True)
    shares = [delivered(even, 0, rank, ranks, 1) for rank in range(ranks)]
    seen = Counter(row for share in shares for _, rows in share for row in rows)

    assert len({len(share) for share in shares}) == 1
    assert all(len(rows) == order.batch for share in shares for _, rows in share)
    assert max(seen.values(), default=1) == 1


@given(orders.filter(lambda order: order.is_shuffled and order.examples > 12 and order.window is None))
def test_epochs_and_seeds_differ(order):
    """Another epoch, or another seed, is another order of the same examples."""
    first, second = (np.concatenate([rows for _, rows in order.batches(epoch)]).tolist() for epoch in (0, 1))
    other = EpochOrder(sizes=order.sizes, batch=order.batch, seed=order.seed + 1)

    assert first != second
    assert first != np.concatenate([rows for _, rows in other.batches(0)]).tolist()


def ids_of(batches):
    """The ids in some batches, in order."""
    return [number for batch in batches for number in batch["id"].tolist()]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_real_loader_gives_every_example_once(folder, workers):
    """A stream and numbered examples, with and without worker processes, give what the files hold."""
    wanted = Counter(row for table in store.open_dataset(folder).tables("train") for row in table["id"].to_pylist())
    stream = ExampleLoader(StreamedExamples(folder, split="train", batch=3, seed=5, window=9), workers=workers)
    indexed = IndexedExamples(folder, split="train")
    numbered = ExampleLoader(indexed, EpochBatches(indexed, 3, seed=5), workers=workers)

    assert Counter(ids_of(stream)) == Counter(ids_of(numbered)) == wanted


@pytest.mark.parametrize("workers", [0, 1])
def test_a_plain_loader_pads_like_ours(folder, workers):
    """`DataLoader` without any option but the size of batches gives tensors of ids, and what `collate` makes."""
    examples = IndexedExamples(folder, split="train")

    batches = list(DataLoader(examples, batch_size=4, num_workers=workers))

    assert ids_of(batches) == [item["id"].item() for item in examples[:]]
    assert batches[0]["id"].dtype == torch.int64
    assert batches[0].keys() == collate(examples[0:4]).keys()
    assert torch.equal(batches[0]["grid"], collate(examples[0:4])["grid"])
    assert len(next(iter(DataLoader(examples)))["command"]) == 1


@pytest.mark.parametrize("part", [slice(0, 3), slice(None, None, 2), slice(-2, None), slice(5, 2), slice(0, 10**9)])
def test_examples_can_be_sliced(folder, part):
    """A slice gives the items that their numbers give, in a list."""
    examples = IndexedExamples(folder, split="train")
    numbers = range(len(examples))[part]

    assert [item["id"].item() for item in examples[part]] == [examples[number]["id"].item() for number in numbers]
    assert isinstance(examples[part], list)


def test_the_number_of_workers_changes_nothing(folder):
    """One process and two workers give the same batches in the same order, epoch after epoch."""
    streams = [
        ExampleLoader(StreamedExamples(folder, split="train", batch=4, seed=1, window=8), workers=n) for n in (0, 2)
    ]
    first, second = ([ids_of(loader), ids_of(loader)] for loader in streams)

    assert first == second
    assert first[0] != first[1]


@pytest.mark.parametrize(("workers", "later"), [(0, 2), (2, 0), (2, 2)])
def test_an_epoch_goes_on_where_it_stopped(folder, workers, later):
    """A state taken in mid-epoch, through JSON, gives the rest in the same order, whatever workers had prepared."""

    def fresh(number):
        return ExampleLoader(StreamedExamples(folder, split="train", batch=3, seed=2, window=9), workers=number)

    whole = [batch["id"].tolist() for batch in fresh(0)]
    begun = fresh(workers)
    seen = []
    for batch in begun:
        seen.append(batch["id"].tolist())
        if len(seen) == 3:
            break
    state = json.loads(json.dumps(begun.state_dict()))
    resumed = fresh(later)
    resumed.load_state_dict(state)

    assert seen == whole[:3]
    assert len(resumed) == len(whole) - 3
    assert [batch["id"].tolist() for batch in resumed] == whole[3:]
    assert [batch["id"].tolist() for batch in resumed] != whole[3:]  # the next epoch


def test_a_copy_of_a_stream_keeps_its_own_state(folder):
    """The stream itself can be saved and gone on with, as a stateful loader does within a worker."""
    stream = StreamedExamples(folder, split="train", batch=2, seed=3)
    whole = [batch["id"].tolist() for batch in stream]
    running = iter(stream)
    for _ in range(2):
        next(running)
    other = StreamedExamples(folder, split="train", batch=2, seed=3)
    other.load_state_dict(stream.state_dict())

    assert [batch["id"].tolist() for batch in other] == whole[2:]
    assert [batch["id"].tolist() for batch in other] == whole


def test_copies_in_workers_go_on_by_themselves(folder):
    """Each worker's copy, put back where it was, gives the rest of its own share: what a stateful loader relies on."""

    def fresh():
        return StreamedExamples(folder, split="train", batch=2, seed=8)

    order, whole = fresh().order, [rows.tolist() for _, rows in fresh().order.batches(0)]
    for worker in range(2):
        share = Share(worker=worker, workers=2)
        given = [turn for turn, _ in order.batches(0, share)][:2]
        rest = [rows.tolist() for _, rows in order.batches(0, share, after=given[-1] + 1)]
        assert rest == whole[worker::2][2:]


def test_a_stream_begins_anew_when_it_was_left(folder):
    """Leaving a loop early does not shorten the next one."""
    stream = StreamedExamples(folder, split="train", batch=2, seed=3)
    next(iter(stream))

    assert len(list(stream)) == len(stream)


def test_numbered_batches_go_on_too(folder):
    """The sampler's state is that of what was given out."""
    examples = IndexedExamples(folder, split="train")
    whole = list(EpochBatches(examples, 3, seed=4))
    sampler = EpochBatches(examples, 3, seed=4)
    running = iter(sampler)
    begun = [next(running) for _ in range(2)]
    again = EpochBatches(examples, 3, seed=4)
    again.load_state_dict(sampler.state_dict())

    assert begun + list(again) == whole


def test_a_batch_is_its_items_together(folder):
    """The quick way to a batch agrees with items put together one by one, and with the columns of the files."""
    rows = open_rows(folder, split="train")
    table = rows.take(range(len(rows)))
    maker = Maker(items.columns(folder, pictures=False))
    quick_way, plain = maker.batch(table), collate(maker.items(table))

    assert list(quick_way) == list(plain)
    for name, value in quick_way.items():
        same = torch.equal(value, plain[name]) if isinstance(value, torch.Tensor) else value == plain[name]
        assert same, name
    first = IndexedExamples(folder, split="train")[0]
    assert first["grid"].shape == (6, 6, 17)
    assert first["grid"][..., 12].sum() == 1
    assert len(first["actions"]) == len(first["plan"])
    assert quick_way["shape"].shape[0] == quick_way["shape_count"].shape[0] == len(rows)


def test_transforms_and_collate_are_the_users(folder):
    """A transform sees every item, and a collate of one's own every list of them."""
    found = StreamedExamples(folder, split="train", batch=5, transform=lambda item: len(item["command"]), collate=sum)
    texts = [text for table in store.open_dataset(folder).tables("train") for text in table["command"].to_pylist()]

    assert sum(found) == sum(map(len, texts))
    assert len(list(StreamedExamples(folder, split="train", batch=None))) == len(texts)


def test_memory_holds_a_window_and_no_more(folder):
    """A stream keeps the groups of its window, not those that have passed."""
    stream = StreamedExamples(folder, split="train", batch=2, window=8)
    held = [len(stream.rows._kept) for _ in stream]

    assert len(stream.rows.groups) > 3
    assert max(held) <= stream.order.most_groups + 1 < len(stream.rows.groups)


SCRIPT = """
import json, sys
from torch import distributed
from deixis.bridges.pytorch import StreamedExamples, ExampleLoader
folder, meeting, rank = sys.argv[1], sys.argv[2], int(sys.argv[3])
distributed.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=2)
loader = ExampleLoader(StreamedExamples(folder, split="train", batch=3, seed=6, window=8), workers=1)
ids = [number for batch in loader for number in batch["id"].tolist()]
distributed.barrier()
distributed.destroy_process_group()
print(json.dumps(ids))
"""


@pytest.mark.slow
def test_two_processes_share_the_examples(folder, tmp_path):
    """Two ranks that met through torch.distributed give every example once between them."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder), str(tmp_path / "meeting")]
    running = [
        subprocess.Popen([*command, str(rank)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    told = [process.communicate(timeout=180) for process in running]
    wanted = [row for table in store.open_dataset(folder).tables("train") for row in table["id"].to_pylist()]

    assert [process.returncode for process in running] == [0, 0], told
    shares = [json.loads(out) for out, _ in told]
    assert Counter(shares[0] + shares[1]) == Counter(wanted)
    assert all(shares)


def test_what_cannot_be_is_told_in_a_line(folder, tmp_path, monkeypatch):
    """Folders, splits, tables, ranks and states that do not exist are named."""
    with pytest.raises(BrokenDataset, match="no manifest"):
        IndexedExamples(tmp_path)
    with pytest.raises(UnknownName, match="no split 'b7'"):
        IndexedExamples(folder, split="b7")
    with pytest.raises(UnknownName, match="say which split"):
        StreamedExamples(folder)
    with pytest.raises(UnknownName, match="no table 'soup'"):
        IndexedExamples(folder, table="soup")
    with pytest.raises(UnknownName, match="no split ''"):
        IndexedExamples(folder, split="")
    for batch in (-1, 0):
        with pytest.raises(RecipeError, match="at least 1 example"):
            StreamedExamples(folder, split="train", batch=batch)
    with pytest.raises(RecipeError, match="no rank 2 of 2"):
        StreamedExamples(folder, split="train", rank=2, ranks=2)
    with pytest.raises(RecipeError, match="both"):
        share_of_process(1)
    with pytest.raises(IndexError, match="no example 999"):
        IndexedExamples(folder, split="train")[999]
    stream = StreamedExamples(folder, split="train", batch=2, seed=1)
    with pytest.raises(RecipeError, match="seed differ"):
        stream.load_state_dict(StreamedExamples(folder, split="train", batch=2, seed=2).state_dict())
    with pytest.raises(RecipeError, match="which epoch"):
        stream.load_state_dict(stream.state_dict() | {"epoch": "soup"})
    with pytest.raises(RecipeError, match="together"):
        ExampleLoader(IndexedExamples(folder, split="train"))
    monkeypatch.setenv("RANK", "soup")
    with pytest.raises(DeixisError, match="numbers"):
        share_of_process()


def test_a_missing_library_is_told_with_what_to_do(monkeypatch):
    """Without PyTorch the import says which extra brings it."""
    monkeypatch.delitem(sys.modules, "deixis.bridges.pytorch")
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(DeixisError, match=r"deixis\[train\]"):
        import_module("deixis.bridges.pytorch")
