"""`deixis studio`: see, question and judge datasets in the browser."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json
from deixis.cli.progress import Stages
from deixis.errors import BrokenDataset


__all__ = ["studio"]

NEEDED = ("starlette", "uvicorn", "jinja2", "pyarrow", "PIL")


def studio(
    paths: Annotated[list[Path] | None, Parameter(name="PATH", negative=())] = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=validators.Number(gte=0, lt=1 << 16))] = 0,
    no_browser: bool = False,
    answers: Path | None = None,
    seed: Seed = 42,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Open the studio in the browser: browse datasets, change scenes, do the tasks, compare models.

    Nothing leaves this machine, and nothing but the given folders is shown. Ctrl-C closes it.

    Args:
        paths: Datasets, results of models, or folders that hold some. Without any, a small dataset of each world is
            made first and kept for the next time.
        host: Where to listen; other machines can only reach it when this is one of your network addresses.
        port: 0, the default, for any that is free.
        no_browser: Say where it is, but open no browser.
        answers: A folder that keeps the answers of people who play; otherwise they can only be downloaded.
        seed: Which demo is made; 42 by default.
        workers: How many threads make the demo.
        as_json: Say where it is as JSON.
    """
    for package in NEEDED:  # better now than when a page is asked for
        if find_spec(package) is None:
            raise ModuleNotFoundError("the studio is a web page", name=package)
    from deixis.studio.server import serve

    roots = paths or [_demo(seed, workers, says=not as_json)]
    for path in roots:
        _demand_readable(path)
    roots = [*roots, *_drawn_beside(roots)]
    if answers is not None:
        answers.mkdir(parents=True, exist_ok=True)

    def tell(address: str) -> None:
        if as_json:
            print_json({"address": address, "paths": [str(path) for path in roots], "process": os.getpid()})
        else:
            print(f"The studio is open at {address} (Ctrl-C closes it)")
        sys.stdout.flush()  # who waits for the address may read it through a pipe

    serve(roots, host=host, port=port, answers=answers, opens=not no_browser, told=tell)
    return 0


def _demo(seed: int, workers: int | None, *, says: bool) -> Path:
    """The folder with the demo, made now if it is not there."""
    from deixis.studio.demo import demo_folder, make_demo

    folder = demo_folder(seed)
    if says:
        print(f"No path was given: a small dataset of each world is shown from {folder}", flush=True)
    with Stages(compiles=True) as progress:
        return make_demo(folder, seed=seed, workers=workers or os.cpu_count() or 1, progress=progress)


def _drawn_beside(roots: list[Path]) -> list[Path]:
    """The folders in which `deixis make copsref` has drawn the pictures of datasets."""
    beside = (root.resolve().with_name(f"{root.resolve().name}-imagined") for root in roots)
    return [folder for folder in beside if (folder / "images").is_dir()]


def _demand_readable(path: Path) -> None:
    if not path.exists():
        raise BrokenDataset(f"there is no file or folder {path}")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise PermissionError(13, "Permission denied", str(path))
