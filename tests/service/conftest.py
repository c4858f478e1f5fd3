"""A service in a temporary folder, with a clock that stands still."""

from __future__ import annotations

import datetime as dt
import functools
import io
import json
import threading
import time
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from equipoise.service.access.keys import KeyFile, Role
from equipoise.service.app import create_app
from equipoise.service.logs import Log
from equipoise.service.server import listen, make_server
from equipoise.service.settings import KEYS_FILE, Limits, Settings
from service_example import CASE, TODAY


class Running:
    """A service and its client.

    Attributes:
        client: sends requests with the key that allows an audit.
        keys: text of a key by role.
        settings: of the service.
    """

    def __init__(self, settings, client, keys, stream):
        self.settings, self.client, self.keys, self.stream = settings, client, keys, stream

    @property
    def state(self):
        return self.client.app.state.service

    def log(self):
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def as_role(self, role):
        return {"Authorization": f"Bearer {self.keys[role]}"}

    def audit(self, value=None, **parameters):
        return self.client.post("/audit", json=CASE if value is None else value, params=parameters)


@pytest.fixture
def make(tmp_path):
    """Start a service with settings of one's own."""
    opened = []

    def start(**given):
        settings = Settings(data=tmp_path / "service", secure_cookies=False, warm=False, **given)
        file = KeyFile(settings.data / KEYS_FILE)
        keys = {role: file.add(f"the {role} key", [role], today=TODAY)[1] for role in Role}
        stream = io.StringIO()
        moment = dt.datetime.combine(TODAY, dt.time(8, 30), tzinfo=dt.UTC)
        app = create_app(settings, log=Log(stream, clock=lambda: moment), now=lambda: moment)
        client = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
        client.__enter__()
        opened.append(client)
        if not settings.open:
            client.headers["Authorization"] = f"Bearer {keys[Role.AUDIT]}"
        return Running(settings, client, keys, stream)

    yield start
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def running(make):
    return make()


@contextmanager
def served(folder, *, limits=None, open_=True):
    """A service behind its real server on a free port of the loopback: the port, its log, its state."""
    limits = limits or Limits()
    settings = Settings(data=folder, secure_cookies=False, warm=False, open=open_, limits=limits)
    stream = io.StringIO()
    app = create_app(settings, log=Log(stream))
    at = listen("127.0.0.1", 0)
    port = at.getsockname()[1]
    server = make_server(app, limits=limits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), stream.getvalue()
        time.sleep(0.01)
    try:
        yield port, stream, app.state.service
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        at.close()


@pytest.fixture
def serving(tmp_path):
    """`served` in a temporary folder."""
    return functools.partial(served, tmp_path / "service")


@pytest.fixture(scope="session")
def serve_in():
    """`served` for fixtures that live longer than a test."""
    return served
