"""Fill in the command reference: `<!-- commands -->` becomes a section for each verb, from the command line itself.

`<!-- cite: FORM -->` becomes what to cite, from CITATION.cff: as BibTeX (`bibtex`) or as a line of text (`text`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from deixis._cli.app import command_line


if TYPE_CHECKING:
    from collections.abc import Iterator


CITATION = Path(__file__).parents[1] / "CITATION.cff"
COMMANDS = "<!-- commands -->"
CITE = re.compile(r"^<!-- cite: (\w+) -->$", re.MULTILINE)
FEW = 12  # choices that are listed


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace every mark."""
    if COMMANDS in markdown:
        markdown = markdown.replace(COMMANDS, "\n".join(_sections(command_line(), "deixis", 2)))
    return CITE.sub(lambda found: citation(found[1]), markdown)


# -------------------------------------------------------------------------------- commands


def _sections(app: Any, words: str, level: int) -> Iterator[str]:
    """Yield the sections of all verbs below a command, in their order."""
    for name in app:
        if name.startswith("-"):
            continue
        verb, called = app[name], f"{words} {name}"
        yield f"{'#' * level} {called}\n"
        yield f"{_paragraphs(verb.help)}\n"
        arguments = [] if _names(verb) else list(verb.assemble_argument_collection())
        yield from _tables(arguments)
        yield from _sections(verb, called, level + 1)


def _names(app: Any) -> list[str]:
    return [name for name in app if not name.startswith("-")]


def _paragraphs(text: str) -> str:
    """Help as Markdown, in which options are code; what is code already stays as it is."""
    pieces = text.strip().split("`")
    for place in range(0, len(pieces), 2):
        plain = re.sub(r"([*_<>|\[\]])", r"\\\1", pieces[place])
        pieces[place] = re.sub(r"(?<![\w-])(--[a-z][\w-]*)", r"`\1`", plain)
    return "`".join(pieces)


def _tables(arguments: list[Any]) -> Iterator[str]:
    """Yield a table of what a verb is given, and one of its options, those of single worlds after the others."""
    shown = [one for one in arguments if one.show]
    positional = [one for one in shown if not one.names[0].startswith("-")]
    groups = {"": [one for one in shown if one.names[0].startswith("-") and not _world_group(one)]}
    for one in shown:
        if _world_group(one):
            groups.setdefault(_world_group(one), []).append(one)
    if positional:
        yield _table("argument", positional)
    for title, some in groups.items():
        if some:
            yield _table(title or "option", some)


def _world_group(argument: Any) -> str:
    """The title of a group of options that not every world has; empty for others."""
    groups = argument.parameter.group or ()
    title = groups[0].name if groups else ""
    return title if title.startswith("Options of ") else ""


def _table(head: str, arguments: list[Any]) -> str:
    rows = [f"| {head} | |", "|---|---|"]
    for one in arguments:
        negations = {f"--no-{name.removeprefix('--')}" for name in one.names}
        names = [name for name in one.names if name not in negations]
        said = " ".join((one.parameter.help or "").split())
        choices = one.get_choices() or ()
        listed = f" One of {', '.join(f'`{choice}`' for choice in choices)}." if 0 < len(choices) <= FEW else ""
        needed = " **Needed.**" if one.required else ""
        rows.append(f"| {', '.join(f'`{name}`' for name in names)} | {_paragraphs(said)}{listed}{needed} |")
    return "\n".join([*rows, ""])


# -------------------------------------------------------------------------------- what to cite


def citation(form: str) -> str:
    """Return what to cite, and after it the papers whose data and measures there are."""
    facts = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    entries = [facts, *facts.get("references", ())]
    if form == "bibtex":
        return "\n".join(["```bibtex", *(line for one in entries for line in _bibtex(one)), "```"])
    return f"{_people(facts)}. *{facts['title']}*, version {facts['version']}."


def _bibtex(entry: dict[str, Any]) -> Iterator[str]:
    is_paper = entry.get("type") == "conference-paper"
    year = f"{entry['year']}" if "year" in entry else ""
    key = re.sub(r"[^a-z]", "", (entry["title"].split(":")[0]).lower())
    conference = entry.get("conference") or {}
    fields = {
        "title": f"{{{entry['title']}}}",
        "author": _people(entry) if is_paper else f"{{{_people(entry)}}}",
        "booktitle": conference.get("name", "") if isinstance(conference, dict) else str(conference),
        "year": year,
        "note": "" if is_paper else f"Version {entry['version']}",
    }
    yield f"@{'inproceedings' if is_paper else 'software'}{{{key}{year},"
    yield from (f"  {name} = {{{value}}}," for name, value in fields.items() if value)
    yield "}"
    yield ""


def _people(entry: dict[str, Any]) -> str:
    names = [
        one["name"] if "name" in one else f"{one['family-names']}, {one['given-names']}" for one in entry["authors"]
    ]
    return " and ".join(names)
