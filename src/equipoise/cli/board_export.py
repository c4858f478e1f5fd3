"""`equipoise board export`: training rows of a set of board cases, with train and test apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from equipoise.cli.common import BAD_INPUT, say, visible, write_text
from equipoise.errors import UsageError


def export(
    file: Annotated[Path, typer.Argument(help="Cases in the own form (JSON lines), all splits in one file.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON lines; its manifest is written beside it.")],
    kind: Annotated[
        str, typer.Option("--as", help="sft (chat messages with the recorded answer) or reward (four decisions).")
    ] = "sft",
    split: Annotated[str, typer.Option(help="train or validation; test is never exported for training.")] = "train",
    setting: Annotated[str, typer.Option(help="board, turn or both; reward rows are only made of boards.")] = "both",
    form: Annotated[str, typer.Option("--from", help="Form of the file: board (own form) or task1.")] = "board",
    split_by: Annotated[
        str | None, typer.Option(help="recording: put recordings into splits where the file has none.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of --split-by.")] = 42,
    scale: Annotated[str, typer.Option(help="Scale of the reward: 1-5 or 0-5.")] = "1-5",
    scope_by: Annotated[
        str,
        typer.Option(
            help="Who says which decisions the reference takes; without it the author, or the model of the curation."
        ),
    ] = "",
    licence: Annotated[str, typer.Option(help="Licence of the set, in your words; needed for curated sets.")] = "",
    consent: Annotated[
        str, typer.Option(help="On what basis the recordings may be used; needed for curated sets.")
    ] = "",
    allow_unscrubbed: Annotated[
        bool, typer.Option("--allow-unscrubbed", help="Export curated cases whose identifiers were not scrubbed.")
    ] = False,
    accept_unread: Annotated[
        bool,
        typer.Option("--accept-unread", help="Export curated cases of which no person has read the scrubbed texts."),
    ] = False,
) -> None:
    """Write training rows of one split; refused where a recording, a case text or an answer of another split would be trained on."""
    from equipoise.boards.exports.separation import split_of
    from equipoise.boards.exports.training import SETTINGS, Kind, export_training, with_splits
    from equipoise.boards.formats import opentumorboard, own
    from equipoise.boards.measures.decisions import SCALE_0_5, SCALE_1_5

    _one_of(kind, ("sft", "reward"), "--as")
    _one_of(setting, ("both", *SETTINGS), "--setting")
    _one_of(form, ("board", "task1"), "--from")
    _one_of(scale, ("1-5", "0-5"), "--scale")
    if split_by is not None:
        _one_of(split_by, ("recording",), "--split-by")
    loaded = own.read_cases(file) if form == "board" else opentumorboard.read_task1(file)
    for problem in loaded.problems:
        say(f"equipoise: {problem}")
    if loaded.problems:
        say(
            "equipoise: nothing was written: whether train and test are apart is only known when every case can be read"
        )
        raise typer.Exit(BAD_INPUT)
    cases = loaded.items if split_by is None else with_splits(loaded.items, seed=seed)
    made = export_training(
        cases,
        cast("Kind", kind),
        split=split_of(split),
        source_sha256=loaded.sha256,
        settings=SETTINGS if setting == "both" else (setting,),
        scale=SCALE_1_5 if scale == "1-5" else SCALE_0_5,
        scope_by=scope_by,
        licence=licence,
        consent=consent,
        allow_unscrubbed=allow_unscrubbed,
        accept_unread=accept_unread,
        file=str(file),
    )
    if not made.rows:
        message = f"no case of the split {split} gives a row"
        raise UsageError(message, file=str(file))
    manifest = dict(made.manifest) | {"split_by": split_by, "seed": seed if split_by else None}
    write_text(out, made.text)
    beside = out.with_name(f"{out.name}.manifest.json")
    write_text(beside, json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    recordings = len(made.manifest["recordings"])
    typer.echo(
        visible(f"{len(made.rows)} {kind} rows of {made.manifest['cases']} cases from {recordings} recordings: {out}")
    )
    typer.echo(visible(f"manifest: {beside}"))
    for name, reason in made.left_out:
        say(f"note: {name} gives no row: {reason}")
    if made.manifest["not_scrubbed"]:
        say(f"note: {len(made.manifest['not_scrubbed'])} curated cases were not scrubbed of identifiers")
    if not made.manifest["held_back_recordings"]:
        say(
            "note: the file holds no case of another split, so nothing could be held apart; export from the file with all splits"
        )
    if made.manifest["not_read_by_a_person"]:
        count = len(made.manifest["not_read_by_a_person"])
        say(f"note: identifiers of {count} curated cases were replaced by a program and not read by a person")
    if not licence:
        say("note: no licence was given; the manifest says so")


def _one_of(value: str, allowed: tuple[str, ...], field: str) -> None:
    if value not in allowed:
        message = f"expected {' or '.join(allowed)}, found {value!r}"
        raise UsageError(message, field=field)
