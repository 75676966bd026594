"""A real vision-language model of transformers answers prompts with pictures, by the script of the documentation."""

from __future__ import annotations

import json
import runpy
import sys
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.prompts.ask import ask
from deixis.prompts.files import gold_path, read_key, read_prompts, write_prompts
from deixis.prompts.recipe import PromptRecipe
from tests.docs.pages import blocks


if TYPE_CHECKING:
    from pathlib import Path


pytest.importorskip("transformers")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("offline")]
STEPS = 80


@pytest.fixture
def prompts(grid_data: Path, tmp_path: Path) -> Path:
    """Two questions for boxes on boards, on disk."""
    made = ask(PromptRecipe(task="navigate", answer="0..1000", limit=2), grid_data)
    write_prompts(made, tmp_path / "prompts.jsonl")
    return tmp_path / "prompts.jsonl"


def answer_and_score(model, prompts, monkeypatch, capsys):
    """Run the script of the documentation as a user does, and return what the model said, and its scores."""
    (script,) = [one for one in blocks("how-to/vision-language-models.md") if one.file == "answer.py"]
    folder = prompts.parent
    (folder / "answer.py").write_text(script.text, encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", ["answer.py", str(model), str(prompts), str(folder / "answers.jsonl")])
        runpy.run_path(str(folder / "answer.py"), run_name="__main__")
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    capsys.readouterr()
    assert main(["answers", str(folder / "answers.jsonl"), "--prompts", str(prompts), "--json"]) == 0
    return [json.loads(line)["answer"] for line in lines], json.loads(capsys.readouterr().out)["overall"]


def test_a_model_answers_and_learns_to_answer(prompts, tmp_path, monkeypatch, capsys):
    """With random weights it is not understood; once it has learnt two answers by heart, both are right."""
    import torch

    from tests.bridges.tiny_vlm import save_tiny_vlm, teach

    asked, key = list(read_prompts(prompts)), read_key(gold_path(prompts)).golds
    parts = [part for prompt in asked for message in prompt.messages for part in message["content"]]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small steps are slow where threads wait for each other
    try:
        save_tiny_vlm(tmp_path / "model", [part["text"] for part in parts if part["type"] == "text"])
        said, before = answer_and_score(tmp_path / "model", prompts, monkeypatch, capsys)
        assert len(said) == 2
        assert before["measures"]["right"]["mean"] == 0
        lessons = [(prompt, f"Answer: {key[prompt.id].right}") for prompt in asked]
        assert teach(tmp_path / "model", lessons, steps=STEPS) < 0.5
        said, after = answer_and_score(tmp_path / "model", prompts, monkeypatch, capsys)
    finally:
        torch.set_num_threads(threads)
    assert said == [answer for _, answer in lessons]
    assert after["measures"]["right"]["mean"] == after["measures"]["center"]["mean"] == 1
