"""Tables 3 and 4 of the Cops-Ref paper for models of ours."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from deixis._cli.app import main
from deixis.errors import BrokenDataset, RecipeError
from deixis.report._results.cells import say_measured
from deixis.report._results.document import report_as_html, report_as_markdown, write_report
from deixis.worlds.photos._paper.claims import check_claims, figures_of, figures_published
from deixis.worlds.photos._paper.commands import commands_of, settings_files
from deixis.worlds.photos._paper.models import published_results, read_notes
from deixis.worlds.photos._paper.report import compare_runs, report_of
from deixis.worlds.photos._paper.runs import is_grounding_run, measure_setting, read_grounding_run
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.training.settings import grounding_of
from tests.reports.grounding_folders import write_trial


if TYPE_CHECKING:
    from pathlib import Path

MODELS = {
    "grounder": ("grounder", {}),
    "deaf-grounder": ("grounder", {"probe": "deaf"}),
    "shuffle-grounder": ("grounder", {"probe": "shuffle"}),
    "obj-attr-grounder": ("grounder", {"probe": "obj-attr"}),
    "mattnet": ("mattnet", {}),
    "cm-att-erase": ("cm-att-erase", {}),
    "mattnet-mine": ("mattnet", {"mining": "module-specific"}),
    "random": ("mattnet", {"mining": "random"}),
    "class-aware": ("mattnet", {"mining": "class-aware"}),
    "sentence-sim": ("mattnet", {"mining": "sentence-sim"}),
}


def published(key: str) -> dict[str, float]:
    row = published_results().row(key)
    assert row is not None
    return {name: value / 100 for name, value in row.published.items()}


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Runs of every row that do just as well as published."""
    found = [
        write_trial(tmp_path / key, model, published(key), **settings) for key, (model, settings) in MODELS.items()
    ]
    found.append(write_trial(tmp_path / "scan", "scan", {}))
    (tmp_path / "scan" / "best.safetensors").write_bytes(b"weights")
    found.append(write_trial(tmp_path / "first", "mattnet", published("scan+mattnet"), retriever="7", is_trained=False))
    return found


def test_runs_find_their_rows(folders: list[Path]) -> None:
    """Every run stands in the row of its model, probe and mining, with the published figure beside it."""
    results = compare_runs([read_grounding_run(folder) for folder in folders])
    for table in results.tables:
        for row in table.rows:
            for cell in table.row(row):
                for figure in cell.published:
                    assert cell.measured.mean == pytest.approx(figure.mean), (cell.model, cell.part)
    assert [run.folder for run in results.retrievers] == ["scan"]


def test_answers_at_random_are_no_model_that_mines_at_random(tmp_path: Path) -> None:
    """`deixis evaluate random` has a row of its own below Table 3, and none in Table 4."""
    folder = write_trial(tmp_path / "chance", "random", dict.fromkeys(SETTINGS, 0.01), is_trained=False)
    facts = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    del facts["model"]
    (folder / "evaluation.json").write_text(json.dumps({**facts, "predictions": "random"}), encoding="utf-8")

    three, four = compare_runs([read_grounding_run(folder)]).tables

    assert three.rows[-1].title == "random answers"
    assert three.cells["random answers", "Full"].measured.mean == pytest.approx(1.0)
    assert not four.is_measured


def test_the_paper_has_its_own_shape() -> None:
    """All statements about the tables hold of the published figures; those about figures cannot be asked of them."""
    verdicts = {key: finding.verdict for key, (_, finding) in check_claims(figures_published()).items()}
    assert {key for key, verdict in verdicts.items() if verdict == "not measured"} == {"order", "middle"}
    assert set(verdicts.values()) == {"holds", "not measured"}


