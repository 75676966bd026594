"""Where checkpoints lie; nothing here needs torch."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from deixis.errors import BrokenCheckpoint


__all__ = ["BEST", "LAST", "find_checkpoint", "shipped_checkpoints"]

BEST, LAST, SUFFIX = "best.safetensors", "last.safetensors", ".safetensors"


def find_checkpoint(name: Path) -> Path | None:
    """The file behind a name: a safetensors file, the best of a run folder, or a checkpoint that comes with deixis.

    None where it is something else.

    Raises:
        BrokenCheckpoint: when it is a run folder that has no checkpoint to judge yet.
    """
    if name.is_dir():
        if (name / BEST).is_file():
            return name / BEST
        if (name / LAST).is_file():
            raise BrokenCheckpoint(f"{name} has no {BEST} yet; go on training, or name {name / LAST} itself")
        return None
    if name.suffix == SUFFIX:
        return name
    return None if name.exists() else shipped_checkpoints().get(str(name))


def shipped_checkpoints() -> dict[str, Path]:
    """The checkpoints that come with deixis, by name."""
    folder = Path(str(files("deixis"))) / "checkpoints"
    return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}
