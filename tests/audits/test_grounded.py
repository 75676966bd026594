from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deixis.audits._plain import audit_examples
from deixis.audits.grounded import FORMAT, is_grounded, read_grounded, write_grounded
from deixis.audits.run import audit_path
from deixis.errors import BrokenDataset, UnknownName
from deixis.scene import Context, Where
from deixis.schema import Attribute, Relation, Schema
from deixis.testing import expressions, plain_scenes
from deixis.worlds.example import PlainExample


SCHEMA = Schema(
    name="kitchen",
    attributes=(
        Attribute(name="name", values=("cup", "glass", "vessel"), is_head=True, broader=(("cup", "vessel"),)),
        Attribute(name="color", values=("red", "white")),
        Attribute(name="size", values=("small", "large"), is_ordered=True),
    ),
    relations=(Relation(name="on"), Relation(name="by", is_symmetric=True), Relation(name="in", to=(("name", "cup"),))),
    distinct=True,
    reading="comparative",
)
HEADER = {"format": FORMAT, "schema": {"name": "photo", "attributes": [{"name": "name", "head": True}]}}
LINE = {"scenes": [{"objects": [{"name": "cup"}]}], "expression": [{"is": ["name", "cup"]}], "target": [0, 0]}


@st.composite
def grounded(draw):
    scenes = tuple(draw(st.lists(plain_scenes(SCHEMA, min_objects=1, max_objects=4), min_size=1, max_size=3)))
    scene = draw(st.integers(0, len(scenes) - 1))
    target = Where(scene, draw(st.integers(0, len(scenes[scene]) - 1)))
    text, split = draw(st.text(max_size=9)), draw(st.sampled_from(["", "train", "a+b"]))
    return PlainExample(context=Context(scenes, target), expression=draw(expressions(SCHEMA)), text=text, split=split)


