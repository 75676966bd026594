"""Two agents for the reference game that know what words mean: one is brief, the other takes it at its word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import ParseError, SchemaError
from deixis.speakers._plain import Minimal
from deixis.worlds.rooms.captions import expression_of, parse_caption
from deixis.worlds.rooms.environment.game import LISTENER, SPEAKER
from deixis.worlds.rooms.scene import FACTORS, ids_of
from deixis.worlds.rooms.speakers import caption_of, choose_rows
from deixis.worlds.rooms.vocabulary import tokenise, vocabulary


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["choose_action", "listen", "say"]


def say(observation: Mapping[str, Any]) -> int:
    """The next word of the shortest caption that tells the target from the others, and then the word that ends it."""
    words = vocabulary("natural")
    images = _images(observation)
    said = choose_rows(Minimal(), images[None], seed=0, by="expression")[0]
    features = [name for name, is_said in zip(FACTORS, said, strict=True) if is_said] or ["shape"]
    numbers = [words.numbers[word] for word in tokenise(caption_of(int(images[0]), features))]
    done = int((np.asarray(observation["words"]) != words.numbers[words.padding]).sum())
    return numbers[done] if done < len(numbers) else words.numbers[words.end]


def listen(observation: Mapping[str, Any]) -> int:
    """Return the first room with most of the mentioned features, or the first of all if the caption is nonsense."""
    images = _images(observation)
    try:
        heard = parse_caption(vocabulary("natural").decode(observation["words"]), "partial").expression.steps
    except ParseError:
        return 0
    truths = [set(expression_of(int(image)).steps) for image in images]
    return int(np.argmax([sum(step in truth for step in heard) for truth in truths]))


def choose_action(agent: str, observation: Mapping[str, Any]) -> int:
    """Return the action of either agent."""
    return {SPEAKER: say, LISTENER: listen}[agent](observation)


def _images(observation: Mapping[str, Any]) -> np.ndarray:
    factors = np.asarray(observation["observation"])
    if factors.ndim != 2:
        raise SchemaError('these agents see factors; make the game with observation="factors"')
    return ids_of(factors)
