"""Making Cops-Ref that is stopped or done again: what is finished is not done anew, and nothing else is touched."""

from __future__ import annotations

import json
import signal

import pytest

from deixis._cli import main
from deixis.worlds.photos.making import _every_word_stages as stages
from deixis.worlds.photos.making import _imagining as imagining
from deixis.worlds.photos.making._every_word import IMAGES as PART
from deixis.worlds.photos.making._imagined import imagine_scene
from tests.cli.interrupted import GRAPHS, IMAGES, MAKINGS, files


@pytest.mark.slow
def test_a_killed_process_loses_nothing_that_was_finished(undisturbed, tmp_path, capsys, monkeypatch):
    """Scenes that were drawn before the kill are not drawn again, the result is the same, and nothing else is left."""
    making, whole = undisturbed("copsref")
    out = tmp_path / "out"
    drawn = []
    killed = making.stop_with(signal.SIGKILL, out, "some are drawn")
    monkeypatch.setattr(
        imagining, "imagine_scene", lambda number, **how: (drawn.append(number), imagine_scene(number, **how))[1]
    )

    assert main(making.command(out, "--json")) == 0

    assert killed.returncode == -signal.SIGKILL
    assert json.loads(capsys.readouterr().out)["was resumed"]
    assert len(drawn) < IMAGES
    assert files(out) == files(whole)
    assert {path.name for path in out.iterdir()} == {
        *("README.md", "croissant.json", "data", "images", "imagined", "manifest.json", "scenes")
    }


@pytest.mark.slow
def test_what_was_said_before_the_kill_is_not_said_again(undisturbed, tmp_path, capsys, monkeypatch):
    """Parts that were finished are kept: fewer images are spoken of than there are, and the result is the same."""
    making, whole = undisturbed("every word, given")
    out = tmp_path / "out"
    making.stop_with(signal.SIGKILL, out, "some is said")
    spoken: list[int] = []
    work = stages.speak_chunk
    monkeypatch.setattr(
        stages, "speak_chunk", lambda folder, chunk: (spoken.extend(chunk.scenes), work(folder, chunk))[1]
    )

    assert main(making.command(out, "--json")) == 0

    assert json.loads(capsys.readouterr().out)["was resumed"]
    assert 0 < len(spoken) <= GRAPHS - PART
    assert files(out) == files(whole)


@pytest.mark.parametrize("more", [("--seed", "4"), ("--images", "20"), ("--each", "2"), ("--no-negatives",)])
def test_another_recipe_is_refused_at_once(more, undisturbed, tmp_path, capsys, monkeypatch):
    """Neither a finished dataset nor the beginning of one is mixed with another recipe; nothing is drawn before."""
    making, whole = undisturbed("copsref")
    begun = tmp_path / "begun"
    making.stop_with(signal.SIGKILL, begun, "nothing is drawn") if more == ("--seed", "4") else begun.mkdir()
    monkeypatch.setattr("deixis.worlds.photos.making._imagining.imagine_scene", lambda *_, **__: pytest.fail("drawn"))
    monkeypatch.setattr("deixis.worlds.photos.making.make.imagine_parts", lambda *_, **__: pytest.fail("drawn"))
    before = files(whole)

    assert main(_without_repeats(making.command(whole, *more))) == 2

    complaint = capsys.readouterr().err
    assert complaint == (
        f"deixis: {whole} already holds a dataset made from another recipe; choose another folder or delete it\n"
    )
    assert files(whole) == before
    if (begun / ".partial" / "finished.jsonl").exists():
        assert main(_without_repeats(making.command(begun, *more))) == 2
        assert "holds the beginning of a dataset made from another recipe" in capsys.readouterr().err


def _without_repeats(words: list[str]) -> list[str]:
    """The words of a command, of an option that is given twice the second."""
    option = words[-2] if not words[-1].startswith("--") else words[-1]
    if option in words[:-2]:
        place = words.index(option)
        return words[:place] + words[place + 2 :]
    return words


def test_a_finished_dataset_is_left_as_it_is(undisturbed, capsys):
    """The same command again says that there is nothing to do, and changes nothing."""
    making, whole = undisturbed("copsref")
    before = {path: path.stat().st_mtime_ns for path in whole.rglob("*")}

    assert main(making.command(whole)) == 0

    assert "already complete" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in whole.rglob("*")} == before


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_not_ours_is_refused_at_once(kind, tmp_path, capsys, monkeypatch):
    """A file, or a folder with something in it, is refused before anything is drawn, and nothing is left behind."""
    monkeypatch.setattr("deixis.worlds.photos.making.make.imagine_parts", lambda *_, **__: pytest.fail("drawn"))
    out = tmp_path / "out"
    if kind == "folder":
        out.mkdir()
    (out / "thesis.txt" if kind == "folder" else out).write_text("mine")

    assert main(MAKINGS["copsref"].inside(tmp_path).command(out)) == 2

    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "choose" in complaint
    assert files(tmp_path) == {"out/thesis.txt" if kind == "folder" else "out": b"mine"}


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(undisturbed, tmp_path, capsys):
    """Two processes make the same bytes as one."""
    making, whole = undisturbed("copsref")
    out = tmp_path / "out"
    words = making.command(out)
    words[words.index("--workers") + 1] = "2"

    assert main(words) == 0

    assert files(out) == files(whole)
