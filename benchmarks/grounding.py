"""How long an update of every model takes that grounds expressions.

Run as `python -m benchmarks.grounding`; without a GPU, `--small` shows that it works.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from benchmarks.machine import Row, as_markdown
from benchmarks.mining import CATEGORIES, HIGH, LOW, REGIONS, WORDS, said_of_words, table_of
from deixis._kernels.ops import Op
from deixis.learn._updates import Updates
from deixis.learn.devices import multiplying_in
from deixis.worlds.photos._models.regions import Words
from deixis.worlds.photos.training._bundles import BUILDERS, TREE, build, sizes_of, vocabulary_of
from deixis.worlds.photos.training._lessons import Lessons, Material
from deixis.worlds.photos.training.settings import RECORDED, grounding_of


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos.training.settings import Grounding


__all__ = ["measure_updates"]

ATTRIBUTES, EXPRESSIONS = 50, 4_000
ABOUT = (
    "Expressions and regions are made up: {images:,} images of {regions} regions, with features of {low} and {high} "
    "channels in 9 cells each. Batches are the published ones, and models {width}. The mean of {runs} updates after "
    "some that warm up, on {device}, with what is logged but without looks at val."
)


def measure_updates(device: torch.device, *, images: int = 2_000, runs: int = 50, is_small: bool = False) -> list[Row]:
    """The time of an update of every model, of those with two stages in both, recorded and not where they can be."""
    found = []
    for model in BUILDERS:
        stages = (False, True) if model in RECORDED else (False,)
        for is_second, record in product(stages, stages if device.type == "cuda" else (False,)):
            how = grounding_of(model, {"record": record})
            with multiplying_in(how.precision, device):
                seconds = _update(how, device, images, runs, is_second=is_second, is_small=is_small)
            name = f"{model}{', second stage' if is_second else ''}{', recorded' if record else ''}"
            found.append(Row(f"an update, {name}", 1000 * seconds, "ms"))
    return found


def _update(how: Grounding, device: torch.device, images: int, runs: int, *, is_second: bool, is_small: bool) -> float:
    chance = torch.Generator().manual_seed(0)
    table = table_of(images, chance, device)
    said = _programs(EXPRESSIONS, chance, device) if how.model == TREE else said_of_words(EXPRESSIONS, chance, device)
    target = torch.randint(images * REGIONS, (EXPRESSIONS,), generator=chance).to(device)
    attributes = (torch.rand(EXPRESSIONS, ATTRIBUTES, generator=chance) < 0.05).to(device)
    material = Material(said, target, table.image[target], attributes, torch.ones(ATTRIBUTES, device=device))
    lessons = Lessons(table, material)
    said_sizes = {"width": 32} if is_small else {}
    sizes = sizes_of(how.model, {"low": LOW, "high": HIGH, "attributes": ATTRIBUTES}, said_sizes)
    net = build(how.model, sizes, _vocabulary(how.model)).to(device)
    if hasattr(net, "erases"):
        net.erases = is_second
    mines = is_second and how.model == "mattnet"

    def loss(rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        rows = rows.repeat_interleave(how.repeats)
        mined = {name: rows.roll(k) for k, name in enumerate(("subject", "location", "relationship"), 1)}
        value: tuple[Tensor, dict[str, Tensor]] = net.loss(lessons(rows, mined if mines else None))  # type: ignore[operator]
        return value

    updates = Updates(
        {how.model: net},
        device,
        loss,
        batch_size=how.batch_size,
        clip=how.clip,
        clamp=how.clamp,
        betas=how.betas,
        seed=0,
    )
    updates.graphs &= how.is_recorded
    rows = [torch.randint(EXPRESSIONS, (how.batch_size,), generator=chance).numpy() for _ in range(runs)]
    for number in range(min(5, runs)):
        updates(number, rows[number], how.lr)
    _wait(device)
    start = time.perf_counter()
    for number, some in enumerate(rows):
        updates(number, some, how.lr)
    _wait(device)
    return (time.perf_counter() - start) / runs


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _vocabulary(model: str) -> tuple[str, ...]:
    if model == TREE:
        from deixis.worlds.photos.data._programs import ProgramWords

        return vocabulary_of(ProgramWords(tuple(("name", f"word {k}") for k in range(WORDS - 2))))
    return tuple(f"word {k}" for k in range(WORDS))


def _programs(count: int, chance: torch.Generator, device: torch.device) -> Words:
    """Programs of a usual size: something of a kind and colour, in a relation to something else that is one of them."""
    steps = (Op.ALL, Op.IS, Op.IS, Op.ALL, Op.IS, Op.IS, Op.ALL, Op.IS, Op.RELATED, Op.RELATED)
    rows = torch.zeros(count, len(steps), 3, dtype=torch.int64)
    rows[..., 0] = torch.tensor(steps)
    rows[..., 1] = torch.randint(2, CATEGORIES, (count, len(steps)), generator=chance)
    return Words(rows.flatten(1).to(device), torch.full((count,), 3 * len(steps), device=device))


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grounding", description=__doc__)
    parser.add_argument("--small", action="store_true", help="narrow models, few images, two updates")
    parser.add_argument("--write", type=Path, help="write the table as Markdown")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    called = torch.cuda.get_device_name(device) if device.type == "cuda" else "a CPU"
    images, runs = (100, 2) if options.small else (2_000, 50)
    rows = measure_updates(device, images=images, runs=runs, is_small=options.small)
    width = "32 wide" if options.small else "of the published sizes"
    facts = {"images": images, "regions": REGIONS, "low": LOW, "high": HIGH, "runs": runs}
    about = ABOUT.format(device=called, width=width, **facts)
    text = as_markdown(rows, "Updates of models that ground expressions", "python -m benchmarks.grounding", about)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
