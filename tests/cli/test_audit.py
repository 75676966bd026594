"""What `deixis audit` prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis._cli import main
from deixis._options import names_of
from deixis.audits import Audit
from deixis.audits._plain import audit_examples
from deixis.worlds.example import PlainExample
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.rooms._examples import open as open_rooms
from deixis.worlds.rooms.data.make import A3dsRecipe, make_a3ds
from tests.cli.test_check_gscan import gscan_file
from tests.datasets.copsref.posed import posed
from tests.datasets.few_pairs import only_few_pairs


LINES = (
    '{"format": "deixis grounded 1", "schema": {"attributes": [{"name": "name", "head": true}]}}\n'
    '{"scenes": [{"objects": [{"name": "cup"}, {"name": "jar"}]}], "expression": [{"is": ["name", "cup"]}], '
    '"target": [0, 0]}\n'
)


def printed(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_datasets_stand_side_by_side(tiny, released, capsys):
    """Each dataset is a column; the same examples in another layout have the same words needed."""
    out = printed(capsys, "audit", tiny, released)

    heads = next(line for line in out.splitlines() if line.strip())
    words = next(line for line in out.splitlines() if "words of the target" in line)
    assert heads.split() == [tiny.name, f"{released.name[:8]}…{released.name[-9:]}"]
    assert words.split()[-1] == words.split()[-2]


def test_json_is_the_audit(tiny, capsys):
    """What is printed as JSON is what the package finds, and can be read back."""
    shown = json.loads(printed(capsys, "audit", tiny, "--json"))

    audit = Audit.from_dict(shown["audits"][tiny.name])
    assert audit.examples == 60
    assert audit.judged == shown["audits"][tiny.name]["measures"]["judged"] > 50
    assert audit.all_clauses_needed().share == 1


def test_workers_do_not_matter(tiny, capsys):
    """One thread or three, the JSON is the same to the letter."""
    assert printed(capsys, "audit", tiny, "--json", "--workers", 1) == printed(
        capsys, "audit", tiny, "--json", "--workers", 3
    )


def test_a_folder_gets_the_page_and_the_counts(tiny, tmp_path, capsys):
    """With --out, the JSON and the page are written, and the text says where."""
    out = printed(capsys, "audit", tiny, "--out", tmp_path / "new" / "audit")

    written = json.loads((tmp_path / "new" / "audit" / "audit.json").read_text(encoding="utf-8"))
    assert Audit.from_dict(written["audits"][tiny.name]).examples == 60
    assert "<html" in (tmp_path / "new" / "audit" / "audit.html").read_text(encoding="utf-8")
    assert "audit.html" in out


def test_a_split_or_a_sample_is_enough(tiny, capsys):
    """Fewer examples may be audited; the seed chooses them."""
    split = json.loads(printed(capsys, "audit", tiny, "--split", "a1", "--json"))
    one, again, other = (printed(capsys, "audit", tiny, "--sample", 9, "--seed", seed, "--json") for seed in (3, 3, 4))

    assert split["audits"][tiny.name]["examples"] < 60
    assert json.loads(one)["audits"][tiny.name]["examples"] == 9
    assert one == again != other


def test_gscan_is_solved_by_a_bag_of_words(tmp_path, capsys):
    """A command of one phrase has no order that matters; what has no clauses shows a dash."""
    path = gscan_file(tmp_path / "dataset.txt", "a")

    out = printed(capsys, "audit", path)

    assert next(line for line in out.splitlines() if "bag of words" in line).split()[-1] == "100.0%"
    assert "needed: clauses" not in out


def test_other_worlds_stand_beside_grids(tiny, tmp_path, capsys):
    """Grounded expressions of another world are a column like any other; what they have not is a dash."""
    path = tmp_path / "cups.jsonl"
    path.write_text(LINES, encoding="utf-8")

    out = printed(capsys, "audit", path, tiny)

    push = next(line for line in out.splitlines() if "push moves" in line)
    assert push.split()[-2] == "–"
    assert next(line for line in out.splitlines() if "by the noun alone" in line).split()[-2] == "100.0%"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("missing",), "there is no file or folder missing"),
        ((), "PATH"),
        (("{tiny}", "--split", "nowhere"), "nowhere"),
        (("{tiny}", "--sample", "0"), "--sample"),
        (("{cups}",), "cups.jsonl, line 3: it is no JSON"),
    ],
)
def test_failures_take_one_line(words, reason, tiny, tmp_path, capsys):
    """What cannot be audited is said in one line, with exit code 2."""
    (tmp_path / "cups.jsonl").write_text(LINES + "{", encoding="utf-8")
    places = {"{tiny}": str(tiny), "{cups}": str(tmp_path / "cups.jsonl")}

    assert main(["audit", *(places.get(word, word) for word in words)]) == 2

    error = capsys.readouterr().err.strip()
    assert reason in error
    assert len(error.splitlines()) == 1


def test_equal_names_are_told_apart():
    """Two paths that end alike keep what differs; the same path twice is numbered."""
    paths = [Path("/data/one/set"), Path("/data/two/set"), Path("/data/two/set"), Path("/data/other")]

    names = names_of(paths)

    assert names[0] == "one/set"
    assert names[3] == "other"
    assert len(set(names)) == 4


def test_what_is_no_dataset_is_refused_before_anything_is_written(tmp_path, capsys):
    """The answer is one line, and no folder is left behind."""
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "manifest.json").write_text('{"kind": "poems"}', encoding="utf-8")

    assert main(["audit", str(tmp_path / "strange"), "--out", str(tmp_path / "audit")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "audit").exists()


@pytest.fixture(scope="module", autouse=True)
def few_pairs():
    with only_few_pairs():
        yield


@pytest.fixture(scope="module")
def places(tmp_path_factory, tiny):
    """A dataset of every world, and grounded expressions."""
    root = tmp_path_factory.mktemp("worlds")
    make_a3ds(A3dsRecipe(captions=(), test_sets=True, seed=3), root / "rooms", workers=1)
    write_copsref(root / "photos", posed().examples, posed().scenes)
    (root / "plain.jsonl").write_text(LINES, encoding="utf-8")
    return [tiny, root / "rooms", root / "photos", root / "plain.jsonl"]


def test_datasets_of_all_worlds_stand_in_one_table(places, tmp_path, capsys):
    """What a world cannot have is a dash, with the reason below; what only one has stands there, too."""
    out = printed(capsys, "audit", *places, "--sample", 30, "--workers", 1, "--out", tmp_path / "audit")

    assert "solved by phrases unrelated" in out
    assert "– rooms: nothing is said that moves an object (pull moves its object, push moves its object)" in out
    assert "– plain.jsonl: measured in other worlds only" in " ".join(out.split())
    found = json.loads((tmp_path / "audit" / "audit.json").read_text(encoding="utf-8"))["audits"]
    assert list(found) == [place.name for place in places]
    assert all(one["measures"]["judged"] for one in found.values())
    assert found["rooms"]["measures"]["solved"]["noun phrase alone"]["share"] == 1.0
    page = (tmp_path / "audit" / "audit.html").read_text(encoding="utf-8")
    assert all(f"Only of {name}" in page for name in ("photos",))
    assert "| push moves its object |" in (tmp_path / "audit" / "audit.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_sample_of_pairs_of_rooms_is_counted_alike_by_any_number_of_workers(places, capsys):
    """Processes share the work; and a split is a set of pairs, also where its name has a +."""
    one, two = (
        json.loads(printed(capsys, "audit", places[1], "--sample", 300, "--workers", n, "--json")) for n in (1, 2)
    )

    assert one == two
    assert "shape & scale" in {row[0] for row in one["audits"]["rooms"]["counts"]["splits"]}


def test_what_is_counted_of_rooms_that_are_alike_is_what_is_counted_of_each(places):
    """Working out examples of one likeness once changes nothing."""
    examples = [one for k, one in enumerate(open_rooms(places[1])) if k % 900 == 0]
    plain = [
        PlainExample(context=one.context, expression=one.expression, text=one.text, split=one.split.replace("+", " & "))
        for one in examples
    ]

    assert audit_examples(examples) == audit_examples(plain)
