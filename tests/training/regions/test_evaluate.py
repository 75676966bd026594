"""Scoring and answering: the fast way agrees with the plain one, and answers are judged as any others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos._models.erasing import ErasingGrounder, ErasingGrounderSettings
from deixis.worlds.photos._models.grounder import PhraseGrounder, PhraseGrounderSettings
from deixis.worlds.photos._models.modular import ModularGrounder, ModularGrounderSettings
from deixis.worlds.photos.data._predictions import read_answers
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.training import _scoring as scoring
from deixis.worlds.photos.training._evaluate import absence_of, answers_of, area_of, ground, threshold_of, write_answers
from deixis.worlds.photos.training._grounding import learn_to_ground
from deixis.worlds.photos.training._scoring import Questions, answer, lay_out
from tests.training.regions.made_up import HIGH, LOW, regions, said_of
from tests.training.regions.small import small


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.worlds.photos._models.regions import RegionTable
    from deixis.worlds.photos.data.store import CopsRef

MODELS = {
    "grounder": lambda: PhraseGrounder(PhraseGrounderSettings(high=HIGH, width=6, joint=4), 9),
    "mattnet": lambda: ModularGrounder(ModularGrounderSettings(low=LOW, high=HIGH, width=8, attributes=2), 9),
    "cm-att-erase": lambda: ErasingGrounder(
        ErasingGrounderSettings(low=LOW, high=HIGH, width=8, attributes=2, bottleneck=4), 9
    ),
}


@st.composite
def asked(draw: st.DrawFn) -> tuple[RegionTable, Questions]:
    """Questions about a few images, with any images shown."""
    table = regions(draw(st.lists(st.integers(1, 4), min_size=2, max_size=5)), seed=draw(st.integers(0, 99)))
    images = len(table.first) - 1
    total = draw(st.integers(1, 6))
    said = said_of(table, [draw(st.integers(0, len(table) - 1)) for _ in range(total)])
    shown = [draw(st.lists(st.integers(0, images - 1), max_size=3, unique=True)) for _ in range(total)]
    held = [[int(own), *(k for k in some if k != own)] for own, some in zip(said.image, shown, strict=True)]
    padded = torch.tensor([[*some, *[-1] * (4 - len(some))] for some in held])
    seen = torch.rand(total, len(SETTINGS), 4, generator=torch.Generator().manual_seed(total)) < 0.5
    seen[:, :, 0] = True
    seen[:, 0] = True
    return table, Questions(said.said, said.target, padded, seen & (padded >= 0)[:, None])


@pytest.mark.parametrize("name", MODELS)
@given(given_questions=asked(), held=st.sampled_from((1, 1 << 13)), within=st.booleans())
@settings(max_examples=5, deadline=None)
def test_the_choice_is_the_best_of_all_pairs(
    name: str, given_questions: tuple[RegionTable, Questions], held: int, within: bool
) -> None:
    """Whatever is held at once, the choice in every setting is the region that fits best, one pair at a time.

    Where the category is told, of the regions of the target's category.
    """
    table, questions = given_questions
    torch.default_generator.manual_seed(0)
    model = MODELS[name]().eval()
    before, scoring.HELD = scoring.HELD, {"cpu": held}
    try:
        found = dict(_each(model, table, questions, within))
    finally:
        scoring.HELD = before
    for number in range(len(questions)):
        for setting in range(len(SETTINGS)):
            plain = _plainly(model, table, questions, number, setting)
            if within:
                category = table.category[questions.target[number]]
                plain = {row: fit for row, fit in plain.items() if table.category[row] == category}
            choice, fit = found[number]
            assert fit[setting] == pytest.approx(max(plain.values()), abs=1e-4)
            assert plain[int(choice[setting])] == pytest.approx(max(plain.values()), abs=1e-4)


def _each(model, table, questions, within):
    for rows, some in answer(model, table, questions, within_category=within):
        for row, choice, fit in zip(rows.tolist(), some.choice, some.fit, strict=True):
            yield row, (choice, fit.tolist())


@torch.no_grad()
def _plainly(model, table, questions, number, setting):
    """The fit of every candidate, each alone."""
    fits = {}
    for slot, image in enumerate(questions.images[number].tolist()):
        if image < 0 or not questions.shown[number, setting, slot]:
            continue
        for row in range(int(table.first[image]), int(table.first[image + 1])):
            said = questions.said.take(torch.tensor([number]))
            whole = table.whole[[image]] if model.reads_images else None
            fits[row] = float(model.fit(model.read(said, whole), model.see(table.take(torch.tensor([row])))))
    return fits


@given(asked())
@settings(max_examples=50, deadline=None)
def test_candidates_are_all_regions_of_the_images(given_questions: tuple[RegionTable, Questions]) -> None:
    """Laid side by side, the candidates of a question are the regions of its images, each once and in order."""
    table, questions = given_questions
    laid = lay_out(table, questions.images)
    for number, images in enumerate(questions.images.tolist()):
        rows = [
            k for image in images if image >= 0 for k in range(int(table.first[image]), int(table.first[image + 1]))
        ]
        assert laid.rows[number][laid.there[number]].tolist() == rows
        assert [images[k] for k in laid.slot[number][laid.there[number]].tolist()] == table.image[rows].tolist()


FITS = st.lists(st.integers(0, 6), min_size=1, max_size=12).map(lambda some: np.array(some) / 2)


@given(FITS, FITS)
def test_no_threshold_is_better(there: np.ndarray, absent: np.ndarray) -> None:
    """The threshold is as good as any: no other gives a larger mean of the two shares."""

    def worth(limit: float) -> float:
        return float((there >= limit).mean() + (absent < limit).mean())

    assert worth(threshold_of(there, absent)) == pytest.approx(max(worth(k / 4 - 1) for k in range(20)))


@given(FITS, FITS)
def test_the_area_is_the_share_of_pairs_in_order(there: np.ndarray, absent: np.ndarray) -> None:
    """The area under the curve is how often what is there fits better; equals count half."""
    pairs = [(a > b) + (a == b) / 2 for a in there for b in absent]
    assert area_of(there, absent) == pytest.approx(np.mean(pairs))


def test_answers_are_judged_as_those_of_any_model(photographs: CopsRef, tmp_path: Path) -> None:
    """What is written is read again, judged in all settings, and as often right as counted directly."""
    learn_to_ground(small("grounder", steps=30), photographs, tmp_path / "run")
    found, facts = ground(tmp_path / "run" / "best.safetensors", photographs)
    write_answers(tmp_path / "answers.jsonl", found, photographs)
    examples = list(photographs.examples("test"))
    answers = read_answers(tmp_path / "answers.jsonl", photographs.scenes)
    evaluation, _ = evaluate_answers(examples, answers, photographs.scenes)
    assert tuple(evaluation.settings) == SETTINGS
    assert list(read_answers(tmp_path / "answers.jsonl", photographs.scenes)) == list(answers_of(found, photographs))
    assert facts["model"] == "grounder"
    target = {example.id: (example.image_id, example.object_id) for example in examples}
    scenes = photographs.scenes
    for place, setting in enumerate(SETTINGS):
        right = [
            (scenes.image_ids[image], scenes.object_ids[scenes.scene_ptr[image] + thing]) == target[number]
            for number, image, thing in zip(
                found.id.tolist(), found.image[:, place], found.thing[:, place], strict=True
            )
            if target[number][1]
        ]
        assert evaluation.settings[setting].accuracy.mean == pytest.approx(np.mean(right), abs=1e-6)
    told = absence_of(found)
    for setting, absence in told.items():
        assert evaluation.absent[setting].mean == pytest.approx(absence.denied, abs=1e-6)  # type: ignore[index]


def test_only_the_image_that_was_found_is_searched(photographs: CopsRef, tmp_path: Path) -> None:
    """With a model that finds images, every choice lies in one image, whatever the other model thinks of the rest."""
    for name in ("scan", "mattnet"):
        learn_to_ground(small(name, steps=4), photographs, tmp_path / name)
    best = {name: tmp_path / name / "best.safetensors" for name in ("scan", "mattnet")}
    found, _ = ground(best["mattnet"], photographs, retriever=best["scan"])
    alone = SETTINGS.index("WithoutDist")
    own = {example.id: photographs.scenes.find(example.image_id) for example in photographs.examples("test")}
    assert found.image[:, alone].tolist() == [own[number] for number in found.id.tolist()]
    with pytest.raises(RecipeError, match="finds images"):
        ground(best["scan"], photographs)
    with pytest.raises(RecipeError, match="does not find images"):
        ground(best["mattnet"], photographs, retriever=best["mattnet"])


def test_a_damaged_checkpoint_is_one_clear_line(photographs: CopsRef, tmp_path: Path) -> None:
    """A checkpoint that is none, or whose middle is lost, is refused by name."""
    (tmp_path / "none.safetensors").write_bytes(b"not weights")
    with pytest.raises(BrokenCheckpoint, match="cannot be read"):
        ground(tmp_path / "none.safetensors", photographs)
    with pytest.raises(BrokenCheckpoint, match="there is no checkpoint"):
        ground(tmp_path / "missing.safetensors", photographs)
