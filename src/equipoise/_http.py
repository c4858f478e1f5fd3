"""What both web servers of the package share: a socket that listens, and HTTP/1.1 with a limit on slow headers."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from equipoise.errors import UsageError

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
