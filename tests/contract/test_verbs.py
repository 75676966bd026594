"""What every verb does in every world: one suite over the registry, a world of another package among them."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET

import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis.audits.run import runs_on_clusters
from deixis.data.store import MANIFEST
from deixis.judge.verdicts import COMMON, read_verdicts
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.registry import find_world, world_of
from tests.reports.grounding_folders import write_trial


READING = {
    "check": ("check", "DATA"),
    "show": ("show", "DATA"),
    "stats": ("stats", "DATA"),
    "audit": ("audit", "DATA"),
    "card": ("card", "DATA", "--no-figures"),
    "evaluate": ("evaluate", "random", "--data", "DATA"),
    "prompts": ("prompts", "DATA", "--out", "OUT"),
    "convert": ("convert", "DATA", "OUT", "--to", "parquet"),
    "train": ("train", "m-lstm", "--data", "DATA", "--out", "OUT"),
}


def run(capsys, *words):
    """The exit code of a command, what it printed and what it complained of."""
    code = main([str(word) for word in words])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def values(capsys, *words):
    """What a command prints as JSON."""
    code, out, err = run(capsys, *words, "--json")
    assert code in (0, 1), err
    return json.loads(out)


def files_of(folder):
    """Every file of a folder with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_dataset_says_which_world_made_it(made):
    """The manifest names the world, the dataset, the package and the recipe with its digest."""
    manifest = json.loads((made.path / MANIFEST).read_text(encoding="utf-8"))

    assert manifest["format"] == 2
    assert manifest["world"] == made.world
    assert manifest["dataset"] == made.words[0]
    assert manifest["package"] == find_world(made.world).package
    assert len(manifest["recipe digest"]) == 64
    recipe = find_world(made.world).part("recipes").recipe_from(manifest["recipe"])
    assert recipe.digest == manifest["recipe digest"]
    assert world_of(made.path).name == made.world


def test_making_again_is_done_at_once(made, capsys):
    """A finished dataset of the same recipe is left as it is."""
    before = files_of(made.path)

    said = values(capsys, "make", *made.words, "--out", made.path)

    assert said["was complete"] is True
    assert files_of(made.path) == before


def test_another_recipe_does_not_overwrite(made, capsys):
    """One line says that the folder holds another dataset."""
    before = files_of(made.path)

    code, _, err = run(capsys, "make", *made.words, "--out", made.path, "--seed", 977)

    assert code == 2
    assert err.count("\n") == 1
    assert files_of(made.path) == before


