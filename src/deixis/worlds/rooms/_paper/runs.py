"""Speakers of rooms: what is read of their training and of what they said, and which model of Table 1 they are.

A run folder holds `run.json`, `log.jsonl`, and a folder `said` that `deixis evaluate RUN --out RUN/said` writes. Others
with longer names, such as `said-beam`, hold what the same speaker said in another style. Of a speaker that was trained
elsewhere, what it said is enough: `deixis evaluate speaker-b --out FOLDER` leaves the settings of its training, too.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis.data.store import file_digest
from deixis.errors import BrokenDataset, RecipeError
from deixis.judge.uncertainty import wilson
from deixis.learn.run import rename_facts
from deixis.report import _runs as runs
from deixis.report._json_facts import Facts, fact_lines, find_facts, flat_facts, printable
from deixis.report._results.cells import measure
from deixis.report._results.groups import demand_different_seeds, group_runs
from deixis.report._runs import EVALUATION, RUN, Results, Run
from deixis.worlds.rooms.pairs import CATEGORIES, SETS
from deixis.worlds.rooms.scene import FACTORS, IMAGES
from deixis.worlds.rooms.training.settings import Captioning, Game


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.judge.uncertainty import Estimate
    from deixis.report._results.cells import Measurement
    from deixis.report._results.groups import Group


Letter: TypeAlias = Literal["B", "RP", "SP", "C", "CP"]
PUBLISHED: tuple[Letter, ...] = ("B", "RP", "SP")
LETTERS: tuple[Letter, ...] = (*PUBLISHED, "C", "CP")  # ours: taught captions that depend on the pair, and the game
ROLES = ("captioning", "game")
ALL = "all sets"
SAID, CAPTIONS, BEST = "said", "captions.jsonl", "best.safetensors"
METRICS = {  # the rows of the paper's Table 1, what its section 3 tells beside, and what it does not measure
    "discriminativity": "discriminativity",
    "contrastive_efficiency": "contrastive efficiency",
    "relevance": "relevance",
    "optimal_discriminativity": "optimal discriminativity",
    "mentioned_features": "mentioned features",
    "false_features": "false features",
    "contrast_gap": "contrast gap",
    "listener_accuracy": "listener accuracy",
    "literal_accuracy": "literal listener",
}
HEARD = ("listener_accuracy", "literal_accuracy")
REDUNDANT = tuple(f"when_redundant/{factor}" for factor in FACTORS)
IGNORED = ("seed", "eval_every", "log_every", "save_every")  # settings that do not set groups apart
TRAIT_NAMES = {
    "structure": "λ",
    "decoding.way": "",
    "thinking": "",
    "decoding.k": "k",
    "decoding.width": "beam of",
    "pragmatic.alpha": "α",
    "pragmatic.cost": "cost of speaking",
    "pragmatic.candidates": "candidates",
    "pragmatic.fluency": "fluency",
}


class Leg(NamedTuple):
    """A part of a training that was gone on with: the steps that were wanted then, and the step until which it led."""

    steps: int
    until: int


class Caption(NamedTuple):
    """A caption of the first of some images, and whether the listener found it, or None without a listener."""

    text: str
    images: tuple[int, ...]
    is_understood: bool | None


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """A speaker that learnt captions or played the reference game, and what it said in one style.

    Attributes:
        run: the training, with the scores of what was said by set, category or `ALL`, and metric.
        home: the name of the run folder.
        said: the name of the folder of what it said; "." where training left no folder.
        how: the settings.
        encoder, encoder_digest: how images are seen.
        speaker: the SHA-256 of the checkpoint that the game began with, empty of a captioner.
        listener: the same of a listener that was given.
        legs: the parts of a training that was gone on with for another number of steps, the last one included.
        is_steadied: whether the encoder was fitted to changed pictures at the end.
        checkpoint: the SHA-256 of the checkpoint that spoke.
        heard_by: the SHA-256 of the checkpoint that listened, empty where none did.
        style: how captions were said, by dotted names.
        chance_seed: of sampling.
        contexts: how many in each set.
    """

    run: Run
    home: str
    said: str
    how: Captioning | Game
    encoder: str = ""
    encoder_digest: str = ""
    speaker: str = ""
    listener: str = ""
    legs: tuple[Leg, ...] = ()
    is_steadied: bool = False
    checkpoint: str = ""
    heard_by: str = ""
    style: Mapping[str, str] = field(default_factory=dict)
    chance_seed: int = 0
    contexts: int = 0

    @property
    def letter(self) -> Letter:
        """The model of the paper that it is, or with a teacher C, and CP after the game."""
        is_taught = self.how.teacher != "exhaustive"
        if isinstance(self.how, Captioning):
            return "C" if is_taught else "B"
        if is_taught:
            return "CP"
        return "RP" if self.how.pairs == "random" else "SP"

    @property
    def is_trained_here(self) -> bool:
        """True if training left the folder, rather than the captions of a checkpoint."""
        return self.said != "."


def is_speaker(folder: Path) -> bool:
    """Return whether a folder is that of a speaker of rooms, or of its captions, and False if it cannot be read.

    Raises:
        BrokenDataset: when run.json or evaluation.json is there and is no JSON object.
    """
    if (folder / RUN).exists():
        return find_facts(folder / RUN).values.get("model") in ROLES
    return find_facts(folder / EVALUATION).values.get("role") in ROLES


def read_speakers(folder: Path) -> list[Speaker]:
    """Read the folder of a speaker, or of captions of one trained elsewhere, as one speaker for every style.

    Raises:
        BrokenDataset: when a file is missing, is no JSON, has impossible values, or is of another checkpoint.
    """
    if not (folder / RUN).exists() and is_speaker(folder):
        run = runs.read_run(folder)
        about = Facts(rename_facts(run.judged.values), run.judged.where)
        run = replace(run, model=about.text("role"), steps=about.count("steps"))
        return [_speaker(run, about.inner("training"), about.inner("data"), home=run.folder, said=".")]
    role = find_facts(folder / RUN, kind="run").text("model")
    if role not in ROLES:
        raise BrokenDataset(f"{folder / RUN} is of {role!r}, not of a speaker of rooms")
    best = file_digest(folder / BEST) if (folder / BEST).is_file() else ""
    others = sorted(path for path in folder.glob(f"{SAID}-*") if (path / EVALUATION).is_file())
    found = []
    for path in (folder / SAID, *others):
        if not (path / EVALUATION).is_file():
            raise BrokenDataset(
                f"there is no {path / EVALUATION}; let it speak first, with deixis evaluate {folder} --out {path}"
            )
        run = runs.read_run(path, home=folder, kind="run")
        home = printable(folder.resolve().name)
        one = _speaker(run, run.trained.inner("settings"), run.trained.inner("training"), home=home, said=path.name)
        if one.checkpoint != (best or one.checkpoint):
            raise BrokenDataset(
                f"{path / EVALUATION} is of another checkpoint than {folder / BEST}; "
                f"let it speak again, with deixis evaluate {folder} --out {path}"
            )
        found.append(one)
    return found


def _speaker(run: Run, settings: Facts, began: Facts, *, home: str, said: str) -> Speaker:
    judged = run.judged
    if not all(isinstance(judged.values.get(name), dict) for name in ("categories", "accuracy")):
        raise BrokenDataset(f"{judged.where} is not what deixis evaluate writes of a speaker; let it speak again")
    if not judged.count("contexts"):
        raise BrokenDataset(f"{judged.where} judges no caption")
    record = Captioning if run.model == ROLES[0] else Game
    try:
        how = record.read(settings.values)
    except RecipeError as error:
        raise BrokenDataset(f"{settings.where}: {printable(str(error))}") from error
    began = began.without_nulls()
    return Speaker(
        run=replace(run, seed=how.seed, results=Results(scores=_scores(judged))),
        home=home,
        said=printable(said),
        how=how,
        encoder=began.text("encoder", ""),
        encoder_digest=began.text("encoder_digest", ""),
        speaker=began.text("speaker", ""),
        listener=began.text("listener", ""),
        legs=tuple(Leg(one.count("steps"), one.count("until")) for one in run.trained.inners("legs")),
        is_steadied=bool(run.trained.values.get("steadied")),
        checkpoint=judged.text("checkpoint"),
        heard_by=judged.without_nulls().text("listener", ""),
        style=dict(flat_facts(judged.inner("style").values)),
        chance_seed=judged.find_count("seed") or 0,
        contexts=judged.count("contexts"),
    )


def _scores(judged: Facts) -> dict[str, dict[str, Estimate]]:
    heard, contexts = judged.inner("accuracy"), judged.count("contexts")
    parts = {name: (judged.inner("sets").inner(name), heard.inner(name), 1) for name in SETS}
    for name, some in CATEGORIES.items():
        parts[name] = (judged.inner("categories").inner(name), heard.inner(name), len(some))
    parts[ALL] = (judged.inner("overall"), heard.inner("overall"), len(SETS))
    found: dict[str, dict[str, Estimate]] = {}
    for name, (scores, accuracy, sets) in parts.items():
        known = [metric for metric in (*METRICS, *REDUNDANT) if metric in scores.values and metric not in HEARD]
        found[name] = {metric: scores.estimate(metric) for metric in known}
        for metric in HEARD:
            if (share := accuracy.find_share(metric)) is not None:
                captions = contexts * sets
                found[name][metric] = wilson(round(share * captions), captions)._replace(mean=share)
    return found


def read_captions(speaker: Speaker) -> dict[str, list[Caption]]:
    """Read the captions of every set, or return nothing where the file is not there.

    Raises:
        BrokenDataset: when a line is no caption of images that there are.
    """
    path = speaker.run.path / CAPTIONS
    found: dict[str, list[Caption]] = {}
    for facts in fact_lines(path) if path.exists() else ():
        others = facts.values.get("distractor_ids", [facts.values.get("distractor_id")])
        images = [facts.values.get("target_id"), *(others if isinstance(others, list) else [None])]
        if not all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one < IMAGES for one in images):
            raise BrokenDataset(f"{path} names an image that is none of the {IMAGES:,} rooms")
        words = facts.values.get("prediction")
        if not isinstance(words, str):
            raise BrokenDataset(f"{path} has a line without a prediction")
        plain = "".join(sign if sign.isprintable() else " " for sign in words)
        heard = facts.flag("understood") if "understood" in facts.values else None
        found.setdefault(facts.text("set", ""), []).append(Caption(plain, tuple(images), heard))
    return found


# -------------------------------------------------------------------------------- groups


def groups_of(speakers: Sequence[Speaker]) -> list[Group[Speaker]]:
    """Group speakers that differ in their seeds only, first at most one group of each letter without differences.

    Raises:
        RecipeError: when a run is given twice.
    """
    groups = group_runs(
        speakers,
        kind=lambda one: (one.letter, one.letter),
        traits=_traits,
        order=lambda one: (one.how.seed, one.home),
        say=_say_trait,
    )
    for group in groups:  # speakers of one seed must at least have begun with different ones
        demand_different_seeds(
            group.label,
            group.runs,
            seed=lambda one: (one.how.seed, one.speaker, one.listener),
            folder=lambda one: one.home,
        )
    return sorted(groups, key=lambda one: (bool(one.differs), LETTERS.index(one.runs[0].letter)))


def measure_group(group: Group[Speaker], part: str, metric: str) -> Measurement | None:
    """Return a metric in a set, a category or all sets, or None where no seed has it."""
    return measure([one.run.results.scores.get(part, {}).get(metric) for one in group.runs])


def _traits(one: Speaker) -> dict[str, Any]:
    """How a speaker was trained, and how it spoke."""
    found: dict[str, Any] = {name: value for name, value in asdict(one.how).items() if name not in IGNORED}
    found |= {"encoder": one.encoder, "encoder_digest": one.encoder_digest, "given": bool(one.listener)}
    found |= {"taken": min(one.run.steps, one.how.steps), "legs": one.legs, "steadied": one.is_steadied}
    if "width" not in found:  # a game is played with speakers as wide as they are
        found["speaker"] = one.run.parameters.get("speaker", 0)
    return found | {**one.style, "contexts": one.contexts, "own": one.heard_by in ("", one.checkpoint)}


def _say_trait(name: str, value: Any, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    match name:
        case "encoder_digest":
            return "another encoder of that name" if ours["encoder"] == theirs.get("encoder") else ""
        case "given":
            return "listener given" if value else "listener new"
        case "steadied":
            return "steadied" if value else "not steadied"
        case "legs":
            return (
                f"gone on with: {', then '.join(f'{leg.steps:,}' for leg in value)} steps"
                if value
                else "without going on"
            )
        case "taken":
            return f"stopped after {value:,} steps" if value != ours["steps"] else ""
        case "speaker":
            return f"speaker of {value:,} parameters"
        case "contexts":
            return f"{value:,} pairs a set"
        case "own":
            return "own listener" if value else "another listener hears"
        case "thinking":
            return "without thinking" if value == "none" else str(value)
    shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
    shown = f"{value:g}" if isinstance(value, float) else shown
    plain = name.rpartition(".")[2] if name.startswith("decoding") else name.replace(".", " ")
    return f"{TRAIT_NAMES.get(name, plain.replace('_', ' '))} {shown}".strip()
