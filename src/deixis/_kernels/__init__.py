"""Compiled loops over arrays, each with a plain twin that defines it.

They import nothing else of Deixis.

Machine code is kept beside the sources. numba notices that the file of a kernel has changed, but not that one it calls
into has, so kept code is thrown away here whenever any kernel file is another than before.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path


def discard_stale_code(folder: Path) -> None:
    """Remove kept machine code that was compiled from sources other than those in the folder and in this one."""
    here = Path(__file__).parent
    digest = sha256()
    for source in (*sorted(here.glob("*.py")), *(sorted(folder.glob("*.py")) if folder != here else ())):
        digest.update(source.read_bytes())
    now = digest.hexdigest()
    kept = folder / "__pycache__"
    stamp = kept / "kernels.sha256"
    with suppress(OSError):  # a folder that cannot be written keeps no machine code either
        if stamp.is_file() and stamp.read_text(encoding="ascii") == now:
            return
        kept.mkdir(exist_ok=True)
        for index in kept.glob("*.nbi"):
            index.unlink(missing_ok=True)
        stamp.write_text(now, encoding="ascii")


discard_stale_code(Path(__file__).parent)
