"""`deixis card`: the cards of datasets written anew, with figures, ready to be published."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


__all__ = ["card"]


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
    """Write the card of a dataset (README.md), its figures and its Croissant metadata, ready to be published.

    A card is also written when a dataset is made; this one has figures, too.

    Args:
        paths: Dataset folders of any kind.
        license_name: The terms, e.g. cc-by-4.0 or mit, in place of those that the kind of dataset comes with.
        published: The day on which it was published, e.g. 2026-11-30, for the metadata.
        no_figures: Draw no figures.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; there is nothing to divide here.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    if published and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", published):
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


def _write(path: Path, license_name: str, published: str, *, figures: bool) -> list[str]:
    """The files that were written, as named in the folder."""
    from deixis.datasets.card import write_card
    from deixis.datasets.copsref.store import KIND, open_copsref
    from deixis.datasets.licenses import find_license
    from deixis.datasets.store import kind_of, open_dataset

    if license_name:
        find_license(license_name)  # better now than when everything is drawn
    dataset = open_copsref(path).dataset if kind_of(path) == KIND else open_dataset(path)
    dataset.demand_whole()
    drawn: list[Path] = []
    if figures:
        from deixis.reports.card_figures import draw_card_figures

        with Stages(compiles=False) as progress:
            drawn = draw_card_figures(path, progress=lambda done: progress(path.name, done, None))
    files = write_card(path, dataset.manifest, license_name=license_name, published=published)
    return [file.relative_to(path).as_posix() for file in (*files, *drawn)]
