"""Modules along the tree of an expression, held against what expressions mean."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.learn._soft_sets import MIDDLE, either, nth, relate, same, unless, without
from deixis.resolution.reference import denotation, narrow
from deixis.testing import expressions
from deixis.worlds.photos._models.regions import Grounder, Lesson, Words, join_words
from deixis.worlds.photos._models.tree import TreeGrounder, TreeGrounderSettings
from deixis.worlds.photos.data._programs import ProgramWords, programs_of
from tests.models.grounding.made import HIGH, LOW, REGIONS, gradients, lesson, started, table
from tests.models.grounding.oracle import table_of, told_model, words_of
from tests.scene.graphs import SCHEMA, tables


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.worlds.photos.scene.graph_table import GraphTable


SAID: tuple[Expression, ...] = (
    Description((Is("name", "car"), Nth(2, "left"), Is("color", "red"))),
    Description((Is("name", "man"), Related("on", Description((Is("name", "tree"), Is("other", "wet")))))),
    Description((Is("name", "car"), Not(Is("color", "blue")))),
    Description((Is("name", "tree"), Related("same color", Description((Is("name", "car"),))))),
    Description(
        (Is("name", "car"), AnyOf((Related("near", Description((Is("name", "man"),))), Related("on", Description())))),
    ),
    Description(
        (
            Is("name", "man"),
            Related("near", Description((Is("name", "car"), Related("to the left of", Description())))),
        ),
    ),
    Description((Is("name", "tree"), Nth(1, "middle"))),
    Description((Not(Related("near", Description((Is("name", "car"), Nth(1, "top"))))), Is("color", "white"))),
)


@cache
def _told() -> tuple[ProgramWords, TreeGrounder]:
    words = words_of(SCHEMA)
    return words, told_model(words)


def _texts(said: Sequence[Expression | None], words: ProgramWords) -> Words:
    programs = programs_of(said, words)
    return Words(torch.from_numpy(programs.words).long(), torch.from_numpy(programs.count).long())


def _small(seed: int = 0, **sizes: float) -> TreeGrounder:
    how = TreeGrounderSettings(low=LOW, high=HIGH, **{"width": 12, "pair": 8, "dropout": 0.0, **sizes})  # type: ignore[arg-type]
    words = words_of(SCHEMA)
    made: TreeGrounder = started(lambda: TreeGrounder(how, len(words), words.values), seed)
    return made


def _lesson(seed: int) -> Lesson:
    learnt = lesson(seed, len(SAID))
    place = learnt.table.place.clone()
    place[:, 2:4] = place[:, :2] + 0.1 + place[:, 2:4]
    return replace(learnt, said=_texts(SAID, words_of(SCHEMA)), table=replace(learnt.table, place=place))


# ------------------------------------------------------------------------------------------ what expressions mean


@given(
    corpus=tables(max_graphs=3),
    said=st.lists(expressions(SCHEMA, max_depth=2, max_steps=3), min_size=1, max_size=4),
)
def test_sure_modules_find_what_expressions_mean(corpus: GraphTable, said: list[Expression]) -> None:
    """A model that sees everything picks out just those regions of any image that all steps leave."""
    words, model = _told()
    scenes = [corpus.scene(number) for number in range(len(corpus))]
    regions = table_of(scenes, words)
    everything = torch.arange(len(regions))

    with torch.no_grad():
        seen = model.see_table(regions, everything, at_once=5)
        fits = model.dense(model.read(_texts(said, words)), seen, everything.expand(len(said), -1))

    for text, expression in enumerate(said):
        for number, scene in enumerate(scenes):
            found = fits[text, regions.first[number] : regions.first[number + 1]]
            left = narrow(expression, scene, reading=SCHEMA.reading)
            assert {index for index, fit in enumerate(found.tolist()) if fit > -0.01} == left
            assert all(fit < -20 for index, fit in enumerate(found.tolist()) if index not in left)


@given(corpus=tables(max_graphs=3), said=expressions(SCHEMA, max_depth=1, max_steps=3, max_mentions=2))
def test_the_best_fit_is_the_referent(corpus: GraphTable, said: Expression) -> None:
    """Where one object of all images is meant it fits best, and it is said to be there; where none is, it is not."""
    words, model = _told()
    scenes = [corpus.scene(number) for number in range(len(corpus))]
    regions = table_of(scenes, words)
    meant = [
        int(regions.first[number]) + index for number, scene in enumerate(scenes) for index in denotation(said, scene)
    ]

    with torch.no_grad():
        everything = torch.arange(len(regions))
        fits = model.dense(model.read(_texts([said], words)), model.see_table(regions, everything), everything[None])[0]
        model.threshold.fill_(-3)
        is_there = bool(model.presence(fits.max()) > 0)

    assert is_there == bool(meant)
    if len(meant) == 1:
        assert int(fits.argmax()) == meant[0]


# ---------------------------------------------------------------------------------------------------- soft sets


def test_doubt_is_exact_on_both_ends() -> None:
    """The logarithm of 1 - exp(x) is that of exact arithmetic for tiny and for huge doubts, with a finite gradient."""
    x = torch.tensor([-1e-9, -1e-4, -0.5, -0.7, -20.0, -40.0, 0.0, -1e4], requires_grad=True)

    found = unless(x)
    found.sum().backward()

    exact = np.log(-np.expm1(x.detach().numpy()[:4].astype(np.float64)))
    np.testing.assert_allclose(found[:4].detach().numpy(), exact, rtol=1e-5)
    np.testing.assert_allclose(found[4:6].detach().numpy(), -np.exp([-20.0, -40.0]), rtol=1e-4)
    assert torch.isfinite(found).all()
    assert torch.isfinite(x.grad).all()  # type: ignore[arg-type]


@given(seed=st.integers(0, 2**32 - 1), regions=st.integers(1, 5))
def test_soft_sets_are_what_happens_on_average(seed: int, regions: int) -> None:
    """The probability of each region is the sum over all sets that may be the case, of those in which it is kept."""
    rng = np.random.default_rng(seed)
    inside, places = rng.uniform(0.05, 0.95, regions), rng.integers(0, 4, regions)
    index, side = int(rng.integers(1, 4)), int(rng.choice([0, 1, MIDDLE]))
    expected = np.zeros(regions)
    for bits in np.ndindex(*(2,) * regions):
        members = [region for region, bit in enumerate(bits) if bit]
        chance = np.prod([p if bit else 1 - p for p, bit in zip(inside, bits, strict=True)])
        for one in members:
            before = sum(places[other] < places[one] for other in members)
            behind = sum(places[other] > places[one] for other in members)
            if side == 1:
                before, behind = behind, before
            is_kept = before == (behind if side == MIDDLE else index - 1)
            expected[one] += chance * (is_kept and before + behind == len(members) - 1)

    centre = torch.from_numpy(np.stack((places / 4, places * 0), axis=-1)).float()[None]
    found = nth(torch.from_numpy(inside).log()[None], centre, torch.tensor([index]), torch.tensor([side]))

    np.testing.assert_allclose(found.exp()[0].numpy(), expected, atol=1e-5)


@given(seed=st.integers(0, 2**32 - 1))
def test_joined_sets_are_what_happens_on_average(seed: int) -> None:
    """Not, or, related and same follow the probabilities of independent events."""
    rng = np.random.default_rng(seed)
    whole, part, other = (torch.from_numpy(rng.uniform(0.05, 0.95, 4)) for _ in range(3))
    holds, values = (torch.from_numpy(rng.uniform(0.05, 0.95, (4, n))) for n in (4, 3))

    torch.testing.assert_close(without(whole.log(), (whole * part).log()).exp(), whole * (1 - part))
    both = either(whole.log(), (whole * part).log(), (whole * other).log()).exp()
    torch.testing.assert_close(both, whole * (part + other - part * other))
    apart = 1 - torch.eye(4, dtype=torch.float64)
    some = relate(holds.log()[None], whole.log()[None])[0].exp()
    torch.testing.assert_close(some, 1 - (1 - holds * whole * apart).prod(1))
    shared = 1 - (1 - values[:, None] * values[None]).prod(-1)
    torch.testing.assert_close(same(values.log()).exp(), shared)


# ---------------------------------------------------------------------------------------------------- the model


def test_it_does_what_every_model_does() -> None:
    """It can stand where any other model of grounding stands."""
    assert isinstance(_small(), Grounder)


def test_a_region_fits_as_well_alone_as_among_others() -> None:
    """Pairs are scored as dense rows are, in any order and however often; other images and padding change nothing."""
    model, learnt = _small().eval(), _lesson(1)
    regions, said, rows = learnt.table, learnt.said, torch.arange(len(learnt.table))
    seen = model.see_table(regions, rows, at_once=3)
    fits = model.dense(model.read(said), seen, rows.expand(len(said), -1))
    mixed = torch.tensor([5, 0, 5, 7, 1, 1])
    longer = join_words([said, Words(torch.zeros(1, 60, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))])
    alone = model.see(regions.take(rows[:REGIONS]))

    torch.testing.assert_close(model.fit(model.read(said), seen), fits.diagonal())
    torch.testing.assert_close(model.dense(model.read(said), seen, mixed.expand(len(said), -1)), fits[:, mixed])
    torch.testing.assert_close(model.dense(model.read(longer), seen, rows.expand(len(longer), -1))[:-1], fits)
    found = model.dense(model.read(said), alone, rows[:REGIONS].expand(len(said), -1))
    torch.testing.assert_close(found, fits[:, :REGIONS])
    assert bool((fits <= 0).all())


def test_images_of_different_sizes_and_few_at_once_fit_the_same() -> None:
    """An image fits the same whether it is judged beside larger ones or alone, and whatever memory allows."""
    model, learnt = _small().eval(), _lesson(2)
    kept = torch.tensor([0, 1, 2, 3, 4, 5])  # all of the first image, half of the second
    seen = model.see_table(learnt.table, kept)
    fits = model.dense(model.read(learnt.said), seen, kept.expand(len(SAID), -1))
    half = model.see_table(learnt.table, kept[4:])
    model.numbers_at_once = 1

    torch.testing.assert_close(model.dense(model.read(learnt.said), seen, kept.expand(len(SAID), -1)), fits)
    rows = torch.arange(2).expand(len(SAID), -1)
    torch.testing.assert_close(model.dense(model.read(learnt.said), half, rows), fits[:, 4:])


def test_what_is_seen_can_be_kept_in_half_the_memory() -> None:
    """Regions that were kept as half-precision numbers fit about as before."""
    model, learnt = _small().eval(), _lesson(3)
    rows = torch.arange(len(learnt.table))
    query, seen = model.read(learnt.said), model.see_table(learnt.table, rows)
    kept = seen._replace(look=seen.look.half(), one=seen.one.half(), other=seen.other.half())

    found = model.dense(query, kept, rows.expand(len(SAID), -1))

    torch.testing.assert_close(found, model.dense(query, seen, rows.expand(len(SAID), -1)), atol=0.05, rtol=0.01)


def test_the_order_of_regions_makes_no_difference() -> None:
    """Regions that are seen in another order fit as before."""
    model, learnt = _small().eval(), _lesson(3)
    rows = torch.arange(len(learnt.table))
    order = torch.from_numpy(np.random.default_rng(0).permutation(len(rows)))
    query = model.read(learnt.said)
    fits = model.dense(query, model.see_table(learnt.table, rows), rows.expand(len(SAID), -1))

    found = model.dense(query, model.see_table(learnt.table, order), rows.expand(len(SAID), -1))

    torch.testing.assert_close(found, fits[:, order])


def test_what_nobody_has_read_fits_everything() -> None:
    """An expression without a program leaves all regions, none better than another."""
    model = _small().eval()
    seen = model.see(table(0, 1).take(torch.arange(REGIONS)))

    assert model.dense(model.read(_texts([None], words_of(SCHEMA))), seen, torch.arange(REGIONS)[None]).tolist() == [
        [0.0] * REGIONS
    ]


def test_everything_learns() -> None:
    """One update reaches every weight, and no gradient is anything but a number."""
    model, learnt = _small(1), _lesson(4)

    loss, told = model.loss(learnt)
    loss.backward()

    reached = gradients(model)
    assert all(np.isfinite(value) for value in reached.values())
    assert [name for name, value in reached.items() if not value] == []
    assert set(told) == {"choice", "truth", "known", "right"}


def test_the_threshold_follows_the_fits_and_not_they_it() -> None:
    """What is there at all is judged by fits as they are."""
    model, learnt = _small(1), _lesson(4)
    model.settings = replace(model.settings, truth=0.0)
    first = torch.autograd.grad(model.loss(learnt)[0], model.look.weight)[0]
    with torch.no_grad():
        model.threshold.add_(2)

    second = torch.autograd.grad(model.loss(learnt)[0], model.look.weight)[0]

    torch.testing.assert_close(first, second)


def test_texts_about_one_image_are_no_negatives_of_it() -> None:
    """Where the example before is about the same image, that image is counted once."""
    model, learnt = _small(1), _lesson(5)
    one = replace(learnt, said=learnt.said.take(torch.arange(REGIONS)), target=learnt.target[:REGIONS])
    seen = model.see_table(learnt.table, torch.arange(REGIONS))
    fits = model.dense(model.read(one.said), seen, torch.arange(REGIONS).expand(REGIONS, -1))

    choice = model.loss(one)[1]["choice"]

    assert float(choice) == pytest.approx(float((fits.logsumexp(1) - fits.diagonal()).mean().detach()), rel=1e-4)


@pytest.mark.slow
def test_it_learns_by_heart() -> None:
    """A few expressions find their regions, and are found to be in their images and not in others."""
    model, learnt = _small(2, width=32, pair=16), _lesson(6)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    before = float(model.loss(learnt)[0].detach())
    for _ in range(150):
        optimiser.zero_grad()
        loss, told = model.loss(learnt)
        loss.backward()
        optimiser.step()

    assert float(loss.detach()) < before / 4
    assert float(told["right"]) == 1
    assert float(told["known"]) < 0.5


def test_it_has_the_size_that_it_says() -> None:
    """The number of parameters is the one that is told."""
    model = TreeGrounder(TreeGrounderSettings(), 20)

    assert sum(weight.numel() for weight in model.parameters()) == 1_908_034 + 578 * 20
