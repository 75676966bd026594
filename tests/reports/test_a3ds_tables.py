"""Speakers put together by what sets them apart, measured over seeds, and made again by commands."""

from __future__ import annotations

import inspect
import math
import shlex
from dataclasses import fields, replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis._cli.app import command_line
from deixis.errors import RecipeError
from deixis.judge.uncertainty import Estimate
from deixis.report._results.cells import say_measured, say_published
from deixis.report._results.document import report_as_markdown
from deixis.report._results.tables import cells_as_csv, differences_in
from deixis.report._runs import Results, Run
from deixis.worlds.rooms._paper.commands import WITHOUT_OPTION, commands_of
from deixis.worlds.rooms._paper.examples import say_set
from deixis.worlds.rooms._paper.report import (
    SEEDS,
    SHARE,
    compare_speakers,
    published_of,
    read_reasons,
    reference_scores,
    report_of,
    seeds_listing,
    table_1,
    training_time,
    wide_table,
)
from deixis.worlds.rooms._paper.runs import ALL, METRICS, Leg, Speaker, measure_group
from deixis.worlds.rooms.judging._published import TABLE_1
from deixis.worlds.rooms.pairs import CATEGORIES, SETS
from deixis.worlds.rooms.training._models import MODELS
from deixis.worlds.rooms.training.settings import Captioning, Game


GREEDY = {"decoding.way": "greedy", "thinking": "none"}


def scores(value):
    """Scores of captions that are equally good everywhere."""
    known = {
        "discriminativity": Estimate(value, value - 0.1, value + 0.1, 5),
        "false_features": Estimate(3 * value, math.nan, math.nan, 5),
    }
    return Results(scores=dict.fromkeys((*SETS, *CATEGORIES, ALL), known))


def game(value=0.5, *, folder="run", **settings):
    """A speaker that has played, and spoken greedily."""
    how = Game(**settings)
    return Speaker(
        run=Run(folder=f"{folder}/said", seed=how.seed, steps=how.steps, seconds=60.0, results=scores(value)),
        home=folder,
        said="said",
        how=how,
        encoder="rooms",
        encoder_digest="e",
        speaker="b",
        checkpoint=folder,
        style=GREEDY,
        contexts=5,
    )


def change_run(speaker, **values):
    """The same speaker after another training."""
    return replace(speaker, run=replace(speaker.run, **values))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_seeds_are_put_together(values):
    """The mean and the deviation of a sample, as numpy has them."""
    runs = [game(value, folder=f"rp-{seed}", seed=seed) for seed, value in enumerate(values)]

    (one,) = compare_speakers(runs).groups

    found = measure_group(one, "one feature", "discriminativity")
    assert found.mean == pytest.approx(np.mean(values))
    assert found.deviation == pytest.approx(np.std(values, ddof=1))
    assert (found.interval, found.seeds) == (None, len(values))


def test_one_seed_has_its_interval():
    """And no deviation."""
    (one,) = compare_speakers([game(0.5)]).groups

    found = measure_group(one, "two features", "discriminativity")
    assert (found.deviation, found.interval) == (None, (0.4, 0.6))
    assert say_measured(found, SHARE) == "0.500 [0.400–0.600]"
    assert measure_group(one, "two features", "relevance") is None


def test_variants_are_named_by_what_differs():
    """The main runs are those with the most seeds; others say in what they differ from them, style included."""
    main = [game(seed=seed, folder=f"rp-{seed}", cost=0.01) for seed in (1, 2)]
    beam = replace(main[0], said="said-beam", style={"decoding.way": "beam", "thinking": "none"})
    others = [
        game(folder="free", seed=1),
        game(folder="half", seed=1, cost=0.01, structure=0.5),
        game(folder="wrong", seed=1, cost=0.01, objective="inverted", batch_size=32),
        change_run(game(folder="short", seed=1, cost=0.01), steps=7),
        replace(game(folder="eyes", seed=1, cost=0.01), encoder="factors", encoder_digest="f"),
    ]

    results = compare_speakers([*others, *main, beam])

    assert [one.label for one in results.main] == ["RP"]
    assert {one.label for one in results.groups if one.differs} == {
        "RP, beam",
        "RP, cost 0",
        "RP, λ 0.5",
        "RP, batch size 32, objective inverted",
        "RP, stopped after 7 steps",
        "RP, encoder factors",
    }
    assert {one.label for one in results.groups} - {one.label for one in results.trained} == {"RP, beam"}
    homes = [one.home for group in results.trained for one in group.runs]
    assert sorted(homes) == sorted(one.home for one in (*main, *others))


