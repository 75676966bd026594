"""Options that several verbs have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter, validators


if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token


__all__ = ["Address", "Count", "Json", "On", "Place", "Places", "Seed", "Wait", "names_in"]


def _place(_type: object, tokens: Sequence[Token]) -> Path | str:
    """A path, or an address such as s3://bucket/folder as it stands."""
    from deixis.cli.places import is_address

    text = tokens[0].value
    return text if is_address(text) else Path(text)


def _places(_type: object, tokens: Sequence[Token]) -> list[Path | str]:
    return [_place(None, [token]) for token in tokens]


Json: TypeAlias = Annotated[bool, Parameter(name="--json")]
Count: TypeAlias = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Seed: TypeAlias = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=1 << 63))]
Place: TypeAlias = Annotated[Path | str, Parameter(converter=_place)]
Places: TypeAlias = Annotated[list[Path | str], Parameter(name="PATH", negative=(), converter=_places)]
On: TypeAlias = Literal["here", "dask"]
Address: TypeAlias = Annotated[str, Parameter(name="--address")]
Wait: TypeAlias = Annotated[int, Parameter(name="--cluster-wait", validator=validators.Number(gte=0))]


def names_in(text: str) -> tuple[str, ...]:
    """The names in a list separated by commas."""
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)
