from __future__ import annotations

import json
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest

from deixis.cli import main


pytest.importorskip("starlette", reason="needs deixis[studio]")


def test_the_studio_opens_where_it_says_and_leaves_quietly(tiny):
    """The address printed as JSON shows the dataset; Ctrl-C ends the program without a word and without an error."""
    command = [sys.executable, "-m", "deixis.cli", "studio", str(tiny), "--no-browser", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as program:
        said = ""
        while not said.endswith("}\n"):
            line = program.stdout.readline().decode()
            assert line, program.stderr.read().decode()
            said += line
        with urlopen(json.loads(said)["address"]) as answer:  # noqa: S310 (it is our own)
            page = answer.read().decode()
        program.send_signal(signal.SIGINT)
        rest = program.communicate(timeout=20)

    assert tiny.name in page
    assert (program.returncode, rest) == (0, (b"", b""))


def test_what_is_not_there_is_told_in_one_line(tmp_path, capsys):
    """A path that does not exist is no empty studio."""
    assert main(["studio", str(tmp_path / "none"), "--no-browser"]) == 2

    assert capsys.readouterr().err == f"deixis: there is no file or folder {tmp_path / 'none'}\n"


@pytest.mark.parametrize("port", ["-1", "65536", "many"])
def test_impossible_ports_are_told_in_one_line(tmp_path, capsys, port):
    """Ports are numbers below 65,536."""
    assert main(["studio", str(tmp_path), "--no-browser", f"--port={port}"]) == 2

    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_missing_package_is_told_with_what_installs_it(monkeypatch, tmp_path, capsys):
    """Without the extra, the message says how to get it."""
    monkeypatch.setattr("deixis.cli.studio.find_spec", lambda _: None)

    assert main(["studio", str(tmp_path)]) == 2

    assert "pip install 'deixis[studio]'" in capsys.readouterr().err


def test_without_a_path_a_demo_is_made_and_its_place_is_told(monkeypatch, tmp_path, capsys):
    """The demo lies in the folder for what can be made again, and the studio shows it."""
    served = []
    monkeypatch.setattr("deixis.studio.demo.make_demo", lambda folder, **_: folder)
    monkeypatch.setattr("deixis.studio.server.serve", lambda roots, **options: served.append((roots, options)))
    monkeypatch.setattr("deixis.studio.demo.demo_folder", lambda _: tmp_path)

    assert main(["studio", "--answers", str(tmp_path / "answers"), "--port", "8123"]) == 0

    ((roots, options),) = served
    assert str(tmp_path) in capsys.readouterr().out
    assert (roots, options["port"], options["answers"].is_dir()) == ([tmp_path], 8123, True)
