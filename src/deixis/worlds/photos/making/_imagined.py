"""Imagined scenes in a folder, laid out like GQA: `images`, `sceneGraphs.json`, and `truth.json` beside it.

`sceneGraphs.json` says what an annotator wrote down, `truth.json` all that can be seen, with the same ids; both have
GQA's layout, so that whatever reads GQA reads them.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deixis.data._processes import follow_the_parent, spawn_context
from deixis.data.store import replacing_file
from deixis.errors import RecipeError
from deixis.worlds.photos._formats.scene_graphs import gqa_entry
from deixis.worlds.photos.imagine import Annotator, draw_imagined, imagine


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


GRAPHS, TRUTH, PICTURES = "sceneGraphs.json", "truth.json", "images"
FORMATS = {"jpg": {"quality": 92, "subsampling": 0}, "png": {"compress_level": 3}}
NAMES = {"jpg": "JPEG", "png": "PNG"}
CHUNK = 8  # scenes that a worker makes in one go
MOST_IMAGES = 1_000_000


class SceneJson(NamedTuple):
    """The JSON of both files about one scene."""

    image_id: str
    published: str
    truth: str


class ImaginedScene(NamedTuple):
    """A scene: its id, its picture as a file, and its published and true graphs as JSON."""

    image_id: str
    picture: bytes
    published: str
    truth: str


def imagine_scene(number: int, *, seed: int, annotator: Annotator | None = None, picture: str = "png") -> ImaginedScene:
    """Imagine one scene, which depends on its number and the seed alone."""
    scene = imagine(number, seed=seed, annotator=annotator or Annotator())
    file = BytesIO()
    draw_imagined(scene).save(file, format=NAMES[picture], **FORMATS[picture])
    told = (json.dumps(gqa_entry(graph)) for graph in (scene.published, scene.truth))
    return ImaginedScene(scene.truth.image_id, file.getvalue(), *told)


def write_imagined(
    folder: Path | str,
    *,
    images: int = 2000,
    seed: int = 0,
    annotator: Annotator | None = None,
    picture: str = "png",
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Imagine scenes and write them, with the same bytes for any number of workers (one per core by default).

    Args:
        folder: new, or empty.
        images: how many scenes.
        seed: what they depend on, together with their numbers.
        annotator: how much of the truth is published.
        picture: 'png' without loss, or 'jpg' as GQA has them.
        workers: how many scenes are made at the same time.
        progress: told how many more images are done.

    Raises:
        RecipeError: when the folder holds something already, or an argument makes no sense.
    """
    folder = Path(folder)
    _check(folder, images, picture, workers)
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    make = partial(_make, folder / PICTURES, seed, annotator or Annotator(), picture)
    with (
        replacing_file(folder / GRAPHS) as graphs,
        replacing_file(folder / TRUTH) as truth,
        graphs.open("w", encoding="utf-8") as published_file,
        truth.open("w", encoding="utf-8") as truth_file,
    ):
        mark = "{"
        for image_id, published, true in _make_all(make, images, workers or os.cpu_count() or 1):
            published_file.write(f'{mark}"{image_id}": {published}')
            truth_file.write(f'{mark}"{image_id}": {true}')
            mark = ",\n"
            if progress is not None:
                progress(1)
        published_file.write("}\n")
        truth_file.write("}\n")


def _check(folder: Path, images: int, picture: str, workers: int | None) -> None:
    if picture not in FORMATS:
        raise RecipeError(f"pictures are {' or '.join(FORMATS)}, not {picture[:20]!r}")
    if not 1 <= images <= MOST_IMAGES:
        raise RecipeError(f"images must be 1 to {MOST_IMAGES}, got {images}")
    if workers is not None and workers < 1:
        raise RecipeError(f"workers must be at least 1, got {workers}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RecipeError(f"{str(folder)!r} exists and is not an empty folder; name a new one")


def _make_all(make: Callable[[int], SceneJson], images: int, workers: int) -> Iterator[SceneJson]:
    """What the scenes say, in the order of their numbers."""
    workers = min(workers, -(-images // CHUNK))
    if workers == 1:
        yield from map(make, range(images))
        return
    with ProcessPoolExecutor(workers, spawn_context(), initializer=follow_the_parent) as pool:
        try:
            for some in _chunks(range(images), 64 * CHUNK * workers):
                yield from pool.map(make, some, chunksize=CHUNK)
        finally:
            pool.shutdown(cancel_futures=True)


def _make(folder: Path, seed: int, annotator: Annotator, picture: str, number: int) -> SceneJson:
    scene = imagine_scene(number, seed=seed, annotator=annotator, picture=picture)
    (folder / f"{scene.image_id}.{picture}").write_bytes(scene.picture)
    return SceneJson(scene.image_id, scene.published, scene.truth)


def _chunks(numbers: Iterable[int], size: int) -> Iterator[list[int]]:
    numbers = iter(numbers)
    while some := list(islice(numbers, size)):
        yield some
