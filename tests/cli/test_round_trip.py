from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deixis._cli import main
from deixis.data.checks import CheckRequest
from deixis.data.store import open_dataset
from deixis.worlds.grid.checks._run import check_source
from deixis.worlds.grid.data.sources import open_source
from tests.datasets.formats.released import SAMPLE, needs_sample


def printed(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> dict:
    """What a verb prints as JSON."""
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def ids(path: Path) -> list[int]:
    return sorted(number for table in open_source(path).tables() for number in table["id"].to_pylist())


def test_make_says_what_was_made(tmp_path, tiny_recipe, capsys):
    """The JSON of make agrees with the manifest on disk."""
    run = printed(capsys, "make", "reascan", "--recipe", tiny_recipe, "--out", tmp_path / "out", "--workers", 2)

    manifest = open_dataset(tmp_path / "out").manifest
    assert run["examples"] == manifest["examples"] == 60
    assert run["content"] == manifest["content"]
    assert sum(run["splits"].values()) >= 60
    assert (run["was complete"], run["was resumed"]) == (False, False)


def test_make_prints_a_table_and_the_next_command(tmp_path, tiny_recipe, capsys):
    """The text of make lists the splits and says what to type next."""
    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--out", str(tmp_path / "out")]) == 0

    out, err = capsys.readouterr()
    assert "bytes per example" in out
    assert "train" in out
    assert out.endswith(f"Next: deixis check {tmp_path / 'out'}\n")
    assert err == ""


def test_a_complete_dataset_is_left_alone(tiny, tiny_recipe, capsys):
    """Making it again changes nothing, says so and leaves with 0."""
    before = {path: path.stat().st_mtime_ns for path in tiny.rglob("*")}

    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--out", str(tiny)]) == 0

    assert "already complete" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in tiny.rglob("*")} == before


def test_a_folder_with_another_dataset_is_refused(tiny, tiny_recipe, capsys):
    """Another seed is another recipe; what is there is not overwritten."""
    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--seed", "6", "--out", str(tiny)]) == 2

    assert "another recipe" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [["--mode", "corrected"], ["--patterns", "p1"], ["--hold-out", "a1"], ["--random-only"]]
)
def test_a_recipe_excludes_what_it_says_itself(option, tmp_path, tiny_recipe, capsys):
    """Options that would contradict the file are refused by name."""
    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--out", str(tmp_path / "x"), *option]) == 2

    assert option[0] in capsys.readouterr().err


def test_the_seed_can_be_given_with_a_recipe(tmp_path, tiny, tiny_recipe, capsys):
    """Another seed makes other examples from the same recipe."""
    main(["make", "reascan", "--recipe", str(tiny_recipe), "--seed", "6", "--out", str(tmp_path / "out")])
    capsys.readouterr()

    assert ids(tmp_path / "out") != ids(tiny)


def test_a_hold_out_that_cannot_be_made_is_refused(tmp_path, capsys):
    """B1 is made from two clauses; without them it is not silently dropped."""
    out = str(tmp_path / "x")

    assert main(["make", "reascan", "--out", out, "--patterns", "p1", "--hold-out", "a1,b1"]) == 2
    assert "b1" in capsys.readouterr().err
    assert not Path(out).exists()


def test_our_datasets_have_no_errors(tiny, capsys):
    """What we make passes every check for errors, its files and its split rules included."""
    found = printed(capsys, "check", tiny, "--select", "E")

    assert found["problems"] is False
    assert found["reports"][0]["rows"] == 60
    assert {"E001", "E002", "E403"} <= set(found["reports"][0]["checked"])


def test_a_thorough_check_agrees(tiny, capsys):
    """The plain definitions find what the compiled ones find."""
    fast = printed(capsys, "check", tiny, "--select", "E")
    thorough = printed(capsys, "check", tiny, "--select", "E", "--thorough")

    assert thorough == fast


def test_a_changed_file_is_found(tiny, tmp_path, capsys):
    """A dataset whose files are exchanged for others is not what its manifest says; the exit code is 1."""
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    train = next((copy / "data").glob("train-*"))
    dev = next((copy / "data").glob("dev-*"))
    train.write_bytes(dev.read_bytes())

    found = printed(capsys, "check", copy, code=1)

    assert found["problems"] is True
    assert found["reports"][0]["counts"]["E002"] == 1


def test_what_the_recipe_holds_out_is_looked_for(tiny, tmp_path, capsys):
    """Held-out examples moved into training are found by the rules in the manifest."""
    import pyarrow as pa

    from deixis.worlds.grid.data.imported import write_imported

    tables = [
        t.set_column(t.schema.get_field_index("split"), "split", pa.array(["train"] * len(t)))
        for t in open_source(tiny).tables("a1")
    ]
    leaky = write_imported(tables, tmp_path / "leaky", source="test", kind="test").path

    without = printed(capsys, "check", leaky, "--select", "E403")
    with_rule = printed(capsys, "check", leaky, "--select", "E403", "--hold-out", "a1", code=1)

    assert without["problems"] is False
    assert with_rule["reports"][0]["counts"]["E403"] == sum(len(table) for table in tables)


