"""The making of Cops-Ref: from scene graphs to expressions, distractor images and a dataset on disk.

What is finished is kept in `.partial` of the same folder: imagined scenes, expressions and their distractor images part
by part, and all that val and test hold. The same call goes on from there, and the bytes are those of an uninterrupted
one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from deixis.data._crew import count_workers, share_work, tell_nobody
from deixis.data._resumable import make_in
from deixis.data.recipes import begin_manifest, digest_of
from deixis.data.store import PARTIAL, replacing_file
from deixis.errors import RecipeError
from deixis.seeds import derive
from deixis.worlds.photos._guard import aligned_with
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._left_right import with_loose_sides
from deixis.worlds.photos._mirror import is_mirrored, mirror_id
from deixis.worlds.photos._negatives import Negation
from deixis.worlds.photos._served_wants import EVERY_WORD
from deixis.worlds.photos._twins import origin_of
from deixis.worlds.photos.clean import GraphReport
from deixis.worlds.photos.data._contamination import measure_contamination
from deixis.worlds.photos.data._picture_files import digest_of_pictures, pictures_in, size_of_picture
from deixis.worlds.photos.data.graphs import digest_of_sources, read_table
from deixis.worlds.photos.data.store import (
    IMAGINED,
    KIND,
    write_files,
)
from deixis.worlds.photos.distractors import Search
from deixis.worlds.photos.engine import Engine, tune_weights
from deixis.worlds.photos.engine.make import Chunk as EngineChunk
from deixis.worlds.photos.engine.make import express_chunk, image_chunks
from deixis.worlds.photos.localise import Example
from deixis.worlds.photos.making._every_word_stages import (
    pack_examples,
    speak_of_given,
    speak_of_imagined,
    unpack_examples,
)
from deixis.worlds.photos.making._imagined import GRAPHS, TRUTH
from deixis.worlds.photos.making._imagining import imagine_parts, write_graphs
from deixis.worlds.photos.making.assemble import CHUNK, Chunk, Corpus, assemble_chunk, negatives_of
from deixis.worlds.photos.resolution.graphs import compile_for, only_of, resolve_graph_pairs
from deixis.worlds.photos.resolution.unknowns import Unknowns
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deixis.data._crew import Crew, Progress
    from deixis.data._resumable import ResumableFolder
    from deixis.data.store import Dataset
    from deixis.worlds.photos.data._picture_files import Picture
    from deixis.worlds.photos.engine import ObjectExpression
    from deixis.worlds.photos.scene.graph import SceneGraph


__all__ = ["SPLITS", "CopsRefRecipe", "example_of", "keep_true", "make_copsref"]

Mode: TypeAlias = Literal["kinds", "every-word"]
MODES: tuple[Mode, ...] = ("kinds", "every-word")
SPLITS = ("train", "val", "test")
MORE = "more images, a smaller --each or larger shares of val and test help"
UNIT = 1 << 32
GIVEN = ("scenes", "pictures", "allow_losses")  # what a recipe is told apart by is what the files hold


@dataclass(frozen=True, slots=True, kw_only=True)
class CopsRefRecipe:
    """The recipe of a Cops-Ref dataset.

    Attributes:
        seed: the random seed of everything.
        images: number of imagined scenes, if no graphs are given.
        val, test: shares of the images; distractor images come from the same split as their target.
        each: number of distractor images of every kind.
        fewest: least number of distractor images of a kind; expressions with fewer are left out. The paper demands
            `each`.
        guarded: whether to refuse a distractor image in which the expression may be true, and an expression that may
            fit another object of its own image. Unannotated facts count as possible; imagined scenes are annotated in
            full. Left and right are read loosely (`left_right.with_loose_sides`).
        negatives: whether val and test also hold expressions that fit nothing.
        engine: how expressions are made; its seed is set from `seed`.
        scenes: files or folders of GQA, Visual Genome or CLEVR; without any, scenes are imagined and drawn.
        pictures: a folder with the pictures of given scenes, named by image id; an image without one is left out.
        allow_losses: whether more than one in a hundred of the files, images, objects, attributes or relations that are
            given may be lost.
        mode: `kinds` shows images of the paper's kinds. In `every-word` only what needs every word is said, with images
            that serve every want (`wants`), in all splits.
        candidates: in the mode every-word, how many things are tried to say of an image.
    """

    dataset: ClassVar[str] = KIND
    seed: int = 42
    images: int = 2000
    val: float = 0.15
    test: float = 0.15
    each: int = 3
    fewest: int = 1
    guarded: bool = True
    negatives: bool = True
    engine: Engine = field(default_factory=Engine)
    scenes: tuple[Path, ...] = ()
    pictures: Path | None = None
    allow_losses: bool = False
    mode: Mode = "kinds"
    candidates: int = 30

    def __post_init__(self) -> None:
        if self.pictures is not None and not self.scenes:
            raise RecipeError("pictures belong to scene graphs that are given; imagined scenes are drawn")
        if not self.val >= 0 or not self.test >= 0 or self.val + self.test >= 1:
            raise RecipeError(f"val and test are shares that leave something to train on, got {self.val}, {self.test}")
        if self.mode not in MODES:
            raise RecipeError(f"the mode is one of {', '.join(MODES)}, not {self.mode!r}")
        for name in ("images", "each", "fewest", "candidates"):
            if getattr(self, name) < 1:
                raise RecipeError(f"{name} must be at least 1, got {getattr(self, name)}")

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain values, without the places where files are given."""
        unused = (*GIVEN, *(("each", "fewest") if self.mode == "every-word" else ("mode", "candidates")))
        plain = {key: value for key, value in asdict(self).items() if key not in unused}
        plain["engine"] = {
            key: sorted(value) if isinstance(value, frozenset) else value
            for key, value in plain["engine"].items()
            if key != "unknowns"
        }
        return plain

    @property
    def digest(self) -> str:
        """Digest of the recipe, of the content of given files of scenes, and of the pictures."""
        told = self.to_dict()
        if self.scenes:
            told["given"] = digest_of_sources(*self.scenes)
        if self.pictures is not None:
            told["pictures"] = digest_of_pictures(self.pictures)
        return digest_of(told)


