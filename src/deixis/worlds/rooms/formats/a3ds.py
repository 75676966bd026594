"""The files of the A3DS release: captions as one big JSON object, vocabularies, lists of image numbers.

| file | |
|---|---|
| `3dshapes_captions_long.json` | `{"0": [20 captions], "1": ...}`, keys are numbers of images |
| `3dshapes_captions_short.json` | the same with 27 short captions |
| a vocabulary | `{"a": 4, ...}`, a list of words, or text with a word on each line |
| a list of images | text with one number on each line |

The release stores its vocabulary as a pickle, which is a program; it is refused here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._crew import in_order
from deixis.data._json_stream import read_members
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.rooms.captions import GRAMMARS, frames
from deixis.worlds.rooms.data._captions import blocks, caption_table, caption_texts, interleave
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.vocabulary import CaptionVocabulary


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.rooms.captions import Grammar


__all__ = [
    "CaptionComparison",
    "Difference",
    "best_fitting",
    "caption_file_name",
    "compare_captions",
    "count_differences",
    "read_caption_file",
    "read_image_list",
    "read_vocabulary",
    "write_caption_file",
    "write_image_list",
    "write_vocabulary",
]

NAMES: dict[Grammar, str] = {"exhaustive": "long", "exhaustive-released": "long_released"}
SPELLINGS = {  # of the entries that are no words
    "start": ("START", "<start>", "<START>", "<sos>", "<SOS>", "<bos>", "<s>"),
    "end": ("END", "<end>", "<END>", "<eos>", "<EOS>", "</s>"),
    "unknown": ("UNK", "<unk>", "<UNK>"),
    "padding": ("PAD", "<pad>", "<PAD>"),
}
LARGEST_VOCABULARY = 1 << 20  # bytes
LARGEST_LIST = 1 << 24
FEW, ALIKE = 10, 2  # differences that are told one by one, and how many of those in captions of one number


def caption_file_name(grammar: Grammar) -> str:
    """Return the name of the captions of a grammar in the release, or the name they would have."""
    return f"3dshapes_captions_{NAMES.get(grammar, grammar)}.json"


def write_caption_file(
    path: Path,
    grammar: Grammar,
    *,
    images: Sequence[int] | np.ndarray | None = None,
    workers: int = 1,
    tell: Callable[[int], None] = lambda _captions: None,
) -> int:
    """Write captions in the layout of the release, byte for byte as `json.dump` would, and return their number.

    What is held in memory is a few blocks of images. The file appears when it is whole.

    Args:
        path: the file.
        grammar: which captions.
        images: of which images, all by default.
        workers: how many threads make text; the result does not depend on it.
        tell: told after each block how many captions it had.
    """
    chosen = np.arange(IMAGES) if images is None else np.asarray(images, np.int64)
    captions = len(frames(grammar))
    with replacing_file(path) as draft, draft.open("wb") as file, ThreadPoolExecutor(workers) as pool:
        file.write(b"{")
        is_first = True
        work = in_order(pool, lambda block: _members(block, grammar), blocks(chosen), ahead=workers + 1)
        for members, block in zip(work, blocks(chosen), strict=True):
            file.write(memoryview(members)[2:] if is_first else memoryview(members))
            is_first = False
            tell(len(block) * captions)
        file.write(b"}")
    return len(chosen) * captions


def read_caption_file(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The images of a file of captions, each with its captions, in the order of the file.

    Raises:
        BrokenDataset: at the first thing that is no image with captions.
    """
    for key, value in read_members(path):
        if not re.fullmatch(r"0|[1-9][0-9]{0,5}", key) or int(key) >= IMAGES:
            raise BrokenDataset(f"{path.name}: {key[:40]!r} is not the number of an image from 0 to {IMAGES - 1:,}")
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise BrokenDataset(f"{path.name}: image {key} has no list of captions")
        yield int(key), tuple(value)


