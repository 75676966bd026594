"""Thirty simulated participants with known error rates take part, and the analysis finds the rates."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis._study.analysis import analyse
from deixis._study.design import DataCondition, make_study
from deixis._study.items import NONE, SEVERAL
from deixis._study.judging import as_given, judge_given
from deixis._study.output import output_of, tidy_rows, write_results
from deixis._study.sessions import Sessions
from deixis._study.simulation import SimulatedParticipant, wrong_answers
from deixis.errors import BrokenDataset
from deixis.prompts.tasks import task_of
from tests.studies.conftest import FEW, take_part


RATES = {"one": 0.1, "other": 0.4}
MISREADING = "colour word"


def people(study, count=30, **changes):
    """Return simulated participants with their tokens; by number, some may be changed."""
    for number, token in enumerate(sorted(study.tokens())[:count]):
        plain = SimulatedParticipant(seed=number, error=RATES)
        yield token, replace(plain, **changes.get(f"n{number}", {}))


def take_all(study, participants):
    """Let them answer through the sessions of the server, and return their names."""
    running, golds, items = Sessions(study), study.golds(), {item.id: item for item in study.items}
    return [
        take_part(running, token, lambda name, one=one: one.answer(items[name], golds[name]), until=one.stops_after)
        for token, one in participants
    ]


@pytest.fixture(scope="session")
def crossed(grid_data, tmp_path_factory):
    """A study with two conditions of ten items each."""
    pair = [DataCondition(name, grid_data, {}) for name in RATES]
    out = tmp_path_factory.mktemp("crossed") / "study"
    settings = replace(FEW, items=10, practice=1, attention=2)
    return make_study(pair, settings, out, task=task_of(grid_data))


@pytest.fixture
def whole(crossed, tmp_path, unhurried):
    """The same in a folder of one's own."""
    import shutil

    shutil.copytree(crossed.folder, tmp_path / "study")
    return replace(crossed, folder=tmp_path / "study")


def test_a_whole_study_of_thirty_recovers_their_error_rates(whole):
    """By condition, after leaving out who missed attention items, with every answer counted where it belongs."""
    changes = {"n3": {"misses": True}, "n7": {"misses": True}, "n5": {"stops_after": 6}}
    names = take_all(whole, people(whole, **changes))

    found = analyse(whole)

    assert (found.entered, found.complete) == (30, 29)
    assert set(found.excluded) == {names[3], names[7]}
    for name, rate in RATES.items():
        accuracy = found.groups["condition"][name].accuracy
        assert accuracy.low <= 1 - rate <= accuracy.high
        assert accuracy.mean == pytest.approx(1 - rate, abs=0.08)
    missing = found.overall.bounds.missing
    assert found.overall.accuracy.rows == 28 * 10 - missing
    assert 0 < missing <= 10 - 3
    assert found.overall.bounds.low < found.overall.accuracy.mean < found.overall.bounds.high


def test_the_misreading_of_every_error_is_found(whole):
    """Participants who overlook colour words wherever that leads somewhere else are said to have overlooked them."""
    golds, items = whole.golds(), whole.of_kind("main")
    leads = [
        item for item in items if any(MISREADING in one.misreadings for one in wrong_answers(item, golds[item.id]))
    ]
    assert leads  # the examples hold some, or this test says nothing
    always = SimulatedParticipant(seed=0, error={"": 1.0}, misreading=MISREADING)
    take_all(whole, [(token, replace(always, seed=n)) for n, token in enumerate(sorted(whole.tokens())[:10])])

    found = analyse(whole)

    assert found.overall.accuracy.mean == 0
    told = [one for one in found.counted if one.item in leads]
    assert told
    assert all(MISREADING in one.judgement.misreadings for one in told)
    assert found.overall.misreadings[MISREADING] == pytest.approx(
        sum(1 / len(one.judgement.misreadings) for one in found.counted if MISREADING in one.judgement.misreadings)
    )


def test_agreement_is_full_where_all_answer_alike(whole):
    """Participants without errors agree."""
    perfect = SimulatedParticipant(seed=0)
    take_all(whole, [(token, perfect) for token in sorted(whole.tokens())[:3]])

    found = analyse(whole)

    assert found.overall.agreement.mean == 1
    assert found.overall.accuracy.mean == 1


def test_models_stand_beside_people_on_the_same_items(whole, tmp_path):
    """A model that knows all is ahead by exactly what people get wrong."""
    take_all(whole, people(whole, 6))
    lines = [json.loads(line) for line in (whole.folder / "prompts.gold.jsonl").read_text().splitlines()]
    file = tmp_path / "oracle.jsonl"
    file.write_text("".join(json.dumps({"id": v["id"], "answer": v["right"]}) + "\n" for v in lines if "id" in v))

    found = analyse(whole, models={"oracle": file})

    assert found.overall.models["oracle"].mean == 1
    assert found.overall.gaps["oracle"].mean == pytest.approx(found.overall.accuracy.mean - 1)
    assert "oracle" in str(output_of(found).blocks)


def test_rows_come_back_from_every_form(whole, tmp_path):
    """JSON Lines, Parquet and the study's own folder give the same results."""
    take_all(whole, people(whole, 4))
    found = analyse(whole)
    write_results(found, tmp_path / "out")

    for name in ("rows.jsonl", "rows.parquet"):
        assert analyse(whole, [tmp_path / "out" / name]).to_dict() == found.to_dict()
    assert len(list(tidy_rows(found))) == 4 * len(whole.items)


def test_rows_of_no_use_are_counted(whole, tmp_path):
    """Rows of other studies, of unknown items, repeated and forged ones are left out, each with its reason."""
    take_all(whole, people(whole, 4))
    some = [json.loads(line) for path in (whole.folder / "answers").iterdir() for line in path.read_text().splitlines()]
    row = next(one for one in some if "item" in one)
    bad = [{"study": "x"}, {"item": "i999"}, {"response": "<script>"}, {"participant": ""}, {}, {"participant": "\n"}]
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([*some, *(row | one for one in bad), 7]))

    found = analyse(whole, [file])

    assert found.losses.total("left out") == 7
    assert found.overall.accuracy.rows == 4 * 10


def test_nobody_is_left_is_told(whole):
    """Where all are left out there is nothing to say."""
    careless = SimulatedParticipant(seed=0, misses=True)
    take_all(whole, [(min(whole.tokens()), careless)])

    with pytest.raises(BrokenDataset, match="nobody is left"):
        analyse(whole)


def test_several_and_none_are_wrong_where_one_thing_is_meant(made):
    """And the misreading says so."""
    from deixis._study.design import read_study

    study = read_study(made)
    item, golds = study.of_kind("main")[0], study.golds()
    for answer in (SEVERAL, NONE):
        found = judge_given(item, golds[item.id], answer)

        assert (found.outcome, found.misreadings) == ("wrong", (f"said {answer}",))
    assert judge_given(item, golds[item.id], as_given(golds[item.id].right)).outcome == "right"
