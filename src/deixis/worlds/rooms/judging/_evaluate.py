"""Part `judging` of rooms: whether captions tell the target from its distractors, and say no more than that."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis._options import refuse_options
from deixis.errors import RecipeError
from deixis.judge.request import BASELINES
from deixis.learn.run import find_checkpoint, is_word
from deixis.worlds.rooms.judging._score import SPEAKERS_WORD, score_answers


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.report.output import Output


WORDS = (*BASELINES, SPEAKERS_WORD)
OF_SPEAKERS = (
    *("decoding", "temperature", "k", "width", "thinking", "alpha", "cost", "candidates", "fluency", "listener"),
    *("pictures", "pairs", "encoder", "cache"),
)
OF_CAPTIONS = ("mode", "denominator", "contrast", "mend", "surface")

answers = {
    "JSON Lines or CSV": '{"prediction": "a red ball", "target_id": 163233, "distractor_id": 167073, "set": "shape"}',
    "checkpoint": "a speaker that `deixis train` left, or one that comes with deixis; it captions the test sets",
}
baselines = {
    "random": "features of the target drawn by lot",
    "oracle": "the fewest features that tell the target apart, and nothing else",
    "speakers": "nine speakers that need no training, and the released captions",
}
measures = {
    "discriminativity": "what is truly said fits the target alone",
    "contrastive_efficiency": "how few of the contrastive features are said, where the target is found",
    "relevance": "the share of features that tell nothing apart and are left unsaid",
    "optimal_discriminativity": "the target is found with as few contrastive features as it takes",
    "listener_accuracy": "the listener that the speaker played with finds the target",
}
runs_on_clusters = True


def recognises(answers: Path) -> bool:
    """Return whether a file holds captions of numbered images, or a name is an untrained speaker, without a dataset."""
    return str(answers) == SPEAKERS_WORD or (answers.is_file() and _holds_captions(answers))


def evaluate(request: Request) -> Output:
    """Judge captions in files, captions of speakers that need no training, or let a speaker speak first."""
    speakers = [one for one in request.answers if not is_word(one, WORDS) and find_checkpoint(one) is not None]
    lost = [one for one in request.answers if not (one in speakers or str(one) in WORDS or one.exists())]
    if lost:
        from deixis.learn.run import checkpoint_of

        checkpoint_of(lost[0])
    if not speakers:
        given: dict[str, Any] = {_flag(name): request.options.get(name) for name in OF_SPEAKERS}
        given |= {"--device": request.device != "auto"}
        refuse_options(given, because="for speakers only, and these captions are there already")
        return score_answers(request)
    if len(request.answers) > 1:
        raise RecipeError(f"{speakers[0]} is a speaker, which is judged by itself; judge its captions beside others")
    refuse_options({_flag(name): request.options.get(name) for name in OF_CAPTIONS}, because="for files of captions")
    from deixis.worlds.rooms.judging._speak import speak

    return speak(request)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _holds_captions(path: Path) -> bool:
    """Whether the first line of a file has a caption and a target, as JSON or as columns."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            line = stream.readline(1 << 16)
    except (OSError, UnicodeDecodeError):
        return False
    try:
        record = json.loads(line)
        names = list(record) if isinstance(record, dict) else []
    except (ValueError, RecursionError):
        names = [name.strip(' "\n\r') for name in line.replace("\t", ",").split(",")]
    return bool({"prediction", "caption"} & set(names)) and bool({"target_id", "target"} & set(names))
