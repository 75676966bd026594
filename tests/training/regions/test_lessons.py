"""Lessons: the regions of each image, and negatives that are what they should be."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.worlds.photos.training._lessons import Lessons
from tests.training.regions.made_up import regions, said_of


@st.composite
def lessons(draw: st.DrawFn) -> Lessons:
    """A few images with something said about some of their regions."""
    counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    table = regions(counts, draw(st.integers(1, 3)), draw(st.integers(0, 99)))
    targets = draw(st.lists(st.integers(0, sum(counts) - 1), min_size=1, max_size=8))
    return Lessons(table, said_of(table, targets), same_category=draw(st.sampled_from((0.0, 0.3, 1.0))))


@given(lessons())
@settings(max_examples=60, deadline=None)
def test_the_target_stands_where_the_lesson_says(made: Lessons) -> None:
    """Among the regions of its image, the target is at its place, and all that is there is of the image."""
    rows = torch.arange(len(made.material)).repeat(2)
    lesson = made(rows)
    assert torch.equal(lesson.rows.gather(1, lesson.place[:, None])[:, 0], lesson.target)
    assert bool((made.table.image[lesson.rows] == made.material.image[rows][:, None]).all())
    sizes = made.table.first[1:] - made.table.first[:-1]
    assert torch.equal(lesson.there.sum(1), sizes[made.material.image[rows]])


@given(lessons())
@settings(max_examples=60, deadline=None)
def test_negative_regions_are_of_the_image_where_it_has_any(made: Lessons) -> None:
    """A negative is another region of the image, of the category that is asked for where there is such a one."""
    table, material = made.table, made.material
    rows = torch.arange(len(material)).repeat(8)
    for row, other in zip(rows.tolist(), made.other_region(rows).tolist(), strict=True):
        target = int(material.target[row])
        mine = [k for k in range(len(table)) if table.image[k] == table.image[target] and k != target]
        alike = [k for k in mine if table.category[k] == table.category[target]]
        unlike = [k for k in mine if k not in alike]
        if made.same_category == 1 and alike:
            assert other in alike
        elif made.same_category == 0 and unlike:
            assert other in unlike
        elif alike and unlike:
            assert other in mine
        elif unlike:
            assert other in unlike


@given(lessons())
@settings(max_examples=60, deadline=None)
def test_negative_expressions_are_about_another_region(made: Lessons) -> None:
    """Where something of another category is said about the image, a negative is said of another region of it."""
    material, category = made.material, made.category
    rows = torch.arange(len(material)).repeat(8)
    for row, other in zip(rows.tolist(), made.other_expression(rows).tolist(), strict=True):
        mine = [
            k
            for k in range(len(material))
            if material.image[k] == material.image[row] and material.target[k] != material.target[row]
        ]
        if any(category[k] != category[row] for k in mine):
            assert other in mine


def test_three_in_ten_negatives_are_of_the_same_category() -> None:
    """The probability of a negative of the target's category is the one that is asked for."""
    table = regions([6])
    table.category.copy_(torch.tensor([0, 0, 0, 1, 1, 2]))
    made = Lessons(table, said_of(table, [0]), same_category=0.3)
    torch.default_generator.manual_seed(0)
    others = made.other_region(torch.zeros(20_000, dtype=torch.int64))
    shares = torch.bincount(others, minlength=6) / len(others)
    assert torch.allclose(shares, torch.tensor([0, 0.15, 0.15, 0.7 / 3, 0.7 / 3, 0.7 / 3]), atol=0.015)


def test_the_same_chance_gives_the_same_lesson() -> None:
    """A lesson follows from the state of the generator alone."""
    table = regions([4, 5, 3])
    made = Lessons(table, said_of(table, [0, 1, 2, 5, 6, 10]))
    found = []
    for _ in range(2):
        torch.default_generator.manual_seed(3)
        found.append(made(torch.tensor([0, 2, 5, 3])))
    assert torch.equal(found[0].other_region, found[1].other_region)
    assert torch.equal(found[0].other_said.words, found[1].other_said.words)


def test_what_is_mined_comes_with_its_region() -> None:
    """A mined expression stands in the lesson with the region that it is about."""
    table = regions([4, 5])
    made = Lessons(table, said_of(table, [0, 5, 7]))
    lesson = made(torch.tensor([0, 1]), {"subject": torch.tensor([2, 0])})
    assert lesson.mined is not None
    said, about = lesson.mined["subject"]
    assert about.tolist() == [7, 0]
    assert torch.equal(said.words, made.material.said.words[[2, 0]])
