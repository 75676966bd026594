"""Part `formats` of a reader: what its examples are written as, each with a proof of what the conversion changed."""

from __future__ import annotations

from deixis.readers._formats.convert import ready_part as ready_part
