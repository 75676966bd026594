from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from inspect import cleandoc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.data.checks import MAX_FINDINGS, Report, codes_table
from deixis.data.store import Dataset, file_digest
from deixis.errors import DeixisError
from deixis.expression.patterns import C2, P1, P2, P3
from deixis.expression.plain import expression_to_json
from deixis.language.utterance import Instruction
from deixis.seeds import Stream
from deixis.worlds.grid import checks
from deixis.worlds.grid._audit.run import audit_tables
from deixis.worlds.grid.actions import MANNERS, VERBS, Action, plan_from_letters
from deixis.worlds.grid.checks import CHECKS, ShardFile, check_dataset, check_files, check_tables
from deixis.worlds.grid.commands import sample_commands
from deixis.worlds.grid.data.table import OBJECT_COLUMNS, SCHEMA, rows_of, table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse_instruction, realise
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.grid.navigate import Example, content_id
from deixis.worlds.grid.roles import Role, encode_misreading
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene
from deixis.worlds.grid.splits.rules import Rule


ROOT = Path(__file__).parents[2]
TARGET = SCHEMA.get_field_index("target")
COMMAND = "walk to the red circle that is in the same row as the blue square"
WORLD = """
    >     .     .     .
    .     0:r○2 3:g○2 1:b□2
    .     .     .     .
    2:r○2 .     .     .
"""
ROLES = (Role("target"), Role("mentioned", 1), Role("relation", 0), Role("attribute", 1))
MISREADINGS = (encode_misreading("relation", 1), encode_misreading("attribute", 0, 1, 2))  # … without its clause; green


def example(text: str = COMMAND, world: str | GridScene = WORLD, **changes: object) -> Example:
    """An example with nothing wrong, but for the changes; the plan is the planner's unless it is given."""
    scene = grid(world) if isinstance(world, str) else world
    made = Example(text=text, scene=scene, target=0, plan=(), split="train")
    made = replace(made, **changes)  # type: ignore[arg-type]
    return made if "plan" in changes else replace(made, plan=made.gold_plan())


def with_roles(**changes: object) -> Example:
    return example(**{"roles": ROLES, "misreadings": MISREADINGS, **changes})  # type: ignore[arg-type]


def edited(made: Example | None = None, **changes: object) -> pa.Table:
    """A table of one example in which single values are overwritten."""
    (row,) = rows_of(table_of([made or example()], with_necessity=True))
    return pa.Table.from_pylist([{**row, **changes}], schema=SCHEMA)


def moved(index: int, row: int, column: int, **changes: object) -> GridScene:
    """The world with one object somewhere else."""
    scene = grid(WORLD)
    things = list(scene.objects)
    things[index] = replace(things[index], row=row, column=column, **changes)  # type: ignore[arg-type]
    return replace(scene, objects=tuple(things))


def with_two_boxes() -> GridScene:
    """The world with two boxes that start on one cell."""
    scene = grid(WORLD)
    boxes = (GridObject("box", "green", 1, 3, 3), GridObject("box", "yellow", 1, 3, 3))
    return replace(scene, objects=(*scene.objects, *boxes))


def stored(text: str) -> str:
    """The expression that a dataset stores with a command."""
    return expression_to_json(parse_instruction(text).expression)


def codes_of(*tables: pa.Table, **options: object) -> set[str]:
    return set(check_tables(tables, **options).counts)  # type: ignore[arg-type]


def unread(text: str) -> pa.Table:
    return edited(command=text, id=content_id(text, grid(WORLD)))


SMALL = "walk to the small red circle that is in the same row as the blue square"
THREE_SIZES = """
    >     .     .     .
    .     0:r○2 .     1:b□2
    .     .     3:r○1 .
    2:r○3 .     .     .
"""
AT_THE_EDGE = """
    >     .     .     .
    .     .     .     .
    .     2:r○2 .     .
    .     0:r○2 .     1:b□2
"""
LONG = """
    >     .     .     .
    .     .     0:r○2 1:b□2
    .     .     .     .
    2:r○2 .     .     .
"""
LONELY = """
    >     .     .
    .     0:r○2 1:b□2
    .     .     .
"""

