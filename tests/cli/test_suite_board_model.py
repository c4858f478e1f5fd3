"""The suite of boards with a real language model on this machine, from one command to its page."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from equipoise.report.lint import lint

ROOT = Path(__file__).parents[2]
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


def test_one_command_gives_a_page_on_which_every_reply_is_accounted_for(endpoint, tmp_path):
    environment = {
        **os.environ, "SMOLLM2_API_KEY": "none", "SMOLLM2_BASE_URL": endpoint, "XDG_DATA_HOME": str(tmp_path / "data")
    }  # fmt: skip
    environment.pop("PYTHONWARNINGS", None)
    command = [
        sys.executable, "-c", "from equipoise.cli.main import run; run()", "suite", "board", "--model", MODEL,
        "--judge", "mockjudge/compares",
        "--limit", "2", "--max-connections", "1", "--max-tokens", "300", "--out", "audit",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    audit = json.loads((tmp_path / "audit" / "board.json").read_text())
    own = [part for part in audit["parts"] if part["system"] == MODEL]
    assert [sum(part["states"].values()) for part in own] == [2, 2]
    assert all(part["states"].get("error", 0) == 0 and part["tokens_in"] > 300 for part in own)
    lead = {(item["benchmark"], item["rubric"], item["criterion"]) for item in audit["led"]}
    means = [item for item in audit["means"] if (item["benchmark"], item["rubric"], item["criterion"]) in lead]
    assert {item["system"] for item in means} == {MODEL, "equipoise/board-defer", "equipoise/board-silent"}
    for item in means:
        assert item["scored"] + item["failed_replies"] + item["failed_judgements"] == item["in_scope"] == 2
    assert lint((tmp_path / "audit" / "report.html").read_text()) == []
