"""The results page: what it shows of runs, of the examples behind them, and of two models side by side."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from typing import TYPE_CHECKING

import numpy as np
import pytest


pytest.importorskip("starlette", reason="needs deixis[studio]")

from starlette.testclient import TestClient

from deixis._studio.library import Library
from deixis._studio.model_results import find_model_results, read_model_results
from deixis._studio.results import cell_of
from deixis._studio.server import make_app
from deixis._studio.verdicts import VerdictFilter, compare, facets_of, rows_of, verdicts_of
from deixis.errors import BrokenDataset
from deixis.judge.request import Request
from deixis.judge.uncertainty import Estimate
from deixis.judge.verdicts import read_verdicts
from deixis.report._runs import read_run
from deixis.worlds.grid.data._judged_plans import places_of
from deixis.worlds.grid.data.example_arrays import data_digest, example_arrays_by_split
from deixis.worlds.grid.data.plans import write_plans
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.judging._misreadings import LABELS
from deixis.worlds.grid.judging._verdict_file import write_plan_verdicts
from deixis.worlds.grid.judging.baselines import oracle_plans, random_plans
from deixis.worlds.grid.judging.navigation import evaluate_plans
from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos._judging.verdict_file import write_answer_verdicts
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import Answer
from deixis.worlds.registry import find_world


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans

SPLITS = ("a1", "a2")
SCRIPT = "<script>alert(1)</script>"


def judge(data: Path, out: Path, made: Callable[[ExampleArrays], Plans], *, model: str) -> None:
    """Leave in a folder what `deixis evaluate --out` leaves."""
    source = open_source(data)
    asked = example_arrays_by_split(source, SPLITS)
    plans = {split: made(asked[split]) for split in SPLITS}
    evaluation, verdicts = evaluate_plans(asked, plans, data=data.name, digest=data_digest(source))
    out.mkdir(parents=True)
    values = evaluation.to_dict() | {"model": model}
    (out / "evaluation.json").write_text(json.dumps(values), encoding="utf-8")
    write_plan_verdicts(out / "verdicts.parquet", asked, verdicts)
    for split in SPLITS:
        write_plans(out / "predictions" / f"{split}.parquet", asked[split].ids, plans[split].codes)


@pytest.fixture(scope="module")
def roots(demo_roots: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A dataset, two models that were judged on it, one that was only trained, and a folder that is broken."""
    data, runs = demo_roots[0] / "grid-worlds", tmp_path_factory.mktemp("runs")
    judge(data, runs / "guess", lambda asked: random_plans(asked, seed=3), model=f"guess {SCRIPT}")
    judge(data, runs / "knows", oracle_plans, model="knows")
    trained = runs / "trained"
    trained.mkdir()
    digest = data_digest(open_source(data))
    facts = {"model": "m-lstm", "seed": 1, "updates": 40, "training": {"data": data.name, "digest": digest}}
    (trained / "run.json").write_text(json.dumps(facts | {"selection": {"best_update": 40}}), encoding="utf-8")
    lines = [{"update": 20, "loss": 1.5}, {"update": 40, "loss": 0.5}, {"update": 40, "dev": {"exact": 0.25}}]
    (trained / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (runs / "broken").mkdir()
    (runs / "broken" / "evaluation.json").write_text(f'{{"{SCRIPT}"', encoding="utf-8")
    return [data, runs]


@pytest.fixture(scope="module")
def studio(roots: list[Path]) -> TestClient:
    """A studio over them."""
    return TestClient(make_app(roots), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def library(roots: list[Path]) -> Library:
    """What it shows."""
    return Library(tuple(roots))


def test_the_table_shows_every_model_and_leads_to_examples(studio: TestClient) -> None:
    """Every score is in the table, with its interval, and is a link to the examples behind it."""
    page = studio.get("/results").text

    assert "100.0 %" in page
    assert "/results/examples?run=knows&amp;split=a1&amp;measure=exact" in page
    assert "/results?run=guess" in page


def test_the_measure_can_be_switched(studio: TestClient) -> None:
    """Another measure gives links to the examples of that measure."""
    page = studio.get("/results?measure=right_target").text

    assert "run=guess&amp;split=a2&amp;measure=right_target" in page
    assert "run=guess&amp;split=a2&amp;measure=exact" not in page


def test_scores_are_drawn_and_saved(studio: TestClient) -> None:
    """A chart with the scores of every model, published ones beside, and both as files of the same numbers."""
    page = studio.get("/results").text
    links = [unescape(one) for one in re.findall(r'href="(/results/scores\.[^"]+)" download', page)]
    assert [link.partition("?")[0] for link in links] == ["/results/scores.csv", "/results/scores.tex"]
    table, latex = (studio.get(link) for link in links)

    assert "Exact match by split" in page
    assert "Published exact match" in page
    assert table.headers["content-type"].startswith("text/csv")
    for split in SPLITS:
        assert f",{split}," in table.text
        assert f"  {split} & " in latex.text
    assert "GCN-LSTM" in table.text
    assert "\\toprule" in latex.text
    assert "\\textless{}script\\textgreater{}" in latex.text


def test_scores_of_one_model_are_drawn_and_saved(studio: TestClient) -> None:
    """A column for each measure."""
    page = studio.get("/results?run=knows").text
    (link, _) = (unescape(one) for one in re.findall(r'href="(/results/scores\.[^"]+)" download', page))

    assert "by split" in page
    assert "correct target" in studio.get(link).text


@pytest.mark.parametrize(
    "where", ["/results/scores.exe", "/results/scores.csv", "/results/scores.csv?on=%00&measure=x"]
)
def test_scores_that_are_not_there_are_told(studio: TestClient, where: str) -> None:
    """Another form, no dataset, and nonsense."""
    answer = studio.get(where)

    assert answer.status_code == 404
    assert "there is no" in answer.text or "are saved as" in answer.text


@pytest.mark.parametrize("query", ["run=guess&show=wrong&split=a1", "a=guess&b=knows&show=b"])
def test_an_example_keeps_the_filter_of_its_results(studio: TestClient, query: str) -> None:
    """Its page leads to the one before and after it behind the same number, and back to their list."""
    page = studio.get(f"/results/{'compare' if query.startswith('a=') else 'examples'}?{query}").text
    listed = list(dict.fromkeys(re.findall(r'<h3><a href="([^"]*)"', page)))
    assert len(listed) > 2

    second = studio.get(unescape(listed[1])).text

    assert listed[0] in second
    assert listed[2] in second
    assert 'href="/results/' in second
    assert "2 of" in second


@pytest.mark.parametrize("place", ["at=1", "among=&at=0", "among=run%3Dguess&at=999999", "among=run%3D..%2F..&at=0"])
def test_a_place_that_is_none_is_left_out(studio: TestClient, place: str) -> None:
    """The page of the example is shown as if nothing had been carried."""
    answer = studio.get("/d/grid-worlds/0", params={"in": place})

    assert answer.status_code == 200
    assert 'href="/results/' not in answer.text


def test_a_broken_run_is_told_and_the_rest_works(studio: TestClient) -> None:
    """The page names the broken folder and its error, and still shows the others."""
    answer = studio.get("/results")

    assert answer.status_code == 200
    assert "evaluation.json is no JSON" in answer.text
    assert "knows" in answer.text


def test_names_from_files_are_escaped(studio: TestClient) -> None:
    """A script in the name of a model is text."""
    for address in (
        "/results",
        "/results?run=guess",
        "/results/examples?run=guess",
        "/results/compare?a=guess&b=knows",
    ):
        page = studio.get(address).text
        assert SCRIPT not in page
        assert "&lt;script&gt;" in page


def test_a_run_that_was_only_trained_shows_its_curves(studio: TestClient) -> None:
    """Training without judging gives charts and says what to do next."""
    page = studio.get("/results?run=trained").text

    assert page.count('<svg class="axes lines"') == 2
    assert "not judged yet" in page


def test_one_run_shows_confusion_and_parts(studio: TestClient) -> None:
    """The page of a model has its wrong choices by what was missed and by role, and scores in parts."""
    page = studio.get("/results?run=guess").text

    assert "Words ignored when the wrong object was chosen" in page
    assert "Role of the chosen object" in page
    assert "By pattern" in page


@pytest.mark.parametrize(
    "address", ["/results", "/results?run=guess", "/results/examples?run=guess&measure=right_target"]
)
def test_misreadings_have_the_names_that_they_have_elsewhere(studio: TestClient, address: str) -> None:
    """Tables and filters say what somebody did, as Play and the pages of examples do; links keep the names of files."""
    page = studio.get(address).text
    shown = set(re.findall(r">([^<>]+)</th>|>([^<>]+?)(?: \([\d,]+\))?</option>", page))
    words = {unescape(head or option).strip() for head, option in shown}

    assert words & set(LABELS.values())
    assert not words & set(LABELS)


def test_examples_have_pictures_and_links(studio: TestClient, library: Library) -> None:
    """The examples behind a score are shown with their scenes and lead to their own pages."""
    page = studio.get("/results/examples?run=guess&split=a1").text

    assert page.count("<svg xmlns=") == 12
    assert "/d/grid-worlds/" in page


def test_links_lead_to_the_example_that_was_judged(library: Library) -> None:
    """The number behind an id is the row of the dataset that has this id."""
    source = next(iter(library.of_kind("grid"))).data
    places = places_of(source)
    ids = [number for table in source.tables() for number in table["id"].to_pylist()]

    numbers = places.find(np.array([ids[0], ids[7], ids[-1], 5], np.int64))

    assert numbers.tolist() == [0, 7, len(ids) - 1, -1]


def test_counts_of_the_list_are_those_of_the_table(library: Library) -> None:
    """As many examples are right by the verdicts as the evaluation says."""
    judged = find_model_results(library, "guess")
    verdicts = verdicts_of(judged)

    for split, scores in judged.scores.items():
        for measure, found in scores.items():
            right = rows_of(verdicts, VerdictFilter(measure=measure, part=split, show="right"))
            assert len(right) == round(found.mean * found.rows)


def test_filters_keep_what_they_say(library: Library) -> None:
    """Whatever is misread, and whatever role a wrong object has, only such examples are listed, and as many as told."""
    judged = find_model_results(library, "guess")
    verdicts = verdicts_of(judged)
    wanted = VerdictFilter(measure="right_target", show="wrong")
    facets = facets_of(verdicts, wanted)

    for misreading, count in facets.misreadings.items():
        rows = rows_of(verdicts, wanted._replace(misreading=misreading))
        assert len(rows) == count
        assert all(misreading in verdicts.misreadings[code] for code in verdicts.misreading[rows].tolist())
    for role, count in facets.roles.items():
        assert len(rows_of(verdicts, wanted._replace(role=role))) == count


def test_two_models_are_compared_by_id(library: Library) -> None:
    """The four quarters of a comparison are those that a plain join of the verdicts gives."""
    first, second = (verdicts_of(find_model_results(library, key)) for key in ("guess", "knows"))
    plain = {
        (verdicts.parts[part], number): right
        for verdicts in (second,)
        for part, number, right in zip(
            verdicts.part.tolist(), verdicts.ids.tolist(), verdicts.right["exact"].tolist(), strict=True
        )
    }

    both = compare(first, second, measure="exact")

    assert len(both.first) == len(plain)
    for row, is_first, is_second in zip(both.first.tolist(), both.is_first, both.is_second, strict=True):
        assert is_first == first.right["exact"][row]
        assert is_second == plain[first.parts[first.part[row]], int(first.ids[row])]
    assert sum(int(quarter.sum()) for quarter in both.quarters.values()) == len(plain)
    assert not both.quarters["a"].any()


def test_the_comparison_page_counts_and_lists(studio: TestClient) -> None:
    """Both models stand in every card, and the quarter that is asked for is shown."""
    page = studio.get("/results/compare?a=guess&b=knows&split=a2&show=b").text

    assert "Only B right" in page
    assert page.count('class="verdict"') == 24


def test_without_the_dataset_there_are_verdicts_but_no_pictures(roots: list[Path]) -> None:
    """Where the dataset is not in the library, the page says so and shows the rest."""
    studio = TestClient(make_app(roots[1:]), base_url="http://127.0.0.1")

    page = studio.get("/results/examples?run=guess&split=a1").text

    assert "The dataset is not in the given folders" in page
    assert "<svg xmlns=" not in page
    assert "Went to" in page


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/results?run=nobody", 404),
        ("/results?run=broken", 422),
        (f"/results?measure={SCRIPT}", 404),
        ("/results/examples", 404),
        ("/results/examples?run=guess&split=zz", 404),
        ("/results/examples?run=guess&page=0", 404),
        ("/results/examples?run=guess&page=1e9", 404),
        ("/results/examples?run=guess&page=99999999999999999999", 404),
        ("/results/examples?run=guess&show=some", 404),
        ("/results/examples?run=trained", 404),
        ("/results/compare?a=guess", 404),
        ("/results/compare?a=guess&b=knows&show=x", 404),
    ],
)
def test_nonsense_is_answered_with_a_message(studio: TestClient, address: str, status: int) -> None:
    """What cannot be shown is said in one line, never as a fault."""
    answer = studio.get(address)

    assert answer.status_code == status
    assert 'class="fault"' in answer.text
    assert SCRIPT not in answer.text


