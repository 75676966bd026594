"""`deixis evaluate`: how well a model finds what language points at, and what it misreads when it does not."""

from __future__ import annotations

from pathlib import Path

from deixis.cli.options import Count, Json, Seed
from deixis.errors import SchemaError


__all__ = ["evaluate"]


def evaluate(
    predictions: Path,
    /,
    *,
    data: Path,
    split: str = "",
    by: str = "",
    setting: str = "",
    boxes: str = "",
    device: str = "auto",
    limit: Count | None = None,
    out: Path | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Judge what a model answered: plans for instructions, or objects for expressions about photographs.

    A plan is right when it is the recorded one; whether it gets there, whether it makes for the right object and which
    misreading leads to a wrong one is told beside. An object is right when it is the target itself.

    Args:
        predictions: For plans: a Parquet file, a folder of <split>.parquet, JSON Lines such as {"id": 12, "plan":
            "LWW"}, a checkpoint or a folder that `deixis train` left, or one of the words random, oracle, m-lstm,
            gcn-lstm and transformer. For photographs: JSON Lines such as {"id": 12, "image": "2386621", "object":
            "1231798"}, or a COCO-style list.
        data: The dataset folder that was answered.
        split: Judge the examples of these splits, separated by commas; by default all but train, as far as any
            example of a split was answered.
        by: For plans: also show results by pattern, verb, manner, length, clauses, words or relation; separated by
            commas.
        setting: For photographs: the images that were shown where an answer does not say: Full (by default), DiffCat,
            Cat, Cat&attr, Cat&cat, WithoutDist, or all for answers that hold in every setting.
        boxes: For photographs: the coordinate space of boxes that do not say theirs: xywh, xyxy, xywh-normalised or
            xyxy-normalised.
        device: For checkpoints: auto (a GPU where there is one), cpu, cuda, cuda:1.
        limit: For checkpoints: the actions after which a plan is cut, 120 by default.
        out: A folder for evaluation.json, for the verdicts on all answers and for what a checkpoint says.
        seed: Of random plans; for photographs of the intervals and of the choice among equal scores; 0 by default.
        workers: Accepted as with all verbs; one thread is enough here.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.store import kind_of

    del workers
    if kind_of(data) == "copsref":
        from deixis.cli.evaluate_copsref import evaluate_copsref

        if by:
            raise SchemaError(f"{data.name} holds expressions about photographs, which are not shown by {by!r}")
        chosen = setting or "Full"
        return evaluate_copsref(
            predictions, data, split=split, setting=chosen, boxes=boxes, out=out, seed=seed, as_json=as_json
        )
    from deixis.cli.evaluate_plans import evaluate_plan_files

    if setting or boxes:
        raise SchemaError(f"{data.name} is no dataset of photographs; --setting and --boxes are for those only")
    return evaluate_plan_files(
        predictions,
        data,
        split=split,
        by=by,
        out=out,
        seed=seed,
        as_json=as_json,
        device=device,
        limit=limit,
    )
