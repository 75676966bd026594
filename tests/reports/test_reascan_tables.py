"""Tables 2 and 3 of the paper for models of ours: what is read, what is compared, and the files that are written."""

from __future__ import annotations

import csv
import json
import re
from io import BytesIO, StringIO
from statistics import fmean, stdev
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset, RecipeError
from deixis.judge.uncertainty import wilson
from deixis.report._curves import training_curves
from deixis.report._json_facts import Facts
from deixis.report._results.cells import say_measured, say_published
from deixis.report._results.document import report_as_markdown, write_report
from deixis.report._results.tables import cells_as_csv, differences_in, explain_marks, table_as_text
from deixis.report._runs import Loss, Results, Run, TrainingSet
from deixis.report.chart import MAX_POINTS, thin_points
from deixis.report.chart_html import figure_markup
from deixis.report.chart_matplotlib import draw_figure
from deixis.worlds.grid._paper.models import UNIT, known_results, read_reasons
from deixis.worlds.grid._paper.report import compare_runs, curves_of, protocol_of, report_of
from deixis.worlds.grid._paper.runs import place_of, read_run
from deixis.worlds.grid.judging.navigation import MEASURES, PlanEvaluation, SplitEvaluation
from deixis.worlds.grid.judging.navigation import Score as PlanScore
from tests.reports.run_folders import ALL, DIGEST, change, evaluation, write_run
from tests.reports.test_page import read_page


shares = st.floats(0, 1, allow_nan=False).map(lambda share: round(share, 6))


def trained(exact, *, model="m-lstm", seed=1, patterns=ALL, random_only=False, recorded=None, **further):
    facts = Facts({"patterns": list(patterns), "random_only": random_only}, "run.json")
    data = TrainingSet(name="reascan", digest=DIGEST, examples=10, facts=facts)
    score = wilson(round(1000 * exact), 1000)._replace(mean=exact)
    results = Results(
        digest=DIGEST,
        scores={split: {"exact": score} for split in ("dev", "test", "a1", "a2")},
        groups={"pattern": {"test": {"p1": {"exact": score._replace(rows=300)}}}},
    )
    return Run(
        folder=f"{model}-{seed}",
        model=model,
        seed=seed,
        training=data,
        results=results,
        trained=Facts(recorded or {}, "run.json"),
        **further,
    )


def cell(results, which, row, label="M-LSTM", part="test"):
    (table,) = (table for table in results.tables if table.key == which)
    return table.cells.get((row, f"{label} {part}"))


@pytest.fixture
def folders(tmp_path):
    """Two seeds of one model, one seed of another with a quirk, one model of another set."""
    return [
        write_run(tmp_path / "m-1", "m-lstm", 0.75, seed=1),
        write_run(tmp_path / "m-2", "m-lstm", 0.77, seed=2),
        write_run(tmp_path / "g-q", "gcn-lstm", 0.97, quirks=["decoder_token_dropout"]),
        write_run(tmp_path / "g-p1", "gcn-lstm", 0.99, patterns=("p1",)),
    ]


@pytest.fixture
def results(folders):
    reasons = {("table3", "m-lstm", "a2"): "Because <b>it</b> is | so."}
    return compare_runs([read_run(folder) for folder in folders], reasons=reasons)


# -------------------------------------------------------------------------------------------------- what is published


@pytest.mark.parametrize("model", ["m-lstm", "gcn-lstm"])
@pytest.mark.parametrize(("part", "sizes"), [("test", (921, 2120, 2712)), ("update", (907, 2122, 2724))])
def test_the_published_figure_for_all_is_the_pooled_mean(model, part, sizes):
    """The figure for All is the mean of the three test sets weighted by their sizes, leaking or clean."""
    figures = known_results().figures
    means = [figures["table3", model, row, part].mean for row in ("simple", "1-rel", "2-rel")]

    pooled = sum(mean * size for mean, size in zip(means, sizes, strict=True)) / sum(sizes)
    assert pooled == pytest.approx(figures["table3", model, "all", part].mean, abs=0.02)


