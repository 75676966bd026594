"""Part `recipes` of the photographs: the options of `deixis make copsref`, and its maker.

The maker and its record are imported when they are needed, so that help and completion do without tables.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deixis._losses import MAX_SHARE, Losses
from deixis.data.recipes import recipe_in, record_from
from deixis.errors import RecipeError
from deixis.report.output import Output, TextTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.data._crew import Crew, Progress
    from deixis.data.store import Dataset
    from deixis.worlds.photos.engine import Engine
    from deixis.worlds.photos.making.make import CopsRefRecipe


MOST_CANDIDATES = 500
FEW_IMAGES = 120  # of a dataset to look at, or to ask about


def copsref(  # noqa: PLR0913 (each is an option)
    *,
    scenes: list[Path] | None = None,
    pictures: Path | None = None,
    images: int | None = None,
    each: int = 3,
    fewest: int = 1,
    val: float = 0.15,
    test: float = 0.15,
    closed_world: bool = False,
    no_negatives: bool = False,
    allow_losses: bool = False,
    mode: Literal["kinds", "every-word"] = "kinds",
    candidates: int | None = None,
    seed: int = 42,
) -> CopsRefRecipe:
    """Cops-Ref: expressions of six forms about scene graphs, with distractor images that resist them.

    Args:
        scenes: Files or folders of GQA, Visual Genome or CLEVR scene graphs. Without any, scenes are imagined and
            drawn.
        pictures: The folder with the pictures of these scenes: PNG or JPEG, called after the ids of the images, as
            2386621.jpg. Images without one are left out.
        images: How many scenes are imagined; 2000 by default.
        each: Distractor images of every kind for each expression of val and test; 3 by default.
        fewest: Least number of a kind; expressions with fewer are left out.
        val: The share of the images that are for validation; 0.15 by default.
        test: The share of the images that are for testing; 0.15 by default.
        closed_world: Take what is not annotated as false; by default it may be true.
        no_negatives: Make no expressions that fit nothing.
        allow_losses: Go on although over 1 % of the given files, images, objects, attributes or relations are faulty.
        mode: With images of the paper's kinds (kinds, the default), or with nothing said but what needs every word, and
            at most 12 images that each punish a misreading, mirror images among them (every-word).
        candidates: In the mode every-word, how many things are tried to say of an image, 1 to 500; 30 by
            default, and 16 of imagined scenes.
        seed: Random seed; 42 by default.
    """
    if mode == "every-word" and (each != 3 or fewest != 1):
        raise RecipeError("--each and --fewest count images of the paper's kinds; the mode every-word shows others")
    if mode != "every-word" and candidates is not None:
        raise RecipeError("--candidates belongs to --mode every-word")
    if candidates is not None and not 1 <= candidates <= MOST_CANDIDATES:
        raise RecipeError(f"--candidates must be 1 to {MOST_CANDIDATES}, got {candidates}")
    if scenes and images is not None:
        raise RecipeError("--images says how many scenes are imagined; leave it out where --scenes are given")
    if pictures is not None and not scenes:
        raise RecipeError("--pictures are those of --scenes; give these, too (imagined scenes are drawn)")
    from deixis.worlds.photos.making.make import CopsRefRecipe

    return CopsRefRecipe(
        seed=seed,
        images=2000 if images is None else images,
        val=val,
        test=test,
        each=each,
        fewest=fewest,
        guarded=not closed_world,
        negatives=not no_negatives,
        scenes=tuple(scenes or ()),
        pictures=pictures,
        allow_losses=allow_losses,
        mode=mode,
        candidates=candidates or (30 if scenes else 16),
    )


datasets = {"copsref": copsref}


def make(
    recipe: CopsRefRecipe,
    out: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
) -> Dataset:
    """Make the dataset of a recipe, see `making.make.make_copsref`."""
    from deixis.worlds.photos.making.make import make_copsref

    return make_copsref(recipe, out, workers=workers, progress=progress, crew=crew)


def recipe_from(values: Mapping[str, Any]) -> CopsRefRecipe:
    """Return the recipe that plain values describe, as a manifest or a TOML file holds them."""
    plain = dict(values)
    if isinstance(plain.get("scenes"), list):
        plain["scenes"] = [Path(str(path)) for path in plain["scenes"]]
    if "pictures" in plain:
        plain["pictures"] = Path(str(plain["pictures"]))
    if "engine" in plain:
        plain["engine"] = _engine_from(plain["engine"])
    from deixis.worlds.photos.making.make import CopsRefRecipe

    return record_from(CopsRefRecipe, plain, called="copsref")


def _engine_from(values: Any) -> Engine:
    from deixis.worlds.photos.engine import Engine

    if not isinstance(values, dict):
        raise RecipeError(f"the engine of a recipe is a table of settings, got {values!r:.60}")
    usual = Engine()
    sets = {field.name for field in fields(Engine) if isinstance(getattr(usual, field.name), frozenset)}
    plain = {key: frozenset(value) if key in sets else value for key, value in values.items()}
    return record_from(Engine, plain, called="the engine of copsref")


def fresh(seed: int, *, like: Mapping[str, Any] | None = None) -> CopsRefRecipe:
    """Return a recipe of fresh expressions about freshly imagined images, with the distractors of another recipe."""
    from deixis.worlds.photos.making.make import CopsRefRecipe

    known = (like or {}).get("each")
    each = known if type(known) is int and known in range(1, 9) else 2
    return CopsRefRecipe(seed=seed, images=FEW_IMAGES, val=0, test=0.75, each=each)


def demo(seed: int = 42) -> CopsRefRecipe:
    """Return a recipe of expressions about a hundred imagined scenes."""
    return fresh(seed)


def summary(dataset: Dataset) -> Output:
    """Summarise a dataset: the measures of Table 2 of the paper, and everything left out, repaired or guessed."""
    from deixis.worlds.photos._paper.statistics import DescribedDataset, in_words, measures
    from deixis.worlds.photos._served_wants import counts_in, wants_table
    from deixis.worlds.photos.data._statistics import describe_examples, table_2
    from deixis.worlds.photos.data.store import open_copsref

    made, recipe = open_copsref(dataset.path), recipe_in(dataset.manifest) or {}
    row = describe_examples(made.examples(), made.scenes)
    losses = dataset.manifest.get("losses", [])
    searched = dataset.manifest["made with"].get("distractor images", {})
    wants = counts_in(dataset.manifest)
    heads, rows = measures([DescribedDataset(name=dataset.path.name, row=row)])
    lines = [(measure, *map(in_words, values)) for measure, values in rows.items()]
    splits = [(name, f"{size:,}") for name, size in made.splits.items()]
    return Output(
        values={
            "losses": losses,
            "distractor images": searched,
            "table 2": table_2({"": row}),
            **({"every word": wants} if wants else {}),
        },
        blocks=[
            TextTable(("split", "examples"), splits, numbers=(1,)),
            TextTable(("", *heads), lines, numbers=range(1, len(heads) + 1)),
            *([_table_of_wants(*wants_table(wants))] if wants else []),
        ],
        notes=[
            *(line for one in losses for line in Losses.from_dict(one).lines()),
            *_shortages(searched, made.splits),
            *_without_images(searched, recipe),
        ],
    )


def _table_of_wants(heads: list[str], rows: list[list[str]]) -> TextTable:
    return TextTable(heads, rows, numbers=range(1, len(heads)))


def _shortages(searched: Mapping[str, Any], splits: Mapping[str, int]) -> Iterator[str]:
    """What val and test lack."""
    from deixis.worlds.photos.making.make import MORE

    for split, one in searched.items():
        asked, dropped = one["expressions"], one["dropped"]
        kept = asked - dropped
        if fewer := one["with fewer images of a kind"]:
            yield f"{fewer:,} of {kept:,} expressions of {split} are shown with fewer images of a kind than --each says"
        if not dropped:
            continue
        wanting = ", ".join(f"{kind} {often:,}" for kind, often in one["wanting"].items())
        among = f"too few images of {wanting} among {one['images to choose from']:,}"
        if dropped <= MAX_SHARE * asked:
            yield f"{dropped:,} of {asked:,} expressions of {split} left out: {among}"
        else:
            nothing = "" if splits.get(split) else f", so that there is no {split}"
            yield f"Only {kept:,} of {asked:,} expressions of {split} are kept{nothing}: {among}; {MORE}."


def _without_images(searched: Mapping[str, Any], recipe: Mapping[str, Any]) -> Iterator[str]:
    """Yield the splits that were asked for and of which nothing is said."""
    from deixis.worlds.photos.making.make import MORE

    for split, one in searched.items():
        if recipe.get(split) and not one["expressions"]:
            images = one["images to choose from"]
            things = "1 image" if images == 1 else f"{images:,} images"
            because = f"nothing could be said of its {things}" if images else "no image falls into it"
            yield f"There is no {split}: {because}; {MORE}."
