"""Read examples as a dataset folder: every example comes back as it was, and what cannot is counted."""

from __future__ import annotations

import json

import pytest

from deixis.errors import BrokenDataset, DeixisError, RecipeError, UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.judge.boxes import Box
from deixis.readers._rows import RowFile
from deixis.readers._world import ReaderWorld
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord, Region
from deixis.scene.scene import PlainScene, Point, Where
from deixis.schema import Attribute, Relation, Schema
from tests.fuzz.corpus import seal


pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SCHEMA = Schema(
    name="things",
    attributes=(
        Attribute(name="kind", values=("dog", "cat"), is_head=True, broader=(("dog", "cat"),)),
        Attribute(name="size", values=("small", "big"), is_ordered=True),
    ),
    relations=(Relation(name="near", is_symmetric=True, to=(("kind", "dog"),)),),
    reading="comparative",
    exchanges=(("size", "kind"),),
)
OTHER = Schema(name="others", attributes=(Attribute(name="name", values=("a", "b")),))
SCENE = PlainScene(
    schema=SCHEMA,
    objects=(frozenset({("kind", "dog"), ("size", "small")}), frozenset({("kind", "cat")})),
    links=frozenset({("near", 0, 1)}),
    points=(Point(0, 1), Point(2.5, 3)),
)
SECOND = PlainScene(schema=OTHER, objects=(frozenset({("name", "a"), ("name", "b")}),))
MEANING = Description((Is("kind", "dog"), Related("near", Description((Is("kind", "cat"),)))))
EXAMPLES = (
    ReadExample(
        id=7,
        split="train",
        text="the dog — naïve ☃",
        scenes=(SCENE, SECOND),
        targets=(Where(0, 0), Where(1, 0)),
        meaning=MEANING,
        images=(Image("a.jpg", 640, 480.5), Image("b.jpg")),
        boxes=(Region(0, Box(1, 2, 3, 4)), Region(1, Box(0.5, 0.25, 7.125, 9.0))),
        regions=((Box(1, 2, 3, 4), Box(5, 6, 7, 8)), (Box(0.1, 0.2, 0.3, 0.4),)),
        facts={"votes": [1, 2.5, None], "nested": {"a": True}},
    ),
    ReadExample(id="x", split="test+val", text="", choices=("true", "false"), right=1),
    ReadExample(id="y", split="train", text="parsed", scenes=(SCENE,), parse=lambda _: MEANING),
    ReadExample(id="z", text="nothing", images=(Image("c.jpg", 4.0, 3.0),), space="share"),
)


def read(number):
    if number >= len(EXAMPLES):
        raise RefusedRecord("too-many", "there are no more")
    yield EXAMPLES[number]


