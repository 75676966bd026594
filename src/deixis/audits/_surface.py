"""All figures of any examples, counted in one pass: what a dataset shows without its meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.audits._boxes import BoxCount
from deixis.audits._candidates import NO_TARGET, CandidateCount, tuple_of
from deixis.audits._choices import SentenceCount, StatementCount
from deixis.audits._plain import scene_facts
from deixis.audits._texts import KINDS, NO_IMAGE, NO_TEXT, TextCount, digest
from deixis.audits.figures import (
    ANSWERS,
    BOXES,
    HALVES,
    IMAGES,
    LANGUAGE,
    SENTENCES,
    TARGET,
    TEXT,
    Figure,
    complete_figures,
    mean_figure,
    missing,
)
from deixis.audits.measures import ANOTHER, NOTHING, SEVERAL
from deixis.worlds.example import context_of


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.audits.audit import Audit
    from deixis.scene.scene import Scene


MOST_SCENES = 4096  # whose digests are remembered at a time
MOST_ROWS = 40  # of a table of splits
NO_BOXES = "no right boxes in images of known size are given"
NO_CHOICES, NO_ANSWERS = "it has no choices", "neither candidates nor choices are known"
NO_LANGUAGE = "no meaning is annotated, and no language reads the texts"
NO_FIT = "no text has a known meaning where scenes and targets are known"
NO_LOOKS = "no candidates with visible features are known"
NO_LABEL = "candidates are told apart by their category alone, which the order of words does not change"
FITS = {
    "": "meaning fits the target alone",
    SEVERAL: "meaning fits others, too",
    ANOTHER: "meaning fits others only",
    NOTHING: "meaning fits nothing",
}


class SurfaceTable(NamedTuple):
    """A table of figures by split: its title, heads and rows, and how many columns hold words."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


class SurfaceCount:
    """Counts of examples of any world or reader.

    Args:
        task: of the world or reader; `match` and `verify` have choices.
    """

    def __init__(self, task: str = "refer") -> None:
        self.task = task
        self.texts = TextCount()
        self.candidates = CandidateCount()
        self.sentences = SentenceCount()
        self.statements = StatementCount()
        self.boxes = BoxCount()
        self._scenes: dict[int, tuple[Scene, int]] = {}

    def add(self, example: Any) -> None:
        """Count one example."""
        split = "+".join(name.replace("+", " & ") for name in getattr(example, "splits", ())) or example.split or "all"
        choices = tuple_of(example, "choices")
        has_sentences = bool(choices) and self.task != "verify"
        image = self._image(example)
        words = self.texts.add(choices if has_sentences else (example.text,), image, split)
        content = self.texts.texts[-1] ^ image
        if has_sentences:
            self.sentences.add(example, words, image, content, split)
        elif choices:
            self.statements.add(example, words[0], image, content)
        elif (context := context_of(example)) is not None:
            self.candidates.add(example, context, words[0], image, content)
        if tuple_of(example, "boxes") and hasattr(example, "space"):
            self.boxes.add(example, words[0], image, content)

    def figures(self, meaning: Mapping[str, Figure] | None = None) -> dict[str, Figure]:
        """Return the figures of all rows.

        Args:
            meaning: those of the meanings of texts, from `meaning_figures`.
        """
        found = self.texts.figures() | self.boxes.figures() | dict(meaning or {})
        for count in (self.statements, self.sentences, self.candidates):
            found |= count.figures()
        reasons = {
            TEXT: NO_TEXT,
            IMAGES: NO_IMAGE if self.texts.words else NO_TEXT,
            LANGUAGE: NO_LANGUAGE,
            TARGET: NO_TARGET,
            BOXES: NO_BOXES,
            SENTENCES: NO_CHOICES,
            ANSWERS: NO_ANSWERS,
            HALVES: NO_ANSWERS,
            "image only": NO_LOOKS,
            "most frequent answer": "its answers are no two words such as true and false",
        }
        if self.candidates.sizes:
            reasons["text only, with order"] = NO_LABEL
        return complete_figures(found, reasons)

    def tables(self) -> list[SurfaceTable]:
        """The figures by split, where there are several."""
        found = []
        if (rows := list(self.sentences.by_split())) and len(rows) > 1:
            heads: tuple[str, ...] = (
                "split",
                "pairs",
                "shorter is right",
                "longer is right",
                "same words in another order",
            )
            cells = tuple(
                (name, f"{count:,}", *(_percent(one) for one in figures)) for name, count, *figures in rows[:MOST_ROWS]
            )
            found.append(SurfaceTable("Sentences by split (needs: choices of which one is right)", heads, cells))
        if shared := self.texts.compare_splits():
            heads = ("split", "other split", "examples", *(f"{name} in the other" for name in KINDS.values()))
            cells = tuple(
                (
                    one.split,
                    one.other,
                    f"{one.examples:,}",
                    *(f"{one.shared[kind]:,}" if kind in one.shared else "–" for kind in KINDS),
                )
                for one in shared[:MOST_ROWS]
            )
            found.append(SurfaceTable("What splits share (needs: text, and images or scenes)", heads, cells, words=2))
        return found

    def _image(self, example: Any) -> int:
        """A digest of the images of an example by their names, or of its scenes, or 0."""
        names = [name for image in tuple_of(example, "images") if (name := getattr(image, "name", ""))]
        if names:
            return digest("\n".join(names)) or 1
        total = 0
        context = None if tuple_of(example, "scenes") else context_of(example)
        for scene in tuple_of(example, "scenes") if context is None else context.scenes:
            known = self._scenes.get(id(scene))
            if known is None:
                if len(self._scenes) >= MOST_SCENES:
                    self._scenes.clear()
                known = self._scenes[id(scene)] = (scene, digest(repr(scene_facts(scene))) or 1)
            total = (total * 31 + known[1]) % (1 << 64)
        return total


def meaning_figures(
    audit: Audit, *, known: int, examples: int, fits: Mapping[str, int] | None = None
) -> dict[str, Figure]:
    """Return the figures of the meanings of texts, from an audit that judged those that are known.

    Args:
        audit: of the examples.
        known: how many texts have a meaning, of all that were looked at.
        examples: how many these are.
        fits: how many more meanings fit what, by reason, where several objects or none are meant.
    """
    if not examples:
        return {}
    found = {"meaning known": mean_figure(np.arange(examples) < known)}
    more = fits or {}
    counts = {why: audit.unjudged.get((why,), 0) if why else audit.judged for why in FITS}
    counts = {why: count + more.get(why, 0) for why, count in counts.items()}
    total = sum(counts.values())
    return found | {
        name: mean_figure(np.arange(total) < counts[why]) if total else missing(NO_FIT) for why, name in FITS.items()
    }


def _percent(figure: Figure) -> str:
    return "–" if figure.value is None else f"{figure.value:.1%}"
