"""`equipoise reproduce`, `equipoise compare`, `equipoise gate`: published studies, two runs, a run and its protocol."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.outcomes import Comparison, GateResult, Measure, Protocol, Run
    from equipoise.studies import Reproduction, Study

DATA_VARIABLE = "EQUIPOISE_DATA"
"""Environment variable that names the folder of the released files."""

LIST = "list"
SEED = 42


def reproduce(
    study: Annotated[str, typer.Argument(help="A study, or list for all of them.")] = LIST,
    data: Annotated[
        Path | None, typer.Option(help=f"Folder with the released files; ${DATA_VARIABLE} by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = SEED,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a report page.")] = None,
) -> None:
    """Recompute a published study from its released rows: published figure, ours, difference, what to add."""
    from equipoise.studies import STUDIES
    from equipoise.studies import reproduce as run
    from equipoise.studies import study as find

    if study == LIST:
        _list(STUDIES, as_json=as_json)
        return
    chosen = find(study)
    folder = data or (Path(os.environ[DATA_VARIABLE]) if os.environ.get(DATA_VARIABLE) else None)
    missing = [item.path for item in chosen.files if folder is None or not (folder / item.path).is_file()]
    if folder is None or missing:
        _say_where(chosen, missing, as_json=as_json)
        raise typer.Exit(BAD_INPUT)
    result = run(study, folder, seed=seed)
    if html is not None:
        from equipoise.report.render import render_page
        from equipoise.report.reproduction import reproduction_page

        write_text(html, render_page(reproduction_page(result)))
    if as_json:
        print_json(result.to_dict())
        return
    _show_study(result)
    if html is not None:
        say(f"Report: {html}")


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="Folder of a run.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Folder of the run it is compared with.")],
    cluster: Annotated[
        str | None, typer.Option(help="Column of the outcomes whose equal values belong together, such as item_family.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Largest difference that does not matter, in points, fixed beforehand.")
    ] = None,
    allow_unlike: Annotated[
        bool, typer.Option("--allow-unlike", help="Compare although dataset, references, judges or rubrics differ.")
    ] = False,
    system: Annotated[str | None, typer.Option(help="System of A; needed when A has several.")] = None,
    second_system: Annotated[str | None, typer.Option(help="System of B; needed when B has several.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = SEED,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a report page.")] = None,
) -> None:
    """Compare two runs reply by reply: paired tests, intervals, discordant counts, bounds for unread replies."""
    from equipoise.outcomes import compare as run
    from equipoise.outcomes import read_run
    from equipoise.report.comparison import comparison_page, sentence

    if margin is not None and not 0 < margin < 100:
        message = f"expected points between 0 and 100, got {margin:g}"
        raise UsageError(message, field="--margin")
    share = None if margin is None else margin / 100
    runs = (read_run(first), read_run(second))
    result = run(
        *runs,
        measures=measures(runs),
        first_system=system,
        second_system=second_system,
        cluster=cluster,
        allow_unlike=allow_unlike,
        seed=seed,
    )
    if html is not None:
        from equipoise.report.render import render_page

        write_text(html, render_page(comparison_page(result, margin=share)))
    if as_json:
        print_json({"sentence": sentence(result, margin=share), "margin": share, **result.to_dict()})
        return
    _show_comparison(result, share)
    if html is not None:
        say(f"Report: {html}")


def gate(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    protocol: Annotated[Path, typer.Option(help="The protocol, a YAML file written beforehand.")],
    baseline: Annotated[Path | None, typer.Option(help="Folder of the run that margins refer to.")] = None,
    system: Annotated[str | None, typer.Option(help="System of the run; needed when it has several.")] = None,
    baseline_system: Annotated[str | None, typer.Option(help="System of the baseline.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = SEED,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a report page.")] = None,
) -> None:
    """Hold a run against a protocol: pass (exit 0), fail (1) or undecided (3), line by line."""
    from equipoise.outcomes import gate as decide
    from equipoise.outcomes import read_protocol, read_run

    asked = read_protocol(protocol)
    result = decide(
        read_run(run),
        asked,
        baseline=None if baseline is None else read_run(baseline),
        system=system,
        baseline_system=baseline_system,
        seed=seed,
    )
    if html is not None:
        from equipoise.report.gatepage import gate_page
        from equipoise.report.render import render_page

        write_text(html, render_page(gate_page(result, asked)))
    if as_json:
        print_json(result.to_dict())
    else:
        _show_gate(result, asked)
        if html is not None:
            say(f"Report: {html}")
    raise typer.Exit(result.exit_code)


def measures(runs: Sequence[Run]) -> tuple[Measure, ...]:
    """What is compared: accuracy, abstention and unread replies, and on OpenMTB both failure modes.

    Args:
        runs: the runs that are compared.
    """
    from equipoise.benchmarks.openmtb.rates import FALSE_APPROVAL, OVER_REFUSAL
    from equipoise.benchmarks.openmtb.run import BENCHMARK
    from equipoise.outcomes.compare import DEFAULT_MEASURES

    if any(run.info.benchmark != BENCHMARK for run in runs):
        return DEFAULT_MEASURES
    return (OVER_REFUSAL, FALSE_APPROVAL, *DEFAULT_MEASURES)


def _list(studies: Sequence[Study], *, as_json: bool) -> None:
    if as_json:
        print_json([item.where_to_get() for item in studies])
        return
    wide = max(len(item.id) for item in studies)
    for item in studies:
        typer.echo(f"{item.id:<{wide}}  {item.title}")
        typer.echo(f"{'':<{wide}}  {item.source.address}, commit {item.source.commit}, {item.source.licence}")


def _say_where(study: Study, missing: Sequence[str], *, as_json: bool) -> None:
    from equipoise.report.reproduction import missing_text

    where = study.where_to_get()
    if as_json:
        print_json({"error": f"the data of {study.id} are not here", "missing": list(missing), **where})
        return
    say(f"equipoise: {missing_text(where, missing)}")


def _table(*columns: str, left: int = 1, title: str | None = None) -> Any:
    """A table in the style of the other commands; columns after the first `left` are numbers."""
    from rich.table import Table

    table = Table(show_edge=False, pad_edge=False, title=title, title_justify="left")
    for place, name in enumerate(columns):
        number = place >= left
        table.add_column(name, justify="right" if number else "left", no_wrap=number, overflow="fold")
    return table


def _cells(*words: str) -> list[Any]:
    from rich.text import Text

    return [Text(visible(word)) for word in words]


def _console() -> Any:
    """The terminal; a pipe or file, whose width nobody knows, gets lines of 120 characters."""
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=120)


def _line(console: Any, text: str) -> None:
    from rich.text import Text

    console.print(Text(visible(text)), soft_wrap=True)


def _show_study(result: Reproduction) -> None:
    from equipoise.report.measured import difference_text
    from equipoise.report.reproduction import FOLLOWS, row_text, sentence

    console = _console()
    _line(console, f"{result.title} ({result.source.reference})")
    _line(console, sentence(result))
    table = _table("figure", "published", "ours", "interval", "difference", "follows")
    for row in result.rows:
        interval = "" if row.low is None else f"{row_text(row, row.low)} to {row_text(row, row.high)}"
        table.add_row(
            *_cells(
                row.what,
                "-" if row.published is None else row_text(row, row.published),
                row_text(row, row.ours),
                interval,
                difference_text(row.difference),
                {"follows": "yes", "does not follow": "NO", "not published": "-"}.get(FOLLOWS[row.follows], "partly"),
            )
        )
    console.print(table)
    adds: dict[str, list[str]] = {}
    for row in result.rows:
        if row.adds:
            adds.setdefault(row.adds, []).append(row.what)
    if adds:
        _line(console, "\nWhat a careful analysis adds")
        for text, names in adds.items():
            _line(console, f"- {_where(names)}: {text}")
    told = [*result.warnings, *(f"{where}: {text}" for text, where in _warnings(result).items())]
    if told:
        _line(console, "\nWarnings")
        for text in told:
            _line(console, f"- {text}")


def _where(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}, and {len(names) - 1} more"


def _warnings(result: Reproduction) -> dict[str, str]:
    """Warnings of the rows, once each: those that differ in their counts alone are told for the first."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in result.rows:
        for text in row.warnings:
            groups.setdefault("few data" if text.startswith("few data") else text, []).append((text, row.what))
    return {found[0][0]: _where([name for _, name in found]) for found in groups.values()}


