from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.table import examples_of


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_tables_are_printed(tiny, capsys):
    """Without a folder, Table 2 and the numbers behind both figures are printed."""
    out = printed(capsys, "stats", tiny)

    for title in ("Examples (Table 2)", "Actions per plan (Figure 4)", "Colours in worlds (Figure 5)", "Adverbs"):
        assert title in out
    assert "published" not in out


@pytest.mark.parametrize("columns", ["40", "80"])
def test_no_digit_is_cut_off(tiny, columns, capsys, monkeypatch):
    """In a narrow terminal every number of Table 2 is still whole."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    (found,) = json.loads(printed(capsys, "stats", tiny, "--json"))["datasets"]

    words = printed(capsys, "stats", tiny, "--paper").split()

    for row in found["table 2"]:
        assert f"{row['examples']:,}" in words
    for number in ("549,634", "30,470", "5,859", "539,722", "81,349"):
        assert number in words


def test_published_numbers_are_printed_on_request(tiny, capsys):
    """With --paper the published sets of the same patterns stand beside ours."""
    out = printed(capsys, "stats", tiny, "--paper")

    assert "549,634" in out
    assert "published p3" in out
    assert "published p2" in out


@pytest.mark.parametrize("kind", ["dataset", "released"])
def test_json_counts_the_examples(kind, tiny, released, capsys):
    """The JSON says how many examples every pattern and verb has, whatever form the dataset has."""
    path = tiny if kind == "dataset" else released
    examples = [example for table in open_source(path).tables() for example in examples_of(table)]

    (found,) = json.loads(printed(capsys, "stats", path, "--json"))["datasets"]

    assert found["examples"] == len(examples)
    for row in found["table 2"][:-1]:
        assert row["examples"] == sum(example.pattern == row["pattern"] for example in examples)
    for verb, count in found["figure 5"]["verbs"].items():
        assert count == sum(str(example.verb) == verb for example in examples)


@pytest.mark.slow
def test_figures_of_several_datasets_go_into_one_folder(tiny, released, tmp_path, capsys):
    """Two datasets are drawn side by side under the names they are given, in the formats that are asked for."""
    words = ("--out", tmp_path / "figures", "--format", "svg", "--names", "ours,theirs", "--split", "train", "--paper")
    out = printed(capsys, "stats", tiny, released, *words)

    written = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert written == ["figure4.svg", "figure5.svg", "stats.json", "table2.csv", "table2.md"]
    assert "figure5.svg" in out
    assert "ours: " in (tmp_path / "figures" / "figure5.svg").read_text(encoding="utf-8")
    plain = json.loads((tmp_path / "figures" / "stats.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in plain["datasets"]] == ["ours", "theirs"]
    assert plain["datasets"][0]["table 2"][-1]["splits"] == plain["datasets"][1]["table 2"][-1]["splits"]


def test_datasets_of_one_name_are_told_apart(tiny, released, tmp_path, capsys):
    """As much of the path as is needed goes into the names."""
    other = tmp_path / "other" / released.name
    other.parent.mkdir()
    other.write_bytes(released.read_bytes())

    found = json.loads(printed(capsys, "stats", released, other, "--json"))["datasets"]

    assert [one["name"] for one in found] == [f"{released.parent.name}/{released.name}", f"other/{released.name}"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--format", "pdf"), "png or svg, got pdf"),
        (("--format", ","), "got no format"),
        (("--split", "nowhere"), "there is no split 'nowhere'"),
        (("--names", "a,b"), "give 1 --names"),
    ],
)
def test_mistakes_end_in_one_line(words, complaint, tiny, tmp_path, capsys):
    """What cannot be done is said in one line, and nothing is written."""
    assert main(["stats", str(tiny), "--out", str(tmp_path / "out"), *words]) == 2

    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_dataset_cannot_be_compared_with_itself(tiny, capsys):
    """Naming a dataset twice is a slip."""
    assert main(["stats", str(tiny), str(tiny)]) == 2
    assert "named twice" in capsys.readouterr().err
