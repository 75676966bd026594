from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data import _json_stream as json_stream
from deixis.errors import BrokenDataset
from deixis.worlds.photos._formats.scene_graphs import Companion, gqa_entry, gqa_graph, write_gqa
from deixis.worlds.photos._left_right import LEFT, RIGHT
from deixis.worlds.photos.clean import GraphReport
from deixis.worlds.photos.data.graphs import read_graphs, read_table
from deixis.worlds.photos.scene.graph import Link
from tests.scene.graphs import CLEVR, GQA, STREET, VISUAL_GENOME, graphs, needs_graphs


if TYPE_CHECKING:
    from pathlib import Path


def cat(**changes: Any) -> dict[str, Any]:
    return {"name": "cat", "x": 40, "y": 150, "w": 120, "h": 90, "attributes": ["black"], "relations": [], **changes}


def graph(objects: Any, **changes: Any) -> dict[str, Any]:
    return {"width": 500, "height": 375, "objects": objects, **changes}


def written(folder: Path, content: Any, name: str = "train_sceneGraphs.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def read(path: Path) -> tuple[list[Any], dict[str, int]]:
    report = GraphReport()
    return list(read_graphs(path, report)), dict(report.counts)


@given(made=graphs())
def test_a_graph_written_as_gqa_is_read_back(made):
    """Writing and reading are inverse."""
    assert gqa_graph(made.image_id, json.loads(json.dumps(gqa_entry(made))), GraphReport()) == made


def test_relations_are_read_as_a_list_and_as_a_dict(tmp_path):
    """The files have a list of relations, the documentation a dict of them by id."""
    one = {"object": "2", "name": "near"}
    path = written(
        tmp_path, {"7": graph({"1": cat(relations=[one]), "2": cat(relations={"r1": one | {"object": "1"}})})}
    )

    (found,), counts = read(path)

    assert [thing.relations for thing in found.objects] == [(Link("near", "2"),), (Link("near", "1"),)]
    assert counts == {}


@pytest.mark.parametrize(
    ("entry", "counts"),
    [
        (None, {"G002": 1}),
        ([], {"G002": 1}),
        ({"width": 9, "height": 9}, {"G002": 1}),
        (graph(None), {"G002": 1}),
        (graph({"1": None}), {"G005": 1}),
        (graph({"1": cat(name=None)}), {"G005": 1}),
        (graph({"1": cat(name="  ")}), {"G005": 1}),
        (graph({"1": cat(x="left")}), {"G006": 1}),
        (graph({"1": cat(w=True)}), {"G006": 1}),
        (graph({"1": cat(h=10**30)}), {"G006": 1}),
        (graph({"1": {"name": "cat"}}), {"G006": 1}),
        (graph({"1": cat(attributes="black")}), {"G008": 1}),
        (graph({"1": cat(attributes=[None, 3, "black"])}), {"G008": 2}),
        (graph({"1": cat(relations="near")}), {"G009": 1}),
        (graph({"1": cat(relations=[None, {"name": "near"}, {"object": "1", "name": ""}])}), {"G009": 3}),
        (graph({"1": cat(relations=[{"name": "near", "object": None}])}), {"G009": 1}),
        (graph({"1": cat()}, width=None), {"G110": 1}),
        (graph({"1": cat()}, height="tall"), {"G110": 1}),
        (graph({"": cat()}), {"G005": 1}),
        (graph({"a\nb": cat(), "\ud800": cat(), "x" * 300: cat()}), {"G005": 3}),
        (
            graph({"1": cat(relations=[{"name": "\ud800", "object": "1"}, {"name": "near", "object": "\n"}])}),
            {"G009": 2},
        ),
        (graph({}), {}),
    ],
)
def test_what_cannot_be_read_is_left_out_with_a_code(tmp_path, entry, counts):
    """A broken entry costs what is broken; the image after it is read as ever."""
    path = written(tmp_path, {"broken": entry, "whole": graph({"1": cat()})})

    found, codes = read(path)

    assert codes == counts
    assert found[-1].image_id == "whole"
    assert len(found[-1].objects) == 1


@pytest.mark.parametrize("image_id", ["", "a\nb", "\ud800", "\x1b[31m", "x" * 300])
def test_an_image_needs_an_id_that_can_be_printed_and_saved(tmp_path, image_id):
    """Ids go into messages and files, so that what cannot be printed is refused with a printable line."""
    path = written(tmp_path, {image_id: graph({"1": cat()}), "whole": graph({"1": cat()})})
    report = GraphReport()

    table = read_table(path, report=report)
    table.save(tmp_path / "table")

    assert list(table.image_ids) == ["whole"]
    assert report.counts == {"G002": 1}
    assert report.lines[0].isprintable()


def test_boxes_outside_and_circles_are_told_where_they_are(tmp_path):
    """A line names the image and the object, and what lies inside the image is read all the same."""
    below, above = ([{"object": other, "name": "below"}] for other in ("2", "1"))
    far = graph({"1": cat(x=5000), "2": cat()})
    circle = graph({"1": cat(relations=below), "2": cat(x=200, relations=above)})
    report = GraphReport()

    table = read_table(written(tmp_path, {"far": far, "circle": circle}), report=report)

    assert [len(table.scene(number)) for number in range(2)] == [1, 2]
    assert [str(finding).partition(":")[0] for finding in report.findings] == [
        "G007 image far object 1",
        "G201 image circle object 1",
    ]


def test_a_table_is_made_of_what_is_left(tmp_path):
    """Empty images, self loops, missing partners and boxes beyond the edge are mended on the way to a table."""
    links = [{"object": number, "name": "near"} for number in ("1", "2", "9")]
    path = written(tmp_path, {"a": graph({}), "b": graph({"1": cat(relations=links), "2": cat(x=450, name="cats")})})
    report = GraphReport()

    table = read_table(path, report=report)

    assert table.scene(0).links == {("near", 0, 1)}
    assert table.scene(0).raw_names == ("cat", "cats")
    assert table.scene(0).boxes[1] == (450, 150, 50, 90)
    assert dict(report.counts) == {"G003": 1, "G104": 1, "G105": 1, "G106": 1, "G107": 1}


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 20])
def test_a_single_line_is_read_in_chunks(monkeypatch, tmp_path, chunk):
    """However the file is cut into pieces, the same graphs come out, so its length does not matter."""
    monkeypatch.setattr(json_stream.Cursor.fetch, "__defaults__", (chunk,))
    path = written(tmp_path, {str(number): graph({"1": cat(name=f"cät{number}")}) for number in range(12)})

    found, counts = read(path)

    assert [thing.objects[0].name for thing in found] == [f"cät{number}" for number in range(12)]
    assert counts == {}


