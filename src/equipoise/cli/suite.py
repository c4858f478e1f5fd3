"""`equipoise suite refusal`: several models on several refusal benchmarks, and one joint page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.cli.guarding import read_guards
from equipoise.cli.prices import read_prices
from equipoise.errors import ConfigurationError, InputError, UsageError

if TYPE_CHECKING:
    from equipoise.evals.suite import Done, Suite
    from equipoise.outcomes.run import Run
    from equipoise.report.refusal_contexts import RefusalPage

app = typer.Typer(help="Run a set of tasks for several models, with one report.", no_args_is_help=True)

NOT_REFUSAL = frozenset(
    {"openmtb", "specialist_turn", "board_simulation", "EquipoiseModels", "GuardedModels", "MockJudges"}
)
"""Names of the registry that are no refusal benchmark; nor are the stress tests, which the axes of a red-team audit name."""

ITEMS = "references.jsonl"
"""What a run folder keeps of each item."""

PAGE, AUDIT = "report.html", "audit.json"
"""Files in the suite's folder."""


@app.callback()
def _group() -> None:
    """Run a set of tasks for several models, with one report."""


def _redteam() -> None:
    from equipoise.cli.suite_redteam import redteam

    app.command("redteam")(redteam)


_redteam()


def _board() -> None:
    from equipoise.cli.suite_board import board

    app.command("board")(board)


_board()


