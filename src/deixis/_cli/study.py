"""`deixis study`: the questions of models put to people, with everything that an experiment needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from deixis._cli.options import Count, Json, Places, Seed
from deixis._cli.places import at_hand
from deixis._cli.printing import print_json, print_table
from deixis._cli.progress import Stages
from deixis._options import names_in
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis._study.design import DataCondition, Study
    from deixis.worlds.world import Option, World


AT = "@"  # between a dataset and the options of its condition


def study(
    data: Annotated[Places, Parameter(name="DATA")],
    /,
    *,
    task: str = "",
    items: int = 40,
    practice: int = 3,
    attention: int = 2,
    attention_misses: int = 0,
    break_every: int = 20,
    participants: int = 30,
    admit: Literal["links", "prolific", "anyone"] = "links",
    style: str = "",
    split: str = "",
    code: str = "",
    out: Path | None = None,
    bundle: Path | None = None,
    post: str = "",
    label_studio: Annotated[Path | None, Parameter(name="--label-studio")] = None,
    potato: Path | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Make a study with people, or write one for a web space.

    Each dataset is a condition, of which every participant gets as many items; refs@setting=Full names a dataset with
    an option of its world for questions, so that one dataset can be several conditions. Items, practice, attention
    items and the rule by which participants are left out are fixed in the folder, together with the texts to edit, a
    personal link for everybody, and the same questions as prompts for models.

    Serve it with `deixis studio --study STUDY`, and analyse it with `deixis evaluate STUDY`. Given a study instead of
    data, this verb says what is in it, or writes it with --bundle, --label-studio or --potato.

    Args:
        data: Datasets of one task, or a study that is made.
        task: What is asked: the task of the datasets, or one of its kinds of answers (target, choose, region, …); by
            default the one that suits people.
        items: How many items every participant gets; 40 by default.
        practice: How many practice items with feedback go before them; 3 by default.
        attention: How many items that ask for a given answer are among them; 2 by default.
        attention_misses: How many of those a participant may miss without being left out; 0 by default.
        break_every: After how many items a break is offered, 0 for never; 20 by default.
        participants: How many personal links are made; 30 by default.
        admit: Who may take part: holders of a link, participants whom Prolific sends, or anyone.
        style: How scenes are shown: image where there is one (the default), text, or what else the task knows.
        split: Splits or sets to ask about, separated by commas; by default test, or all sets.
        code: The completion code that participants get in the end; a random one by default.
        out: The folder of the study; it is made.
        bundle: Write the study as a page for any web space into this folder; it keeps no right answer.
        post: Where that page sends its results; by default participants save them as a file.
        label_studio: Write the items for Label Studio into this folder.
        potato: Write the items for potato into this folder.
        seed: Random seed of the choice of items and of everybody's order; 0 by default.
        workers: Accepted by every verb; one core is fast enough.
        as_json: Print JSON instead of text.
    """
    from deixis._study.design import make_study, read_study
    from deixis._study.settings import StudySettings, is_study

    del workers
    if len(data) == 1 and isinstance(data[0], Path) and is_study(data[0]):
        if out is not None:
            raise RecipeError(f"{data[0]} is a study that is made; to make one, name the datasets")
        return _write(read_study(data[0]), bundle, post, label_studio, potato, as_json=as_json)
    if out is None:
        raise RecipeError("say where the study is to be made: add --out STUDY")
    if bundle or label_studio or potato or post:
        raise RecipeError(f"first make the study, then write it: deixis study {out} --bundle FOLDER")
    conditions, name, answer = _conditions(data, task)
    settings = StudySettings(
        items=items,
        practice=practice,
        attention=attention,
        attention_misses=attention_misses,
        break_every=break_every,
        participants=participants,
        admission=admit,
        answer=answer,
        style=style,
        splits=names_in(split),
        seed=seed,
    )
    with Stages() as progress:
        made = make_study(conditions, settings, out, task=name, code=code, progress=progress)
    if as_json:
        print_json(_facts(made))
        return 0
    _print(made)
    print(f"Edit {', '.join(f'{text}.md' for text in ('consent', 'instructions', 'end'))} in {out}, then")
    print(f"  deixis studio --study {out}      serve it; personal links are made from {out / 'links.txt'}")
    print(f"  deixis study {out} --bundle WEB  write it as a page for any web space")
    print(f"  deixis evaluate {out}            analyse the answers")
    return 0


