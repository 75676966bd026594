"""The commands behind results, and settings as files that training reads."""

from __future__ import annotations

import json
import re
from shlex import quote
from typing import TYPE_CHECKING, Any

from deixis.report._markup import anchor
from deixis.report._results.document import Code, Paragraph
from deixis.worlds.photos._paper.runs import answers_of, checkpoint_of, model_of, retriever_of, settings_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.report._runs import Run
    from deixis.worlds.photos._paper.report import Comparison


SETTINGS_FOLDER = "settings"
IN_COMMAND = ("model", "seed")  # settings that a command names itself
PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")


def command_blocks(found: Comparison) -> Iterator[Paragraph | Code]:
    """Yield the commands of each group of runs, with the settings that they read."""
    yield Paragraph("Settings are written beside this page, in the folder settings; data and runs go by their names.")
    settings = settings_files(found)
    for name, lines in commands_of(found).items():
        file = _file(name)
        held = ["", f"# {file}", *settings[file].splitlines()] if file in settings else []
        yield Code([*lines, *held], fold=name)


def settings_files(found: Comparison) -> dict[str, str]:
    """Return for each group of runs, and each that finds images, its TOML file of settings, by name."""
    return {_file(name): _toml(settings) for name, run in _firsts(found) if (settings := settings_of(run))}


def commands_of(found: Comparison) -> dict[str, list[str]]:
    """Return the commands of each group of runs, and of those that find images."""
    folders = {digest: run.folder for run in found.runs if (digest := checkpoint_of(run)) and not retriever_of(run)}
    groups = {group.label: group.runs for group in found.groups}
    return {
        name: [line for run in groups.get(name, (first,)) for line in _commands(run, _file(name), folders)]
        for name, first in _firsts(found)
    }


def _firsts(found: Comparison) -> Iterator[tuple[str, Run]]:
    yield from ((group.label, group.runs[0]) for group in found.groups)
    yield from ((run.folder, run) for run in found.retrievers)


def _commands(run: Run, file: str, folders: Mapping[str, str]) -> Iterator[str]:
    out = quote(run.folder)
    if settings_of(run):
        begun = run.training.begins_with if run.training else ""
        begin = f" --begin {quote(folders.get(begun, 'CHECKPOINT'))}" if begun else ""
        data = quote(run.training.name if run.training and run.training.name else "DATA")
        yield f"deixis train {model_of(run)[0]} --data {data} --out {out} --settings {file} --seed {run.seed}{begin}"
    if run.results.scores:
        retriever = retriever_of(run)
        judged = quote(folders.get(checkpoint_of(run), "RUN")) if retriever else quote(answers_of(run) or run.folder)
        first = f" --retrieve {quote(folders.get(retriever, 'RETRIEVER'))}" if retriever else ""
        named = run.judged.texts("splits")
        splits = "" if named in ((), ("test",)) else f" --split {quote(','.join(named))}"
        yield f"deixis evaluate {judged} --data {quote(run.results.data or 'DATA')} --out {out}{first}{splits}"


def _file(name: str) -> str:
    return f"{SETTINGS_FOLDER}/{anchor(name)}.toml"


def _toml(settings: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in settings.items() if name not in IN_COMMAND and not isinstance(value, dict)}
    lines = [f"{_key(name)} = {json.dumps(value)}" for name, value in plain.items() if value is not None]
    for name, table in settings.items():
        if isinstance(table, dict) and table:
            lines += ["", f"[{_key(name)}]"]
            lines += [f"{_key(key)} = {json.dumps(value)}" for key, value in table.items() if value is not None]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if PLAIN_KEY.fullmatch(name) else json.dumps(name)
