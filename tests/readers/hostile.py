"""Files with changed bytes: whatever they hold, a reader gives examples, refusals, or one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from deixis.errors import BrokenDataset
from deixis.readers.reader import ReadExample


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.readers.reader import Reader


STRANGE = (b"null", b"[]", b"{}", b"-1", b'"', b"1e999", b"\x00", b"<")


def check_hostile_bytes(reader: Reader, path: Path, file: Path, *, rounds: int = 60, seed: int = 5) -> None:
    """Change a file in many small ways and read it each time, then put it back."""
    content = file.read_bytes()
    rng = np.random.default_rng(seed)
    read = lost = 0
    for _ in range(rounds):
        changed = bytearray(content)
        for _ in range(int(rng.integers(1, 5))):
            place = int(rng.integers(len(changed)))
            match int(rng.integers(4)):
                case 0:
                    changed[place] = int(rng.integers(256))
                case 1:
                    del changed[place : place + int(rng.integers(1, 31))]
                case 2:
                    start = int(rng.integers(len(content)))
                    changed[place:place] = content[start : start + int(rng.integers(1, 31))]
                case _:
                    changed[place : place + 1] = STRANGE[int(rng.integers(len(STRANGE)))]
            changed = changed or bytearray(b" ")
        file.write_bytes(bytes(changed))
        reader.sniff(path)
        try:
            for one in reader.examples(path):
                read += isinstance(one, ReadExample)
                assert isinstance(one, ReadExample) or one.code in reader.codes
        except BrokenDataset as error:
            lost += 1
            if "\n" in str(error):
                pytest.fail(f"an error of several lines: {error}")
    file.write_bytes(content)
    assert read
    assert lost
