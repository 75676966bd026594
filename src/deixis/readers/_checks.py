"""Checks of files of others: the records that are refused, then every example as in any world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.toolkit.checks import CODES, MISFITS, ExampleChecks


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import Examples


REFUSED, OUTSIDE = "E010", "W011"
AS_READ = {code: code.replace("E", "W") for code in MISFITS}
OWN = {
    REFUSED: "A record is refused by its reader",
    OUTSIDE: "A box reaches out of its image",
    **{own: f"{CODES[code]}, as its text is read" for code, own in AS_READ.items()},
}
WITHOUT = ("E004", "E104")  # texts of others are read as far as they can be, which `audit` and `stats` tell
SLACK = 1.0  # pixels that boxes may reach out of their image by rounding


def ready_part(world: ReaderWorld) -> ReadChecks:
    """The part `checks` of a reader."""
    return ReadChecks(world)


class ReadChecks(ExampleChecks):
    """Part `checks` for files of others."""

    codes = {**{code: line for code, line in CODES.items() if code not in WITHOUT}, **OWN}  # noqa: RUF012
    reads_texts = False

    def file_faults(self, examples: Examples) -> Iterator[tuple[str, str]]:
        """Yield the refused records of the file."""
        for refusal in getattr(examples, "refusals", ()):
            told = f" ({refusal.detail})" if refusal.detail else ""
            yield REFUSED, f"record {refusal.record}: {refusal.code}{told}"

    def misfit(self, example: ReadExample, code: str) -> str:  # type: ignore[override]
        """Return a warning where the meaning is not annotated, but read by a language of ours."""
        return code if example.meaning is not None else AS_READ[code]

    def faults(self, example: ReadExample) -> Iterator[tuple[str, str]]:  # type: ignore[override]
        """Yield the boxes that reach out of their images."""
        for image, box in example.boxes:
            size = example.images[image] if image < len(example.images) else None
            width, height = (1.0, 1.0) if example.space == "share" else (size[1:] if size else (0, 0))
            slack = SLACK if example.space == "pixels" else 1e-3
            if width and (min(box[:2]) < -slack or box.right > width + slack or box.bottom > height + slack):
                yield OUTSIDE, f"{[round(edge, 2) for edge in box]} in an image of {width:g} x {height:g}"
