"""Packages that only environments need, and what to do where one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from deixis.errors import DeixisError


__all__ = ["demand"]


def demand(package: str, what: str) -> None:
    """`DeixisError`, saying how to install it, where a package is missing."""
    if find_spec(package) is None:
        raise DeixisError(f"{what} need {package}; install it with: pip install 'deixis[environments]'")
