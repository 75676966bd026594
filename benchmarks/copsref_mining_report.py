"""Tables and figures of `benchmarks.copsref_mining`: accuracy by features, and what mining adds to training on as long.

A difference is that of two models with the same seed, begun with the same MattNet and asked the same expressions. Its
interval is that of the mean over seeds when the images of the test split are drawn anew (Poisson bootstrap); how far
seeds differ is told beside it, as their sample standard deviation.
"""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.judge.uncertainty import Estimate, estimate, resample
from deixis.learn.run import read_json
from deixis.report._palette import role_of
from deixis.report.chart import WIDE, Axis, Chart, Figure, Series
from deixis.report.chart_matplotlib import draw_figure
from deixis.seeds import derive, normals
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.localise import SETTINGS


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.data.store import CopsRef


ANSWERS, COSTS = "answers.npz", "seconds.json"
AGAINST = "mine-none"
LABELS = {
    "grounder": "GroundeR",
    "mattnet": "MattNet",
    "mine-none": "MattNet, trained on",
    "mine-random": "mining, random",
    "mine-class-aware": "mining, class-aware",
    "mine-sentence-sim": "mining, sentence-sim",
    "mine-module-specific": "mining, module-specific",
    "mine-quarter": "mining, module-specific, a quarter from anywhere",
    "mine-half": "mining, module-specific, half from anywhere",
    "mine-three-quarters": "mining, module-specific, three quarters from anywhere",
    "cm-att-erase": "CM-Att-Erase",
}
SHOWN = ("Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist")
FULL = SETTINGS.index("Full")


class Answers(NamedTuple):
    """The answers of one model to the test split.

    Shapes:
        right, alike: bool [example, setting], which are right, and which are of the target's category.
        right_within: the same as `right` where only regions of the target's category are to choose among.
        image: int [example], the image of the target.
    """

    right: np.ndarray
    alike: np.ndarray
    right_within: np.ndarray
    image: np.ndarray


def read_runs(folder: Path) -> dict[tuple[str, str], dict[int, Answers]]:
    """Return the answers of all finished runs: by features and run, and then by seed."""
    found: dict[tuple[str, str], dict[int, Answers]] = {}
    for path in sorted(folder.glob(f"*/*/*/{ANSWERS}")):
        run, _, seed = path.parent.name.rpartition("-")
        features = "/".join(path.parts[-4:-2])
        with np.load(path, allow_pickle=False) as held:
            found.setdefault((features, run), {})[int(seed)] = Answers(**held)
    return found


def gain(
    models: Mapping[int, Answers], others: Mapping[int, Answers], setting: int, *, within: bool = False
) -> tuple[Estimate, float] | None:
    """Return what models are better by than others, in accuracy, and the standard deviation of that over seeds.

    Where `within`, in choices among the target's category alone. None where the two have no seed in common.
    """
    part = "right_within" if within else "right"
    seeds = sorted(set(models) & set(others))
    if not seeds:
        return None
    mine, theirs = (
        np.stack([getattr(some[seed], part)[:, setting] for seed in seeds]).astype(float) for some in (models, others)
    )
    better = mine - theirs
    image = models[seeds[0]].image
    images = np.unique(image, return_inverse=True)[1]
    by_image = np.stack([np.bincount(images, better.mean(0)), np.bincount(images)], axis=1)
    sums = resample(by_image, seed=derive(1, "images") >> 1).sums
    found = estimate(sums[0] / np.maximum(sums[1], 1), len(image))
    return found, stdev(better.mean(1).tolist()) if len(seeds) > 1 else float("nan")


def category_error(regions: RegionArrays, noise: float) -> float:
    """Return the share of regions in whose features another category is louder than their own."""
    rows = np.arange(min(len(regions), 20_000))
    seen = noise * normals(0, rows, len(regions.names) + len(regions.words))[:, : len(regions.names)]
    category = regions.category[rows]
    seen[rows, category] += 1
    return float((seen.argmax(1) != category).mean())


