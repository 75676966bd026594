"""Examples as WebDataset: tar files of `KEY.json` and pictures, for loaders that stream from disks or storage.

`webdataset`, Hugging Face's `load_dataset("webdataset", …)` and others read them. The same dataset gives the same
bytes, but pictures that are drawn afresh are compressed as Pillow does.
"""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._example_rows import open_rows
from deixis.data.store import replacing_file
from deixis.errors import DeixisError, RecipeError
from deixis.seeds import ranks
from deixis.worlds.registry import find_world


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deixis.data._example_rows import Table


__all__ = ["write_shards"]

AT_ONCE = 256  # examples in memory
KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg"}  # of files, by their first bytes


def write_shards(
    data: Path | str,
    out: Path | str,
    *,
    split: str | None = None,
    table: str | None = None,
    pictures: bool = True,
    per_shard: int = 1000,
    seed: int | None = None,
) -> list[Path]:
    """Write the examples of a split to `SPLIT-00000-of-00012.tar` and so on, and return these files.

    Every example has a `KEY.json` with its columns. A `picture` is `KEY.png`, several `pictures` are `KEY.0.png`,
    `KEY.1.png` and so on, those of other names `KEY.NAME.png`.

    Args:
        data: the folder of a dataset of any kind.
        out: the folder of the files.
        split: which split; may be left out where there is only one.
        table: which table, such as `images`.
        pictures: whether pictures are added where the dataset keeps or draws them.
        per_shard: examples in one file.
        seed: of a random order; by default that of the dataset. Loaders shuffle nearby examples only.

    Raises:
        BrokenDataset: when there is no dataset, or it is damaged.
        RecipeError: when it cannot be written.
        UnknownName: when it has no such table or split.
    """
    if per_shard < 1:
        raise RecipeError(f"a file holds at least one example, got per_shard={per_shard}")
    folder, rows = Path(out), open_rows(Path(data), split=split, table=table)
    world = find_world(rows.world)
    further = world.part("items").columns(Path(data), pictures=True) if pictures and world.has("items") else None
    order = np.arange(len(rows)) if seed is None else np.argsort(ranks(seed, np.arange(len(rows)), 1)[:, 0])
    count = max(1, -(-len(rows) // per_shard))
    written = []
    try:
        for number in range(count):
            path = folder / f"{rows.split or 'all'}-{number:05d}-of-{count:05d}.tar"
            with replacing_file(path) as draft, tarfile.open(draft, "w", format=tarfile.USTAR_FORMAT) as tar:
                some = order[number * per_shard : (number + 1) * per_shard]
                for first in range(0, len(some), AT_ONCE):
                    places = some[first : first + AT_ONCE]
                    for place, files in zip(places, _samples(rows.take(places), further), strict=True):
                        for ending, content in files.items():
                            _add(tar, f"{place:09d}.{ending}", content)
            written.append(path)
    except OSError as error:
        raise RecipeError(f"cannot write to {folder}: {error.strerror or error}") from error
    return written


def _samples(table: Table, further: Callable[[Table], Mapping[str, Any]] | None) -> Iterator[dict[str, bytes]]:
    """Yield the files of every row by their endings."""
    added = {} if further is None else further(table)
    drawn = {name: column if isinstance(column, list) else _encode(column) for name, column in added.items()}
    for number, row in enumerate(table.to_pylist()):
        row |= {name: column[number] for name, column in drawn.items() if column and _files_in(name, column[number])}
        pictures = {ending: content for name, value in row.items() for ending, content in _files_in(name, value)}
        plain = {name: value for name, value in row.items() if not _files_in(name, value)}
        yield {"json": json.dumps(plain, ensure_ascii=False).encode(), **pictures}


def _encode(column: Any) -> list[bytes]:
    """Return pictures that are drawn, uint8 [row, 3, height, width], as PNG, and nothing for other arrays."""
    if not isinstance(column, np.ndarray) or column.dtype != np.uint8 or column.ndim != 4 or column.shape[1] != 3:
        return []
    try:
        from PIL import Image
    except ImportError:
        raise DeixisError("pictures need Pillow; install it with: pip install 'deixis[data]'") from None
    found = []
    for picture in column:
        file = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(picture.transpose(1, 2, 0))).save(file, "png")
        found.append(file.getvalue())
    return found


def _files_in(name: str, value: Any) -> list[tuple[str, bytes]]:
    """The pictures in a value with their endings, or nothing where it has none."""
    if isinstance(value, dict):  # as `datasets.Image` keeps a picture
        value = value.get("bytes")
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(one, bytes) for one in values):
        return []
    head = "" if name in ("picture", "pictures") else f"{name}."
    places = [f"{place}." for place in range(len(values))] if isinstance(value, list) else [""]
    return [(f"{head}{place}{_kind(one)}", one) for place, one in zip(places, values, strict=True)]


def _kind(picture: bytes) -> str:
    return next((kind for start, kind in KINDS.items() if picture.startswith(start)), "bin")


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a file without date, owner and whatever else differs between machines."""
    about = tarfile.TarInfo(name)
    about.size, about.mode = len(content), 0o644
    tar.addfile(about, io.BytesIO(content))