BROKEN = {
    "E001 column missing": lambda: table_of([example()]).drop_columns(["plan"]),
    "E001 wrong type": lambda: table_of([example()]).set_column(TARGET, "target", pa.array(["0"])),
    "E001 out of range": lambda: table_of([example()]).set_column(TARGET, "target", pa.array([300])),
    "E001 no value": lambda: edited(plan=None),
    "E001 no value in a list": lambda: edited(shape=[0, None, 0, 0]),
    "E001 unequal lists": lambda: edited(color=[0, 1, 0]),
    "E003": lambda: edited(id=1),
    "E004": lambda: edited(verb="push"),
    "E008": lambda: edited(expression=stored(COMMAND.replace("row", "column"))),
    "E008 no expression": lambda: edited(expression="[7]"),
    "E008 no expression of grids": lambda: edited(expression='[{"is":["material","wood"]}]'),
    "E008 no JSON": lambda: edited(expression="[" * 5000),
    "E101": lambda: table_of([example(COMMAND.replace("red", "yellow"))]),
    "E102": lambda: table_of([example(world=moved(2, 1, 0))]),
    "E103": lambda: table_of([example(target=2)]),
    "E103 no such object": lambda: edited(target=9),
    "E104": lambda: unread("walk to the purple circle"),
    "E104 no verb": lambda: unread("the red circle"),
    "E104 too long": lambda: unread(COMMAND + " and inside of a red box" * 20),
    "W105": lambda: table_of([example(COMMAND.replace("blue square", "square"))]),
    "E106 two solids on a cell": lambda: table_of([example(world=moved(3, 1, 1))]),
    "E106 agent on a solid": lambda: table_of([example(world=replace(grid(WORLD), agent=Agent(1, 2)))]),
    "E106 box over the edge": lambda: table_of([example(world=moved(3, 3, 3, shape="box"))]),
    "E106 two boxes on a corner": lambda: table_of([example(world=with_two_boxes())]),
    "E106 unknown shape": lambda: edited(shape=[0, 2, 0, 4]),
    "E106 unknown size": lambda: edited(size=[0, 2, 2, 2]),
    "E106 off the grid": lambda: edited(row=[1, 1, 3, 4]),
    "E106 agent off the grid": lambda: edited(agent_column=200),
    "E106 unknown facing": lambda: edited(agent_facing=4),
    "E106 no grid": lambda: edited(grid_size=0),
    "E106 too many objects": lambda: edited(**{name: [0] * 70 for name in OBJECT_COLUMNS}),
    "W107": lambda: table_of([example(SMALL, THREE_SIZES)]),
    "W201": lambda: table_of([example(world=LONELY)]),
    "E203": lambda: edited(necessary=[False, False, False, False, False]),
    "E203 length": lambda: edited(necessary=[True]),
    "E301": lambda: table_of([example(plan=plan_from_letters("WLRRW"))]),
    "E301 E302": lambda: table_of([example(plan=plan_from_letters("W"))]),
    "E301 E302 unknown letters": lambda: edited(plan="WxéR"),
    "E401": lambda: table_of([example(), example(split="test")]),
    "E401 held out": lambda: table_of([example(split="a1+a2"), example(split="dev")]),
    "W402": lambda: table_of([example(), example()]),
    "W402 shared name": lambda: table_of([example(split="a1"), example(split="a1+a2")]),
    "W501": lambda: table_of([with_roles(world=moved(3, 2, 2))]),
    "W501 no misreading": lambda: table_of([with_roles(misreadings=(MISREADINGS[0], 3 << 12 | 9 << 8))]),
    "W502 length": lambda: edited(with_roles(), role=[0, 33, 64]),
    "W502 target": lambda: table_of([with_roles(roles=(ROLES[1], ROLES[0], *ROLES[2:]))]),
    "W502 mention": lambda: table_of([with_roles(roles=(ROLES[0], Role("random"), *ROLES[2:]))]),
    "W502 phrase": lambda: table_of([with_roles(roles=(ROLES[0], ROLES[2], ROLES[1], ROLES[3]), misreadings=())]),
    "W502 set": lambda: table_of([with_roles(misreadings=MISREADINGS[:1])]),
    "W502 helper of no set": lambda: edited(with_roles(), role=[0, 33, 7 << 5 | 9, 97]),
    "E601": lambda: table_of([example(COMMAND.replace("the blue", "a blue"))]),
    "E601 target": lambda: table_of([example(COMMAND.replace("to the", "to a"))]),
}
CLEAN = {
    "one example": lambda: table_of([example()], with_necessity=True),
    "with roles": lambda: table_of([with_roles()], with_necessity=True),
    "held-out sets may overlap": lambda: table_of([example(split="a1"), example(split="a2")]),
    "what is set aside is in no split": lambda: table_of([example(split="aside"), example(split="train")]),
    "objects on a box": lambda: table_of([example(world=replace(moved(3, 0, 0, shape="box")))]),
    "only readings that agree": lambda: table_of([example(SMALL, THREE_SIZES.replace("3:r○1", "3:r○2"))]),
    "nothing": lambda: table_of([]),
    "expressions are not stored": lambda: edited(expression=""),
    "there is no column of expressions": lambda: table_of([example()], with_necessity=True).drop_columns(
        ["expression"]
    ),
    "expressions in other JSON": lambda: edited(expression=json.dumps(json.loads(stored(COMMAND)), indent=1)),
    "any width of numbers and dictionaries": lambda: pa.Table.from_pylist(
        edited().to_pylist(), schema=SCHEMA.set(TARGET, pa.field("target", pa.int64()))
    ).set_column(1, "command", edited()["command"].combine_chunks().dictionary_encode()),
}


