"""Reads Parquet on the calling thread only.

A reader that hands bytes of Python to Arrow's own threads leaves them to be released there. When the interpreter ends before such a
thread has let go, the process aborts after its work was done ("terminate called without an active exception", exit status -6;
apache/arrow issue 34314). Files of this project are small, so threads bring nothing that would be worth it.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(source: bytes | str | Path) -> pa.Table:
    """The table of a file, or of its bytes.

    Raises:
        OSError: the file cannot be read.
        pyarrow.ArrowException: it is not a Parquet file.
    """
    with open_parquet(source) as file:
        return file.read(use_threads=False)


def open_parquet(source: bytes | str | Path) -> pq.ParquetFile:
    """The file, to be read batch by batch with `use_threads=False`; the caller closes it.

    Raises:
        OSError: the file cannot be read.
        pyarrow.ArrowException: it is not a Parquet file.
    """
    if isinstance(source, bytes):
        return pq.ParquetFile(pa.BufferReader(source), pre_buffer=False)
    return pq.ParquetFile(source, pre_buffer=False, memory_map=False)
