"""`equipoise study serve`: starts only where nobody else can read along, serves, and stops when it is asked to."""

import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
import typer
from typer.testing import CliRunner

from equipoise.cli.study import app
from equipoise.errors import UsageError
from equipoise.study.desk.server import make_server
from equipoise.study.desk.settings import DeskLimits


@pytest.fixture
def folder(tmp_path):
    made = CliRunner().invoke(app, ["init", str(tmp_path / "study"), "--template", "four-label"])
    assert made.exit_code == 0
    return tmp_path / "study"


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--host", "0.0.0.0"], "sign-in and labels would travel where others can read them"),
        (["--base-url", "http://study.example.org"], "sign-in and labels would travel"),
        (["--host", "0.0.0.0", "--base-url", "http://127.0.0.1:8090"], "sign-in and labels would travel"),
        (["--base-url", "study.example.org"], "expected an address such as https://study.example.org"),
        (["--base-url", "https://study.example.org/desk"], "without a path"),
        (["--tls-cert", "a.pem"], "a certificate and its key belong together"),
        (["--base-url", "https://a.example", "--behind-proxy", "proxy"], "expected an address or network"),
    ],
)
def test_what_would_be_unsafe_does_not_start(folder, options, fault):
    found = CliRunner().invoke(app, ["serve", str(folder), "--port", "0", *options])
    assert isinstance(found.exception, UsageError)
    assert fault in str(found.exception)


def test_without_a_study_nothing_starts(tmp_path):
    found = CliRunner().invoke(app, ["serve", str(tmp_path), "--port", "0"])
    assert isinstance(found.exception, UsageError)
    assert "there is no study here" in str(found.exception)


def test_the_server_starts_answers_and_stops(folder):
    command = [sys.executable, "-c", "from equipoise.cli.main import run; run()", "study", "serve", str(folder)]
    with subprocess.Popen(
        [*command, "--port", "0"], stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    ) as process:
        line = process.stderr.readline()
        base = re.search(r"is at (http://127\.0\.0\.1:\d+)\.", line)[1]
        with urllib.request.urlopen(f"{base}/healthz", timeout=30) as answer:
            assert answer.read() == b"ok\n"
            assert "server" not in {name.lower() for name in answer.headers}
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        assert process.wait(30) in (0, -signal.SIGTERM)
    assert rest == ""


def test_the_server_reports_no_address_and_trusts_no_header():
    config = make_server(typer.Typer(), limits=DeskLimits()).config
    assert (config.access_log, config.proxy_headers, config.server_header) == (False, False, False)
