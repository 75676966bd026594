"""What the mode every-word tried, and what of it could be served: the counts in a manifest, added and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.worlds.photos._wants import WANT_NAMES


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


EVERY_WORD = "every word"  # in a manifest, under `made with`
HEADS = "wants served (%)"


def add_counts(counts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add counts of expressions and wants, each as (asked for, served), with forms and wants in a fixed order."""
    said: dict[str, list[int]] = {}
    wants: dict[str, dict[str, list[int]]] = {}
    for some in counts:
        for form, pair in some["expressions"].items():
            said[form] = _sum(said.get(form, [0, 0]), pair)
        for form, names in some["wants"].items():
            mine = wants.setdefault(form, {})
            for name, pair in names.items():
                mine[name] = _sum(mine.get(name, [0, 0]), pair)
    return {
        "expressions": dict(sorted(said.items())),
        "wants": {form: dict(sorted(names.items())) for form, names in sorted(wants.items())},
    }


def counts_in(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of all splits of a dataset, empty for one of another mode."""
    told = manifest.get("made with", {})
    splits = told.get(EVERY_WORD) if isinstance(told, dict) else None
    return add_counts(splits.values()) if isinstance(splits, dict) else {}


def wants_table(counts: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a table: how much of each want is served, by form, and of how many expressions all are.

    Counted is all that was tried, of which what is not served throughout is left out.
    """
    forms = list(counts["expressions"])
    rows = [
        [name, *(_share(counts["wants"].get(form, {}).get(name)) for form in forms)]
        for name in WANT_NAMES
        if any(name in names for names in counts["wants"].values())
    ]
    rows.append(["all of them", *(_share(counts["expressions"][form]) for form in forms)])
    rows.append(["expressions tried", *(f"{counts['expressions'][form][0]:,}" for form in forms)])
    return [HEADS, *forms], rows


def _share(pair: Sequence[int] | None) -> str:
    return f"{100 * pair[1] / pair[0]:.0f}" if pair and pair[0] else ""


def _sum(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]
