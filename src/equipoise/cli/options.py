"""`equipoise options`: what the evidence on file would support for a patient."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.audit import make_auditor
from equipoise.cli.common import BAD_INPUT, NOT_A_DEVICE, print_json, say, visible


def options(
    file: Annotated[str, typer.Argument(help="A file of cases or records; their recommendations are not read.")],
    policy: Annotated[str, typer.Option(help="A shipped policy or a YAML file.")] = "label",
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Day for which the evidence is read, YYYY-MM-DD; today by default.")
    ] = None,
    jurisdiction: Annotated[str, typer.Option(help="US or EU.")] = "US",
    overlay: Annotated[list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="auto (by content), case, fhir, dnpm, cbioportal or variants.")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print one object a case and nothing else.")] = False,
) -> None:
    """List every regimen that the evidence on file supports, or would support with one more fact."""
    from equipoise.audit.alternatives import options as find
    from equipoise.cases.record_files import read_path

    auditor = make_auditor(policy, as_of, jurisdiction, overlay)
    failed = False
    for item in read_path(file, form):
        if item.case is None:
            failed = True
            if as_json:
                print_json({"case_id": item.case_id, "error": str(item.error)})
            say(f"equipoise: {item.error}")
            continue
        rows = find(auditor, item.case)
        if as_json:
            print_json(
                {
                    "case_id": item.case_id,
                    "as_of": str(item.case.as_of or auditor.as_of),
                    "policy": auditor.policy.id,
                    "options": [
                        {"regimen": row.regimen, "label": str(row.label), "level": row.level, "id": row.id}
                        for row in rows
                    ],
                }
            )
            continue
        typer.echo(visible(item.case_id))
        for row in rows:
            typer.echo(f"  {row.label:<24}  {row.level}  {row.regimen}  [{row.id}]")
        if not rows:
            typer.echo("  nothing on file is supported or undetermined for this case")
    if not as_json:
        say(NOT_A_DEVICE)
    if failed:
        raise typer.Exit(BAD_INPUT)
