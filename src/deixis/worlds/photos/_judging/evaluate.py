"""Part `judging` of photographs: the evaluation of models that find the targets of expressions.

An answer is right when it is the target itself. Results are given by form, length and number of candidates, and wrong
choices by where they lie and by what a reader misses who makes them.
"""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from deixis._losses import Losses
from deixis._options import refuse_options
from deixis._version import __version__
from deixis.data._crew import count_workers
from deixis.data._data_places import share_reading
from deixis.data._kept_results import demand_same, place_for, read_kept, write_evaluation
from deixis.data._pieces import share_kept
from deixis.errors import BrokenDataset, RecipeError, SchemaError, UnknownName
from deixis.judge.request import AGAIN, ANSWERED, BASELINES, NO_EXAMPLE
from deixis.judge.verdicts import VERDICTS
from deixis.learn.run import checkpoint_of, is_word
from deixis.report.output import Output
from deixis.seeds import Stream, derive
from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos._judging.tables import absence_blocks, evaluation_blocks
from deixis.worlds.photos._judging.verdict_file import write_answer_verdicts
from deixis.worlds.photos._judging.verdicts import Verdict, judge_choices
from deixis.worlds.photos.data._predictions import EVERY, AnswerReport, read_answers
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import SETTINGS, SPACES, Answer, match_box


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis.data._data_places import DataPlace
    from deixis.judge.request import Request
    from deixis.worlds.photos._judging.verdicts import Choice
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph import Box
    from deixis.worlds.photos.scene.graph_table import GraphTable


FEWEST_LOST = 3  # boxes that fit no object, before another space is thought of
ANSWERS, FACTS = "answers.jsonl", "model.json"

answers = {
    "JSON Lines": '{"id": 12, "image": "2386621", "object": "1231798"}, or a box, scores, or "not there"',
    "COCO": '[{"ref_id": 12, "image_id": 2386621, "bbox": [x, y, width, height], "score": 0.9}]',
    "checkpoint": "a file or folder that `deixis train` left",
}
baselines = {
    "random": "any object of the images that are shown",
    "oracle": "the target, or that it is not there",
}
measures = {
    "accuracy": "the answer is the target itself, by setting; and by form, length and number of candidates",
    "not there": "of expressions that fit nothing, that is what was answered",
}
runs_on_clusters = True
TOGETHER = 4_096  # choices that are judged together


def recognises(_answers: Path) -> bool:
    """Return False, because answers cannot be read without the dataset that they are for."""
    return False


def evaluate(request: Request) -> Output:
    """Judge answers, or let a model answer in all settings first."""
    answer, options = request.answer, request.options
    if not is_word(answer, BASELINES) and (answer.is_dir() or answer.suffix == ".safetensors"):
        if options.get("setting") or options.get("boxes"):
            raise SchemaError("a checkpoint answers in every setting, with objects; leave out --setting and --boxes")
        return _evaluate_model(request)
    if options.get("retrieve"):
        raise SchemaError("--retrieve is for checkpoints; these answers are there already")
    checkpoints = {"--device": request.device != "auto", "--cache": options.get("cache")}
    refuse_options(checkpoints, because="for checkpoints only; these answers are there already")
    return _evaluate_answers(request, answer, request.splits, setting=options.get("setting") or "Full")


def _evaluate_answers(
    request: Request,
    answer: Path,
    splits: Sequence[str],
    *,
    setting: str,
    out: Path | None = None,
    about: Mapping[str, Any] | None = None,
) -> Output:
    """Judge answers; `about` is kept with the results."""
    data = request.folder
    shown = _one_of("setting", setting, (*SETTINGS, EVERY))
    boxes = request.options.get("boxes")
    space = _one_of("coordinate space", boxes, SPACES) if boxes else None
    dataset = open_copsref(data)
    report = AnswerReport()
    wanted = list(splits) or [name for name in dataset.splits if name != "train"] or list(dataset.splits)
    examples = [example for name in wanted for example in dataset.examples(name)]
    request.progress("examples", len(examples), len(examples))
    how = {"space": space, "setting": None if shown == EVERY else shown, "report": report}
    given: list[int] = []
    pointed: list[tuple[str, Box]] = []
    noted = _note_answers(_answers(answer, dataset, examples, seed=request.seed, **how), given, pointed)
    judge = partial(_share_choices, request, dataset.scenes)
    evaluation, verdicts = evaluate_answers(examples, noted, dataset.scenes, seed=request.seed, judge=judge)
    losses = _losses(dataset, given, report, again=evaluation.strange.get(ANSWERED, 0))
    losses.demand_few(where=answer, allowed=request.allow_losses)
    judged = {verdict.id for verdict in verdicts}
    hint = _other_space(pointed, dataset.scenes)
    values = {
        "deixis": __version__,
        "world": "photos",
        "predictions": answer.name,
        "data": data.name,
        "digest": dataset.dataset.digest,
        "splits": sorted({example.split for example in examples if example.id in judged}),
        "seed": request.seed,
        **(about or {}),
        **evaluation.to_dict(),
        "faults": dict(report.faults),
        **({"hint": hint} if hint else {}),
    } | ({"losses": losses.to_dict()} if losses else {})
    place = out if out is not None else request.out
    files = []
    if place is not None:
        files = _write(_place_of_results(place, values, force=request.force), values, verdicts, examples)
    blocks = [*evaluation_blocks(evaluation, report.lines, losses), *([hint] if hint else [])]
    return Output(values=values, blocks=blocks, files=files)


