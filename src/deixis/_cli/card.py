"""`deixis card`: the cards of datasets written anew, with figures, ready to be published."""

from __future__ import annotations

from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import print_json
from deixis._cli.progress import Stages
from deixis.errors import RecipeError


def card(
    paths: Annotated[list[Path], Parameter(name="PATH", negative=())],
    /,
    *,
    license_name: Annotated[str, Parameter(name="--license")] = "",
    published: str = "",
    no_figures: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Write the card of a dataset (README.md), ready to be published.

    With figures and Croissant metadata. A card is also written when a dataset is made; this one has figures, too.

    Args:
        paths: Dataset folders of any world.
        license_name: Licence of the dataset, e.g. cc-by-4.0; by default the one that it comes with.
        published: Publication date for the metadata, e.g. 2026-11-30.
        no_figures: Draw no figures.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    if published and not _is_day(published):
        raise RecipeError(f"a day is written as 2026-11-30, got {published[:40]!r}")
    if not no_figures and find_spec("matplotlib") is None:
        raise ModuleNotFoundError("the figures are charts", name="matplotlib")
    written = {str(path): _write(path, license_name, published, figures=not no_figures) for path in paths}
    if as_json:
        print_json({"cards": [{"path": path, "files": files} for path, files in written.items()]})
        return 0
    for path, files in written.items():
        print(f"Wrote {', '.join(files)} to {path}.")
    print("Next, to publish it: hf upload NAME PATH --repo-type dataset")
    return 0


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _write(path: Path, license_name: str, published: str, *, figures: bool) -> list[str]:
    """The files that were written, as named in the folder."""
    from deixis.data._card_facts import find_license
    from deixis.data._seal import renew_manifest
    from deixis.data.card import FIGURES, write_card
    from deixis.data.store import open_dataset, replacing_file
    from deixis.worlds.registry import world_of

    if license_name:
        find_license(license_name)  # better now than when everything is drawn
    dataset = open_dataset(path)
    world = world_of(path)
    if world.has("examples"):
        world.part("examples").open(path)  # which looks at what a world asks of its manifests
    dataset.demand_whole()
    drawn: list[Path] = []
    if figures:
        with Stages(compiles=False) as progress:
            made = world.part("statistics").draw_card(path, progress=progress)
        for name, data in made.items():
            with replacing_file(path / FIGURES / name) as draft:
                draft.write_bytes(data)
            drawn.append(path / FIGURES / name)
    files = write_card(path, dataset.manifest, license_name=license_name, published=published)
    renew_manifest(path, dataset.manifest)
    return [file.relative_to(path).as_posix() for file in (*files, *drawn)]
