"""What a run ran on: the same twice, without folders and credentials, and harmless for older run folders."""

from __future__ import annotations

import json
import platform
import re
from importlib.metadata import version

from equipoise.outcomes import RunInfo, read_run, write_run
from equipoise.outcomes.environment import code_hash, command_text, environment, packages

ROW = {"reply_id": "r", "run": "x", "system": "s", "benchmark": "b", "item": "i", "state": "empty"}


def test_it_is_the_same_twice_and_says_what_is_installed():
    one = environment(["equipoise", "eval"], seed=7)
    assert one == environment(["equipoise", "eval"], seed=7)
    assert one["python"] == platform.python_version()
    assert one["packages"]["pyarrow"] == version("pyarrow")
    assert (one["command"], one["seed"]) == ("equipoise eval", 7)
    assert "seed" not in environment()
    assert json.loads(json.dumps(one)) == one


def test_names_of_packages_are_normalised_and_in_order():
    names = list(packages())
    assert names == sorted(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)


def test_the_hash_is_of_the_code():
    assert re.fullmatch(r"[0-9a-f]{64}", code_hash())


def test_a_command_loses_folders_and_credentials_and_nothing_else():
    words = ["equipoise", "eval", "openmtb", "--model", "openai/some model", "--out", "/data/patients/run",
             "--cases=/home/somebody/cases.jsonl", "--base-url", "https://user:secret@host:8000/v1?key=k", "~/x/y"]  # fmt: skip
    text = command_text(words)
    assert text == (
        "equipoise eval openmtb --model 'openai/some model' --out run --cases=cases.jsonl "
        "--base-url https://host:8000/v1 y"
    )
    assert command_text(["--label-order", "3", "data/cases.jsonl"]) == "--label-order 3 data/cases.jsonl"


def test_a_run_keeps_it_and_a_folder_without_it_still_reads(tmp_path):
    info = RunInfo(run_id="x", created_at="2026-11-30", benchmark="b", environment={"python": "3.11.7"})
    folder = write_run(tmp_path / "run", info, [ROW])
    assert read_run(folder).info == info
    value = json.loads((folder / "run.json").read_text())
    del value["environment"]
    (folder / "run.json").write_text(json.dumps(value))
    assert read_run(folder).info.environment == {}
