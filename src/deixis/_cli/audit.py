"""`deixis audit`: what datasets really test."""

from __future__ import annotations

import json
import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._cli.compose import options_for
from deixis._cli.options import Address, AllowLosses, Count, Json, On, Places, Seed, Wait, names_given
from deixis._cli.places import PATIENCE_SECONDS, at_hand, crew_for
from deixis._cli.printing import print_json, print_table
from deixis._cli.progress import Stages
from deixis._losses import Losses
from deixis._options import names_of
from deixis._version import __version__
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deixis.audits.run import DatasetAudit
    from deixis.worlds.world import World


PAGE = ".html"
COUNTED = ("examples", "judged")  # the rows that every dataset has
MEANING = "a meaning that picks out the target, scenes and target"
WIDEST = 18  # letters at the head of a column, so that two datasets fit on 80


def audit(
    places: Places,
    /,
    *,
    out: Path | None = None,
    names: str = "",
    split: str | None = None,
    sample: Count | None = None,
    allow_losses: AllowLosses = False,
    figures: bool = False,
    seed: Seed = 0,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
    options: dict[str, Any] | None = None,
) -> int:
    """Audit datasets: which words matter, which shortcuts solve them.

    Several datasets of any worlds, and files of others, are put side by side, and what they have in common is told:
    examples of one that are also in another. What only one world measures stands below.

    Args:
        places: Dataset folders, addresses such as s3://bucket/folder, other files that a world reads, or JSON Lines of
            grounded expressions.
        out: A folder for audit.json, with all counts, audit.md, and audit.html, a page with figures; or FILE.html for
            the page alone.
        names: What to call the datasets, separated by commas; by default as their files and folders are called.
        split: Audit only the examples of this split.
        sample: Audit a random sample of this size from each dataset.
        allow_losses: Go on although over 1 % of the examples cannot be read.
        figures: Also measure what needs no meaning: texts, duplicates, candidates, blind readers. Files of others and
            datasets side by side always have these figures, on at most 20,000 examples of each.
        seed: Random seed of the sample; 0 by default.
        workers: How many processes or threads share the work, one per core by default; the result is the same.
        on: Who shares it: this machine (here, the default), or the workers of a Dask cluster.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: Seconds to wait while the cluster has no worker, or its scheduler is gone; 60 by default.
        as_json: Print JSON instead of text.
        options: Those of single worlds.
    """
    from deixis.audits._sightings import shared_examples
    from deixis.audits._summary import compare_audits, explain_dashes
    from deixis.audits.figures import compare_figures, explain_missing
    from deixis.audits.run import audit_dataset, runs_on_clusters

    paths = [at_hand(place) for place in places]
    called = names_given(names, len(paths)) or names_of(paths)
    worlds = {path: _world_of(path) for path in paths}
    published = _published_audit(worlds, options or {})
    write = None if out is None else _writer(out, len(paths), published=published)
    found: dict[str, DatasetAudit] = {}
    for place, path in zip(places, paths, strict=True):
        if on != "here" and not runs_on_clusters(path):
            world = worlds[path]
            kind = "grounded expressions" if world is None else world.name
            raise RecipeError(f"--on {on} is for audits of {_audited_on_clusters()} only; {place} is of {kind}")
    with crew_for(on, address, workers=workers, wait=cluster_wait) as crew:
        for name, path in zip(called, paths, strict=True):
            with Stages(compiles=True) as progress:
                found[name] = audit_dataset(
                    path,
                    split=split,
                    sample=sample,
                    seed=seed,
                    workers=workers or os.cpu_count() or 1,
                    crew=crew,
                    progress=partial(progress, name),
                    with_figures=figures or len(paths) > 1,
                )
    lost = _losses(found, allowed=allow_losses)
    shared = shared_examples({name: one.sightings for name, one in found.items()})
    about = {"split": split, "sample": sample, "seed": seed if sample else None}
    values: dict[str, Any] = {
        "deixis": __version__,
        **{name: value for name, value in about.items() if value is not None},
        "audits": {name: one.to_dict() for name, one in found.items()},
    }
    if len(found) > 1:
        values["shared"] = [one._asdict() for one in shared]
    values |= {"losses": lost} if lost else {}
    rows = compare_audits(
        {name: one.audit for name, one in found.items()}, {name: one.rows for name, one in found.items()}
    )
    unjudged = [name for name, one in found.items() if not one.audit.judged]
    every = {name: one.figures for name, one in found.items()}
    further = compare_figures(every) if any(every.values()) else []
    dashes = [*explain_dashes(rows, list(found), unjudged), *(explain_missing(every) if further else ())]
    told = [*dashes, *_notes(found), *map(str, shared)]
    if write is not None:
        write(found, values, [*_with_need(rows, further), *further], told, [str(one) for one in shared])
    if as_json:
        print_json(values)
        return 0
    print_table(("", *map(_head, found)), [*_with_need(rows, further), *further], numbers=range(1, len(found) + 1))
    for name, one in found.items():
        for table in one.tables:
            print(f"\n{name}: {table.title}" if len(found) > 1 else f"\n{table.title}")
            cells = ([cell.partition(" ±")[0] for cell in row] for row in table.rows)
            print_table(table.heads, cells, numbers=range(table.words, len(table.heads)), labels=table.words)
    for line in told:
        print(line)
    if out is not None:
        page = out if out.suffix == PAGE else out / "audit.html"
        others = "" if page == out else f"{out / 'audit.json'}, {out / 'audit.md'} and "
        print(f"Written: {others}{page} (open it in a browser)")
    return 0


