"""Released files read for a check: every field is held against what it should be, and no example ends the run."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from deixis.worlds.grid.checks import check_tables
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.formats._examined import OF_COMMAND, OF_DISTRACTORS, OF_WORLD, examine, examined_tables
from tests.datasets.formats.released import (
    CHAIN,
    GSCAN,
    HAND_WRITTEN,
    SAMPLE,
    SIMPLE,
    needs_sample,
    write_file,
)


GSCAN_FILE = {"type_grammar": "adverb", "grammar": "ROOT -> VP"}
WRONG = {  # for every field of an example, what it is overwritten with and the code that finds it
    "grammer_pattern": ("$OBJ_0 ^ $OBJ_1", "E004"),
    "meaning": ("walk,to,the,circle", "E004"),
    "derivation": ("$OBJ_0", "E004"),
    "verb_in_command": ("push", "E004"),
    "adverb_in_command": ("cautiously", "E004"),
    "referred_target": ("blue circle", "E004"),
    "object_pattern_map": ({"$OBJ_0": "$SHAPE"}, "E004"),
    "relation_map": ([[["$OBJ_0", "$OBJ_1"], "$SAME_ROW"]], "E004"),
    "object_expression": ({"$OBJ_0": "circle", "$OBJ_1": "blue square", "$OBJ_2": "green cylinder"}, "E004"),
    "n_object": (11, "E005"),
    "n_distractor": (6, "E005"),
    "full_relation_distractor": (False, "W503"),
    "has_relation_distractor": (False, "W503"),
    "has_attribute_distractor": (False, "W503"),
    "has_isomorphism_distractor": (True, "W503"),
    "has_random_distractor": (True, "W503"),
    "n_random_distractor": (2, "W503"),
    "relation_distractor_metadata": ([], "W503"),
    "attribute_distractor_metadata": ([], "W503"),
    "isomorphism_distractor_metadata": ([], "W503"),
    "random_distractor_metadata": ([{"$OBJ_9": " red circle"}], "W503"),
}
WRONG_SITUATION = {
    "distance_to_target": ("9", "E005"),
    "direction_to_target": ("ne", "E005"),
    "carrying_object": ("red circle", "E005"),
    "grid_size": (7, "E005"),
    "agent_direction": (1, "E301"),
    "agent_position": ({"row": "5", "column": "4"}, "E005"),
}


def found(tmp_path, *records, **options):
    """The report on a file with some examples."""
    path = write_file(tmp_path / "one.txt", *records)
    return check_tables(open_source(path).tables_for_check(), **options)


def with_situation(record, **changes):
    return {**record, "situation": {**record["situation"], **changes}}


def other(value):
    """A value of the same sort that is not the same."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case list():
            return value[:-1] if value else [{"distractor_metadata": {}}]
        case dict():
            first = next(iter(value))
            return {**value, first: other(value[first])}
        case _:
            return {"shape": "circle"}


def test_every_field_of_an_example_is_looked_at():
    """The fields that are compared, the situation and the plan are the 24 of the release."""
    assert {*OF_COMMAND, *OF_WORLD, *OF_DISTRACTORS, "target_commands"} == set(SIMPLE)
    assert {*WRONG, "command", "situation", "target_commands"} == set(SIMPLE)


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_sound_examples_have_no_wrong_field(name):
    """Nothing is said against the fields of an example that is as the release has it."""
    assert examine(HAND_WRITTEN[name], 6)[1:] == ("", "", "", "")


@needs_sample
def test_real_examples_have_no_wrong_field(tmp_path):
    """All 302 real examples pass the checks of their fields, and of everything that makes an example wrong."""
    report = check_tables(open_source(SAMPLE).tables_for_check(), select=["E", "W503"])

    assert report.rows == 302
    assert report.counts == {}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_field_is_found(tmp_path, name):
    """A field that is overwritten is named under its code."""
    value, code = WRONG[name]

    report = found(tmp_path, {**CHAIN, name: value}, select=["E0", "W503"])

    assert code in report.counts
    assert name in " ".join(finding.detail for finding in report.findings)


@pytest.mark.parametrize("name", sorted(set(SIMPLE) - {"command", "situation", "target_commands"}))
def test_a_missing_field_is_found(tmp_path, name):
    """A field that is not there is named."""
    record = {key: value for key, value in CHAIN.items() if key != name}
    if name == "grammer_pattern":  # which tells the formats apart, so that an example with it comes first
        record, name = {key: value for key, value in CHAIN.items() if key != "derivation"}, "derivation"

    report = found(tmp_path, record, select=["E0", "W503"])

    assert f"{name} is missing" in " ".join(finding.detail for finding in report.findings)


@pytest.mark.parametrize("name", WRONG_SITUATION)
def test_a_wrong_field_of_the_situation_is_found(tmp_path, name):
    """What the situation says beside its objects is compared with them."""
    value, code = WRONG_SITUATION[name]

    assert code in found(tmp_path, with_situation(CHAIN, **{name: value})).counts


@pytest.mark.parametrize("of", ["target_object", "placed_objects"])
def test_a_wrong_vector_is_found(tmp_path, of):
    """The bits of an object are compared with its words."""
    record = deepcopy(CHAIN)
    thing = record["situation"][of] if of == "target_object" else record["situation"][of]["4"]
    thing["vector"] = "100010001000"[::-1]

    report = found(tmp_path, record)

    assert report.counts["E005"] == 1
    assert "vector" in report.findings[0].detail


