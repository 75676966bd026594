"""The earlier home of `deixis.distractors.planned_misreadings`, whose earlier names work and warn."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from deixis._deprecation import Replacement, lookup


_NEW_NAMES = {
    "KINDS": "KINDS",
    "Relaxation": "PlannedMisreading",
    "RelaxationKind": "MisreadingKind",
    "relaxations": "planned_misreadings",
}
_HOME = "deixis.distractors.planned_misreadings"

__getattr__ = lookup(
    __name__,
    {old: Replacement(by=f"{_HOME}:{new}", since="0.3.0", until="0.5.0") for old, new in _NEW_NAMES.items()},
)


class _CallableModule(ModuleType):
    """The module stands in for the function of its name, which its import hides in `deixis.distractors`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `planned_misreadings`."""
        return self.relaxations(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
