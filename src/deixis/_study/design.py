"""Making a study: which questions, in which conditions, with which practice and attention items, and what is declared.

| in the folder | |
|---|---|
| `study.json` | settings, conditions, items, and what is declared beforehand; made by the seed alone |
| `items.json` | the items as participants see them, without right answers |
| `prompts.jsonl`, `prompts.gold.jsonl`, `prompts.images/` | the same questions for models, and the right answers |
| `consent.md`, `instructions.md`, `end.md` | texts to edit before anybody takes part |
| `secret.json`, `links.txt` | a random key, the completion code and personal links; keep them to yourself |
| `answers/` | one file for each participant, and files that the page without a server left |
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._study.items import FURTHER, LABELS, NONE, SEVERAL, Item, Pool, item_from
from deixis._study.settings import STUDY, StudySettings
from deixis._version import __version__
from deixis.data.store import MANIFEST, open_dataset, replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.prompts._box_questions import is_box
from deixis.prompts.ask import Questionnaire, ask
from deixis.prompts.files import read_key, write_prompts
from deixis.prompts.question import ClickArea
from deixis.prompts.recipe import PromptRecipe, digest_of
from deixis.prompts.tasks import questions_of
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from deixis._study.items import Kind
    from deixis.prompts.ask import QuestionnaireItem
    from deixis.prompts.question import Gold


FORMAT = 1
ITEMS, PROMPTS, SECRET, LINKS, ANSWERS = "items.json", "prompts.jsonl", "secret.json", "links.txt", "answers"
IMAGES = "prompts.images"
TEXTS = ("consent", "instructions", "end")
LONGEST_TEXT = 40_000
TYPED_DEMAND = "I read this"
CONSENT = """\
# Before you begin

You are asked to take part in a study on how people understand descriptions. It takes about {minutes} minutes.

Taking part is voluntary. You can stop at any time by closing the page.

Stored are your answers, how long they took, where you clicked, the size of your screen, and a code that stands for \
you. Your name, your address and your browser are not stored.

**To the experimenter:** replace this text by the one that your ethics board has approved.
"""
END = """\
# Thank you

Your answers have arrived. You may close this page.
"""


class DataCondition(NamedTuple):
    """One dataset, with options of its world, as a condition of a study.

    Attributes:
        name: what results call it.
        data: the dataset.
        options: those that the world has for questions.
    """

    name: str
    data: Path
    options: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study as its folder holds it.

    Attributes:
        folder: where it lies.
        digest: a name for exactly these items, settings and declarations.
        task: what is asked, as for models.
        answer: the kind of answer.
        settings: how it was made.
        conditions: for each condition what its questions come from.
        items: all items, in the order of their ids.
        order_seed: from which everybody's order follows.
    """

    folder: Path
    digest: str
    task: str
    answer: str
    settings: StudySettings
    conditions: Mapping[str, Mapping[str, Any]]
    items: tuple[Item, ...]
    order_seed: str

    def find(self, name: object) -> Item | None:
        """Return the item of an id, or None if there is none."""
        return next((item for item in self.items if item.id == name), None)

    def of_kind(self, *kinds: str) -> tuple[Item, ...]:
        """Return the items of some kinds."""
        return tuple(item for item in self.items if item.kind in kinds)

    def golds(self) -> dict[str, Gold]:
        """Return the right answers by the id of the item."""
        key = read_key(self.folder / "prompts.gold.jsonl").golds
        try:
            return {item.id: key[item.question] for item in self.items}
        except KeyError as error:
            raise BrokenDataset(f"{self.folder} holds no right answer to the question {error}") from error

    def client_items(self) -> list[dict[str, Any]]:
        """Return the items as pages show them, with the right answers to practice items only."""
        golds = self.golds()
        return [
            item.for_client(right=_right_choice(golds[item.id]) if item.kind == "practice" else "")
            for item in self.items
        ]

    def text(self, name: str) -> str:
        """Return one of the texts that participants read."""
        path = self.folder / f"{name}.md"
        try:
            return path.read_text(encoding="utf-8")[:LONGEST_TEXT]
        except (OSError, UnicodeDecodeError) as error:
            raise BrokenDataset(f"{path} cannot be read: {error}") from error

    def secret(self) -> dict[str, str]:
        """Return the random key and the completion code."""
        found = _read_json(self.folder / SECRET)
        if not all(isinstance(found.get(name), str) and found[name] for name in ("key", "code")):
            raise BrokenDataset(f"{self.folder / SECRET} holds no 'key' and 'code'")
        return found

    def tokens(self) -> frozenset[str]:
        """Return the tokens of personal links."""
        try:
            lines = (self.folder / LINKS).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise BrokenDataset(f"{self.folder / LINKS} cannot be read: {error}") from error
        return frozenset(line.strip() for line in lines if line.strip())


