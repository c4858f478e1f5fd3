"""The page in a real browser, driven by the keyboard: paste, audit, switch policy and day; both schemes, three widths."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import shutil
import socket
import struct
import subprocess
import time
import urllib.request

import pytest

from service_example import NOTE

pytestmark = pytest.mark.browser


class Tab:
    """One tab of a headless Chromium: the least of the DevTools protocol that a test needs."""

    def __init__(self, address):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", address).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        key = base64.b64encode(b"equipoise-tests!").decode()
        head = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self.socket.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while not self._head_ends():
            pass
        self.number = 0
        self.events = []
        for domain in ("Page", "Runtime", "Network", "Accessibility", "Log"):
            self.call(f"{domain}.enable")

    def _head_ends(self):
        line = b""
        while not line.endswith(b"\r\n"):
            line += self.socket.recv(1)
        return line == b"\r\n"

    def _read(self, count):
        data = b""
        while len(data) < count:
            data += self.socket.recv(count - len(data))
        return data

    def _message(self):
        text = b""
        while True:
            first, second = self._read(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self._read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._read(8))[0]
            text += self._read(length)
            if first & 128:
                return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        size = len(data)
        head = struct.pack(">BB", 129, 128 | size) if size < 126 else struct.pack(">BBH", 129, 254, size)
        head = head if size < 65536 else struct.pack(">BBQ", 129, 255, size)
        self.socket.sendall(head + b"\0\0\0\0" + data)
        while True:
            message = self._message()
            if message.get("id") == self.number:
                said = message.get("error", {}).get("message", "")
                assert not said or "navigated" in said, message
                return message.get("result", {})
            self.events.append(message)

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def ask(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True).get("result", {}).get("value")

    def wait(self, expression):
        for _ in range(200):
            if self.ask(expression):
                return
            time.sleep(0.05)
        pytest.fail(f"the page never came to: {expression}")

    def press(self, key, code=0, text=""):
        shared = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def tab_to(self, identifier, most=40):
        """Press Tab until an element has the focus; how often."""
        for count in range(1, most):
            self.press("Tab", 9)
            if self.ask(f"document.activeElement.matches({json.dumps(identifier)})"):
                return count
        return pytest.fail(f"{identifier} cannot be reached by the keyboard")

    def write(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, file):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        file.write_bytes(base64.b64decode(shot))

    def close(self):
        self.socket.close()


@pytest.fixture
def tab(tmp_path):
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    command = [
        program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0", "--lang=en-GB",
        f"--user-data-dir={tmp_path / 'profile'}", "about:blank",
    ]  # fmt: skip
    with (tmp_path / "chromium.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        told = tmp_path / "profile" / "DevToolsActivePort"
        for _ in range(600):
            if told.is_file() and told.read_text().count("\n"):
                break
            time.sleep(0.05)
        port = told.read_text().splitlines()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=30) as answer:
            pages = json.loads(answer.read())
        with contextlib.closing(
            Tab(next(one["webSocketDebuggerUrl"] for one in pages if one["type"] == "page"))
        ) as found:
            yield found
    finally:
        process.terminate()
        process.wait(timeout=30)


def badge(tab):
    return tab.ask("document.querySelector('article.verdict .result-line .badge').dataset.label")


def head(tab):
    return dict(
        tab.ask(
            "[...document.querySelectorAll('article.verdict dl.head div')].map(e => [e.children[0].innerText, e.children[1].innerText])"
        )
    )


def test_paste_audit_switch_policy_and_day_by_the_keyboard(tab, serving, tmp_path):
    with serving() as (port, stream, state):
        tab.go(f"http://127.0.0.1:{port}/")
        tab.tab_to("#case")
        tab.write(NOTE)
        tab.tab_to("button.go")
        tab.press("Enter", 13, "\r")
        tab.wait("document.querySelector('article.verdict') !== null")
        assert badge(tab) == "Supported"
        assert head(tab)["policy"] == "label"
        marked = tab.ask("[...document.querySelectorAll('.note-text mark.used')].map(e => e.firstChild.data).join('|')")
        assert "EGFR L858R" in marked
        assert tab.ask("location.hash") == "#result"

        tab.tab_to("input[type=radio]")
        tab.press("ArrowDown", 40)
        assert tab.ask("document.querySelector('input[type=radio]:checked').value") == "openmtb-2026"
        tab.tab_to("#as_of")
        tab.write("")
        for digit in "01012012":
            tab.press(digit, ord(digit), digit)
        assert tab.ask("document.querySelector('#as_of').value") == "2012-01-01"
        tab.tab_to("button.go")
        tab.press("Enter", 13, "\r")
        tab.wait("document.querySelector('article.verdict dl.head')?.innerText.includes('openmtb-2026')")
        assert head(tab)["evidence as of"] == "2012-01-01"
        assert badge(tab) != "Supported"
        assert tab.ask("document.querySelector('#case').value") == NOTE
        assert state.trail.head().seq == 2
        assert '"event": "failed"' not in stream.getvalue()
        tab.picture(tmp_path / "page.png")
        assert (tmp_path / "page.png").stat().st_size > 20_000


def test_nothing_is_loaded_from_outside_and_nothing_is_blocked(tab, serving):
    with serving() as (port, _, _):
        tab.go(f"http://127.0.0.1:{port}/")
        tab.tab_to("#case")
        tab.write(NOTE)
        tab.tab_to("button.go")
        tab.press("Enter", 13, "\r")
        tab.wait("document.querySelector('article.verdict') !== null")
        asked = {
            one["params"]["request"]["url"] for one in tab.events if one.get("method") == "Network.requestWillBeSent"
        }
        paths = {
            url.removeprefix(f"http://127.0.0.1:{port}").partition("#")[0]
            for url in asked
            if not url.startswith(("about:", "data:"))
        }
        assert paths <= {"/", "/assets/page.css", "/favicon.ico"}
        assert tab.ask("document.scripts.length") == 0
        complaints = [one["params"]["entry"]["text"] for one in tab.events if one.get("method") == "Log.entryAdded"]
        assert [text for text in complaints if "Content Security Policy" in text and "favicon" not in text] == []


def test_a_reader_hears_every_field_and_what_is_wrong(tab, serving):
    with serving() as (port, _, _):
        tab.go(f"http://127.0.0.1:{port}/")
        tab.tab_to("#case")
        tab.write('{"ecog": 17')
        tab.tab_to("button.go")
        tab.press("Enter", 13, "\r")
        tab.wait("document.querySelector('[role=alert]') !== null")
        nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
        named = {
            (one["role"]["value"], one.get("name", {}).get("value", ""))
            for one in nodes
            if not one.get("ignored") and "role" in one
        }
        for role, name in (
            ("textbox", "Case, record or note"),
            ("radio", "Labels and pivotal trials label"),
            ("combobox", "Jurisdiction"),
            ("combobox", "Read as"),
            ("button", "Audit"),
            ("heading", "Audit a case or a note"),
            ("group", "Policy"),
        ):
            assert (role, name) in named, (role, name, sorted(named))
        assert any(role == "alert" for role, _ in named)
        unnamed = [
            role for role, name in named if role in ("textbox", "radio", "combobox", "button", "link") and not name
        ]
        assert unnamed == []


@pytest.mark.parametrize("width", [320, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(tab, serving, width, scheme):
    with serving() as (port, _, _):
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        tab.go(f"http://127.0.0.1:{port}/")
        tab.tab_to("#case")
        tab.write(NOTE)
        tab.tab_to("button.go")
        tab.press("Enter", 13, "\r")
        tab.wait("document.querySelector('article.verdict') !== null")
        over = tab.ask(
            "[...document.querySelectorAll('body *')].filter(e => !e.closest('table, .skip') &&"
            " e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(e => e.tagName + '.' + e.className)"
        )
        assert over == []
        small = tab.ask(
            "[...document.querySelectorAll('button, select, input:not([type=hidden]):not([type=radio]), textarea')]"
            ".filter(e => e.getBoundingClientRect().height < 32).map(e => e.outerHTML.slice(0, 60))"
        )
        assert small == []
        for words in ("body", "button.go", "#case", ".small"):
            ink, paper = tab.ask(
                f"(() => {{ const e = document.querySelector({json.dumps(words)}); let b = e; const c = getComputedStyle(e).color;"
                " while (getComputedStyle(b).backgroundColor === 'rgba(0, 0, 0, 0)' && b.parentElement) b = b.parentElement;"
                " return [c, getComputedStyle(b).backgroundColor]; })()"
            )
            assert contrast(ink, paper) >= 4.5, (words, ink, paper)


def contrast(one, two):
    """Ratio of two colours as WCAG 2.2 has it."""

    def light(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((light(one), light(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)