def test_leaking_and_second_hand_figures_are_marked():
    """Four rows of Table 3 and the test of All in Table 2 leak, updates do not; only later models are second hand."""
    figures = known_results().figures
    leaking = {(key[0], key[2], key[3]) for key, figure in figures.items() if "†" in figure.marks}

    rows = {("table3", row, "test") for row in ("simple", "1-rel", "2-rel", "all")}
    assert leaking == rows | {("table2", "all", "test")}
    second_hand = {key[1] for key, figure in figures.items() if "‡" in figure.marks}
    assert second_hand == {"multimodal-transformer", "grocot"}


def test_a_model_is_known_by_any_of_its_names():
    """However a name is written it means one model; a name that nobody published means none."""
    known = known_results()

    assert known.model("M_LSTM") == known.model("m-lstm") == known.model("mLSTM")
    assert known.model("grid-transformer") == known.model("GroCoT")
    assert known.model("perceptron") is None


# ----------------------------------------------------------------------------------------------------- what we measured


@pytest.mark.parametrize(
    ("patterns", "random_only", "row"),
    [
        (("p1",), False, "simple"),
        (("p2",), False, "1-rel"),
        (("p3",), False, "2-rel"),
        (("p3",), True, "2-rel-rd"),
        (ALL, False, "all"),
        (("p1", "p2"), False, None),
        (ALL, True, None),
    ],
)
def test_the_training_set_decides_the_row(patterns, random_only, row):
    """The patterns that a model was trained on, and its distractors, say which row of Table 2 it belongs to."""
    found = place_of(trained(0.5, patterns=patterns, random_only=random_only))

    assert (found.key if found else None) == row


@given(st.lists(shares, min_size=2, max_size=5))
def test_seeds_are_put_together(exact):
    """A cell holds the mean of its seeds and their sample standard deviation, in percent."""
    results = compare_runs([trained(share, seed=seed) for seed, share in enumerate(exact)])

    found = cell(results, "table3", "a1").measured
    assert found.mean == pytest.approx(100 * fmean(exact))
    assert found.deviation == pytest.approx(100 * stdev(exact), abs=1e-9)
    assert found.seeds == len(exact)
    assert found.interval is None


@given(st.integers(0, 1000))
def test_one_seed_has_an_interval(right):
    """The share lies within its interval, which lies within 0 and 100 percent, and no deviation is invented."""
    found = cell(compare_runs([trained(right / 1000)]), "table3", "a1").measured

    assert -1e-9 <= found.interval[0] <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.interval[1] <= 100 + 1e-9
    assert found.deviation is None


@given(shares)
def test_a_cell_is_far_when_it_differs_by_more_than_five_points(share):
    """Ours is compared with the update where there is one, not with the figure of the leaking test set."""
    found = cell(compare_runs([trained(share)]), "table3", "all")

    assert [figure.mean for figure in found.published] == [74.47, 79.04]
    assert found.is_far == (abs(100 * share - 74.47) > UNIT.far)


def test_a_model_trained_on_one_pattern_is_not_in_table_3():
    """Table 3 is of models trained on all patterns; what a model of one pattern does on A1 is another question."""
    results = compare_runs([trained(0.5, patterns=("p1",)), trained(0.7)])

    assert cell(results, "table3", "a1").measured.mean == pytest.approx(70)
    assert cell(results, "table2", "simple").measured.mean == pytest.approx(50)
    assert cell(results, "table2", "all").measured.mean == pytest.approx(70)
    assert cell(results, "table2", "1-rel").measured is None


def test_quirks_and_settings_make_columns_of_their_own():
    """Runs that differ in more than the seed are never averaged; those without quirks come first."""
    runs = [
        trained(0.9, recorded={"quirks": ["token_dropout"]}),
        trained(0.7, seed=1, recorded={"settings": {"rate": 0.0001, "out": "c"}}),
        trained(0.5, seed=1, recorded={"settings": {"rate": 0.001, "out": "a"}}),
        trained(0.6, seed=2, recorded={"settings": {"rate": 0.001, "out": "b"}}),
    ]

    columns = compare_runs(runs).groups

    assert [column.label for column in columns] == ["M-LSTM", "M-LSTM, rate 0.0001", "M-LSTM + token dropout"]
    assert [len(column.runs) for column in columns] == [2, 1, 1]


