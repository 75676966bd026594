"""The command `deixis`: its verbs, and what happens when one of them fails."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError

from deixis._cli.answers import answers
from deixis._cli.audit import audit
from deixis._cli.card import card
from deixis._cli.check import check
from deixis._cli.commands import add_commands
from deixis._cli.completion import completion
from deixis._cli.compose import command_of
from deixis._cli.convert import convert
from deixis._cli.demo import demo
from deixis._cli.doctor import doctor
from deixis._cli.evaluate import evaluate
from deixis._cli.explain import explain
from deixis._cli.failures import in_one_line
from deixis._cli.make import make_app
from deixis._cli.new import reader as new_reader
from deixis._cli.new import world as new_world
from deixis._cli.options import refuse_addresses
from deixis._cli.prompts import prompts
from deixis._cli.report import report
from deixis._cli.show import show
from deixis._cli.stats import stats
from deixis._cli.studio import studio
from deixis._cli.study import study
from deixis._cli.terminal import console, guarded_output
from deixis._cli.train import models_with, name_of_today, train_app
from deixis._cli.warm import warm
from deixis._version import __version__
from deixis.errors import RecipeError
from deixis.worlds.registry import WorldWarning


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


STOPPED, FAILED, CLOSED = 130, 2, 141  # the last is what a program leaves with whose reader is gone, as `head` goes

VERBS = (
    *(check, audit, stats, card, evaluate, report, prompts, answers),
    *(convert, show, explain, studio, study, demo, warm, doctor, completion),
)


@cache
def command_line() -> App:
    """Build the command line of the registered worlds once, until the cache is cleared."""
    app = App(
        name="deixis",
        help="Make, check, convert and look at datasets of language that points at things.",
        help_format="plaintext",
        version=f"deixis {__version__}",
        version_format="plaintext",
        default_parameter=Parameter(
            negative=(), show_default=False, json_list=False, json_dict=False, validator=refuse_addresses
        ),
        suppress_keyboard_interrupt=False,
    )
    app.command(make_app())
    new_app = App(name="new", help="Start a world or a reader of your own.")
    new_app.command(new_world, name="world")
    new_app.command(new_reader, name="reader")
    app.command(new_app)
    app.command(train_app())
    for verb in VERBS:
        app.command(command_of(verb))
    add_commands(app)
    return app


def main(tokens: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit code.

    Args:
        tokens: the words after `deixis`, by default those that the program was called with.
    """
    words = list(sys.argv[1:] if tokens is None else tokens)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ○ shows a stand-in
    with _second_interrupt_leaves_at_once(), guarded_output(), _warnings_in_one_line():
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
    shown = console() if not words or {"--help", "-h"} & set(words) else None
    result = command_line()(words, console=shown, exit_on_error=False, print_error=False, result_action="return_value")
    return result if isinstance(result, int) else 0


def _fail(error: Exception, words: list[str]) -> int:
    if os.environ.get("DEIXIS_DEBUG"):
        raise error
    if isinstance(error, BrokenPipeError) and _is_reader_gone():
        _forget_output()
        return CLOSED
    verbs = " ".join(_verbs(words))
    hint = f"; see {verbs} --help" if isinstance(error, CycloptsError) else ""
    if words[:1] == ["train"] and isinstance(error, UnknownOptionError):
        flag = error.token.keyword
        if now := name_of_today(flag):
            error, hint = RecipeError(f"{flag} is called {now} now"), ""
        elif models := models_with(flag):
            hint = f"; models with {flag}: {', '.join(models)}"
    _complain(in_one_line(error, resumes=_resumes(words)) + hint)
    return FAILED


def _resumes(words: list[str]) -> bool:
    """Return whether a command that failed goes on, given again, from what it has finished."""
    keeps = any(word.partition("=")[0] == "--out" for word in words)
    return words[:1] in (["make"], ["demo"], ["train"]) or (words[:1] == ["evaluate"] and keeps)


def _is_reader_gone() -> bool:
    """Whether it is our own output that nobody reads any more, and not some other pipe."""
    if not hasattr(select, "poll"):
        return True
    outputs = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            outputs.register(stream.fileno(), 0)
    return any(state & select.POLLERR for _, state in outputs.poll(0))


def _verbs(words: list[str]) -> Iterator[str]:
    """The command with the verbs that were understood: `deixis make reascan`."""
    yield "deixis"
    try:
        here = command_line()
        for word in words:
            if word.startswith("-") or word not in here:
                return
            yield word
            here = here[word]
    except Exception:  # noqa: BLE001 (a world whose part cannot be imported, which is what is told of)
        return


def _complain(message: str) -> None:
    with suppress(OSError):  # nobody may be listening any more
        print(f"deixis: {message}", file=sys.stderr, flush=True)


def _forget_output() -> None:
    """Let the interpreter leave without trying to write the rest to a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """What is wrong with a world of another package is said once, in a line of its own, without a place in the code."""
    shown, told = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *where: Any, **rest: Any) -> None:
        if not issubclass(category, WorldWarning):
            shown(message, category, *where, **rest)
            return
        line = " ".join(str(message).split())
        if line not in told:
            told.add(line)
            _complain(f"warning: {line}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", WorldWarning)
        warnings.showwarning = show
        yield


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
