"""The folder of this user for what may be deleted at any time: copies of datasets, and work that was interrupted."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return `~/.cache/deixis`, or what DEIXIS_CACHE says."""
    if given := os.environ.get("DEIXIS_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deixis"
