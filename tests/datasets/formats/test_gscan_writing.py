"""gSCAN's released layout, written and read again: the compositional splits, long plans and spatial relations."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import pytest

from deixis._cli import main
from deixis.errors import RecipeError
from deixis.resolution.reference import denotation
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.table import table_of
from deixis.worlds.grid.formats._gscan_records import gscan_record, joined_words
from deixis.worlds.grid.formats.gscan import read_gscan, read_gscan_examples, write_gscan
from deixis.worlds.grid.formats.reascan import read_examples
from deixis.worlds.grid.making.make import make
from tests.datasets.formats.released import GSCAN, ONE_CLAUSE, situation, write_file
from tests.datasets.test_gscan_splits import small


REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "others" / "gscan"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the real gSCAN files do not lie beside the checkout")
TOLD_OTHERWISE = "carrying_object"  # null in most files, "None" in one

SPATIAL = {
    "command": "push,a,small,circle,south west of,a,blue,square",
    "meaning": "push,a,small,circle,south west of,a,blue,square",
    "derivation": "",
    "situation": situation(
        "red circle 1 at 3 1",
        "blue square 2 at 2 2",
        "red circle 1 at 0 5",
        "green circle 4 at 5 5",
        agent=(3, 0),
        distance=1,
        direction="e",
    ),
    "target_commands": "walk,push,push,push,push",
    "verb_in_command": "push",
    "manner": "",
    "referred_target": "small  circle",
    "location_prep": "south west of",
}


def test_spatial_relations_are_read_with_their_meaning(tmp_path):
    """A relation is said without 'that is', and means a neighbouring cell in one direction."""
    path = write_file(tmp_path / "dataset.txt", SPATIAL, split="relative_position_2")
    (example,) = read_gscan_examples(path)

    assert example.text == "push a small circle south west of a blue square"
    assert str(example.expression) == "[shape=circle, size=least, south west of: [shape=square, color=blue]]"
    assert example.pattern == "p2"
    assert denotation(example.expression, example.scene) == {0}
    assert example.plan == example.gold_plan()
    assert main(["check", str(path)]) == 0


@pytest.mark.parametrize(
    "words", ["south west of a blue square", "that is south west of a blue square", "South West of,a,blue,square"]
)
def test_other_ways_to_write_a_relation_are_read_too(tmp_path, words):
    """With 'that is', with commas and with spaces it is the same command."""
    example = {**SPATIAL, "command": f"push a small circle {words}"}

    (read,) = read_gscan_examples(write_file(tmp_path / "dataset.txt", example))

    assert denotation(read.expression, read.scene) == {0}


def test_size_words_of_released_files_mean_smallest_and_biggest(tmp_path, capsys):
    """Of three circles the second is smaller than another, but only one is the smallest, and gSCAN means that."""
    example = deepcopy(GSCAN)
    example["command"] = example["meaning"] = "walk,to,a,small,circle,while spinning"
    example["referred_target"] = "small  circle"
    circles = {"0": "red circle 2 at 0 0", "1": "red circle 1 at 4 4", "2": "blue circle 4 at 5 0"}
    placed = situation(*circles.values(), agent=(4, 3), distance=1, direction="e")
    placed["target_object"] = placed["placed_objects"]["1"]
    example["situation"] = placed
    example["target_commands"] = "turn left,turn left,turn left,turn left,walk"
    path = write_file(tmp_path / "dataset.txt", example)

    assert main(["check", str(path)]) == 0
    assert main(["check", str(path), "--thorough"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("splits", ["compositional", "lengths", pytest.param("spatial", marks=pytest.mark.slow)])
def test_what_is_made_survives_the_released_layout(tmp_path, splits):
    """Worlds, meanings, plans and splits are the same when read again, under the release's names."""
    dataset = make(small(splits), tmp_path / "made", workers=1)
    path = tmp_path / "out" / "dataset.txt"
    path.parent.mkdir()
    tables = list(open_source(dataset.path).tables())

    written = write_gscan(iter(tables), path)
    again = sorted(read_gscan_examples(path), key=_key)

    before = sorted((e for e in _examples(tables) if e.split != "aside"), key=_key)
    assert written.left_out == dataset.splits.get("aside", 0)
    assert [_content(example) for example in again] == [_content(example) for example in before]
    names = {"yellow-squares": "visual_easier", "long-plans": "target_lengths", "relation": "relation"}
    assert set(names.values()) & set(written.splits)
    assert sum(written.splits.values()) == len(again)