def test_runs_that_learnt_in_another_way_are_a_column_of_their_own(tmp_path):
    """The recipe of a real run counts, and what there was no setting for in its day is as it was; looks do not."""
    recipes = {
        "old": {"rate": 0.001},
        "new": {"rate": 0.001, "rare_first": 0},
        "rare": {"rate": 0.001, "rare_first": 9},
    }
    runs = []
    for seed, (name, recipe) in enumerate(recipes.items(), start=1):
        folder = write_run(tmp_path / name, "m-lstm", 0.5, seed=seed)
        change(folder / "run.json", recipe={**recipe, "seed": seed, "updates": 7 + seed, "look_every": seed})
        runs.append(read_run(folder))

    columns = compare_runs(runs).groups

    assert [(column.label, len(column.runs)) for column in columns] == [
        ("M-LSTM", 2),
        ("M-LSTM, rare_first 9", 1),
    ]


def test_runs_that_begin_with_other_weights_are_a_column_of_their_own(tmp_path):
    """What another training learnt before counts as well."""
    fresh = write_run(tmp_path / "fresh", "m-lstm", 0.5, seed=1)
    begun = write_run(tmp_path / "begun", "m-lstm", 0.9, seed=2)
    facts = json.loads((begun / "run.json").read_text(encoding="utf-8"))
    change(begun / "run.json", training={**facts["training"], "begins with": "ab" * 32})

    columns = compare_runs([read_run(fresh), read_run(begun)]).groups

    assert [column.label for column in columns] == ["M-LSTM", "M-LSTM, begins with a checkpoint"]
    said = [" ".join(protocol_of(column)) for column in columns]
    assert "starting from the weights of another training, seed 2" in said[1]
    assert "starting from" not in said[0]


def test_a_run_that_learnt_to_point_says_so(tmp_path):
    """Published models learn from plans alone; whoever reads the table must know."""
    plain = write_run(tmp_path / "plain", "transformer", 0.5, seed=1)
    points = write_run(tmp_path / "points", "transformer", 0.9, seed=2)
    for folder, weight in ((plain, 0.0), (points, 1.0)):
        change(folder / "run.json", recipe={"rate": 0.001, "pointing": weight})

    columns = compare_runs([read_run(plain), read_run(points)]).groups

    said = {column.label: " ".join(protocol_of(column)) for column in columns}
    assert list(said) == ["Transformer", "Transformer, pointing 1.0"]
    assert ["also taught to point at the target" in text for text in said.values()] == [False, True]


def test_settings_may_differ_between_training_sets():
    """A smaller set may be trained for fewer updates without becoming another model."""
    columns = compare_runs([trained(0.5, steps=10), trained(0.6, patterns=("p1",), steps=5)]).groups

    assert [column.label for column in columns] == ["M-LSTM"]


def test_a_run_given_twice_is_a_slip():
    """The same seed cannot count twice."""
    with pytest.raises(RecipeError, match="with seed 1; give each run once"):
        compare_runs([trained(0.5), trained(0.5)])


def test_runs_of_no_row_are_left_out():
    """A run that fits no row is named; when there is no other, there is nothing to report."""
    odd = trained(0.5, seed=3, patterns=("p4",))

    assert compare_runs([trained(0.5), odd]).left_out == (odd,)
    with pytest.raises(RecipeError, match="no run belongs into Table 2 or 3"):
        compare_runs([odd])


