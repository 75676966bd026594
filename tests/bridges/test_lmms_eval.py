"""Tasks for lmms-eval: pictures and prompts in their order, as the harness asks for them, and answers judged."""

from __future__ import annotations

import json
import shutil

import pyarrow.parquet as pq
import pytest
from PIL import Image

from deixis._cli.prompts import prompts
from deixis.bridges import lmms_eval_tasks as tasks
from deixis.errors import RecipeError
from deixis.prompts.ask import ask
from deixis.prompts.recipe import PromptRecipe


pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture
def made(room_data):
    """Questions with a solved example and two pictures each."""
    return ask(PromptRecipe(task="refer", limit=1, shots=1, style="image"), room_data)


@pytest.mark.slow
def test_the_folder_holds_what_was_asked(made, tmp_path):
    """Prompts, messages and pictures are those of the questions, and right answers are judged right."""
    paths = tasks.write_task(made, tmp_path / "task")

    assert [path.name for path in paths] == ["deixis_refer_choose.yaml", "questions.parquet", "deixis_questions.py"]
    rows = pq.read_table(paths[1]).to_pylist()
    for row, (question, gold) in zip(rows, made.items, strict=True):
        messages, pictures = tasks.messages_of(row), tasks.pictures_of(row)
        shown = [part["url"] for message in messages for part in message["content"] if part["type"] == "image"]
        assert tasks.text_of(row) == question.text
        assert len(pictures) == len(question.pictures) > 1
        assert [one.tobytes() for one in shown] == [one.tobytes() for one in pictures]
        assert [message["role"] for message in messages] == [message.speaker for message in question.messages]
        assert tasks.process_results(row, [f"Answer: {gold.right}"])["right_image"] == 1
        assert tasks.process_results(row, ["I cannot say."])["not_understood"] == 1


def run(folder, says=None, *, takes_messages=False):
    """The results of the real harness for a model that knows the answers, or always says the same."""
    from lmms_eval import protocol
    from lmms_eval.api.model import lmms
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    rows = pq.read_table(folder / "questions.parquet").to_pylist()
    seen = []

    class Scripted(lmms):
        is_simple = not takes_messages

        def generate_until(self, requests):
            return [self.answer(*request.args) for request in requests]

        def answer(self, text, second, third, number, task, split):
            document = self.task_dict[task][split][number]
            if takes_messages:
                shown = protocol.ChatMessages(messages=second(document))
                seen.append(shown.extract_media()[0])
                text = "\n\n".join(
                    "".join(part.text for part in message.content if part.type == "text") for message in shown.messages
                )
                return f"Answer: {next(row['right'] for row in rows if row['id'] == document['id'])}" if text else ""
            seen.append(third(document))
            return says or f"Answer: {next(row['right'] for row in rows if row['prompt'] == text)}"

        def loglikelihood(self, requests):
            raise NotImplementedError

        def generate_until_multi_round(self, requests):
            raise NotImplementedError

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    (name,) = [name for name in manager.all_tasks if name.startswith("deixis_")]
    found = simple_evaluate(model=Scripted(), tasks=[name], task_manager=manager, bootstrap_iters=0)
    return found["results"][name], seen


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what its libraries say to each other
def test_the_harness_runs_the_task(made, tmp_path, monkeypatch):
    """The real harness finds the moved task, shows the pictures, and counts right answers and nonsense."""
    pytest.importorskip("lmms_eval.evaluator")
    monkeypatch.setenv("LMMS_EVAL_DATASETS_CACHE", str(tmp_path / "cache"))
    tasks.write_task(made, tmp_path / "task")
    folder = shutil.move(tmp_path / "task", tmp_path / "elsewhere")

    right, seen = run(folder)
    nonsense, _ = run(folder, says="qwerty")
    in_turns, shown = run(folder, takes_messages=True)

    assert right["right_image,none"] == 1
    assert right["not_understood,none"] == 0
    assert nonsense["right_image,none"] == 0
    assert nonsense["not_understood,none"] == 1
    assert in_turns["right_image,none"] == 1
    assert [[one.size for one in some] for some in shown] == [[one.size for one in some] for some in seen]
    assert len(seen) == len(made)
    assert all(isinstance(one, Image.Image) for some in seen for one in some)
    assert sorted(map(len, seen)) == sorted(len(item.question.pictures) for item in made.items)


def test_prompts_of_text_alone_need_no_pictures(grid_data, tmp_path):
    """A task whose scenes are told in text has empty lists of pictures."""
    made = ask(PromptRecipe(task="navigate", limit=1), grid_data)
    paths = tasks.write_task(made, tmp_path / "task")

    rows = pq.read_table(paths[1]).to_pylist()
    assert all(tasks.pictures_of(row) == [] for row in rows)
    assert json.loads(rows[0]["origin"])["recipe digest"] == made.facts["recipe digest"]
    assert all(part["type"] == "text" for message in tasks.messages_of(rows[0]) for part in message["content"])


def test_the_command_writes_a_folder_for_each_task(grid_data, tmp_path, capsys):
    """`--lmms-eval` writes the files and says so; a folder of another task is refused."""
    assert prompts(grid_data, limit=1, lmms_eval=tmp_path / "task", options={}) == 0
    assert "deixis_navigate_actions.yaml" in capsys.readouterr().out

    with pytest.raises(RecipeError, match=r"another task, deixis_navigate_actions\.yaml"):
        prompts(grid_data, limit=1, answer="target", lmms_eval=tmp_path / "task", options={})
