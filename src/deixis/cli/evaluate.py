"""`deixis evaluate`: how well a model finds what language points at, and what it misreads when it does not."""

from __future__ import annotations

from pathlib import Path

from deixis.cli.options import Address, Count, Json, On, Place, Seed, Wait
from deixis.cli.places import PATIENCE_SECONDS, at_hand, crew_for
from deixis.errors import SchemaError


__all__ = ["evaluate"]


def evaluate(
    predictions: Path,
    /,
    *,
    data: Place,
    split: str = "",
    by: str = "",
    setting: str = "",
    boxes: str = "",
    retrieve: Path | None = None,
    cache: Path | None = None,
    device: str = "auto",
    limit: Count | None = None,
    out: Path | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
) -> int:
    """Judge what a model answered: plans for instructions, or objects for expressions about photographs.

    A plan is right when it is the recorded one; whether it gets there, whether it makes for the right object and which
    misreading leads to a wrong one is told beside. An object is right when it is the target itself.

    Args:
        predictions: For plans: a Parquet file, a folder of <split>.parquet, JSON Lines such as {"id": 12, "plan":
            "LWW"}, a checkpoint or a folder that `deixis train` left, or one of the words random, oracle, m-lstm,
            gcn-lstm and transformer. For photographs: JSON Lines such as {"id": 12, "image": "2386621", "object":
            "1231798"}, a COCO-style list, or again a checkpoint or the folder of a run.
        data: The dataset that was answered: its folder, or an address such as s3://bucket/folder.
        split: Judge the examples of these splits, separated by commas; by default all but train, as far as any
            example of a split was answered.
        by: For plans: also show results by pattern, verb, manner, length, clauses, words or relation; separated by
            commas.
        setting: For photographs: the images that were shown where an answer does not say: Full (by default), DiffCat,
            Cat, Cat&attr, Cat&cat, WithoutDist, or all for answers that hold in every setting.
        boxes: For photographs: the coordinate space of boxes that do not say theirs: xywh, xyxy, xywh-normalised or
            xyxy-normalised.
        retrieve: For checkpoints about photographs: a run of scan, which first chooses the image to search.
        cache: For checkpoints about photographs: a folder for what regions look like, so that it is computed once.
        device: For checkpoints: auto (a GPU where there is one), cpu, cuda, cuda:1.
        limit: For checkpoints: the actions after which a plan is cut, 120 by default.
        out: A folder for evaluation.json, for the verdicts on all answers and for what a checkpoint says.
        seed: Of random plans; for photographs of the intervals and of the choice among equal scores; 0 by default.
        workers: How many processes a cluster on this machine has; without one, a single thread is enough.
        on: Judge plans on this machine (here, the default), or on a Dask cluster; the result is the same.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: How many seconds to wait while the cluster has no worker; 60 by default.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.store import kind_of

    folder = at_hand(data)
    if kind_of(folder) == "copsref":
        from deixis.cli.evaluate_copsref import evaluate_copsref

        if by:
            raise SchemaError(f"{folder.name} holds expressions about photographs, which are not shown by {by!r}")
        if on != "here" or address:
            raise SchemaError(
                f"{folder.name} holds expressions about photographs, which are judged here; leave out --on"
            )
        from deixis.cli.evaluate_regions import evaluate_regions, is_run

        if is_run(predictions):
            if setting or boxes:
                raise SchemaError(
                    "a checkpoint answers in every setting, with objects; leave out --setting and --boxes"
                )
            return evaluate_regions(
                predictions,
                folder,
                split=split,
                retriever=retrieve,
                cache=cache,
                out=out,
                device=device,
                seed=seed,
                as_json=as_json,
            )
        if retrieve is not None:
            raise SchemaError("--retrieve is for checkpoints; these answers are there already")
        chosen = setting or "Full"
        return evaluate_copsref(
            predictions, folder, split=split, setting=chosen, boxes=boxes, out=out, seed=seed, as_json=as_json
        )
    from deixis.cli.evaluate_plans import evaluate_plan_files

    if setting or boxes or retrieve:
        only = "--setting, --boxes and --retrieve are for those only"
        raise SchemaError(f"{folder.name} is no dataset of photographs; {only}")
    with crew_for(on, address, workers=workers, wait=cluster_wait) as crew:
        return evaluate_plan_files(
            predictions,
            folder,
            split=split,
            by=by,
            out=out,
            seed=seed,
            as_json=as_json,
            device=device,
            limit=limit,
            crew=crew,
        )
