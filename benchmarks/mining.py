"""Models that ground expressions on one GPU: a refresh of what is mined, and the scoring of all regions shown.

Run as `python -m benchmarks.mining --write docs/results/mining.md`; without a GPU, `--small` shows that it works.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from benchmarks.machine import Row, as_markdown
from deixis.worlds.photos._models.modular import ModularGrounder, ModularGrounderSettings
from deixis.worlds.photos._models.regions import RegionTable, Words
from deixis.worlds.photos.training._mining import Pool, mine, vectors_of
from deixis.worlds.photos.training._scoring import Questions, answer
from deixis.worlds.photos.training.settings import grounding_of


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


__all__ = ["measure_mining", "measure_scoring", "said_of_words", "table_of"]

EXPRESSIONS, CATEGORIES, WORDS, STEPS = 120_000, 508, 1_596, 30  # of Cops-Ref
IMAGES, REGIONS, SHOWN = 2_000, 20, 13  # 260 regions are shown with every expression
LOW, HIGH, CELLS = 112, 1280, 9
ABOUT = (
    "The expressions are synthetic: {expressions:,} of 5 to 24 words, with category frequencies proportional to 1/n. "
    "MattNet has width {width}, 512 as published. A refresh reads all expressions and samples three for each of the "
    "4,500 rows of 50 steps. Scoring shows {shown} images of {regions} regions with every expression, and includes the "
    "features of all regions of {images:,} images. Best of three runs, on {device}."
)


def measure_mining(device: torch.device, *, expressions: int = EXPRESSIONS, width: int = 512) -> list[Row]:
    chance = torch.Generator().manual_seed(0)
    share = 1 / torch.arange(1, CATEGORIES + 1, dtype=torch.float64)
    category = torch.multinomial(share, expressions, replacement=True, generator=chance).to(device)
    pool = Pool.of(category, torch.arange(expressions, device=device) // 2)
    said = said_of_words(expressions, chance, device)
    model = _model(width, device)
    rows = torch.randint(expressions, (50 * 90,), generator=chance).to(device)
    found = []
    for strategy in ("random", "class-aware", "sentence-sim", "module-specific"):
        how = grounding_of("mattnet", {"mining": strategy})

        def refresh(how=how) -> Tensor:
            return mine(how, pool, rows, vectors_of(how, model, said))

        promised = 3.0 if expressions == EXPRESSIONS and strategy == "module-specific" else None
        found.append(Row(f"a refresh, {strategy}", _best(refresh, device), "seconds", at_most=promised))
    return found


def measure_scoring(
    device: torch.device, *, expressions: int = 4_000, images: int = IMAGES, width: int = 512
) -> list[Row]:
    chance = torch.Generator().manual_seed(1)
    table = table_of(images, chance, device)
    shown = torch.rand(expressions, images, generator=chance).topk(SHOWN).indices.to(device)
    seen = torch.ones(expressions, 6, SHOWN, dtype=torch.bool, device=device)
    questions = Questions(said_of_words(expressions, chance, device), table.first[shown[:, 0]], shown, seen)
    model = _model(width, device).eval()

    def score() -> list[Tensor]:
        return [found.choice for _, found in answer(model, table, questions)]

    promised = 1000.0 if expressions == 4_000 else None
    seconds = _best(score, device)
    return [Row("scoring of 260 regions each, MattNet", expressions / seconds, "expressions/s", at_least=promised)]


def _model(width: int, device: torch.device) -> ModularGrounder:
    torch.default_generator.manual_seed(0)
    return ModularGrounder(ModularGrounderSettings(low=LOW, high=HIGH, width=width), WORDS).to(device)


def said_of_words(count: int, chance: torch.Generator, device: torch.device) -> Words:
    """Texts of 5 to 24 words."""
    lengths = torch.randint(5, 25, (count,), generator=chance)
    words = torch.randint(2, WORDS, (count, STEPS), generator=chance)
    return Words(torch.where(torch.arange(STEPS) < lengths[:, None], words, 0).to(device), lengths.to(device))


def table_of(images: int, chance: torch.Generator, device: torch.device) -> RegionTable:
    """Images with as many regions each that look like nothing."""
    total = images * REGIONS

    def drawn(*shape: int) -> Tensor:
        return torch.rand(total, *shape, generator=chance).half().to(device)

    high = drawn(HIGH, CELLS)
    own = torch.arange(total, device=device)
    return RegionTable(
        low=drawn(LOW, CELLS),
        high=high,
        pooled=high.float().mean(-1).half(),
        place=drawn(5).float(),
        alike=drawn(5, 5).float(),
        near=(own // REGIONS * REGIONS)[:, None] + torch.arange(5, device=device),
        near_places=drawn(5, 5).float(),
        category=own % CATEGORIES,
        image=own // REGIONS,
        first=torch.arange(0, total + 1, REGIONS, device=device),
        whole=torch.rand(images, LOW, CELLS, generator=chance).half().to(device),
    )


def _best(work: Callable[[], object], device: torch.device, runs: int = 3) -> float:
    """The shortest time of some runs, after one that warms up, in seconds."""
    times = []
    for _ in range(1 + runs):
        start = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - start)
    return min(times[1:])


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally write; 1 when something is slower than promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mining", description=__doc__)
    parser.add_argument("--small", action="store_true", help="a fiftieth of everything, with nothing promised")
    parser.add_argument("--write", type=Path, help="write the table as Markdown")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    called = torch.cuda.get_device_name(device) if device.type == "cuda" else "a CPU"
    if options.small:
        sizes = {"expressions": 2_400, "shown": SHOWN, "regions": REGIONS, "images": 40, "width": 64}
        rows = measure_mining(device, expressions=2_400, width=64)
        rows += measure_scoring(device, expressions=80, images=40, width=64)
    else:
        sizes = {"expressions": EXPRESSIONS, "shown": SHOWN, "regions": REGIONS, "images": IMAGES, "width": 512}
        rows = measure_mining(device) + measure_scoring(device)
    text = as_markdown(rows, "Mining and scoring", "python -m benchmarks.mining", ABOUT.format(device=called, **sizes))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    return int(any(row.is_broken for row in rows))


if __name__ == "__main__":
    sys.exit(main())
