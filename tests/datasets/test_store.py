"""Datasets on disk: what is written is read back, what is broken or foreign is refused in one line."""

from __future__ import annotations

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.data.store import (
    MANIFEST,
    PARTIAL,
    file_digest,
    open_dataset,
    parse_manifest,
    read_parquet,
    replacing_file,
    write_parquet,
)
from deixis.errors import BrokenDataset
from deixis.worlds.grid.data.table import SCHEMA
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.splits.rules import Rule
from tests.datasets.tiny import quick


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished dataset that no test may change."""
    return make(quick(), tmp_path_factory.mktemp("store") / "made", workers=2)


@pytest.fixture
def copy(made, tmp_path):
    """A copy of the dataset to be broken."""
    return shutil.copytree(made.path, tmp_path / "copy")


def rewrite(folder, **changes):
    """Change some keys of a manifest."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    (folder / MANIFEST).write_text(json.dumps({**manifest, **changes}), encoding="utf-8")


def with_path(folder, path):
    """Let the first file of a manifest have another path."""
    files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    rewrite(folder, files=[{**files[0], "path": path}, *files[1:]])


def read_all(dataset):
    return pa.concat_tables(list(dataset.tables()))


# --- files


def test_a_file_takes_its_name_only_when_it_is_whole(tmp_path):
    """While a file is written its name does not exist; afterwards nothing else does."""
    with replacing_file(tmp_path / "new" / "file.txt") as draft:
        draft.write_text("text", encoding="utf-8")
        assert not (tmp_path / "new" / "file.txt").exists()

    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file.txt"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    """When writing fails the file that was there stays as it was, and the draft is removed."""
    (tmp_path / "file.txt").write_text("old", encoding="utf-8")

    def fail(path):
        with replacing_file(path) as draft:
            draft.write_text("half", encoding="utf-8")
            raise KeyError

    with pytest.raises(KeyError):
        fail(tmp_path / "file.txt")

    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["old"]


def test_what_is_written_is_read_back(made, tmp_path):
    """Reading is the inverse of writing, in pieces of any size."""
    table = read_all(made)

    write_parquet(table, tmp_path / "table.parquet")

    pieces = list(read_parquet(tmp_path / "table.parquet", rows=7))
    assert pa.concat_tables(pieces).combine_chunks() == table.combine_chunks()
    assert max(piece.num_rows for piece in pieces) <= 7


def test_chosen_columns_are_read_alone(made):
    """A reader may ask for some columns only."""
    assert next(made.tables("train", columns=["id", "command"])).column_names == ["id", "command"]


def test_the_manifest_names_the_hash_of_every_file(made):
    """The hashes, sizes and numbers of rows of the manifest are those of the files."""
    for entry in made.manifest["files"]:
        path = made.path / entry["path"]
        assert entry["sha256"] == file_digest(path)
        assert entry["bytes"] == path.stat().st_size
        assert entry["rows"] == pq.read_metadata(path).num_rows


def test_files_have_the_columns_of_the_schema(made):
    """What is on disk has exactly the documented columns and types."""
    for path in made.files():
        assert pq.read_schema(path).remove_metadata() == SCHEMA.remove_metadata()


# --- opening


def test_a_finished_dataset_opens(made):
    """An opened dataset has the splits of its manifest and holds all its examples."""
    dataset = open_dataset(made.path)

    assert dataset == made
    assert read_all(dataset).num_rows == made.manifest["examples"]


def test_a_joint_set_belongs_to_both(tmp_path):
    """A file of two held-out sets is read with either."""
    rules = (Rule(id="own/1", name="one", thing="circle"), Rule(id="own/2", name="two", thing="red object"))
    dataset = make(quick(hold_out=rules), tmp_path / "joint", workers=2)

    joint = [path for path in dataset.files() if path.name.startswith("one+two")]

    assert joint
    assert set(joint) <= set(dataset.files("one")) & set(dataset.files("two"))


def test_an_unknown_split_is_an_error(made):
    """Asking for a split that does not exist names those that do."""
    with pytest.raises(BrokenDataset, match=r"no split 'a9'.*train, dev, test"):
        list(made.tables("a9"))


def test_an_empty_split_has_no_tables(made):
    """A split that the recipe names but that came out empty is not an error."""
    empty = [name for name, size in made.splits.items() if not size]

    assert all(list(made.tables(name)) == [] for name in empty)


def test_a_folder_without_manifest_is_not_a_dataset(tmp_path):
    """Without a manifest there is no dataset; where one was begun the message says how to go on."""
    with pytest.raises(BrokenDataset, match=r"it has no manifest\.json$"):
        open_dataset(tmp_path)
    (tmp_path / PARTIAL).mkdir()
    with pytest.raises(BrokenDataset, match="interrupted"):
        open_dataset(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '"text"', "7", "{}", '{"format": 1}', "[" * 5000, '{"format": 1, "splits": {}}', "\x00"],
)
def test_a_foreign_manifest_is_refused(copy, text):
    """Whatever else is called manifest.json gives an error of one line."""
    (copy / MANIFEST).write_text(text, encoding="utf-8")

    with pytest.raises(BrokenDataset) as caught:
        open_dataset(copy)

    assert "\n" not in str(caught.value)


def test_a_manifest_that_is_no_text_is_refused(copy):
    """Bytes that are not UTF-8 are no manifest."""
    (copy / MANIFEST).write_bytes(b"\xff\xfe\x00")

    with pytest.raises(BrokenDataset, match="is not a manifest"):
        open_dataset(copy)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 0},
        {"format": True},
        {"format": "1"},
        {"splits": None},
        {"splits": {"train": "many"}},
        {"splits": {"train": -1}},
        {"splits": {"train": 10**60}},
        {"files": {}},
        {"files": [7]},
        {"files": [{}]},
        {"files": [{"path": 3, "split": "train", "sha256": "", "rows": 1, "bytes": 1}]},
        {"files": [{"path": "data/x", "split": "train", "sha256": "", "rows": True, "bytes": 1}]},
        {"files": [{"path": "data/x", "split": None, "sha256": "", "rows": 1, "bytes": 1}]},
        {"files": [{"path": "data/x", "split": "train", "sha256": "", "rows": 10**60, "bytes": 1}]},
    ],
)
def test_a_manifest_of_the_wrong_form_is_refused(copy, changes):
    """A manifest with missing or impossible values is not opened."""
    rewrite(copy, **changes)

    with pytest.raises(BrokenDataset, match="is not a manifest of deixis"):
        open_dataset(copy)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"format": 3}, "is in format 3, and this version reads up to 2; a newer deixis wrote it: upgrade this one"),
        ({"world": "marbles"}, "was made by world 'marbles' of package deixis, which is not installed"),
        ({"world": "beads", "package": "deixis-x"}, "by world 'beads' of package deixis-x, which is not installed"),
        ({"world": ["grid"]}, "which is not installed"),
        ({"format": 1, "world": None, "kind": "tabletop"}, "is of a kind that no world here knows: 'tabletop'"),
    ],
)
def test_what_this_version_cannot_know_is_told_in_one_line(copy, changes, complaint):
    """A newer format, a world that is not installed and a kind that no world has are named."""
    rewrite(copy, **changes)

    with pytest.raises(BrokenDataset) as caught:
        open_dataset(copy)

    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "path", ["../secret.parquet", "/etc/passwd", "data/../../secret.parquet", "", ".", "data/\x00.parquet"]
)
def test_files_outside_the_folder_are_refused(copy, path):
    """A manifest cannot make deixis read files outside of its folder."""
    with_path(copy, path)

    with pytest.raises(BrokenDataset, match=r"not inside the dataset|is not a manifest"):
        open_dataset(copy).demand_whole()


def test_links_to_the_outside_are_refused(copy, tmp_path):
    """Nor can a link among its files."""
    (tmp_path / "secret.parquet").write_bytes(b"secret")
    victim = next((copy / "data").iterdir())
    victim.unlink()
    victim.symlink_to(tmp_path / "secret.parquet")

    with pytest.raises(BrokenDataset, match="not inside the dataset"):
        open_dataset(copy)


def test_a_loop_of_links_is_refused(copy):
    """A link to itself is no file."""
    victim = next((copy / "data").iterdir())
    victim.unlink()
    victim.symlink_to(victim)

    with pytest.raises(BrokenDataset):
        list(open_dataset(copy).tables())


# --- reading


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(64) + b"PAR1", b"not parquet at all"])
def test_a_spoilt_file_is_refused(copy, content):
    """A file that is no Parquet any more gives an error of one line."""
    next(copy.glob("data/train-*")).write_bytes(content)

    with pytest.raises(BrokenDataset, match=r"cannot be read as Parquet \(.*\); make or copy it again$"):
        list(open_dataset(copy).tables("train"))


def test_a_file_cut_short_is_refused(copy):
    """A file that lost its end is not read in part."""
    victim = next(copy.glob("data/train-*"))
    victim.write_bytes(victim.read_bytes()[:-100])

    with pytest.raises(BrokenDataset, match="cannot be read as Parquet"):
        list(open_dataset(copy).tables("train"))


def test_spoilt_pages_are_refused(copy):
    """A file whose pages were overwritten gives an error, not wrong examples."""
    victim = next(copy.glob("data/train-*"))
    data = bytearray(victim.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    victim.write_bytes(data)

    with pytest.raises(BrokenDataset, match="cannot be read as Parquet"):
        list(open_dataset(copy).tables("train"))


def test_a_missing_file_is_refused(copy):
    """A file that the manifest names but that is not there is an error when it is read."""
    next(copy.glob("data/train-*")).unlink()

    with pytest.raises(BrokenDataset, match=r"train-00000-of-00001\.parquet cannot be read"):
        list(open_dataset(copy).tables("train"))


def test_a_table_of_somebody_else_is_refused(tmp_path):
    """A Parquet file without our columns says which are missing."""
    pq.write_table(pa.table({"id": [1]}), tmp_path / "other.parquet")

    with pytest.raises(BrokenDataset, match=r"lacks the columns .*command"):
        list(read_parquet(tmp_path / "other.parquet", demanded=SCHEMA.names))


def test_damage_inside_a_file_is_noticed_when_it_is_read(made, tmp_path):
    """Bytes that changed in the middle of a file are not taken for examples."""
    whole = made.files("train")[0]
    copy = tmp_path / whole.name
    content = bytearray(whole.read_bytes())
    middle = len(content) // 3
    content[middle : middle + 8] = bytes(byte ^ 255 for byte in content[middle : middle + 8])
    copy.write_bytes(content)

    with pytest.raises(BrokenDataset, match=r"cannot be read as Parquet"):
        list(read_parquet(copy))


def test_half_a_character_in_a_manifest_is_told(tmp_path):
    """JSON can hold what no file can; the manifest could never be written again."""
    text = '{"format": 1, "splits": {}, "files": [], "name": "\\ud800"}'

    with pytest.raises(BrokenDataset, match="half a character"):
        parse_manifest(text.encode(), tmp_path, "manifest.json")
