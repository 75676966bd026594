"""All figures of audits by section: each shows one measure of several datasets side by side, and says what to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.reports.audit_giveaway_plots import cells_plot, chance_plots, determiners_plot, skew_plots
from deixis.reports.audit_need_plots import competitor_plots, needed_plots, shortcut_plots


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.audits import Audit
    from deixis.reports.plots import Plot
    from deixis.reports.released import Released


__all__ = ["audit_plots"]


def audit_plots(audits: Mapping[str, Audit], *, beside: Released | None = None) -> dict[str, list[Plot]]:
    """The figures of some audits under the section each belongs to; those without a number are left out.

    Args:
        audits: by the name of the dataset, in the order in which to show them.
        beside: published figures to show with them.
    """
    made: dict[str, list[Plot | None]] = {
        "needed": needed_plots(audits, beside=beside),
        "shortcuts": shortcut_plots(audits),
        "competitors": competitor_plots(audits),
        "chance": chance_plots(audits),
        "skew": skew_plots(audits, beside=beside),
        "cells": [cells_plot(audits)],
        "determiners": [determiners_plot(audits)],
    }
    found = {name: [plot for plot in plots if plot is not None] for name, plots in made.items()}
    return {name: plots for name, plots in found.items() if plots}
