"""The web server: uvicorn with its own limits, and a limit on slow headers that uvicorn does not have."""

from __future__ import annotations

import gc
import logging
import socket
from typing import TYPE_CHECKING

from equipoise._http import listen, protocol
from equipoise.service.logs import Log, ServerMessages
from equipoise.service.settings import Limits

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

__all__ = ["listen", "make_server", "serve"]

_HEADER_BYTES = 32 * 1024
_GRACE = 30


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
