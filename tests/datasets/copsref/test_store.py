from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos.data.store import COLUMNS, example_from_row, is_copsref, open_copsref, write_copsref
from tests.datasets.copsref.posed import posed


@pytest.fixture
def folder(tmp_path):
    write_copsref(tmp_path / "data", posed().examples, posed().scenes, about={"seed": 1})
    return tmp_path / "data"


def test_examples_come_back_as_they_were(folder):
    """Every field of every example is kept, split by split, with the scenes beside them."""
    dataset = open_copsref(folder)
    by_split = {split: [e for e in posed().examples if e.split == split] for split in dataset.splits}

    assert {split: list(dataset.examples(split)) for split in dataset.splits} == by_split
    assert dataset.splits == {split: len(some) for split, some in by_split.items()}
    assert list(dataset.scenes.image_ids) == list(posed().scenes.image_ids)
    assert dataset.dataset.manifest["made with"] == {"seed": 1}


def test_the_same_examples_make_the_same_bytes(folder, tmp_path):
    """Nothing in the files depends on when or where they are written."""
    write_copsref(tmp_path / "again", posed().examples, posed().scenes, about={"seed": 1})

    files = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(files) > 5
    assert all((folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in files)


def test_a_dataset_replaces_its_older_self_and_nothing_else(folder, tmp_path):
    """Writing again replaces what is there; a folder with anything else in it is left alone."""
    write_copsref(folder, posed().there[:3], posed().scenes)
    assert sum(open_copsref(folder).splits.values()) == 3

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(RecipeError, match="not empty"):
        write_copsref(tmp_path / "mine", posed().examples, posed().scenes)
    with pytest.raises(RecipeError, match="is a file"):
        write_copsref(tmp_path / "mine" / "thesis.txt", posed().examples, posed().scenes)


def test_split_names_stay_in_the_folder(tmp_path):
    """A split cannot be called something that leads out of the folder."""
    import dataclasses

    strange = [dataclasses.replace(posed().examples[0], split="../away")]
    with pytest.raises(RecipeError, match="name of a split"):
        write_copsref(tmp_path / "data", strange, posed().scenes)


def test_damage_is_told_in_a_line(folder, tmp_path):
    """A file that is missing, a row that makes no sense and a folder of another kind are each told."""
    path = folder / "data" / "test.parquet"
    row = {**pq.read_table(path).slice(0, 1).to_pylist()[0], "expression": '[{"is": "cat"}]'}
    pq.write_table(pa.Table.from_pylist([row], schema=COLUMNS), path)
    manifest = json.loads((folder / "manifest.json").read_text())
    with pytest.raises(BrokenDataset, match="not as long"):
        open_copsref(folder)
    for entry in manifest["files"]:
        entry["bytes"] = (folder / entry["path"]).stat().st_size
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BrokenDataset, match=r"test.parquet, row 0: a step is one of"):
        list(open_copsref(folder).examples("test"))

    (folder / "manifest.json").write_text(json.dumps(manifest | {"kind": "soup"}))
    assert not is_copsref(folder)
    with pytest.raises(BrokenDataset, match="soup"):
        open_copsref(folder)


def test_the_table_loads_elsewhere(folder):
    """The files are plain Parquet with the columns that the card describes."""
    table = pq.read_table(folder / "data" / "test.parquet")
    card = (folder / "README.md").read_text(encoding="utf-8")

    assert table.schema.remove_metadata() == COLUMNS
    assert all(f"`{name}`" in card for name in COLUMNS.names)
    assert '- "data/test.parquet"' in card


def test_a_row_without_an_id_is_refused():
    """Found by fuzzing: a column of gaps is one line, not a traceback somewhere later."""
    with pytest.raises(BrokenDataset, match="no whole number as its id"):
        example_from_row({"id": None, "split": "test", "text": "a", "form": "chain", "image": "1", "object": "2"})
