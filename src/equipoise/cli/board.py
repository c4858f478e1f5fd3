"""`equipoise board`: files of tumor-board discussions, and what published results can tell apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import board_judge
from equipoise.cli.common import BAD_INPUT, print_json, say, visible, write_text
from equipoise.errors import InputError, UsageError

if TYPE_CHECKING:
    from equipoise.boards.measures.process import Process
    from equipoise.boards.model import BoardCase
    from equipoise.boards.published import Band
    from equipoise.boards.reading import Loaded

app = typer.Typer(help="Discussions of tumor boards: read them, measure them, compare boards.", no_args_is_help=True)

app.command("judge")(board_judge.judge)
app.command("released")(board_judge.released)


def _readers() -> Mapping[str, Callable[[Path], Loaded[Any]]]:
    """Reader by name of a format, in the order shown."""
    from equipoise.boards.formats import gi_wide, hospital, manifests, opentumorboard, orchestrator, own

    return {
        "board": own.read_cases,
        "task1": opentumorboard.read_task1,
        "task2": opentumorboard.read_task2,
        "manifest": manifests.read_manifest,
        "slides-index": opentumorboard.read_slide_index,
        "hospital": hospital.read_hospital,
        "gi-wide": gi_wide.read_gi_wide,
        "queries": orchestrator.read_queries,
        "tbfact-facts": orchestrator.read_facts,
        "tbfact-summary": orchestrator.read_tbfact_summary,
    }


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(help="A file of a board, or a folder of an OpenTumorBoard release.")],
    form: Annotated[
        str,
        typer.Option(
            "--as",
            help="board (own form), task1, task2, manifest, slides-index, hospital, gi-wide, queries, tbfact-facts or tbfact-summary; "
            "a folder is read as a release.",
        ),
    ] = "board",
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Read a file and list every fault with its line; the rows without one are counted, and nothing is written."""
    if file.is_dir():
        parts, notes = _release(file)
    else:
        readers = _readers()
        if form not in readers:
            message = f"expected one of {', '.join(readers)}; found {form!r}"
            raise UsageError(message, field="--as")
        loaded = readers[form](file)
        parts, notes = {form: loaded}, []
    problems = [str(problem) for part in parts.values() for problem in part.problems]
    if form == "board" and not file.is_dir():
        more, shared = _splits_of(parts[form].items, file)
        problems += more
        notes += shared
    notes += [note for part in parts.values() for note in part.notes]
    if as_json:
        counts = {name: len(part.items) for name, part in parts.items()}
        print_json({"read": counts, "problems": problems, "notes": notes})
    else:
        for name, part in parts.items():
            typer.echo(visible(f"{name}: {len(part.items)} read, {len(part.problems)} not"))
    for problem in problems:
        say(f"equipoise: {problem}")
    for note in notes:
        say(f"note: {note}")
    if problems:
        raise typer.Exit(BAD_INPUT)


def _splits_of(cases: Sequence[BoardCase], file: Path) -> tuple[list[str], list[str]]:
    """A recording in two splits, which is an error, and case texts in two, which a reader has to judge."""
    from equipoise.boards.formats.splits import enforce_splits, shared_texts

    shared = shared_texts((case.id, case.split, case.text) for case in cases)
    try:
        enforce_splits(((case.recording, case.split) for case in cases), file=str(file))
    except InputError as error:
        return [str(error)], list(shared)
    return [], list(shared)


def _release(folder: Path) -> tuple[dict[str, Loaded[Any]], list[str]]:
    from equipoise.boards.formats.opentumorboard import read_release

    found = read_release(folder)
    notes = [*(f"{name} is not there" for name in found.missing), *found.shared]
    return {"cases": found.cases, "questions": found.questions}, notes


@app.command("demo")
def demo(
    out: Annotated[Path, typer.Option(help="File to write, JSON lines in the own form.")] = Path("board-demo.jsonl"),
) -> None:
    """Write the invented board cases of the package to a file."""
    from equipoise.boards.demo import demo_cases
    from equipoise.boards.formats.own import write_cases

    cases = demo_cases()
    write_text(out, write_cases(cases))
    meetings = len({case.recording for case in cases})
    typer.echo(visible(f"{len(cases)} invented cases of {meetings} meetings: {out}"))
    say("Written from public sources, not reviewed by a clinician; not a medical device and no advice.")


