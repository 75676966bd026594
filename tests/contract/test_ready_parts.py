"""Checks, statistics and cards that a world has without writing any, with the beads that come with the toolkit."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis.data._seal import write_manifest
from deixis.data.checks import CheckRequest
from deixis.data.store import file_digest
from deixis.errors import UnknownName
from deixis.expression.parts import parts, without
from deixis.expression.plain import expression_from_plain, expression_to_plain
from deixis.worlds.toolkit.checks import CODES, ExampleChecks


@pytest.fixture(scope="module")
def world(beads):
    """The world of beads."""
    return import_module("deixis_beads").WORLD


@pytest.fixture(scope="module")
def sound(world, tmp_path_factory):
    """A dataset of beads."""
    scenes = import_module("deixis_beads.scenes")
    data = tmp_path_factory.mktemp("made") / "beads"
    scenes.RECIPES.make(scenes.BeadsRecipe(examples=120, seed=3), data, workers=1, progress=None, crew=None)
    return data


def check(world, path, **request):
    return world.part("checks").check(path, CheckRequest(**request))


def rewritten(sound, folder, change, split="train"):
    """A copy whose rows of a split have been changed, the manifest sealed anew so that only the content is wrong."""
    shutil.copytree(sound, folder)
    file = folder / "data" / f"{split}.parquet"
    table = pq.read_table(file)
    rows = change(table.to_pylist())
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), file)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        if entry["path"] == f"data/{split}.parquet":
            entry |= {"bytes": file.stat().st_size, "sha256": file_digest(file), "rows": len(rows)}
    write_manifest(folder, manifest)
    return folder


def of_first(**values):
    return lambda rows: [{**rows[0], **values}, *rows[1:]]


def weaker(row):
    """The same row with a part of its expression left out, or None where there is just one."""
    expression = expression_from_plain(json.loads(row["expression"]))
    some = list(parts(expression))
    return None if len(some) < 2 else json.dumps(expression_to_plain(without(expression, some[-1])))


def test_a_sound_dataset_has_no_errors(world, sound):
    """Every example is read, parsed and resolved."""
    report = check(world, sound)

    assert not report.has_errors
    assert report.rows == len(world.part("examples").open(sound))
    assert report.shares
    assert set(report.checked) == set(CODES)


def test_a_file_that_has_changed_or_is_not_listed_is_found(world, sound, tmp_path):
    """By the hashes of the manifest and the list of its files."""
    shutil.copytree(sound, tmp_path / "copy")
    with (tmp_path / "copy" / "README.md").open("a", encoding="utf-8") as card:
        card.write("more")
    (tmp_path / "copy" / "notes.txt").write_text("mine", encoding="utf-8")

    found = {(one.code, one.file) for one in check(world, tmp_path / "copy", select=("E002", "W006")).findings}

    assert found == {("E002", "README.md"), ("W006", "notes.txt")}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (of_first(scenes="["), "E001"),
        (of_first(text="the plaid bead"), "E104"),
        (lambda rows: [{**rows[0], "text": rows[1]["text"]}, *rows[1:]], "E004"),
        (lambda rows: [{**rows[0], "id": rows[1]["id"]}, *rows[1:]], "E007"),
        (lambda rows: [*rows, {**rows[0], "id": 999_999}], "W402"),
        (
            lambda rows: [
                {**row, "target_object": (row["target_object"] + 1) % len(json.loads(row["scenes"])[0]["objects"])}
                if place == 0
                else row
                for place, row in enumerate(rows)
            ],
            "E103",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_an_example_is_found(world, sound, tmp_path, change, code):
    """By its code, with the row; looked for alone, it is found as well."""
    broken = rewritten(sound, tmp_path / "broken", change)

    report = check(world, broken)

    assert report.counts[code] == 1
    assert check(world, broken, select=(code,)).counts[code] == 1
    finding = next(one for one in report.findings if one.code == code)
    examples = world.part("examples").open(broken)
    assert finding.row in examples.numbers("train")


def test_an_expression_that_fits_too_much_or_nothing_is_found(world, sound, tmp_path):
    """E102 where a needed part is gone, E101 where what is said is not there."""

    def change(rows):
        place, text = next((n, w) for n, row in enumerate(rows) if (w := weaker(row)) is not None)
        return [{**row, "expression": text} if n == place else row for n, row in enumerate(rows)]

    found = check(world, rewritten(sound, tmp_path / "broken", change)).counts

    assert found.get("E102", 0) + found.get("E101", 0) + found.get("W201", 0) >= 1
    assert found["E004"] == 1


def test_an_example_in_two_splits_is_found_within_and_across(world, sound, tmp_path, capsys):
    """A row of test that is added to train; and the same dataset beside a sample of itself."""
    (tested, *_) = pq.read_table(sound / "data" / "test.parquet").to_pylist()
    broken = rewritten(sound, tmp_path / "broken", lambda rows: [*rows, {**tested, "split": "train", "id": 999_999}])

    assert check(world, broken).counts["E401"] == 1
    assert main(["check", str(sound), str(broken), "--select", "E4", "--json"]) == 1
    across = json.loads(capsys.readouterr().out)["across"]
    assert across["counts"]["E401"] == 1
    assert across["findings"][0]["path"] == str(broken)


def test_a_sample_is_chosen_by_the_seed(world, sound):
    """So many examples, the same ones for the same seed, without a look at the files."""
    one, same, other = (check(world, sound, sample=10, seed=seed) for seed in (1, 1, 2))

    assert one.rows == other.rows == 10
    assert one.as_dict() == same.as_dict()
    rows = [set(report.pieces[0].row.tolist()) for report in (one, other)]
    assert rows[0] != rows[1]


def test_every_example_is_counted_in_its_split(world, sound):
    """Numbers of words, objects and steps are those of the examples."""
    statistics = world.part("statistics")
    examples = list(world.part("examples").open(sound))
    (found,) = statistics.describe([statistics.count(sound, name="beads")]).values["datasets"]
    test = statistics.count(sound, name="beads", split="test")

    assert found["examples"] == len(examples)
    assert found["distinct texts"] == len({example.text for example in examples})
    assert sum(int(words) * n for words, n in found["lengths"].items()) == sum(len(e.text.split()) for e in examples)
    assert sum(found["objects"].values()) == sum(len(e.context.scenes) for e in examples)
    assert test.whole.examples == sum(example.split == "test" for example in examples)
    with pytest.raises(UnknownName, match="it has"):
        statistics.count(sound, name="beads", split="nowhere")


def test_a_card_has_a_picture_figures_and_metadata(world, sound, tmp_path, capsys):
    """Written from manifest and columns alone, and the manifest answers for it."""
    folder = shutil.copytree(sound, tmp_path / "copy")

    assert main(["card", str(folder), "--json"]) == 0

    (written,) = json.loads(capsys.readouterr().out)["cards"]
    assert {"README.md", "croissant.json", "figures/distributions.png", "figures/table2.md"} <= set(written["files"])
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "| `text` | string | what is said |" in text
    assert "Beads on a string" in text
    assert json.loads((folder / "croissant.json").read_text(encoding="utf-8"))["name"] == "beads-3"
    assert check(world, folder, select=("E002", "W006")).counts == {}


def test_a_world_adds_checks_of_its_own(world, sound):
    """Its codes are looked for beside the ready-made ones, can be selected, and say what they found where."""

    class BeadChecks(ExampleChecks):
        codes: ClassVar = {**CODES, "W501": "It speaks of a disc", "I502": "It is short"}

        def faults(self, example):
            if "disc" in example.text:
                yield "W501", f"{example.text!r} does"
            yield "I502", "it is"

    texts = [example.text for example in world.part("examples").open(sound)]
    report = BeadChecks(world).check(sound, CheckRequest())
    alone = BeadChecks(world).check(sound, CheckRequest(select=("W501",), most=2))

    assert report.counts == {"W501": sum("disc" in text for text in texts)}
    assert alone.counts == report.counts
    assert [(one.code, one.detail) for one in alone.findings] == [
        ("W501", f"{text!r} does") for text in texts if "disc" in text
    ][:2]
