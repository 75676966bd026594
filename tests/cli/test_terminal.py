"""What reaches a terminal: whole tables, and no commands that somebody hid in a name."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import redirect_stdout

import pytest

from deixis._cli import main
from deixis._cli.printing import print_json, print_table
from deixis._cli.terminal import guarded_output, print_drawing, visible


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        """It is one."""
        return True


NASTY = "x\x1b]0;PWNED\x07\x9b31m\u202e[/x]"
HEADS = ["split", *(f"a number {place}" for place in range(12))]
ROWS = [["a label that is rather long, as labels are", *(f"{1000.125 * place:,.3f}" for place in range(12))]] * 2


def test_a_piped_table_is_never_cut(capsys, monkeypatch):
    """Where there is no terminal every cell stands whole on its one line."""
    monkeypatch.delenv("COLUMNS", raising=False)

    print_table(HEADS, ROWS, numbers=range(1, 13))

    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if "label" in line]
    assert len(lines) == 2
    assert all(cell in lines[0] for cell in ROWS[0])


@pytest.mark.parametrize("width", ["20", "40", "80", "133"])
def test_a_narrow_terminal_gets_whole_numbers(width, monkeypatch):
    """In a terminal columns go below each other rather than lose a digit, and no line is wider than it need be."""
    monkeypatch.setenv("COLUMNS", width)

    with redirect_stdout(Terminal()) as terminal:
        print_table(HEADS, ROWS, numbers=range(1, 13))

    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    words = shown.split()
    assert all(words.count(cell) == 2 for cell in ROWS[0][1:])
    assert int(width) < 60 or max(map(len, shown.splitlines())) <= int(width)


def test_brackets_in_tables_are_brackets(capsys):
    """Neither heads nor cells are read as markup."""
    print_table(["[red]head", "[/x]"], [["[bold]cell", "[/y]"]])

    out = capsys.readouterr().out
    assert all(text in out for text in ("[red]head", "[/x]", "[bold]cell", "[/y]"))


def test_names_do_not_command_the_terminal(capsys):
    """Printed, in a table or in a complaint, a control character is shown as what it is."""
    with guarded_output():
        for stream in (sys.stdout, sys.stderr):
            stream.write(f"{NASTY}\n")
        print_table([NASTY], [[NASTY]])

    for text in capsys.readouterr():
        assert not set("\x1b\x07\x9b\u202e") & set(text)
        assert r"\x1b]0;PWNED\x07\x9b31m\u202e[/x]" in text


def test_json_stays_json(capsys):
    """What is printed as JSON holds no control character either, and reads back as it was."""
    with guarded_output():
        print_json({NASTY: NASTY})

    out = capsys.readouterr().out
    assert visible(out) == out
    assert json.loads(out) == {NASTY: NASTY}


def test_drawings_keep_their_colors(capsys):
    """What we draw ourselves passes the guard."""
    with guarded_output():
        print_drawing("\x1b[31mred\x1b[0m")

    assert capsys.readouterr().out == "\x1b[31mred\x1b[0m\n"


def test_a_complaint_names_a_folder_safely(capsys, tmp_path):
    """A folder with a hostile name is complained about in visible characters."""
    (tmp_path / NASTY.replace("/", "")).mkdir()

    assert main(["stats", str(tmp_path / NASTY.replace("/", ""))]) == 2

    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert r"\x1b]0;PWNED\x07" in err


@pytest.mark.parametrize("verb", [("stats",), ("check",), ("audit",), ("card",), ("show",), ("studio", "--no-browser")])
def test_a_folder_may_begin_with_a_bracket(verb, capsys, tmp_path, monkeypatch):
    """A name that begins with a bracket is a name, not a list."""
    (tmp_path / "[red]x").mkdir()
    (tmp_path / "[red]x" / "manifest.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert verb[0] == "studio" or main([*verb, "[red]x"]) == 2

    assert verb[0] == "studio" or "[red]x" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("card", "s3://bucket/data"),
        ("evaluate", "s3://bucket/captions.jsonl"),
        ("answers", "s3://bucket/answers.jsonl", "--prompts", "p.jsonl"),
        ("report", "s3://bucket/run"),
        ("train", "m-lstm", "--data", "d", "--out", "s3://bucket/run"),
        ("stats", "d", "--out", "s3://bucket/out"),
        ("induce", "--out", "s3://bucket/out"),
    ],
    ids=lambda words: words[0],
)
def test_an_address_is_refused_as_one(words, capsys):
    """Where only a path will do, an address is not taken for a folder called s3:."""
    assert main(list(words)) == 2

    err = capsys.readouterr().err
    assert "s3://" in err
    assert "address" in err or "this machine only" in err
    assert "no file or folder" not in err
    assert "PosixPath" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", [("make", "reascan"), ("make", "gscan"), ("make", "a3ds"), ("make", "copsref")])
def test_what_would_be_gone_is_not_made(verb, capsys):
    """A dataset for memory:// is refused before it is made, since it would be gone with the command."""
    assert main([*verb, "--out", "memory://x/y"]) == 2

    assert "lasts no longer than this command" in capsys.readouterr().err
