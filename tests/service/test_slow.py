"""Slow, half and broken connections to the real server: each ends by itself, and others are answered meanwhile."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from contextlib import closing

import pytest

from equipoise.service.server import listen
from equipoise.service.settings import Limits
from service_example import CASE

BODY = json.dumps(CASE).encode()
HEAD = b"POST /audit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
    BODY
)
SHORT = Limits(header_seconds=0.3, body_seconds=0.3)


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def rest(connection):
    """Everything until the server closes."""
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


def asks(port, body=BODY):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as client:
        client.request("POST", "/audit", body, {"Content-Type": "application/json"})
        answer = client.getresponse()
        return answer.status, json.loads(answer.read())


def test_a_small_answer_is_sent_at_once():
    """A socket that does not name its protocol gets no TCP_NODELAY from asyncio, and then every answer waits some forty milliseconds."""
    with listen("127.0.0.1", 0) as at, connect(at.getsockname()[1]), at.accept()[0] as accepted:
        assert accepted.proto == socket.IPPROTO_TCP


def test_headers_that_never_end_are_cut_off(serving):
    with serving(limits=SHORT) as (port, _, _), connect(port) as slow:
        slow.sendall(HEAD[:40])
        assert asks(port)[0] == 200
        assert rest(slow).startswith(b"HTTP/1.1 408")


def test_a_connection_that_says_nothing_is_cut_off(serving):
    with serving(limits=SHORT) as (port, _, _), connect(port) as slow:
        assert rest(slow).startswith(b"HTTP/1.1 408")


def test_the_headers_of_a_second_request_are_timed_too(serving):
    with serving(limits=SHORT) as (port, _, _), connect(port) as slow:
        slow.sendall(HEAD + BODY)
        assert slow.recv(65536).startswith(b"HTTP/1.1 200")
        slow.sendall(HEAD[:40])
        assert b"HTTP/1.1 408" in rest(slow)


def test_a_body_that_never_ends_is_cut_off(serving):
    with serving(limits=SHORT) as (port, stream, _), connect(port) as slow:
        slow.sendall(HEAD + BODY[:10])
        assert asks(port)[0] == 200
        answer = rest(slow)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b'"too-slow"' in answer
        assert '"refused": "too slow"' in stream.getvalue()


def test_a_body_of_which_half_comes_leaves_no_entry(serving):
    with serving() as (port, _, state):
        with connect(port) as gone:
            gone.sendall(HEAD + BODY[:10])
        assert asks(port)[0] == 200
        assert state.trail.head().seq == 1


def test_many_idle_connections_keep_nobody_out(serving):
    with serving() as (port, _, _):
        idle = [connect(port) for _ in range(100)]
        for one in idle[:50]:
            one.sendall(HEAD[:20])
        assert asks(port)[0] == 200
        for one in idle:
            one.close()


def test_more_connections_than_allowed_are_told_to_come_back(serving):
    with serving(limits=Limits(connections=4)) as (port, _, _):
        idle = [connect(port) for _ in range(6)]
        for one in idle:
            one.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        statuses = {one.recv(4096)[9:12] for one in idle}
        assert b"503" in statuses
        for one in idle:
            one.close()


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /audit HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzzz\r\n",
        b"POST /audit HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
        b"POST /audit HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nX-Header: a\nb\r\n\r\n",
        b"GET /health HTTP/1.1\r\n Host: folded\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 1000,
    ],
    ids=lambda data: repr(data[:30]),
)
def test_what_is_no_http_is_answered_or_cut_off_and_the_service_lives(serving, data):
    with serving(limits=SHORT) as (port, stream, _), connect(port) as bad:
        bad.sendall(data)
        try:
            answer = bad.recv(65536)
        except ConnectionError:
            answer = b""
        assert answer == b"" or answer[9:10] in (b"2", b"4")
        assert asks(port)[0] == 200
        assert '"event": "failed"' not in stream.getvalue()


def test_a_large_document_does_not_keep_small_ones_waiting(serving):
    """While a note that takes seconds is read beside, a small case is answered; in order of arrival it would wait for the note."""
    note = ("Stage IV lung adenocarcinoma, EGFR L858R, ECOG 1. Prior osimertinib with progression. " * 12_000)[
        :1_000_000
    ]
    with serving() as (port, _, _):
        done = threading.Event()
        ended = []

        def large():
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=100)) as client:
                client.request("POST", "/audit", note, {"Content-Type": "text/plain"})
                answer = client.getresponse()
                answer.read()
                ended.append(answer.status)
            done.set()

        thread = threading.Thread(target=large, daemon=True)
        thread.start()
        answered = 0
        while not done.is_set() and answered < 20:
            assert asks(port)[0] == 200
            answered += 1
        before_the_note = not done.is_set()
        thread.join(timeout=100)
        assert before_the_note
        assert ended in ([200], [504])