def test_objects_in_another_order_are_found(tmp_path):
    """The release puts the target first."""
    record = deepcopy(SIMPLE)
    placed = record["situation"]["placed_objects"]
    placed["0"], placed["3"] = placed["3"], placed["0"]

    report = found(tmp_path, record, select=["E0"])

    assert report.counts == {"E005": 1}
    assert "target_object is placed_objects 3" in report.findings[0].detail


@needs_sample
def test_whatever_is_changed_in_a_real_example_is_found(tmp_path):
    """Of every field of real examples, and of every one of their situations, another value is found."""
    records = json.loads(SAMPLE.read_text(encoding="utf-8"))["examples"]["test"][::20]
    missed = []
    for record in records:
        fields = [{**record, name: other(record[name])} for name in record]
        fields += [with_situation(record, **{name: other(v)}) for name, v in record["situation"].items()]
        fields.append({**record, "relation_distractor_metadata": record["relation_distractor_metadata"][1:]})
        path = write_file(tmp_path / "many.txt", *fields)
        report = check_tables(open_source(path).tables_for_check(), select=["E", "W503"], most=100)
        rows = {finding.row for finding in report.findings if finding.code != "E401"}
        missed += [row for row in range(len(fields)) if row not in rows]

    assert missed == []


BROKEN = {
    "no object": (3, "E001", "it is a number, not an object of fields"),
    "nothing": (None, "E001", "it is null, not an object of fields"),
    "an unknown action": ({**SIMPLE, "target_commands": "walk,jump"}, "E001", "jump"),
    "no plan": ({**SIMPLE, "target_commands": None}, "E001", "target_commands"),
    "no command": ({**SIMPLE, "command": 7}, "E001", "command"),
    "an odd word": ({**SIMPLE, "command": "push,the,small,red,circel"}, "E104", "circel"),
    "a size that there is not": (
        with_situation(
            SIMPLE,
            placed_objects={
                **SIMPLE["situation"]["placed_objects"],
                "3": {
                    "position": {"row": "4", "column": "4"},
                    "object": {"shape": "square", "color": "red", "size": "7"},
                },
            },
        ),
        "E106",
        "size of object 3 is 7",
    ),
    "no colour": (
        with_situation(SIMPLE, target_object={**SIMPLE["situation"]["target_object"], "object": {"shape": "circle"}}),
        "E106",
        "no known shape and color",
    ),
    "off the grid": (with_situation(SIMPLE, agent_position={"row": "6", "column": "0"}), "E106", "row of the agent"),
    "another target": (
        with_situation(SIMPLE, target_object=CHAIN["situation"]["placed_objects"]["9"]),
        "E103",
        "none of placed_objects",
    ),
    "no world": ({**SIMPLE, "situation": []}, "E001", "situation"),
    "too few objects": (
        {**CHAIN, "situation": {**SIMPLE["situation"], "placed_objects": {"0": SIMPLE["situation"]["target_object"]}}},
        "E106",
        "mentions 3 objects",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_example_that_cannot_be_understood_is_a_finding(tmp_path, case):
    """It is reported under its code with its row and the reason; the examples around it are checked all the same."""
    record, code, reason = BROKEN[case]
    wrong = {**SIMPLE, "verb_in_command": "pull"}

    report = found(tmp_path, HAND_WRITTEN["chain"], record, wrong, select=["E0", "E1"])

    assert report.rows == 3
    assert report.counts == {code: 1, "E004": 1}
    told = next(finding for finding in report.findings if finding.code == code)
    assert told.row == 1
    assert reason in told.detail


def test_only_what_was_selected_is_told_of_a_broken_example(tmp_path):
    """A command that cannot be read is passed over by other checks; what cannot be read at all is always told."""
    records = [SIMPLE, BROKEN["an odd word"][0], BROKEN["an unknown action"][0]]

    assert found(tmp_path, *records, select=["E203"]).counts == {"E001": 1}


def test_a_file_that_breaks_off_is_checked_as_far_as_it_goes(tmp_path):
    """The examples before the break are judged, and the break is a finding."""
    path = write_file(tmp_path / "cut.txt", SIMPLE, {**SIMPLE, "n_object": 9}, SIMPLE)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.rindex('"n_object"')], encoding="utf-8")

    report = check_tables(open_source(path).tables_for_check(), select=["E0"])

    assert report.counts == {"E001": 1, "E005": 1}
    assert "cut short" in report.findings[0].detail


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, None),
        ({"verb_in_command": "push"}, "E004"),
        ({"manner": "cautiously"}, "E004"),
        ({"referred_target": " big red circle"}, "E004"),
        ({"situation": {**GSCAN["situation"], "direction_to_target": "w"}}, "E005"),
        ({"situation": {**GSCAN["situation"], "distance_to_target": "2"}}, "E005"),
        ({"command": "walk,to,a,purple,circle"}, "E104"),
    ],
)
def test_fields_of_gscan_are_looked_at(tmp_path, change, code):
    """Verb, manner, the name of the target, distance and direction are compared in gSCAN's files, too."""
    path = write_file(tmp_path / "gscan.txt", {**GSCAN, **change}, **GSCAN_FILE)

    report = check_tables(examined_tables(path, "gscan"), select=["E0", "E104"])

    assert set(report.counts) == ({code} if code else set())


def test_columns_of_other_people_are_no_faults(tmp_path):
    """A table that happens to have a column called fault is checked as ever."""
    (table,) = open_source(write_file(tmp_path / "one.txt", SIMPLE)).tables()

    assert check_tables([table.append_column("fault", [[7]])], select=["E0"]).counts == {}
