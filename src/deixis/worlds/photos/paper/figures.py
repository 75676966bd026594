"""Figures 3 and 4 of the Cops-Ref paper, accuracy by logic form and by length, and how training went."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

from deixis.report.curves import thinned
from deixis.report.drawings import DASHES, Drawing, color_of, legend_columns
from deixis.report.figures import MARKERS, SERIES
from deixis.worlds.photos.localise import FORMS, LENGTHS
from deixis.worlds.photos.paper.tables import parts_of


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.worlds.photos.paper.runs import Trial
    from deixis.worlds.photos.paper.tables import Group, Measure, Results


__all__ = ["figures_drawn"]

SHOWN = ("grounder", "mattnet", "cm-att-erase", "mattnet-mine", "tree")  # by part; all others are in the files
WIDE, LOW, TALL = 9.0, 3.6, 4.2  # inches
RETRIEVER = "SCAN"
LINE = 0.2  # inches of a line of the legend
LONGEST = 50  # letters of a label
APART = 0.09  # how far two models stand apart, in places of a figure


def figures_drawn(results: Results) -> list[Drawing]:
    """The figures that there is something to show in."""
    order = [*(group.label for group in results.groups), RETRIEVER]
    shown = [group for group in results.groups if group.key in SHOWN and not group.varies] or list(results.groups)
    forms = _parts(shown, "forms", FORMS)
    lengths = _parts(shown, "lengths", LENGTHS)
    runs: dict[str, Sequence[Trial]] = {group.label: group.trials for group in results.groups}
    runs[RETRIEVER] = results.retrievers
    logged = {label: some for label, trials in runs.items() if (some := [t for t in trials if t.steps or t.looks])}
    found = []
    if forms:
        found.append(_by_part("forms", "Figure 3: accuracy in Full by logic form", "logic form", forms, FORMS, order))
    if lengths:
        title = "Figure 4: accuracy in Full by length"
        found.append(_by_part("lengths", title, "length of the expression", lengths, LENGTHS, order))
    if logged:
        found.append(_curves(logged, order))
    return found


def _parts(groups: Sequence[Group], by: str, known: Sequence[str]) -> dict[str, dict[str, Measure]]:
    found = {group.label: parts_of(group, by) for group in groups}
    kept = {label: {name: parts[name] for name in known if name in parts} for label, parts in found.items()}
    return {label: parts for label, parts in kept.items() if parts}


def _by_part(
    name: str,
    title: str,
    below: str,
    parts: Mapping[str, Mapping[str, Measure]],
    known: Sequence[str],
    order: Sequence[str],
) -> Drawing:
    places = [part for part in known if any(part in one for one in parts.values())]

    def paint(figure: Any, matplotlib: Any, title: str) -> None:
        del matplotlib
        axes = figure.subplots()
        for number, (label, found) in enumerate(parts.items()):
            look = _look(order.index(label))
            shift = APART * (number - (len(parts) - 1) / 2)
            some = [part for part in places if part in found]
            at = [places.index(part) + shift for part in some]
            means = [found[part].mean for part in some]
            reach = [_reach(found[part]) for part in some]
            axes.errorbar(at, means, list(zip(*reach, strict=True)), label=label, capsize=2, linewidth=1.2, **look)
        axes.set_xticks(range(len(places)), places)
        axes.set_xlim(-0.5, len(places) - 0.5)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("accuracy in percent")
        axes.set_xlabel(below)
        _furnish(figure, title)

    caption = (
        f"Accuracy among all distractors by {below}. Bars are the standard deviation over seeds, or the 95 % interval "
        "where there is one seed. The lines only guide the eye."
    )
    return Drawing(name=name, title=title, caption=caption, size=_size(LOW, list(parts)), paint=paint)


def _reach(found: Measure) -> tuple[float, float]:
    """How far the bar of a measure reaches, down and up."""
    if found.deviation is not None:
        return found.deviation, found.deviation
    return max(found.mean - found.low, 0), max(found.high - found.mean, 0)


def _curves(runs: Mapping[str, Sequence[Trial]], order: Sequence[str]) -> Drawing:
    def paint(figure: Any, matplotlib: Any, title: str) -> None:
        losses, looks = figure.subplots(1, 2)
        for label, trials in runs.items():
            look = {**_look(order.index(label)), "marker": ""}
            for number, trial in enumerate(trials):
                name = label if not number else None
                steps = thinned([step for step in trial.steps if step.loss > 0])
                losses.plot([s.update for s in steps], [s.loss for s in steps], linewidth=1.0, label=name, **look)
                seen = [(at.update, 100 * at.values["Full"]) for at in trial.looks if "Full" in at.values]
                looks.plot([update for update, _ in seen], [share for _, share in seen], linewidth=1.5, **look)
                best = [(update, share) for update, share in seen if update == trial.best_update]
                ring = {"marker": "o", "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.6}
                looks.plot([at for at, _ in best], [one for _, one in best], color=look["color"], linestyle="", **ring)
        if any(trial.steps for trials in runs.values() for trial in trials):
            losses.set_yscale("log")
            losses.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
            losses.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
            losses.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        losses.set_ylabel("loss")
        looks.set_ylabel("right on val in Full, percent")
        looks.set_ylim(bottom=0)
        for axes in (losses, looks):
            axes.set_xlabel("steps")
            axes.set_xlim(left=0)
            axes.xaxis.set_major_formatter(matplotlib.ticker.EngFormatter(sep=""))
        _furnish(figure, title)

    caption = (
        "Left the loss, which is not comparable between models; right the share of right choices on val among all "
        "distractors, for SCAN that of right images. A ring marks the selected checkpoint."
    )
    title = "Loss, and accuracy on val"
    return Drawing(name="curves", title=title, caption=caption, size=_size(TALL, list(runs)), paint=paint)


def _size(height: float, labels: list[str]) -> tuple[float, float]:
    """As high as it is without a legend of several lines, and that legend."""
    lines = -(-len(labels) // legend_columns(_short(labels)))
    return WIDE, height + LINE * max(0, lines - 2)


def _look(number: int) -> dict[str, Any]:
    return {
        "color": color_of(number)[0],
        "linestyle": DASHES[number // len(SERIES) % len(DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 4.5,
    }


def _furnish(figure: Any, title: str) -> None:
    for axes in figure.axes:
        axes.patch.set_alpha(0)
        axes.tick_params(which="both", length=0)
        axes.grid(axis="y")
    if title:
        figure.axes[0].set_title(title, loc="left")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    names = _short(labels)
    figure.legend(
        handles, names, loc="outside upper left", ncols=legend_columns(names), handlelength=2.2, borderaxespad=0.2
    )


def _short(labels: list[str]) -> list[str]:
    """Labels as a legend has room for them."""
    return [shorten(label, LONGEST, placeholder=" …") for label in labels]