def _examples(tables):
    from deixis.worlds.grid.data.table import examples_of

    for table in tables:
        yield from examples_of(table)


def _key(example):
    return str(_content(example))


def _content(example):
    """All of an example that gSCAN's layout says."""
    said = str(example.expression), str(example.verb), str(example.manner)
    return said, example.scene, example.target, example.plan


def test_what_was_read_is_written_as_it_was(tmp_path):
    """A file that is read, written and read again has the same examples with the same ids."""
    path = write_file(tmp_path / "dataset.txt", GSCAN, SPATIAL, split="train")
    out = tmp_path / "again.txt"

    write_gscan(read_gscan(path), out)

    assert [e.id for e in read_gscan_examples(out)] == [e.id for e in read_gscan_examples(path)]


@needs_real
def test_real_records_are_written_field_by_field(tmp_path):
    """Derivations, vectors and all other fields of the real files come back, in their order."""
    path = REAL / "tfds_target_length_dataset.txt"
    write_gscan(read_gscan(path), tmp_path / "again.txt")
    real, ours = (json.loads(file.read_text(encoding="utf-8")) for file in (path, tmp_path / "again.txt"))

    for split, examples in real["examples"].items():
        for example in (*examples, *ours["examples"][split]):
            example["situation"].pop(TOLD_OTHERWISE)
        assert ours["examples"][split] == examples
        assert [list(example) for example in ours["examples"][split]] == [list(example) for example in examples]
    assert set(real) <= set(ours)


@needs_real
def test_a_real_prediction_is_written_as_an_example(tmp_path):
    """The command, derivation, world and plan of an entry are those of a released example."""
    path = REAL / "example_prediction.json"
    (entry,) = json.loads(path.read_text(encoding="utf-8"))
    (example,) = read_gscan_examples(path)

    record = gscan_record(example)

    assert record["command"].split(",") == entry["input"]
    assert record["derivation"] == entry["derivation"][0]
    assert record["target_commands"].split(",") == entry["target"]
    assert record["situation"] == entry["situation"][0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("walk to a circle while spinning", ["walk", "to", "a", "circle", "while spinning"]),
        ("push a circle north east of a square", ["push", "a", "circle", "north east of", "a", "square"]),
        ("pull a circle next to a square", ["pull", "a", "circle", "next to", "a", "square"]),
    ],
)
def test_words_that_belong_together_stay_together(text, words):
    """Manners and relations are one token each."""
    assert joined_words(text) == words


def test_what_gscan_cannot_say_is_refused(tmp_path):
    """Boxes and the clauses of ReaSCAN have no place in the layout, and no file is left behind."""
    examples = list(read_examples(write_file(tmp_path / "reascan.txt", ONE_CLAUSE)))

    with pytest.raises(RecipeError, match="gSCAN has no boxes, so this cannot be written in its layout"):
        write_gscan([table_of(examples)], tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


def test_convert_writes_the_vocabularies_beside_the_file(tmp_path, capsys):
    """The words of train, 'while spinning' together, under the names of gSCAN's release."""
    path = write_file(tmp_path / "dataset.txt", GSCAN, split="train")

    assert main(["convert", str(path), str(tmp_path / "out"), "--to", "gscan"]) == 0
    said = capsys.readouterr().out
    words = json.loads((tmp_path / "out" / "training_input_vocab.txt").read_text(encoding="utf-8"))["idx_to_word"]

    assert words[3:] == ["walk", "to", "a", "red", "small", "circle", "while spinning"]
    assert (tmp_path / "out" / "training_target_vocab.txt").is_file()
    assert "the layout of gSCAN does not say" in said
    assert main(["convert", str(path), str(tmp_path / "out"), "--to", "gscan"]) == 2
    assert "already exists" in capsys.readouterr().err


def test_an_oracle_is_right_on_a_released_file_with_relations(tmp_path, capsys):
    """Verbs that judge plans take the released layout with relations as any other."""
    path = write_file(tmp_path / "dataset.txt", SPATIAL, split="test")

    for words in (["evaluate", "oracle", "--data", str(path), "--json"], ["audit", str(path)], ["stats", str(path)]):
        assert main(words) == 0
        out = capsys.readouterr().out
        if words[0] == "evaluate":
            assert SimpleNamespace(**json.loads(out)["splits"]["test"]).exact == 1.0
