"""`equipoise reaudit`: which stored verdicts would change against another snapshot of the evidence, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.common import NOT_A_DEVICE, print_json, say, visible


def reaudit(
    run: Annotated[
        Path, typer.Argument(help="Folder with verdicts.jsonl and cases.jsonl (`audit --out`), or a file of verdicts.")
    ],
    against: Annotated[str, typer.Option(help="A day (YYYY-MM-DD), an overlay (.yaml) or a CIViC table (.tsv).")],
    cases: Annotated[
        Path | None, typer.Option(help="The audited cases, when they are not beside the verdicts.")
    ] = None,
    before: Annotated[
        Path | None, typer.Option("--civic-before", help="The CIViC table that was shown before.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="File of the policy, when it does not ship.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Make stored verdicts again and say which would change, and why."""
    from equipoise.audit.reaudit import load_against, reaudit_files

    result = reaudit_files(run, load_against(against, civic_before=before), cases=cases, policy=policy).to_dict()
    if as_json:
        print_json(result)
        return
    typer.echo(
        f"{result['stored']} stored verdicts against {result['against']}: {result['unchanged']} unchanged, "
        f"{result['labels_changed']} with another label, {result['only_evidence_changed']} with other evidence"
    )
    for name, count in result["transitions"].items():
        typer.echo(f"  {count} {name}")
    for change in result["changes"]:
        if (
            change["label_changed"]
            if "label_changed" in change
            else change["before"]["label"] != change["after"]["label"]
        ):
            typer.echo(visible(f"{change['case_id']}: {change['before']['label']} -> {change['after']['label']}"))
            for reason in change.get("why", ()):
                typer.echo(visible(f"  - {reason}"))
    for item in result["not_compared"]:
        say(f"not compared: {item['case_id']}: {item['reason']}")
    say(NOT_A_DEVICE)
