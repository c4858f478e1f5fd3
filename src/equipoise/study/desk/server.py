"""The desk's web server: uvicorn with limits of its own, without an access log, since addresses hold tokens."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

from equipoise._http import listen, protocol
from equipoise.study.desk.guard import LOGGER
from equipoise.study.desk.settings import DeskLimits

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

__all__ = ["listen", "make_server", "serve"]

_HEADER_BYTES = 32 * 1024
_GRACE = 15


def serve(app: FastAPI, at: socket.socket, *, limits: DeskLimits, certificate: str = "", key: str = "") -> None:
    """Answer requests until a signal asks to stop; then finish those that run, and end.

    Args:
        app: the desk.
        at: where to listen.
        limits: connections and times.
        certificate: file of a TLS certificate; empty for none.
        key: file of its key.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name in ("uvicorn", "uvicorn.error", LOGGER):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(logging.WARNING)
    make_server(app, limits=limits, certificate=certificate, key=key).run(sockets=[at])


def make_server(app: FastAPI, *, limits: DeskLimits, certificate: str = "", key: str = "") -> uvicorn.Server:
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
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        ws="none",
        ssl_certfile=certificate or None,
        ssl_keyfile=key or None,
    )
    return uvicorn.Server(config)
