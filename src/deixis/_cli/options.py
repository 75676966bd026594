"""Options that several verbs have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter, validators

from deixis._options import names_in
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token


def _place(_type: object, tokens: Sequence[Token]) -> Path | str:
    """A path, or an address such as s3://bucket/folder as it stands."""
    from deixis._cli.places import is_address

    text = tokens[0].value
    return text if is_address(text) else Path(text)


def _places(_type: object, tokens: Sequence[Token]) -> list[Path | str]:
    return [_place(None, [token]) for token in tokens]


ONE_SLASH = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/(?!/)")


def _name_or_path(_type: object, tokens: Sequence[Token]) -> Path:
    """Return a name unchanged, but one that begins with ./ as the path of a file or folder here."""
    text = tokens[0].value
    return Path(text).absolute() if text.startswith(("./", ".\\")) else Path(text)


AllowLosses: TypeAlias = Annotated[bool, Parameter(name="--allow-losses")]
Json: TypeAlias = Annotated[bool, Parameter(name="--json")]
Count: TypeAlias = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Above: TypeAlias = Annotated[float, Parameter(validator=validators.Number(gt=0))]
Seed: TypeAlias = Annotated[int, Parameter(validator=validators.Number(gte=0, lt=1 << 63))]
Named: TypeAlias = Annotated[Path, Parameter(converter=_name_or_path)]
Place: TypeAlias = Annotated[Path | str, Parameter(converter=_place)]
Places: TypeAlias = Annotated[list[Path | str], Parameter(name="PATH", negative=(), converter=_places)]
PlacesOrNone: TypeAlias = Annotated[list[Path | str] | None, Parameter(name="PATH", negative=(), converter=_places)]
On: TypeAlias = Literal["here", "dask"]
Address: TypeAlias = Annotated[str, Parameter(name="--address")]
Wait: TypeAlias = Annotated[int, Parameter(name="--cluster-wait", validator=validators.Number(gte=0))]


def refuse_addresses(_type: object, value: object) -> None:
    """A complaint where a path is an address such as s3://bucket/folder: what is no `Place` reads and writes here only.

    A path has already lost one of the slashes; a folder that is really called `s3:` may be named.
    """
    for path in value if isinstance(value, list | tuple) else [value]:
        if isinstance(path, Path) and (found := ONE_SLASH.match(str(path))) and not Path(found[0]).exists():
            raise ValueError(f"{found[1]}:// is an address, and only a path of this machine can be given here")


def names_given(text: str, count: int) -> tuple[str, ...]:
    """Return the given names of datasets, nothing if none is given, or raise an error if their number is wrong."""
    given = names_in(text)
    if given and (len(given) != count or len(set(given)) != count):
        raise RecipeError(f"give {count} --names, one for each dataset and no two alike, got {', '.join(given)}")
    return given
