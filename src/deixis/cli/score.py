"""`deixis score`: how pragmatic the captions of a model are."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from cyclopts import Parameter

from deixis._version import __version__
from deixis.cli.audit import names_of
from deixis.cli.options import Count, Json, Seed, names_in
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from deixis.language.mentions import Faults
    from deixis.metrics.arrays import Scores
    from deixis.metrics.predictions import Predictions
    from deixis.metrics.summary import Summary
    from deixis.metrics.uncertainty import Estimate


__all__ = ["score"]

HEADS = {
    "discriminativity": "d",
    "contrastive_efficiency": "e",
    "relevance": "r",
    "optimal_discriminativity": "od",
    "mentioned_features": "said",
    "false_features": "false",
}
BY_FEATURE = {"mentioned": "mentioned", "when_contrastive": "when contrastive", "when_redundant": "when redundant"}
LOOKS = ("B-1", "B-2", "B-3", "B-4", "R-L", "MET", "CID", "TUP")


def score(
    paths: Annotated[list[Path] | None, Parameter(name="PATH", negative=())] = None,
    /,
    *,
    speakers: bool = False,
    mode: Literal["clean", "paper"] = "clean",
    denominator: Literal["z", "k"] = "z",
    by: Literal["label", "expression"] = "label",
    mend: str = "",
    surface: Count | None = None,
    out: Path | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Score captions of 3D Shapes: do they tell the target from its distractors, and say no more than that?

    Each row of a file holds a caption (prediction or caption), target_id and distractor_id, or a list distractor_ids;
    set names the test set, if there are several. The thirteen sets of A3DS are also summed up by category.

    Args:
        paths: JSON Lines or CSV files; several are put side by side.
        speakers: Also score speakers that need no training, on the thirteen test sets of A3DS.
        mode: Read captions cleanly, or as the script released with the paper does, with its faults.
        denominator: Of contrastive efficiency: z as in the published table, k as printed in the paper.
        by: Whether features contrast by their labels or by the expressions that captions have for them.
        mend: Faults of the mode paper to mend, e.g. sticky_color,substrings.
        surface: Also compare the first so many captions of each set with the 20 exhaustive ones (BLEU, ROUGE, CIDEr …).
        out: A folder for scores.json, a CSV file with a row for every caption, and figures.
        seed: Of resamples, pairs and speakers; 0 by default.
        workers: Accepted by every verb; one core is fast enough.
        as_json: Print JSON instead of text.
    """
    from deixis.metrics.summary import summarise
    from deixis.worlds.shapes.pairs import CATEGORIES

    del workers
    how = _How(mode, denominator, by, names_in(mend), seed)
    if not paths and not speakers:
        raise RecipeError("give a file with captions, or --speakers to score those that need no training")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with Stages() as progress:
        files, found = _scored(paths or [], how, progress)
        if speakers:
            found |= _speakers(how, progress)
        summaries: dict[str, Summary] = {}
        for name, sets in found.items():
            summaries[name] = summarise(sets, categories=CATEGORIES, denominator=denominator, seed=seed)
            progress("intervals", len(summaries), len(found))
        looks = {name: _surface(sets, surface, seed) for name, sets in files.items() if surface}
    values = _plain(how, summaries, looks)
    written = _write(out, values, files, found, summaries, how) if out else []
    if as_json:
        print_json(values)
        return 0
    for name, summary in summaries.items():
        _print(name, summary, found[name], files.get(name, {}))
    for name, look in looks.items():
        _print_surface(name, look)
    _print_how(how)
    if speakers:
        _print_published()
    if written:
        print(f"Written: {', '.join(str(path) for path in written)}")
    return 0


