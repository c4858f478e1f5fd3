"""SmolLM2 served on this machine for tests with a real language model."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
MODEL = "openai-api/smollm2/smollm2-135m-instruct"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the served model, while it is served.

    Args:
        folder: where what the server says is kept.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = folder / "told"
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
