from __future__ import annotations

import base64
import json
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from deixis._cli.answers import answers
from deixis._cli.prompts import prompts
from deixis.errors import BrokenDataset, RecipeError
from deixis.prompts.ask import ask
from deixis.prompts.files import gold_path, read_given, read_key, read_prompts, write_prompts
from deixis.prompts.recipe import PromptRecipe


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def asked(grid_data, tmp_path):
    """Prompts on disk."""
    out = tmp_path / "prompts.jsonl"
    assert prompts(grid_data, limit=4, shots=1, out=out, seed=3) == 0
    return out


def test_prompts_hold_no_answers(asked, capsys):
    """Prompts and right answers are in two files with the same ids; only the second tells answers."""
    shown, hidden = lines_of(asked), lines_of(gold_path(asked))

    assert [line["id"] for line in shown] == [line["id"] for line in hidden[1:]]
    assert hidden[0]["about"]["seed"] == 3
    for line in shown:
        assert line.keys() == {"id", "task", "answer", "style", "messages", "seed", "recipe digest"}
        assert line["recipe digest"] == hidden[0]["about"]["recipe digest"]
        assert line["messages"][-1]["role"] == "user"
    assert all(line["right"] for line in hidden[1:])


def test_files_do_not_depend_on_chance(grid_data, tmp_path, capsys):
    """The same command writes the same bytes."""
    for name in ("one", "two"):
        prompts(grid_data, limit=3, out=tmp_path / name / "prompts.jsonl")

    assert (tmp_path / "one" / "prompts.jsonl").read_bytes() == (tmp_path / "two" / "prompts.jsonl").read_bytes()


def test_gold_may_stand_beside_the_prompt(grid_data, tmp_path, capsys):
    """Who asks for it has the right answer on every line."""
    prompts(grid_data, limit=3, gold=True, out=tmp_path / "p.jsonl")

    assert all(line["right"] for line in lines_of(tmp_path / "p.jsonl"))


@pytest.mark.parametrize("keep", ["files", "base64"])
def test_pictures_are_kept(room_data, tmp_path, keep):
    """Pictures lie beside the prompts, or in them as addresses that hold all of them."""
    made = ask(PromptRecipe(task="refer", limit=1, splits=("object",), style="image"), room_data)
    write_prompts(made, tmp_path / "p.jsonl", keep=keep)

    content = lines_of(tmp_path / "p.jsonl")[0]["messages"][-1]["content"]
    pictures = [part for part in content if part["type"] != "text"]
    assert len(pictures) == 2
    for part in pictures:
        if keep == "files":
            data = (tmp_path / part["path"]).read_bytes()
        else:
            data = base64.b64decode(part["image_url"]["url"].removeprefix("data:image/png;base64,"))
        assert Image.open(BytesIO(data)).format == "PNG"


def test_answers_are_judged(asked, tmp_path, capsys):
    """Right answers, nonsense and silence are told apart, in text, in JSON and in files."""
    key = read_key(gold_path(asked))
    ids = list(key.golds)
    given = tmp_path / "answers.jsonl"
    rows = [{"id": ids[0], "answer": key.golds[ids[0]].right}, {"id": ids[1], "answer": "I like turtles"}]
    rows += [{"id": ids[2], "answer": ["walk"]}, {"id": "nobody", "answer": "walk"}]
    given.write_text("\n".join(map(json.dumps, rows)) + "\n{broken\n", encoding="utf-8")
    capsys.readouterr()

    with pytest.raises(BrokenDataset, match=r"2 of 5 answers would be left out .*--allow-losses"):
        answers(given, prompts=asked)
    assert answers(given, prompts=asked, out=tmp_path / "out", as_json=True, allow_losses=True) == 0

    found = json.loads(capsys.readouterr().out)
    assert found == json.loads((tmp_path / "out" / "scores.json").read_text(encoding="utf-8"))
    assert found["overall"]["outcomes"] == {"right": 1, "wrong": 1, "unparsable": 1, "unanswered": 1}
    assert found["asked"]["seed"] == 3
    assert found["strange answers"] == {
        "a line that is no JSON object with an 'id'": 1,
        "to a question that was not asked": 1,
    }
    assert [line["outcome"] for line in lines_of(tmp_path / "out" / "judgements.jsonl")] == [
        "right",
        "unparsable",
        "wrong",
        "unanswered",
    ]
    assert answers(given, prompts=asked, allow_losses=True) == 0
    out = capsys.readouterr().out
    for words in ("exact", "got there", "not understood", "no answer in it", "were not answered", "left out"):
        assert words in " ".join(out.split())


