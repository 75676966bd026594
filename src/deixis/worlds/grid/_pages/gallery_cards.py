"""Cards of galleries of grids: a small picture, the command and chips for each example that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis._studio.filters import Card, Chip
from deixis.data._split_names import splits_of
from deixis.errors import DeixisError
from deixis.worlds.grid._pages.film import draw_card
from deixis.worlds.grid.data.table import example_at


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from markupsafe import Markup

    from deixis._studio.library import Entry
    from deixis.worlds.grid._pages.shelf import GridShelf


DISTRACTORS = {  # how people call what tempts
    "relation": "relation",
    "attribute": "attribute",
    "isomorphism": "isomorphism",
    "size": "size",
    "random": "random",
    "helper": "helper",
}


def draw_cards(
    entry: Entry,
    shelf: GridShelf,
    numbers: Sequence[int] | np.ndarray,
    *,
    verdicts: tuple[str, np.ndarray] | None = None,
    findings: Mapping[int, list[Chip]] | None = None,
) -> Iterator[Card]:
    chosen = [int(number) for number in numbers]
    shown = _from_memory(shelf, chosen) if shelf.worlds is not None and shelf.has_codes else _from_files(shelf, chosen)
    for number, row in zip(chosen, shown, strict=True):
        chips = [Chip(name, "split") for name in splits_of(row["split"])]
        chips.append(Chip(row["pattern"] or "?", "pattern"))
        if verdicts is not None:
            model, codes = verdicts
            right = codes[number] == 2
            chips.append(Chip(f"{model}: {'right' if right else 'wrong'}", kind="good" if right else "bad"))
        chips += (findings or {}).get(number, ())
        picture, fault = _picture(row)
        yield Card(f"/d/{entry.slug}/{number}", row["text"], picture, tuple(chips), fault)


def _picture(row: Mapping[str, Any]) -> tuple[Markup | None, str]:
    if isinstance(row["scene"], DeixisError):
        return None, str(row["scene"])
    try:
        return draw_card(row["scene"], row["target"]), ""
    except DeixisError as error:
        return None, str(error)


def _from_memory(shelf: GridShelf, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    codes, worlds = shelf.codes(), shelf.worlds
    for number in numbers:
        row: dict[str, Any] = {name: codes.text(name, number) for name in ("split", "pattern")}
        row["text"] = codes.text("command", number)
        if worlds is not None:
            row["target"] = worlds.target(number)
            try:
                row["scene"] = worlds.scene(number)
            except (DeixisError, ValueError) as error:
                row["scene"] = DeixisError(f"this world cannot be drawn: {error}")
        yield row


def _from_files(shelf: GridShelf, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    table = shelf.rows.take(numbers)
    for place in range(len(numbers)):
        row = {name: str(table[name][place].as_py() or "") for name in ("split", "pattern")}
        said = str(table["command"][place].as_py() or "")
        try:
            example = example_at(table, place)
            yield {**row, "text": said, "target": example.target, "scene": example.scene}
        except DeixisError as error:
            yield {**row, "text": said, "target": 0, "scene": error}
