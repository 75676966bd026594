from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis._cli.app import command_line
from deixis._version import __version__


if TYPE_CHECKING:
    from pathlib import Path


VERBS = (("make",), ("make", "reascan"), ("check",), ("convert",), ("show",), ("explain",), ("demo",), ("warm",))


def run(*words: object, code: str = "from deixis._cli import main; import sys; sys.exit(main())", **options):
    """The real command in a process of its own."""
    line = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=300, **options)


def complaint(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one line with which a command fails; anything else on standard error or output is a failure of the test."""
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("deixis: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_explains_itself(verb, capsys):
    """--help of every verb prints its usage and leaves with 0."""
    assert main([*verb, "--help"]) == 0

    out, err = capsys.readouterr()
    assert f"Usage: deixis {' '.join(verb)}" in out
    assert err == ""


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != ("make",)], ids=" ".join)
def test_every_verb_can_print_json(verb, capsys):
    """Every verb that prints results offers them as JSON."""
    main([*verb, "--help"])

    assert "--json" in capsys.readouterr().out


def test_the_help_of_the_command_fits_one_screen(capsys, monkeypatch):
    """Every verb has one line in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    main(["--help"])

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 30
    assert all(line[2:3].isalpha() or line[2:4] == "--" for line in lines if line.startswith("│ "))


@pytest.mark.parametrize("verb", sorted(name for name in command_line() if not name.startswith("-")))
def test_every_verb_begins_with_what_it_does(verb, capsys, monkeypatch):
    """One sentence below the usage, then options in boxes; paragraphs are as wide as the terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    main([verb, "--help"])

    usage, _, summary, *_ = capsys.readouterr().out.splitlines()
    assert usage.startswith(f"Usage: deixis {verb}")
    assert summary[0].isupper()
    assert summary.rstrip().endswith(".")
    assert len(summary) <= 80


def test_the_version_is_that_of_the_package(capsys):
    """--version prints the name and the version."""
    assert main(["--version"]) == 0

    assert capsys.readouterr().out == f"deixis {__version__}\n"


def test_help_loads_nothing_heavy():
    """The help of the whole command comes without the compiler, tables or pictures being loaded."""
    code = """
import sys
from deixis._cli import main
code = main()
print(*sorted({"numba", "pyarrow", "matplotlib", "PIL", "numpy"} & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
    done = run("--help", code=code)

    assert done.returncode == 0
    assert "Usage: deixis" in done.stdout
    assert done.stderr == "\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chekc"], 'Unknown command "chekc"'),
        (["check"], "PATH"),
        (["make", "reascan"], "--out"),
        (["make", "reascan", "--out", "x", "--mode", "wrong"], "compatible"),
        (["make", "reascan", "--out", "x", "--seed", "-1"], "--seed"),
        (["make", "reascan", "--out", "x", "--workers", "0"], "--workers"),
        (["show", "x", "first"], "first"),
    ],
)
def test_wrong_usage_is_told_in_one_line(words, said, capsys):
    """Words that the command line does not understand end in one line and exit code 2."""
    assert said in complaint(capsys, *words)


def test_an_unknown_form_is_told_with_those_there_are(tiny, tmp_path, capsys):
    """Which ones depends on the world of the dataset."""
    assert "known: reascan, release, gscan, parquet, compact" in complaint(
        capsys, "convert", tiny, tmp_path / "out", "--to", "word"
    )


def test_a_usage_error_points_at_the_help_of_its_verb(capsys):
    """What to read next is named with all its verbs."""
    assert "see deixis make reascan --help" in complaint(capsys, "make", "reascan", "--ot", "x")


def test_problems_set_the_exit_code_of_the_process(tiny):
    """The process leaves with what the verb found: 0 for a split that exists, 2 for one that does not."""
    fine = run("show", tiny, "--split", "train", "--json")
    wrong = run("show", tiny, "--split", "nope")

    assert fine.returncode == 0
    assert json.loads(fine.stdout)["split"] == "train"
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("deixis: there is no split 'nope'")


