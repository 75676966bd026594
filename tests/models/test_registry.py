from __future__ import annotations

import pytest

from deixis.errors import RecipeError, UnknownName
from deixis.worlds.grid.models.registry import MODELS, build, settings_of
from deixis.worlds.grid.training._published import PUBLISHED, find_quirks


@pytest.mark.parametrize(
    ("name", "nearest"), [("mlstm", "'m-lstm'"), ("gcn_lstm", "'gcn-lstm'"), ("x", "known: m-lstm")]
)
def test_an_unknown_model_is_told_with_the_nearest(name, nearest):
    """A slip of the pen is told with what was probably meant."""
    with pytest.raises(UnknownName, match=nearest):
        build(name, {}, 35)


@pytest.mark.parametrize(
    ("model", "settings", "complaint"),
    [
        ("m-lstm", {"widht": 8}, "did you mean 'width'"),
        ("m-lstm", {"width": 0}, "a whole number from 1"),
        ("m-lstm", {"width": 10**9}, "a whole number from 1"),
        ("m-lstm", {"width": True}, "a whole number from 1"),
        ("m-lstm", {"kernels": [1, 4]}, "must be odd"),
        ("m-lstm", {"kernels": 3}, "a list of whole numbers"),
        ("m-lstm", {"kernels": []}, "a list of whole numbers"),
        ("m-lstm", {"channels": 18}, "must be 17 or 25"),
        ("m-lstm", {"word_dropout": 1.0}, "a share from 0 to below 1"),
        ("m-lstm", {"word_dropout": float("nan")}, "a share from 0 to below 1"),
        ("gcn-lstm", {"width": 30}, "a multiple of 4"),
        ("transformer", {"heads": 3}, "a multiple of 3"),
        ("transformer", {"sees_padding": 1}, "true or false"),
        ("transformer", {"longest_plan": 2}, "at least 3"),
    ],
)
def test_impossible_sizes_are_refused(model, settings, complaint):
    """Each with one line that names it."""
    with pytest.raises(RecipeError, match=complaint):
        settings_of(model, settings)


@pytest.mark.parametrize("words", [0, -1, 1 << 16])
def test_a_model_knows_some_words(words):
    """Neither none nor more than any language has."""
    with pytest.raises(RecipeError, match="words"):
        build("m-lstm", {}, words)


def test_every_quirk_is_off_unless_named():
    """What a quirk changes differs from the defaults, and is a setting that the model or its training has."""
    assert list(PUBLISHED) == list(MODELS)
    for name, known in PUBLISHED.items():
        for quirk in known.quirks.values():
            plain = settings_of(name, {})
            assert quirk.about
            assert quirk.settings or quirk.training
            assert all(getattr(plain, key) != value for key, value in quirk.settings.items())
            assert all(known.training[key] != value for key, value in quirk.training.items())


def test_a_quirk_of_another_model_is_told():
    """Its owner is named."""
    with pytest.raises(UnknownName, match="m-lstm has no quirk 'sees-padding'; it is one of transformer"):
        find_quirks("m-lstm", ["sees-padding"])
