"""The codes of the checks of grid worlds, beside those of `deixis.data.checks` that all worlds share."""

from __future__ import annotations

from deixis.data.checks import Registry


CHECKS = Registry()
check = CHECKS.check