def test_models_that_are_not_trained_need_no_run_file(tmp_path):
    """The random baseline is judged without a run.json and stands in the row of the examples it was judged on."""
    folder = tmp_path / "random"
    folder.mkdir()
    (folder / "evaluation.json").write_text(json.dumps(evaluation(0.001, model="random")), encoding="utf-8")

    run = read_run(folder)

    assert place_of(run).key == "all"
    assert cell(compare_runs([run]), "table3", "c2", "Random").published[0].mean == 0.09
    assert protocol_of(compare_runs([run]).groups[0]) == [f"Not trained; judged on reascan ({DIGEST[:12]})."]


# ------------------------------------------------------------------------------------------------------------ reading


def test_what_deixis_evaluate_writes_can_be_read(tmp_path):
    """An evaluation as the metrics write it gives the same shares here."""
    score = PlanScore(40, (30, 31, 32, 33), 0.9)
    split = SplitEvaluation(score=score, choices={}, roles={}, misreadings={}, by={"pattern": {"p1": score}})
    judged = PlanEvaluation(data="d", digest=DIGEST, model="m-lstm", decode_limit=120, splits={"test": split})
    folder = write_run(tmp_path / "run", "m-lstm", 0.5)
    (folder / "evaluation.json").write_text(json.dumps(judged.to_dict()), encoding="utf-8")

    found = read_run(folder).results

    assert [found.scores["test"][name].mean for name in MEASURES] == [0.75, 0.775, 0.8, 0.825]
    assert found.groups["pattern"]["test"]["p1"]["exact"].mean == 0.75


def test_an_evaluation_is_enough(tmp_path):
    """What judging wrote is read without run.json, as far as it says how the model was trained; then it has its row."""
    folder = tmp_path / "answers"
    folder.mkdir()
    facts = {
        "checkpoint": "cd" * 32,
        "seed": 3,
        "updates": 400,
        "quirks": None,
        "selection": "dev exact match, best of 4 looks",
        "training": {"name": "reascan", "digest": DIGEST, "split": "train", "examples": 5000, "patterns": ["p1"]},
    }
    judged = evaluation(0.5, model="m-lstm") | {"predictions": facts}
    (folder / "evaluation.json").write_text(json.dumps(judged), encoding="utf-8")

    run = read_run(folder)

    assert (run.model, run.seed, run.steps, place_of(run).key) == ("m-lstm", 3, 400, "simple")
    (said,) = protocol_of(compare_runs([run]).groups[0])
    assert said.startswith("Trained on Simple: 5,000 examples of reascan")
    assert "400 steps, seed 3. Checkpoint selected by dev exact match, best of 4 looks. Decoded" in said


@pytest.mark.parametrize(("splits", "row"), [(("test", "a1"), "all"), (("a1",), "all"), (("dev",), None)])
def test_answers_of_others_have_a_row(splits, row, tmp_path):
    """Answers that say nothing of a training stand where their examples belong, under the name of their folder."""
    folder = tmp_path / "mine"
    folder.mkdir()
    judged = evaluation(0.5, model="")
    judged["splits"] = {name: judged["splits"][name] for name in splits}
    (folder / "evaluation.json").write_text(json.dumps(judged), encoding="utf-8")

    run = read_run(folder)

    assert run.model == "mine"
    assert getattr(place_of(run), "key", None) == row
    if row:
        (said,) = protocol_of(compare_runs([run]).groups[0])
        assert said == f"How it was trained is not recorded; judged on reascan ({DIGEST[:12]})."


def test_results_on_further_datasets_are_of_the_same_run(tmp_path):
    """A folder on-NAME in a run folder has the training of the run, and a column of its own."""
    folder = write_run(tmp_path / "run", "m-lstm", 0.5)
    (folder / "on-other").mkdir()
    judged = evaluation(0.9, model="m-lstm") | {"data": "other", "digest": "ef" * 32}
    (folder / "on-other" / "evaluation.json").write_text(json.dumps(judged), encoding="utf-8")

    runs = [read_run(folder), read_run(folder / "on-other")]

    assert runs[1].training == runs[0].training
    assert (runs[1].folder, runs[1].losses) == ("run/on-other", runs[0].losses)
    labels = [column.label for column in compare_runs(runs).groups]
    assert labels == ["M-LSTM", "M-LSTM, judged on data efefefef"]


