"""`deixis new`: something of one's own to start from."""

from __future__ import annotations

from pathlib import Path

from deixis._cli.options import Json
from deixis._cli.printing import print_json


def world(name: str, /, *, out: Path | None = None, as_json: Json = False) -> int:
    """Write a package with a world of your own: beads on a string, ready to be installed, tried and changed.

    Args:
        name: What the world is called: one word in small letters.
        out: The folder for the package; deixis-NAME by default. It must be empty or not there yet.
        as_json: Print JSON instead of text.
    """
    from deixis.worlds.toolkit._scaffold import write_package

    folder = _folder(name, out)
    steps = (f"deixis make {name} --out data", "deixis studio data")
    return _tell("world", name, folder, write_package(name, folder), steps, as_json=as_json)


def reader(name: str, /, *, out: Path | None = None, as_json: Json = False) -> int:
    """Write a package with a reader of your own files: things on a shelf, ready to be installed, tried and changed.

    Args:
        name: What the reader is called: one word in small letters.
        out: The folder for the package; deixis-NAME by default. It must be empty or not there yet.
        as_json: Print JSON instead of text.
    """
    from deixis.readers._scaffold import write_package

    folder = _folder(name, out)
    sample = folder / "tests" / f"{name}.csv"
    steps = (f"deixis check {sample}", f"deixis audit {sample}")
    return _tell("reader", name, folder, write_package(name, folder), steps, as_json=as_json)


def _folder(name: str, out: Path | None) -> Path:
    return Path(f"deixis-{name.replace('_', '-')}") if out is None else out


def _tell(what: str, name: str, folder: Path, written: list[Path], steps: tuple[str, ...], *, as_json: bool) -> int:
    """Say what was written, and what to do next."""
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in written)
    if as_json:
        print_json({"path": str(folder), "files": [str(path) for path in written], "lines": lines})
    else:
        print(f"Wrote the {what} {name!r} to {folder}: {len(written)} files, {lines} lines.")
        print("\n".join(f"  {step}" for step in (f"pip install -e {folder}", *steps)))
    return 0
