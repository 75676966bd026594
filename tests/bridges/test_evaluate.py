"""Metrics on plain lists, and the same through Hugging Face's `evaluate`, without a network."""

from __future__ import annotations

import sys

import pytest

from deixis.bridges import metric_functions
from deixis.bridges.evaluate_module import evaluate_module
from deixis.bridges.metric_functions import exact_match, localisation, navigation, pragmatic
from deixis.errors import BrokenDataset, DeixisError, SchemaError, UnknownName
from deixis.worlds.grid._items import read_plan
from deixis.worlds.grid.actions import plan_to_letters, plan_to_words
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.judging.verdicts import got_there, judge_plan
from deixis.worlds.grid.making.make import make
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from tests.datasets.copsref.posed import posed
from tests.datasets.tiny import examples_in, quick


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """A small dataset of grid worlds."""
    return make(quick(), tmp_path_factory.mktemp("metrics") / "dataset", workers=1)


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """A small dataset of expressions about photographs."""
    told = posed()
    return write_copsref(tmp_path_factory.mktemp("metrics") / "photographs", told.examples, told.scenes)


@pytest.fixture
def load(tmp_path, monkeypatch):
    """How a metric is loaded by the real library, nothing reachable but the folder at hand."""
    import evaluate

    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("evaluate.config.HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr("evaluate.utils.file_utils.config.HF_MODULES_CACHE", str(tmp_path / "modules"))
    before = list(sys.path)
    yield lambda name: evaluate.load(evaluate_module(), name, cache_dir=str(tmp_path / "cache"))
    sys.path[:] = before


def test_navigation_is_what_the_plain_definitions_say(dataset):
    """Over a list, over ids, in letters or in words: the shares are those of judging one plan at a time."""
    examples = examples_in(dataset, "train")
    said = [plan_to_letters(example.plan[:-1] if k % 3 == 0 else example.plan) for k, example in enumerate(examples)]
    said[1] = "no idea"
    plans = [read_plan(text) for text in said]
    judged = [judge_plan(example, plan) for example, plan in zip(examples, plans, strict=True)]

    found = navigation(said, dataset.path, split="train")

    arrived = [p is not None and got_there(e.scene, p, e.plan) for e, p in zip(examples, plans, strict=True)]
    assert found["got_there"] == pytest.approx(sum(arrived) / len(examples))
    assert found["right_target"] == pytest.approx(
        sum(one.chosen == example.target for one, example in zip(judged, examples, strict=True)) / len(examples)
    )
    assert found["unparsable"] == 1
    by_id = {example.id: text for example, text in zip(examples, said, strict=True)}
    assert navigation(by_id, dataset.path, split="train") == found
    in_words = [text if p is None else plan_to_words(p) for text, p in zip(said, plans, strict=True)]
    plain = exact_match(in_words, [plan_to_letters(example.plan) for example in examples])
    assert {name: plain[name] for name in ("exact_match", "tokens_right")} == pytest.approx(
        {name: found[name] for name in ("exact_match", "tokens_right")}
    )


def test_unanswered_examples_count_as_wrong(dataset):
    """A prediction for one example leaves the others wrong."""
    first = next(examples_of(next(dataset.tables("train"))))
    size = dataset.splits["train"]

    found = navigation({first.id: plan_to_letters(first.plan)}, dataset.path, split="train")

    assert found["exact_match"] == pytest.approx(1 / size)
    assert found["unanswered"] == size - 1


def test_captions_are_judged_in_context():
    """The right contrast tells two rooms apart, the wrong one does not, and an empty caption says nothing."""
    telling = pragmatic(["a red wall"], [0], [4800])
    vague = pragmatic(["a red floor", ""], [0, 0], [4800, 4800])

    assert telling["discriminativity"] == telling["optimal_discriminativity"] == 1
    assert vague["discriminativity"] == 0
    assert vague["contrastive_efficiency"] is None
    assert vague["examples"] == 2


def test_localisation_counts_right_objects(photographs):
    """The recorded objects are right, another is wrong, and what is not there can be denied."""
    examples = list(photographs.examples("test"))
    right = {e.id: f"{e.image_id}/{e.object_id}" if e.is_there else "" for e in examples}
    wrong = dict.fromkeys(right, "soup")

    best, worst = (localisation(said, photographs.path) for said in (right, wrong))

    assert best["accuracy"] == 1
    assert worst["accuracy"] == 0
    assert 0 < best["chance"] < 1
    assert best["unanswered"] == 0
    assert worst["unparsable"] == len(examples)
    assert localisation(list(right.values()), photographs.path) == best
    assert localisation([None, "///"], photographs.path, ids=list(right)[:2])["unparsable"] == 2


def test_what_is_no_list_of_plans_is_told():
    """A prediction that is no text is no plan, and what is no list at all is refused in a line."""
    assert exact_match([None], ["W"])["unparsable"] == 1
    for wrong in (5, "LWW", {"1": "W"}):
        with pytest.raises(SchemaError, match="must be a list"):
            exact_match(wrong, ["W"])
    with pytest.raises(SchemaError, match="whole numbers"):
        pragmatic(["a"], [[1, 2]], [3])


def test_the_library_gives_the_same_numbers(dataset, photographs, load):
    """`evaluate.load` on our file, for every configuration, computes what the functions do."""
    plans = {"predictions": ["LWW", "W"], "references": ["LWW", "WW"]}
    examples = examples_in(dataset, "dev")
    said = [plan_to_letters(example.plan) for example in examples]
    ids = [str(example.id) for example in examples]
    shown = list(open_copsref(photographs.path).examples("test"))
    answers = [f"{e.image_id}/{e.object_id}" if e.is_there else "" for e in shown]

    assert load("exact_match").compute(**plans) == exact_match(**plans)
    found = load("navigation").compute(predictions=said, references=ids, data=str(dataset.path), split="dev")
    assert found == navigation(said, dataset.path, split="dev")
    assert found["exact_match"] == found["got_there"] == 1
    pair = load("pragmatic").compute(predictions=["a red wall"], references=["0/4800"])
    assert pair == pragmatic(["a red wall"], [0], [4800])
    where = {"data": str(photographs.path), "split": "test"}
    told = load("localisation").compute(predictions=answers, references=[str(e.id) for e in shown], **where)
    assert told["accuracy"] == 1


def test_what_cannot_be_scored_is_told_in_a_line(dataset, load, monkeypatch, tmp_path):
    """Lists of different lengths, strange ids, missing datasets and libraries: each is one line."""
    with pytest.raises(SchemaError, match="2 predictions, 1 references"):
        exact_match(["W", "W"], ["W"])
    with pytest.raises(SchemaError, match="nothing to score"):
        exact_match([], [])
    with pytest.raises(SchemaError, match="a reference is no plan: 'fly'"):
        exact_match(["W"], ["fly"])
    with pytest.raises(SchemaError, match="no example 5"):
        navigation({5: "W"}, dataset.path, split="train")
    with pytest.raises(SchemaError, match="a number, got 'soup'"):
        navigation({"soup": "W"}, dataset.path, split="train")
    with pytest.raises(UnknownName, match="no split"):
        navigation(["W"], dataset.path, split="soup")
    with pytest.raises(BrokenDataset, match="no file or folder"):
        navigation(["W"], tmp_path / "nowhere")
    with pytest.raises(SchemaError, match="480"):
        pragmatic(["a red wall"], [480_000], [0])
    with pytest.raises(SchemaError, match="unknown setting"):
        localisation({1: "a/b"}, dataset.path, setting="soup")
    with pytest.raises(UnknownName, match="known: exact_match"):
        load("soup")
    with pytest.raises(SchemaError, match="needs the dataset"):
        load("navigation").compute(predictions=["W"], references=["1"])
    with pytest.raises(SchemaError, match="TARGET/DISTRACTOR"):
        load("pragmatic").compute(predictions=["W"], references=["1"])
    monkeypatch.setattr("deixis.bridges.evaluate_module.find_spec", lambda _name: None)
    with pytest.raises(DeixisError, match=r"deixis\[hf\]"):
        evaluate_module()


def test_the_examples_in_the_docstrings_hold():
    """What the documentation shows is what comes out."""
    import doctest

    assert doctest.testmod(metric_functions).failed == 0
