"""The pages of the documentation taken apart: their code blocks, links and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = tuple(sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")))
FENCE = re.compile(r"^(?P<indent>[ ]*)(?P<marks>`{3,})[ ]*(?P<info>[^`\n]*)$")
REASON = re.compile(r"<!--\s*(no-run|slow)\s*:\s*(.+?)\s*-->")
TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page.

    Attributes:
        language: the first word after the fence.
        info: all that stands after the fence.
        text: what is between the fences.
        line: where it begins, counted from 1.
        no_run: why it is not run; empty where it is.
    """

    language: str
    info: str
    text: str
    line: int
    no_run: str = ""

    @property
    def file(self) -> str | None:
        """The name of the file that the block shows, if it has one."""
        found = TITLE.search(self.info)
        return found[1] if found else None


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, from top to bottom."""
    return list(_blocks((DOCS / page).read_text(encoding="utf-8")))


def _blocks(text: str) -> Iterator[Block]:
    before = ""  # the last line with something on it, outside of blocks
    opening: re.Match[str] | None = None
    begun = 0
    held: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening, begun, held = fence, number, []
            elif line.strip():
                before = line
        elif fence and fence["marks"] == opening["marks"] and not fence["info"]:
            info = opening["info"].strip()
            reason = REASON.search(before)
            yield Block(
                language=info.split(" ")[0],
                info=info,
                text="\n".join(one.removeprefix(opening["indent"]) for one in held) + "\n",
                line=begun,
                no_run=reason[2] if reason and reason[1] == "no-run" else "",
            )
            opening, before = None, ""
        else:
            held.append(line)
    assert opening is None, f"a block that begins in line {begun} does not end"


def is_slow(page: str) -> bool:
    """Whether the page says of itself that its blocks take long."""
    return any(found[1] == "slow" for found in REASON.finditer((DOCS / page).read_text(encoding="utf-8")))
