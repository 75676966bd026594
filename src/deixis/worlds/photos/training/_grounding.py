"""Training of a model that finds the targets of expressions, with exact resumption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn._loop import Course, follow, passes
from deixis.learn._updates import Updates, reseed
from deixis.learn.devices import find_device, multiplying_in
from deixis.learn.run import silent
from deixis.seeds import derive
from deixis.worlds.photos._models.erasing import ErasingGrounder
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.training._bundles import EYES, REGIONS, TREE, build, read_grounding, sizes_of
from deixis.worlds.photos.training._lessons import Lessons, material_of, questions_of, some_of, to_learn, truth_of
from deixis.worlds.photos.training._mining import MODULES, Pool, mine, vectors_of
from deixis.worlds.photos.training._prepare import Surroundings, prepare
from deixis.worlds.photos.training._scoring import answer, retrieve


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor, nn

    from deixis.learn._checkpoints import Bundle
    from deixis.learn.run import Progress
    from deixis.worlds.photos._models.regions import RegionTable
    from deixis.worlds.photos.data._arrays import ExpressionArrays
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._probes import Texts
    from deixis.worlds.photos.training._scoring import Questions
    from deixis.worlds.photos.training.settings import Grounding


TRAIN, DEV = "train", "val"
FULL, ALONE = SETTINGS.index("Full"), SETTINGS.index("WithoutDist")


def learn_to_ground(
    how: Grounding,
    dataset: CopsRef,
    out: Path,
    *,
    begin: Path | None = None,
    around: Surroundings | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Train a model on a dataset, or resume a training that was stopped, and return the contents of run.json.

    Args:
        how: the settings.
        dataset: expressions and images; the split val chooses among checkpoints.
        out: the folder of the run.
        begin: a checkpoint to begin with, in place of fresh weights, e.g. of the same model without mining.
        around: where all is computed.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.

    Raises:
        RecipeError: when the dataset lacks what is needed, or the folder holds another run.
        BrokenCheckpoint: when the checkpoint to begin with cannot be read or is of another model.
        DivergedTraining: when the loss is no longer a number; the checkpoint before that is kept.
    """
    tell = progress or silent
    course = _Grounding(how, dataset, begin, around or Surroundings(), tell)
    with multiplying_in(how.precision, course.device):
        return follow(course, out, progress=tell, stop_after=stop_after)


