"""Inspect's own viewer opens a log of ours, in a real browser."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import aiohttp
import pytest

pytestmark = pytest.mark.browser

INSPECT = Path(sys.executable).parent / "inspect"
CASES = 5


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[str]:
    """The address of `inspect view` on a log of `equipoise/auditor`; the server ends with the test."""
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    subprocess.run(
        [INSPECT, "eval", "equipoise/openmtb", "--model", "equipoise/auditor", "--limit", str(CASES), "--display", "none",
         "--log-dir", "logs"],
        cwd=tmp_path, env=environment, capture_output=True, check=True, timeout=300,
    )  # fmt: skip
    port = free_port()
    with (tmp_path / "view.txt").open("w") as said:
        server = subprocess.Popen(
            [INSPECT, "view", "--log-dir", "logs", "--port", str(port)],
            cwd=tmp_path, env=environment, stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for(f"http://127.0.0.1:{port}/", server)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(timeout=30)


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    limit = time.monotonic() + 120
    while time.monotonic() < limit:
        assert server.poll() is None, "the process ended by itself"
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"nothing answered at {address}")


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[int]:
    """The port at which a headless Chromium is asked what it shows; it ends with the test."""
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    port = free_port()
    process = subprocess.Popen(
        [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
         f"--remote-debugging-port={port}", f"--user-data-dir={tmp_path / 'profile'}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(f"http://127.0.0.1:{port}/json/version", process)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


async def shown(port: int, address: str, words: tuple[str, ...], picture: Path) -> str:
    """The text of a page in lower case once it holds all words, or after two minutes; the page is drawn into a file."""
    async with aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/json") as reply:
            pages = [page for page in await reply.json() if page["type"] == "page"]
        async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket_:
            number = itertools.count(1)

            async def ask(method: str, **parameters: Any) -> dict[str, Any]:
                own = next(number)
                await socket_.send_json({"id": own, "method": method, "params": parameters})
                while True:
                    found = await socket_.receive_json()
                    if found.get("id") == own:
                        return dict(found["result"])

            await ask("Page.navigate", url=address)
            limit = time.monotonic() + 120
            while True:
                found = await ask("Runtime.evaluate", expression="document.body ? document.body.innerText : ''")
                text = str(found["result"].get("value", "")).lower()
                if all(word in text for word in words) or time.monotonic() > limit:
                    break
                await asyncio.sleep(0.3)
            drawn = await ask("Page.captureScreenshot", format="png")
            picture.write_bytes(base64.b64decode(drawn["data"]))
            return text


def test_the_viewer_opens_the_log_with_task_model_and_figures(viewer: str, browser: int, tmp_path: Path) -> None:
    log = next((tmp_path / "logs").glob("*.eval")).name
    wanted = ("equipoise/openmtb", "equipoise/auditor", "share_correct", "over_refusal", "false_approval", "5 samples")
    opened = asyncio.run(shown(browser, f"{viewer}#/logs/{log}", wanted, tmp_path / "log.png"))
    assert [word for word in wanted if word not in opened] == []
