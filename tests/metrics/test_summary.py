from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from deixis.seeds import derive
from deixis.worlds.rooms.judging._anchors import SPEAKERS, captions_of, score_speakers, speaker_captions
from deixis.worlds.rooms.judging._arrays import score_captions, score_mentions
from deixis.worlds.rooms.judging._figures import group_estimates, metrics_figure
from deixis.worlds.rooms.judging._published import TABLE_1
from deixis.worlds.rooms.judging._summary import GAP, METRICS, columns, summarise
from deixis.worlds.rooms.pairs import CATEGORIES, test_sets
from deixis.worlds.rooms.scene import RoomScene, factors_of


ORACLE = {  # true exhaustive captions read as by the released script, 3,000 pairs of each set
    "one feature": {"z": 4.38, "e": 0.097, "e_k": 0.331, "r": 0.070, "od": 0.004, "d": 1.000},
    "two features": {"z": 3.57, "e": 0.098, "e_k": 0.491, "r": 0.082, "od": 0.014, "d": 1.000},
    "three features": {"z": 2.63, "e": 0.153, "e_k": 0.685, "r": 0.070, "od": 0.089, "d": 0.995},
}
ALLOWED = {"z": 0.05, "e": 0.012, "e_k": 0.012, "r": 0.012, "od": 0.012, "d": 0.004}


@pytest.fixture(scope="module")
def oracle():
    return {
        name: score_captions(captions_of(pairs[:, 0], seed=5), pairs[:, 0], pairs[:, 1], mode="paper")
        for name, pairs in test_sets(seed=5, count=2_000).items()
    }


@pytest.mark.parametrize("category", CATEGORIES)
def test_true_exhaustive_captions_score_as_the_released_script_would_have_it(oracle, category):
    """The table that tells which formula made the published one comes out within sampling error."""
    sets = [oracle[name] for name in CATEGORIES[category]]
    found = {
        "z": np.mean([s.available.mean() for s in sets]),
        "e": np.mean([np.nanmean(s.efficiency("z")) for s in sets]),
        "e_k": np.mean([np.nanmean(s.efficiency("k")) for s in sets]),
        "r": np.mean([s.relevance.mean() for s in sets]),
        "od": np.mean([s.is_optimal.mean() for s in sets]),
        "d": np.mean([s.is_discriminative.mean() for s in sets]),
    }

    for metric, value in ORACLE[category].items():
        assert found[metric] == pytest.approx(value, abs=ALLOWED[metric]), metric


def test_the_published_efficiency_cannot_come_from_the_printed_formula(oracle):
    """With the denominator k the three-feature sets would lie far above what is published for the baseline."""
    printed = np.mean([np.nanmean(oracle[name].efficiency("k")) for name in CATEGORIES["three features"]])

    assert printed > 2 * TABLE_1["three features"]["B"]["contrastive_efficiency"]


def test_a_category_is_the_unweighted_mean_of_its_sets(oracle):
    """Small sets count as much as large ones."""
    uneven = dict(oracle)
    uneven["object"] = score_captions([""] * 3, np.arange(3), np.arange(3) + 9)
    summary = summarise(uneven, categories=CATEGORIES, resamples=8)

    parts = [summary.sets[name]["discriminativity"].mean for name in CATEGORIES["three features"]]
    assert summary.categories["three features"]["discriminativity"].mean == pytest.approx(np.mean(parts))


def test_efficiency_is_averaged_over_discriminative_captions_and_says_over_how_many():
    """Captions that miss the target have no efficiency; the number of those that have one is given."""
    purple = RoomScene.of(3, 4, 8, 0, 2, 3).id
    scores = score_captions(["red", "tiny", ""], np.full(3, 163_233), np.full(3, purple))

    found = summarise({"all": scores}, resamples=8).sets["all"]["contrastive_efficiency"]

    assert (found.mean, found.rows) == (1.0, 1)


def test_redundancy_is_measured_where_a_feature_tells_nothing_apart():
    """Figure 2: of captions with relevance below 1, the share that speaks of a feature that is not contrastive."""
    purple = RoomScene.of(3, 4, 8, 0, 2, 3).id
    scores = score_captions(["red", "red ball", "tiny red ball"], np.full(3, 163_233), np.full(3, purple))
    table = summarise({"all": scores}, resamples=8).sets["all"]

    assert (table["when_redundant/shape"].mean, table["when_redundant/shape"].rows) == (1.0, 2)
    assert (table["when_redundant/scale"].mean, table["when_redundant/scale"].rows) == (0.5, 2)
    assert table["when_redundant/object_hue"].rows == 0
    assert table["when_contrastive/object_hue"].mean == 1.0


