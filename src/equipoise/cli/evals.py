"""`equipoise eval`, `equipoise outcomes`, `equipoise report`: ask a model, read logs, put runs on one page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.bench import show
from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.benchmarks.openmtb.questions import Source
    from equipoise.evals.logs import Converted
    from equipoise.outcomes.run import Run

outcomes = typer.Typer(help="Make run folders from what others have recorded.", no_args_is_help=True)
OPENMTB = "openmtb"
LOGS = "-logs"
"""Added to the name of a run folder for the folder of its logs."""


def evaluate(
    name: Annotated[str, typer.Argument(help="Benchmark, see `bench list`.")],
    model: Annotated[
        str, typer.Option(help="Model as PROVIDER/MODEL; equipoise/auditor and the constant systems work offline.")
    ],
    config: Annotated[
        str, typer.Option("--config", help="base, rag, rag-verify, checklist, tools or second-reader.")
    ] = "base",
    cases: Annotated[Path | None, typer.Option(help="File of cases; generated with seed 42 by default.")] = None,
    inputs: Annotated[str, typer.Option(help="What the model sees: full, no-profile, or text (the summary alone).")] = (
        "full"
    ),
    rules: Annotated[str, typer.Option(help="What counts: label, openmtb-2026, or auto by the form of the cases.")] = (
        "auto"
    ),
    as_of: Annotated[str | None, typer.Option("--as-of", help="Day for which the sources are read.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Cases at most.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="Replies to each case.")] = 1,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the model.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a reply at most.")] = 1024,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a reply, all tries together.")] = 300,
    label_order: Annotated[int, typer.Option(help="Order in which the prompt lists the labels, 0 to 23.")] = 0,
    top: Annotated[int, typer.Option(min=1, help="Statements shown by rag and rag-verify.")] = 5,
    civic: Annotated[Path | None, typer.Option(help="Evidence file of CIViC that is searched too.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars after which nothing more is asked; needs both prices.")
    ] = None,
    price_in: Annotated[float | None, typer.Option(min=0, help="US dollars per million tokens of the prompt.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="The same of the reply.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would need and the first prompt.")] = False,
    out: Annotated[Path | None, typer.Option(help="Run folder; logs go beside it, and it can be resumed.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a report page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Ask a model the cases of a benchmark through Inspect; the same command goes on with a run that was cut short."""
    from equipoise._optional import require
    from equipoise.benchmarks.catalogue import find
    from equipoise.benchmarks.openmtb.questions import load_source
    from equipoise.evals.budget import Budget, prices
    from equipoise.evals.prompting import load_prompt

    find(name)
    source = load_source(cases, inputs=inputs, rules=rules, as_of=as_of)
    prompt = load_prompt(config, rules=source.rules, label_order=label_order)
    known = prices(price_in, price_out)
    Budget(most=max_cost, prices=known)
    require("inspect_ai", extra="eval")
    civic_file = None if civic is None else str(civic.resolve())
    given = {
        "configuration": config if config != "base" else None,
        "cases": None if cases is None else str(cases.resolve()),
        "inputs": inputs if inputs != "full" else None,
        "rules": rules if rules != "auto" else None,
        "as_of": as_of,
        "trials": trials if trials != 1 else None,
        "label_order": label_order or None,
        "k": top if top != 5 else None,
        "civic": civic_file,
        "max_cost": max_cost,
        "price_in": price_in,
        "price_out": price_out,
    }
    if dry_run:
        from equipoise.benchmarks.openmtb.task import estimate_run

        needed, first = estimate_run(
            source, prompt, k=top, civic=civic_file, limit=limit, trials=trials, max_tokens=max_tokens, known=known
        )  # fmt: skip
        _show_estimate(needed, first, source, prompt, max_cost, as_json=as_json)
        return
    from equipoise.evals.logs import convert, read_logs
    from equipoise.evals.runner import Order, run

    log_dir = Path(f"{out}{LOGS}") if out is not None else Path("logs")
    settings: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout": timeout}
    if max_connections is not None:
        settings["max_connections"] = max_connections
    order = Order(
        task=f"equipoise/{name}",
        model=model,
        task_args={key: value for key, value in given.items() if value is not None},
        base_url=base_url,
        limit=limit,
        settings=settings,
    )
    ended = run(order, log_dir, resume=out is not None)
    converted = convert(read_logs([ended.log]))
    result, facts = _scored(converted)
    if out is not None:
        _write(out, converted, overwrite=ended.resumed)
    if html is not None:
        from equipoise.cli.bench import write_report

        write_report(result, facts, html)
    if as_json:
        print_json({**facts, **result, "errors": converted.errors, "not_asked": converted.not_asked, "log": ended.log})
    else:
        show(result, facts)
        for place, path in (("Log", ended.log), ("Run folder", out), ("Report", html)):
            if path is not None:
                say(f"{place}: {path}")
    _tell_failures(converted)


