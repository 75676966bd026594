"""The vocabulary files that lie beside a released dataset, as the models of the time read them.

Index 0 pads, 1 begins and 2 ends a sequence; words follow in the order in which the train split first uses them.
Unknown words have the index of the padding. Indices differ between datasets, so the files belong to the dataset.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deixis.data._split_names import splits_of
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.grid.actions import plan_from_letters


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


__all__ = [
    "INPUT_NAME",
    "TARGET_NAME",
    "Vocabulary",
    "VocabularyCounter",
    "command_tokens",
    "read_vocabulary",
    "write_vocabularies",
    "write_vocabulary",
]

INPUT_NAME = "input_vocabulary.txt"
TARGET_NAME = "target_vocabulary.txt"
LARGEST_FILE = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Words with their indices and how often they occur.

    Attributes:
        words: in the order of their indices, which begin at 3.
        frequencies: how often each occurs.
        sos, eos, pad: what begins, ends and pads a sequence.
    """

    words: tuple[str, ...]
    frequencies: Mapping[str, int] = field(default_factory=dict)
    sos: str = "<SOS>"
    eos: str = "<EOS>"
    pad: str = "<PAD>"

    def __len__(self) -> int:
        return len(self.words) + 3

    def __iter__(self) -> Iterator[str]:
        """Return all entries in the order of their indices."""
        return iter((self.pad, self.sos, self.eos, *self.words))

    @classmethod
    def of(cls, frequencies: Mapping[str, int]) -> Vocabulary:
        """Return the vocabulary of counted words, in the order in which they were first counted."""
        return cls(words=tuple(frequencies), frequencies=dict(frequencies))

    @property
    def indices(self) -> dict[str, int]:
        """The index of every entry but the padding."""
        return {word: index for index, word in enumerate(self) if index}

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return the indices of a sequence with its beginning and end, 0 for unknown words."""
        known = self.indices
        return [1, *(known.get(token, 0) for token in tokens), 2]

    def decode(self, indices: Iterable[int]) -> list[str]:
        """Return the words of a sequence of indices, up to its end."""
        entries = list(self)
        words = []
        for index in indices:
            if index == 2:
                break
            if index > 2:
                words.append(entries[index])
        return words


def write_vocabulary(vocabulary: Vocabulary, path: Path | str) -> None:
    """Write a vocabulary as the release lays it out."""
    from deixis.data.store import replacing_file

    fields = {
        "sos_token": vocabulary.sos,
        "eos_token": vocabulary.eos,
        "pad_token": vocabulary.pad,
        "idx_to_word": list(vocabulary),
        "word_to_idx": vocabulary.indices,
        "word_frequencies": dict(vocabulary.frequencies),
    }
    try:
        with replacing_file(Path(path)) as draft:
            draft.write_text(json.dumps(fields, indent=4), encoding="utf-8", newline="\n")
    except OSError as error:
        raise DeixisError(f"{path} cannot be written: {error.strerror or error}") from error


def read_vocabulary(path: Path | str) -> Vocabulary:
    """Return the vocabulary of a file.

    Raises:
        BrokenDataset: when it is no vocabulary, or its lists contradict each other.
    """
    fields = _load(Path(path))
    try:
        entries = fields["idx_to_word"]
        pad, sos, eos = (fields[name] for name in ("pad_token", "sos_token", "eos_token"))
        frequencies = fields["word_frequencies"]
        vocabulary = Vocabulary(words=tuple(entries[3:]), frequencies=dict(frequencies), sos=sos, eos=eos, pad=pad)
        known = {word: index for word, index in dict(fields["word_to_idx"]).items() if word != pad}
        is_text = all(isinstance(word, str) for word in vocabulary)
        is_counted = all(type(count) is int and count >= 0 for count in vocabulary.frequencies.values())
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenDataset(f"{path} is no vocabulary: it lacks {error} or has it in another form") from error
    if not (is_text and is_counted and entries == list(vocabulary) and known == vocabulary.indices):
        raise BrokenDataset(f"{path} is no vocabulary: its lists of words and indices contradict each other")
    return vocabulary


def write_vocabularies(
    tables: Iterable[pa.Table] | pa.Table, folder: Path | str, *, split: str = "train", joins_manners: bool = False
) -> tuple[Vocabulary, Vocabulary]:
    """Count the words and actions of a split, write both vocabulary files, and return them.

    Args:
        tables: the examples.
        folder: where to write.
        split: the split whose words are counted; if empty, those of all examples.
        joins_manners: keep `while spinning` together, as gSCAN does.
    """
    counter = VocabularyCounter(split=split, joins_manners=joins_manners)
    for _ in counter.counting([tables] if isinstance(tables, pa.Table) else tables):
        pass
    return counter.write(folder)


class VocabularyCounter:
    """Counts the words of commands and the actions of plans, table by table."""

    def __init__(self, *, split: str = "train", joins_manners: bool = False) -> None:
        self.split = split
        self.joins_manners = joins_manners
        self._counts: dict[bool, tuple[Counter[str], Counter[str]]] = {
            wanted: (Counter(), Counter()) for wanted in (False, True)
        }

    def counting(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield the tables as they come, counted on the way."""
        for table in tables:
            self.add(table)
            yield table

    def add(self, table: pa.Table) -> None:
        """Count the rows of a table, with an example without a split as one of train."""
        columns = (table[name].to_pylist() for name in ("command", "plan", "split"))
        for command, plan, split in zip(*columns, strict=True):
            commands, plans = self._counts[self.split in splits_of(split)]
            commands[command] += 1
            plans.update(plan)

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Return the vocabularies of commands and plans, of a split or, where it is empty, of all examples."""
        commands, plans = self._counts[True] if self._counts[True][0] else self._counts[False]
        words: dict[str, int] = {}
        for command, count in commands.items():
            for token in self._tokens(command):
                words[token] = words.get(token, 0) + count
        actions = {plan_from_letters(letter)[0].words: count for letter, count in plans.items()}
        return Vocabulary.of(words), Vocabulary.of(actions)

    def is_known_by(self, words: Vocabulary, actions: Vocabulary) -> bool:
        """Return whether two vocabularies have every word and every action that was counted, of any split."""
        counted = [set[str](), set[str]()]
        for commands, plans in self._counts.values():
            counted[0].update(token for command in commands for token in self._tokens(command))
            counted[1].update(plan_from_letters(letter)[0].words for letter in plans)
        return counted[0] <= set(words.words) and counted[1] <= set(actions.words)

    def write(self, folder: Path | str) -> tuple[Vocabulary, Vocabulary]:
        """Write both files."""
        words, actions = self.vocabularies()
        write_vocabulary(words, Path(folder) / INPUT_NAME)
        write_vocabulary(actions, Path(folder) / TARGET_NAME)
        return words, actions

    def _tokens(self, command: str) -> list[str]:
        return command_tokens(command, joins_manners=self.joins_manners)


def command_tokens(command: str, *, joins_manners: bool = False) -> list[str]:
    """Return the tokens of a command: its words, or, as in gSCAN, with `while spinning` as one."""
    tokens = command.split()
    if joins_manners and len(tokens) > 1 and tokens[-2] == "while":
        return [*tokens[:-2], " ".join(tokens[-2:])]
    return tokens


def _load(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BrokenDataset(f"{path} is no vocabulary: it is far too large")
        fields = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} is no vocabulary: {str(error).splitlines()[0]}") from error
    if not isinstance(fields, dict):
        raise BrokenDataset(f"{path} is no vocabulary: it is no JSON object")
    return fields