@app.command("refusal")
def refusal(
    model: Annotated[list[str], typer.Option(help="Model as PROVIDER/MODEL; may be repeated.")],
    out: Annotated[Path, typer.Option(help="Folder of the suite; the same command goes on with what was cut short.")],
    bench: Annotated[
        list[str] | None, typer.Option(help="Refusal benchmark; may be repeated. All of them by default.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with your copies, one folder a benchmark; else $EQUIPOISE_DATASETS."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="BENCH.NAME=VALUE, an argument of a benchmark's task; may be repeated."),
    ] = None,
    download: Annotated[bool, typer.Option("--download", help="Bring the data from the hub.")] = False,
    allow_changed: Annotated[
        bool, typer.Option("--allow-changed", help="Take data of another revision, and record it.")
    ] = False,
    limit_per_stratum: Annotated[
        int | None, typer.Option(min=1, help="Prompts of an arm and category at most, drawn with a fixed seed.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Prompts of a benchmark at most, from its start.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="Replies to each prompt.")] = 1,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the models.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a reply at most.")] = 1024,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a reply, all tries together.")] = 300,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint.")] = None,
    guard: Annotated[
        list[str] | None,
        typer.Option(help="Guard as PROVIDER/MODEL; every model is run alone and behind it. May be repeated."),
    ] = None,
    guard_on: Annotated[str, typer.Option(help="What it rules on: input, output or both.")] = "both",
    guard_form: Annotated[
        str, typer.Option(help="prompted (any model, asked for a word), or classifier (safe, or unsafe and codes).")
    ] = "prompted",
    guard_rubric: Annotated[
        str | None,
        typer.Option(help="What a prompted guard calls unsafe, or @FILE; a rubric of this package by default."),
    ] = None,
    guard_base_url: Annotated[str | None, typer.Option(help="Address of the guard's endpoint.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="US dollars for the whole suite, shared equally; needs a price of every model."),
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="MODEL=IN,OUT in US dollars per million tokens of prompt and reply; may be repeated."),
    ] = None,
    valid: Annotated[
        list[str] | None, typer.Option(help="ARM=SHARE of its labels that are right; may be repeated.")
    ] = None,
    mix: Annotated[
        Path | None, typer.Option(help="JSON file: by arm, reference share by category, for standardised rates.")
    ] = None,
    lineages: Annotated[
        Path | None,
        typer.Option(help="YAML or CSV file with family, generation and scale of models, for stability over them."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 42,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would need; no model is asked.")] = False,
    html: Annotated[bool, typer.Option("--html/--no-html", help=f"Write {PAGE} into the folder.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the measures as JSON and nothing else.")] = False,
) -> None:
    """Put models to refusal benchmarks and write one joint report: over-refusal and harmful compliance together."""
    from equipoise._optional import require

    settings = audit_settings(valid, mix, lineages=lineages)
    require("inspect_ai", extra="eval")
    from equipoise.evals.suite import Suite, run_suite

    generation: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout": timeout}
    if max_connections is not None:
        generation["max_connections"] = max_connections
    names = chosen_benchmarks(bench)
    suite = Suite(
        benchmarks=task_arguments(
            names,
            data,
            {
                "per_stratum": limit_per_stratum,
                "trials": trials if trials != 1 else None,
                "download": download or None,
                "allow_changed": allow_changed or None,
            },
            option,
        ),
        models=model,
        settings=generation,
        base_url=base_url,
        limit=limit,
        prices=read_prices(price, model),
        max_cost=max_cost,
        guards=read_guards(guard or (), guard_on, guard_form, guard_rubric, guard_base_url),
    )
    parts = suite.parts()
    if dry_run:
        _show_estimates(suite, as_json=as_json)
        return
    done: list[Done] = []
    for item in run_suite(suite, out):
        done.append(item)
        say(f"{len(done)} of {len(parts)}: {_told(item)}")
    folders = [item.folder for item in done if item.folder is not None and item.replies]
    if folders:
        from equipoise.outcomes.run import read_run

        runs = [read_run(folder) for folder in folders]
        audit, page = joint_report(
            folders, runs, out / PAGE if html else None, seed=seed, settings=settings,
            guarded=_guarded_pairs(runs, suite),
        )  # fmt: skip
        write_text(out / AUDIT, json.dumps(audit, ensure_ascii=False, allow_nan=False, indent=1) + "\n")
        if as_json:
            print_json(audit)
        else:
            typer.echo(visible(page.sentence))
            say(f"Run folders: {len(runs)} in {out}; measures: {out / AUDIT}")
            if html:
                say(f"Report: {out / PAGE}")
    if not all(item.whole for item in done):
        say("equipoise: the suite is not complete; the same command asks what is left")
        raise typer.Exit(BAD_INPUT)


def chosen_benchmarks(wanted: Sequence[str] | None) -> list[str]:
    """The refusal benchmarks that are named, or all of them.

    Raises:
        UsageError: one is not registered.
    """
    from equipoise.benchmarks import _registry
    from equipoise.studies.redteam_axes import AXES

    stress = {test.task for axis in AXES for test in axis.tests}
    known = [name for name in _registry.__all__ if name not in NOT_REFUSAL and name not in stress]
    for name in wanted or ():
        if name not in known:
            message = f"there is no refusal benchmark {name!r}; expected one of {', '.join(known) or 'none'}"
            raise UsageError(message, field="--bench")
    return list(wanted or known)


def task_arguments(
    names: Sequence[str], data: Path | None, common: Mapping[str, Any], options: Sequence[str] | None
) -> dict[str, dict[str, Any]]:
    """Arguments of the tasks by benchmark; a folder of its own below `data` is taken where there is one.

    Args:
        names: the benchmarks.
        data: file or folder of the user's.
        common: arguments of all tasks; those without a value are not handed on.
        options: BENCH.NAME=VALUE.

    Raises:
        UsageError: an option of another form, or of a benchmark that is not run.
    """
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        found[name] = {key: value for key, value in common.items() if value is not None}
        if data is not None:
            found[name]["data"] = str((data / name if (data / name).exists() else data).resolve())
    for text in options or ():
        key, equals, value = text.partition("=")
        name, dot, argument = key.partition(".")
        if not equals or not dot or not argument or name not in found:
            message = f"expected BENCH.NAME=VALUE with a benchmark that is run ({', '.join(found)}), got {text!r}"
            raise UsageError(message, field="--option")
        found[name][argument] = plain_value(value)
    return found


def plain_value(text: str) -> Any:
    """A value of an option: a number, true or false where it reads as one, else the text."""
    from equipoise.outcomes.readers import parse_json

    try:
        value = parse_json(text, file="--option")
    except InputError:
        return text
    return value if isinstance(value, bool | int | float) else text


def audit_settings(
    valid: Sequence[str] | None,
    mix: Path | None,
    *,
    lineages: Path | None = None,
    toxic_from: float | None = None,
    fewest_scores: int | None = None,
) -> dict[str, Any]:
    """Arguments of the measures from ARM=SHARE, a file of reference shares, one of lineages, and a threshold.

    Args:
        valid: shares of right labels.
        mix: file of reference shares.
        lineages: file with family, generation and scale of models.
        toxic_from: score of a classifier from which a continuation counts as toxic.
        fewest_scores: scored continuations below which a domain or group is marked.

    Raises:
        UsageError: another form, an arm that does not exist, or a share or threshold out of range.
        ConfigurationError: the file of shares is not JSON, or not of that form.
        InputError: the file of lineages has faults.
    """
    from equipoise.refusal.lineage_file import read_lineages
    from equipoise.refusal.terms import Arm

    settings: dict[str, Any] = {}
    shares: dict[Arm, float] = {}
    for text in valid or ():
        arm, _, share = text.partition("=")
        try:
            shares[Arm(arm)] = float(share)
        except ValueError:
            message = f"expected ARM=SHARE with an arm of {', '.join(Arm)}, got {text!r}"
            raise UsageError(message, field="--valid") from None
        if not 0 < shares[Arm(arm)] <= 1:
            message = f"expected a share above 0 and at most 1, got {share!r}"
            raise UsageError(message, field="--valid")
    if shares:
        settings["valid"] = shares
    if mix is not None:
        settings["mix"] = _read_mix(mix)
    if lineages is not None:
        settings["lineages"] = read_lineages(lineages)
    if toxic_from is not None:
        if not 0 < toxic_from <= 1:
            message = f"expected a threshold above 0 and at most 1, found {toxic_from:g}"
            raise UsageError(message, field="--toxic-from")
        settings["toxic_from"] = toxic_from
    if fewest_scores is not None:
        settings["fewest_scores"] = fewest_scores
    return settings


def _read_mix(path: Path) -> dict[Any, dict[str, float]]:
    from equipoise.outcomes.readers import parse_json, read_text
    from equipoise.refusal.terms import Arm

    value = parse_json(read_text(path), file=str(path))
    try:
        found = {Arm(arm): {str(name): float(share) for name, share in strata.items()} for arm, strata in value.items()}
    except (AttributeError, TypeError, ValueError) as error:
        message = f'{path}: expected {{"benign": {{CATEGORY: SHARE}}, "harmful": {{...}}}} ({error})'
        raise ConfigurationError(message) from error
    if any(share < 0 for strata in found.values() for share in strata.values()):
        message = f"{path}: expected no negative share"
        raise ConfigurationError(message)
    return found


def joint_report(
    folders: Sequence[Path],
    runs: Sequence[Run],
    page_file: Path | None,
    *,
    seed: int,
    settings: Mapping[str, Any],
    show_harmful: bool = False,
    guarded: Sequence[tuple[str, str]] = (),
    tuned: Sequence[tuple[str, str]] = (),
) -> tuple[dict[str, Any], RefusalPage]:
    """The measures as JSON and the joint page of runs and their folders; the page is written where a file is named."""
    from equipoise.refusal.measures import joint_audit
    from equipoise.report.refusal import SIDE_FILE, page_of, refusal_replies, side_file
    from equipoise.report.refusal_effects import pair_effects
    from equipoise.report.render import render_page

    replies = refusal_replies(runs)
    known = {"colliding": colliding_actions(folders), **settings}
    audit = joint_audit(replies, seed=seed, **known)
    if audit.unplaced:
        say(f"note: without a lineage: {', '.join(audit.unplaced)}")
    effects = pair_effects(replies, guarded, tuned, seed=seed)
    page = page_of(runs, replies, audit, show_harmful=show_harmful, effects=effects)
    if page_file is not None:
        write_text(page_file, render_page(page))
        more = side_file(runs, replies, page)
        if more:
            write_text(page_file.parent / SIDE_FILE, more)
    return {**audit.to_dict(), "effects": effects.to_dict()}, page


def _guarded_pairs(runs: Sequence[Run], suite: Suite) -> list[tuple[str, str]]:
    """A model and the same behind each guard, as far as both have replies."""
    there = {system for run in runs for system in run.info.systems}
    named = [(model, guard.system(model)) for model in suite.models for guard in suite.guards]
    return [(plain, guarded) for plain, guarded in named if {plain, guarded} <= there]


def system_pairs(texts: Sequence[str] | None, field: str) -> list[tuple[str, str]]:
    """Pairs of systems from FIRST=SECOND.

    Raises:
        UsageError: another form.
    """
    found = []
    for text in texts or ():
        first, equals, second = text.partition("=")
        if not first or not equals or not second:
            message = f"expected FIRST=SECOND with the names of two systems, got {text!r}"
            raise UsageError(message, field=field)
        found.append((first, second))
    return found


def colliding_actions(folders: Sequence[Path]) -> dict[str, frozenset[str]]:
    """Critical actions that a safety filter tends to remove, by item, as far as run folders keep their items.

    Raises:
        InputError: a line is of another form.
    """
    from equipoise.outcomes.readers import read_json_lines

    found: dict[str, frozenset[str]] = {}
    for folder in folders:
        path = folder / ITEMS
        if not path.is_file():
            continue
        for line, record in read_json_lines(path):
            actions = record.get("critical_actions") or ()
            try:
                ids = frozenset(str(action["id"]) for action in actions if action.get("collides"))
            except (TypeError, KeyError, AttributeError) as error:
                message = f"critical_actions: expected objects with id and collides ({error!r})"
                raise InputError(message, file=str(path), line=line) from error
            if ids:
                found[str(record.get("item"))] = ids
    return found


def _told(item: Done) -> str:
    name = f"{item.part.benchmark}, {item.part.system}"
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


def _show_estimates(suite: Suite, *, as_json: bool) -> None:
    from equipoise.benchmarks import _registry
    from equipoise.evals.suite import estimate_task

    rows: list[dict[str, Any]] = []
    for part in suite.parts():
        task = getattr(_registry, part.benchmark)(**part.order.task_args)
        needed = estimate_task(
            task,
            int(suite.settings["max_tokens"]),
            suite.prices.get(part.model),
            limit=part.order.limit,
            guard=part.guard,
        )
        rows.append(
            {
                "benchmark": part.benchmark, "model": part.system, "calls": needed.calls, "tokens_in": needed.tokens_in,
                "tokens_out_at_most": needed.tokens_out,
                "cost_at_most": None if needed.cost is None else round(needed.cost, 4),
            }
        )  # fmt: skip
    costs = [row["cost_at_most"] for row in rows]
    total: dict[str, Any] = {
        "calls": sum(int(row["calls"] or 0) for row in rows),
        "cost_at_most": None if None in costs else round(sum(float(cost or 0.0) for cost in costs), 4),
        "max_cost": suite.max_cost,
    }
    if as_json:
        print_json({"parts": rows, "total": total})
        return
    for row in rows:
        cost = "cost not known" if row["cost_at_most"] is None else f"at most {row['cost_at_most']} US dollars"
        typer.echo(
            visible(
                f"{row['benchmark']}, {row['model']}: {row['calls']} calls, {row['tokens_in']} tokens of prompts, at most "
                f"{row['tokens_out_at_most']} of replies, {cost}"
            )
        )
    cost = "not known" if total["cost_at_most"] is None else f"at most {total['cost_at_most']} US dollars"
    typer.echo(f"together: {total['calls']} calls, cost {cost}")
    if suite.max_cost is not None and total["cost_at_most"] is not None and total["cost_at_most"] > suite.max_cost:
        say("equipoise: at most more than --max-cost allows; parts would end early if replies are long")
