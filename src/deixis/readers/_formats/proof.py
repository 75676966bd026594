"""The proof of a conversion: what was written is read back, and every example is compared with the one it was made of.

Two examples belong together when they say the same of the same images, with the same id or in the same split; a layout
may bring them in another order. What is left over then belongs to whatever says the same, else it is missing or extra.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.expression.description import describe
from deixis.report.output import TextTable
from deixis.scene.plain import scene_to_plain
from deixis.scene.scene import PlainScene


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.judge.boxes import Box
    from deixis.readers.reader import ReadExample
    from deixis.scene.scene import Scene


MAX_SHOWN = 8  # changes that are kept with before and after, of each field
ROUNDING = {"pixels": 0.01, "share": 1e-5}  # differences of edges that are rounding
LONGEST = 160  # letters of a value that is shown
FIELDS = {
    "id": "the id",
    "split": "the split",
    "text": "the text",
    "meaning": "the expression",
    "images": "the names or sizes of the images",
    "boxes": "the right regions",
    "targets": "the objects that are meant",
    "candidates": "the objects of the scenes, or their boxes",
    "choices": "the choices, or which one is right",
    "facts": "what else the dataset says",
    "rounding": "boxes, by rounding only",
}
"""Fields that are compared, with a line each; a difference of the last one changes nothing."""


@dataclass
class ConversionProof:
    """Counts of what a conversion changed.

    Attributes:
        examples: that were compared.
        identical: of these, how many came back as they were.
        changed: how many changed in each field.
        facts: how many lost each fact.
        missing: examples that were written and did not come back.
        extra: examples that came back and were not written.
        refused: records that were refused when they were read back, by code.
        shown: the first changes of each field, with before and after.
    """

    examples: int = 0
    identical: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    facts: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    extra: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    shown: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """True where every example came back, and none changed beyond rounding."""
        return not (self.missing or self.extra or self.refused or set(self.changed) - {"rounding"})

    @property
    def is_complete(self) -> bool:
        """True where every example came back, changed or not."""
        return not (self.missing or self.extra or self.refused)

    def compare(self, before: ReadExample, after: ReadExample) -> None:
        """Count the differences of two examples."""
        self.examples += 1
        found = differences(before, after)
        self.identical += not found
        for name, (old, new) in found.items():
            self.changed[name] += 1
            shown = self.shown.setdefault(name, [])
            if len(shown) < MAX_SHOWN:
                shown.append({"id": before.id, "before": old, "after": new})
        if "facts" in found:
            self.facts.update(key for key in before.facts if before.facts[key] != after.facts.get(key, _ABSENT))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the first changes as plain values."""
        return {
            "examples": self.examples,
            "identical": self.identical,
            "changed": {name: self.changed[name] for name in FIELDS if self.changed[name]},
            "facts lost or changed": dict(sorted(self.facts.items())),
            "missing": self.missing,
            "extra": self.extra,
            "refused when read back": dict(sorted(self.refused.items())),
            "first changes": {name: self.shown[name] for name in FIELDS if name in self.shown},
        }

    def blocks(self) -> list[str | TextTable]:
        """The counts as a table, then the first change of each field."""
        told = f"Read back and compared: {self.identical:,} of {self.examples:,} examples are identical"
        lines: list[str | TextTable] = [told + ("." if not self.changed else "; the others differ in:")]
        if self.changed:
            rows = [(FIELDS[name], f"{self.changed[name]:,}") for name in FIELDS if self.changed[name]]
            lines.append(TextTable(("changed", "examples"), rows, numbers=(1,)))
        for count, what in ((self.missing, "did not come back"), (self.extra, "came back that were not written")):
            if count:
                lines.append(f"{count:,} examples {what}")
        lines += [f"{often:,} records were refused when read back: {code}" for code, often in self.refused.items()]
        if self.facts:
            lines.append(
                f"facts lost or changed: {', '.join(f'{key} ({n:,})' for key, n in sorted(self.facts.items()))}"
            )
        for name in FIELDS:
            for one in self.shown.get(name, ())[:1]:
                lines.append(f"{name} of {one['id']}: {_brief(one['before'])} became {_brief(one['after'])}")
        return lines


_ABSENT = object()


def prove(before: Iterable[ReadExample], after: Iterable[ReadExample], proof: ConversionProof) -> ConversionProof:
    """Compare examples, and count what changed."""
    old, new = iter(before), iter(after)
    waiting: tuple[_Waiting, _Waiting] = _Waiting(), _Waiting()
    while True:
        one, other = next(old, None), next(new, None)
        if one is None and other is None:
            break
        is_due = one is not None and not any(some.knows(one) for some in waiting)  # nobody who says the same waits
        if is_due and one is not None and other is not None and _belong(one, other):
            proof.compare(one, other)
            continue
        if one is not None:
            if (partner := waiting[1].take(one, is_sure=True)) is None:
                waiting[0].put(one)
            else:
                proof.compare(one, partner)
        if other is not None:
            if (partner := waiting[0].take(other, is_sure=True)) is None:
                waiting[1].put(other)
            else:
                proof.compare(partner, other)
    for left in waiting[0]:
        if (partner := waiting[1].take(left, is_sure=False)) is None:
            proof.missing += 1
        else:
            proof.compare(left, partner)
    proof.extra += len(waiting[1])
    return proof