def make_copsref(
    recipe: CopsRefRecipe,
    out: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
) -> Dataset:
    """Make expressions about scene graphs, with distractor images for val and test, or resume an interrupted run.

    Args:
        recipe: what is wanted.
        out: the folder; it may hold the beginning of the same dataset, or all of it.
        workers: processes, by default one per core; the result does not depend on it.
        progress: told how far every stage has come.
        crew: those who draw scenes, speak of them and look for distractor images, if not processes here; the result
            does not depend on it either.

    Raises:
        RecipeError: when the folder holds something else, another process works there or it cannot be written to.
        BrokenDataset: when scenes cannot be read or too many are faulty, or the folder holds the finished dataset,
            but files are missing.
    """
    count, digest = count_workers(workers), recipe.digest
    tell = progress or tell_nobody
    return make_in(out, digest, lambda folder: Stages(recipe, folder, digest, count, tell, crew).run())


@dataclass(frozen=True)
class Stages:
    """One run over all stages."""

    recipe: CopsRefRecipe
    folder: ResumableFolder
    digest: str
    workers: int
    tell: Progress
    crew: Crew | None

    def run(self) -> None:
        report = GraphReport()
        if self.recipe.scenes:
            find = None if self.recipe.pictures is None else pictures_in(self.recipe.pictures)
            table = self.read(report, find)
        else:
            find = self.imagine()
            table = read_table(self.folder.out / IMAGINED / GRAPHS, report=report)
        about: dict[str, Any] = {"scenes": "given" if self.recipe.scenes else "imagined"}
        truth = self.truth(table)
        if self.recipe.mode == "every-word":
            spoken = (
                speak_of_given(self, table, find)
                if truth is None or find is None
                else speak_of_imagined(self, truth, find)
            )
            table, find, examples, about[EVERY_WORD] = spoken
            truth = None if truth is None else table
        else:
            guard = truth if self.recipe.guarded else None
            said, doubtful = self.express(table, guard)
            examples, counts = self.with_images(table, guard, said)
            about |= {
                "left out because the whole truth is another": doubtful,
                "left out for want of distractor images": {split: one["dropped"] for split, one in counts.items()},
                "distractor images": counts,
            }
        if not examples:
            raise RecipeError(f"no expression of {len(table):,} images has enough distractor images; {MORE}")
        losses = [lost.to_dict() for lost in (*report.losses(), *report.repairs()) if lost]
        about["read"] = report.as_dict()
        if truth is not None:
            about["by the whole truth"] = measure_contamination(examples, truth).to_dict()
        head = begin_manifest(WORLD, KIND, self.recipe, kind=KIND, digest=self.digest)
        manifest = write_files(self.folder.out, examples, table, head=head, about=about, find=find)
        self.folder.finish({**manifest, "losses": losses})

    def read(self, report: GraphReport, find: Callable[[str], Picture | None] | None) -> GraphTable:
        """Return the scenes that are given, those without pictures left out where pictures are given, too."""
        names = ", ".join(str(path) for path in self.recipe.scenes)
        table = read_table(*self.recipe.scenes, report=report, keep=None if find is None else has_picture(find))
        for lost in report.losses():
            lost.demand_few(where=names, allowed=self.recipe.allow_losses)
        return table

    def imagine(self) -> Callable[[str], Picture | None]:
        """Imagine and draw scenes, and return what finds their pictures."""
        recipe = self.recipe
        counted = _RunningTotal(self.tell, "imagined", recipe.images)
        parts = imagine_parts(
            self.folder,
            images=recipe.images,
            seed=recipe.seed,
            workers=self.workers,
            crew=self.crew,
            progress=counted,
        )
        write_graphs(self.folder, parts)
        return parts.finder()

    def truth(self, table: GraphTable) -> GraphTable | None:
        """Return all that is true of the scenes where they are imagined, else None."""
        given = self.recipe.scenes
        return None if given else aligned_with(table, read_table(self.folder.out / IMAGINED / TRUTH))

    def express(self, table: GraphTable, truth: GraphTable | None) -> tuple[list[Example], int]:
        """Return examples about the scenes, each in its split, still without distractor images.

        With it comes how many expressions were left out because by the truth they do not fit their target alone.
        """
        images = image_chunks(len(table))
        parts = self.parts("said", len(images))
        if any(self.folder.find(part) is None for part in parts):
            counted = _RunningTotal(self.tell, "expressions", len(table))
            counted(0)  # the first time, weighing compiles for a while
            engine = _engine(self.recipe)
            weights = tune_weights(table, engine)
            chunks = [EngineChunk(engine, weights, some) for some in images]
            self.make_parts(parts, say_chunk, chunks, list(map(len, images)), save=_saving(table, truth), tell=counted)
        made: list[Example] = []
        doubtful = 0
        for part in parts:
            some, counts = self.read_part(part)
            doubtful += counts["doubtful"]
            made += [
                replace(one, id=number, split=split_of(one.image_id, self.recipe))
                for number, one in enumerate(some, len(made))
            ]
        if not made:
            self.folder.throw_away()
            boxes = "; none of their objects has a box, only a place" if not table.box[:, 2:].any() else ""
            raise RecipeError(f"nothing could be said of {len(table):,} images that picks out one object{boxes}")
        return made, doubtful

    def with_images(
        self, table: GraphTable, truth: GraphTable | None, said: list[Example]
    ) -> tuple[list[Example], dict[str, dict[str, Any]]]:
        """The examples of all splits, those of val and test with distractor images, and what was counted of these."""
        splits = np.array([split_of(table.image_ids[k], self.recipe) for k in range(len(table))])
        examples = [one for one in said if one.split == "train"]
        absent: list[Example] = []
        counts: dict[str, dict[str, Any]] = {}
        where = None
        for split in SPLITS[1:]:
            part = f"{PARTIAL}/{split}.parquet"
            if self.folder.find(part) is None:
                where = where or Corpus(table, GraphIndex.of(table), truth)
                some = [one for one in said if one.split == split]
                first = len(said) + len(absent)
                self.keep(
                    part,
                    pack_examples(*self.add_distractors(split, some, where, np.flatnonzero(splits == split), first)),
                )
            found, counts[split] = self.read_part(part)
            examples += [one for one in found if one.object_id]
            absent += [one for one in found if not one.object_id]
        return [*examples, *absent], counts

    def add_distractors(
        self, split: str, said: list[Example], where: Corpus, among: np.ndarray, first_id: int
    ) -> tuple[list[Example], dict[str, Any]]:
        """Return the examples of one split with distractor images, those that fit nothing, and what was counted."""
        recipe = self.recipe
        unknowns = Unknowns() if recipe.guarded else None
        search = Search(each=recipe.each, loose_sides=recipe.guarded, unknowns=unknowns)
        seed = derive(recipe.seed, "distractors", split)
        enough = min(recipe.fewest, recipe.each)
        chunks = [Chunk(said[k : k + CHUNK], search, seed, among, enough) for k in range(0, len(said), CHUNK)]
        parts = self.parts(split, len(chunks))
        counted = _RunningTotal(self.tell, f"distractor images, {split}", len(said))
        sizes = [len(chunk.examples) for chunk in chunks]
        self.make_parts(parts, show_chunk, chunks, sizes, save=where.save, tell=counted)
        examples: list[Example] = []
        wanting: Counter[str] = Counter()
        dropped = fewer = 0
        for part in parts:
            some, counts = self.read_part(part)
            examples += some
            wanting.update(counts["wanting"])
            dropped, fewer = dropped + counts["dropped"], fewer + counts["fewer"]
        absent: list[Example] = []
        if recipe.negatives and examples:
            how = Negation(loose_sides=recipe.guarded, unknowns=unknowns)
            absent = negatives_of(
                examples, where.table, where.index, how, seed=seed, truth=where.truth, first_id=first_id
            )
        told = {
            "expressions": len(said),
            "dropped": dropped,
            "wanting": dict(sorted(wanting.items(), key=lambda one: (-one[1], one[0]))),
            "with fewer images of a kind": fewer,
            "images to choose from": len(among),
        }
        return [*examples, *absent], told

    # ---------------------------------------------------------------------------- stages that are finished

    @staticmethod
    def parts(stage: str, count: int) -> list[str]:
        """Return the files in which the parts of a stage are kept."""
        return [f"{PARTIAL}/{stage}-{number:05d}.parquet" for number in range(count)]

    def make_parts(
        self,
        parts: list[str],
        work: Callable[[Path, Any], bytes],
        chunks: Sequence[Any],
        sizes: Sequence[int],
        *,
        save: Callable[[Path], None],
        tell: Callable[[int], None],
    ) -> None:
        """Make the parts of a stage that are not finished."""
        missing = [number for number, part in enumerate(parts) if self.folder.find(part) is None]
        tell(sum(sizes) - sum(sizes[number] for number in missing))
        asked = [chunks[number] for number in missing]
        made = share_work(work, asked, save=save, workers=self.workers, crew=self.crew)
        for number, data in zip(missing, made, strict=True):
            self.keep(parts[number], data)
            tell(sizes[number])

    def read_part(self, part: str) -> tuple[list[Example], dict[str, Any]]:
        """Return the examples of a part that is finished, and what was counted while it was made."""
        return unpack_examples(self.folder.out / part)

    def count_of(self, stage: str, total: int) -> Callable[[int], None]:
        """Return what is told how many more of a stage are done."""
        return _RunningTotal(self.tell, stage, total)

    def engine(self, *, known: bool = False) -> Engine:
        """Return the settings of the engine, with the guards of the recipe unless all is known."""
        engine = _engine(self.recipe)
        return replace(engine, unknowns=None) if known else engine

    def splits(self) -> tuple[str, ...]:
        """Return the names of the splits, in order."""
        return SPLITS

    def split_of(self, image_id: str) -> str:
        """Return the split of an image, for mirror images and twins that of theirs."""
        origin = origin_of(image_id)
        return split_of(mirror_id(origin) if is_mirrored(origin) else origin, self.recipe)

    def keep(self, part: str, data: bytes) -> None:
        """Keep a part that is finished."""
        with replacing_file(self.folder.out / part) as draft:
            draft.write_bytes(data)
        self.folder.keep(part, split="", rows=0)


