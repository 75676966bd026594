"""The codes of the checks of grid worlds; `deixis.data.checks` has those that all worlds share."""

from __future__ import annotations

from deixis.data.checks import Registry


__all__ = ["CHECKS", "check"]

CHECKS = Registry()
check = CHECKS.check
