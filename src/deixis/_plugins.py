"""Loading what other packages register by entry points, without trusting any of them to work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable


Kind = TypeVar("Kind")


def add_plugins(
    found: dict[str, Kind], *, group: str, kind: type[Kind], what: str, warn: Callable[[str], None]
) -> dict[str, Kind]:
    """Add the objects that other packages register to those that come with Deixis, and return all by name.

    A package that cannot be used is left out with a warning; the others work.

    Args:
        found: what comes with Deixis, by name.
        group: the entry-point group.
        kind: of what class the objects are; each has a `name`, which the entry point must have as well.
        what: what an object is called in warnings.
        warn: told why an object is left out.
    """
    from importlib.metadata import entry_points

    homes = dict.fromkeys(found, "deixis itself")
    for point in sorted(entry_points(group=group), key=lambda one: (one.name, _package(one))):
        is_left_out = f"the {what} {point.name!r} of {_package(point)} is left out"
        try:
            one = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a stranger's package does, the others work)
            warn(f"{is_left_out}: {type(error).__name__}: {error}")
            continue
        if not isinstance(one, kind):
            warn(f"{is_left_out}: {point.value} is no deixis {kind.__name__}")
        elif (name := getattr(one, "name", None)) != point.name:
            warn(f"{is_left_out}: it calls itself {name!r}")
        elif name in found:
            warn(f"{is_left_out}: {homes[name]} has one of that name")
        else:
            found[name], homes[name] = one, _package(point)
    return found


def _package(point: Any) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
