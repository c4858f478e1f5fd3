"""`equipoise study serve`: the desk of a study in the browser."""

from __future__ import annotations

import datetime as dt
import ipaddress
import secrets
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from equipoise.cli.common import say
from equipoise.errors import UsageError

_LOCAL = ("127.0.0.1", "localhost", "[::1]")


def serve(
    folder: Annotated[Path, typer.Argument(metavar="STUDY", help="Folder of the study.")],
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at; 0 for a free one.", min=0, max=65535)] = 8090,
    base_url: Annotated[
        str, typer.Option(help="Address under which people reach the desk, such as https://study.example.org.")
    ] = "",
    behind_proxy: Annotated[
        list[str] | None,
        typer.Option(help="Address or network of the proxy in front, whose X-Forwarded-For is believed."),
    ] = None,
    tls_cert: Annotated[str, typer.Option(help="File of a TLS certificate; a proxy does this as a rule.")] = "",
    tls_key: Annotated[str, typer.Option(help="File of its key.")] = "",
    idle_minutes: Annotated[int, typer.Option(help="A session ends when unused so long.", min=5, max=1440)] = 120,
    session_hours: Annotated[int, typer.Option(help="A session ends after so long in any case.", min=1, max=168)] = 12,
    upload_mib: Annotated[int, typer.Option(help="Largest file a coordinator can bring in.", min=1, max=512)] = 32,
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            envvar="EQUIPOISE_STUDY_DATABASE",
            show_envvar=True,
            help="URL of the database; study.sqlite in the folder by default.",
        ),
    ] = None,
) -> None:
    """Serve the desk: raters label, adjudicators decide, the coordinator follows the study, each in a browser."""
    from equipoise._optional import require
    from equipoise.study.database import EXTRA

    for library in ("fastapi", "uvicorn", "sqlalchemy", "argon2", "python_multipart"):
        require(library, extra=EXTRA)
    from equipoise.cli.study import PROTOCOL, open_study
    from equipoise.study.desk.app import desk_app
    from equipoise.study.desk.server import listen
    from equipoise.study.desk.server import serve as run
    from equipoise.study.desk.settings import DeskLimits, DeskSettings

    base = base_url.rstrip("/")
    name = _checked(host, base, tls_cert, tls_key)
    settings = DeskSettings(
        base_url=base,
        hosts=tuple(dict.fromkeys((name, *_LOCAL))) if name else _LOCAL,
        proxies=_networks(behind_proxy or []),
        protocol_file=folder / PROTOCOL,
        limits=DeskLimits(idle_minutes=idle_minutes, session_hours=session_hours, upload_bytes=upload_mib * 1024**2),
    )
    sys.setswitchinterval(0.001)
    with open_study(folder, database) as store, listen(host, port) as at:
        app = desk_app(store, settings, clock=lambda: dt.datetime.now(tz=dt.UTC), draw=secrets.token_urlsafe)
        address = base or f"http://{host}:{at.getsockname()[1]}"
        say(f"The desk of {store.protocol.title!r} is at {address}. Stop with Ctrl+C; nothing acknowledged is lost.")
        run(app, at, limits=settings.limits, certificate=tls_cert, key=tls_key)


def _checked(host: str, base: str, certificate: str, key: str) -> str:
    """The name people call the desk by; empty on the loopback without a base address.

    Raises:
        UsageError: passwords and labels would travel unencrypted, or an option does not hold.
    """
    if bool(certificate) != bool(key):
        message = "a certificate and its key belong together"
        raise UsageError(message, field="--tls-cert" if key else "--tls-key")
    parts = urlsplit(base)
    if base and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query):
        message = f"expected an address such as https://study.example.org, without a path; got {base!r}"
        raise UsageError(message, field="--base-url")
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    local = _loopback(host)
    if parts.scheme == "https" or (not base and local and not certificate):
        return name
    if base and _loopback(parts.hostname or "") and local and not certificate:
        return name
    message = (
        "sign-in and labels would travel where others can read them; expected --base-url https://NAME, with a proxy "
        "that speaks TLS in front or with --tls-cert and --tls-key"
    )
    raise UsageError(message, field="--base-url")


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _networks(given: list[str]) -> tuple[str, ...]:
    for name in given:
        try:
            ipaddress.ip_network(name, strict=False)
        except ValueError:
            message = f"expected an address or network such as 10.0.0.0/8, got {name!r}"
            raise UsageError(message, field="--behind-proxy") from None
    return tuple(given)
