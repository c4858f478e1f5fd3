"""`equipoise evidence`: what the base holds, and what of it was checked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import parse_date, print_json
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.evidence.base import EvidenceBase
    from equipoise.evidence.model import Assertion

app = typer.Typer(help="List, show and search the evidence base.", no_args_is_help=True)

_Overlay = Annotated[list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file.")]
_Json = Annotated[bool, typer.Option("--json", help="Print only JSON.")]


def _base(overlay: list[Path] | None) -> EvidenceBase:
    from equipoise.evidence.base import load_overlay, shipped_base

    base = shipped_base()
    for path in overlay or ():
        base = load_overlay(path, base)
    return base


@app.command("list")
def list_(
    drug: Annotated[str | None, typer.Option(help="Only assertions about this drug, in any spelling.")] = None,
    direction: Annotated[
        str | None, typer.Option(help="supports, resistance, not-indicated, contraindicated or caution.")
    ] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Only what holds on this day.")] = None,
    overlay: _Overlay = None,
    as_json: _Json = False,
) -> None:
    """Count what is verified, and list the assertions."""
    from equipoise.cases.vocabulary.drugs import read_regimen
    from equipoise.evidence.model import Direction

    base = _base(overlay)
    rows = list(base.assertions)
    if drug is not None:
        wanted = read_regimen(drug).components
        if not wanted:
            message = f"{drug!r} was not recognised as a drug"
            raise UsageError(message, field="--drug")
        rows = [item for item in rows if wanted <= set(item.regimen)]
    if direction is not None:
        if direction not in tuple(Direction):
            message = f"expected one of {', '.join(Direction)}, got {direction!r}"
            raise UsageError(message, field="--direction")
        rows = [item for item in rows if item.direction == direction]
    day = parse_date(as_of)
    if day is not None:
        rows = [item for item in rows if item.valid_on(day)]
    counts = _counts(rows)
    if as_json:
        print_json(
            {
                "hash": base.hash,
                "overlays": list(base.overlays),
                "counts": counts,
                "assertions": [_row(item) for item in rows],
            }
        )
        return
    for item in rows:
        mark = "verified" if item.verification.verified else "not verified"
        typer.echo(
            f"{item.id}  [{item.direction.value}, {item.level}, {item.jurisdiction}, {mark}]\n    {item.statement}"
        )
    typer.echo("")
    typer.echo(
        f"{counts['total']} assertions, {counts['verified']} verified (checked against a public text that states them; "
        f"no clinician has reviewed them), {counts['not_verified']} not verified"
    )
    typer.echo("by direction: " + ", ".join(f"{name} {number}" for name, number in counts["by_direction"].items()))
    typer.echo(
        "by jurisdiction: "
        + ", ".join(
            f"{name} {number} ({counts['verified_by_jurisdiction'].get(name, 0)} verified)"
            for name, number in counts["by_jurisdiction"].items()
        )
    )
    typer.echo(f"drugs and procedures with declared coverage: {len(base.coverage)}; evidence hash {base.hash}")


def _counts(rows: list[Assertion]) -> dict[str, Any]:
    verified = [item for item in rows if item.verification.verified]
    return {
        "total": len(rows),
        "verified": len(verified),
        "not_verified": len(rows) - len(verified),
        "by_direction": dict(sorted(Counter(item.direction.value for item in rows).items())),
        "by_jurisdiction": dict(sorted(Counter(item.jurisdiction for item in rows).items())),
        "verified_by_jurisdiction": dict(sorted(Counter(item.jurisdiction for item in verified).items())),
    }


def _row(item: Assertion) -> dict[str, Any]:
    return {
        "id": item.id,
        "regimen": item.regimen_text,
        "direction": item.direction.value,
        "level": item.level,
        "jurisdiction": item.jurisdiction,
        "approval": item.approval,
        "valid_from": item.valid_from.isoformat(),
        "valid_to": item.valid_to.isoformat() if item.valid_to else None,
        "statement": item.statement,
        "requires": [node.required for node in item.requires],
        "unless": [node.required for node in item.unless],
        "sources": [str(source) for source in item.sources],
        "verified": item.verification.verified,
        "verification": item.verification.text,
        "note": item.note,
        "origin": item.origin,
    }


@app.command()
def show(
    identifier: Annotated[str, typer.Argument(help="Id of an assertion.")],
    overlay: _Overlay = None,
    as_json: _Json = False,
) -> None:
    """Show one assertion with its criteria, sources and what was read."""
    row = _row(_base(overlay).get(identifier))
    if as_json:
        print_json(row)
        return
    for key, value in row.items():
        if isinstance(value, list):
            typer.echo(f"{key}:" + ("" if value else " none"))
            for entry in value:
                typer.echo(f"  - {entry}")
        else:
            typer.echo(f"{key}: {'yes' if value is True else 'no' if value is False else value or '-'}")


@app.command()
def page(
    out: Annotated[Path, typer.Option(help="Folder for knowledge.html, coverage.md and resistance.md.")] = Path(
        "equipoise-knowledge"
    ),
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Day that the pages state; the day of the last check by default.")
    ] = None,
) -> None:
    """Write the knowledge base as pages to browse: by drug, by label indication, by resistance variant."""
    from equipoise.evidence.base import shipped_base
    from equipoise.evidence.page import last_checked, write_pages

    for path in write_pages(out, as_of=parse_date(as_of) or last_checked(shipped_base())):
        typer.echo(str(path))


@app.command()
def civic(
    files: Annotated[list[Path], typer.Argument(help="One CIViC evidence table, or two to compare (old, new).")],
    as_json: _Json = False,
) -> None:
    """Import a CIViC evidence table without loss, or compare two."""
    from equipoise.evidence.civic import diff_snapshots, read_snapshot

    if len(files) > 2:
        message = f"expected one or two tables, got {len(files)}"
        raise UsageError(message)
    snapshots = [read_snapshot(path) for path in files]
    result = diff_snapshots(*snapshots).to_dict() if len(snapshots) == 2 else snapshots[0].counts()
    if as_json:
        print_json(result)
        return
    for key, value in result.items():
        if isinstance(value, list):
            typer.echo(f"{key}: {len(value)}")
        elif isinstance(value, dict):
            typer.echo(f"{key}:")
            for name, count in value.items():
                typer.echo(f"  {name}: {count}")
        else:
            typer.echo(f"{key}: {value}")


@app.command()
def search(
    text: Annotated[list[str], typer.Argument(help="Words; every one must occur (drug, marker, trial, PMID, ...).")],
    overlay: _Overlay = None,
    as_json: _Json = False,
) -> None:
    """Find assertions by words."""
    rows = _base(overlay).search(" ".join(text))
    if as_json:
        print_json([_row(item) for item in rows])
        return
    for item in rows:
        typer.echo(f"{item.id}  [{item.direction.value}, {item.level}]\n    {item.statement}")
    typer.echo(f"{len(rows)} found")
