"""What judging adds to Inspect: 1,000 judgements against a local stub of 0.2 s latency and 64 connections, beside bare calls.

Both send the same messages through the same provider in the same process, one after the other, in a random order of
three rounds; the stub runs in a process of its own. Bare: `Model.generate` and nothing else. Ours: the step over a run
folder, with prompts, reading, journal and tables.

python benchmarks/judge_overhead.py [JUDGEMENTS]
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import re
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

LATENCY, CONNECTIONS, ROUNDS = 0.2, 64, 3
_CODE = re.compile(rb"the check code ([0-9a-f]{16})\.")


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
            )
            code = _CODE.findall(await reader.readexactly(length))[-1].decode()
            await asyncio.sleep(LATENCY)
            verdict = {"nonce": code, "verdicts": {"refusal": {"reason": "a stub", "value": "none"}}}
            message = {"role": "assistant", "content": json.dumps(verdict)}
            reply = {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": "stub",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
            }
            body = json.dumps(reply).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _stub(port: Connection) -> None:
    async def main() -> None:
        server = await asyncio.start_server(_serve, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def _model(port: int) -> Any:
    from inspect_ai.model import GenerateConfig, get_model

    return get_model(
        "openai-api/stub/stub", base_url=f"http://127.0.0.1:{port}/v1", api_key="none", memoize=False,
        config=GenerateConfig(max_connections=CONNECTIONS),
    )  # fmt: skip


def _bare(model: Any, questions: list[Any]) -> None:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig

    config = GenerateConfig(temperature=0.0, max_connections=CONNECTIONS)

    async def main() -> None:
        await asyncio.gather(
            *(
                model.generate(
                    [ChatMessageSystem(content=item.system), ChatMessageUser(content=item.user)], config=config
                )
                for item in questions
            )
        )

    asyncio.run(main())


def _ours(model: Any, folder: Path, source: Any, rubric: Any) -> None:
    from equipoise.judging.folder import carry_out, open_folder
    from equipoise.judging.step import Settings

    work = open_folder(folder, rubric, source, ["stub"])
    done = carry_out(work, {"stub": model}, settings=Settings(connections=CONNECTIONS))
    ok, wanted = done.run.judgements.column("state").to_pylist().count("ok"), work.run.outcomes.num_rows
    if ok != wanted or done.spent.calls != ok:
        message = f"{ok} of {wanted} judged with {done.spent.calls} calls"
        raise SystemExit(message)


def main() -> None:
    """Run both and print the ratio."""
    from equipoise.judging.frame import prepare
    from equipoise.judging.rubric import load_rubric
    from equipoise.judging.sources import ItemText, ItemTexts
    from equipoise.outcomes.run import RunInfo, write_run

    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_stub, args=(theirs,), daemon=True)
    process.start()
    port = ours.recv()
    rubric = load_rubric("refusal")
    items = ItemTexts(
        items={str(place): ItemText(parts={"prompt": f"Question {place}: " + "x" * 200}) for place in range(number)}
    )
    rows = [
        {"reply_id": str(place), "run": "bench", "system": "m", "benchmark": "b", "item": str(place), "state": "ok",
         "reply": f"Reply {place}: " + "y " * 1000}
        for place in range(number)
    ]  # fmt: skip
    questions = [prepare(rubric, items.material_for(row)) for row in rows]
    info = RunInfo(run_id="bench", created_at="2026-11-30T00:00:00+00:00", benchmark="b")
    _bare(_model(port), questions[:CONNECTIONS])
    times: dict[str, list[tuple[float, float]]] = {"bare": [], "ours": []}
    rng = random.Random(7)
    for _ in range(ROUNDS):
        for name in rng.sample(["bare", "ours"], 2):
            with tempfile.TemporaryDirectory() as scratch:
                folder = write_run(Path(scratch) / "run", info, rows)
                model = _model(port)
                started = (time.perf_counter(), time.process_time())
                if name == "bare":
                    _bare(model, questions)
                else:
                    _ours(model, folder, items, rubric)
                wall, cpu = time.perf_counter() - started[0], time.process_time() - started[1]
            times[name].append((wall, cpu))
            print(f"{name}: {number} calls, {wall:.2f} s, {cpu:.2f} s of processor")
    for place, what in enumerate(("wall clock", "processor")):
        bare, mine = (statistics.median(taken[place] for taken in times[name]) for name in ("bare", "ours"))
        print(f"{what}, median of {ROUNDS}: bare {bare:.2f} s, ours {mine:.2f} s, ratio {mine / bare:.3f}")
    process.terminate()


if __name__ == "__main__":
    main()
