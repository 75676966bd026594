"""Options with several names in one text, and options that have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def refuse_options(given: Mapping[str, object], *, because: str) -> None:
    """`RecipeError` where any of these options was given: no option is accepted that nothing obeys.

    Args:
        given: what each option says; what is empty, None or False was not given.
        because: who has these options, and why they do nothing here.
    """
    named = [name for name, value in given.items() if value not in (None, False, "", ())]
    if named:
        raise RecipeError(f"{', '.join(named)}: {because}; leave {'them' if len(named) > 1 else 'it'} out")


def names_in(text: str) -> tuple[str, ...]:
    """The names in a list separated by commas."""
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)


def names_of(paths: Sequence[Path]) -> list[str]:
    """A name for every path: its last part, with as many before it as it takes to tell the paths apart."""
    whole = [path.absolute().parts for path in paths]
    names = []
    for number, parts in enumerate(whole):
        others = [other for place, other in enumerate(whole) if place != number]
        kept = next((k for k in range(1, len(parts)) if all(o[-k:] != parts[-k:] for o in others)), len(parts))
        name = "/".join(parts[-kept:])
        names.append(name if name not in names else f"{name} ({number + 1})")
    return names
