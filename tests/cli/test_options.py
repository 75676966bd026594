"""No option is accepted that nothing obeys: it is honoured, or refused in one line that says who has it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from tests.datasets.few_pairs import only_few_pairs


if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module", autouse=True)
def few_pairs():
    with only_few_pairs():
        yield


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of A3DS without captions."""
    out = tmp_path_factory.mktemp("options") / "rooms"
    assert main(["make", "a3ds", "--captions", "none", "--test-sets", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that says of itself that it is a dataset of Cops-Ref."""
    out = tmp_path_factory.mktemp("options") / "photographs"
    out.mkdir()
    about = {"format": 1, "kind": "copsref", "splits": {"test": 0}, "files": []}
    (out / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
    return out


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one line with which a command refuses an option."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert any(word in err for word in ("only", "is an option of", "no check is called", "leave it out"))
    return err


@pytest.mark.parametrize("option", [("--hold-out", "a1")], ids=lambda option: option[0])
@pytest.mark.parametrize("kind", ["rooms", "photographs"])
def test_checks_of_grids_are_refused_elsewhere(kind, option, rooms, photographs, capsys):
    """What only grid worlds can be checked for is not quietly passed over."""
    folder = rooms if kind == "rooms" else photographs

    said = refusal(capsys, "check", folder, *option)

    assert option[0] in said
    assert "grid" in said


@pytest.mark.parametrize("kind", ["rooms", "photographs"])
def test_codes_that_no_check_has_are_refused(kind, rooms, photographs, capsys):
    """--select Z9 fits no check of any kind of dataset."""
    folder = rooms if kind == "rooms" else photographs

    assert "'Z9'" in refusal(capsys, "check", folder, "--select", "Z9")


def test_a_selection_holds_for_rooms(rooms, tmp_path, capsys):
    """Findings of other codes than the selected ones are neither listed nor counted."""
    folder = tmp_path / "changed"
    folder.mkdir()
    for path in sorted(rooms.rglob("*")):
        if path.is_file():
            target = folder / path.relative_to(rooms)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    listed = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"][0]
    with (folder / listed["path"]).open("ab") as stream:
        stream.write(b"\n")

    assert main(["check", str(folder)]) == 1
    assert "E002" in capsys.readouterr().out
    assert main(["check", str(folder), "--select", "E7"]) == 0
    assert "E002" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("stats", "ROOMS", "--paper"), "--paper"),
        (("stats", "ROOMS", "--format", "svg"), "--format"),
        (("show", "ROOMS", "--animate"), "--animate"),
        (("show", "ROOMS", "--style", "release"), "--style"),
        (("show", "PHOTOGRAPHS", "--animate"), "--animate"),
        (("prompts", "ROOMS", "--setting", "Cat"), "--setting"),
        (("prompts", "ROOMS", "--absent", "0.5"), "--absent"),
        (("evaluate", "answers.jsonl", "--data", "PHOTOGRAPHS", "--limit", "9"), "--limit"),
        (("evaluate", "answers.jsonl", "--data", "PHOTOGRAPHS", "--device", "cpu"), "--device"),
        (("evaluate", "answers.jsonl", "--data", "PHOTOGRAPHS", "--cache", "c"), "--cache"),
        (("evaluate", "oracle", "--data", "TINY", "--cache", "c"), "--cache"),
        (("evaluate", "oracle", "--data", "TINY", "--device", "cpu"), "--device"),
        (("evaluate", "oracle", "--data", "TINY", "--limit", "9"), "--limit"),
        (("train", "mattnet", "--data", "PHOTOGRAPHS", "--out", "o", "--temperature", "2"), "--temperature"),
        (("train", "mattnet", "--data", "PHOTOGRAPHS", "--out", "o", "--anywhere", "0"), "--anywhere"),
        (("evaluate", "speaker-b", "--alpha", "2"), "--alpha"),
        (("evaluate", "speaker-b", "--cost", "0"), "--cost"),
        (("evaluate", "speaker-b", "--k", "3"), "--k"),
        (("evaluate", "speaker-b", "--width", "3"), "--width"),
        (("evaluate", "speaker-b", "--temperature", "2"), "--temperature"),
        (("evaluate", "speaker-b", "--thinking", "reason", "--candidates", "2"), "--candidates"),
        (("evaluate", "speaker-b", "--thinking", "reason", "--decoding", "beam"), "--decoding"),
        (("evaluate", "speaker-b", "--thinking", "rerank", "--decoding", "beam"), "--decoding"),
        (("make", "a3ds", "--out", "o", "--image-size", "32"), "--image-size"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_option_that_would_do_nothing_is_refused(words, option, rooms, photographs, tiny, capsys):
    """The line names the option, and nothing is printed or made."""
    places = {"ROOMS": rooms, "PHOTOGRAPHS": photographs, "TINY": tiny}

    assert option in refusal(capsys, *(places.get(word, word) for word in words))


def test_rooms_are_called_as_told(rooms, capsys):
    """--names names datasets of A3DS, too."""
    assert main(["stats", str(rooms), "--names", "[/x]"]) == 0

    assert capsys.readouterr().out.startswith("[/x]: ")
