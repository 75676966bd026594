"""Making Cops-Ref: from scene graphs to expressions, distractor images and a dataset on disk."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.datasets.copsref.assemble import negatives_of, with_distractors
from deixis.datasets.copsref.store import write_copsref
from deixis.datasets.graphs import read_table
from deixis.datasets.imagined import GRAPHS, PICTURES, write_imagined
from deixis.errors import RecipeError
from deixis.language.copsref import realise_reference
from deixis.resolution.unknowns import Unknowns
from deixis.seeds import derive
from deixis.tasks.localise import Example
from deixis.worlds.graphs.distractors import Search
from deixis.worlds.graphs.engine import Engine, express_in_parallel
from deixis.worlds.graphs.index import GraphIndex


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.datasets.copsref.store import CopsRef
    from deixis.datasets.pool_maker import Progress
    from deixis.scene.graph_table import GraphTable
    from deixis.worlds.graphs.engine import Expressed


__all__ = ["SPLITS", "CopsRefRecipe", "example_of", "make_copsref"]

SPLITS = ("train", "val", "test")
IMAGINED = "imagined"  # the folder of pictures, with the graphs they were drawn from
UNIT = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class CopsRefRecipe:
    """How to make a Cops-Ref dataset.

    Attributes:
        seed: everything random follows from it.
        images: how many scenes are imagined, where no graphs are given.
        val, test: shares of the images; distractor images come from the same split as their target.
        each: distractor images of every kind.
        guarded: whether an image is refused as a distractor when the expression may be true in it for all that is
            known, and an expression when it may fit something else in its own image.
        negatives: whether val and test also hold expressions of what is not there.
        engine: how expressions are made; its seed is set from `seed`.
    """

    seed: int = 42
    images: int = 2000
    val: float = 0.15
    test: float = 0.15
    each: int = 3
    guarded: bool = True
    negatives: bool = True
    engine: Engine = field(default_factory=Engine)

    def __post_init__(self) -> None:
        if not self.val >= 0 or not self.test >= 0 or self.val + self.test >= 1:
            raise RecipeError(f"val and test are shares that leave something to train on, got {self.val}, {self.test}")
        for name in ("images", "each"):
            if getattr(self, name) < 1:
                raise RecipeError(f"{name} must be at least 1, got {getattr(self, name)}")

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values."""
        plain = asdict(self)
        plain["engine"] = {
            key: sorted(value) if isinstance(value, frozenset) else value
            for key, value in plain["engine"].items()
            if key != "unknowns"
        }
        return plain


def make_copsref(
    recipe: CopsRefRecipe,
    out: Path,
    *,
    scenes: Sequence[Path] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> CopsRef:
    """Make expressions about scene graphs, with distractor images for val and test, and write them down.

    Args:
        recipe: what is wanted.
        out: the folder.
        scenes: files or folders of GQA, Visual Genome or CLEVR; without any, scenes are imagined and drawn.
        workers: processes; the result does not depend on it.
        progress: told how far every stage has come.
    """
    tell = progress or (lambda *_: None)
    paths = list(scenes)
    drawn: Path | None = None
    if not paths:
        drawn = out.with_name(f"{out.name}-{IMAGINED}")
        counted = _Counted(tell, "imagined", recipe.images)
        if not (drawn / "truth.json").exists():
            write_imagined(drawn, images=recipe.images, seed=recipe.seed, workers=workers, progress=counted)
        paths = [drawn / GRAPHS]
    table = read_table(*paths)
    expressed = _expressed(recipe, table, workers, tell)
    examples, dropped = _with_images(recipe, table, expressed, workers, tell)
    about = {
        "recipe": recipe.to_dict(),
        "scenes": "given" if drawn is None else "imagined",
        "left out for want of distractor images": dropped,
    }
    return write_copsref(out, examples, table, about=about, pictures=None if drawn is None else drawn / PICTURES)


class _Counted:
    """Turns 'so many more' into 'so many of all'."""

    def __init__(self, tell: Progress, stage: str, total: int) -> None:
        self.tell, self.stage, self.total, self.done = tell, stage, total, 0

    def __call__(self, more: int) -> None:
        self.done += more
        self.tell(self.stage, min(self.done, self.total), self.total)


def _expressed(recipe: CopsRefRecipe, table: GraphTable, workers: int, tell: Progress) -> list[Expressed]:
    settings = {name: getattr(recipe.engine, name) for name in recipe.engine.__slots__}
    settings["seed"] = derive(recipe.seed, "engine") >> 1
    if recipe.guarded and settings["unknowns"] is None:
        settings["unknowns"] = Unknowns()
    counted = _Counted(tell, "expressions", len(table))
    return list(express_in_parallel(table, Engine(**settings), workers=workers, progress=counted))


def split_of(image_id: str, recipe: CopsRefRecipe) -> str:
    """The split of an image; it depends on its id and the seed alone."""
    place = (derive(recipe.seed, "split", image_id) >> 32) / UNIT
    return "test" if place < recipe.test else "val" if place < recipe.test + recipe.val else "train"


def _with_images(
    recipe: CopsRefRecipe, table: GraphTable, expressed: Sequence[Expressed], workers: int, tell: Progress
) -> tuple[list[Example], dict[str, int]]:
    splits = np.array([split_of(table.image_ids[k], recipe) for k in range(len(table))])
    index = GraphIndex.of(table)
    search = Search(each=recipe.each, unknowns=Unknowns() if recipe.guarded else None)
    examples: list[Example] = []
    dropped: dict[str, int] = {}
    numbered = [(number, one, str(splits[one.scene])) for number, one in enumerate(expressed)]
    absent: list[Example] = []
    for split in SPLITS:
        some = [example_of(number, one, split) for number, one, place in numbered if place == split]
        if split != "train":
            among = np.flatnonzero(splits == split)
            counted = _Counted(tell, f"distractor images, {split}", len(some))
            seed = derive(recipe.seed, "distractors", split)
            found = with_distractors(
                some, table, index, search, seed=seed, among=among, workers=workers, progress=counted
            )
            dropped[split] = sum(found.dropped.values())
            some = found.examples
            if recipe.negatives and some:
                first = len(expressed) + len(absent)
                absent += negatives_of(
                    some, table, index, say=lambda e: realise_reference(e).text, seed=seed, first_id=first
                )
        examples += some
    return [*examples, *absent], dropped


def example_of(number: int, one: Expressed, split: str = "") -> Example:
    """What the engine said as an example, still without distractor images."""
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
