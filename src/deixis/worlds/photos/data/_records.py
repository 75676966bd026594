"""Conversion of examples to released records and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.errors import UnknownName
from deixis.expression.steps import AnyOf, Is, Not, Related
from deixis.resolution.reference import narrow
from deixis.worlds.photos._formats.copsref import KIND_NAMES, KINDS, Ref
from deixis.worlds.photos._misreadings import ALL_KINDS
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deixis.expression.description import Description, Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos.scene.graph import GraphScene
    from deixis.worlds.photos.scene.graph_table import GraphTable


LEARNT_WORDS = 50  # attributes that MattNet learns, and `att_wds` lists


def example_of(ref: Ref, parse: Callable[[str], Expression | None] | None = None) -> Example:
    """Return the example of a record.

    `parse` finds the meaning of its text, and may refuse.
    """
    distractors = [
        DistractorImage(KINDS[name], image, objects[place] if place < len(objects) else "")
        for name, images in ref.neg_img_list.items()
        if name in KINDS
        for objects in [ref.neg_obj_list.get(name, ())]
        for place, image in enumerate(images)
    ]
    form = "order" if ref.logic == "unary" else ref.logic
    return Example(
        id=ref.ref_id,
        text=ref.expression,
        expression=parse(ref.expression) if parse is not None else None,
        form=form,
        forms=(form,) if form else (),
        image_id=ref.image_id,
        object_id=ref.object_id,
        distractors=tuple(sorted(distractors, key=lambda one: ALL_KINDS.index(one.kind))),
        split=ref.split,
    )


def ref_of(example: Example, table: GraphTable) -> Ref:
    """Return the record of an example that fits something, with images and objects from the table."""
    number = table.find(example.image_id)
    scene = table.scene(number)
    target = scene.object_number(example.object_id)
    thing = int(table.scene_ptr[number]) + target
    learnt = _learnt(table)
    words = tuple(sorted(scene.words[target]))
    levels = _levels(example.expression, scene, target) if example.expression is not None else None
    images, objects, numbers = _negatives_of(example, table)
    return Ref(
        ref_id=example.id,
        image_id=example.image_id,
        object_id=example.object_id,
        expression=example.text,
        logic="unary" if example.form == "order" else example.form,
        ann_id=thing,
        category_id=int(table.name[thing]),
        name=scene.raw_names[target],
        box=scene.boxes[target],
        attributes=words,
        att_wds=tuple(word for word in words if word in learnt),
        explored_list=levels.objects if levels else None,
        attri_used=levels.attributes if levels else None,
        not_rela=levels.false_relation if levels else "",
        split=example.split,
        split_old=example.split,
        neg_img_list=images,
        neg_obj_list=objects,
        neg_ann_id_list=numbers,
    )


@dataclass(frozen=True, slots=True)
class _Levels:
    """The objects that an expression speaks of, by depth, as the released files have them."""

    objects: list[list[str]]
    attributes: list[Any]
    false_relation: str


def _levels(expression: Expression, scene: GraphScene, target: int) -> _Levels:
    objects: list[list[str]] = []
    attributes: list[list[str]] = []
    false: list[str] = []

    def visit(mention: Description, index: int | None, depth: int) -> None:
        if len(objects) == depth:
            objects.append([])
            attributes.append([])
        objects[depth].extend([] if index is None else [scene.object_ids[index]])
        attributes[depth].append(next(_attributes_said(mention), ""))
        for clause, is_true in _clauses(mention, index, scene):
            if not is_true:
                false.append(clause.relation)
            visit(clause.to, _witness(clause, index, scene), depth + 1)

    visit(expression, target, 0)
    said = [list(row) if len(row) == 1 else [[word] for word in row] for row in attributes]
    has_alternative = any(isinstance(step, AnyOf) for step in expression.steps)
    return _Levels(objects, said, false[0] if false and has_alternative else "")


def _attributes_said(mention: Description) -> Iterator[str]:
    for step in mention.steps:
        said = step.step if isinstance(step, Not) else step
        if isinstance(said, Is) and said.attribute != NAME:
            yield said.value


def _clauses(mention: Description, index: int | None, scene: GraphScene) -> Iterator[tuple[Related, bool]]:
    """Yield the clauses of a phrase, negated ones and alternatives included, and whether each holds of an object."""
    for step in mention.steps:
        for clause in _related_in(step):
            others = narrow(clause.to, scene, reading=scene.schema.reading)
            yield clause, index is not None and any(scene.related(clause.relation, index, other) for other in others)


def _related_in(step: Step) -> Iterator[Related]:
    match step:
        case Related():
            yield step
        case Not(inner):
            yield from _related_in(inner)
        case AnyOf(steps):
            for inner in steps:
                yield from _related_in(inner)


def _witness(clause: Related, index: int | None, scene: GraphScene) -> int | None:
    """An object that a clause may be about: the first that stands in its relation, or else the first that fits."""
    fitting = sorted(narrow(clause.to, scene, reading=scene.schema.reading) - {index})
    related = (other for other in fitting if index is not None and scene.related(clause.relation, index, other))
    return next(related, fitting[0] if fitting else None)


def _negatives_of(
    example: Example, table: GraphTable
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], dict[str, tuple[int, ...]]]:
    """The distractor images by kind: their ids, the ids of the objects that are the reason, and their numbers."""
    images: dict[str, list[str]] = {}
    objects: dict[str, list[str]] = {}
    numbers: dict[str, list[int]] = {}
    for one in example.distractors:
        kind = KIND_NAMES[one.kind]
        number = table.find(one.image_id)
        held = table.object_ids[slice(*table.scene_ptr[number : number + 2].tolist())]
        chosen = one.object_id or held[0]
        if chosen not in held:
            raise UnknownName(f"image {one.image_id!r} has no object {chosen!r}")
        images.setdefault(kind, []).append(one.image_id)
        objects.setdefault(kind, []).append(chosen)
        numbers.setdefault(kind, []).append(int(table.scene_ptr[number]) + held.index(chosen))
    return (
        {kind: tuple(some) for kind, some in images.items()},
        {kind: tuple(some) for kind, some in objects.items()},
        {kind: tuple(some) for kind, some in numbers.items()},
    )


def _learnt(table: GraphTable) -> frozenset[str]:
    """Return the attributes that are frequent enough to be learnt."""
    order = (-table.word_counts).argsort(kind="stable")[:LEARNT_WORDS]
    return frozenset(table.vocabulary.words[code] for code in order.tolist())
