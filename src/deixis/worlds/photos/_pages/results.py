"""Results on expressions about photographs, from `deixis evaluate --out`, with the photographs themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from deixis._studio.model_results import show_results
from deixis._studio.score_tables import PublishedModel, PublishedScores, plain_name
from deixis._studio.world_pages import ResultWords
from deixis.errors import DeixisError
from deixis.worlds.photos._judging.verdicts import LABELS, OTHER_IMAGE, SAME_IMAGE
from deixis.worlds.photos._pages.gallery import photograph_picture
from deixis.worlds.photos._paper.models import published_results
from deixis.worlds.photos._paper.runs import answers_of, read_results, row_of
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis._studio.library import Entry
    from deixis._studio.model_results import ModelResults
    from deixis._studio.verdicts import ResultCard
    from deixis.report._runs import Run


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

PUBLISHED_NOTE = "The published figures are of the authors' expressions and images."


def published_groundings() -> PublishedScores:
    """Return the accuracies of Table 3 by setting."""
    known = published_results()
    (table,) = (one for one in known.tables if one.key == "table3")
    models = tuple(
        PublishedModel(
            row.title,
            frozenset({plain_name(row.key), plain_name(row.title)}),
            {setting: score / 100 for setting, score in row.published.items()},
        )
        for row in table.rows
        if row.published
    )
    return PublishedScores(source=known.source, note=PUBLISHED_NOTE, models=models)


def show_groundings(entry: Entry, run: Run) -> ModelResults:
    """The results on expressions about photographs."""
    said = run.judged.values.get("model")
    model = row_of(run)[1] if isinstance(said, dict) else run.judged.without_nulls().text("model", answers_of(run))
    return show_results(entry, run, read_results(run.judged), world=WORLD.name, model=model)


def say_outcome(outcome: str, role: str, misreadings: Sequence[str]) -> str:
    """Describe the verdict on an answer in a sentence or two."""
    words = OUTCOMES.get(outcome, outcome)
    if role:
        words += f", {PLACES.get(role, f'in an image shown as {role}')}"
    told = " or ".join(LABELS.get(name, name) for name in misreadings)
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
