"""A3DS with test sets in which every feature that is said must be said: made, checked, shown, asked and judged."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shutil import copytree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.data.checks import CheckRequest
from deixis.distractors.necessity import necessity
from deixis.judge.request import Request
from deixis.prompts.recipe import PromptRecipe
from deixis.worlds.rooms import _examples as examples
from deixis.worlds.rooms._checks import check
from deixis.worlds.rooms._pictures import draw, lines
from deixis.worlds.rooms._questions.asking import QUESTIONS
from deixis.worlds.rooms.data import make as a3ds
from deixis.worlds.rooms.data.make import A3dsRecipe, make_a3ds, read_pairs, read_test_sets
from deixis.worlds.rooms.every_word import EVERY_WORD, draw_every_word
from deixis.worlds.rooms.formats.a3ds import read_vocabulary
from deixis.worlds.rooms.judging._score import score_answers
from tests.datasets.test_a3ds import rewritten, with_column


FILE = "pairs/every-word.parquet"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished folder with forty contexts of each set, which nobody may change."""
    out = tmp_path_factory.mktemp("made") / "a3ds"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(a3ds, "draw_every_word", partial(draw_every_word, count=40))
        make_a3ds(A3dsRecipe(captions=(), every_word=True, seed=7), out, workers=1)
    return out


def test_recipes_without_every_word_are_as_they_were():
    """Their plain values and digests do not mention it."""
    assert "every_word" not in A3dsRecipe().to_dict()
    assert A3dsRecipe().digest != A3dsRecipe(every_word=True).digest
    assert A3dsRecipe(every_word=True).to_dict()["every_word"] is True


def test_the_file_holds_contexts_with_their_captions(finished):
    """A row has all distractors, the number of the caption and the caption; the vocabulary has its words."""
    rows = pq.read_table(finished / FILE).to_pylist()
    sets = read_pairs(finished / FILE)

    assert list(sets) == list(EVERY_WORD) == list(read_test_sets(finished))
    assert [one.shape for one in sets.values()] == [(40, 2), (40, 4), (40, 8)]
    for row, images in zip(rows[40:80], sets["every-word-two"].tolist(), strict=True):
        assert [row["target"], *row["distractors"]] == images
    words = read_vocabulary(finished / "vocabulary.json")
    assert not any(words.unknown_in(row["caption"]) for row in rows)
    card = (finished / "README.md").read_text(encoding="utf-8")
    assert "--every-word" in card
    assert 'config_name: "every-word"' in card


@pytest.mark.parametrize("request_", [CheckRequest(), CheckRequest(thorough=True), CheckRequest(sample=20)])
def test_a_good_folder_has_no_problems(finished, request_):
    """By arrays, by the meaning of each caption, and of a sample."""
    report = check(finished, request_)

    assert report.counts == {}
    assert report.exit_code == 0


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (with_column("caption", lambda v: ["a thing", *v[1:]]), "E705"),
        (with_column("number", lambda v: [62, *v[1:]]), "E704"),
        (with_column("number", lambda v: [200, *v[1:]]), "E705"),
        (with_column("target", lambda v: [v[1], *v[1:]]), "E704"),
        (with_column("distractors", lambda v: [*v[:-1], [*v[-1][:6], v[-1][0]]]), "E704"),
        (with_column("distractors", lambda v: [*v[:-1], v[-1][:6]]), "E001"),
        (with_column("set", lambda v: ["own", *v[1:]]), "E704"),
        (lambda file: pq.write_table(pa.table({"set": [1]}), file), "E001"),
    ],
)
@pytest.mark.parametrize("thorough", [False, True])
def test_what_is_wrong_is_found(finished, tmp_path, edit, code, thorough):
    """A caption that could be shorter, or is another's; images that do not need every word."""
    folder = copytree(finished, tmp_path / "a3ds")
    rewritten(folder, FILE, edit)

    report = check(folder, CheckRequest(thorough=thorough))

    assert code in report.counts
    assert set(report.counts) <= {code, "E704", "E705"}


@pytest.mark.parametrize("name", EVERY_WORD)
def test_examples_say_what_is_needed(finished, name):
    """Every content word is needed by the audit's measure, and texts and pictures say so."""
    opened = examples.open(finished)
    for number in opened.numbers(name)[:10]:
        example = opened[number]
        needed = necessity(example.expression, example.context)

        assert list(needed.values()) == [True] * EVERY_WORD[name]
        assert f"every word is needed: {example.text}" in list(lines(example, number=number))
    assert draw(opened[opened.numbers(name)[0]]).startswith(b"\x89PNG")


@pytest.mark.parametrize("answer", ["choose", "caption"])
def test_questions_are_about_the_caption_that_is_needed(finished, answer, tmp_path):
    """Listeners read it; a speaker that says it is right."""
    recipe = PromptRecipe(task="refer", answer=answer, limit=4, seed=1)

    pool = QUESTIONS.find(recipe, finished, fresh=None, folder=tmp_path, workers=1, progress=None)

    golds = [message.gold for message in pool.posed]
    assert {gold.set for gold in golds} == set(EVERY_WORD)
    known = {row["caption"] for row in pq.read_table(finished / FILE).to_pylist()}
    assert all(gold.caption in known for gold in golds)
    assert all(gold.judge(f"Answer: {gold.right}").outcome == "right" for gold in golds)


def test_the_oracle_solves_them_and_a_fixed_description_does_not(finished):
    """`evaluate` finds the sets in the dataset; three random features miss most."""
    found = {}
    for word in ("oracle", "random"):
        scores = score_answers(Request(answers=(Path(word),), data=finished)).values["scores"][word]["sets"]
        found[word] = {name: one["discriminativity"]["mean"] for name, one in scores.items()}

    assert found["oracle"] == dict.fromkeys(EVERY_WORD, 1.0)
    assert all(share < 0.8 for share in found["random"].values())


def test_contexts_survive_as_arrays(finished):
    """The numbers of images are those of the file, in its order."""
    table = pq.read_table(finished / FILE)
    found = np.concatenate([rows[:, 0] for rows in read_pairs(finished / FILE).values()])

    assert np.array_equal(found, table["target"].to_numpy())


def test_the_studio_shows_what_is_needed(finished):
    """The card of a context and its page begin with the caption that says just that."""
    testclient = pytest.importorskip("starlette.testclient", reason="needs starlette")
    from deixis._studio.server import make_app

    pages = testclient.TestClient(make_app([finished]), base_url="http://127.0.0.1")
    slug = next(part for part in pages.get("/").text.split('"') if part.startswith("/d/"))
    row = pq.read_table(finished / FILE).to_pylist()[40]

    assert row["caption"] in pages.get(f"{slug}?set=every-word-two").text
    assert row["caption"] in pages.get(f"{slug}/every-word-two/0").text