def test_a_filter_that_fits_nothing_is_no_error(studio: TestClient) -> None:
    """An unknown misreading lists nothing; a page beyond the last is the last."""
    assert "No examples match" in studio.get(f"/results/examples?run=guess&misreading={SCRIPT}").text
    assert studio.get("/results/examples?run=guess&page=9999").status_code == 200


def test_results_without_verdicts_have_no_dead_links(roots: list[Path], tmp_path: Path) -> None:
    """Where no verdicts were kept, the numbers are shown but lead nowhere."""
    shutil.copytree(roots[1] / "knows", tmp_path / "bare", ignore=shutil.ignore_patterns("*.parquet"))
    studio = TestClient(make_app([tmp_path]), base_url="http://127.0.0.1")

    page = studio.get("/results").text

    assert "100.0" in page
    assert "/results/examples" not in page


def test_nothing_to_show_says_what_to_do(tmp_path: Path) -> None:
    """A studio without results tells how to get some."""
    studio = TestClient(make_app([tmp_path]), base_url="http://127.0.0.1")

    assert "deixis evaluate" in studio.get("/results").text


def test_verdicts_are_read_as_they_were_written(roots: list[Path], tmp_path: Path) -> None:
    """What is read of every example is what was judged."""
    asked = example_arrays_by_split(open_source(roots[0]), ["a1"])
    _, verdicts = evaluate_plans(asked, {"a1": random_plans(asked["a1"], seed=5)})
    write_plan_verdicts(tmp_path / "verdicts.parquet", asked, verdicts)

    read = read_verdicts(tmp_path / "verdicts.parquet")

    assert read.ids.tolist() == asked["a1"].ids.tolist()
    assert read.right["right_target"].tolist() == verdicts["a1"].is_right_target.tolist()
    wrong = [read.outcomes[code] == "wrong object" for code in read.outcome]
    assert wrong == verdicts["a1"].is_wrong_object.tolist()
    assert read.chosen.tolist() == verdicts["a1"].chosen.tolist()
    for row in range(len(read)):
        judged = verdicts["a1"].verdict(row)
        assert (read.right["exact"][row], read.right["got_there"][row]) == (judged.exact, judged.got_there)
        assert read.roles[read.role[row]] == judged.role
        assert set(read.misreadings[read.misreading[row]]) == set(judged.misreadings)


