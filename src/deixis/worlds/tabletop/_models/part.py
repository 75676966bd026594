"""Part `models` of tables: a reader that is told values, and one that sees pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.learn.run import Model, Models, Run, describe_steps
from deixis.settings import add_options, merge_settings
from deixis.worlds.tabletop._models.settings import TableReading


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deixis.learn.run import Progress


class _Reading(NamedTuple):
    """Settings of a reader, and where what it sees is kept."""

    how: TableReading
    cache: Path | None


def _reading(given: Mapping[str, Any], *, settings: Path | None = None, cache: Path | None = None) -> _Reading:
    """How a reader learns to find solids by what is said of them.

    Args:
        given: The settings that were given as options.
        settings: A TOML file with any of the settings; options override it.
        cache: A folder for what is told or seen of tables, so that it is worked out once.
    """
    return _Reading(TableReading.read(merge_settings(settings, given)), cache)


def _trains(*, sees: bool) -> Callable[..., Run]:
    def train(
        settings: _Reading,
        data: Path | None,
        out: Path,
        *,
        device: str,
        progress: Progress,
        stop_after: float | None,
    ) -> Run:
        from deixis.worlds.tabletop._models.course import learn_to_point

        assert isinstance(data, Path)
        facts = learn_to_point(
            settings.how,
            data,
            out,
            sees=sees,
            device=device,
            cache=settings.cache,
            progress=progress,
            stop_after=stop_after,
        )
        best = facts.get("best", {})
        lines = [describe_steps(facts, of="expressions")]
        if "merit" in best:
            lines.append(f"The solid is found in {100 * best['merit']:.1f} % of the expressions of dev.")
        return Run.of(out, facts, lines=tuple(lines), following=(f"deixis evaluate {out} --data {data}",))

    return train


MODELS = Models(
    models={
        "tabletop-program": Model(options=add_options(TableReading)(_reading), train=_trains(sees=False)),
        "tabletop-pixels": Model(options=add_options(TableReading)(_reading), train=_trains(sees=True)),
    },
    kinds=("tabletop",),
)
