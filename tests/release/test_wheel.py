"""The archives that a release consists of, and an empty environment that one of them is installed into."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[2]
TINY = """
hold_out = []
dev = 0.2
test = 0.2

[[pools]]
name = "p1"
pattern = "p1"
commands = 5
worlds = 2
"""
TO_START = 'print(dx.resolve(dx.parse("the red circle"), dx.grid("r○1 b□1\\n. .")).indices)'  # needs numpy only

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (find_spec("build") and find_spec("hatchling")), reason="needs `build` and `hatchling`"),
]


class Place:
    """An environment, and commands that are run in it from an empty folder."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", with_pip=True)
        self.bin = folder / "venv" / "bin"
        self.folder = folder / "work"
        self.folder.mkdir()

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """A command, whatever comes of it; nothing of the environment that the tests run in is passed on."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE", "NUMBA_CACHE_DIR")
        env = {name: value for name, value in os.environ.items() if name not in hidden}
        program, *rest = map(str, words)
        here = program if Path(program).is_absolute() else str(self.bin / program)
        return subprocess.run([here, *rest], capture_output=True, text=True, env=env, cwd=self.folder, check=False)

    def said(self, *words: str | Path) -> str:
        """What a command that must not fail prints."""
        done = self.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def complaint(self, *words: str | Path) -> str:
        """The one line of a command that must fail politely."""
        done = self.run(*words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr


def built(folder: Path, *options: str, source: Path = ROOT) -> Path:
    """The archive that a build leaves in a folder."""
    command = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", folder, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("deixis-*")
    return path


def test_a_wheel_works_in_an_empty_environment(tmp_path):
    """Installed bare it starts, says what it lacks, and works after the command that its doctor prescribes."""
    place = Place(tmp_path)
    wheel = built(tmp_path / "dist", "--wheel")
    place.said("python", "-m", "pip", "install", "--quiet", wheel)

    demand_that_bare_is_enough_to_start(place)
    demand_that_lacks_are_told_in_one_line(place)
    prescribed = demand_a_prescription(place, "data")
    place.said(*prescribed, "--quiet")
    demand_that_data_can_be_made(place)


def demand_that_bare_is_enough_to_start(place: Place) -> None:
    """Help, scenes, language and completion need no extra; nothing heavy is loaded by importing the package."""
    heavy = "{'numba', 'pyarrow', 'torch', 'rich', 'cyclopts', 'PIL'}"
    assert "make" in place.said("deixis", "--help")
    assert "0" in place.said("python", "-c", f"import deixis as dx\n{TO_START}")
    assert place.said("python", "-c", f"import deixis, sys\nprint({heavy} & set(sys.modules))").strip() == "set()"
    assert "_deixis" in place.said("deixis", "completion", "bash")


def demand_that_lacks_are_told_in_one_line(place: Place) -> None:
    """A verb whose packages are missing names the extra that brings them."""
    (place.folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    (place.folder / "folder").mkdir()
    assert "deixis[data]" in place.complaint("deixis", "show", "folder")
    assert "deixis[data]" in place.complaint("deixis", "check", "folder")
    assert "deixis[data]" in place.complaint("deixis", "make", "reascan", "--recipe", "tiny.toml", "--out", "made")
    assert "deixis[" in place.complaint("deixis", "train", "m-lstm", "--data", "folder", "--out", "run")
    assert "deixis[" in place.complaint("deixis", "studio", "folder")


def demand_a_prescription(place: Place, extra: str) -> list[str]:
    """The doctor finds no fault in a bare installation, and tells the command that brings an extra."""
    told = json.loads(place.said("deixis", "doctor", "--json"))
    states = {name: found["state"] for name, found in told["extras"].items()}
    assert states.pop("bare") == "fine"
    assert set(states.values()) == {"missing"}
    assert place.run("deixis", "doctor", "--extra", extra).returncode == 1
    return shlex.split(told["extras"][extra]["install"])


def demand_that_data_can_be_made(place: Place) -> None:
    """With the extra `data` a dataset is made, checked and shown; training still asks for its own extra."""
    place.said("deixis", "make", "reascan", "--recipe", "tiny.toml", "--out", "made")
    assert "nothing found" in place.said("deixis", "check", "made")
    assert "plan:" in place.said("deixis", "show", "made")
    assert "10 examples" in place.said("deixis", "doctor", "--extra", "data", "made")
    assert "deixis[train]" in place.complaint("deixis", "train", "m-lstm", "--data", "made", "--out", "run")


def test_the_source_archive_makes_the_same_wheel(tmp_path):
    """Whoever has the source archive alone can build what we build, and run the tests and the documentation."""
    direct = built(tmp_path / "direct", "--wheel")
    archive = built(tmp_path / "archive", "--sdist")
    with tarfile.open(archive) as files:
        files.extractall(tmp_path / "source", filter="data")
    (tree,) = (tmp_path / "source").iterdir()
    again = built(tmp_path / "again", "--wheel", source=tree)

    assert contents(again) == contents(direct)
    for needed in ("tests/conftest.py", "Makefile", "mkdocs.yml", "README.md", "LICENSE", "constraints.txt"):
        assert (tree / needed).is_file(), needed
    assert not [path for path in tree.rglob("*") if path.suffix in (".nbi", ".nbc", ".pyc")]


def contents(wheel: Path) -> dict[str, int]:
    """The files of a wheel with their checksums; the list that it keeps of them follows from these."""
    with zipfile.ZipFile(wheel) as archive:
        return {file.filename: file.CRC for file in archive.infolist() if not file.filename.endswith("RECORD")}


def test_the_wheel_holds_what_is_no_python(tmp_path):
    """Lexicon, recipes, style sheets, templates, type marker and checkpoints travel with the code."""
    names = set(contents(built(tmp_path, "--wheel")))
    suffixes = (".toml", ".css", ".js", ".html", ".svg", ".safetensors", ".typed")
    inside = {path for path in (ROOT / "src" / "deixis").rglob("*") if path.suffix in suffixes}

    assert {path.relative_to(ROOT / "src").as_posix() for path in inside} <= names
    assert any(name.startswith("deixis/recipes/") for name in names)