def test_a_folder_of_no_kind_says_what_can_be_reported(tmp_path):
    """The advice fits every world."""
    with pytest.raises(
        BrokenDataset, match=r"holds nothing to report; name a folder that .deixis evaluate --out. wrote"
    ):
        read_run(tmp_path)


def test_a_resumed_log_counts_once(tmp_path):
    """What was logged last of an update counts, and a line that a crash cut off does not."""
    folder = write_run(tmp_path / "run", "m-lstm", 0.5)
    lines = [
        '{"update": 2, "loss": 5.0}',
        '{"update": 1, "loss": 3.0}',
        '{"update": 2, "loss": 2.0}',
        '{"update": 3, "lo',
    ]
    (folder / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")

    assert read_run(folder).losses == (Loss(1, 3.0), Loss(2, 2.0))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("evaluation.json", None, "there is no .*evaluation.json; judge the model first"),
        ("run.json", "{", "is no JSON"),
        ("run.json", "[" * 100_000, "is no JSON"),
        ("run.json", "[1]", "should be an object"),
        ("run.json", b"\xff\xfe", "is no UTF-8"),
        ("run.json", '{"format": 1, "kind": "dataset"}', "should be of kind 'run', format 1, got \"dataset\""),
        ("evaluation.json", '{"format": 2, "kind": "plans evaluation"}', 'got "plans evaluation", format 2'),
        ("log.jsonl", '{"update": 1, "loss": NaN}\n', "line 1 holds NaN"),
        ("log.jsonl", '{"update": 1, "loss": 1e999}\n', "line 1 holds 1e999"),
        ("log.jsonl", '{"update": ' + "9" * 5000 + "}\n", "which is no number to reckon with"),
        ("log.jsonl", '\n{"update": 1, "loss": "low"}\n', "line 2: 'loss' should be a number, got \"low\""),
        ("log.jsonl", '{"loss": 1}\n', "does not say 'step'"),
    ],
)
def test_files_that_are_not_what_they_should_be(name, content, complaint, tmp_path):
    """Whatever is wrong with a file is said in one line that names it."""
    folder = write_run(tmp_path / "run", "m-lstm", 0.5)
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(BrokenDataset, match=complaint) as caught:
        read_run(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("splits", "complaint"),
    [
        ({}, "judges no example"),
        ({"test": {"examples": 0, "exact": None}}, "judges no example"),
        ({"test": {"examples": 5, "exact": 79.0}}, "splits, test: 'exact' should be a share between 0 and 1, got 79.0"),
        ({"test": {"examples": 5}}, "does not say 'exact'"),
        ({"test": {"examples": -5, "exact": 0.5}}, "'examples' should be a whole number"),
        ({"test": 0.5}, "splits, test should be an object"),
        ({"\x1b[31m": {"examples": 5, "exact": True}}, "should be a number, got true"),
    ],
)
def test_scores_that_cannot_be(splits, complaint, tmp_path):
    """A score that is no share is never shown."""
    folder = write_run(tmp_path / "run", "m-lstm", 0.5)
    change(folder / "evaluation.json", splits=splits)

    with pytest.raises(BrokenDataset, match=complaint) as caught:
        read_run(folder)
    assert str(caught.value).isprintable()


def test_results_of_another_model_are_refused(tmp_path):
    """An evaluation of another model or another seed than the run's does not belong into its folder."""
    folder = write_run(tmp_path / "run", "m-lstm", 0.5, seed=4)

    change(folder / "evaluation.json", predictions={"seed": 5})
    with pytest.raises(BrokenDataset, match=r"judges m-lstm with seed 5, but run\.json is of m-lstm, seed 4"):
        read_run(folder)
    change(folder / "evaluation.json", model="gcn-lstm", predictions={})
    with pytest.raises(BrokenDataset, match="judges gcn-lstm"):
        read_run(folder)


