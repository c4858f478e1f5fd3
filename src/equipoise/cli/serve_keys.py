"""`equipoise serve keys`: make, list and revoke API keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.common import print_json, say, today, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.service.access.keys import KeyFile

app = typer.Typer(help="API keys of the service: made once, shown once, kept as a digest.", no_args_is_help=True)
_Data = Annotated[Path, typer.Option(help="Folder of the service.", envvar="EQUIPOISE_SERVE_DATA")]
_DATA = Path("equipoise-service")


def _file(data: Path) -> KeyFile:
    from equipoise.service.access.keys import KeyFile
    from equipoise.service.settings import KEYS_FILE

    return KeyFile(data / KEYS_FILE)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Who the key is for.")],
    role: Annotated[
        list[str] | None,
        typer.Option(help="audit (call it, use the page), trail (read the audit trail) or admin; may be repeated."),
    ] = None,
    data: _Data = _DATA,
) -> None:
    """Make a key and print it; it is not kept and cannot be shown again."""
    from equipoise.service.access.keys import Role

    wanted = role or ["audit"]
    for one in wanted:
        if one not in tuple(Role):
            message = f"expected {', '.join(Role)}, got {one!r}"
            raise UsageError(message, field="--role")
    key, text = _file(data).add(name, [Role(one) for one in wanted], today=today())
    typer.echo(text)
    say(f"Key {key.id} for {key.name}, {', '.join(key.roles)}. Keep it now: only its digest is stored.")


@app.command("list")
def list_(
    data: _Data = _DATA, as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False
) -> None:
    """List the keys, revoked ones included."""
    keys = _file(data).keys()
    if as_json:
        print_json(
            [
                {
                    "id": key.id,
                    "name": key.name,
                    "roles": list(key.roles),
                    "created": key.created,
                    "revoked": key.revoked or None,
                }
                for key in keys
            ]
        )
        return
    for key in keys:
        state = f"revoked {key.revoked}" if key.revoked else "holds"
        typer.echo(visible(f"{key.id}  {', '.join(key.roles):<12} {key.created}  {state:<18} {key.name}"))
    if not keys:
        say("No key exists; `equipoise serve keys add NAME` makes one.")


@app.command()
def revoke(identifier: Annotated[str, typer.Argument(help="Id of the key.")], data: _Data = _DATA) -> None:
    """Revoke a key; a running service refuses it from then on."""
    key = _file(data).revoke(identifier, today=today())
    say(f"Key {key.id} ({key.name}) is revoked.")
