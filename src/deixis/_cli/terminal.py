r"""Terminal output that never passes text of others on as commands to the terminal.

Names of folders, words of datasets and messages about them may hold escape sequences that rename the window, hide lines
or worse. While a verb runs, `guarded_output` stands before both streams and shows every control character as what it
is, `\x1b`. What we draw ourselves, with colours and bars, goes to the stream behind it.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast


if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console


# Control characters of both ranges but line feed and tab, and marks that change the direction in which text is read.
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
STAND_INS = str.maketrans("○▱□▣·←↑→↓↺↻", "o/s[.<^>vLR")  # of marks in drawings, as in `worlds.grid.drawn`


def visible(text: str) -> str:
    """The text with every command to a terminal written out."""
    return COMMANDS.sub(lambda found: _written_out(found[0]), text)


def visible_in_json(text: str) -> str:
    """The same inside a JSON document, whose strings have a way of their own to write them."""
    return COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _written_out(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


class GuardedStream:
    """A stream that passes text on with `visible`, and is otherwise the stream behind it."""

    def __init__(self, behind: TextIO) -> None:
        self.behind = behind

    def write(self, text: str) -> int:
        """Write text without commands."""
        self.behind.write(visible(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several pieces of text without commands."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


@contextmanager
def guarded_output() -> Iterator[None]:
    """Guard standard output and standard error for a while."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", GuardedStream(_behind(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def print_drawing(text: str) -> None:
    """Print a drawing with its colours.

    Words of others in it must have gone through `visible`.

    Where the terminal has no marks for shapes and ways, their stand-ins in plain letters are printed, which a picture
    in text may have as well.
    """
    stream = _behind(sys.stdout)
    print(text if _has_marks(stream) else text.translate(STAND_INS), file=stream)


def _has_marks(stream: TextIO) -> bool:
    try:
        "".join(map(chr, STAND_INS)).encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a rich console that writes past the guard.

    Text given to it must have gone through `visible`.

    A reader who leaves is told as by every other stream, and not by leaving the program.
    """
    from rich.console import Console

    class OurConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return OurConsole(file=_behind(sys.stderr if stderr else sys.stdout), highlight=False, markup=False, width=width)


def terminal_width() -> int | None:
    """Return the columns of the terminal on standard output, or COLUMNS, or None if lines may have any length."""
    is_bounded = _behind(sys.stdout).isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return console().width if is_bounded else None


def _behind(stream: TextIO) -> TextIO:
    return stream.behind if isinstance(stream, GuardedStream) else stream