def test_the_gap_shows_whether_a_speaker_looks_at_the_other_image():
    """Whoever always says the same has none, whoever says what differs has a whole one, its opposite less than none."""
    sets = test_sets(seed=5, count=500)
    gaps = {}
    for kind in ("habit", "looks", "blind"):
        scores = {}
        for name, pairs in sets.items():
            own, other = factors_of(pairs[:, 0]), factors_of(pairs[:, 1:])
            differs = own != other[:, 0]
            said = {"habit": np.broadcast_to(np.arange(6) < 3, differs.shape), "looks": differs, "blind": ~differs}
            scores[name] = score_mentions(said[kind].copy(), own, other)
        gaps[kind] = summarise(scores, categories=CATEGORIES, resamples=8)

    assert {name: gaps[name].overall[GAP].mean for name in gaps} == {"habit": 0.0, "looks": 1.0, "blind": -1.0}
    assert all(table[GAP].mean == 1.0 for table in gaps["looks"].categories.values())
    assert gaps["looks"].overall[f"{GAP}/shape"].mean == 1.0


def test_the_gap_of_a_feature_needs_both_cases():
    """In a set that shares the shape nothing can be said of the shape; the mean is that of the others."""
    pairs = test_sets(seed=5, count=400)["shape"]
    texts = ["a red ball"] * 400
    table = summarise({"shape": score_captions(texts, pairs[:, 0], pairs[:, 1:])}, resamples=8).sets["shape"]

    assert np.isnan(table[f"{GAP}/shape"].mean)
    assert not np.isnan(table[GAP].mean)
    assert table[f"{GAP}/object_hue"].rows == 400


def test_every_metric_has_a_column(oracle):
    """Names and columns go together."""
    assert columns(oracle["object"]).shape == (2_000, len(METRICS))


def test_a_summary_becomes_plain_values(oracle):
    """What is written to JSON holds no not-a-number."""
    scores = score_captions([""], np.array([0]), np.array([1]))
    plain = summarise({"all": scores}, resamples=4).to_dict()

    assert plain["sets"]["all"]["contrastive_efficiency"] == {"mean": None, "low": None, "high": None, "rows": 0}
    assert plain["sets"]["all"]["relevance"]["mean"] == 1.0


def test_speakers_score_between_chance_and_the_ideal():
    """The ideal speaker has all of d, e, r and od; the exhaustive one finds every target and wastes everything."""
    few = {name: SPEAKERS[name] for name in ("exhaustive", "minimal", "random", "incremental")}
    found = score_speakers(seed=3, count=60, speakers=few)
    summaries = {name: summarise(sets, categories=CATEGORIES, resamples=4).categories for name, sets in found.items()}
    for category in CATEGORIES:
        ideal, everything = summaries["minimal"][category], summaries["exhaustive"][category]
        assert {ideal[m].mean for m in METRICS[:4]} == {1.0}
        assert everything["discriminativity"].mean == 1.0
        assert everything["relevance"].mean == 0.0
        assert everything["mentioned_features"].mean == 6.0
        assert summaries["random"][category]["discriminativity"].mean < 1.0
        assert summaries["incremental"][category]["optimal_discriminativity"].mean == 1.0


@pytest.mark.parametrize("by", ["label", "expression"])
def test_speakers_are_scored_as_their_captions_are(by):
    """What a speaker chose is scored as the caption that says it, read word by word, would be."""
    found = score_speakers(seed=3, count=40, by=by)
    pairs = test_sets(seed=3, count=40)
    for name, speaker in SPEAKERS.items():
        for part, rows in pairs.items():
            texts = speaker_captions(speaker, rows, seed=derive(3, name, part), by=by)
            read = score_captions(texts, rows[:, 0], rows[:, 1], by=by)
            for field in fields(read):
                values = (getattr(scores, field.name) for scores in (found[name][part], read))
                np.testing.assert_array_equal(*values, err_msg=f"{name}, {part}, {field.name}")


def test_a_figure_shows_every_file_and_every_group():
    """No file shares its place with another, and no set is left out; more sets than colours become their mean."""
    pairs = test_sets(seed=3, count=20)
    sets = {
        name: score_captions(captions_of(rows[:, 0], seed=3), rows[:, 0], rows[:, 1]) for name, rows in pairs.items()
    }
    five = summarise({name: sets[name] for name in list(sets)[:5]}, resamples=10)
    many = summarise(sets, resamples=10)

    assert list(group_estimates({"a": five})) == list(sets)[:5]
    assert list(group_estimates({"a": many})) == ["mean of 13 sets"]
    figure = metrics_figure({f"speaker {number}": many for number in range(11)}, "z")
    assert all(chart.labels == tuple(f"speaker {k}" for k in range(11)) for chart in figure.panels)
