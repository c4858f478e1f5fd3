"""`equipoise`: the command. Each group is imported when it is used, so that help is quick."""

from __future__ import annotations

import sys

import typer

from equipoise.cli.common import BAD_INPUT, say
from equipoise.errors import EquipoiseError, InternalError

app = typer.Typer(
    name="equipoise",
    help="Audits clinical AI for both failure modes: refusing what the evidence supports, approving what it does not.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(value: bool) -> None:
    if value:
        from equipoise._version import __version__

        typer.echo(f"equipoise {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and end."
    ),
) -> None:
    """Audits clinical AI for both failure modes."""


def _add_commands() -> None:
    from equipoise.cli import (
        audit,
        batch,
        bench,
        board,
        board_curate,
        board_export,
        cohort,
        demo,
        evals,
        evidence,
        judge,
        options,
        orsc,
        pack,
        parse,
        reaudit,
        redteam,
        serve,
        studies,
        study,
        suite,
    )  # fmt: skip

    app.command("demo")(demo.demo)
    app.command("audit")(audit.audit)
    app.command("batch")(batch.batch)
    app.command("options")(options.options)
    app.command("cohort")(cohort.cohort)
    app.command("reaudit")(reaudit.reaudit)
    app.command("reproduce")(studies.reproduce)
    app.command("compare")(studies.compare)
    app.command("gate")(studies.gate)
    app.command("eval")(evals.evaluate)
    app.command("report")(evals.report)
    app.command("pack")(pack.pack)
    app.command("judge")(judge.judge)
    app.add_typer(evals.outcomes, name="outcomes")
    app.add_typer(suite.app, name="suite")
    app.add_typer(study.app, name="study")
    app.add_typer(parse.app, name="parse")
    app.add_typer(orsc.app, name="orsc")
    app.add_typer(redteam.app, name="redteam")
    app.add_typer(evidence.app, name="evidence")
    app.add_typer(bench.app, name="bench")
    board.app.command("curate")(board_curate.curate)
    board.app.command("export")(board_export.export)
    app.add_typer(board.app, name="board")
    app.add_typer(serve.app, name="serve")


_add_commands()


def run() -> None:
    """The entry point: library errors become one message and an exit code."""
    try:
        app()
    except InternalError:
        raise
    except EquipoiseError as error:
        say(f"equipoise: {error}")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        sys.exit(0)
