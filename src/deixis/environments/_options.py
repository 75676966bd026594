"""Requirements of environments: packages to install, and valid options."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from deixis.errors import DeixisError, UnknownName, nearest


if TYPE_CHECKING:
    from collections.abc import Iterable


def demand_package(package: str, what: str) -> None:
    """`DeixisError`, saying how to install it, where a package is missing."""
    if find_spec(package) is None:
        raise DeixisError(f"{what} need {package}; install it with: pip install 'deixis[environments]'")


def demand_known(given: Iterable[str], known: Iterable[str], *, of: str) -> None:
    """`UnknownName` where an environment has no option of a name."""
    known = list(known)
    for name in given:
        if name not in known:
            raise UnknownName(f"{of} has no option {name!r}{nearest(name, known)}")


def demand_one_of(name: str, value: object, known: Iterable[object]) -> None:
    """`UnknownName` where the value of an option is none of those there are."""
    known = list(known)
    if value not in known:
        raise UnknownName(f"the {name} cannot be {value!r}; known: {', '.join(map(str, known))}")
