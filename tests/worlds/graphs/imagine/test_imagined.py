from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from deixis.errors import RecipeError
from deixis.worlds.photos.imagine import Annotator, ImaginedPicture, draw_imagined, draw_sheet, imagine
from deixis.worlds.photos.imagine._picture import who_owns


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.photos.scene.graph import Box, GraphObject, SceneGraph


pytest.importorskip("PIL")

SCENES = 60
SIDES = ("to the left of", "to the right of")


@cache
def scene(number: int) -> ImaginedPicture:
    return imagine(number, seed=11)


def relations(graph: SceneGraph) -> Iterator[tuple[GraphObject, str, GraphObject]]:
    by_id = {thing.id: thing for thing in graph.objects}
    for thing in graph.objects:
        for relation, other in thing.relations:
            yield thing, relation, by_id[other]


def common(one: Box, other: Box) -> tuple[float, float]:
    """How far two boxes overlap across and down; the gap between them, negative, where they do not."""
    across = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    return across, min(one.y + one.h, other.y + other.h) - max(one.y, other.y)


def holds(relation: str, one: Box, other: Box, width: int, height: int) -> bool:
    """Whether boxes agree with a relation, by definitions that know nothing of how scenes are put together."""
    across, down = common(one, other)
    foot, low = one.y + one.h, other.y + other.h
    if relation in SIDES:
        a, b = (one, other) if relation == SIDES[0] else (other, one)
        is_left = a.x + a.w / 2 < b.x + b.w / 2 and b.x - (a.x + a.w) < 0.25 * width
        return is_left and down >= 0.55 * min(a.h, b.h) and max(across, 0) < 0.5 * min(a.w, b.w)
    if relation in ("near", "next to"):
        return across > -0.06 * width and down > 0
    if relation == "above":
        return one.y < other.y and foot < low and across > 0
    if relation == "below":
        return one.y > other.y and foot > low and across > 0
    if relation in ("on", "on top of", "riding") or relation.endswith(" on"):
        middle = one.x + one.w / 2
        return other.x - 0.03 * width <= middle <= other.x + other.w + 0.03 * width and (
            other.y - 0.03 * height <= foot <= low + 0.12 * height
        )
    if relation in ("in", "inside") or relation.endswith(" in"):
        return across > 0 and foot <= low + 0.03 * height
    if relation == "flying":
        return other.y < one.y
    touching = ("in front of", "behind", "under", "wearing", "holding", "carrying", "eating", "swinging", "covering")
    assert relation in (*touching, "of", "attached to", "crossing"), relation
    return across > -0.02 * width and down > -0.02 * height


def test_every_true_relation_is_true_of_the_boxes() -> None:
    """What the truth says of two objects can be checked on their boxes alone."""
    for number in range(SCENES):
        truth = scene(number).truth
        for one, relation, other in relations(truth):
            said = f"{number}: {one.name} {one.box} {relation} {other.name} {other.box}"
            assert holds(relation, one.box, other.box, truth.width, truth.height), said


def test_left_and_right_leave_nothing_out() -> None:
    """Every pair that the rule calls left and right is called so, in the truth and in what is published."""
    for number in range(0, SCENES, 6):
        for graph in (scene(number).truth, scene(number).published):
            said = {(one.id, relation, other.id) for one, relation, other in relations(graph)}
            for one in graph.objects:
                for other in graph.objects:
                    for side in SIDES:
                        is_so = one is not other and holds(side, one.box, other.box, graph.width, graph.height)
                        assert is_so == ((one.id, side, other.id) in said)


@pytest.mark.parametrize("number", range(0, 40, 5))
def test_boxes_hold_what_is_drawn(number: int) -> None:
    """A picture without an object differs from the picture with it inside the box of the object, and nowhere else."""
    imagined = scene(number)
    whole = np.asarray(draw_imagined(imagined)).astype(int)
    for index, thing in enumerate(imagined.truth.objects):
        rest = np.asarray(draw_imagined(imagined, without=index)).astype(int)
        rows, columns = np.nonzero((whole != rest).any(2))
        x, y, w, h = thing.box
        assert len(rows), thing
        assert x <= columns.min()
        assert columns.max() < x + w
        assert y <= rows.min()
        assert rows.max() < y + h


def test_boxes_are_tight() -> None:
    """Most boxes are no larger than what disappears with the object; those of people reach to what they wear."""
    tight = total = 0
    for number in range(0, 40, 10):
        imagined = scene(number)
        whole = np.asarray(draw_imagined(imagined)).astype(int)
        for index, thing in enumerate(imagined.truth.objects):
            rows, columns = np.nonzero((whole != np.asarray(draw_imagined(imagined, without=index))).any(2))
            total += 1
            tight += np.ptp(rows) + 1 >= thing.box.h - 3 and np.ptp(columns) + 1 >= thing.box.w - 3
    assert tight > 0.85 * total


