"""Figures of Cops-Ref datasets in which every word is needed, measured on the data anew.

deixis make copsref --mode every-word --scenes SCENE_GRAPHS --out photographs
deixis make copsref --mode every-word --out imagined
python -m benchmarks.needed_words photographs imagined --write docs/results/copsref-every-word.md
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.machine import describe_machine
from deixis.judge.uncertainty import wilson
from deixis.worlds.photos._audit.localise import PROBES, summarise_shortcuts
from deixis.worlds.photos._audit.look_alike import look_for_the_most_alike
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._mirror import is_mirrored, mirror_id
from deixis.worlds.photos._needed_words import NeededWords
from deixis.worlds.photos._served_wants import counts_in, wants_table
from deixis.worlds.photos._twins import origin_of
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import FORMS
from deixis.worlds.photos.resolution.unknowns import Unknowns


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.photos._audit.localise import Shortcuts
    from deixis.worlds.photos._audit.look_alike import LookAlike
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example


INTRO = """\
In the mode `every-word` an expression is said only if every misreading of it leads to something else than the target,
in its image or in one shown beside it ([every word needed](../copsref-task.md#every-word-needed)). All figures are
measured on the written data. Two bars were set beforehand: a bag of words solves at most 30 % on real graphs and 10 %
on imagined ones, and unrelated phrases at most 5 %."""


class Measured(NamedTuple):
    """The figures of one dataset."""

    data: CopsRef
    examples: list[Example]
    images: int
    shortcuts: Shortcuts
    alike: LookAlike | None
    unneeded: int
    shown: int
    contaminated: int


def measure(folder: Path) -> Measured:
    """Measure one dataset: its readers, and every want and every image asked again by the plain definition."""
    data = open_copsref(folder)
    examples = [one for one in data.examples() if one.is_there]
    images = len({plain_id(image) for image in data.scenes.image_ids})
    faults = NeededWords(data.scenes).look_at(examples, thorough=True)
    is_imagined = data.dataset.manifest["made with"]["scenes"] == "imagined"
    guard = Guard(table=data.scenes, unknowns=None if is_imagined else Unknowns())
    asked = guard.ask([one.expression for one in examples if one.expression is not None])
    pairs = [(number, data.scenes.find(image)) for number, one in enumerate(examples) for image in one.images()[1:]]
    which, scenes = np.array(pairs, np.int64).reshape(-1, 2).T
    (full,) = summarise_shortcuts(examples, data.scenes, settings=("Full",))
    return Measured(
        data,
        examples,
        images,
        full,
        look_for_the_most_alike(examples, data.scenes),
        sum(bool(some) for some in faults),
        len(which),
        int(asked.may_fit(which, scenes).sum()),
    )


def plain_id(image: str) -> str:
    """Return the id of the scene that an image shows, mirrored or edited."""
    origin = origin_of(image)
    return mirror_id(origin) if is_mirrored(origin) else origin


def page(found: Sequence[Measured]) -> str:
    """Return the page of results."""
    names = [one.data.path.name for one in found]
    blocks = ["# Cops-Ref with every word needed", INTRO]
    blocks.append(
        "Made by `python -m benchmarks.needed_words "
        + " ".join(names)
        + f" --write docs/results/copsref-every-word.md` on {describe_machine()}. The data were made by "
        "`deixis make copsref --mode every-word --out FOLDER`, with `--scenes SCENE_GRAPHS` for 997 graphs of Visual "
        "Genome and `--images 300 --val 0.2 --test 0.2` for imagined scenes."
    )
    blocks.append(_table(["", *names], [[title, *cells] for title, cells in _rows(found)]))
    for one in found:
        heads, rows = wants_table(counts_in(one.data.dataset.manifest))
        blocks.append(f"## What could be served: {one.data.path.name}")
        blocks.append(
            "Of all that was tried, the share of wants of each kind that are served, by form; what is not served "
            "throughout is left out, or said without the attributes that fail."
        )
        blocks.append(_table(heads, rows))
        blocks.append(f"Expressions that are kept, by split and form ({one.data.path.name}):")
        by_split = Counter((example.split, example.form) for example in one.examples)
        splits = dict.fromkeys(example.split for example in one.examples)
        blocks.append(
            _table(["", *FORMS], [[split, *(f"{by_split[split, form]:,}" for form in FORMS)] for split in splits])
        )
    return "\n\n".join(blocks) + "\n"


def _rows(found: Sequence[Measured]) -> Iterator[tuple[str, list[str]]]:
    def row(title: str, cell: object) -> tuple[str, list[str]]:
        return title, [cell(one) for one in found]  # type: ignore[operator]

    spoken = [len({plain_id(example.image_id) for example in one.examples}) for one in found]
    yield row("images", lambda one: f"{one.images:,}")
    yield (
        "with at least one expression",
        [f"{some:,} ({some / one.images:.0%})" for some, one in zip(spoken, found, strict=True)],
    )
    yield row("expressions", lambda one: f"{len(one.examples):,}")
    yield (
        "of such an image",
        [f"{len(one.examples) / some:.2f}" for some, one in zip(spoken, found, strict=True)],
    )
    for form in FORMS:
        yield row(f"form {form}", lambda one, form=form: f"{np.mean([e.form == form for e in one.examples]):.1%}")
    yield row("images beside the right one", lambda one: f"{np.mean([len(e.distractors) for e in one.examples]):.1f}")
    for kind in ("Mirror", "Twin"):
        yield row(
            f"expressions with a {kind.lower()}",
            lambda one, kind=kind: f"{np.mean([any(d.kind == kind for d in e.distractors) for e in one.examples]):.0%}",
        )
    yield row(
        "right images that are mirrored", lambda one: f"{np.mean([is_mirrored(e.image_id) for e in one.examples]):.1%}"
    )
    yield row(
        "images beside that are mirrored",
        lambda one: f"{np.mean([is_mirrored(origin_of(d.image_id)) for e in one.examples for d in e.distractors]):.1%}",
    )
    for probe in PROBES[1:]:
        yield row(
            f"solved by {probe}, all images shown", lambda one, probe=probe: _percent(one.shortcuts.shares[probe])
        )
    yield row(
        "the image most like the others is the right one",
        lambda one: f"{one.alike.image:.1%} (chance {one.alike.by_chance:.1%})",
    )
    yield row("the image least like the others is the right one", lambda one: f"{one.alike.least:.1%}")
    yield row("solved by the image most like the others, noun and attributes", lambda one: f"{one.alike.solved:.1%}")
    yield row(
        "every word needed, by the plain definition",
        lambda one: f"{len(one.examples) - one.unneeded:,} of {len(one.examples):,}",
    )
    yield row(
        "images beside in which the expression may fit",
        lambda one: f"{one.contaminated:,} of {one.shown:,} (below {wilson(one.contaminated, one.shown).high:.2%})",
    )


def _percent(estimate: object) -> str:
    return f"{100 * estimate.mean:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"  # type: ignore[attr-defined]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main() -> None:
    """Measure the datasets of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    text = page([measure(folder) for folder in asked.folders])
    if asked.write:
        asked.write.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
