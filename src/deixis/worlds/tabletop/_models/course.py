"""Training of readers of tables: by nothing but which solid is meant."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch

from deixis.data.store import open_dataset
from deixis.errors import BrokenCheckpoint, BrokenDataset
from deixis.learn._checkpoints import Kind, read_bundle
from deixis.learn._loop import Course, follow, passes
from deixis.learn._told import SUPERVISION, choice_cost
from deixis.learn._updates import Updates
from deixis.learn.devices import find_device
from deixis.learn.run import silent
from deixis.scene.scene import Where
from deixis.seeds import derive
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._models.reader import SYMBOLS, TableReader, TableReaderSettings
from deixis.worlds.tabletop._models.settings import CROP, TableReading
from deixis.worlds.tabletop._models.tables import arrays_of, kept_arrays


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from torch import Tensor

    from deixis.learn._checkpoints import Bundle
    from deixis.learn.run import Progress
    from deixis.worlds.tabletop._examples import TableDataset, TableExample
    from deixis.worlds.tabletop._models.settings import Reads
    from deixis.worlds.tabletop._models.tables import TableArrays


LARGEST = 4096  # of any size of a reader
AT_ONCE = 256  # expressions that are answered together


def _build(name: str, settings: Mapping[str, Any], words: tuple[str, ...]) -> TableReader:
    """A reader with fresh weights, or `BrokenCheckpoint` if there can be none of these sizes."""
    if name != "reader" or words != SYMBOLS.names:
        raise BrokenCheckpoint(f"the {name[:40]!r} of this checkpoint is no reader of tables, or knows other words")
    try:
        sizes = TableReaderSettings(**settings)
    except TypeError as error:
        raise BrokenCheckpoint(f"the reader cannot be built: {str(error)[:160]}") from error
    numbers = list(asdict(sizes).values())
    if not all(type(one) is int and 0 <= one <= LARGEST for one in numbers) or sizes.crop not in (0, CROP):
        raise BrokenCheckpoint(f"the reader cannot be built: sizes go up to {LARGEST:,}, got {str(settings)[:80]}")
    if not all(numbers[1:]):
        raise BrokenCheckpoint("the reader cannot be built: its sizes are at least 1")
    return TableReader(sizes)


TABLES = Kind("tabletop", "reader of tables", _build)


def learn_to_point(  # noqa: PLR0913 (where, what, and with what)
    how: TableReading,
    data: Path,
    out: Path,
    *,
    sees: bool,
    device: str = "auto",
    cache: Path | None = None,
    progress: Progress | None = None,
    stop_after: float | None = None,
) -> dict[str, Any]:
    """Train a reader, or go on with a training that was stopped, and return the contents of run.json.

    Args:
        how: the settings.
        data: a dataset with train and dev.
        out: the folder of the run.
        sees: whether it sees pictures; otherwise it is told values.
        device: where it is computed.
        cache: a folder for what is told or seen of tables, so that it is worked out once.
        progress: told how far things are.
        stop_after: seconds after which to stop; the same call goes on.
    """
    tell = progress or silent
    return follow(_Pointing(how, data, device, cache, tell, sees=sees), out, progress=tell, stop_after=stop_after)


class _Pointing(Course):
    kind = TABLES

    def __init__(
        self, how: TableReading, data: Path, device: str, cache: Path | None, progress: Progress, *, sees: bool
    ) -> None:
        self.role = "tabletop-pixels" if sees else "tabletop-program"
        place, digest = find_device(device), open_dataset(data).digest
        self.training, self.vocabulary = how, SYMBOLS.names

        def arrays(split: str) -> TableArrays:
            file = None if cache is None else cache / f"{digest[:16]}-{split}-{'pixels' if sees else 'values'}.npz"
            tell = _teller(progress, split)
            return kept_arrays(
                file, lambda: arrays_of(_examples_to_learn(EXAMPLES.open(data), split), sees=sees, tell=tell)
            )

        self.learnt, self.held_out = (_Tensors(arrays(split), how.reads, place) for split in ("train", "dev"))
        if len(self.learnt) < how.batch_size:
            told = f"{len(self.learnt)} expressions to learn from, a step takes {how.batch_size}"
            raise BrokenDataset(f"{data.name} has {told}; give a smaller --batch-size")
        self.data = {
            "name": data.name,
            "digest": digest,
            "split": "train",
            "examples": len(self.learnt),
            "sees": sees,
        }
        torch.default_generator.manual_seed(derive(how.seed, "weights") >> 1)
        sizes = TableReaderSettings(crop=CROP if sees else 0, width=how.width, pair=how.pair)
        self.model = TableReader(sizes).to(place)
        self.updates = Updates(
            {"reader": self.model}, place, self.loss, batch_size=how.batch_size, clip=how.clip, seed=how.seed
        )
        self.updates.graphs = False  # which operations come differs from batch to batch

    def prepare(self, step: int) -> np.ndarray:
        """Choose the expressions of a step."""
        return passes(step, self.training.batch_size, len(self.learnt), self.training.seed)

    def loss(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the cost of a step, and how often the target was found."""
        fits, there, target = self.learnt.fit(self.model, rows)
        cost = choice_cost(fits, there, target, truth=self.training.truth)
        return cost.mean(), {"right": (fits.argmax(1) == target).float().mean()}

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Return how often the solid is found in expressions of dev."""
        right = sum(int((fits.argmax(1) == target).sum()) for fits, target in _answer_all(self.model, self.held_out))
        return {"right": right / len(self.held_out), "examples": len(self.held_out)}

    def merit(self, step: int, dev: Mapping[str, float]) -> float | None:  # noqa: ARG002 (every step counts)
        """Select by how often the solid is found."""
        return dev["right"]

    def describe(self, best: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return what it learns from."""
        return {"supervision": SUPERVISION if self.training.reads == "parse" else "targets"}


