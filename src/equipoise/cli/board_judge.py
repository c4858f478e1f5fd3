"""`equipoise board judge` and `equipoise board released`: judgements of boards, made here or read from OpenTumorBoard's scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible
from equipoise.cli.prices import read_prices
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.boards.judging.agreement import Agreement, Agreements
    from equipoise.boards.judging.means import ScoreMean
    from equipoise.boards.judging.planned import Planned
    from equipoise.boards.judging.run import RubricDone

NOTE = (
    "Scores say how near an answer is to what one recorded board said; that board may be wrong. Not a medical device."
)

KEPT = ("criterion", "bounds", "95 %")
"""Columns that are never broken over lines."""

LEGEND = """n: replies the criterion applies to. No reply, no verdict: failures of the system, and of the judge.
Scored: mean over replies with a verdict. Floored: no reply counts as the worst value, no verdict is left out. Bounds: all failures as
the worst and as the best value. Flags: share of replies that have the flag."""


def judge(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Run folder of specialist_turn or board_simulation; it is added to.")
    ],
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            help="Judge as PROVIDER/MODEL; several sit as a panel. mockjudge/compares works offline. Without one, nothing is asked "
            "and what is there is shown.",
        ),
    ] = None,
    rubrics: Annotated[
        list[str] | None,
        typer.Option(
            "--rubric",
            help="board-equivalence, board-alignment, board-decisions, board-facts or board-category; may be repeated. By default all that "
            "fit but the last two.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times each judge is asked the same.")] = 1,
    rule: Annotated[
        str, typer.Option(help="How a panel decides: median, majority or unanimous; none for no panel.")
    ] = "median",
    keep_own: Annotated[
        bool, typer.Option("--keep-own", help="Let judges of the maker of the model under test sit too.")
    ] = False,
    makers: Annotated[
        list[str] | None, typer.Option("--maker", help="Maker of a model or judge, as MODEL=MAKER.")
    ] = None,
    facts: Annotated[Path | None, typer.Option(help="Reference facts by item, a JSON file of TBFact.")] = None,
    facts_from: Annotated[
        str | None,
        typer.Option(
            help="Facts of references without a file: model (taken out of the text, the default) or decisions (those the reference takes)."
        ),
    ] = None,
    extractor: Annotated[
        str | None, typer.Option(help="Model that takes facts out of texts; the first judge by default.")
    ] = None,
    scope_judge: Annotated[
        bool,
        typer.Option(
            "--scope-judge",
            help="Have the judges settle first, from the references alone and once, which decisions they take, where nobody has said.",
        ),
    ] = False,
    embed: Annotated[
        str | None, typer.Option(help="Sentence-embedding model on this machine, for nearness in meaning.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels of people: CSV with item, rater, criterion, value, or the folder of an exported study."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the intervals.")] = 20261201,
    limit: Annotated[int | None, typer.Option(min=1, help="Replies at most, the first of the run.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the judges.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a verdict at most.")] = 4096,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time, for each judge.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a verdict, all tries together.")] = 300,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint of all judges.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars after which nothing more is asked; needs prices.")
    ] = None,
    price_in: Annotated[float | None, typer.Option(min=0, help="US dollars per million tokens of the prompt.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="The same of the verdict.")] = None,
    price: Annotated[
        list[str] | None, typer.Option(help="JUDGE=IN,OUT, the prices of one judge; may be repeated.")
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option("--again", help="Ask verdicts in this state again too, such as truncated after --max-tokens."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print what it would ask and cost at most, and the first question; ask nothing."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Have judges score the answers of a board run against the recorded board; the same command goes on where it was cut short."""
    import numpy as np

    from equipoise._optional import require
    from equipoise.boards.judging.agreement import agreements, family_warnings
    from equipoise.boards.judging.items import item_scores
    from equipoise.boards.judging.labels import read_labels
    from equipoise.boards.judging.means import score_means
    from equipoise.evals.budget import Budget, prices
    from equipoise.judging.makers import parse_makers
    from equipoise.outcomes.run import read_run

    known_rules = ("median", "majority", "unanimous", "none")
    if rule not in known_rules:
        message = f"expected one of {', '.join(known_rules)}; found {rule!r}"
        raise UsageError(message, field="--rule")
    read_run(run)
    given = parse_makers(makers or [])
    loaded = read_labels(labels) if labels is not None else None
    names = list(dict.fromkeys(judges or ()))
    done: tuple[RubricDone, ...] = ()
    if names:
        require("inspect_ai", extra="eval")
        from equipoise.boards.judging.planned import plan_run
        from equipoise.boards.judging.run import judge_run
        from equipoise.judging.models import settings

        priced = names if extractor is None or extractor in names else [*names, extractor]
        known, own = prices(price_in, price_out), read_prices(price, priced)
        unpriced = [name for name in priced if name not in own] if known is None else []
        if max_cost is not None and unpriced:
            message = f"a limit in money needs the prices of every judge; none is known for {', '.join(unpriced)}"
            raise UsageError(message, field="max_cost")
        budget = Budget(most=max_cost, prices=known, by_model=own)
        if dry_run:
            _show_plan(
                plan_run(
                    run, names, budget=budget, max_tokens=max_tokens, rubrics=rubrics, repeats=repeats,
                    rule=None if rule == "none" else rule,  # type: ignore[arg-type]
                    keep_own=keep_own, facts=_source(facts, facts_from, extractor, names), facts_file=facts, limit=limit,
                    makers=given,
                ),
                as_json=as_json,
            )  # fmt: skip
            return
        asked = settings(
            temperature=temperature,
            max_tokens=max_tokens,
            timeout=timeout,
            connections=max_connections,
            again=again or [],
        )
        done = judge_run(
            run, names, rubrics=rubrics, repeats=repeats, rule=None if rule == "none" else rule,  # type: ignore[arg-type]
            keep_own=keep_own, facts=_source(facts, facts_from, extractor, names), facts_file=facts, settle_scope=scope_judge,
            limit=limit, makers=given, budget=budget, settings=asked, base_url=base_url, told=None if as_json else _progress(),
        )  # fmt: skip
    if embed is not None:
        from equipoise.boards.judging.nearness import embed_run

        embed_run(run, embed)
    scores = item_scores(run)
    means = score_means(scores)
    pairs = agreements(scores, loaded.items if loaded is not None else (), rng=np.random.default_rng(seed))
    warnings = family_warnings(scores, makers=given)
    if as_json:
        print_json(
            {
                "rubrics": [_plain(item) for item in done],
                "means": [item.to_dict() for item in means],
                "agreement": pairs.to_dict(),
                "labels_not_read": [str(item) for item in loaded.problems] if loaded is not None else [],
                "warnings": list(warnings),
                "seed": seed,
            }
        )
    else:
        _show(means, pairs)
    _tell(done, warnings, pairs, [*loaded.problems, *loaded.notes] if loaded is not None else [])
    if not as_json:
        say(NOTE)
    if any(item.not_made or item.errors for item in done) or (loaded is not None and loaded.problems):
        raise typer.Exit(BAD_INPUT)


