"""What `deixis evaluate --out` keeps, and what `deixis report` makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis.worlds.grid._paper.runs import read_run
from deixis.worlds.grid.data.example_arrays import example_arrays_by_split
from deixis.worlds.grid.data.plans import write_plans
from deixis.worlds.grid.data.sources import open_source


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    """What a verb says, in JSON where that is asked for."""
    assert main([*map(str, words)]) == code
    out, err = capsys.readouterr()
    if code:
        assert err.count("\n") == 1
        assert "fault in deixis" not in err
    return err if code else out


def kept(folder: Path) -> dict:
    """The results in a folder."""
    return json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def other(tiny_recipe, tmp_path_factory) -> Path:
    """A dataset of the same recipe and another seed."""
    out = tmp_path_factory.mktemp("made") / "other"
    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--seed", "7", "--out", str(out)]) == 0
    return out


# -------------------------------------------------------------------------------- splits and datasets


def test_splits_are_added_to_those_judged_before(tiny, tmp_path, capsys):
    """Judging another split keeps what is there, and judging one again replaces it."""
    for split in ("test", "a1", "test"):
        said = run(capsys, "evaluate", "oracle", "--data", tiny, "--split", split, "--out", tmp_path)

    assert "Kept there of earlier: a1" in said
    assert set(kept(tmp_path)["splits"]) == {"test", "a1"}
    splits = pq.read_table(tmp_path / "verdicts.parquet")["split"].to_pylist()
    sizes = open_source(tiny).splits
    assert {name: splits.count(name) for name in set(splits)} == {name: sizes[name] for name in ("test", "a1")}


def test_results_on_another_dataset_lie_beside(tiny, other, tmp_path, capsys):
    """Results are those of a dataset; another dataset with a split of the same name does not touch them."""
    run(capsys, "evaluate", "random", "--data", tiny, "--split", "test", "--out", tmp_path / "run")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}

    said = run(capsys, "evaluate", "random", "--data", other, "--split", "test", "--out", tmp_path / "run")

    assert {path: path.read_bytes() for path in before} == before
    assert f"Written: {tmp_path / 'run' / 'on-other' / 'evaluation.json'}" in said
    assert kept(tmp_path / "run" / "on-other")["digest"] != kept(tmp_path / "run")["digest"]
    run(capsys, "evaluate", "random", "--data", other, "--split", "a1", "--out", tmp_path / "run")
    assert set(kept(tmp_path / "run" / "on-other")["splits"]) == {"test", "a1"}
    assert not (tmp_path / "run" / "on-other" / "on-other").exists()


def test_two_datasets_of_one_name_are_told_apart(tiny, other, tmp_path, capsys):
    """The second has the beginning of its digest in the name of the folder."""
    copytree(other, tmp_path / "a" / "data")
    copytree(tiny, tmp_path / "b" / "data")
    third = tmp_path / "third.json"
    run(capsys, "convert", tiny, third, "--to", "reascan", "--split", "test")
    for data in (third, tmp_path / "a" / "data", tmp_path / "b" / "data"):
        run(capsys, "evaluate", "oracle", "--data", data, "--split", "test", "--out", tmp_path / "run")

    digest = kept(tmp_path / "run" / f"on-data-{open_source(tiny).dataset.manifest['content'][:8]}")["digest"]
    assert digest == open_source(tiny).dataset.manifest["content"]
    assert kept(tmp_path / "run" / "on-data")["digest"] == open_source(other).dataset.manifest["content"]
    assert kept(tmp_path / "run")["data"] == "third.json"


# -------------------------------------------------------------------------------- models


def test_results_of_another_model_are_not_replaced_unasked(tiny, tmp_path, capsys):
    """One line says whose results are there; --force replaces them, with all their splits."""
    words = ("--data", tiny, "--out", tmp_path)
    run(capsys, "evaluate", "random", *words, "--split", "test,a1", "--seed", "1")

    assert "holds the results of random, not of oracle" in run(capsys, "evaluate", "oracle", *words, code=2)
    said = run(capsys, "evaluate", "random", *words, "--seed", "2", code=2)
    assert "random, seed 1, not of random, seed 2" in said
    run(capsys, "evaluate", "oracle", *words, "--split", "test", "--force")
    assert (kept(tmp_path)["model"], list(kept(tmp_path)["splits"])) == ("oracle", ["test"])
    assert set(pq.read_table(tmp_path / "verdicts.parquet")["split"].to_pylist()) == {"test"}


def test_answers_in_another_file_are_another_model(tiny, tmp_path, capsys):
    """Answers that say nothing of a model are known by the name of their file."""
    asked = example_arrays_by_split(open_source(tiny), ["test"])["test"]
    for name in ("one", "two"):
        write_plans(tmp_path / f"{name}.parquet", asked.ids, asked.plans)
    words = ("--data", tiny, "--split", "test", "--out", tmp_path / "out")
    for _ in range(2):
        run(capsys, "evaluate", tmp_path / "one.parquet", *words)

    said = run(capsys, "evaluate", tmp_path / "two.parquet", *words, code=2)

    assert "answers one.parquet, not of" in said


def test_a_broken_evaluation_is_not_replaced(tiny, tmp_path, capsys):
    """Whatever stands there that cannot be read is left alone."""
    (tmp_path / "evaluation.json").write_text("{", encoding="utf-8")

    said = run(capsys, "evaluate", "oracle", "--data", tiny, "--out", tmp_path, code=2)

    assert "cannot be read; delete it" in said
    assert (tmp_path / "evaluation.json").read_text(encoding="utf-8") == "{"


# -------------------------------------------------------------------------------- names


@pytest.mark.parametrize("word", ["oracle", "random"])
def test_a_folder_called_like_a_word_does_not_hide_it(word, tiny, tmp_path, monkeypatch, capsys):
    """What `evaluate WORD --out WORD` leaves is no model; the word means what it meant before."""
    monkeypatch.chdir(tmp_path)

    for _ in range(2):
        run(capsys, "evaluate", word, "--data", tiny, "--split", "test", "--out", word)

    assert kept(tmp_path / word)["model"] == word


def test_a_name_with_two_meanings_is_refused(tiny, tmp_path, monkeypatch, capsys):
    """Plans in a folder called oracle are judged as ./oracle; the plain word could mean either."""
    monkeypatch.chdir(tmp_path)
    asked = example_arrays_by_split(open_source(tiny), ["test"])["test"]
    facts = {"model": "mine", "split": "test"}
    write_plans(Path("oracle/test.parquet"), asked.ids, asked.plans, facts)

    assert "write ./oracle for what is here" in run(capsys, "evaluate", "oracle", "--data", tiny, code=2)
    found = json.loads(run(capsys, "evaluate", "./oracle", "--data", tiny, "--json"))
    assert found["model"] == "mine"


def test_predictions_in_a_folder_of_results_are_found(tiny, tmp_path, capsys):
    """A folder of results stands for the predictions in it."""
    asked = example_arrays_by_split(open_source(tiny), ["test"])["test"]
    facts = {"model": "mine", "split": "test"}
    write_plans(tmp_path / "run" / "predictions" / "test.parquet", asked.ids, asked.plans, facts)

    found = json.loads(run(capsys, "evaluate", tmp_path / "run", "--data", tiny, "--json"))

    assert (found["model"], list(found["splits"])) == ("mine", ["test"])


# -------------------------------------------------------------------------------- report


def test_what_was_judged_can_be_reported(tiny, tmp_path, capsys):
    """Every folder that evaluate wrote to is taken, whoever answered."""
    asked = example_arrays_by_split(open_source(tiny), ["a1"])["a1"]
    write_plans(tmp_path / "plans.parquet", asked.ids, asked.plans)
    run(capsys, "evaluate", tmp_path / "plans.parquet", "--data", tiny, "--split", "a1", "--out", tmp_path / "mine")

    said = run(capsys, "report", tmp_path / "mine")

    assert "Table 3" in said
    assert "mine: How it was trained is not recorded; judged on tiny" in said


def test_results_that_no_table_has_are_shown_all_the_same(tiny, tmp_path, capsys):
    """The paper has no row for train; the score is told."""
    run(capsys, "evaluate", "oracle", "--data", tiny, "--split", "train", "--out", tmp_path)

    said = run(capsys, "report", tmp_path)
    assert "In neither table" in said
    assert "100.00" in said
    assert json.loads(run(capsys, "report", tmp_path, "--json"))["left out, exact match"][tmp_path.name]["train"] == 100


def test_results_on_several_datasets_are_columns(tiny, other, tmp_path, capsys):
    """One run folder, two datasets: two columns, neither in the place of the other."""
    for data in (tiny, other):
        run(capsys, "evaluate", "random", "--data", data, "--split", "a1,a2", "--out", tmp_path / "run")

    told = json.loads(run(capsys, "report", tmp_path / "run", "--json"))

    assert [(one["folder"], one["data"]) for one in told["runs"]] == [("run", "tiny"), ("run/on-other", "other")]
    measured = {(one["part"], one["model"]) for one in told["cells"] if one["seeds"]}
    assert len(measured) == 4


def test_folders_of_no_kind_are_told_what_can_be_reported(tmp_path, capsys):
    """The advice is right for every world."""
    said = run(capsys, "report", tmp_path, code=2)

    assert "deixis evaluate MODEL --out" in said
    assert "worlds with published results: grid, rooms, photos" in said


# -------------------------------------------------------------------------------- from a release to Table 3


def test_from_a_release_to_training_and_table_3(download, tmp_path, capsys):
    """A download is converted, a model trained on it and judged on all its test sets, each in its own row."""
    pytest.importorskip("torch")
    settings = tmp_path / "small.toml"
    sizes = "[settings]\nwidth = 8\nword_width = 4\nfilters = 4\nkernels = [1, 3]\n"
    settings.write_text(
        f"batch_size = 6\neval_every = 3\ndev_examples = 4\ndecode_limit = 15\n{sizes}", encoding="utf-8"
    )
    data, out = tmp_path / "released", tmp_path / "runs" / "m-lstm"

    run(capsys, "convert", download, data, "--to", "parquet")
    small = ("--steps", "3", "--device", "cpu", "--settings", settings)
    run(capsys, "train", "m-lstm", "--data", data, "--out", out, *small)
    run(capsys, "evaluate", out, "--data", data, "--out", out, "--device", "cpu", "--limit", "15")
    told = json.loads(run(capsys, "report", out, "--json"))

    found = read_run(out)
    sizes = {name: size for name, size in open_source(data).splits.items() if name != "train"}
    assert {name: score["exact"].rows for name, score in found.results.scores.items()} == sizes
    assert set(sizes) == {"dev", "test", "a1", "a2"}
    rows = {one["part"] for one in told["cells"] if one["table"] == "table3" and one["seeds"]}
    assert rows == {"simple", "1-rel", "2-rel", "all", "a1", "a2"}


def test_a_released_test_set_stands_in_its_own_row(download, tmp_path, capsys):
    """A folder of the release, converted by itself, is not taken for the test split of the dataset."""
    run(capsys, "convert", download / "ReaSCAN-compositional", tmp_path / "rel", "--to", "parquet")
    run(capsys, "convert", download / "ReaSCAN-compositional-a1", tmp_path / "rel-a1", "--to", "parquet")
    for name in ("rel", "rel-a1"):
        run(capsys, "evaluate", "random", "--data", tmp_path / name, "--out", tmp_path / "runs" / "m")

    told = json.loads(run(capsys, "report", tmp_path / "runs" / "m", "--json"))

    rows = {one["folder"]: one["model"] for one in told["runs"]}
    cells = {(one["model"], one["part"]) for one in told["cells"] if one["seeds"]}
    assert (rows["m/on-rel-a1"], "a1") in cells
    assert {row for column, row in cells if column == rows["m/on-rel-a1"]} == {"a1"}
    assert set(kept(tmp_path / "runs" / "m")["splits"]) == {"dev", "test"}


def test_a_model_that_comes_with_deixis_is_judged_and_reported(shared, tmp_path, monkeypatch, capsys):
    """Two commands, and no run.json: the checkpoint says on what it was trained; its name still means the model."""
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    words = ("--data", shared, "--split", "test,a1", "--out", "m-lstm", "--device", "cpu", "--limit", "20")
    for _ in range(2):
        run(capsys, "evaluate", "m-lstm", *words)

    told = json.loads(run(capsys, "report", "m-lstm", "--json"))

    assert [(one["model"], one["trained on"], one["seed"]) for one in told["runs"]] == [("M-LSTM", "all", 1)]
    rows = {one["part"] for one in told["cells"] if one["table"] == "table3" and one["seeds"]}
    assert rows == {"simple", "1-rel", "2-rel", "all", "a1"}
    assert "Trained on All: 566,402 examples" in run(capsys, "report", "m-lstm")
