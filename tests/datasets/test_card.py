"""The card of a dataset: what its head tells other tools, what it tells people, and the verb that writes it anew."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis._cli.card import card
from deixis.data._card_facts import by_split, columns_in, size_category, split_name
from deixis.data.card import QUESTIONS, SYNTHETIC, datasheet, write_card
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.grid.making.make import make
from deixis.worlds.rooms.data import make as a3ds
from tests.datasets.tiny import quick


yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """A small dataset of grid worlds."""
    return make(quick(), tmp_path_factory.mktemp("card") / "grid", workers=1)


def head_of(folder):
    """The head of a card, read as YAML."""
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def test_the_head_tells_other_tools(dataset):
    """Splits with their files and sizes, columns with their types, language, licence and tasks."""
    head = head_of(dataset.path)

    assert head["language"] == ["en"]
    assert head["license"] == "cc-by-4.0"
    assert head["size_categories"] == ["n<1K"]
    assert head["configs"][0]["default"] is True
    files = {one["split"]: one["path"] for one in head["configs"][0]["data_files"]}
    assert all((dataset.path / path).is_file() for paths in files.values() for path in paths)
    told = {one["name"]: one["num_examples"] for one in head["dataset_info"][0]["splits"]}
    assert told == {name: size for name, size in dataset.splits.items() if size}


def test_the_text_answers_every_question(dataset):
    """The datasheet is complete, columns and splits are explained, and how to make it again is told."""
    text = (dataset.path / "README.md").read_text(encoding="utf-8")

    for question in (question for section in QUESTIONS.values() for question in section.values()):
        assert question in text
    assert "Not recorded.\n" in text  # who paid for it
    for part in (
        "| a1 | 2 | novel colour modifier",
        "recipe_from",
        dataset.manifest["content"],
        "@inproceedings",
        "mode",
    ):
        assert part in text
    assert set(columns_in(text.split("## Columns")[1])) >= {"id", "command", "verb", "agent_row", "split"}


def test_what_the_card_says_makes_the_dataset_again(dataset, tmp_path, monkeypatch):
    """The code on the card, run as it is, gives the same content."""
    text = (dataset.path / "README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[1].replace("PATH", str(dataset.path))
    monkeypatch.chdir(tmp_path)

    exec(compile(code, "card", "exec"), {})  # noqa: S102 (it is our own text)

    again = json.loads((tmp_path / "again" / "manifest.json").read_text(encoding="utf-8"))
    assert again == dataset.manifest
    assert (tmp_path / "again" / "README.md").read_bytes() == (dataset.path / "README.md").read_bytes()


def test_the_verb_adds_figures(dataset, tmp_path, capsys):
    """`deixis card` draws figures, shows them on the card, and can change the licence; the data stays as it is."""
    from shutil import copytree

    folder = copytree(dataset.path, tmp_path / "grid")
    data = {path.name: path.read_bytes() for path in (folder / "data").iterdir()}

    assert card([folder], license_name="MIT", published="2026-11-30") == 0
    text = (folder / "README.md").read_text(encoding="utf-8")

    for name in ("example", "figure4", "figure5"):
        assert f"](figures/{name}.png)" in text
        assert (folder / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    assert head_of(folder)["license"] == "mit"
    assert json.loads((folder / "croissant.json").read_text(encoding="utf-8"))["datePublished"] == "2026-11-30"
    assert {path.name: path.read_bytes() for path in (folder / "data").iterdir()} == data
    assert "hf upload" in capsys.readouterr().out
    assert card([folder], no_figures=True, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["cards"][0]["files"] == ["README.md", "croissant.json"]


@pytest.mark.slow
def test_rooms_get_a_sheet_of_images(tmp_path, monkeypatch):
    """An A3DS of nothing but test pairs has tables to load and a figure to look at."""
    monkeypatch.setattr(a3ds, "IMAGES", 1000)
    monkeypatch.setattr(a3ds, "SHARD", 250)
    made = a3ds.make_a3ds(a3ds.A3dsRecipe(captions=(), test_sets=True), tmp_path / "a3ds", workers=1)

    card([made.path])

    assert [one["config_name"] for one in head_of(made.path)["configs"]] == ["test-pairs", "images"]
    text = (made.path / "README.md").read_text(encoding="utf-8")
    assert "](figures/images.png)" in text
    assert "--captions none --test-sets --seed 42" in text


def test_what_cannot_be_is_told_in_a_line(dataset, tmp_path):
    """Folders without a dataset, unknown licences, days that are none and manifests that lack something."""
    with pytest.raises(BrokenDataset, match="no manifest"):
        card([tmp_path])
    with pytest.raises(RecipeError, match="unknown licence 'soup'"):
        card([dataset.path], license_name="soup")
    for day in ("tomorrow", "2026-13-45", "2026-02-30", "20261130"):
        with pytest.raises(RecipeError, match="2026-11-30"):
            card([dataset.path], published=day)
    bare = {"format": 1, "kind": "a3ds", "splits": {}, "files": [], "images": 1, "captions": {}}
    recipe = {"captions": [], "layout": "parquet", "image_size": 64, "images": False, "pairs": False}
    with pytest.raises(BrokenDataset, match="no file with a table"):
        write_card(
            tmp_path,
            {**bare, "recipe": {**recipe, "test_sets": False, "seed": 1}, "made by": "x", "recipe digest": "0"},
        )
    for lacking in ("examples", "content", "recipe"):
        manifest = {key: value for key, value in dataset.manifest.items() if key != lacking}
        with pytest.raises(BrokenDataset, match="does not say"):
            write_card(dataset.path, manifest)


@given(st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,8}", fullmatch=True), max_size=6))
def test_every_split_has_a_name_of_its_own(names):
    """Names that other tools would not accept become others, and no two splits become one."""
    found = by_split([{"split": name, "path": name, "rows": 1} for name in names])

    singles = {single for name in names for single in name.split("+") if single}
    assert len(found) >= len(singles)
    assert all(re.fullmatch(r"\w+(\.\w+)*", name) or name for name in found)
    assert split_name("all") == "all_split"


def test_sizes_and_answers():
    """Sizes fall into the ranges of the hub; every question has an answer, if only that nothing is recorded."""
    sizes = [size_category(n) for n in (0, 999, 1000, 10**6, 10**8)]

    assert sizes == ["n<1K", "n<1K", "1K<n<10K", "1M<n<10M", "10M<n<100M"]
    assert datasheet({"A.3": "Nobody."}).count("**") == 2 * sum(map(len, QUESTIONS.values()))
    assert set(SYNTHETIC) <= {number for section in QUESTIONS.values() for number in section}


@pytest.mark.parametrize("broken", ["many", [1, 2], None])
def test_a_manifest_whose_numbers_are_none_has_no_card(broken, dataset):
    """Found by fuzzing: a text or a list where a number should stand is one line, not a traceback."""
    manifest = {**dataset.manifest, "examples": broken}

    with pytest.raises(BrokenDataset, match="does not say what a card needs"):
        write_card(dataset.path, manifest)
