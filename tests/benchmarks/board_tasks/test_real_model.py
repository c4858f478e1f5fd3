"""Both board tasks with a real language model on this machine: every reply is accounted for, and none is made better than it is."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.request import urlopen

import pytest

from equipoise.boards.replies import read_board_reply, read_turn_reply
from equipoise.outcomes.run import read_run
from equipoise.outcomes.schema import ReplyState

ROOT = Path(__file__).parents[3]
MODEL = "openai-api/smollm2/smollm2-135m-instruct"

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    """The address of the served model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = tmp_path_factory.mktemp("server") / "told"
    with told.open("w") as file:
        server = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "serve_smollm2.py"), "--port", str(port)], stdout=file, stderr=file
        )
    try:
        limit = time.monotonic() + 120
        while True:
            assert server.poll() is None, told.read_text()
            assert time.monotonic() < limit, told.read_text()
            try:
                with urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5) as reply:
                    assert b"smollm2-135m-instruct" in reply.read()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(30)


@pytest.mark.parametrize("name", ["specialist_turn", "board_simulation"])
def test_two_items_are_asked_and_accounted_for(endpoint, tmp_path, name):
    environment = {
        **os.environ, "SMOLLM2_API_KEY": "none", "SMOLLM2_BASE_URL": endpoint, "XDG_DATA_HOME": str(tmp_path / "data")
    }  # fmt: skip
    environment.pop("PYTHONWARNINGS", None)
    command = [
        sys.executable, "-c", "from equipoise.cli.main import run; run()", "eval", name, "--model", MODEL, "--limit", "2",
        "--max-connections", "1", "--max-tokens", "300", "--out", "run",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    rows = read_run(tmp_path / "run").outcomes.to_pylist()
    states = Counter(str(row["state"]) for row in rows)
    assert len(rows) == 2
    assert sum(states[state] for state in ReplyState) == 2
    assert states["error"] == 0
    for row in rows:
        assert row["tokens_in"] > 150
        assert row["latency"] > 0
        read = (
            read_turn_reply(row["reply"] or "").answer
            if name == "specialist_turn"
            else read_board_reply(row["reply"] or "").conclusion
        )
        if row["state"] in ("ok", "unparsed"):
            assert bool(read) == (row["state"] == "ok")
    references = [json.loads(line) for line in (tmp_path / "run" / "references.jsonl").read_text().splitlines()]
    assert {line["item"] for line in references} == {row["item"] for row in rows}
    assert "Not a medical device" in done.stdout
