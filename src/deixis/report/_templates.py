"""Templates of pages: one environment for reports and the studio, in which everything is escaped unless marked as safe.

Nothing is loaded from anywhere but the folders given; a name that a template uses and nobody gave is an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError
from deixis.report._markup import anchor, number, percent, printable_text
from deixis.report._palette import pattern_words
from deixis.report.chart import format_value


if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from markupsafe import Markup


HERE = Path(__file__).parent / "templates"


def render(template: str, /, *, folder: Path | None = None, **values: Any) -> str:
    """A template of this package, or of another folder, filled in.

    Args:
        template: its file name.
        folder: where to look first; templates of this package can be imported and extended in it.
        values: what the template uses.

    Raises:
        DeixisError: when jinja2 is not installed.
    """
    environment = make_environment(HERE if folder is None else folder)
    return environment.get_template(template).render(**values)


def render_part(template: str, macro: str, /, *, folder: Path | None = None, **values: Any) -> str:
    """Fill in one macro of a template (see `render`)."""
    environment = make_environment(HERE if folder is None else folder)
    return str(getattr(environment.get_template(template).module, macro)(**values))


@lru_cache(maxsize=16)
def make_environment(folder: Path, prefixed: tuple[tuple[str, Path], ...] = ()) -> Environment:
    """The environment for templates in a folder, with those of this package and of prefixed folders.

    Raises:
        DeixisError: when jinja2 is not installed.
    """
    try:
        from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
    except ImportError as error:
        raise DeixisError("pages need jinja2; install it with: pip install 'deixis[report]'") from error
    others: Mapping[str, FileSystemLoader] = {name: FileSystemLoader(place) for name, place in prefixed}
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder), FileSystemLoader(HERE), PrefixLoader(others)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable_text(value) if type(value) is str else value,
    )
    made.filters |= {
        "anchor": anchor,
        "number": lambda value: "–" if value is None else number(value),
        "pattern_words": pattern_words,
        "strong": _strong,
        "percent": lambda value: "–" if value is None else percent(value),
        "thousands": lambda value: f"{value:,}",
        "unit": format_value,
    }
    return made


def _strong(said: str) -> Markup:
    """A text in which what stands between double asterisks is bold."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", str(escape(printable_text(said)))))  # noqa: S704 (escaped)
