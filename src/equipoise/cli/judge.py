"""`equipoise judge`: language models judge the replies of a run by a rubric, alone and as a panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible
from equipoise.cli.prices import read_prices
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.evals.budget import Budget
    from equipoise.judging.panel import Panel
    from equipoise.judging.plan import Plan
    from equipoise.judging.rubric import Rubric
    from equipoise.judging.sources import MaterialSource
    from equipoise.judging.step import Spent
    from equipoise.outcomes.run import Run


def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder; its table of judgements is added to.")],
    rubric: Annotated[
        str,
        typer.Option(
            help="refusal, intent, helpfulness, harm-severity, omission-harm, actionable-specificity, medfail-gates, "
            "healthbench-criterion, missing-information, or a YAML file."
        ),
    ],
    judges: Annotated[
        list[str],
        typer.Option(
            "--judge", help="Judge as PROVIDER/MODEL; several sit as a panel. mockjudge/spread works offline."
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(help="File of the items that were asked (.jsonl or .csv with id and prompt).")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", help="Name of a column in that file, as OURS=THEIRS (prompt=question)."),
    ] = None,
    rule: Annotated[
        str, typer.Option(help="How a panel decides: unanimous, majority or median; none for no panel.")
    ] = "majority",
    panel: Annotated[
        str | None,
        typer.Option(
            "--panel", help="Name of the panel, its rule by default; makes one of a single judge and its repeats too."
        ),
    ] = None,
    fewest: Annotated[int | None, typer.Option(min=1, help="Judges a panel needs; 2 by default.")] = None,
    keep_own: Annotated[
        bool, typer.Option("--keep-own", help="Let judges of the maker of the model under test sit too.")
    ] = False,
    makers: Annotated[
        list[str] | None, typer.Option("--maker", help="Maker of a model or judge, as MODEL=MAKER.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times each judge is asked the same.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Replies at most, the first of the run.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the judges.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a verdict at most.")] = 1024,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time, for each judge.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a verdict, all tries together.")] = 300,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint of all judges.")] = None,
    schema: Annotated[
        str, typer.Option(help="auto, always or prompt: whether the JSON schema is sent as a setting too.")
    ] = "auto",
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0, help="US dollars for all judges together, after which nothing more is asked; needs prices."
        ),
    ] = None,
    price_in: Annotated[float | None, typer.Option(min=0, help="US dollars per million tokens of the prompt.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="The same of the verdict.")] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="JUDGE=IN,OUT, the prices of one judge; may be repeated, before --price-in and --price-out."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop what these judges said by another version of the rubric.")
    ] = False,
    again: Annotated[
        list[str] | None,
        typer.Option("--again", help="Ask verdicts in this state again too, such as truncated after --max-tokens."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would need and the first prompt.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Have language models judge the replies of a run; the same command goes on where it was cut short."""
    from equipoise._optional import require
    from equipoise.evals.budget import Budget, prices
    from equipoise.judging.makers import parse_makers
    from equipoise.judging.panel import FEWEST, RULES, Panel
    from equipoise.judging.rubric import load_rubric
    from equipoise.outcomes.run import RUN_FILE, read_run

    wanted = load_rubric(rubric)
    if rubric.startswith("board-") and not rubric.endswith((".yaml", ".yml")):
        message = f"{rubric} judges the answer taken out of a board's reply, not the whole of it; use equipoise board judge RUN"
        raise UsageError(message, field="--rubric")
    names = list(dict.fromkeys(judges))
    if rule not in (*RULES, "none"):
        message = f"expected one of {', '.join(RULES)} or none; found {rule!r}"
        raise UsageError(message, field="--rule")
    if schema not in ("auto", "always", "prompt"):
        message = f"expected auto, always or prompt; found {schema!r}"
        raise UsageError(message, field="--schema")
    sits: Panel | None = None
    if rule != "none" and (len(names) > 1 or panel is not None):
        sits = Panel(
            id=panel or rule, judges=tuple(names), rule=rule,  # type: ignore[arg-type]
            fewest=min(FEWEST, len(names)) if fewest is None else fewest, leave_out_maker=not keep_own,
        )  # fmt: skip
        if rule == "median" and not all(item.scale.ordered for item in wanted.criteria):
            message = f"rubric {wanted.id} has a scale without an order, so there is no median; use --rule majority"
            raise UsageError(message, field="--rule")
    known = prices(price_in, price_out)
    own = read_prices(price, names)
    unpriced = [name for name in names if name not in own] if known is None else []
    if max_cost is not None and own and unpriced:
        message = f"a limit in money needs the prices of every judge; none is known for {', '.join(unpriced)}"
        raise UsageError(message, field="max_cost")
    budget = Budget(most=max_cost, prices=known, by_model=own)
    given = parse_makers(makers or [])
    if not (run / RUN_FILE).is_file():
        read_run(run)
    require("inspect_ai", extra="eval")
    from equipoise.judging.folder import carry_out, open_folder, unreadable

    work = open_folder(
        run, wanted, _source(run, wanted, data, columns or []), names, panel=sits, repeats=repeats, limit=limit,
        makers=given, replace=replace, again=again or [],
    )  # fmt: skip
    plan = work.plan
    if dry_run:
        _show_estimate(plan, max_tokens, budget, as_json=as_json)
        return
    from equipoise.judging.models import load_judges, settings

    models = load_judges(names, base_url=base_url)
    asked = settings(
        temperature=temperature, max_tokens=max_tokens, timeout=timeout, connections=max_connections,
        schema=schema,  # type: ignore[arg-type]
        again=again or [],
    )  # fmt: skip
    if not as_json:
        _tell_plan(plan, work.run, sits)
    done = carry_out(work, models, budget=budget, settings=asked, told=None if as_json else _progress())
    spent = done.spent
    missing = [
        {"judge": judge, "state": state, "why": why, "verdicts": number}
        for (judge, state, why), number in unreadable(work).most_common()
    ]
    result = _summary(done.run, plan, spent, names, sits) | {"unreadable": missing}
    if as_json:
        print_json(result)
    else:
        _show(result)
        say(f"Run folder: {run}")
    _tell_failures(plan, spent)


