"""Expressions about the objects of a table, made in the simplest way, for tests that need some of every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.resolution.reference import denotation
from deixis.seeds import Stream
from deixis.worlds.photos.distractors import TargetExpression
from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.scene.vocabulary import NAME, SAME, SAME_TYPES


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression
    from deixis.worlds.photos.scene.graph import GraphScene


WORDS = ("red", "blue", "white", "wood", "metal", "round", "male", "striped", "wet", "small")


def some_said(table: GraphTable, count: int, *, seed: int = 0) -> list[TargetExpression]:
    """So many expressions of all forms that fit exactly one object of their scene."""
    stream = Stream(seed)
    found: list[TargetExpression] = []
    for _ in range(200 * count):
        number = stream.below(len(table))
        scene = table.scene(number)
        target = stream.below(len(scene))
        options = [e for e in _about(scene, target, stream) if denotation(e, scene) == {target}]
        if options:
            found.append(TargetExpression(stream.choice(options), number, target))
        if len(found) == count:
            break
    return found


def _about(scene: GraphScene, target: int, stream: Stream) -> Iterator[Expression]:
    noun, own = Is(NAME, scene.names[target]), _words(scene, target, stream)
    links = stream.permutation(scene.outgoing(target))[:3]
    for relation, other in links:
        phrase = (Is(NAME, scene.names[other]), *_words(scene, other, stream))
        deeper = [Related(r, Description((Is(NAME, scene.names[o]),))) for r, o in scene.outgoing(other) if o != target]
        yield Description((noun, *own, Related(relation, Description(phrase))))
        if deeper:
            yield Description((noun, *own, Related(relation, Description((*phrase, stream.choice(deeper))))))
    if len(links) > 1:
        clauses = tuple(Related(r, Description((Is(NAME, scene.names[o]),))) for r, o in links[:2])
        yield Description((noun, *own, *clauses))
        yield Description((noun, *own, AnyOf(clauses)))
    yield Description((noun, Nth(1 + stream.below(2), stream.choice(("left", "right"))), *own))
    rivals = [i for i, name in enumerate(scene.names) if name == scene.names[target] and i != target]
    for rival in rivals[:1]:
        yield from (Description((noun, Not(Is(scene.vocabulary.type_of(w), w)))) for w in sorted(scene.words[rival]))
        yield from (
            Description((noun, Not(Related(r, Description((Is(NAME, scene.names[o]),))))))
            for r, o in scene.outgoing(rival)[:2]
        )
    for kind, relation in zip(SAME_TYPES, SAME, strict=True):
        for other in range(len(scene)):
            if other != target and scene.values(other, kind) & scene.values(target, kind):
                yield Description((noun, Related(relation, Description((Is(NAME, scene.names[other]),)))))


def _words(scene: GraphScene, index: int, stream: Stream) -> tuple[Is, ...]:
    words = sorted(scene.words[index])
    if not words or stream.below(3) == 0:
        return ()
    word = stream.choice(words)
    return (Is(scene.vocabulary.type_of(word), word),)


def crowded_table(images: int = 150, *, seed: int = 0) -> GraphTable:
    """A corpus of few words, in which every combination occurs in many images."""
    stream = Stream(seed)
    return GraphTable.of([_crowd(str(number), stream) for number in range(images)])


def _crowd(image_id: str, stream: Stream) -> SceneGraph:
    count = 5 + stream.below(5)
    things = []
    for number in range(count):
        links = {
            Link(stream.choice(("on", "near", "to the left of", "holding")), str(stream.below(count)))
            for _ in range(stream.below(4))
        }
        things.append(
            GraphObject(
                str(number),
                stream.choice(("man", "woman", "dog", "cup", "table", "hat")),
                Box(10 * stream.below(40), 10 * stream.below(30), 40, 30),
                tuple(sorted({stream.choice(WORDS) for _ in range(stream.below(3))})),
                tuple(sorted(link for link in links if link.object_id != str(number))),
            )
        )
    return SceneGraph(image_id, 500, 400, tuple(things))