@outcomes.command("from-log")
def from_log(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="Logs of Inspect, of tasks of this package.")],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another run in the folder.")] = False,
) -> None:
    """Read Inspect logs made elsewhere into a run folder."""
    from equipoise._optional import require

    require("inspect_ai", extra="eval")
    from equipoise.evals.logs import convert, read_logs

    converted = convert(read_logs(logs))
    _write(out, converted, overwrite=overwrite)
    states: dict[str, int] = {}
    for row in converted.outcomes:
        states[row["state"]] = states.get(row["state"], 0) + 1
    told = ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "none"
    say(f"{len(converted.outcomes)} replies of {', '.join(converted.info.systems)}: {told}")
    say(f"Run folder: {out}")
    _tell_failures(converted)


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Run folders: of openmtb and one set of cases, or of refusal benchmarks."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Page to write.")],
    cases: Annotated[
        Path | None, typer.Option(help="File of cases, for runs that do not say what they are held against.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 42,
    valid: Annotated[
        list[str] | None, typer.Option(help="Refusal: ARM=SHARE of its labels that are right; may be repeated.")
    ] = None,
    mix: Annotated[
        Path | None, typer.Option(help="Refusal: JSON file with reference shares of categories by arm.")
    ] = None,
    guarded: Annotated[
        list[str] | None, typer.Option(help="Refusal: MODEL=GUARDED, a system and the same behind a guard; repeatable.")
    ] = None,
    tuned: Annotated[
        list[str] | None, typer.Option(help="Refusal: BASE=TUNED, a model and its fine-tuned child; repeatable.")
    ] = None,
    show_harmful: Annotated[
        bool, typer.Option("--show-harmful", help="Refusal: print answers to harmful prompts instead of their hash.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Refusal: print all measures as JSON.")] = False,
) -> None:
    """Put runs on one page; which page depends on the benchmark: tumor-board audits, or refusal and compliance."""
    from equipoise.outcomes.run import read_run

    read: list[Run] = [read_run(folder) for folder in runs]
    others = sorted({run.info.benchmark for run in read} - {OPENMTB})
    if others and any(run.info.benchmark == OPENMTB for run in read):
        message = f"runs of {OPENMTB} and of {', '.join(others)} do not go on one page"
        raise UsageError(message, field="runs")
    if others:
        from equipoise.cli.suite import audit_settings, joint_report

        if cases is not None:
            message = "not an option of refusal benchmarks"
            raise UsageError(message, field="--cases")
        audit, joint = joint_report(
            runs,
            read,
            out,
            seed=seed,
            settings=audit_settings(valid, mix),
            show_harmful=show_harmful,
            guarded=guarded,
            tuned=tuned,
        )
        if as_json:
            print_json(audit.to_dict())
        else:
            typer.echo(visible(joint.sentence))
        say(f"Report: {out}")
        return
    if valid or mix is not None or show_harmful or as_json or guarded or tuned:
        message = f"--valid, --mix, --guarded, --tuned, --show-harmful and --json belong to refusal benchmarks; a run is of {OPENMTB}"
        raise UsageError(message, field="runs")
    from equipoise.benchmarks.openmtb.scoring import read_references
    from equipoise.report.evaluation import SIDE_FILE, evaluation_page, side_file
    from equipoise.report.render import render_page

    references = read_references(runs[0], read[0], cases)
    page = evaluation_page(read, references, seed=seed)
    write_text(out, render_page(page))
    more = side_file(read, page)
    if more:
        write_text(out.parent / SIDE_FILE, more)
    typer.echo(visible(page.sentence))
    say(f"Report: {out}")


def _scored(converted: Converted) -> tuple[dict[str, Any], dict[str, Any]]:
    """Metrics of the only system of a run, over the items it was asked, and the facts of the run."""
    from equipoise.benchmarks.openmtb import benchmark_result
    from equipoise.benchmarks.openmtb.dataset import parse_case
    from equipoise.benchmarks.openmtb.scoring import predictions_of

    items = [parse_case({"case_id": item["case_id"], "reference": item}) for item in converted.references]
    result = benchmark_result(items, predictions_of(converted.outcomes))
    replies = {row["item"]: row["reply"] for row in converted.outcomes if row["trial"] == 1}
    for miss in result["misses"]:
        miss["reason_text"] = str(replies.get(miss["case_id"]) or "")[:2000]
    info = converted.info
    log = info.arguments["logs"][0]
    facts = {
        "benchmark": info.benchmark,
        "system": info.systems[0],
        "engine_version": info.versions["equipoise"],
        "dataset": log["dataset"],
        "dataset_hash": info.dataset_hash,
        "inputs": log["inputs"],
        "rules": log["rules"],
        "prompt": f"{log['configuration']}, version {log['prompt_version']}, {log['prompt_hash']}",
        "as_of": f"{log['as_of']}, or the day a case states",
    }
    return result, facts


def _write(out: Path, converted: Converted, *, overwrite: bool) -> None:
    from equipoise.benchmarks.openmtb.scoring import write_references
    from equipoise.outcomes.run import write_run

    write_run(out, converted.info, converted.outcomes, converted.judgements, overwrite=overwrite)
    write_references(out, converted.references)


def _tell_failures(converted: Converted) -> None:
    """Say in a line each what was not answered, and end with the code of bad input when something was not."""
    from equipoise.evals.failures import advice

    for text, number in converted.errors.items():
        say(f"equipoise: {number} of {len(converted.outcomes)} calls came to nothing: {text}; {advice(text)}")
    if converted.not_asked:
        say(f"equipoise: {converted.not_asked} cases were not asked; the same command asks them")
    if converted.errors or converted.not_asked:
        raise typer.Exit(BAD_INPUT)


def _show_estimate(
    needed: Any, first: str, source: Source, prompt: Any, max_cost: float | None, *, as_json: bool
) -> None:
    facts: Mapping[str, Any] = {
        "configuration": prompt.id,
        "prompt_version": prompt.version,
        "prompt_hash": prompt.hash,
        "rules": prompt.rules,
        "dataset": source.name,
        "calls": needed.calls,
        "tokens_in": needed.tokens_in,
        "tokens_out_at_most": needed.tokens_out,
        "cost_at_most": None if needed.cost is None else round(needed.cost, 4),
        "max_cost": max_cost,
    }
    if as_json:
        print_json({**facts, "first_prompt": first})
        return
    for key, value in facts.items():
        typer.echo(f"{key.replace('_', ' ')}: {'not known' if value is None else value}")
    typer.echo("")
    typer.echo(visible(first))
    if needed.cost is not None and max_cost is not None and needed.cost > max_cost:
        say("equipoise: at most more than --max-cost allows; the run would end early if replies are long")
