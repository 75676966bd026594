"""Trying what other people write, a world or a reader: every fault is collected, and one error says all of them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Iterator


class Problem(Exception):
    """Something that the object on trial does not do."""


class Trial:
    """One run over all that an object promises.

    Attributes:
        problems: what is wrong so far, a line each.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []

    def demand(self, holds: bool, problem: str) -> None:
        """Raise a problem, unless something holds."""
        if not holds:
            raise Problem(problem)

    @contextmanager
    def trying(self, what: str) -> Iterator[None]:
        """Record whatever goes wrong inside as a problem of a part, and go on behind it."""
        try:
            yield
        except Problem as problem:
            self.problems.append(f"{what}: {problem}")
        except Exception as error:  # noqa: BLE001 (whatever a stranger's code does is said in one line)
            reason = (str(error).splitlines() or [""])[0]
            self.problems.append(f"{what}: {type(error).__name__}: {reason}")

    def refuse_problems(self, name: str) -> None:
        """Raise one `SchemaError` with a line for every problem, if there are any.

        Args:
            name: what was tried: "the world beads".
        """
        if self.problems:
            lines = "\n".join(f"  {problem}" for problem in self.problems)
            count = f"{len(self.problems)} problem" + "s" * (len(self.problems) > 1)
            raise SchemaError(f"{name} has {count}:\n{lines}")
