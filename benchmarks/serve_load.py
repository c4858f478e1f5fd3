"""Open-loop load on a service with its durable trail on: requests leave at a fixed rate whether or not earlier ones came back.

    python benchmarks/serve_load.py [--rate 200] [--seconds 60] [--mix both|audit|cds] [--json]

The service is started as its own process (`equipoise serve`) in a folder on this machine's disk, with a key, and with SQLite synced
at every write. The client runs on the same cores. Latency counts from the moment a request was due, so that a stall shows in every
request that it delays. What is printed: answers by status; p50, p90, p99 and the slowest in milliseconds for each kind of call; the rate
that was reached; memory of the service (resident, with its helper process) after warm-up and at the end; entries on the trail against
answers; and whether the chain of the trail verifies afterwards. The rate is kept only on a machine with nothing else to do.

--folder puts the trail elsewhere (a memory disk shows what the syncs cost).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from equipoise.benchmarks.openmtb.generate import generate

CDS = Path(__file__).parents[1] / "tests" / "service" / "cds" / "fixtures" / "order-sign.request.json"
DRUGS = ("osimertinib", "alectinib", "sotorasib", "gefitinib", "pembrolizumab", "examplinib", "carboplatin")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def bodies(count: int, seed: int) -> dict[str, list[bytes]]:
    cases = [{key: value for key, value in case.items() if key != "reference"} for case in generate(count, seed)]
    base = json.loads(CDS.read_text(encoding="utf-8"))
    calls = []
    for number in range(count):
        call = json.loads(json.dumps(base))
        call["context"]["draftOrders"]["entry"][0]["resource"]["medicationCodeableConcept"] = {
            "text": DRUGS[number % len(DRUGS)]
        }
        calls.append(json.dumps(call).encode())
    return {"audit": [json.dumps(case).encode() for case in cases], "cds": calls}


PATHS = {"audit": "/audit", "cds": "/cds-services/equipoise-order-sign"}


class Connection:
    """One kept-alive HTTP/1.1 connection, with the least work on the client's side."""

    def __init__(self, port: int, key: str) -> None:
        self.port = port
        self.key = key
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def send(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer."""
        # a server closes what stood idle for long; a client that does not look takes that for an error
        if self.writer is None or self.reader is None or self.writer.is_closing() or self.reader.at_eof():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        assert self.reader is not None
        head = (
            f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {self.key}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        length = next(int(line[15:]) for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        return status, await self.reader.readexactly(length)


async def load(
    port: int, key: str, work: dict[str, list[bytes]], mix: list[str], rate: float, seconds: float
) -> dict[str, Any]:
    idle: list[Connection] = []
    opened = 0
    times: dict[str, list[float]] = {kind: [] for kind in mix}
    statuses: Counter[str] = Counter()
    tasks: set[asyncio.Task[None]] = set()

    async def one(kind: str, body: bytes, due: float) -> None:
        nonlocal opened
        if idle:
            connection = idle.pop()
        else:
            connection = Connection(port, key)
            opened += 1
        try:
            status, _ = await connection.send(PATHS[kind], body)
            statuses[str(status)] += 1
            times[kind].append(1000 * (time.perf_counter() - due))
            idle.append(connection)
        except (OSError, asyncio.IncompleteReadError, StopIteration) as error:
            statuses[type(error).__name__] += 1

    start = time.perf_counter()
    total = int(rate * seconds)
    for number in range(total):
        due = start + number / rate
        wait = due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        kind = mix[number % len(mix)]
        task = asyncio.create_task(one(kind, work[kind][number % len(work[kind])], due))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    if tasks:
        await asyncio.wait(tasks, timeout=30)
    spent = time.perf_counter() - start
    answered = sum(len(rows) for rows in times.values())
    return {
        "sent": total,
        "answered": answered,
        "statuses": dict(sorted(statuses.items())),
        "connections": opened,
        "per_second": answered / spent,
        "latency_ms": {kind: quantiles(rows) for kind, rows in times.items()},
    }


def quantiles(rows: list[float]) -> dict[str, float]:
    ordered = sorted(rows)
    if not ordered:
        return {}

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)

    return {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "max": round(ordered[-1], 2), "n": len(ordered)}


def resident(pid: int) -> float:
    """Resident memory of a process and its children in MiB."""
    total = 0.0
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for one in (str(pid), *children):
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total += int(line.split()[1]) / 1024
    return round(total, 1)


def processor_seconds(pid: int) -> float:
    """Processor time of a process so far."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--mix", choices=("both", "audit", "cds"), default="both")
    parser.add_argument("--folder", type=Path, default=Path.cwd())
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    mix = ["audit", "cds"] if arguments.mix == "both" else [arguments.mix]
    work = bodies(1000, 42)
    random.Random(42).shuffle(work["audit"])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", "from equipoise.cli.main import run; run()", "serve"]
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix=".serve-load-") as folder:
        key = subprocess.run(
            [*command, "keys", "add", "load", "--data", folder],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        port = free_port()
        server = subprocess.Popen(
            [*command, "--data", folder, "--port", str(port)], env=environment, stderr=subprocess.DEVNULL
        )
        try:
            wait_for(port)
            asyncio.run(load(port, key, work, mix, min(arguments.rate, 100), 3))
            before = resident(server.pid)
            cpu, served = os.times(), processor_seconds(server.pid)
            result = asyncio.run(load(port, key, work, mix, arguments.rate, arguments.seconds))
            after_cpu = os.times()
            result["client_cpu_seconds"] = round(after_cpu.user + after_cpu.system - cpu.user - cpu.system, 1)
            result["service_cpu_seconds"] = round(processor_seconds(server.pid) - served, 1)
            result["memory_mib"] = {"start": before, "end": resident(server.pid)}
        finally:
            server.terminate()
            server.wait(timeout=60)
        verified = subprocess.run(
            [*command, "trail", "verify", "--json", "--data", folder],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        trail = json.loads(verified.stdout)
        result["trail"] = {"entries": trail["entries"], "problems": len(trail["problems"])}
        result["trail_mib"] = round(sum(file.stat().st_size for file in Path(folder).glob("trail*")) / 2**20, 1)
    if arguments.json:
        print(json.dumps(result))
        return
    print(
        f"{result['sent']} requests at {arguments.rate:g}/s for {arguments.seconds:g} s: {result['answered']} answered"
    )
    print(f"  statuses {result['statuses']}")
    for kind, row in result["latency_ms"].items():
        print(
            f"  {kind}: p50 {row['p50']} ms, p90 {row['p90']} ms, p99 {row['p99']} ms, slowest {row['max']} ms (n {row['n']})"
        )
    print(
        f"  {result['per_second']:.1f} answers/s over {result['connections']} connections; "
        f"processor: service {result['service_cpu_seconds']} s, client {result['client_cpu_seconds']} s"
    )
    print(f"  memory {result['memory_mib']['start']} MiB at the start, {result['memory_mib']['end']} MiB at the end")
    print(
        f"  trail: {result['trail']['entries']} entries, {result['trail']['problems']} problems, {result['trail_mib']} MiB"
    )


def wait_for(port: int) -> None:
    for _ in range(300):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    message = "the service did not start"
    raise SystemExit(message)


if __name__ == "__main__":
    main()
