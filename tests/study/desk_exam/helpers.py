"""A study in a folder, its desk as a process of its own, and browsers that use it."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import yaml

from equipoise.study.planning import assign_all
from equipoise.study.raters import add_rater, make_link, set_password
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store

AT = "2026-11-30T12:00:00+00:00"
PASSWORD = "correct horse battery"
LABELS = ("Supported", "Partially Supported", "Unsupported", "Insufficient Information")
SURE = {"reason": "evidence-supports", "harm": "no", "confidence": "sure"}


def four_label(*, single=False, five=False, **changes):
    """Text of the shipped protocol for audits; with one question only, or with the fifth label of the published study."""
    value = yaml.safe_load(template("four-label").text)
    if five:
        value["questions"][0]["options"].append({"value": "Unsafe", "key": "5"})
    if single:
        value["questions"] = value["questions"][:1]
    value["order"] |= {"repeats": 0.0}
    for name, content in changes.items():
        value[name] = value[name] | content if isinstance(content, dict) and name in value else content
    return yaml.safe_dump(value, allow_unicode=True)


def invented(number):
    """Items about nobody."""
    return [
        Item(
            name=f"invented-{place}",
            shown={
                "patient_summary": f"Invented patient {place}: an adult with an invented tumour, marker Z{place} present.",
                "proposed_therapy": f"inventinib {place}",
            },
            hidden={"label": LABELS[place % 4], "model": "hidden-model"},
        )
        for place in range(number)
    ]


def make_folder(folder, text, items, raters=("ann", "bob"), *, assign=True):
    """A study in a folder, with raters, a third rater and a coordinator, who all have one password."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    store = create_store(folder / "study.sqlite", text, at=AT)
    store.add_items(items, at=AT, origin="made up")
    people = [*((code, "rater") for code in raters), ("third", "adjudicator"), ("chief", "coordinator")]
    for code, role in people:
        add_rater(store, code, at=AT, role=role)
        if role != "rater":
            set_password(store, code, PASSWORD, salt=bytes(range(16)), at=AT)
    if assign:
        assign_all(store, draw=secrets.token_urlsafe, at=AT)
    return store


def link_of(store, code):
    """A personal link that is good now."""
    import datetime as dt

    return make_link(store, code, draw=secrets.token_urlsafe, at=dt.datetime.now(tz=dt.UTC).isoformat())


class Server:
    """The command that serves a study, as a process; it can be killed and started again at the same port."""

    def __init__(self, folder, *more):
        self.folder = folder
        self.more = more
        self.port = 0
        self.process = None
        self.start()

    def start(self):
        command = [
            sys.executable,
            "-c",
            "from equipoise.cli.main import run; run()",
            "study",
            "serve",
            str(self.folder),
        ]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), *self.more], stderr=subprocess.PIPE, text=True, env=os.environ.copy()
        )
        said = []
        while not (found := re.search(r"is at (http://127\.0\.0\.1:(\d+))\.", said[-1] if said else "")):
            line = self.process.stderr.readline()
            assert line, f"the desk did not start: {said}"
            said.append(line)
        self.base, self.port = found[1], int(found[2])

    def kill(self):
        """kill -9: nothing is finished, nothing is closed."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)
        self.process.stderr.close()


@asynccontextmanager
async def chromium():
    """A headless Chromium; the one of the system where there is one."""
    from playwright.async_api import async_playwright

    place = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    async with async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=place, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            await browser.close()


def in_browser(work, *arguments):
    """Runs `work(browser, ...)`."""

    async def run():
        async with chromium() as browser:
            return await work(browser, *arguments)

    return asyncio.run(run())


async def enter(page, base, *, token="", code="", to=""):
    """Signs in by link or by password."""
    if token:
        await page.goto(f"{base}/enter/{token}")
        await page.click("main button")
    else:
        await page.goto(f"{base}/enter")
        await page.fill("#code", code)
        await page.fill("#password", PASSWORD)
        await page.click("main button")
    await page.wait_for_load_state()
    if to:
        await page.goto(base + to)


async def until(page, expression, *, seconds=30):
    """Waits for an expression to hold. Asked from outside, since the desk's policy lets no text run as script in the page."""
    for _ in range(seconds * 20):
        try:
            if await page.evaluate(expression):
                return
        except Exception as error:
            if "context was destroyed" not in str(error) and "navigat" not in str(error):
                raise
        await asyncio.sleep(0.05)
    message = f"it never held: {expression}"
    raise AssertionError(message)


async def ready(page):
    """Waits until the script has taken the page over."""
    await until(page, "document.querySelector('#main')?.dataset.ready === 'yes'")


async def saved(page):
    """Waits until nothing is on its way any more."""
    await until(
        page,
        "document.querySelector('#saved')?.textContent.startsWith('Saved') && document.querySelector('#waiting').hidden",
    )


class Inside:
    """A desk in this process, with a clock that stands still and ids that are counted, so that answers can be compared."""

    def __init__(self, store, **settings):
        import datetime as dt
        import itertools

        from equipoise.study.desk.app import desk_app
        from equipoise.study.desk.settings import DeskSettings

        numbers = itertools.count(1)
        self.store = store
        self.now = dt.datetime(2026, 12, 1, 9, 0, tzinfo=dt.UTC)
        self.draw = lambda size: f"drawn{next(numbers):05d}{'x' * size}"
        self.app = desk_app(store, DeskSettings(**settings), clock=lambda: self.now, draw=self.draw)

    def browser(self, code=None, **more):
        from starlette.testclient import TestClient

        browser = TestClient(self.app, follow_redirects=False, **more)
        if code is not None:
            browser.cookies.set("desk", self.app.state.desk.sessions.open(code, self.now))
        return browser


def csrf(browser):
    """The form token of a session; empty for nobody."""
    found = re.search(r'name="csrf" value="([^"]*)"', browser.get("/desk/settings").text)
    return found[1] if found else ""
