"""Imagined scenes of a dataset in the making, drawn and kept part by part, so that making can be resumed.

While the dataset is made, parts of some scenes lie in `.partial/`: ids, pictures, and what is published and true of
each. From them come `imagined/sceneGraphs.json` and `imagined/truth.json`, laid out like GQA, and the pictures in
`images/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._crew import share_work
from deixis.data.store import PARTIAL, read_parquet, replacing_file
from deixis.worlds.photos.data._picture_files import Picture
from deixis.worlds.photos.data.store import IMAGINED
from deixis.worlds.photos.making._imagined import GRAPHS, TRUTH, imagine_scene


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from deixis.data._crew import Crew
    from deixis.data._resumable import ResumableFolder
    from deixis.worlds.photos.making._imagined import ImaginedScene


FEWEST, MOST = 16, 256  # scenes of a part
PARTS = 128  # about so many, where that is between the two
SCHEMA = pa.schema(
    [("image", pa.string()), ("picture", pa.binary()), ("published", pa.string()), ("truth", pa.string())]
)


@dataclass(frozen=True)
class ImaginedParts:
    """The parts in which imagined scenes are kept while a dataset is made."""

    out: Path
    images: int

    @property
    def size(self) -> int:
        """Number of scenes in a part, though the last may have fewer."""
        return min(MOST, max(FEWEST, self.images // PARTS))

    @property
    def count(self) -> int:
        """Number of parts."""
        return (self.images + self.size - 1) // self.size

    def path(self, number: int) -> str:
        """Return the path of a part in the folder."""
        return f"{PARTIAL}/scenes-{number:05d}.parquet"

    def numbers(self, part: int) -> range:
        """Return the numbers of the scenes of a part."""
        return range(part * self.size, min((part + 1) * self.size, self.images))

    def column(self, name: str) -> Iterator[str]:
        """Yield one column of all parts, in order."""
        for part in range(self.count):
            for table in read_parquet(self.out / self.path(part), columns=[name]):
                yield from table.column(name).to_pylist()

    def finder(self) -> Callable[[str], Picture | None]:
        """Return a function that finds the picture of a scene by its id, fast for neighbours."""
        places = {image: number // self.size for number, image in enumerate(self.column("image"))}

        @lru_cache(maxsize=2)
        def pictures(part: int) -> dict[str, bytes]:
            tables = read_parquet(self.out / self.path(part), columns=["image", "picture"])
            return {name: held for table in tables for name, held in zip(*table.to_pydict().values(), strict=True)}

        def find(image: str) -> Picture | None:
            held = pictures(places[image]).get(image) if image in places else None
            return None if held is None else Picture(f"{image}.png", held)

        return find


def imagine_parts(
    folder: ResumableFolder,
    *,
    images: int,
    seed: int,
    workers: int,
    crew: Crew | None = None,
    progress: Callable[[int], None],
) -> ImaginedParts:
    """Imagine and draw the scenes of a dataset, except those kept from an interrupted run.

    Args:
        folder: of the dataset.
        images: how many scenes.
        seed: what they depend on, together with their numbers.
        workers: processes; the result does not depend on them.
        crew: those who draw, if not this machine.
        progress: told how many more scenes are there.
    """
    parts = ImaginedParts(folder.out, images)
    missing = []
    for part in range(parts.count):
        if folder.find(parts.path(part)) is None:
            missing.append(part)
        else:
            progress(len(parts.numbers(part)))
    asked = [(parts.numbers(part), seed) for part in missing]
    for part, data in zip(missing, share_work(imagine_part, asked, workers=workers, crew=crew), strict=True):
        with replacing_file(folder.out / parts.path(part)) as draft:
            draft.write_bytes(data)
        folder.keep(parts.path(part), split="", rows=len(parts.numbers(part)))
        progress(len(parts.numbers(part)))
    return parts


def write_graphs(folder: ResumableFolder, parts: ImaginedParts) -> Path:
    """Write the published and the true graphs of all scenes, and return the file of the published ones."""
    for name, column in ((GRAPHS, "published"), (TRUTH, "truth")):
        path = f"{IMAGINED}/{name}"
        if folder.find(path) is not None:
            continue
        with replacing_file(folder.out / path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
            mark = "{"
            for image, told in zip(parts.column("image"), parts.column(column), strict=True):
                file.write(f'{mark}"{image}": {told}')
                mark = ",\n"
            file.write("}\n")
        folder.keep(path, split="", rows=parts.images)
    return folder.out / IMAGINED / GRAPHS


def imagine_part(_folder: Path, asked: tuple[range, int]) -> bytes:
    """Imagine the scenes of some numbers as a Parquet file.

    A pure function, for other processes and machines.
    """
    numbers, seed = asked
    return pack_scenes([imagine_scene(number, seed=seed) for number in numbers])


def pack_scenes(rows: Sequence[ImaginedScene]) -> bytes:
    """Return imagined scenes as a Parquet file."""
    told = [{"image": r.image_id, "picture": r.picture, "published": r.published, "truth": r.truth} for r in rows]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(told, schema=SCHEMA), sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())
