"""`equipoise redteam`: measures of privacy, bias and hallucination runs, and clinicians' checks of the attacks themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import interval, percent, print_json, say, visible
from equipoise.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from equipoise.redteam.validity import CorrectedSuccess, ValidityResult

app = typer.Typer(help="Red-teaming: what a run came to, and people's checks of the attacks.", no_args_is_help=True)


@app.command("measures")
def measures(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Run folder of das_privacy, das_bias or das_hallucination.")
    ],
    system: Annotated[str | None, typer.Option(help="System, when the run holds several.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals by resampling.")] = 42,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print only JSON, with everything that was measured.")
    ] = False,
) -> None:
    """Print what a run came to, with intervals and with what could not be read."""
    from equipoise.benchmarks.das_axes import measures_of
    from equipoise.cli.redteam_tables import tables_of

    found = measures_of(run, seed=seed, system=system)
    if as_json:
        print_json(found.to_dict())
        return
    from rich.console import Console

    console = Console(highlight=False)
    for part in tables_of(found):
        console.print(part, markup=False) if isinstance(part, str) else console.print(part)


@app.command("validity-export")
def validity_export(
    name: Annotated[
        str,
        typer.Option("--set", help="Items: das_bias, das_privacy, medqa or healthbench (the last two need --data)."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the study; the key goes into a folder of its own.")],
    data: Annotated[Path | None, typer.Option(help="Your own file of items.")] = None,
    operators: Annotated[
        list[str] | None, typer.Option("--operator", help="Operator or family of operators; all by default.")
    ] = None,
    per_operator: Annotated[int, typer.Option(min=1, help="Pairs drawn from each operator.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of mutants, sample and order; that of the run.")] = 42,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier export.")] = False,
) -> None:
    """Write pairs of items and mutants for clinicians, blinded to operator and model, with protocol and key."""
    from equipoise.benchmarks.validity_sheets import items_of, operators_named, write_sheets
    from equipoise.redteam.operators import static_set
    from equipoise.redteam.validity import draw_sample

    items = items_of(name, data)
    made = static_set(items, seed=seed, operators=operators_named(operators or []))
    if not made.mutants:
        message = f"none of these operators has a mutant of the {len(items)} items"
        raise UsageError(message, field="--operator")
    sample = draw_sample(items, made.mutants, per_operator=per_operator, seed=seed)
    raters, kept = write_sheets(sample, out, overwrite=overwrite)
    say(f"{len(sample.cases)} pairs of {len(sample.mutants)} operators, out of {len(made.mutants)} mutants")
    say(f"For raters: {raters}")
    say(f"Keep from raters: {kept}")


@app.command("validity-read")
def validity_read(
    key: Annotated[Path, typer.Argument(help="key.json of the export.")],
    sheets: Annotated[list[Path], typer.Argument(help="Filled sheets, one a rater.")],
    run: Annotated[Path | None, typer.Option(help="Run folder; adds what is left of each operator's success.")] = None,
    system: Annotated[str | None, typer.Option(help="System of the run, when it holds several.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals of agreement.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Read filled sheets: agreement, valid mutants by operator, and success corrected for invalid ones."""
    import numpy as np

    from equipoise.benchmarks.validity_sheets import read_key, read_sheets
    from equipoise.redteam.validity import read_validity

    known = read_key(key)
    ratings = read_sheets(sheets, known)
    if not ratings:
        message = "no sheet holds an answer"
        raise InputError(message, file=str(sheets[0]))
    result = read_validity(known["cases"], known["mutants"], ratings, rng=np.random.default_rng(seed))
    corrected = _corrected(known, ratings, run, system) if run is not None else ()
    if as_json:
        print_json({**result.to_dict(), "corrected": [item.to_dict() for item in corrected]})
        return
    _show(result, corrected)


def _corrected(
    known: Mapping[str, Any], ratings: Sequence[Any], run: Path, system: str | None
) -> tuple[CorrectedSuccess, ...]:
    from equipoise.benchmarks.validity_sheets import fooled_of
    from equipoise.outcomes.run import read_run
    from equipoise.redteam.plan import Plan
    from equipoise.redteam.validity import corrected_success

    found = read_run(run)
    logs = found.info.arguments.get("logs") or [{}]
    plan = Plan.from_dict(logs[0].get("plan") or {})
    planned = {
        item.operator.removeprefix("system_warning@1+"): (len(item.items), len(item.mutants)) for item in plan.operators
    }
    sampled = {str(row["operator"]) for row in known["cases"]}
    return corrected_success(
        known["cases"],
        ratings,
        fooled_of(found.outcomes.to_pylist(), system),
        {name: counts for name, counts in planned.items() if name in sampled},
    )


def _show(result: ValidityResult, corrected: Sequence[CorrectedSuccess]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    told = f"{result.rated} of {result.cases} pairs rated by {len(result.raters)}: {', '.join(result.raters)}"
    console.print(visible(told), markup=False)
    for name, value in (("kappa", result.kappa), ("AC1", result.ac1)):
        number = "undefined" if value.estimate is None else f"{value.estimate:.2f}"
        ends = "" if value.low is None else f" ({value.low:.2f} to {value.high:.2f})"
        console.print(f"Agreement on valid or not, {name}: {number}{ends}", markup=False)
    table = Table(show_edge=False, pad_edge=False)
    for column in ("operator", "valid", "95 % interval", "pairs", "undecided", "realistic", "key found"):
        table.add_column(column, justify="left" if column == "operator" else "right")
    for item in result.operators:
        table.add_row(
            visible(item.operator), percent(item.valid.estimate), interval(item.valid.to_dict()), str(item.valid.n_used),
            str(item.valid.n_left_out), percent(item.realistic.estimate), percent(item.key_found.estimate),
        )  # fmt: skip
    console.print(table)
    if not corrected:
        return
    table = Table(show_edge=False, pad_edge=False)
    for column in ("operator", "end to end", "by valid mutants", "95 % interval", "pairs"):
        table.add_column(column, justify="left" if column == "operator" else "right")
    for one in corrected:
        table.add_row(
            visible(one.operator), percent(one.end_to_end.estimate), percent(one.corrected.estimate),
            interval(one.corrected.to_dict()), str(one.corrected.n_used),
        )  # fmt: skip
    console.print(table)
