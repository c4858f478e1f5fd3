"""`equipoise study`: a blinded labelling study from its protocol to its agreement report."""

from __future__ import annotations

import datetime as dt
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.common import print_json, say, visible, write_text
from equipoise.cli.study_serve import serve
from equipoise.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from equipoise.study.analysis import StudyAnalysis
    from equipoise.study.store import Store

app = typer.Typer(
    help="Blinded expert labelling: protocol, items, raters, labels, adjudication, agreement.", no_args_is_help=True
)

app.command("serve")(serve)

PROTOCOL, DATABASE = "protocol.yaml", "study.sqlite"
VARIABLE = "EQUIPOISE_STUDY_DATABASE"

Folder = Annotated[Path, typer.Argument(metavar="STUDY", help="Folder of the study.")]
Url = Annotated[
    str | None,
    typer.Option(
        "--database",
        envvar=VARIABLE,
        show_envvar=True,
        help=f"URL of the database; {DATABASE} in the folder by default.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
Others = Annotated[list[Path] | None, typer.Option("--with", help="Run of a model or agent on the same items.")]
Unblind = Annotated[
    str, typer.Option(help="Show agreement before raters have finished, for this reason; it is logged.")
]


@app.command("init")
def init(
    folder: Annotated[
        Path | None, typer.Argument(metavar="STUDY", help="Folder of the study; without it, the templates.")
    ] = None,
    template: Annotated[str, typer.Option(help="Shipped protocol to begin from, or list.")] = "list",
    protocol: Annotated[Path | None, typer.Option(help="Begin from a protocol of your own.")] = None,
    amend: Annotated[
        str, typer.Option(help="Take over a protocol changed after labels were given, for this reason.")
    ] = "",
    database: Url = None,
) -> None:
    """Begin a study: a folder with its protocol and an empty database. --amend takes over a changed protocol."""
    from equipoise.outcomes.readers import read_text
    from equipoise.study.protocol import read_protocol
    from equipoise.study.shipped import TEMPLATES
    from equipoise.study.shipped import template as shipped
    from equipoise.study.store import create_store, open_store

    if folder is None or (protocol is None and template == "list" and not amend):
        wide = max(len(item.id) for item in TEMPLATES)
        for item in TEMPLATES:
            typer.echo(f"{item.id:<{wide}}  {item.purpose}")
        say("Begin with: equipoise study init STUDY --template NAME")
        return
    if amend:
        with open_store(_place(folder, database)) as store:
            changed = store.amend(read_text(folder / PROTOCOL), reason=amend, at=_now())
        typer.echo(f"Protocol {changed.hash} stands beside the earlier ones.")
        return
    text = shipped(template).text if protocol is None else read_text(protocol)
    if protocol is not None:
        read_protocol(protocol)
    if (folder / PROTOCOL).exists():
        message = f"the folder has a {PROTOCOL}; name another folder"
        raise UsageError(message, file=str(folder))
    _make(folder)
    with create_store(_place(folder, database), text, at=_now()) as store:
        write_text(folder / PROTOCOL, text)
        typer.echo(visible(f"{folder / PROTOCOL}: {store.protocol.title}. Protocol {store.protocol.hash}."))
    typer.echo("Change it until it says what you mean; after the first label every change needs a reason.")


@app.command("import")
def import_(
    folder: Folder,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines, JSON, CSV, or a run folder.")],
    labels: Annotated[bool, typer.Option("--labels", help="The file holds labels given elsewhere, not items.")] = False,
    item: Annotated[str, typer.Option(help="Labels: column with the item's id.")] = "item",
    rater: Annotated[list[str] | None, typer.Option(help="Labels: COLUMN=RATER, once a rater.")] = None,
    rename: Annotated[list[str] | None, typer.Option(help="Labels: FROM=TO, what a label is called here.")] = None,
    join: Annotated[Path | None, typer.Option(help="Run: JSON lines with more fields of its items.")] = None,
    mask: Annotated[list[str] | None, typer.Option(help="A further name that is masked in replies.")] = None,
    database: Url = None,
    as_json: Json = False,
) -> None:
    """Bring in items (cases, replies of a run, rows) or labels that were given elsewhere."""
    from equipoise.study.importing import import_items, import_labels

    with _open(folder, database) as store:
        if labels:
            columns = _pairs(rater or [], "--rater", "COLUMN=RATER")
            if not columns:
                message = "expected at least one COLUMN=RATER"
                raise UsageError(message, field="--rater")
            done = import_labels(
                store, path, item=item, columns=columns, at=_now(), draw=secrets.token_urlsafe,
                rename=_pairs(rename or [], "--rename", "FROM=TO"),
            )  # fmt: skip
        else:
            done = import_items(store, path, at=_now(), join=join, names=mask or ())
    noun = "label" if labels else "item"
    if as_json:
        told = {"kind": noun, "new": done.new, "known": done.known, "masked": done.masked}
        print_json(told | {"left_out": dict(done.left_out)})
        return
    typer.echo(f"{done.new} {noun}{'' if done.new == 1 else 's'} added, {done.known} were there.")
    if done.masked:
        typer.echo(f"Places where a source named itself, masked: {done.masked}.")
    for why, count in done.left_out.items():
        typer.echo(visible(f"Not taken: {count} ({why})."))


@app.command("raters")
def raters_(
    folder: Folder,
    add: Annotated[
        list[str] | None, typer.Option(help="Add a rater under this code, which should name nobody.")
    ] = None,
    adjudicator: Annotated[list[str] | None, typer.Option(help="Add an adjudicator under this code.")] = None,
    coordinator: Annotated[list[str] | None, typer.Option(help="Add a coordinator under this code.")] = None,
    link: Annotated[
        list[str] | None, typer.Option(help="Print a new personal link of this person, once; earlier ones end.")
    ] = None,
    base_url: Annotated[str, typer.Option(help="Address of the desk, put before printed links.")] = "",
    days: Annotated[int, typer.Option(help="How long printed links hold.", min=1, max=3650)] = 60,
    password: Annotated[
        str | None, typer.Option(help="Set this person's password, read from the terminal or standard input.")
    ] = None,
    assign: Annotated[bool, typer.Option("--assign", help="Draw every rater's queue as the protocol says.")] = False,
    personal: Annotated[str | None, typer.Option(help="Print everything kept about this rater, as JSON.")] = None,
    forget: Annotated[str | None, typer.Option(help="Delete this rater's personal data; the labels stay.")] = None,
    database: Url = None,
    as_json: Json = False,
) -> None:
    """Add people, give links and passwords, draw queues, give out or delete personal data, list everybody with progress."""
    from equipoise.cli.study_access import give_password, print_links
    from equipoise.study import raters as people
    from equipoise.study.planning import assign_all

    with _open(folder, database) as store:
        named = (("rater", add), ("adjudicator", adjudicator), ("coordinator", coordinator))
        for role, codes in ((role, given or []) for role, given in named):
            for code in codes:
                people.add_rater(store, code, at=_now(), role=role)
        if forget is not None:
            people.forget(store, forget, at=_now())
        if assign:
            assign_all(store, draw=secrets.token_urlsafe, at=_now())
        if password is not None:
            give_password(store, password, at=_now())
        if link:
            print_links(store, link, days=days, base_url=base_url, at=_now())
        if link or password is not None:
            return
        if personal is not None:
            print_json(people.personal_data(store, personal))
            return
        states = store.states()
        rows = []
        for rater in people.raters(store):
            given = [states[item.public].standing(store.protocol) for item in store.assignments(rater.code)]
            counts = {
                name: sum(str(found) == name for found in given) for name in ("complete", "skipped", "partial", "open")
            }
            rows.append(
                {"rater": rater.code, "role": rater.role, "forgotten": rater.forgotten, "items": len(given), **counts}
            )
    if as_json:
        print_json(rows)
        return
    _table(("rater", "role", "items", "complete", "skipped", "partial", "open"), rows, left=2)


@app.command("adjudicate")
def adjudicate(
    folder: Folder,
    item: Annotated[str | None, typer.Argument(help="Item that is decided; without it, what is to be decided.")] = None,
    value: Annotated[str, typer.Option(help="The label.")] = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    by: Annotated[str, typer.Option(help="Code of the third rater, or consensus.")] = "consensus",
    code: Annotated[str, typer.Option(help="Reason code of the decision, such as line-or-setting.")] = "",
    agreed: Annotated[list[str] | None, typer.Option(help="Code of a rater who agrees with it.")] = None,
    hand_out: Annotated[
        bool, typer.Option("--hand-out", help="Hand the disagreements to the adjudicators, who decide in the browser.")
    ] = False,
    database: Url = None,
    as_json: Json = False,
) -> None:
    """List the disagreements, sides without names, hand them to adjudicators, or write down a decision."""
    from equipoise.study.adjudication import decide, disagreements
    from equipoise.study.thirds import hand_out as hand

    with _open(folder, database) as store:
        if hand_out:
            done = hand(store, draw=secrets.token_urlsafe, at=_now())
            typer.echo(f"{done.new} handed out.")
            if done.left:
                say(f"Left: {done.left}, for which there is no adjudicator who did not label the item.")
            return
        if item is not None:
            made = decide(store, item, value, reason=reason, by=by, agreed=agreed or (), at=_now(), code=code)
            typer.echo(visible(f"{made.item}: {made.value}, decided by {made.by}."))
            return
        found = disagreements(store)
    if as_json:
        print_json(
            [
                {
                    "item": one.item,
                    "sides": [
                        {
                            "side": side.letter,
                            "label": side.label,
                            "answers": dict(side.answers),
                            "comment": side.comment,
                        }
                        for side in one.sides
                    ],
                }
                for one in found
            ]
        )
        return
    for one in found:
        typer.echo(visible(one.item))
        for side in one.sides:
            typer.echo(visible(f"  {side.letter}: {side.label}{f' - {side.comment}' if side.comment else ''}"))
    say(f"{len(found)} to decide.")


@app.command("export")
def export(
    folder: Folder,
    run: Annotated[Path | None, typer.Option(help="Write the labels as a run folder here.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Write the labels as CSV here, safe to open in a spreadsheet.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier export in the run folder.")
    ] = False,
    database: Url = None,
) -> None:
    """Write the labels as a run folder (outcomes and judgements) and as CSV."""
    from equipoise.study.exporting import export_run, to_csv

    if run is None and csv is None:
        message = "expected --run FOLDER or --csv FILE"
        raise UsageError(message)
    with _open(folder, database) as store:
        if run is not None:
            export_run(store, run, at=_now(), overwrite=overwrite)
            say(f"Run: {run}")
        if csv is not None:
            write_text(csv, to_csv(store))
            say(f"CSV: {csv}")


@app.command("agreement")
def agreement(
    folder: Folder, others: Others = None, unblind: Unblind = "", database: Url = None, as_json: Json = False
) -> None:
    """Agreement as the protocol fixed it: per label and overall, who against whom, where raters differ."""
    found = _analysis(folder, database, others or [], unblind)
    if as_json:
        print_json(found.to_dict())
        return
    _show(found)


@app.command("report")
def report(
    folder: Folder,
    html: Annotated[Path, typer.Option(help="Write the page here.")],
    others: Others = None,
    unblind: Unblind = "",
    database: Url = None,
) -> None:
    """The analysis as a page that needs nothing else."""
    from equipoise.report.render import render_page
    from equipoise.report.study import study_page

    found = _analysis(folder, database, others or [], unblind)
    write_text(html, render_page(study_page(found.to_dict())))
    say(f"Report: {html}")


def _analysis(folder: Path, database: str | None, others: list[Path], unblind: str) -> StudyAnalysis:
    from equipoise.outcomes.run import read_run
    from equipoise.study.analysis import analyse
    from equipoise.study.exporting import study_run
    from equipoise.study.reveal import require_revealed

    runs = [read_run(path) for path in others]
    with _open(folder, database) as store:
        require_revealed(store, at=_now(), unblind=unblind)
        return analyse(study_run(store, at=_now()), store.protocol, others=runs)


def _open(folder: Path, database: str | None) -> Store:
    """The study, under the protocol of its folder: a change before the first label is taken over, a later one refused."""
    from equipoise.outcomes.readers import read_text
    from equipoise.study.protocol import load_protocol
    from equipoise.study.store import open_store

    store = open_store(_place(folder, database))
    text = read_text(folder / PROTOCOL)
    wanted = load_protocol(text, file=str(folder / PROTOCOL))
    if wanted.hash != store.protocol.hash:
        if any(state.number for state in store.states().values()):
            store.close()
            message = (
                f"{folder / PROTOCOL} was changed after labels were given ({store.protocol.hash} is now {wanted.hash}); "
                f"restore it, or take it over with: equipoise study init {folder} --amend REASON"
            )
            raise ConfigurationError(message)
        store.amend(text, reason="before the first label", at=_now())
        say(f"Protocol {wanted.hash} taken over; no label was given yet.")
    return store


def open_study(folder: Path, database: str | None) -> Store:
    """The study of a folder, for the other commands that need one; see `_open`."""
    return _open(folder, database)


def _place(folder: Path, database: str | None) -> str | Path:
    return database or folder / DATABASE


def _now() -> str:
    return dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder cannot be made: {error.strerror}"
        raise UsageError(message, file=str(folder)) from None


def _pairs(given: list[str], option: str, form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, sign, value = text.rpartition("=") if option == "--rater" else text.partition("=")
        if not sign or not name or not value or name in found:
            message = f"expected {form}, each once; got {text!r}"
            raise UsageError(message, field=option)
        found[name] = value
    return found


def _table(columns: tuple[str, ...], rows: list[dict[str, Any]], *, left: int = 1, title: str | None = None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=120)
    table = Table(show_edge=False, pad_edge=False, title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(str(row[name]))) for name in columns))
    console.print(table)


def _show(found: StudyAnalysis) -> None:
    from equipoise.report.study import study_page

    page = study_page(found.to_dict())
    typer.echo(visible(page.title))
    typer.echo(visible(page.sentence))
    for title, rows in (
        ("agreement", page.overall),
        ("label against all others", page.by_label),
        ("other questions", page.by_question),
    ):
        if rows:
            told = [
                {"name": row.name, "agree": row.percent.text, "kappa": row.kappa.text, "AC1": row.ac1.text}
                for row in rows
            ]
            _table(("name", "agree", "kappa", "AC1"), told, title=title)
    told = [{"kind": row.kind, "which": row.name, "raters differ": row.rate.text} for row in page.where]
    if told:
        _table(("kind", "which", "raters differ"), told, left=2, title="where raters differ")
    told = [
        {"whose": row.system, "against": row.basis, "equal": row.percent.text, "kappa": row.kappa.text}
        for row in page.against
    ]
    if told:
        _table(("whose", "against", "equal", "kappa"), told, left=2, title="against the reference and the consensus")
    for text in page.notes:
        typer.echo(visible(f"note: {text}"))