def _share_choices(request: Request, scenes: GraphTable, choices: Sequence[Choice]) -> Iterable[Verdict]:
    """Judge choices, here or by whoever shares the work; all that are about an example are judged one after another."""
    order = sorted(range(len(choices)), key=lambda place: choices[place].example.id)
    ordered = [choices[place] for place in order]
    pieces = [ordered[start : start + TOGETHER] for start in range(0, len(ordered), TOGETHER)]
    workers, here = count_workers(request.workers), partial(judge_choices, scenes=scenes)

    def share(some: Sequence[Sequence[Choice]]) -> Iterable[list[Verdict]]:
        return share_reading(
            _judge_there, request.folder, some, len(some), workers=workers, crew=request.crew, here=here
        )

    found = share_kept(request.kept, pieces, share, key=_key, pack=list, unpack=_verdicts_in)
    judged = dict(zip(order, (verdict for verdicts in found for verdict in verdicts), strict=True))
    return [judged[place] for place in range(len(choices))]


def _key(choices: Sequence[Choice]) -> Any:
    return ["verdicts", [(choice.example.id, *choice[1:]) for choice in choices]]


def _verdicts_in(packed: Any) -> list[Verdict]:
    """Return verdicts of which JSON has made lists."""
    return [one._replace(misreadings=tuple(one.misreadings)) for one in (Verdict(*fields) for fields in packed)]


def _judge_there(place: DataPlace, choices: Sequence[Choice]) -> list[Verdict]:
    """Judge some choices, in whatever process."""
    return judge_choices(choices, _scenes(place))


@lru_cache(maxsize=1)
def _scenes(place: DataPlace) -> GraphTable:
    """The scenes of a dataset, which stay open for the next choices."""
    return open_copsref(place.find()).scenes


def _evaluate_model(request: Request) -> Output:
    """Let a model answer in all settings, and judge its answers as any others."""
    from deixis.learn._checkpoints import checkpoint_digest
    from deixis.learn.run import write_json
    from deixis.worlds.photos.training._evaluate import TEST, absence_of, ground, write_answers
    from deixis.worlds.photos.training._prepare import Surroundings

    data, retriever = request.folder, request.options.get("retrieve")
    dataset = open_copsref(data)
    wanted = list(request.splits) or [TEST]
    unknown = [name for name in wanted if name not in dataset.splits]
    if unknown:
        raise SchemaError(f"{data.name} has no split {unknown[0]!r}; it has {', '.join(dataset.splits)}")
    checkpoint, first = checkpoint_of(request.answer), None if retriever is None else checkpoint_of(retriever)
    out = request.out
    if out is not None:  # whatever stands in the way of the results shows now, not when all is answered
        told = {
            "checkpoint": checkpoint_digest(checkpoint),
            "retriever": "" if first is None else checkpoint_digest(first),
        }
        about = {"data": data.name, "digest": dataset.dataset.digest, "splits": sorted(wanted)}
        out = _place_of_results(out, {**about, "settings": SETTINGS, "model": told}, force=request.force)
    around = Surroundings(device=request.device, cache=request.options.get("cache"))
    found, facts = ground(
        checkpoint, dataset, splits=wanted, retriever=first, around=around, kept=request.kept, progress=request.progress
    )
    absence = absence_of(found)
    said = {**facts, "telling what is there": {setting: one.to_dict() for setting, one in absence.items()}}
    with TemporaryDirectory() as aside:
        folder = Path(aside) if out is None else out
        folder.mkdir(parents=True, exist_ok=True)
        write_answers(folder / ANSWERS, found, dataset)
        write_json(folder / FACTS, said)
        judged = _evaluate_answers(request, folder / ANSWERS, wanted, setting=EVERY, out=out, about={"model": said})
    blocks = [_name_of_model(facts), *judged.blocks, *absence_blocks(absence)]
    return Output(values=judged.values, blocks=blocks, files=judged.files)


def _name_of_model(facts: Mapping[str, Any]) -> str:
    more = [facts[name] for name in ("mining", "probe") if facts[name] != "none"]
    more += ["after retrieval"] if facts["retriever"] else []
    return f"{', '.join([facts['model'], *more])}, seed {facts['seed']}, {facts['updates']:,} steps"


def _answers(
    predictions: Path, dataset: CopsRef, examples: Sequence[Example], *, seed: int, **options: Any
) -> Iterator[Answer]:
    """What was answered: by a word that needs no model, or in a file."""
    if is_word(predictions, BASELINES):
        is_random = str(predictions) == "random"
        return random_answers(examples, dataset.scenes, seed=seed) if is_random else oracle_answers(examples)
    if not predictions.exists():
        words = ", ".join(BASELINES)
        raise BrokenDataset(
            f"there are no answers and no run {predictions}; for photographs name a file of answers, "
            f"a run, or one of the words {words}"
        )
    return read_answers(predictions, dataset.scenes, **options)


