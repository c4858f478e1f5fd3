"""`equipoise suite redteam`: a whole red-team audit of one or more models, with protocol, report and evidence pack."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.evals.suite import Done, Suite
    from equipoise.studies.redteam_audit import RedteamAudit
    from equipoise.studies.redteam_protocol import Ordered, Ready
    from equipoise.studies.redteam_summaries import PartRun

PAGE, AUDIT = "report.html", "audit.json"
"""Files in the folder of the audit."""


def redteam(
    model: Annotated[list[str], typer.Option(help="Model as PROVIDER/MODEL; may be repeated.")],
    out: Annotated[Path, typer.Option(help="Folder of the audit; the same command goes on with what was cut short.")],
    axes: Annotated[
        str,
        typer.Option(
            help="all, or some of gates, robustness, order, privacy, bias, hallucination, missing, healthbench (with commas)."
        ),
    ] = "all",
    judge: Annotated[
        list[str] | None, typer.Option(help="Judge as PROVIDER/MODEL for the axes that use one; may be repeated.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with your copies, one file or folder a test (medfail, das_robustness ...)."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="TEST.NAME=VALUE, an argument of a test's task; may be repeated.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Items of a test at most, from its first.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the models.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a reply at most.")] = 1024,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a reply, all tries together.")] = 300,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="US dollars for the whole audit, shared equally; needs a price of every model."),
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="MODEL=IN,OUT in US dollars per million tokens of prompt and reply; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 42,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would need; no model is asked.")] = False,
    html: Annotated[bool, typer.Option("--html/--no-html", help=f"Write {PAGE} into the folder.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the measures as JSON and nothing else.")] = False,
) -> None:
    """Stress models on every axis and write one report: clean beside attacked, worst cases first, nothing averaged over axes."""
    from equipoise._optional import require

    require("inspect_ai", extra="eval")
    from equipoise.cli.prices import read_prices
    from equipoise.evals.suite import require_models, run_suite
    from equipoise.studies.redteam_axes import chosen_axes
    from equipoise.studies.redteam_protocol import Ordered, frozen_protocol, keep_protocol, ready_tests

    generation: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout": timeout}
    if max_connections is not None:
        generation["max_connections"] = max_connections
    chosen = chosen_axes(axes)
    tests = [test.id for axis in chosen for test in axis.tests]
    prices = read_prices(price, [*model, *(judge or ())])
    ordered = Ordered(
        models=model,
        judges=judge or (),
        data=_own_data(tests, data),
        options=_options(tests, option),
        limit=limit,
        generation=generation,
        max_cost=max_cost,
        prices={name: (pair.input, pair.output) for name, pair in prices.items()},
        base_url=base_url or "",
    )
    ready, left = ready_tests(chosen, ordered)
    for item in left:
        say(f"{item.axis}, {item.test}: not run: {item.why}")
    if not ready:
        message = "none of these axes can run here"
        raise UsageError(message, field="--axes")
    suite = _suite(ready, ordered, prices)
    parts = suite.parts()
    if not dry_run:
        require_models(ordered.judges)
    protocol = frozen_protocol(chosen, ready, left, ordered)
    if dry_run:
        _show_estimates(suite, ready, protocol, as_json=as_json)
        return
    if keep_protocol(protocol, out):
        say("Going on with the audit in this folder.")
    done: list[Done] = []
    for ended in run_suite(suite, out):
        done.append(ended)
        say(f"{len(done)} of {len(parts)}: {_told(ended)}")
    audit = _audit(protocol, done, seed)
    text = json.dumps(audit.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    write_text(out / AUDIT, text)
    _finish(audit, out, html=html, as_json=as_json)
    if not all(item.whole for item in done):
        say("equipoise: the audit is not complete; the same command asks what is left")
        raise typer.Exit(BAD_INPUT)


def _suite(ready: Sequence[Ready], ordered: Ordered, prices: Mapping[str, Any]) -> Suite:
    from equipoise.evals.suite import Suite

    return Suite(
        benchmarks={item.test.id: dict(item.arguments) for item in ready},
        models=ordered.models,
        settings=ordered.generation,
        base_url=ordered.base_url or None,
        prices=prices,
        max_cost=ordered.max_cost,
        tasks={item.test.id: item.test.task for item in ready},
    )


def _own_data(tests: Sequence[str], data: Path | None) -> dict[str, str]:
    """The user's file or folder of each test: that of the test's name, with or without an ending.

    Raises:
        UsageError: the folder does not exist, or holds nothing of any test.
    """
    if data is None:
        return {}
    if not data.is_dir():
        message = "expected a folder with one file or folder a test"
        raise UsageError(message, file=str(data))
    found = {}
    for name in tests:
        task = name.split(".")[0]
        place = next((path for path in sorted(data.iterdir()) if path.name == task or path.stem == task), None)
        if place is not None:
            found[name] = str(place.resolve())
    if not found:
        message = f"holds none of {', '.join(dict.fromkeys(name.split('.')[0] for name in tests))}"
        raise UsageError(message, file=str(data))
    return found


def _options(tests: Sequence[str], texts: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Arguments by test from TEST.NAME=VALUE; a test may have a dot in its own name.

    Raises:
        UsageError: another form, or a test that is not run.
    """
    from equipoise.cli.suite import plain_value

    found: dict[str, dict[str, Any]] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        name, _, argument = key.rpartition(".")
        if not equals or not argument or name not in tests:
            message = f"expected TEST.NAME=VALUE with a test of the axes ({', '.join(tests)}), got {text!r}"
            raise UsageError(message, field="--option")
        found.setdefault(name, {})[argument] = plain_value(value)
    return found


