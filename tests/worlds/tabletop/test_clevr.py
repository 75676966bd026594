"""Scenes of CLEVR and programs of CLEVR-Ref+: what is written is read as the same by the reader, and real files too."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from deixis._cli import main
from deixis.errors import BrokenDataset
from deixis.readers.registry import find_reader
from deixis.resolution.reference import denotation
from deixis.worlds.registry import find_world
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._formats.clevr import SIDES, read_tables, scene_to_clevr, table_from_clevr
from deixis.worlds.tabletop._making.recipe import TabletopRecipe
from deixis.worlds.tabletop._recipes import RECIPES
from deixis.worlds.tabletop._scene import SolidScene


REAL = Path(__file__).parents[4] / "shared" / "data" / "clevr" / "CLEVR_scenes.json"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Plain examples with CLEVR's shapes."""
    folder = tmp_path_factory.mktemp("plain") / "data"
    RECIPES.make(TabletopRecipe(examples=60, mode="plain", shapes="clevr", most=5), folder, workers=1)
    return folder


def test_what_is_written_is_read_as_the_same(plain, tmp_path, capsys):
    """The reader of CLEVR-Ref+ finds the same target by the program, in a scene with the same relations."""
    assert main(["convert", str(plain), str(tmp_path / "out"), "--to", "clevr", "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    examples = EXAMPLES.open(plain)
    assert counts["examples"] + sum(counts["left out"].values()) == len(examples)
    assert counts["examples"] > 10
    by_text = {}
    for example in examples:
        by_text.setdefault(example.text, []).append(example)
    reader, seen = find_reader("clevr_ref"), 0
    for file in sorted((tmp_path / "out" / "refexps").glob("*.json")):
        for record in reader.records(file):
            for read in reader.read(record):
                (target,) = read.targets
                assert read.meaning is not None
                assert denotation(read.meaning, read.scenes[0]) == {target.object}
                assert any(
                    own.target.object == target.object and len(own.scenes[0]) == len(read.scenes[0])
                    for own in by_text[read.text]
                )
                seen += 1
    assert seen == counts["examples"]


def test_a_table_comes_back_from_a_scene_of_clevr(plain):
    """Solids, places and the direction of the camera; relations are those that the file records."""
    for example in list(EXAMPLES.open(plain))[:20]:
        scene = example.scenes[0]
        written = scene_to_clevr(scene, number=3, split="train", name="x.png")
        read = table_from_clevr(json.loads(json.dumps(written)))
        assert read.solids == scene.table.solids
        assert read.camera.azimuth == scene.table.camera.azimuth


@pytest.mark.skipif(not REAL.is_file(), reason="real scenes of CLEVR are not here")
def test_real_scenes_have_the_relations_that_clevr_records():
    """Left, right, in front and behind of every pair of ten scenes that CLEVR's engine made."""
    recorded = json.loads(REAL.read_text(encoding="utf-8"))["scenes"]
    tables = list(read_tables(REAL))

    assert len(tables) == 10
    for table, scene in zip(tables, recorded, strict=True):
        mine = SolidScene(table)
        for side, relation in SIDES.items():
            for one, other in permutations(range(len(mine)), 2):
                assert mine.related(relation, one, other) == (one in scene["relationships"][side][other])


@pytest.mark.skipif(not REAL.is_file(), reason="real scenes of CLEVR are not here")
def test_an_expression_is_explained_in_a_real_scene(capsys):
    """`explain --scene FILE` reads the first scene of a file."""
    code = main(["explain", "the large shiny cube", "--scene", str(REAL), "--world", "tabletop"])

    assert code == 0
    assert "shiny" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"scenes": 3}', '{"scenes": [{}]}', '{"scenes": [{"directions": {"right": ["a", 0]}, "objects": []}]}'],
)
def test_a_file_that_holds_no_scenes_is_refused_in_one_line(tmp_path, text):
    """Whatever is wrong with it."""
    file = tmp_path / "scenes.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(BrokenDataset) as caught:
        list(read_tables(file))
    assert "\n" not in str(caught.value)


def test_what_clevr_cannot_say_is_counted(tables, tmp_path, capsys):
    """Cones and rings, what fits nothing, and landmarks that are not the only ones."""
    assert main(["convert", str(tables), str(tmp_path / "out"), "--to", "clevr", "--json"]) == 0
    lost = json.loads(capsys.readouterr().out)["left out"]

    assert any("cones or rings" in reason for reason in lost)
    assert lost["it fits nothing"]
    assert find_world("tabletop").has("formats")