def test_findings_are_told_with_their_place(tmp_path, capsys):
    """The text of check has the code, the row, the split and the id of what it found, and the command to look at it."""
    released = _with_wrong_plan(tmp_path)

    assert main(["check", str(released), "--select", "E301"]) == 1

    out = capsys.readouterr().out
    assert "E301" in out
    assert "1 error, 0 warnings; the first of each:" in out
    assert "row 0, split train, id " in out
    assert f"deixis show {released} 0" in out


def test_the_number_of_findings_can_be_limited(released, capsys):
    """At most so many findings of each code are listed; all are counted."""
    found = printed(capsys, "check", released, "--select", "I202", "--max-findings", 2)["reports"][0]

    assert found["counts"]["I202"] > 2
    assert [finding["code"] for finding in found["findings"]].count("I202") == 2


def test_a_sample_is_checked_instead_of_everything(tiny, capsys):
    """A sample has the size asked for, and the same seed gives the same one."""
    once = printed(capsys, "check", tiny, "--select", "E1,I2", "--sample", 10, "--seed", 1)
    again = printed(capsys, "check", tiny, "--select", "E1,I2", "--sample", 10, "--seed", 1)

    assert once["reports"][0]["rows"] == 10
    assert once == again


def test_how_far_a_check_is_is_told_of_what_it_checks(tiny):
    """Of a sample, the work is as much as the sample; of everything, as much as the dataset."""
    told: list[tuple[str, int, int | None]] = []
    request = CheckRequest(select=["E1"], progress=lambda *state: told.append(state))

    for sample in (10, None):
        check_source(open_source(tiny), replace(request, sample=sample))

    assert told[0] == (tiny.name, 10, 10)
    assert told[-1][1:] == (60, 60)


def test_an_unknown_check_is_refused(tiny, capsys):
    """A selector that fits no code is a wrong usage."""
    assert main(["check", str(tiny), "--select", "X9"]) == 2
    assert "'X9'" in capsys.readouterr().err


def test_several_paths_are_checked_one_by_one(tiny, released, capsys):
    """Every path has a report of its own."""
    found = printed(capsys, "check", tiny, released, "--select", "E")

    assert [report["kind"] for report in found["reports"]] == ["dataset", "reascan"]


def test_nothing_is_lost_on_the_way_out_and_back(tiny, released, tmp_path, capsys):
    """Ours to the layout of the release and back: the same examples, and nothing wrong with them."""
    back = tmp_path / "back"

    written = printed(capsys, "convert", released, "--to", "parquet", back)

    single = sum(size for split, size in open_dataset(tiny).splits.items())
    assert sum(written["splits"].values()) == single
    assert set(ids(back)) == set(ids(tiny)) == set(ids(released))
    assert printed(capsys, "check", back, "--select", "E")["problems"] is False
    assert open_dataset(back).manifest["kind"] == "imported"


def test_vocabularies_stand_beside_a_released_file(released):
    """Models of the time read their words from two files beside the examples."""
    assert {path.name for path in released.parent.iterdir()} >= {"input_vocabulary.txt", "target_vocabulary.txt"}


def test_one_split_can_be_converted_alone(tiny, tmp_path, capsys):
    """Only the examples of the split are written, one per line in the compact form."""
    written = printed(capsys, "convert", tiny, "--to", "compact", tmp_path / "dev.jsonl", "--split", "dev")

    lines = (tmp_path / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == written["splits"]["dev"] == open_dataset(tiny).splits["dev"] > 0
    assert set(json.loads(lines[0])) == {"input", "target", "situation"}


def test_files_are_not_replaced_unasked(tiny, tmp_path, capsys):
    """A file that is already there stays as it is, unless --force is given."""
    out = tmp_path / "out.jsonl"
    out.write_text("mine", encoding="utf-8")

    assert main(["convert", str(tiny), "--to", "compact", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "mine"
    assert main(["convert", str(tiny), "--to", "compact", str(out), "--force", "--split", "train"]) == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == open_dataset(tiny).splits["train"]


@needs_sample
def test_the_published_examples_have_no_errors(capsys):
    """The sample that was released with ReaSCAN passes every check for errors."""
    assert printed(capsys, "check", SAMPLE, "--select", "E")["problems"] is False


def _with_wrong_plan(folder: Path) -> Path:
    """A released file whose only example has a plan that nobody would make."""
    from tests.datasets.formats.released import SIMPLE

    path = folder / "wrong.json"
    example = {**SIMPLE, "target_commands": "walk,walk"}
    fields = {"grid_size": 6, "type_grammar": "ReaSCAN-Grammer", "examples": {"train": [example]}}
    path.write_text(json.dumps(fields), encoding="utf-8")
    return path
