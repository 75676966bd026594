"""The speaker, the listener and the encoders of rooms against their equations, and against their published sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.seeds import derive
from deixis.worlds.rooms._models.encoders import ResNet50, RoomEncoder, RoomEncoderSettings
from deixis.worlds.rooms._models.speakers import (
    CaptionLanguage,
    CaptionLanguageSettings,
    RoomListener,
    RoomListenerSettings,
    RoomSpeaker,
    RoomSpeakerSettings,
)
from tests.models import plain


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn


WORDS, FEATURES, WIDTH = 9, 5, 6


def started(make: Callable[[], nn.Module], seed: int = 1) -> nn.Module:
    """A model whose weights are large enough for a mistake in any of them to show."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(derive(seed, "weights") >> 1)
        model = make()
        for parameter in model.parameters():
            parameter.normal_(std=0.7)
    return model.eval()


def speaker(seed: int = 1) -> RoomSpeaker:
    made = started(lambda: RoomSpeaker(RoomSpeakerSettings(features=FEATURES, width=WIDTH), WORDS), seed)
    assert isinstance(made, RoomSpeaker)
    return made


def listener(seed: int = 1) -> RoomListener:
    made = started(lambda: RoomListener(RoomListenerSettings(features=FEATURES, width=WIDTH), WORDS), seed)
    assert isinstance(made, RoomListener)
    return made


def weights_of(model: nn.Module) -> plain.Weights:
    return {name: weight.detach().double().numpy() for name, weight in model.state_dict().items()}


def contexts(count: int, images: int, seed: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(count, images, FEATURES)).astype(np.float32))


def sentences(count: int, steps: int, seed: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, WORDS, (count, steps)))


def plain_speaker(w: plain.Weights, images: np.ndarray, before: list[int]) -> np.ndarray:
    """Scores [step, word] of one context: images [image, feature]."""
    seen = [plain.affine(w, "image", image) for image in images]
    others = sum(seen[1:], np.zeros(WIDTH)) / (len(seen) - 1) if len(seen) > 1 else seen[0]
    given_words = [np.concatenate((seen[0], others, w["word.weight"][word])) for word in before]
    return np.array([plain.affine(w, "output", state) for state in plain.run_lstm(w, "lstm", given_words)])


def plain_listener(w: plain.Weights, images: np.ndarray, said: list[int]) -> list[float]:
    """How well each of some images fits what was said."""
    heard = plain.run_lstm(w, "lstm", [w["word.weight"][word] for word in said])[-1]
    return [float(plain.affine(w, "image", image) @ heard) for image in images]


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: RoomSpeaker(RoomSpeakerSettings(), 48), 5_296_688),
        (lambda: RoomListener(RoomListenerSettings(), 48), 3_174_912),
        (lambda: RoomEncoder(RoomEncoderSettings()), 388_416),
        (ResNet50, 23_508_032),
    ],
)
def test_a_model_has_as_many_parameters_as_it_says(make, count):
    """With the default settings and 48 words."""
    with torch.device("meta"):
        model = make()

    assert sum(parameter.numel() for parameter in model.parameters()) == count


@given(seed=st.integers(0, 1 << 30), images=st.integers(1, 4), steps=st.integers(1, 6))
def test_a_speaker_scores_words_as_its_equations_do(seed, images, steps):
    """Context by context and word by word in float64."""
    model, seen, before = speaker(seed), contexts(3, images, seed), sentences(3, steps, seed)

    with torch.no_grad():
        found = model.scores(model.look(seen), before).numpy()

    w = weights_of(model)
    for row in range(3):
        assert found[row] == pytest.approx(plain_speaker(w, seen[row].numpy(), before[row].tolist()), abs=2e-4)


@given(seed=st.integers(0, 1 << 30), images=st.integers(1, 4), steps=st.integers(1, 6))
def test_a_listener_scores_images_as_its_equations_do(seed, images, steps):
    """What stands behind the end of a caption is not read."""
    model, seen, said = listener(seed), contexts(3, images, seed), sentences(3, steps, seed)
    length = torch.from_numpy(np.random.default_rng(seed).integers(1, steps, 3, endpoint=True))

    with torch.no_grad():
        found = model(seen, said, length).numpy()

    w = weights_of(model)
    for row, upto in enumerate(length.tolist()):
        assert found[row] == pytest.approx(plain_listener(w, seen[row].numpy(), said[row, :upto].tolist()), abs=2e-4)


