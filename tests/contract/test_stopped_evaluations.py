"""An evaluation that is stopped goes on from what was finished, in every world, to the same bytes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from deixis.data._pieces import UNFINISHED
from deixis.data._processes import process_crew
from deixis.judge._evaluation import evaluate_request
from deixis.judge.request import Request
from deixis.worlds.registry import BUILT_IN, world_of
from tests.contract.test_killed_workers import kill_a_process
from tests.datasets.tiny import folder_bytes
from tests.readers.samples import write_sample
from tests.stopping import Stopped, demand_resumed, stop_after


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.report.output import Output


READERS = ("gre3d", "refcoco", "sugarcrepe", "nlvr")  # one for each task


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several pieces also of small data."""
    monkeypatch.setattr("deixis.judge._sharing.EVERY", 8)
    monkeypatch.setattr("deixis.worlds.grid.judging._crews.ROWS", 8)
    monkeypatch.setattr("deixis.worlds.photos._judging.evaluate.TOGETHER", 64)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], SimpleNamespace]:
    """Makes a file in the layout of a reader."""
    return lambda name: SimpleNamespace(world=name, path=write_sample(name, tmp_path / "read", 40)[0])


def evaluated(made: SimpleNamespace, out: Path, **how: Any) -> Output:
    """The evaluation of random answers, in a folder."""
    words = ("speakers", "random") if made.world == "rooms" else ("random",)
    few = {"options": {"count": 6}, "splits": ("shape", "floor_hue")} if made.world == "rooms" else {}
    request = Request(answers=tuple(map(Path, words)), data=made.path, out=out, seed=3, workers=1, **few)
    return evaluate_request(world_of(made.path), replace(request, **how))


@pytest.mark.slow
def test_a_stopped_evaluation_goes_on(made: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every world, wherever it was stopped."""
    demand_resumed(partial(evaluated, made), tmp_path, monkeypatch)


@pytest.mark.parametrize("name", READERS)
def test_a_stopped_evaluation_of_files_of_others_goes_on(name, read, tmp_path, monkeypatch):
    """For answers with objects, boxes and choices; true or false is right or wrong at once, and needs no pieces."""
    if name == "nlvr":
        evaluated(read(name), tmp_path / "whole")
        assert not (tmp_path / "whole" / UNFINISHED).exists()
        return
    demand_resumed(partial(evaluated, read(name)), tmp_path, monkeypatch)


@pytest.mark.parametrize("change", ["data", "seed", "answers"])
def test_what_belongs_to_another_evaluation_is_not_used(change, read, tmp_path, monkeypatch):
    """Where data, settings or answers are others, a note says so, and results are as if nothing had been there."""
    made, out = read("refcoco"), tmp_path / "out"
    with monkeypatch.context() as patch:
        stop_after(1, patch)
        with pytest.raises(Stopped):
            evaluated(made, out)
    how: dict[str, Any] = {"seed": 4} if change == "seed" else {}
    if change == "answers":
        how["answers"] = (Path("oracle"),)
    if change == "data":
        made = SimpleNamespace(world=made.world, path=write_sample("refcoco", tmp_path / "more", 41)[0])

    found = evaluated(made, out, **how)

    evaluated(made, tmp_path / "fresh", **how)
    assert folder_bytes(out) == folder_bytes(tmp_path / "fresh")
    told = "settings" if change == "seed" else change
    assert [note for note in found.notes if "of other work and not used" in note and note.endswith(f" in {told}")]


def test_a_refused_evaluation_leaves_nothing_behind(read, tmp_path):
    """Where a folder holds results of others, nothing is added to it."""
    made, out = read("refcoco"), tmp_path / "out"
    evaluated(made, out)
    before = folder_bytes(out)

    with pytest.raises(Exception, match="holds the results of random, not of oracle"):
        evaluated(made, out, answers=(Path("oracle"),))

    assert folder_bytes(out) == before


@pytest.mark.slow
def test_a_killed_worker_changes_no_verdict(made: SimpleNamespace, tmp_path: Path) -> None:
    """What it had in hand is judged again by another, in every world."""
    if made.world not in BUILT_IN:
        pytest.skip("this world is installed in the process of the test only")
    evaluated(made, tmp_path / "here")

    with process_crew(2) as crew:
        killed = kill_a_process(crew)
        evaluated(made, tmp_path / "there", crew=crew)

    assert killed
    assert folder_bytes(tmp_path / "there") == folder_bytes(tmp_path / "here")
