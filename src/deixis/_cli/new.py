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

    folder = Path(f"deixis-{name.replace('_', '-')}") if out is None else out
    written = write_package(name, folder)
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in written)
    if as_json:
        print_json({"path": str(folder), "files": [str(path) for path in written], "lines": lines})
    else:
        print(f"Wrote the world {name!r} to {folder}: {len(written)} files, {lines} lines.")
        print(f"  pip install -e {folder}\n  deixis make {name} --out data\n  deixis studio data")
    return 0
