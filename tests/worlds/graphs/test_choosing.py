"""The choice of what is said among all that can be: shares of forms, and few expressions without an order."""

from __future__ import annotations

from collections import Counter

from deixis.worlds.photos.localise import Example
from deixis.worlds.photos.making._choosing import choose_said


SHARES = {"chain": 0.5, "and": 0.5}


def example(number, form, image="1", target="a"):
    return Example(id=number, text=f"text {number}", expression=None, form=form, image_id=image, object_id=target)


def test_scarce_forms_are_taken_where_they_can_be_said():
    """Where one image in five offers *and*, it is always taken, and other images make up the rest."""
    some = [
        example(10 * k + n, "and" if n == 0 and k % 5 == 0 else "chain", f"{k}", f"{n}")
        for k in range(40)
        for n in range(6)
    ]
    kept = choose_said(some, [True] * len(some), SHARES, per_image=2, per_target=1, unordered=0.2, seed=1)
    counts = Counter(some[n].form for n in kept)

    assert counts == {"and": 8, "chain": 72}
    assert max(Counter(some[n].image_id for n in kept).values()) == 2


def test_expressions_without_an_order_are_few():
    """At most the share that is allowed has words that mean the same in every order, however many can be said."""
    some = [example(n, "chain", f"{n // 4}", f"{n}") for n in range(400)]
    has_order = [n % 2 == 0 for n in range(400)]
    kept = choose_said(some, has_order, SHARES, per_image=4, per_target=4, unordered=0.2, seed=1)

    loose = sum(not has_order[n] for n in kept)
    assert sum(has_order[n] for n in kept) == 200
    assert 0.1 * len(kept) < loose <= 0.2 * len(kept)


def test_no_object_is_spoken_of_too_often():
    """Of one object at most so many expressions are kept."""
    some = [example(n, "chain") for n in range(9)]
    assert len(choose_said(some, [True] * 9, SHARES, per_image=4, per_target=2, unordered=0.2, seed=1)) == 2
