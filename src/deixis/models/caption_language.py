"""A model of captions without images: how likely is it that anybody says this? Measures how far a language drifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import nn


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["CaptionLanguage", "CaptionLanguageSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionLanguageSettings:
    """The size of the model."""

    width: int = 128


class CaptionLanguage(nn.Module):
    """The model itself; `words` is the number of entries of its vocabulary."""

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
