"""Run the benchmarks, print a table, and leave with 1 if a promise is broken."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.audit import measure_audit
from benchmarks.decoding import measure_decoding
from benchmarks.environments import measure_environments
from benchmarks.generation import measure_generation
from benchmarks.machine import as_markdown
from benchmarks.mentions import measure_mentions
from benchmarks.paper import measure_paper_size
from benchmarks.readers import measure_readers
from benchmarks.renderer import measure_renderer
from benchmarks.resolution import measure_resolution
from benchmarks.scale import measure_scale
from benchmarks.start import measure_start
from benchmarks.studio import measure_studio
from benchmarks.studio_load import measure_load
from benchmarks.study_load import measure_study_load
from benchmarks.table_search import measure_table_search
from benchmarks.tables import measure_tables


ABOUT = "Rates are per second of CPU time of one core, without compilation; ratios compare figures of one run."


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally write; 1 when something is slower than promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--paper", action="store_true", help="also make the paper-size set (about a minute)")
    parser.add_argument(
        "--mode",
        default="compatible",
        choices=("compatible", "corrected", "every-word"),
        help="mode of the paper-size set",
    )
    parser.add_argument("--graphs", action="store_true", help="also read a corpus of the size of GQA (2 minutes)")
    parser.add_argument("--studio", action="store_true", help="also open the paper-size set in the studio (2 minutes)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", type=Path, help="write the table as Markdown, e.g. docs/results/speed.md")
    options = parser.parse_args(arguments)
    rows = [*measure_start(), *measure_resolution(), *measure_generation(), *measure_mentions(), *measure_renderer()]
    rows += [*measure_tables(), *measure_table_search(), *measure_audit()]
    rows += [*measure_environments(), *measure_readers(), *measure_decoding()]
    if options.graphs:
        rows += measure_scale()
    if options.studio:
        rows += [*measure_studio(), *measure_load(), *measure_study_load()]
    if options.paper:
        rows += measure_paper_size(options.mode)
    command = "make bench" + (' ARGS="--paper"' if options.paper else "")
    text = as_markdown(rows, "Speed", command, ABOUT)
    print(json.dumps([row._asdict() for row in rows], indent=1) if options.json else text)
    if options.write:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(text + "\n", encoding="utf-8")
    broken = [row for row in rows if row.is_broken]
    for row in broken:
        print(f"slower than promised: {row.name}: {row.value:,.4g} {row.unit}, promised {row.promise}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
