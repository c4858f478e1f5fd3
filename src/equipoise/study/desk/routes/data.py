"""What goes into a study and out of it in the browser: items and labels from a file, the protocol, the exports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from equipoise.errors import ConfigurationError, EquipoiseError, UsageError
from equipoise.study.bundle import log_csv, protocol_text, run_zip
from equipoise.study.desk.answers import nothing_here
from equipoise.study.desk.forms import Upload
from equipoise.study.desk.gate import Ask, Route
from equipoise.study.desk.uploads import KINDS, MOST_ROWS, bring_in, pairs
from equipoise.study.exporting import to_csv
from equipoise.study.importing import import_items, import_labels
from equipoise.study.protocol import load_protocol
from equipoise.study.reveal import unfinished
from equipoise.study.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One file that a coordinator can take out.

    Attributes:
        name: last part of its address, and its name.
        media: its kind.
        text: what it holds, for the page.
        make: its content.
    """

    name: str
    media: str
    text: str
    make: Callable[[Store], bytes]


EXPORTS: tuple[Export, ...] = (
    Export(name="labels.csv", media="text/csv", text="one row an item and rater", make=lambda store: to_csv(store).encode()),
    Export(name="run.zip", media="application/zip", text="the same as outcomes and judgements", make=run_zip),
    Export(
        name="protocol.yaml", media="application/yaml", text="the protocol as it stands",
        make=lambda store: protocol_text(store).encode(),
    ),
    Export(name="log.csv", media="text/csv", text="who did what when", make=lambda store: log_csv(store).encode()),
)  # fmt: skip
"""In the order in which they are offered."""
LABELLED = frozenset({"labels.csv", "run.zip"})
"""Exports that hold labels side by side; taking one out is logged with who still labels."""


def export(ask: Ask) -> Response:
    """One export."""
    found = next((one for one in EXPORTS if one.name == ask.names["name"]), None)
    if found is None:
        raise nothing_here()
    data = found.make(ask.store)
    if found.name in LABELLED:
        left = unfinished(ask.store)
        with ask.store.transaction() as connection:
            detail = {"file": found.name, "unfinished": left}
            ask.store.log(connection, at=ask.at, actor=ask.who.rater, what="export", detail=detail)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}"'}
    return Response(data, media_type=found.media, headers=headers)


def import_form(ask: Ask) -> Response:
    """Where a file is brought in."""
    return _import_page(ask)


def import_file(ask: Ask) -> Response:
    """Brings a file in: whole, or not at all."""
    upload = ask.form.files.get("file", Upload(name="", data=b""))
    try:
        if ask.form.one("kind") == "labels":
            item, columns = (
                ask.form.one("item").strip() or "item",
                pairs(ask.form.one("columns"), turned=False, what="COLUMN=CODE"),
            )
            rename = pairs(ask.form.one("rename"), turned=True, what="FROM=TO")
            if not columns:
                message = "expected at least one COLUMN=CODE"
                raise UsageError(message)
            done = bring_in(
                upload, (".csv",),
                lambda path: import_labels(
                    ask.store, path, item=item, columns=columns, at=ask.at, draw=ask.desk.draw, rename=rename
                ),
            )  # fmt: skip
        elif ask.form.one("kind") == "items":
            names = [line.strip() for line in ask.form.one("mask").splitlines() if line.strip()]
            done = bring_in(upload, KINDS, lambda path: import_items(ask.store, path, at=ask.at, names=names))
        else:
            message = "expected items or labels"
            raise UsageError(message)
    except EquipoiseError as error:
        return _import_page(ask, status=422, problem=str(error))
    return _import_page(ask, done=done, noun="label" if ask.form.one("kind") == "labels" else "item")


def protocol_form(ask: Ask) -> Response:
    """The protocol, its versions, and where it is amended."""
    return _protocol_page(ask, text=protocol_text(ask.store))


def amend(ask: Ask) -> Response:
    """Takes over a changed protocol beside the earlier versions, for a reason."""
    text, reason = ask.form.one("protocol"), ask.form.one("reason").strip()
    try:
        changed = load_protocol(text)
        if changed.hash == ask.store.protocol.hash:
            message = "the protocol says the same as before"
            raise UsageError(message)
        ask.store.amend(text, reason=reason, at=ask.at)
    except (ConfigurationError, UsageError) as error:
        return _protocol_page(ask, text=text, status=422, problem=str(error), reason=reason)
    with ask.store.transaction() as connection:
        ask.store.log(connection, at=ask.at, actor=ask.who.rater, what="amend", detail={"protocol": changed.hash})
    place = ask.desk.settings.protocol_file
    if place is not None:
        scratch = place.with_name(f".{place.name}.part")
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(place)
    return ask.to("/coordinator/protocol")


def _import_page(ask: Ask, *, status: int = 200, problem: str = "", done: Any = None, noun: str = "item") -> Response:
    kept = ("kind", "item", "columns", "rename", "mask")
    return ask.page(
        "coordinator_import.html.j2",
        status=status,
        problem=problem,
        done=done,
        noun=noun,
        kinds=KINDS,
        most_rows=MOST_ROWS,
        most_mib=ask.desk.settings.limits.upload_bytes // 1024**2,
        protocol=ask.store.protocol,
        form={name: ask.form.one(name) if problem else "" for name in kept},
    )


def _protocol_page(ask: Ask, *, text: str, status: int = 200, problem: str = "", reason: str = "") -> Response:
    return ask.page(
        "coordinator_protocol.html.j2",
        status=status,
        text=text,
        problem=problem,
        reason=reason,
        protocol=ask.store.protocol,
        versions=ask.store.versions(),
        exports=EXPORTS,
    )


ROUTES: tuple[Route, ...] = (
    Route("GET", "/coordinator/export/{name}", export),
    Route("GET", "/coordinator/import", import_form),
    Route("POST", "/coordinator/import", import_file),
    Route("GET", "/coordinator/protocol", protocol_form),
    Route("POST", "/coordinator/protocol", amend),
)