def _show_plan(steps: Sequence[Planned], *, as_json: bool) -> None:
    if as_json:
        print_json({"steps": [item.to_dict() for item in steps]})
        return
    for item in steps:
        cost = "cost not known" if item.cost is None else f"at most {item.cost:.4f} US dollars"
        text = f"{item.calls} calls, about {item.tokens_in} tokens in, at most {item.tokens_out} out, {cost}"
        typer.echo(visible(f"{item.step} by {item.judge}: {item.note or text}"))
    first = next((item.first for item in steps if item.first), "")
    if first:
        typer.echo(visible(f"\nThe first question:\n\n{first}"))


def _source(facts: Path | None, facts_from: str | None, extractor: str | None, names: Sequence[str]) -> Any:
    """Where facts come from, when the user says."""
    from equipoise.boards.judging.fact_source import FactSource

    if facts_from not in (None, "decisions", "model"):
        message = f"expected decisions or model; found {facts_from!r}"
        raise UsageError(message, field="--facts-from")
    if facts is not None and facts_from is not None:
        message = "name a file of facts or say where they come from, not both"
        raise UsageError(message, field="--facts-from")
    if facts is None and facts_from is None and extractor is None:
        return None
    if facts is not None:
        return FactSource(reference="given", extractor=extractor or names[0], given=facts.name)
    return FactSource(reference=facts_from or "model", extractor=extractor or names[0])  # type: ignore[arg-type]


