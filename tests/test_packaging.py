"""What is promised about the package as a thing to install."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions, entry_points, metadata, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest

from deixis._version import __version__
from deixis.worlds.registry import BUILT_IN


ROOT = Path(__file__).parents[1]
PYPROJECT = ROOT / "pyproject.toml"
RULE = re.compile(r'^\s*"[A-Z]+[0-9]*"')

installed = pytest.mark.skipif(
    not any(distribution.name == "deixis" for distribution in distributions()), reason="run from the bare source tree"
)


@installed
def test_the_installed_version_is_the_one_in_the_source():
    """The version is said once, and the installed metadata repeat it."""
    assert version("deixis") == __version__


def test_the_citation_names_the_current_version():
    """Who cites the package cites the version at hand."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    assert f"\nversion: {__version__}\n" in citation


@installed
def test_the_metadata_say_what_the_package_needs_and_under_which_licence():
    """Installing asks for Python 3.11 or newer, and the licence is MIT."""
    said = metadata("deixis")

    assert said["Requires-Python"] == ">=3.11"
    assert said["License-Expression"] == "MIT"


@installed
def test_the_command_leads_to_a_function():
    """`deixis` on the command line is a function of the package."""
    (command,) = entry_points(group="console_scripts", name="deixis")

    assert callable(command.load())


def test_requirements_have_lower_bounds_only():
    """The package never forbids a newer release of what it builds on."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]

    assert [r for r in asked if re.search(r"<|==|~=|!=", r)] == []


def test_the_data_files_lie_inside_the_package():
    """Type information and the lexicons of the worlds are found wherever the package is."""
    package = files("deixis")

    assert package.joinpath("py.typed").is_file()
    assert all(package.joinpath("worlds", name, "english.toml").is_file() for name in BUILT_IN)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("build") is None, reason="needs the package `build`")
def test_the_wheel_holds_every_source_file_and_nothing_compiled(tmp_path):
    """The sources and the recipes are in the wheel, the kernels' caches are not."""
    wanted = _files_under(ROOT / "src" / "deixis", "deixis") | _files_under(ROOT / "recipes", "deixis/recipes")

    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT], check=True)

    (path,) = tmp_path.glob("deixis-*.whl")
    with zipfile.ZipFile(path) as wheel:
        held = {name for name in wheel.namelist() if name.startswith("deixis/")}
    assert held == wanted


def test_every_lint_exception_has_its_reason():
    """No rule is switched off without saying why on the same line."""
    lines = PYPROJECT.read_text(encoding="utf-8").splitlines()

    exceptions = [line for line in lines if RULE.match(line) and "select" not in line]

    assert exceptions
    assert [line for line in exceptions if not re.search(r"#\s+\S+", line)] == []


def test_importing_the_core_pulls_in_nothing_heavy():
    """Scenes, expressions and resolution start without compiler, storage or pictures."""
    heavy = ("numba", "pyarrow", "PIL", "matplotlib", "torch", "rich", "cyclopts")
    program = (
        "import sys, deixis, deixis.scene, deixis.expression, deixis.resolution, deixis.distractors\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )

    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    assert said.strip() == "[]"


def _files_under(folder: Path, name: str) -> set[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"{name}/{path.relative_to(folder).as_posix()}" for path in found}