def _show_comparison(result: Comparison, margin: float | None) -> None:
    from equipoise.report.comparison import ADJUSTMENTS, comparison_page

    page = comparison_page(result, margin=margin)
    console = _console()
    for fact in page.head:
        _line(console, f"{fact.name}: {fact.value}")
    _line(console, page.sentence)
    for text in page.cautions:
        _line(console, f"! {text}")
    for title, rows, adjusted in (
        ("all items", page.rows, ADJUSTMENTS[result.adjustment]),
        ("by stratum, a screen", page.strata, "Benjamini-Hochberg"),
    ):
        if not rows:
            continue
        table = _table("measure", "A less B", "A only", "B only", "pairs", "p", f"p ({adjusted})", title=title)
        for row in rows:
            counts = (str(row.first_only), str(row.second_only), str(row.pairs))
            table.add_row(*_cells(row.name, row.difference, *counts, row.p, row.p_adjusted))
        console.print(table)
    if page.rows:
        _line(console, "rates, and from worst to best if every unread reply had gone either way")
    for row in page.rows:
        _line(console, f"  A {row.name}: {row.first.text} [{row.first_bounds}]")
        _line(console, f"  B {row.name}: {row.second.text} [{row.second_bounds}]")
    for letter, count in (("A", result.unpaired["first"]), ("B", result.unpaired["second"])):
        if count:
            _line(console, f"replies of {letter} without counterpart: {count}")
    for test in dict.fromkeys(row.test for row in page.rows):
        _line(console, f"test: {test}")
    for text in page.notes:
        _line(console, f"note: {text}")


def _show_gate(result: GateResult, protocol: Protocol) -> None:
    from equipoise.report.gatepage import condition, figure_of, sentence

    console = _console()
    asked = {line.id: line for line in protocol.lines}
    wide = max(len(line.decision.value) for line in result.lines)
    for line in result.lines:
        figure = figure_of(line, line.estimate, margin=asked[line.id].margin is not None)
        told = f"{line.decision.value:<{wide}}  {line.id}: {figure}; "
        _line(console, f"{told}asked: {condition(asked[line.id])}; {line.reason}")
    _line(console, sentence(result))
    for text in result.warnings:
        say(f"equipoise: {text}")
