"""Mining: drawn as the softmax says, never what is excluded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from deixis.errors import RecipeError
from deixis.worlds.photos._models.modular import ModularGrounder, ModularGrounderSettings
from deixis.worlds.photos.training import _mining as mining
from deixis.worlds.photos.training._mining import Pool, draw_alike, draw_anywhere, mine, vectors_of
from deixis.worlds.photos.training.settings import Grounding, grounding_of
from tests.training.regions.made_up import regions, said_of


if TYPE_CHECKING:
    from deixis.worlds.photos._models.regions import Words

DRAWS = 20_000


def plain_shares(pool: Pool, row: int, vectors: torch.Tensor, temperature: float, *, same_image: bool) -> torch.Tensor:
    """The probability of every expression to be drawn for another, as the paper has it."""
    may = (pool.category == pool.category[row]) & (torch.arange(len(pool)) != row)
    if not same_image:
        may &= pool.image != pool.image[row]
    fits = (vectors @ vectors[row]) / temperature
    return torch.softmax(fits.masked_fill(~may, -torch.inf), 0)


@pytest.mark.parametrize("temperature", [1.0, 0.1])
@pytest.mark.parametrize("same_image", [True, False])
def test_draws_follow_the_softmax_of_cosines(temperature: float, same_image: bool) -> None:
    """Expressions are drawn as often as softmax(cosine / temperature) says."""
    torch.default_generator.manual_seed(1)
    pool = Pool.of(torch.tensor([0, 0, 1, 0, 0, 1, 0]), torch.tensor([0, 0, 0, 1, 2, 2, 3]))
    vectors = functional.normalize(torch.randn(7, 4), dim=-1)
    rows = torch.tensor([1]).repeat(DRAWS)
    drawn = draw_alike(pool, rows, vectors, temperature=temperature, exclude_same_image=not same_image)[:, 0]
    shares = torch.bincount(drawn, minlength=7) / DRAWS
    assert torch.allclose(shares, plain_shares(pool, 1, vectors, temperature, same_image=same_image), atol=0.015)


def test_several_draws_are_without_repetition_and_the_first_has_the_same_distribution() -> None:
    """Of several candidates for one expression no two are the same; the first is drawn as if it were alone."""
    torch.default_generator.manual_seed(2)
    pool = Pool.of(torch.zeros(5, dtype=torch.int64), torch.arange(5))
    vectors = functional.normalize(torch.randn(5, 3), dim=-1)
    drawn = draw_alike(pool, torch.zeros(DRAWS, dtype=torch.int64), vectors, count=6)
    assert bool((drawn[:, 4:] == -1).all())
    assert all(len(set(some)) == 4 for some in drawn[:50, :4].tolist())
    shares = torch.bincount(drawn[:, 0], minlength=5) / DRAWS
    assert torch.allclose(shares, plain_shares(pool, 0, vectors, 1.0, same_image=False), atol=0.015)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=12), st.booleans())
@settings(max_examples=80, deadline=None)
def test_nothing_is_drawn_that_is_excluded(pairs: list[tuple[int, int]], exclude: bool) -> None:
    """Never itself, nor another category, nor the same image where that is excluded; -1 only where nobody is left."""
    pool = Pool.of(*torch.tensor(pairs).T)
    rows = torch.arange(len(pool)).repeat(4)
    for row, other in zip(
        rows.tolist(), draw_alike(pool, rows, None, exclude_same_image=exclude)[:, 0].tolist(), strict=True
    ):
        may = [
            k
            for k, (category, image) in enumerate(pairs)
            if k != row and category == pairs[row][0] and not (exclude and image == pairs[row][1])
        ]
        assert other in (may or [-1])


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10), st.booleans())
@settings(max_examples=80, deadline=None)
def test_any_other_expression_can_be_drawn_anywhere(images: list[int], exclude: bool) -> None:
    """Drawn from anywhere, every expression that is not excluded comes up, and no other."""
    pool = Pool.of(torch.zeros(len(images), dtype=torch.int64), torch.tensor(images))
    rows = torch.zeros(600, dtype=torch.int64)
    torch.default_generator.manual_seed(0)
    drawn = set(draw_anywhere(pool, rows, 2, exclude_same_image=exclude).ravel().tolist())
    others = {k for k in range(1, len(images)) if not exclude or images[k] != images[0]}
    assert drawn == (others or set(range(1, len(images))))


def test_blocks_do_not_change_what_may_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few similarities are held at once, every expression gets another of its category."""
    monkeypatch.setattr(mining, "CELLS", 1)
    pool = Pool.of(torch.arange(40) % 4, torch.arange(40))
    drawn = draw_alike(pool, torch.arange(40), torch.eye(40))[:, 0]
    assert torch.equal(pool.category[drawn], pool.category)
    assert bool((drawn != torch.arange(40)).all())


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_so_many_are_taken_from_anywhere(share: float) -> None:
    """Of a hundred mined by category, `anywhere` of them are of any category instead."""
    torch.default_generator.manual_seed(4)
    pool = Pool.of(torch.tensor([0, 0, *range(1, 99)]), torch.arange(100))
    drawn = mine(_how("class-aware", anywhere=share), pool, torch.zeros(4000, dtype=torch.int64))
    assert float((drawn != 1).float().mean()) == pytest.approx(share * 98 / 99, abs=0.02 if 0 < share < 1 else 0.01)


