"""Manifests of every format: the first is read by all verbs, and what nobody here can read is told in one line."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from deixis._cli import main
from deixis.data._seal import write_manifest
from deixis.data.recipes import recipe_in
from deixis.data.store import open_dataset
from deixis.worlds.registry import world_of
from tests.datasets.few_pairs import only_few_pairs
from tests.datasets.tiny import folder_bytes


MAKE = {
    "grid": ("reascan", "--patterns", "p1", "--hold-out", "none", "--seed", "3"),
    "rooms": ("a3ds", "--captions", "none", "--test-sets", "--seed", "3"),
    "photos": ("copsref", "--images", "30", "--val", "0", "--test", "0.7", "--each", "1", "--closed-world"),
}
FIRST = {
    "grid": ("format", "made by", "recipe digest", "recipe", "examples", "splits", "pools", "leakage proof"),
    "rooms": ("format", "kind", "made by", "recipe digest", "recipe", "images", "captions", "splits"),
    "photos": ("format", "kind", "made by", "examples", "splits"),
}
VERBS = {
    "check": ("check", "DATA", "--json"),
    "stats": ("stats", "DATA", "--json"),
    "show": ("show", "DATA", "--json"),
    "audit": ("audit", "DATA", "--sample", "30", "--json"),
    "card": ("card", "DATA", "--json"),
    "evaluate": ("evaluate", "random", "--data", "DATA", "--json"),
    "prompts": ("prompts", "DATA", "--limit", "2", "--out", "OUT/prompts.jsonl"),
    "doctor": ("doctor", "DATA", "--json"),
}
WRITTEN = {
    "grid": ("convert", "DATA", "OUT/converted", "--to", "compact"),
    "photos": ("convert", "DATA", "OUT/converted", "--to", "coco"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset of each world."""
    folder = tmp_path_factory.mktemp("made")
    with only_few_pairs():
        for world, words in MAKE.items():
            assert main(["make", *words, "--workers", "1", "--out", str(folder / world)]) == 0
    return folder


def as_first(manifest):
    """A manifest as it was written when there was one format."""
    old = {key: value for key, value in manifest.items() if key not in ("world", "dataset", "package")}
    old["format"] = 1
    if old.get("kind") == "copsref":
        old["made with"] = {"recipe": old.pop("recipe"), **old["made with"]}
        old["recipe digest"] = old.pop("recipe digest")
    return old


def lasting(text):
    """What a verb says, but for how long it took."""
    return re.sub(r'("seconds"): [0-9.]+', r"\1", text)


def run(capsys, words, data, out):
    capsys.readouterr()
    words = [word.replace("DATA", str(data)).replace("OUT", str(out)) for word in words]
    code = main(words)
    return code, capsys.readouterr()


@pytest.mark.parametrize("world", MAKE)
def test_a_manifest_says_where_it_comes_from(world, made):
    """World, name, package, recipe and the digest of the recipe stand in the same place in every world."""
    manifest = json.loads((made / world / "manifest.json").read_text(encoding="utf-8"))

    assert (manifest["format"], manifest["world"], manifest["package"]) == (2, world, "deixis")
    assert manifest["dataset"] == MAKE[world][0]
    recipes = world_of(made / world).part("recipes")
    assert recipes.recipe_from(manifest["recipe"]).digest == manifest["recipe digest"]


@pytest.mark.parametrize(
    "world", ["grid", *(pytest.param(world, marks=pytest.mark.slow) for world in ("rooms", "photos"))]
)
def test_the_first_format_is_read_by_every_verb(world, made, tmp_path, capsys):
    """What the verbs say of a dataset of format 1 is what they say of the same one in format 2."""
    old = shutil.copytree(made / world, tmp_path / "old" / world)
    new = shutil.copytree(made / world, tmp_path / "new" / world)
    write_manifest(old, as_first(open_dataset(old).manifest))
    (tmp_path / "out").mkdir()

    manifest = json.loads((old / "manifest.json").read_text(encoding="utf-8"))
    assert tuple(manifest)[: len(FIRST[world])] == FIRST[world]
    assert world_of(old).name == world
    assert recipe_in(manifest) == recipe_in(open_dataset(new).manifest)
    verbs = {**VERBS, **({"convert": WRITTEN[world]} if world in WRITTEN else {})}
    for verb, words in verbs.items():
        code, said = run(capsys, words, old, tmp_path / "out")
        assert code == 0, f"{verb}: {said.err}"
        expected = run(capsys, [*words, "--force"] if verb == "convert" else words, new, tmp_path / "out")
        assert (code, lasting(said.out.replace("/old/", "/new/"))) == (expected[0], lasting(expected[1].out))


@pytest.mark.parametrize("world", MAKE)
def test_making_again_finds_a_dataset_of_the_first_format_complete(world, made, tmp_path, capsys):
    """The same command has nothing to do where an earlier version has made the dataset."""
    old = shutil.copytree(made / world, tmp_path / world)
    write_manifest(old, as_first(open_dataset(old).manifest))
    before = folder_bytes(old)

    assert main(["make", *MAKE[world], "--workers", "1", "--out", str(old)]) == 0

    assert "already complete" in capsys.readouterr().out
    assert folder_bytes(old) == before


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"format": 9}, "is in format 9, and this version reads up to 2; a newer deixis wrote it: upgrade this one"),
        ({"world": "pebbles", "package": "deixis-pebbles"}, "by world 'pebbles' of package deixis-pebbles, which is"),
        ({"world": "pebbles", "package": None}, "was made by world 'pebbles', which is not installed"),
        ({"format": 1, "world": None, "kind": "tabletop"}, "is of a kind that no world here knows: 'tabletop'"),
    ],
)
@pytest.mark.parametrize("verb", [*VERBS, "convert", "make", "train"])
def test_what_nobody_here_can_read_is_one_line(verb, changes, complaint, made, tmp_path, capsys):
    """A newer format, a world that is not installed and an unknown kind: one line, and nothing is written."""
    data = shutil.copytree(made / "grid", tmp_path / "data")
    manifest = {**json.loads((data / "manifest.json").read_text(encoding="utf-8")), **changes}
    plain = json.dumps({key: value for key, value in manifest.items() if value is not None})
    (data / "manifest.json").write_text(plain, encoding="utf-8")
    before = folder_bytes(tmp_path)
    more = {
        "convert": WRITTEN["grid"],
        "make": ("make", *MAKE["grid"], "--out", "DATA"),
        "train": ("train", "m-lstm", "--data", "DATA", "--out", "OUT/run"),
    }

    code, said = run(capsys, {**VERBS, **more}[verb], data, tmp_path / "out")

    assert code == (1 if verb == "doctor" else 2)
    told = said.out if verb == "doctor" else said.err
    assert complaint in told
    assert said.err.count("\n") == (0 if verb == "doctor" else 1)
    assert folder_bytes(tmp_path) == before
