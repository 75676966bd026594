"""Requests to write data in another form, as the parts `formats` of all worlds take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.report.output import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRequest:
    """What is to be converted: the arguments of `convert` of the part `formats`, where they are explained."""

    sources: Sequence[Path]
    out: Path
    to: str
    split: str | None = None
    names: Sequence[str] = ()
    force: bool = False
    progress: Progress | None = None

    def only_source(self, what: str) -> Path:
        """Return the source where there may be only one, of which the splits keep their names."""
        if len(self.sources) != 1 or self.names:
            raise RecipeError(f"{what} is converted at a time, without --as")
        return self.sources[0]

    def tell(self, stage: str, done: int, total: int | None) -> None:
        """Tell how far a stage is."""
        if self.progress is not None:
            self.progress(stage, done, total)


def takes_request(work: Callable[..., Output]) -> Callable[..., Output]:
    """Make `convert` of a part `formats` from what takes a request and the options of its world."""

    def convert(sources: Sequence[Path], out: Path, *, to: str, **asked: Any) -> Output:
        common = {name: asked.pop(name) for name in COMMON if name in asked}
        return work(ConversionRequest(sources=sources, out=out, to=to, **common), **asked)

    convert.__doc__ = work.__doc__
    return convert


COMMON = ("split", "names", "force", "progress")  # options of all worlds


class SplitNames(NamedTuple):
    """What splits are to be called: new names by old ones, or a name for the only split of each source."""

    renamed: dict[str, str]
    called: tuple[str, ...]


def read_split_names(names: Sequence[str], sources: int) -> SplitNames:
    """Read names of splits as `--as` takes them, `old=new` or a name for each source.

    Raises:
        RecipeError: when a name is empty, or there are not as many names as sources.
    """
    renamed = dict(_pair(name) for name in names if "=" in name)
    called = tuple(name for name in names if "=" not in name)
    if called and len(called) != sources:
        told = f"--as gives {len(called)} names for {sources} paths"
        raise RecipeError(f"{told}; give one for each, or old=new for each split")
    return SplitNames(renamed, called)


def _pair(text: str) -> tuple[str, str]:
    old, _, new = (part.strip() for part in text.partition("="))
    if not old or not new:
        raise RecipeError(f"--as takes a name or old=new, got {text!r}")
    return old, new
