from __future__ import annotations

import json

import pyarrow as pa
import pytest

from deixis.data.store import open_dataset, write_parquet
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.worlds.grid.actions import plan_from_letters
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.sources import Source, open_source, sample_rows
from deixis.worlds.grid.data.table import examples_of, table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.formats.reascan import FILE_NAME, write_reascan
from deixis.worlds.grid.navigate import Example


def example(number: int, split: str) -> Example:
    scene = grid(f"""
        r○1  .   .
        >    .   b□{number % 4 + 1}
        .    .   .
    """)
    return Example(text="walk to the red circle", scene=scene, target=0, plan=plan_from_letters("LW"), split=split)


@pytest.fixture
def table() -> pa.Table:
    """Four examples in two splits and one that is in two test sets."""
    return table_of([example(k, split) for k, split in enumerate(("train", "train", "a1+a2", "a1"))])


@pytest.fixture(params=["folder", "parquet", "reascan", "folder of a release"])
def source(request, table, tmp_path) -> Source:
    """The same examples in every form."""
    match request.param:
        case "folder":
            return open_source(write_imported([table], tmp_path / "out", source="test", kind="test").path)
        case "parquet":
            write_parquet(table, tmp_path / "some.parquet")
            return open_source(tmp_path / "some.parquet")
        case "reascan":
            write_reascan([table], tmp_path / "some.json")
            return open_source(tmp_path / "some.json")
    write_reascan([table], tmp_path / FILE_NAME)
    return open_source(tmp_path)


def test_examples_are_found_in_every_form(source, table):
    """Whatever form examples are kept in, they come back."""
    found = {e.id for some in source.tables() for e in examples_of(some)}

    assert found == {e.id for e in examples_of(table)}


def test_splits_can_be_read_alone(source, table):
    """An example of two test sets is read with either."""
    found = {split: {e.id for some in source.tables(split) for e in examples_of(some)} for split in ("a1", "a2")}

    ids = [e.id for e in examples_of(table)]
    assert found == {"a1": {ids[2], ids[3]}, "a2": {ids[2]}}


def test_sizes_are_known_where_they_are_cheap(source):
    """Our own forms know their splits; a released file would have to be read."""
    if source.kind == "reascan":
        assert (source.splits, source.total) == (None, None)
    else:
        assert (source.splits, source.total) == ({"train": 2, "a1": 2, "a2": 1}, 4)
    assert source.count("a1") == 2


def test_an_unknown_split_is_named_with_those_there_are(source):
    """The message helps to find the right one."""
    with pytest.raises(UnknownName, match=r"no split 'b1'.* it has train, a1, a2"):
        list(source.tables("b1"))


def test_single_examples_are_found_by_number(source):
    """Numbers follow the order of the tables, over all and within a split."""
    everything = [e.id for some in source.tables() for e in examples_of(some)]

    assert [source.example(k).id for k in range(len(everything))] == everything
    assert "a2" in source.example(0, "a2").split
    with pytest.raises(UnknownName, match="counted from 0"):
        source.example(len(everything))


def test_gscan_files_are_told_apart(tmp_path, table):
    """A file without ReaSCAN's fields is read as gSCAN's."""
    write_reascan([table], tmp_path / "r.json")
    fields = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    for examples in fields["examples"].values():
        for record in examples:
            del record["grammer_pattern"]
    (tmp_path / "dataset.txt").write_text(json.dumps(fields), encoding="utf-8")

    opened = open_source(tmp_path)

    assert opened.kind == "gscan"
    assert opened.count() == 5


def test_an_unfinished_dataset_says_how_to_finish_it(tmp_path):
    """A folder with the beginning of a dataset is recognised as one."""
    (tmp_path / ".partial").mkdir()

    with pytest.raises(BrokenDataset, match="run the same `deixis make` again"):
        open_source(tmp_path)


def test_a_manifest_with_a_strange_recipe_is_refused(tmp_path, table):
    """Split rules that cannot be read are an error, not silently none."""
    write_imported([table], tmp_path / "out", source="test", kind="test")
    path = tmp_path / "out" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "recipe": {"hold_out": [7]}}), encoding="utf-8")

    with pytest.raises(BrokenDataset, match="recipe"):
        _ = open_source(tmp_path / "out").rules


def test_a_sample_is_a_random_part_in_order(table):
    """A sample has no row twice, keeps the order, depends on the seed alone and not on how rows are cut into tables."""
    rows = pa.concat_tables([table] * 50).set_column(0, "id", pa.array(range(200), pa.uint64()))

    whole = sample_rows([rows], 20, seed=1)
    pieces = sample_rows([rows.slice(k, 7) for k in range(0, 200, 7)], 20, seed=1)
    other = sample_rows([rows], 20, seed=2)

    ids = whole["id"].to_pylist()
    assert len(set(ids)) == 20
    assert ids == sorted(ids)
    assert pieces["id"].to_pylist() == ids
    assert other["id"].to_pylist() != ids


def test_a_sample_larger_than_everything_is_everything(table):
    """Asking for more rows than there are gives all of them; asking for none is refused."""
    assert sample_rows([table], 10, seed=0).equals(table)
    assert sample_rows([], 10, seed=0) is None
    with pytest.raises(DeixisError, match="at least 1"):
        sample_rows([table], 0, seed=0)


def test_an_imported_dataset_is_one_of_ours(tmp_path, table):
    """Its manifest has the sizes and says where it is from; its files are named after their splits."""
    dataset = write_imported([table, table], tmp_path / "out", source="some.json", kind="reascan")

    assert open_dataset(tmp_path / "out") == dataset
    assert dataset.splits == {"train": 4, "a1": 4, "a2": 2}
    assert dataset.manifest["imported from"] == {"name": "some.json", "kind": "reascan"}
    assert sorted(path.name for path in dataset.files()) == [
        "a1+a2-00000.parquet",
        "a1-00000.parquet",
        "train-00000.parquet",
    ]


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "x" * 200])
def test_names_of_splits_cannot_lead_out_of_the_folder(name, tmp_path, table):
    """A split of a foreign file may only have a name that is safe for a file; an empty one means train."""
    place = table.schema.get_field_index("split")
    named = table.set_column(place, "split", pa.array([name] * len(table)))

    if name:
        with pytest.raises(BrokenDataset, match="a split is called"):
            write_imported([named], tmp_path / "out", source="test", kind="test")
        assert list(tmp_path.iterdir()) == []
    else:
        assert write_imported([named], tmp_path / "out", source="test", kind="test").splits == {"train": 4}


def test_nothing_is_left_of_an_import_that_fails(tmp_path, table):
    """The folder appears only when everything is written."""

    def tables():
        yield table
        raise BrokenDataset("the file ends here")

    with pytest.raises(BrokenDataset, match="ends here"):
        write_imported(tables(), tmp_path / "out", source="test", kind="test")

    assert list(tmp_path.iterdir()) == []


def test_an_import_does_not_touch_what_is_there(tmp_path, table):
    """A folder with something in it is refused."""
    (tmp_path / "mine.txt").touch()

    with pytest.raises(DeixisError, match="already exists"):
        write_imported([table], tmp_path, source="test", kind="test")