def test_speakers_of_other_sizes_are_variants():
    """A game has no width of its own; who plays it has."""
    wide = [change_run(game(folder=f"rp-{seed}", seed=seed), parameters={"speaker": 5_296_688}) for seed in (1, 2)]
    narrow = change_run(game(folder="small", seed=1), parameters={"speaker": 1_003_248})

    main, variant = compare_speakers([narrow, *wide]).groups

    assert [one.home for one in main.runs] == ["rp-1", "rp-2"]
    assert variant.differs == ("speaker of 1,003,248 parameters",)


def test_the_first_given_is_the_main_one_of_equals():
    """Where two settings have as many seeds."""
    runs = [game(folder="a", cost=0.5), game(folder="b")]

    assert [one.label for one in compare_speakers(runs).groups] == ["RP", "RP, cost 0"]
    assert [one.label for one in compare_speakers(runs[::-1]).groups] == ["RP", "RP, cost 0.5"]


def test_a_run_counts_once():
    """One seed twice is refused, unless the games began with different speakers."""
    with pytest.raises(RecipeError, match="a and b are both RP with seed 0"):
        compare_speakers([game(folder="a"), game(folder="b")])

    (one,) = compare_speakers([game(folder="a"), replace(game(folder="b"), speaker="other")]).groups
    assert len(one.runs) == 2


def test_differences_ask_for_reasons():
    """A metric is listed once with its categories; false features are compared over all sets only."""
    results = compare_speakers([game(0.5, pairs="similar")], reasons={("SP", "discriminativity"): "So it is."})

    first, second = differences_in([table_1(results)])
    assert set(first.gaps) == {"one feature", "two features", "three features"}  # near in three, with its reason
    assert first.reason == "So it is."
    assert second.gaps == {ALL: f"+{1.5 - 0.316:.3f} features"}
    assert published_of("SP", "one feature", "false_features") is None
    assert published_of("B", "one feature", "relevance") == TABLE_1["one feature"]["B"]["relevance"]


def test_other_speakers_stand_beside():
    """Those that need no training are scored on the same sets, and nobody is said to hear them."""
    runs = [game()]

    found = reference_scores(runs)

    assert {part: values["optimal_discriminativity"] for part, values in found["minimal"].items()} == dict.fromkeys(
        CATEGORIES, 1.0
    )
    table = wide_table(compare_speakers(runs, references=found), "one feature", METRICS)
    assert ("minimal", "listener_accuracy") not in table.cells
    assert ("minimal", "literal_accuracy") not in table.cells
    assert say_published(table.cells["RP", "discriminativity"]) == ["0.822"]
    entries = report_of(compare_speakers(runs, references=found)).entries
    assert "further,minimal,one feature,relevance,1.0," in cells_as_csv(entries)


def test_sets_have_names():
    """What images have in common is said in words."""
    assert say_set("floor_hue") == "the same floor colour"
    assert say_set("object") == "the same shape, size and object colour"
    assert say_set("random two") == "at least two features in common"


def test_the_time_of_all_three_is_told():
    """Only where all three are there."""
    captioner = replace(game(folder="b"), how=Captioning(), speaker="")
    runs = [captioner, game(folder="rp"), game(folder="sp", pairs="similar")]

    assert training_time(compare_speakers(runs)) == (
        "B, RP and SP of one seed: 3.0 min of training. Published: about 50 h on one A40."
    )
    assert training_time(compare_speakers(runs[:2])) == ""


def test_taught_speakers_are_models_of_their_own():
    """C and CP stand beside B, RP and SP, with nothing published, whatever the pairs that they play with."""
    captioner = replace(game(folder="c"), how=Captioning(teacher="minimal"), speaker="")
    runs = [captioner, game(folder="cp", teacher="minimal", pairs="mixed"), game(folder="rp")]

    found = compare_speakers(runs)

    assert [group.label for group in found.main] == ["RP", "C", "CP"]
    assert published_of("C", ALL, "false_features") is None
    assert published_of("CP", "one feature", "discriminativity") is None
    assert game(teacher="minimal", pairs="similar").letter == "CP"
    assert training_time(found) == ""
    assert "C learnt captions that a rule chooses for each pair" in report_as_markdown(report_of(found))


# ------------------------------------------------------------------------------------------------------------ commands


def parsed(command):
    """What the command line makes of a command: options by name."""
    _, bound, _ = command_line().parse_args(shlex.split(command)[1:], print_error=False, exit_on_error=False)
    return bound.arguments


@pytest.mark.parametrize(
    "how",
    [
        Game(seed=3, pairs="similar", cost=0.015, structure=0.5, objective="inverted", listener_first=10, steps=99),
        Game(seed=1, lr=0.0003, baseline="self-critical", reward="probability", structural="free", kl=0.1, clip=1.0),
        Captioning(seed=2, forcing="halved", width=64, captions=3, data_seed=7),
        Captioning(seed=2, teacher="incremental"),
        Game(seed=4, teacher="minimal", pairs="mixed", listener_said=0.0, listener_gold=1.0),
    ],
)
def test_commands_make_the_same_settings(how):
    """Read by the command line, they say what the run says."""
    run = replace(game(), how=how)

    command, *_ = commands_of([run], [])

    options = {name: value for name, value in parsed(command).items() if name in {one.name for one in fields(how)}}
    assert type(how)(**{name: value for name, value in options.items() if value is not None}) == how


