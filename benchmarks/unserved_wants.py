"""Why some forms can seldom be said where every word is needed: what happens to each want, by form.

python -m benchmarks.unserved_wants SCENE_GRAPHS
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.photos._cover import CoverFinder
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._mirror import with_mirror_images
from deixis.worlds.photos._wants import Plausible, find_tempted_pairs, wants_of
from deixis.worlds.photos._words import Synonyms
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.engine import Engine, express
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.making._every_word import SpokenCorpus, candidates_engine, mirror_of, short_engine
from deixis.worlds.photos.resolution.graphs import counts_of
from deixis.worlds.photos.resolution.unknowns import Unknowns


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos._wants import Want
    from deixis.worlds.photos.engine import ObjectExpression


FATES = (
    "served by the image or its mirror image",
    "served by another image",
    "no image has all that is named",
    "no image has it so",
    "only images in which the expression may fit",
)
EVERY = 48  # one scene in so many is spoken of
LOOKS = 200  # images looked at for a want


class Fates(NamedTuple):
    """What happened to the wants of a form.

    Attributes:
        said: how many expressions there were; served: how many of them with all wants.
        wants: how many wants came to which of `FATES`.
    """

    form: str
    said: int
    served: int
    wants: Counter[str]


def measure(graphs: Path, form: str, *, guarded: bool = True) -> Fates:
    """Say some images in one form, in as few words as can be, and follow every want."""
    table = with_mirror_images(read_table(graphs))
    corpus, unknowns = SpokenCorpus.of(table), Unknowns() if guarded else None
    engine = short_engine(candidates_engine(Engine(seed=7, unknowns=Unknowns()), 72))
    facts = Facts.of(table, Engine(words=engine.words, removed=engine.removed))
    said = list(
        express(
            table,
            replace(engine, per_target=6),
            scenes=range(0, len(table), EVERY),
            weights={form: 1.0},  # type: ignore[dict-item]
            facts=facts,
            synonyms=Synonyms.of(table.vocabulary),
        )
    )
    finder = CoverFinder(
        table=table,
        index=corpus.index,
        guard=Guard(table=table, loose_sides=engine.loose_sides, unknowns=unknowns),
        plausible=Plausible.of(table),
        mirror_of=mirror_of,
        is_allowed=np.ones(len(table), np.bool_),
        seed=3,
    )
    return _follow(form, said, finder)


def _follow(form: str, said: Sequence[ObjectExpression], finder: CoverFinder) -> Fates:
    table = finder.table
    wants: list[Want] = []
    owners: list[int] = []
    for number, one in enumerate(said):
        some = wants_of(one.expression, finder.plausible)
        wants += some
        owners += [number] * len(some)
    owner, every = np.array(owners), np.arange(len(wants))
    scene, target = np.array([one.scene for one in said]), np.array([one.target for one in said])
    asked = finder.guard.ask([one.expression for one in said])
    at_home = counts_of(find_tempted_pairs(wants, table, every, scene[owner], target[owner])) > 0
    is_clean = ~asked.may_fit(np.arange(len(said)), scene ^ 1)
    at_home |= (counts_of(find_tempted_pairs(wants, table, every, scene[owner] ^ 1)) > 0) & is_clean[owner]
    pools = [_some_of(finder.scenes_for(want), int(scene[owner[k]]), k) for k, want in enumerate(wants)]
    which, where = np.repeat(every, [len(pool) for pool in pools]), np.concatenate(pools)
    hit = counts_of(find_tempted_pairs(wants, table, which, where)) > 0
    which, where = which[hit], where[hit]
    clean = ~asked.may_fit(owner[which], where)
    hits, good = (np.bincount(some, minlength=len(wants)) for some in (which, which[clean]))
    fates: Counter[str] = Counter()
    lost: set[int] = set()
    for k, pool in enumerate(pools):
        place = 0 if at_home[k] else 1 if good[k] else 2 if not len(pool) else 3 if not hits[k] else 4
        fates[FATES[place]] += 1
        if place > 1:
            lost.add(int(owner[k]))
    return Fates(form, len(said), len(said) - len(lost), fates)


def _some_of(pool: np.ndarray, own: int, number: int) -> np.ndarray:
    """Some images of a pool, the own one and its mirror image apart."""
    others = pool[(pool | 1) != (own | 1)]
    return np.random.default_rng(number).permutation(others)[:LOOKS]


def rows_of(graphs: Path) -> list[list[str]]:
    """A table with a column for each form and guard: the fates of wants, and how often all were served."""
    columns = [
        ("chain", measure(graphs, "chain")),
        ("and", measure(graphs, "and")),
        ("and, gaps taken for false", measure(graphs, "and", guarded=False)),
    ]
    rows = [["", *(title for title, _ in columns)]]
    rows += [
        [fate, *(f"{100 * found.wants[fate] / found.wants.total():.0f} %" for _, found in columns)] for fate in FATES
    ]
    rows.append(
        ["wants of an expression", *(f"{found.wants.total() / max(1, found.said):.1f}" for _, found in columns)]
    )
    rows.append(["all served, of the expressions tried", *(f"{found.served} of {found.said}" for _, found in columns)])
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unserved_wants", description=__doc__.split("\n", 1)[0])
    parser.add_argument("graphs", type=Path)
    heads, *rows = rows_of(parser.parse_args().graphs)
    for line in (heads, ["---", *("---:" for _ in heads[1:])], *rows):
        print(f"| {' | '.join(line)} |")


if __name__ == "__main__":
    main()