def _write(
    made: Study, bundle: Path | None, post: str, label_studio: Path | None, potato: Path | None, *, as_json: bool
) -> int:
    """Write a study in the forms that are asked for, or tell of it."""
    from deixis._study.bundle import write_bundle
    from deixis._study.exports import write_label_studio, write_potato

    if post and bundle is None:
        raise RecipeError("--post is where the page of --bundle sends results; add --bundle FOLDER")
    files: list[Path] = []
    files += write_bundle(made, bundle, post=post) if bundle is not None else []
    files += write_label_studio(made, label_studio) if label_studio is not None else []
    files += write_potato(made, potato) if potato is not None else []
    if as_json:
        print_json(_facts(made) | {"files": [str(path) for path in files]})
        return 0
    _print(made)
    if files:
        print(f"Written: {', '.join(map(str, files))}")
    if bundle is not None:
        print("No right answer is in that page but those of practice; the completion code can be read in it")
    return 0


def _facts(made: Study) -> dict[str, Any]:
    return {
        "study": made.digest,
        "folder": str(made.folder),
        "task": made.task,
        "answer": made.answer,
        "settings": made.settings.to_dict(),
        "conditions": dict(made.conditions),
        "items": len(made.items),
    }


def _print(made: Study) -> None:
    kinds = {"main": "", "practice": " for practice", "attention": " for attention"}
    counted = ", ".join(f"{len(made.of_kind(kind))}{words}" for kind, words in kinds.items())
    print(f"Study {made.digest} ({made.task}, answer: {made.answer}): {counted}")
    rows = [
        (name, str(found["data"]), f"{found['items']:,}", str(found["digest"])[:12])
        for name, found in made.conditions.items()
    ]
    print_table(("condition", "data", "items", "digest"), rows, numbers=(2,))


# -------------------------------------------------------------------------------- conditions


def _conditions(places: Places, task: str) -> tuple[list[DataCondition], str, str | None]:
    """Return the conditions, their task, and the kind of answer that is asked for."""
    from deixis._study.design import DataCondition
    from deixis.prompts.tasks import questions_of, task_of, world_of_task

    found = [_split_options(place) for place in places]
    tasks = {str(path): task_of(path) for path, _ in found}
    if len(set(tasks.values())) > 1:
        said = ", ".join(f"{path} is for {name}" for path, name in tasks.items())
        raise RecipeError(f"a study has one task; {said}")
    name = next(iter(tasks.values()))
    answers = questions_of(name).answers
    if task and task != name and task not in answers:
        raise RecipeError(
            f"the task of {found[0][0]} is {name}, with the answers {', '.join(answers)}; got {task[:40]!r}"
        )
    world = world_of_task(name)
    conditions = [
        DataCondition(
            ", ".join((path.resolve().name, *(f"{key}={value}" for key, value in given.items()))),
            path,
            _read_options(world, given),
        )
        for path, given in found
    ]
    return conditions, name, task if task in answers else None


def _split_options(place: Path | str) -> tuple[Path, dict[str, str]]:
    """Return a dataset and the options after an @, unless it is the name of something that is there."""
    text = str(place)
    if AT not in text or (isinstance(place, Path) and place.exists()):
        return at_hand(place), {}
    where, _, said = text.rpartition(AT)
    pairs = [part.partition("=") for part in said.split(",")]
    if not where or not all(name and value for name, _, value in pairs):
        raise RecipeError(f"options of a condition are written DATA{AT}name=value,name=value; got {text[:80]!r}")
    return at_hand(Path(where) if isinstance(place, Path) else where), {name: value for name, _, value in pairs}


def _read_options(world: World, given: Mapping[str, str]) -> dict[str, Any]:
    """Return options of a world for questions with their values."""
    known: dict[str, Option] = world.options_of("prompts")
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            said = ", ".join(known) or "none"
            raise RecipeError(f"{world.name} has no option {name[:40]!r} for questions; it has: {said}")
        try:
            found[name] = known[name].kind(value)
        except ValueError:
            raise RecipeError(f"{name} of {world.name} is a {known[name].kind.__name__}, got {value[:40]!r}") from None
    return found
