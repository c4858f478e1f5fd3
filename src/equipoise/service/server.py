"""The web server: uvicorn with its own limits, and a limit on slow headers that uvicorn does not have."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from typing import TYPE_CHECKING, Any

from equipoise.errors import UsageError
from equipoise.service.logs import Log, ServerMessages
from equipoise.service.settings import Limits

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

_HEADER_BYTES = 32 * 1024
_GRACE = 30
_BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Args:
        host: address to listen at.
        port: port to listen at; 0 for a free one.

    Raises:
        UsageError: the address does not exist here, or somebody else listens at it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, since asyncio sends small answers at once (TCP_NODELAY) only where it sees that the socket speaks TCP.
    at = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        at.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        at.bind((host.strip("[]"), port))
        at.listen(_BACKLOG)
    except OSError as error:
        at.close()
        message = f"cannot listen at {host}, port {port}: {error.strerror or error}"
        raise UsageError(message) from None
    return at


def serve(app: FastAPI, at: socket.socket, *, limits: Limits, log: Log, certificate: str = "", key: str = "") -> None:
    """Answer requests until a signal asks to stop; then finish those that run, write what waits, and end.

    Args:
        app: the application.
        at: where to listen.
        limits: connections and times.
        log: where the server's own messages go.
        certificate: file of a TLS certificate; empty for none.
        key: file of its key.
    """
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers = [ServerMessages(log)] if name == "uvicorn" else []
        logger.propagate = name != "uvicorn"
        logger.setLevel(logging.INFO)
    gc.collect()
    gc.freeze()  # evidence and code stay for good; to walk them again and again would hold up requests
    make_server(app, limits=limits, certificate=certificate, key=key).run(sockets=[at])


def make_server(app: FastAPI, *, limits: Limits, certificate: str = "", key: str = "") -> uvicorn.Server:
    """The server, not started yet; see `serve`."""
    import uvicorn

    config = uvicorn.Config(
        app,
        http=protocol(limits.header_seconds),
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        ws="none",
        ssl_certfile=certificate or None,
        ssl_keyfile=key or None,
    )
    return uvicorn.Server(config)


def protocol(seconds: float) -> type[asyncio.Protocol]:
    """The HTTP/1.1 protocol of uvicorn, which here closes a connection whose headers do not come in time.

    Args:
        seconds: from the first byte of a request, or from the connection, to the end of the headers.
    """
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class TimedProtocol(H11Protocol):
        """Starts a timer while a request is expected, and stops it when its headers are whole."""

        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._timer is None and (self.cycle is None or self.cycle.response_complete):
                self._start()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _start(self) -> None:
            self._timer = self.loop.call_later(seconds, self._late)

        def _stop(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _late(self) -> None:
            self._timer = None
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
                self.transport.close()

    return TimedProtocol
