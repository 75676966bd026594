"""What is taken away while CM-Att-Erase learns."""

from __future__ import annotations

import pytest
import torch

from deixis.worlds.photos._models.erasing import ErasingGrounderSettings, draw_block, draw_one, without, without_word
from deixis.worlds.photos._models.regions import UNKNOWN, Words
from tests.models.grounding.made import SMALL, lesson, settled, started, table


def test_a_word_is_erased_where_the_model_listens() -> None:
    """The word that has all attention becomes unknown; texts of less than three words stay as they are."""
    said = Words(torch.tensor([[4, 5, 6, 7], [4, 5, 0, 0], [8, 9, 3, 0], [0, 0, 0, 0]]), torch.tensor([4, 2, 3, 0]))
    attention = torch.tensor([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])

    erased = without_word(said, attention)

    assert erased.words.tolist() == [[4, 5, UNKNOWN, 7], [4, 5, 0, 0], [8, UNKNOWN, 3, 0], [0, 0, 0, 0]]
    assert erased.count.tolist() == [4, 2, 3, 0]


@pytest.mark.parametrize(("side", "block"), [(1, 1), (3, 1), (3, 2), (3, 3), (7, 2)])
def test_a_block_is_a_square_that_is_looked_at(side: int, block: int) -> None:
    """Of cells with all attention on one, a full square around it is drawn, and every such square sooner or later."""
    looked_at = (side // 2) * side + side // 2
    attention = torch.zeros(400, side, side).flatten(1)
    attention[:, looked_at] = 1
    with torch.random.fork_rng(devices=[]):
        drawn = draw_block(attention, block)

    assert drawn[:, looked_at].all()
    grids = drawn.view(-1, side, side)
    assert (grids.any(1).sum(1) == block).all()
    assert (grids.any(2).sum(1) == block).all()
    assert (grids.sum((1, 2)) == block * block).all()
    first = [row for row in range(side - block + 1) if row <= side // 2 < row + block]
    assert len({tuple(row) for row in drawn.tolist()}) == len(first) ** 2


def test_a_choice_is_drawn_by_its_weight() -> None:
    """One of each row is drawn, as often as it weighs."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(3)
        drawn = draw_one(torch.tensor([0.7, 0.0, 0.3]).expand(4000, 3))

    assert (drawn.sum(1) == 1).all()
    torch.testing.assert_close(drawn.float().mean(0), torch.tensor([0.7, 0.0, 0.3]), atol=0.03, rtol=0)


def test_what_is_erased_is_nought_and_all_else_is_left() -> None:
    """Cells, places and regions around become zeros where they are named, and nothing else changes."""
    regions = table(1, 1).take(torch.arange(4))
    cells, places, around = (torch.zeros(4, count, dtype=torch.bool) for count in (9, 6, 5))
    cells[0, 4] = places[1, 0] = places[2, 3] = around[3, 1] = True

    erased = without(regions, cells, places, around)

    assert not erased.low[0, :, 4].any()
    assert not erased.high[0, :, 4].any()
    assert not erased.place[1].any()
    assert not erased.alike[2, 2].any()
    assert not erased.near[3, 1].any()
    assert not erased.near_places[3, 1].any()
    assert not erased.is_near[3, 1]
    changed = [int((new != old).sum()) for new, old in zip(erased, regions, strict=True)]
    assert changed == [4, 6, 0, 5, 5, 6, 5, 1]


@pytest.mark.parametrize(("side", "block"), [(1, 1), (3, 1), (7, 2), (14, 4)])
def test_a_block_keeps_its_share_of_a_region(side: int, block: int) -> None:
    """Two of seven cells along a side are erased, and as many for their number of others; or what the settings say."""
    assert ErasingGrounderSettings().block_of(side) == block
    assert ErasingGrounderSettings(block=3).block_of(side) == min(3, side)


def test_erasing_takes_one_thing_from_each_pair() -> None:
    """Each text of three words or more loses one word; each target loses one cell, place or region around."""
    model, taught = settled(SMALL["erasing"]), lesson(1, 40)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(5)
        said, erased = model.erase(taught)

    regions = taught.table.take(taught.target)
    assert torch.equal((said.words != taught.said.words).sum(1), (taught.said.count >= 3).long())
    lost = torch.stack(
        [
            (erased.high != regions.high).flatten(1).any(1),
            (erased.place != regions.place).any(1) | (erased.alike != regions.alike).flatten(1).any(1),
            (erased.near_places != regions.near_places).flatten(1).any(1),
        ]
    )
    assert (lost.sum(0) <= 1).all()  # none where an empty place around was drawn
    assert lost.any(1).all()
    assert not any(field.requires_grad for field in erased)


def test_the_second_stage_adds_two_losses() -> None:
    """With erasing on, what has no word and what has no sight cost as well; with it off, nothing is erased."""
    model, taught = started(SMALL["erasing"]), lesson(1, 12)
    with torch.random.fork_rng(devices=[]):
        first = model.loss(taught)[1]
        model.erases = True
        loss, second = model.loss(taught)

    assert set(second) - set(first) == {"erased word", "erased sight"}
    parts = (second[name] for name in ("rank", "attributes", "erased word", "erased sight"))
    torch.testing.assert_close(loss.detach(), sum(parts, torch.zeros(())))
