"""What the program model puts together from parts: directions, and the next action."""

from __future__ import annotations

from itertools import combinations

import pytest
import torch

from deixis.worlds.grid.models._program import (
    PARTS,
    SYMBOLS,
    NextAction,
    Pose,
    ProgramPolicy,
    ProgramSettings,
    direction_parts,
)
from deixis.worlds.grid.scene import BESIDE


ALL = len(SYMBOLS)
FIRST = SYMBOLS.names.index("north of") + 1
SIDE = 12


@pytest.fixture(scope="module")
def model() -> ProgramPolicy:
    """A model for commands with directions, with random weights."""
    torch.default_generator.manual_seed(5)
    return ProgramPolicy(ProgramSettings(composes=True, symbols=ALL), 1)


def test_directions_share_a_part_where_they_share_a_side() -> None:
    """Two directions have the same part for rows if both are as far up or down, and likewise for columns."""
    parts = direction_parts(ALL)[FIRST : FIRST + len(BESIDE)]
    for (one, mine), (other, theirs) in combinations(zip(BESIDE.values(), parts, strict=True), 2):
        assert [a == b for a, b in zip(one, other, strict=True)] == [a == b for a, b in zip(mine, theirs, strict=True)]


def test_what_is_no_direction_has_its_own_vector() -> None:
    """Words and other relations are not put together, nor anything where no direction can be said."""
    assert direction_parts(FIRST) == tuple((number,) for number in range(FIRST))
    assert direction_parts(ALL)[:FIRST] == direction_parts(FIRST)


def test_a_direction_follows_from_others(model: ProgramPolicy) -> None:
    """How "north of" scores is how "north west of" and "south of" do, less "south west of"."""
    pairs = model.reader.pairs
    assert pairs is not None
    look = pairs(torch.randn(1, 4, pairs.one.in_features), torch.randn(1, 4, 4, 2 * (2 * SIDE - 1)))
    said = [FIRST + list(BESIDE).index(name) for name in ("north of", "north west of", "south of", "south west of")]
    vectors = pairs._sum(pairs.relation, torch.tensor([said]))[0]
    north, north_west, south, south_west = vectors @ look.flatten(0, 2).T

    assert torch.allclose(north, north_west + south - south_west, atol=1e-4)


def test_what_a_manner_changes_is_the_same_for_every_verb(model: ProgramPolicy) -> None:
    """The scores of two manners differ by as much whatever the verb, the efforts and the look of the target."""
    assert isinstance(model.decoder, NextAction)
    sizes = dict(zip(PARTS, model.decoder.sizes, strict=True))
    known = {name: torch.randn(2, 2, size) for name, size in sizes.items()}  # [kind of verb, manner, number]
    for name, some in known.items():
        across, along = some[:1].expand(2, -1, -1), some[:, :1].expand(-1, 2, -1)
        of_verb = name in ("verb", "efforts", "beyond", "looks")
        known[name] = along if of_verb else across if name == "manner" else some[:1, :1].expand(2, 2, -1)

    scores = model.decoder(torch.cat([known[name] for name in PARTS], dim=-1))

    assert torch.allclose(scores[0, 0] - scores[0, 1], scores[1, 0] - scores[1, 1], atol=1e-5)
    assert not torch.allclose(scores[0], scores[1], atol=1e-3)


def test_half_a_turn_of_the_board_changes_nothing_that_is_seen(model: ProgramPolicy) -> None:
    """A target behind an agent who faces west is one behind an agent who faces east."""
    source = torch.Generator().manual_seed(2)
    away = torch.randint(-5, 6, (20, 2), generator=source)
    facing = torch.randint(0, 4, (20,), generator=source)
    none = torch.zeros(20, dtype=torch.int64)
    here, turned = (
        model._view(Pose(sign * away, (facing + turn) % 4, none, none, none, none)) for sign, turn in ((1, 0), (-1, 2))
    )

    assert torch.equal(here[0], turned[0])
    assert torch.equal(here[1][0], turned[1][0])
