"""The whole path with a real language model on this machine: served, asked, killed, resumed, read, reported."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.request import urlopen

import pytest

from equipoise.outcomes.run import read_run
from equipoise.outcomes.schema import ReplyState

ROOT = Path(__file__).parents[2]
MODEL = "openai-api/smollm2/smollm2-135m-instruct"
CASES = 8

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


def evaluate(folder: Path, endpoint: str, out: str, *more: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ, "SMOLLM2_API_KEY": "none", "SMOLLM2_BASE_URL": endpoint, "XDG_DATA_HOME": str(folder / "data")
    }  # fmt: skip
    environment.pop("PYTHONWARNINGS", None)
    command = [
        sys.executable, "-c", "from equipoise.cli.main import run; run()", "eval", "openmtb", "--model", MODEL,
        "--limit", str(CASES), "--max-connections", "1", "--max-tokens", "160", "--out", out, *more,
    ]  # fmt: skip
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, f"{out}\n{err}"
    return out + err


def rows(folder: Path) -> list[dict[str, object]]:
    return read_run(folder).outcomes.to_pylist()


@pytest.mark.parametrize("config", ["base", "rag", "tools", "second-reader"])
def test_every_reply_is_accounted_for(endpoint, tmp_path, config):
    finish(evaluate(tmp_path, endpoint, "run", "--config", config))
    found = rows(tmp_path / "run")
    states = Counter(str(row["state"]) for row in found)
    assert len(found) == CASES
    assert sum(states[state] for state in ReplyState) == CASES
    assert states["error"] == 0
    for row in found:
        assert (row["label"] is not None) == (row["state"] == "ok")
        assert row["tokens_in"] > 100
        assert 1 <= row["tokens_out"] <= 160 or config == "tools"
        assert row["latency"] > 0
    assert any(row["reply"] for row in found)


def test_killed_and_resumed_it_says_the_same(endpoint, tmp_path):
    finish(evaluate(tmp_path, endpoint, "whole"))
    killed = evaluate(tmp_path, endpoint, "broken")
    time.sleep(12)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    finish(evaluate(tmp_path, endpoint, "broken"))
    kept = ("item", "trial", "state", "label", "reply", "tokens_in", "tokens_out")
    whole, broken = (
        [{name: row[name] for name in kept} for row in rows(tmp_path / out)] for out in ("whole", "broken")
    )
    assert broken == whole


def test_the_report_shows_the_replies_inert_and_counts_them(endpoint, tmp_path):
    finish(evaluate(tmp_path, endpoint, "run"))
    page = tmp_path / "page.html"
    found = subprocess.run(
        [sys.executable, "-c", "from equipoise.cli.main import run; run()", "report", "run", "-o", str(page)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    text = page.read_text()
    assert "smollm2-135m-instruct" in text
    assert "<script" not in text
