"""In every world and every form: a conversion that cannot be finished leaves nothing behind."""

from __future__ import annotations

import json
import shutil

import pytest

from deixis._cli import main
from deixis.worlds.registry import find_world


@pytest.fixture
def broken(made, tmp_path):
    """The dataset of a world with its largest file cut in half: what stands before that can be read."""
    world = find_world(made.world)
    if not world.has("formats"):
        pytest.skip(f"{made.world} has no forms to convert to")
    path = tmp_path / "data"
    shutil.copytree(made.path, path)
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    largest = max(manifest["files"], key=lambda entry: entry["bytes"])
    held = (path / largest["path"]).read_bytes()
    (path / largest["path"]).write_bytes(held[: len(held) // 2])
    return path


def test_what_cannot_be_finished_leaves_nothing(broken, made, capsys):
    """Each form refuses the broken dataset in one line, or does not need the file; no refusal leaves a file."""
    before = sorted(broken.parent.rglob("*"))
    out = broken.parent / "above" / "out"
    codes = []

    for form in (*find_world(made.world).part("formats").writes, "absent-refer"):
        codes.append(main(["convert", str(broken), str(out), "--to", form]))
        told = capsys.readouterr().err
        if codes[-1] == 2:
            assert len(told.splitlines()) == 1, told
            assert sorted(broken.parent.rglob("*")) == before, form
        else:
            shutil.rmtree(out.parent)

    assert 2 in codes