def say_chunk(folder: Path, chunk: EngineChunk) -> bytes:
    """Make true expressions about some images.

    A pure function, for other processes and machines.
    """
    expressed = express_chunk(folder / "scenes", chunk)
    truth = GraphTable.load(folder / "truth") if (folder / "truth").exists() else None
    true = expressed if truth is None or not expressed else keep_true(expressed, truth)
    made = [example_of(number, one) for number, one in enumerate(true)]
    return pack_examples(made, {"doubtful": len(expressed) - len(true)})


def show_chunk(folder: Path, chunk: Chunk) -> bytes:
    """Find distractor images for some examples.

    A pure function, for other processes and machines.
    """
    found = assemble_chunk(folder, chunk)
    wanting: Counter[str] = Counter()
    for kinds, number in found.dropped.items():
        wanting.update(dict.fromkeys(kinds, number))
    counts = {"dropped": found.dropped.total(), "wanting": dict(wanting), "fewer": found.fewer.total()}
    return pack_examples(found.examples, counts)


def _saving(table: GraphTable, truth: GraphTable | None) -> Callable[[Path], None]:
    def save(folder: Path) -> None:
        table.save(folder / "scenes")
        if truth is not None:
            truth.save(folder / "truth")

    return save


def has_picture(find: Callable[[str], Picture | None]) -> Callable[[SceneGraph, GraphReport], bool]:
    """Return a test whether a scene has a picture that can be read and is of its size."""

    def keep(graph: SceneGraph, report: GraphReport) -> bool:
        picture = find(graph.image_id)
        if picture is None:
            report.add("G011", graph.image_id)
            return False
        size = size_of_picture(picture.held)
        if size != (graph.width, graph.height):
            found = (
                f"{picture.name}: {size[0]} × {size[1]}, not {graph.width} × {graph.height}" if size else picture.name
            )
            report.add("G012", graph.image_id, detail=found)
            return False
        return True

    return keep