def test_settings_without_an_option_go_into_a_file():
    """The command before it writes the file; all other settings have an option."""
    run = replace(game(folder="my run"), how=Game(log_every=7))

    file, command, _ = commands_of([run], [])

    assert file == "printf 'log_every = 7\\n' > 'my run.toml'"
    assert parsed(command)["settings"] == Path("my run.toml")
    known = {
        option for name in ("game", "captioner") for option in inspect.signature(MODELS.models[name].options).parameters
    }
    assert {one.name for record in (Captioning, Game) for one in fields(record)} - known == set(WITHOUT_OPTION)


def test_a_game_names_the_run_that_it_began_with():
    """By its checkpoint; a speaker from elsewhere is a word in capitals."""
    captioner = replace(game(folder="b-1"), how=Captioning(), checkpoint="b")
    played, spoke = commands_of([game(folder="rp-1")], [captioner])

    assert played.startswith("deixis train game --speaker b-1 --out rp-1")
    assert spoke == "deixis evaluate rp-1 --out rp-1/said --count 5"
    assert next(commands_of([game(folder="rp-1")], [])).startswith("deixis train game --speaker SPEAKER")


# --------------------------------------------------------------------------------------------------------------- notes


def test_reasons_are_read_by_letter_and_metric(tmp_path):
    """Whatever the case of the letters."""
    path = tmp_path / "notes.toml"
    path.write_text('[table1.rp]\nrelevance = "Words\\n cost."\n', encoding="utf-8")

    assert read_reasons(path) == {("RP", "relevance"): "Words cost."}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[table1.XP]\nrelevance = "x"', "there is no model 'XP'; there are: B, RP, SP"),
        ('[table1.RP]\nrelevanse = "x"', "did you mean 'relevance'"),
        ('[table2.RP]\nrelevance = "x"', "there is no table 'table2'"),
        ("[table1.RP]\nrelevance = 3", "should be a sentence"),
    ],
)
def test_slips_in_notes_are_told(tmp_path, text, complaint):
    """In one line each."""
    path = tmp_path / "notes.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(RecipeError, match=complaint):
        read_reasons(path)


def test_means_are_of_all_seeds():
    """A plain mean of the readings."""
    runs = [game(value, folder=f"rp-{seed}", seed=seed) for seed, value in enumerate((0.1, 0.2, 0.6))]

    (one,) = compare_speakers(runs).groups

    assert measure_group(one, ALL, "false_features").mean == pytest.approx(fmean((0.3, 0.6, 1.8)))


def test_a_run_gone_on_with_has_a_command_for_each_leg():
    """And it is no seed of runs that took their updates in one go."""
    whole = game(folder="whole", steps=40, seed=1)
    twice = replace(game(folder="twice", steps=40, seed=2), legs=(Leg(20, 20), Leg(30, 28), Leg(40, 40)))

    lines = list(commands_of([twice], [twice]))
    results = compare_speakers([whole, game(folder="other", steps=40, seed=3), twice])

    assert [line.partition("--steps ")[2] for line in lines[:3]] == ["20", "30  # stopped after 28", "40"]
    assert {line.partition(" --steps")[0] for line in lines[:3]} == {lines[0].partition(" --steps")[0]}
    assert [one.label for one in results.groups] == ["RP", "RP, gone on with: 20, then 30, then 40 steps"]


def test_every_seed_is_told_where_there_are_several():
    """A mean of two kinds of outcome hides both."""
    results = compare_speakers(
        [game(0.9, folder="a", seed=1), game(0.1, folder="b", seed=2), game(folder="c", cost=1.0)]
    )

    rows = seeds_listing(results).rows

    assert [row[:2] for row in rows] == [["RP, seed 1", "0.90 / 0.90 / 0.90"], ["RP, seed 2", "0.10 / 0.10 / 0.10"]]
    assert all(len(row) == len(SEEDS) for row in rows)
    assert rows[1][SEEDS.index("false features")] == "0.30"
    assert "## Each seed" in report_as_markdown(report_of(results))
    assert "Each seed" not in report_as_markdown(report_of(compare_speakers([game()])))


def test_a_steadied_run_says_so_in_its_command():
    """And is a variant of those that are not."""
    plain, other = game(folder="a", seed=1), replace(game(folder="b", seed=1), is_steadied=True)

    lines = [next(commands_of([one], [one])) for one in (plain, other)]

    assert [line.endswith(" --steady") for line in lines] == [False, True]
    assert [one.label for one in compare_speakers([plain, other]).groups] == ["RP", "RP, steadied"]
