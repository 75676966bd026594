"""Part `judging`: answers in files, baselines, and readers that are asked now."""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from deixis.data._pieces import share_kept
from deixis.learn.run import find_checkpoint
from deixis.scene.scene import Where
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.judging import Answer, ObjectJudging


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis.judge.request import Request
    from deixis.worlds.tabletop._examples import TableExample


class TableJudging(ObjectJudging):
    """Objects as answers, and checkpoints that give such answers."""

    answers: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**ObjectJudging.answers, "checkpoint": "a reader that `deixis train` left; it answers every example"}
    )

    def ask_model(self, request: Request, examples: Sequence[TableExample]) -> tuple[str, Iterable[Answer]] | None:
        """Return the name and the answers of a reader, or None if no checkpoint was given."""
        path = find_checkpoint(request.answer) if str(request.answer) not in self.baselines else None
        if path is None:
            return None
        from deixis.worlds.tabletop._models.course import point, read_reader

        bundle = read_reader(path)
        parts: dict[str, list[int]] = {}
        for number, one in enumerate(examples):
            parts.setdefault(one.split, []).append(number)

        def work(splits: Sequence[str]) -> Iterator[list[Where]]:
            for split in splits:
                yield point(bundle, [examples[number] for number in parts[split]], device=request.device)

        found = share_kept(request.kept, list(parts), work, key=_key, pack=list, unpack=_places_in)
        pointed = zip(chain.from_iterable(parts.values()), chain.from_iterable(found), strict=True)
        chosen = [where for _, where in sorted(pointed, key=lambda one: one[0])]
        name = bundle.role if (reads := bundle.training.get("reads")) == "parse" else f"{bundle.role}, {reads}"
        return name, [Answer(str(one.id), where) for one, where in zip(examples, chosen, strict=True)]


def _key(split: str) -> list[str]:
    return ["objects", split]


def _places_in(packed: Any) -> list[Where]:
    """Return objects of which JSON has made lists."""
    return [Where(*place) for place in packed]


JUDGING = TableJudging(WORLD)
