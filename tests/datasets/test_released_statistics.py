"""The compatible mode is like the released data: its statistics are those of the published test set of 2,712 examples.

Both our sample and the published set are clusters: a few worlds each for many commands, which vary much more than the
worlds of one command. A share may therefore differ by four standard errors, each estimated from commands, not from
examples (`Sample.share`), for our sample and for the published set of 1,353 commands together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from deixis.expression.parts import parts
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from deixis.worlds.grid.splits.rules import REASCAN, REASCAN_ASIDE
from tests.datasets.tiny import TESTS, examples_in, tiny


HOLD_OUTS = (*(rule for rule in REASCAN if not rule.is_generated), *REASCAN_ASIDE)
PUBLISHED = 2712
PUBLISHED_COMMANDS = 1353
RELATIONS = {
    "same row": 0.338,
    "same column": 0.335,
    "inside": 0.238,
    "same shape": 0.067,
    "same color": 0.017,
    "same size": 0.006,
}
OBJECTS = {13: 1452, 14: 537, 15: 528, 16: 195}
SETS = {"attribute": 1421, "isomorphism": 1396, "random": 1298}
DIRECTIONS = {"nw": 582, "sw": 495, "se": 482, "ne": 476, "n": 200, "w": 195, "s": 142, "e": 140}
DEVIATIONS = 4


class Sample(NamedTuple):
    """Examples outside of every hold-out, the number of the command of each and, by id, which of its parts it needs."""

    examples: list
    commands: np.ndarray
    necessary: dict

    def share(self, holds, among=None):
        """(mean, standard error of the difference to the published one) of something, over commands."""
        values = np.array([float(holds(example)) for example in self.examples])
        chosen = np.array([among is None or bool(among(example)) for example in self.examples])
        sums = np.bincount(self.commands, values * chosen)
        counts = np.bincount(self.commands, chosen)
        sums, counts = sums[counts > 0], counts[counts > 0]
        mean = sums.sum() / counts.sum()
        spread = ((sums - mean * counts) ** 2).mean() ** 0.5 / counts.mean()  # of the mean of one command
        theirs = PUBLISHED_COMMANDS * chosen.mean()
        return mean, spread * (1 / len(counts) + 1 / theirs) ** 0.5

    def agrees(self, published, holds, among=None):
        """Whether something is as frequent here as in the published set."""
        mean, error = self.share(holds, among)
        return abs(mean - published) <= DEVIATIONS * error, f"{mean:.4f} here, {published:.4f} published, ± {error:.4f}"


def sample_of(pool, folder):
    """The examples of a pool that no rule holds out."""
    dataset = make(tiny("compatible", pools=(pool,), hold_out=HOLD_OUTS), folder, workers=2)
    table = pa.concat_tables([table for split in ("train", "dev", "test") for table in dataset.tables(split)])
    _, commands = np.unique(table["command_number"].to_numpy(), return_inverse=True)
    necessary = dict(zip(table["id"].to_pylist(), table["necessary"].to_pylist(), strict=True))
    return Sample(list(examples_of(table)), commands, necessary)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """Two-clause examples made in the compatible mode."""
    pool = Pool(name="p3", pattern="p3", commands=1500, worlds=4)
    return sample_of(pool, tmp_path_factory.mktemp("released") / "p3")


def kinds(example):
    return [role.kind for role in example.roles]


def is_complete(example, kind):
    """Whether a distractor set of this kind was placed in full."""
    return kinds(example).count(kind) == 3


def direction(example):
    """Where the target lies, seen from the agent."""
    agent, target = example.scene.agent, example.scene.objects[0]
    rows, columns = target.row - agent.row, target.column - agent.column
    return ("n" if rows < 0 else "s" if rows > 0 else "") + ("w" if columns < 0 else "e" if columns > 0 else "")


def child_of(example, relation):
    """What the target stands in a relation to."""
    relations = list(example.expression.relations())
    return example.scene.objects[1 + relations.index(relation)] if relation in relations else None


def moves(example):
    return any(action.name in ("PUSH", "PULL") for action in example.plan)


@pytest.mark.parametrize("relation", RELATIONS)
def test_relations_are_as_frequent_as_published(sample, relation):
    """The share of each relation among all clauses is the published one: same size nearly vanishes."""
    agrees, numbers = sample.agrees(RELATIONS[relation], lambda e: list(e.expression.relations()).count(relation) / 2)

    assert agrees, numbers


@pytest.mark.parametrize("count", OBJECTS)
def test_worlds_hold_as_many_objects_as_published(sample, count):
    """Worlds of two-clause commands hold 13 to 16 objects, each number as often as published."""
    agrees, numbers = sample.agrees(OBJECTS[count] / PUBLISHED, lambda e: len(e.scene) == count)

    assert agrees, numbers
    assert {len(example.scene) for example in sample.examples} == set(OBJECTS)


@pytest.mark.parametrize("kind", ["attribute", "isomorphism"])
def test_distractor_sets_are_as_frequent_as_published(sample, kind):
    """Complete attribute and isomorphism sets occur as often as published."""
    agrees, numbers = sample.agrees(SETS[kind] / PUBLISHED, lambda e: is_complete(e, kind))

    assert agrees, numbers


def test_random_objects_are_as_frequent_as_published(sample):
    """Worlds that were filled up with random objects are as frequent as published."""
    agrees, numbers = sample.agrees(SETS["random"] / PUBLISHED, lambda e: "random" in kinds(e))

    assert agrees, numbers


def test_relation_sets_are_always_there(sample):
    """Nearly every world has both relation sets in full: 2,711 of the 2,712 published ones have."""
    assert np.mean([kinds(example).count("relation") == 4 for example in sample.examples]) > 0.995


def test_relation_distractors_have_the_sizes_of_what_they_copy(sample):
    """A relation distractor is as big as the object it is mistaken for, unless its class may have two sizes only."""
    for example in sample.examples:
        things = example.scene.objects
        sized = {things[k].shape for k, m in enumerate(example.expression.mentions()) if "size" in str(m.phrase)}
        for number, copied in ((0, (0, 2)), (1, (0, 1))):
            copies = [k for k, role in enumerate(example.roles) if (role.kind, role.number) == ("relation", number)]
            for copy, original in zip(copies, copied, strict=False):
                if not {things[copy].shape, things[original].shape} & sized:
                    assert things[copy].size == things[original].size


def test_plans_are_as_long_as_published(sample):
    """Plans have 16.9 actions on average, at least 1, and the longest about 90."""
    agrees, numbers = sample.agrees(16.9, lambda e: len(e.plan))
    lengths = [len(example.plan) for example in sample.examples]

    assert agrees, numbers
    assert min(lengths) == 1
    assert 60 < max(lengths) <= 120


@pytest.mark.parametrize("where", DIRECTIONS)
def test_targets_lie_where_published(sample, where):
    """The direction of the target has the published skew to the north-west."""
    agrees, numbers = sample.agrees(DIRECTIONS[where] / PUBLISHED, lambda e: direction(e) == where)

    assert agrees, numbers


@pytest.mark.parametrize(("verb", "still"), [("push", 531 / 876), ("pull", 0.34)])
def test_pushing_moves_nothing_as_often_as_published(sample, verb, still):
    """Pushing is in vain in 61 percent of the worlds, pulling in 34."""
    agrees, numbers = sample.agrees(still, lambda e: not moves(e), among=lambda e: str(e.verb) == verb)

    assert agrees, numbers


@pytest.mark.parametrize(
    ("relation", "line", "number", "published"),
    [
        ("same row", "column", 0, 0.826),
        ("same row", "column", 1, 0.173),
        ("same column", "row", 0, 0.846),
        ("same column", "row", 1, 0.154),
    ],
)
def test_children_stand_at_the_edge_as_published(sample, relation, line, number, published):
    """What is in the same row stands in the first free column, what is in the same column in the first free row."""
    agrees, numbers = sample.agrees(
        published,
        lambda e: (child := child_of(e, relation)) is not None and getattr(child, line) == number,
        among=lambda e: child_of(e, relation) is not None,
    )

    assert agrees, numbers


def test_clauses_are_needed_as_often_as_published(sample):
    """Every clause is needed in 97.1 percent of the worlds."""

    def needs_all(example):
        needed = zip(parts(example.expression), sample.necessary[example.id], strict=True)
        return all(is_needed for part, is_needed in needed if part.kind == "clause")

    agrees, numbers = sample.agrees(2633 / PUBLISHED, needs_all)

    assert agrees, numbers


def test_two_clauses_have_the_determiners_published(sample):
    """The target is 'the', the others are 'a': relation distractors repeat each of them."""
    good = [example.utterance.determiners == ("the", "a", "a") for example in sample.examples]

    assert np.mean(good) > 0.995


# --- the other patterns


@pytest.fixture(scope="module")
def one_clause(tmp_path_factory):
    """One-clause examples."""
    return sample_of(Pool(name="p2", pattern="p2", commands=300, worlds=4), tmp_path_factory.mktemp("p2") / "p2")


def test_one_clause_never_says_same_size(one_clause):
    """No one-clause command says same size: its distractor always has that size too."""
    assert not any("same size" in example.expression.relations() for example in one_clause.examples)


def test_one_clause_has_the_determiners_published(one_clause):
    """Of the second mentions 52 percent are 'a' (of 200 published examples)."""
    mean, error = one_clause.share(lambda e: e.utterance.determiners[1] == "a")

    assert abs(mean - 0.52) <= DEVIATIONS * (error**2 + 0.25 / 200) ** 0.5


@pytest.mark.parametrize(
    ("pattern", "distractors", "counts"),
    [
        ("p1", ("relation", "attribute", "isomorphism", "random"), {13}),
        ("p2", ("relation", "attribute", "isomorphism", "random"), {13}),
        ("p4", ("relation", "random"), {13, 14, 15, 16, 17}),
        ("chain", ("relation", "attribute", "isomorphism", "random"), {13, 14}),
    ],
)
def test_other_patterns_have_the_numbers_of_objects_published(tmp_path, pattern, distractors, counts):
    """Simple and one-clause worlds hold exactly 13 objects, three clauses up to 17, chains 13 or 14."""
    pool = Pool(name="pool", pattern=pattern, commands=120, worlds=3, distractors=distractors)

    dataset = make(tiny("compatible", pools=(pool,), hold_out=()), tmp_path / "objects", workers=2)

    assert {len(example.scene) for example in examples_in(dataset)} == counts


def test_chains_have_the_determiners_published(tmp_path):
    """In chains made as C2 was, the last two mentions are both 'a' in 87.5 percent of 200 published examples."""
    pools = (Pool(name="p3", pattern="p3", commands=500, worlds=2),)
    tests = (replace(TESTS[2], commands=150, worlds=3, retries=200),)
    rules = tuple(rule for rule in REASCAN if rule.name == "c2" or not rule.is_generated)

    dataset = make(tiny("compatible", pools=pools, tests=tests, hold_out=rules), tmp_path / "chain", workers=2)

    shares = [example.utterance.determiners[1:] == ("a", "a") for example in examples_in(dataset, "c2")]
    assert abs(np.mean(shares) - 0.875) <= DEVIATIONS * (2 * 0.875 * 0.125 / 200) ** 0.5
