"""Sources of episodes: a split of a dataset, or a recipe that makes fresh worlds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset, RecipeError, SchemaError, UnknownName, UnsatisfiablePattern
from deixis.worlds.grid._kernels.environment import Play
from deixis.worlds.grid._kernels.plan import simulate_plans
from deixis.worlds.grid.actions import MANNERS, VERBS, plan_from_codes
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.navigate import id_of
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from deixis.worlds.grid.actions import Manner, Plan, Verb
    from deixis.worlds.grid.data.table import Table
    from deixis.worlds.grid.judging.verdicts import ExampleArrays
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Recipe

    Fresh: TypeAlias = "Recipe | str | Path | Mapping[str, Any] | None"


__all__ = ["EPISODES", "Episodes", "find_episodes", "fresh_episodes", "stored_episodes"]

EPISODES = 2_048
MOST_EPISODES = 10_000_000
COMMANDS_AT_ONCE = 100
PATIENCE = 20  # a recipe is given up after so many times as many commands as should be needed


@dataclass(frozen=True, eq=False)
class Episodes:
    """Worlds with a command and the plan that carries it out.

    Attributes:
        asked: the examples as arrays.
        name: where they come from, for complaints.
    """

    asked: ExampleArrays
    name: str

    def __post_init__(self) -> None:
        sizes = np.unique(self.asked.size)
        if len(sizes) > 1:
            raise BrokenDataset(f"{self.name} mixes grids of the sizes {sizes.tolist()}; an environment has one size")

    def __len__(self) -> int:
        return len(self.asked)

    @property
    def size(self) -> int:
        """Number of cells along one side."""
        return int(self.asked.size[0])

    @property
    def places(self) -> int:
        """Largest number of objects in a world."""
        return int(self.asked.objects.shape[1])

    def command(self, number: int) -> str:
        """Return the words of an episode."""
        return self.asked.commands[int(self.asked.which[number])].text

    def verb(self, number: int) -> Verb:
        """Return the verb of its command."""
        return VERBS[self.asked.commands[int(self.asked.which[number])].codes[0]]

    def manner(self, number: int) -> Manner:
        """Return the manner of its command."""
        return MANNERS[self.asked.commands[int(self.asked.which[number])].codes[1]]

    def target(self, number: int) -> int:
        """Return the target of its command."""
        return int(self.asked.target[number])

    def plan(self, number: int) -> Plan:
        """Return the actions that carry it out."""
        return plan_from_codes(self.asked.plans[number].tolist())

    def scene(self, number: int) -> GridScene:
        """Return the world of an episode before anything is done."""
        return scene_from(
            self.asked.objects[number, : self.asked.count[number]], self.asked.agent[number], size=self.size
        )

    def find(self, example: object) -> int:
        """Return the number of the episode with the id of an example."""
        if not isinstance(example, int | np.integer) or isinstance(example, bool) or not 0 <= int(example) < 1 << 64:
            raise UnknownName(f"examples are named by their id, a whole number, got {example!r}")
        number = int(example)
        found = self._numbers.get(number, self._numbers.get(id_of(number)))  # ids once had 64 bits
        if found is None:
            raise UnknownName(f"there is no example {example} in {self.name}; it has {len(self):,} others")
        return found

    def demand(self, number: object) -> int:
        """Return the number of an episode, or raise `UnknownName` where there is none."""
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 0 <= int(number) < len(self):
            raise UnknownName(f"episodes of {self.name} are numbered from 0 to {len(self) - 1:,}, got {number!r}")
        return int(number)

    def words(self, known: tuple[str, ...] | None, longest: int | None) -> tuple[np.ndarray, int]:
        """Return the commands in numbers, uint16 [command, word], and how many words there are.

        Args:
            known: the words, numbered from 1; by default those of the language, and any others behind them.
            longest: room for so many; by default as many as the longest command has.
        """
        said = [command.text.split() for command in self.asked.commands]
        if known is None:
            language = WORDS.vocabulary()
            known = (*language, *sorted({word for words in said for word in words} - set(language)))
        numbers = {word: number for number, word in enumerate(known, start=1)}
        room = max(map(len, said)) if longest is None else longest
        table = np.zeros((len(said), room), np.uint16)
        for row, words in enumerate(said):
            if len(words) > room:
                raise SchemaError(
                    f"a command has {len(words)} words, but there is room for {room}; set longest_command higher"
                )
            missing = [word for word in words if word not in numbers]
            if missing:
                raise UnknownName(f"the word {missing[0]!r} of {' '.join(words)!r} is not among the {len(known)} words")
            table[row, : len(words)] = [numbers[word] for word in words]
        return table, len(known)

    def play(self, words: np.ndarray) -> Play:
        """Return the episodes for the kernels, with where everything is in the end."""
        asked = self.asked
        agents, objects = np.empty_like(asked.agent), np.empty_like(asked.objects)
        plans = asked.plans
        simulate_plans(asked.objects, asked.count, self.size, asked.agent, plans.values, plans.start, agents, objects)
        manners = np.array([command.codes[1] for command in asked.commands], np.int64)
        return Play(
            objects=np.ascontiguousarray(asked.objects),
            count=asked.count.astype(np.int64),
            agent=np.ascontiguousarray(asked.agent),
            target=asked.target.astype(np.int64),
            manner=manners[asked.which],
            plan=plans.values,
            start=plans.start,
            goal=np.ascontiguousarray(objects[:, :, 3:]),
            goal_agent=np.ascontiguousarray(agents[:, :2]),
            words=words,
            which=asked.which.astype(np.int64),
        )

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {example: number for number, example in reversed(list(enumerate(self.asked.ids.tolist())))}


def scene_from(objects: np.ndarray, agent: np.ndarray, *, size: int) -> GridScene:
    """Return the scene that rows of codes describe."""
    row, column, facing = agent.tolist()
    things = tuple(GridObject.from_codes(*codes) for codes in objects.tolist())
    return GridScene(things, size=size, agent=Agent(row, column, Facing(facing)))


def find_episodes(
    data: str | Path | None = None,
    split: str = "train",
    *,
    recipe: Fresh = None,
    world_seed: int | None = None,
    episodes: int | None = None,
) -> Episodes:
    """Return the episodes that an environment asks for, computed once for equal requests.

    Args:
        data: the folder of a dataset, or a released file.
        split: of it; with a recipe `train` leaves out whatever the recipe holds out, and the name of a hold-out has
            nothing else.
        recipe: a recipe, the path of its file, or its keys, where there is no dataset; small ReaSCAN by default.
        world_seed: takes the place of the seed of the recipe.
        episodes: how many to make from it, 2,048 by default; a dataset has its own.
    """
    if not isinstance(split, str):
        raise UnknownName(f"a split has a name, got {split!r}")
    if data is not None:
        from deixis.data.remote import at_hand

        if recipe is not None or world_seed is not None:
            raise RecipeError("episodes come from a dataset or from a recipe, not from both; leave one of them out")
        if episodes is not None:
            raise RecipeError("a dataset has as many episodes as examples; leave out episodes, or give a recipe")
        if not isinstance(data, str | Path):
            raise BrokenDataset(f"data is the path of a dataset, got {data!r}")
        return stored_episodes(at_hand(data), split)
    chosen = _read(recipe)
    return fresh_episodes(
        chosen if world_seed is None else replace(chosen, seed=world_seed),
        split,
        EPISODES if episodes is None else episodes,
    )


def stored_episodes(path: Path, split: str) -> Episodes:
    """Read the episodes of one split of a dataset, once while it stays unchanged."""
    whole = path.resolve()
    stamps = [file.stat().st_mtime_ns for file in (whole, whole / "manifest.json") if file.exists()]
    return _read_stored(whole, split, tuple(stamps))


@lru_cache(maxsize=4)
def _read_stored(path: Path, split: str, stamps: tuple[int, ...]) -> Episodes:  # noqa: ARG001 (they tell one state from another)
    from deixis.worlds.grid.data.example_arrays import example_arrays_by_split
    from deixis.worlds.grid.data.sources import open_source

    return Episodes(example_arrays_by_split(open_source(path), [split])[split], f"{path.name}, split {split}")


@lru_cache(maxsize=8)
def fresh_episodes(recipe: Recipe, split: str = "train", episodes: int = EPISODES) -> Episodes:
    """Make episodes from a recipe, determined by it, the split and their number.

    Raises:
        UnknownName: when the recipe holds out nothing of that name.
        RecipeError: when what it holds out cannot be made by itself.
        UnsatisfiablePattern: when no worlds are found.
    """
    from deixis.worlds.grid.data.example_arrays import example_arrays
    from deixis.worlds.grid.making.pool import demand_whole

    demand_whole("episodes", episodes, 1, MOST_EPISODES)
    known = ("train", "all", *(rule.name for rule in recipe.hold_out if rule.tested))
    if split not in known:
        raise UnknownName(f"the recipe makes no split {split!r}; known: {', '.join(known)}")
    if any(rule.name == split and rule.new_phrases for rule in recipe.hold_out):
        raise RecipeError(
            f"the split {split!r} depends on all training commands; run `deixis make` and play its dataset"
        )
    pools = tuple(pool for pool in recipe.tests if pool.name == split) or recipe.pools
    sizes = [pool.commands * pool.worlds for pool in pools]
    ends = np.round(np.cumsum(sizes) * episodes / sum(sizes)).astype(int).tolist()
    tables: list[Table] = []
    found = 0
    for pool, end in zip(pools, ends, strict=True):  # where one has too few worlds, those after it have more
        tables += _make_tables(recipe, pool, split, end - found) if end > found else ()
        found = sum(table.num_rows for table in tables)
    if not found:
        raise UnsatisfiablePattern(
            f"no world of the split {split!r} was found; choose another split, or allow more objects (cap)"
        )
    return Episodes(example_arrays(tables, name=f"the recipe {recipe.name}"), f"{recipe.name}, split {split}")


def _make_tables(recipe: Recipe, pool: Pool, split: str, wanted: int) -> Iterator[Table]:
    """Yield tables of so many worlds of one pool, a few commands at a time."""
    from deixis.worlds.grid.data.table import SCHEMA
    from deixis.worlds.grid.making._instructions import instructions_of
    from deixis.worlds.grid.making._shards import make_shard

    worlds = -(-wanted // min(pool.commands, wanted))
    pool = replace(pool, worlds=worlds)
    instructions = instructions_of(recipe, pool)
    tried, found = 0, 0
    limit = PATIENCE * (wanted // worlds + COMMANDS_AT_ONCE)
    while found < wanted and tried < limit:
        batch = tuple(islice(instructions, COMMANDS_AT_ONCE))
        if not batch:
            break
        table = make_shard(recipe, pool, batch, tried).table
        tried += len(batch)
        table = table.filter(_belongs(recipe, split, table)).slice(0, wanted - found)
        found += table.num_rows
        whole = table.append_column("split", [[split] * table.num_rows])
        yield whole.select(SCHEMA.names).cast(SCHEMA)


def _belongs(recipe: Recipe, split: str, table: Table) -> np.ndarray:
    """Return bool [row], whether the worlds belong to a split."""
    rules = [rule.name for rule in recipe.hold_out]
    if split == "train":
        return np.asarray(table["held"].to_numpy() == 0)
    if split == "all":
        return np.ones(table.num_rows, bool)
    return np.asarray(table["kept"].to_numpy() >> rules.index(split) & 1 == 1)


def _read(recipe: Fresh) -> Recipe:
    from deixis.worlds.grid.making.recipe import Recipe, read_recipe, reascan, recipe_from

    if recipe is None:
        return reascan()
    if isinstance(recipe, Recipe):
        return recipe
    if isinstance(recipe, str | Path):
        return read_recipe(Path(recipe))
    if isinstance(recipe, dict):
        return recipe_from(recipe)
    raise RecipeError(f"a recipe is a Recipe, the path of one, or its keys, got {recipe!r}")
