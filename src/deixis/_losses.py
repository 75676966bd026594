"""Counts of things left out, repaired or guessed, by reason.

A rule for every verb: what is lost is counted, told on the last lines, kept in the manifest or the JSON, and has to be
asked for by an option where it is more than one in a hundred.

    losses = Losses("images")
    losses.see(997)
    losses.leave_out("its width is not a number", 3)
    losses.demand_few(where="scenes.json", allowed=allow_losses)    # BrokenDataset above one in a hundred
    manifest["losses"] = losses.to_dict()
    for line in losses.lines(): print(line)                         # 3 of 997 images left out: its width …
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Mapping


Kind: TypeAlias = Literal["left out", "repaired", "guessed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_SHARE = 0.01  # of what was seen; more has to be asked for
ALLOW = "--allow-losses"  # the option that asks for it
MAX_REASONS = 12  # told of each kind; the rest are added up


class Losses:
    """Counts of the things that were left out, repaired or guessed, by reason.

    Args:
        things: what is counted, in the plural: `examples`, `images`.
        seen: how many there are; may be added to with `see`.
    """

    def __init__(self, things: str, seen: int = 0) -> None:
        self.things = things
        self.seen = seen
        self.counts: dict[Kind, Counter[str]] = {kind: Counter() for kind in KINDS}

    def __bool__(self) -> bool:
        """Whether anything was lost at all."""
        return any(self.total(kind) for kind in KINDS)

    def see(self, number: int = 1) -> None:
        """Count things that were looked at, lost or not."""
        self.seen += number

    def leave_out(self, reason: str, number: int = 1) -> None:
        """Count things that do not come out again."""
        self.count("left out", reason, number)

    def repair(self, reason: str, number: int = 1) -> None:
        """Count things that come out otherwise than they stood."""
        self.count("repaired", reason, number)

    def guess(self, reason: str, number: int = 1) -> None:
        """Count things of which something was assumed."""
        self.count("guessed", reason, number)

    def count(self, kind: Kind, reason: str, number: int = 1) -> None:
        """Count losses of one kind, unless there are none."""
        if number:
            self.counts[kind][reason] += number

    def add(self, other: Losses) -> None:
        """Add the losses of another part of the same things."""
        self.seen += other.seen
        for kind, counts in other.counts.items():
            self.counts[kind].update(counts)

    def total(self, kind: Kind) -> int:
        """Return the number of losses of a kind."""
        return self.counts[kind].total()

    def is_few(self, kind: Kind) -> bool:
        """Return whether losses of a kind are at most one in a hundred of the things seen."""
        return self.total(kind) <= MAX_SHARE * self.seen

    def demand_few(self, *, where: object, allowed: bool = False, option: str = ALLOW) -> None:
        """`BrokenDataset` where more than one in a hundred is lost in some way and nobody has asked for it.

        Args:
            where: what was read or written, as the message calls it.
            allowed: whether the user asked for it.
            option: how the user can.
        """
        for kind in KINDS:
            if not allowed and not self.is_few(kind):
                reason, often = self.counts[kind].most_common(1)[0]
                share = f"{self.total(kind):,} of {self.seen:,} {self.things}"
                raise BrokenDataset(
                    f"{where}: {share} would be {kind} (most often, {often:,} times: {reason}), more than one in a "
                    f"hundred; mend them, or add {option} to go on without them"
                )

    def lines(self) -> list[str]:
        """The losses in words, a line for every reason, the most frequent first."""
        told = []
        for kind, counts in self.counts.items():
            listed = counts.most_common()
            told += [f"{often:,} of {self.seen:,} {self.things} {kind}: {why}" for why, often in listed[:MAX_REASONS]]
            if rest := listed[MAX_REASONS:]:
                often = sum(number for _, number in rest)
                told.append(f"{often:,} of {self.seen:,} {self.things} {kind}: {len(rest):,} other reasons")
        return told

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """The losses that `to_dict` gave."""
        losses = cls(kept["of"], kept["seen"])
        for kind in KINDS:
            for reason, number in kept.get(kind, {}).items():
                losses.count(kind, reason, number)
        return losses

    def to_dict(self) -> dict[str, object]:
        """Return the counts for manifests and JSON, without kinds that have no losses."""
        kept: dict[str, object] = {kind: dict(counts.most_common()) for kind, counts in self.counts.items() if counts}
        return {"of": self.things, "seen": self.seen, **kept}
