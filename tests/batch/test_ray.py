"""The same batch over Ray Data, on a local cluster of two workers."""

from __future__ import annotations

import datetime as dt
import json
import os
import sys

import pyarrow.parquet as pq
import pytest

from equipoise.batch.run import run_batch
from equipoise.batch.settings import Settings
from equipoise.errors import DependencyError

DAY = dt.date(2026, 11, 1)
BASE = {
    "tumor": "NSCLC", "histology": "adenocarcinoma", "stage": "IVB", "prior_therapies": "none", "biomarkers": ["EGFR L858R"],
}  # fmt: skip
DRUGS = ("osimertinib", "vemurafenib", "alectinib")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "cases.jsonl"
    cases = [
        {
            "case_id": f"p{place}",
            **BASE,
            "ecog": place % 6,
            "recommendations": [DRUGS[place % 3], DRUGS[place % 2]][: 1 + place % 2],
        }
        for place in range(200)
    ]
    path.write_text("".join(json.dumps(case) + "\n" for case in cases) + "not a case\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def _cluster():
    """A cluster of two workers, by itself: a batch finds it and leaves it running."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    assert ray.is_initialized()
    ray.shutdown()


def rows_of(folder):
    rows = [row for file in sorted(folder.glob("part-*.parquet")) for row in pq.read_table(file).to_pylist()]
    return sorted(rows, key=lambda row: (row["place"], row["recommendation_id"]))


@pytest.mark.ray
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray", "ignore::FutureWarning:ray", "ignore::ResourceWarning")
@pytest.mark.usefixtures("_cluster")
def test_two_workers_give_the_rows_of_the_local_engine(tmp_path, source):
    settings = Settings(as_of=DAY)
    local = run_batch(source, tmp_path / "local", settings, part_cases=30)
    by_ray = run_batch(source, tmp_path / "ray", settings, part_cases=30, engine="ray", workers=2)
    rows = rows_of(tmp_path / "ray")
    assert len(rows) > 200
    assert {row["state"] for row in rows} == {"ok", "error"}
    assert rows == rows_of(tmp_path / "local")
    assert by_ray.summary == local.summary
    assert {file.name: file.read_bytes() for file in (tmp_path / "ray").iterdir()} == {
        file.name: file.read_bytes() for file in (tmp_path / "local").iterdir()
    }


@pytest.mark.ray
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray", "ignore::FutureWarning:ray", "ignore::ResourceWarning")
@pytest.mark.usefixtures("_cluster")
def test_a_local_batch_that_was_stopped_goes_on_with_ray(tmp_path, source):
    settings = Settings(as_of=DAY)

    class Stop(Exception):
        pass

    def stop(cases):
        if cases >= 60:
            raise Stop

    with pytest.raises(Stop):
        run_batch(source, tmp_path / "out", settings, part_cases=30, progress=stop)
    done = run_batch(source, tmp_path / "out", settings, part_cases=30, engine="ray", workers=2)
    assert done.resumed >= 2
    run_batch(source, tmp_path / "whole", settings, part_cases=30)
    assert rows_of(tmp_path / "out") == rows_of(tmp_path / "whole")


def test_without_ray_the_message_names_the_extra(tmp_path, source, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DependencyError, match=r"equipoise\[ray\]"):
        run_batch(source, tmp_path / "out", Settings(as_of=DAY), engine="ray", workers=2)
