"""What training a speaker of rooms left in a folder, and what the speaker said of the test sets.

A run folder holds `run.json`, `log.jsonl`, and a folder `said` that `deixis evaluate RUN --out RUN/said` writes. Others
with longer names, such as `said-beam`, tell what the same speaker said in another style. Of a speaker that was trained
elsewhere, what it said is enough: `deixis evaluate speaker-b --out FOLDER` leaves the settings of its training, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypedDict

from deixis.errors import BrokenDataset, RecipeError
from deixis.judge.uncertainty import wilson
from deixis.report.json_facts import fact_lines, flat_facts, printable, read_facts
from deixis.report.runs import EVALUATION, LOG, RUN, Look, read_log, read_run_facts
from deixis.worlds.rooms.pairs import CATEGORIES, SETS
from deixis.worlds.rooms.scene import FACTORS
from deixis.worlds.rooms.training.settings import Captioning, Game


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from deixis.report.json_facts import Facts


__all__ = [
    "ALL",
    "METRICS",
    "ROLES",
    "Leg",
    "Letter",
    "Line",
    "Reading",
    "Said",
    "SpeakerRun",
    "is_speaker",
    "read_captions",
    "read_speaker",
]

Letter: TypeAlias = Literal["B", "RP", "SP"]
ROLES = ("captioning", "game")
ALL = "all sets"
SAID, CAPTIONS, BEST = "said", "captions.jsonl", "best.safetensors"
METRICS = {  # the rows of the paper's Table 1, what its section 3 tells beside, and what it does not measure
    "discriminativity": "discriminativity",
    "contrastive_efficiency": "contrastive efficiency",
    "relevance": "relevance",
    "optimal_discriminativity": "optimal contrastivity",
    "mentioned_features": "mentioned features",
    "false_features": "false features",
    "contrast_gap": "contrast gap",
    "listener_accuracy": "listener accuracy",
    "literal_accuracy": "literal listener",
}
HEARD = ("listener_accuracy", "literal_accuracy")
REDUNDANT = tuple(f"when_redundant/{factor}" for factor in FACTORS)
IMAGES = 480_000


class Reading(NamedTuple):
    """A mean over captions, with its 95 % interval where one was reckoned."""

    mean: float
    low: float | None = None
    high: float | None = None


class Leg(NamedTuple):
    """A part of the way: how many updates were wanted then, by which the rate went, and until which it led."""

    updates: int
    until: int


class Line(NamedTuple):
    """A caption of the first of some images; whether the listener found it, None where nobody listened."""

    text: str
    images: tuple[int, ...]
    is_understood: bool | None


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a speaker said of the test sets.

    Attributes:
        folder: what it is called.
        path: where it is.
        checkpoint: the SHA-256 of the checkpoint that spoke.
        listener: the SHA-256 of the checkpoint that listened, empty where none did.
        style: how captions were said, by dotted names.
        seed: of chance.
        contexts: in each set.
        readings: by set, category or `ALL`, then by metric; what is undefined is not there.
    """

    folder: str
    path: Path
    checkpoint: str
    listener: str
    style: Mapping[str, str]
    seed: int
    contexts: int
    readings: Mapping[str, Mapping[str, Reading]]


