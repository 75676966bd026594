"""Making datasets one example at a time: every example is drawn from its own seed, proved, and given a split.

The same recipe gives the same bytes for any number of workers, on a cluster and after any interruption. An example is
kept when its expression picks out the target and nothing else. Examples with the same content are kept once, so that no
example is in two splits; what a recipe holds out is in no split that models learn from or are chosen on.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from deixis.data._crew import count_workers, share_work
from deixis.data.recipes import begin_manifest, digest_of
from deixis.errors import BrokenDataset, RecipeError, UnsatisfiablePattern
from deixis.resolution.reference import resolve
from deixis.seeds import Stream, derive
from deixis.worlds.registry import find_world


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from deixis.data._resumable import ResumableFolder
    from deixis.data.store import Dataset
    from deixis.worlds.example import PlainExample


__all__ = ["ExampleRecipes", "Recipe", "draw_shard"]

SHARD = 250  # examples that are drawn together
TRIES = 1_000  # per example
SHARES = (("dev", 0.1), ("test", 0.1))
TRAIN = "train"
MOST_EXAMPLES = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Settings of a dataset.

    Worlds name the dataset and add fields of their own. Each is an option of `deixis make`.

    Attributes:
        seed: Random seed.
        examples: How many examples to draw.
    """

    seed: int = 0
    examples: int = 1000
    dataset: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not 1 <= self.examples <= MOST_EXAMPLES:
            raise RecipeError(f"there can be 1 to {MOST_EXAMPLES:,} examples, got {self.examples}")

    @property
    def total(self) -> int:
        """The number of examples of all splits, where some are drawn besides `examples`."""
        return self.examples

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return asdict(self)

    @property
    def digest(self) -> str:
        """A name for exactly this recipe."""
        return digest_of(self.to_dict())


