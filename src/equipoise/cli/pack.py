"""`equipoise pack`: the evidence pack of some runs, and a later look at whether it is as it was made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.common import GATE_FAILED, say, visible
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.pack.catalogue import Stage


def pack(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN...", help="Run folders; with --verify, packs.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder to write, new, empty or a pack.")] = None,
    system: Annotated[
        str | None, typer.Option(help="System the pack is about; the first that is not constant by default.")
    ] = None,
    protocol: Annotated[
        Path | None, typer.Option(help="Protocol fixed beforehand that the runs of the product are held against.")
    ] = None,
    previous: Annotated[
        Path | None, typer.Option(help="The last pack; tells what changed, and is what margins compare with.")
    ] = None,
    stage: Annotated[
        str,
        typer.Option(help="Kind of evaluation: offline, live-use or trial. Standards of another kind do not apply."),
    ] = "offline",
    created_at: Annotated[
        str | None, typer.Option("--created-at", help="Date and time of the pack; that of the newest run by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the intervals.")] = 42,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check packs against their manifests; 1 if a file differs.")
    ] = False,
) -> None:
    """Build the evidence pack of runs: what they stored laid out by standard, and a form for what people write."""
    if not folders:
        message = "expected at least one folder: runs, or packs with --verify"
        raise UsageError(message, field="RUN")
    if verify:
        _verify(folders)
        return
    if out is None:
        message = "expected the folder to write"
        raise UsageError(message, field="--out")
    from equipoise.pack.build import make_pack, write_pack
    from equipoise.pack.items import Status
    from equipoise.pack.manifest import MANIFEST
    from equipoise.pack.page import pack_page
    from equipoise.report.render import render_page

    made = make_pack(
        folders,
        product=system,
        stage=_stage(stage),
        protocol=protocol,
        previous=previous,
        created_at=_moment(created_at),
        seed=seed,
    )
    write_pack(made, render_page(pack_page(made)), out)
    wide = max(len(item.title) for item in made.standards)
    for item in made.standards:
        counts = made.counts(item.id)
        told = ", ".join(f"{counts[status]:>3} {status.value}" for status in Status)
        typer.echo(visible(f"{item.title:<{wide}}  {told}"))
    typer.echo(
        visible(f"{len(made.form)} questions for people stand in the form; hash over the evidence {made.digest}")
    )
    typer.echo(f"SHA-256 of {MANIFEST}: {_digest(out)}")
    say(f"Pack: {out}")


def _verify(folders: list[Path]) -> None:
    from equipoise.pack.manifest import read_manifest, verify

    differs = False
    for folder in folders:
        found = verify(folder)
        for line in found:
            typer.echo(visible(f"{folder}: {line}"))
        if not found:
            number = len(read_manifest(folder))
            typer.echo(visible(f"{folder}: {number} files as in the manifest, whose SHA-256 is {_digest(folder)}"))
        differs = differs or bool(found)
    if differs:
        raise typer.Exit(GATE_FAILED)


def _digest(folder: Path) -> str:
    """Hash of the manifest, for a reader to hold against what was written on paper."""
    from equipoise.ids import bytes_hash
    from equipoise.pack.manifest import MANIFEST

    return bytes_hash((folder / MANIFEST).read_bytes())


def _stage(text: str) -> Stage:
    from equipoise.pack.catalogue import Stage

    try:
        return Stage(text.replace("-", " "))
    except ValueError:
        known = ", ".join(item.value.replace(" ", "-") for item in Stage)
        message = f"expected one of {known}; got {text!r}"
        raise UsageError(message, field="--stage") from None


def _moment(text: str | None) -> str | None:
    import datetime as dt

    if text is None:
        return None
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        message = f"expected an ISO date, with a time if wanted, got {text!r}"
        raise UsageError(message, field="--created-at") from None
    return text
