"""`equipoise serve`: run the service; `serve keys` and `serve trail` look after what it keeps."""

from __future__ import annotations

import getpass
import ipaddress
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.common import NOT_A_DEVICE, say
from equipoise.cli.serve_keys import app as keys_app
from equipoise.cli.serve_trail import app as trail_app
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.service.settings import Settings

app = typer.Typer(
    help="Serve audits over HTTP, inside an order entry (CDS Hooks) and as a page; keys and the audit trail.",
    invoke_without_command=True,
    no_args_is_help=False,
)
app.add_typer(keys_app, name="keys")
app.add_typer(trail_app, name="trail")

DATA = Path("equipoise-service")
_MIB = 1024 * 1024


@app.callback()
def serve(
    context: typer.Context,
    data: Annotated[
        Path, typer.Option(help="Folder for the trail, the keys and the secret.", envvar="EQUIPOISE_SERVE_DATA")
    ] = DATA,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at.", min=0, max=65535)] = 8080,
    trail: Annotated[
        str,
        typer.Option(
            help="Database of the trail (postgresql+psycopg://...); SQLite in the data folder by default.",
            envvar="EQUIPOISE_TRAIL_URL",
        ),
    ] = "",
    policy: Annotated[
        list[str] | None,
        typer.Option(help="A policy that requests may name: an id or a YAML file; the first is the default."),
    ] = None,
    overlay: Annotated[list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file.")] = None,
    jurisdiction: Annotated[
        str, typer.Option(help="Of which the sources speak, when a request does not say it.")
    ] = "US",
    open_: Annotated[
        bool, typer.Option("--open", help="Nobody needs a key; only on the loopback, to try it out.")
    ] = False,
    open_metrics: Annotated[bool, typer.Option("--open-metrics", help="/metrics needs no key.")] = False,
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="Name by which the service may be called; may be repeated.")
    ] = None,
    cors_origin: Annotated[
        list[str] | None, typer.Option(help="Web origin that may call the service from a browser; none by default.")
    ] = None,
    public_url: Annotated[str, typer.Option(help="Address of the service for people, for links of cards.")] = "",
    cards_for_supported: Annotated[
        bool, typer.Option("--cards-for-supported", help="A CDS Hooks card also for orders that the evidence supports.")
    ] = False,
    max_mib: Annotated[int, typer.Option(help="Largest case, record or note, in MiB.", min=1, max=64)] = 4,
    tls_cert: Annotated[str, typer.Option(help="File of a TLS certificate; a proxy does this as a rule.")] = "",
    tls_key: Annotated[str, typer.Option(help="File of its key.")] = "",
) -> None:
    """Run the service until it is asked to stop."""
    if context.invoked_subcommand is not None:
        return
    from equipoise._optional import require

    for library in ("fastapi", "uvicorn", "sqlalchemy", "jsonschema"):
        require(library, extra="service")
    from equipoise.service.app import create_app
    from equipoise.service.logs import Log
    from equipoise.service.server import listen
    from equipoise.service.server import serve as run
    from equipoise.service.settings import Limits, Settings

    local = is_loopback(host)
    if open_ and not local:
        message = "a service without keys can listen only on the loopback (127.0.0.1, ::1, localhost)"
        raise UsageError(message, field="--open")
    hosts = tuple(name.lower() for name in allowed_host or ())
    settings = Settings(
        data=data,
        trail_url=trail,
        policies=tuple(policy or ("label", "openmtb-2026")),
        overlays=tuple(overlay or ()),
        jurisdiction=jurisdiction,
        open=open_,
        open_metrics=open_metrics,
        hosts=hosts or (("127.0.0.1", "localhost", "[::1]") if local else ()),
        origins=tuple(cors_origin or ()),
        public_url=public_url,
        secure_cookies=not local or bool(tls_cert),
        cards_for_supported=cards_for_supported,
        limits=Limits(document_bytes=max_mib * _MIB),
    )
    _check_keys(settings)
    sys.setswitchinterval(0.001)
    log = Log()
    at = listen(host, port)
    with at:
        application = create_app(settings, log=log)
        address = f"{'https' if tls_cert else 'http'}://{host}:{at.getsockname()[1]}"
        say(f"Equipoise serves at {address}; data in {data}. Stop with Ctrl+C.")
        say(NOT_A_DEVICE)
        run(application, at, limits=settings.limits, log=log, certificate=tls_cert, key=tls_key)


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _check_keys(settings: Settings) -> None:
    """Refuse to start a service that nobody could call."""
    from equipoise.service.access.keys import KeyFile
    from equipoise.service.settings import KEYS_FILE

    if settings.open:
        return
    known = KeyFile(settings.data / KEYS_FILE).keys()
    if all(key.revoked for key in known):
        message = (
            f"no key exists in {settings.data}, so nobody could call the service; make one with "
            f"`equipoise serve keys add NAME --role audit --data {settings.data}`, or use --open to try it out"
        )
        raise UsageError(message)


def operator() -> str:
    """Who runs a command, for the trail."""
    try:
        return f"cli:{getpass.getuser()}"[:60]
    except (KeyError, OSError):
        return "cli"
