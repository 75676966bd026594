"""Scene graphs from published files of GQA, Visual Genome and CLEVR, of any size, packed or not.

    table = read_table("GQA", report=report)          # a folder, a .json file or a .zip archive
    for line in report.lines: print(line)

Files are read in chunks, one graph at a time, and told apart by what is in them. What is wrong with a graph is entered
in the report and costs what is wrong, not the rest; what is wrong with a file costs the rest of that file.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812 (a class)

from deixis.data._json_stream import Cursor
from deixis.data.store import file_digest
from deixis.errors import BrokenDataset
from deixis.worlds.photos._formats.scene_graphs import (
    Companion,
    clevr_graph,
    gqa_graph,
    image_id_of,
    visual_genome_graph,
)
from deixis.worlds.photos._left_right import LEFT, RIGHT, with_left_right
from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from deixis.worlds.photos.clean import Cleaning
    from deixis.worlds.photos.scene.graph import SceneGraph


__all__ = ["digest_of_sources", "read_graphs", "read_table"]

COMPANIONS = ("attributes", "relationships", "image_data")  # files of Visual Genome that are read beside objects.json
WITH_COMPANIONS = ("objects", "scene_graphs")
BESIDE = (*COMPANIONS, "object_alias", "relationship_alias", "object_synsets", "attribute_synsets", "qa", "regions")
CLEVR_KEYS = ("info", "scenes")
CUT = "(no whole archive)"
MOST_REPEATS = 10_000  # of keys in one entry that are counted


def read_table(
    *paths: Path | str,
    cleaning: Cleaning | None = None,
    report: GraphReport | None = None,
    keep: Callable[[SceneGraph, GraphReport], bool] | None = None,
) -> GraphTable:
    """Read the scene graphs of some files as one table, cleaned.

    Images of Visual Genome, which records no left and right by rule, are given them.

    Args:
        *paths: files, folders or archives of GQA, Visual Genome or CLEVR.
        cleaning: what is mended; everything by default.
        report: what is found is entered here.
        keep: says of a graph, as it stands in the file, whether it is wanted, and enters in the report why not.

    Raises:
        BrokenDataset: when not one graph can be read.
    """
    report = report if report is not None else GraphReport()
    graphs = (graph for path in paths for graph in read_graphs(path, report))
    wanted = graphs if keep is None else (graph for graph in graphs if keep(graph, report))
    table = GraphTable.of(clean_graphs(wanted, report, cleaning))
    if not len(table):
        names = ", ".join(str(path) for path in paths)
        raise BrokenDataset(f"{names}: no scene graph with an object in it" + _because(report))
    return table


def read_graphs(path: Path | str, report: GraphReport | None = None) -> Iterator[SceneGraph]:
    """Read the scene graphs of a file, a folder or a zip archive, one at a time, uncleaned.

    Raises:
        BrokenDataset: when there is nothing to read; a file that breaks off is entered in the report as G001.
    """
    report = report if report is not None else GraphReport()
    path = Path(path)
    sources = _sources(path)
    if not sources:
        raise BrokenDataset(f"{path} holds no .json or .zip file of scene graphs")
    read, failure = 0, None
    for source in sources:
        report.files += 1
        try:
            for graph in _graphs_of(source, report):
                read += 1
                yield graph
        except BrokenDataset as error:
            failure = error
            report.add("G001", detail=str(error))
    if failure and not read:
        raise failure


def digest_of_sources(*paths: Path | str) -> str:
    """Return a digest of the files of scene graphs at some paths, independent of their location.

    Raises:
        BrokenDataset: when there is nothing to read.
    """
    digest = sha256()
    for path in map(Path, paths):
        beside = _files(path.parent) if path.is_file() and path.stem.removesuffix("_v1_2") in WITH_COMPANIONS else []
        files = sorted({source.path for source in (*_files(path), *beside)})
        if not files:
            raise BrokenDataset(f"{path} holds no .json or .zip file of scene graphs")
        for file in files:
            try:
                digest.update(f"{file.name} {file_digest(file)}\n".encode())
            except OSError as error:
                raise BrokenDataset(f"{file} cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


class _Source(NamedTuple):
    """A file, or a member of an archive."""

    path: Path
    member: str = ""

    @property
    def label(self) -> str:
        member = self.member if self.member.isprintable() else ascii(self.member)
        return f"{self.path}:{member}" if self.member else str(self.path)

    @property
    def stem(self) -> str:
        return Path(self.member or self.path).name.removesuffix(".json").removesuffix("_v1_2")


def _sources(path: Path) -> list[_Source]:
    """The files and members of archives at a path that may hold scene graphs, those read beside others left out."""
    found = [source for source in _files(path) if source.stem not in BESIDE]
    if any(source.stem == "objects" for source in found):  # the same images as in scene_graphs.json
        found = [source for source in found if source.stem != "scene_graphs"]
    return found


def _files(path: Path) -> list[_Source]:
    """Return the .json files at a path, in a fixed order, archives opened."""
    if path.is_dir():
        return [source for child in sorted(path.iterdir()) if not child.is_dir() for source in _files(child)]
    if path.suffix == ".zip" and path.is_file():
        return _members(path)
    return [_Source(path)] if path.suffix == ".json" or not path.exists() else []


def _members(path: Path) -> list[_Source]:
    try:
        with ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".json") and "__MACOSX" not in name)
    except (BadZipFile, OSError, NotImplementedError):
        return [_Source(path, CUT)]  # reading it says what is wrong
    return [_Source(path, name) for name in names]


@contextmanager
def _cursor(source: _Source) -> Iterator[Cursor]:
    """The beginning of a file or member; what goes wrong while it is read becomes one line."""
    try:
        with ExitStack() as stack:
            if source.member:
                archive = stack.enter_context(ZipFile(source.path))
                file = cast("BinaryIO", stack.enter_context(archive.open(source.member)))
            else:
                file = stack.enter_context(source.path.open("rb"))
            yield Cursor(file, source.label, is_lenient=True)
    except (BadZipFile, ZlibError, EOFError, RuntimeError, NotImplementedError) as error:
        raise BrokenDataset(f"{source.path} is no whole zip archive ({error}); fetch it again") from error
    except OSError as error:
        raise BrokenDataset(f"{source.label} cannot be read: {error.strerror or error}") from error


def _graphs_of(source: _Source, report: GraphReport) -> Iterator[SceneGraph]:
    with _cursor(source) as cursor:
        match cursor.peek():
            case "{":
                graphs = _graphs_in_object(cursor, report)
            case "[":
                graphs = _graphs_of_visual_genome(cursor, source, report)
            case _:
                cursor.fail("expected a JSON object or list of scene graphs")
        for graph in graphs:
            if graph is not None:
                yield graph
        if cursor.peek():
            cursor.fail("there is more text behind the end; was the file written twice or joined with another?")


def _graphs_in_object(cursor: Cursor, report: GraphReport) -> Iterator[SceneGraph | None]:
    """Yield the graphs of GQA, by image, or those of CLEVR, which has a list of scenes."""
    is_clevr = False
    for key in cursor.members("the file"):
        is_clevr = is_clevr or key in CLEVR_KEYS
        if is_clevr and key == "scenes" and cursor.peek() != "[":
            report.add("G002", detail="the scenes of CLEVR are no list")
            cursor.value("'scenes'")
        elif is_clevr and key == "scenes":
            for number in cursor.items("'scenes'"):
                entry = cursor.value(f"scene {number}")
                _tell_repeats(cursor, str(number), report)
                yield clevr_graph(number, entry, report)
        else:
            entry = cursor.value(f"image {key[:40]!r}")
            if not is_clevr:
                _tell_repeats(cursor, key, report)
                yield gqa_graph(key, entry, report)


def _tell_repeats(cursor: Cursor, image: str, report: GraphReport) -> None:
    """Enter keys that occurred twice in the entry that was read last."""
    for _ in range(min(cursor.repeated, MOST_REPEATS)):
        report.add("G013", image)
    cursor.repeated = 0


def _graphs_of_visual_genome(cursor: Cursor, source: _Source, report: GraphReport) -> Iterator[SceneGraph | None]:
    with ExitStack() as stack:
        companions = {}
        folder = _files(source.path.parent) if source.stem in WITH_COMPANIONS else []
        for other in folder:
            if other.stem in COMPANIONS and other.stem not in companions:
                entries = _entries(other, report)
                stack.callback(entries.close)
                companions[other.stem] = Companion(entries)
        for number in cursor.items("the list of images"):
            entry = cursor.value(f"image {number}")
            _tell_repeats(cursor, image_id_of(entry), report)
            graph = visual_genome_graph(entry, report, companions)
            told = {link.relation for thing in graph.objects for link in thing.relations} if graph else set()
            yield graph if graph is None or told & {LEFT, RIGHT} else with_left_right(graph)


def _entries(source: _Source, report: GraphReport) -> Generator[dict[str, Any]]:
    """The entries of a list, each about an image; a file that breaks off has that reported and ends there."""
    try:
        with _cursor(source) as cursor:
            for number in cursor.items(f"the list of {source.stem}"):
                entry = cursor.value(f"entry {number}")
                if image_id_of(entry):
                    yield entry
                else:
                    report.add("G002", detail=f"entry {number} of {source.label} names no image")
    except BrokenDataset as error:
        report.add("G001", detail=str(error))


def _because(report: GraphReport) -> str:
    return f"; {report.findings[0]}" if report.findings else ""
