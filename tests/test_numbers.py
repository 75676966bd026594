import pytest

from deixis._numbers import is_number


@pytest.mark.parametrize("value", [0, -1, 1.5, 10**300])
def test_what_a_float_can_hold_is_a_number(value):
    """Whole numbers and fractions are."""
    assert is_number(value)


@pytest.mark.parametrize("value", [None, True, "1", float("nan"), float("inf"), 10**400, [1]])
def test_nothing_else_is(value):
    """Truth values, texts, what is no number and integers beyond every float are not, and none of them is an error."""
    assert not is_number(value)
