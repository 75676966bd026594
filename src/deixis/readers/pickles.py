"""Records of pickled files, without unpickling: plain values alone, entry by entry.

A pickle is a program, and whoever unpickles a file runs what its author wrote. Some datasets come as pickles all the
same. This is an interpreter of the operations that make plain values (texts, numbers, true, false, None, lists, tuples
and mappings with texts as keys); it knows no others, so that nothing can be imported, called or built. Whatever is
wrong with a file is a `BrokenDataset` that names the byte.

| bound | |
|---|---|
| `LONGEST` | bytes of one text |
| `MOST_STEPS` | operations from one entry, or batch of entries, to the next |
| `LARGEST` | values in one entry, those counted again that are there twice |
| `DEEPEST` | values inside of each other in one entry |
| `MOST_KEPT` | bytes of values that the file says it will repeat; only these are remembered |

Texts of Python 2 are read as UTF-8, or as Latin-1 where they are not.
"""

from __future__ import annotations

import re
from struct import unpack
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


__all__ = ["pickle_items"]

CHUNK = 1 << 20  # bytes read at a time
LONGEST = 1 << 20
MOST_STEPS = 1_000_000
LARGEST = 100_000
DEEPEST = 32
MOST_KEPT = 1 << 28
MOST_REPEATED = 1 << 20  # values that are remembered
LONGEST_NUMBER = 40  # characters
REFUSED = {
    "c": "GLOBAL",
    "\x93": "STACK_GLOBAL",
    "R": "REDUCE",
    "b": "BUILD",
    "i": "INST",
    "o": "OBJ",
    "\x81": "NEWOBJ",
    "\x92": "NEWOBJ_EX",
    "\x82": "EXT1",
    "\x83": "EXT2",
    "\x84": "EXT4",
    "P": "PERSID",
    "Q": "BINPERSID",
    "\x8f": "EMPTY_SET",
    "\x90": "ADDITEMS",
    "\x91": "FROZENSET",
    "\x96": "BYTEARRAY8",
    "\x97": "NEXT_BUFFER",
    "\x98": "READONLY_BUFFER",
    "0": "POP",
    "1": "POP_MARK",
    "2": "DUP",
}
GETS = re.compile(rb"g(?=(\d{1,9})\r?\n)|h(?=(.))|j(?=(.{4}))", re.DOTALL)
ESCAPED = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
GROUPS = (list, dict, tuple)


def pickle_items(path: Path) -> Iterator[Any]:
    """Yield the entries of a pickled list one by one, as plain values.

    Raises:
        BrokenDataset: when the file holds no such list, or an operation that is not for plain values.
    """
    try:
        with path.open("rb") as stream:
            repeated = _find_repeated(stream)
            stream.seek(0)
            yield from _Interpreter(stream, str(path), repeated).items()
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def _find_repeated(stream: BinaryIO) -> set[int]:
    """Return the numbers of the remembered values that a file may ask for again, and perhaps a few that it does not."""
    found: set[int] = set()
    rest = b""
    while chunk := stream.read(CHUNK):
        text = rest + chunk
        for line, byte, four in GETS.findall(text):
            found.add(int(line) if line else byte[0] if byte else int.from_bytes(four, "little"))
        rest = text[-12:]
        if len(found) > 4 * MOST_REPEATED:
            break
    size = stream.tell()
    return {number for number in found if number < size}