def _audit(protocol: Mapping[str, Any], done: Sequence[Done], seed: int) -> RedteamAudit:
    from equipoise.studies.redteam_audit import read_part, redteam_audit

    parts: dict[tuple[str, str], PartRun] = {}
    failures: dict[tuple[str, str], str] = {}
    for item in done:
        key = (item.part.benchmark, item.part.model)
        if item.folder is not None and item.replies:
            parts[key] = read_part(item.part.benchmark, item.folder)
        else:
            failures[key] = item.failure or "no reply came"
    return redteam_audit(protocol, parts, failures, seed=seed)


def _finish(audit: RedteamAudit, out: Path, *, html: bool, as_json: bool) -> None:
    from equipoise.pack.redteam import write_pack
    from equipoise.report.redteam import redteam_page
    from equipoise.report.render import render_page

    page = redteam_page(audit)
    if html:
        write_text(out / PAGE, render_page(page))
    pack = write_pack(audit, out, page=out / PAGE if html else None, created_at=_now())
    if as_json:
        print_json(audit.to_dict())
        return
    for item in page.answers:
        typer.echo(visible(f"{item.name}: {item.value}"))
    say(f"Measures: {out / AUDIT}; evidence pack: {pack}")
    if html:
        say(f"Report: {out / PAGE}")


def _now() -> str:
    return dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds")


def _told(item: Done) -> str:
    name = f"{item.part.benchmark}, {item.part.model}"
    if item.failure:
        return f"{name}: not run: {item.failure}"
    parts = [f"{item.replies} replies"]
    if item.resumed:
        parts.append("gone on with")
    if item.cost:
        parts.append(f"{item.cost:.4f} US dollars")
    parts += [f"{number} came to nothing: {text}" for text, number in item.errors.items()]
    if item.not_asked:
        parts.append(f"{item.not_asked} not asked")
    return f"{name}: {'; '.join(parts)}"


def _show_estimates(suite: Suite, ready: Sequence[Ready], protocol: Mapping[str, Any], *, as_json: bool) -> None:
    from equipoise.cli.evals_stress import needed_by
    from equipoise.studies.redteam_protocol import task_of

    tasks = {item.test.id: task_of(item) for item in ready}
    axis_of = {item.test.id: item.axis.id for item in ready}
    rows: list[dict[str, Any]] = []
    for part in suite.parts():
        needed = needed_by(tasks[part.benchmark], int(suite.settings["max_tokens"]), suite.prices.get(part.model))
        rows.append(
            {
                "axis": axis_of[part.benchmark],
                "test": part.benchmark,
                "model": part.model,
                "calls_at_most": needed.calls,
                "tokens_in": needed.tokens_in,
                "tokens_out_at_most": needed.tokens_out,
                "cost_at_most": None if needed.cost is None else round(needed.cost, 4),
            }
        )
    costs = [row["cost_at_most"] for row in rows]
    total = {
        "calls_at_most": sum(int(row["calls_at_most"]) for row in rows),
        "cost_at_most": None if None in costs else round(sum(float(cost or 0.0) for cost in costs), 4),
        "max_cost": suite.max_cost,
    }
    if as_json:
        print_json(
            {"protocol_hash": protocol["protocol_hash"], "parts": rows, "total": total, "not_run": protocol["not_run"]}
        )
        return
    for row in rows:
        cost = "cost not known" if row["cost_at_most"] is None else f"at most {row['cost_at_most']} US dollars"
        typer.echo(
            visible(
                f"{row['axis']}: {row['test']}, {row['model']}: at most {row['calls_at_most']} calls, {row['tokens_in']} "
                f"tokens of prompts, "
                f"at most {row['tokens_out_at_most']} of replies, {cost}"
            )
        )
    cost = "not known" if total["cost_at_most"] is None else f"at most {total['cost_at_most']} US dollars"
    typer.echo(
        f"together: at most {total['calls_at_most']} calls, cost {cost}; calls of judges and strategists are not in it"
    )
    if suite.max_cost is not None and total["cost_at_most"] is not None and total["cost_at_most"] > suite.max_cost:
        say("equipoise: at most more than --max-cost allows; parts would end early if replies are long")
