"""From a pack to the page that is printed and signed."""

from __future__ import annotations

from equipoise._version import __version__
from equipoise.benchmarks.openmtb.run import BENCHMARK as OPENMTB
from equipoise.ids import bytes_hash
from equipoise.outcomes.schema import ReplyState
from equipoise.pack.build import PAGE, Pack
from equipoise.pack.catalogue import Standard, questions
from equipoise.pack.gates import Held
from equipoise.pack.items import PackItem, Question, Status
from equipoise.pack.known import FIELDS
from equipoise.pack.manifest import MANIFEST
from equipoise.pack.results import RATES
from equipoise.report.comparison import NAMES, compared_row
from equipoise.report.comparison import sentence as comparison_sentence
from equipoise.report.contexts import Fact
from equipoise.report.evaluation_contexts import PairSection
from equipoise.report.gatepage import gate_page, sentence
from equipoise.report.numbers import count
from equipoise.report.pack_contexts import (
    AnomalyRow,
    ChangeRow,
    CountRow,
    FileRow,
    HeldSection,
    MeasureRow,
    OpenRow,
    PackPage,
    StandardRow,
    StandardSection,
)
from equipoise.report.plots import states
from equipoise.report.result_contexts import ShownRate
from equipoise.report.wording import BADGES

MOST_ANOMALIES = 60
"""Replies that differ, on the page; pack.json names more."""

HASH_SHOWN = 12
"""Hexadecimal digits of a hash in place of a reply."""

SIGNS: tuple[str, ...] = ("prepared by", "clinical reviewer", "quality or regulatory affairs", "released by")
"""Who signs."""

STYLES: dict[Status, str] = {
    Status.FILLED: "clear",
    Status.PERSON: "fired",
    Status.NOT_APPLICABLE: "not-assessed",
}
"""Border of a status; the word says it too."""

_DATA = ("data.", "ref.")
_CONFIGURATION = (
    "run.", "env.", "model.", "gen.", "prompt.", "reply.", "judge.", "protocol.", "evidence", "policy", "as_of",
    "jurisdiction", "cost.",
)  # fmt: skip


def pack_page(pack: Pack) -> PackPage:
    """The page of a pack.

    Args:
        pack: made by `build.make_pack`.
    """
    numbers = {item.key: place for place, item in enumerate(pack.form, start=1)}
    files = {name: place for place, name in enumerate(sorted(pack.files), start=1)}
    stored = pack.tree.values
    return PackPage(
        title=f"Evidence pack: {pack.product}",
        head=_head(pack),
        report_id=pack.digest,
        counts=tuple(_count(pack, item) for item in pack.standards),
        signs=SIGNS,
        held=tuple(_held(pack, item) for item in pack.held),
        held_absent="" if pack.held else "No protocol was named, so nothing is decided here.",
        sentence=pack.page.sentence if pack.page else "",
        pair=pack.page.pair if pack.page else None,
        states=states("states", _states(pack)),
        standing=pack.page.standing if pack.page else (),
        measures=_measures(pack),
        pairs=pack.page.pairs if pack.page else (),
        judgements=tuple(_open(item, numbers) for item in pack.form if item.key in questions()),
        unstored=tuple(_open(item, numbers) for item in pack.form if item.key not in questions()),
        data=tuple(
            Fact(words, stored[path].text if path in stored else _not_stored(numbers.get(path)))
            for path, words in FIELDS.items()
            if path.startswith(_DATA)
        ),
        configuration=tuple(
            Fact(words, stored[path].text)
            for path, words in FIELDS.items()
            if path in stored and path.startswith(_CONFIGURATION)
        ),
        anomalies=_anomalies(pack),
        anomalies_text=_anomalies_text(pack),
        soup=_soup(pack),
        soup_text=f"Python packages {pack.packages.origin}; the same list in CycloneDX form is sbom.json.",
        changes=tuple(ChangeRow(FIELDS[path], then, now) for path, then, now in pack.changed.facts)
        if pack.changed
        else (),
        change_pairs=_change_pairs(pack),
        change_text=_change_text(pack),
        standards=tuple(_section(pack, item, numbers, files) for item in pack.standards),
        files=tuple(FileRow(number, name, bytes_hash(pack.files[name])) for name, number in files.items()),
        commands=_commands(pack),
    )