@given(st.lists(grounded(), max_size=4))
def test_what_is_written_is_read_back(examples):
    """Scenes, expressions, targets and texts of any schema survive the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "some.jsonl"
        write_grounded(path, SCHEMA, examples)

        assert is_grounded(path)
        assert list(read_grounded(path)) == examples


@given(st.lists(grounded(), max_size=6))
def test_any_scenes_can_be_audited(examples):
    """Every example is either judged or counted with its reason, whatever is said of whatever scene."""
    audit = audit_examples(examples)

    assert audit.examples == len(examples) == audit.judged + sum(audit.unjudged.values())
    assert sum(share.of for share in audit.needed.values()) == sum(audit.parts.values())
    assert not audit.cells
    assert not audit.determiners


def written(folder, *lines):
    path = folder / "some.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def changed(**fields):
    return {**LINE, **fields}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "no JSON"),
        (changed(colour=3), "no field 'colour'"),
        (changed(scenes=3), "scenes should be a list"),
        (changed(scenes=[3]), "each of scenes should be an object"),
        (changed(scenes=[{"objects": [{"nome": "cup"}]}]), "did you mean 'name'"),
        (changed(scenes=[{"objects": [{"name": 4}]}]), "a value of 'name' should be a text, got 4"),
        (changed(scenes=[{"objects": [], "relations": [["on", 0]]}]), r"\[name, object, other object\]"),
        (changed(scenes=[{"objects": [{}], "points": [[1]]}]), r"a point is \[row, column\]"),
        (changed(scenes=[{"objects": [{}], "points": [[1, "2"]]}]), r"a point is \[row, column\]"),
        (changed(target=[0, 7]), "not an object of this context"),
        (changed(target=[0]), r"the target is \[scene, object\]"),
        (changed(target=[0, True]), "whole number"),
        (changed(expression=[{"is": ["name"]}]), "cannot be understood"),
        (changed(expression=[{"is": ["name", "cup"], "to": []}]), "cannot be understood"),
        (changed(expression=[{"is": ["shape", "cup"]}]), "unknown attribute 'shape'"),
        (changed(expression=[{"related": "on", "to": []}]), "unknown relation 'on'"),
        (changed(expression=[{"end": ["name", "most"]}]), "no order"),
        (changed(expression=[{"rank": [0, "left"]}]), "count from 1"),
        (changed(expression=[{"rank": [True, "left"]}]), "cannot be understood"),
        (changed(expression=[{"rank": [1, "left"]}]), "every scene needs points"),
        (changed(expression=[{"any of": [{"is": ["name", "cup"]}]}]), "at least two"),
        (changed(text=["cup"]), "text should be a text"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, reason):
    """Whatever is wrong with an example, the error names its line and says what was expected."""
    path = written(tmp_path, HEADER, LINE, "", line)

    with pytest.raises(BrokenDataset, match=f"^some.jsonl, line 4: .*{reason}"):
        list(read_grounded(path))


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (None, "the schema should be an object"),
        ({"attributes": 1}, "attributes should be a list"),
        ({"attributes": [{"name": "size", "ordered": True}]}, "from least to most"),
        ({"attributes": [{"name": "a"}, {"name": "a"}]}, "twice"),
        ({"attributes": [], "reading": "odd"}, "superlative or comparative"),
        ({"attributes": [], "distinct": 1}, "true or false"),
        ({"attributes": [{"name": "a", "kind": 1}]}, "no field 'kind'"),
    ],
)
def test_a_broken_schema_is_named(tmp_path, schema, reason):
    """A schema that cannot be understood is an error of the first line."""
    path = written(tmp_path, {"format": FORMAT, "schema": schema}, LINE)

    with pytest.raises(BrokenDataset, match=f"^some.jsonl, line 1: .*{reason}"):
        list(read_grounded(path))


KEYS = (
    "scenes",
    "objects",
    "relations",
    "points",
    "expression",
    "target",
    "is",
    "not",
    "any of",
    "related",
    "to",
    "end",
)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(any_json)
def test_no_line_makes_the_reader_stumble(values):
    """Any JSON at all is read or refused with an error of ours."""
    assume(isinstance(values, dict))
    with TemporaryDirectory() as folder:
        for lines in ((HEADER, {**LINE, **values}), ({**HEADER, **values}, LINE), ({**HEADER, "schema": values}, LINE)):
            with suppress(BrokenDataset):
                audit_examples(read_grounded(written(Path(folder), *lines)))


def test_values_need_not_be_listed(tmp_path):
    """Values that the schema leaves open are those of the objects and of the expressions."""
    line = changed(expression=[{"not": {"is": ["name", "glass"]}}])

    (example,) = read_grounded(written(tmp_path, HEADER, line))

    assert example.context.scenes[0].schema.attribute("name").values == ("cup", "glass")


def test_a_pair_of_pictures_needs_what_they_differ_in(tmp_path):
    """Of two rooms that differ in the colour of the wall, that word is needed, the other is not."""
    header = {"format": FORMAT, "schema": {"attributes": [{"name": "shape", "head": True}, {"name": "wall"}]}}
    rooms = [{"objects": [{"shape": "ball", "wall": wall}]} for wall in ("red", "blue")]
    said = [{"is": ["shape", "ball"]}, {"is": ["wall", "red"]}]
    path = written(tmp_path, header, {"scenes": rooms, "expression": said, "target": [0, 0]})

    audit = audit_path(path)

    assert audit.needed == {("target", "noun"): (0, 1), ("target", "wall word"): (1, 1)}
    assert audit.shortcut_shares()["noun alone"] == (0, 1)
    assert audit.chance_overall.chance == 0.5
    assert audit.difficulty() == 0.25


def test_a_scene_graph_has_clauses(tmp_path):
    """Of two cups, the one on the table needs its clause; what the bag of words makes of it fits nothing else."""
    header = {**HEADER, "schema": {**HEADER["schema"], "relations": [{"name": "on"}]}}
    scene = {"objects": [{"name": "cup"}, {"name": "cup"}, {"name": "table"}], "relations": [["on", 0, 2]]}
    said = [{"is": ["name", "cup"]}, {"related": "on", "to": [{"is": ["name", "table"]}]}]
    path = written(tmp_path, header, {"scenes": [scene], "expression": said, "target": [0, 0], "split": "test"})

    audit = audit_path(path, split="test")

    assert audit.needed["target", "clause"] == (1, 1)
    assert audit.relations == {("p2", "on"): 1}
    assert audit.shortcut_shares()["bag of words"] == (1, 1)
    with pytest.raises(UnknownName, match="no split 'dev'; known: test"):
        audit_path(path, split="dev")


def test_a_sample_follows_from_its_seed(tmp_path):
    """The same seed chooses the same examples, another one others."""
    lines = [changed(id=number, text="cup " * (number + 1)) for number in range(30)]
    path = written(tmp_path, HEADER, *lines)
    one, again, other = (audit_path(path, sample=5, seed=seed) for seed in (1, 1, 2))

    assert one == again != other
    assert one.examples == 5


def test_the_example_in_the_documentation_is_what_it_says(tmp_path):
    """The file shown in the documentation can be audited: 'white' is idle in one example, the noun in the other."""
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    lines = page.partition("```json\n")[2].partition("```")[0]
    path = written(tmp_path, lines)

    audit = audit_path(path)

    assert audit.judged == 2
    assert audit.needed["target", "colour word"] == (1, 2)
    assert audit.needed["target", "noun"] == (0, 2)
    assert audit.clauses_needed() == (1, 1)
