"""Readers: other people's datasets, read from the files that they published.

>>> import deixis as dx
>>> "sugarcrepe" in dx.readers.names()
True
"""

from deixis.readers.reader import Reader as Reader
from deixis.readers.reader import ReadExample as ReadExample
from deixis.readers.reader import Refusal as Refusal
from deixis.readers.registry import find_reader as find
from deixis.readers.registry import reader_names as names
from deixis.readers.registry import reader_of as of


__all__ = ["ReadExample", "Reader", "Refusal", "find", "names", "of"]