def random_answers(examples: Iterable[Example], scenes: GraphTable, *, seed: int) -> Iterator[Answer]:
    """Yield for every example and setting a random object of the images shown, and never that it is not there.

    Which one depends on the seed, the id of the example and the setting alone.
    """
    for example in examples:
        for setting in SETTINGS:
            numbers = example.scenes(scenes, setting)
            places = [place for n in numbers for place in range(int(scenes.scene_ptr[n]), int(scenes.scene_ptr[n + 1]))]
            if places:
                place = places[Stream(derive(seed, "random answers", example.id, setting)).below(len(places))]
                image = scenes.image_ids[int(scenes.scene_of[place])]
                yield Answer(example.id, setting, image, scenes.object_ids[place])


def oracle_answers(examples: Iterable[Example]) -> Iterator[Answer]:
    """Yield for every example and setting its target, or that it is not there."""
    for example in examples:
        if example.is_there:
            yield Answer(example.id, None, example.image_id, example.object_id)
        else:
            yield Answer(example.id, None, is_absent=True)


def _note_answers(answers: Iterable[Answer], ids: list[int], boxes: list[tuple[str, Box]]) -> Iterator[Answer]:
    """Yield the answers, their ids and boxes being noted on the way."""
    for answer in answers:
        ids.append(answer.id)
        if answer.box is not None:
            boxes.append((answer.image_id, answer.box))
        yield answer


def _other_space(boxes: Sequence[tuple[str, Box]], scenes: GraphTable) -> str:
    """A hint where boxes that fit no object mostly would fit one in another coordinate space; else nothing."""
    lost, would_fit = 0, {"xyxy": 0, "xywh": 0}
    for image, box in boxes:
        try:
            some = scenes.objects_of(scenes.find(image))
        except UnknownName:
            continue
        known = scenes.box[some.start : some.stop]
        if match_box(box, known) is not None:
            continue
        lost += 1
        corners = box._replace(w=box.w - box.x, h=box.h - box.y)
        would_fit["xyxy"] += corners.w > 0 and corners.h > 0 and match_box(corners, known) is not None
        would_fit["xywh"] += match_box(box._replace(w=box.w + box.x, h=box.h + box.y), known) is not None
    space = max(would_fit, key=lambda one: would_fit[one])
    if lost < FEWEST_LOST or would_fit[space] < lost / 2:
        return ""
    return (
        f"{would_fit[space]:,} of {lost:,} boxes that fit no object would fit one as {space}: "
        f"is that what they are? Then say --boxes {space}."
    )


def _losses(dataset: CopsRef, ids: Sequence[int], report: AnswerReport, *, again: int) -> Losses:
    """Answers that count for nothing: to no example of any split, to one that was answered before, or without an id."""
    losses = Losses("answers", len(ids))
    columns = (table["id"].to_pylist() for table in dataset.dataset.tables(columns=["id"]))
    known = {number for column in columns for number in column if isinstance(number, int)}
    losses.leave_out(NO_EXAMPLE, sum(number not in known for number in ids))
    losses.leave_out(AGAIN, again)
    for what, count in report.faults.items():
        if what.startswith("a line "):
            losses.see(count)
            losses.leave_out(what, count)
    return losses


def _one_of(what: str, said: str, known: Sequence[Any]) -> Any:
    for one in known:
        if one.lower() == said.lower():
            return one
    raise SchemaError(f"unknown {what} {said!r}; known: {', '.join(known)}")


def _place_of_results(out: Path, values: Mapping[str, Any], *, force: bool) -> Path:
    """The folder for results on some splits of a dataset; what is there of the same splits has to be theirs.

    Raises:
        RecipeError: when it holds the results of others, or in settings that would be lost.
    """
    place = place_for(out, {name: values[name] for name in ("data", "digest", "splits")})
    kept = read_kept(place)
    demand_same(place, _answerer(values) or {}, _answerer(kept), force=force)
    lost = (
        [] if kept is None or force else [name for name in kept.get("settings", ()) if name not in values["settings"]]
    )
    if lost and values["settings"]:
        raise RecipeError(
            f"{place} holds results in {', '.join(map(str, lost))[:100]}, which would be lost; "
            "choose another folder for --out, or add --force"
        )
    return place


def _answerer(kept: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Whose results an evaluation tells; None where there is none."""
    if kept is None:
        return None
    model = kept.get("model")
    if isinstance(model, dict):
        return {name: model.get(name) for name in ("model", "checkpoint", "retriever")}
    return {"model": kept.get("predictions")}


def _write(
    out: Path, values: Mapping[str, Any], verdicts: Sequence[Verdict], examples: Sequence[Example]
) -> list[Path]:
    write_answer_verdicts(out / VERDICTS, verdicts, examples)
    return [write_evaluation(out, values), out / VERDICTS]
