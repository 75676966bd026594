"""Tasks for `verifiers`, version 0.2 and later: a taskset of questions that never end, each with its reward.

The library finds a taskset by the name of a module without dots, so that a file of one line makes it available there,
e.g. `deixis_tasks.py`:

```python
from deixis.bridges.verifiers_tasks import DeixisTaskset
```

with `__all__ = ["DeixisTaskset"]`; `verifiers` is then told `deixis-tasks`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError
from deixis.prompts.practice import Practice, PracticeRecipe, judge_row, reward_of


if find_spec("verifiers") is None or find_spec("verifiers.v1") is None:
    raise DeixisError("this taskset needs verifiers 0.2 or later; run: pip install verifiers")

import verifiers.v1 as vf
from pydantic import Field


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.prompts.practice import Reward


__all__ = ["DeixisTask", "DeixisTaskset", "DeixisTasksetConfig", "QuestionData"]


class QuestionData(vf.TaskData):
    """A question, with what its answers are judged by, which no model is shown."""

    row: dict[str, Any]


class DeixisTask(vf.Task[QuestionData]):
    """A question and its rewards."""

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        """Reward the first measure of the task, or the one that was asked for."""
        return self._reward(trace).value

    @vf.metric
    async def is_understood(self, trace: vf.Trace) -> float:
        """Tell whether the answer was understood."""
        return float(self._reward(trace).outcome in ("right", "wrong"))

    @vf.metric
    async def misreadings(self, trace: vf.Trace) -> dict[str, float]:
        """Tell the misreadings that explain a wrong answer, each with an equal share."""
        found = self._reward(trace).misreadings
        return {f"misread {name}": 1 / len(found) for name in found}

    def _reward(self, trace: vf.Trace) -> Reward:
        return reward_of(judge_row(self.data.row, trace.last_reply), str(self.data.row["measure"]))


class DeixisTasksetConfig(vf.TasksetConfig):
    """Settings of the questions, see `deixis.prompts.practice.PracticeRecipe`."""

    asks: str = "navigate"
    answer: str | None = None
    style: str | None = None
    data: str | None = None
    most: dict[str, int] = Field(default_factory=dict)
    least: dict[str, int] = Field(default_factory=dict)
    measure: str = ""
    each: int = 64
    seed: int = 0
    step: int = 0


class DeixisTaskset(vf.Taskset[DeixisTask, DeixisTasksetConfig]):
    """Questions of a task without end, of which you take as many as you want."""

    INFINITE = True

    def load(self) -> Iterator[DeixisTask]:
        """Yield the questions in order."""
        given = self.config
        recipe = PracticeRecipe(
            task=given.asks,
            answer=given.answer,
            style=given.style,
            data=given.data,
            most=given.most,
            least=given.least,
            measure=given.measure,
            each=given.each,
            seed=given.seed,
        )
        practice = Practice(recipe, step=given.step)
        index = 0
        while True:
            metadata = practice[index]["metadata"]
            messages = metadata.pop("messages")
            data = QuestionData(id=metadata["id"], prompt=messages, row={**metadata, "measure": given.measure})
            yield DeixisTask(data, given.task)
            index += 1
