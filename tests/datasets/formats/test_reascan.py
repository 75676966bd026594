"""Released ReaSCAN files, there and back."""

from __future__ import annotations

import json
from copy import deepcopy

import pyarrow as pa
import pytest

from deixis.errors import BrokenDataset, DeixisError
from deixis.resolution.reference import denotation
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.table import SCHEMA, examples_of
from deixis.worlds.grid.formats._recognise import sniff
from deixis.worlds.grid.formats.reascan import (
    FILE_NAME,
    convert_reascan,
    differences,
    read_examples,
    read_reascan,
    to_record,
    write_reascan,
)
from deixis.worlds.grid.formats.vocabulary import read_vocabulary
from deixis.worlds.grid.roles import Role
from tests.datasets.formats.released import (
    CHAIN,
    GSCAN,
    HAND_WRITTEN,
    ONE_CLAUSE,
    SAMPLE,
    SIMPLE,
    changed,
    metadata,
    needs_sample,
    situation,
    write_file,
)


def read_one(tmp_path, record):
    """The example of a record, read from a file."""
    (example,) = read_examples(write_file(tmp_path / "one.txt", record))
    return example


def kinds_of(example) -> str:
    """The roles of an example, a letter each."""
    return "".join(role.kind[0] for role in example.roles)


@needs_sample
def test_real_examples_are_derived_to_the_last_field():
    """All 24 fields of all 302 real examples follow from what was read, in order and with their types."""
    records = json.loads(SAMPLE.read_text(encoding="utf-8"))["examples"]["test"]

    written = [to_record(example) for example in read_examples(SAMPLE)]

    assert [json.dumps(record) for record in written] == [json.dumps(record) for record in records]


@needs_sample
@pytest.mark.parametrize("indent", [None, 4])
def test_a_real_file_is_rewritten_byte_for_byte(tmp_path, indent):
    """Header, order and layout are those of the release."""
    expected = json.dumps(json.loads(SAMPLE.read_text(encoding="utf-8")), indent=indent)

    counts = write_reascan(read_reascan(SAMPLE, rows=100), tmp_path / "out.txt", indent=indent)

    assert counts == {"test": 302}
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == expected


@needs_sample
def test_tables_of_real_examples_say_what_the_examples_say():
    """The columns have the schema, and the identities computed for whole columns are those of the examples."""
    tables = list(read_reascan(SAMPLE, rows=100))
    table = pa.concat_tables(tables)

    assert [len(part) for part in tables] == [100, 100, 100, 2]
    assert all(part.schema == SCHEMA for part in tables)
    assert table["id"].to_pylist() == [example.id for example in examples_of(table)]
    assert set(table["split"].to_pylist()) == {"test"}


@needs_sample
def test_misreadings_of_real_examples_reach_their_objects():
    """The first object of a relation set is let in by the misreading that was inferred for it."""
    reached = checked = 0
    for example in read_examples(SAMPLE):
        for number, code in enumerate(example.misreadings):
            role = Role("relation", number)
            if code >> 12 == 2 and role in example.roles:
                first = example.roles.index(role)
                reached += first in denotation(example.misreading_of(first).expression, example.scene)
                checked += 1

    assert checked == 604
    assert reached / checked > 0.9  # the release does not keep shared colours and shapes in its copies


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_examples_of_other_patterns_are_derived_to_the_last_field(tmp_path, name):
    """Simple, one clause, random only and the chain have metadata of their own forms."""
    record = HAND_WRITTEN[name]

    assert json.dumps(to_record(read_one(tmp_path, record))) == json.dumps(record)


@pytest.mark.parametrize(
    ("name", "kinds", "misreadings"),
    [
        ("simple", "tasr", [0x3011, 0x5000]),
        ("one clause", "tmrr", [0x2100]),
        ("random only", "tmrr", []),
        ("chain", "tmmrraaaii", [0x2200, 0x3211, 0x4120]),
    ],
)
def test_roles_are_found_from_the_metadata(tmp_path, name, kinds, misreadings):
    """Objects stand in the order of placement, so counts, flags and looks tell which set each belongs to."""
    example = read_one(tmp_path, HAND_WRITTEN[name])

    assert kinds_of(example) == kinds
    assert list(example.misreadings) == misreadings