@dataclass(frozen=True, kw_only=True)
class SpeakerRun:
    """A speaker that has learnt captions, or has played.

    Attributes:
        folder: what the folder is called.
        is_trained_here: whether training left the folder; otherwise it holds what a checkpoint said.
        how: the settings.
        updates: how many were taken; `how` says how many were wanted.
        legs: the parts of the way where it was gone on with for another number of updates, the last one included.
        is_steadied: whether what the models see was fitted to changed pictures at the end.
        encoder: how images are seen.
        encoder_digest: which one of that name.
        speaker: the SHA-256 of the checkpoint that the game began with, empty of a captioner.
        listener: the same of a listener that was given.
        parameters: how many numbers each model has.
        device: what it was trained on.
        seconds: how long that took.
        examples_per_second: how fast it was.
        peak_bytes: the most memory in use.
        looks: what was measured as it went, in the order of updates.
        said: what it said; the first is the folder `said`.
    """

    folder: str
    how: Captioning | Game
    updates: int
    encoder: str
    encoder_digest: str
    is_trained_here: bool = True
    speaker: str = ""
    listener: str = ""
    legs: tuple[Leg, ...] = ()
    is_steadied: bool = False
    parameters: Mapping[str, int] = field(default_factory=dict)
    device: str = ""
    seconds: float | None = None
    examples_per_second: float | None = None
    peak_bytes: int | None = None
    looks: tuple[Look, ...] = ()
    said: tuple[Said, ...] = ()

    @property
    def letter(self) -> Letter:
        """Which model of the paper it is."""
        if isinstance(self.how, Captioning):
            return "B"
        return "RP" if self.how.pairs == "random" else "SP"


def is_speaker(folder: Path) -> bool:
    """Whether a folder is that of a speaker of rooms, or of what one said; False also where nothing can be read.

    Raises:
        BrokenDataset: when run.json or evaluation.json is there and is no JSON object.
    """
    return _role_in(folder / RUN, "model") or (not (folder / RUN).exists() and _role_in(folder / EVALUATION, "role"))


def _role_in(path: Path, key: str) -> bool:
    return path.is_file() and read_facts(path, hint="").values.get(key) in ROLES


def read_speaker(folder: Path) -> SpeakerRun:
    """Read the folder of a speaker, or of what a speaker said that was trained elsewhere.

    Raises:
        BrokenDataset: when a file is missing, is no JSON, says what cannot be, or is of another checkpoint.
    """
    if not (folder / RUN).exists() and _role_in(folder / EVALUATION, "role"):
        return _read_said_alone(folder)
    facts = read_run_facts(folder / RUN, hint="is this a folder that training left?")
    role = facts.text("model")
    if role not in ROLES:
        raise BrokenDataset(f"{folder / RUN} is of {role!r}, not of a speaker of rooms")
    run = SpeakerRun(
        folder=printable(folder.resolve().name),
        how=_settings(folder / RUN, role, facts.inner("settings")),
        updates=facts.count("steps"),
        **_beginnings(facts.inner("training")),
        legs=tuple(Leg(one.count("steps"), one.count("until")) for one in facts.inners("legs")),
        is_steadied=bool(facts.inner("steadied").values),
        parameters={name: facts.inner("parameters").count(name) for name in facts.inner("parameters").values},
        device=facts.text("device", ""),
        seconds=facts.find_number("seconds"),
        examples_per_second=facts.find_number("examples_per_second"),
        peak_bytes=facts.find_count("peak_bytes"),
        looks=read_log(folder / LOG)["looks"],
        said=tuple(_all_said(folder)),
    )
    best = _digest(folder / BEST)
    for said in run.said:
        if said.checkpoint != (best or said.checkpoint):
            raise BrokenDataset(
                f"{said.path / EVALUATION} is of another checkpoint than {folder / BEST}; "
                f"let it speak again, with deixis evaluate {folder} --out {said.path}"
            )
    return run


def _read_said_alone(folder: Path) -> SpeakerRun:
    """A speaker by what it said: the checkpoint tells how it was trained, but not how long that took."""
    facts = read_facts(folder / EVALUATION, hint="")
    return SpeakerRun(
        folder=printable(folder.resolve().name),
        is_trained_here=False,
        how=_settings(folder / EVALUATION, facts.text("role"), facts.inner("training")),
        updates=facts.count("updates"),
        **_beginnings(facts.inner("data")),
        said=(_said_in(folder, facts, name="."),),
    )


class _Beginnings(TypedDict):
    """What training began with: how images are seen, and which checkpoints were given."""

    encoder: str
    encoder_digest: str
    speaker: str
    listener: str


