"""What the models of grounding learn from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from deixis.worlds.photos._models.erasing import ErasingGrounder, ErasingGrounderSettings
from deixis.worlds.photos._models.grounder import PhraseGrounder, PhraseGrounderSettings
from deixis.worlds.photos._models.modular import ModularGrounder, ModularGrounderSettings
from deixis.worlds.photos._models.ranking import attribute_loss, lots_of, mined_loss, pair_rows, rank_loss
from tests.models.grounding.made import (
    ATTRIBUTES,
    HIGH,
    LOW,
    REGIONS,
    SMALL,
    WORDS,
    gradients,
    lesson,
    read,
    settled,
    started,
)


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson


NEEDLESS = ("first.bias", "second.bias", "fuse.bias", "energy.bias", "attention.bias")  # cancelled by what comes after
NEEDLESS_HERE = (
    "score.bias",
    "location.bias",
    "relationship.bias",
    "layers.0.bias",
    "layers.3.bias",
    "layers.6.bias",
    "near_attention.joint.bias",
)
LEARNERS: dict[str, Callable[[], Any]] = {  # without dropout, which would only keep them from learning by heart
    "grounder": lambda: PhraseGrounder(PhraseGrounderSettings(high=HIGH, width=16, joint=32), WORDS),
    "modular": lambda: ModularGrounder(
        ModularGrounderSettings(
            low=LOW, high=HIGH, width=32, attributes=ATTRIBUTES, word_dropout=0, attribute_dropout=0, dropout=0
        ),
        WORDS,
    ),
    "erasing": lambda: ErasingGrounder(
        ErasingGrounderSettings(
            low=LOW, high=HIGH, width=32, attributes=ATTRIBUTES, word_dropout=0, attribute_dropout=0, dropout=0,
            bottleneck=4,
        ),
        WORDS,
    ),
}  # fmt: skip


def test_a_right_pair_must_be_better_by_the_margin() -> None:
    """What is better by the margin costs nothing; what is less costs what is missing, for regions and for texts."""
    scores = torch.tensor([[0.5, 0.5], [0.4, 0.45], [0.7, -1.0]])  # right, another region, another text

    loss, told = rank_loss(scores, 0.1)

    assert float(loss) == pytest.approx(((0.0 + 0.05) + (0.3 + 0.0)) / 2)
    assert float(told["right"]) == 0.5


def test_six_pairs_that_were_mined_are_added_up() -> None:
    """Each mined text and each mined region costs by itself, and the mean is over examples."""
    scores = torch.tensor([[0.5, 0.0], [9.0, 9.0], [9.0, 9.0], *([[0.45, -0.2]] * 5), [0.5, 0.3]])

    assert float(mined_loss(scores, 0.1)) == pytest.approx((5 * 0.05 + 0.1 + 0.4) / 2)


def test_attributes_count_where_there_are_any() -> None:
    """The loss is the weighted mean over examples that have attributes, and nought where none has."""
    taught = replace(
        lesson(0, 2),
        attributes=torch.tensor([[1.0, 0.0], [1.0, 1.0]]),
        has_attributes=torch.tensor([True, False]),
        weights=torch.tensor([1.0, 10.0]),
    )

    loss = attribute_loss(torch.tensor([[0.0, 0.0], [-50.0, 80.0]]), taught)

    assert float(loss) == pytest.approx(11 * 0.6931472 / 2)
    nobody = replace(taught, has_attributes=torch.tensor([False, False]))
    assert float(attribute_loss(torch.ones(2, 2), nobody)) == 0


def test_a_mined_pair_gives_both_its_text_and_its_region() -> None:
    """For each module the mined text meets the target, and what was said meets the mined region."""
    taught = lesson(3, 6, mined=True)
    assert taught.mined is not None

    lots = lots_of(taught)
    texts, regions = pair_rows(lots.pairs, 6, torch.device("cpu"))

    assert len(lots.pairs) == 3 + 6
    for number, (text, rows) in enumerate(taught.mined.values()):
        here = slice((3 + 2 * number) * 6, (4 + 2 * number) * 6)
        there = slice((4 + 2 * number) * 6, (5 + 2 * number) * 6)
        assert torch.equal(lots.said.take(texts[here]).words, text.words)
        assert torch.equal(lots.regions[regions[here]], taught.target)
        assert torch.equal(lots.said.take(texts[there]).words, taught.said.words)
        assert torch.equal(lots.regions[regions[there]], rows)


@pytest.mark.parametrize("name", ["modular", "erasing"])
def test_the_loss_is_that_of_the_pairs(name: str) -> None:
    """Pair by pair, each scored by itself: the hinges of the ranking, of mining, and the attributes."""
    model, taught = settled(SMALL[name], 3), lesson(5, 7, mined=True)
    assert taught.mined is not None

    def score(said: Any, rows: Tensor) -> Tensor:
        return model.fit(read(model, said, taught.table, rows), model.see(taught.table.take(rows)))

    with torch.no_grad():
        loss, told = model.loss(taught)
        right = score(taught.said, taught.target)
        wrong = [score(taught.said, taught.other_region), score(taught.other_said, taught.target)]
        for text, rows in taught.mined.values():
            wrong += [score(text, taught.target), score(taught.said, rows)]
        hinges = [(0.1 - right + other).clamp(min=0).mean() for other in wrong]

    assert float(told["rank"]) == pytest.approx(float(sum(hinges[:2])), abs=1e-5)
    assert float(told["mined"]) == pytest.approx(float(sum(hinges[2:])), abs=1e-5)
    assert float(loss) == pytest.approx(float(told["rank"] + told["mined"] + told["attributes"]), abs=1e-5)


def test_grounder_chooses_among_regions_that_are_there() -> None:
    """Rows that only fill up the table take no share of the choice and leave no trace in the norm."""
    taught = lesson(2, 8)
    padded = replace(
        taught,
        rows=torch.cat((taught.rows, taught.rows[:, :1].expand(-1, 3)), dim=1),
        there=torch.cat((taught.there, torch.zeros(8, 3, dtype=torch.bool)), dim=1),
    )
    models = [started(SMALL["grounder"], 4) for _ in range(2)]

    losses = [model.loss(each)[0] for model, each in zip(models, (taught, padded), strict=True)]

    torch.testing.assert_close(losses[0], losses[1])
    torch.testing.assert_close(models[0].seen_norm.running_mean, models[1].seen_norm.running_mean)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_all_weights_learn(name: str) -> None:
    """Every weight gets a gradient, but for biases that a norm or a softmax takes away again."""
    model = started(SMALL[name], 2)
    if name == "erasing":
        model.erases = True
    with torch.random.fork_rng(devices=[]):
        loss, told = model.loss(lesson(4, 24, mined=True))
        loss.backward()

    still = [part for part, most in gradients(model).items() if most < 1e-7]
    assert [part for part in still if not part.endswith((*NEEDLESS, *NEEDLESS_HERE))] == []
    assert not any(value.requires_grad for value in told.values())


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_a_model_learns_32_examples_by_heart(name: str) -> None:
    """After some updates each text is matched with its own region among all of its image."""
    taught, model = lesson(8, 32), started(LEARNERS[name], 1)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    right = 0.0
    for update in range(1, 301):
        optimiser.zero_grad()
        loss = _with_neighbour(model, taught, 1 + update % (REGIONS - 1))
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if update % 20 == 0:
            right = _share_found(model, taught)
        if right == 1:
            break

    assert right == 1


def _with_neighbour(model: Any, taught: Lesson, step: int) -> Tensor:
    """The loss where the other region and text are those so many regions further in the same image."""
    other = taught.target // REGIONS * REGIONS + (taught.target + step) % REGIONS
    return model.loss(replace(taught, other_region=other, other_said=taught.said.take(other)))[0]


def _share_found(model: Any, taught: Lesson) -> float:
    model.eval()
    with torch.no_grad():
        seen = model.see(taught.table.take(torch.arange(len(taught.table))))
        fits = model.dense(read(model, taught.said, taught.table, taught.target), seen, taught.rows)
    model.train()
    return float((fits.argmax(1) == taught.place).float().mean())


def test_what_is_early_is_seen_only_if_asked_for() -> None:
    """GroundeR's fits depend on what is pooled early in an encoder with `sees_early`, and not otherwise."""
    for name in ("grounder", "grounder with what is early"):
        model = settled(SMALL[name])
        table = lesson(3, 8).table
        changed = replace(table, low=table.low + 1)
        rows = torch.arange(len(table))
        with torch.no_grad():
            plain, other = (model.see(one.take(rows)).hidden for one in (table, changed))
        assert torch.equal(plain, other) == (name == "grounder")
