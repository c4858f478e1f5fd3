"""Parquet is read in one place, on the calling thread: a thread of Arrow that outlives the interpreter aborts the process."""

from __future__ import annotations

import ast
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equipoise.outcomes.parquet import open_parquet, read_parquet

SRC = Path(__file__).parents[2] / "src" / "equipoise"
READERS = {"read_table", "ParquetFile", "ParquetDataset"}
TABLE = pa.table({"n": list(range(5000)), "text": [f"row {number}" for number in range(5000)]})


def uses(source):
    """Names of Parquet readers that a source calls or imports."""
    tree = ast.parse(source)
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pyarrow")
        for alias in node.names
    }
    return (called | imported) & READERS


def test_only_one_file_reads_parquet():
    found = [path.relative_to(SRC).as_posix() for path in sorted(SRC.rglob("*.py")) if uses(path.read_text())]
    assert found == ["outcomes/parquet.py"]


@pytest.mark.parametrize(
    "line", ["pq.read_table(x)", "from pyarrow.parquet import ParquetFile", "pq.ParquetFile(x).read()"]
)
def test_a_reader_elsewhere_would_be_seen(line):
    assert uses(line)


def test_bytes_and_file_give_the_table(tmp_path):
    path = tmp_path / "table.parquet"
    pq.write_table(TABLE, path, row_group_size=512)
    assert read_parquet(path) == TABLE
    assert read_parquet(path.read_bytes()) == TABLE
    with open_parquet(path) as file:
        rows = [row for batch in file.iter_batches(batch_size=700, use_threads=False) for row in batch.to_pylist()]
    assert rows == TABLE.to_pylist()


@pytest.mark.parametrize("data", [b"", b"PAR1", b"not parquet at all, whatever it says"])
def test_what_is_no_parquet_is_an_arrow_error(data):
    with pytest.raises(pa.ArrowException):
        read_parquet(data)