@pytest.mark.parametrize("thorough", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize("case", BROKEN)
def test_one_mistake_gives_its_code_and_no_other(case, thorough):
    """A table with one mistake in it is found out under exactly the code of that mistake."""
    expected = {word for word in case.split() if word in CHECKS}

    found = codes_of(BROKEN[case](), thorough=thorough)

    assert found == expected


@pytest.mark.parametrize("thorough", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize("case", CLEAN)
def test_nothing_is_found_where_nothing_is_wrong(case, thorough):
    """A table without mistakes has no findings."""
    assert codes_of(CLEAN[case](), thorough=thorough) == set()


def test_every_code_is_tried():
    """Each code is found in some test of this file, of released files (`formats.test_examined`) or of seals."""
    tried = {word for case in BROKEN for word in case.split() if word in CHECKS}

    assert tried | {"E002", "E005", "W006", "I202", "E204", "I303", "E403", "W503"} == set(CHECKS)


@pytest.mark.parametrize("thorough", [False, True], ids=["compiled", "plain"])
def test_a_spared_word_breaks_the_promise_of_every_word(tmp_path, thorough):
    """A word that is not needed is an error in a dataset whose recipe promises that every one is, and only there."""
    pools = (Pool(name="p2", pattern="p2", commands=8, worlds=2),)
    dataset = make(Recipe(mode="corrected", pools=pools, hold_out=()), tmp_path / "made", workers=1)
    recipe = {**dataset.manifest["recipe"], "mode": "every-word"}
    promising = replace(dataset, manifest={**dataset.manifest, "recipe": recipe})

    assert "E204" not in check_dataset(dataset, select=["E204"], thorough=thorough).counts
    assert check_dataset(promising, select=["E204"], thorough=thorough).counts["E204"] > 0


@pytest.mark.parametrize("thorough", [False, True], ids=["compiled", "plain"])
def test_pushing_in_vain_is_information_that_has_to_be_asked_for(thorough):
    """A push that moves nothing is found under I303 on request, and is no problem even then."""
    table = table_of([example(COMMAND.replace("walk to", "push"), AT_THE_EDGE)])

    report = check_tables([table], select=["I303"], thorough=thorough)

    assert report.counts == {"I303": 1}
    assert codes_of(table, thorough=thorough) == set()
    assert not report.has_problems


def test_idle_words_are_information_that_has_to_be_asked_for():
    """Words that are not needed are found under I202 on request, and are no problem even then."""
    table = table_of([example()])

    report = check_tables([table], select=["I"])

    assert report.counts == {"I202": 1}
    assert not report.has_problems
    assert report.exit_code == 0


@pytest.mark.parametrize("thorough", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("held", [{"phrase": "red circle"}, {"thing": "blue square"}, {"relations": ("same row",)}])
def test_held_out_material_must_not_be_in_training(held, split, thorough):
    """What a rule holds out, by words or by a mentioned thing, is found in train, dev and test."""
    rule = Rule(id="test/x-v1", name="x", **held)

    report = check_tables([table_of([example(split=split)])], rules=[rule], thorough=thorough)

    assert report.counts == {"E403": 1}
    assert report.findings[0].detail == "test/x-v1"


@pytest.mark.parametrize("held", [{"phrase": "red square"}, {"thing": "green circle"}, {"pattern": "p3"}])
def test_a_rule_says_nothing_about_what_it_does_not_hold_out(held):
    """Other phrases, things not mentioned and other patterns may be in training; a held-out phrase in its own split."""
    rule = Rule(id="test/x-v1", name="x", **held)
    own = Rule(id="test/y-v1", name="y", phrase="red circle")

    assert codes_of(table_of([example()]), rules=[rule]) == set()
    assert codes_of(table_of([example(split="y")]), rules=[own]) == set()


def test_files_are_held_against_their_manifest(tmp_path):
    """A file that has changed, has other rows than recorded or cannot be read is reported; an unchanged one is not."""
    path = tmp_path / "a.parquet"
    pq.write_table(table_of([example()]), path)
    digest = sha256(path.read_bytes()).hexdigest()
    (tmp_path / "b.parquet").write_text("no table")
    text = sha256(b"no table").hexdigest()

    def found(**said: object) -> dict[str, int]:
        return check_files([ShardFile(**said)]).counts  # type: ignore[arg-type]

    assert found(path=path, sha256=digest, rows=1) == {}
    assert found(path=path, sha256=digest, rows=2) == {"E002": 1}
    assert found(path=path, sha256="0" * 64, rows=1) == {"E002": 1}
    assert found(path=tmp_path / "b.parquet", sha256=text, rows=1) == {"E001": 1}
    assert found(path=tmp_path / "missing.parquet", sha256=digest, rows=1) == {"E001": 1}


def test_a_dataset_is_checked_with_its_files(tmp_path):
    """Of a dataset on disk, changed files, unreadable files and wrong examples are all reported, each once."""
    tables = {"a.parquet": table_of([example()]), "b.parquet": table_of([example(target=2, split="dev", world=LONG)])}
    for name, table in tables.items():
        pq.write_table(table, tmp_path / name)
    entries = [{"path": name, "rows": 1, "split": "x", "sha256": file_digest(tmp_path / name)} for name in tables]
    entries.append({"path": "c.parquet", "rows": 1, "split": "x", "sha256": "0"})
    whole = Dataset(tmp_path, {"files": entries[:1]})
    damaged = Dataset(tmp_path, {"files": [{**entries[0], "rows": 2}, *entries[1:]]})

    assert check_dataset(whole).counts == {}
    assert check_dataset(whole).rows == 1
    assert check_dataset(damaged, workers=2).counts == {"E001": 1, "E002": 1, "E103": 1}
    assert "c.parquet cannot be read" in check_dataset(damaged).findings[0].detail


def test_selectors_are_beginnings_of_codes():
    """Only what was selected is looked for; an unreadable row is reported all the same."""
    tables = [BROKEN[case]() for case in ("E101", "W105", "E301 E302", "E001 no value")]

    assert codes_of(*tables, select=["E3"]) == {"E001", "E301", "E302"}
    assert codes_of(*tables, select=["W", "E302"]) == {"E001", "W105", "E302"}
    assert codes_of(*tables) == {"E001", "E101", "W105", "E301", "E302"}


def test_no_workers_are_refused():
    """Checking with fewer than one worker is an error of ours, not of the thread pool."""
    with pytest.raises(DeixisError, match="at least one worker, got 0"):
        check_tables([], workers=0)


@pytest.mark.parametrize("selector", ["E9", "", "e1", "X"])
def test_a_selector_that_fits_nothing_is_refused(selector):
    """An unknown selector is an error that names the known codes."""
    with pytest.raises(DeixisError, match="known: E001, "):
        check_tables([], select=[selector])


def test_a_finding_says_where_and_why():
    """A finding names its row, counted over all tables, its split, its id and the reason."""
    good, bad = example(), example(target=2, split="dev", command_number=5, world=moved(3, 2, 3))

    (finding,) = check_tables([table_of([good]), table_of([bad])]).findings

    assert (finding.code, finding.row, finding.split, finding.id) == ("E103", 1, "dev", bad.id)
    assert finding.detail == "object 0 fits, 2 is recorded"
    assert str(finding) == f"E103 row 1: {CHECKS['E103'].message} (object 0 fits, 2 is recorded)"


def test_a_broken_rule_is_told_in_words():
    """Not everybody knows the letters of the rules."""
    (finding,) = check_tables([BROKEN["W105"]()]).findings

    assert finding.detail.startswith("rule a, every phrase but the target's has an adjective: 'walk to the red circle")


def test_only_the_first_findings_are_kept():
    """Beyond the first few of a code, findings are only counted."""
    table = table_of([example(target=2, world=moved(3, 0, 3), split="")] * (MAX_FINDINGS + 5))

    report = check_tables([table], select=["E103"])

    assert report.counts == {"E103": MAX_FINDINGS + 5}
    assert [f.row for f in report.findings] == list(range(MAX_FINDINGS))


def test_shares_count_how_often_each_kind_of_part_is_needed():
    """The report says for clauses and words how often the target cannot be found without them."""
    report = check_tables([table_of([example(), example(world=LONELY)])])

    assert report.parts["clause"] == (1, 2)
    assert report.shares["clause"] == 0.5
    assert set(report.parts) == {"clause", "target shape", "target color", "other shape", "other color"}


def test_an_implied_noun_is_no_word_that_could_be_needed():
    """'box' after 'inside of' is in no share and no finding, as in the audit, whose counts of words are the same."""
    world = """
        > .         .   .
        . b▣2+r○2   .   r○2
        . .         .   .
        . .         .   y▣1+r○2
    """
    table = table_of([example("walk to the red circle that is inside of the blue box", world, target=1)])

    report = check_tables([table], select=["I202"])
    audited = audit_tables([table]).to_dict()["measures"]["words needed"]["all"]

    assert set(report.parts) == {"clause", "target color", "target shape", "other color"}
    needed, total = np.sum([count for kind, count in report.parts.items() if kind != "clause"], axis=0)
    assert (audited["part"], audited["of"]) == (needed, total) == (1, 3)
    assert report.findings[0].detail == "'circle'; 'red'"


# ------------------------------------------------------------------------------------------- many examples at once


def random_row(rng: np.random.Generator, expressions: list[object]) -> dict[str, object]:
    """An example whose world, words, roles, necessity and plan are drawn with little regard for each other."""
    size = int(rng.integers(3, 6))
    count = int(rng.integers(1, 9))
    drawn = rng.integers((0, 0, 1, 0, 0), (4, 2, 4, size, size), size=(count, 5)).tolist()
    agent = Agent(int(rng.integers(size)), int(rng.integers(size)), Facing(int(rng.integers(4))))
    scene = GridScene(tuple(GridObject.from_codes(*codes) for codes in drawn), size=size, agent=agent)
    expression = expressions[int(rng.integers(len(expressions)))]
    mentions = sum(1 for _ in expression.mentions())  # type: ignore[attr-defined]
    instruction = Instruction(str(rng.choice(VERBS)), expression, str(rng.choice(MANNERS)))  # type: ignore[arg-type]
    text = realise(instruction, determiners=rng.choice(["the", "a"], mentions).tolist()).text
    made = example(text, scene, target=int(rng.integers(count)), split=str(rng.choice(["train", "test", "a1+a2"])))
    if rng.integers(3) == 0:
        made = replace(made, plan=tuple(Action(int(a)) for a in rng.integers(0, 6, 5)))
    (row,) = rows_of(table_of([made]))
    roles = [0, *(32 | k for k in range(1, mentions)), *rng.integers(2 << 5, 6 << 5, count).tolist()][:count]
    codes = (
        rng.integers(2, 6, 32) << 12
        | rng.integers(0, 3, 32) << 8
        | rng.integers(0, 3, 32) << 4
        | rng.integers(0, 4, 32)
    ).tolist()
    return {
        **row,
        "role": roles,
        "misreading": codes,
        "necessary": rng.integers(0, 2, rng.integers(0, 5)).astype(bool).tolist(),
    }


@pytest.fixture(scope="module")
def many() -> pa.Table:
    """Some hundred examples with all sorts of mistakes, some twice."""
    rng = np.random.default_rng(11)
    simple = [next(draw) for p in (P1, P2, P3, C2) for draw in [sample_commands(p, rng=Stream(5))] for _ in range(6)]
    rows = [random_row(rng, simple) for _ in range(250)]
    return pa.Table.from_pylist([*rows, *rows[:20], *rows[:10]], schema=SCHEMA)


def test_compiled_and_plain_judges_agree(many):
    """The fast checks find exactly what the plain definitions find."""
    rules = [Rule(id="test/x-v1", name="x", thing="red circle"), Rule(id="test/y-v1", name="y", phrase="blue square")]

    fast = check_tables([many], select=["E", "W", "I"], rules=rules)
    plain = check_tables([many], select=["E", "W", "I"], rules=rules, thorough=True)

    assert fast.to_json() == plain.to_json()
    assert len(fast.counts) >= 14


def test_necessity_is_that_of_the_definition():
    """Recorded necessity that follows the definition is never faulted, and is counted in the shares."""
    worlds = (WORLD, LONELY, AT_THE_EDGE, THREE_SIZES)
    examples = [example(text, world) for world in worlds for text in (COMMAND, SMALL)]
    fitting = [e for e in examples if "E1" not in str(codes_of(table_of([e]), select=["E1"]))]

    report = check_tables([table_of(fitting, with_necessity=True)], select=["E203", "I202"])

    assert report.counts.get("E203") is None
    assert sum(n for n, _ in report.parts.values()) == sum(sum(e.necessity().values()) for e in fitting)


def test_reports_of_parts_merge_into_the_report_of_the_whole(many):
    """Two halves, checked apart and merged, give the report of the whole, repeats across them included."""
    whole = check_tables([many], select=["E", "W", "I"])

    first, second = (check_tables([half], select=["E", "W", "I"]) for half in (many.slice(0, 130), many.slice(130)))

    assert first.merge(second).to_json() == whole.to_json()
    assert whole.counts["W402"] > first.counts.get("W402", 0) + second.counts.get("W402", 0)
    assert Report().merge(whole).to_json() == whole.to_json()


def test_the_report_depends_neither_on_workers_nor_on_the_cut_of_tables(many, monkeypatch):
    """One thread or three, one table or many: the report is the same, and progress ends at the last row."""
    whole = check_tables([many])
    done: list[int] = []
    monkeypatch.setattr("deixis.worlds.grid.checks._run.ROWS", 37)

    cut = check_tables([many.slice(0, 100), many.slice(100)], workers=3, progress=done.append)

    assert cut.to_json() == whole.to_json()
    assert done == sorted(done)
    assert done[-1] == many.num_rows


def test_nothing_in_a_table_makes_a_check_fail():
    """Rows of noise give findings, never an error."""
    rng = np.random.default_rng(3)
    noise = [
        {
            **{name: rng.integers(0, 256, 4).tolist() for name in (*OBJECT_COLUMNS, "role")},
            **{
                name: int(rng.integers(0, 256))
                for name in ("grid_size", "target", "agent_row", "agent_column", "agent_facing")
            },
            "misreading": rng.integers(0, 2**16, 32).tolist(),
            "necessary": [True] * int(rng.integers(0, 9)),
            "command": str(rng.choice([COMMAND, SMALL, "", "walk", "\x00 é " * 3])),
            "expression": str(rng.choice(["", "[", "[7]", '[{"is":["é","é"]}]', stored(SMALL)])),
            **dict.fromkeys(("pattern", "verb", "manner", "plan", "split"), "é"),
            **{name: int(rng.integers(0, 2**31)) for name in ("id", "command_number", "world_number")},
        }
        for _ in range(200)
    ]
    roles = [
        {**next(rows_of(table_of([with_roles()]))), "role": r["role"], "misreading": r["misreading"]} for r in noise
    ]
    table = pa.Table.from_pylist([*noise, *roles], schema=SCHEMA)

    fast, plain = (check_tables([table], select=["E", "W", "I"], thorough=thorough) for thorough in (False, True))

    assert fast.to_json() == plain.to_json()
    assert {"E104", "E106", "W501", "W502"} <= set(fast.counts)


# ------------------------------------------------------------------------------------------- the table of codes


def test_the_module_lists_all_codes():
    """The docstring of the package holds the table of codes as it is."""
    assert codes_table(CHECKS.messages) in cleandoc(checks.__doc__)


def test_the_page_lists_all_codes():
    """The page on checks holds the table of codes as it is, and what more there is to say about each."""
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")

    assert codes_table(CHECKS.messages) in page
    assert [code for code, check in CHECKS.items() if " ".join(check.about.split()) not in " ".join(page.split())] == []