def test_statements_fail_where_they_should(folders: list[Path], tmp_path: Path) -> None:
    """A statement that the numbers contradict does not hold, and one that they leave open is said to."""
    results = compare_runs([read_grounding_run(folder) for folder in folders])
    assert all(finding.verdict == "holds" for _, finding in check_claims(figures_of(results)).values())
    worse = {**published("cm-att-erase"), "Full": 0.10, "Cat&attr": 0.90}
    write_trial(tmp_path / "again", "cm-att-erase", worse)
    kept = [folder for folder in folders if folder.name != "cm-att-erase"]
    results = compare_runs([read_grounding_run(folder) for folder in [*kept, tmp_path / "again"]])
    found = {key: finding for key, (_, finding) in check_claims(figures_of(results)).items()}
    assert found["models"].verdict == found["hardest"].verdict == "does not hold"
    assert not found["models"].is_unsure
    assert found["module-class"].is_unsure  # 33.8 and 32.2, each give or take 1


def test_seeds_are_put_together_and_variants_apart(tmp_path: Path) -> None:
    """Runs that differ in their seed only are one row; another temperature is another one; a seed twice is refused."""
    few = dict.fromkeys(SETTINGS, 0.2)
    for seed, full in ((1, 0.2), (2, 0.3)):
        write_trial(tmp_path / f"m{seed}", "mattnet", {**few, "Full": full}, seed=seed, temperature=1.0)
    write_trial(tmp_path / "cold", "mattnet", few, seed=1, temperature=0.1)
    results = compare_runs([read_grounding_run(tmp_path / name) for name in ("cold", "m1", "m2")])
    assert [group.label for group in results.groups] == ["MattNet", "MattNet, temperature 0.1"]
    assert say_measured(measure_setting(results.groups[0], "Full")) == "25.0 ± 7.1"
    assert say_measured(measure_setting(results.groups[1], "Full")) == "20.0 [18.0–22.0]"
    write_trial(tmp_path / "twice", "mattnet", few, seed=1, temperature=1.0)
    with pytest.raises(RecipeError, match="m1 and twice are both MattNet with seed 1"):
        compare_runs([read_grounding_run(tmp_path / name) for name in ("m1", "m2", "twice", "cold")])


def test_runs_from_before_a_setting_are_as_if_it_had_been_off(tmp_path: Path) -> None:
    """A run that does not name `anywhere` took nothing from anywhere, and is the usual one where both are as many."""
    few = dict.fromkeys(SETTINGS, 0.2)
    write_trial(tmp_path / "mixed", "mattnet", few, seed=1, anywhere=0.5)
    write_trial(tmp_path / "old", "mattnet", few, seed=1)
    results = compare_runs([read_grounding_run(tmp_path / name) for name in ("mixed", "old")])
    assert [group.label for group in results.groups] == ["MattNet", "MattNet, anywhere 0.5"]
    assert [group.runs[0].folder for group in results.groups] == ["old", "mixed"]


def test_runs_that_go_on_from_others_are_called_so(tmp_path: Path) -> None:
    """All that differs comes with going on, and is one word; two ways of going on are told apart."""
    few = dict.fromkeys(SETTINGS, 0.2)
    for seed in (1, 2):
        write_trial(tmp_path / f"m{seed}", "mattnet", few, seed=seed, lr=4e-4)
    write_trial(tmp_path / "on", "mattnet", few, seed=1, rate=1e-4, begins_with="ab")
    results = compare_runs([read_grounding_run(tmp_path / name) for name in ("m1", "m2", "on")])
    assert [group.label for group in results.groups] == ["MattNet", "MattNet, trained on"]
    write_trial(tmp_path / "slow", "mattnet", few, seed=1, rate=1e-5, begins_with="ab")
    results = compare_runs([read_grounding_run(tmp_path / name) for name in ("m1", "m2", "on", "slow")])
    assert {group.differs for group in results.groups[1:]} == {
        (f"lr {lr}", "begins with a checkpoint") for lr in ("0.0001", "1e-05")
    }


def test_settings_train_the_same_again(tmp_path: Path) -> None:
    """The TOML file of a run, with the model and the seed of its command, gives the settings of the run."""
    how = grounding_of("mattnet", {"sizes": {"width": 8}, "mining": "random", "exclude_true": True, "seed": 5})
    given = json.loads(json.dumps({name: getattr(how, name) for name in how.__slots__}))
    given.pop("model")
    seed = given.pop("seed")
    folder = write_trial(tmp_path / "run", "mattnet", dict.fromkeys(SETTINGS, 0.2), seed=seed, **given)
    results = compare_runs([read_grounding_run(folder)])
    ((name, text),) = settings_files(results).items()
    assert grounding_of("mattnet", {**tomllib.loads(text), "seed": seed}) == how
    train, judge = commands_of(results)["MattNet-Mine, random"]
    assert train == f"deixis train mattnet --data photographs --out run --settings {name} --seed 5"
    assert judge == "deixis evaluate run --data photographs --out run"