@dataclass(frozen=True, kw_only=True)
class ExampleRecipes:
    """Part `recipes` for worlds that draw one example at a time.

    Attributes:
        world: the name of the world.
        recipe: the class of its recipes, which names the dataset.
        draw: one example from a recipe and a stream of random numbers; None where this try came to nothing.
        held_out: the name of the test set that an example belongs to by a rule, so that it is never trained on.
    """

    world: str
    recipe: type[Recipe]
    draw: Callable[[Any, Stream], PlainExample | None]
    held_out: Callable[[PlainExample], str | None] = lambda _: None

    @property
    def datasets(self) -> Mapping[str, Callable[..., Recipe]]:
        """The recipes by name of the dataset."""
        return {self.recipe.dataset: self.recipe}

    def recipe_from(self, values: Mapping[str, Any]) -> Recipe:
        """Return the recipe in a manifest, or raise `BrokenDataset` if it is none."""
        known = {field.name for field in fields(self.recipe)}
        try:
            return self.recipe(**{name: value for name, value in dict(values).items() if name in known})
        except (TypeError, ValueError) as error:
            raise BrokenDataset(f"this is no recipe of {self.recipe.dataset}: {error}") from error

    def fresh(self, seed: int, like: Mapping[str, Any] | None = None) -> Recipe:
        """A recipe with another seed: that of a dataset, as its manifest holds it, or that of `demo`."""
        return self.demo(seed) if like is None else replace(self.recipe_from(like), seed=seed)

    def demo(self, seed: int = 0) -> Recipe:
        """A small dataset to look at."""
        return self.recipe(examples=200, seed=seed)

    def make(
        self, recipe: Recipe, out: Path, *, workers: int | None = None, progress: Any = None, crew: Any = None
    ) -> Dataset:
        """Make a dataset in a folder, or finish it where making was interrupted.

        Raises:
            RecipeError: when the folder holds something else or cannot be written to.
            UnsatisfiablePattern: when no example comes of a thousand tries.
        """
        from deixis.data._resumable import make_in  # with pyarrow, which help and completion do without

        count = count_workers(workers)
        return make_in(out, recipe.digest, lambda folder: self._make(recipe, folder, count, progress, crew))

    def _make(self, recipe: Recipe, folder: ResumableFolder, workers: int, progress: Any, crew: Any) -> None:
        import pyarrow as pa

        from deixis.data.card import write_card

        kept = self._shards(recipe, folder, workers, progress, crew)
        whole = _once(pa.concat_tables(kept))
        entries = []
        for split in _splits_of(whole):
            rows = whole.filter(pa.compute.equal(whole["split"], split))
            name = f"data/{split}.parquet"
            self.write_split(recipe, rows, folder.out / name, workers=workers, crew=crew)
            entries.append(folder.keep(name, split=split, rows=rows.num_rows))
        manifest = {
            **begin_manifest(find_world(self.world), recipe.dataset, recipe),
            "examples": whole.num_rows,
            "splits": {entry["split"]: entry["rows"] for entry in entries},
            "content": _content(whole),
            "files": entries,
        }
        write_card(folder.out, manifest)
        folder.finish(manifest)

    def _shards(self, recipe: Recipe, folder: ResumableFolder, workers: int, progress: Any, crew: Any) -> list[Any]:
        """The tables of all shards, in order; those that were finished before are read."""
        import pyarrow.parquet as pq

        count = -(-recipe.total // SHARD)
        names = [f".partial/shard-{number:06d}.parquet" for number in range(count)]
        missing = [number for number, name in enumerate(names) if folder.find(name) is None]
        asked = [(self.world, recipe.to_dict(), number) for number in missing]
        drawn = share_work(draw_shard, asked, workers=workers, crew=crew)
        for done, (number, data) in enumerate(zip(missing, drawn, strict=True), start=1 + count - len(missing)):
            (folder.out / names[number]).write_bytes(data)
            folder.keep(names[number], split="", rows=min(SHARD, recipe.total - number * SHARD))
            if progress is not None:
                progress("examples", min(done * SHARD, recipe.total), recipe.total)
        return [pq.read_table(folder.out / name) for name in names]

    def shard(self, recipe: Recipe, number: int) -> list[Any]:
        """The examples of one shard."""
        first = number * SHARD
        return [self.draw_example(recipe, place) for place in range(first, min(first + SHARD, recipe.total))]

    def draw_example(self, recipe: Recipe, number: int) -> Any:
        """Draw the example of a number, with its split, from nothing but the recipe and the number.

        Raises:
            UnsatisfiablePattern: when no example comes of a thousand tries.
        """
        for attempt in range(TRIES):
            example = self.draw(recipe, Stream(derive(recipe.seed, "example", number, attempt)))
            if example is not None and is_sound(example):
                return replace(example, id=number, split=self.split_of(recipe, example))
        raise UnsatisfiablePattern(f"no example of {recipe.dataset} came of {TRIES} tries; change the recipe")

    def rows_of(self, examples: Iterable[Any]) -> Any:
        """Return examples as a table of pyarrow with the columns of `toolkit.examples`."""
        from deixis.worlds.toolkit.examples import table_of

        return table_of(examples)

    def write_split(self, recipe: Recipe, rows: Any, path: Path, *, workers: int, crew: Any) -> None:
        """Write the rows of a split as Parquet, to which a world may add columns here."""
        from deixis.data.store import write_parquet

        del recipe, workers, crew
        write_parquet(rows, path)

    def split_of(self, recipe: Recipe, example: Any) -> str:
        """Return the split by the rule for what is held out, or else by chance that follows from the content."""
        held = self.held_out(example)
        if held:
            return held
        row = self.rows_of([replace(example, id=0, split="")]).to_pylist()[0]
        chance = derive(recipe.seed, "split", digest_of_row(row)) / 2**64
        for name, share in SHARES:
            if chance < share:
                return name
            chance -= share
        return TRAIN


def is_sound(example: PlainExample) -> bool:
    """Return whether the expression picks out the target and nothing else."""
    return example.expression is not None and resolve(example.expression, example.context).objects == {
        example.context.target
    }


def digest_of_row(row: Mapping[str, Any]) -> str:
    """Return a name for the text and scenes of an example, whose id and split are left empty."""
    return sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def draw_shard(_folder: Path, asked: tuple[str, Mapping[str, Any], int]) -> bytes:
    """Make one shard as a Parquet file in memory.

    A pure function, for other processes and machines.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    world, recipe, number = asked
    recipes = find_world(world).part("recipes")
    sink = pa.BufferOutputStream()
    pq.write_table(recipes.rows_of(recipes.shard(recipes.recipe_from(recipe), number)), sink, compression="zstd")
    return bytes(sink.getvalue())


def _once(table: Any) -> Any:
    """The rows without those whose content came before."""
    seen: set[tuple[Any, ...]] = set()
    keep = []
    columns = [table[name].to_pylist() for name in ("text", "expression", "scenes", "target_scene", "target_object")]
    for number, content in enumerate(zip(*columns, strict=True)):
        if content not in seen:
            seen.add(content)
            keep.append(number)
    return table.take(keep)


def _splits_of(table: Any) -> list[str]:
    """The splits in their usual order, then those that are held out."""
    found = set(table["split"].to_pylist())
    usual = [name for name in (TRAIN, *(name for name, _ in SHARES)) if name in found]
    return [*usual, *sorted(found - set(usual))]


def _content(table: Any) -> str:
    digest = sha256()
    for row in table.to_pylist():
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()