def _right_choice(gold: Gold) -> str:
    """The right answer as a participant gives it."""
    from deixis._study.judging import as_given

    return as_given(gold.right)


# -------------------------------------------------------------------------------- making


def make_study(
    conditions: Sequence[DataCondition],
    settings: StudySettings,
    out: Path,
    *,
    task: str,
    code: str = "",
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Study:
    """Make a study in a folder that is not there yet.

    Args:
        conditions: what is asked about; every participant gets as many items of each.
        settings: how many items of which kind.
        out: the folder.
        task: what is asked.
        code: the completion code; a random one if it is empty.
        progress: told how far things are.

    Raises:
        RecipeError: when the folder holds something, or the settings do not fit the task.
        BrokenDataset: when a dataset cannot be read or has too few questions.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RecipeError(f"{out} is there already; a study is never changed, so choose another folder")
    if len({one.name for one in conditions}) < len(conditions):
        raise RecipeError("two conditions have the same name; give datasets in folders of different names")
    asked, pools = _find_pools(conditions, settings, task, progress)
    items = _draw_items(pools, settings)
    used = {question.id for pool in pools for question in pool.taken}
    kept = [item for one in asked for item in one.items if item.question.id in used]
    first = asked[0]
    facts = {
        "style": first.recipe.style,
        "seed": settings.seed,
        "fresh": None,
        "data": ", ".join(str(one.facts["data"]) for one in asked),
        "task": task,
        "answer": first.recipe.wanted,
        "recipe digest": digest_of([one.facts for one in asked]),
        "questions": len(kept),
    }
    whole = Questionnaire(recipe=first.recipe, items=tuple(kept), facts=facts)
    record: dict[str, Any] = {
        "format": FORMAT,
        "deixis": __version__,
        "task": task,
        "answer": first.recipe.wanted,
        "settings": settings.to_dict(),
        "conditions": {
            condition.name: {
                "data": one.facts["data"],
                "digest": one.facts["data digest"],
                "content": _content_digest(condition.data),
                "options": dict(one.recipe.options),
                "items": sum(item.kind == "main" and item.condition == condition.name for item in items),
            }
            for condition, one in zip(conditions, asked, strict=True)
        },
        "declared": {
            "excluded": f"participants who miss more than {settings.attention_misses} of the attention items",
            "counted": "main items; practice and attention items are never scored",
            "drop-outs": "answers that are missing are bounded: all wrong to all right",
        },
        "order seed": f"{derive(settings.seed, 'order'):016x}",
        "items": [item.record() for item in items],
    }
    record["study"] = digest_of([record, [item.for_client() for item in items]])[:16]
    study = _study_of(out, record, items)
    out.mkdir(parents=True, exist_ok=True)
    write_prompts(whole, out / PROMPTS)
    _write_texts(study, questions_of(task).shown_to_people.get(study.answer, ""))
    _write_json(out / ITEMS, [_full(item) for item in items])
    _write_secret(out / SECRET, code or secrets.token_hex(4).upper())
    tokens = [secrets.token_urlsafe(12) for _ in range(settings.participants)]
    _write_text(out / LINKS, "".join(f"{token}\n" for token in tokens), mode=0o600)
    (out / ANSWERS).mkdir()
    _write_json(out / STUDY, record)  # last: what has it is whole
    return study


def _find_pools(
    conditions: Sequence[DataCondition], settings: StudySettings, task: str, progress: Any
) -> tuple[list[Questionnaire], list[Pool]]:
    """Return what is asked in each condition, and the questions from which its items are taken."""
    known = questions_of(task)
    answer = settings.answer or known.asked_of_people or known.answers[0]
    if is_box(answer):
        others = " or ".join(one for one in known.answers if not is_box(one))
        raise RecipeError(f"people are not asked to write boxes; ask for {others}")
    style = settings.style or ("image" if "image" in known.styles else known.styles[0])
    wanted = settings.items + settings.practice + settings.attention
    asked, pools, seen = [], [], set[str]()
    for number, condition in enumerate(conditions):
        seed = derive(settings.seed, "study", number) & ((1 << 63) - 1)
        recipe = PromptRecipe(
            task=task,
            answer=answer,
            style=style,
            limit=wanted,
            splits=settings.splits,
            seed=seed,
            options=condition.options,
        )
        one = ask(recipe, condition.data, progress=progress)
        new = [item for item in one.items if _content(item) not in seen]
        seen |= {_content(item) for item in new}
        drawn = Stream(derive(seed, "items")).permutation([item.question for item in new])
        asked.append(one)
        pools.append(Pool(condition.name, drawn))
    return asked, pools


def _content_digest(data: Path) -> str:
    """Return the digest by which results on a dataset are told apart, or an empty text without a manifest."""
    return open_dataset(data).digest if (data / MANIFEST).is_file() else ""


def _content(item: QuestionnaireItem) -> str:
    message = item.question.messages[-1]
    return digest_of([message.text, [picture.digest for picture in message.pictures]])


def _draw_items(pools: Sequence[Pool], settings: StudySettings) -> list[Item]:
    """Return all items; their ids are in an order that tells nothing."""
    counts: dict[Kind, int] = {
        "main": settings.items,
        "practice": settings.practice,
        "attention": settings.attention,
    }
    plan = [
        (kind, pools[place % len(pools)], FURTHER[place % len(FURTHER)] if kind == "attention" else "")
        for kind, count in counts.items()
        for place in range(count)
    ]
    numbers = Stream(derive(settings.seed, "numbers")).permutation(range(1, len(plan) + 1))
    made = []
    for number, (kind, pool, demand) in zip(numbers, plan, strict=True):
        question = pool.take()
        typed = not question.choices and not question.areas
        made.append(
            item_from(
                question,
                id=f"i{number:03}",
                kind=kind,
                condition=pool.condition,
                demand=TYPED_DEMAND if demand and typed else demand,
            )
        )
    return sorted(made, key=lambda item: item.id)


# -------------------------------------------------------------------------------- files


def read_study(folder: Path) -> Study:
    """Return the study in a folder.

    Raises:
        BrokenDataset: when there is none, or it is not as `make_study` wrote it.
    """
    record = _read_json(folder / STUDY)
    if record.get("format") != FORMAT:
        raise BrokenDataset(f"{folder / STUDY} is in format {record.get('format')!r}; this version reads {FORMAT}")
    try:
        items = tuple(_item_from(values) for values in json.loads((folder / ITEMS).read_text(encoding="utf-8")))
        found = _study_of(folder, record, items)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenDataset(f"{folder} is not as `deixis study` made it: {error}") from error
    named = {name: value for name, value in record.items() if name != "study"}
    if digest_of([named, [item.for_client() for item in items]])[:16] != found.digest:
        raise BrokenDataset(f"the items or settings of {folder} were changed since it was made; make a new study")
    return found


def _study_of(folder: Path, record: Mapping[str, Any], items: Sequence[Item]) -> Study:
    return Study(
        folder=folder,
        digest=record["study"],
        task=record["task"],
        answer=record["answer"],
        settings=StudySettings.from_dict(record["settings"]),
        conditions=record["conditions"],
        items=tuple(items),
        order_seed=record["order seed"],
    )


def _full(item: Item) -> dict[str, Any]:
    return {**item.record(), **item.for_client()}


def _item_from(values: Mapping[str, Any]) -> Item:
    return Item(
        id=values["id"],
        kind=values["kind"],
        condition=values["condition"],
        question=values["question"],
        ask=values["ask"],
        shown=tuple(values["shown"]),
        choices=tuple(values["choices"]),
        areas=tuple(ClickArea(answer, picture, tuple(box)) for answer, picture, *box in values["areas"]),
        demand=values.get("demand", ""),
    )


def _write_texts(study: Study, told: str) -> None:
    minutes = max(1, round(len(study.items) * 12 / 60))
    own = f"If several things fit, choose “{LABELS[SEVERAL]}”; if nothing does, “{LABELS[NONE]}”."
    asked = "Answer as exactly as you can, and take the time that you need."
    instructions = "\n\n".join(("# What to do", told, asked, *([own] if study.items[0].choices else [])))
    for name, text in zip(TEXTS, (CONSENT.format(minutes=minutes), f"{instructions}\n", END), strict=True):
        _write_text(study.folder / f"{name}.md", text)


def _write_secret(path: Path, code: str) -> None:
    _write_text(path, json.dumps({"key": secrets.token_hex(32), "code": code}) + "\n", mode=0o600)


def _write_json(path: Path, values: Any) -> None:
    _write_text(path, json.dumps(values, indent=1, ensure_ascii=False) + "\n")


def _write_text(path: Path, text: str, *, mode: int = 0o644) -> None:
    with replacing_file(path) as draft:
        draft.touch(mode=mode)
        draft.write_text(text, encoding="utf-8")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BrokenDataset(f"{path.parent} holds no study: there is no {path.name}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise BrokenDataset(f"{path} holds no record")
    return found
