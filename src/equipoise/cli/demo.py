"""`equipoise demo`: the whole path on generated cases, with a report to open."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.common import NOT_A_DEVICE, say


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report, the run and an example.")] = Path("equipoise-demo"),
) -> None:
    """Generate 500 tumor-board cases (seed 42), audit and score them, write the report."""
    from rich.progress import Progress

    from equipoise.cli import bench
    from equipoise.cli.common import write_text

    with Progress(transient=True) as progress:
        task = progress.add_task("generating 500 cases", total=3)
        cases = bench.generated(500)
        progress.update(task, advance=1, description="auditing and scoring")
        result, facts = bench.evaluate(
            cases,
            policy="label",
            as_of=None,
            predictions=None,
            source="generated, seed 42, 500 cases",
            inputs="full",
            out=out / "run",
            overwrite=True,
        )
        progress.update(task, advance=1, description="writing the report")
        bench.write_report(result, facts, out / "report.html")
        write_text(out / "verdicts.html", _example(cases))
        progress.update(task, advance=1)
    bench.show(result, facts)
    say(
        "The cases are generated from the evidence base that the auditor reads: this tests logic and reading, not clinical truth."
    )
    typer.echo(f"Report:   {(out / 'report.html').resolve()}")
    typer.echo(f"Verdicts: {(out / 'verdicts.html').resolve()}")
    say(NOT_A_DEVICE)


def _example(cases: object) -> str:
    """A page with one verdict of each label, from the first cases that have it."""
    from equipoise.audit.pipeline import Auditor
    from equipoise.benchmarks.openmtb.run import AS_OF
    from equipoise.report.render import render_verdicts

    auditor = Auditor(as_of=AS_OF)
    shown: dict[str, dict[str, object]] = {}
    for case in cases:  # type: ignore[attr-defined]
        verdict = auditor.audit(case.inputs)[0]
        shown.setdefault(str(verdict.label), verdict.to_dict())
        if len(shown) == 4:
            break
    return render_verdicts(list(shown.values()), title="One verdict of each label")
