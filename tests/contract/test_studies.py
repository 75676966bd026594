"""Every world can be put to people: a study is made, answered by simulated participants, and analysed by the verbs."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext

import pytest
from PIL import Image

from deixis._cli import main
from deixis._study import sessions
from deixis._study.design import IMAGES, read_study
from deixis._study.sessions import Sessions
from deixis._study.simulation import SimulatedParticipant
from deixis.worlds.registry import known_worlds
from tests.beads import installed_beads
from tests.studies.conftest import take_part


pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def whole(made, tmp_path_factory):
    """The folder of a small study of a world, made by the verb from the first split that has enough questions."""
    folder = tmp_path_factory.mktemp("studies") / "study"
    words = ["study", str(made.path), "--items", "4", "--practice", "1", "--attention", "1", "--participants", "2"]
    with nullcontext() if "beads" in known_worlds() else installed_beads():
        for split in ([], ["--split", "train"]):
            if main([*words, *split, "--out", str(folder)]) == 0:
                return folder
    raise AssertionError("no split has enough questions")


@pytest.fixture
def study(whole, tmp_path):
    """The study, in a folder of one's own."""
    shutil.copytree(whole, tmp_path / "study")
    return read_study(tmp_path / "study")


def test_a_study_of_every_world_is_made_answered_and_analysed(study, monkeypatch, capsys):
    """Simulated participants without errors are all right, by the verb and as JSON."""
    monkeypatch.setattr(sessions, "BURST", 1e9)
    running, golds, items = Sessions(study), study.golds(), {item.id: item for item in study.items}
    for seed, token in enumerate(sorted(study.tokens())):
        one = SimulatedParticipant(seed=seed)
        take_part(running, token, lambda name, one=one: one.answer(items[name], golds[name]))
    capsys.readouterr()

    assert main(["evaluate", str(study.folder), "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["participants"]["complete"] == 2
    assert found["groups"]["all"]["all"]["accuracy"]["mean"] == 1


def test_every_world_says_what_people_should_know(study):
    """Instructions are not those for models: nobody is told how to write an answer."""
    told = study.text("instructions")

    assert len(told.split()) > 30
    assert "End with one line" not in told


def test_a_bundle_of_every_world_is_written(study, tmp_path):
    """One folder with one page."""
    assert main(["study", str(study.folder), "--bundle", str(tmp_path / "web")]) == 0

    assert (tmp_path / "web" / "index.html").is_file()


def test_things_are_chosen_by_a_click_where_they_are_drawn(study):
    """Every area stands for one of the answers, lies in a picture of the item, and holds something that is drawn."""
    asked = [item for item in study.items if any("image" in part for part in item.shown)]
    assert asked

    for item in asked:
        names = [part["image"] for part in item.shown if "image" in part]
        pictures = [Image.open(study.folder / IMAGES / name).convert("L") for name in names]
        assert item.areas
        assert {area.answer for area in item.areas} <= set(item.choices)
        for area in item.areas:
            picture = pictures[area.picture]
            left, top, right, bottom = area.box
            assert 0 <= left < right <= 1
            assert 0 <= top < bottom <= 1
            edges = (left * picture.width, top * picture.height, right * picture.width, bottom * picture.height)
            least, most = picture.crop(tuple(map(round, edges))).getextrema()
            assert most > least, area