def test_commands_name_what_they_begin_with(folders: list[Path]) -> None:
    """A model that searches the image of another names both by their folders."""
    results = compare_runs([read_grounding_run(folder) for folder in folders])
    assert commands_of(results)["SCAN+MattNet"] == [
        "deixis evaluate mattnet --data photographs --out first --retrieve RETRIEVER"
    ]


@pytest.mark.slow
def test_files_are_written_and_equal(folders: list[Path], tmp_path: Path) -> None:
    """The page, the tables and the figures are written, twice the same, and hold nothing from elsewhere."""
    results = compare_runs([read_grounding_run(folder) for folder in folders])
    once, twice = (write_report(report_of(results), tmp_path / name) for name in ("once", "twice"))
    assert [path.read_bytes() for path in once] == [path.read_bytes() for path in twice]
    names = {path.name for path in once}
    assert names >= {"report.html", "report.md", "report.json", "tables.csv", "parts.csv", "not-there.csv"}
    assert names >= {f"{figure}.{form}" for figure in ("forms", "lengths", "curves") for form in ("png", "svg")}
    page = (tmp_path / "once" / "report.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "GroundeR" in page
    assert "table3,MattNet,Full,accuracy,26.3,,24.3,28.3,1,1000,26.3" in (tmp_path / "once" / "tables.csv").read_text()


def test_notes_are_shown(folders: list[Path], tmp_path: Path) -> None:
    """Sentences about cells and statements stand in the report; a place that there is not is named."""
    notes = tmp_path / "notes.toml"
    notes.write_text('[table3.mattnet]\nfull = "Fewer things."\n[claims.random]\nwhy = "By <chance>."\n')
    results = compare_runs([read_grounding_run(folder) for folder in folders], reasons=read_notes(notes))
    page = report_as_html(report_of(results))
    assert "Fewer things." in page
    assert "By &lt;chance&gt;." in page
    assert "Fewer things." in report_as_markdown(report_of(results))
    notes.write_text('[claims.luck]\nwhy = "x"\n')
    with pytest.raises(RecipeError, match="claims has no 'luck'"):
        read_notes(notes)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("run.json", "{", "no JSON"),
        ("evaluation.json", '{"model": {"retriever": ""}}', "does not say 'model'"),
        ("log.jsonl", '{"update": -1}\n', "at least 0"),
    ],
)
def test_damaged_files_are_one_line(file: str, text: str, said: str, tmp_path: Path) -> None:
    """A file that says what cannot be is named."""
    folder = write_trial(tmp_path / "run", "mattnet", dict.fromkeys(SETTINGS, 0.2))
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(BrokenDataset, match=said):
        read_grounding_run(folder)


def test_runs_of_another_kind_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that was not judged, or one of another kind beside, is said in a line, and nothing is written."""
    good = write_trial(tmp_path / "good", "mattnet", dict.fromkeys(SETTINGS, 0.2))
    raw = write_trial(tmp_path / "raw", "mattnet", {}, seed=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "run.json").write_text('{"format": 1, "kind": "run", "model": "m-lstm"}')
    assert not is_grounding_run(tmp_path / "other")
    for folder, said in ((raw, "judge the model first"), (tmp_path / "other", "holds nothing to report")):
        assert main(["report", str(good), str(folder), "--out", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_command_reports(folders: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """`deixis report` knows such runs by itself, prints both tables and the shape, and gives JSON when asked."""
    runs = list(map(str, folders))
    assert main(["report", *runs]) == 0
    out = capsys.readouterr().out
    assert "Table 3" in out
    assert "Table 4" in out
    assert "yes  In Full, GroundeR is below MattNet" in out
    assert main(["report", *runs, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert all(one["verdict"] == "holds" for one in told["claims"])
