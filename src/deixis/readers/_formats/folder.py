"""Read examples as a dataset folder: Parquet, a manifest, a card."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from deixis.data._seal import write_manifest
from deixis.data._split_names import splits_of
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest
from deixis.data.store import file_digest
from deixis.errors import DeixisError, RecipeError
from deixis.readers._rows import RowWriter


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from deixis._losses import Losses
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample


REPORT = "conversion.json"


def write_folder(  # noqa: PLR0913 (what is counted is told apart from what is written)
    world: ReaderWorld,
    examples: Iterable[ReadExample],
    out: Path,
    *,
    source: str,
    reading: dict[str, Any],
    losses: Losses,
    kept: set[int],
    report: Callable[[Path], dict[str, Any]],
) -> dict[str, Any]:
    """Write examples as a dataset folder, which takes its name only when it is whole and compared.

    Args:
        world: of the examples.
        examples: what to write.
        out: the folder; it must not exist, or be empty.
        source: where they are from.
        reading: the source in numbers.
        losses: told of examples that cannot be kept.
        kept: told the places of those that are.
        report: reads the folder and compares it; what it returns goes to `conversion.json`.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RecipeError(f"{out} already exists; choose another folder or delete it")
    draft = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        draft.mkdir(parents=True)
        counts = _write_rows(examples, draft, losses, kept)
        if not counts:
            raise RecipeError(f"{source} holds no example that can be kept")
        manifest = _manifest(world, draft, counts, source, reading)
        write_card(draft, manifest)
        write_manifest(draft, manifest)
        found = report(draft)
        (draft / REPORT).write_text(_json(found), encoding="utf-8", newline="\n")
        write_manifest(draft, manifest)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    finally:
        rmtree(draft, ignore_errors=True)
    return found


def _write_rows(
    examples: Iterable[ReadExample], folder: Path, losses: Losses, kept: set[int]
) -> dict[str, tuple[str, int]]:
    """Write the rows, and return the file and the number of rows of every split."""
    writer = RowWriter(folder)
    try:
        for number, example in enumerate(examples):
            try:
                writer.add(example, len(kept))
            except RecipeError:
                raise
            except (DeixisError, ValueError, TypeError, OverflowError) as error:
                losses.leave_out(f"it cannot be kept as a row: {(str(error).splitlines() or [''])[0][:120]}")
            else:
                kept.add(number)
    finally:
        writer.close()
    return {split: (writer.files[split], count) for split, count in writer.counts.items() if count}


def _manifest(
    world: ReaderWorld, folder: Path, counts: dict[str, tuple[str, int]], source: str, reading: dict[str, Any]
) -> dict[str, Any]:
    entries = [_entry(folder, split, *kept) for split, kept in counts.items()]
    sizes: dict[str, int] = {}
    for split, (_, count) in counts.items():
        for name in splits_of(split):
            sizes[name] = sizes.get(name, 0) + count
    return {
        **begin_manifest(world, source),
        "license": world.reader.license,
        "citation": world.reader.citation,
        "task": world.reader.task,
        "reading": reading,
        "examples": sum(count for _, count in counts.values()),
        "splits": sizes,
        "content": sha256("\n".join(entry["sha256"] for entry in entries).encode()).hexdigest(),
        "files": entries,
    }


def _entry(folder: Path, split: str, name: str, rows: int) -> dict[str, Any]:
    path = folder / name
    return {"path": name, "split": split, "rows": rows, "bytes": path.stat().st_size, "sha256": file_digest(path)}


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, indent=1, ensure_ascii=False, default=str) + "\n"
