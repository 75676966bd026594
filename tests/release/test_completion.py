"""`deixis completion`, tried in a real shell."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from deixis._cli import main
from deixis._cli.app import command_line


BASH = shutil.which("bash")


@pytest.fixture
def script(capsys) -> str:
    """What `deixis completion bash` prints."""
    assert main(["completion", "bash"]) == 0
    return capsys.readouterr().out


def completed(script: str, line: str, folder: Path) -> set[str]:
    """What bash offers for the last word of a line; a line that ends in a space has an empty last word."""
    assert BASH is not None
    words = [*line.split(), *([""] if line.endswith(" ") else [])]
    program = (
        f"{script}\nCOMP_WORDS=({shlex.join(words)})\nCOMP_CWORD={len(words) - 1}\nCOMP_LINE={shlex.quote(line)}\n"
        "COMP_POINT=${#COMP_LINE}\ndeclare -f compopt >/dev/null || compopt() { :; }\n"
        '"$(complete -p deixis | sed "s/.*-F \\([^ ]*\\).*/\\1/")"\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        [BASH, "--noprofile", "--norc", "-c", program], capture_output=True, text=True, check=True, cwd=folder
    )
    return {word.strip() for word in done.stdout.splitlines() if word.strip()}


bash = pytest.mark.skipif(BASH is None, reason="there is no bash")


@bash
def test_bash_offers_every_verb(script, tmp_path):
    """An empty word after the command can become any verb; a begun one those that begin so."""
    verbs = {name for name in command_line() if not name.startswith("-")}

    assert verbs <= completed(script, "deixis ", tmp_path)
    assert completed(script, "deixis ch", tmp_path) == {"check"}


@bash
def test_bash_offers_verbs_below_a_verb(script, tmp_path):
    """`deixis make` goes on with what can be made."""
    assert {"reascan", "gscan", "a3ds", "copsref"} <= completed(script, "deixis make ", tmp_path)


@bash
def test_bash_offers_options_and_their_values(script, tmp_path):
    """A dash becomes the options of the verb, and an option with few values offers them."""
    assert {"--json", "--seed", "--workers", "--sample"} <= completed(script, "deixis check --", tmp_path)
    assert completed(script, "deixis make reascan --mode every", tmp_path) == {"every-word"}


@bash
def test_bash_offers_files_where_a_path_is_meant(script, tmp_path):
    """The dataset to be shown is a file or folder that is there."""
    (tmp_path / "worlds").mkdir()

    assert completed(script, "deixis show wor", tmp_path) == {"worlds"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(capsys, shell):
    """The scripts differ, and each knows the verbs."""
    assert main(["completion", shell, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)

    assert said["shell"] == shell
    assert "doctor" in said["script"]


def test_installing_writes_where_the_shell_looks(capsys, monkeypatch, tmp_path):
    """With --install the script lies below the home folder, and nothing outside it is touched."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert main(["completion", "bash", "--install", "--json"]) == 0
    path = Path(json.loads(capsys.readouterr().out)["path"])

    assert path.is_relative_to(tmp_path)
    assert "_deixis" in path.read_text(encoding="utf-8")


def test_an_unknown_shell_is_wrong_usage(capsys):
    """Another shell is answered in one line."""
    assert main(["completion", "tcsh"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
