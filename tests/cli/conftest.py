"""Datasets that several tests of the command line look at, made once."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from tests.cli.interrupted import MAKINGS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.interrupted import Interrupted


TINY = """
mode = "corrected"
seed = 5
hold_out = ["a1", "a2"]
dev = 0.2
test = 0.1

[[pools]]
name = "p1"
pattern = "p1"
commands = 20
worlds = 2

[[pools]]
name = "p3"
pattern = "p3"
commands = 10
worlds = 2
"""


@pytest.fixture(scope="session")
def tiny_recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe of sixty examples."""
    path = tmp_path_factory.mktemp("recipe") / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, tiny_recipe: Path) -> Path:
    """The dataset of that recipe."""
    out = tmp_path_factory.mktemp("made") / "tiny"
    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Path:
    """The same examples in the layout of the release."""
    out = tmp_path_factory.mktemp("released") / "data-compositional-splits.txt"
    assert main(["convert", str(tiny), "--to", "reascan", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of all three patterns with examples of two test sets: some of a2 are also in a1."""
    import pyarrow as pa

    from deixis.worlds.grid.data.imported import write_imported
    from deixis.worlds.grid.data.sources import open_source

    place = tmp_path_factory.mktemp("shared")
    made, recipe = place / "made", place / "recipe.toml"
    more = '[[pools]]\nname = "p2"\npattern = "p2"\ncommands = 20\nworlds = 2\n'
    recipe.write_text(TINY.replace("test = 0.1", "test = 0.3") + more, encoding="utf-8")
    assert main(["make", "reascan", "--recipe", str(recipe), "--out", str(made)]) == 0

    def tables() -> Iterator[pa.Table]:
        for table in open_source(made).tables():
            names = [
                "a1+a2" if name == "a2" and place % 3 == 0 else name
                for place, name in enumerate(table["split"].to_pylist())
            ]
            yield table.set_column(table.schema.get_field_index("split"), "split", pa.array(names))

    dataset = write_imported(tables(), place / "shared", source="made", kind="test")
    assert any(entry["split"] == "a1+a2" for entry in dataset.manifest["files"])
    return dataset.path


@pytest.fixture(scope="session")
def download(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """The same examples laid out as the release is: a folder for train, dev and test, and one for each test set."""
    from deixis.worlds.grid.formats._release import FILE_NAME

    whole = tmp_path_factory.mktemp("whole") / "all.json"
    assert main(["convert", str(shared), str(whole), "--to", "reascan"]) == 0
    fields = json.loads(whole.read_text(encoding="utf-8"))
    root = tmp_path_factory.mktemp("download") / "ReaSCAN-v1.1"
    examples = fields["examples"]
    folders = {"": {name: examples[name] for name in ("train", "dev", "test")}}
    folders |= {f"-{name}": {"test": examples[name]} for name in ("a1", "a2")}
    folders |= {"-p1": folders[""], "-p3-test": {"test": examples["train"][:5]}}
    for name, splits in folders.items():
        folder = root / f"ReaSCAN-compositional{name}"
        folder.mkdir(parents=True)
        (folder / FILE_NAME).write_text(json.dumps({**fields, "examples": splits}), encoding="utf-8")
        for vocabulary in ("input_vocabulary.txt", "target_vocabulary.txt"):
            (folder / vocabulary).write_bytes((whole.parent / vocabulary).read_bytes())
    return root


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Interrupted, Path]]:
    """By the name of a making its command, and the dataset that it makes in one go, made once it is asked for."""

    @cache
    def find(name: str) -> tuple[Interrupted, Path]:
        folder = tmp_path_factory.mktemp("undisturbed")
        making = MAKINGS[name].inside(folder)
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # no part of what the first test prints
            assert main(making.command(folder / "out")) == 0
        return making, folder / "out"

    return find
