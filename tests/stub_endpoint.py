"""A local endpoint of the OpenAI form that fails as it is told, by the case it is asked."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = '{"label": "Supported", "abstain": false, "missing_fields": [], "confidence": 0.9}'
LATE = 90.0
"""Seconds after which an endpoint that does not answer gives up by itself."""

Behaviour = Callable[[str, int], str]
"""What happens to a call, of the prompt and how often it was asked before: answer, 500, silence, broken or cut."""


class Endpoint:
    """What was asked, and how a call is answered.

    Attributes:
        url: base address.
        port: its port.
        asked: how often each prompt was asked.
        behaviour: what happens to a call.
    """

    def __init__(self, behaviour: Behaviour) -> None:
        self.url = ""
        self.port = 0
        self.asked: Counter[str] = Counter()
        self.behaviour = behaviour
        self.ended = threading.Event()
        self.lock = threading.Lock()


def completion(text: str) -> dict[str, Any]:
    return {
        "id": "c", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }  # fmt: skip


@contextmanager
def endpoint(behaviour: Behaviour, *, port: int | None = None) -> Iterator[Endpoint]:
    """Serve on a port of the loopback, a free one by default, until the block ends."""
    state = Endpoint(behaviour)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][-1]["content"]
            with state.lock:
                before = state.asked[prompt]
                state.asked[prompt] += 1
                kind = state.behaviour(prompt, before)
            if kind == "silence":
                state.ended.wait(LATE)
                self.close_connection = True
                return
            text = json.dumps(completion(ANSWER)) if kind in ("answer", "cut") else '{"error": {"message": "it broke"}}'
            if kind in ("broken", "cut"):
                text = text[: len(text) // 2] if kind == "cut" else "<html>not JSON"
            data = text.encode()
            self.send_response(500 if kind == "500" else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port or 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.port = server.server_address[1]
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        state.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
