"""How words and actions become rows of a model's tables."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.grid.models.policy import Layout


LAYOUTS = (Layout(size=9, pad=0, start=1, stop=2, first=3), Layout(size=10, pad=1, start=2, stop=3, first=4))
plans = st.lists(st.lists(st.integers(0, 5), max_size=7), min_size=1, max_size=5)


def test_teaching_shows_a_plan_one_step_late() -> None:
    """A decoder is shown the start and the plan, and should say the plan and the end; behind that is padding."""
    actions = torch.tensor([[4, 0, 5], [2, 1, 1], [3, 3, 3]])  # full length, two actions, and an empty plan

    shown, said = LAYOUTS[0].teach(actions, torch.tensor([3, 2, 0]))

    assert shown.tolist() == [[1, 7, 3, 8], [1, 5, 4, 0], [1, 0, 0, 0]]
    assert said.tolist() == [[7, 3, 8, 2], [5, 4, 2, 0], [2, 0, 0, 0]]


def test_teaching_without_room_for_any_action() -> None:
    """Where all plans are empty, the only lesson is to stop."""
    shown, said = LAYOUTS[1].teach(torch.zeros(2, 0, dtype=torch.int64), torch.tensor([0, 0]))

    assert shown.tolist() == [[2], [2]]
    assert said.tolist() == [[3], [3]]


@given(given_plans=plans, layout=st.sampled_from(LAYOUTS), junk=st.integers(0, 5), spare=st.integers(0, 3))
def test_teaching_agrees_with_its_definition(
    given_plans: list[list[int]], layout: Layout, junk: int, spare: int
) -> None:
    """Of plans of any length, and with anything behind their ends, each is shown from the start and said to the end."""
    steps = max(map(len, given_plans)) + spare
    actions = torch.tensor([[*plan, *[junk] * (steps - len(plan))] for plan in given_plans], dtype=torch.int64)

    shown, said = layout.teach(
        actions.reshape(len(given_plans), steps), torch.tensor([len(plan) for plan in given_plans])
    )

    for plan, was_shown, was_said in zip(given_plans, shown.tolist(), said.tolist(), strict=True):
        rows, pads = [layout.first + action for action in plan], [layout.pad] * (steps - len(plan))
        assert was_shown == [layout.start, *rows, *pads]
        assert was_said == [*rows, layout.stop, *pads]
