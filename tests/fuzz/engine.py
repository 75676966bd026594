"""The run itself: inputs by number, bounded in time and memory, and failures made as small as they can be."""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import FrameType

    from numpy.random import Generator


__all__ = ["Failure", "Outcome", "Target", "run_targets"]

INPUT_SECONDS = 20.0  # of the processor, after which an input is called a hang
WAITING = 10  # times as long by the clock, for inputs that wait on something; other programs slow things down, too
SPARE_BYTES = 3 << 30  # that one may take beyond what the program has
MOST_MUTATIONS = 4


class Hang(BaseException):
    """An input took too long; not an `Exception`, so that no reader takes it for one of its own."""


@dataclass(frozen=True)
class Target:
    """One reader, with what it is fed.

    Attributes:
        name: what it is called.
        seeds: the values that are mutated.
        change: applies one mutation.
        read: reads a mutated value; it may raise a `DeixisError`, or an `OSError`, and nothing else.
        share: how many inputs it gets, in proportion to others.
    """

    name: str
    seeds: Sequence[Any]
    change: Callable[[Any, Generator], tuple[Any, str]]
    read: Callable[[Any, Generator], object]
    share: float = 1.0


@dataclass(frozen=True)
class Failure:
    """What went wrong, and with what."""

    target: str
    seed: int
    number: int
    edits: tuple[str, ...]
    error: str
    where: str

    @property
    def key(self) -> str:
        """Failures of the same kind at the same place."""
        return f"{self.target}: {self.error.partition(':')[0]} at {self.where}"

    def __str__(self) -> str:
        again = f"python -m tests.fuzz --target {self.target} --seed {self.seed} --only {self.number}"
        edits = "; ".join(self.edits)
        return f"{self.target} {self.number}: {self.error}\n  at {self.where}\n  after: {edits}\n  again: {again}"


@dataclass
class Outcome:
    """How many inputs each target read, and what went wrong: the first of every kind."""

    inputs: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many inputs there were."""
        return sum(self.inputs.values())


def run_targets(
    targets: Iterable[Target],
    *,
    seed: int,
    inputs: int,
    seconds: float,
    first: int = 0,
    note: Path | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> Outcome:
    """Feed every target its share of the inputs, as long as there is time.

    Args:
        targets: the readers.
        seed: of all chance; an input follows from it, the name of its target and its number.
        inputs: how many in all.
        seconds: how long in all; what is left of it is divided among the targets that are left.
        first: the number of the first input of each target.
        note: a file that always names the input in hand, for whoever finds the process dead.
        tell: told of every new kind of failure.
    """
    outcome, waiting = Outcome(), list(targets)
    whole = sum(target.share for target in waiting)
    end = time.monotonic() + seconds
    with _bounded_memory():
        while waiting:
            target = waiting.pop(0)
            count = max(1, round(inputs * target.share / whole))
            allowed = (end - time.monotonic()) * target.share / (target.share + sum(one.share for one in waiting))
            stop = time.monotonic() + allowed * (2 if waiting else 1)
            begun = time.monotonic()
            for number in range(first, first + count):
                if note is not None:
                    note.write_text(f"{target.name} {number}", encoding="utf-8")
                _run_one(target, seed, number, outcome, tell)
                if time.monotonic() > min(stop, end):
                    break
            outcome.seconds[target.name] = time.monotonic() - begun
    return outcome


def _run_one(
    target: Target, seed: int, number: int, outcome: Outcome, tell: Callable[[str], None], *, shrinks: bool = True
) -> None:
    made, edits = make_input(target, seed, number)
    outcome.inputs[target.name] = outcome.inputs.get(target.name, 0) + 1
    found = _attempt(target, made, seed, number)
    if found == "refused":
        outcome.refused[target.name] = outcome.refused.get(target.name, 0) + 1
    if not isinstance(found, tuple):
        return
    error, where = found
    failure = Failure(target.name, seed, number, tuple(edits), error, where)
    if failure.key in outcome.failures:
        outcome.repeated[failure.key] = outcome.repeated.get(failure.key, 1) + 1
        return
    if shrinks:
        failure = _shrunk(target, failure)
    outcome.failures[failure.key] = failure
    tell(str(failure))


def make_input(target: Target, seed: int, number: int, *, only: int | None = None) -> tuple[Any, list[str]]:
    """The input of a number: a seed value with some mutations, or with one of them alone."""
    rng = _generator(target, seed, number)
    value = target.seeds[rng.integers(len(target.seeds))]
    edits = []
    for place in range(int(rng.integers(1, MOST_MUTATIONS + 1))):
        own = np.random.default_rng(rng.integers(1 << 62))
        if only is None or only == place:
            value, what = target.change(value, own)
            edits.append(what)
    return value, edits


def _generator(target: Target, seed: int, number: int) -> Generator:
    digest = sha256(f"{seed}/{target.name}/{number}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def _shrunk(target: Target, failure: Failure) -> Failure:
    """The same failure with a single mutation, where one alone is enough."""
    for place in range(len(failure.edits)):
        made, edits = make_input(target, failure.seed, failure.number, only=place)
        found = _attempt(target, made, failure.seed, failure.number)
        if isinstance(found, tuple) and found[1] == failure.where:
            return Failure(failure.target, failure.seed, failure.number, tuple(edits), *found)
    return failure


def _attempt(target: Target, value: Any, seed: int, number: int) -> str | tuple[str, str]:
    """`read`, `refused`, or what went wrong and where."""
    rng = _generator(target, seed, number)
    rng.integers(1 << 62, size=8)
    try:
        with _bounded_time(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            target.read(value, rng)
    except (DeixisError, OSError):
        return "refused"
    except Hang:
        return f"Hang: more than {INPUT_SECONDS:g} seconds", _place(sys.exc_info()[2])
    except MemoryError:
        return "MemoryError: more than it may take", _place(sys.exc_info()[2])
    except Exception as error:  # noqa: BLE001 (that is what is looked for)
        said = f"{type(error).__name__}: {error}"
        return said.encode("ascii", "backslashreplace").decode()[:300], _place(error.__traceback__)
    return "read"


def _place(found: Any) -> str:
    """The innermost line of ours."""
    ours = [one for one in traceback.extract_tb(found) if "/deixis/" in one.filename]
    if not ours:
        return "the fuzzer itself"
    return f"{ours[-1].filename.rpartition('/deixis/')[2]}:{ours[-1].lineno} in {ours[-1].name}"


@contextmanager
def _bounded_time() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, INPUT_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAITING * INPUT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _bounded_memory() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123 (no file of ours)
        now = int(stream.read().split()[0]) * resource.getpagesize()
    bound = now + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (bound if hard < 0 else min(bound, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
