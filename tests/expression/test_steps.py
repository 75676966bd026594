from __future__ import annotations

import pytest

from deixis.errors import SchemaError
from deixis.expression import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.expression.steps import is_selector
from deixis.schema import Which
from deixis.testing import the


RED = Is("color", "red")
SMALL = Extreme("size", Which.LEAST)


@pytest.mark.parametrize("steps", [(), (RED,)])
def test_an_alternative_has_two_sides(steps):
    """'or' joins at least two things."""
    with pytest.raises(SchemaError, match=f"at least two steps, got {len(steps)}"):
        AnyOf(steps)


def test_ranks_count_from_one_and_from_a_known_side():
    """There is no zeroth object, no side but the five, and no second in the middle."""
    with pytest.raises(SchemaError, match="ranks count from 1, got 0"):
        Nth(0, "left")
    with pytest.raises(SchemaError, match="unknown side 'front'; known: left, right, top, bottom"):
        Nth(1, "front")
    with pytest.raises(SchemaError, match="its rank is 1, got 2"):
        Nth(2, "middle")


@pytest.mark.parametrize("step", [RED, Not(RED), AnyOf((RED, RED)), Related("inside", the("box", size="small"))])
def test_filters_judge_each_object_by_itself(step):
    """Values and clauses are filters, and so is what negates or joins them, even around a clause with a size word."""
    assert not is_selector(step)


@pytest.mark.parametrize("step", [SMALL, Nth(2, "top"), Not(SMALL), AnyOf((RED, SMALL)), Not(AnyOf((RED, Not(SMALL))))])
def test_selectors_compare_the_objects_left(step):
    """Size words and ranks are selectors, and remain so inside negations and alternatives."""
    assert is_selector(step)
