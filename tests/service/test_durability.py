"""kill -9 while requests are answered: no entry that was acknowledged is lost, and the chain holds."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from equipoise.service.trail.entries import Receipt
from equipoise.service.trail.store import Trail
from equipoise.service.trail.verify import verify
from service_example import CASE

COMMAND = [sys.executable, "-c", "from equipoise.cli.main import run; run()", "serve"]
CALLERS = 4
ENOUGH = 60
"""Acknowledged entries after which the process is killed, in the middle of its work."""


def start(folder):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen(
        [*COMMAND, "--data", str(folder), "--port", str(port), "--open"], env=environment, stderr=subprocess.DEVNULL
    )
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert process.poll() is None
            time.sleep(0.05)
        else:
            return process, port
    pytest.fail("the service did not start")


def call(port, received, stop):
    """Send one audit after the other and keep every receipt; ends when the service is gone."""
    number = 0
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        while not stop.is_set():
            number += 1
            case = json.dumps({**CASE, "case_id": f"{threading.get_ident()}-{number}"})
            client.request("POST", "/audit", case, {"Content-Type": "application/json"})
            answer = client.getresponse()
            value = json.loads(answer.read())
            if answer.status == 200:
                trail = value["cases"][0]["trail"]
                received.append(Receipt(trail["seq"], trail["hash"]))
    except (OSError, http.client.HTTPException, ValueError):
        return
    finally:
        client.close()


@pytest.mark.parametrize("round_", [1, 2])
def test_kill_9_loses_no_acknowledged_entry(tmp_path, round_):
    folder = tmp_path / "service"
    process, port = start(folder)
    received, stop = [], threading.Event()
    threads = [threading.Thread(target=call, args=(port, received, stop), daemon=True) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    while len(received) < ENOUGH * round_ and any(thread.is_alive() for thread in threads):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    stop.set()
    for thread in threads:
        thread.join(timeout=60)
    assert len(received) >= ENOUGH * round_
    with Trail(f"sqlite:///{folder / 'trail.sqlite3'}") as trail:
        found = verify(trail, known=tuple(received))
    assert found.problems == ()
    assert found.entries >= len(received)


def test_a_service_that_is_asked_to_stop_finishes_what_it_took(tmp_path):
    folder = tmp_path / "service"
    process, port = start(folder)
    received, stop = [], threading.Event()
    thread = threading.Thread(target=call, args=(port, received, stop), daemon=True)
    thread.start()
    while len(received) < 10:
        time.sleep(0.002)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    thread.join(timeout=60)
    assert process.returncode in (0, -signal.SIGTERM)
    with Trail(f"sqlite:///{folder / 'trail.sqlite3'}") as trail:
        assert verify(trail, known=tuple(received)).problems == ()


def test_a_restarted_service_goes_on_with_the_chain(tmp_path):
    folder = tmp_path / "service"
    last = []
    for _ in range(2):
        process, port = start(folder)
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as client:
            client.request("POST", "/audit", json.dumps(CASE), {"Content-Type": "application/json"})
            last.append(json.loads(client.getresponse().read())["cases"][0]["trail"])
        process.kill()
        process.wait(timeout=30)
    assert [one["seq"] for one in last] == [1, 2]
    with Trail(f"sqlite:///{folder / 'trail.sqlite3'}") as trail:
        assert verify(trail, known=tuple(Receipt(**one) for one in last)).problems == ()
