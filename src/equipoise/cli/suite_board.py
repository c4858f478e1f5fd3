"""`equipoise suite board`: models answer for specialists and play whole tumor boards, are judged, and get one page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.errors import EquipoiseError, UsageError

if TYPE_CHECKING:
    from equipoise.boards.judging.items import ItemScore
    from equipoise.boards.judging.labels import Label
    from equipoise.boards.judging.run import RubricDone
    from equipoise.evals.suite import Done, Suite
    from equipoise.judging.step import Settings
    from equipoise.studies.board_audit import BoardAudit
    from equipoise.studies.board_protocol import BoardOrder, BoardTest
    from equipoise.studies.board_runs import BoardPart

PAGE, AUDIT = "report.html", "board.json"
"""Files in the folder of the audit."""

NO_JUDGE = (
    "No judge was named: nothing here says how right a reply is clinically. Measured were only states of replies, likeness of words, and "
    "the conduct of discussions by rules. Name a judge with --judge in a new folder, or judge the folders under runs/ with `equipoise "
    "board judge` and repeat the command."
)
OPEN_ENDED: Mapping[str, str] = {
    ".agents": "a board of agents depend on its discussion",
    ".single+": "a model with tools depend on what it looks up",
}
"""Parts whose tokens nobody knows beforehand, and why."""
JUDGED_LATER = (
    "The judgements were added to the run folders after the protocol was fixed; it names no judge and no rubric."
)


def board(
    model: Annotated[list[str], typer.Option(help="Model as PROVIDER/MODEL; may be repeated.")],
    out: Annotated[Path, typer.Option(help="Folder of the audit; the same command goes on with what was cut short.")],
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Judge as PROVIDER/MODEL; several sit as a panel. None: only what needs no model."),
    ] = None,
    bench: Annotated[str, typer.Option(help="specialist_turn, board_simulation, or both with a comma.")] = (
        "specialist_turn,board_simulation"
    ),
    players: Annotated[str, typer.Option(help="Who plays a board: single, agents, or both with a comma.")] = "single",
    tools: Annotated[
        str,
        typer.Option(
            help="Tools of boards: none, evidence, auditor, or several with commas; each a setting of each of the players."
        ),
    ] = "none",
    data: Annotated[
        Path | None,
        typer.Option(help="Your file, or the folder of an OpenTumorBoard release; else the packaged invented cases."),
    ] = None,
    form: Annotated[str | None, typer.Option("--as", help="Format of a file, as in `equipoise board check`.")] = None,
    split: Annotated[str | None, typer.Option(help="train, validation, test or all.")] = None,
    arm: Annotated[str, typer.Option(help="captions, images, or both with a comma; never one ranking.")] = "captions",
    images: Annotated[
        Path | None, typer.Option(help="Folder of your pictures of the slides, for the image arm.")
    ] = None,
    leaks: Annotated[
        str,
        typer.Option(
            help="Data in which a reference stands word for word in what is shown: refuse them, or leave-out such items."
        ),
    ] = "refuse",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Questions or cases of a task at most, from its first.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Replies to each question or case.")] = 1,
    rubric: Annotated[
        list[str] | None,
        typer.Option(help="Rubric of the judges; may be repeated. Those of each task without facts by default."),
    ] = None,
    rule: Annotated[str, typer.Option(help="How several judges decide: median, majority or unanimous.")] = "median",
    repeats: Annotated[int, typer.Option(min=1, help="Times each judge is asked the same.")] = 1,
    maker: Annotated[
        list[str] | None,
        typer.Option(help="Maker of a model or judge, as MODEL=MAKER, where its name does not tell; may be repeated."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="What clinicians say of the replies: a CSV file, or the folder of an exported study."),
    ] = None,
    as_of: Annotated[str | None, typer.Option(help="ISO day for which the tools read their sources.")] = None,
    jurisdiction: Annotated[str | None, typer.Option(help="Jurisdiction of the tools; US by default.")] = None,
    policy: Annotated[str | None, typer.Option(help="Policy of the auditor; its own default when not named.")] = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(help="ROLE=MODEL, a model of its own for a role of a board of agents; may be repeated."),
    ] = None,
    roles: Annotated[str | None, typer.Option(help="Who sits on a board of agents, with commas.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Turns of a board of agents at most.")] = None,
    max_tokens_total: Annotated[int | None, typer.Option(min=1, help="Tokens of a board of agents at most.")] = None,
    constants: Annotated[
        bool, typer.Option("--constants/--no-constants", help="Ask the systems that read nothing too.")
    ] = True,
    excerpts: Annotated[
        bool,
        typer.Option(
            "--excerpts/--no-excerpts", help="Quote the worst replies and their cases; real cases hold patient data."
        ),
    ] = True,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the models.")] = 0.0,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens of a reply at most; else the task's own.")
    ] = None,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Calls at a time.")] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a reply, all tries together.")] = 300,
    base_url: Annotated[str | None, typer.Option(help="Address of the models' endpoint.")] = None,
    judge_base_url: Annotated[str | None, typer.Option(help="Address of the judges' endpoint.")] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="US dollars for all models, shared equally; needs a price of every model."),
    ] = None,
    max_judge_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars for all judges together; needs a price of every judge.")
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="MODEL=IN,OUT in US dollars per million tokens of prompt and reply; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of intervals and tests.")] = 42,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what it would need; no model is asked.")] = False,
    html: Annotated[bool, typer.Option("--html/--no-html", help=f"Write {PAGE} into the folder.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the measures as JSON and nothing else.")] = False,
) -> None:
    """Hold models against recorded tumor boards: answers of specialists and whole discussions, judged, with intervals and constants."""
    from equipoise._optional import require

    require("inspect_ai", extra="eval")
    from equipoise.cli.prices import read_prices
    from equipoise.evals.suite import require_models
    from equipoise.judging.makers import parse_makers
    from equipoise.studies.board_protocol import BoardOrder, board_tests, frozen_board_protocol
    from equipoise.studies.redteam_protocol import keep_protocol

    generation: dict[str, Any] = {"temperature": temperature, "timeout": timeout}
    generation |= {
        name: value for name, value in (("max_tokens", max_tokens), ("max_connections", max_connections)) if value
    }
    prices = read_prices(price, [*model, *(judge or ())])
    makers = parse_makers(maker or [])
    ordered = BoardOrder(
        models=model,
        judges=judge or (),
        benchmarks=_words(bench),
        arms=_words(arm),
        players=_words(players),
        tools=_words(tools),
        rubrics=tuple(dict.fromkeys(rubric or ())),
        rule=rule,
        judge_repeats=repeats,
        makers=makers,
        excerpts=excerpts,
        arguments={
            "data": None if data is None else str(data.resolve()),
            "form": form,
            "split": split,
            "images": None if images is None else str(images.resolve()),
            "leaks": None if leaks == "refuse" else leaks,
            "limit": limit,
            "trials": trials,
        },
        board={
            "as_of": as_of,
            "jurisdiction": jurisdiction,
            "policy": policy,
            "seats": list(seat) if seat else None,
            "roles": roles,
            "max_turns": max_turns,
            "max_tokens_total": max_tokens_total,
        },
        constants=constants,
        generation=generation,
        max_cost=max_cost,
        prices={name: (pair.input, pair.output) for name, pair in prices.items()},
        base_url=base_url or "",
        seed=seed,
    )
    _check(ordered, max_judge_cost)
    told = _labels(labels)
    tests = board_tests(ordered)
    protocol, tasks = frozen_board_protocol(tests, ordered)
    for item in protocol["not_run"]:
        say(f"{item['test']}: not run: {item['why']}")
    runs = [test for test in tests if test.id in tasks]
    suites = _suites(runs, ordered, prices)
    for suite in suites:
        suite.parts()
    if dry_run:
        _show_needs(suites[0], protocol, tasks, as_json=as_json)
        return
    if ordered.judges:
        require_models(ordered.judges)
    if keep_protocol(protocol, out):
        say("Going on with the audit in this folder.")
    done = _ask(suites, out)
    asked = _judge_settings(timeout, max_connections)
    budget = _budget(max_judge_cost, prices, ordered)
    notes, whole = _judge(done, ordered, asked, budget, judge_base_url, makers)
    audit = _audit(protocol, done, told, [*_seat_notes(ordered, makers), *notes])
    write_text(out / AUDIT, json.dumps(audit.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n")
    _finish(audit, out, html=html, as_json=as_json)
    if not whole or not all(item.whole for item in done):
        say("equipoise: the audit is not complete; the same command asks what is left")
        raise typer.Exit(BAD_INPUT)


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _check(ordered: BoardOrder, max_judge_cost: float | None) -> None:
    """Refuse what could only be wrong, before anything is read.

    Raises:
        UsageError: a repeated model or judge, a rule that does not exist, rubrics or money of judges without a judge.
    """
    from equipoise.judging.panel import RULES

    for name, values in (("--model", ordered.models), ("--judge", ordered.judges)):
        if len(set(values)) < len(values):
            message = f"expected each once; found {', '.join(values)}"
            raise UsageError(message, field=name)
    if ordered.rule not in RULES:
        message = f"expected one of {', '.join(RULES)}; found {ordered.rule!r}"
        raise UsageError(message, field="--rule")
    if not ordered.judges and (ordered.rubrics or max_judge_cost is not None):
        message = "rubrics and money are for judges; name one with --judge"
        raise UsageError(message, field="--rubric" if ordered.rubrics else "--max-judge-cost")
    unpriced = [name for name in ordered.judges if name not in ordered.prices]
    if max_judge_cost is not None and unpriced:
        message = f"a limit in money needs the prices of every judge; none is known for {', '.join(unpriced)}"
        raise UsageError(message, field="--max-judge-cost")


def _labels(path: Path | None) -> tuple[Label, ...]:
    """What clinicians say; what cannot be read is told.

    Raises:
        InputError: there is no such file, or nothing of it can be read.
    """
    if path is None:
        return ()
    from equipoise.boards.judging.labels import read_labels

    loaded = read_labels(path)
    for problem in loaded.problems:
        say(f"note: {problem}")
    for note in loaded.notes:
        say(f"note: {note}")
    return tuple(loaded.items)


def _suites(tests: Sequence[BoardTest], ordered: BoardOrder, prices: Mapping[str, Any]) -> tuple[Suite, ...]:
    """The models in every test, and the constants in the plain ones."""
    from equipoise.evals.suite import Suite
    from equipoise.studies.board_protocol import constants_beside

    models = Suite(
        benchmarks={test.id: dict(test.arguments) for test in tests},
        models=ordered.models,
        settings=ordered.generation,
        base_url=ordered.base_url or None,
        prices={name: pair for name, pair in prices.items() if name in ordered.models},
        max_cost=ordered.max_cost,
        tasks={test.id: test.task for test in tests},
    )
    plain = [test for test in tests if test.constants]
    if not constants_beside(ordered) or not plain:
        return (models,)
    beside = Suite(
        benchmarks={test.id: dict(test.arguments) for test in plain},
        models=constants_beside(ordered),
        tasks={test.id: test.task for test in plain},
    )
    return models, beside


def _ask(suites: Sequence[Suite], out: Path) -> list[Done]:
    from equipoise.evals.suite import run_suite

    number = sum(len(suite.parts()) for suite in suites)
    done: list[Done] = []
    for suite in suites:
        for ended in run_suite(suite, out):
            done.append(ended)
            say(f"{len(done)} of {number}: {_told(ended)}")
    return done


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


def _judge_settings(timeout: int, connections: int | None) -> Settings:
    from equipoise.judging.models import settings

    return settings(temperature=0.0, max_tokens=4096, timeout=timeout, connections=connections)


def _budget(most: float | None, prices: Mapping[str, Any], ordered: BoardOrder) -> Any:
    from equipoise.evals.budget import Budget

    return Budget(
        most=most, prices=None, by_model={name: pair for name, pair in prices.items() if name in ordered.judges}
    )


def _judge(
    done: Sequence[Done],
    ordered: BoardOrder,
    asked: Settings,
    budget: Any,
    base_url: str | None,
    makers: Mapping[str, str],
) -> tuple[list[str], bool]:
    """Have every run folder judged; what a reference decides is settled once, where nobody has said, and holds for every system.

    Returns:
        What a reader must know, in sentences, and whether all was judged that could be.
    """
    if not ordered.judges:
        return [NO_JUDGE], True
    from equipoise.boards.judging.categories import CATEGORY_FILE
    from equipoise.boards.judging.criteria import BOARD
    from equipoise.boards.judging.run import SETTLE, judge_run
    from equipoise.judging.models import load_judges
    from equipoise.studies.board_protocol import rubrics_of
    from equipoise.studies.board_scores import CONSTANTS

    models = load_judges(list(ordered.judges), base_url=base_url)
    notes: dict[str, None] = {}
    whole = _settle_scopes(done, ordered, models, asked, budget, makers, notes)
    settled: Path | None = None
    for item in done:
        if item.folder is None or not item.replies:
            continue
        name = f"{item.part.benchmark}, {item.part.model}"
        rubrics = rubrics_of(item.part.benchmark.split(".")[0], ordered)
        categories = item.folder / CATEGORY_FILE
        if settled is not None and item.part.benchmark.startswith(BOARD) and not categories.is_file():
            shutil.copyfile(settled, categories)
        try:
            judged = judge_run(
                item.folder, models, rubrics=rubrics, repeats=ordered.judge_repeats, rule=ordered.rule,  # type: ignore[arg-type]
                budget=budget, settings=asked, keep_own=item.part.model in CONSTANTS, makers=makers,
            )  # fmt: skip
        except EquipoiseError as error:
            notes[f"{name}: not judged: {error}"] = None
            whole = False
            say(f"{name}: not judged: {error}")
            continue
        if categories.is_file():
            settled = settled or categories
        for one in judged:
            _say_judged(name, one)
            if item.part.model not in CONSTANTS:
                notes |= dict.fromkeys(note.replace(SETTLE, "no judge could settle it") for note in one.notes)
            whole = whole and not one.not_made and not one.errors
    return list(notes), whole


def _settle_scopes(
    done: Sequence[Done],
    ordered: BoardOrder,
    models: Mapping[str, Any],
    asked: Settings,
    budget: Any,
    makers: Mapping[str, str],
    notes: dict[str, None],
) -> bool:
    """Settle what references decide before any answer is judged, and give it to every folder: all systems have the same decisions in scope.

    Returns:
        Whether all was asked that could be.
    """
    from equipoise.boards.judging.criteria import BOARD, DECISIONS
    from equipoise.boards.judging.run import settle_scopes
    from equipoise.boards.judging.scoping import share_settled
    from equipoise.studies.board_protocol import rubrics_of

    if DECISIONS not in rubrics_of(BOARD, ordered):
        return True
    boards = [
        (item, item.folder) for item in done if item.folder and item.replies and item.part.benchmark.startswith(BOARD)
    ]
    folders = [folder for _, folder in boards]
    whole = True
    last: tuple[str, ...] = ()
    for item, folder in boards:
        name = f"{item.part.benchmark}, {item.part.model}"
        try:
            share_settled(folders)
            one = settle_scopes(
                folder, models, repeats=ordered.judge_repeats, budget=budget, settings=asked, makers=makers
            )
        except EquipoiseError as error:
            say(f"{name}: scope not settled: {error}")
            notes[f"{name}: scope not settled: {error}"] = None
            whole = False
            continue
        if one is not None:
            _say_judged(name, one)
            last = one.notes
            whole = whole and not one.not_made and not one.errors
    share_settled(folders)
    notes |= dict.fromkeys(last)
    return whole


def _say_judged(name: str, one: RubricDone) -> None:
    bad = sum(one.unreadable.values())
    say(
        f"{name}: {one.rubric}: {one.made} judgements made, {one.there} there already"
        + (f"; {bad} without a verdict" if bad else "")
        + (f"; {one.not_made} not made{f' ({one.stopped})' if one.stopped else ''}" if one.not_made else "")
    )
    for (judge, why), number in one.errors.items():
        say(f"{name}: {one.rubric}: {number} judgements of {judge} came to nothing: {why}")


def _seat_notes(ordered: BoardOrder, makers: Mapping[str, str]) -> list[str]:
    """Who else played at the boards of agents, and judges of their makers, which do not sit out for that."""
    from equipoise.judging.makers import made_by

    seats = [entry.partition("=")[::2] for entry in ordered.board.get("seats") or ()]
    if not seats:
        return []
    played = ", ".join(f"{role.strip()} by {model.strip()}" for role, model in seats)
    found = [
        f"At every board of agents some roles had a model of their own: {played}. The system's name stands for the other roles."
    ]
    for judge in ordered.judges:
        own = made_by(judge, given=makers).makers
        kin = [model.strip() for _, model in seats if made_by(model.strip(), given=makers).makers & own]
        if kin:
            found.append(
                f"{judge} is of the maker of {', '.join(kin)}, which played a role, and judges those boards all the same."
            )
    return found


def _audit(
    protocol: Mapping[str, Any], done: Sequence[Done], labels: Sequence[Label], notes: Sequence[str]
) -> BoardAudit:
    from equipoise.boards.judging.scores import scores_of
    from equipoise.studies.board_audit import board_audit
    from equipoise.studies.board_runs import read_board_part

    parts: dict[tuple[str, str], BoardPart] = {}
    failures: dict[tuple[str, str], str] = {}
    scores: list[ItemScore] = []
    for item in done:
        key = (item.part.benchmark, item.part.model)
        if item.folder is not None and item.replies:
            parts[key] = read_board_part(*key, item.folder)
            scores += [replace(score, system=item.part.model) for score in scores_of(item.folder)]
        else:
            failures[key] = item.failure or "no reply came"
    if not protocol["judges"] and any(score.judge for score in scores):
        notes = [*(note for note in notes if note != NO_JUDGE), JUDGED_LATER]
    return board_audit(protocol, parts, scores, failures, labels=labels, notes=notes)


def _finish(audit: BoardAudit, out: Path, *, html: bool, as_json: bool) -> None:
    from equipoise.report.board import board_page
    from equipoise.report.render import render_page

    page = board_page(audit)
    if html:
        write_text(out / PAGE, render_page(page))
    if as_json:
        print_json(audit.to_dict())
        return
    typer.echo(visible(page.headline))
    for item in page.answers:
        typer.echo(visible(f"{item.name}: {item.value}"))
    for note in page.notes:
        say(f"note: {note}")
    found = audit.agreements
    if found.unmatched or found.ambiguous:
        say(
            f"note: {found.unmatched} labels go with no readable reply that was judged, {found.ambiguous} with several; name system "
            "(as in --model), arm and setting in columns of their own"
        )
    say(f"Measures: {out / AUDIT}" + (f"; report: {out / PAGE}" if html else ""))


def _show_needs(suite: Suite, protocol: Mapping[str, Any], tasks: Mapping[str, Any], *, as_json: bool) -> None:
    from equipoise.cli.evals_stress import needed_by

    rows: list[dict[str, Any]] = []
    for part in suite.parts():
        task = tasks[part.benchmark]
        open_ended = any(word in part.benchmark for word in OPEN_ENDED)
        most = int(suite.settings.get("max_tokens") or task.config.max_tokens)
        needed = needed_by(task, most, suite.prices.get(part.model))
        known = None if open_ended or needed.cost is None else round(needed.cost, 4)
        rows.append(
            {
                "test": part.benchmark,
                "model": part.model,
                "calls_at_most": needed.calls,
                "tokens_in": None if open_ended else needed.tokens_in,
                "tokens_out_at_most": None if open_ended else needed.tokens_out,
                "cost_at_most": known,
            }
        )
    if as_json:
        print_json({"protocol_hash": protocol["protocol_hash"], "parts": rows, "not_run": protocol["not_run"]})
        return
    for row in rows:
        needs = f"at most {row['calls_at_most']} calls"
        if row["tokens_in"] is None:
            needs += next(f"; the tokens of {told}" for word, told in OPEN_ENDED.items() if word in row["test"])
        else:
            cost = "cost not known" if row["cost_at_most"] is None else f"at most {row['cost_at_most']} US dollars"
            needs += f", {row['tokens_in']} tokens of prompts, at most {row['tokens_out_at_most']} of replies, {cost}"
        typer.echo(visible(f"{row['test']}, {row['model']}: {needs}"))
    typer.echo(f"protocol {protocol['protocol_hash']}; calls of judges are not in it")