def _progress() -> Any:
    """Says every tenth part of the way on standard error."""
    last: dict[str, int] = {}

    def told(rubric: str, made: int, wanted: int) -> None:
        tenth = 10 * made // wanted
        if wanted >= 50 and tenth > last.get(rubric, 0):
            last[rubric] = tenth
            say(f"  {rubric}: {made} of {wanted} judged")

    return told


def _show(means: Sequence[ScoreMean], pairs: Agreements) -> None:
    groups: dict[tuple[str, ...], list[ScoreMean]] = {}
    for mean in means:
        if ":" not in mean.criterion and not mean.criterion.endswith("-strict"):
            key = (mean.benchmark, mean.arm, mean.setting, mean.system, mean.judge)
            groups.setdefault(key, []).append(mean)
    for (benchmark, arm, setting, system, name), own in groups.items():
        by = f"judged by {name}" if name else "by words alone"
        typer.echo(
            visible(f"\n{system}, {by} ({benchmark}, {arm or 'arm not named'}, {setting or 'setting not named'})")
        )
        _table(
            ("criterion", "scale", "n", "scored", "floored", "bounds", "no reply", "no verdict"),
            [_mean_row(mean) for mean in own],
        )
    if means:
        typer.echo(f"\n{LEGEND}")
    open_ = sum(mean.scope_unknown for mean in means)
    if open_:
        typer.echo(
            f"{open_} verdicts on decisions are left out because nobody fixed whether the reference takes the decision."
        )
    if pairs.pairs:
        typer.echo("\nAgreement: Cohen's kappa with quadratic weights (of flags without), 95 % over whole recordings")
    by_raters: dict[tuple[str, ...], list[Agreement]] = {}
    for pair in pairs.pairs:
        by_raters.setdefault((pair.first, pair.second, pair.arm, pair.setting), []).append(pair)
    for (first, second, arm, setting), found in by_raters.items():
        typer.echo(visible(f"\n{first} and {second} ({arm or 'arm not named'}, {setting or 'setting not named'})"))
        _table(("criterion", "n", "equal", "within 1", "kappa", "95 %"), [_agreement(pair) for pair in found])


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False, box=box.SIMPLE_HEAD)
    for name in columns:
        table.add_column(
            name, overflow="fold", justify="left" if name == "criterion" else "right", no_wrap=name in KEPT
        )
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console().print(table)


def _mean_row(mean: ScoreMean) -> tuple[str, ...]:
    from equipoise.boards.judging.criteria import CATEGORY

    scale = "flag" if mean.lowest > mean.highest else f"{mean.lowest:g}-{mean.highest:g}"
    ends = "" if mean.worst is None or mean.worst == mean.best else f"{mean.worst:.2f}-{mean.best:.2f}"
    name = f"category, {mean.criterion}" if mean.rubric == CATEGORY else mean.criterion
    return (
        name, scale, str(mean.in_scope), _number(mean.scored_only),
        _number(mean.floored), ends, str(mean.reply_failed or ""), str(mean.judge_failed or ""),
    )  # fmt: skip


