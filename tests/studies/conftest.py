"""A small study of grid worlds, and participants who answer it through the sessions of the server."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from deixis._study import sessions
from deixis._study.design import DataCondition, make_study, read_study
from deixis._study.settings import StudySettings
from deixis.prompts.tasks import task_of
from tests.prompts.made import grid_data, photograph_data, room_data


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis._study.design import Study


__all__ = ["grid_data", "photograph_data", "room_data"]
FEW = StudySettings(items=4, practice=1, attention=2, break_every=3, participants=30, splits=("train",))


@pytest.fixture(scope="session")
def made(grid_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study of seven items, which nobody answers: tests copy it."""
    out = tmp_path_factory.mktemp("studies") / "study"
    make_study([DataCondition("grid", grid_data, {})], FEW, out, task=task_of(grid_data), code="C0DE")
    return out


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Study:
    """A study of one's own."""
    shutil.copytree(made, tmp_path / "study")
    return read_study(tmp_path / "study")


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let participants answer as fast as a program does."""
    monkeypatch.setattr(sessions, "BURST", 1e9)


def row_for(place: int, item: str, response: str, **more: object) -> dict[str, object]:
    """Return an answer as the page sends it."""
    return {
        "trial_index": place,
        "trial_type": "deixis-choice",
        "item": item,
        "response": response,
        "rt": 1234,
        "first": 900,
        "choices": [[900, response]],
        "clicks": [[890, 0, 0.5, 0.25]],
        "blurs": 0,
        "time_elapsed": 5000,
        "stimulus": [],
        "screen": [1280, 800],
        "window": [1280, 700],
        "pixel_ratio": 1,
    } | more


def take_part(running: sessions.Sessions, token: str, answer: Callable[[str], str], *, until: int | None = None) -> str:
    """Answer everything, or some of it, and return the name of the participant."""
    told = running.enter({"token": token}, address="here")
    for place, name in enumerate(told["order"][:until]):
        running.answer({"key": told["key"], "row": row_for(place, name, answer(name), choices=[])})
    if until is None:
        running.finish({"key": told["key"]})
    return told["participant"]
