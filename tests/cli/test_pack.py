"""`equipoise pack` as typed: build, verify, and one line for what cannot be done."""

from __future__ import annotations

import hashlib
import json

import pytest

from equipoise.outcomes.run import RunInfo, read_run, write_run


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def small(tmp_path):
    row = {"reply_id": "r", "run": "x", "system": "s", "benchmark": "b", "item": "i", "state": "empty"}
    return write_run(tmp_path / "run", RunInfo(run_id="x", created_at="2026-11-30", benchmark="b"), [row])


@pytest.fixture
def run(equipoise, tmp_path):
    done = equipoise("eval", "openmtb", "--model", "equipoise/auditor", "--limit", 12, "--out", "run")
    assert done.code == 0
    return tmp_path / "run"


def test_a_run_records_what_it_ran_on_and_a_pack_is_built_and_verified(equipoise, run, tmp_path):
    found = read_run(run).info.environment
    assert found["command"] == "equipoise eval openmtb --model equipoise/auditor --limit 12 --out run"
    assert {"python", "os", "packages", "code_hash"} <= set(found)
    done = equipoise("pack", "run", "-o", "pack")
    assert done.code == 0
    assert "questions for people stand in the form" in done.out
    value = json.loads((tmp_path / "pack" / "pack.json").read_text())
    assert value["product"] == "equipoise/auditor"
    assert value["packages"] == "recorded by the runs"
    assert sum(sum(counts.values()) for counts in value["counts"].values()) == len(value["items"])
    good = equipoise("pack", "--verify", "pack")
    assert (good.code, "files as in the manifest" in good.out) == (0, True)
    digest = hashlib.sha256((tmp_path / "pack" / "MANIFEST.sha256").read_bytes()).hexdigest()
    assert digest in good.out
    assert digest in done.out
    with (tmp_path / "pack" / "pack.html").open("a") as page:
        page.write(" ")
    bad = equipoise("pack", "--verify", "pack")
    assert (bad.code, bad.out.strip()) == (1, "pack: changed: pack.html")


def test_a_resumed_run_keeps_the_environment_of_its_first_start(equipoise, run):
    path = run / "run.json"
    value = json.loads(path.read_text())
    value["environment"]["python"] = "3.0.0"
    path.write_text(json.dumps(value))
    assert equipoise("eval", "openmtb", "--model", "equipoise/auditor", "--limit", 12, "--out", "run").code == 0
    assert read_run(run).info.environment["python"] == "3.0.0"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "at least one folder"),
        (["run"], "expected the folder to write"),
        (["nothing", "-o", "pack"], "there is no run here"),
        (["run", "-o", "pack", "--stage", "live"], "expected one of offline, live-use, trial"),
        (["run", "-o", "pack", "--created-at", "yesterday"], "expected an ISO date"),
        (["run", "-o", "pack", "--protocol", "no.yaml"], "no such file"),
        (["run", "-o", "pack", "--previous", "run"], "there is no pack here"),
        (["run", "-o", "run"], "name another"),
        (["--verify", "run"], "there is no pack here"),
    ],
)
def test_what_cannot_be_done_is_one_line(equipoise, small, tmp_path, arguments, words):
    done = equipoise("pack", *arguments)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "pack").exists()
    assert read_run(small).outcomes.num_rows == 1
