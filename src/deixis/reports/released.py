"""What is known of the released data: figures to compare with, since the data itself is not shipped."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.reports.audit_measures import Value
from deixis.reports.markup import number
from deixis.reports.scorecard import Column


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Released", "released"]


@dataclass(frozen=True, kw_only=True)
class Released:
    """The known figures.

    Attributes:
        source: what to cite.
        column: those that are measures of the scorecard.
        places: where the object of a same-row clause stands by column, and that of a same-column clause by row.
        relations: the share of each relation among all clauses.
        gscan: what suffices of the colour and the shape in gSCAN's set of yellow squares.
        gscan_expected: how many of them need both, by how gSCAN chooses its objects.
    """

    source: str
    column: Column
    places: Mapping[str, tuple[float, ...]]
    relations: Mapping[str, float]
    gscan: Mapping[str, float]
    gscan_expected: float


@cache
def released() -> Released:
    """What is known of the released test set with two clauses, and of gSCAN."""
    facts = tomllib.loads((files("deixis.reports") / "released.toml").read_text(encoding="utf-8"))
    values = {name: Value(part / of, f"{number(part)} of {number(of)}") for name, (part, of) in facts["counts"].items()}
    values |= {name: Value(float(amount), "published") for name, amount in facts["numbers"].items()}
    return Released(
        source=facts["source"],
        column=Column(name=facts["name"], values=values, about=facts["about"], is_published=True),
        places={name: tuple(map(float, shares)) for name, shares in facts["places"].items()},
        relations=facts["relations"],
        gscan=facts["gscan"],
        gscan_expected=facts["gscan_expected"]["both"] / facts["gscan_expected"]["choices"],
    )