def test_verdicts_that_are_none_are_refused(tmp_path: Path, roots: list[Path]) -> None:
    """A file that is no Parquet, or lacks a column, is a broken one."""
    (tmp_path / "text.parquet").write_text("not at all", encoding="utf-8")

    with pytest.raises(BrokenDataset, match="cannot be read as Parquet"):
        read_verdicts(tmp_path / "text.parquet")
    with pytest.raises(BrokenDataset, match="lacks the column 'split'"):
        read_verdicts(roots[1] / "guess" / "predictions" / "a1.parquet")


# -------------------------------------------------------------------------------- the other worlds


@pytest.fixture(scope="module")
def photographs(demo_roots: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Expressions about photographs, and a model that says of everything that it is not there, except of some."""
    data, run = demo_roots[0] / "photographs", tmp_path_factory.mktemp("answers") / "shy"
    dataset = open_copsref(data)
    examples = [example for split in dataset.splits if split != "train" for example in dataset.examples(split)]
    answers = [
        Answer(example.id, "Full", image_id=example.image_id, object_id=example.object_id)
        if example.is_there and number % 2
        else Answer(example.id, "Full", is_absent=True)
        for number, example in enumerate(examples)
    ]
    evaluation, verdicts = evaluate_answers(examples, answers, dataset.scenes)
    run.mkdir()
    values = {"predictions": "shy.jsonl", "data": data.name, **evaluation.to_dict()}
    (run / "evaluation.json").write_text(json.dumps(values), encoding="utf-8")
    write_answer_verdicts(run / "verdicts.parquet", verdicts, examples)
    return [data, run.parent]


def test_answers_about_photographs_are_shown(photographs: list[Path]) -> None:
    """Saying that something is not there is right where it is not, and wrong where it is."""
    library = Library(tuple(photographs))
    judged = find_model_results(library, "shy")

    verdicts = verdicts_of(judged)

    assert set(judged.scores) == set(verdicts.parts)
    for setting, scores in judged.scores.items():
        right = rows_of(verdicts, VerdictFilter(measure="right", part=setting, show="right"))
        assert len(right) == round(scores["right"].mean * scores["right"].rows)


def test_photographs_have_pictures(photographs: list[Path]) -> None:
    """The examples behind an answer are shown with their photographs and their texts."""
    studio = TestClient(make_app(photographs), base_url="http://127.0.0.1")

    page = studio.get("/results/examples?run=shy").text

    assert 'class="photo"' in page
    assert "/d/photographs/" in page


def test_the_page_says_how_intervals_were_found(photographs: list[Path], captions: Path) -> None:
    """Shares of right answers have Wilson's; what a caption has a share of is resampled."""
    found = [
        re.search(
            r"95 % intervals over examples \(([^)]+)\)",
            TestClient(make_app(roots), base_url="http://127.0.0.1").get("/results").text,
        )
        for roots in (photographs, [captions])
    ]

    assert [one and one.group(1) for one in found] == [
        "Wilson",
        "Wilson where a caption is right or wrong, otherwise a bootstrap over captions",
    ]


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    """Captions that were judged, one with a script in it."""
    rows = [("a red ball", 0, 400_000), (SCRIPT, 12, 240_000), ("a tiny red block", 7, 9)]
    lines = [{"prediction": text, "target_id": one, "distractor_id": other} for text, one, other in rows]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    asked = Request(answers=(tmp_path / "mine.jsonl",), out=tmp_path / "scored", allow_losses=True)
    find_world("rooms").part("judging").evaluate(asked)
    return tmp_path


def test_judged_captions_are_shown(captions: Path) -> None:
    """Captions are listed beside the two images that they tell apart, or fail to."""
    studio = TestClient(make_app([captions]), base_url="http://127.0.0.1")

    page = studio.get("/results/examples?run=scored&show=all").text

    assert studio.get("/results").status_code == 200
    assert page.count("data:image/png;base64,") == 6
    assert "&lt;script&gt;" in page
    assert SCRIPT not in page


# -------------------------------------------------------------------------------- pieces


def test_a_log_that_is_still_written_is_read(tmp_path: Path) -> None:
    """The last line may be half there; a loss that is no number is left out."""
    (tmp_path / "log.jsonl").write_text('{"update": 1, "loss": 2}\n{"update": 2, "loss": NaN}\n{"upd', encoding="utf-8")

    assert read_run(tmp_path, is_strict=False).losses == ((1, 2.0),)


@pytest.mark.parametrize("text", ["[]", "{", '{"model": "x", "kind": 5', '"x"'])
def test_facts_that_are_no_facts_are_refused(tmp_path: Path, text: str) -> None:
    """A run.json that is no object is a broken one."""
    (tmp_path / "run.json").write_text(text, encoding="utf-8")

    with pytest.raises(BrokenDataset):
        read_run(tmp_path, is_strict=False)


@pytest.mark.parametrize(
    "values",
    [
        [],
        {"settings": 3},
        {"settings": {"Full": {"accuracy": {"mean": "x"}}}},
        {"kind": "plans evaluation", "format": 1},
        {
            "kind": "plans evaluation",
            "format": 1,
            "data": "",
            "digest": "",
            "model": "",
            "decode_limit": None,
            "splits": 2,
        },
    ],
)
def test_evaluations_that_are_none_are_told(tmp_path: Path, values: object) -> None:
    """Whatever else stands in an evaluation, its folder is broken and nothing else."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "evaluation.json").write_text(json.dumps(values), encoding="utf-8")

    found, broken = read_model_results(Library((tmp_path,)))

    assert found == []
    assert [one.entry.title for one in broken] == ["run"]


def test_an_interval_without_width_is_not_shown() -> None:
    """One answer, or equal ones where resampling finds no other, have no interval that means anything."""
    one, several = cell_of(Estimate(1.0, 1.0, 1.0, 1)), cell_of(Estimate(0.5, 0.2, 0.8, 10))

    assert one.words == "100.0 % of 1 example"
    assert several.words == "50.0 %, between 20.0 and 80.0 %, of 10 examples"
