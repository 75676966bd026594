from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError, UnknownName
from deixis.settings import read_toml
from deixis.worlds.grid.training._published import PUBLISHED
from deixis.worlds.grid.training.settings import training_from, training_of
from deixis.worlds.photos.training.settings import MODELS, grounding_of
from deixis.worlds.rooms.training.settings import Captioning, Game


SETTINGS = Path(__file__).parents[2] / "docs" / "results" / "settings"
COMMAND = "# deixis train "
OF_INSTRUCTIONS = [
    one for one in sorted(SETTINGS.glob("*.toml")) if one.read_text(encoding="utf-8").startswith(COMMAND)
]


@pytest.mark.parametrize(
    ("model", "rate", "batch", "updates"),
    [("m-lstm", 1e-3, 2000, 160_000), ("gcn-lstm", 8e-4, 200, 267_201), ("transformer", 1e-4, 32, 1_686_700)],
)
def test_whatever_is_not_said_is_as_published(model, rate, batch, updates):
    """Rates, batches and lengths of the published runs."""
    training = training_of(model)

    assert (training.lr, training.batch_size, training.steps) == (rate, batch, updates)
    assert training.quirks == ()


@pytest.mark.parametrize("model", ["m-lstm", "gcn-lstm"])
def test_the_rate_falls_by_a_tenth_every_twenty_thousand_updates(model):
    """Smoothly, and the first update has the whole of it."""
    training = training_of(model)

    assert training.lr_at(0) == training.lr
    assert training.lr_at(20_000) == pytest.approx(0.9 * training.lr)
    assert training.lr_at(10_000) == pytest.approx(0.9**0.5 * training.lr)


def test_the_rate_of_the_transformer_stays():
    """As published."""
    assert training_of("transformer").lr_at(1_000_000) == 1e-4


def test_a_warm_up_rises_to_the_rate():
    """In even steps, none of which is zero."""
    training = training_of("transformer", {"warmup": 4})

    assert [training.lr_at(update) for update in range(5)] == pytest.approx([2.5e-5, 5e-5, 7.5e-5, 1e-4, 1e-4])


def test_a_cooldown_falls_to_nothing():
    """In even steps over the last updates, none of which is without a rate."""
    training = training_of("transformer", {"steps": 6, "cooldown": 4})

    assert [training.lr_at(update) for update in range(6)] == pytest.approx([1e-4, 1e-4, 1e-4, 7.5e-5, 5e-5, 2.5e-5])


def test_after_its_last_update_a_training_has_the_rate_it_ended_with():
    """Nothing where it cooled down, and otherwise as it was; nobody asks, but nothing breaks."""
    assert training_of("transformer", {"steps": 6, "cooldown": 4}).lr_at(9) == 0.0
    assert training_of("transformer", {"steps": 6}).lr_at(9) == 1e-4


def test_a_cooldown_longer_than_the_training_is_all_of_it():
    """It falls from the whole rate at the first update."""
    training = training_of("transformer", {"steps": 2, "cooldown": 4})

    assert [training.lr_at(update) for update in range(2)] == pytest.approx([1e-4, 5e-5])


def test_quirks_change_what_they_are_about():
    """The rate of the paper, the dropout of the code; what is said outright goes before."""
    assert training_of("m-lstm", {"quirks": ["paper-rate"]}).lr == 1e-4
    assert training_of("m-lstm", {"quirks": ["paper-rate"], "lr": 0.5}).lr == 0.5
    assert training_of("gcn-lstm", {"quirks": ["drops-85-percent"]}).settings == {"action_dropout": 0.85}
    assert training_of("transformer", {"quirks": ["sees-padding"], "settings": {"width": 64}}).settings == {
        "sees_padding": True,
        "width": 64,
    }


@given(
    st.sampled_from(list(PUBLISHED)), st.integers(1, 10**6), st.integers(0, 1 << 60), st.sampled_from(["bf16", "fp32"])
)
def test_a_training_survives_being_written_down(model, updates, seed, precision):
    """`training_from` is the inverse of `to_dict`."""
    training = training_of(model, {"steps": updates, "seed": seed, "precision": precision})

    assert training_from(training.to_dict()) == training
    assert training_from(training.to_dict()).digest == training.digest