def _agreement(pair: Agreement) -> tuple[str, ...]:
    kappa = pair.kappa
    ends = "" if kappa.low is None or kappa.high is None else f"{kappa.low:.2f} to {kappa.high:.2f}"
    return (
        pair.criterion, str(pair.n), _number(pair.exact), _number(pair.within_one),
        _number(kappa.estimate), ends,
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _plain(item: RubricDone) -> Mapping[str, Any]:
    from dataclasses import asdict

    missing = [
        {"judge": judge, "state": state, "why": why, "verdicts": number}
        for (judge, state, why), number in item.unreadable.items()
    ]
    errors = [{"judge": judge, "message": text, "judgements": number} for (judge, text), number in item.errors.items()]
    return {**asdict(item), "unreadable": missing, "errors": errors}


def _tell(done: Sequence[RubricDone], warnings: Sequence[str], pairs: Agreements, problems: Sequence[Any]) -> None:
    from equipoise.evals.failures import advice

    told: dict[str, None] = {}
    for item in done:
        cost = "" if item.cost is None else f", {item.cost:.4f} US dollars"
        say(
            f"{item.rubric} ({item.hash}): {item.made} judgements made, {item.there} were there, {item.not_made} not made; "
            f"{item.calls} calls, {item.tokens_in} tokens in, {item.tokens_out} out{cost}"
        )
        for text, number in item.without_material.items():
            say(f"note: {number} replies were not judged: {text}")
        for (name, state, why), number in item.unreadable.items():
            say(f"note: {number} verdicts of {name} are {state}: {why}")
        for (name, text), number in item.errors.items():
            way = advice(text, otherwise="repeat the same command later; it asks only these")
            say(f"equipoise: {number} judgements of {name} came to nothing: {text}; {way}")
        told.update(dict.fromkeys(item.notes))
        if item.stopped:
            say(f"equipoise: stopped: {item.stopped}")
    told.update(dict.fromkeys(warnings if not done else ()))
    for note in told:
        say(f"note: {note}")
    for problem in problems:
        say(f"equipoise: {problem}" if not isinstance(problem, str) else f"note: {problem}")
    if pairs.unmatched or pairs.ambiguous:
        say(
            f"note: {pairs.unmatched} labels go with no readable reply of this run, {pairs.ambiguous} with several; "
            "name system, arm and setting in columns of their own"
        )


def released(
    folder: Annotated[Path, typer.Argument(help="Batch folder of OpenTumorBoard's judge scripts.")],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    judge_name: Annotated[str, typer.Option("--judge", help="Name of the judge model.")],
    arm: Annotated[str, typer.Option(help="What the candidates were shown: captions or images.")],
    task: Annotated[str, typer.Option(help="task1 (Board Simulation) or task2 (Specialist Turn).")] = "task1",
    training: Annotated[
        bool, typer.Option("--training", help="The four decisions were asked on the scale from 0, as in training.")
    ] = False,
) -> None:
    """Read the judgements of a batch folder into a run folder; show them with `equipoise board judge RUN`."""
    import json

    from equipoise.boards.judging.released import read_released
    from equipoise.boards.vocabulary import Arm
    from equipoise.outcomes.run import RunInfo, write_run

    if arm not in {item.value for item in Arm}:
        message = f"expected captions or images, found {arm!r}"
        raise UsageError(message, field="--arm")
    found = read_released(folder, task=task, judge=judge_name, arm=Arm(arm), training=training)
    run_id = f"{found.benchmark}-{found.hash}"
    info = RunInfo(
        run_id=run_id, created_at="not known", benchmark=found.benchmark, systems=found.systems,
        arguments={"source": "OpenTumorBoard judge batch", "task": task, "judge": judge_name, "arm": arm},
    )  # fmt: skip
    rows = [[row | {"run": run_id} for row in part] for part in (found.outcomes, found.judgements)]
    write_run(out, info, *rows)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found.references)
    (out / "references.jsonl").write_text(text, encoding="utf-8")
    typer.echo(visible(f"{len(found.outcomes)} replies, {len(found.judgements)} values: {out}"))
    for problem in found.problems:
        say(f"equipoise: {problem}")
    if found.problems:
        raise typer.Exit(BAD_INPUT)
