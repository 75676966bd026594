"""What models did with an example: their plans, where these lead, and what whoever goes there has misread."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.datasets.asked import data_digest
from deixis.datasets.judged_plans import read_verdicts
from deixis.datasets.plans import read_plans
from deixis.errors import DeixisError
from deixis.metrics.plan_misreadings import NO_REASON
from deixis.metrics.plan_verdicts import Verdict, judge_plan
from deixis.studio.grid_story import object_name
from deixis.worlds.grid.actions import plan_from_codes
from deixis.worlds.grid.pictures.look import Role


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.datasets.judged_plans import JudgedPlans
    from deixis.datasets.sources import Source
    from deixis.metrics.plan_verdicts import Plans
    from deixis.studio.library import Entry, Library
    from deixis.tasks.navigate import Example
    from deixis.worlds.grid.actions import Plan


__all__ = ["Answer", "answers_to", "verdict_words"]

KEPT_FILES = 8  # predictions of some splits, a few megabytes each
LARGEST = 64 << 20  # bytes of a file of results that is still looked into
SHARE = 60  # letters of a model's name that are shown


class Answer(NamedTuple):
    """What one model did.

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
    reasons = [reason for reason in verdict.missed if reason != NO_REASON]
    why = f" The slightest misreading that leads there: {' or '.join(reasons)}." if reasons else ""
    return f"It makes for {name}{role}.{why}" if why else f"It makes for {name}{role}; no misreading explains that."


def _role(role: str) -> str:
    words = Role(role).words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}" if role != "mentioned" else "something mentioned"


def _find_answer(example: Example, digest: str, entry: Entry) -> Answer | None:
    for split in dict.fromkeys([*example.split.split("+"), example.split]):
        plans = _find_plans(entry, f"predictions/{split}.parquet")
        if plans is not None and plans.facts.get("data") == digest:
            rows = np.flatnonzero(plans.ids == np.uint64(example.id))
            if len(rows):
                plan = _plan_at(plans, int(rows[0]))
                model = str(plans.facts.get("model") or entry.title)[:SHARE]
                return _answer(example, entry, model, plan, judge_plan(example, plan))
    return _find_kept_verdict(example, digest, entry)


def _answer(example: Example, entry: Entry, model: str, plan: Plan | None, verdict: Verdict) -> Answer:
    return Answer(entry.slug, model, plan, verdict, verdict_words(example, verdict))


def _plan_at(plans: Plans, row: int) -> Plan | None:
    """What was said; None where that is no plan."""
    codes = plans.actions[plans.starts[row] : plans.starts[row + 1]].tolist()
    try:
        return plan_from_codes(codes)
    except DeixisError:
        return None


def _find_kept_verdict(example: Example, digest: str, entry: Entry) -> Answer | None:
    """The judgement that an evaluation left, where the plans themselves are not kept."""
    told, file = _find_file(entry, "evaluation.json"), _find_file(entry, "verdicts.parquet")
    judged = _json(told, told.stat().st_mtime_ns) if told else {}
    if file is None or judged.get("digest") != digest:
        return None
    kept = _verdicts(file, file.stat().st_mtime_ns)
    rows = np.flatnonzero(kept.ids == np.uint64(example.id))
    if not len(rows):
        return None
    row = int(rows[0])
    chosen = int(kept.chosen[row])
    verdict = Verdict(
        exact=bool(kept.exact[row]),
        exact_cut=bool(kept.exact[row]),
        tokens=float(kept.exact[row]),
        got_there=bool(kept.got_there[row]),
        chosen=chosen if 0 <= chosen < len(example.scene) else None,
        role=kept.roles[kept.role[row]],
        missed=kept.misreadings[kept.missed[row]],
    )
    return _answer(example, entry, str(judged.get("model") or entry.title)[:SHARE], None, verdict)


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
def _verdicts(path: Path, _changed: int) -> JudgedPlans:
    return read_verdicts(path)


@lru_cache(maxsize=4 * KEPT_FILES)
def _json(path: Path, _changed: int) -> dict[str, Any]:
    """What an evaluation says of itself; its results are left out."""
    try:
        values = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return {name: values.get(name) for name in ("digest", "model")} if isinstance(values, dict) else {}
