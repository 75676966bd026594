"""Results on expressions about photographs, from `deixis evaluate --out`, with the photographs themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from deixis.errors import BrokenDataset, DeixisError
from deixis.judge.verdicts import VERDICTS
from deixis.studio.judged import EVALUATION, Judged, counts_in, estimate_in, in_one_line, remarks_on, task_of
from deixis.studio.world_pages import ResultWords
from deixis.worlds.photos.judging.verdict_file import ABSENT
from deixis.worlds.photos.judging.verdicts import LABELS, OTHER_IMAGE, SAME_IMAGE
from deixis.worlds.photos.pages.gallery import photograph_picture
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.studio.library import Entry
    from deixis.studio.verdicts import ResultCard


__all__ = ["WORDS", "read_results", "say_outcome", "with_photographs"]

OUTCOMES = {
    "right": "Chose the target",
    "wrong object": "Chose a wrong object",
    "no object": "Chose no object",
    "said not there": "Said that it is not there",
    "unparsable": "The answer cannot be understood",
    "unanswered": "No answer",
}
PLACES = {SAME_IMAGE: "in the right image", OTHER_IMAGE: "in an image that was not shown"}
WORDS = ResultWords(
    measures={"right": "right object"},
    part="setting",
    misreadings=LABELS,
    roles=("Where the wrong object lies", "in an image shown as"),
    role_label="Lies in",
    legend="The box is the target; where there is none, the expression fits nothing in the images.",
)


def read_results(entry: Entry, values: Any) -> Judged:
    """Read the results on expressions about photographs."""
    verdicts = entry.path / VERDICTS
    try:
        settings = {str(name): found for name, found in values["settings"].items()}
        absent = {f"{name}, {ABSENT}": found for name, found in values.get(ABSENT, {}).items()}
        return Judged(
            key=entry.slug,
            entry=entry,
            world=WORLD.name,
            model=str(values.get("model") or values.get("predictions") or entry.title),
            data=str(values.get("data", "")),
            scores={name: {"right": estimate_in(found["accuracy"])} for name, found in (settings | absent).items()},
            outcomes={name: counts_in(found["outcomes"]) for name, found in settings.items()},
            roles={name: counts_in(found["wrong choices by place"]) for name, found in settings.items()},
            missed={name: counts_in(found["wrong choices by what was missed"]) for name, found in settings.items()},
            groups={
                what: {
                    name: {str(part): {"right": estimate_in(share)} for part, share in found[f"by {what}"].items()}
                    for name, found in settings.items()
                }
                for what in ("form", "length", "candidates")
            },
            task=task_of(entry),
            rows=verdicts if verdicts.is_file() else None,
            remarks=tuple(remarks_on(values.get("strange answers", {}), "answers "))
            + tuple(remarks_on(values.get("faults", {}))),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenDataset(f"{EVALUATION} is not as `deixis evaluate` writes it: {in_one_line(error)}") from error


def say_outcome(outcome: str, role: str, missed: Sequence[str]) -> str:
    """Describe the verdict on an answer in a sentence or two."""
    words = OUTCOMES.get(outcome, outcome)
    if role:
        words += f", {PLACES.get(role, f'in an image shown as {role}')}"
    told = " or ".join(LABELS.get(name, name) for name in missed)
    return f"{words}. {told[0].upper()}{told[1:]}." if told else f"{words}."


def with_photographs(cards: Sequence[ResultCard], ids: np.ndarray, entry: Entry) -> list[ResultCard]:
    """Return cards with the photograph of every target."""
    wanted = {int(number) for number in ids.tolist()}
    known: dict[int, tuple[str, str, str]] = {}
    for table in entry.data.dataset.tables(columns=["id", "text", "image", "object"]):
        numbers = table["id"].to_numpy()
        rows = np.flatnonzero(np.isin(numbers, ids))
        for values in table.take(rows).to_pylist() if len(rows) else ():
            if values["id"] in wanted:
                known[values["id"]] = values["text"], values["image"], values["object"]
    made = []
    for card, number in zip(cards, ids.tolist(), strict=True):
        text, image, thing = known.get(number, ("", "", ""))
        is_same = number in known and text == card.text
        picture = _photograph(entry, image, thing) if is_same else Markup("")
        made.append(replace(card, link=f"/d/{entry.slug}/{number}", picture=picture) if is_same else card)
    return made


def _photograph(entry: Entry, image: str, thing: str) -> Markup:
    table = entry.data.scenes
    try:
        return photograph_picture(entry, table.scene(table.find(image)), thing)
    except DeixisError:
        return Markup("")
