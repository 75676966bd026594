from __future__ import annotations

import json
import logging
import shutil

import pytest
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.models.dummy import DummyLM
from lm_eval.tasks import TaskManager

from deixis._cli.prompts import prompts
from deixis.bridges.lm_eval_tasks import load_questions, write_task
from deixis.errors import BrokenDataset, RecipeError
from deixis.prompts.ask import ask
from deixis.prompts.recipe import PromptRecipe


pytestmark = pytest.mark.usefixtures("offline")


class Scripted(LM):
    """A model that knows the answers, or says always the same."""

    def __init__(self, folder, says=None):
        super().__init__()
        self.says = says
        rows = load_questions(folder)["test"]
        self.known = {row["prompt"]: row["right"] for row in rows}

    def generate_until(self, requests, **_):
        """What is known, or always the same."""
        prompts = [request.args[0] for request in requests]
        return [self.says or f"Answer: {self.known[prompt]}" for prompt in prompts]

    def loglikelihood(self, requests, **_):
        """The right answer is likely, or the one that is always said; the others are not."""
        asked = [request.args for request in requests]
        return [(-float(said.strip() != (self.says or self.known[prompt])), False) for prompt, said in asked]

    def loglikelihood_rolling(self, requests, **_):
        """Nobody asks for it."""
        raise NotImplementedError


def run(folder, model):
    logging.disable(logging.WARNING)
    try:
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        (name,) = [name for name in manager.all_tasks if name.startswith("deixis_")]
        return simple_evaluate(model=model, tasks=[name], task_manager=manager, bootstrap_iters=0)["results"][name]
    finally:
        logging.disable(logging.NOTSET)


@pytest.fixture(params=["navigate", "refer", "localise"])
def folder(request, grid_data, room_data, photograph_data, tmp_path):
    data = {"navigate": grid_data, "refer": room_data, "localise": photograph_data}[request.param]
    answer = "caption" if request.param == "refer" else None
    options = {"absent": 0.5} if request.param == "localise" else {}
    made = ask(PromptRecipe(task=request.param, answer=answer, limit=2, shots=1, options=options), data)
    write_task(made, tmp_path / "task")
    moved = tmp_path / "moved" / "task"  # it must not matter where the folder lies
    shutil.copytree(tmp_path / "task", moved)
    shutil.rmtree(tmp_path / "task")
    return moved


MAIN = ("exact", "discriminativity", "right")


@pytest.mark.slow
def test_the_harness_runs_the_task(folder):
    """The real harness finds the task, asks the questions and counts right answers and nonsense."""
    right, nonsense = run(folder, Scripted(folder)), run(folder, Scripted(folder, says="qwerty"))

    (main,) = [name for name in MAIN if f"{name},none" in right]
    assert right[f"{main},none"] == 1
    assert right["not_understood,none"] == 0
    assert nonsense[f"{main},none"] == 0
    assert nonsense["not_understood,none"] == 1


@pytest.mark.slow
def test_the_dummy_of_the_harness(folder, monkeypatch):
    """The harness's own dummy model, which always says the same, is not understood."""
    monkeypatch.setattr(DummyLM, "tokenizer", None)  # which it would fetch
    assert run(folder, "dummy")["not_understood,none"] == 1


@pytest.fixture
def tiny_model(tmp_path):
    """A language model of random weights that reads bytes, in a folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    signs = ["<end>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    reader = Tokenizer(models.BPE(vocab={sign: number for number, sign in enumerate(signs)}, merges=[]))
    reader.pre_tokenizer, reader.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    marks = {"eos_token": "<end>", "pad_token": "<end>"}
    PreTrainedTokenizerFast(tokenizer_object=reader, **marks).save_pretrained(tmp_path / "m")
    size = GPT2Config(vocab_size=len(signs), n_positions=8192, n_embd=16, n_layer=1, n_head=1, eos_token_id=0)
    torch.default_generator.manual_seed(0)  # another one may babble letters that are actions
    GPT2LMHeadModel(size).save_pretrained(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what its libraries say to each other
def test_a_real_model_that_knows_nothing(grid_data, tmp_path, tiny_model):
    """A local transformer of random weights is run by the harness, and what it babbles is not understood."""
    write_task(ask(PromptRecipe(task="navigate", limit=1), grid_data), tmp_path / "task")
    manager = TaskManager(include_path=str(tmp_path / "task"), include_defaults=False)

    found = simple_evaluate(
        model="hf",
        model_args=f"pretrained={tiny_model}",
        device="cpu",
        tasks=["deixis_navigate_actions"],
        task_manager=manager,
        gen_kwargs="max_gen_toks=8",
        bootstrap_iters=0,
    )["results"]["deixis_navigate_actions"]

    assert found["exact,none"] == 0
    assert found["not_understood,none"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("task", "main"), [("refer", "right_image"), ("localise", "right")])
def test_likelihoods_are_compared(task, main, room_data, photograph_data, tmp_path):
    """The harness asks how likely each answer is, and counts those whose right answer is the likeliest."""
    data = room_data if task == "refer" else photograph_data
    made = ask(PromptRecipe(task=task, limit=3), data)
    write_task(made, tmp_path / "task", by_likelihood=True)
    always = made.items[0].gold.right

    right, one = (run(tmp_path / "task", Scripted(tmp_path / "task", says=says)) for says in (None, always))

    assert right[f"{main},none"] == 1
    share = sum(item.gold.right == always for item in made.items) / len(made)
    assert one[f"{main},none"] == pytest.approx(share)
    assert "not_understood,none" not in right


def test_likelihoods_need_a_list_of_answers(grid_data, tmp_path):
    """Plans cannot be listed, and likelihoods are for the harness alone."""
    made = ask(PromptRecipe(task="navigate", limit=1), grid_data)

    with pytest.raises(RecipeError, match=r"those of navigate \(actions\) cannot; leave --likelihood out"):
        write_task(made, tmp_path, by_likelihood=True)
    with pytest.raises(RecipeError, match="add --lm-eval FOLDER"):
        prompts(grid_data, likelihood=True)


def test_the_command_writes_a_task(grid_data, tmp_path, capsys):
    """`deixis prompts --lm-eval` writes a task whose head says what it is made of."""
    assert prompts(grid_data, limit=2, answer="target", lm_eval=tmp_path / "task", as_json=True) == 0

    facts = json.loads(capsys.readouterr().out)
    text = (tmp_path / "task" / "deixis_navigate_target.yaml").read_text(encoding="utf-8")
    assert facts["recipe digest"] in text
    assert run(tmp_path / "task", Scripted(tmp_path / "task"))["right_target,none"] == 1


def test_what_the_harness_cannot_be_given(grid_data, tmp_path):
    """Pictures, a folder with another task and a broken folder are refused in one line."""
    with pytest.raises(RecipeError, match="as text"):
        write_task(ask(PromptRecipe(task="navigate", limit=1, style="image"), grid_data), tmp_path)
    write_task(ask(PromptRecipe(task="navigate", limit=1), grid_data), tmp_path)
    with pytest.raises(RecipeError, match="another task"):
        write_task(ask(PromptRecipe(task="navigate", answer="target", limit=1), grid_data), tmp_path)
    (tmp_path / "questions.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(BrokenDataset, match="holds no questions"):
        load_questions(tmp_path)
