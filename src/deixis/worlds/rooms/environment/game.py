"""The reference game of A3DS for PettingZoo: a speaker describes one of some rooms, a listener picks it out.

The speaker sees the rooms, the target first, and says words one by one, or a whole caption at once. The listener sees
the same rooms in an order of its own and what was said, and picks one. Both earn 1 if it is the target, less a cost for
every word.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from deixis._numbers import is_share
from deixis.environments._options import demand_known, demand_one_of, demand_package
from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.seeds import Stream, derive
from deixis.worlds.rooms.captions import caption, frames
from deixis.worlds.rooms.draw import SIZE, draw_rooms
from deixis.worlds.rooms.pairs import draw_contexts
from deixis.worlds.rooms.scene import SIZES, RoomScene, factors_of
from deixis.worlds.rooms.vocabulary import RELEASED_LENGTH, tokenise, vocabulary


demand_package("pettingzoo", "environments for two agents")

from gymnasium import spaces  # noqa: E402 (after what makes sure that there is such a package)
from pettingzoo import AECEnv, ParallelEnv  # noqa: E402


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.rooms.vocabulary import CaptionVocabulary


__all__ = [
    "LISTENER",
    "SPEAKER",
    "Game",
    "ParallelReferenceGame",
    "ReferenceGame",
    "Rooms",
    "env",
    "parallel_env",
]

SPEAKER, LISTENER = "speaker_0", "listener_0"
AGENTS = [SPEAKER, LISTENER]
Speech: TypeAlias = Literal["words", "caption"]
Seen: TypeAlias = Literal["factors", "image"]
AT_ONCE = 256  # contexts that are drawn together
MOST_CANDIDATES, MOST_ROUNDS, MOST_WORDS = 16, 10_000, 100
METADATA: dict[str, Any] = {
    "name": "deixis_reference_game_v1",
    "render_modes": ["ansi", "rgb_array"],
    "render_fps": 1,
    "is_parallelizable": False,
}


@dataclass(frozen=True, kw_only=True)
class Rooms:
    """Settings of the game: its rooms, turns and rewards.

    Attributes:
        candidates: how many rooms are shown, the target included.
        shared: the factors that every other room has in common with the target at least, or how many of them.
        observation: `factors` are six numbers for each room, `image` its picture, one beside the other.
        speech: `words` are said one by one until the word that ends a caption; `caption` is one action for each choice
            of features to name.
        most_words: a caption ends by itself after so many.
        cost: of every word.
        rounds: of an episode.
    """

    candidates: int = 2
    shared: Sequence[str] | int = ()
    observation: Seen = "factors"
    speech: Speech = "words"
    most_words: int = RELEASED_LENGTH - 2
    cost: float = 0.0
    rounds: int = 1

    def __post_init__(self) -> None:
        for name, kind in (("observation", Seen), ("speech", Speech)):
            demand_one_of(name, getattr(self, name), get_args(kind))
        limits = (("candidates", 2, MOST_CANDIDATES), ("rounds", 1, MOST_ROUNDS), ("most_words", 1, MOST_WORDS))
        for name, least, most in limits:
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise SchemaError(f"the number of {name} is a whole number from {least} to {most:,}, got {value!r}")
        if not is_share(self.cost):
            raise SchemaError(f"the cost of a word is a number from 0 to 1, got {self.cost!r}")
        if isinstance(self.shared, str):
            raise SchemaError(f"the shared factors are a list of names, or how many, got {self.shared!r}")
        draw_contexts(1, seed=0, distractors=self.candidates - 1, shared=self.shared)

    @cached_property
    def words(self) -> CaptionVocabulary:
        """The words that can be said."""
        return vocabulary("natural")


class Game:
    """One game in progress: whose turn it is, what was said, and what that earned.

    Attributes:
        turn: who acts next.
        said: the numbers of the words so far.
        images: the rooms, the target first.
        order: for every place of the listener, which of the rooms stands there.
        round: how many rounds are over.
        result: of the last round: whether the target was picked; None before.
    """

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.words = rooms.words
        self._end = self.words.numbers[self.words.end]
        self._seed, self._drawn = 0, 0
        self._contexts = np.zeros((0, rooms.candidates), np.int64)
        self.images = np.zeros(rooms.candidates, np.int64)
        self.order = np.arange(rooms.candidates)
        self.turn, self.round, self.said = SPEAKER, 0, list[int]()
        self.result: bool | None = None

    def seed(self, seed: int) -> None:
        """Let everything random follow from a seed."""
        self._seed, self._drawn = seed, 0

    def begin(self) -> None:
        """Begin an episode."""
        self.round, self.result = 0, None
        self._show_others()

    @property
    def is_over(self) -> bool:
        """True if all rounds are over."""
        return self.round >= self.rooms.rounds

    def act(self, action: Any) -> float:
        """Take the action of the agent whose turn it is, and return the reward of both."""
        if self.turn == SPEAKER:
            self._speak(int(action))
            return 0.0
        self.result = int(self.order[int(action)]) == 0
        earned = float(self.result) - self.rooms.cost * len(self.said)
        self.round += 1
        if not self.is_over:
            self._show_others()
        return earned

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of an agent, in new arrays each time."""
        images = self.images if agent == SPEAKER else self.images[self.order]
        heard = np.zeros(self.rooms.most_words, np.uint8)
        heard[:] = self.words.numbers[self.words.padding]
        heard[: len(self.said)] = self.said
        return {"observation": self._look(images), "words": heard, "action_mask": self.mask(agent)}

    def mask(self, agent: str) -> np.ndarray:
        """Return the valid actions of an agent: int8 [action].

        All are valid if it is not its turn.
        """
        allowed = np.ones(self.space_of(agent, "action").n, np.int8)
        if agent == SPEAKER and self.rooms.speech == "words":
            silent = {self.words.start, self.words.unknown, self.words.padding}
            allowed[[self.words.numbers[word] for word in silent]] = 0
            allowed[self._end] = bool(self.said)
        return allowed

    def space_of(self, agent: str, what: Literal["action", "observation"]) -> Any:
        """The space of the actions or observations of an agent."""
        if agent not in AGENTS:
            raise UnknownName(f"there is no agent {agent!r} in this game; there are {' and '.join(AGENTS)}")
        return self._spaces[what, agent]

    @property
    def caption(self) -> str:
        """The caption so far."""
        return self.words.decode(self.said)

    # ---------------------------------------------------------------------------- inside

    @cached_property
    def _spaces(self) -> dict[tuple[str, str], Any]:
        rooms, many = self.rooms, self.rooms.candidates
        says = len(self.words) if rooms.speech == "words" else len(frames("partial"))
        if rooms.observation == "factors":
            most = np.tile(np.array(SIZES, np.uint8) - 1, (many, 1))
            seen = spaces.Box(np.zeros_like(most), most, dtype=np.uint8)
        else:
            seen = spaces.Box(0, 255, (SIZE, SIZE * many, 3), np.uint8)
        found: dict[tuple[str, str], Any] = {}
        for agent, actions in ((SPEAKER, says), (LISTENER, many)):
            found["action", agent] = spaces.Discrete(actions)
            found["observation", agent] = spaces.Dict(
                {
                    "observation": seen,
                    "words": spaces.Box(0, len(self.words) - 1, (rooms.most_words,), np.uint8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
        return found

    def _speak(self, action: int) -> None:
        if self.rooms.speech == "caption":
            words = tokenise(caption(int(self.images[0]), action, "partial"))
            self.said = [self.words.numbers[word] for word in words][: self.rooms.most_words]
            self.turn = LISTENER
        elif action == self._end:
            self.turn = LISTENER
        else:
            self.said.append(action)
            self.turn = LISTENER if len(self.said) >= self.rooms.most_words else SPEAKER

    def _show_others(self) -> None:
        place = self._drawn % AT_ONCE
        if place == 0:
            seed = derive(self._seed, "reference game", self._drawn // AT_ONCE)
            others = self.rooms.candidates - 1
            self._contexts = draw_contexts(AT_ONCE, seed=seed, distractors=others, shared=self.rooms.shared)
        self.images = self._contexts[place]
        rng = Stream(derive(self._seed, "order", self._drawn))
        self.order = np.array(rng.permutation(range(self.rooms.candidates)), np.int64)
        self._drawn += 1
        self.said, self.turn = [], SPEAKER

    def _look(self, images: np.ndarray) -> np.ndarray:
        if self.rooms.observation == "factors":
            return factors_of(images)
        return picture_of(images)


def picture_of(images: np.ndarray, size: int = SIZE) -> np.ndarray:
    """Rooms one beside the other: uint8 [row, column, channel]."""
    return np.concatenate(list(draw_rooms(images, size=size)), axis=1)


class _Environment:
    """Shared parts of both kinds of environment."""

    metadata: ClassVar[dict[str, Any]] = METADATA

    def __init__(self, *, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        if render_mode is not None:
            demand_one_of("render_mode", render_mode, METADATA["render_modes"])
        demand_known(options, Rooms.__dataclass_fields__, of="the game")
        self.render_mode = render_mode
        self.game = Game(Rooms(**options))
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._is_seeded = False

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent sees."""
        return self.game.space_of(agent, "observation")

    def action_space(self, agent: str) -> Any:
        """The space of what an agent may do."""
        return self.game.space_of(agent, "action")

    def render(self) -> Any:
        """The rooms as the listener sees them: described (`ansi`) or drawn (`rgb_array`); None where nobody asked."""
        game = self.game
        if self.render_mode == "rgb_array":
            return picture_of(game.images[game.order], 128)
        if self.render_mode is None:
            return None
        lines = [
            f"{place}: {RoomScene(int(game.images[which]))}{' (the target)' if which == 0 else ''}"
            for place, which in enumerate(game.order.tolist())
        ]
        return "\n".join([*lines, f'said: "{game.caption}"', f"next: {game.turn}"]) + "\n"

    def close(self) -> None:
        """Nothing is left to close."""

    def _begin(self, seed: int | None) -> None:
        if seed is not None or not self._is_seeded:
            self.game.seed(randbits(63) if seed is None else int(seed))
            self._is_seeded = True
        self.game.begin()
        self.agents = list(AGENTS)

    def _check(self, action: Any) -> None:
        if not self.agents:
            raise DeixisError("the game is over; call reset before the next step")
        space = self.game.space_of(self.game.turn, "action")
        if not space.contains(action) or not self.game.mask(self.game.turn)[int(action)]:
            raise SchemaError(f"{self.game.turn} cannot do {action!r}; the action_mask says what it can")

    def _info(self) -> dict[str, Any]:
        known = {} if self.game.result is None else {"success": self.game.result}
        return {"turn": self.game.turn, "round": self.game.round, **known}


class ReferenceGame(_Environment, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """The game in turns: the speaker acts until the caption has ended, then the listener picks.

    Args:
        render_mode: `ansi` or `rgb_array`.
        options: see `Rooms`.
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin an episode, which the seed determines entirely."""
        self._begin(seed)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: self._info() for agent in AGENTS}
        self.agent_selection = self.game.turn

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of an agent."""
        return self.game.observe(agent)

    def step(self, action: Any) -> None:
        """Take the action of the agent whose turn it is."""
        if self.agents and (self.terminations[self.agent_selection] or self.truncations[self.agent_selection]):
            self._was_dead_step(action)
            return
        self._check(action)
        acting = self.agent_selection
        self._cumulative_rewards[acting] = 0.0
        self.rewards = dict.fromkeys(AGENTS, self.game.act(action))
        self.infos = {agent: self._info() for agent in AGENTS}
        self._accumulate_rewards()
        if self.game.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.agent_selection = SPEAKER
        else:
            self.agent_selection = self.game.turn


class ParallelReferenceGame(_Environment, ParallelEnv):  # type: ignore[misc]  # likewise
    """The game with both acting at each step.

    The action of the agent whose turn it is not is ignored.

    Args:
        render_mode: `ansi` or `rgb_array`.
        options: see `Rooms`.
    """

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode, which the seed determines entirely."""
        self._begin(seed)
        return self._observations(), {agent: self._info() for agent in AGENTS}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Take the actions of both agents."""
        if self.game.turn not in actions and self.agents:
            raise SchemaError(f"it is the turn of {self.game.turn}, of which there is no action")
        action = actions.get(self.game.turn)
        self._check(action)
        earned = self.game.act(action)
        is_over = self.game.is_over
        self.agents = [] if is_over else self.agents
        facts = (earned, is_over, False)
        rewards, terminated, truncated = (dict.fromkeys(AGENTS, fact) for fact in facts)
        return self._observations(), rewards, terminated, truncated, {agent: self._info() for agent in AGENTS}

    def _observations(self) -> dict[str, Any]:
        return {agent: self.game.observe(agent) for agent in AGENTS}


def env(**options: Any) -> ReferenceGame:
    """The game in turns."""
    return ReferenceGame(**options)


def parallel_env(**options: Any) -> ParallelReferenceGame:
    """The game with both acting at each step."""
    return ParallelReferenceGame(**options)
