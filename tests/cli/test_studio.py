from __future__ import annotations

import json
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest

from deixis._cli import main


pytest.importorskip("starlette", reason="needs deixis[studio]")


def test_the_studio_opens_where_it_says_and_leaves_quietly(tiny):
    """The address printed as JSON shows the dataset; Ctrl-C ends the program without a word and without an error."""
    command = [sys.executable, "-m", "deixis", "studio", str(tiny), "--no-browser", "--json"]
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
    monkeypatch.setattr("deixis._cli.studio.find_spec", lambda _: None)

    assert main(["studio", str(tmp_path)]) == 2

    said = capsys.readouterr().err
    assert "pip install 'deixis[studio]'" in said
    assert "(in a checkout '.[studio]')" in said


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True)])  # noqa: S104 (nothing listens)
def test_a_studio_that_others_can_reach_warns(monkeypatch, tmp_path, capsys, host, warned):
    """It has no passwords, and says so when it listens for other machines."""
    monkeypatch.setattr("deixis._studio.server.serve", lambda *_, **__: None)

    assert main(["studio", str(tmp_path), "--host", host]) == 0

    assert ("has no passwords" in capsys.readouterr().err) == warned


def test_another_port_than_the_usual_one_is_told(monkeypatch, tmp_path, capsys):
    """Links to the usual port lead to another studio then."""
    monkeypatch.setattr("deixis._studio.server.serve", lambda *_, told, **__: told("http://127.0.0.1:8378/"))

    assert main(["studio", str(tmp_path)]) == 0
    assert "Port 8377 is taken" in capsys.readouterr().out
    assert main(["studio", str(tmp_path), "--port", "8378"]) == 0
    assert "taken" not in capsys.readouterr().out


@pytest.mark.parametrize("is_there", [True, False])
def test_without_a_path_a_demo_is_shown_and_made_meanwhile_where_it_is_missing(monkeypatch, tmp_path, capsys, is_there):
    """The demo lies in the folder for what can be made again; the studio opens before it is there."""
    served = []
    monkeypatch.setattr("deixis._studio.demo.is_made", lambda _: is_there)
    monkeypatch.setattr("deixis._studio.server.serve", lambda roots, **options: served.append((roots, options)))
    monkeypatch.setattr("deixis._studio.demo.demo_folder", lambda _: tmp_path / "demo")

    assert main(["studio", "--answers", str(tmp_path / "answers"), "--port", "8123"]) == 0

    ((roots, options),) = served
    said = capsys.readouterr().out
    assert str(tmp_path) in said
    assert ("the page shows how far it is" in said) is ("preparing" in options) is not is_there
    assert (roots, options["port"], options["answers"].is_dir()) == ([tmp_path / "demo"], 8123, True)
