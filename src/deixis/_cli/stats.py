"""`deixis stats`: what datasets hold, as tables, as figures and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from deixis._cli.compose import options_for
from deixis._cli.options import Count, Json, Places, Seed, names_given
from deixis._cli.places import at_hand
from deixis._cli.printing import print_json, print_output
from deixis._cli.progress import Stages
from deixis._options import names_in, refuse_options
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.report.chart_matplotlib import Format


def stats(
    places: Places,
    /,
    *,
    out: Path | None = None,
    split: str | None = None,
    formats: Annotated[str, Parameter(name="--format")] = "",
    names: str = "",
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
    options: Mapping[str, Any],
) -> int:
    """Count what datasets hold, and draw the figures of the papers.

    Without --out the numbers are printed. With it, the folder gets figures in every format, table2.csv, table2.md and
    stats.json. Unless a world draws those of its paper, the figures are distributions.

    Args:
        places: Dataset folders, addresses such as s3://bucket/folder, Parquet files, or other files that a world
            reads; several of one world are shown side by side.
        out: The folder for figures and tables.
        split: Count only this split.
        formats: The formats of the figures, separated by commas; png,svg by default.
        names: What to call the datasets, separated by commas; by default as their files and folders are called.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
        options: Those of single worlds.
    """
    del seed, workers
    from dataclasses import replace

    from deixis.worlds.registry import world_of

    forms = _formats(formats or "png,svg")
    paths = [at_hand(place) for place in places]
    if out is None:
        refuse_options({"--format": formats}, because="the formats of figures, which are drawn with --out only")
    called = _names(paths, names_given(names, len(paths)))
    worlds = {world.name: world for world in map(world_of, paths)}
    if len(worlds) > 1:
        raise RecipeError(f"datasets of one world can be set side by side, these are of {', '.join(sorted(worlds))}")
    (world,) = worlds.values()
    options_for(world, "stats", options, where=places[0])
    if out is not None and find_spec("matplotlib") is None:  # better now than when everything is counted
        raise ModuleNotFoundError("the figures are charts", name="matplotlib")
    statistics = world.part("statistics")
    with Stages(compiles=False) as progress:
        counted = [
            statistics.count(path, name=name, split=split, progress=progress)
            for path, name in zip(paths, called, strict=True)
        ]
    output = statistics.describe(counted, brief=out is not None, **options)
    files = [] if out is None else _write(statistics.draw(counted, formats=forms, **options), out)
    if as_json:
        print_json(dict(output.values) | {"files": [str(path) for path in files]})
        return 0
    print_output(replace(output, notes=()), as_json=False)
    if out is not None:
        print(f"Wrote {', '.join(path.name for path in files)} to {out}.")
    for line in output.notes:
        print(line)
    return 0


def _write(files: Mapping[str, bytes], out: Path) -> list[Path]:
    from deixis.data.store import replacing_file

    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with replacing_file(out / name) as draft:
            draft.write_bytes(data)
    return [out / name for name in files]


def _formats(text: str) -> tuple[Format, ...]:
    from deixis.report.chart_matplotlib import FORMATS

    asked = tuple(dict.fromkeys(name.lower() for name in names_in(text)))
    unknown = [name for name in asked if name not in FORMATS]
    if unknown or not asked:
        raise RecipeError(f"figures are drawn as {' or '.join(FORMATS)}, got {', '.join(unknown) or 'no format'}")
    return cast("tuple[Format, ...]", asked)


def _names(paths: Sequence[Path], given: Sequence[str]) -> list[str]:
    """A name for each dataset: the given ones, else as much of the end of each path as tells them apart."""
    if given:
        return list(given)
    whole = [path.resolve() for path in paths]
    for parts in range(1, max(len(path.parts) for path in whole) + 1):
        names = ["/".join(path.parts[-parts:]) for path in whole]
        if len(set(names)) == len(names):
            return names
    raise RecipeError("a dataset is named twice; name each once")