def test_a_file_that_is_cut_short_gives_what_came_before(tmp_path):
    """The graphs before the cut are kept, and one line says where the file breaks off."""
    path = written(tmp_path, {str(number): graph({"1": cat()}) for number in range(5)})
    path.write_bytes(path.read_bytes()[:-150])
    report = GraphReport()

    found = list(read_graphs(path, report))

    assert len(found) == 4
    assert report.counts == {"G001": 1}
    assert "cut short, fetch it again" in report.lines[0]


def test_archives_are_read_without_unpacking(tmp_path):
    """The members of a zip archive are read like files, those of a Mac's shadow folder are not."""
    path = tmp_path / "sceneGraphs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("train_sceneGraphs.json", json.dumps({"1": graph({"1": cat()})}))
        archive.writestr("val_sceneGraphs.json", json.dumps({"2": graph({"1": cat()})}))
        archive.writestr("__MACOSX/._val_sceneGraphs.json", b"\0\0")

    assert [found.image_id for found in read(path)[0]] == ["1", "2"]
    assert len(read_table(tmp_path)) == 2


@pytest.mark.parametrize("share", [0.1, 0.5, 0.98])
def test_a_truncated_archive_is_one_line_and_the_rest_is_read(tmp_path, share):
    """A zip that was not fetched whole costs itself; the file beside it is read."""
    whole = tmp_path / "a.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("val_sceneGraphs.json", json.dumps({str(n): graph({str(n): cat()}) for n in range(200)}))
    whole.write_bytes(whole.read_bytes()[: int(share * whole.stat().st_size)])
    with pytest.raises(BrokenDataset, match=r"is no whole zip archive .*; fetch it again") as caught:
        list(read_graphs(whole))
    assert "\n" not in str(caught.value)
    written(tmp_path, {"1": graph({"1": cat()})})

    found, counts = read(tmp_path)

    assert [one.image_id for one in found] == ["1"]
    assert counts == {"G001": 1}


