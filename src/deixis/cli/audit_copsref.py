"""`deixis audit` for Cops-Ref: how far readers come who understand only a part of what is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from deixis.audits.localise import ShortcutAudit
    from deixis.tasks.localise import Example


__all__ = ["audit_photographs"]

SOLVED = "The target is all that is left (%)"
GUESSED = "The target is hit by guessing among what is left (%); for who hears nothing, that is chance"


def audit_photographs(
    paths: Mapping[str, Path], *, out: Path | None, split: str | None, sample: int | None, seed: int, as_json: bool
) -> int:
    """Audit datasets about photographs, each by itself.

    Args:
        paths: the folders by name.
        out: a folder for audit.json and audit.md.
        split: only the examples of this split.
        sample: only so many examples of each, chosen at random.
        seed: which ones are chosen.
        as_json: print JSON instead of text.
    """
    if out is not None:  # whatever stands in its way shows now, not when everything is counted
        out.mkdir(parents=True, exist_ok=True)
    audits = {name: _audit(name, path, split, sample, seed) for name, path in paths.items()}
    about = {"split": split, "sample": sample, "seed": seed if sample else None}
    values: dict[str, Any] = {
        "deixis": __version__,
        **{name: value for name, value in about.items() if value is not None},
        "audits": {name: {"kind": "copsref", **found.to_dict()} for name, found in audits.items()},
    }
    if out is not None:
        (out / "audit.json").write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        (out / "audit.md").write_text("\n".join(_page(audits)) + "\n", encoding="utf-8")
    if as_json:
        print_json(values)
        return 0
    for name, found in audits.items():
        _print(name, found)
    if out is not None:
        print(f"Written: {out / 'audit.json'} and {out / 'audit.md'}, with intervals")
    return 0


def _audit(name: str, folder: Path, split: str | None, sample: int | None, seed: int) -> ShortcutAudit:
    from deixis.audits.localise import audit_shortcuts
    from deixis.datasets.copsref.store import open_copsref

    data = open_copsref(folder)
    with Stages(compiles=True) as progress:
        examples = _chosen(list(data.examples(split)), sample, seed)
        progress(name, 0, len(examples))
        found = audit_shortcuts(examples, data.scenes)
        progress(name, len(examples), len(examples))
    if not found.judged:
        raise RecipeError(f"{folder} holds no example to audit: " + (_left_out(found) or "it is empty"))
    return found


def _chosen(examples: list[Example], sample: int | None, seed: int) -> list[Example]:
    from deixis.seeds import Stream, derive

    if sample is None or sample >= len(examples):
        return examples
    return [
        examples[number] for number in sorted(Stream(derive(seed, "sample")).shuffled(range(len(examples)))[:sample])
    ]


def _print(name: str, found: ShortcutAudit) -> None:
    from deixis.audits.localise import shortcut_rows

    print(f"{name}: {_counts(found)}")
    for title, guessing in ((SOLVED, False), (GUESSED, True)):
        print(f"\n{title}")
        heads, *rows = shortcut_rows(found.shortcuts, guessing=guessing, intervals=False)
        print_table(
            [head.replace("WithoutDist", "Without\nDist") for head in heads], rows, numbers=range(1, len(heads))
        )


def _page(audits: Mapping[str, ShortcutAudit]) -> Iterator[str]:
    """The audits as Markdown."""
    from deixis.audits.localise import shortcut_rows

    yield "# Shortcuts"
    for name, found in audits.items():
        yield from ("", f"## {name}", "", f"{_counts(found)} ± is half of a 95 % bootstrap interval.")
        for title, guessing in ((SOLVED, False), (GUESSED, True)):
            heads, *rows = shortcut_rows(found.shortcuts, guessing=guessing)
            yield from ("", f"{title}:", "")
            yield from (f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))


def _counts(found: ShortcutAudit) -> str:
    left_out = _left_out(found)
    return f"{found.judged:,} of {found.examples:,} examples judged" + (f"; left out: {left_out}." if left_out else ".")


def _left_out(found: ShortcutAudit) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items())