# ------------------------------------------------------------------------------------------------------------ reasons


def test_reasons_are_read_and_shown(tmp_path):
    """A sentence stands in the cell that it was written for, whatever name the model is given."""
    path = tmp_path / "notes.toml"
    path.write_text('[table3.M_LSTM]\na2 = """Because\nof this."""\n', encoding="utf-8")

    results = compare_runs([trained(0.5)], reasons=read_reasons(path))

    assert cell(results, "table3", "a2").reason == "Because of this."
    assert cell(results, "table3", "a1").reason == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[table3", "is no TOML"),
        ('[table4.m-lstm]\na2 = "x"', "there is no table 'table4'; did you mean 'table3'"),
        ('[table3.m-lstm]\na22 = "x"', "there is no row 'a22'; did you mean 'a2'"),
        ("[table3.m-lstm]\na2 = 3", "should be a sentence"),
        ("table3 = 1", "should be a table"),
        ('[table3.perceptron]\na2 = "x"', "there is no such model; there are: M-LSTM"),
    ],
)
def test_reasons_that_fit_nothing_are_refused(text, complaint, tmp_path):
    """A slip in the notes is told rather than left out of the page."""
    path = tmp_path / "notes.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(RecipeError, match=complaint):
        compare_runs([trained(0.5)], reasons=read_reasons(path))


# ------------------------------------------------------------------------------------------------------------- showing


def test_cells_are_said_with_their_marks(results):
    """Ours has its spread, the published its deviation, leaking figures a dagger and distant ones an arrow."""
    found = cell(results, "table3", "simple")

    assert say_measured(found.measured, UNIT) == "76.00 ± 1.41"
    assert say_published(found) == ["93.83 ± 0.76", "96.27 ± 0.54†"]
    shown = table_as_text(results.tables[0].measured_only())
    assert shown.heads[:2] == ["", "M-LSTM, 2 seeds"]
    assert shown.rows[0][:2] == ["Simple †", "76.00 ± 1.41 ▼"]
    assert shown.rows[1][:2] == ["  published", "93.83 ± 0.76, 96.27 ± 0.54†"]


def test_markdown_keeps_its_shape(results):
    """Every line of a table has as many cells as its head, and text does not become markup."""
    text = report_as_markdown(report_of(results))

    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert len(widths) == 3  # both tables, and other measures
    assert "Because &lt;b>it&lt;/b> is \\| so." in text
    assert "in-distribution dev only, best of 4 evaluations on 200 examples" in text


def test_numbers_are_the_same_in_all_files(results):
    """The CSV and the JSON hold what the tables hold, cell by cell."""
    plain = report_of(results).to_dict()["cells"]
    lines = list(csv.DictReader(StringIO(cells_as_csv(plain))))

    assert len(lines) == len(plain)
    for line, entry in zip(lines, plain, strict=True):
        row, _, part = entry["part"].partition(" ")
        found = cell(results, entry["table"], row, entry["model"], part or "test")
        assert line["published"] == str(found.published[0].mean if found.published else "")
        assert line["mean"] == str(round(found.measured.mean, 6) if found.measured else "")


def test_a_spreadsheet_takes_no_name_for_a_formula():
    """A name that begins as a formula does is quoted."""
    text = cells_as_csv(report_of(compare_runs([trained(0.5, model="=1+1")])).entries)

    assert "'=1+1" in text
    assert ",=1+1" not in text


def test_the_legend_tells_only_of_marks_that_occur():
    """A single seed needs no word on deviations over seeds, nor any quirk."""
    marks = [mark for mark, _ in explain_marks(compare_runs([trained(0.5)]).tables, known_results().marks)]

    assert "+" not in marks
    assert "±" not in marks
    assert {"[ ]", "▲ ▼", "†", "‡"} <= set(marks)