class _Interpreter:
    """A list of values in the making."""

    def __init__(self, stream: BinaryIO, name: str, repeated: set[int]) -> None:
        self.stream = stream
        self.name = name
        self.repeated = repeated
        self.data = b""
        self.at = 0
        self.limit = 0  # from here on more has to be read
        self.dropped = 0  # bytes before the data at hand
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.memorised = 0  # values that the file had remembered
        self.kept = 0  # bytes of them, about
        self.open: dict[int, list[int]] = {}  # of each group that is in no other yet: how many values it has, how deep
        self.shared: dict[int, list[int]] = {}  # the same of remembered groups that are in another one already
        self.ends = False
        operations: dict[str, Callable[[], Any]] = _operations(self)
        self.steps = [operations.get(chr(code), self.refuse) for code in range(256)]

    def items(self) -> Iterator[Any]:
        """Yield the entries of the list at the bottom, and take them out of it."""
        steps = self.steps
        while not self.ends:
            for _ in range(MOST_STEPS):
                if self.at >= self.limit:
                    self.fetch()
                try:
                    code = self.data[self.at]
                    self.at += 1
                    if steps[code]():
                        break
                except BrokenDataset:
                    raise
                except (IndexError, ValueError, KeyError, OverflowError, EOFError) as error:
                    self.fail_here(error)
            else:
                self.fail(f"an entry takes more than {MOST_STEPS:,} operations")
            yield from self.entries()

    def entries(self) -> list[Any]:
        """Take out the entries that are complete."""
        if not self.stack or self.stack[0].__class__ is not list:
            self.fail("it holds no list")
        found = self.stack[0][:]
        self.stack[0].clear()
        if (state := self.open.get(id(self.stack[0]))) is not None:
            state[:] = [1, 1]
        return found

    # ------------------------------------------------------------------------------------------------ bytes

    def fetch(self) -> None:
        """Read on, and forget what lies behind."""
        self.dropped += self.at
        chunk = self.stream.read(CHUNK + LONGEST)
        self.data, self.at = self.data[self.at :] + chunk, 0
        self.limit = len(self.data) - LONGEST if chunk else len(self.data) + 1

    def take(self, size: int) -> bytes:
        """The next bytes."""
        if size > LONGEST:
            self.fail(f"a text of {size:,} bytes")
        start = self.at
        self.at += size
        if self.at > len(self.data):
            raise EOFError
        return self.data[start : self.at]

    def line(self, longest: int = LONGEST) -> bytes:
        """The rest of a line, without its end."""
        end = self.data.find(b"\n", self.at, self.at + longest + 2)
        if end < 0:
            if len(self.data) - self.at <= longest:
                raise EOFError
            self.fail(f"a line of more than {longest:,} bytes")
        start, self.at = self.at, end + 1
        return self.data[start:end].removesuffix(b"\r")

    def number(self, size: int) -> int:
        """The next bytes as a number, the lowest first."""
        return int.from_bytes(self.take(size), "little")

    def fail(self, problem: str) -> NoReturn:
        """An error that names this place."""
        raise BrokenDataset(f"{self.name}, byte {self.dropped + self.at}: {problem}") from None

    def fail_here(self, error: Exception) -> NoReturn:
        """An error for a file that is cut short, or is no pickle."""
        if isinstance(error, EOFError) or self.at >= len(self.data):
            self.fail("the file ends in the middle; it is cut short, fetch it again")
        self.fail(f"it is no pickle of plain values ({type(error).__name__})")

    def refuse(self) -> NoReturn:
        """An error for an operation that plain values do not need."""
        sign = chr(self.data[self.at - 1])
        name = REFUSED.get(sign)
        told = f"the operation {name} is refused" if name else f"{sign!r} is no operation of a pickle"
        self.fail(f"{told}; only plain values are read, and nothing is run: write what you trust as JSON")

    # ------------------------------------------------------------------------------------------------ groups

    def start(self, group: Any) -> None:
        """A list or mapping without entries."""
        self.open[id(group)] = [1, 1]
        self.stack.append(group)

    def close(self, value: Any, state: list[int]) -> None:
        """Count a group that becomes a part of another one, which cannot change afterwards."""
        key = id(value)
        own = self.open.pop(key, None)
        if own is None:
            own = self.shared.get(key, [1, 1])
        elif key in self.shared:
            self.shared[key] = own
        state[0] += own[0]
        state[1] = max(state[1], own[1] + 1)
        if state[0] > LARGEST or state[1] > DEEPEST:
            self.fail(f"an entry holds more than {LARGEST:,} values, or {DEEPEST} inside of each other")

    def since_mark(self) -> list[Any]:
        """The values behind the latest mark."""
        place = self.marks.pop()
        values = self.stack[place:]
        del self.stack[place:]
        return values

    def append(self, values: list[Any]) -> bool:
        """Add values to the list on top of the stack, and tell whether it is the one at the bottom."""
        target = self.stack[-1]
        is_bottom = len(self.stack) == 1
        state = [0, 0] if is_bottom else [len(values), 0]
        for value in values:
            if value.__class__ in GROUPS:
                self.close(value, state)
                if is_bottom:
                    state = [0, 0]
        self.grow(target, list, state)
        target.extend(values)
        return is_bottom

    def fill(self, values: list[Any]) -> None:
        """Add keys and values, in turn, to the mapping on top of the stack."""
        target = self.stack[-1]
        state = [len(values), 0]
        keys, entries = values[::2], values[1::2]
        for key in keys:
            if key.__class__ is not str:
                self.fail(f"a key is {type(key).__name__}, not a text")
        for value in entries:
            if value.__class__ in GROUPS:
                self.close(value, state)
        self.grow(target, dict, state)
        target.update(zip(keys, entries, strict=True))

    def grow(self, target: Any, kind: type, state: list[int]) -> None:
        """Count what is added to a group, or refuse it."""
        own = self.open.get(id(target))
        if target.__class__ is not kind or own is None:
            self.fail("a list or mapping holds itself, or changes after it was complete")
        own[0] += state[0]
        own[1] = max(own[1], state[1])
        if own[0] > LARGEST:
            self.fail(f"an entry holds more than {LARGEST:,} values")

    def group(self, values: list[Any]) -> None:
        """A tuple."""
        state = [1 + len(values), 1]
        for value in values:
            if value.__class__ in GROUPS:
                self.close(value, state)
        made = tuple(values)
        if made:
            self.open[id(made)] = state
        self.stack.append(made)

    def remember(self, number: int) -> None:
        """Keep the value on top of the stack, if the file asks for it again."""
        value = self.stack[-1]
        is_group = value.__class__ in GROUPS
        self.kept += 128 + (len(value) if value.__class__ is str else 0)
        if number in self.memo or self.kept > MOST_KEPT or len(self.memo) > MOST_REPEATED:
            self.fail("a value is remembered twice, or too many are")
        self.memo[number] = value
        if is_group and value != ():
            self.shared[id(value)] = self.open.get(id(value), [1, 1])


