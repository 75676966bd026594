"""Compiled ray casting for pictures of solids on a table."""

from __future__ import annotations

from pathlib import Path

from deixis._kernels import discard_stale_code


discard_stale_code(Path(__file__).parent)