def test_examples_are_read_by_number(made):
    """Each has an id, a split, a text and a context in which its expression picks out the target."""
    from deixis.resolution import resolve

    examples = find_world(made.world).part("examples").open(made.path)

    assert len(examples) > 10
    assert sum(len(examples.numbers(split)) for split in examples.splits) >= len(examples) * 0.9
    for number in range(0, len(examples), max(1, len(examples) // 8)):
        example = examples[number]
        assert example.text
        if example.expression is not None and getattr(example, "is_there", True):
            assert example.context.target in resolve(example.expression, example.context).objects


def test_a_sound_dataset_passes_its_checks(made, capsys):
    """No finding is an error, and JSON has the same fields in every world."""
    said = values(capsys, "check", made.path)

    assert said["errors"] == 0
    assert {"errors", "findings"} <= said.keys()


def test_a_changed_byte_is_found(made, capsys, tmp_path):
    """Whichever world made the file."""
    copy = tmp_path / "copy"
    shutil.copytree(made.path, copy)
    victim = max(copy.rglob("*.parquet"), key=lambda path: path.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(bytes(data))

    assert run(capsys, "check", copy, "--json")[0] == 1


def test_checks_can_be_selected(made, capsys):
    """A code that is selected is checked; one that no world has is refused in one line."""
    code = next(iter(find_world(made.world).part("checks").codes))

    assert run(capsys, "check", made.path, "--select", code, "--json")[0] in (0, 1)
    refused, _, err = run(capsys, "check", made.path, "--select", "X999")
    assert refused == 2
    assert err.count("\n") == 1


@pytest.mark.parametrize("option", [("--sample", "5"), ("--thorough", "--sample", "5")])
def test_checks_can_be_sampled_and_thorough(made, capsys, option):
    """Fewer examples, or the plain definitions: the verdict on a sound dataset stays."""
    assert values(capsys, "check", made.path, *option)["errors"] == 0


def test_an_example_is_shown(made, capsys):
    """As text, as JSON, and by a seed."""
    code, out, _ = run(capsys, "show", made.path, 0)
    said = values(capsys, "show", made.path, "--seed", 3)

    assert code == 0
    assert out.strip()
    assert {"number", "id", "split", "text"} <= said.keys()
    assert said["text"]


def test_a_picture_is_written(made, capsys, tmp_path):
    """In the first format of the world; another ending is refused in one line, and nothing is written."""
    kind = find_world(made.world).part("pictures").formats[0]
    picture = tmp_path / f"example.{kind}"

    assert run(capsys, "show", made.path, 0, "--out", picture)[0] == 0
    if kind == "svg":
        ET.fromstring(picture.read_text(encoding="utf-8"))  # noqa: S314 (our own file)
    else:
        assert picture.read_bytes()[:4] in (b"\x89PNG", b"GIF8")
    code, _, err = run(capsys, "show", made.path, 0, "--out", tmp_path / "example.doc")
    assert code == 2
    assert err.count("\n") == 1
    assert not (tmp_path / "example.doc").exists()


def test_a_dataset_is_counted(made, capsys):
    """As text and as JSON."""
    assert run(capsys, "stats", made.path)[0] == 0
    assert values(capsys, "stats", made.path)


def test_a_dataset_is_audited(made, capsys, tmp_path):
    """On its own page."""
    few = ("--sample", 200, "--workers", 1)
    assert values(capsys, "audit", made.path, *few)["audits"]["data"]["measures"]["judged"]
    assert run(capsys, "audit", made.path, *few, "--out", tmp_path / "audit")[0] == 0
    (page,) = (tmp_path / "audit").glob("*.html")
    assert "<html" in page.read_text(encoding="utf-8")


def test_a_card_is_written(made, capsys, tmp_path):
    """With the head that Hugging Face reads, and Croissant metadata."""
    copy = tmp_path / "copy"
    shutil.copytree(made.path, copy)

    assert run(capsys, "card", copy, "--no-figures")[0] == 0
    assert (copy / "README.md").read_text(encoding="utf-8").startswith("---\n")
    assert json.loads((copy / "croissant.json").read_text(encoding="utf-8"))["distribution"]


def test_the_oracle_is_right_and_chance_is_not(made, capsys, tmp_path):
    """Every world has both baselines, and keeps their results."""
    oracle = values(capsys, "evaluate", "oracle", "--data", made.path, "--out", tmp_path / "oracle")
    chance = values(capsys, "evaluate", "random", "--data", made.path, "--out", tmp_path / "random")

    assert oracle != chance
    assert list(oracle)[:2] == ["deixis", "world"]
    assert (oracle["world"], oracle["data"]) == (made.world, made.path.name)
    assert list((tmp_path / "oracle").rglob("evaluation.json"))


def test_verdicts_have_one_schema(made, capsys, tmp_path):
    """A row for every answer, with the same first columns in every world, and one for each measure after them."""
    run(capsys, "evaluate", "random", "--data", made.path, "--out", tmp_path / "random")
    (path,) = (tmp_path / "random").rglob("verdicts*.parquet")
    table, found = pq.read_table(path), read_verdicts(path)

    assert table.schema.names[: len(COMMON)] == COMMON.names
    assert [table.schema.field(name).type for name in COMMON.names] == COMMON.types
    assert list(found.right) == table.schema.names[len(COMMON) :][: len(found.right)] != []
    assert len(found) == table.num_rows > 0
    assert {found.outcomes[code] for code in found.outcome} == set(table["outcome"].to_pylist())
    measure = next(iter(found.right))
    assert found.right[measure].tolist() == table[measure].to_pylist()


def test_results_are_reported_or_it_is_said_why_not(made, capsys, tmp_path):
    """Of answers at random: what stands beside the tables of the paper, or one line that names the world."""
    run(capsys, "evaluate", "random", "--data", made.path, "--out", tmp_path / "random")

    code, out, err = run(capsys, "report", tmp_path / "random")

    if code:
        assert code == 2
        assert err.count("\n") == 1
        assert made.world in err
    else:
        assert "random" in out


def test_a_report_of_several_worlds_is_written_whole_or_not_at_all(capsys, tmp_path):
    """Photos can be reported, and a run of the grid that stands in no table cannot: nothing is left behind."""
    photos = write_trial(tmp_path / "grounder", "grounder", dict.fromkeys(SETTINGS, 0.2))
    grid = tmp_path / "plans"
    grid.mkdir()
    score = {"examples": 4, "exact": 0.5, "interval": [0.1, 0.9]}
    facts = {"format": 1, "kind": "plans evaluation", "data": "mine", "digest": "", "splits": {"dev": score}}
    (grid / "evaluation.json").write_text(json.dumps({**facts, "model": "mine"}), encoding="utf-8")

    code, _, err = run(capsys, "report", photos, grid, "--out", tmp_path / "out")

    assert code == 2
    assert "no run belongs into Table 2 or 3" in err
    assert not (tmp_path / "out").exists()


def test_questions_are_asked_and_right_answers_are_right(made, capsys, tmp_path):
    """Prompts are written; answering each with its right answer scores 1."""
    out = tmp_path / "prompts.jsonl"
    assert run(capsys, "prompts", made.path, "--out", out, "--limit", 5)[0] == 0
    gold = [json.loads(line) for line in (tmp_path / "prompts.gold.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": one["id"], "answer": f"Answer: {one['right']}"}) for one in gold if "id" in one]
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")

    said = values(capsys, "answers", answers, "--gold", tmp_path / "prompts.gold.jsonl")

    assert lines
    assert said["overall"]["outcomes"]["right"] == len(lines)


def test_the_studio_shows_it(made):
    """The first page, the gallery and the page of an example open."""
    from starlette.testclient import TestClient

    from deixis._studio.server import make_app

    client = TestClient(make_app((made.path.parent,)), base_url="http://127.0.0.1")

    assert client.get("/").status_code == 200
    gallery = client.get("/d/data")
    assert gallery.status_code == 200
    assert client.get("/d/data/0").status_code == 200
    assert client.get("/d/data/99999999999").status_code == 404


@pytest.mark.parametrize("verb", READING)
@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            {"format": 2, "world": "pearls", "package": "deixis-pearls"},
            "made by world 'pearls' of package deixis-pearls",
        ),
        ({"format": 99, "world": "grid"}, "format 99"),
    ],
)
def test_a_dataset_of_nobody_here_is_refused_in_one_line(capsys, tmp_path, verb, manifest, message):
    """By every verb; nothing is written."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / MANIFEST).write_text(json.dumps({**manifest, "files": [], "splits": {}}), encoding="utf-8")
    names = {"DATA": folder, "OUT": tmp_path / "out.jsonl"}

    code, _, err = run(capsys, *(names.get(word, word) for word in READING[verb]))

    assert code == 2
    assert err.count("\n") == 1, err
    assert message in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["data", MANIFEST]


def test_another_world_than_that_of_the_dataset_is_refused(made, capsys):
    """`explain --world` is for files; beside an example it may only say what is true."""
    other = "photos" if made.world != "photos" else "grid"

    assert run(capsys, "explain", "--scene", f"{made.path}#0", "--world", made.world)[0] == 0
    for name, message in ((other, f"is of {made.world}, not of {other}"), ("mars", "there is no world 'mars'")):
        code, _, err = run(capsys, "explain", "--scene", f"{made.path}#0", "--world", name)
        assert code == 2
        assert err.count("\n") == 1
        assert message in err


SPLIT = {
    "show": ("show", "DATA", 0),
    "explain": ("explain", "--scene", "DATA#0"),
    "stats": ("stats", "DATA"),
    "audit": ("audit", "DATA"),
    "evaluate": ("evaluate", "random", "--data", "DATA"),
    "prompts": ("prompts", "DATA"),
}


@pytest.mark.parametrize("verb", SPLIT)
def test_a_split_that_is_not_there_is_refused_in_one_line(made, capsys, verb):
    """In the same words in every world, with those that there are."""
    words = [str(word).replace("DATA", str(made.path)) for word in SPLIT[verb]]

    code, _, err = run(capsys, *words, "--split", "nowhere")

    assert code == 2
    assert err.count("\n") == 1
    assert err.startswith("deixis: there is no split 'nowhere' in ")


@pytest.mark.parametrize("verb", ["check", "evaluate", "audit"])
def test_clusters_are_used_or_refused_with_the_worlds_that_use_them(made, capsys, verb):
    """No world takes `--on dask` and then works here; what belongs to a cluster is refused without one."""
    words = {
        "check": ("check", made.path),
        "evaluate": ("evaluate", "random", "--data", made.path),
        "audit": ("audit", made.path),
    }[verb]
    world = find_world(made.world)
    part = {"check": "checks", "evaluate": "judging"}.get(verb)
    is_able = runs_on_clusters(made.path) if part is None else world.part(part).runs_on_clusters

    for option in (("--address", "tcp://127.0.0.1:1"), ("--cluster-wait", 3)):
        code, _, err = run(capsys, *words, *option)
        assert code == 2
        assert err.endswith("add --on dask\n")
    if not is_able:
        code, _, err = run(capsys, *words, "--on", "dask")
        assert code == 2
        assert err.count("\n") == 1
        assert err.startswith("deixis: --on dask is for ")
        assert f" only; {made.path} is of {made.world}\n" in err


def test_an_option_of_another_world_is_refused_in_one_line(made, capsys):
    """The line names the world that has it."""
    option = ["--setting", "Full"] if made.world != "photos" else ["--by", "verb"]

    code, _, err = run(capsys, "evaluate", "random", "--data", made.path, *option)

    assert code == 2
    assert err.count("\n") == 1
    assert f"is an option of {'photos' if made.world != 'photos' else 'grid'}" in err