def test_a_clause_set_is_told_from_random_objects(tmp_path):
    """The same world has a relation distractor with one metadata and only random ones with the other."""
    with_set = read_one(tmp_path, HAND_WRITTEN["one clause"])
    without = read_one(tmp_path, HAND_WRITTEN["random only"])

    assert with_set.roles[2:] == (Role("relation", 0), Role("random", 2))
    assert without.roles[2:] == (Role("random"), Role("random"))


def test_a_set_that_ran_out_of_room_is_recognised(tmp_path):
    """The exchanged set of the chain has two of three objects, and the names of random ones count the missing third."""
    record = deepcopy(CHAIN)
    record["situation"]["placed_objects"]["10"] = deepcopy(record["situation"]["placed_objects"]["1"])
    record.update(n_object=11, n_distractor=8, has_random_distractor=True, n_random_distractor=1)
    record["random_distractor_metadata"] = [{"$OBJ_11": " blue square"}]

    example = read_one(tmp_path, record)

    assert kinds_of(example) == "tmmrraaaiir"
    assert to_record(example) == record


def test_what_does_not_add_up_counts_as_random(tmp_path):
    """With flags that contradict the objects only target and mentions are certain."""
    record = {**deepcopy(CHAIN), "has_isomorphism_distractor": True}

    example = read_one(tmp_path, record)

    assert kinds_of(example) == "tmm" + "r" * 7
    assert {role.kind for role in example.roles[3:]} == {"random"}


@pytest.mark.parametrize("value", [None, 3, "x", [3], [{"distractor_metadata": 3}], {}, [[[]]]])
def test_metadata_of_another_form_is_no_harm(tmp_path, value):
    """Metadata is a hint: an example can be read whatever it holds."""
    names = [name for name in CHAIN if name.endswith("metadata") or name.startswith(("n_", "has_", "full_"))]
    record = {**CHAIN, **dict.fromkeys(names, value)}

    example = read_one(tmp_path, record)

    assert [role.kind for role in example.roles[:3]] == ["target", "mentioned", "mentioned"]
    assert len(example.roles) == len(example.scene) == 10


def test_a_long_command_with_contradicting_flags_does_not_take_forever(tmp_path):
    """Dividing objects among many sets that may all be incomplete takes no exponential time."""
    clauses = " and ".join(f"in the same {('row', 'column')[k % 2]} as a red square" for k in range(14))
    things = ["red circle 1 at 0 0", *("red square 1 at 1 1" for _ in range(62))]
    edges = [{"distractor_metadata": {"edge": ["$OBJ_0", f"$OBJ_{k}"]}} for k in range(1, 15)]
    fields = metadata(63, 15, full_relation_distractor=False, relation_distractor_metadata=edges)
    fields["random_distractor_metadata"] = [{"$OBJ_999": " red square"}]
    record = {**CHAIN, **fields, "n_random_distractor": 1}
    record.update(command=f"walk to the red circle that is {clauses}".replace(" ", ","), situation=situation(*things))

    example = read_one(tmp_path, record)

    assert len(example.roles) == 63


def test_worlds_of_the_corrected_maker_are_put_in_the_order_of_the_release(tmp_path):
    """Counterparts of size words stand behind the relation sets in a file, wherever they stand in the table."""
    example = read_one(tmp_path, SIMPLE)
    things, roles = example.scene.objects, example.roles
    shuffled = type(example)(
        text=example.text,
        scene=type(example.scene)((things[0], things[2], things[1], things[3]), agent=example.scene.agent),
        target=0,
        plan=example.plan,
        roles=(roles[0], roles[2], roles[1], roles[3]),
        misreadings=example.misreadings,
    )

    assert to_record(shuffled) == SIMPLE


def test_strategies_can_be_named(tmp_path):
    """Whether a kind of distractor was not asked for or not applicable is the writer's to say."""
    example = read_one(tmp_path, SIMPLE)

    switched_off = to_record(example, strategies={"attribute", "random"})

    assert switched_off["isomorphism_distractor_metadata"] == [{"distractor_metadata": {}}]
    assert to_record(example)["isomorphism_distractor_metadata"] == []