class Difference(NamedTuple):
    """A caption that differs from that of the grammar, with an empty text if there is none on one side."""

    image: int
    number: int
    found: str
    expected: str

    def __str__(self) -> str:
        return f"caption {self.number} of image {self.image}: found {self.found!r}, expected {self.expected!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionComparison:
    """Comparison of a file of captions with a grammar.

    Attributes:
        grammar: the grammar, the one that fits best where none was named.
        images: how many images the file has captions of.
        captions: how many captions it has.
        differing: for each number of a caption, in how many images it is another one.
        repeated: how many images occur more than once.
        missing: how many images do not occur.
        first: the first captions that differ.
    """

    grammar: Grammar
    images: int
    captions: int
    differing: Mapping[int, int] = field(default_factory=dict)
    repeated: int = 0
    missing: int = 0
    first: tuple[Difference, ...] = ()

    @property
    def is_same(self) -> bool:
        """True if every caption in the file is that of the grammar, once."""
        return not self.differing and not self.repeated

    def __str__(self) -> str:
        lines = [f"{self.captions:,} captions of {self.images:,} images, compared with the grammar {self.grammar}"]
        lines += [f"caption {number} differs in {times:,} images" for number, times in self.differing.items()]
        lines += [f"{self.repeated:,} images occur more than once"] * bool(self.repeated)
        lines += [f"{self.missing:,} images are missing"] * bool(self.missing)
        return "\n".join([*lines, *map(str, self.first)] if len(lines) > 1 else [*lines, "no difference"])


def compare_captions(
    path: Path, grammar: Grammar | None = None, *, tell: Callable[[int], None] = lambda _captions: None
) -> CaptionComparison:
    """Compare a file of captions with a grammar, caption by caption.

    Args:
        path: a file in the layout of the release.
        grammar: what it should hold; by default the grammar that fits its beginning best.
        tell: told now and then how many captions more were compared.

    Raises:
        BrokenDataset: when the file cannot be read.
    """
    seen = np.zeros(IMAGES, bool)
    differing: Counter[int] = Counter()
    first: list[Difference] = []
    captions = repeated = 0
    for batch in _batches(read_caption_file(path), 1000):
        grammar = grammar or best_fitting(batch)
        images = np.array([image for image, _ in batch])
        repeated += len(images) - len(np.unique(images[~seen[images]]))
        seen[images] = True
        for difference in _differences(batch, grammar):
            differing[difference.number] += 1
            if len(first) < FEW and differing[difference.number] <= ALIKE:
                first.append(difference)
        captions += sum(len(texts) for _, texts in batch)
        tell(sum(len(texts) for _, texts in batch))
    return CaptionComparison(
        grammar=grammar or "exhaustive",
        images=int(seen.sum()),
        captions=captions,
        differing=dict(sorted(differing.items())),
        repeated=repeated,
        missing=IMAGES - int(seen.sum()),
        first=tuple(first),
    )


def read_vocabulary(path: Path) -> CaptionVocabulary:
    """A vocabulary: words with their numbers as JSON, or one word on each line in the order of their numbers.

    Raises:
        BrokenDataset: when it is something else; a pickle is never opened.
    """
    data = _small_file(path, LARGEST_VOCABULARY)
    if data[:1] == b"\x80" or path.suffix in (".pkl", ".pickle", ".pt"):
        raise BrokenDataset(
            f"{path.name} is a pickle, which could run code; where you trust it, save its words with json.dump"
        )
    try:
        text = data.decode("utf-8")
        words = _words_in_order(json.loads(text)) if text.lstrip()[:1] in ("{", "[") else tuple(text.split("\n"))
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path.name} is no vocabulary: {str(error).splitlines()[0][:200]}") from error
    words = tuple(word.strip() for word in words)
    words = words[:-1] if words[-1:] == ("",) else words
    specials = {name: next((word for word in some if word in words), some[0]) for name, some in SPELLINGS.items()}
    try:
        return CaptionVocabulary(words, **specials)
    except DeixisError as error:
        raise BrokenDataset(f"{path.name} is no vocabulary: {error}") from error


def write_vocabulary(path: Path, words: CaptionVocabulary) -> int:
    """Write a vocabulary as JSON, words with their numbers, and return the number of words."""
    with replacing_file(path) as draft:
        draft.write_text(json.dumps(words.numbers, indent=1) + "\n", encoding="utf-8", newline="\n")
    return len(words)