class _Grounding(Course):
    role = "grounding"
    kind = REGIONS

    def __init__(
        self, how: Grounding, dataset: CopsRef, begin: Path | None, around: Surroundings, tell: Progress
    ) -> None:
        self.training, self.device = how, find_device(around.device)
        before = None if begin is None else read_grounding(begin)
        ready = prepare(how, dataset, self.device, around=around, bundle=before, progress=tell, learns=True)
        arrays, self.table, self.vocabulary = ready.arrays, ready.table, ready.vocabulary
        self.sight = ready.sight
        rows = to_learn(dataset, arrays, TRAIN, share=how.train_share)
        self.rows = len(rows)
        material = material_of(arrays, ready.said, rows, self.device)
        self.lessons = Lessons(self.table, material, same_category=how.same_category)
        self.held_out = self._held_out(arrays.expressions, ready.said)
        self.model = self._model(before, len(arrays.labels))
        self.data = {
            "name": dataset.path.resolve().name,
            "digest": dataset.dataset.digest,
            "split": TRAIN,
            "examples": self.rows,
            "reads": "programs" if how.model == TREE else "texts",
            "features": ready.features,
            "features_digest": ready.digest,
            "labels": list(arrays.labels),
            "begins with": "" if begin is None else checkpoint_digest(begin),
        }
        shape = (how.refresh_every, how.batch_size * how.repeats, len(MODULES))
        mines = how.mining != "none"
        self.mined = torch.full(shape if mines else (0,), -1, dtype=torch.int64, device=self.device)
        self.kept: dict[str, Tensor] = {"mined": self.mined} if mines else {}
        self.now = self.mined[0].clone() if mines else None  # what is mined for the update in hand
        self.pool = Pool.of(self.lessons.category, material.image) if mines else None
        self.truth = truth_of(dataset, arrays, TRAIN, rows) if mines and how.exclude_true else None
        self.updates = Updates(
            {how.model: self.model, **({} if self.sight is None else {EYES: self.sight.eyes})},
            self.device,
            self.loss,
            batch_size=how.batch_size,
            clip=how.clip,
            clamp=how.clamp,
            betas=how.betas,
            seed=how.seed,
            kept=self.model.buffers(),
        )
        self.updates.graphs &= how.is_recorded

    def _model(self, before: Bundle | None, attributes: int) -> nn.Module:
        how, table = self.training, self.table
        seen = {"low": table.low.shape[1], "high": table.high.shape[1], "attributes": attributes}
        torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
        if before is None:
            return build(how.model, sizes_of(how.model, seen, how.sizes), self.vocabulary).to(self.device)
        given = [name for name in before.models if name != EYES]
        if given != [how.model]:
            raise RecipeError(f"it is to begin with {', '.join(given)}, but {how.model} is trained")
        held = {name: size for name, size in before.models[how.model].items() if name not in seen}
        model = build(how.model, sizes_of(how.model, seen, {**held, **how.sizes}), self.vocabulary)
        try:
            model.load_state_dict(before.weights_of(how.model))
        except RuntimeError as error:
            raise RecipeError("it is to begin with weights of other sizes than those that are asked for") from error
        return model.to(self.device).train()

    def _held_out(self, expressions: ExpressionArrays, said: Texts) -> Questions | None:
        rows = expressions.rows(DEV) if DEV in expressions.splits else np.zeros(0, np.int64)
        rows = rows[expressions.target[rows] >= 0]
        if not len(rows):
            return None
        rows = some_of(rows, self.training.eval_examples, seed=derive(self.training.seed, "looks") >> 1)
        return questions_of(expressions, said, rows, self.device)

    def prepare(self, step: int) -> np.ndarray:
        """Choose the expressions of a step; in the second stage mine for the steps to come, too."""
        how, is_second = self.training, self.training.is_second_stage(step)
        self.updates.stage = int(is_second)
        if isinstance(self.model, ErasingGrounder):
            self.model.erases = is_second
        if self.now is not None and is_second:
            place = (step - how.first_stage) % how.refresh_every
            if place == 0:
                self._mine(step)
            self.now.copy_(self.mined[place])
        return passes(step, how.batch_size, self.rows, how.seed)

    @torch.no_grad()
    def _mine(self, step: int) -> None:
        how = self.training
        assert self.pool is not None
        reseed(derive(how.seed, "mining"), step, self.device)
        rows = np.stack([passes(step + k, how.batch_size, self.rows, how.seed) for k in range(how.refresh_every)])
        asked = torch.from_numpy(rows.ravel()).to(self.device).repeat_interleave(how.repeats)
        vectors = vectors_of(how, self.model, self.lessons.material.said)
        self.mined.copy_(mine(how, self.pool, asked, vectors, is_true=self.truth).view(self.mined.shape))

    def loss(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute the loss of some expressions, and its parts."""
        rows = rows.repeat_interleave(self.training.repeats)
        mined = None
        if self.now is not None and self.updates.stage:
            mined = {name: self.now[:, k] for k, name in enumerate(MODULES)}
        lesson = self.lessons(rows, mined)
        if self.sight is not None:
            lesson = self.sight.lesson(lesson)
        loss, told = self.model.loss(lesson)  # type: ignore[operator]
        return loss, told

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:
        """Select by the share of right choices among all distractors; weights of the first stage do not count."""
        return dev["Full"] if step > self.training.first_stage else None

    def evaluate(self) -> dict[str, float]:
        """Return the share of right choices on val, with all distractor images and with none."""
        if self.held_out is None:
            return {}
        table, questions = self.table, self.held_out
        if self.sight is not None:
            table, questions = self.sight.prepare_questions(questions)
        found = right_in(self.model, table, questions)
        return {"Full": found[FULL], "WithoutDist": found[ALONE]}


def right_in(model: nn.Module, table: RegionTable, questions: Questions) -> list[float]:
    """Return the share of right answers by setting, or of right images for a model that finds images only."""
    if not hasattr(model, "dense"):
        return retrieve(model, table, questions)[:, :, 0].float().mean(0).tolist()
    right = torch.zeros(len(SETTINGS), dtype=torch.int64, device=table.device)
    for rows, found in answer(model, table, questions):
        right += (found.choice == questions.target[rows][:, None]).sum(0)
    return (right / len(questions)).tolist()
