"""The page without a server and the projects for other programs hold no right answer but those of practice."""

from __future__ import annotations

import json

import pytest

from deixis._study.analysis import analyse
from deixis._study.bundle import data_script, write_bundle
from deixis._study.exports import write_label_studio, write_potato
from deixis.errors import RecipeError


def data_in(folder):
    """Return what the page holds."""
    text = (folder / "study-data.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.DEIXIS_STUDY = ").removesuffix(";\n"))


def test_the_page_does_not_depend_on_right_answers(study, tmp_path):
    """Other right answers make the very same files, practice apart."""
    write_bundle(study, tmp_path / "web")
    path = study.folder / "prompts.gold.jsonl"
    practice = {item.question for item in study.of_kind("practice")}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for one in lines:
        if "id" in one and one["id"] not in practice:
            gold = one["gold"]
            gold["target"] = (gold["target"] + 1) % len(gold["objects"])
            gold["plan"] = ""
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))

    write_bundle(study, tmp_path / "other")

    for file in (tmp_path / "web").rglob("*"):
        if file.is_file():
            assert file.read_bytes() == (tmp_path / "other" / file.relative_to(tmp_path / "web")).read_bytes()


def test_the_page_names_neither_questions_nor_conditions(study, tmp_path):
    """Ids of questions are hashes that include the right answer, by which it could be guessed; they stay at home."""
    write_bundle(study, tmp_path / "web")
    whole = "".join(path.read_text() for path in (tmp_path / "web").iterdir() if path.is_file())

    assert not any(item.question in whole for item in study.items)
    assert study.secret()["key"] not in whole
    assert not any(token in whole for token in study.tokens())
    assert {item["id"] for item in data_in(tmp_path / "web")["items"] if "right" in item} == {
        item.id for item in study.of_kind("practice")
    }


def test_texts_cannot_end_the_script(study):
    """Whatever a consent text holds, it is text."""
    assert "</script" not in data_script({"text": "</script><script>alert(1)</script>"})


def test_every_picture_comes_along(study, tmp_path):
    """The folder is complete."""
    write_bundle(study, tmp_path / "web")
    shown = {part["image"] for item in data_in(tmp_path / "web")["items"] for part in item["shown"]}

    assert shown == {path.name for path in (tmp_path / "web" / "images").iterdir()}


def test_mistakes_are_told(study, tmp_path):
    """A folder that is there, and an address that is none."""
    with pytest.raises(RecipeError, match="is there already"):
        write_bundle(study, study.folder)
    with pytest.raises(RecipeError, match="https"):
        write_bundle(study, tmp_path / "web", post="javascript:alert(1)")


def test_label_studio_gives_rows_back(study, tmp_path):
    """Its tasks hold the main items; an export of its annotations is read as rows."""
    write_label_studio(study, tmp_path / "ls")
    tasks = json.loads((tmp_path / "ls" / "tasks.json").read_text())
    golds = study.golds()
    assert {task["data"]["item"] for task in tasks} == {item.id for item in study.of_kind("main")}
    assert "right" not in (tmp_path / "ls" / "tasks.json").read_text()

    for task in tasks:
        chosen = [{"from_name": "answer", "type": "choices", "value": {"choices": [golds[task["data"]["item"]].right]}}]
        task["annotations"] = [{"completed_by": who, "result": chosen, "lead_time": 2.5} for who in (1, 2)]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    found = analyse(study, [tmp_path / "export.json"])

    assert found.entered == 2
    assert found.overall.accuracy.mean == 1
    assert found.overall.seconds == 2.5


def test_the_configuration_of_label_studio_is_sound(study, tmp_path):
    """Every field that it names is in every task."""
    from xml.etree import ElementTree as ET

    write_label_studio(study, tmp_path / "ls")
    tree = ET.parse(tmp_path / "ls" / "config.xml")  # noqa: S314 (we wrote it)
    values = [one.get(name) or "" for one in tree.iter() for name in ("value", "valueList")]
    named = {value[1:] for value in values if value.startswith("$")}
    assert named == {"ask", "text", "images", "options"}

    for task in json.loads((tmp_path / "ls" / "tasks.json").read_text()):
        assert named <= task["data"].keys()


def test_potato_gets_a_project(study, tmp_path):
    """One line for each main item, and pictures where its page looks for them."""
    import yaml

    write_potato(study, tmp_path / "potato")
    config = yaml.safe_load((tmp_path / "potato" / "config.yaml").read_text())
    lines = (tmp_path / "potato" / config["data_files"][0]).read_text().splitlines()

    assert {json.loads(line)["id"] for line in lines} == {item.id for item in study.of_kind("main")}
    assert config["annotation_schemes"][0]["name"] == "answer"
    assert all((tmp_path / "potato" / "data" / "images" / one).is_file() for one in _pictures(study))


def _pictures(study):
    return [part["image"] for item in study.of_kind("main") for part in item.shown]