class _RunningTotal:
    """Turns 'so many more' into 'so many of all'."""

    def __init__(self, tell: Progress, stage: str, total: int) -> None:
        self.tell, self.stage, self.total, self.done = tell, stage, total, 0

    def __call__(self, more: int) -> None:
        self.done += more
        self.tell(self.stage, min(self.done, self.total), self.total)


def _engine(recipe: CopsRefRecipe) -> Engine:
    """Return the settings of the engine, with the seed and the guards of a recipe."""
    settings = {name: getattr(recipe.engine, name) for name in recipe.engine.__slots__}
    settings["seed"] = derive(recipe.seed, "engine") >> 1
    settings["loose_sides"] = settings["loose_sides"] and recipe.guarded
    if recipe.guarded and settings["unknowns"] is None:
        settings["unknowns"] = Unknowns()
    return Engine(**settings)


def split_of(image_id: str, recipe: CopsRefRecipe) -> str:
    """Return the split of an image, which depends on its id and the seed alone."""
    place = (derive(recipe.seed, "split", image_id) >> 32) / UNIT
    return "test" if place < recipe.test else "val" if place < recipe.test + recipe.val else "train"


def keep_true(expressed: Sequence[ObjectExpression], truth: GraphTable) -> list[ObjectExpression]:
    """Return the expressions that fit their targets alone by the truth, also with left and right as people see them.

    The truth has more objects than are named, so they are told by their ids.
    """
    programs = [compile_for(one.expression, truth.vocabulary) for one in expressed]
    scenes = np.array([one.scene for one in expressed], np.int64)
    every = np.arange(len(expressed))
    targets = np.array([_number_in(truth, one) for one in expressed], np.int64)
    fits = (only_of(resolve_graph_pairs(programs, some, every, scenes)) for some in (truth, with_loose_sides(truth)))
    is_true = np.logical_and.reduce([found == targets for found in fits])
    return [one for one, ok in zip(expressed, is_true.tolist(), strict=True) if ok]


def _number_in(truth: GraphTable, one: ObjectExpression) -> int:
    some = truth.objects_of(one.scene)
    return truth.object_ids[some.start : some.stop].index(one.target_id)


def example_of(number: int, one: ObjectExpression, split: str = "") -> Example:
    """Turn an expression of the engine into an example, still without distractor images."""
    return Example(
        id=number,
        text=one.text,
        expression=one.expression,
        form=one.form,
        forms=one.forms,
        image_id=one.image_id,
        object_id=one.target_id,
        split=split,
    )
