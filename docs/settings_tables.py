"""Fill in tables of settings: a line `<!-- settings: MODULE:RECORD -->` becomes the table of that record."""

from __future__ import annotations

import re
from importlib import import_module

from deixis.settings import settings_table


MARK = re.compile(r"^<!-- settings: ([\w.]+):(\w+) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace every mark by its table."""
    return MARK.sub(lambda found: settings_table(getattr(import_module(found[1]), found[2])), markdown)
