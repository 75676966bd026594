"""Results of models: those that `deixis train` and `deixis evaluate --out` leave, and their plans for one example."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup

from deixis._studio.library import SITTING
from deixis._studio.model_results import show_results
from deixis._studio.score_tables import PublishedModel, PublishedScores
from deixis._studio.world_pages import ResultWords
from deixis.data._split_names import names_in_split
from deixis.errors import DeixisError
from deixis.judge.verdicts import VERDICTS, read_verdicts
from deixis.language._misreadings import join_misreadings
from deixis.worlds.grid._pages.shelf import grid_rows
from deixis.worlds.grid._pages.story import object_name
from deixis.worlds.grid._paper.models import known_results
from deixis.worlds.grid._paper.runs import read_results
from deixis.worlds.grid._report.themed import draw_themed
from deixis.worlds.grid.actions import plan_from_codes, plan_from_letters
from deixis.worlds.grid.data._judged_plans import Places, find_plan_letters, places_of
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.data.plans import read_plans
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.draw import Marks, Role, path_of
from deixis.worlds.grid.judging._misreadings import LABELS, UNCLEAR
from deixis.worlds.grid.judging.verdicts import Verdict, judge_plan
from deixis.worlds.grid.language import say_misreadings_to


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis._studio.verdicts import AnswerCard, ResultCard, Side
    from deixis.judge.verdicts import Verdicts
    from deixis.report._runs import Run
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.judging.verdicts import Plans
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.scene import GridScene


OUTCOMES = {
    "right target": "Went to the target",
    "wrong object": "Went to a wrong object",
    "no object": "Went to no object",
    "no plan": "No valid plan",
    "unanswered": "No answer",
}
WORDS = ResultWords(
    measures={"exact": "exact match", "got_there": "reached goal state", "right_target": "correct target"},
    misreadings=LABELS,
    choice="right_target",
    legend=Markup(
        "<b>T</b> is the target; the glowing object is what the model went to, its letter is its role "
        "(R relation, A attribute, I isomorphism, S size, M mentioned, ? random)."
    ),
    compared=Markup("<b>T</b> is the target; a glowing object is what a model went to instead."),
)
PUBLISHED_NOTE = "The published figures are of the authors' data."
KEPT_FILES = 8  # predictions of some splits, a few megabytes each
LARGEST = 64 << 20  # bytes of a file of results that is still looked into
SHARE = 60  # letters of a model's name that are shown


def published_plans() -> PublishedScores:
    """Return the exact matches of Table 3 by split, those of clean test sets where there are such."""
    known = known_results()
    rows = {row.key: row.split for row in known.rows["table3"] if row.split and not row.pattern}
    models, notes = [], [PUBLISHED_NOTE]
    for model in known.models:
        parts = {split: known.scores_to_compare("table3", model, row, "test") for row, split in rows.items()}
        figures = {split: found[0] for split, found in parts.items() if found}
        marks = sorted({mark for one in figures.values() for mark in one.marks if mark in known.marks})
        notes += [f"{mark} {known.marks[mark]}" for mark in marks]
        scores = {split: one.mean / 100 for split, one in figures.items()}
        if scores:
            models.append(PublishedModel(model.published + "".join(marks), model.names, scores))
    return PublishedScores(source=known.source, note=" ".join(dict.fromkeys(notes)), models=tuple(models))


def show_plans(entry: Entry, run: Run) -> ModelResults:
    """The results of a model in `evaluation.json`."""
    model = run.judged.without_nulls().text("model", "")
    return show_results(entry, run, read_results(run.judged), world="grid", model=model)


@lru_cache(maxsize=4)
def places_in(entry: Entry) -> Places:
    """Find the examples of a dataset by their ids."""
    return places_of(entry.data)


# -------------------------------------------------------------------------------- in words


def say_outcome(outcome: str, role: str, misreadings: Sequence[str]) -> str:
    """Describe the verdict on a plan in a sentence or two."""
    words = OUTCOMES.get(outcome, outcome) + (f", {_say_role(role)}" if role else "")
    told = " or ".join(LABELS.get(name, name) for name in misreadings)
    return f"{words}. {told[0].upper()}{told[1:]}." if told else f"{words}."


def _say_role(role: str) -> str:
    """Name the role of a wrong object."""
    try:
        return f"role: {Role(role).words}"
    except ValueError:
        return "its role is not recorded"


# -------------------------------------------------------------------------------- boards


def with_boards(
    cards: Sequence[ResultCard], sides: Sequence[Side], rows: Sequence[np.ndarray], entry: Entry
) -> list[ResultCard]:
    """Cards with the text and the board of every example, and what was chosen there."""
    numbers = places_in(entry).find(sides[0].verdicts.ids[rows[0]])
    known = np.flatnonzero(numbers >= 0)
    read = examples_of(grid_rows(entry).take(numbers[known])) if len(known) else ()
    examples = dict(zip(known.tolist(), read, strict=True))
    plans = _letters_of(sides[0], rows[0]) if len(sides) == 1 else {}
    made = []
    for place, card in enumerate(cards):
        example = examples.get(place)
        if example is None:
            made.append(card)
            continue
        chosen = [int(side.verdicts.chosen[some[place]]) for side, some in zip(sides, rows, strict=True)]
        said = tuple(_name_choice(one, example, index) for one, index in zip(card.answers, chosen, strict=True))
        picture = _board(example, chosen, plans.get(example.id, ""))
        link = f"/d/{entry.slug}/{numbers[place]}"
        name = f"example {numbers[place]:,}"
        made.append(replace(card, name=name, text=example.text, link=link, picture=picture, answers=said))
    return made


def _name_choice(said: AnswerCard, example: Example, chosen: int) -> AnswerCard:
    """The same words with the object that was chosen."""
    if not 0 <= chosen < len(example.scene) or chosen == example.target:
        return said
    _, comma, rest = said.words.partition(", ")
    return said._replace(words=f"Went to the {_object(example.scene, chosen)}{comma}{rest}" if comma else said.words)


def _object(scene: GridScene, index: int) -> str:
    thing = scene.objects[index]
    return f"{thing.color} {thing.shape} of size {thing.size}"


def _letters_of(side: Side, rows: np.ndarray) -> dict[int, str]:
    """What the model said, where its predictions lie beside its results."""
    verdicts = side.verdicts
    found: dict[int, str] = {}
    for code in np.unique(verdicts.part[rows]).tolist():
        name = verdicts.parts[code]
        file = side.judged.entry.path / "predictions" / f"{name}.parquet"
        if "/" in name or "\\" in name or "\0" in name or not file.is_file():
            continue
        try:
            found |= find_plan_letters(file, verdicts.ids[rows[verdicts.part[rows] == code]].tolist())
        except DeixisError:
            continue  # a picture without the way is still a picture
    return found


def _board(example: Example, chosen: Sequence[int], letters: str) -> Markup:
    """The scene with the target, what was chosen instead, and the way that the model went."""
    wrong = sorted({index for index in chosen if 0 <= index < len(example.scene) and index != example.target})
    kinds = {index: example.roles[index].kind if example.roles else "random" for index in wrong}
    marks = Marks(
        target=example.target,
        mentioned=tuple(index for index, kind in kinds.items() if kind == "mentioned"),
        distractors={index: kind for index, kind in kinds.items() if kind not in ("mentioned", "target")},
    )
    try:
        way = path_of(example.scene, plan_from_letters(letters)) if letters and example.scene.agent else None
        marks = replace(marks, path=way.path, pushed=way.pushed) if way else marks
    except DeixisError:
        pass  # a plan that is none has no way
    drawn = str(draw_themed(example.scene, marks=marks, title=example.text))
    for index in wrong:
        plain = f'class="object" data-object="{index}"'
        drawn = drawn.replace(plain, plain.replace("object", "object chosen", 1))
    return Markup(drawn)  # noqa: S704 (our own makers wrote it)


# -------------------------------------------------------------------------------- the answers to one example


class Answer(NamedTuple):
    """The answer of one model.

    Attributes:
        run: the slug of the run.
        model: what it is called.
        plan: what it said; None where only the judgement is kept, or it said no plan.
        verdict: the judgement.
        said: the judgement in a sentence.
    """

    run: str
    model: str
    plan: Plan | None
    verdict: Verdict
    said: str

    @property
    def lights(self) -> tuple[int, ...]:
        """The object that it makes for."""
        return () if self.verdict.chosen is None else (self.verdict.chosen,)


def answers_to(example: Example, source: Source, library: Library, *, run: str = "") -> list[Answer]:
    """The answers to an example of those runs of a library that were judged on the same data.

    What cannot be read is passed over: the page of results says what is wrong with it.

    Args:
        example: what was asked.
        source: the dataset that it is from.
        library: where runs are looked for.
        run: the slug of the only run to look at; all by default.
    """
    digest = data_digest(source)
    if not digest:
        return []
    found = []
    for entry in library.of_kind("run"):
        if entry.error or (run and entry.slug != run):
            continue
        try:
            found += [answer for answer in [_find_answer(example, digest, entry)] if answer is not None]
        except (DeixisError, OSError):
            continue
    return found


def verdict_words(example: Example, verdict: Verdict) -> str:
    """The judgement on a plan in a sentence."""
    if verdict.exact:
        return "It says the right plan, action by action."
    if verdict.chosen is None:
        return "It makes for no object at all."
    if verdict.chosen == example.target:
        if verdict.got_there:
            return "It leaves everything where it should be, but by other actions."
        return "It makes for the target, but does not do what was asked."
    name = object_name(example, verdict.chosen)
    role = f", there as {_role(verdict.role)}" if verdict.role in tuple(Role) else ""
    if UNCLEAR in verdict.misreadings:
        return f"It makes for {name}{role}; {LABELS[UNCLEAR]}."
    told = say_misreadings_to(example.utterance, example.scene, verdict.chosen)
    if not told:
        return f"It makes for {name}{role}; no single misreading leads there."
    return f"It makes for {name}{role}. You would end there if you {join_misreadings(told)}."


def _role(role: str) -> str:
    words = Role(role).words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}" if role != "mentioned" else "something mentioned"


def _find_answer(example: Example, digest: str, entry: Entry) -> Answer | None:
    for split in dict.fromkeys([*names_in_split(example.split), example.split]):
        plans = _find_plans(entry, f"predictions/{split}.parquet")
        if plans is not None and plans.facts.get("data") == digest:
            rows = np.flatnonzero(plans.ids == example.id)
            if len(rows):
                plan = _plan_at(plans, int(rows[0]))
                model = str(plans.facts.get("model") or entry.title)[:SHARE]
                return _answer(example, entry, model, plan, judge_plan(example, plan))
    return _find_kept_verdict(example, digest, entry)


def _answer(example: Example, entry: Entry, model: str, plan: Plan | None, verdict: Verdict) -> Answer:
    return Answer(entry.slug, model, plan, verdict, verdict_words(example, verdict))


def _plan_at(plans: Plans, row: int) -> Plan | None:
    """What was said; None where that is no plan."""
    try:
        return plan_from_codes(plans.codes[row].tolist())
    except DeixisError:
        return None


def _find_kept_verdict(example: Example, digest: str, entry: Entry) -> Answer | None:
    """The judgement that an evaluation left, where the plans themselves are not kept."""
    told, file = _find_file(entry, "evaluation.json"), _find_file(entry, VERDICTS)
    judged = _json(told, told.stat().st_mtime_ns) if told else {}
    if file is None or judged.get("digest") != digest:
        return None
    kept = _verdicts(file, file.stat().st_mtime_ns)
    rows = np.flatnonzero(kept.ids == example.id)
    if not len(rows):
        return None
    row = int(rows[0])
    chosen, is_exact = int(kept.chosen[row]), bool(kept.right["exact"][row])
    verdict = Verdict(
        exact=is_exact,
        exact_cut=is_exact,
        tokens=float(is_exact),
        got_there=bool(kept.right["got_there"][row]),
        chosen=chosen if 0 <= chosen < len(example.scene) else None,
        role=kept.roles[kept.role[row]],
        misreadings=kept.misreadings[kept.misreading[row]],
    )
    answer = _answer(example, entry, str(judged.get("model") or entry.title)[:SHARE], None, verdict)
    if _is_pointing(entry) and verdict.chosen == example.target:  # there is no plan that could be right
        return answer._replace(said="Pointed at the target.")
    return answer


def _is_pointing(entry: Entry) -> bool:
    """Whether these are answers of a person who was asked to point."""
    file = _find_file(entry, SITTING)
    return file is not None and _json(file, file.stat().st_mtime_ns).get("task") == "point"


# -------------------------------------------------------------------------------- files, kept until they change


def _find_file(entry: Entry, name: str) -> Path | None:
    """A file of a run that is really inside its folder and not too large."""
    file = (entry.path / name).resolve()
    is_fit = file.is_relative_to(entry.path.resolve()) and file.is_file() and file.stat().st_size <= LARGEST
    return file if is_fit else None


def _find_plans(entry: Entry, name: str) -> Plans | None:
    file = _find_file(entry, name)
    return _plans(file, file.stat().st_mtime_ns) if file else None


@lru_cache(maxsize=KEPT_FILES)
def _plans(path: Path, _changed: int) -> Plans:
    return read_plans(path)


@lru_cache(maxsize=KEPT_FILES)
def _verdicts(path: Path, _changed: int) -> Verdicts:
    return read_verdicts(path)


@lru_cache(maxsize=4 * KEPT_FILES)
def _json(path: Path, _changed: int) -> dict[str, Any]:
    """What an evaluation says of itself; its results are left out."""
    try:
        values = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return {name: values.get(name) for name in ("digest", "model", "task")} if isinstance(values, dict) else {}
