"""Pages from templates; what comes from data or users is escaped, only markup that our own makers wrote is not."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from deixis._version import __version__


if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from deixis.studio.library import Library


__all__ = ["HERE", "library_of", "render", "render_text"]

HERE = Path(__file__).parent


def library_of(request: Request) -> Library:
    """What this studio shows."""
    library: Library = request.app.state.library
    return library


def render(request: Request, template: str, /, *, status: int = 200, **values: Any) -> Response:
    """A page, or a fragment of one, from a template of ours."""
    return HTMLResponse(render_text(template, request=request, path=request.url.path, **values), status)


def render_text(template: str, /, **values: Any) -> str:
    """A template filled in."""
    return _templates().get_template(template).render(version=__version__, **values)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["thousands"] = lambda value: f"{value:,}"
    made.filters["percent"] = lambda value: "–" if value is None else f"{100 * value:.1f} %"
    return made