def _not_stored(number: int | None) -> str:
    return "not stored" if number is None else f"not stored; form {number}"


def _head(pack: Pack) -> tuple[Fact, ...]:
    version = pack.tree.get("product.version")
    infos = [item.run.info for item in pack.sources]
    newest = max(info.created_at for info in infos)
    return (
        Fact("product", pack.product),
        Fact("version", version.text if version else "not recorded; see the form"),
        Fact("kind of evaluation", pack.stage.value),
        Fact("benchmarks", ", ".join(dict.fromkeys(info.benchmark for info in infos))),
        Fact("runs", ", ".join(info.run_id for info in infos)),
        Fact("dated by its newest run" if pack.created_at == newest else "date", pack.created_at),
        Fact("hash over the evidence", pack.digest),
        Fact("made with", f"equipoise {__version__}"),
    )


def _count(pack: Pack, standard: Standard) -> CountRow:
    counts = pack.counts(standard.id)
    return CountRow(
        _anchor(standard.id), standard.title, standard.version, counts[Status.FILLED], counts[Status.PERSON],
        counts[Status.NOT_APPLICABLE], standard.verified.value,
    )  # fmt: skip


def _anchor(standard: str) -> str:
    return f"standard-{standard}"


def _held(pack: Pack, held: Held) -> HeldSection:
    assert pack.protocol is not None
    notes = list(held.result.warnings)
    if held.baseline:
        notes.append(f"margins compare with {held.baseline}, of the last pack")
    return HeldSection(
        f"{held.part.shown} held against {held.result.protocol}, {held.result.protocol_hash}",
        sentence(held.result),
        tuple(notes),
        gate_page(held.result, pack.protocol).requirements,
    )


def _states(pack: Pack) -> list[tuple[str, dict[str, int]]]:
    found = []
    for part in pack.parts:
        own = part.run.outcomes.column("state").to_pylist()
        found.append((part.shown, {state.value: own.count(state.value) for state in ReplyState}))
    return found


def _measures(pack: Pack) -> tuple[MeasureRow, ...]:
    """Rates of the runs whose benchmark has no page of its own here."""
    benchmark = {part.shown: part.run.info.benchmark for part in pack.parts}
    rates = {measure.id for measure in RATES}
    stored = pack.tree.get("metrics")
    rows = stored.value if stored else []
    return tuple(
        MeasureRow(
            row["system"],
            benchmark[row["system"]],
            NAMES.get(row["name"], row["name"]),
            ShownRate(row["name"], row["text"], row["n_used"], row["n_left_out"]),
        )
        for row in rows
        if benchmark[row["system"]] != OPENMTB and (row["name"] in rates or "text" in row)
    )


def _open(question: Question, numbers: dict[str, int]) -> OpenRow:
    by: dict[str, list[str]] = {}
    for title, name in question.items:
        by.setdefault(title, []).append(name.rpartition("/")[2])
    where = "; ".join(f"{title}: {', '.join(dict.fromkeys(names))}" for title, names in by.items())
    return OpenRow(numbers[question.key], question.text, where)


def _anomalies(pack: Pack) -> tuple[AnomalyRow, ...]:
    stored = pack.tree.get("misses")
    rows = stored.value["rows"] if stored else []
    first = ("false approval", "approval without information", "over-refusal")
    ordered = sorted(rows, key=lambda row: (first.index(row["kind"]) if row["kind"] in first else len(first)))
    return tuple(
        AnomalyRow(
            row["item"],
            row["system"],
            row["reference"],
            BADGES.get(row["reference"], ""),
            row["answer"] or "",
            BADGES.get(row["answer"] or "", ""),
            row["kind"],
            row["excerpt"] or f"not quoted; SHA-256 {row['reply_sha256'][:HASH_SHOWN]}",
        )
        for row in ordered[:MOST_ANOMALIES]
    )


