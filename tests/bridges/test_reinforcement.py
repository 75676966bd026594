"""Practice in the libraries for reinforcement learning of language models, as far as they are installed."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from deixis.bridges.trl_rewards import format_reward, prompt_dataset, right_reward
from deixis.errors import DeixisError
from deixis.prompts.practice import Practice, PracticeRecipe


ROOMS = PracticeRecipe(task="refer", each=8, seed=3)


@pytest.fixture
def practice():
    return Practice(ROOMS, size=8)


# -------------------------------------------------------------------------------- TRL


def test_prompts_become_a_dataset(practice):
    """Rows are turns of a chat with the columns that reward functions ask for."""
    pytest.importorskip("datasets")

    found = prompt_dataset(practice, 2, 5)

    assert found.num_rows == 3
    assert [turn["role"] for turn in found[0]["prompt"]] == ["system", "user"]
    assert right_reward(found["prompt"], found["right"], **{n: found[n] for n in ("task", "answer", "gold")}) == [1] * 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of libraries, about each other
def test_a_model_is_trained_by_these_rewards(practice, tmp_path):
    """GRPO of TRL takes two steps with a tiny model, and logs rewards and outcomes."""
    trl = pytest.importorskip("trl")
    tokenizers, transformers = pytest.importorskip("tokenizers"), pytest.importorskip("transformers")
    words = {word: number for number, word in enumerate(["<pad>", "<end>", "Answer:", "A", "B", "?"])}
    raw = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "?"))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    template = "{% for turn in messages %}{{ turn['content'] }} {% endfor %}"
    special = {"pad_token": "<pad>", "eos_token": "<end>", "unk_token": "?"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, chat_template=template, **special)
    shape = transformers.GPT2Config(
        vocab_size=6, n_positions=1024, n_embd=16, n_layer=1, n_head=1, bos_token_id=1, eos_token_id=1
    )
    settings = trl.GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=6,
        logging_steps=1,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        disable_tqdm=True,
    )

    trainer = trl.GRPOTrainer(
        transformers.GPT2LMHeadModel(shape),
        reward_funcs=[right_reward, format_reward],
        args=settings,
        train_dataset=prompt_dataset(practice),
        processing_class=tokenizer,
    )
    trainer.train()

    logged = [line for line in trainer.state.log_history if "reward" in line]
    assert len(logged) == 2
    assert all(0 <= line["rewards/right_reward/mean"] <= line["rewards/format_reward/mean"] <= 1 for line in logged)
    assert any(name.startswith("outcome/") for name in logged[0])


# -------------------------------------------------------------------------------- reasoning-gym


def test_reasoning_gym_knows_every_task(practice):
    """Each task is in the registry; entries are those of the practice, and scoring leaves feedback in them."""
    gym = pytest.importorskip("reasoning_gym")
    from deixis.bridges.reasoning_gym_datasets import NAMES

    assert set(NAMES) <= set(gym.factory.DATASETS)
    made = gym.create_dataset("deixis_refer", size=4, seed=3, each=8)
    entry = made[2]

    assert entry["question"] == practice[2]["question"]
    assert made.score_answer(entry["answer"], entry) == 1
    assert made.score_answer("Answer: B" if entry["answer"] == "A" else "Answer: A", entry) == 0
    assert entry["metadata"]["misreadings"]
    assert entry["metadata"]["source_dataset"] == "deixis_refer"


def test_reasoning_gym_mixes_them_with_its_own():
    """A composite dataset takes questions of ours and of theirs, and scores both."""
    pytest.importorskip("reasoning_gym")
    from reasoning_gym.composite import CompositeConfig, CompositeDataset, DatasetSpec

    import deixis.bridges.reasoning_gym_datasets  # noqa: F401 (registers)

    specs = [
        DatasetSpec(name="deixis_refer", weight=1, config={"each": 8}),
        DatasetSpec(name="leg_counting", weight=1, config={}),
    ]
    mixed = CompositeDataset(CompositeConfig(size=8, seed=2, datasets=specs))

    assert {one["metadata"]["source_dataset"] for one in mixed} == {"deixis_refer", "leg_counting"}
    assert [mixed.score_answer(one["answer"], one) for one in mixed] == [1] * 8


# -------------------------------------------------------------------------------- verifiers


def _verifiers(*, is_new):
    pytest.importorskip("verifiers")
    found = tuple(map(int, version("verifiers").split(".")[:2]))
    if (found >= (0, 2)) != is_new:
        pytest.skip(f"verifiers {found} has {'environments' if is_new else 'tasksets'}")


def test_a_taskset_scores_traces(practice, monkeypatch):
    """Tasks are those of the practice, without end; a trace is scored with what was misread beside it."""
    _verifiers(is_new=True)
    from verifiers.v1.utils.loaders import taskset_class

    from deixis.bridges.verifiers_tasks import DeixisTaskset, DeixisTasksetConfig

    monkeypatch.setitem(
        sys.modules, "deixis_tasks", SimpleNamespace(__all__=["DeixisTaskset"], DeixisTaskset=DeixisTaskset)
    )
    assert taskset_class("deixis-tasks") is DeixisTaskset
    taskset = DeixisTaskset(DeixisTasksetConfig(asks="refer", each=8, seed=3))
    assert not taskset.bounded
    tasks = list(taskset.take(2))
    assert [task.data.id for task in tasks] == [practice[k]["metadata"]["id"] for k in range(2)]

    right, wrong = (_score(tasks[0], f"Answer: {text}") for text in _right_and_wrong(practice[0]))

    assert right.rewards["right"].value == 1
    assert wrong.rewards["right"].value == 0
    assert wrong.metrics["is_understood"] == 1
    assert sum(value for name, value in wrong.metrics.items() if name.startswith("misread ")) == pytest.approx(1)


def _right_and_wrong(entry):
    return entry["answer"], "B" if entry["answer"] == "A" else "A"


def _score(task, text):
    """A trace as the library has it, whose only reply is the text."""
    import verifiers.v1 as vf

    trace = vf.Trace.model_construct(
        task=vf.TraceTask.model_construct(data=task.data), root_reply=text, rewards={}, metrics={}, nodes=[]
    )
    asyncio.run(task.score(trace))
    return trace


def test_an_environment_has_prompts_and_rewards(practice):
    """`load_environment` of verifiers 0.1 has the prompts of the practice; its rubric judges completions."""
    _verifiers(is_new=False)
    from deixis.bridges.verifiers_environment import load_environment

    made = load_environment("refer", questions=4, asked_in_evaluation=2, each=8, seed=3)

    assert (len(made.get_dataset()), len(made.get_eval_dataset())) == (4, 2)
    row = made.get_dataset()[0]
    assert row["answer"] == practice[0]["answer"]
    rubrics = getattr(made.rubric, "rubrics", [made.rubric])  # the library may add one of its own
    judge, understood = next(one.funcs for one in rubrics if len(one.funcs) == 2)
    info = dict(row["info"])
    right, wrong = ([{"role": "assistant", "content": f"Answer: {text}"}] for text in _right_and_wrong(practice[0]))
    assert (judge(completion=right, info=info), judge(completion=wrong, info=info)) == (1, 0)
    assert info["misreadings"]
    assert understood(completion=wrong, info=info) == 1


@pytest.mark.parametrize(
    ("library", "module"), [("verifiers", "verifiers_tasks"), ("reasoning_gym", "reasoning_gym_datasets")]
)
def test_a_missing_library_is_named(monkeypatch, library, module):
    """Where the library is not installed, one line says so."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.delitem(sys.modules, f"deixis.bridges.{module}", raising=False)

    with pytest.raises(DeixisError, match=f"need.* {library.replace('_', '-')}"):
        __import__(f"deixis.bridges.{module}")


def test_an_environment_without_its_library_is_told(monkeypatch):
    """Without verifiers, one line says which version is needed."""
    from deixis.bridges.verifiers_environment import load_environment

    monkeypatch.setitem(sys.modules, "verifiers", None)
    with pytest.raises(DeixisError, match=r"needs verifiers 0\.1"):
        load_environment("refer")