class _How(NamedTuple):
    """What was asked for, which every report says."""

    mode: Literal["clean", "paper"]
    denominator: Literal["z", "k"]
    by: Literal["label", "expression"]
    mended: tuple[str, ...]
    seed: int

    @property
    def faults(self) -> Faults:
        """The faults of the mode paper that are kept."""
        from deixis.language.mentions import Faults

        if self.mended and self.mode != "paper":
            raise RecipeError("only the mode paper has faults to mend; add --mode paper")
        return Faults.without(self.mended)


def _scored(
    paths: list[Path], how: _How, progress: Stages
) -> tuple[dict[str, dict[str, Predictions]], dict[str, dict[str, Scores]]]:
    """The captions and the scores of files, by name of the file and of the set."""
    from deixis.metrics.arrays import score_captions
    from deixis.metrics.predictions import read_predictions

    faults = how.faults
    files = {name: read_predictions(path) for name, path in zip(names_of(paths), paths, strict=True)}
    found: dict[str, dict[str, Scores]] = {name: {} for name in files}
    for name, sets in files.items():
        done, total = 0, sum(map(len, sets.values()))
        for part, captions in sets.items():
            said = (captions.captions, captions.targets, captions.distractors)
            found[name][part] = score_captions(*said, mode=how.mode, by=how.by, faults=faults)
            done += len(captions)
            progress(name, done, total)
    return files, found


def _speakers(how: _How, progress: Stages) -> dict[str, dict[str, Scores]]:
    from deixis.metrics.anchors import score_speakers

    return score_speakers(seed=how.seed, by=how.by, progress=lambda _, done, total: progress("speakers", done, total))


def _surface(sets: Mapping[str, Predictions], most: int, seed: int) -> dict[str, dict[str, Estimate]]:
    """How much captions look like references, set by set."""
    from deixis.metrics.arrays import score_captions
    from deixis.metrics.captions import surface
    from deixis.seeds import derive
    from deixis.worlds.shapes.captions import captions

    looks = {}
    for name, part in sets.items():
        texts, targets = part.captions[:most], part.targets[:most]
        scores = score_captions(texts, targets, part.distractors[:most])
        references = [captions(target) for target in targets.tolist()]
        looks[name] = surface(texts, references, scores, seed=derive(seed, "surface", name))
    return looks


def _plain(
    how: _How, summaries: Mapping[str, Summary], looks: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
) -> dict[str, Any]:
    from deixis.metrics.summary import plain_estimates

    about = {key: value for key, value in how._asdict().items() if key != "mended"}
    about |= {"mended": list(how.mended)} if how.mode == "paper" else {}
    scores = {name: summary.to_dict() for name, summary in summaries.items()}
    for name, look in looks.items():
        scores[name]["surface"] = plain_estimates(look)
    return {"deixis": __version__, **about, "scores": scores}


def _write(
    out: Path,
    values: Mapping[str, Any],
    files: Mapping[str, Mapping[str, Predictions]],
    found: Mapping[str, Mapping[str, Scores]],
    summaries: Mapping[str, Summary],
    how: _How,
) -> list[Path]:
    """The JSON, a table for every file, the figures."""
    from deixis.metrics.figures import write_figures
    from deixis.metrics.predictions import released_columns, write_rows

    path = out / "scores.json"
    path.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    written = [path]
    undefined = 0.0 if how.mode == "paper" else float("nan")
    for number, (name, sets) in enumerate(files.items(), 1):
        columns: dict[str, list[Any]] = {}
        for part, captions in sets.items():
            columns.setdefault("set", []).append((part,) * len(captions))
            made = released_columns(captions, found[name][part], denominator=how.denominator, undefined=undefined)
            for column, cells in made.items():
                columns.setdefault(column, []).append(cells)
        path = out / ("rows.csv" if len(files) == 1 else f"rows-{number}.csv")
        write_rows(path, {column: _joined(parts) for column, parts in columns.items()})
        written.append(path)
    return written + write_figures(summaries, out, denominator=how.denominator)


def _joined(parts: Sequence[Any]) -> Any:
    import numpy as np

    if isinstance(parts[0], tuple):
        return tuple(cell for part in parts for cell in part)
    return np.concatenate(parts)


