"""The command `deixis`: its verbs, and what happens when one of them fails."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Parameter

from deixis._version import __version__
from deixis.cli.answers import answers
from deixis.cli.audit import audit
from deixis.cli.card import card
from deixis.cli.check import check
from deixis.cli.completion import completion
from deixis.cli.convert import convert
from deixis.cli.demo import demo
from deixis.cli.doctor import doctor
from deixis.cli.evaluate import evaluate
from deixis.cli.explain import explain
from deixis.cli.failures import in_one_line
from deixis.cli.induce import induce
from deixis.cli.make import gscan, reascan
from deixis.cli.make_a3ds import a3ds
from deixis.cli.make_copsref import copsref
from deixis.cli.play import play
from deixis.cli.pretrain import pretrain
from deixis.cli.prompts import prompts
from deixis.cli.report import report
from deixis.cli.say import say
from deixis.cli.score import score
from deixis.cli.see import see
from deixis.cli.show import show
from deixis.cli.stats import stats
from deixis.cli.studio import studio
from deixis.cli.train import train
from deixis.cli.warm import warm


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


__all__ = ["app", "main"]

STOPPED, FAILED = 130, 2

app = App(
    name="deixis",
    help="Make, check, convert and look at datasets of language that points at things.",
    help_format="plaintext",
    version=f"deixis {__version__}",
    version_format="plaintext",
    default_parameter=Parameter(negative=(), show_default=False),
    suppress_keyboard_interrupt=False,
)
make_app = App(name="make", help="Make a dataset.")
make_app.command(reascan)
make_app.command(gscan)
make_app.command(a3ds)
make_app.command(copsref)
app.command(make_app)
VERBS = (
    *(check, audit, stats, card, score, train, evaluate, report, prompts, answers),
    *(see, pretrain, play, say),
    *(convert, show, explain, induce, studio, demo, warm, doctor, completion),
)
for verb in VERBS:
    app.command(verb)


def main(tokens: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code.

    Args:
        tokens: the words after `deixis`, by default those that the program was called with.
    """
    words = list(sys.argv[1:] if tokens is None else tokens)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ○ shows a stand-in
    with _second_interrupt_leaves_at_once():
        try:
            code = _run(words)
            sys.stdout.flush()
        except KeyboardInterrupt as interrupt:
            _complain(str(interrupt) or "stopped")
            return STOPPED
        except Exception as error:  # noqa: BLE001 (whatever it is, the user gets one line)
            return _fail(error, words)
    return code


def _run(words: list[str]) -> int:
    result = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    return result if isinstance(result, int) else 0


def _fail(error: Exception, words: list[str]) -> int:
    if os.environ.get("DEIXIS_DEBUG"):
        raise error
    if isinstance(error, BrokenPipeError):
        _forget_output()
    verbs = " ".join(_verbs(words))
    hint = f"; see {verbs} --help" if isinstance(error, CycloptsError) else ""
    _complain(in_one_line(error, resumes=words[:1] in (["make"], ["demo"], ["train"], ["pretrain"], ["play"])) + hint)
    return FAILED


def _verbs(words: list[str]) -> Iterator[str]:
    """The command with the verbs that were understood: `deixis make reascan`."""
    yield "deixis"
    here: App = app
    for word in words:
        if word.startswith("-") or word not in here:
            return
        yield word
        here = here[word]


def _complain(message: str) -> None:
    with suppress(OSError):  # nobody may be listening any more
        print(f"deixis: {message}", file=sys.stderr, flush=True)


def _forget_output() -> None:
    """Let the interpreter leave without trying to write the rest to a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def _second_interrupt_leaves_at_once() -> Iterator[None]:
    """The first Ctrl-C lets work in hand be finished, which may take a moment; the second does not wait.

    Nothing is lost either way: files take their names only when they are whole.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = 0

    def stop(_signal: int, _frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            os._exit(STOPPED)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
