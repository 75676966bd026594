"""Fill in the live board: `<!-- live board -->` becomes a sentence whose parts can be switched off, with its board.

Script and style sheet are those of the studio; they are added to the site, and nothing is asked of another host.
Without scripts the page shows the sentence and the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.report._skeleton import resource
from deixis.worlds.grid._report.live_board import live_board


if TYPE_CHECKING:
    from mkdocs.structure.files import Files


MARK = "<!-- live board -->"
STYLE, SCRIPT = "stylesheets/live.css", "javascripts/live.js"


def on_files(files: Files, *, config: Any) -> Files:
    """Add the style sheet and the script to the site."""
    from mkdocs.structure.files import File

    for place in (STYLE, SCRIPT):
        files.append(File.generated(config, place, content=resource(place.rpartition("/")[2])))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace the mark, on a page at the root of the site."""
    return markdown.replace(MARK, _markup()) if MARK in markdown else markdown


def _markup() -> str:
    """The board as one block of HTML, in which Markdown sees no paragraphs of its own."""
    lines = (line.strip() for line in live_board().markup().splitlines())
    body = "\n".join(line for line in lines if line)
    sheet, script = f'<link rel="stylesheet" href="{STYLE}">', f'<script src="{SCRIPT}" defer></script>'
    return body.replace("<div", f"<div>{sheet}<div", 1) + f"{script}</div>"
