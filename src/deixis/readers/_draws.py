"""The examples of read files that questions are asked about: of which splits, and which of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deixis.prompts.tasks import TEST, TRAIN, draw_numbers


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import Examples


def splits_to_ask(examples: Examples) -> tuple[str, ...]:
    """Return the split test, or else all but train, or else all there are."""
    known = list(examples.splits)
    return (TEST,) if TEST in known else tuple(split for split in known if split != TRAIN) or tuple(known)


def draw_different(examples: Examples, numbers: Sequence[int], count: int, *, seed: int) -> list[ReadExample]:
    """Draw examples of these numbers in random order, no two of the same content.

    People describe the same thing in the same words again and again; each description is asked about once.
    """
    wanted = count
    while True:
        chosen = [numbers[place] for place in draw_numbers(len(numbers), wanted, seed=seed)]
        found = {number: examples[number] for number in sorted(chosen)}  # a file is read in its order
        different = _once(found[number] for number in chosen)  # type: ignore[misc]
        if len(different) >= count or wanted >= len(numbers):
            return different[:count]
        wanted = min(2 * wanted, len(numbers))


def _once(drawn: Iterable[ReadExample]) -> list[ReadExample]:
    """Return examples in their order, those with the same content as an earlier one left out."""
    kept: dict[str, ReadExample] = {}
    for example in drawn:
        kept.setdefault(json.dumps([example.split, example.content()], default=str), example)
    return list(kept.values())
