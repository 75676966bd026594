"""`deixis convert`: examples from one form into another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from deixis._cli.compose import options_for
from deixis._cli.options import Count, Json, Place, Seed
from deixis._cli.places import at_hand, deliver_output
from deixis._cli.printing import print_output
from deixis._cli.progress import Stages
from deixis._options import names_in
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from deixis.data._conversions import ConversionRequest
    from deixis.report.output import Output
    from deixis.worlds.world import World


ABSENT = "absent-"


def convert(
    *paths: Annotated[Place, Parameter(name="PATH", negative=())],
    to: str,
    split: str | None = None,
    named: Annotated[str, Parameter(name="--as")] = "",
    force: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
    options: dict[str, Any],
) -> int:
    """Convert one or several datasets to another format.

    The last path is where to write; those before it are read, one after the other, as one dataset.

    --to absent-refer, absent-coco, absent-tsv or absent-jsonl writes examples of any world whose meaning and scenes are
    known, each followed by an expression that fits nothing, with the word that was changed.

    Args:
        paths: What to read: dataset folders, also at an address such as s3://bucket/folder, or files and folders as
            the authors of a dataset released them; and last where to write: a file or a folder, as the form has it,
            or an address.
        to: The form, one of those of its world; parquet is a dataset folder.
        split: Convert only this split; its vocabulary is still that of the whole dataset.
        named: Names of splits: a name for the only split of each PATH, in their order, or old=new; separated
            by commas, e.g. --as a1 or --as test=a1.
        force: Replace a file that is already there.
        seed: Random seed of the words that the absent-… forms change.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
        options: Those of single worlds.
    """
    del workers
    if len(paths) < 2:
        got = f"only {paths[0]}" if paths else "nothing"
        raise RecipeError(f"convert needs what to read and where to write, PATH … OUT, got {got}")
    from deixis.data._conversions import ConversionRequest
    from deixis.data._leftovers import whole_or_nothing

    *given, out = paths
    if isinstance(out, Path) and out.is_file() and not force:
        raise RecipeError(f"{out} already exists; choose another name, or give --force to replace it")
    sources = [at_hand(source) for source in given]
    world = _world_of(sources[0])
    if to.startswith(ABSENT):
        if options:
            raise RecipeError(f"--{next(iter(options)).replace('_', '-')} has no meaning for {to[:40]!r}")
        with deliver_output(out, force=force) as place, whole_or_nothing(place), Stages() as progress:
            asked = ConversionRequest(sources=sources, out=place, to=to, split=split, names=names_in(named))
            output = _convert_absent(world, replace(asked, force=force, progress=progress), seed or 0)
        values = {"path": str(out), **output.values, "to": to, "from": ", ".join(map(str, given))}
    else:
        formats = world.part("formats")
        if to not in formats.writes:
            known = ", ".join(formats.writes)
            raise RecipeError(f"{sources[0]} is of {world.name}, which is not written as {to[:40]!r}; known: {known}")
        own = options_for(world, "convert", options, where=sources[0])
        with deliver_output(out, force=force) as place, whole_or_nothing(place), Stages() as progress:
            output = formats.convert(
                sources, place, to=to, split=split, names=names_in(named), force=force, progress=progress, **own
            )
        values = {"path": str(out), "to": to, "from": ", ".join(map(str, given)), **output.values}
    told = replace(output, values=values, blocks=[*output.blocks, f"Wrote {out}."])
    print_output(told if isinstance(out, Path) else _tell_address(told, str(place), str(out)), as_json=as_json)
    return output.code


def _tell_address(output: Output, path: str, address: str) -> Output:
    """Return an output that tells an address where it tells the path of what was sent there."""

    def rename(told: Any) -> Any:
        if isinstance(told, str):
            return told.replace(path, address)
        if isinstance(told, dict):
            return {name: rename(value) for name, value in told.items()}
        return [rename(one) for one in told] if isinstance(told, list | tuple) else told

    blocks = [rename(block) if isinstance(block, str) else block for block in output.blocks]
    return replace(output, values=rename(dict(output.values)), blocks=blocks, files=(), notes=rename(output.notes))


def _convert_absent(world: World, asked: ConversionRequest, seed: int) -> Output:
    """Write examples of any world with expressions that fit nothing."""
    from deixis.readers._formats.convert import LAYOUTS, convert_absent

    form = asked.to.removeprefix(ABSENT)
    if form not in LAYOUTS:
        known = ", ".join(ABSENT + name for name in LAYOUTS)
        raise RecipeError(f"expressions of absent things are not written as {asked.to[:40]!r}; known: {known}")
    return convert_absent(world, replace(asked, to=form), seed=seed)


def _world_of(path: Path) -> World:
    """The world whose forms what lies at a path is in."""
    from deixis.data.store import MANIFEST
    from deixis.worlds.registry import world_of, world_whose

    if not (path / MANIFEST).is_file():
        found = world_whose("formats", lambda formats: bool(formats.recognise(path)))
        if found is not None:
            return found
    return world_of(path)
