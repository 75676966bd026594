"""Results that `deixis evaluate --out` keeps: which dataset they are of, who answered, and where those of another go.

A folder holds the results on one dataset in `evaluation.json`, with those of all splits that were ever judged. Results
on further datasets lie beside it, each in a folder `on-NAME` of the same form; where two datasets have one name, the
second folder has the beginning of the digest in its name, too.

    runs/m-lstm/evaluation.json                 on the first dataset
    runs/m-lstm/on-corrected/evaluation.json    on another

Results of another model, or of another checkpoint of the same, replace what is there only when that is asked for.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


EVALUATION = "evaluation.json"
APART = "on-"  # how the names of folders begin that hold results on further datasets
LARGEST = 64 << 20
DIGITS = 8  # of a digest in a name
SAME_DATA = ("digest", "data")


def read_kept(folder: Path) -> dict[str, Any] | None:
    """Return the `evaluation.json` of a folder, or None if there is none.

    Raises:
        BrokenDataset: when it cannot be read.
    """
    path = folder / EVALUATION
    if not path.is_file():
        return None
    try:
        values = json.loads(path.read_bytes()) if path.stat().st_size <= LARGEST else None
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} cannot be read; delete it, or choose another folder for --out") from error
    if not isinstance(values, dict):
        raise BrokenDataset(f"{path} holds no results; delete it, or choose another folder for --out")
    return values


def place_for(out: Path, about: Mapping[str, Any]) -> Path:
    """The folder for results on a dataset: the given one, or one in it where that holds results on another.

    Args:
        out: what the user chose.
        about: `data` and `digest` of the dataset, and whatever else results must share to belong together.
    """
    name = "-".join((str(about["data"]), *about.get("splits", ())))
    named = out / f"{APART}{name}"
    longer = out / f"{APART}{name}-{str(about.get('digest', ''))[:DIGITS]}"
    for place in (out, named):
        kept = read_kept(place)
        if kept is None or _is_same(kept, about):
            return place
    return longer


def _is_same(kept: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """Whether results are of the same data; by its digest, or by its name where one of the two has none."""
    by_digest = bool(kept.get("digest") and about.get("digest"))
    data = kept["digest"] == about["digest"] if by_digest else kept.get("data") == about["data"]
    return data and all(kept.get(key) == value for key, value in about.items() if key not in SAME_DATA)


def demand_same(folder: Path, answerer: Mapping[str, Any], kept: Mapping[str, Any] | None, *, force: bool) -> None:
    """`RecipeError` where results that are there are those of another model, unless they are to be replaced.

    Args:
        folder: where they lie.
        answerer: who answered now: model, checkpoint, seed, the name of a file of answers …; None is not known, and an
            empty model is one without a name.
        kept: the same of the results that are there, None where there are none.
        force: whether they are to be replaced.
    """
    if kept is None or force:
        return
    known = [key for key, value in answerer.items() if value not in (None, "") and kept.get(key) not in (None, "")]
    other = next((key for key in known if kept[key] != answerer[key]), None)
    model = answerer.get("model")
    if other is not None or (model is not None and model != (kept.get("model") or "")):
        raise RecipeError(
            f"{folder / EVALUATION} holds the results of {_name_of(kept, other)}, not of {_name_of(answerer, other)}; "
            "choose another folder for --out, or add --force to replace them"
        )


def _name_of(about: Mapping[str, Any], other: str | None) -> str:
    name = str(about.get("model") or "answers without a name")[:100]
    return name if other in (None, "model") else f"{name}, {other.replace('_', ' ')} {str(about[other])[:40]}"


def write_evaluation(folder: Path, values: Mapping[str, Any]) -> Path:
    """Write results to a file that takes its name only when it is complete."""
    path = folder / EVALUATION
    with replacing_file(path) as draft:
        draft.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def folders_with_results(folder: Path) -> list[Path]:
    """A run folder, and those in it that hold results on further datasets."""
    return [folder, *sorted(path.parent for path in _further(folder))]


def _further(folder: Path) -> Iterable[Path]:
    return folder.glob(f"{APART}*/{EVALUATION}")