@pytest.mark.parametrize("verb", ["show", "stats"])
def test_a_closed_pipe_is_no_traceback(verb, tiny):
    """A reader that stops listening, as `head` does, is told nothing; the exit code is that of programs it ends."""
    code = """
import os, sys
reader, writer = os.pipe()
os.dup2(writer, 1)
os.close(reader)
from deixis._cli import main
sys.exit(main())
"""

    done = run(verb, tiny, code=code)

    assert done.returncode == 141
    assert done.stderr == ""


def test_debugging_shows_the_traceback(tmp_path, monkeypatch):
    """With DEIXIS_DEBUG set, an error is raised as it is."""
    from deixis.errors import BrokenDataset

    monkeypatch.setenv("DEIXIS_DEBUG", "1")

    with pytest.raises(BrokenDataset, match="there is no file or folder"):
        main(["check", str(tmp_path / "nothing")])


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [("pyarrow", ["check", "x"], "data"), ("jinja2", ["demo", "--out", "{out}"], "report")],
)
def test_a_missing_package_is_named_with_its_extra(package, words, extra, tiny, tmp_path):
    """Without an optional package the command says how to install it."""
    code = f"import sys; sys.modules[{package!r}] = None; from deixis._cli import main; sys.exit(main())"

    done = run(*(word.format(out=tmp_path / "demo") for word in words), code=code)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert package in done.stderr
    assert f"deixis[{extra}]" in done.stderr


@pytest.mark.parametrize("verb", ["check", "show", "convert"])
def test_what_is_not_there_cannot_be_opened(verb, tmp_path, capsys):
    """A path without anything is named."""
    words = [verb, tmp_path / "nothing", *(["--to", "parquet", tmp_path / "out"] if verb == "convert" else [])]

    assert f"there is no file or folder {tmp_path / 'nothing'}" in complaint(capsys, *words)


def test_a_folder_without_examples_is_told_apart(tmp_path, capsys):
    """A folder that is no dataset is refused with what it lacks."""
    assert "neither a deixis dataset" in complaint(capsys, "check", tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1 and no more PAR1", b"\x00\xff" * 50, b"[1, 2]", b'{"examples": 3}']
)
def test_broken_files_are_refused_in_one_line(content, tmp_path, capsys):
    """A file that is neither Parquet nor a released dataset ends in one line."""
    path = tmp_path / "broken"
    path.write_bytes(content)

    assert "broken" in complaint(capsys, "show", path)


def test_a_damaged_dataset_is_refused_in_one_line(tiny, tmp_path, capsys):
    """A dataset with a file cut short cannot be shown."""
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    for path in (copy / "data").iterdir():
        path.write_bytes(path.read_bytes()[:100])

    assert "make or copy it again" in complaint(capsys, "show", copy)


def test_a_file_is_no_folder(tmp_path, tiny_recipe, capsys):
    """A dataset cannot be made where a file stands, nor below one."""
    blocking = tmp_path / "file"
    blocking.touch()

    for out in (blocking, blocking / "below"):
        assert str(blocking) in complaint(capsys, "make", "reascan", "--recipe", tiny_recipe, "--out", out)
    assert blocking.is_file()


def test_a_folder_is_no_world(tmp_path, capsys):
    """A folder in the place of a world is named as one."""
    assert "is a folder" in complaint(capsys, "explain", "walk to the circle", "--scene", tmp_path)


def test_an_unwritable_folder_is_named(tmp_path, tiny_recipe, capsys):
    """Where nothing may be written, the folder is named."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    if _may_write(locked):
        pytest.skip("this user may write everywhere")

    said = complaint(capsys, "make", "reascan", "--recipe", tiny_recipe, "--out", locked / "out")

    assert str(locked) in said


def _may_write(folder: Path) -> bool:
    try:
        (folder / "probe").touch()
    except PermissionError:
        return False
    return True
