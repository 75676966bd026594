"""`deixis train` for models that find what expressions point at in photographs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.cli.printing import print_json
from deixis.cli.progress import Stages
from deixis.cli.rooms import checkpoint_of, seconds_of, settings_said
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


__all__ = ["GROUNDING", "train_regions"]

GROUNDING = ("grounder", "mattnet", "cm-att-erase", "scan", "tree")


def train_regions(
    model: str,
    data: Path,
    out: Path,
    *,
    said: Mapping[str, Any],
    settings: Path | None,
    begin: Path | None,
    cache: Path | None,
    minutes: float | None,
    device: str,
    workers: int | None,
    as_json: bool,
) -> int:
    """Train a model to find what expressions point at; the options are those of `deixis train`.

    Args:
        model: one of `GROUNDING`.
        data: the dataset folder.
        out: the folder of the run.
        said: the settings that options say; None for those that they do not.
        settings: a TOML file with more of them, and sizes under [sizes].
        begin: a run or a checkpoint to begin with.
        cache: a folder for what regions look like.
        minutes: after which to stop.
        device: where to compute.
        workers: threads on a CPU.
        as_json: whether to print JSON.
    """
    from deixis.datasets.copsref.store import is_copsref, open_copsref
    from deixis.training.devices import use_threads
    from deixis.training.regions.loop import learn_to_ground
    from deixis.training.regions.prepare import Surroundings
    from deixis.training.regions.settings import grounding_of

    changes = settings_said(settings, said)
    if changes.pop("model", model) != model:
        raise RecipeError(f"{settings} is about another model than {model}")
    how = grounding_of(model, changes)
    if data.exists() and not is_copsref(data):
        raise RecipeError(f"{model} learns from expressions about photographs, which {data} does not hold")
    dataset = open_copsref(data)
    if workers is not None:
        use_threads(workers)
    with Stages() as progress:
        facts = learn_to_ground(
            how,
            dataset,
            out,
            begin=None if begin is None else checkpoint_of(begin),
            around=Surroundings(device=device, cache=cache),
            progress=progress,
            stop_after=seconds_of(minutes),
        )
    _tell(out, data, facts, as_json=as_json)
    return 0


def _tell(out: Path, data: Path, facts: Mapping[str, Any], *, as_json: bool) -> None:
    was_finished = bool(facts.get("was finished"))
    left = facts["updates_wanted"] - facts["updates"]
    if as_json:
        print_json({"path": str(out), **facts, "finished": not left, "was finished": was_finished})
        return
    if was_finished:
        print(f"{out} is already trained: {facts['updates']:,} updates with the same settings; nothing to do.")
        return
    how = facts["settings"]
    called = how["model"] + "".join(f", {how[name]}" for name in ("mining", "probe") if how[name] != "none")
    speed = f", {facts['examples_per_second']:,.0f} expressions per second" if facts["examples_per_second"] else ""
    print(f"{called}, seed {facts['seed']}: {facts['updates']:,} updates in {facts['seconds']:,.0f} seconds{speed}.")
    if "best" in facts:
        best = facts["best"]
        print(f"Best on val: {100 * best['merit']:.1f} % right in Full, after {best['update']:,} updates.")
    if left:
        print(f"{left:,} updates are left; the same command goes on.")
    if how["model"] == "scan":
        print(f"Next: deixis evaluate RUN --retrieve {out} --data {data}, with RUN a model that finds objects")
    else:
        print(f"Next: deixis evaluate {out} --data {data} --out {out}")
