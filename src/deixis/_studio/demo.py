"""A small dataset of each world, for those who want to look before they have anything of their own.

Beside some lie the results of two that need no training: one answers at random, one understands everything.

The demo is made while the studio is already open, in a process of its own, so that pages are answered meanwhile: the
playground needs no data, and each dataset appears on the first page as soon as it is whole. Whoever stops in between
goes on the next time.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from deixis._studio.world_pages import all_pages
from deixis._version import __version__
from deixis.data.store import MANIFEST
from deixis.errors import DeixisError
from deixis.judge.request import Request


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deixis.worlds.world import World


RESULTS = "results"  # the folder for those of all worlds
EVALUATION = "evaluation.json"
END_SECONDS = 5.0


def make_demo(
    out: Path, *, seed: int = 42, workers: int = 1, progress: Callable[[str, int, int | None], None] | None = None
) -> Path:
    """Make a dataset of each world in a folder, or use those that are there, and return the folder.

    Args:
        out: the folder.
        seed: everything random follows from it.
        workers: how many threads or processes; the result does not depend on it.
        progress: told how far every stage has come.
    """
    out.mkdir(parents=True, exist_ok=True)
    tell = progress or (lambda *_: None)
    for demo in _demos():
        folder = out / demo.folder
        demo.recipes.make(demo.recipes.demo(seed), folder, workers=workers, progress=_of(demo.folder, tell))
    for demo in _demos():
        for reader in demo.readers:
            if not (out / RESULTS / reader / EVALUATION).is_file():
                tell(f"results of {reader}; the first time, this compiles for a while", 0, None)
                asked = Request(answers=(Path(reader),), data=out / demo.folder, out=out / RESULTS / reader, seed=seed)
                demo.world.part("judging").evaluate(asked)
    return out


def is_made(out: Path) -> bool:
    """Return whether everything of the demo lies in a folder."""
    datasets = [out / demo.folder / MANIFEST for demo in _demos()]
    results = [out / RESULTS / reader / EVALUATION for demo in _demos() for reader in demo.readers]
    return all(path.is_file() for path in (*datasets, *results))


class Demo(NamedTuple):
    """The demo of one world: its recipes, the folder of its dataset, and the models whose answers are judged."""

    world: World
    recipes: Any
    folder: str
    readers: tuple[str, ...]


def _demos() -> Iterator[Demo]:
    """The worlds that have a small dataset to look at."""
    for pages in all_pages():
        world = pages.world
        recipes = world.part("recipes") if world.has("recipes") else None
        if hasattr(recipes, "demo"):
            yield Demo(world, recipes, pages.demo_folder or world.name, pages.demo_readers)


def _of(dataset: str, tell: Callable[[str, int, int | None], None]) -> Callable[[str, int, int | None], None]:
    """Progress whose stages say which dataset they are of."""
    return lambda stage, done, total: tell(f"{dataset}, {stage}", done, total)


def demo_folder(seed: int = 42) -> Path:
    """Return the folder in which the demo is kept between visits, in the user's cache."""
    home = Path.home()
    match sys.platform:
        case "win32":
            caches = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        case "darwin":
            caches = home / "Library" / "Caches"
        case _:
            caches = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return caches / "deixis" / f"studio-demo-{seed}-{_edition(seed)}"


def _edition(seed: int) -> str:
    """Which demo it is: another version of the program, or of a recipe, makes another one."""
    recipes = (repr(demo.recipes.demo(seed)) for demo in _demos())
    return sha256("\n".join((__version__, *recipes)).encode()).hexdigest()[:8]


# -------------------------------------------------------------------------------- making it in another process


@dataclass(frozen=True)
class Stage:
    """Progress of making the demo.

    Attributes:
        name: what is being made.
        done, total: how much of it there is; a total of None is one that nobody knows.
        is_over: whether nothing is being made any more.
        error: why that is so before everything is there.
    """

    name: str = "starting; the first time, compiling takes about a minute"
    done: int = 0
    total: int | None = None
    is_over: bool = False
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


class Preparing:
    """The making of a demo, as a context manager that ends it.

    Args:
        folder: where the demo will lie.
        seed: everything random follows from it.
        workers: how many threads or processes.
        progress: told how far every stage has come.
        made: what makes it, `make_demo` by default; importable, since another process calls it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seed: int = 42,
        workers: int = 1,
        progress: Callable[[str, int, int | None], None] | None = None,
        made: Callable[..., object] | None = None,
    ) -> None:
        self.stage = Stage()
        self.progress = progress
        context = get_context("spawn")
        self._told = context.Queue()
        self._process = context.Process(target=_make, args=(made, folder, seed, workers, self._told), name="demo")
        self._reader = Thread(target=self._read, name="demo progress", daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.is_alive():
            self._process.terminate()
        self._process.join(END_SECONDS)
        self._reader.join(END_SECONDS)

    def _read(self) -> None:
        """Follow what the other process says, until it is over."""
        while not self.stage.is_over:
            try:
                self.stage = self._told.get(timeout=0.5)
            except Empty:
                if not self._process.is_alive() and self._told.empty():
                    self.stage = Stage(is_over=True, error="the making of the demo was stopped")
                continue
            if self.progress and not self.stage.is_over:
                self.progress(self.stage.name, self.stage.done, self.stage.total)


def _make(made: Callable[..., object] | None, folder: Path, seed: int, workers: int, told: Any) -> None:
    """Make the demo and tell how far it is: what the other process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the studio, which then ends this
    try:
        (made or make_demo)(folder, seed=seed, workers=workers, progress=lambda *stage: told.put(Stage(*stage)))
        told.put(Stage("everything is there", is_over=True))
    except DeixisError as error:
        told.put(Stage(is_over=True, error=str(error)))
    except Exception as error:  # noqa: BLE001 (the page says what a terminal would)
        told.put(Stage(is_over=True, error=f"{type(error).__name__}: {error}"[:300]))
