"""`equipoise eval`, `equipoise outcomes`, `equipoise report`: ask a model, read logs, put runs on one page."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.bench import show
from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.cli.evals_refusal import (
    Asked,
    check,
    estimate_refusal,
    released_of,
    show_estimate,
    show_refusal,
    write_released,
)
from equipoise.cli.evals_stress import (
    StressAsked,
    absolute,
    check_stress,
    estimate_stress,
    show_stress,
    show_stress_estimate,
    stress_task,
)
from equipoise.cli.guarding import read_guards
from equipoise.cli.toxicity import toxicity
from equipoise.errors import InputError, UsageError

if TYPE_CHECKING:
    from equipoise.benchmarks.openmtb.questions import Source
    from equipoise.evals.logs import Converted
    from equipoise.outcomes.run import Run

outcomes = typer.Typer(
    help="Make run folders from what others have recorded, and add scores to them.", no_args_is_help=True
)
outcomes.command("toxicity")(toxicity)
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
    inputs: Annotated[
        str, typer.Option(help="What the model sees: full, no-profile, or text (summary or note alone).")
    ] = ("full"),
    rules: Annotated[str, typer.Option(help="What counts: label, openmtb-2026, or auto by the form of the cases.")] = (
        "auto"
    ),
    as_of: Annotated[str | None, typer.Option("--as-of", help="Day for which the sources are read.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Cases at most.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="Replies to each case.")] = 1,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the model.")] = 0.0,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of a reply at most; 1024, boards more.")] = None,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds after which a try, and trying again, ends.")] = 300,
    label_order: Annotated[int, typer.Option(help="Order in which the prompt lists the labels, 0 to 23.")] = 0,
    top: Annotated[int, typer.Option(min=1, help="Statements shown by rag and rag-verify.")] = 5,
    civic: Annotated[Path | None, typer.Option(help="Evidence file of CIViC that is searched too.")] = None,
    retriever: Annotated[
        str, typer.Option(help="bm25, or embedding:MODEL (a name or folder; needs the extra embed).")
    ] = "bm25",
    structured: Annotated[
        bool,
        typer.Option("--structured", help="Hold replies to the form by the endpoint's JSON schema, where it has one."),
    ] = False,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars after which nothing more is asked; needs both prices.")
    ] = None,
    price_in: Annotated[float | None, typer.Option(min=0, help="US dollars per million tokens of the prompt.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="The same of the reply.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Refusal, stress: your copy of the data, a file or folder; else $EQUIPOISE_DATASETS, or demo items."
        ),
    ] = None,
    arm: Annotated[list[str] | None, typer.Option(help="Refusal: only this arm; may be repeated.")] = None,
    stratum: Annotated[list[str] | None, typer.Option(help="Refusal: only this category; may be repeated.")] = None,
    per_stratum: Annotated[
        int | None, typer.Option(min=1, help="Refusal: items of an arm and category at most.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Refusal, stress: seed of the draws.")] = 42,
    system: Annotated[str | None, typer.Option(help="Refusal: system message, or @FILE.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Refusal, stress: NAME=VALUE of the data set or test, see its README; may be repeated."),
    ] = None,
    download: Annotated[bool, typer.Option("--download", help="Refusal: bring the data from the hub.")] = False,
    allow_changed: Annotated[
        bool, typer.Option("--allow-changed", help="Refusal: take data of another revision, and record it.")
    ] = False,
    guard: Annotated[
        str | None, typer.Option(help="Refusal: guard as PROVIDER/MODEL; the model behind it is a system of its own.")
    ] = None,
    guard_on: Annotated[str, typer.Option(help="Refusal: what it rules on: input, output or both.")] = "both",
    guard_form: Annotated[
        str,
        typer.Option(help="Refusal: prompted (any model, asked for a word) or classifier (safe, or unsafe and codes)."),
    ] = "prompted",
    guard_rubric: Annotated[
        str | None, typer.Option(help="Refusal: what a prompted guard calls unsafe, or @FILE.")
    ] = None,
    guard_base_url: Annotated[str | None, typer.Option(help="Refusal: address of the guard's endpoint.")] = None,
    keep_prompts: Annotated[
        bool, typer.Option("--keep-prompts", help="Refusal: keep the text of harmful prompts in the run folder.")
    ] = False,
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

    stress = stress_task(find(name).id)
    max_tokens = max_tokens or (1024 if stress is None else stress.max_tokens)
    settings: dict[str, Any] = {
        "temperature": temperature, "max_tokens": max_tokens, "timeout": timeout, "attempt_timeout": timeout,
    }  # fmt: skip
    if max_connections is not None:
        settings["max_connections"] = max_connections
    refusal: dict[str, Any] = {"--data": data, "--arm": arm, "--stratum": stratum, "--per-stratum": per_stratum,
               "--seed": seed != 42, "--system": system,
               "--option": option, "--download": download, "--allow-changed": allow_changed,
               "--keep-prompts": keep_prompts, "--guard": guard}  # fmt: skip
    openmtb: dict[str, Any] = {"--config": config != "base", "--cases": cases, "--inputs": inputs != "full", "--rules": rules != "auto",
               "--as-of": as_of, "--label-order": label_order, "--top": top != 5, "--civic": civic,
               "--retriever": retriever != "bm25", "--structured": structured, "--html": html}  # fmt: skip
    if stress is not None:
        shared = ("--data", "--seed", "--option", "--download", "--allow-changed")
        openmtb |= {key: value for key, value in refusal.items() if key not in shared}
    other = next((key for key, value in (refusal if name == OPENMTB else openmtb).items() if value), None)
    if other is not None:
        message = f"not an option of {name}"
        raise UsageError(message, field=other)
    if stress is not None:
        given = {
            "data": absolute(data), "limit": limit, "trials": trials if trials != 1 else None, "seed": seed if seed != 42 else None,
            "download": download or None, "allow_changed": allow_changed or None, "max_cost": max_cost, "price_in": price_in,
            "price_out": price_out,
        }  # fmt: skip
        _evaluate_stress(
            StressAsked(test=stress, model=model, given=given, options=option or ()),
            settings, base_url, out, dry_run=dry_run, as_json=as_json,
        )  # fmt: skip
        return
    guards = read_guards([guard] if guard else [], guard_on, guard_form, guard_rubric, guard_base_url)
    if name != OPENMTB:
        asked = Asked(
            name=name, model=model, data=data, arms=arm or (), strata=stratum or (), per_stratum=per_stratum, seed=seed,
            system=system, options=option or (), download=download, allow_changed=allow_changed, trials=trials, limit=limit,
            prices={"max_cost": max_cost, "price_in": price_in, "price_out": price_out},
            guard=next(iter(guards), None),
        )  # fmt: skip
        _evaluate_refusal(asked, settings, base_url, out, dry_run=dry_run, keep_prompts=keep_prompts, as_json=as_json)
        return
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
        "retriever": retriever if retriever != "bm25" else None,
        "structured": structured or None,
        "max_cost": max_cost,
        "price_in": price_in,
        "price_out": price_out,
    }
    if dry_run:
        from equipoise.benchmarks.openmtb.task import estimate_run

        needed, first = estimate_run(
            source, prompt, k=top, civic=civic_file, limit=limit, trials=trials, max_tokens=max_tokens, known=known,
            retriever=retriever,
        )  # fmt: skip
        _show_estimate(needed, first, source, prompt, max_cost, as_json=as_json)
        return
    from equipoise.evals.logs import convert, read_logs
    from equipoise.evals.runner import Order, run

    log_dir = Path(f"{out}{LOGS}") if out is not None else Path("logs")
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
        info = dataclasses.replace(converted.info, environment=_environment(out, resumed=ended.resumed))
        _write(out, dataclasses.replace(converted, info=info), overwrite=ended.resumed)
    if html is not None:
        from equipoise.cli.bench import write_report

        write_report(result, facts, html)
    if as_json:
        print_json({**facts, **result, "errors": converted.errors, "not_asked": converted.not_asked, "log": ended.log})
    else:
        show(result, facts)
        _show_repeats(result)
        for place, path in (("Log", ended.log), ("Run folder", out), ("Report", html)):
            if path is not None:
                say(f"{place}: {path}")
    _tell_failures(converted)


def _evaluate_refusal(
    asked: Asked,
    settings: Mapping[str, Any],
    base_url: str | None,
    out: Path | None,
    *,
    dry_run: bool,
    keep_prompts: bool,
    as_json: bool,
) -> None:
    from equipoise._optional import require
    from equipoise.evals.budget import Budget, prices

    known = prices(asked.prices["price_in"], asked.prices["price_out"])
    Budget(most=asked.prices["max_cost"], prices=known)
    require("inspect_ai", extra="eval")
    if dry_run:
        show_estimate(estimate_refusal(asked, int(settings["max_tokens"])), as_json=as_json)
        return
    check(asked)
    from equipoise.evals.logs import convert, read_logs
    from equipoise.evals.runner import Order, run

    model, model_args = asked.order
    order = Order(
        task=f"equipoise/{asked.name}",
        model=model,
        model_args=model_args,
        task_args=asked.task_args(),
        base_url=base_url,
        limit=asked.limit,
        settings=settings,
    )
    ended = run(order, Path(f"{out}{LOGS}") if out is not None else Path("logs"), resume=out is not None)
    converted = convert(read_logs([ended.log]), keep_prompts=keep_prompts)
    if out is not None:
        info = dataclasses.replace(converted.info, environment=_environment(out, resumed=ended.resumed))
        _write(out, dataclasses.replace(converted, info=info), overwrite=ended.resumed)
    show_refusal(converted, ended.log, as_json=as_json)
    if not as_json:
        for place, path in (("Log", ended.log), ("Run folder", out)):
            if path is not None:
                say(f"{place}: {path}")
    _tell_failures(converted)


def _evaluate_stress(
    asked: StressAsked,
    settings: Mapping[str, Any],
    base_url: str | None,
    out: Path | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from equipoise._optional import require

    require("inspect_ai", extra="eval")
    if dry_run:
        show_stress_estimate(estimate_stress(asked, int(settings["max_tokens"])), as_json=as_json)
        return
    check_stress(asked)
    from equipoise.evals.logs import convert, read_logs
    from equipoise.evals.runner import Order, run

    order = Order(
        task=f"equipoise/{asked.test.id}",
        model=asked.model,
        task_args=asked.task_args(),
        base_url=base_url,
        settings=settings,
    )
    ended = run(order, Path(f"{out}{LOGS}") if out is not None else Path("logs"), resume=out is not None)
    converted = convert(read_logs([ended.log]))
    if out is not None:
        info = dataclasses.replace(converted.info, environment=_environment(out, resumed=ended.resumed))
        _write(out, dataclasses.replace(converted, info=info), overwrite=ended.resumed)
    show_stress(asked, converted, ended.log, as_json=as_json)
    if not as_json:
        for place, path in (("Log", ended.log), ("Run folder", out)):
            if path is not None:
                say(f"{place}: {path}")
    _tell_failures(converted)


@outcomes.command("from-log")
def from_log(
    logs: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...", help="Logs of Inspect: tasks of this package, and some of inspect_evals."),
    ],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    keep_prompts: Annotated[
        bool, typer.Option("--keep-prompts", help="Keep the text of harmful prompts in the run folder.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another run in the folder.")] = False,
) -> None:
    """Read Inspect logs made elsewhere into a run folder."""
    from equipoise._optional import require

    require("inspect_ai", extra="eval")
    from equipoise.evals.logs import convert, read_logs

    converted = convert(read_logs(logs), keep_prompts=keep_prompts)
    _write(out, converted, overwrite=overwrite)
    states: dict[str, int] = {}
    for row in converted.outcomes:
        states[row["state"]] = states.get(row["state"], 0) + 1
    told = ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "none"
    say(f"{len(converted.outcomes)} replies of {', '.join(converted.info.systems)}: {told}")
    for text, number in converted.unmapped.items():
        say(f"equipoise: not in the tables: {text} ({number} times)")
    say(f"Run folder: {out}")
    _tell_failures(converted)


@outcomes.command("from-garak")
def from_garak(
    report_file: Annotated[Path, typer.Argument(metavar="REPORT", help="garak's report.jsonl.")],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    arm: Annotated[
        str, typer.Option(help="What a reply ought to do: benign, borderline, harmful; garak itself does not say.")
    ] = "unlabelled",
    keep_prompts: Annotated[bool, typer.Option("--keep-prompts", help="Keep the text of the prompts.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another run in the folder.")] = False,
) -> None:
    """Read a report of garak into a run folder."""
    from equipoise.benchmarks.prompts.garak import read_report
    from equipoise.refusal.terms import Arm

    if arm not in set(Arm):
        message = f"expected one of {', '.join(Arm)}; found {arm!r}"
        raise UsageError(message, field="--arm")
    write_released(out, read_report(report_file, arm=Arm(arm), keep_prompts=keep_prompts), overwrite=overwrite)


@outcomes.command("from-released")
def from_released(
    name: Annotated[str, typer.Argument(help="xstest, iatrobench, refusalbench or missing_info.")],
    place: Annotated[Path, typer.Argument(metavar="FOLDER", help="Your copy of what was published.")],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    detect: Annotated[
        bool,
        typer.Option(
            "--detect/--no-detect", help="Let the refusal detector read the replies too, where there are any."
        ),
    ] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another run in the folder.")] = False,
) -> None:
    """Read published replies and their judgements into a run folder."""
    write_released(out, released_of(name, place, detect=detect), overwrite=overwrite)


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
    lineages: Annotated[
        Path | None, typer.Option(help="Refusal: YAML or CSV file with family, generation and scale of models.")
    ] = None,
    toxic_from: Annotated[
        float | None,
        typer.Option("--toxic-from", help="Refusal: score from which a continuation is toxic, see outcomes toxicity."),
    ] = None,
    fewest_scores: Annotated[
        int | None, typer.Option(min=1, help="Refusal: scored continuations below which a domain or group is marked.")
    ] = None,
    show_harmful: Annotated[
        bool, typer.Option("--show-harmful", help="Refusal: print answers to harmful prompts instead of their hash.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what the page shows as JSON.")] = False,
) -> None:
    """Put runs on one page; which page depends on the benchmark: tumor-board audits, or refusal and compliance."""
    from equipoise.outcomes.run import read_run

    read: list[Run] = [read_run(folder) for folder in runs]
    others = sorted({run.info.benchmark for run in read} - {OPENMTB})
    if others and any(run.info.benchmark == OPENMTB for run in read):
        message = f"runs of {OPENMTB} and of {', '.join(others)} do not go on one page"
        raise UsageError(message, field="runs")
    if others:
        from equipoise.cli.suite import audit_settings, joint_report, system_pairs

        if cases is not None:
            message = "not an option of refusal benchmarks"
            raise UsageError(message, field="--cases")
        audit, joint = joint_report(
            runs,
            read,
            out,
            seed=seed,
            settings=audit_settings(valid, mix, lineages=lineages, toxic_from=toxic_from, fewest_scores=fewest_scores),
            show_harmful=show_harmful,
            guarded=system_pairs(guarded, "--guarded"),
            tuned=system_pairs(tuned, "--tuned"),
        )
        if as_json:
            print_json(audit)
        else:
            typer.echo(visible(joint.sentence))
        say(f"Report: {out}")
        return
    given = {"--valid": valid, "--mix": mix, "--guarded": guarded, "--tuned": tuned, "--show-harmful": show_harmful,
             "--lineages": lineages, "--toxic-from": toxic_from is not None, "--fewest-scores": fewest_scores}  # fmt: skip
    other = next((option for option, value in given.items() if value), None)
    if other is not None:
        message = f"options of this kind belong to refusal benchmarks; a run is of {OPENMTB}"
        raise UsageError(message, field=other)
    from equipoise.benchmarks.openmtb.scoring import union_references
    from equipoise.report.evaluation import SIDE_FILE, evaluation_page, side_file
    from equipoise.report.render import render_page

    references = union_references(list(zip(runs, read, strict=True)), cases)
    page = evaluation_page(read, references, seed=seed)
    write_text(out, render_page(page))
    more = side_file(read, page)
    if more:
        write_text(out.parent / SIDE_FILE, more)
    if as_json:
        from equipoise.report.evaluation_json import evaluation_json

        print_json(evaluation_json(read, page, seed=seed))
    else:
        typer.echo(visible(page.sentence))
    say(f"Report: {out}")


def _scored(converted: Converted) -> tuple[dict[str, Any], dict[str, Any]]:
    """Metrics of the only system of a run, over the items it was asked, and the facts of the run.

    Of several trials the metrics are of the first; `all_trials` holds the rates over all of them.
    """
    from equipoise.benchmarks.openmtb import benchmark_result
    from equipoise.benchmarks.openmtb.dataset import parse_case
    from equipoise.benchmarks.openmtb.rates import repeats
    from equipoise.benchmarks.openmtb.scoring import predictions_of
    from equipoise.outcomes.run import Run
    from equipoise.outcomes.schema import judgements_table, outcomes_table

    items = [parse_case({"case_id": item["case_id"], "reference": item}) for item in converted.references]
    result = benchmark_result(items, predictions_of(converted.outcomes))
    replies = {row["item"]: row["reply"] for row in converted.outcomes if row["trial"] == 1}
    for miss in result["misses"]:
        miss["reason_text"] = str(replies.get(miss["case_id"]) or "")[:2000]
    info = converted.info
    tables = {"outcomes": outcomes_table(converted.outcomes), "judgements": judgements_table(converted.judgements)}
    repeated = repeats(Run(info=info, **tables))
    result["all_trials"] = None if repeated is None else repeated.to_dict()
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
        "trials": "one" if repeated is None else f"first of {repeated.trials}; rates over all of them stand apart",
    }
    return result, facts


def _show_repeats(result: Mapping[str, Any]) -> None:
    """Print the rates over all trials, where a case was asked more than once."""
    from equipoise.report.repeats import repeated_rates, repeats_note

    rows = repeated_rates(result["all_trials"])
    if not rows:
        return
    typer.echo("")
    typer.echo(repeats_note(result["all_trials"]))
    wide = max(len(row.name) for row in rows)
    for row in rows:
        typer.echo(f"{row.name:<{wide}}  {row.text}")


def _environment(out: Path, *, resumed: bool) -> dict[str, Any]:
    """What the run ran on; a run that is gone on with keeps what was recorded when it began."""
    from equipoise.outcomes.environment import environment
    from equipoise.outcomes.run import RUN_FILE, read_run

    if not resumed:
        return environment(["equipoise", *sys.argv[1:]])
    try:
        earlier = dict(read_run(out).info.environment) if (out / RUN_FILE).is_file() else {}
    except InputError:
        earlier = {}
    return earlier or {**environment(["equipoise", *sys.argv[1:]]), "resumed": True}


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
