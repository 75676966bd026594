"""The commands that make runs of speakers again, from what the runs say of themselves."""

from __future__ import annotations

from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING

from deixis.training.rooms.settings import Captioning, Game
from deixis.worlds.shapes.pairs import PAIRS


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.reports.a3ds_runs import Said, SpeakerRun


__all__ = ["WITHOUT_OPTION", "commands_of"]

WITHOUT_OPTION = ("log_every",)  # settings that only a file can say
NAMED = ("rooms", "factors")  # encoders that need no file
STYLES = {
    "decoding.way": ("--decoding", "greedy"),
    "decoding.temperature": ("--temperature", "1.0"),
    "decoding.k": ("--k", "20"),
    "decoding.width": ("--width", "5"),
    "thinking": ("--thinking", "none"),
    "pragmatic.alpha": ("--alpha", "1.0"),
    "pragmatic.cost": ("--cost", "0.0"),
    "pragmatic.candidates": ("--candidates", "20"),
    "pragmatic.fluency": ("--fluency", "1.0"),
}


def commands_of(run: SpeakerRun, runs: Sequence[SpeakerRun]) -> Iterator[str]:
    """The commands for a run, one in a line; `runs` are those that it may have begun with."""
    known = {said.checkpoint: one.folder for one in reversed(runs) for said in one.said}  # the first of several
    changed = _changed(run)
    filed = {name: value for name, value in changed.items() if name in WITHOUT_OPTION}
    verb = "pretrain" if isinstance(run.how, Captioning) else f"play {_place(run.speaker, known, 'SPEAKER')}"
    words = [f"deixis {verb} --out {quote(run.folder)} --seed {run.how.seed}"]
    if filed:
        file = quote(f"{run.folder}.toml")
        lines = "".join(f"{name} = {value}\\n" for name, value in filed.items())
        yield f"printf '{lines}' > {file}"
        words.append(f"--settings {file}")
    if isinstance(run.how, Game):
        words.append(f"--pairs {run.how.pairs}")
    if run.listener:
        words.append(f"--listener {_place(run.listener, known, 'LISTENER')}")
    for name, value in changed.items():
        if name == "listener":
            words.append("--freeze")
        elif name not in (*WITHOUT_OPTION, "seed", "pairs"):
            words.append(f"--{name.replace('_', '-')} {_written(value)}")
    yield " ".join([*words, *_encoder(run)])
    for said in run.said:
        yield _say(run, said, known)


def _changed(run: SpeakerRun) -> dict[str, object]:
    """The settings that are not as they are by default."""
    usual = asdict(type(run.how)())
    return {name: value for name, value in asdict(run.how).items() if value != usual[name]}


def _say(run: SpeakerRun, said: Said, known: Mapping[str, str]) -> str:
    words = [f"deixis say {quote(run.folder)} --out {quote(f'{run.folder}/{said.folder}')}"]
    for name, (option, usual) in STYLES.items():
        value = said.style.get(name, usual)
        if value != usual:
            words.append(f"{option} {quote(value)}")
    if said.listener not in ("", said.checkpoint):
        words.append(f"--listener {_place(said.listener, known, 'LISTENER')}")
    if said.contexts != PAIRS:
        words.append(f"--count {said.contexts}")
    if said.seed:
        words.append(f"--seed {said.seed}")
    return " ".join([*words, *_encoder(run)])


def _encoder(run: SpeakerRun) -> list[str]:
    if run.encoder == NAMED[0]:
        return []
    return [f"--encoder {run.encoder if run.encoder in NAMED else 'FILE'}"]


def _place(digest: str, known: Mapping[str, str], otherwise: str) -> str:
    return quote(known[digest]) if digest in known else otherwise


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else quote(str(value))
