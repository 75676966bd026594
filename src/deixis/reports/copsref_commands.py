"""The commands behind results: settings as files that training reads, and what was typed with them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from deixis.reports.markup import anchor


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.reports.copsref_runs import Trial
    from deixis.reports.copsref_tables import Results


__all__ = ["SETTINGS", "commands_of", "settings_files"]

SETTINGS = "settings"
APART = ("model", "seed")  # said by the command itself
PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def settings_files(results: Results) -> dict[str, str]:
    """For each group of runs, and each that finds images, the TOML file that it was trained with, by its name."""
    return {_file(name): _toml(trial.settings) for name, trial in _firsts(results) if trial.settings}


def commands_of(results: Results) -> dict[str, list[str]]:
    """The commands of each group of runs, and of those that find images."""
    folders = {trial.checkpoint: trial.folder for trial in results.trials if trial.checkpoint and not trial.retriever}
    found: dict[str, list[str]] = {}
    for name, first in _firsts(results):
        some = next((group.trials for group in results.groups if group.label == name), (first,))
        found[name] = [line for trial in some for line in _commands(trial, _file(name), folders)]
    return found


def _firsts(results: Results) -> Iterator[tuple[str, Trial]]:
    yield from ((group.label, group.trials[0]) for group in results.groups)
    yield from ((trial.folder, trial) for trial in results.retrievers)


def _commands(trial: Trial, file: str, folders: Mapping[str, str]) -> Iterator[str]:
    out = _word(trial.folder)
    if trial.settings:
        begin = f" --begin {_word(folders.get(trial.begins_with, 'CHECKPOINT'))}" if trial.begins_with else ""
        data = _word(trial.trained_on or "DATA")
        yield f"deixis train {trial.model} --data {data} --out {out} --settings {file} --seed {trial.seed}{begin}"
    if trial.results:
        judged = out if not trial.retriever else _word(folders.get(trial.checkpoint, "RUN"))
        first = f" --retrieve {_word(folders.get(trial.retriever, 'RETRIEVER'))}" if trial.retriever else ""
        splits = "" if trial.splits == ("test",) or not trial.splits else f" --split {_word(','.join(trial.splits))}"
        yield f"deixis evaluate {judged} --data {_word(trial.data or 'DATA')} --out {out}{first}{splits}"


def _file(name: str) -> str:
    return f"{SETTINGS}/{anchor(name)}.toml"


def _word(value: str) -> str:
    """A word as a shell takes it."""
    return value if re.fullmatch(r"[A-Za-z0-9_./,+:-]+", value) else "'" + value.replace("'", "'\\''") + "'"


def _toml(settings: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in settings.items() if name not in APART and not isinstance(value, dict)}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in plain.items() if value is not None]
    for name, table in settings.items():
        if isinstance(table, dict) and table:
            lines += ["", f"[{_key(name)}]"]
            lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items() if value is not None]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if PLAIN.fullmatch(name) else json.dumps(name)


def _value(value: object) -> str:
    """A value of a JSON file as TOML writes it; numbers, texts, truth and lists are written alike."""
    return json.dumps(value)
