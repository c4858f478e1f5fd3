"""`equipoise board curate`: from a folder of transcripts to board cases, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.common import UNDECIDED, print_json, say, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.boards.curation.runner import StageReport

NAMES_ARE_SENT = (
    "The model is sent the transcripts as they are, names of patients included: use one that may see them. "
    "Identifiers are replaced in stage 11, after it."
)


def curate(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of the transcripts (.vtt, .srt, WhisperX .json); beside NAME.vtt may stand NAME.roles.yaml or .csv, "
            "NAME.cases.yaml, NAME.slides.json or .csv, NAME.names.txt; names.txt, screen.yaml, scrub.yaml and splits.json for all.",
        ),
    ],
    model: Annotated[
        str | None, typer.Option(help="Language model as PROVIDER/MODEL; without one nothing is asked.")
    ] = None,
    replies: Annotated[
        list[Path] | None,
        typer.Option(
            help="Stored replies, JSON lines with stage, unit and reply; may be repeated; count before a model."
        ),
    ] = None,
    only: Annotated[str | None, typer.Option(help="Run this stage alone, done or not.")] = None,
    start: Annotated[str | None, typer.Option("--from", help="Run all from this stage on, done or not.")] = None,
    again: Annotated[
        bool, typer.Option("--ask-again", help="Ask the model anew what it has answered already.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write the built cases here too.")] = None,
    status: Annotated[bool, typer.Option("--status", help="Show where every stage stands; run nothing.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the splits.")] = 42,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the model.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a reply at most.")] = 4096,
    max_connections: Annotated[int, typer.Option(min=1, help="Calls at a time.")] = 4,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a reply, all tries together.")] = 600,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="US dollars, after which nothing more is asked; needs prices.")
    ] = None,
    price_in: Annotated[float | None, typer.Option(min=0, help="US dollars per million tokens of the prompt.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="The same of the reply.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Curate board cases from recordings; what is done is not done again, and nothing a model writes goes in unchecked."""
    from equipoise.boards.curation.asker import Settings, read_replays
    from equipoise.boards.curation.project import STAGES
    from equipoise.boards.curation.runner import State, states, unused
    from equipoise.boards.curation.runner import curate as run
    from equipoise.boards.curation.stages.build import CASES
    from equipoise.boards.curation.store import write_private
    from equipoise.evals.budget import Budget, prices

    if only and start:
        message = "expected --only or --from, found both"
        raise UsageError(message, field="--only")
    if status:
        reports = states(folder, seed=seed)
    else:
        settings = Settings(
            model=model or "",
            base_url=base_url,
            temperature=temperature,
            max_tokens=max_tokens,
            timeout=timeout,
            connections=max_connections,
            again=again,
        )
        budget = Budget(most=max_cost, prices=prices(price_in, price_out))
        if model and not as_json:
            say(NAMES_ARE_SENT)
        replays = read_replays(replies or [])
        reports = run(
            folder,
            settings=settings,
            replays=replays,
            budget=budget,
            only=only,
            start=start,
            seed=seed,
        )
        if idle := unused(folder, replays):
            say(f"note: {idle} stored replies are for a stage or unit that was not asked; look at their stage and unit")
    build = reports[-1]
    built = folder / STAGES / build.folder / CASES
    ready = build.state in (State.DONE, State.OPEN) and built.is_file()
    if out is not None and ready:
        write_private(out, built.read_text(encoding="utf-8"))
    if as_json:
        print_json({"stages": [report.to_dict() for report in reports], "cases": str(built) if ready else None})
    else:
        _show(reports, asked=bool(model))
        if ready:
            say(f"{build.kept} cases: {out or built}")
        say(
            f"What was left out, with reasons: {folder / STAGES}/*/rejects.jsonl. The stages' folders and keys hold what was said, names "
            "included: keep them where the recordings are kept."
        )
        say(
            "A model proposed, rules checked; a person has to read the cases before they are used. Not a medical device."
        )
    asked_for = [report for report in reports if only is None or report.ran]
    if not status and any(report.state is not State.DONE for report in asked_for):
        raise typer.Exit(UNDECIDED)


def _show(reports: Sequence[StageReport], *, asked: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_edge=False, pad_edge=False)
    for column in ("stage", "state", "in", "kept", "left out, by reason"):
        table.add_column(column, overflow="fold", justify="right" if column in ("in", "kept") else "left")
    for report in reports:
        state = report.state.value + ("" if report.ran else ", as before" if report.unit else "")
        rejected = ", ".join(f"{reason} {count}" for reason, count in report.rejected.items())
        cells = (
            report.folder,
            state,
            f"{report.entered} {report.unit}" if report.unit else "",
            str(report.kept) if report.unit else "",
            rejected,
        )
        table.add_row(*(Text(visible(cell)) for cell in cells))
    Console().print(table)
    for report in reports:
        for note in report.notes:
            say(f"note: {report.stage}: {note}")
    waiting = [report.stage for report in reports if report.open]
    if waiting and asked:
        say(f"Open, because not every call gave a reply: {', '.join(waiting)}. Run again to ask what is missing.")
    elif waiting:
        say(
            f"Open, because there was no model and no stored reply: {', '.join(waiting)}. Name one with --model or --replies."
        )