class _Waiting:
    """Examples without a partner so far, by what they say of which images."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], list[ReadExample]] = {}

    def __iter__(self) -> Iterator[ReadExample]:
        return (one for some in self._kept.values() for one in some)

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))

    def knows(self, example: ReadExample) -> bool:
        """Whether an example that says the same of the same images waits."""
        return bool(self._kept) and bool(self._kept.get(_key(example)))

    def put(self, example: ReadExample) -> None:
        self._kept.setdefault(_key(example), []).append(example)

    def take(self, example: ReadExample, *, is_sure: bool) -> ReadExample | None:
        """Return the partner of an example, one of the same id or split if that is to be sure, and forget it."""
        some = self._kept.get(_key(example), [])
        ranked = sorted(range(len(some)), key=lambda k: (some[k].id != example.id, some[k].split != example.split))
        if not ranked or (is_sure and not _belong(some[ranked[0]], example)):
            return None
        return some.pop(ranked[0])


def _belong(one: ReadExample, other: ReadExample) -> bool:
    """Return whether two examples say the same of the same images, with the same id or in the same split."""
    return _key(one) == _key(other) and (one.id == other.id or one.split == other.split)


def _key(example: ReadExample) -> tuple[Any, ...]:
    return example.text, tuple(image.name for image in example.images), example.choices


# -------------------------------------------------------------------------------- fields


def differences(before: ReadExample, after: ReadExample) -> dict[str, tuple[Any, Any]]:
    """Return the fields in which two examples differ, with both values as plain ones."""
    found: dict[str, tuple[Any, Any]] = {}
    for name in ("id", "split", "text"):
        if getattr(before, name) != getattr(after, name):
            found[name] = getattr(before, name), getattr(after, name)
    if before.expression != after.expression:
        found["meaning"] = _meaning_of(before), _meaning_of(after)
    if before.images != after.images:
        found["images"] = [list(one) for one in before.images], [list(one) for one in after.images]
    if before.targets != after.targets:
        found["targets"] = [list(one) for one in before.targets], [list(one) for one in after.targets]
    if (before.choices, before.right) != (after.choices, after.right):
        found["choices"] = [list(before.choices), before.right], [list(after.choices), after.right]
    found |= _box_differences(before, after)
    if before.facts != after.facts:
        keys = [key for key in {**before.facts, **after.facts} if _fact(before, key) != _fact(after, key)]
        one, other = ({key: some.facts[key] for key in keys if key in some.facts} for some in (before, after))
        found["facts"] = one, other
    return found


def _fact(example: ReadExample, key: str) -> Any:
    return example.facts.get(key, _ABSENT)


def _meaning_of(example: ReadExample) -> str | None:
    return None if example.expression is None else describe(example.expression)


def _box_differences(before: ReadExample, after: ReadExample) -> dict[str, tuple[Any, Any]]:
    found: dict[str, tuple[Any, Any]] = {}
    slack = ROUNDING[before.space] if before.space == after.space else 0.0
    is_rounded = False
    old, new = [box for _, box in before.boxes], [box for _, box in after.boxes]
    one_image = [image for image, _ in before.boxes] == [image for image, _ in after.boxes]
    if before.boxes != after.boxes or (before.boxes and before.space != after.space):
        is_rounded = one_image and before.space == after.space and _are_near(old, new, slack)
        if not is_rounded:
            found["boxes"] = _plain_boxes(before), _plain_boxes(after)
    regions = [box for some in before.regions for box in some], [box for some in after.regions for box in some]
    shape = [len(some) for some in before.regions] == [len(some) for some in after.regions]
    same = before.scenes == after.scenes or _scenes(before) == _scenes(after)
    if not same or not shape or regions[0] != regions[1]:
        if same and shape and _are_near(*regions, slack):
            is_rounded = True
        else:
            found["candidates"] = _candidates(before), _candidates(after)
    if is_rounded and "boxes" not in found:
        found["rounding"] = _plain_boxes(before), _plain_boxes(after)
    return found


def _are_near(some: list[Box], others: list[Box], slack: float) -> bool:
    if len(some) != len(others):
        return False
    return all(
        abs(a - b) <= slack for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True)
    )


def _plain_boxes(example: ReadExample) -> list[Any]:
    return [[image, *box, example.space] for image, box in example.boxes]


def _scenes(example: ReadExample) -> list[Any]:
    return [_plain_scene(scene) for scene in example.scenes]


def _plain_scene(scene: Scene) -> dict[str, Any]:
    """Return a scene as plain values; of one that is not written out, the values of its objects."""
    if isinstance(scene, PlainScene):
        return scene_to_plain(scene)
    names = [one.name for one in scene.schema.attributes]
    found = [{name: sorted(scene.values(thing, name)) for name in names} for thing in range(len(scene))]
    return {"objects": [{name: values for name, values in one.items() if values} for one in found]}


def _candidates(example: ReadExample) -> list[Any]:
    boxes = [[list(box) for box in some] for some in example.regions]
    return [{"scene": scene, "boxes": some} for scene, some in zip(_scenes(example), boxes, strict=False)] or boxes


def _brief(value: Any) -> str:
    told = " ".join(str(value).split())
    return told if len(told) <= LONGEST else told[: LONGEST - 1] + "…"