def test_three_clauses_have_relation_and_random_distractors_only(tmp_path):
    """The release made the pattern p4 with two kinds of distractors, which shows in the metadata."""
    text = (
        "walk to the red circle that is in the same row as a blue square and in the same column as a green cylinder "
        "and inside of a big yellow box"
    )
    things = ["red circle 1 at 1 1", "blue square 1 at 1 0", "green cylinder 1 at 0 1", "yellow box 2 at 0 0"]
    sets = ["red circle 2 at 5 5", "green cylinder 1 at 0 5", "yellow box 2 at 4 4"]
    sets += ["red circle 2 at 4 2", "blue square 1 at 4 0", "yellow box 2 at 3 1"]
    sets += ["red circle 2 at 3 3", "blue square 1 at 3 0", "green cylinder 1 at 0 3"]
    relations = ("$SAME_ROW", "$SAME_COLUMN", "$IS_INSIDE")
    entries = [
        {"distractor_metadata": {"edge": ["$OBJ_0", f"$OBJ_{k}"], "relation_old_type": relation, "full_set": True}}
        for k, relation in enumerate(relations, start=1)
    ]
    record = {**CHAIN, **metadata(14, 4, has_relation_distractor=True, relation_distractor_metadata=entries)}
    record.update(command=text.replace(" ", ","), situation=situation(*things, *sets, "yellow box 1 at 5 0"))
    record["isomorphism_distractor_metadata"] = [{"distractor_metadata": {}}]

    example = read_one(tmp_path, record)
    written = to_record(example)

    assert kinds_of(example) == "tmmm" + "r" * 9 + "s"
    assert {name: written[name] for name in record if "distractor" in name} == {
        name: record[name] for name in record if "distractor" in name
    }


def test_fields_that_are_not_borne_out_are_named():
    """A wrong verb, distance or flag is found by deriving the record again."""
    wrong = {**deepcopy(SIMPLE), "verb_in_command": "pull", "has_random_distractor": False}
    wrong["situation"]["distance_to_target"] = "9"

    assert differences(SIMPLE) == ()
    assert differences(wrong) == ("situation", "verb_in_command", "has_random_distractor")


def _without(*path):
    def change(record):
        *inner, last = path
        for key in inner:
            record = record[key]
        del record[last]

    return change


def _with(value, *path):
    def change(record):
        *inner, last = path
        for key in inner:
            record = record[key]
        record[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_without("command"), "'command'"),
        (_with(3, "command"), "'command'"),
        (_with("push,the,purple,circle", "command"), "purple"),
        (_with("jump,the,red,circle", "command"), "jump"),
        (_without("situation"), "situation"),
        (_with([], "situation"), "situation"),
        (_without("situation", "placed_objects", "0"), "'0'"),
        (_with({}, "situation", "placed_objects"), "none of placed_objects"),
        (_with({str(k): {} for k in range(65)}, "situation", "placed_objects"), "65 objects"),
        (_with("7", "situation", "placed_objects", "1", "position", "row"), "row of object 1"),
        (_with("-1", "situation", "placed_objects", "1", "position", "row"), "row of object 1"),
        (_with(True, "situation", "placed_objects", "1", "position", "row"), "row of object 1"),
        (_with(1.5, "situation", "placed_objects", "1", "position", "row"), "row of object 1"),
        (_with("²", "situation", "placed_objects", "1", "position", "row"), "row of object 1"),
        (_with("9" * 5000, "situation", "placed_objects", "1", "position", "row"), "row of object 1"),
        (_with("5", "situation", "placed_objects", "1", "object", "size"), "size of object 1"),
        (_with("cone", "situation", "placed_objects", "1", "object", "shape"), "'cone'"),
        (_with([], "situation", "placed_objects", "1", "object", "shape"), "shape and color"),
        (_with("1" * 12, "situation", "placed_objects", "1", "vector"), "vector"),
        (_with(9, "situation", "agent_direction"), "agent_direction"),
        (_with(10**9, "situation", "grid_size"), "grid_size"),
        (_with("3", "situation", "target_object", "position", "row"), "none of placed_objects"),
        (_with("walk,jump", "target_commands"), "jump"),
        (_without("target_commands"), "'target_commands'"),
    ],
)
def test_a_broken_example_is_named(tmp_path, change, words):
    """The message says which example it is and what is wrong with it, in one line."""
    broken = deepcopy(SIMPLE)
    change(broken)

    with pytest.raises(BrokenDataset, match="example 1 of split 'test'") as caught:
        list(read_reascan(write_file(tmp_path / "bad.txt", SIMPLE, broken)))

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_may_be_numbers(tmp_path):
    """Positions and sizes are strings in the release; plain numbers mean the same."""
    record = deepcopy(ONE_CLAUSE)
    for placed in (*record["situation"]["placed_objects"].values(), record["situation"]["target_object"]):
        placed["position"] = {name: int(value) for name, value in placed["position"].items()}
        placed["object"]["size"] = int(placed["object"]["size"])

    assert to_record(read_one(tmp_path, record)) == ONE_CLAUSE