def _anomalies_text(pack: Pack) -> str:
    stored = pack.tree.get("misses")
    if stored is None:
        return f"Not assessed: {pack.tree.reasons.get('misses', 'nothing is stored')}."
    total, shown = stored.value["total"], min(stored.value["total"], MOST_ANOMALIES)
    if not total:
        return f"None of {count(stored.value['of'], 'reply', 'replies')} with a reference differs from it."
    more = "" if shown == total else f" {shown} are shown, the gravest kinds first; pack.json names more."
    return f"{total} of {count(stored.value['of'], 'reply', 'replies')} with a reference differ from it.{more}"


def _soup(pack: Pack) -> tuple[Fact, ...]:
    models = pack.tree.get("model.name")
    rows = [Fact("models", models.text)] if models else []
    return (*rows, *(Fact(name, ", ".join(versions)) for name, versions in pack.packages.versions.items()))


def _change_pairs(pack: Pack) -> tuple[PairSection, ...]:
    if pack.changed is None:
        return ()
    return tuple(
        PairSection(
            f"A: {name}, now; B: {name}, then",
            comparison_sentence(result),
            "",
            tuple(compared_row(rate) for rate in result.rates),
        )
        for name, result in pack.changed.comparisons
    )


def _change_text(pack: Pack) -> str:
    if pack.changed is None:
        return "No earlier pack was named, so no change is told."
    apart = "".join(f" {text[0].upper()}{text[1:]}." for text in pack.changed.apart)
    differ = count(len(pack.changed.facts), "watched fact") if pack.changed.facts else "No watched fact"
    verb = "differs" if len(pack.changed.facts) < 2 else "differ"
    return f"{differ} {verb} from the pack with hash {pack.changed.previous}.{apart}"


def _section(pack: Pack, standard: Standard, numbers: dict[str, int], files: dict[str, int]) -> StandardSection:
    rows = [item for item in pack.items if item.standard == standard.id]
    reasons = {item.reason if item.status is Status.NOT_APPLICABLE else "" for item in rows}
    reason = reasons.pop() if len(reasons) == 1 else ""
    return StandardSection(
        _anchor(standard.id),
        standard.title,
        standard.version,
        standard.address,
        f"Identifiers checked against: {standard.verified.value} ({standard.checked}).",
        f"{reason[0].upper()}{reason[1:]}." if reason else "",
        tuple(_row(item, standard, numbers, files) for item in rows),
    )


def _row(item: PackItem, standard: Standard, numbers: dict[str, int], files: dict[str, int]) -> StandardRow:
    return StandardRow(
        item.id,
        item.topic,
        item.status.value,
        STYLES[item.status],
        tuple(Fact(FIELDS[path], text) for path, text in item.value.items()),
        item.reason,
        tuple(numbers[key] for key in item.questions),
        tuple(sorted(files[name] for name in item.files)),
        "" if item.verified is standard.verified else item.verified.value,
    )


def _commands(pack: Pack) -> tuple[str, ...]:
    stored = [item.run.info.environment.get("command") for item in pack.sources]
    runs = [text if isinstance(text, str) else "not recorded" for text in stored]
    names = " ".join(item.name for item in pack.sources)
    options = " --protocol protocol.yaml" if pack.protocol else ""
    again = f"equipoise pack {names}{options} -o NEW-FOLDER"
    return (
        *dict.fromkeys(runs),
        again,
        f"equipoise pack --verify FOLDER   (or: sha256sum -c {MANIFEST}; {PAGE} is in it)",
    )
