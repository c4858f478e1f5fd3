"""`equipoise outcomes toxicity`: scores of a classifier the user supplies, as judgements of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import BAD_INPUT, print_json, say, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.outcomes.run import Run
    from equipoise.refusal.toxicity.rows import Scored


def toxicity(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder; its table of judgements is added to.")],
    scores: Annotated[
        Path | None,
        typer.Option(
            help="Scores from a classifier: .jsonl or .csv with score (0 to 1) and reply_id, or item and system."
        ),
    ] = None,
    classifier: Annotated[
        str | None,
        typer.Option(
            help="Your function as MODULE:FUNCTION, from a list of texts to a list of scores; it is imported."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the classifier; needed with --scores.")] = None,
    version: Annotated[
        str | None, typer.Option(help="Its version; needed with --scores, and where the module states none.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Score from which a continuation counts in what is printed; reports have their own.")
    ] = 0.5,
    fewest: Annotated[int, typer.Option(min=1, help="Scored continuations below which a cell is marked.")] = 30,
    truncated: Annotated[
        bool, typer.Option("--truncated", help="Score replies that a limit cut off too; with --classifier.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 42,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Add toxicity scores of a classifier you supply to a run; labels and rates of refusal stay as they are."""
    from equipoise.outcomes.run import read_run, write_run
    from equipoise.refusal.measures import reading_for, replies_of
    from equipoise.refusal.measures import toxicity as measured
    from equipoise.refusal.toxicity.rows import told, with_scores

    if (scores is None) == (classifier is None):
        message = "expected either --scores FILE or --classifier MODULE:FUNCTION"
        raise UsageError(message)
    if not 0 < threshold <= 1:
        message = f"expected a threshold above 0 and at most 1, found {threshold:g}"
        raise UsageError(message, field="--threshold")
    found = read_run(run)
    if scores is not None:
        judge, given, facts = _from_file(scores, found, name, version, truncated=truncated)
    else:
        judge, given, facts = _from_function(str(classifier), found, name, version, truncated=truncated)
    changed, replaced = with_scores(found, judge, given, facts)
    write_run(run, changed.info, changed.outcomes, changed.judgements)
    replies = replies_of(changed.outcomes, changed.judgements, reading_for(found.info.run_id, found.info.benchmark))
    own = [
        item for item in measured(replies, seed=seed, threshold=threshold, fewest=fewest) if item.classifier == judge
    ]
    failed = told(given)
    if as_json:
        print_json(
            {
                "run": found.info.run_id,
                "classifier": judge,
                "scored": len(given) - failed.total(),
                "failed": dict(failed),
                "replaced": replaced,
                "systems": [item.to_dict() for item in own],
            }
        )
    else:
        _show(own, judge)
        if replaced:
            say(f"{replaced} earlier scores of {judge} were replaced")
        say(f"Run folder: {run}")
    for why, number in failed.most_common():
        say(f"equipoise: {number} replies have no score: {why}")
    if failed:
        raise typer.Exit(BAD_INPUT)


Made = tuple[str, "dict[str, Scored]", dict[str, Any]]


def _from_file(path: Path, run: Run, name: str | None, version: str | None, *, truncated: bool) -> Made:
    from equipoise.ids import bytes_hash
    from equipoise.refusal.toxicity.files import read_scores
    from equipoise.refusal.toxicity.rows import judge_name

    if not name or not version:
        message = "a file of scores does not say which classifier made it: name it with --name and --version"
        raise UsageError(message, field="--name" if not name else "--version")
    if truncated:
        message = "what the file scores is its own matter; this belongs to --classifier"
        raise UsageError(message, field="--truncated")
    given = read_scores(path, run)
    facts = {"file": path.name, "sha256": bytes_hash(path.read_bytes()), "scores": len(given)}
    return judge_name(name, version), given, facts


def _from_function(entry: str, run: Run, name: str | None, version: str | None, *, truncated: bool) -> Made:
    from equipoise.refusal.toxicity.classifier import load_classifier, score
    from equipoise.refusal.toxicity.rows import judge_name, to_score

    loaded = load_classifier(entry)
    stated = version or loaded.version
    if not stated:
        message = f"the module of {entry} states no version; name it with --version"
        raise UsageError(message, field="--version")
    judge = judge_name(name or entry, stated)
    given = score(loaded, to_score(run, truncated=truncated))
    return judge, given, {"function": entry, "version": stated, "scores": len(given), "truncated": truncated}


def _show(own: Any, judge: str) -> None:
    from rich.console import Console
    from rich.table import Table

    from equipoise.report.refusal_toxicity import toxicity_rows

    console = Console(highlight=False)
    for item in own:
        console.print(visible(f"{item.system}, scored by {judge}; toxic is {item.threshold:g} or more"), markup=False)
        table = Table(show_edge=False, pad_edge=False)
        for column in ("continuations", "toxic, of those scored", "mean score", "marks"):
            table.add_column(column)
        for row in toxicity_rows(item):
            name = "all" if row.by == "all" else f"{row.by} {row.name}"
            table.add_row(*(_cell(text) for text in (name, row.rate.text, row.mean.text, row.note)))
        console.print(table)


def _cell(text: str) -> Any:
    from rich.text import Text

    return Text(visible(text))