def test_splits_are_written_side_by_side(tmp_path):
    """Examples of one split are gathered, one of two held-out sets is in both, and no split means train."""
    table = next(read_reascan(write_file(tmp_path / "in.txt", SIMPLE, ONE_CLAUSE, CHAIN, SIMPLE)))
    splits = pa.array(["a1", "a1+a2", "", "a1"])
    table = table.set_column(table.schema.get_field_index("split"), "split", splits)

    counts = write_reascan([table.slice(0, 2), table.slice(2)], tmp_path / "out.txt")
    written = json.loads((tmp_path / "out.txt").read_text(encoding="utf-8"))

    assert counts == {"a1": 3, "a2": 1, "train": 1}
    assert written["examples"] == {"a1": [SIMPLE, ONE_CLAUSE, SIMPLE], "a2": [ONE_CLAUSE], "train": [CHAIN]}
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == json.dumps(written, indent=4)
    assert list(written)[:6] == [
        "grid_size", "type_grammar", "min_object_size", "max_object_size", "percentage_train", "examples",
    ]  # fmt: skip


def test_an_empty_dataset_is_a_file_too(tmp_path):
    """Nothing to write gives a file that reads as nothing."""
    counts = write_reascan([], tmp_path / "out.txt")

    assert counts == {}
    assert list(read_reascan(tmp_path / "out.txt")) == []
    assert sniff(tmp_path / "out.txt") == "reascan"


def test_a_failed_write_leaves_no_file(tmp_path):
    """A file has its name only when it is whole, and nothing half-written stays behind."""

    def tables():
        yield next(read_reascan(write_file(tmp_path / "in.txt", SIMPLE)))
        raise BrokenDataset("the source broke")

    with pytest.raises(BrokenDataset, match="the source broke"):
        write_reascan(tables(), tmp_path / "out.txt")

    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    """A folder in the way of the file gives one line."""
    (tmp_path / "out.txt").mkdir()
    (tmp_path / "out.txt" / "inside").touch()

    with pytest.raises(DeixisError, match="cannot be written"):
        write_reascan([], tmp_path / "out.txt")


def test_a_conversion_writes_the_vocabularies_beside_the_file(tmp_path):
    """The words counted are those of the train split."""
    source = write_file(tmp_path / "in.txt", SIMPLE, ONE_CLAUSE, split="train")

    counts = convert_reascan(source, tmp_path / "out")

    assert counts == {"train": 2}
    assert list(read_examples(tmp_path / "out" / FILE_NAME)) == list(read_examples(source))
    words = read_vocabulary(tmp_path / "out" / "input_vocabulary.txt")
    assert words.words[:4] == ("push", "the", "small", "red")
    assert words.frequencies["the"] == 3
    assert read_vocabulary(tmp_path / "out" / "target_vocabulary.txt").words == ("turn left", "walk")


def test_a_dataset_folder_can_be_converted(tmp_path):
    """The files that a manifest names are written as one."""
    tables = read_reascan(write_file(tmp_path / "in.txt", SIMPLE, CHAIN, split="test"))
    write_imported(tables, tmp_path / "made", source="in.txt", kind="reascan")

    counts = convert_reascan(tmp_path / "made", tmp_path / "out.json")

    assert counts == {"test": 2}
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["examples"]["test"] == [SIMPLE, CHAIN]


def test_gscan_can_be_written_as_reascan(tmp_path):
    """Objects without a known role count as random ones, and the target comes first."""
    convert_reascan(write_file(tmp_path / "in.txt", GSCAN), tmp_path / "out.txt")

    (record,) = json.loads((tmp_path / "out.txt").read_text(encoding="utf-8"))["examples"]["test"]

    assert record["situation"]["target_object"] == record["situation"]["placed_objects"]["0"]
    assert record["random_distractor_metadata"] == [{"$OBJ_1": " red circle"}]
    assert record["referred_target"] == "small red circle"
    assert (record["n_object"], record["n_random_distractor"]) == (2, 1)


def test_a_changed_word_is_read_off_its_object(tmp_path):
    """The misreading of a simple command with its colour changed names the new colour."""
    example = read_one(tmp_path, {**SIMPLE, "attribute_distractor_metadata": changed("$OBJ_0", "$COLOR")})

    misreading = example.misreading_of(1)

    assert misreading.expression.value("color") == "blue"
