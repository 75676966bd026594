"""Results on captions: what `deixis evaluate --out` leaves of them, and the rooms that they were written for."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset
from deixis.judge.verdicts import VERDICTS
from deixis.studio.judged import Judged, estimate_in, in_one_line, task_of
from deixis.studio.world_pages import ResultWords
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.studio.library import Entry
    from deixis.studio.verdicts import ResultCard


__all__ = ["OLDER", "WORDS", "read_results", "say_faults", "with_rooms"]

OLDER = "scores.json"  # what older versions left instead of evaluation.json
ROOMS = "3D Shapes"
ROOM_PIXELS = 112
WORDS = ResultWords(
    measures={
        "discriminativity": "discriminativity",
        "contrastive_efficiency": "contrastive efficiency",
        "relevance": "relevance",
        "optimal_discriminativity": "optimal discriminativity",
        "right_image": "right image",
    },
    part="test set",
    interval="Wilson where a caption is right or wrong, otherwise a bootstrap over captions",
    missed=("Faults of captions", "fault"),
    roles=("", ""),
    missed_label="Fault",
    role_label="Lies in",
    needs_data=False,
    without_data="No dataset of 3D Shapes is in the given folders, so examples have no pages of their own.",
    quotes=True,
)


def read_results(entry: Entry, file: str, values: Any) -> Iterator[Judged]:
    """Yield the results of captions that were scored together, or of a speaker.

    Rows are kept of files only.
    """
    try:
        scores = values["scores"] if "scores" in values or "sets" not in values else {_speaker(entry, values): values}
        for number, (name, found) in enumerate(scores.items()):
            rows = entry.path / (VERDICTS if len(scores) == 1 else f"verdicts-{number + 1}.parquet")
            is_picked = any("right_image" in table for table in found["sets"].values())
            yield Judged(
                key=entry.slug,
                entry=entry,
                world=WORLD.name,
                model=str(name),
                data=ROOMS,
                scores={
                    str(part): {
                        metric: estimate_in(table[metric])
                        for metric in WORDS.measures
                        if (metric == "right_image") == is_picked
                    }
                    for part, table in found["sets"].items()
                },
                task=task_of(entry),
                rows=rows if rows.is_file() else None,
            )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{file} is not as `deixis evaluate` writes it: {in_one_line(error)}") from error


def _speaker(entry: Entry, values: Any) -> str:
    return f"{entry.title} ({values['role']})" if isinstance(values.get("role"), str) else entry.title


# -------------------------------------------------------------------------------- single captions


def say_faults(missed: Sequence[str]) -> str:
    """Describe the faults of a caption in a sentence."""
    first, *others = [name.removeprefix("says ") for name in missed] or [""]
    return f"It says {', and '.join([first, *others])}." if first else ""


def with_rooms(card: ResultCard, pair: int, entry: Entry | None) -> ResultCard:
    """A card with the pictures of both rooms."""
    target, other = divmod(pair, IMAGES)
    link = f"/d/{entry.slug}/image/{target}" if entry else ""
    return replace(
        card,
        name=f"{target} beside {other}",
        link=link,
        pictures=((f"target, image {target}", _room(target)), (f"distractor, image {other}", _room(other))),
    )


@lru_cache(maxsize=512)
def _room(number: int) -> str:
    return "data:image/png;base64," + b64encode(draw_png(number, size=ROOM_PIXELS)).decode()
