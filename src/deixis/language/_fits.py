"""What a text picks out, in a few words."""

from __future__ import annotations


def describe_fits(count: int) -> str:
    """Return the headline of a text that so many objects fit."""
    match count:
        case 0:
            return "Picks out nothing"
        case 1:
            return "Picks out exactly one object"
        case _:
            return f"Picks out {count} objects: ambiguous"