def test_the_digest_names_the_way_not_its_length():
    """A longer training of the same kind goes the same way; another seed, rate or size does not."""
    training = training_of("m-lstm")

    assert replace(training, steps=7, save_every=1, log_every=3, half=True).digest == training.digest
    for change in ({"seed": 1}, {"lr": 0.1}, {"settings": {"width": 64}}, {"eval_every": 7}, {"clip": 1.0}):
        assert replace(training, **change).digest != training.digest


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"stpes": 5}, "did you mean 'steps'"),
        ({"steps": 0}, "steps must be a whole number from 1"),
        ({"batch_size": 2.5}, "batch_size must be a whole number"),
        ({"lr": 0}, "lr must be a number above 0"),
        ({"lr": float("nan")}, "lr must be a number above 0"),
        ({"lr": "fast"}, "lr must be a number above 0"),
        ({"clip": -1.0}, "clip must be a number of at least 0"),
        ({"weight_decay": -0.1}, "weight_decay must be a number from 0 to 10"),
        ({"rare_share": 0.0}, "rare_share must be a number above 0 and up to 1"),
        ({"rare_first": -1}, "rare_first must be a whole number"),
        ({"precision": "fp8"}, "unknown precision 'fp8'"),
        ({"batching": "sorted"}, "unknown batching 'sorted'"),
        ({"compile": "yes"}, "compile must be true or false"),
        ({"settings": [1]}, "settings must be a table"),
        ({"settings": {"depth": 3}}, "m-lstm has no setting 'depth'"),
        ({"quirks": "paper-rate"}, "quirks must be a list"),
    ],
)
def test_impossible_settings_are_refused(changes, complaint):
    """Each with one line that names it."""
    with pytest.raises(RecipeError, match=complaint):
        training_of("m-lstm", changes)


def test_unknown_names_are_refused():
    """Of models and of quirks."""
    with pytest.raises(UnknownName, match="did you mean 'transformer'"):
        training_of("transfomer")
    with pytest.raises(UnknownName, match="did you mean 'paper-rate'"):
        training_of("m-lstm", {"quirks": ["papers-rate"]})


def test_settings_are_read_from_a_file(tmp_path):
    """Fields of a training, and sizes of the model in a table of their own."""
    path = tmp_path / "small.toml"
    path.write_text('steps = 5\nprecision = "fp32"\n[settings]\nkernels = [1, 3]\n', encoding="utf-8")

    training = training_of("m-lstm", read_toml(path))

    assert training.steps == 5
    assert training.settings == {"kernels": [1, 3]}


@pytest.mark.parametrize("content", [b"updates = ", b"\xff\xfe", b"a = " + b"[" * 100_000])
def test_a_file_that_is_no_toml_is_told(tmp_path, content):
    """In one line, whatever is in it."""
    path = tmp_path / "broken.toml"
    path.write_bytes(content)

    with pytest.raises(RecipeError, match="is no TOML file"):
        read_toml(path)


def test_a_quick_training_gives_way_to_what_is_said():
    """It stands in for the published one, sizes included."""
    quick = training_of("transformer", {"batch_size": 64, "settings": {"dropout": 0.2}}, quick=True)

    assert (quick.batch_size, quick.lr, quick.easy_first, quick.pointing) == (64, 1e-3, 1333, 1.0)
    kept = {"norm_first": True, "points": True, "shared_blocks": True, "relative_words": True}
    assert quick.settings == {**kept, "dropout": 0.2}
    assert (training_of("transformer").easy_first, training_of("transformer").pointing) == (0, 0.0)


@pytest.mark.parametrize("model", PUBLISHED)
def test_a_quick_training_sees_fewer_examples_and_cools_down(model):
    """That is what makes it quick, and good in spite of it."""
    quick, published = training_of(model, quick=True), training_of(model)

    assert quick.steps * quick.batch_size < 0.7 * published.steps * published.batch_size
    assert 0 < quick.cooldown < quick.steps
    assert published.cooldown == 0


@pytest.mark.parametrize("path", OF_INSTRUCTIONS, ids=lambda path: path.stem)
def test_settings_of_the_results_can_still_be_read(path):
    """Their first line says for which model they are."""
    model = path.read_text(encoding="utf-8").split()[3]
    assert training_of(model, read_toml(path)).steps > 1


DIGESTS = {
    "m-lstm": "fe3c250a87a7db24",
    "m-lstm quick": "d7f8edd578969bf0",
    "gcn-lstm": "0d468123ab95a2ef",
    "gcn-lstm quick": "5db5563de5d660c6",
    "transformer": "9eef158e5c22e680",
    "transformer quick": "601ba2f3bcf1c58d",
    "grounder": "4bba280df97108ad",
    "mattnet": "0eaee152d827bfd7",
    "cm-att-erase": "08cb5136582f1434",
    "scan": "9ac0a88d9be1150e",
    "tree": "060e24cd7b12a4fe",
    "captioner": "8f43fe8de1171e1f",
    "game": "05e46ecf1c354c65",
}  # of the published settings, from before fields had the field's names


def test_runs_of_earlier_versions_can_be_resumed():
    """Settings have the digests that checkpoints of earlier versions carry."""
    found = {"captioner": Captioning().digest, "game": Game().digest}
    for model in ("m-lstm", "gcn-lstm", "transformer"):
        found[model] = training_of(model).digest
        found[f"{model} quick"] = training_of(model, quick=True).digest
    found |= {model: grounding_of(model).digest for model in MODELS}

    assert {name: digest[:16] for name, digest in found.items()} == DIGESTS
