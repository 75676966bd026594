"""`deixis make copsref --mode every-word` that is killed in the middle: the same command finishes it, byte for byte."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.worlds.photos.making import _every_word_stages as stages
from deixis.worlds.photos.making._every_word import IMAGES
from tests.cli.test_interruptions_copsref import PATIENCE_SECONDS, files, finished, part, wait_until
from tests.frozen.graphs import scene_graphs


if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.slow
WORDS = ("--mode", "every-word", "--seed", "3", "--workers", "1")
GRAPHS = 90  # of which more than one part are for training
IMAGINED = {
    "some is said": lambda out: part("every-word-train-00000") in finished(out),
    "a split is said": lambda out: part("every-word-val-00000") in finished(out),
    "some twins are drawn": lambda out: part("twins-00000") in finished(out),
    "some families are shown": lambda out: part("families-train-00000") in finished(out),
    "the data are written": lambda out: (out / "data").is_dir(),
}
GIVEN = {
    "some is said": lambda out: part("every-word-train-00000") in finished(out),
    "all is said": lambda out: part("every-word-test-00000") in finished(out),
    "the scenes are written": lambda out: (out / "scenes").is_dir(),
}


@pytest.fixture(scope="module")
def imagined(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The dataset of imagined scenes made in one go, and the command without its folder."""
    out = tmp_path_factory.mktemp("imagined") / "out"
    words = ["make", "copsref", "--images", "24", "--candidates", "4", "--val", "0.2", "--test", "0.2", *WORDS]
    assert main([*words, "--out", str(out)]) == 0
    return out, words


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The dataset of scene graphs made in one go, and the command without its folder."""
    folder = tmp_path_factory.mktemp("given")
    graphs = folder / "graphs.json"
    graphs.write_text(json.dumps(scene_graphs(GRAPHS)))
    words = ["make", "copsref", "--scenes", str(graphs), "--candidates", "6", "--val", "0.08", "--test", "0.08", *WORDS]
    assert main([*words, "--out", str(folder / "out")]) == 0
    return folder / "out", words


def kill_when(holds, words: list[str], out: Path) -> None:
    """Run the command in a process of its own, and kill it as soon as something holds."""
    line = [sys.executable, "-m", "deixis", *words, "--out", str(out)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: holds(out), process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("moment", IMAGINED)
def test_imagined_scenes_survive_a_kill(moment, imagined, tmp_path, capsys):
    """After kill -9 the same command finishes the dataset, with every file as if nothing had happened."""
    undisturbed, words = imagined
    out = tmp_path / "out"

    kill_when(IMAGINED[moment], words, out)

    assert main([*words, "--out", str(out)]) == 0
    assert files(out) == files(undisturbed)


@pytest.mark.parametrize("moment", GIVEN)
def test_scene_graphs_survive_a_kill(moment, given, tmp_path, capsys):
    """The same holds of scene graphs that are given."""
    undisturbed, words = given
    out = tmp_path / "out"

    kill_when(GIVEN[moment], words, out)

    assert main([*words, "--out", str(out)]) == 0
    assert files(out) == files(undisturbed)


def test_what_was_said_before_the_kill_is_not_said_again(given, tmp_path, capsys, monkeypatch):
    """Parts that were finished are kept: fewer images are spoken of than there are, and the result is the same."""
    undisturbed, words = given
    out = tmp_path / "out"
    kill_when(GIVEN["some is said"], words, out)
    spoken: list[int] = []
    work = stages.speak_chunk
    monkeypatch.setattr(
        stages, "speak_chunk", lambda folder, chunk: (spoken.extend(chunk.scenes), work(folder, chunk))[1]
    )

    assert main([*words, "--out", str(out), "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["was resumed"]
    assert 0 < len(spoken) <= GRAPHS - IMAGES
    assert files(out) == files(undisturbed)
