"""A run that is killed goes on where it was: the same answers, and no completed sample is asked twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from equipoise.evals.logs import convert, read_logs

CASES = 40
CONNECTIONS = 4
SCRIPT = f'''
import sys, time
from pathlib import Path
import anyio
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelAPI, ModelOutput, ModelUsage, modelapi
from equipoise.evals.runner import Order, run
from equipoise.ids import text_hash

asked, done = Path(sys.argv[1]), Path(sys.argv[2])

@modelapi(name="counting")
class Counting(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        name = text_hash(input[-1].text)
        with asked.open("a") as file:
            file.write(name + "\\n")
        await anyio.sleep(0.1)
        with done.open("a") as file:
            file.write(name + "\\n")
        message = ChatMessageAssistant(content='{{"label": "Supported", "abstain": false, "missing_fields": []}}')
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message, stop_reason="stop")], usage=usage)

order = Order(task="equipoise/openmtb", model="counting/m", limit={CASES}, settings={{"max_connections": {CONNECTIONS}}})
ended = run(order, Path(sys.argv[3]))
print(ended.status, ended.resumed, ended.log, sep="\\n")
'''  # fmt: skip


def start(folder: Path, logs: str) -> subprocess.Popen[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "PYTHONWARNINGS": "default"}
    return subprocess.Popen(
        [sys.executable, str(script), str(folder / "asked"), str(folder / "done"), str(folder / logs)],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err[-2000:]
    return out.splitlines()[-3:]


def answers(log: str) -> list[tuple[object, ...]]:
    rows = convert(read_logs([log])).outcomes
    return sorted((row["item"], row["trial"], row["state"], row["label"], row["reply"]) for row in rows)


def test_killed_and_resumed(tmp_path):
    killed = start(tmp_path, "logs")
    limit = time.monotonic() + 60
    while len(lines(tmp_path / "done")) < CASES // 2 and time.monotonic() < limit:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    done, asked = set(lines(tmp_path / "done")), lines(tmp_path / "asked")
    assert CASES // 2 <= len(done) < CASES
    assert len(asked) - len(done) <= CONNECTIONS
    status, resumed, log = finish(start(tmp_path, "logs"))
    assert (status, resumed) == ("success", "True")
    twice = [name for name, number in Counter(lines(tmp_path / "asked")).items() if number > 1]
    assert len(twice) <= CONNECTIONS
    assert len(set(lines(tmp_path / "asked"))) == CASES
    before = len(lines(tmp_path / "asked"))
    assert finish(start(tmp_path, "logs"))[:2] == ["success", "True"]
    assert len(lines(tmp_path / "asked")) == before
    unbroken = finish(start(tmp_path, "others"))
    assert unbroken[:2] == ["success", "False"]
    assert answers(log) == answers(unbroken[2])
    assert len(answers(log)) == CASES
