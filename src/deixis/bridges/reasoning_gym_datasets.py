"""Datasets for `reasoning-gym`: `deixis_navigate` and so on, one for every task, in its registry.

```python
import deixis.bridges.reasoning_gym_datasets
dataset = reasoning_gym.create_dataset("deixis_navigate", size=100, seed=1)
```
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError
from deixis.prompts.practice import Practice, PracticeRecipe
from deixis.prompts.tasks import known_tasks


if find_spec("reasoning_gym") is None:
    raise DeixisError("these datasets need reasoning-gym; run: pip install reasoning-gym")

from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import DATASETS, register_dataset


if TYPE_CHECKING:
    from deixis.prompts.practice import Entry


__all__ = ["NAMES", "QuestionConfig", "QuestionDataset"]


@dataclass
class QuestionConfig:
    """Settings of a dataset.

    Attributes:
        task: as of `PracticeRecipe`; each registered dataset has its own.
        answer, style, data, most, least, measure, each: as of `PracticeRecipe`.
        seed: everything random follows from it; another one for another step.
        size: what `len` says.
    """

    task: str = "navigate"
    answer: str | None = None
    style: str | None = None
    data: str | None = None
    most: dict[str, int] = field(default_factory=dict)
    least: dict[str, int] = field(default_factory=dict)
    measure: str = ""
    each: int = 64
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        """Complain of settings that cannot be."""
        self.recipe(0)

    def recipe(self, seed: int) -> PracticeRecipe:
        """Return the settings as a recipe."""
        return PracticeRecipe(
            task=self.task,
            answer=self.answer,
            style=self.style,
            data=self.data,
            most=self.most,
            least=self.least,
            measure=self.measure,
            each=self.each,
            seed=seed,
        )


class QuestionDataset(ProceduralDataset):  # type: ignore[misc]
    """Questions of a task, of any index."""

    def __init__(self, config: QuestionConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self.practice = Practice(config.recipe(self.seed), size=config.size)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        entry = self.practice[idx]
        about = {"source_dataset": f"deixis_{self.config.task}", "source_index": idx}
        return {**entry, "metadata": {**about, **entry["metadata"]}}

    def score_answer(self, answer: str | None, entry: Entry) -> float:
        """Return the reward of an answer, and add what explains it to the metadata of the entry."""
        found = self.practice.reward(answer, entry)
        entry["metadata"]["feedback"] = found.feedback
        entry["metadata"]["misreadings"] = list(found.misreadings)
        return found.value


def _register(task: str) -> str:
    """Register the dataset of a task, whose configuration names it."""
    name = f"deixis_{task}"
    fields = {
        "task": task,
        "__annotations__": {"task": "str"},
        "__module__": __name__,
        "__doc__": QuestionConfig.__doc__,
    }
    config: Any = dataclass(type(f"QuestionConfigOf{task.title()}", (QuestionConfig,), fields))
    if name not in DATASETS:
        register_dataset(name, QuestionDataset, config)
    return name


NAMES = tuple(_register(task) for task in known_tasks())