def _source(run: Path, rubric: Rubric, data: Path | None, columns: Sequence[str]) -> MaterialSource:
    """The file that was named, the run folder's own texts, or the replies alone where nothing else is shown."""
    from equipoise.judging.rubric import REPLY
    from equipoise.judging.sources import ItemTexts, RepliesOnly, prompt_hashes, read_items, run_items

    if data is not None:
        named = dict(item.split("=", 1) for item in columns if "=" in item)
        if len(named) < len(columns):
            message = "expected OURS=THEIRS, such as prompt=question"
            raise UsageError(message, field="--column")
        found = read_items(data, columns=named)
        return ItemTexts(items=found.items, origin=found.origin, prompt_hashes=prompt_hashes(run))
    own = run_items(run)
    if own is not None:
        return own
    needed = [part.part for part in rubric.sees if part.part != REPLY and not part.optional]
    if needed:
        message = (
            f"rubric {rubric.id} shows the judge the {' and the '.join(needed)} of each item, and this run folder keeps none; "
            "name the file of the items that were asked with --data (.jsonl or .csv with the columns id and "
            f"{', '.join(needed)})"
        )
        raise UsageError(message, file=str(run))
    return RepliesOnly()


def _progress() -> Any:
    """Says every tenth part of the way on standard error."""
    last = 0

    def told(done: int, wanted: int) -> None:
        nonlocal last
        tenth = 10 * done // wanted
        if tenth > last and wanted >= 50:
            last = tenth
            say(f"  {done} of {wanted} judged")

    return told


