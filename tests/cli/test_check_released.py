"""What `deixis check` and `deixis audit` say of released files, and of several paths."""

from __future__ import annotations

import json
from copy import deepcopy

import pyarrow as pa
import pytest

from deixis._cli import main
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.sources import open_source
from tests.datasets.formats.released import ONE_CLAUSE, SIMPLE, write_file


def printed(capsys, *words, code=0):
    """What a command prints as JSON."""
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def moved(record, number):
    """The example with its last object somewhere else, so that it is another one."""
    record = deepcopy(record)
    objects = record["situation"]["placed_objects"]
    objects[str(len(objects) - 1)]["position"] = {"row": str(3 + number // 6), "column": str(number % 6)}
    return record


@pytest.fixture
def leaky(tmp_path):
    """A training file of eight examples and a test file of six, three of which were trained on."""
    train = [moved(SIMPLE, number) for number in range(8)]
    test = [moved(SIMPLE, 10), train[5], moved(SIMPLE, 11), train[0], train[7], moved(SIMPLE, 12)]
    return (
        write_file(tmp_path / "train.txt", *train, split="train"),
        write_file(tmp_path / "p3-test.txt", *test, split="test"),
    )


def test_examples_of_one_path_are_looked_for_in_the_others(leaky, capsys):
    """Test examples that are in the training file beside them are found, each with both its places."""
    train, test = leaky

    found = printed(capsys, "check", train, test, "--select", "E4", code=1)

    assert [report["counts"] for report in found["reports"]] == [{}, {}]
    assert found["across"]["counts"] == {"E401": 3}
    assert [(f["row"], f["split"], f["path"]) for f in found["across"]["findings"]] == [
        (1, "test", str(test)),
        (3, "test", str(test)),
        (4, "test", str(test)),
    ]
    assert found["across"]["findings"][0]["detail"] == f"also row 5 of {train} (train)"
    assert found["problems"] is True


def test_a_path_alone_has_nothing_across(leaky, capsys):
    """Each of the two files is sound by itself."""
    for path in leaky:
        assert "across" not in printed(capsys, "check", path, "--select", "E4")


def test_a_leak_is_told_in_words(leaky, capsys):
    """The text counts what is in two splits and names the first places, whatever form the files have."""
    train, test = leaky
    made = write_imported(open_source(train).tables(), train.parent / "made", source="test", kind="test").path

    assert main(["check", str(made), str(test), "--select", "E4"]) == 1

    out = capsys.readouterr().out
    assert "between these paths: 3 examples are in two splits (E401)" in out
    assert f"E401 {test}, row 1, split test" in out


def test_the_same_path_twice_is_twice_the_same(leaky, capsys):
    """Examples in splits of one name are repeated, not leaked."""
    found = printed(capsys, "check", leaky[0], leaky[0], "--select", "E401,W402", code=1)

    assert found["across"]["counts"] == {"W402": 8}


def test_paths_that_share_nothing_are_told_so(leaky, tmp_path, capsys):
    """Two files without a common example have no finding between them."""
    main(["check", str(leaky[0]), str(write_file(tmp_path / "x.txt", ONE_CLAUSE)), "--select", "E4"])

    assert "between these paths: nothing is in two of them" in capsys.readouterr().out


def test_an_audit_tells_what_datasets_share(leaky, capsys):
    """The examples of a test file that are also in a training file are counted, in text and in JSON."""
    train, test = leaky

    shared = printed(capsys, "audit", train, test, "--out", train.parent / "audit")["shared"]
    main(["audit", str(train), str(test)])

    assert shared == [
        {
            "dataset": "p3-test.txt",
            "split": "test",
            "other": "train.txt",
            "other_split": "train",
            "examples": 3,
            "total": 6,
        }
    ]
    assert "3 of the 6 examples of p3-test.txt (test) are also in train.txt (train)" in capsys.readouterr().out
    assert "3 of the 6 examples" in (train.parent / "audit" / "audit.html").read_text(encoding="utf-8")


def test_an_audit_of_datasets_that_share_nothing_says_nothing(leaky, tmp_path, capsys):
    """There is no line where there is nothing in common, and no field where there is one dataset."""
    apart = write_file(tmp_path / "x.txt", ONE_CLAUSE)

    assert printed(capsys, "audit", leaky[0], apart)["shared"] == []
    assert "shared" not in printed(capsys, "audit", apart)


def test_audited_datasets_can_be_given_names(leaky, capsys):
    """As for `deixis stats`: one for each, no two alike."""
    found = printed(capsys, "audit", *leaky, "--names", "seen,unseen")

    assert list(found["audits"]) == ["seen", "unseen"]
    assert main(["audit", *map(str, leaky), "--names", "seen"]) == 2
    assert "give 2 --names" in capsys.readouterr().err


def test_as_many_findings_are_listed_as_asked_for(tmp_path, capsys):
    """More than twenty findings of a code are listed where more are asked for, in text and in JSON."""
    wrong = [{**moved(SIMPLE, number % 18), "n_object": 100 + number} for number in range(30)]
    path = write_file(tmp_path / "wrong.txt", *wrong)

    every = printed(capsys, "check", path, "--select", "E005", "--max-findings", 1000, code=1)["reports"][0]
    usual = printed(capsys, "check", path, "--select", "E005", code=1)["reports"][0]
    main(["check", str(path), "--select", "E005", "--max-findings", "25"])

    assert [finding["row"] for finding in every["findings"]] == list(range(30))
    assert len(usual["findings"]) == 20
    assert capsys.readouterr().out.count("n_object 1") == 25


def test_a_broken_example_does_not_end_the_run(tmp_path, capsys):
    """Of three files the first has an example that makes no sense; all are checked."""
    broken = write_file(tmp_path / "a.txt", SIMPLE, {**SIMPLE, "target_commands": "jump"})
    others = [write_file(tmp_path / name, SIMPLE, split=name) for name in ("b.txt", "c.txt")]

    found = printed(capsys, "check", broken, *others, "--select", "E0", code=1)

    assert [report["counts"] for report in found["reports"]] == [{"E001": 1}, {}, {}]


@pytest.mark.parametrize("options", [(), ("--sample", "5")])
def test_a_file_that_breaks_off_is_a_finding(tmp_path, capsys, options):
    """A file cut in the middle is checked as far as it goes, in a sample, too."""
    path = write_file(tmp_path / "cut.txt", SIMPLE, moved(SIMPLE, 1), SIMPLE)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.rindex('"n_object"')], encoding="utf-8")

    found = printed(capsys, "check", path, "--select", "E0", *options, code=1)["reports"][0]

    assert found["rows"] == 2
    assert found["counts"] == {"E001": 1}


def test_parts_of_tables_with_findings_can_be_merged():
    """A text in place of a table is a finding."""
    from deixis.worlds.grid.checks import check_tables

    assert check_tables([pa.table({}), "a.txt cannot be read"]).counts == {"E001": 2}