def test_a_prompt_is_printed(grid_data, capsys):
    """Without a file one prompt is shown; with --json what would be asked."""
    assert prompts(grid_data, limit=2) == 0
    assert "Command: " in capsys.readouterr().out
    assert prompts(grid_data, limit=2, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 2


def test_bad_files(asked, tmp_path, capsys):
    """Whatever is wrong with files is one line that says what to do."""
    with pytest.raises(RecipeError, match="a dataset, or --fresh SEED"):
        prompts()
    with pytest.raises(BrokenDataset, match=r"--prompts prompts\.jsonl"):
        answers(asked)
    with pytest.raises(BrokenDataset, match="cannot be read"):
        answers(tmp_path / "none.jsonl", prompts=asked)
    with pytest.raises(BrokenDataset, match="cannot be read"):
        answers(asked, prompts=tmp_path / "none.jsonl")
    with pytest.raises(BrokenDataset, match="line 1"):
        answers(asked, gold=asked)
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    with pytest.raises(BrokenDataset, match="no right answers"):
        answers(asked, gold=empty)
    with pytest.raises(BrokenDataset, match="are the ids the same"):
        answers(empty, prompts=asked)
    with pytest.raises(RecipeError, match="JSON Lines"):
        prompts(fresh=1, task="refer", limit=1, out=tmp_path / "p.txt")


def test_lines_that_are_no_text(tmp_path):
    """Bytes that are no UTF-8, and deeply nested JSON, are lines that cannot be read and no more."""
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"\xff\xfe\n" + b"[" * 5000 + b'\n{"id": "a"}\n{"id": "b", "answer": null}\n')
    strange: Counter[str] = Counter()

    assert [one.id for one in read_given(path, strange=strange)] == ["b"]
    assert sum(strange.values()) == 3


@pytest.mark.parametrize("keep", ["files", "base64"])
def test_prompts_are_read_back_as_chat_templates_take_them(grid_data, tmp_path, keep):
    """Every message is a list of texts and images that can be opened."""
    made = ask(PromptRecipe(task="navigate", answer="0..1000", limit=2), grid_data)
    write_prompts(made, tmp_path / "p.jsonl", keep=keep)
    read = list(read_prompts(tmp_path / "p.jsonl"))

    assert [prompt.id for prompt in read] == [question.id for question in made.questions]
    for prompt, question in zip(read, made.questions, strict=True):
        assert [message["role"] for message in prompt.messages] == ["system", "user"]
        assert prompt.messages[0]["content"] == [{"type": "text", "text": question.messages[0].text}]
        _, image, said = prompt.messages[1]["content"]
        png = Path(image["path"]).read_bytes() if keep == "files" else base64.b64decode(image["base64"])
        assert png == question.pictures[0].png
        assert said["text"].startswith("Expression: ")


@pytest.mark.parametrize(
    "content",
    [[{"type": "image", "path": "../secret.png"}], [{"type": "image"}], 7, [3], [{"type": "image", "path": "a\0b"}]],
)
def test_what_is_no_prompt_is_refused_in_one_line(tmp_path, content):
    """Images outside of the folder are never opened."""
    line = {"id": "x", "messages": [{"role": "user", "content": content}]}
    (tmp_path / "p.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")

    with pytest.raises(BrokenDataset) as caught:
        list(read_prompts(tmp_path / "p.jsonl"))
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "p.jsonl") in str(caught.value)