def test_boxes_lie_in_the_picture_and_have_a_size() -> None:
    """No box leaves the picture, and none is a mere point."""
    for number in range(SCENES):
        graph = scene(number).truth
        for thing in graph.objects:
            x, y, w, h = thing.box
            assert x >= 0 <= y
            assert x + w <= graph.width
            assert y + h <= graph.height
            assert min(w, h) >= 3


def test_nothing_is_hidden() -> None:
    """At least a part of every object can be seen, and all that is painted has an owner in the truth."""
    for number in range(0, SCENES, 10):
        imagined = scene(number)
        count = len(imagined.truth.objects)
        owners = who_owns(imagined.painted, count, imagined.truth.width, imagined.truth.height)
        assert {layer.owner for layer in imagined.painted} - {-1} == set(range(count))
        assert (owners.visible >= 0.08 * owners.alone).all()


def test_the_published_graph_is_a_part_of_the_truth() -> None:
    """An annotator who does not err writes down nothing that is not so."""
    for number in range(SCENES):
        imagined = scene(number)
        true = {thing.id: thing for thing in imagined.truth.objects}
        for thing in imagined.published.objects:
            assert thing.name == true[thing.id].name
            assert thing.box == true[thing.id].box
            assert set(thing.attributes) <= set(true[thing.id].attributes)
            assert set(thing.relations) <= set(true[thing.id].relations)


def test_an_annotator_who_errs_says_what_is_not_so() -> None:
    """With a share of wrong relations, some published ones are not in the truth."""
    wrong = 0
    for number in range(8):
        imagined = imagine(number, seed=11, annotator=Annotator(relations=1.0, wrong=0.5))
        true = {thing.id: set(thing.relations) for thing in imagined.truth.objects}
        wrong += sum(len(set(thing.relations) - true[thing.id]) for thing in imagined.published.objects)
    assert wrong > 0


def test_an_annotator_who_writes_nothing_leaves_names_and_sides() -> None:
    """Without attributes and relations there remain names, boxes, left and right."""
    silent = Annotator(attributes=0.0, relations=0.0, garments=1.0)
    imagined = imagine(3, seed=11, annotator=silent)
    assert len(imagined.published.objects) == len(imagined.truth.objects)
    assert not any(thing.attributes for thing in imagined.published.objects)
    assert {relation for _, relation, _ in relations(imagined.published)} <= set(SIDES)


def test_an_annotator_keeps_to_shares() -> None:
    """Shares are from 0 to 1."""
    with pytest.raises(RecipeError, match="wrong is a share"):
        Annotator(wrong=1.5)


def test_the_same_number_is_the_same_scene() -> None:
    """A scene depends on its number and the seed, and on nothing else."""
    again = imagine(4, seed=11)
    assert again == scene(4)
    assert draw_imagined(again).tobytes() == draw_imagined(scene(4)).tobytes()
    assert imagine(4, seed=12).truth != again.truth
    assert imagine(5, seed=11).truth != again.truth


def test_scenes_are_numbered_from_zero() -> None:
    """There is no scene before the first."""
    with pytest.raises(RecipeError, match="numbered from 0"):
        imagine(-1, seed=0)


def test_large_things_are_larger_than_small_ones() -> None:
    """Within a picture nothing called large is smaller than its like called small, and nothing tall is shorter."""
    for number in range(SCENES):
        things = scene(number).truth.objects
        for one in things:
            for other in things:
                if one.name == other.name:
                    if "large" in one.attributes and "small" in other.attributes:
                        assert one.box.area > other.box.area
                    if "tall" in one.attributes and "short" in other.attributes:
                        assert one.box.h > other.box.h


def test_scenes_are_about_as_full_as_those_of_gqa() -> None:
    """Objects, attributes, rivals and the share of left and right lie near those of GQA."""
    graphs = [imagine(number, seed=2).published for number in range(150)]
    objects = sum(len(graph.objects) for graph in graphs)
    links = Counter(relation for graph in graphs for _, relation, _ in relations(graph))
    attributes = sum(len(thing.attributes) for graph in graphs for thing in graph.objects)
    names = [Counter(thing.name for thing in graph.objects) for graph in graphs]
    rivals = sum(count for counts in names for count in counts.values() if count > 1)
    assert 15.5 < objects / len(graphs) < 19
    assert 0.42 < attributes / objects < 0.58
    assert 0.38 < rivals / objects < 0.56
    assert 0.78 < sum(links[side] for side in SIDES) / links.total() < 0.92
    assert 0.24 < links["on"] / (links.total() - sum(links[side] for side in SIDES)) < 0.4
    assert len({name for counts in names for name in counts}) > 120


def test_a_sheet_shows_the_scenes_side_by_side() -> None:
    """A sheet is as wide as its columns; without scenes there is none."""
    assert draw_sheet([scene(0), scene(1), scene(2)], columns=2, cell=(100, 80)).size == (224, 184)
    with pytest.raises(RecipeError, match="needs a scene"):
        draw_sheet([])
