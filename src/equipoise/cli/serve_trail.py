"""`equipoise serve trail`: verify, replay and export the audit trail; take away what must not be kept."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import GATE_FAILED, json_line, print_json, say, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.service.engine import Engine
    from equipoise.service.trail.entries import Entry, Receipt
    from equipoise.service.trail.store import Trail

app = typer.Typer(help="The audit trail of the service.", no_args_is_help=True)
_DATA = Path("equipoise-service")
_Data = Annotated[Path, typer.Option(help="Folder of the service.", envvar="EQUIPOISE_SERVE_DATA")]
_Url = Annotated[
    str,
    typer.Option("--trail", help="Database of the trail, when it is not in the folder.", envvar="EQUIPOISE_TRAIL_URL"),
]
_Json = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
_SHOWN = 20


def _open(data: Path, url: str) -> Trail:
    from equipoise._optional import require

    require("sqlalchemy", extra="service")
    from equipoise.service.settings import TRAIL_FILE, Settings
    from equipoise.service.trail.store import Trail

    if not url and not (data / TRAIL_FILE).is_file():
        message = (
            f"there is no trail in this folder; name the folder of the service with --data (looked for {TRAIL_FILE})"
        )
        raise UsageError(message, file=str(data))
    return Trail(Settings(data=data, trail_url=url).database)


def _now() -> dt.datetime:
    return dt.datetime.now(tz=dt.UTC)


@app.command()
def verify(
    data: _Data = _DATA,
    trail: _Url = "",
    receipt: Annotated[
        list[str] | None,
        typer.Option(help="SEQ:HASH that was kept elsewhere; the trail must hold it. May be repeated."),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Make every hash again; exit 1 when the trail was changed."""
    from equipoise.service.trail.verify import verify as check

    with _open(data, trail) as opened:
        found = check(opened, known=tuple(_receipt(text) for text in receipt or ()))
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(
            f"{found.entries} entries, {found.payloads} with what was audited, {found.deleted} of which it was deleted; "
            f"{'the chain holds' if not found.problems else 'NOT WHOLE'}"
        )
        for problem in found.problems:
            typer.echo(visible(f"  {problem}"))
        typer.echo(f"last entry {found.head.seq}:{found.head.hash}")
        say("Keep the last line elsewhere: a trail that lost its end is whole in itself, and --receipt shows the loss.")
    if found.problems:
        raise typer.Exit(GATE_FAILED)


def _receipt(text: str) -> Receipt:
    from equipoise.service.trail.entries import Receipt

    seq, _, digest = text.partition(":")
    if not seq.isdigit() or len(digest) != 64:
        message = f"expected SEQ:HASH as `trail verify` prints it, got {text[:80]!r}"
        raise UsageError(message, field="--receipt")
    return Receipt(int(seq), digest.lower())


@app.command()
def replay(
    data: _Data = _DATA,
    trail: _Url = "",
    seq: Annotated[int | None, typer.Option(help="Only this entry.")] = None,
    policy: Annotated[list[str] | None, typer.Option(help="A policy of the service: an id or a YAML file.")] = None,
    overlay: Annotated[list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file.")] = None,
    as_json: _Json = False,
) -> None:
    """Make the recorded verdicts again: the same bytes under the recorded versions, a difference under others. Exit 1 on a defect."""
    from equipoise.service.engine import Engine
    from equipoise.service.trail.replay import Outcome
    from equipoise.service.trail.replay import replay as again

    engine: Engine = Engine(tuple(policy or ("label", "openmtb-2026")), tuple(overlay or ()))
    counts: Counter[str] = Counter()
    with _open(data, trail) as opened:
        entries = [opened.entry(seq)] if seq is not None else opened.entries(kind="audit")
        for entry in entries:
            result = again(entry, engine)
            if result is None:
                continue
            counts[result.outcome.value] += 1
            if as_json:
                print_json(result.to_dict())
            elif result.outcome is not Outcome.SAME and counts[result.outcome.value] <= _SHOWN:
                typer.echo(
                    f"entry {result.seq}: {result.outcome.value}{f' ({result.reason})' if result.reason else ''}"
                )
                for name, (before, after) in result.versions.items():
                    typer.echo(f"  {name}: {before} -> {after}")
                for one in result.differences:
                    typer.echo(
                        visible(
                            f"  recommendation {one.recommendation}, {one.element}: {_short(one.before)} -> {_short(one.after)}"
                        )
                    )
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "no verdict"
    say(f"replayed: {summary}")
    if counts[Outcome.BROKEN.value]:
        raise typer.Exit(GATE_FAILED)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:97]}..."


