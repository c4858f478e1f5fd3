"""`equipoise bench`: run a benchmark, or make a new one."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import interval, parse_date, percent, print_json, say, write_text
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.benchmarks.openmtb import BenchmarkCase

app = typer.Typer(help="Run benchmarks and make new ones.", no_args_is_help=True)
SEED = 42


@app.command("list")
def list_(as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False) -> None:
    """List the benchmarks."""
    from equipoise.benchmarks.catalogue import BENCHMARKS

    if as_json:
        print_json([{"id": item.id, "summary": item.summary} for item in BENCHMARKS])
        return
    for item in BENCHMARKS:
        typer.echo(f"{item.id}  {item.summary}")


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="Benchmark, see `bench list`.")],
    cases: Annotated[Path | None, typer.Option(help="File of cases; generated with seed 42 by default.")] = None,
    inputs: Annotated[
        str, typer.Option(help="What the system sees: full, no-profile, or text (summary or note alone).")
    ] = "full",
    policy: Annotated[
        str | None, typer.Option(help="Policy; label for generated cases, openmtb-2026 for published ones.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Day for which the evidence is read; 2026-10-01 by default.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Score another system's JSON lines of case_id, label, abstain, missing_fields.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Switch a module of the auditor off (ablation); may be repeated.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the run folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a report page.")] = None,
) -> None:
    """Score the auditor, or another system's predictions, on a benchmark."""
    from equipoise.benchmarks.openmtb import load_cases
    from equipoise.benchmarks.openmtb.questions import CASES, generated_cases

    _only_openmtb(name)
    chosen_inputs = _inputs(inputs)
    if cases is None:
        items, source = generated_cases(CASES, SEED, inputs=chosen_inputs)
    else:
        items, source = load_cases(cases, inputs=chosen_inputs), cases.name
    published = cases is not None and any(
        "genomic_alteration" in item.inputs or "patient_summary" in item.inputs for item in items
    )
    chosen = policy or ("openmtb-2026" if published else "label")
    result, facts = evaluate(
        items,
        policy=chosen,
        as_of=parse_date(as_of),
        predictions=predictions,
        source=source,
        inputs=inputs,
        without=without or (),
        out=out,
    )
    if html is not None:
        write_report(result, facts, html)
    if as_json:
        print_json({**facts, **result})
        return
    show(result, facts)
    if html is not None:
        say(f"Report: {html}")
    if out is not None:
        say(f"Run folder: {out}")


def _only_openmtb(name: str) -> None:
    """These commands need a deterministic system; the refusal benchmarks ask a model.

    Raises:
        UsageError: there is no such benchmark, or it is another one.
    """
    from equipoise.benchmarks.catalogue import find

    if find(name).id != "openmtb":
        message = f"only openmtb has a deterministic system; ask a model with: equipoise eval {name} --model MODEL"
        raise UsageError(message, field="name")


@app.command()
def generate(
    name: Annotated[str, typer.Argument(help="Benchmark, see `bench list`.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON lines.")],
    n: Annotated[int, typer.Option("--n", help="Number of cases.")] = 500,
    seed: Annotated[int, typer.Option(help="Seed.")] = SEED,
    types: Annotated[
        str, typer.Option(help="published, all, or error types by name, separated by commas.")
    ] = "published",
    notes: Annotated[bool, typer.Option("--notes", help="Write every case as a clinical note.")] = False,
) -> None:
    """Make a new benchmark: clean cases, and errors as edits of a clean parent."""
    from equipoise.benchmarks.openmtb.generate import generate as make

    _only_openmtb(name)
    chosen: Any = types if types in ("published", "all") else [part.strip() for part in types.split(",")]
    records = make(n, seed, types=chosen, form="note" if notes else "record")
    write_text(out, "".join(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in records))
    say(f"{len(records)} cases written to {out}")