@app.command("ranks")
def ranks(
    setting: Annotated[str, typer.Option(help="board (Board Simulation) or turn (Specialist Turn).")] = "board",
    arm: Annotated[str, typer.Option(help="images or captions; the arms are never one ranking.")] = "images",
    judge: Annotated[str, typer.Option(help="released (Qwen3.8) or other (Qwen3.6).")] = "released",
    failures: Annotated[str, typer.Option(help="floored (as published) or scored-only.")] = "floored",
    spread: Annotated[list[float] | None, typer.Option(help="Assumed spread of scores; may be repeated.")] = None,
    correlation: Annotated[
        list[float] | None, typer.Option(help="Assumed correlation between systems; may be repeated.")
    ] = None,
    cluster_correlation: Annotated[
        list[float] | None, typer.Option(help="Assumed correlation within a recording; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Say which places of the published OpenTumorBoard results can be told apart, over a band of assumptions."""
    from equipoise.boards import published
    from equipoise.boards.vocabulary import Arm

    tables = {"board": published.BOARD, "turn": published.TURN}
    if setting not in tables:
        message = f"expected board or turn, found {setting!r}"
        raise UsageError(message, field="--setting")
    if arm not in {item.value for item in Arm}:
        message = f"expected images or captions, found {arm!r}"
        raise UsageError(message, field="--arm")
    band = published.ranks_over_band(
        tables[setting],
        arm=Arm(arm),
        judge=judge,
        failures=failures,
        spreads=tuple(spread or published.SPREADS),
        correlations=tuple(correlation or published.CORRELATIONS),
        cluster_correlations=tuple(cluster_correlation or published.CLUSTER_CORRELATIONS),
    )
    if as_json:
        print_json(band.to_dict())
    else:
        _show_band(band)


def _show_band(band: Band) -> None:
    from rich.console import Console
    from rich.table import Table

    typer.echo(
        f"OpenTumorBoard, {band.setting}, {band.arm}, {band.judge} judge, failures {band.failures}, n = {band.n}"
    )
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("system", overflow="fold")
    for column in ("mean", "place", "places, best case", "places, all"):
        table.add_column(column, justify="right")
    for row in band.rows:
        table.add_row(visible(row.name), f"{row.mean:.3f}", str(row.rank), _places(row.narrow), _places(row.wide))
    Console().print(table)
    pairs = len(band.always) + len(band.depends) + len(band.never)
    typer.echo(
        f"of {pairs} pairs: {len(band.always)} separable throughout, {len(band.depends)} in part of the band, "
        f"{len(band.never)} nowhere"
    )
    typer.echo(
        f"assumed, since none is published: spread {_values(band.spreads)}; correlation between systems "
        f"{_values(band.correlations)}; within a recording {_values(band.cluster_correlations)} ({band.recordings} recordings)"
    )
    typer.echo(
        f"standard error of a difference {band.errors[0]:.3f} to {band.errors[1]:.3f}; {band.method}; hash {band.hash}"
    )


def _places(span: tuple[int, int]) -> str:
    return str(span[0]) if span[0] == span[1] else f"{span[0]} to {span[1]}"


def _values(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


@app.command("measure")
def measure(
    file: Annotated[Path, typer.Argument(help="Cases with a discussion: own form, or task1 with its discussion.")],
    form: Annotated[str, typer.Option("--as", help="board (own form) or task1.")] = "board",
    expect: Annotated[
        list[str] | None, typer.Option(help="A role that should speak in every case, such as surgeon; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a case.")] = False,
) -> None:
    """Measure discussions by rules over words: roles, decisions in another's field, lost dissent, repetition, consistency."""
    from equipoise.boards.measures.process import measure_discussion
    from equipoise.boards.vocabulary import role_of

    if form not in ("board", "task1"):
        message = f"expected board or task1, found {form!r}"
        raise UsageError(message, field="--as")
    roles = []
    for name in expect or ():
        role = role_of(name)
        if role is None:
            message = f"there is no role {name!r}"
            raise UsageError(message, field="--expect")
        roles.append(role)
    loaded = _readers()[form](file)
    without = [case.id for case in loaded.items if not case.turns]
    hashes = {case.id: case.hash for case in loaded.items}
    found = {
        case.id: measure_discussion(
            case.turns,
            case.conclusion.text if case.conclusion else "",
            expected_roles=roles,
            labelled=case.conclusion.dissent if case.conclusion else (),
        )
        for case in loaded.items
        if case.turns
    }
    if as_json:
        for name, item in found.items():
            print_json({"case": name, "case_hash": hashes[name]} | item.to_dict())
    else:
        _show_measures(found)
        say("Rules over words: they screen a discussion and do not replace a reader. Not a medical device.")
    for problem in loaded.problems:
        say(f"equipoise: {problem}")
    if without:
        say(f"note: {len(without)} cases have no discussion and were not measured")
    if loaded.problems:
        raise typer.Exit(BAD_INPUT)


def _show_measures(found: Mapping[str, Process]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_edge=False, pad_edge=False)
    for column in ("case", "turns", "silent roles", "in another's field", "dissent", "repeats", "in conclusion only"):
        table.add_column(column, overflow="fold")
    for name, item in found.items():
        lost = sum(one.lost for one in item.dissent)
        cells = (
            name,
            str(item.turns),
            ", ".join(item.missing_roles),
            ", ".join(f"{one.turn}: {one.role.value} on {one.field.value}" for one in item.breaches),
            f"{len(item.dissent)}, {lost} lost" if item.dissent else "",
            ", ".join(one.turn for one in item.repetitions),
            ", ".join((*item.unmentioned, *(f"{word} (decided otherwise)" for word in item.turned_around))),
        )
        table.add_row(*(_cell(text) for text in cells))
    Console().print(table)


def _cell(text: str) -> Any:
    from rich.text import Text

    return Text(visible(text))


@app.command("transcript")
def transcript(
    file: Annotated[Path, typer.Argument(help="A transcript: .vtt, .srt, or .json of WhisperX.")],
    roles: Annotated[
        Path | None, typer.Option(help="Your corrected roles: YAML lines speaker: role, or CSV with these columns.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the turns here, JSON lines with the number of the case.")
    ] = None,
) -> None:
    """Read a transcript, cut it into cases by rule, and say what is broken, unnamed or overlapping."""
    from equipoise.boards.curation.roles import read_roles
    from equipoise.boards.curation.segment import segment_cases
    from equipoise.boards.curation.store import write_private
    from equipoise.boards.curation.transcripts import merge_turns, read_transcript
    from equipoise.boards.reading import to_line

    loaded = read_transcript(file)
    speakers = list(dict.fromkeys(cue.speaker for cue in loaded.items))
    known = read_roles(roles, speakers=speakers) if roles else {}
    turns = merge_turns(loaded.items, roles=known, join=False)
    found = segment_cases(turns)
    typer.echo(
        f"{len(loaded.items)} cues read, {len(loaded.problems)} not; {len(speakers)} speakers; {len(found.cases)} "
        f"case{'' if len(found.cases) == 1 else 's'}; {len(found.before)} cues before the first"
    )
    for place, case in enumerate(found.cases, start=1):
        typer.echo(visible(f"case {place}: {case.first} to {case.last}"))
    typer.echo(visible("speakers: " + ", ".join(f"{name} ({known.get(name, 'no role')})" for name in speakers)))
    if out is not None:
        starts = {case.first: place for place, case in enumerate(found.cases, start=1)}
        rows, number = [], 0
        for turn in turns:
            number = starts.get(turn.id, number)
            row = {"case": number, "id": turn.id, "speaker": turn.speaker, "role": turn.role.value}
            rows.append(to_line(row | {"start": turn.start, "end": turn.end, "text": turn.text}))
        write_private(out, "".join(rows))
        say(f"{len(rows)} turns, with everything that was said: {out}")
    for problem in loaded.problems:
        say(f"equipoise: {problem}")
    for note in (*loaded.notes, *found.notes):
        say(f"note: {note}")
    if loaded.problems:
        raise typer.Exit(BAD_INPUT)