@app.command()
def export(
    out: Annotated[Path, typer.Argument(help="File for JSON lines, one entry each.")],
    data: _Data = _DATA,
    trail: _Url = "",
    since: Annotated[str, typer.Option(help="Only from this moment on (ISO 8601).")] = "",
    headers_only: Annotated[bool, typer.Option("--headers-only", help="Leave out what was audited.")] = False,
) -> None:
    """Write entries to a file; that it was done is itself an entry."""
    from equipoise.cli.serve import operator
    from equipoise.service.trail.entries import Draft, Kind

    count = 0
    scratch = out.with_name(f".{out.name}.part")
    with _open(data, trail) as opened:
        last = opened.head().seq
        try:
            scratch.unlink(missing_ok=True)
            handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                for one in opened.entries(since=since, payloads=not headers_only):
                    if one.seq > last:
                        break
                    file.write(json_line(_row(one, not headers_only)))
                    count += 1
            facts = {"what": "export", "count": count, "payloads": not headers_only}
            opened.append([Draft(kind=Kind.ACCESS, at=_now().isoformat(), caller=operator(), facts=facts)])
            scratch.replace(out)
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise UsageError(message, file=str(out)) from None
    say(f"{count} entries: {out}{'' if headers_only else ' (contains patient data; only you can read it)'}")


def _row(entry: Entry, payloads: bool) -> dict[str, Any]:
    row = {"hash": entry.hash, **entry.fields, "deleted_by": entry.deleted_by or None}
    if payloads and entry.payload is not None:
        for name in ("case", "verdicts", "more"):
            part = getattr(entry.payload, name)
            row[name] = json.loads(part) if part else None
    return row


@app.command()
def delete(
    reason: Annotated[str, typer.Option(help="Why; stays on the trail, so no name of a patient.")],
    data: _Data = _DATA,
    trail: _Url = "",
    case_id: Annotated[str, typer.Option(help="Of this case.")] = "",
    seq: Annotated[list[int] | None, typer.Option(help="Of this entry; may be repeated.")] = None,
) -> None:
    """Take away what was audited of a case; the entries stay, so that the chain still holds."""
    from equipoise.cli.serve import operator
    from equipoise.service.access.secret import Secret
    from equipoise.service.settings import SECRET_FILE
    from equipoise.service.trail.retention import delete_entries, delete_subject

    if bool(case_id) == bool(seq):
        message = "expected --case-id or --seq"
        raise UsageError(message)
    with _open(data, trail) as opened:
        if case_id:
            subject = Secret.load(data / SECRET_FILE).pseudonym(case_id)
            found = delete_subject(opened, subject, now=_now(), caller=operator(), reason=reason)
        else:
            found = delete_entries(opened, list(seq or ()), now=_now(), caller=operator(), reason=reason)
    _say_deleted(found.count, found.receipt)


@app.command()
def retain(
    days: Annotated[int, typer.Option(help="Length of the period that is kept, in days.", min=1)],
    data: _Data = _DATA,
    trail: _Url = "",
) -> None:
    """Take away what was audited before a period; run it once a day."""
    from equipoise.cli.serve import operator
    from equipoise.service.trail.retention import retain as keep

    with _open(data, trail) as opened:
        found = keep(opened, days=days, now=_now(), caller=operator())
    _say_deleted(found.count, found.receipt)


def _say_deleted(count: int, receipt: Receipt | None) -> None:
    if receipt is None:
        say("Nothing to delete.")
    else:
        say(f"{count} entries lost what was audited; recorded as entry {receipt.seq}. Backups are not touched.")
