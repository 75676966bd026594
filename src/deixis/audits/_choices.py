"""Choices of any examples: sentences of which one is right, and statements that are true or false."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.audits._blind import halve, judge_choices, judge_labels, neighbours
from deixis.audits._candidates import length_alone
from deixis.audits._kept_values import KeptNames, KeptValues, ShownValues
from deixis.audits._pairs import compare_pair
from deixis.audits.figures import Figure, mean_figure, missing
from deixis.data._split_names import names_in_split


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


BALANCED = "every sentence is right for one of the images, so the words tell nothing"
NO_VOTES = "no votes are recorded"
NO_SENTENCES = "the choices are no sentences"
SENTENCES_DIFFER = "no answer is the same in all examples"
FAR = 3  # words by which sentences differ from the mean, and more
RIGHT_NAMES = ("caption", "right", "correct")


class SentenceCount:
    """What is counted of examples that ask which sentence fits."""

    def __init__(self) -> None:
        self.sentences = KeptValues()
        self.right = array("i")
        self.counts = array("i")
        self.shorter = array("d")
        self.longer = array("d")
        self.same_bag = array("b")
        self.votes = array("d")
        self.images = array("Q")
        self.contents = array("Q")
        self.splits = KeptNames()
        self.balanced = 0

    def add(self, example: Any, words: Sequence[list[str]], image: int, content: int, split: str) -> None:
        """Count one example; `words` are those of every sentence."""
        self.counts.append(len(example.choices))
        votes = votes_for_right(getattr(example, "facts", {}), example.choices, example.right)
        if votes is not None:
            self.votes.append(votes)
        true = example.choices[example.right]
        others = [text for number, text in enumerate(example.choices) if number != example.right]
        pairs = [compare_pair(true, other) for other in others]
        is_same = all(pair.has_same_bag for pair in pairs)
        self.same_bag.append(is_same)
        self.splits.append(split)
        if len(example.images) > 1:
            self.balanced += 1
            self.shorter.append(np.nan)
            self.longer.append(np.nan)
            return
        self.shorter.append(float(all(pair.longer > 0 for pair in pairs)))
        self.longer.append(float(all(pair.longer < 0 for pair in pairs)))
        self.sentences.append(words)
        self.right.append(example.right)
        self.images.append(image)
        self.contents.append(content)

    def figures(self) -> dict[str, Figure]:
        """The figures that need sentences and the right one."""
        if not self.counts:
            return {}
        found = {
            "chance": Figure(value=float((1 / np.array(self.counts)).mean()), of=len(self.counts)),
            "same words in another order": mean_figure(np.array(self.same_bag, bool)),
            "people choose the right one": mean_figure(np.array(self.votes)) if self.votes else missing(NO_VOTES),
            "most frequent answer": missing(SENTENCES_DIFFER),
        }
        readers = ("shorter is right", "longer is right", "text only", "text only, with order", "length only")
        if not self.sentences:
            return found | dict.fromkeys(readers, missing(BALANCED))
        found |= {"shorter is right": _share(self.shorter), "longer is right": _share(self.longer)}
        halves = halve(self.images, self.contents)

        def tokens_by(what: Callable[[list[str]], list[str]]) -> Sequence[Sequence[Counter[str]]]:
            return ShownValues(self.sentences, lambda sentences: [Counter(what(words)) for words in sentences])

        found["text only"] = judge_choices(tokens_by(list), self.right, halves)
        found["text only, with order"] = judge_choices(tokens_by(neighbours), self.right, halves)
        lengths = ShownValues(self.sentences, _lengths)
        found["length only"] = judge_choices(lengths, self.right, halves, whole=True)
        return found

    def by_split(self) -> Iterator[tuple[str, int, Figure, Figure, Figure]]:
        """For each split: its examples, and how often the shorter or longer is right, and both hold the same words."""
        names = dict.fromkeys(single for split in self.splits for single in names_in_split(split))
        for name in names:
            held = np.array([name in names_in_split(split) for split in self.splits])
            same = mean_figure(np.array(self.same_bag, bool)[held])
            yield name, int(held.sum()), _share(np.array(self.shorter)[held]), _share(np.array(self.longer)[held]), same


class StatementCount:
    """What is counted of statements that are true or false."""

    def __init__(self) -> None:
        self.words = KeptValues()
        self.answers = KeptNames()
        self.options = KeptValues()
        self.votes = array("d")
        self.images = array("Q")
        self.contents = array("Q")

    def add(self, example: Any, words: list[str], image: int, content: int) -> None:
        """Count one statement."""
        self.words.append(words)
        self.answers.append(example.choices[example.right])
        self.options.append(dict.fromkeys(example.choices, 1))
        votes = votes_for_right(getattr(example, "facts", {}), example.choices, example.right)
        if votes is not None:
            self.votes.append(votes)
        self.images.append(image)
        self.contents.append(content)

    def figures(self) -> dict[str, Figure]:
        """The figures that need statements and whether they are true."""
        if not self.answers:
            return {}
        most = Counter(self.answers).most_common(1)[0][0]
        halves = halve(self.images, self.contents)
        pairs = ShownValues(self.words, neighbours)
        lengths = ShownValues(self.words, length_alone)
        return {
            "chance": Figure(value=float(np.mean([1 / len(one) for one in self.options])), of=len(self.answers)),
            "most frequent answer": mean_figure(np.array([answer == most for answer in self.answers])),
            "people choose the right one": mean_figure(np.array(self.votes)) if self.votes else missing(NO_VOTES),
            "text only": judge_labels(self.words, self.answers, self.options, halves),
            "text only, with order": judge_labels(pairs, self.answers, self.options, halves),
            "length only": judge_labels(lengths, self.answers, self.options, halves),
            **dict.fromkeys(
                ("shorter is right", "longer is right", "same words in another order"), missing(NO_SENTENCES)
            ),
        }


def votes_for_right(facts: Mapping[str, Any], choices: Sequence[str], right: int) -> float | None:
    """Return the share of people's votes for the right choice, or None where no votes are recorded.

    The fact `votes` is a list of answers, or has the number of votes by answer; `caption` stands for the right one.
    """
    votes = facts.get("votes") if isinstance(facts, dict) else None
    names = {choices[right].casefold(), *RIGHT_NAMES}
    if isinstance(votes, list) and votes:
        return sum(str(vote).casefold() in names for vote in votes) / len(votes)
    if not isinstance(votes, dict):
        return None
    counts = {str(name).casefold(): n for name, n in votes.items() if type(n) in (int, float) and n >= 0}
    total = sum(counts.values())
    mine = [counts[name] for name in counts if name in names]
    return sum(mine) / total if total and mine else None


def _share(values: Sequence[float] | np.ndarray) -> Figure:
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    return mean_figure(known) if len(known) else missing(BALANCED)


def _lengths(sentences: Sequence[list[str]]) -> list[Counter[str]]:
    """For each sentence, by how many words it is longer than all on average."""
    mean = sum(map(len, sentences)) / len(sentences)
    return [Counter([f"{max(min(round(2 * (len(words) - mean)), 2 * FAR), -2 * FAR)}"]) for words in sentences]
