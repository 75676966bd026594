"""Speakers that need no training on the thirteen test sets of A3DS, next to the published table."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machine import describe_machine
from deixis.worlds.rooms.judging._anchors import score_speakers
from deixis.worlds.rooms.judging._published import FALSE_FEATURES, TABLE_1
from deixis.worlds.rooms.judging._summary import Summary, summarise
from deixis.worlds.rooms.pairs import CATEGORIES, PAIRS


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.judge.uncertainty import Estimate


COLUMNS = {
    "discriminativity": "d",
    "contrastive_efficiency": "e",
    "relevance": "r",
    "optimal_discriminativity": "od",
    "minimal": "minimal",
    "mentioned_features": "mentioned",
    "false_features": "false",
}
INTRO = """\
Scores of speakers that need no training on the thirteen test sets of A3DS ({pairs:,} pairs each, images held out),
beside the published scores of the paper's models. A category is the unweighted mean of its sets; ± is half of a 95 %
bootstrap interval, left out where it is below 0.0005.

*d* is discriminativity, *e* contrastive efficiency over the captions with d = 1, *r* relevance, *od* optimal
discriminativity; *minimal* is the share of captions without a superfluous feature. Features contrast by label."""
NOTES = """\
- *released captions* are sampled from the twenty exhaustive captions of the target, which a perfect captioner would
  reproduce. Paper mode, the parser of the released script, misses some of their words, 'middle-sized' for instance.
  Compare the baseline B with this row.
- *rational* is the rational speech act speaker with a cost of 0.1 nats for a feature; *incremental* goes through shape,
  object colour, scale, wall, floor and orientation, and always names the shape; *minimal* is the ideal.
- B, RP and SP are the models of the paper: pretrained, tuned on random pairs, tuned on similar pairs. The paper does
  not give false features by category. The predictions are not public, so they cannot be scored again.
- RP and SP mention about three features, but distinguish fewer images than three true features chosen at random. The
  parsers differ: the published rows used the released script, the other rows clean mode unless stated otherwise."""


def main(arguments: list[str] | None = None) -> int:
    """Score, print, optionally write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speakers", description=__doc__)
    parser.add_argument("--write", type=Path, help="write Markdown, e.g. docs/results/a3ds-speakers.md")
    parser.add_argument("--count", type=int, default=PAIRS, help="pairs in each set")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    start = time.process_time()
    found = score_speakers(seed=options.seed, count=options.count)
    both = {
        name: {
            denominator: summarise(sets, categories=CATEGORIES, denominator=denominator, seed=options.seed)
            for denominator in ("z", "k")
        }
        for name, sets in found.items()
    }
    text = _markdown({name: two["z"] for name, two in both.items()}, {n: two["k"] for n, two in both.items()}, options)
    print(text)
    print(f"{time.process_time() - start:.0f} seconds of processor time", file=sys.stderr)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    return 0


def _markdown(found: Mapping[str, Summary], printed: Mapping[str, Summary], options: argparse.Namespace) -> str:
    command = "python -m benchmarks.speakers --write docs/results/a3ds-speakers.md"
    lines = ["# Reference speakers on A3DS", "", INTRO.format(pairs=options.count), ""]
    lines += [f"Made by `{command}` (seed {options.seed}) on {describe_machine()}.", ""]
    for category in CATEGORIES:
        lines += [f"## {category.capitalize()}", "", *_category(category, found), ""]
    lines += [
        "## Contrastive efficiency with either denominator",
        "",
        "The published table uses `z`, the number of all contrastive features; the paper prints `k`, the number of",
        "features said, as the denominator. With `k` the score rises with redundant features.",
        "",
        *_denominators(found, printed),
        "",
        "## Discriminativity by set",
        "",
        *_by_set(found),
        "",
        NOTES,
    ]
    return "\n".join(lines)


def _category(category: str, found: Mapping[str, Summary]) -> list[str]:
    rows = [(name, *(_cell(s.categories[category][m]) for m in COLUMNS)) for name, s in found.items()]
    for model, values in TABLE_1[category].items():
        known = {**values, "false_features": FALSE_FEATURES[model]}
        cells = (f"{known[m]:.3f}" if m in known else "" for m in COLUMNS)
        rows.append((f"*{model} (published)*", *cells))
    return _table(("speaker", *COLUMNS.values()), rows)


def _denominators(found: Mapping[str, Summary], printed: Mapping[str, Summary]) -> list[str]:
    heads = [f"{category}, {which}" for category in CATEGORIES for which in ("z", "k")]
    rows = [
        (
            name,
            *(
                _cell(table[name].categories[category]["contrastive_efficiency"])
                for category in CATEGORIES
                for table in (found, printed)
            ),
        )
        for name in found
    ]
    return _table(("speaker", *heads), rows)


def _by_set(found: Mapping[str, Summary]) -> list[str]:
    names = [name for sets in CATEGORIES.values() for name in sets]
    rows = [(name, *(f"{s.sets[part]['discriminativity'].mean:.3f}" for part in names)) for name, s in found.items()]
    return _table(("speaker", *names), rows)


def _cell(one: Estimate) -> str:
    half = (one.high - one.low) / 2
    return f"{one.mean:.3f}" + (f" ±{half:.3f}" if half >= 0.0005 else "")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    sys.exit(main())
