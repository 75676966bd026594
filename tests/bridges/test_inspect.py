from __future__ import annotations

import gc
import json
import subprocess
import sys
from math import isnan

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from deixis.bridges.inspect_tasks import deixis_localise, deixis_navigate, deixis_refer
from deixis.errors import RecipeError


pytestmark = [
    pytest.mark.usefixtures("offline"),
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),  # of tenacity
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),  # which Inspect leaves to be collected
]


def run(task, say, folder):
    """The log of a scripted model; `say` is given the right answer and what it was shown."""
    right = {str(sample.input[-1].content): sample.target for sample in task.dataset}

    def output(messages, tools, choice, config):
        text = say(right[str(messages[-1].content)], messages)
        return ModelOutput.from_content("mockllm/model", text).model_copy(update={"usage": ModelUsage()})

    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    (log,) = evaluate(task, model=model, log_dir=str(folder), display="none")
    gc.collect()  # streams that were left open are complained about here, and not in the middle of another test
    assert log.status == "success", log.error
    return log


def metric(log, score, name="mean"):
    (found,) = [one for one in log.results.scores if one.name == score]
    return found.metrics[name].value


TASKS = {
    "navigate": lambda data: deixis_navigate(data=str(data["navigate"]), limit=4, shots=1),
    "target": lambda data: deixis_navigate(data=str(data["navigate"]), limit=4, answer="target", style="board"),
    "choose": lambda data: deixis_refer(data=str(data["refer"]), limit=2, split="object,scale"),
    "caption": lambda data: deixis_refer(data=str(data["refer"]), limit=2, split="object,scale", answer="caption"),
    "localise": lambda data: deixis_localise(data=str(data["localise"]), limit=4, absent=0.5, setting="WithoutDist"),
}
MAIN = {
    "navigate": "exact",
    "target": "right_target",
    "choose": "right_image",
    "caption": "discriminativity",
    "localise": "right",
}


@pytest.fixture
def data(grid_data, room_data, photograph_data):
    return {"navigate": grid_data, "refer": room_data, "localise": photograph_data}


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_model_that_is_always_right(data, tmp_path, name):
    """Whoever gives the recorded answers has all of them right, in every group."""
    log = run(TASKS[name](data), lambda right, _: f"Let me think.\nAnswer: {right}", tmp_path)

    (found,) = [one for one in log.results.scores if one.name == MAIN[name]]
    assert {value.value for key, value in found.metrics.items() if key != "stderr"} == {1.0}
    assert any("split: test" in key or "set: object" in key for key in found.metrics)
    assert metric(log, "not_understood") == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["navigate", "caption", "localise"])
def test_a_model_that_talks_nonsense(data, tmp_path, name):
    """Nonsense is not understood; it is not taken for wrong choices, and nothing is attributed to it."""
    log = run(TASKS[name](data), lambda *_: "qwerty uiop", tmp_path)

    assert metric(log, MAIN[name]) == 0
    assert metric(log, "not_understood") == 1
    (found,) = [one for one in log.results.scores if one.name.endswith("misreadings")]
    assert not [value for value in found.metrics.values() if not isnan(value.value) and value.value > 0]


@pytest.mark.slow
def test_a_model_that_is_wrong_is_told_what_it_missed(data, tmp_path):
    """Wrong answers are put down to misreadings, whose shares sum to one."""
    log = run(TASKS["choose"](data), lambda right, _: "A" if right == "B" else "B", tmp_path)

    assert metric(log, "right_image") == 0
    (found,) = [one for one in log.results.scores if one.name.endswith("misreadings")]
    assert sum(value.value for value in found.metrics.values()) == pytest.approx(1)


def test_the_log_says_what_was_asked(data, tmp_path):
    """Seed and digest are in the log, and no message shows what the metadata hold."""
    log = run(TASKS["navigate"](data), lambda right, _: right, tmp_path)

    assert log.eval.task.endswith("navigate")
    assert log.eval.metadata["seed"] == 0
    assert len(log.eval.metadata["recipe digest"]) == 64
    for sample in log.samples:
        assert sample.metadata["recipe digest"] == log.eval.metadata["recipe digest"]
        assert sample.metadata["right"] not in sample.messages[-2].text


def test_pictures_reach_the_model(data, tmp_path):
    """An image prompt arrives as an image that holds all of its data."""
    seen = []

    def say(right, messages):
        seen.append([part.image for part in messages[-1].content if part.type == "image"])
        return f"Answer: {right}"

    log = run(deixis_navigate(data=str(data["navigate"]), limit=2, style="image", answer="target"), say, tmp_path)

    assert metric(log, "right_target") == 1
    assert [len(images) for images in seen] == [1, 1]
    assert all(image.startswith("data:image/png;base64,") for images in seen for image in images)


def test_boxes_in_pictures(data, tmp_path):
    """The right box scores 1; that of another object 0, and what was misread is told."""
    others = {}

    def task():
        made = deixis_navigate(data=str(data["navigate"]), limit=2, answer="0..1000")
        for sample in made.dataset:
            wrong = [one for one in sample.metadata["gold"]["candidates"] if one[5]]
            others[sample.target] = json.dumps(wrong[0][1:5])
        return made

    log = run(task(), lambda right, _: f"It is here.\nAnswer: {right}", tmp_path)
    assert {name: metric(log, name) for name in ("right", "center", "not_understood")} == {
        "right": 1,
        "center": 1,
        "not_understood": 0,
    }
    log = run(task(), lambda right, _: others[right], tmp_path)
    assert metric(log, "right") == 0
    (found,) = [one for one in log.results.scores if one.name == "misreadings"]
    assert sum(value.value for value in found.metrics.values()) == pytest.approx(1)
    assert [part.type for part in log.samples[0].messages[-2].content] == ["text", "image", "text"]
    with pytest.raises(RecipeError, match="can be shown as image where the answer is pixels"):
        deixis_navigate(data=str(data["navigate"]), answer="pixels", style="board")


@pytest.mark.slow
def test_fresh_pairs_in_inspect(tmp_path):
    """A seed alone is enough, and is in the log."""
    log = run(deixis_refer(fresh=9, limit=1, split="object"), lambda right, _: right, tmp_path)

    assert log.eval.metadata["fresh"] == 9


def test_parameters_that_make_no_sense():
    """What cannot be asked is refused before anything runs."""
    with pytest.raises(RecipeError, match="--fresh SEED"):
        deixis_navigate()
    with pytest.raises(RecipeError, match="can be shown as"):
        deixis_refer(fresh=1, style="board")


def test_without_inspect():
    """Where Inspect is not installed, the error says how to get it."""
    code = "import sys; sys.modules['inspect_ai'] = None; import deixis.bridges.inspect_tasks"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert 'DeixisError: these tasks need Inspect; run: pip install "deixis[llm]"' in done.stderr