def test_a_damaged_member_is_one_line(tmp_path):
    """Bytes that changed inside an archive are noticed by its check sum."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("val_sceneGraphs.json", json.dumps({"1": graph({"1": cat()})}))
    path.write_bytes(path.read_bytes().replace(b"black", b"blank"))

    with pytest.raises(BrokenDataset, match="is no whole zip archive"):
        read_table(path)


def test_names_in_an_archive_lead_nowhere(tmp_path):
    """Members are read, never unpacked: names that climb out of the folder or hold control characters do no harm."""
    folder = tmp_path / "inner"
    folder.mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("../../escaped.json", json.dumps({"1": graph({"1": cat()})}))
        archive.writestr("/root.json", json.dumps({"2": graph({"1": cat()})}))
        archive.writestr("b\x1b[31m\n.json", "nonsense")
        archive.writestr("inner.zip/", b"")
    report = GraphReport()

    table = read_table(folder, report=report)

    assert sorted(table.image_ids) == ["1", "2"]
    assert report.counts == {"G001": 1}
    assert report.lines[0].isprintable()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.zip"]


@pytest.mark.parametrize(
    ("unit", "message"),
    [("x", "has more than 4,194,304 characters"), (" ", "it is cut short"), ("[", "nested too deeply")],
)
def test_a_small_archive_of_a_huge_file_is_given_up(tmp_path, unit, message):
    """What unpacks to a thousand times its size ends in one line, in little memory, and what came before is kept."""
    whole = json.dumps({"1": graph({"1": cat()})})
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", f'{whole[:-1]}, "2": ' + ('"' if unit == "x" else "") + unit * 40_000_000)
    assert (tmp_path / "a.zip").stat().st_size < 100_000
    report = GraphReport()

    tracemalloc.start()
    found = list(read_graphs(tmp_path, report))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [one.image_id for one in found] == ["1"]
    assert message in report.lines[0]
    assert peak < 40_000_000


GROWTH = """
import resource, sys
from deixis.worlds.photos.data.graphs import read_graphs
from deixis.worlds.photos.clean import GraphReport
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
report = GraphReport()
assert sum(1 for _ in read_graphs(sys.argv[1], report)) == 1
before = most()
print(sum(1 for _ in read_graphs(sys.argv[2], report)), most() - before, dict(report.counts))
"""


@pytest.mark.slow
def test_a_line_of_sixty_megabytes_costs_no_memory(tmp_path):
    """A single line far longer than what is read at once costs some chunks; a null in it costs one image."""
    pytest.importorskip("resource")
    small = written(tmp_path, {"0": graph({"1": cat()})}, "small.json")
    objects = json.dumps(graph({str(number): cat() for number in range(60)}))
    count = 60_000_000 // len(objects)
    with (tmp_path / "large.json").open("w", encoding="utf-8") as file:
        file.write('{"none": null')
        for number in range(count):
            file.write(f', "{number}": {objects}')
        file.write("}")

    done = subprocess.run(
        [sys.executable, "-c", GROWTH, str(small), str(tmp_path / "large.json")],
        check=True,
        capture_output=True,
        text=True,
    )

    images, grown, counts = done.stdout.split(maxsplit=2)
    assert int(images) == count
    assert int(grown) < 30_000_000
    assert counts.strip() == "{'G002': 1}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected a JSON object or list of scene graphs"),
        (b"17", "expected a JSON object or list"),
        (b"{nonsense", "name of a field"),
        (b"\0\1\2", "it is a binary file"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"1": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1} {"b": 2}', "more text behind the end"),
    ],
)
def test_what_holds_no_graphs_is_refused_in_one_line(tmp_path, content, message):
    """Files of another kind end in one helpful line."""
    path = tmp_path / "x.json"
    path.write_bytes(content)

    with pytest.raises(BrokenDataset, match=message) as caught:
        read_table(path)

    assert "\n" not in str(caught.value)


def test_a_place_without_graphs_is_refused(tmp_path):
    """A missing file, an empty folder and a file of something else are told apart."""
    with pytest.raises(BrokenDataset, match="No such file"):
        read_table(tmp_path / "missing.json")
    with pytest.raises(BrokenDataset, match=r"holds no \.json or \.zip file"):
        read_table(tmp_path)
    with pytest.raises(BrokenDataset, match="no scene graph with an object in it; G002 image refs"):
        read_table(written(tmp_path, {"refs": []}))


def test_writing_holds_one_graph_at_a_time(tmp_path):
    """A file of GQA is one object on one line, and an empty corpus is an empty one."""
    write_gqa(tmp_path / "a.json", iter([STREET]))
    write_gqa(tmp_path / "b.json", iter([]))

    assert (tmp_path / "a.json").read_text().count("\n") == 0
    assert read(tmp_path / "a.json")[0] == [STREET]
    assert json.loads((tmp_path / "b.json").read_text()) == {}


OBJECTS = [
    {"object_id": 1, "names": ["Man"], "x": 10, "y": 10, "w": 50, "h": 100, "synsets": []},
    {"object_id": 2, "names": ["bike"], "x": 90, "y": 40, "w": 60, "h": 70},
    {"object_id": 2, "names": ["bike"], "x": 90, "y": 40, "w": 60, "h": 70},
]
RIDES = {"predicate": "ON ", "subject_id": 1, "object_id": 2, "relationship_id": 5}
FILES = {
    "objects": [{"image_id": 7, "objects": OBJECTS}, {"image_id": 8, "objects": OBJECTS[:1]}],
    "attributes": [
        {"image_id": 8, "attributes": [{"object_id": 1, "names": ["man"], "attributes": ["tall", " old"]}]},
        {"image_id": 7, "attributes": [{"object_id": 2, "attributes": ["red"]}, {"object_id": 1, "attributes": None}]},
    ],
    "relationships": [
        {"image_id": 7, "relationships": [RIDES | {"subject": {"object_id": 1}, "object": {"object_id": 2}}, {}]}
    ],
    "image_data": [{"image_id": 7, "width": 640, "height": 480}],
}


def test_the_files_of_visual_genome_are_read_side_by_side(tmp_path):
    """Objects, attributes, relationships and sizes come together by image, though the files order them differently."""
    for stem, content in FILES.items():
        written(tmp_path, content, f"{stem}.json")
    written(tmp_path, [{"image_id": 7, "objects": OBJECTS}], "scene_graphs.json")  # the same images once more
    report = GraphReport()

    table = read_table(tmp_path, report=report)
    first, second = table.scene(0), table.scene(1)

    assert (first.image_id, first.width, first.names) == ("7", 640, ("man", "bike"))
    assert first.links == {("on", 0, 1), (LEFT, 0, 1), (RIGHT, 1, 0)}
    assert first.words == (frozenset(), {"red"})
    assert second.words == ({"tall", "old"},)
    assert (second.width, second.height) == (60, 110)
    assert dict(report.counts) == {"G009": 1, "G010": 1, "G108": 3, "G110": 1, "G204": 2}


def test_scene_graphs_of_visual_genome_hold_their_relationships(tmp_path):
    """`scene_graphs.json` names subject and object beside the predicate."""
    path = written(
        tmp_path, [{"image_id": 7, "objects": OBJECTS[:2], "relationships": [RIDES]}, None], "scene_graphs.json"
    )

    found, counts = read(path)

    assert Link("ON", "2") in found[0].objects[0].relations
    assert counts == {"G110": 1, "G002": 1}


def test_a_broken_companion_costs_itself(tmp_path):
    """Without readable attributes the objects are read all the same."""
    written(tmp_path, FILES["objects"], "objects.json")
    (tmp_path / "attributes.json").write_text('[{"image_id": 7, "attr')

    found, counts = read(tmp_path)

    assert [one.image_id for one in found] == ["7", "8"]
    assert counts["G001"] == 1


@given(order=st.permutations(range(8)))
def test_a_companion_is_found_by_image_in_any_order(order):
    """Entries that come early are kept until their image is asked for; those that never come are empty."""
    companion = Companion({"image_id": number, "told": number} for number in order)

    assert [companion.of(str(number)).get("told") for number in range(8)] == list(range(8))
    assert companion.of("99") == {}


@needs_graphs
def test_real_files_are_read(tmp_path):
    """The real graphs of GQA and Visual Genome and the scenes of CLEVR are read without anything left out."""
    for path, images, objects in ((GQA, 4, 59), (VISUAL_GENOME, 997, 28_821), (CLEVR, 10, 56)):
        report = GraphReport()
        table = read_table(path, report=report)

        assert (len(table), table.object_count) == (images, objects)
        assert not [code for code in report.counts if code.startswith("G0")]


@needs_graphs
def test_shapes_of_clevr_stand_where_its_relations_say():
    """What CLEVR calls left of something lies further left in the picture; all have a color, material and size."""
    table = read_table(CLEVR)
    scenes = [table.scene(number) for number in range(len(table))]
    sides = [scene.boxes[i].x < scene.boxes[j].x for scene in scenes for r, i, j in scene.links if r == LEFT]

    assert sum(sides) / len(sides) > 0.95
    assert all(
        scene.values(i, kind) for scene in scenes for i in range(len(scene)) for kind in ("color", "material", "size")
    )
    assert set(table.vocabulary.names) == {"cube", "cylinder", "sphere"}
    assert scenes[0].image_id == "CLEVR_new_000000"
