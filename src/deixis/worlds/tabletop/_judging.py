"""Part `judging`: answers in files, baselines, and readers that are asked now."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from deixis.learn.run import find_checkpoint
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.judging import Answer, ObjectJudging


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
        found = point(bundle, examples, device=request.device)
        name = bundle.role if (reads := bundle.training.get("reads")) == "parse" else f"{bundle.role}, {reads}"
        return name, [Answer(str(one.id), where) for one, where in zip(examples, found, strict=True)]


JUDGING = TableJudging(WORLD)
