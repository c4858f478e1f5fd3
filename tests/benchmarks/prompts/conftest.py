"""The hand-written copies of the data sets, and the two whose form is Parquet."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

DATA = Path(__file__).parent / "data"

STATEMENTS = {
    "text": [
        "Stand-in statement one.",
        "Stand-in statement two.",
        "Stand-in statement three.",
        "Stand-in statement four.",
    ],
    "target_group": ["group a", "group a", "group b", "group b"],
    "toxicity_ai": [1.0, 4.0, 2.0, 5.0],
    "toxicity_human": [1.0, 3.0, 3.33, 5.0],
}


@pytest.fixture
def toxigen_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "toxigen"
    (folder / "annotated").mkdir(parents=True)
    pq.write_table(pa.table(STATEMENTS), folder / "annotated" / "test-00000-of-00001.parquet")
    return folder