READER = Reader(
    name="invented",
    title="invented examples",
    task="localise",
    license="none",
    citation="none",
    sniff=lambda path: path.suffix == ".invented",
    records=lambda path: iter(range(int(path.read_text(encoding="utf-8")))),
    read=read,
    refusals={"too-many": "there are no more"},
)
WORLD = ReaderWorld.of(READER)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The examples and a refused record, converted."""
    from deixis.readers.registry import known_readers, world_of_reader

    monkeypatch.setitem(known_readers(), READER.name, READER)
    world_of_reader.cache_clear()
    (tmp_path / "a.invented").write_text("5", encoding="utf-8")
    output = WORLD.part("formats").convert([tmp_path / "a.invented"], tmp_path / "rows", to="parquet")
    assert output.code == 0
    assert output.values["identical"] == len(EXAMPLES)
    assert output.values["reading"] == {"records": 5, "refused": {"too-many": 1}}
    yield tmp_path / "rows"
    world_of_reader.cache_clear()


def test_every_example_comes_back_as_it_was(folder):
    """Contents byte for byte, in the same order, with id, split, meaning, facts and images."""
    found = list(WORLD.part("examples").open(folder))

    assert isinstance(WORLD.part("examples").open(folder), RowFile)
    assert len(found) == len(EXAMPLES)
    for one, other in zip(EXAMPLES, found, strict=True):
        assert json.dumps(one.content()) == json.dumps(other.content())
        for name in ("id", "split", "facts", "images", "regions", "space", "expression", "meaning", "scenes", "boxes"):
            assert getattr(one, name) == getattr(other, name), name
        assert json.dumps([list(image) for image in one.images]) == json.dumps([list(image) for image in other.images])


def test_splits_are_counted_and_chosen(folder):
    """An example of two splits counts in both; numbers are those of the whole."""
    opened = RowFile(READER, folder)
    assert opened.splits == {"train": 2, "test": 1, "val": 1, "all": 1}
    assert list(opened.numbers("train")) == [0, 2]
    assert list(opened.numbers("val")) == [1]
    with pytest.raises(UnknownName, match="no split 'dev'"):
        opened.numbers("dev")
    with pytest.raises(UnknownName, match="no example 9"):
        opened[9]


def test_the_same_source_gives_the_same_bytes(folder, tmp_path):
    """Also when the folder itself is converted again."""
    WORLD.part("formats").convert([folder], tmp_path / "again", to="parquet")
    names = sorted(path.name for path in (folder / "data").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "again" / "data").iterdir())
    for name in names:
        assert (folder / "data" / name).read_bytes() == (tmp_path / "again" / "data" / name).read_bytes()


def test_other_libraries_read_the_files(folder):
    """Pandas does, with lists as lists."""
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(folder / "data" / "train.parquet")
    assert list(table["text"]) == [EXAMPLES[0].text, "parsed"]
    assert [list(one) for one in table["targets"][0]] == [[0, 0], [1, 0]]


def test_the_manifest_answers_for_every_file(folder):
    """A manifest of format 2 names the reader and lists the proof."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["format"], manifest["world"]) == (2, "invented")
    assert {"README.md", "conversion.json", "schemas.json"} <= set(manifest["other files"])


@pytest.mark.parametrize("content", ["[]", "{", "[{}]", '{"a": 1}', "[1]"])
def test_a_broken_folder_is_refused_in_one_line(folder, content):
    """Schemas that are missing or no schemas do not end in a traceback."""
    (folder / "schemas.json").write_text(content, encoding="utf-8")
    with pytest.raises(BrokenDataset) as told:
        RowFile(READER, folder)[0]
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("column", "value"), [("facts", "[]"), ("facts", "7"), ("text", None), ("record", None)])
def test_a_cell_that_cannot_be_is_refused_in_one_line(folder, column, value):
    """It names the example."""
    path = folder / "data" / "train.parquet"
    table = pq.read_table(path)
    place = table.column_names.index(column)
    cells = pa.array([value] * table.num_rows, table.field(place).type)
    pq.write_table(table.set_column(place, table.field(place), cells), path)
    seal(folder)

    with pytest.raises(BrokenDataset, match=r"^example 0 of rows cannot be read: it"):
        RowFile(READER, folder)[0]


def test_examples_that_cannot_be_kept_are_counted(tmp_path):
    """Half a character has no bytes; more than one in a hundred has to be asked for."""
    broken = ReadExample(id="b", text="half \ud800")
    reader = Reader(
        **{**{name: getattr(READER, name) for name in FIELDS}, "read": lambda n: [[EXAMPLES[1], broken][n % 2]]}
    )
    world = ReaderWorld.of(reader)
    (tmp_path / "a.invented").write_text("4", encoding="utf-8")

    with pytest.raises(DeixisError):
        world.part("formats").convert([tmp_path / "a.invented"], tmp_path / "rows", to="parquet")
    assert not (tmp_path / "rows").exists()


FIELDS = ("name", "title", "task", "license", "citation", "sniff", "records", "read", "refusals")


def test_a_folder_that_holds_something_is_left_alone(folder, tmp_path):
    """Nothing is written over."""
    with pytest.raises(RecipeError, match="already exists"):
        WORLD.part("formats").convert([folder], folder, to="parquet")
