"""Whether Inspect is there."""

from __future__ import annotations

from importlib.util import find_spec

from deixis.errors import DeixisError


__all__ = ["demand_inspect"]


def demand_inspect() -> None:
    """Raise an error that says how to get Inspect where it is not installed."""
    if find_spec("inspect_ai") is None:
        raise DeixisError('these tasks need Inspect; run: pip install "deixis[llm]"')
