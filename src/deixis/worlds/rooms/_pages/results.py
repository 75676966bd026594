"""Results on captions: what `deixis evaluate --out` leaves of them, and the rooms that they were written for."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from deixis._studio.model_results import show_results
from deixis._studio.score_tables import PublishedModel, PublishedScores, plain_name
from deixis._studio.world_pages import ResultWords
from deixis.judge.verdicts import VERDICTS
from deixis.report._json_facts import printable
from deixis.report._runs import Results
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.judging._published import SOURCE, TABLE_1
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis._studio.library import Entry
    from deixis._studio.model_results import ModelResults
    from deixis._studio.verdicts import ResultCard
    from deixis.report._json_facts import Facts
    from deixis.report._runs import Run


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
    misreadings_heading=("Faults of captions", "fault"),
    roles=("", ""),
    misreading_label="Fault",
    role_label="Lies in",
    needs_data=False,
    without_data="No dataset of 3D Shapes is in the given folders, so examples have no pages of their own.",
    quotes=True,
)

PUBLISHED_TITLES = {"B": "B (captioner)", "RP": "RP (random pairs)", "SP": "SP (similar pairs)"}
PUBLISHED_NOTE = "The paper reports means over the test sets of a category."


def published_captions(measure: str) -> PublishedScores | None:
    """Return a metric of Table 1 by category of test sets, or None where the paper does not report it."""
    models = []
    for letter, title in PUBLISHED_TITLES.items():
        found = {name: rows[letter][measure] for name, rows in TABLE_1.items() if measure in rows.get(letter, {})}
        if found:
            models.append(PublishedModel(title, frozenset({plain_name(letter), plain_name(title)}), found))
    return PublishedScores(source=SOURCE, note=PUBLISHED_NOTE, models=tuple(models)) if models else None


def show_captions(entry: Entry, run: Run) -> Iterator[ModelResults]:
    """Yield the results of captions that were scored together, or of a speaker, with verdicts of files only."""
    judged = run.judged
    is_speaker = "sets" in judged.values and "scores" not in judged.values
    scored = {_speaker_name(entry, judged): judged} if is_speaker else {}
    if not is_speaker:
        scored = {printable(name): judged.inner("scores").inner(name) for name in judged.inner("scores").values}
    for number, (name, found) in enumerate(scored.items(), start=1):
        sets = {printable(part): found.inner("sets").inner(part) for part in found.inner("sets").values}
        is_picked = any("right_image" in table.values for table in sets.values())
        metrics = [metric for metric in WORDS.measures if (metric == "right_image") == is_picked]
        scores = {part: {metric: table.estimate(metric) for metric in metrics} for part, table in sets.items()}
        file = VERDICTS if len(scored) == 1 else f"verdicts-{number}.parquet"
        results = Results(data=ROOMS, scores=scores)
        yield show_results(entry, run, results, world=WORLD.name, model=name, verdicts=file)


def _speaker_name(entry: Entry, judged: Facts) -> str:
    role = judged.values.get("role")
    return f"{entry.title} ({role})" if isinstance(role, str) else entry.title


# -------------------------------------------------------------------------------- single captions


def say_faults(misreadings: Sequence[str]) -> str:
    """Describe the faults of a caption in a sentence."""
    first, *others = [name.removeprefix("says ") for name in misreadings] or [""]
    return f"It says {', and '.join([first, *others])}." if first else ""


def with_rooms(card: ResultCard, pair: int, entry: Entry | None) -> ResultCard:
    """A card with the pictures of both rooms."""
    target, other = divmod(pair, IMAGES)
    link = f"/d/{entry.slug}/image/{target}?beside={other}" if entry else ""
    return replace(
        card,
        name=f"{target} beside {other}",
        link=link,
        pictures=((f"target, image {target}", _room(target)), (f"distractor, image {other}", _room(other))),
    )


@lru_cache(maxsize=512)
def _room(number: int) -> str:
    return "data:image/png;base64," + b64encode(draw_png(number, size=ROOM_PIXELS)).decode()