@given(seed=st.integers(0, 1 << 30), steps=st.integers(1, 7))
def test_step_by_step_is_the_same_as_all_at_once(seed, steps):
    """A speaker that says a word at a time gives the scores that it learns with."""
    model, before = speaker(seed), sentences(4, steps, seed)
    with torch.no_grad():
        seen = model.look(contexts(4, 2, seed))
        state, found = model.begin(seen), []
        for step in range(steps):
            scores, state = model.step(seen, before[:, step], state)
            found.append(scores)

        assert torch.allclose(torch.stack(found, 1), model.scores(seen, before), atol=1e-5)


@given(seed=st.integers(0, 1 << 30), steps=st.integers(1, 5), more=st.integers(1, 5))
def test_a_listener_does_not_see_what_fills_up(seed, steps, more):
    """Whatever stands behind the end, and however much of it."""
    model, seen, said = listener(seed), contexts(3, 2, seed), sentences(3, steps, seed)
    length = torch.full((3,), steps)

    with torch.no_grad():
        longer = model(seen, torch.cat((said, sentences(3, more, seed + 1)), 1), length)
        assert torch.allclose(longer, model(seen, said, length), atol=1e-6)


@given(seed=st.integers(0, 1 << 30))
def test_a_listener_does_not_mind_the_order_of_images(seed):
    """Scores go with their images."""
    model, seen, said = listener(seed), contexts(3, 4, seed), sentences(3, 4, seed)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(4))
    length = torch.full((3,), 4)

    with torch.no_grad():
        assert torch.allclose(model(seen[:, order], said, length), model(seen, said, length)[:, order], atol=1e-6)


@given(seed=st.integers(0, 1 << 30))
def test_a_mixture_of_one_word_is_that_word(seed):
    """Both players read mixtures as they read words."""
    said, seen = sentences(3, 4, seed), contexts(3, 2, seed)
    mixed = torch.nn.functional.one_hot(said, WORDS).float()
    one, other, length = speaker(seed), listener(seed), torch.full((3,), 4)

    with torch.no_grad():
        shown = one.look(seen)
        assert torch.allclose(
            one.step(shown, mixed[:, 0], one.begin(shown))[0],
            one.step(shown, said[:, 0], one.begin(shown))[0],
            atol=1e-5,
        )
        assert torch.allclose(other(seen, mixed, length), other(seen, said, length), atol=1e-5)


def test_an_image_by_itself_is_its_own_distractor():
    """As when a speaker is asked about a single image."""
    model, seen = speaker(), contexts(3, 1, 7)

    with torch.no_grad():
        assert torch.allclose(model.look(seen), model.look(seen.expand(-1, 2, -1)), atol=1e-6)


def test_the_encoder_tells_left_from_right():
    """A picture and its mirror image look different, so corners do not get swapped."""
    model = started(lambda: RoomEncoder(RoomEncoderSettings(channels=(4, 4))))
    picture = torch.from_numpy(np.random.default_rng(1).random((1, 3, 64, 64)).astype(np.float32))

    with torch.no_grad():
        assert not torch.allclose(model(picture), model(picture.flip(3)))
        assert RoomEncoder(RoomEncoderSettings())(picture).shape == (1, 2048)


def test_the_language_of_captions_knows_no_later_word():
    """The score of a word depends on those before it alone."""
    model = started(lambda: CaptionLanguage(CaptionLanguageSettings(width=6), WORDS))
    assert isinstance(model, CaptionLanguage)
    before = sentences(2, 6, 3)
    changed = before.clone()
    changed[:, 4:] = (changed[:, 4:] + 1) % WORDS

    with torch.no_grad():
        assert torch.equal(model.scores(before)[:, :4], model.scores(changed)[:, :4])
        assert not torch.equal(model.scores(before)[:, 4:], model.scores(changed)[:, 4:])
