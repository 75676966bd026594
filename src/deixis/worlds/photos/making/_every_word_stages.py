"""The stages of the mode `every-word`, each kept part by part: what is said, chosen, drawn, and shown with others."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data.store import PARTIAL, read_parquet
from deixis.seeds import derive
from deixis.worlds.photos._formats.scene_graphs import gqa_graph
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._mirror import (
    graph_of,
    is_spoken_of_mirrored,
    mirror_graph,
    mirrored_finder,
    with_mirror_images,
)
from deixis.worlds.photos._negatives import Negation
from deixis.worlds.photos._served_wants import add_counts
from deixis.worlds.photos._twins import is_twin, origin_of
from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.data._picture_files import Picture
from deixis.worlds.photos.data.store import COLUMNS, example_from_row, table_of_examples
from deixis.worlds.photos.making._choosing import choose_said
from deixis.worlds.photos.making._every_word import (
    IMAGES,
    ServedExamples,
    SpokenChunk,
    SpokenCorpus,
    candidates_engine,
    speak_of_chunk,
)
from deixis.worlds.photos.making._twinned import (
    SCENES,
    DrawnChunk,
    FamilyChunk,
    TwinChunk,
    add_families,
    counts_of_families,
    draw_twins,
    speak_of_twins,
)
from deixis.worlds.photos.making.assemble import CHUNK, negatives_of
from deixis.worlds.photos.resolution.unknowns import Unknowns
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.making.make import Stages
    from deixis.worlds.photos.scene.graph import SceneGraph


UNORDERED = {True: 0.05, False: 0.2}  # by whether scenes are imagined: largest share that says the same in every order
COUNTS = b"deixis"  # in a part: what was counted while it was made, as JSON
DRAWN = 64  # twins of a part


class SpokenData(NamedTuple):
    """All that is made in this mode: the scenes, what finds their pictures, the examples, and what was counted."""

    table: GraphTable
    find: Callable[[str], Picture | None] | None
    examples: list[Example]
    counts: dict[str, Any]


def speak_of_given(stages: Stages, table: GraphTable, find: Callable[[str], Picture | None] | None) -> SpokenData:
    """Say of scenes that are given what other images of their split, and their mirror images, can punish."""
    both = with_mirror_images(table)
    corpus = SpokenCorpus.of(both)
    examples: list[Example] = []
    counts: dict[str, Any] = {}
    recipe = stages.recipe
    for split in stages.splits():
        own = [k for k in range(0, len(both), 2) if stages.split_of(both.image_ids[k]) == split]
        scenes = [k + int(is_spoken_of_mirrored(both.image_ids[k], recipe.seed)) for k in own]
        chunks = [
            SpokenChunk(
                candidates_engine(stages.engine(), recipe.candidates),
                tuple(scenes[first : first + IMAGES]),
                np.array([scene for k in own for scene in (k, k + 1)], np.int64),
                derive(recipe.seed, "every word", split),
                Unknowns() if recipe.guarded else None,
            )
            for first in range(0, len(scenes), IMAGES)
        ]
        found, told = _speak(stages, split, speak_chunk, chunks, corpus.save, len(scenes))
        counts[split] = told
        examples += _number(_with_absent(stages, split, found, corpus.table, corpus.index), len(examples))
    return SpokenData(both, None if find is None else mirrored_finder(find), examples, counts)


def speak_of_imagined(stages: Stages, truth: GraphTable, find: Callable[[str], Picture | None]) -> SpokenData:
    """Say of imagined scenes what edits of them can punish, draw these, and show other families beside."""
    recipe = stages.recipe
    spoken = GraphTable.of(_graphs_to_speak_of(truth, recipe.seed))
    found: dict[str, list[Example]] = {}
    counts: dict[str, Any] = {}
    edits: dict[str, str] = {}
    for split in stages.splits():
        scenes = [k for k in range(len(spoken)) if stages.split_of(truth.image_ids[k]) == split]
        engine = candidates_engine(stages.engine(known=True), recipe.candidates)
        chunks = [TwinChunk(engine, tuple(scenes[k : k + SCENES]), recipe.seed) for k in range(0, len(scenes), SCENES)]
        found[split], counts[split] = _speak(stages, split, twin_chunk, chunks, _saving(spoken), len(scenes))
        edits |= counts[split].pop("edits")
    shown = [i.image_id for some in found.values() for one in some for i in one.distractors]
    drawn = _draw(stages, [(image, edits[image]) for image in dict.fromkeys(shown)])
    table = GraphTable.of(_families(spoken, drawn))
    index = GraphIndex.of(table)
    examples: list[Example] = []
    for split, some in found.items():
        among = np.array(
            [k for k, image in enumerate(table.image_ids) if not is_twin(image) and stages.split_of(image) == split],
            np.int64,
        )
        seed = derive(recipe.seed, "every word", split)
        shown_chunks = [FamilyChunk(some[k : k + CHUNK], among, seed) for k in range(0, len(some), CHUNK)]
        parts = stages.parts(f"families-{split}", len(shown_chunks))
        tell = stages.count_of(f"families, {split}", len(some))
        sizes = [len(chunk.examples) for chunk in shown_chunks]
        stages.make_parts(parts, family_chunk, shown_chunks, sizes, save=_saving(table, index), tell=tell)
        kept, alone = [], 0
        for part in parts:
            more, told = stages.read_part(part)
            kept += more
            alone += told["alone"]
        counts[split] |= {"left out for want of other families": alone, "by own twins": counts_of_families(kept)}
        examples += _number(_with_absent(stages, split, kept, table, index), len(examples))
    return SpokenData(table, _twin_finder(drawn, mirrored_finder(find)), examples, counts)


# -------------------------------------------------------------------------------- in parts


def speak_chunk(folder: Path, chunk: SpokenChunk) -> bytes:
    """Say of some images what others can punish.

    A pure function, for other processes and machines.
    """
    return _pack(speak_of_chunk(folder, chunk))


def twin_chunk(folder: Path, chunk: TwinChunk) -> bytes:
    """Say of some scenes what edits of them can punish.

    A pure function, for other processes and machines.
    """
    return _pack(speak_of_twins(folder, chunk))


def family_chunk(folder: Path, chunk: FamilyChunk) -> bytes:
    """Show some examples with other families.

    A pure function, for other processes and machines.
    """
    found, alone = add_families(folder, chunk)
    return pack_examples(found, {"alone": alone})


def pack_examples(examples: list[Example], counts: Mapping[str, Any]) -> bytes:
    """Return examples and the counts made while making them as a Parquet file."""
    table = table_of_examples(examples).replace_schema_metadata({COUNTS: json.dumps(counts).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())


def unpack_examples(path: Path) -> tuple[list[Example], dict[str, Any]]:
    """Return the examples of a part that is finished, and what was counted while it was made."""
    tables = [*read_parquet(path, columns=COLUMNS.names)]
    counts = (pq.read_schema(path).metadata or {}).get(COUNTS, b"{}")
    return [example_from_row(row) for table in tables for row in table.to_pylist()], json.loads(counts)


def _pack(found: ServedExamples) -> bytes:
    examples = [replace(one, id=number) for number, one in enumerate(found.examples)]
    return pack_examples(examples, {"has order": found.has_order, "counts": found.counts})


def _speak(
    stages: Stages,
    split: str,
    work: Callable[[Path, Any], bytes],
    chunks: Sequence[Any],
    save: Callable[[Path], None],
    images: int,
) -> tuple[list[Example], dict[str, Any]]:
    """What is said of the images of one split and kept, and what was counted."""
    recipe = stages.recipe
    parts = stages.parts(f"every-word-{split}", len(chunks))
    tell = stages.count_of(f"every word, {split}", images)
    stages.make_parts(parts, work, chunks, [len(chunk.scenes) for chunk in chunks], save=save, tell=tell)
    found: list[Example] = []
    has_order: list[bool] = []
    counts = []
    edits: dict[str, str] = {}
    for part in parts:
        some, told = stages.read_part(part)
        found += some
        has_order += told["has order"]
        counts.append(told["counts"])
        edits |= told["counts"].get("edits", {})
    kept = choose_said(
        found,
        has_order,
        recipe.engine.shares,
        per_image=recipe.engine.per_image,
        per_target=recipe.engine.per_target,
        unordered=UNORDERED[not recipe.scenes],
        seed=recipe.seed,
    )
    told = {"images": images, "sayable": len(found), **add_counts(counts)}
    return [replace(found[n], split=split) for n in kept], {**told, **({} if recipe.scenes else {"edits": edits})}


def _with_absent(
    stages: Stages, split: str, examples: list[Example], table: GraphTable, index: GraphIndex
) -> list[Example]:
    """The examples, numbered, and of val and test those that fit nothing, where they are wanted."""
    numbered = _number(examples, 0)
    recipe = stages.recipe
    if split == "train" or not recipe.negatives or not numbered:
        return numbered
    unknowns = Unknowns() if recipe.guarded and recipe.scenes else None
    how = Negation(loose_sides=recipe.guarded, unknowns=unknowns)
    seed = derive(recipe.seed, "every word", split)
    return [*numbered, *negatives_of(numbered, table, index, how, seed=seed, first_id=len(numbered))]


def _number(examples: list[Example], first: int) -> list[Example]:
    return [
        replace(one, id=first + number, changed_id=None if one.changed_id is None else first + one.changed_id)
        for number, one in enumerate(examples)
    ]


# -------------------------------------------------------------------------------- twins


def _graphs_to_speak_of(truth: GraphTable, seed: int) -> Iterator[SceneGraph]:
    """Yield each scene as it is spoken of, half of them mirrored: a twin may be flipped, and that must tell nothing."""
    for number in range(len(truth)):
        graph = graph_of(truth, number)
        yield mirror_graph(graph) if is_spoken_of_mirrored(graph.image_id, seed) else graph


def _draw(stages: Stages, twins: Sequence[tuple[str, str]]) -> dict[str, Path]:
    """Draw twins in parts; the part of each."""
    order = sorted(twins, key=lambda twin: (origin_of(twin[0]), int(twin[0].rpartition("-twin")[2])))
    chunks = [DrawnChunk(tuple(order[k : k + DRAWN]), stages.recipe.seed) for k in range(0, len(order), DRAWN)]
    parts = [f"{PARTIAL}/twins-{number:05d}.parquet" for number in range(len(chunks))]
    tell = stages.count_of("twins", len(order))
    stages.make_parts(parts, draw_twins, chunks, [len(c.twins) for c in chunks], save=_nothing, tell=tell)
    out = stages.folder.out
    return {image: out / part for part, chunk in zip(parts, chunks, strict=True) for image, _ in chunk.twins}


def _families(spoken: GraphTable, drawn: Mapping[str, Path]) -> Iterator[SceneGraph]:
    """Yield the scenes, and behind them their twins."""
    for number in range(len(spoken)):
        yield graph_of(spoken, number)
    report = GraphReport()
    for part in dict.fromkeys(drawn.values()):
        for table in read_parquet(part, columns=["image", "truth"]):
            pairs = zip(table.column("image").to_pylist(), table.column("truth").to_pylist(), strict=True)
            graphs = (gqa_graph(image, json.loads(told), report) for image, told in pairs)
            yield from clean_graphs((graph for graph in graphs if graph is not None), report)


def _twin_finder(drawn: Mapping[str, Path], find: Callable[[str], Picture | None]) -> Callable[[str], Picture | None]:
    """Return what finds the pictures of twins and of all others."""

    @lru_cache(maxsize=2)
    def pictures(part: Path) -> dict[str, bytes]:
        tables = read_parquet(part, columns=["image", "picture"])
        return {name: held for table in tables for name, held in zip(*table.to_pydict().values(), strict=True)}

    def find_all(image: str) -> Picture | None:
        if image not in drawn:
            return find(image)
        return Picture(f"{image}.png", pictures(drawn[image])[image])

    return find_all


def _saving(table: GraphTable, index: GraphIndex | None = None) -> Callable[[Path], None]:
    def save(folder: Path) -> None:
        table.save(folder / "scenes")
        if index is not None:
            index.save(folder / "index")

    return save


def _nothing(_folder: Path) -> None:
    """Twins are drawn from their edits alone."""
