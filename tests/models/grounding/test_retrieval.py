"""SCAN, which finds the image that a text is about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.photos._models.regions import Words
from deixis.worlds.photos._models.retrieval import ImageRetriever, ImageRetrieverSettings, ReadTexts, SeenImages
from tests.models.grounding.made import HIGH, REGIONS, WORDS, gradients, lesson, started, table, texts


SMALL = ImageRetrieverSettings(high=HIGH, word_width=5, width=8)
LEAST_LENGTH = 1e-8


def _model(seed: int = 0) -> ImageRetriever:
    made: ImageRetriever = started(lambda: ImageRetriever(SMALL, WORDS), seed)
    return made


def _plain_fit(words: np.ndarray, regions: np.ndarray, how: ImageRetrieverSettings) -> float:
    """The fit of one image and one text, word by word: [word, width] and [region, width]."""
    cosine = words @ regions.T
    share = np.where(cosine > 0, cosine, how.leak * cosine)
    share = share / (np.sqrt((share**2).sum(0)) + LEAST_LENGTH)  # as published, for words that fit no region
    fits = []
    for word, looks in zip(words, share, strict=True):
        weight = np.exp(how.sharpness * looks)
        context = (weight / weight.sum()) @ regions
        fits.append(word @ context / np.linalg.norm(word) / np.linalg.norm(context))
    return float(np.log(np.exp(how.steepness * np.array(fits)).sum()) / how.steepness)


def _read_and_seen(seed: int, texts: int, images: int) -> tuple[ReadTexts, SeenImages]:
    """Vectors of length one, of texts and images of different sizes."""
    rng = np.random.default_rng(seed)
    is_word = torch.from_numpy(np.arange(5) < rng.integers(1, 6, texts)[:, None])
    there = torch.from_numpy(np.arange(6) < rng.integers(1, 7, images)[:, None])
    words = torch.nn.functional.normalize(torch.from_numpy(rng.normal(size=(texts, 5, 8))).float(), dim=-1)
    regions = torch.nn.functional.normalize(torch.from_numpy(rng.normal(size=(images, 6, 8))).float(), dim=-1)
    return ReadTexts(words * is_word[..., None], is_word), SeenImages(regions * there[..., None], there)


@given(seed=st.integers(0, 2**32 - 1))
def test_an_image_fits_as_it_is_defined(seed: int) -> None:
    """The fit is that of the published formula, read one word at a time, whatever is padded."""
    read, shown = _read_and_seen(seed, 3, 4)
    query = ReadTexts(read.words.double(), read.is_word)  # shares of words that nothing looks at are ill-conditioned
    seen = SeenImages(shown.regions.double(), shown.there)

    fits = _model().double().rank(query, seen)

    for text in range(3):
        for image in range(4):
            words = query.words[text][query.is_word[text]].numpy()
            regions = seen.regions[image][seen.there[image]].numpy()
            assert float(fits[text, image].detach()) == pytest.approx(_plain_fit(words, regions, SMALL), abs=1e-6)


@given(seed=st.integers(0, 2**32 - 1), at_once=st.sampled_from([1, 3000, 2**26]))
def test_every_text_can_be_asked_about_images_of_its_own(seed: int, at_once: int) -> None:
    """Chosen images get what they get among all images, however little is held at once."""
    query, seen = _read_and_seen(seed, 7, 5)
    images = torch.from_numpy(np.random.default_rng(seed).integers(0, 5, (7, 3)))
    everything = _model().rank(query, seen)
    model = _model()
    model.numbers_at_once = at_once

    torch.testing.assert_close(model.rank(query, seen, images), everything.gather(1, images), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(model.rank(query, seen), everything, atol=1e-5, rtol=1e-4)


def test_padding_changes_nothing() -> None:
    """A text reads the same beside longer ones, and has words of length one and nothing after them."""
    model, said = _model(), texts(3, 6)
    longer = Words(torch.nn.functional.pad(said.words, (0, 4)), said.count)

    short, long = model.read(said), model.read(longer)

    torch.testing.assert_close(long.words[:, : said.words.shape[1]], short.words)
    assert not long.words[:, said.words.shape[1] :].any()
    torch.testing.assert_close(short.words.norm(dim=-1), short.is_word.float())
    assert torch.isfinite(
        model.rank(model.read(Words(said.words * 0, said.count * 0)), _read_and_seen(0, 1, 2)[1])
    ).all()


def test_the_hardest_wrong_partner_counts_and_no_text_about_the_same_image_is_one() -> None:
    """The loss is that of the best other image of each text and of the best text about another image of each image."""
    model, learnt = _model(), lesson(1, 2 * REGIONS)
    own = (learnt.target // REGIONS).tolist()
    fits = model.rank(model.read(learnt.said), model.see_images(learnt.table, torch.arange(2))).tolist()

    loss, told = model.loss(learnt)

    expected = 0.0
    for text, image in enumerate(own):
        expected += max(0.0, 0.2 + fits[text][1 - image] - fits[text][image])
        rivals = [fits[other][image] for other, its in enumerate(own) if its != image]
        expected += max(0.0, 0.2 + max(rivals) - fits[text][image])
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)
    assert float(told["right"]) == pytest.approx(np.mean([fits[t][i] > fits[t][1 - i] for t, i in enumerate(own)]))


def test_a_lesson_about_one_image_teaches_nothing() -> None:
    """Where there is no wrong image the loss is nought, and finite."""
    learnt = lesson(1, REGIONS)

    assert float(_model().loss(learnt)[0].detach()) == 0


def test_it_learns_by_heart() -> None:
    """A few texts find their images after some updates, which all weights take part in."""
    model, regions = _model(), table(2, 8)
    learnt = replace(lesson(2, 8), table=regions, said=texts(4, 8, shortest=3), target=torch.arange(8) * REGIONS)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    before = float(model.loss(learnt)[0].detach())
    for _ in range(60):
        optimiser.zero_grad()
        loss, told = model.loss(learnt)
        loss.backward()
        optimiser.step()

    assert all(gradients(model).values())
    assert float(loss.detach()) < before / 4
    assert float(told["right"]) == 1


def test_it_has_the_published_sizes() -> None:
    """The number of parameters is that of the published model."""
    model = ImageRetriever(ImageRetrieverSettings(), WORDS)

    assert sum(weight.numel() for weight in model.parameters()) == 10_245_120 + 300 * WORDS
