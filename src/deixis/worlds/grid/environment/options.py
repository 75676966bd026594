"""Options of the navigation environments, and their meaning."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from deixis._numbers import is_share
from deixis.environments._options import demand_known, demand_one_of
from deixis.errors import SchemaError
from deixis.worlds.grid._batches import CHANNELS
from deixis.worlds.grid._kernels.environment import EXACT, GOT_THERE, MANNER, Rules
from deixis.worlds.grid._kernels.plan import longest_plan
from deixis.worlds.grid._pictures.look import Look


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Ends", "Observation", "Options", "Reward", "Success", "read_options"]

Observation: TypeAlias = Literal["symbolic", "objects", "rgb", "text"]
Reward: TypeAlias = Literal["sparse", "dense"]
Success: TypeAlias = Literal["exact", "manner", "got-there"]
Ends: TypeAlias = Literal["stop", "goal"]
_CODES: dict[str, int] = {"exact": EXACT, "manner": MANNER, "got-there": GOT_THERE}
MOST_STEPS, MOST_WORDS = 1_000_000, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the observations, success criterion and rewards of an episode.

    Attributes:
        observation: `symbolic` is the grid in planes as the models see it, `objects` the codes of every object,
            `rgb` a picture, `text` a description; all but the last come with the numbers of the words.
        channels: of a symbolic grid: 17, or 25 to keep boxes and solids apart.
        success: `exact` asks for the very actions of the plan; `got-there` for the agent and all objects to be where
            the plan leaves them; `manner` for that and for every act to be done in the manner that is asked for.
        reward: `sparse` is 1 at the end of an episode that succeeded; `dense` adds a reward for coming nearer, made
            from a potential, so that the best policy stays the best.
        discount: of the learner; what is added for coming nearer depends on it.
        ends: `stop` ends an episode with the action stop; `goal` also as soon as it has succeeded.
        step_limit: actions after which an episode is cut short; by default one more than any plan can have.
        words: the words in the order of their numbers, from 1; by default all words of the language.
        longest_command: room for so many words; by default as many as the longest command of the episodes has.
        cell: the side of a cell in an observed picture, in pixels.
        point_out: whether rendered pictures point out the target.
    """

    observation: Observation = "symbolic"
    channels: int = 17
    success: Success = "got-there"
    reward: Reward = "sparse"
    discount: float = 1.0
    ends: Ends = "stop"
    step_limit: int | None = None
    words: tuple[str, ...] | None = None
    longest_command: int | None = None
    cell: int = 32
    point_out: bool = False

    def __post_init__(self) -> None:
        for name, kind in (("observation", Observation), ("success", Success), ("reward", Reward), ("ends", Ends)):
            demand_one_of(name, getattr(self, name), get_args(kind))
        demand_one_of("channels", self.channels, CHANNELS)
        if not is_share(self.discount):
            raise SchemaError(f"the discount is a number from 0 to 1, got {self.discount!r}")
        for name, most in (("step_limit", MOST_STEPS), ("longest_command", MOST_WORDS)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or not 1 <= value <= most):
                raise SchemaError(f"the {name} is a whole number from 1 to {most:,}, got {value!r}")
        if self.words is not None and not (self.words and all(isinstance(word, str) for word in self.words)):
            raise SchemaError("the words are a list of texts, the first of which has the number 1")
        if type(self.cell) is not int:
            raise SchemaError(f"the side of a cell is a whole number of pixels, got {self.cell!r}")
        Look(cell=self.cell)

    def rules(self, size: int) -> Rules:
        """Return the rules for grids of one size, for the kernels."""
        limit = int(longest_plan(size)) + 1 if self.step_limit is None else self.step_limit
        return Rules(
            size=size,
            success=_CODES[self.success],
            ends_at_goal=self.ends == "goal",
            dense=self.reward == "dense",
            discount=float(self.discount),
            limit=limit,
        )


def read_options(values: Mapping[str, Any]) -> Options:
    """Return the options with these values, or raise `UnknownName` where there is no such option."""
    demand_known(values, [field.name for field in fields(Options)], of="the environment")
    words = values.get("words")
    if isinstance(words, str):
        raise SchemaError("the words are a list of texts, the first of which has the number 1")
    return Options(**{**values, "words": tuple(words) if words is not None else None})
