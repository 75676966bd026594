"""`deixis doctor`: what is installed, what is missing and how to get it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from deixis._cli.extras import BARE, extras, find_extra, source_tree
from deixis._cli.failures import in_one_line
from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import UNBOUNDED, print_json
from deixis._cli.terminal import console, terminal_width, visible
from deixis._options import names_in
from deixis._version import __version__


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis._cli.extras import Extra


State: TypeAlias = Literal["fine", "missing", "broken"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
GPU = ("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
MODULES = {"pillow": "PIL"}  # packages that are imported by another name than they are installed by
LITTLE = 2 << 30  # bytes; less is soon used up
PATIENCE = 180  # seconds that an import may take on a slow disk
MARKS = {"fine": ("✓", "green"), "missing": ("–", "yellow"), "broken": ("✗", "bold red")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        about: what.
        state: fine, missing though one can do without, or broken.
        said: what was found, in words.
        fix: what to do about it; empty where nothing needs to be done.
    """

    about: str
    state: State
    said: str
    fix: str = ""


def doctor(
    *paths: Annotated[Path, Parameter(name="PATH")],
    extra: str = "",
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Say what is installed, what is missing and how to get it.

    What is missing is no fault, unless it was asked for: then the exit code is 1.

    Args:
        paths: Datasets that should open.
        extra: Extras that should work, separated by commas, e.g. data,train; their packages are really imported.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    known = extras()
    asked = [find_extra(name, known) for name in names_in(extra)]
    found = [_of_extra(one, is_asked=one in asked) for one in known]
    here = [*_machine(), *(_of_data(path) for path in paths)]
    is_well = not any(finding.state == "broken" for finding in (*found, *here))
    if as_json:
        print_json(_plain(known, found, here, is_well=is_well))
    else:
        _print(known, found, here)
    return 0 if is_well else 1


# -------------------------------------------------------------------------------- packages


def _of_extra(extra: Extra, *, is_asked: bool) -> Finding:
    """Whether an extra is there; whether its packages can be imported is tried only where it was asked for."""
    is_wanted = is_asked or extra.name == BARE
    if not extra.is_there:
        lacking = ", ".join(map(str, extra.lacking))
        return Finding(about=extra.name, state="broken" if is_wanted else "missing", said=lacking, fix=extra.command)
    if is_asked and (fault := _fault_of_import(extra)):
        again = extra.command.replace(" pip install ", " pip install --force-reinstall ", 1)
        return Finding(about=extra.name, state="broken", said=fault, fix=f"install it anew: {again}")
    said = ", ".join(map(str, extra.own)) + (" (all can be imported)" if is_asked else "")
    return Finding(about=extra.name, state="fine", said=said)


def _fault_of_import(extra: Extra) -> str:
    """What goes wrong when the packages of an extra are imported, in a process of its own; empty if nothing does."""
    for package in extra.packages:
        module = MODULES.get(package.name, package.name.replace("-", "_"))
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter, and names from our own metadata
                [sys.executable, "-c", f"import {module}"],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{package} takes longer than {PATIENCE} seconds to import"
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            return f"{package} is installed but cannot be imported: {last[:200]}"
    return ""


# -------------------------------------------------------------------------------- the machine


def _machine() -> Iterator[Finding]:
    tree = source_tree()
    where = f"in the checkout {tree}" if tree else f"in {Path(__file__).parents[1]}"
    yield Finding(about="deixis", state="fine", said=f"{__version__} {where}")
    yield Finding(
        about="Python", state="fine", said=f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    )
    yield _compiler()
    yield _cores()
    yield _gpu()
    yield _browser()
    yield _disk()


def _compiler() -> Finding:
    """Where the machine code of the kernels is kept, and whether there is any."""
    about = "kernels"
    try:
        from deixis._kernels.bitsets import mix

        kept = getattr(getattr(mix, "stats", None), "cache_path", None)
    except Exception as error:  # noqa: BLE001 (whatever a compiler may say)
        fix = "name a folder that can be written, e.g. export NUMBA_CACHE_DIR=$HOME/.cache/numba"
        return Finding(about=about, state="broken", said=in_one_line(error), fix=fix)
    if kept is None:
        fix = "run: unset NUMBA_DISABLE_JIT"
        return Finding(about=about, state="missing", said="compilation is switched off: correct, but slow", fix=fix)
    count = sum(1 for _ in Path(kept).glob("*.nbi"))
    if not os.access(kept if Path(kept).exists() else Path(kept).parent, os.W_OK):
        fix = "name a folder that can be written, e.g. export NUMBA_CACHE_DIR=$HOME/.cache/numba"
        return Finding(about=about, state="missing", said=f"machine code cannot be kept in {kept}", fix=fix)
    if not count:
        fix = "run: deixis warm (or wait about a minute at the first command that needs them)"
        return Finding(about=about, state="missing", said=f"not compiled yet; will be kept in {kept}", fix=fix)
    return Finding(about=about, state="fine", said=f"{count} compiled, kept in {kept}")


def _cores() -> Finding:
    can = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [f"{name}={os.environ[name]}" for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS") if name in os.environ]
    said = f"{can} usable {'core' if can == 1 else 'cores'}" + (f"; {', '.join(limits)}" if limits else "")
    return Finding(about="processor", state="fine", said=said)


def _gpu() -> Finding:
    """The GPUs that the driver knows, and whether the torch that is installed was built for them."""
    about = "GPU"
    built = _torch_cuda()
    lines: list[str] = []
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(GPU, capture_output=True, text=True, timeout=20, check=True)  # noqa: S603 - a constant
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if not lines:
        return Finding(about=about, state="missing", said="none with CUDA; models are trained on the processor")
    said = "; ".join(lines)
    if built is None:
        return Finding(about=about, state="fine", said=said)
    if not built:
        fix = "install a build of torch for CUDA"
        return Finding(about=about, state="missing", said=f"{said}; torch is built for the processor only", fix=fix)
    return Finding(about=about, state="fine", said=f"{said}; torch is built for CUDA {built}")


def _torch_cuda() -> str | None:
    """The CUDA that torch was built for, read without importing it; empty for none, None where there is no torch."""
    with suppress(metadata.PackageNotFoundError, OSError):
        text = Path(str(metadata.distribution("torch").locate_file("torch/version.py"))).read_text(encoding="utf-8")
        said = re.search(r"^cuda[^=\n]*=\s*'([^']*)'", text, re.MULTILINE)
        return said[1] if said else ""
    return None


def _browser() -> Finding:
    there = next(filter(None, map(shutil.which, BROWSERS)), None)
    if there is None:
        return Finding(about="browser", state="missing", said="no Chromium; only tests need one, and are skipped")
    return Finding(about="browser", state="fine", said=f"{there} (only tests need one)")


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    said = f"{free / 1e9:,.1f} GB free in this folder"
    if free < LITTLE:
        return Finding(about="disk", state="missing", said=said, fix="a paper-size dataset takes about 2 GB to make")
    return Finding(about="disk", state="fine", said=said)


def _of_data(path: Path) -> Finding:
    """Whether a dataset opens, and how much there is in it."""
    from deixis.errors import DeixisError

    try:
        said = _describe_dataset(path)
    except (DeixisError, ImportError, OSError) as error:
        return Finding(about="data", state="broken", said=in_one_line(error))
    return Finding(about="data", state="fine", said=f"{path}: {said}")


def _describe_dataset(path: Path) -> str:
    """Return the kind and size of a dataset, or raise an error if a file that it names is missing."""
    from deixis.data.store import MANIFEST, open_dataset
    from deixis.worlds.registry import world_of

    world = world_of(path)
    if (path / MANIFEST).is_file():
        open_dataset(path).demand_whole()
    if not world.has("examples"):
        return f"{world.name}: {world.title}"
    examples = world.part("examples").open(path)
    return f"{world.name}: {world.title}, {len(examples):,} examples"


# -------------------------------------------------------------------------------- printing


def _plain(
    known: Sequence[Extra], found: Sequence[Finding], here: Sequence[Finding], *, is_well: bool
) -> dict[str, Any]:
    return {
        "deixis": __version__,
        "well": is_well,
        "extras": {
            extra.name.strip("()"): {
                "for": extra.about,
                "state": finding.state,
                "packages": {package.name: package.version for package in extra.packages},
                "said": finding.said,
                "install": extra.command,
            }
            for extra, finding in zip(known, found, strict=True)
        },
        "findings": [asdict(finding) for finding in here],
    }


def _print(known: Sequence[Extra], found: Sequence[Finding], here: Sequence[Finding]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = console(width=None if terminal_width() else UNBOUNDED)
    packages = Table(box=SIMPLE_HEAD, pad_edge=False)
    machine = Table(box=SIMPLE_HEAD, pad_edge=False)
    for table, heads in ((packages, ("", "extra", "for", "packages")), (machine, ("", "here", "found"))):
        for head in heads:
            table.add_column(head, overflow="fold", no_wrap=head in ("", "extra"), min_width=1 if not head else None)
    for extra, finding in zip(known, found, strict=True):
        packages.add_row(_mark(finding), Text(extra.name, style="bold"), Text(extra.about), Text(visible(finding.said)))
    for finding in here:
        machine.add_row(_mark(finding), Text(finding.about, style="bold"), Text(visible(finding.said)))
    shown.print(machine)
    shown.print(packages)
    todo = [finding for finding in (*here, *found) if finding.fix]
    if todo:
        print("To have what is missing:")
    for finding in todo:
        print(f"  {finding.about}: {finding.fix}")


def _mark(finding: Finding) -> Any:
    from rich.text import Text

    mark, style = MARKS[finding.state]
    return Text(mark, style=style)
