"""Plans on disk, and plans without a model."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis._version import __version__
from deixis.errors import BrokenDataset
from deixis.seeds import Stream, derive, mix
from deixis.worlds.grid.actions import Action, plan_from_letters, plan_to_codes
from deixis.worlds.grid.data.example_arrays import data_digest, example_arrays, example_arrays_by_split
from deixis.worlds.grid.data.plans import read_plans, read_plans_in, write_plans
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.table import examples_of, table_of
from deixis.worlds.grid.judging._verdict_file import write_plan_verdicts
from deixis.worlds.grid.judging.baselines import oracle_plans, random_plans
from deixis.worlds.grid.judging.navigation import MEASURES, evaluate_plans
from deixis.worlds.grid.judging.verdicts import NO_ACTION, ExampleArrays, judge_all, judge_plan
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from tests.datasets.tiny import tiny


PATTERNS = ("p1", "p2", "p3", "p4", "chain")
codes = st.lists(st.lists(st.integers(0, 5), max_size=12), max_size=6)


def flat(plans):
    """Plans as (actions, starts)."""
    actions = np.array([code for plan in plans for code in plan], np.uint8)
    return actions, np.cumsum([0, *map(len, plans)], dtype=np.int64)


def lists(plans):
    """The plans that were read, as lists of codes."""
    return [codes.tolist() for codes in plans.codes.split()]


def lines(path, *said):
    """A file of JSON Lines."""
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in said), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["compatible", "corrected", "every-word"])
def source(request, tmp_path_factory):
    """A small dataset of each mode, with all patterns."""
    pools = tuple(Pool(name=name, pattern=name, commands=6, worlds=2) for name in PATTERNS)
    folder = tmp_path_factory.mktemp("made") / request.param
    make(tiny(request.param, pools=pools), folder)
    return open_source(folder)


# -------------------------------------------------------------------------------- Parquet


@given(codes.filter(bool))
def test_plans_survive_the_disk(tmp_path_factory, plans):
    """What is written is read back, the empty plan included."""
    path = tmp_path_factory.mktemp("plans") / "a1.parquet"
    ids = np.arange(len(plans)) + (1 << 53) - 1 - len(plans)

    write_plans(path, ids, flat(plans), {"split": "a1"})

    found = read_plans(path)
    assert found.ids.tolist() == ids.tolist()
    assert lists(found) == plans
    assert not found.faults


def test_the_file_is_as_agreed(tmp_path):
    """Two columns, letters, and the facts as JSON under one key; the same plans give the same bytes."""
    path, again = tmp_path / "a1.parquet", tmp_path / "again.parquet"
    for file in (path, again):
        write_plans(file, np.array([7, 8]), flat([[0, 2], []]), {"split": "a1", "model": "m", "seed": None})

    table = pq.read_table(path)
    facts = json.loads(table.schema.metadata[b"deixis"])
    assert table.to_pydict() == {"id": [7, 8], "plan": ["LW", ""]}
    assert table.schema.field("id").type == pa.int64()
    assert table.schema.field("plan").type == pa.string()
    assert facts == {
        "format": 1,
        "kind": "plans",
        "split": "a1",
        "model": "m",
        "seed": None,
        "examples": 2,
        "deixis": __version__,
    }
    assert path.read_bytes() == again.read_bytes()


def test_what_is_no_action_is_written_as_such(tmp_path):
    """A code beyond the six actions becomes a question mark, and is told when it is read."""
    write_plans(tmp_path / "a.parquet", np.array([7, 8]), flat([[2, 9, 2], [2]]))

    found = read_plans(tmp_path / "a.parquet")

    assert lists(found) == [[NO_ACTION], [2]]
    assert found.faults == {"a plan holds something that is no action": (1, "id 7: '?' in place 2")}


def test_starts_must_fit(tmp_path):
    """Plans that do not belong to the ids are a mistake of the caller."""
    with pytest.raises(ValueError, match="2 plans need 3 starts"):
        write_plans(tmp_path / "a.parquet", np.array([7, 8]), flat([[2]]))


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"id": [1]}, "lacks the column 'plan'"),
        ({"plan": ["W"]}, "lacks the column 'id'"),
        ({"id": [1.5], "plan": ["W"]}, "does not hold ids and plans"),
        ({"id": ["x"], "plan": ["W"]}, "does not hold ids and plans"),
        ({"id": [1], "plan": [[1, 2]]}, "does not hold ids and plans"),
        ({"id": pa.array([], pa.uint64()), "plan": pa.array([], pa.string())}, "holds no plans"),
        ({"id": pa.array([None], pa.uint64()), "plan": ["W"]}, "a row has no id or no plan"),
    ],
)
def test_other_tables_are_refused(tmp_path, table, complaint):
    """A table of something else is refused in one line."""
    pq.write_table(pa.table(table), tmp_path / "a.parquet")

    with pytest.raises(BrokenDataset, match=complaint):
        read_plans(tmp_path / "a.parquet")


def test_tables_of_others_are_read(tmp_path):
    """Another integer type, words in place of letters and rows without a plan do no harm."""
    table = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "plan": ["turn left,walk", None, "L W"]})
    pq.write_table(table, tmp_path / "a.parquet")

    found = read_plans(tmp_path / "a.parquet")

    assert found.ids.tolist() == [1, 3]
    assert lists(found) == [[0, 2], [0, 2]]
    assert found.faults == {"a row has no id or no plan": (1, "row 1")}


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [('{"kind": "verdicts", "format": 1}', "holds 'verdicts'"), ("[1]", "no JSON object"), ("{", "no JSON object")],
)
def test_facts_of_another_kind_are_refused(tmp_path, facts, complaint):
    """A file that says it is something else is not taken for plans."""
    table = pa.table({"id": [1], "plan": ["W"]}).replace_schema_metadata({"deixis": facts})
    pq.write_table(table, tmp_path / "a.parquet")

    with pytest.raises(BrokenDataset, match=complaint):
        read_plans(tmp_path / "a.parquet")


def test_broken_files_are_told(tmp_path):
    """Half a Parquet file, and a file that is not there, cost one line."""
    write_plans(tmp_path / "a.parquet", np.array([7]), flat([[2]]))
    (tmp_path / "half.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:60])

    with pytest.raises(BrokenDataset, match="cannot be read as Parquet"):
        read_plans(tmp_path / "half.parquet")
    with pytest.raises(BrokenDataset, match="cannot be read"):
        read_plans(tmp_path / "nowhere.parquet")


def test_a_folder_holds_a_file_for_each_split(tmp_path):
    """The splits that are there are read; a folder without any of them is refused."""
    write_plans(tmp_path / "a1.parquet", np.array([7]), flat([[2]]))

    assert list(read_plans_in(tmp_path, ["test", "a1"])) == ["a1"]
    with pytest.raises(BrokenDataset, match=r"none of the splits test, such as test\.parquet"):
        read_plans_in(tmp_path, ["test"])


# -------------------------------------------------------------------------------- JSON Lines


def test_lines_may_say_plans_in_letters_or_words(tmp_path):
    """Letters, words and lists of words; ids as numbers or as text."""
    path = lines(
        tmp_path / "answers.jsonl",
        {"id": 1, "plan": "LWP"},
        {"id": "9007199254740991", "plan": "Turn left, walk"},
        {"id": 3, "plan": ["turn right", "stay"]},
        "",
        {"id": 4, "plan": "", "note": "whatever"},
    )

    found = read_plans(path)

    assert found.ids.tolist() == [1, (1 << 53) - 1, 3, 4]
    assert lists(found) == [[0, 2, 3], [0, 2], [1, 5], []]
    assert not found.faults


def test_broken_lines_are_counted_and_the_rest_is_read(tmp_path):
    """What is no JSON, has no id, no plan or an unknown action is told with the place where it was found first."""
    path = lines(
        tmp_path / "answers.jsonl",
        "{broken",
        "[1]",
        {"id": 1.5, "plan": "W"},
        {"id": -(1 << 70), "plan": "W"},
        {"id": True, "plan": "W"},
        {"id": 1},
        {"id": 1, "plan": ["W", 2]},
        {"id": 5, "plan": "walk,jump"},
        {"id": 6, "plan": "WX"},
        {"id": 7, "plan": "W"},
    )

    found = read_plans(path)

    assert lists(found) == [[NO_ACTION], [NO_ACTION], [2]]
    assert found.faults == {
        "a line is no JSON object": (2, "line 1"),
        "a line has no 'id' that is a whole number": (3, "line 3"),
        "a line has no 'plan' that is text": (2, "line 6"),
        "a plan holds something that is no action": (2, "id 5: 'jump' in place 2"),
    }


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    """Whatever a file holds, it is read or refused in one line."""
    path = tmp_path_factory.mktemp("bytes") / "answers"
    path.write_bytes(content)

    complaint = ""
    try:
        assert len(read_plans(path)) > 0
    except BrokenDataset as error:
        complaint = str(error)
    assert "\n" not in complaint


# -------------------------------------------------------------------------------- examples and baselines


@pytest.mark.slow
def test_tables_and_examples_ask_the_same(source):
    """The arrays of a table are those of its examples."""
    for split in source.splits:
        table = pa.concat_tables(source.tables(split))
        fast, plain = example_arrays([table.slice(0, 5), table.slice(5)]), ExampleArrays.of(list(examples_of(table)))
        for name in ("ids", "count", "size", "target", "agent"):
            assert np.array_equal(getattr(fast, name), getattr(plain, name))
        assert np.array_equal(fast.plans.values, plain.plans.values)
        assert np.array_equal(fast.plans.start, plain.plans.start)
        assert [fast.commands[n] for n in fast.which] == [plain.commands[n] for n in plain.which]
        for number, count in enumerate(fast.count):
            assert np.array_equal(fast.objects[number, :count], plain.objects[number, :count])
            assert np.array_equal(fast.roles[number, :count], plain.roles[number, :count])


def test_the_oracle_makes_no_mistake(source):
    """Reading, resolving and planning gives the recorded plan of every example in every mode."""
    asked = example_arrays_by_split(source, source.splits)

    found, _ = evaluate_plans(asked, {split: oracle_plans(some) for split, some in asked.items()})

    for result in found.splits.values():
        assert [result.score.estimate(name).mean for name in MEASURES] == [1.0] * len(MEASURES)


def test_verdicts_on_made_examples_are_the_plain_ones(source):
    """On examples with distractors and recorded roles, the compiled judge says what the plain one says."""
    split = next(iter(source.splits))
    examples = list(examples_of(pa.concat_tables(source.tables(split))))[:12]
    asked = ExampleArrays.of(examples)
    plans = random_plans(asked, seed=3)

    found = judge_all(asked, plans)

    said = [tuple(Action(code) for code in plan) for plan in lists(plans)]
    assert [found.verdict(n) for n in range(len(examples))] == [
        judge_plan(example, plan) for example, plan in zip(examples, said, strict=True)
    ]


def test_random_plans_are_drawn_from_the_stream_of_each_example(source):
    """The draws depend on seed and id alone and have the right length."""
    split = next(iter(source.splits))
    (asked,) = example_arrays_by_split(source, [split]).values()

    found = random_plans(asked, seed=5)

    for number, plan in enumerate(lists(found)[:20]):
        stream = Stream(mix(int(asked.ids[number]) ^ derive(5, "random plans")))
        assert plan == [stream.below(6) for _ in range(asked.plans.length[number])]


def test_verdicts_are_written(source, tmp_path):
    """A row for every example: the verdict, the object that was chosen, and what was missed."""
    split = next(iter(source.splits))
    asked = example_arrays_by_split(source, [split])
    _, verdicts = evaluate_plans(asked, {split: random_plans(asked[split], seed=1)})

    write_plan_verdicts(tmp_path / "verdicts.parquet", asked, verdicts)

    rows = pq.read_table(tmp_path / "verdicts.parquet").to_pylist()
    assert [int(row["id"]) for row in rows] == asked[split].ids.tolist()
    for number, row in enumerate(rows):
        verdict = verdicts[split].verdict(number)
        assert (row["split"], row["exact"], row["got_there"]) == (split, verdict.exact, verdict.got_there)
        assert (row["chosen"], row["role"], tuple(row["misreading"])) == (
            verdict.chosen,
            verdict.role,
            verdict.misreadings,
        )


def test_the_digest_is_that_of_the_manifest(source):
    """Scores are tied to the content that the manifest records."""
    assert data_digest(source) == source.dataset.manifest["content"]


def test_examples_that_cannot_be_judged_are_refused(source):
    """No examples, and an example without an agent, cost one line."""
    table = next(source.tables()).slice(0, 2)
    lost = table.set_column(table.column_names.index("agent_row"), "agent_row", pa.array([0, 255], pa.uint8()))

    with pytest.raises(BrokenDataset, match="holds no examples"):
        example_arrays([table.slice(0, 0)])
    with pytest.raises(BrokenDataset, match="no agent or no target; `deixis check`"):
        example_arrays([lost])
    with pytest.raises(BrokenDataset, match="column"):
        example_arrays([table.drop_columns(["plan"])])


def test_commands_that_cannot_be_read_are_judged_all_the_same():
    """Of an unreadable command only the plan can be compared."""
    from deixis.worlds.grid.drawn import grid
    from deixis.worlds.grid.navigate import Example

    example = Example(text="walk to the circle", scene=grid("> r○\n. ."), target=0, plan=plan_from_letters("W"))
    table = table_of([example])
    table = table.set_column(1, "command", pa.array(["jump over the moon"])).drop_columns(["expression"])

    asked = example_arrays([table])

    gold = oracle_plans(asked)
    assert len(gold.codes.values) == 0
    assert not asked.commands[0].is_read
    assert np.array_equal(asked.plans.values, plan_to_codes(example.plan))


def test_half_a_character_is_no_plan(tmp_path):
    """JSON can hold what no file can; such a line is counted, not a fault of ours."""
    path = tmp_path / "plans.jsonl"
    path.write_text('{"id": 1, "plan": "W\\ud800"}\n{"id": 2, "plan": "W"}\n', encoding="utf-8")

    found = read_plans(path)

    assert found.ids.tolist() == [2]
    assert list(found.faults) == ["a line has no 'plan' that is text"]
