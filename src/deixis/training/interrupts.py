"""Ctrl-C while something must not be torn apart."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["quiet_interrupt"]


@contextmanager
def quiet_interrupt() -> Iterator[threading.Event]:
    """Ctrl-C as an event, so that no update is torn apart; pressed again, it does what it did before."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.getsignal(signal.SIGINT)

    def press(number: int, frame: Any) -> None:
        if pressed.is_set() and callable(before):
            before(number, frame)
        pressed.set()

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
