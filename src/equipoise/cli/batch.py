"""`equipoise batch`: a whole cohort in, one row a recommendation out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.common import BAD_INPUT, parse_date, say, today, visible


def batch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="Cases (Parquet, CSV, JSON lines), records (FHIR or DNPM, also NDJSON), or a folder of notes (.txt).",
        ),
    ],
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="Folder for parts, manifest and summary; a stopped batch goes on there."),
    ],
    policy: Annotated[str, typer.Option(help="A shipped policy (label, openmtb-2026) or a YAML file.")] = "label",
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Day for which the evidence is read, YYYY-MM-DD; today by default.")
    ] = None,
    jurisdiction: Annotated[str, typer.Option(help="Of which the sources speak: US or EU.")] = "US",
    overlay: Annotated[
        list[Path] | None, typer.Option(help="A hospital's own assertions, a YAML file; may be repeated.")
    ] = None,
    options: Annotated[
        bool,
        typer.Option(
            "--options", help="List what would be supported for each case, in place of auditing what is recommended."
        ),
    ] = False,
    form: Annotated[
        str, typer.Option("--format", help="auto (by content), case, fhir, dnpm, cbioportal or variants.")
    ] = "auto",
    write: Annotated[str, typer.Option(help="What is written: parquet, csv or jsonl.")] = "parquet",
    engine: Annotated[str, typer.Option(help="local, or ray (a cluster; the extra `ray`).")] = "local",
    workers: Annotated[int | None, typer.Option(help="Processes; the processors of this machine by default.")] = None,
    part_cases: Annotated[int, typer.Option(help="Cases of a part.")] = 50_000,
    restart: Annotated[
        bool, typer.Option("--restart", help="Remove what an earlier batch wrote to OUT, and begin again.")
    ] = False,
    fail_on_error: Annotated[
        bool,
        typer.Option("--fail-on-error", help="Exit 2 when a case could not be read; its row is written all the same."),
    ] = False,
) -> None:
    """Audit a whole cohort, one row a recommendation; what is equal in all that can decide is audited once."""
    from equipoise.batch.run import run_batch
    from equipoise.batch.settings import Settings

    day = parse_date(as_of) or today()
    settings = Settings(
        as_of=day,
        policy=policy,
        jurisdiction=jurisdiction,
        overlays=tuple(str(path) for path in overlay or ()),
        options=options,
    )
    done = run_batch(
        source,
        out,
        settings,
        form=form,
        write=write,
        workers=workers if workers is not None else _processors(),
        part_cases=part_cases,
        engine=engine,
        restart=restart,
        progress=lambda cases: say(f"{cases:,} cases"),
    )
    typer.echo(visible(done.text), nl=False)
    rate = f", {done.cases / done.seconds:,.0f} cases/s" if done.cases and done.seconds else ""
    again = f" ({done.resumed} were there already)" if done.resumed else ""
    say(f"{out}: {done.parts} parts{again}, {done.seconds:.1f} s{rate}")
    if fail_on_error and done.summary["rows"]["error"]:
        raise typer.Exit(BAD_INPUT)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
