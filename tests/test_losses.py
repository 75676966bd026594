import pytest

from deixis._losses import Losses
from deixis.errors import BrokenDataset


def test_one_in_a_hundred_passes_and_more_has_to_be_asked_for():
    """One loss in a hundred is told, two are an error, and an option lets them pass."""
    losses = Losses("images", 100)
    losses.leave_out("its width is not a number")
    losses.demand_few(where="scenes.json")
    losses.leave_out("its width is not a number")

    with pytest.raises(BrokenDataset, match=r"scenes\.json: 2 of 100 images would be left out .* --allow-losses"):
        losses.demand_few(where="scenes.json")
    losses.demand_few(where="scenes.json", allowed=True)


def test_losses_are_told_by_reason_the_most_frequent_first():
    """Every reason has its line and its number, and repairs stand apart from what is left out."""
    losses = Losses("rows", 1000)
    losses.leave_out("no id")
    losses.leave_out("no plan", 3)
    losses.repair("a box beyond the image", 2)

    assert losses.lines() == [
        "3 of 1,000 rows left out: no plan",
        "1 of 1,000 rows left out: no id",
        "2 of 1,000 rows repaired: a box beyond the image",
    ]
    assert Losses.from_dict(losses.to_dict()).to_dict() == losses.to_dict()
    assert losses.to_dict() == {
        "of": "rows",
        "seen": 1000,
        "left out": {"no plan": 3, "no id": 1},
        "repaired": {"a box beyond the image": 2},
    }


def test_nothing_lost_says_nothing():
    """Without losses there are no lines, no error, and a count of zero is not a reason."""
    losses = Losses("rows")
    losses.leave_out("no id", 0)
    losses.demand_few(where="x")

    assert not losses
    assert losses.lines() == []
    assert losses.to_dict() == {"of": "rows", "seen": 0}


def test_losses_of_nothing_seen_are_too_many():
    """Where all that there was is lost, it is an error, also when nothing else was counted as seen."""
    losses = Losses("rows")
    losses.leave_out("unreadable")

    with pytest.raises(BrokenDataset):
        losses.demand_few(where="x")


def test_parts_add_up():
    """The losses of two parts together are those of the whole."""
    one, other = Losses("rows", 10), Losses("rows", 20)
    one.leave_out("no id")
    other.leave_out("no id", 2)
    one.add(other)

    assert one.to_dict() == {"of": "rows", "seen": 30, "left out": {"no id": 3}}


def test_countless_reasons_are_added_up():
    """A hostile file with a reason for every row does not fill the screen."""
    losses = Losses("rows", 100)
    for number in range(50):
        losses.leave_out(f"reason {number}")

    assert len(losses.lines()) == 13
    assert losses.lines()[-1] == "38 of 100 rows left out: 38 other reasons"