def _tell_plan(plan: Plan, run: Run, panel: Panel | None) -> None:
    rubric = plan.rubric
    say(f"Rubric {rubric.id}, version {rubric.version} ({rubric.hash}): {rubric.title}")
    left = f"; not judged: {_counts(plan.not_judged)}" if plan.not_judged else ""
    say(f"{plan.eligible} of {run.outcomes.num_rows} replies can be judged{left}")
    done = f"; {plan.done} are there already" if plan.done else ""
    say(f"{len(plan.pending)} judgements to make{done}")
    if panel is not None:
        say(f"{panel.judge}: {len(panel.judges)} judges, {panel.rule}, at least {panel.fewest} needed")
    for text in plan.warnings:
        say(f"note: {text}")


def _summary(run: Run, plan: Plan, spent: Spent, names: Sequence[str], panel: Panel | None) -> dict[str, Any]:
    from equipoise.judging.rows import OUTCOME

    rows = [row for row in run.judgements.to_pylist() if row["rubric"] == plan.rubric.id]
    judges = []
    for name in (*names, *([panel.judge] if panel is not None else [])):
        own = [row for row in rows if row["judge"] == name]
        judges.append(
            {
                "judge": name,
                "maker": plan.makers[name].text if name in plan.makers else None,
                "criteria": [_criterion(own, item, plan) for item in plan.rubric.criteria],
                "outcomes": {
                    item.id: dict(Counter(r["value"] for r in own if r["criterion"] == f"{item.id}{OUTCOME}"))
                    for item in plan.rubric.criteria if not item.each
                } if panel is not None and name == panel.judge else None,
            }
        )  # fmt: skip
    return {
        "run": run.info.run_id,
        "rubric": plan.rubric.id,
        "rubric_version": plan.rubric.version,
        "rubric_hash": plan.rubric.hash,
        "replies": plan.eligible,
        "replies_not_judged": dict(plan.not_judged),
        "judgements_made": spent.judged + spent.copied,
        "judgements_there_already": plan.done,
        "judgements_not_made": spent.not_asked,
        "calls": spent.calls,
        "asked_again": spent.again,
        "answered_as_before": spent.copied,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "cost": None if spent.cost is None else round(spent.cost, 6),
        "judges": judges,
        "errors": [
            {"judge": name, "message": text, "judgements": number}
            for (name, text), number in spent.errors.most_common()
        ],
        "notes": list(plan.warnings),
        "without_material": sum(plan.without_material.values()),
        "stopped": spent.stopped,
    }


def _criterion(rows: Sequence[Mapping[str, Any]], criterion: Any, plan: Plan) -> dict[str, Any]:
    from equipoise.judging.rows import OUTCOME

    own = [
        row for row in rows
        if not row["criterion"].endswith(OUTCOME)
        and (row["criterion"] == criterion.id or (criterion.each and row["criterion"].startswith(f"{criterion.id}:")))
    ]  # fmt: skip
    values = Counter(row["value"] for row in own if row["value"] is not None)
    states = Counter(row["state"] for row in own if row["state"] != "ok")
    return {
        "criterion": criterion.id,
        "judged": len(own),
        "values": {item.value: values[item.value] for item in criterion.scale.values},
        "out_of_scope": sum(row["in_scope"] is False for row in own),
        "without_verdict": dict(sorted(states.items())),
    }


