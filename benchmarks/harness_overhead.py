"""What the task adds to Inspect: 1,000 cases against a local stub of 2 s latency and 64 connections, beside a bare task in the same run.

python benchmarks/harness_overhead.py [CASES]
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
import time

LATENCY, CONNECTIONS = 2.0, 64
CONTENT = '{"label": "Supported", "abstain": false, "missing_fields": []}'


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
            )
            await reader.readexactly(length)
            await asyncio.sleep(LATENCY)
            choice = {"index": 0, "message": {"role": "assistant", "content": CONTENT}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}
            body = json.dumps(
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "stub",
                    "choices": [choice],
                    "usage": usage,
                }
            ).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _stub() -> int:
    ready = threading.Event()
    port = 0

    def run() -> None:
        async def main() -> None:
            nonlocal port
            server = await asyncio.start_server(_serve, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            ready.set()
            await server.serve_forever()

        asyncio.run(main())

    threading.Thread(target=run, daemon=True).start()
    ready.wait()
    return port


def main() -> None:
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.scorer import includes

    from equipoise.benchmarks.openmtb.task import openmtb

    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    model = get_model(
        "openai-api/stub/stub", base_url=f"http://127.0.0.1:{_stub()}/v1", api_key="none",
        config=GenerateConfig(max_connections=CONNECTIONS),
    )  # fmt: skip
    text = "x" * 4000
    bare = Task(dataset=[Sample(id=place, input=text, target="Supported") for place in range(cases)], scorer=includes())
    ours = openmtb(trials=max(1, cases // 500))
    with tempfile.TemporaryDirectory() as folder:
        times = {}
        for name, task in (("bare", bare), ("ours", ours)):
            started = time.perf_counter()
            log = inspect_eval(
                task, model=model, max_connections=CONNECTIONS, max_samples=CONNECTIONS, log_dir=folder, display="none",
                limit=min(cases, 500) if name == "ours" else None,
            )[0]  # fmt: skip
            times[name] = time.perf_counter() - started
            print(f"{name}: {log.status}, {len(log.samples or ())} replies, {times[name]:.1f} s")
    print(f"ratio: {times['ours'] / times['bare']:.3f}")


if __name__ == "__main__":
    main()
