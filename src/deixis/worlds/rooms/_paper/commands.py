"""The commands that train and evaluate speakers again."""

from __future__ import annotations

from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING

from deixis.worlds.rooms.pairs import PAIRS
from deixis.worlds.rooms.training.settings import Game


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.worlds.rooms._paper.runs import Speaker


WITHOUT_OPTION = ("log_every",)  # settings that only a file can have
ENCODERS = ("rooms", "factors")  # that need no file
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


def all_commands(speakers: Sequence[Speaker]) -> list[str]:
    """Return the commands for all speakers, in an order in which they can be given."""
    found = sorted(speakers, key=lambda one: one.letter not in ("B", "C"))
    homes = dict.fromkeys(one.home for one in found)
    return [line for home in homes for line in commands_of([one for one in found if one.home == home], found)]


def commands_of(styles: Sequence[Speaker], others: Sequence[Speaker]) -> Iterator[str]:
    """Yield the commands for a speaker in all its styles, one in a line, perhaps begun with one of the others."""
    known = {one.checkpoint: one.home for one in reversed(others)}  # the first of several
    if styles[0].is_trained_here:
        yield from _train(styles[0], known)
    yield from (_evaluate(one, known) for one in styles)


def _train(one: Speaker, known: Mapping[str, str]) -> Iterator[str]:
    usual = asdict(type(one.how)())
    changed = {name: value for name, value in asdict(one.how).items() if value != usual[name]}
    filed = {name: value for name, value in changed.items() if name in WITHOUT_OPTION}
    is_game = isinstance(one.how, Game)
    model = f"game --speaker {_place(one.speaker, known, 'SPEAKER')}" if is_game else "captioner"
    words = [f"deixis train {model} --out {quote(one.home)} --seed {one.how.seed}"]
    if filed:
        file = quote(f"{one.home}.toml")
        lines = "".join(f"{name} = {value}\\n" for name, value in filed.items())
        yield f"printf '{lines}' > {file}"
        words.append(f"--settings {file}")
    if isinstance(one.how, Game):
        words.append(f"--pairs {one.how.pairs}")
    if one.listener:
        words.append(f"--listener {_place(one.listener, known, 'LISTENER')}")
    for name, value in changed.items():
        if name == "listener":
            words.append("--freeze")
        elif name not in (*WITHOUT_OPTION, "seed", "pairs"):
            words.append(f"--{name.replace('_', '-')} {_write(value)}")
    words += _encoder(one)
    for leg in one.legs[:-1]:  # the learning rate went by other numbers of steps
        stopped = "" if leg.until >= leg.steps else f"  # stopped after {leg.until}"
        kept = [word for word in words if not word.startswith("--steps ")]
        yield " ".join([*kept, f"--steps {leg.steps}{stopped}"])
    yield " ".join([*words, *(["--steady"] if one.is_steadied else [])])


def _evaluate(one: Speaker, known: Mapping[str, str]) -> str:
    folder = quote(one.home)
    words = [f"deixis evaluate CHECKPOINT --out {folder}"]
    if one.is_trained_here:
        words = [f"deixis evaluate {folder} --out {quote(f'{one.home}/{one.said}')}"]
    for name, (option, usual) in STYLES.items():
        if (value := one.style.get(name, usual)) != usual:
            words.append(f"{option} {quote(value)}")
    if one.heard_by not in ("", one.checkpoint):
        words.append(f"--listener {_place(one.heard_by, known, 'LISTENER')}")
    if one.contexts != PAIRS:
        words.append(f"--count {one.contexts}")
    if one.chance_seed:
        words.append(f"--seed {one.chance_seed}")
    return " ".join([*words, *_encoder(one)])


def _encoder(one: Speaker) -> list[str]:
    if one.encoder == ENCODERS[0]:
        return []
    return [f"--encoder {one.encoder if one.encoder in ENCODERS else 'FILE'}"]


def _place(digest: str, known: Mapping[str, str], otherwise: str) -> str:
    return quote(known[digest]) if digest in known else otherwise


def _write(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else quote(str(value))
