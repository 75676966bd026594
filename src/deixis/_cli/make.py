"""`deixis make NAME`: a dataset of any world, with the options of that dataset.

The commands are made when they are asked for, so that no world is imported to show which datasets there are.
"""

from __future__ import annotations

import inspect
import time
import tomllib
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App

from deixis._cli.compose import homes_of, join
from deixis._cli.options import Address, Count, Json, On, Place, Wait
from deixis._cli.places import PATIENCE_SECONDS, crew_for, deliver_to
from deixis._cli.printing import print_output
from deixis._cli.progress import Stages
from deixis.data._split_names import names_in_split
from deixis.errors import RecipeError, SchemaError


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deixis.data._crew import Crew
    from deixis.data.store import Dataset
    from deixis.report.output import Output
    from deixis.worlds.world import Recipe, World


PREFIX = "make_"
ABOUT = (
    "Make a dataset of any world.\n\n"
    "Each has options of its own: `deixis make NAME --help`. What is finished is kept when making is interrupted; the "
    "same command goes on from there."
)


def make_app() -> App:
    """Build `deixis make` with a command for every dataset of the registered worlds."""
    app = App(name="make", help=ABOUT)
    for name, world in homes_of("datasets").items():
        about = world.datasets[name]
        app.command(f"{__name__}:{PREFIX}{name}", name=name, help=about, group=f"Datasets of {world.name}")
    return app


def __getattr__(name: str) -> Callable[..., int]:
    """The command that makes the dataset of a name; cyclopts asks for it when it is given."""
    dataset = name.removeprefix(PREFIX)
    world = homes_of("datasets").get(dataset) if dataset != name else None
    if world is None:
        raise AttributeError(f"there is no dataset {name!r}")
    known = world.part("recipes").datasets
    if dataset not in known:
        raise SchemaError(f"the recipes of {world.name} lack the dataset {dataset!r}, which the world lists")
    function: Callable[..., Recipe] = known[dataset]

    @wraps(function)
    def options_of(**given: Any) -> dict[str, Any]:
        return given

    def make(
        options: dict[str, Any],
        *,
        out: Place,
        recipe: Path | None = None,
        workers: Count | None = None,
        on: On = "here",
        address: Address = "",
        cluster_wait: Wait = PATIENCE_SECONDS,
        as_json: Json = False,
    ) -> int:
        """Make a dataset.

        Args:
            options: What the recipe is told.
            out: The folder for the dataset, or an address such as s3://bucket/folder.
            recipe: A TOML file with the recipe, instead of the other options; only --seed may be given beside it.
            workers: How many processes or threads share the work, one per core by default; the result is the same.
            on: Who shares it: this machine (here, the default), or the workers of a Dask cluster.
            address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
            cluster_wait: Seconds to wait while the cluster has no worker, or its scheduler is gone; 60 by default.
            as_json: Print JSON instead of text.
        """
        made = (
            function(**options)
            if recipe is None
            else _from_file(world, recipe, _non_default_options(function, options))
        )
        with (
            crew_for(on, address, workers=workers, wait=cluster_wait) as crew,
            deliver_to(out, digest=made.digest) as folder,
        ):
            output = run_recipe(world, made, folder, called=str(out), workers=workers, crew=crew)
        print_output(output, as_json=as_json)
        return 0

    return join(make, options_of, into="options")


def _non_default_options(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their default."""
    usual = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    return {name: value for name, value in options.items() if value != usual[name]}


def _from_file(world: World, path: Path, given: Mapping[str, Any]) -> Recipe:
    """The recipe in a TOML file, with another seed where one is given."""
    from deixis.data.recipes import offer

    others = ["--" + name.replace("_", "-") for name in given if name != "seed"]
    if others:
        raise RecipeError(f"{', '.join(others)} cannot be combined with --recipe; write it into the recipe")
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecipeError(f"cannot read the recipe {path.name}: {error}") from error
    made: Recipe = offer(world, "recipe_from")({**values, **given})
    return made


def run_recipe(
    world: World,
    recipe: Recipe,
    out: Path,
    *,
    called: str = "",
    workers: int | None = None,
    crew: Crew | None = None,
) -> Output:
    """Make the dataset of a recipe with progress on standard error, and return the output of the verb.

    Args:
        world: of which world.
        recipe: what to make.
        out: the folder.
        called: what the folder is called where it is told of, by default its path.
        workers: how many threads or processes.
        crew: those who work, if it is not this machine.

    Raises:
        KeyboardInterrupt: saying that the same command goes on from there.
    """
    from deixis.data._resumable import is_begun
    from deixis.data.store import MANIFEST

    complete, begun = (out / MANIFEST).exists(), is_begun(out)
    start = time.monotonic()
    recipes = world.part("recipes")
    try:
        with Stages(compiles=not complete) as progress:
            dataset: Dataset = recipes.make(recipe, out, workers=workers, progress=progress, crew=crew)
            seconds = time.monotonic() - start
            more: Output = (getattr(recipes, "summary", None) or _splits)(dataset)
    except KeyboardInterrupt:
        message = f"stopped; what is finished is kept in {out}, the same command goes on from there"
        raise KeyboardInterrupt(message) from None
    manifest = dataset.manifest
    values = {
        "path": called or str(dataset.path),
        "world": world.name,
        "was complete": complete,
        "was resumed": begun,
        **({"examples": manifest["examples"]} if "examples" in manifest else {}),
        "splits": {split: size for split, size in dataset.splits.items() if size},
        "bytes": sum(entry["bytes"] for entry in manifest["files"]),
        "seconds": round(seconds, 3),
        "recipe digest": manifest["recipe digest"],
        "content": manifest.get("content", ""),
        **more.values,
    }
    return _make_output(values, more)


def _splits(dataset: Dataset) -> Output:
    """What is said of datasets of worlds that have no summary of their own: how large splits are, and what is lost."""
    from deixis._losses import Losses
    from deixis.report.output import Output, TextTable

    sizes: dict[str, int] = {}
    for entry in dataset.manifest["files"]:
        for split in names_in_split(entry["split"]):
            sizes[split] = sizes.get(split, 0) + entry["bytes"]
    splits = {split: size for split, size in dataset.splits.items() if size}
    rows = [(split, f"{size:,}", f"{sizes.get(split, 0) / size:.0f}") for split, size in splits.items()]
    examples = dataset.manifest.get("examples", sum(splits.values()))
    each = sum(entry["bytes"] for entry in dataset.manifest["files"]) / max(examples, 1)
    table = TextTable(
        ("split", "examples", "bytes per example"), (*rows, ("all", f"{examples:,}", f"{each:.0f}")), numbers=(1, 2)
    )
    losses = dataset.manifest.get("losses", [])
    lines = [line for one in losses for line in Losses.from_dict(one).lines()]
    values = {"bytes by split": sizes} | ({"losses": losses} if losses else {})
    return Output(values=values, blocks=[table], notes=lines)


def _make_output(values: dict[str, Any], more: Output) -> Output:
    from deixis.report.output import Output

    path, count = values["path"], values.get("examples")
    if values["was complete"]:
        size = "the dataset" if count is None else f"{count:,} examples"
        line = f"{path} is already complete: {size} made from the same recipe; nothing to do."
        return Output(values=values, blocks=[line])
    went_on = ", going on from what was kept" if values["was resumed"] else ""
    size = "everything" if count is None else f"{count:,} examples"
    line = f"Made {size} in {values['seconds']:.1f} seconds in {path}{went_on}."
    return Output(values=values, blocks=[*more.blocks, line, *more.notes, f"Next: deixis check {path}"])
