"""Audits and checks of files that are read in one pass go on where they were stopped, with the same report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.audits import run
from deixis.data import _resumable_work as resumable_work
from deixis.data._pieces import KeptPieces
from deixis.readers import _audit as read_audit
from deixis.worlds.toolkit import checks
from tests.audits.test_grounded import HEADER, LINE
from tests.readers.pairs import crepe_file


if TYPE_CHECKING:
    from pathlib import Path


EXAMPLES, TOGETHER = 30, 4


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and small pieces that are kept at once."""
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(resumable_work, "KEEP_SECONDS", 0.0)
    for module, name in ((run, "READ_TOGETHER"), (read_audit, "STEP"), (checks, "EVERY")):
        monkeypatch.setattr(module, name, TOGETHER)
    return tmp_path / "cache"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Grounded expressions, and caption pairs in the layout of others."""
    cups = [{"name": "cup"}, {"name": "box"}]
    lines = [HEADER, *({**LINE, "scenes": [{"objects": cups}], "text": f"cup {n}"} for n in range(EXAMPLES))]
    grounded = tmp_path / "grounded.jsonl"
    grounded.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return {"grounded": grounded, "pairs": crepe_file(tmp_path / "swap_obj.json", count=EXAMPLES)}


def report(words: list[str], capsys: pytest.CaptureFixture[str], stop: int = 0) -> tuple[int, str, int]:
    """The exit code of a command, what it says, and how many pieces it kept before it was stopped."""
    kept: list[str] = []
    keep = KeptPieces.keep

    def keep_and_stop(pieces: KeptPieces, key: str, results: object) -> None:
        keep(pieces, key, results)
        kept.append(key)
        if len(kept) == stop:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeptPieces, "keep", keep_and_stop)
        code = main(words)
    return code, capsys.readouterr().out, len(kept)


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "grounded"),
        ("audit", "grounded", "--sample", "17"),
        ("audit", "grounded", "--figures"),
        ("audit", "pairs"),
        ("audit", "pairs", "--sample", "17"),
        ("check", "pairs"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("stop", [1, 3])
def test_files_go_on(words, stop, files, capsys, cache):
    """What was judged before the interruption is not judged again, and nothing is left."""
    line = [words[0], str(files[words[1]]), "--json", *words[2:]]
    code, expected, pieces = report(line, capsys)
    assert pieces > stop

    assert report(line, capsys, stop) == (130, "", stop)
    assert report(line, capsys) == (code, expected, pieces - stop)
    assert not [*cache.rglob("*.*")]


def test_a_file_that_was_written_anew_is_judged_anew(files, capsys):
    """What was found in the file before is of no use."""
    line = ["audit", str(files["pairs"]), "--json"]
    pieces = report(line, capsys)[2]
    report(line, capsys, 2)
    crepe_file(files["pairs"], count=EXAMPLES, caption="A red cup.")

    found = report(line, capsys)

    assert found[2] == pieces
    assert found == report(line, capsys)
