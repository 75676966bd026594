"""The audit of the released sample gives the figures measured on the whole released test set of 2,712 examples.

Each share may lie outside of the published one by what chance makes of the 302 examples of the sample: a 95 percent
binomial interval.
"""

from __future__ import annotations

import pytest

from deixis.audits.audit import Share
from deixis.audits.run import audit_path
from tests.datasets.formats.released import SAMPLE, needs_sample


pytestmark = needs_sample
PUBLISHED = 2712


@pytest.fixture(scope="module")
def audit():
    """The audit of the sample."""
    return audit_path(SAMPLE)


def agrees(found: Share, published: float) -> bool:
    error = (published * (1 - published) / found.of) ** 0.5
    return abs(found.part / found.of - published) <= 1.96 * error


def test_every_example_is_judged(audit):
    """All commands of the release can be read and pick out their targets."""
    assert (audit.examples, audit.judged, audit.unjudged) == (302, 302, {})
    assert audit.patterns == {"p3": 302}


def test_clauses_are_needed_as_published(audit):
    """Every clause is needed in 2,633 of 2,712 examples (finding 17)."""
    assert agrees(audit.all_clauses_needed(), 2633 / PUBLISHED)


@pytest.mark.parametrize(("phrase", "needed"), [("target", 1439 / 5185), ("other", 4279 / 12046)])
def test_words_are_needed_as_published(audit, phrase, needed):
    """28 percent of the words of the target's phrase are needed, and 36 percent of the others (finding 18)."""
    assert agrees(audit.words_needed(phrase), needed)


def test_words_are_counted_as_published(audit):
    """A command says 1.91 words of the target and 4.44 of others, the box after 'inside of' not counted."""
    assert audit.words_needed("target").of / 302 == pytest.approx(5185 / PUBLISHED, rel=0.03)
    assert audit.words_needed("other").of / 302 == pytest.approx(12046 / PUBLISHED, rel=0.03)


def test_pushing_moves_something_as_seldom_as_published(audit):
    """Pushing does nothing in 531 of 876 examples (finding 24)."""
    assert agrees(audit.moving["push"], 1 - 531 / 876)


@pytest.mark.parametrize(
    ("relation", "place", "number", "published"),
    [
        ("same row", 2, 0, 0.826),
        ("same row", 2, 1, 0.173),
        ("same column", 1, 0, 0.846),
        ("same column", 1, 1, 0.154),
    ],
)
def test_children_stand_at_the_edge_as_published(audit, relation, place, number, published):
    """What is in the same row stands leftmost, what is in the same column topmost (finding 1)."""
    of = {key: count for key, count in audit.children.items() if key[0] == relation}
    at_edge = sum(count for key, count in of.items() if key[place] == number)

    assert agrees(Share(at_edge, sum(of.values())), published)


def test_a_relation_gives_away_where_its_object_stands(audit):
    """The relation tells a good third of a bit about the row and the column of what it relates to."""
    assert min(found.net for found in audit.child_skew.values()) > 0.3


@pytest.mark.parametrize(
    ("direction", "published"),
    [("north-west", 582), ("south-west", 495), ("south-east", 482), ("north-east", 476)],
)
def test_targets_lie_where_published(audit, direction, published):
    """The agent finds its target in the north-west more often than elsewhere (finding 25)."""
    table = audit.feature_tables["direction"]

    assert agrees(Share(table[direction, True], 302), published / PUBLISHED)


@pytest.mark.parametrize("place", [1, 2])
def test_the_first_row_and_column_are_crowded_as_published(audit, place):
    """Row 0 and column 0 hold 0.51 solids per cell, the others 0.31 (finding 25)."""
    solids = {key: count for key, count in audit.cells.items() if key[0] == "solid"}
    first = sum(count for key, count in solids.items() if key[place] == 0)

    assert agrees(Share(first, sum(solids.values())), 0.51 / (0.51 + 5 * 0.31))


@pytest.mark.parametrize(
    ("relation", "published"),
    [
        ("same row", 0.338),
        ("same column", 0.335),
        ("inside", 0.238),
        ("same shape", 0.067),
        ("same color", 0.017),
        ("same size", 0.006),
    ],
)
def test_relations_are_as_frequent_as_published(audit, relation, published):
    """Rows, columns and boxes prevail, equal sizes nearly vanish (finding 29)."""
    assert agrees(Share(audit.relations["p3", relation], sum(audit.relations.values())), published)


def test_the_target_is_always_definite(audit):
    """The determiner of the target tells nothing (finding 9)."""
    assert audit.determiner_shares() == {"target": {"the": 302}, "other": {"a": 604}}
