"""`deixis audit`: what datasets really test."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from deixis._version import __version__
from deixis.cli.audit_copsref import audit_photographs
from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from deixis.audits import Audit


__all__ = ["audit", "names_of"]

WIDEST = 18  # letters at the head of a column, so that two datasets fit on 80


def audit(
    paths: Annotated[list[Path], Parameter(name="PATH", negative=())],
    /,
    *,
    out: Path | None = None,
    published: bool = False,
    split: str | None = None,
    sample: Count | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Audit datasets: which words matter, which shortcuts solve them, and what gives the answer away.

    Several datasets are put side by side. Those of Cops-Ref are audited for shortcuts, with distractor images and
    without, each by itself.

    Args:
        paths: Dataset folders, Parquet files, released ReaSCAN or gSCAN files, or JSON Lines of grounded expressions.
        out: A folder for audit.json, with all counts, and audit.html, a page with figures; audit.md for Cops-Ref.
        published: On the page, also show what is published of the released ReaSCAN data and of gSCAN.
        split: Audit only the examples of this split.
        sample: Audit only so many examples of each, chosen at random.
        seed: Which ones are chosen; 0 by default.
        workers: How many threads, one per core by default; the result does not depend on it.
        as_json: Print JSON instead of text.
    """
    from deixis.audits.run import audit_path
    from deixis.audits.summary import compared
    from deixis.datasets.store import kind_of

    if photographs := [path for path in paths if kind_of(path) == "copsref"]:
        if len(photographs) < len(paths):
            raise RecipeError("datasets of Cops-Ref cannot stand beside others; audit them by themselves")
        if published:
            raise RecipeError("--published is about ReaSCAN and gSCAN; nothing of the kind is published of Cops-Ref")
        named = dict(zip(names_of(paths), paths, strict=True))
        return audit_photographs(named, out=out, split=split, sample=sample, seed=seed, as_json=as_json)
    write = None if out is None else _writer(out, len(paths), published=published)
    audits: dict[str, Audit] = {}
    for name, path in zip(names_of(paths), paths, strict=True):
        with Stages(compiles=True) as progress:
            audits[name] = audit_path(
                path,
                split=split,
                sample=sample,
                seed=seed,
                workers=workers or os.cpu_count() or 1,
                progress=partial(progress, name),
            )
    values = _plain(audits, {"split": split, "sample": sample, "seed": seed if sample else None})
    if write is not None:
        write(audits, values)
    if as_json:
        print_json(values)
        return 0
    print_table(("", *map(_head, audits)), compared(audits), numbers=range(1, len(audits) + 1))
    for name, found in audits.items():
        for (reason,), count in sorted(found.unjudged.items()):
            print(f"{name}: {count:,} left out: {reason}")
    if out is not None:
        print(f"Written: {out / 'audit.json'} and {out / 'audit.html'} (open it in a browser)")
    return 0


def _head(name: str) -> str:
    """A name short enough for the head of a column."""
    return name if len(name) <= WIDEST else f"{name[: WIDEST // 2 - 1]}…{name[-WIDEST // 2 :]}"


def _writer(out: Path, datasets: int, *, published: bool) -> Callable[[Mapping[str, Audit], dict[str, Any]], None]:
    """What writes the files; whatever stands in its way shows now, not when everything is counted."""
    from deixis.reports.audit_page import MOST_DATASETS, write_audit_page

    if datasets > MOST_DATASETS:
        raise RecipeError(f"an audit page shows up to {MOST_DATASETS} datasets side by side, got {datasets}")
    out.mkdir(parents=True, exist_ok=True)

    def write(audits: Mapping[str, Audit], values: dict[str, Any]) -> None:
        text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
        (out / "audit.json").write_text(text, encoding="utf-8")
        write_audit_page(audits, out / "audit.html", with_published=published)

    return write


def names_of(paths: list[Path]) -> list[str]:
    """A name for every path: its last part, with as many before it as it takes to tell the paths apart."""
    whole = [path.absolute().parts for path in paths]
    names = []
    for number, parts in enumerate(whole):
        others = [other for place, other in enumerate(whole) if place != number]
        kept = next((k for k in range(1, len(parts)) if all(o[-k:] != parts[-k:] for o in others)), len(parts))
        name = "/".join(parts[-kept:])
        names.append(name if name not in names else f"{name} ({number + 1})")
    return names


def _plain(audits: Mapping[str, Audit], asked: Mapping[str, Any]) -> dict[str, Any]:
    about = {name: value for name, value in asked.items() if value is not None}
    return {"deixis": __version__, **about, "audits": {name: found.to_dict() for name, found in audits.items()}}