def _text(data: bytes) -> str:
    """A text of Python 2, which has no encoding of its own."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _quoted_text(line: bytes) -> str:
    """A text of Python 2 as it is written in a program."""
    if len(line) < 2 or line[:1] not in (b"'", b'"') or line[-1:] != line[:1]:
        raise ValueError(line[:20])
    inner = line[1:-1]
    if b"\\" in inner:
        inner = ESCAPED.sub(_unescape, inner)
    return _text(inner)


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code[1:], 16)]) if len(code) == 3 else ESCAPES.get(code, code)


def _whole_number(line: bytes) -> int | bool:
    if line in (b"00", b"01"):
        return line == b"01"
    return int(line.removesuffix(b"L"))


def _operations(own: _Interpreter) -> dict[str, Callable[[], Any]]:
    """Return what is done for each operation; that which returns true completes entries of the list at the bottom."""
    stack, push, memo = own.stack, own.stack.append, own.memo
    take, line, number = own.take, own.line, own.number

    def remember(place: int) -> None:
        own.memorised += 1
        if place in own.repeated:
            own.remember(place)

    def stop() -> bool:
        if own.marks or len(stack) != 1:
            own.fail("it ends with more than one value")
        own.ends = True
        return True

    def long(size: int) -> None:
        if size > LONGEST_NUMBER:
            own.fail(f"a number of {size:,} bytes")
        push(int.from_bytes(take(size), "little", signed=True))

    def finish_list() -> bool:
        values = own.since_mark()
        own.start([])
        return own.append(values)

    def finish_mapping() -> None:
        values = own.since_mark()
        own.start({})
        own.fill(values)

    def set_one() -> None:
        value, key = stack.pop(), stack.pop()
        own.fill([key, value])

    def take_last(count: int) -> list[Any]:
        if len(stack) < count:
            raise IndexError
        values = stack[-count:]
        del stack[-count:]
        return values

    return {
        "\x80": lambda: take(1) and None,
        "\x95": lambda: take(8) and None,
        ".": stop,
        "(": lambda: own.marks.append(len(stack)) if len(own.marks) < DEEPEST else own.fail("too many marks"),
        "N": lambda: push(None),
        "\x88": lambda: push(True),
        "\x89": lambda: push(False),
        "I": lambda: push(_whole_number(line(LONGEST_NUMBER))),
        "L": lambda: push(_whole_number(line(LONGEST_NUMBER))),
        "J": lambda: push(unpack("<i", take(4))[0]),
        "K": lambda: push(take(1)[0]),
        "M": lambda: push(number(2)),
        "\x8a": lambda: long(number(1)),
        "\x8b": lambda: long(number(4)),
        "F": lambda: push(float(line(LONGEST_NUMBER))),
        "G": lambda: push(unpack(">d", take(8))[0]),
        "S": lambda: push(_quoted_text(line())),
        "T": lambda: push(_text(take(number(4)))),
        "U": lambda: push(_text(take(number(1)))),
        "B": lambda: push(_text(take(number(4)))),
        "C": lambda: push(_text(take(number(1)))),
        "V": lambda: push(line().decode("raw-unicode-escape")),
        "X": lambda: push(take(number(4)).decode("utf-8", "surrogatepass")),
        "\x8c": lambda: push(take(number(1)).decode("utf-8", "surrogatepass")),
        "\x8d": lambda: push(take(number(8)).decode("utf-8", "surrogatepass")),
        "]": lambda: own.start([]),
        "}": lambda: own.start({}),
        "l": finish_list,
        "d": finish_mapping,
        "a": lambda: own.append([stack.pop()]),
        "e": lambda: own.append(own.since_mark()),
        "s": set_one,
        "u": lambda: own.fill(own.since_mark()),
        ")": lambda: own.group([]),
        "t": lambda: own.group(own.since_mark()),
        "\x85": lambda: own.group(take_last(1)),
        "\x86": lambda: own.group(take_last(2)),
        "\x87": lambda: own.group(take_last(3)),
        "p": lambda: remember(int(line(LONGEST_NUMBER))),
        "q": lambda: remember(take(1)[0]),
        "r": lambda: remember(number(4)),
        "\x94": lambda: remember(own.memorised),
        "g": lambda: push(memo[int(line(LONGEST_NUMBER))]),
        "h": lambda: push(memo[take(1)[0]]),
        "j": lambda: push(memo[number(4)]),
    }