class _Tensors:
    """Examples on a device."""

    def __init__(self, arrays: TableArrays, reads: Reads, device: torch.device) -> None:
        self.images = arrays.images
        self.lines = torch.from_numpy(arrays.lines(reads)).to(device)
        self.seen, self.places, self.there, self.target = (torch.from_numpy(part).to(device) for part in arrays[:4])

    def __len__(self) -> int:
        return len(self.lines)

    def fit(self, model: TableReader, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return how all solids of some examples fit, which are there, and the targets."""
        tables = (rows[:, None] * self.images + torch.arange(self.images, device=rows.device)).flatten()
        lines = self.lines[rows].repeat_interleave(self.images, dim=0)
        there = self.there[tables]
        fits = model(lines, self.seen[tables], self.places[tables], there)
        return (
            fits.unflatten(0, (len(rows), -1)).flatten(1),
            there.unflatten(0, (len(rows), -1)).flatten(1),
            self.target[rows],
        )


def _answer_all(model: TableReader, examples: _Tensors) -> Iterator[tuple[Tensor, Tensor]]:
    for rows in torch.arange(len(examples), device=examples.lines.device).split(AT_ONCE):
        fits, there, target = examples.fit(model, rows)
        yield fits.masked_fill(~there, float("-inf")), target


def _examples_to_learn(opened: TableDataset, split: str) -> list[TableExample]:
    """The examples of a split in which a solid is meant."""
    found = [example for number in opened.numbers(split) if (example := opened[number]).target is not None]
    if not found:
        raise BrokenDataset(f"{opened.path.name} has no expressions in {split} that fit a solid")
    return found


def _teller(progress: Progress, split: str) -> Any:
    return lambda done, total: progress(f"tables of {split}", done, total)


def read_reader(path: Path) -> Bundle:
    """Read the reader in a file, or raise `BrokenCheckpoint` if it is missing, damaged or of another kind."""
    return read_bundle(path, TABLES)


@torch.no_grad()
def point(bundle: Bundle, examples: Sequence[TableExample], *, device: str = "auto") -> list[Where]:
    """Return the solid that a reader finds in each example.

    Args:
        bundle: the reader.
        examples: of whatever number of tables; in those that fit nothing, too, a solid is pointed at.
        device: where it is computed.
    """
    place = find_device(device)
    model = bundle.model("reader", place)
    assert isinstance(model, TableReader)
    how = TableReading(**{**bundle.training, "seed": 0})
    found: dict[int, Where] = {}
    for count in sorted({len(example.scenes) for example in examples}):
        numbers = [number for number, example in enumerate(examples) if len(example.scenes) == count]
        some = [examples[number] for number in numbers]
        arrays = arrays_of(some, sees=bool(model.settings.crop))
        chosen = torch.cat(
            [fits.argmax(1) for fits, _ in _answer_all(model, _Tensors(arrays, how.reads, place))]
        ).tolist()
        found.update((number, Where(*divmod(one, arrays.room))) for number, one in zip(numbers, chosen, strict=True))
    return [found[number] for number in range(len(examples))]