def _beginnings(facts: Facts) -> _Beginnings:
    return {
        "encoder": facts.text("encoder", ""),
        "encoder_digest": facts.text("encoder_digest", ""),
        "speaker": facts.text("speaker", ""),
        "listener": facts.text("listener", ""),
    }


def read_captions(said: Said) -> dict[str, list[Line]]:
    """The captions of every set; empty where the file is not there.

    Raises:
        BrokenDataset: when a line is no caption of images that there are.
    """
    path = said.path / CAPTIONS
    found: dict[str, list[Line]] = {}
    for facts in fact_lines(path) if path.exists() else ():
        others = facts.values.get("distractor_ids", [facts.values.get("distractor_id")])
        images = [facts.values.get("target_id"), *(others if isinstance(others, list) else [None])]
        if not all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one < IMAGES for one in images):
            raise BrokenDataset(f"{path} names an image that is none of the {IMAGES:,} rooms")
        heard = facts.flag("understood") if "understood" in facts.values else None
        line = Line(_whole_text(facts, path), tuple(images), heard)
        found.setdefault(facts.text("set", ""), []).append(line)
    return found


def _whole_text(facts: Facts, path: Path) -> str:
    said = facts.values.get("prediction")
    if not isinstance(said, str):
        raise BrokenDataset(f"{path} has a line without a prediction")
    return "".join(sign if sign.isprintable() else " " for sign in said)


def _settings(path: Path, role: str, facts: Facts) -> Captioning | Game:
    try:
        return Captioning.read(facts.values) if role == "captioning" else Game.read(facts.values)
    except RecipeError as error:
        raise BrokenDataset(f"{path}, settings: {printable(str(error))}") from error


def _all_said(folder: Path) -> Iterator[Said]:
    others = sorted(path for path in folder.glob(f"{SAID}-*") if (path / EVALUATION).is_file())
    for path in (folder / SAID, *others):
        facts = read_facts(path / EVALUATION, hint=f"let it speak first, with deixis evaluate {folder} --out {path}")
        yield _said_in(path, facts, name=printable(path.name))


def _said_in(path: Path, facts: Facts, *, name: str) -> Said:
    if not isinstance(facts.values.get("categories"), dict) or not isinstance(facts.values.get("accuracy"), dict):
        raise BrokenDataset(f"{path / EVALUATION} is not what deixis evaluate writes of a speaker; let it speak again")
    if not facts.count("contexts"):
        raise BrokenDataset(f"{path / EVALUATION} judges no caption")
    return Said(
        folder=name,
        path=path,
        checkpoint=facts.text("checkpoint"),
        listener=facts.text("listener", "") if facts.values.get("listener") is not None else "",
        style=dict(flat_facts(facts.inner("style").values)),
        seed=facts.find_count("seed") or 0,
        contexts=facts.count("contexts"),
        readings=_readings(facts),
    )


def _readings(facts: Facts) -> dict[str, dict[str, Reading]]:
    heard, each = facts.inner("accuracy"), facts.count("contexts")
    parts = {name: (facts.inner("sets").inner(name), heard.inner(name)) for name in SETS}
    parts |= {name: (facts.inner("categories").inner(name), heard.inner(name)) for name in CATEGORIES}
    parts[ALL] = (facts.inner("overall"), heard.inner("overall"))
    sets = {ALL: len(SETS)} | {name: len(some) for name, some in CATEGORIES.items()}
    return {name: dict(_of_part(*two, each * sets.get(name, 1))) for name, two in parts.items()}


def _of_part(scores: Facts, heard: Facts, captions: int) -> Iterator[tuple[str, Reading]]:
    for metric in (*METRICS, *REDUNDANT):
        if metric in HEARD:
            if (share := heard.find_share(metric)) is not None:
                sure = wilson(round(share * captions), captions)
                yield metric, Reading(share, sure.low, sure.high)
        elif (mean := scores.inner(metric).find_number("mean")) is not None:
            yield metric, Reading(mean, *(scores.inner(metric).find_number(side) for side in ("low", "high")))


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
