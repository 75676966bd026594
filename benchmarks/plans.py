"""Plans of benchmarks that train models: TOML files with what is made and trained, at several scales."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Self


@dataclass(frozen=True)
class PlanAtScale:
    """A plan at one of its scales.

    Attributes:
        path: of the file.
        facts: all that it says.
        scale: what it says of the scale.
    """

    path: ClassVar[Path]
    facts: Mapping[str, Any]
    scale: Mapping[str, Any]

    @classmethod
    def read(cls, scale: str) -> Self:
        """Read the plan at a scale."""
        facts = tomllib.loads(cls.path.read_text(encoding="utf-8"))
        return cls(facts, facts["scales"][scale])