def _print(name: str, summary: Summary, scores: Mapping[str, Scores], sets: Mapping[str, Predictions]) -> None:
    total = sum(map(len, scores.values()))
    print(f"{name}: {total:,} captions")
    print_table(("set", "n", *HEADS.values()), _rows(summary, scores), numbers=range(1, 2 + len(HEADS)))
    print_table(("feature", *BY_FEATURE.values()), _feature_rows(summary), numbers=range(1, 1 + len(BY_FEATURE)))
    unknown = sum(int((part.unknown > 0).sum()) for part in scores.values())
    if unknown:
        print(f"{unknown:,} captions have words that belong to no known phrase")
    same = sum(int((part.distractors == part.targets[:, None]).any(axis=1).sum()) for part in sets.values())
    empty = sum(not caption.strip() for part in sets.values() for caption in part.captions)
    for count, what in ((same, "have their target among the distractors"), (empty, "are empty")):
        if count:
            print(f"{count:,} captions {what}")


def _rows(summary: Summary, scores: Mapping[str, Scores]) -> Iterator[list[str]]:
    """The sets, then the categories with half of their intervals below them; a single set also has its interval."""
    for name, table in summary.sets.items():
        yield [name, f"{len(scores[name]):,}", *(_number(table[metric].mean) for metric in HEADS)]
        if len(summary.sets) == 1:
            yield ["", "±", *(_half(table[metric]) for metric in HEADS)]
    for name, table in summary.categories.items():
        yield [name, "", *(_number(table[metric].mean) for metric in HEADS)]
        yield ["", "±", *(_half(table[metric]) for metric in HEADS)]


def _feature_rows(summary: Summary) -> Iterator[list[str]]:
    """How often each feature is spoken of, over all sets."""
    from deixis.scene.factors import FACTORS

    for factor in FACTORS:
        found = [summary.overall[f"{kind}/{factor}"] for kind in BY_FEATURE]
        yield [factor.replace("_", " "), *(f"{_number(one.mean)} ±{_half(one)}" for one in found)]


def _half(one: Estimate) -> str:
    return _number((one.high - one.low) / 2)


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"


def _print_surface(name: str, look: Mapping[str, Mapping[str, Estimate]]) -> None:
    from deixis.metrics.captions import SURFACE

    print(f"{name}: likeness to the 20 exhaustive captions: BLEU, ROUGE-L, METEOR with exact words, CIDEr-D, tuples")
    rows = [
        (part, f"{table['cider'].rows:,}", *(f"{table[metric].mean:.2f}" for metric in SURFACE))
        for part, table in look.items()
    ]
    print_table(("set", "n", *LOOKS), rows, numbers=range(1, 2 + len(LOOKS)))


def _print_how(how: _How) -> None:
    formula = {"z": "1 - (c - 1) / (z - 1), as in the published table", "k": "1 - (c - 1) / (k - 1), as printed"}
    mended = f" ({', '.join(how.mended)} mended)" if how.mended else ""
    print(f"mode {how.mode}{mended}, features contrast by {how.by}; ± is half of a 95 % bootstrap interval")
    print("d discriminativity, r relevance, od optimal discriminativity, said and false: features per caption")
    print(f"e contrastive efficiency where d = 1: {formula[how.denominator]} (denominator {how.denominator})")


def _print_published() -> None:
    from deixis.metrics.published import TABLE_1

    rows = [
        (category, model, *(f"{values[m]:.3f}" if m in values else "–" for m in HEADS))
        for category, models in TABLE_1.items()
        for model, values in models.items()
    ]
    print("published (Tsvilodub and Franke 2023, Table 1): B pretrained, RP and SP tuned on random and similar pairs")
    print_table(("category", "model", *HEADS.values()), rows, numbers=range(2, 2 + len(HEADS)))
