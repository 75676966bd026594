"""`deixis doctor`, on this machine and with packages hidden from it."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from deixis._cli import doctor as doctor_module
from deixis._cli import main
from deixis._cli.extras import ABOUT, BARE, Package, extras, find_extra
from deixis.errors import UnknownName


if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def without(monkeypatch):
    """Hide packages: as if they were not installed."""
    known = metadata.version

    def hide(*names: str) -> None:
        def version(name: str) -> str:
            if name in names:
                raise metadata.PackageNotFoundError(name)
            return known(name)

        monkeypatch.setattr(metadata, "version", version)

    return hide


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main(["doctor", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_what_is_installed_is_told_with_its_version(capsys):
    """Every package of the bare installation is there, in the version that Python itself tells."""
    code, said = told(capsys)

    assert code == 0
    assert said["extras"]["bare"]["packages"]["numpy"] == metadata.version("numpy")
    assert {"Python", "kernels", "processor", "GPU", "disk"} <= {finding["about"] for finding in said["findings"]}


def test_what_is_missing_is_no_fault_and_has_a_command(capsys, without):
    """A hidden package makes its extra missing; the command that brings it names the extra and this interpreter."""
    without("pyarrow")

    code, said = told(capsys)
    data = said["extras"]["data"]

    assert code == 0
    assert data["state"] == "missing"
    assert "pyarrow is missing" in data["said"]
    assert shlex.split(data["install"])[:4] == [sys.executable, "-m", "pip", "install"]
    assert shlex.split(data["install"])[-1].partition(" ")[0].endswith("[data]")


def test_what_was_asked_for_must_be_there(capsys, without):
    """The same hidden package is a fault where its extra, or one that builds on it, was asked for."""
    without("pyarrow")

    code, said = told(capsys, "--extra", "shapes")

    assert code == 1
    assert not said["well"]
    assert said["extras"]["shapes"]["state"] == "broken"
    assert said["extras"]["train"]["state"] == "missing"


def test_a_bare_package_is_always_asked_for(capsys, without):
    """Nothing works without numpy, so that its absence is a fault whether asked for or not."""
    without("numpy")

    assert told(capsys)[0] == 1


def test_a_package_that_cannot_be_imported_is_broken(capsys, monkeypatch, tmp_path):
    """What is installed but falls over when it is imported does not pass for fine."""
    (tmp_path / "pyarrow.py").write_text("raise ImportError('a library is not where it was')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    code, said = told(capsys, "--extra", "data")

    assert code == 1
    assert "cannot be imported: ImportError: a library is not where it was" in said["extras"]["data"]["said"]


def test_an_extra_that_works_is_imported(capsys):
    """Asked for and importable, an extra is fine."""
    code, said = told(capsys, "--extra", "data")

    assert code == 0
    assert "all can be imported" in said["extras"]["data"]["said"]


def test_an_unknown_extra_is_answered_with_the_nearest(capsys):
    """A slip of the pen is wrong usage, in one line."""
    assert main(["doctor", "--extra", "trian"]) == 2
    assert capsys.readouterr().err == "deixis: there is no extra 'trian'; did you mean 'train'?\n"


def test_data_that_does_not_open_is_a_fault(capsys, tmp_path):
    """A folder that was asked about and holds no dataset is told in words."""
    code, said = told(capsys, str(tmp_path), str(tmp_path / "nowhere"))
    faults = [finding["said"] for finding in said["findings"] if finding["state"] == "broken"]

    assert code == 1
    assert "neither a deixis dataset" in faults[0]
    assert "no file or folder" in faults[1]


def test_data_that_opens_is_counted(capsys, tmp_path: Path):
    """A dataset is opened, and one that has lost a file is not."""
    pytest.importorskip("pyarrow")
    from deixis.worlds.grid.making.make import make
    from deixis.worlds.grid.making.recipe import Pool, Recipe

    pools = (Pool(name="p1", pattern="p1", commands=3, worlds=2),)
    dataset = make(Recipe(pools=pools, hold_out=()), tmp_path / "six", workers=1)

    code, said = told(capsys, str(dataset.path))
    dataset.files()[0].unlink()
    broken, _ = told(capsys, str(dataset.path))

    assert (code, broken) == (0, 1)
    assert said["findings"][-1]["said"].endswith("6 examples")


def test_the_table_shows_every_extra_and_what_to_run(capsys, without):
    """The text has a line for each extra, and the command for what is missing."""
    without("torch")
    command = find_extra("train", extras()).command

    assert main(["doctor"]) == 0
    text = capsys.readouterr().out

    assert all(name in text for name in ABOUT)
    assert "torch is missing" in text
    assert f"train: {command}" in text


def test_old_packages_do_not_count():
    """A version below the bound is as good as none; letters after the numbers do not disturb."""
    old = Package(name="torch", version="2.9.1+cpu", least="2.11")
    new = Package(name="torch", version="2.11.0+cpu", least="2.11")

    assert old.is_old
    assert not old.is_there
    assert new.is_there
    assert str(old) == "torch 2.9.1+cpu is older than 2.11"


def test_every_extra_for_users_is_described():
    """Whoever adds an extra for users says what it is for."""
    known = {extra.name for extra in extras()}

    assert known == set(ABOUT)
    with pytest.raises(UnknownName):
        find_extra("xyz", extras())


def test_extras_hold_those_they_build_on():
    """`train` asks for torch itself, and through `data` for pyarrow."""
    train = find_extra("train", extras())

    assert {"torch", "safetensors", "pyarrow", "pillow"} <= {package.name for package in train.packages}
    assert {package.name for package in train.own} == {"torch", "safetensors"}
    assert find_extra(BARE, extras()).packages


@pytest.mark.parametrize(
    ("listed", "built", "state", "said"),
    [
        ("", "", "missing", "none with CUDA"),
        ("NVIDIA X, 8 GiB, 1.2\n", "", "missing", "built for the processor only"),
        ("NVIDIA X, 8 GiB, 1.2\n", "13.0", "fine", "built for CUDA 13.0"),
        ("NVIDIA X, 8 GiB, 1.2\n", None, "fine", "NVIDIA X"),
    ],
)
def test_a_gpu_that_torch_cannot_use_is_told(monkeypatch, tmp_path, listed, built, state, said):
    """The driver's list and torch's build are put together."""
    driver = tmp_path / "nvidia-smi"
    driver.write_text(f"#!/bin/sh\nprintf '{listed}'\n", encoding="utf-8")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(doctor_module, "_torch_cuda", lambda: built)

    found = doctor_module._gpu()

    assert (found.state, said in found.said) == (state, True)