def test_a_checkpoint_chosen_on_test_data_is_told(tmp_path):
    """The protocol says aloud when the checkpoint was not chosen on in-distribution dev."""
    folder = write_run(tmp_path / "run", "m-lstm", 0.5)
    change(folder / "run.json", selection={"on": "a1"})

    (said,) = protocol_of(compare_runs([read_run(folder)]).groups[0])

    assert "on a1, NOT on in-distribution dev" in said
    assert "Decoded greedily up to 120 actions, judged on the same dataset." in said


def test_the_page_is_well_formed_and_asks_for_nothing(results, tmp_path):
    """Elements are closed, ids unique, links stay on the page and lead somewhere, and nothing is loaded."""
    page = write_report(report_of(results), tmp_path / "out")[0]
    reader = read_page(page)

    assert not reader.faults
    assert not reader.open
    assert not reader.sources
    assert len(reader.ids) == len(set(reader.ids))
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    assert not re.search(r"""(?:https?:)?//[a-z]|@import|url\((?!#)""", page.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_page_shows_every_cell_and_every_reason(results, tmp_path):
    """What was measured, what is published and why they differ can all be read, and text stays text."""
    page = write_report(report_of(results), tmp_path / "out")[0]
    said = " ".join(read_page(page).words)

    for table in results.tables:
        for found in table.cells.values():
            assert found.measured is None or f"{found.measured.mean:.2f}" in said
            assert all(f"{figure.mean:.1f}"[:-1] in said for figure in found.published)
    assert "Because <b>it</b> is | so." in said
    assert said.count("No reason is given.") == len(differences_in(results.tables)) - 1


@pytest.mark.slow
def test_equal_runs_give_equal_files(results, folders, tmp_path):
    """Nothing but the runs and the notes decides what is written, in whatever order the runs are given."""
    reasons = {("table3", "m-lstm", "a2"): "Because <b>it</b> is | so."}
    again = compare_runs([read_run(folder) for folder in reversed(folders)], reasons=reasons)

    first, second = write_report(report_of(results), tmp_path / "a"), write_report(report_of(again), tmp_path / "b")

    assert [path.name for path in first] == [path.name for path in second]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


# -------------------------------------------------------------------------------------------------------------- curves


def test_curves_are_drawn_for_every_training_set(results):
    """Runs of one training set share a figure; the SVG is sound XML for light and dark, the PNG is white."""
    from PIL import Image

    both = curves_of(results.groups)

    assert [one.name for one in both] == ["curves-all", "curves-simple"]
    svg = draw_figure(both[0], "svg", theme="reader").decode()
    assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 (our own drawing)
    assert "prefers-color-scheme:dark" in svg
    image = Image.open(BytesIO(draw_figure(both[0], "png"))).convert("RGB")
    assert image.getpixel((2, image.height - 2)) == (255, 255, 255)


def test_runs_without_a_log_have_no_curves():
    """Where nothing was logged, nothing is drawn."""
    assert not curves_of(compare_runs([trained(0.5)]).groups)


def test_a_run_with_odd_names_and_a_short_log_is_drawn():
    """One logged update, a loss of nothing and a name with strange signs are no reason to fail."""
    run = trained(0.5, losses=(Loss(1, 0.0),))
    figure = training_curves({"$\\frac": [run]}, name="odd", title="$x_$ <b> \U0001f600")

    assert draw_figure(figure, "svg", theme="reader")
    assert "&lt;b&gt;" in figure_markup(figure)


@given(st.integers(0, 3 * MAX_POINTS + 7))
def test_long_logs_are_averaged_without_loss(count):
    """However long a log is, few points are drawn, at the same places, and their weighted mean is that of the log."""
    points = [(update, float(update % 7) + 1) for update in range(1, count + 1)]

    found = thin_points(points)

    assert len(found) <= MAX_POINTS
    assert not points or found[-1][0] == points[-1][0]
    ends = [at for at, _ in found]
    sizes = [after - before for before, after in zip((0, *ends), ends, strict=False)]
    total = sum(size * value for size, (_, value) in zip(sizes, found, strict=True))
    assert total == pytest.approx(sum(value for _, value in points))
