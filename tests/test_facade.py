"""The names under `deixis`."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import deixis as dx
from deixis import facade
from deixis.errors import ParseError, UnknownName


PAGE = Path(__file__).parents[1] / "docs" / "reference" / "facade.md"


@pytest.mark.parametrize("name", facade.__all__)
def test_the_example_of_every_function_holds(name, folders):
    """What the reference shows is what comes of it."""
    function = getattr(dx, name)
    (test,) = doctest.DocTestFinder(recurse=False).find(
        function, name, globs={"dx": dx, "sample": folders["grid"], "rooms": folders["rooms"]}
    )
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_every_name_is_on_the_page_of_the_reference():
    """The table lists all names but those of functions that the page documents, with the module they come from."""
    page = PAGE.read_text(encoding="utf-8")
    for name in set(dx.__all__) - {"__version__", "worlds", *facade.__all__}:
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `dx.{name}` |")]
        home, _, inside = line.split("`")[3].partition(":")
        assert getattr(import_module(home), inside or name) is getattr(dx, name)
    assert page.count("| `dx.") == len(set(dx.__all__) - {"__version__", "worlds", *facade.__all__})


def test_nothing_is_loaded_before_it_is_used():
    """Importing deixis loads neither a world nor numpy; asking for a name loads what it needs."""
    code = "import sys, deixis; print(sorted(name for name in sys.modules if name.startswith(('deixis', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['deixis', 'deixis._version']"


def test_what_is_not_there_is_an_attribute_error():
    """An unknown name is refused as Python does it, and modules of the package are found."""
    with pytest.raises(AttributeError, match="no attribute 'elephant'"):
        _ = dx.elephant
    assert dx.language.__name__ == "deixis.language"
    assert "grid" in dir(dx)


@pytest.mark.parametrize("name", ["grid", "rooms", "photos"])
def test_a_report_of_checks_is_short_in_a_notebook(name, folders):
    """What checks across datasets remember of every example is not shown."""
    assert "array(" not in repr(dx.check(folders[name], sample=300))


@pytest.mark.parametrize("name", ["grid", "rooms", "photos"])
def test_the_examples_of_every_world_are_loaded(name, folders):
    """A path is enough."""
    examples = dx.load(str(folders[name]))

    assert len(examples) == len(list(examples.numbers()))
    assert examples[0].text == next(iter(examples)).text
    assert dx.worlds.of(folders[name]).name == name


def test_strange_worlds_and_datasets_are_named(tmp_path):
    """An unknown world, dataset or word is an error that says what is known."""
    with pytest.raises(UnknownName, match="there is no world 'mars'"):
        dx.parse("the rock", world="mars")
    with pytest.raises(UnknownName, match="no world makes a dataset 'marbles'; known: reascan"):
        dx.make("marbles", tmp_path)
    with pytest.raises(ParseError):
        dx.parse("push the red circle")  # a command is no expression