def _show(result: Mapping[str, Any]) -> None:
    for item in result["judges"]:
        maker = f" ({item['maker']})" if item["maker"] else ""
        typer.echo(visible(f"{item['judge']}{maker}"))
        for row in item["criteria"]:
            told = ", ".join(f"{value} {number}" for value, number in row["values"].items())
            if row["out_of_scope"]:
                told += f"; out of scope {row['out_of_scope']}"
            if row["without_verdict"]:
                told += f"; no verdict: {_counts(row['without_verdict'])}"
            typer.echo(visible(f"  {row['criterion']:<24} n {row['judged']:>5}   {told}"))
        for name, outcomes in (item["outcomes"] or {}).items():
            typer.echo(
                visible(f"  {name + ', panel':<24}           {_counts(outcomes) or 'not all judges were asked'}")
            )
    for item in result["unreadable"]:
        more = "; raise --max-tokens and add --again truncated" if item["state"] == "truncated" else ""
        say(f"note: {item['verdicts']} verdicts of {item['judge']} are {item['state']}: {item['why']}{more}")
    cost = "cost not known" if result["cost"] is None else f"{result['cost']:.4f} US dollars"
    again = (
        f", {result['asked_again']} of them asked again because the answer could not be read"
        if result["asked_again"]
        else ""
    )
    copied = (
        f"; {result['answered_as_before']} questions equal to another were not asked twice"
        if result["answered_as_before"]
        else ""
    )
    say(f"{result['calls']} calls{again}; {result['tokens_in']} tokens in, {result['tokens_out']} out, {cost}{copied}")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def _tell_failures(plan: Plan, spent: Spent) -> None:
    """Say in a line each what was not judged, and end with the code of bad input when something was not."""
    from equipoise.evals.failures import advice

    for text, number in plan.without_material.items():
        say(f"equipoise: {number} replies were not judged: {text}")
    for (name, text), number in spent.errors.most_common():
        told = advice(text, otherwise="repeat the same command later; it asks only these")
        say(f"equipoise: {number} judgements of {name} came to nothing: {text}; {told}")
    if spent.not_asked:
        why = f" ({spent.stopped})" if spent.stopped else " (a judge failed too often in a row)"
        say(f"equipoise: {spent.not_asked} judgements were not made{why}; the same command makes them")
    if spent.errors or spent.not_asked or plan.without_material:
        raise typer.Exit(BAD_INPUT)


def _show_estimate(plan: Plan, max_tokens: int, budget: Budget, *, as_json: bool) -> None:
    from equipoise.evals.budget import estimate
    from equipoise.judging.frame import prepare

    asked: dict[tuple[str, str, int], int] = {}
    first = ""
    for item in plan.pending:
        prepared = prepare(plan.rubric, item.material, repeat=item.key[3])
        asked[item.key[1], item.material_hash, item.key[3]] = len(prepared.system) + len(prepared.user)
        first = first or f"{prepared.system}\n\n{prepared.user}"
    by_judge: dict[str, list[int]] = {}
    for (name, _, _), characters in asked.items():
        by_judge.setdefault(name, []).append(characters)
    parts = [
        estimate(sum(each), len(each), max_tokens, budget.of(name).prices) for name, each in sorted(by_judge.items())
    ]
    costs = [part.cost for part in parts]
    cost = None if None in costs else sum(part or 0.0 for part in costs)
    max_cost = budget.most
    facts: Mapping[str, Any] = {
        "rubric": plan.rubric.id,
        "rubric_version": plan.rubric.version,
        "rubric_hash": plan.rubric.hash,
        "replies": plan.eligible,
        "replies_not_judged": _counts(plan.not_judged) or "none",
        "judgements": len(plan.pending),
        "there_already": plan.done,
        "calls": sum(part.calls for part in parts),
        "tokens_in": sum(part.tokens_in for part in parts),
        "tokens_out_at_most": sum(part.tokens_out for part in parts),
        "cost_at_most": None if cost is None else round(cost, 4),
        "max_cost": max_cost,
    }
    if as_json:
        print_json({**facts, "notes": list(plan.warnings), "first_prompt": first})
        return
    for key, value in facts.items():
        typer.echo(f"{key.replace('_', ' ')}: {'not known' if value is None else value}")
    for text in plan.warnings:
        typer.echo(visible(f"note: {text}"))
    typer.echo("")
    typer.echo(visible(first))
    if cost is not None and max_cost is not None and cost > max_cost:
        say("equipoise: at most more than --max-cost allows; it would end early if verdicts are long")