def _audited_on_clusters() -> str:
    """The worlds whose audits a cluster can share."""
    from deixis.worlds.registry import known_worlds

    worlds = known_worlds().values()
    able = (one for one in worlds if not one.has("audit") or getattr(one.part("audit"), "runs_on_clusters", False))
    return ", ".join(one.name for one in able if one.has("examples"))


def _with_need(rows: Sequence[Sequence[str]], further: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Say above the measures of meanings what they need, where others follow that need less."""
    if not further:
        return list(rows)
    counts = [row for row in rows if row[0].strip() in COUNTED]
    measured = [row for row in rows if row[0].strip() not in COUNTED]
    heading = [(f"needs: {MEANING}", *("" for _ in rows[0][1:]))] if measured else []
    return [*counts, *heading, *((f"  {name}", *cells) for name, *cells in measured)]


def _published_audit(worlds: Mapping[Path, World | None], options: Mapping[str, Any]) -> Any:
    """Return the published audit of the worlds of some datasets if an option asks for it, otherwise None."""
    if not options:
        return None
    able = [
        world for world in worlds.values() if world is not None and options.keys() <= world.options_of("audit").keys()
    ]
    if not able:
        path, world = next(((path, world) for path, world in worlds.items() if world is not None), (None, None))
        if world is None:
            raise RecipeError("nothing is published of grounded expressions; leave --published out")
        options_for(world, "audit", options, where=path or "")
    return able[0].part("audit").published()


def _world_of(path: Path) -> World | None:
    from deixis.audits.grounded import is_grounded
    from deixis.worlds.registry import world_of

    return None if is_grounded(path) else world_of(path)


def _losses(found: Mapping[str, DatasetAudit], *, allowed: bool) -> dict[str, dict[str, object]]:
    """The examples that could not be understood, as plain values; why others are not judged is a finding."""
    from deixis.audits.audit import LOST

    lost: dict[str, dict[str, object]] = {}
    for name, one in found.items():
        losses = Losses("examples", one.audit.examples)
        for reason in LOST:
            losses.leave_out(reason, one.audit.unjudged.get((reason,), 0))
        losses.demand_few(where=name, allowed=allowed)
        lost |= {name: losses.to_dict()} if losses else {}
    return lost


def _notes(found: Mapping[str, DatasetAudit]) -> Iterator[str]:
    """What was left out and why, and what else there is to say of each dataset."""
    for name, one in found.items():
        for (reason,), count in sorted(one.audit.unjudged.items()):
            yield f"{name}: {count:,} left out: {reason}"
        yield from (f"{name}: {note}" for note in one.notes)


def _head(name: str) -> str:
    """A name short enough for the head of a column."""
    return name if len(name) <= WIDEST else f"{name[: WIDEST // 2 - 1]}…{name[-WIDEST // 2 :]}"


def _writer(out: Path, datasets: int, *, published: Any) -> Callable[..., None]:
    """What writes the files; whatever stands in its way shows now, not when everything is counted."""
    from deixis.report._audit_page import MOST_DATASETS, write_audit_page

    if find_spec("jinja2") is None:
        raise ModuleNotFoundError("the page is made of templates", name="jinja2")
    if datasets > MOST_DATASETS:
        raise RecipeError(f"an audit page shows up to {MOST_DATASETS} datasets side by side, got {datasets}")
    folder = out.parent if out.suffix == PAGE else out
    folder.mkdir(parents=True, exist_ok=True)

    def write(
        found: Mapping[str, DatasetAudit],
        values: dict[str, Any],
        rows: Sequence[Sequence[str]],
        told: Sequence[str],
        shared: Sequence[str],
    ) -> None:
        if out.suffix != PAGE:
            text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
            (out / "audit.json").write_text(text, encoding="utf-8")
            (out / "audit.md").write_text("\n".join(_markdown(found, rows, told)) + "\n", encoding="utf-8")
        write_audit_page(
            {name: one.audit for name, one in found.items()},
            out if out.suffix == PAGE else out / "audit.html",
            published=published,
            shared=shared,
            further={name: one.tables for name, one in found.items()},
            notes={name: one.notes for name, one in found.items()},
            figures={name: one.figures for name, one in found.items() if one.figures},
        )

    return write


def _markdown(found: Mapping[str, DatasetAudit], rows: Sequence[Sequence[str]], told: Sequence[str]) -> Iterator[str]:
    """The audits as Markdown."""
    plain = [(f"**{name}**" if not any(cells) else name.strip(), *cells) for name, *cells in rows]
    yield from ("# Audit", "", *_table(("", *found), plain))
    for name, one in found.items():
        for table in one.tables:
            yield from ("", f"## {name}: {table.title}", "", *_table(table.heads, table.rows))
            if any("±" in cell for row in table.rows for cell in row):
                yield from ("", "± is half of a 95 % interval.")
    for line in told:
        yield from ("", line)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return (f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))
