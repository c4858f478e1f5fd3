"""An endpoint that fails in every way at once: what was answered is kept, the rest is one line a kind, and asked again."""

from __future__ import annotations

import time
from collections import Counter

import anyio
import pytest

from equipoise.benchmarks.openmtb.task import MAX_RETRIES
from equipoise.outcomes.run import read_run
from stub_endpoint import LATE, endpoint

KINDS = ("answer", "recovers", "500", "broken", "cut", "answer", "answer")
"""What becomes of the calls, by the order in which the cases are first asked."""

SECONDS = 10
"""Time limit of a call in the test of silence, longer than any answer takes on a busy machine."""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """Data in a temporary folder, a key for the stub, and no waiting between tries."""
    from inspect_ai.model import _retry

    async def at_once(seconds: float) -> None:
        await anyio.sleep(0.01)

    PORTS.clear()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("STUB_API_KEY", "none")
    monkeypatch.setattr(_retry, "_sleep", at_once)


def run(equipoise, kinds, out, limit, seconds, *, healed=()):
    """Ask through an endpoint whose calls fail by kind; kinds by prompt, filled in the order of first asking."""
    waiting = list(limit)

    def behave(prompt: str, before: int) -> str:
        if prompt not in kinds:
            kinds[prompt] = waiting[len(kinds)]
        kind = kinds[prompt]
        if kind in healed:
            return "answer"
        if kind == "recovers":
            return "500" if before < 3 else "answer"
        return kind

    with endpoint(behave, port=PORTS.get(out)) as stub:
        PORTS[out] = stub.port
        done = equipoise(
            "eval", "openmtb", "--model", "openai-api/stub/m", "--base-url", stub.url, "--limit", len(limit), "--timeout",
            seconds, "--out", out,
        )  # fmt: skip
        return done, Counter({kinds[prompt]: number for prompt, number in stub.asked.items()}), dict(stub.asked)


PORTS: dict[str, int] = {}
"""Port by run folder: a run is gone on with at the address it was started with."""


def told(done):
    return [line for line in done.err.splitlines() if "came to nothing" in line]


def test_failures_cost_no_answer_and_only_they_are_asked_again(equipoise, tmp_path):
    kinds: dict[str, str] = {}
    first, asked, calls = run(equipoise, kinds, "run", KINDS, 120)
    assert first.code == 2
    assert [calls[prompt] for prompt, kind in kinds.items() if kind == "answer"] == [1, 1, 1]
    assert asked["recovers"] == 4
    assert asked["500"] >= 1 + MAX_RETRIES  # the client tries again by itself too
    rows = read_run(tmp_path / "run").outcomes.to_pylist()
    assert Counter(row["state"] for row in rows) == {"ok": 4, "error": 3}
    assert all((row["label"] == "Supported") == (row["state"] == "ok") for row in rows)
    assert all(row["label"] is None and row["abstained"] is None for row in rows if row["state"] == "error")
    lines = told(first)
    assert len(lines) == 3
    for words, advice in (
        ("InternalServerError", "the service failed: repeat the same command later"),
        ("JSONDecodeError('Expecting value", "the endpoint sent no whole JSON"),
        ("JSONDecodeError('Unterminated string", "the endpoint sent no whole JSON"),
    ):
        assert (
            sum(line.startswith("equipoise: 1 of 7 calls") and words in line and advice in line for line in lines) == 1
        )
    assert "Traceback" not in first.err + first.out

    second, _, calls = run(equipoise, kinds, "run", KINDS, 120, healed=KINDS)
    assert second.code == 0
    assert {kinds[prompt] for prompt in calls} == {"500", "broken", "cut"}
    assert told(second) == []
    answered = read_run(tmp_path / "run").outcomes.to_pylist()
    assert [row["state"] for row in answered] == ["ok"] * len(KINDS)
    kept = {row["item"]: row["reply"] for row in rows if row["state"] == "ok"}
    assert kept.items() <= {row["item"]: row["reply"] for row in answered}.items()


def test_an_endpoint_that_never_answers_is_given_up(equipoise, tmp_path):
    assert run(equipoise, {}, "warm", ["answer"], 120)[0].code == 0  # the libraries are loaded before time counts
    kinds: dict[str, str] = {}
    limit = ["answer", "silence", "answer"]
    begun = time.monotonic()
    first, asked, _ = run(equipoise, kinds, "run", limit, SECONDS)
    assert time.monotonic() - begun < LATE
    assert first.code == 2
    assert asked["silence"] == 1
    (line,) = told(first)
    assert line.startswith("equipoise: 1 of 3 calls came to nothing: AttemptTimeoutError")
    assert "no reply in time: repeat the same command, or raise --timeout" in line
    states = Counter(read_run(tmp_path / "run").outcomes.column("state").to_pylist())
    assert states == {"ok": 2, "error": 1}
    second, _, calls = run(equipoise, kinds, "run", limit, SECONDS, healed=limit)
    assert second.code == 0
    assert [kinds[prompt] for prompt in calls] == ["silence"]
    assert read_run(tmp_path / "run").outcomes.column("state").to_pylist() == ["ok"] * 3