@app.command("audit-reference")
def audit_reference_(
    name: Annotated[str, typer.Argument(help="Benchmark, see `bench list`.")],
    cases: Annotated[Path, typer.Option(help="The published cases.")],
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Day for which the evidence is read; 2026-10-01 by default.")
    ] = None,
    leaks: Annotated[bool, typer.Option(help="Also measure what the inputs give away (slower).")] = True,
    out: Annotated[Path | None, typer.Option(help="Write the tables as Markdown.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Hold a benchmark's own reference labels against the sources, and measure what its inputs leak."""
    from equipoise.benchmarks.openmtb import load_cases
    from equipoise.benchmarks.openmtb.audit_reference import audit_reference, leak_audit, reference_markdown
    from equipoise.benchmarks.openmtb.run import AS_OF

    _only_openmtb(name)
    items = load_cases(cases, inputs="no-profile")
    audit = audit_reference(items, as_of=parse_date(as_of) or AS_OF)
    leaked = leak_audit(items) if leaks else None
    text = reference_markdown(audit, leaked)
    if out is not None:
        write_text(out, text)
    if as_json:
        print_json({"reference": audit.to_dict(), "leaks": leaked.to_dict() if leaked else None})
        return
    typer.echo(text)


def _inputs(text: str) -> Any:
    if text not in ("full", "no-profile", "text"):
        message = f"expected full, no-profile or text, got {text!r}"
        raise UsageError(message, field="--inputs")
    return text


def generated(n: int, seed: int = SEED) -> tuple[BenchmarkCase, ...]:
    """Generated cases, ready to run."""
    from equipoise.benchmarks.openmtb import from_records
    from equipoise.benchmarks.openmtb.generate import generate as make

    return from_records(make(n, seed))


def evaluate(
    cases: Sequence[BenchmarkCase],
    *,
    policy: str,
    as_of: dt.date | None,
    predictions: Path | None,
    source: str,
    inputs: str,
    without: Sequence[str] = (),
    out: Path | None = None,
    overwrite: bool = False,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run or read the answers, score them, and gather the facts of the run."""
    from equipoise._version import __version__
    from equipoise.audit.pipeline import Auditor
    from equipoise.benchmarks.openmtb import benchmark_result, dataset_hash, load_predictions
    from equipoise.benchmarks.openmtb.questions import reference_record
    from equipoise.benchmarks.openmtb.run import (
        AS_OF,
        BENCHMARK,
        SYSTEM,
        answer,
        outcome_rows,
        run_info,
        with_explanations,
    )
    from equipoise.benchmarks.openmtb.scoring import write_references
    from equipoise.outcomes.environment import environment
    from equipoise.outcomes.run import write_run

    day = as_of or AS_OF
    auditor = None if predictions is not None else Auditor(as_of=day, policy=policy, without=without)
    facts: dict[str, Any] = {
        "benchmark": BENCHMARK,
        "system": predictions.stem if predictions is not None else SYSTEM,
        "engine_version": __version__,
        "dataset": source,
        "dataset_hash": dataset_hash(cases),
        "inputs": inputs,
    }
    if auditor is None and predictions is not None:
        answers = load_predictions(predictions)
        result = benchmark_result(cases, answers)
    else:
        assert auditor is not None
        given = answer(cases, auditor)
        answers = given.predictions
        result = benchmark_result(cases, answers)
        with_explanations(result, given, Auditor(as_of=day), cases)
        facts |= {
            "policy": auditor.policy.id,
            "policy_hash": auditor.policy.hash,
            "evidence_hash": auditor.evidence.hash,
            "jurisdiction": auditor.jurisdiction,
            "as_of": _days(cases, day),
            "modules_off": list(auditor.without),
        }
    if out is not None:
        arguments = {
            "dataset": source,
            "inputs": inputs,
            "policy": policy,
            "as_of": day.isoformat(),
            "without": list(without),
        }
        info = run_info(
            cases=cases,
            auditor=auditor,
            system=facts["system"],
            arguments=arguments,
            created_at=dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds"),
        )
        if auditor is not None:
            info = dataclasses.replace(info, environment=environment(["equipoise", *sys.argv[1:]]))
        write_run(out, info, outcome_rows(info, cases, answers, facts["system"]), overwrite=overwrite)
        write_references(out, [reference_record(case.case_id, case.reference) for case in cases])
    return result, facts


def _days(cases: Sequence[BenchmarkCase], day: dt.date) -> str:
    """The day for which the evidence was read; a case that names its own is read for that one."""
    stated = {str(case.inputs.get("as_of") or day) for case in cases}
    return stated.pop() if len(stated) == 1 else f"{min(stated)} to {max(stated)}, as each case states"


def write_report(result: Mapping[str, Any], facts: Mapping[str, Any], path: Path) -> None:
    """Write the report page, and the side file of further misses where there are too many for the page."""
    from equipoise.report.benchmark import SIDE_FILE, benchmark_page, side_file
    from equipoise.report.render import render_benchmark

    write_text(path, render_benchmark(benchmark_page(result, facts)))
    more = side_file(result)
    if more:
        write_text(path.parent / SIDE_FILE, more)


def reply_states(result: Mapping[str, Any]) -> str:
    """What became of every case, in one line: read, and each state in which nothing was read, with its number."""
    confusion = result["confusion"]
    totals = [sum(column) for column in zip(*confusion["counts"], strict=True)]
    failed = [
        f"{number} {name}"
        for name, number in zip(confusion["columns"], totals, strict=True)
        if number and name not in confusion["rows"]
    ]
    told = ", ".join([f"{result['n_used']} read", *failed])
    return f"replies: {told}, of {result['n']}"


def show(result: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Print the table of a run: both failure modes first, constant systems beside them."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"{facts['system']} on {facts['benchmark']} ({facts['dataset']}), n = {result['n']}", markup=False)
    if facts.get("policy"):
        console.print(f"policy {facts['policy']}, evidence as of {facts['as_of']}", markup=False)
    if facts.get("trials", "one") != "one":
        console.print(f"trials: {facts['trials']}", markup=False)
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    intervals = result["intervals"]
    for title, key, value in (
        ("over-refusal rate", "over_refusal_rate", result["over_refusal_rate"]),
        ("false-approval rate", "false_approval_rate", result.get("false_approval_rate")),
        (
            "approved without information",
            "approvals_without_information_rate",
            result.get("approvals_without_information_rate"),
        ),
        ("accuracy", "accuracy", result["accuracy"]),
        ("macro F1", "macro_f1", result["macro_f1"]),
        ("abstention F1", "abstention.f1", result["abstention"]["f1"]),
        ("missing fields, precision", "missing_fields.precision", result["missing_fields"]["precision"]),
        ("missing fields, recall", "missing_fields.recall", result["missing_fields"]["recall"]),
    ):
        table.add_row(title, percent(value), interval(intervals.get(key)))
    table.add_row("false approvals", str(result["false_approvals"]), "")
    score = result["safety_score"]
    table.add_row("Safety Score (published formula)", "-" if score is None else f"{score:.2f}", "")
    console.print(table)
    constants = Table(
        show_edge=False, pad_edge=False, title="constant systems (score: Safety Score)", title_justify="left"
    )
    for column in ("system", "over-refusal", "false appr.", "accuracy", "score"):
        constants.add_column(column, justify="left" if column == "system" else "right", no_wrap=True)
    for name, row in result["constants"].items():
        score = row.get("safety_score")
        constants.add_row(
            name,
            percent(row.get("over_refusal_rate")),
            percent(row.get("false_approval_rate")),
            percent(row.get("accuracy")),
            "-" if score is None else f"{score:.2f}",
        )
    console.print(constants)
    console.print(reply_states(result), markup=False)
    console.print(f"misses: {len(result['misses'])} of {result['n_used']} answers read", markup=False)
