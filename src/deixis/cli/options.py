"""Options that several verbs have."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter, validators


__all__ = ["Count", "Json", "Seed", "names_in"]

Json: TypeAlias = Annotated[bool, Parameter(name="--json")]
Count: TypeAlias = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Seed: TypeAlias = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=1 << 63))]


def names_in(text: str) -> tuple[str, ...]:
    """The names in a list separated by commas."""
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)
