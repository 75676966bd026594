"""Evaluations that are stopped in this process at any moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from deixis.data._pieces import UNFINISHED, KeptPieces
from tests.datasets.tiny import folder_bytes


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis.report.output import Output


__all__ = ["Stopped", "demand_resumed", "stop_after"]

NEVER = 1 << 20


class Stopped(KeyboardInterrupt):
    """What Ctrl-C raises."""


def stop_after(pieces: int, patch: pytest.MonkeyPatch) -> list[str]:
    """Stop whatever keeps pieces once it has kept so many; what is kept is listed."""
    seen: list[str] = []
    keep = KeptPieces.keep

    def keep_some(self: KeptPieces, piece: str, result: Any) -> None:
        if len(seen) == pieces:
            raise Stopped
        keep(self, piece, result)
        seen.append(piece)

    patch.setattr(KeptPieces, "keep", keep_some)
    return seen


def demand_resumed(evaluate: Callable[[Path], Output], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At three moments: what was finished is not done again, the files are the same, and nothing else remains."""
    with monkeypatch.context() as patch:
        everything = stop_after(NEVER, patch)
        evaluate(place / "whole")
    expected = folder_bytes(place / "whole")
    assert len(everything) > 1
    assert not any(name.startswith(UNFINISHED) for name in expected)
    for pieces in sorted({1, len(everything) // 2, len(everything) - 1}):
        out = place / f"stopped-{pieces}"
        with monkeypatch.context() as patch:
            before = stop_after(pieces, patch)
            with pytest.raises(Stopped):
                evaluate(out)
        with monkeypatch.context() as patch:
            after = stop_after(NEVER, patch)
            found = evaluate(out)

        assert before + after == everything
        assert folder_bytes(out) == expected
        assert any(f"{pieces:,} pieces" in note for note in found.notes)
