"""What the check for held-out material asks of a rule; `splits.rules.Rule` answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.scene.grid import GridScene


__all__ = ["HoldOut"]


class HoldOut(Protocol):
    """What must stay out of training."""

    @property
    def id(self) -> str:
        """Its name."""

    def says(self, expression: Expression) -> bool:
        """Whether the command is held out, whatever its world."""

    def thing_codes(self) -> Mapping[str, str]:
        """The values, by attribute, that no mentioned object may have together; empty where worlds do not matter."""

    def holds(self, expression: Expression, scene: GridScene) -> bool:
        """Whether an example is held out, by its command or by one of the objects mentioned, which come first."""