def read_image_list(path: Path) -> np.ndarray:
    """The numbers of images in a text with one on each line: int64 [image].

    Raises:
        BrokenDataset: at the first entry that is no number of an image.
    """
    entries = _small_file(path, LARGEST_LIST).split()
    for number, entry in enumerate(entries, start=1):
        if not (entry.isdigit() and len(entry) <= 6):
            shown = entry[:40].decode("utf-8", errors="replace")
            raise BrokenDataset(f"{path.name}, entry {number}: {shown!r} is not the number of an image")
    images = np.array(entries, "S6").astype(np.int64)
    if len(images) and images.max() >= IMAGES:
        raise BrokenDataset(f"{path.name}: {images.max()} is not the number of an image, they end at {IMAGES - 1:,}")
    return images


def write_image_list(path: Path, images: np.ndarray) -> int:
    """Write the numbers of images, one on each line, and return how many there are."""
    with replacing_file(path) as draft:
        draft.write_text("".join(f"{image}\n" for image in images.tolist()), encoding="ascii", newline="\n")
    return len(images)


def _members(images: np.ndarray, grammar: Grammar) -> pa.Buffer:
    """The text of some images in the file, each with ', ' before it."""
    last = len(frames(grammar)) - 1
    columns = []
    for number in range(last + 1):
        texts = caption_texts(images, number, grammar)
        before = [pa.scalar(', "')]
        if number == 0:
            before = [pa.scalar(', "'), pa.array(images).cast(pa.string()), pa.scalar('": ["')]
        after = pa.scalar('"]' if number == last else '"')
        columns.append(pc.binary_join_element_wise(*before, texts, after, pa.scalar("")))
    joined = interleave(columns)
    start, end = np.frombuffer(joined.buffers()[1], np.int32)[[joined.offset, joined.offset + len(joined)]].tolist()
    return joined.buffers()[2][start:end]


def _batches(members: Iterator[tuple[int, tuple[str, ...]]], size: int) -> Iterator[list[tuple[int, tuple[str, ...]]]]:
    batch: list[tuple[int, tuple[str, ...]]] = []
    for member in members:
        batch.append(member)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def best_fitting(batch: list[tuple[int, tuple[str, ...]]]) -> Grammar:
    """The grammar that fits the captions of some images best."""
    few = batch[:50]
    return min(GRAMMARS, key=lambda grammar: sum(1 for _ in _differences(few, grammar)))


def count_differences(batch: list[tuple[int, tuple[str, ...]]], grammar: Grammar) -> int:
    """Count the captions of some images that differ from those of a grammar."""
    return sum(1 for _ in _differences(batch, grammar))


def _differences(batch: list[tuple[int, tuple[str, ...]]], grammar: Grammar) -> Iterator[Difference]:
    size = len(frames(grammar))
    expected = caption_table(np.array([image for image, _ in batch]), grammar)["text"].to_pylist()
    for place, (image, found) in enumerate(batch):
        wanted = expected[place * size : (place + 1) * size]
        if list(found) == wanted:
            continue
        for number in range(max(len(found), size)):
            one = found[number] if number < len(found) else ""
            other = wanted[number] if number < size else ""
            if one != other:
                yield Difference(image, number, one, other)


def _words_in_order(value: object) -> tuple[str, ...]:
    """Return the words of a JSON vocabulary in the order of their numbers."""
    if isinstance(value, dict) and isinstance(value.get("word2idx"), dict):
        value = value["word2idx"]
    if isinstance(value, dict):
        if sorted(value.values(), key=str) != sorted(range(len(value)), key=str):
            raise ValueError(f"its {len(value)} words are not numbered from 0 to {len(value) - 1}")
        value = sorted(value, key=value.__getitem__)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError("it is neither a list of words nor words with their numbers")
    return tuple(value)


def _small_file(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > most:
        raise BrokenDataset(f"{path.name} is larger than {most:,} bytes; this is another kind of file")
    return data
