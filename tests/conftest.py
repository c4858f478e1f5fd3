"""Fixtures and rules for all tests: public data come from EQUIPOISE_DATA, and nothing reaches the network."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the public files; skips where it is not set."""
    path = os.environ.get("EQUIPOISE_DATA")
    if not path:
        pytest.skip("EQUIPOISE_DATA is not set")
    return Path(path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and os.environ.get("EQUIPOISE_REQUIRE_DATA") and item.get_closest_marker("data"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} skipped although EQUIPOISE_REQUIRE_DATA is set"
    return report


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """Only the loopback can be reached from a test."""
    connect = socket.socket.connect

    def guarded(self, address):
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            message = f"a test tried to reach {address[0]}"
            raise AssertionError(message)
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
