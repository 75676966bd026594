"""Tables on their way between machines: Arrow streams, which hold data and nothing that could run."""

from __future__ import annotations

import pyarrow as pa

from deixis.errors import BrokenDataset


__all__ = ["pack_table", "unpack_table"]


def pack_table(table: pa.Table) -> bytes:
    """A table as an Arrow stream, compressed; of a slice, only the rows in it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def unpack_table(data: bytes) -> pa.Table:
    """The table in an Arrow stream; `BrokenDataset` where there is none."""
    try:
        return pa.ipc.open_stream(data).read_all()
    except (pa.ArrowException, OSError, EOFError) as error:
        raise BrokenDataset(f"what a worker sent is no table: {(str(error).splitlines() or [''])[0][:200]}") from error