def write_report(levels: Mapping[str, float], seeds: Sequence[int], dataset: CopsRef, out: Path) -> None:
    """Write the tables of what is finished as `report.md`, and the figure as `gain.svg`."""
    found = read_runs(out / "runs")
    regions = region_arrays(dataset.scenes)
    errors = {name: category_error(regions, noise) for name, noise in levels.items()}
    lines = [f"splits: {dict(dataset.splits)}; seeds: {list(seeds)}", ""]
    for features in dict.fromkeys(key[0] for key in found):
        level = features.split("/")[1]
        some = {run: found[features, run] for run in LABELS if (features, run) in found}
        against = found.get((features, AGAINST)) or found.get((f"all/{level}", AGAINST), {})
        lines += [
            f"### {features}: noise {levels[level]:g}, {100 * errors[level]:.1f} % with another category louder",
            "",
        ]
        lines += [*accuracy_table(some), "", *gain_table(some, against), ""]
    costs = [read_json(path) for path in sorted((out / "runs").glob(f"*/*/*/{COSTS}"))]
    lines += [f"{len(costs)} runs, {sum(sum(one.values()) for one in costs) / 60:.0f} minutes of CPU"]
    (out / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if any(features.startswith("all/") and run == AGAINST for features, run in found):
        drawn = gain_figure(found, levels, errors)
        (out / "gain.svg").write_bytes(draw_figure(drawn, "svg"))
        (out / "gain.png").write_bytes(draw_figure(drawn, "png"))


def accuracy_table(some: Mapping[str, Mapping[int, Answers]]) -> list[str]:
    """Return accuracies on test, and where choices in Full are wrong, in percent of all expressions.

    Also which share of these is of another category, and the accuracy in Full where the category is told.
    """
    heads = ("wrong, same category", "wrong, another", "share of another", "Full, category told")
    lines = [_row("", "seeds", *SHOWN, *heads), "|---|" + "---:|" * (len(SHOWN) + len(heads) + 1)]
    for run, models in some.items():
        cells = [_spread(one.right[:, SETTINGS.index(setting)].mean() for one in models.values()) for setting in SHOWN]
        wrong = [(~one.right[:, FULL], one.alike[:, FULL]) for one in models.values()]
        cells += [
            _spread((is_wrong & alike).mean() for is_wrong, alike in wrong),
            _spread((is_wrong & ~alike).mean() for is_wrong, alike in wrong),
            _spread((~alike)[is_wrong].mean() for is_wrong, alike in wrong),
            _spread(one.right_within[:, FULL].mean() for one in models.values()),
        ]
        lines.append(_row(LABELS[run], str(len(models)), *cells))
    return lines


def gain_table(some: Mapping[str, Mapping[int, Answers]], against: Mapping[int, Answers]) -> list[str]:
    """Return what each model is better by than MattNet trained on as long, in points."""
    settings = (*(("", one, False) for one in ("Full", "DiffCat", "WithoutDist")), (", category told", "Full", True))
    heads = [f"{setting}{more}" for more, setting, _ in settings]
    lines = [_row("better than trained on by", *heads), "|---|" + "---:|" * len(heads)]
    for run, models in some.items():
        if run == AGAINST:
            continue
        found = [gain(models, against, SETTINGS.index(one), within=within) for _, one, within in settings]
        cells = [
            f"{100 * one.mean:+.1f} ± {100 * spread:.1f} [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"
            for one, spread in filter(None, found)
        ]
        lines.append(_row(LABELS[run], *(cells or ["–"] * len(heads))))
    return lines


def gain_figure(
    found: Mapping[tuple[str, str], Mapping[int, Answers]], levels: Mapping[str, float], errors: Mapping[str, float]
) -> Figure:
    """Return the figure of what mining adds, by the noise of categories."""
    known = [level for level in sorted(levels, key=levels.__getitem__) if (f"all/{level}", AGAINST) in found]
    runs = [run for run in LABELS if run != AGAINST and any((f"all/{level}", run) in found for level in known)]
    runs = [run for run in runs if run.startswith("mine-")]
    charts = []
    for title, within in (("Full", False), ("Full, where the category is told", True)):
        series = []
        for number, run in enumerate(runs):
            gains = [
                gain(found.get((f"all/{level}", run), {}), found[f"all/{level}", AGAINST], FULL, within=within)
                for level in known
            ]
            series.append(
                Series(
                    label=LABELS[run].removeprefix("mining, "),
                    values=tuple(None if one is None else 100 * one[0].mean for one in gains),
                    intervals=tuple(None if one is None else (100 * one[0].low, 100 * one[0].high) for one in gains),
                    color=role_of(number),
                )
            )
        charts.append(
            Chart(
                name=f"gain-{len(charts)}",
                title=title,
                marks="lines",
                labels=tuple(f"{levels[one]:g} ({100 * errors[one]:.0f} %)" for one in known),
                series=tuple(series),
                axis=Axis(label="points above trained on as long", unit="value", low=-4, high=5),
                below=Axis(label="noise (share where another is louder)"),
            )
        )
    caption = (
        "Accuracy on test minus that of the same MattNet trained on as long without mining, in percentage points, "
        "by the noise on categories. Means of the seeds, with 95 % intervals over images."
    )
    title = "What mining adds, by the noise of categories"
    return Figure(
        name="mining", title=title, caption=caption, rows=(tuple(charts),), width=WIDE, row_height=3.2, is_titled=True
    )


def _spread(values: Iterable[float]) -> str:
    some = [100 * float(value) for value in values]
    return f"{mean(some):.1f} ± {stdev(some):.1f}" if len(some) > 1 else f"{some[0]:.1f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