def test_what_is_true_is_passed_over() -> None:
    """The first candidate that is not true of the target is taken, and the first where all are true."""
    pool = Pool.of(torch.zeros(6, dtype=torch.int64), torch.arange(6))
    how = _how("class-aware")
    rows = torch.zeros(200, dtype=torch.int64)
    odd = mine(how, pool, rows, is_true=lambda said, of: (said % 2 == 0) & (of == 0))
    assert bool((odd % 2 == 1).all())
    assert bool((mine(how, pool, rows, is_true=lambda said, _: np.ones(len(said), bool)) > 0).all())


def test_a_category_of_its_own_mines_anywhere() -> None:
    """Where a category has no other expression, one is taken from anywhere."""
    pool = Pool.of(torch.tensor([0, 1, 1]), torch.arange(3))
    assert set(mine(_how("class-aware"), pool, torch.zeros(60, dtype=torch.int64)).ravel().tolist()) == {1, 2}
    with pytest.raises(RecipeError, match="only one expression"):
        mine(
            _how("random"),
            Pool.of(torch.zeros(1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64)),
            torch.zeros(1),
        )


@pytest.mark.parametrize("strategy", ["module-specific", "sentence-sim"])
def test_phrases_are_those_of_the_model(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in blocks by length, every expression has the vector that it has when read alone, of length 1."""
    monkeypatch.setattr(mining, "READ_AT_ONCE", 3)
    torch.default_generator.manual_seed(0)
    model = ModularGrounder(ModularGrounderSettings(low=4, high=6, width=8, attributes=2), 9).train()
    said = said_of(regions([5, 5]), list(range(10))).said
    found = vectors_of(_how(strategy), model, said)
    assert found is not None
    assert model.training
    with torch.no_grad():
        plain = _alone(model.eval(), said, strategy)
    for one, other in zip(found, plain, strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def _alone(model: ModularGrounder, said: Words, strategy: str) -> list[torch.Tensor]:
    rows = [said.take(torch.tensor([k])) for k in range(len(said))]
    if strategy == "module-specific":
        return [
            functional.normalize(torch.cat([model.phrases(row)[name] for row in rows]), dim=-1)
            for name in mining.MODULES
        ]
    words = next(one for one in model.modules() if isinstance(one, nn.Embedding)).weight
    means = [words[row.words[0, : int(row.count)]].mean(0) for row in rows]
    return [functional.normalize(torch.stack(means), dim=-1)] * 3


def _how(strategy: str, **changes: float) -> Grounding:
    return grounding_of("mattnet", {"mining": strategy, **changes})
