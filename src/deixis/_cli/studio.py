"""`deixis studio`: see, question and judge datasets in the browser."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import print_json
from deixis._cli.progress import Stages
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from deixis._studio.demo import Preparing


OPEN_TO_OTHERS = "warning: the studio has no passwords; everybody who can reach this machine can see the given folders"
NEEDED = ("starlette", "uvicorn", "jinja2", "pyarrow", "PIL")


def studio(
    paths: Annotated[list[Path] | None, Parameter(name="PATH", negative=())] = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int | None, Parameter(validator=validators.Number(gte=0, lt=1 << 16))] = None,
    no_browser: bool = False,
    answers: Path | None = None,
    study: Path | None = None,
    name: str = "",
    export: Path | None = None,
    examples: Count | None = None,
    force: bool = False,
    seed: Seed = 42,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Open the studio in the browser.

    Browse datasets, change scenes, do the tasks, compare models. Nothing leaves this machine, and nothing but the given
    folders is shown. Ctrl-C closes it.

    Args:
        paths: Datasets, results of models, or folders that hold some. Without any, a small dataset of each world is
            made while the studio is already open, and kept for the next time.
        host: Address to listen on; other machines can reach it only if it is a network address of this one.
        port: 8377 by default, so that links into the studio stay valid; the next free one where that is taken. 0
            for any that is free.
        no_browser: Print the address, and open no browser.
        answers: A folder that keeps the answers of people who play; otherwise they can only be downloaded.
        study: Serve this study of deixis study to its participants, and nothing else.
        name: With --study, the name under which a proxy in front of it is called, as in https://NAME/.
        export: Write the pages into this folder instead, for a file share or a project page, and open no studio. The
            folder must be empty or not there yet, or with --force the folder of an earlier export.
        examples: With --export, how many examples of each dataset get a page; 100 by default.
        force: With --export, replace the folder of an earlier export, and nothing but that.
        seed: Random seed of the demo; 42 by default.
        workers: How many threads make the demo.
        as_json: Print the address as JSON, or with --export what was written.
    """
    for package in NEEDED:  # better now than when a page is asked for
        if find_spec(package) is None:
            raise ModuleNotFoundError("the studio is a web page", name=package)
    from deixis._studio.server import PORT, is_local, serve

    if study is not None and (paths or answers is not None or export is not None):
        raise RecipeError("--study serves a study and nothing else; leave out the paths, --answers and --export")
    _demand_used(name=name, study=study, examples=examples, force=force, export=export)
    if study is not None:
        return _serve_study(study, host=host, port=port, name=name, as_json=as_json)
    if export is not None:
        return _export(paths or [], export, examples=examples, force=force, as_json=as_json)
    if not is_local(host):
        print(f"deixis: {OPEN_TO_OTHERS}", file=sys.stderr, flush=True)

    roots, preparing = (paths, None) if paths else _demo(seed, workers, says=not as_json)
    for path in roots:
        _demand_readable(path)
    if answers is not None:
        answers.mkdir(parents=True, exist_ok=True)

    def tell(address: str) -> None:
        if as_json:
            print_json({"address": address, "paths": [str(path) for path in roots], "process": os.getpid()})
        else:
            if port is None and not address.endswith(f":{PORT}/"):
                print(f"Port {PORT} is taken, perhaps by another studio; links to that one do not lead here")
            print(f"The studio is open at {address} (Ctrl-C closes it)")
        sys.stdout.flush()  # who waits for the address may read it through a pipe

    options: dict[str, Any] = {"host": host, "port": port, "answers": answers, "opens": not no_browser, "told": tell}
    if preparing is None:
        serve(roots, **options)
        return 0
    with Stages() as progress:
        preparing.progress = None if as_json else progress
        serve(roots, **options, preparing=preparing)
    return 0


def _demand_used(*, name: str, study: Path | None, examples: int | None, force: bool, export: Path | None) -> None:
    """Refuse options that say something about a study or an export where there is none."""
    if name and study is None:
        raise RecipeError("--name is for a study behind a proxy; add --study STUDY")
    if examples is not None and export is None:
        raise RecipeError("--examples is for the pages of --export DIR")
    if force and export is None:
        raise RecipeError("--force is for the folder of --export DIR")


def _export(paths: list[Path], out: Path, *, examples: int | None, force: bool, as_json: bool) -> int:
    """Write the pages as files."""
    from deixis._studio.export import EXAMPLES, export_studio

    if not paths:
        raise RecipeError("--export needs the datasets or results that are exported")
    for path in paths:
        _demand_readable(path)
    with Stages() as progress:
        count = EXAMPLES if examples is None else examples
        written = export_studio(paths, out, examples=count, force=force, progress=progress)
    if as_json:
        print_json({"out": str(out), **asdict(written)})
    else:
        size = f"{written.bytes / 1e6:,.1f} MB"
        print(f"Wrote {written.pages:,} pages, {written.examples:,} of them examples, to {out} ({size})")
        print(f"Open {out / 'index.html'} in a browser; no server is needed")
    return 0


def _serve_study(folder: Path, *, host: str, port: int | None, name: str, as_json: bool) -> int:
    """Serve a study until Ctrl-C."""
    from deixis._studio.server import serve_study
    from deixis._study.design import read_study

    found = read_study(folder)

    def tell(address: str) -> None:
        links = f"{address}?token=TOKEN"
        if as_json:
            print_json({"address": address, "study": found.digest, "links": links, "process": os.getpid()})
        else:
            print(f"Study {found.digest} is open at {address} (Ctrl-C closes it)")
            if found.settings.admission == "links":
                print(f"Everybody's link is {links}, with a line of {folder / 'links.txt'} for TOKEN")
            elif found.settings.admission == "prolific":
                print(f"For Prolific: {address}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID=…&SESSION_ID=…")
            print(f"Answers are kept in {folder / 'answers'}")
        sys.stdout.flush()

    serve_study(found, host=host, port=port, name=name, told=tell)
    return 0


def _demo(seed: int, workers: int | None, *, says: bool) -> tuple[list[Path], Preparing | None]:
    """The folder of the demo, and what makes it while the studio is open, where it is not there yet."""
    from deixis._studio.demo import Preparing, demo_folder, is_made

    folder = demo_folder(seed)
    folder.mkdir(parents=True, exist_ok=True)
    is_there = is_made(folder)
    if says:
        print(f"No path was given: a small dataset of each world is shown from {folder}")
        if not is_there:
            print("It is made first, which takes a few minutes, most of it compiling; the page shows how far it is")
        sys.stdout.flush()
    return [folder], None if is_there else Preparing(folder, seed=seed, workers=workers or os.cpu_count() or 1)


def _demand_readable(path: Path) -> None:
    if not path.exists():
        raise BrokenDataset(f"there is no file or folder {path}")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise PermissionError(13, "Permission denied", str(path))
