"""Groups of runs: those that differ in their seeds only, named by what sets them apart."""

from __future__ import annotations

import pytest

from deixis.errors import RecipeError
from deixis.report._results.groups import group_runs
from deixis.worlds.grid._paper import runs as grid
from deixis.worlds.photos._paper import runs as photos
from tests.reports.grounding_folders import write_trial
from tests.reports.run_folders import write_run


ACCURACY = {"Full": 0.4, "Cat": 0.5}


def labels(groups) -> dict[str, list[int]]:
    """The seeds of every group."""
    return {group.label: [run.seed for run in group.runs] for group in groups}


@pytest.fixture
def columns(tmp_path):
    """The columns of models that ground expressions, from the sizes of runs by seed."""

    def group(*sizes):
        folders = [
            write_trial(tmp_path / f"run-{n}", "grounder", ACCURACY, seed=seed, sizes=some)
            for n, (seed, some) in enumerate(sizes)
        ]
        return labels(photos.groups_of([photos.read_grounding_run(folder) for folder in folders]))

    return group


@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ([(1, {}), (2, {}), (3, {"width": 64})], {"GroundeR": [1, 2], "GroundeR, width 64": [3]}),
        ([(1, {"width": 8}), (2, {"width": 8}), (3, {})], {"GroundeR": [1, 2], "GroundeR, width by default": [3]}),
        ([(1, {"width": 8}), (2, {})], {"GroundeR": [2], "GroundeR, width 8": [1]}),
        ([(1, {"width": 8}), (1, {"width": 16})], {"GroundeR": [1], "GroundeR, width 16": [1]}),
        ([(1, {"width": 8, "hidden": 4}), (2, {"width": 8})], {"GroundeR": [2], "GroundeR, hidden 4": [1]}),
        ([(1, {"sees_early": False}), (2, {})], {"GroundeR": [1, 2]}),
    ],
)
def test_models_of_other_sizes_are_columns_of_their_own(columns, sizes, found):
    """A size that only some runs have sets them apart, and names them; one that is off does not."""
    assert columns(*sizes) == found


def test_runs_that_say_plans_are_told_apart_by_sizes(tmp_path):
    """A size that most runs do not record is named; runs of one size still need different seeds."""

    def group(*settings):
        folders = [
            write_run(tmp_path / f"run-{len(list(tmp_path.iterdir()))}", "m-lstm", 0.5, seed=seed, settings=some)
            for seed, some in settings
        ]
        return labels(grid.columns_of([grid.read_run(folder) for folder in folders]))

    usual = {"rate": 0.001}
    assert group((1, usual), (2, usual), (1, {**usual, "width": 32})) == {"M-LSTM": [1, 2], "M-LSTM, width 32": [1]}
    with pytest.raises(RecipeError, match="both M-LSTM with seed 1"):
        group((1, usual), (1, usual))


def test_runs_of_which_nothing_is_known_are_no_example():
    """However many there are, runs of two sizes stay apart, and those of unknown size join the usual ones."""
    runs = [(1, None), (2, None), (3, None), (4, 8), (5, 64), (6, 64)]

    found = group_runs(
        runs,
        kind=lambda _: ("model", "Model"),
        traits=lambda run: {} if run[1] is None else {"width": str(run[1])},
        has_settings=lambda run: run[1] is not None,
        order=lambda run: (run[0], ""),
    )

    assert {one.label: [seed for seed, _ in one.runs] for one in found} == {
        "Model": [1, 2, 3, 5, 6],
        "Model, width 8": [4],
    }
