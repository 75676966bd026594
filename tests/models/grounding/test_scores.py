"""How well regions fit what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.worlds.photos._models import modules
from deixis.worlds.photos._models.modules import MODULES
from deixis.worlds.photos._models.regions import Grounder, Words
from tests.models.grounding import plain
from tests.models.grounding.made import PUBLISHED, SMALL, WORDS, read, settled, table, texts
from tests.models.plain import weights_of


if TYPE_CHECKING:
    from deixis.worlds.photos._models.regions import Regions


MODELS = sorted(SMALL)
SEEN_BESIDE = {  # what is pooled late, by GroundeR
    "grounder": ("place",),
    "grounder without place": (),
    "grounder with what is early": ("early", "place"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_scores_as_published(name: str) -> None:
    """Each text and region get what the published equations give them one at a time."""
    model, regions, said = settled(SMALL[name], 1), table(2, 3), texts(3, 12)
    rows = torch.arange(12)

    with torch.no_grad():
        fits = model.fit(read(model, said, regions, rows), model.see(regions.take(rows)))

    assert regions.whole is not None
    wholes = regions.whole[regions.image].double().numpy()
    expected = [
        _plainly(name, weights_of(model), said.words[row, : said.count[row]].tolist(), seen, wholes[row])
        for row, seen in enumerate(_one_by_one(regions.take(rows)))
    ]
    np.testing.assert_allclose(fits.numpy(), expected, atol=2e-5)
    assert np.ptp(expected) > 0.01


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_scoring_many_regions_is_scoring_each(name: str, data: st.DataObject) -> None:
    """`dense` gives every text and region what `fit` gives the pair, however many fit into memory at once."""
    seed = data.draw(st.integers(0, 99))
    images, count = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    model, regions = settled(SMALL[name], seed), table(seed, images, side=data.draw(st.sampled_from([1, 2, 3])))
    model.numbers_at_once = data.draw(st.sampled_from([1, 5000, 2**26]))
    said, rows = texts(seed, count), torch.from_numpy(np.random.default_rng(seed).integers(0, len(regions), (count, 6)))

    with torch.no_grad():
        query, seen = read(model, said, regions, rows[:, 0]), model.see(regions.take(torch.arange(len(regions))))
        dense = model.dense(query, seen, rows)
        pairs = type(query)(*(part.repeat_interleave(6, 0) for part in query))
        each = model.fit(pairs, model.see(regions.take(rows.flatten())))

    torch.testing.assert_close(dense, each.view(count, 6), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_padding_is_not_read(name: str) -> None:
    """What stands after the end of a text, and how much of it, changes nothing."""
    model, regions, said, rows = settled(SMALL[name]), table(1, 2), texts(5, 8), torch.arange(8)
    longer = torch.cat((said.words, torch.zeros(8, 4, dtype=torch.int64)), dim=1)
    noisy = torch.where(torch.arange(11) < said.count[:, None], longer, 3)

    with torch.no_grad():
        seen = model.see(regions.take(rows))
        fits = [
            model.fit(read(model, Words(words, said.count), regions, rows), seen)
            for words in (said.words, longer, noisy)
        ]

    torch.testing.assert_close(fits[1], fits[0])
    torch.testing.assert_close(fits[2], fits[0])


@pytest.mark.parametrize("name", MODELS)
def test_of_a_text_without_words_nothing_is_heard(name: str) -> None:
    """However it is padded, a text of no words fits a region as any other such text does, and to some degree."""
    model, regions, rows = settled(SMALL[name]), table(1, 1), torch.arange(4)
    nothing = Words(torch.tensor([[0, 0], [5, 7], [2, 2], [0, 1]]), torch.zeros(4, dtype=torch.int64))

    with torch.no_grad():
        query = read(model, nothing, regions, rows)
        fits = model.dense(query, model.see(regions.take(rows)), rows.expand(4, 4))

    assert fits.isfinite().all()
    torch.testing.assert_close(fits, fits[:1].expand(4, 4))


def test_what_is_not_around_fits_by_nought() -> None:
    """A region with nothing around it gets nothing from the relationship, whatever is left in those rows."""
    model, regions = settled(SMALL["modular"]), table(1, 1)
    seen = model.see(regions.take(torch.arange(4)))

    np.testing.assert_array_equal(seen.relationship[0].detach().numpy(), 0)
    lengths = seen.relationship[3].detach().norm(dim=-1)
    torch.testing.assert_close(lengths, torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0]))


def test_mining_hears_what_matching_hears() -> None:
    """The phrases for mining are those of the three modules, one for each text."""
    model, said = settled(SMALL["modular"]), texts(1, 5)

    with torch.no_grad():
        phrases, query = model.phrases(said), model.read(said)
        subject = model.subject.matching.said(phrases["subject"])

    assert tuple(phrases) == MODULES
    assert {tuple(phrase.shape) for phrase in phrases.values()} == {(5, 8)}
    torch.testing.assert_close(subject, query.subject)


def test_reading_in_view_of_an_image_needs_one() -> None:
    """A model that reads images says so when there is none."""
    with pytest.raises(ValueError, match="give `whole`"):
        settled(SMALL["erasing"]).read(texts(1, 2))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_a_grounder(name: str) -> None:
    """All keep the protocol that training and evaluation are written for."""
    assert isinstance(SMALL[name](), Grounder)


def test_published_models_have_as_many_parameters_as_their_equations() -> None:
    """The sizes follow from the layers as published: linear maps, LSTMs, norms and scales, counted one by one."""
    lstm = 2 * (4 * 512 * (512 + 512) + 8 * 512)
    language = WORDS * 512 + _linear(512, 512) + lstm + _linear(1024, 3) + 3 * _linear(1024, 1)
    scales, norm = 1024 + 2048 + 512 + 512, 2 * 512
    subject = scales + _linear(3072, 512) + norm + _linear(512, 50) + _linear(3072, 512) + _linear(512, 1)
    subject += _matching(2560)
    location = 5 + 25 + _linear(30, 512) + _matching(512)
    relationship = 2048 + 5 + _linear(2053, 512) + _matching(512)
    attention = _linear(1024, 512) + _linear(512, 1)
    led_location = 5 + 5 + 512 + 2 * _linear(5, 512) + 2 * attention + _matching(512)
    bottleneck = _linear(1024, 256) + _linear(9 * 256, 256) + _linear(256, 1024) + 2 * (256 + 256 + 1024)
    glimpse = bottleneck + _linear(1024, 512)

    assert _size("grounder") == (
        WORDS * 500 + 4 * 500 * 1000 + 8 * 500 + 2 * (500 + 2053) + _linear(2553, 128) + _linear(128, 1)
    )
    assert _size("modular") == language + subject + location + relationship == 12_931_676 + 512 * WORDS
    assert _size("erasing") == glimpse + language + subject + led_location + relationship + 512 + attention


def _linear(channels: int, width: int) -> int:
    return (channels + 1) * width


def _matching(channels: int) -> int:
    return sum(_linear(given, 512) + _linear(512, 512) + 4 * 512 for given in (channels, 512))


def _size(name: str) -> int:
    return sum(weight.numel() for weight in PUBLISHED[name]().parameters())


def _one_by_one(regions: Regions) -> list[dict[str, np.ndarray]]:
    arrays = {name: value.double().numpy() for name, value in regions._asdict().items()}
    return [{name: value[row] for name, value in arrays.items()} for row in range(len(regions.pooled))]


def _plainly(
    name: str, weights: dict[str, np.ndarray], words: list[int], region: dict[str, np.ndarray], whole: np.ndarray
) -> float:
    if name == "modular":
        return plain.modular(weights, words, region)
    if name == "erasing":
        return plain.erasing(weights, words, region, whole)
    return plain.phrase_grounder(weights, words, region, sees=SEEN_BESIDE[name])


@pytest.mark.parametrize("name", ["modular", "erasing"])
def test_texts_read_in_lots_are_read_as_all_together(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading texts of about the same length together changes neither what is read nor the gradients, nor the order."""
    model, regions, said = settled(SMALL[name], 4), table(5, 3), texts(6, 12)
    found = []
    for lot in (100, 5, 1):
        monkeypatch.setattr(modules, "LOT", lot)
        query = read(model, said, regions, torch.arange(12))
        model.zero_grad()
        sum((part**2).sum() for part in query).backward()
        found.append((*query, model.language.lstm.onward.weight_ih_l0.grad, model.language.word.weight.grad))

    for lots in found[1:]:
        for part, together in zip(lots, found[0], strict=True):
            torch.testing.assert_close(part, together, atol=1e-6, rtol=1e-5)
