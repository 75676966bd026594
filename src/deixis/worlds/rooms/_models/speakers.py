"""A speaker, a listener (Tsvilodub and Franke 2023, section 2.3), and a model of captions without images.

The speaker sees images and says a caption, word by word. At every step its LSTM is given the target, the distractors
and the last word. One linear map reads all images; of several distractors it is given the mean, so that with one of
them the model is the published one. 5,296,688 parameters with 48 words.

The listener reads a caption up to its end and scores images by the product of what was read and what is seen, so the
order in which images are shown makes no difference. 3,174,912 parameters with 48 words.

The model of captions says how likely it is that anybody says this, which measures how far a language drifts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import nn


if TYPE_CHECKING:
    from torch import Tensor


State: TypeAlias = "tuple[Tensor, Tensor]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSpeakerSettings:
    """The sizes of the speaker, by default the published ones.

    Attributes:
        features: numbers that tell of an image.
        width: of words, of images as the speaker sees them, and of what it remembers.
    """

    features: int = 2048
    width: int = 512


class RoomSpeaker(nn.Module):
    """The speaker, for a vocabulary of `words` entries."""

    def __init__(self, settings: RoomSpeakerSettings, words: int) -> None:
        super().__init__()
        self.settings, width = settings, settings.width
        self.word = nn.Embedding(words, width)
        self.image = nn.Linear(settings.features, width)
        self.lstm = nn.LSTM(3 * width, width, batch_first=True)
        self.output = nn.Linear(width, words)
        for weight in (self.word.weight, self.output.weight):
            nn.init.uniform_(weight, -0.1, 0.1)
        nn.init.zeros_(self.output.bias)

    def look(self, images: Tensor) -> Tensor:
        """Encode contexts for the speaker: float [context, 2 * width].

        Shapes:
            images: float [context, image, feature], the target first; one by itself is its own distractor.
        """
        seen = self.image(images)
        others = seen[:, 1:].mean(1) if seen.shape[1] > 1 else seen[:, 0]
        return torch.cat((seen[:, 0], others), dim=-1)

    def scores(self, seen: Tensor, before: Tensor) -> Tensor:
        """Scores of every word at every step, given the words before it: float [context, step, word].

        Shapes:
            seen: float [context, 2 * width]. before: int64 [context, step], the first is the start.
        """
        return self._scores(seen, self.word(before), None)[0]

    def begin(self, seen: Tensor) -> State:
        """Return the state of the speaker before the first word: zeros."""
        nothing = seen.new_zeros(1, len(seen), self.settings.width)
        return nothing, nothing

    def step(self, seen: Tensor, last: Tensor, state: State) -> tuple[Tensor, State]:
        """Scores of the next word, float [context, word], and what is remembered then.

        Shapes:
            last: int64 [context], or float [context, word] with the share of each word, where words are mixed.
        """
        word = last.to(self.word.weight.dtype) @ self.word.weight if last.is_floating_point() else self.word(last)
        scores, state = self._scores(seen, word[:, None], state)
        return scores[:, 0], state

    def _scores(self, seen: Tensor, words: Tensor, state: State | None) -> tuple[Tensor, State]:
        shown = torch.cat((seen[:, None].expand(-1, words.shape[1], -1), words), dim=-1)
        said, state = self.lstm(shown, state if state is not None else self.begin(seen))
        return self.output(said).float(), state


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomListenerSettings:
    """The sizes of the listener, by default the published ones."""

    features: int = 2048
    width: int = 512


class RoomListener(nn.Module):
    """The listener, for a vocabulary of `words` entries."""

    def __init__(self, settings: RoomListenerSettings, words: int) -> None:
        super().__init__()
        self.settings, width = settings, settings.width
        self.word = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.image = nn.Linear(settings.features, width)
        nn.init.normal_(self.image.weight, std=0.02)
        nn.init.zeros_(self.image.bias)

    def forward(self, images: Tensor, said: Tensor, length: Tensor) -> Tensor:
        """Return the fit of each image and the caption: float [context, image].

        Shapes:
            images: float [context, image, feature].
            said: int64 [context, step], without the start; or float [context, step, word], where words are mixed.
            length: int64 [context], steps up to the end of the caption, which is one of them.
        """
        words = said.to(self.word.weight.dtype) @ self.word.weight if said.is_floating_point() else self.word(said)
        read, _ = self.lstm(words)
        last = (length - 1).clamp(min=0)
        heard = read[torch.arange(len(read), device=read.device), last]
        return (self.image(images) @ heard[:, :, None])[:, :, 0].float()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionLanguageSettings:
    """The size of the model."""

    width: int = 128


class CaptionLanguage(nn.Module):
    """The language model of captions, for a vocabulary of `words` entries."""

    def __init__(self, settings: CaptionLanguageSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.word = nn.Embedding(words, settings.width)
        self.lstm = nn.LSTM(settings.width, settings.width, batch_first=True)
        self.output = nn.Linear(settings.width, words)

    def scores(self, before: Tensor) -> Tensor:
        """Scores of every word at every step, given the words before it: float [caption, step, word].

        Shapes:
            before: int64 [caption, step], the first is the start.
        """
        said, _ = self.lstm(self.word(before))
        return self.output(said).float()
