"""CIViC as a second, separately named source: read from its evidence TSV without loss, shown beside a verdict, never
deciding one.

CIViC has no field for line, stage, setting or approval, so an item says that a marker and a drug were studied
together and with what result, and no more. Each row of a file is either kept as a `CivicItem` or rejected with a
coded reason. A snapshot also keeps a short record of every row, so that two snapshots can be compared over everything
they hold. Content: CC0-1.0, https://civicdb.org.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from equipoise.cases.facts import TRUE, UNKNOWN, Facts
from equipoise.cases.vocabulary.biomarkers import classes_of
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import words
from equipoise.errors import UpstreamError, UsageError
from equipoise.evidence.civic_profiles import Profile, ProfileError, legacy_profile, parse_profile
from equipoise.evidence.regimens import contains_regimen
from equipoise.ids import bytes_hash

SOURCE = "CIViC"
"""Name of this source wherever it is shown."""

NSCLC_DOIDS: frozenset[str] = frozenset({"3908", "3910", "3907", "4829", "6482"})
"""Non-small cell lung carcinoma, adenocarcinoma, squamous cell carcinoma, adenosquamous and acinar adenocarcinoma
of the lung."""

LUNG_DOIDS: frozenset[str] = frozenset({"1324", "3905"})
"""Lung cancer and lung carcinoma, without saying which."""

PAN_CANCER_DOIDS: frozenset[str] = frozenset({"162"})
"""Cancer of any organ."""

_PAN_CANCER_NAMES = frozenset({"solid tumor", "solid tumors, advanced"})
"""Diseases without a DOID that are not of one organ."""

REJECTIONS: dict[str, str] = {
    "malformed-row": "the row has more or fewer cells than the header",
    "no-id": "the row has no evidence id",
    "duplicate-id": "the evidence id stood in an earlier row",
    "not-accepted": "submitted or rejected, and not accepted by an editor",
    "flagged": "an open flag says that the item is disputed",
    "not-predictive": "the item is about prognosis, diagnosis, predisposition, function or oncogenicity",
    "other-disease": "the disease is neither non-small cell lung cancer, lung cancer, nor cancer of any organ",
    "no-direction": "the item does not say whether it supports its statement",
    "no-significance": "the item does not say what the marker predicts",
    "no-level": "the item has no level from A to E",
    "no-therapy": "the item names no therapy",
    "therapy-unknown": "the drug vocabulary knows none of the therapies, or not every part of a combination",
    "profile-unreadable": "the structure of the molecular profile cannot be read",
    "marker-unknown": "the biomarker vocabulary has no name for what the profile needs",
}
"""Why a row is not kept. The first reason that holds is given, in this order."""

SIGNIFICANCES: dict[str, str] = {
    "Sensitivity": "sensitivity",
    "Sensitivity/Response": "sensitivity",
    "Resistance": "resistance",
    "Resistance or Non-Response": "resistance",
    "Reduced Sensitivity": "reduced-sensitivity",
    "Adverse Response": "adverse-response",
}
"""What a predictive item can say, in the words of every release, and as kept here."""

_RENAMED = {"Sensitivity": "Sensitivity/Response", "Resistance or Non-Response": "Resistance"}
"""Words of older releases that newer ones replaced without a change of meaning."""

_DIRECTIONS = {"Supports": "supports", "Does Not Support": "does-not-support"}
_LEVELS = frozenset("ABCDE")
_REQUIRED = frozenset({"evidence_id", "disease", "doid", "evidence_type", "evidence_direction", "evidence_level"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicItem:
    """One predictive evidence item that can concern a patient with non-small cell lung cancer.

    Attributes:
        evidence_id: EID.
        profile_text: molecular profile as written.
        profile: the same as a tree over marker names.
        disease: as written.
        doid: Disease Ontology number; empty when the source gives none.
        scope: "nsclc", "lung" or "pan-cancer".
        therapies: canonical components in the order of the source.
        unread_therapies: alternatives that the drug vocabulary does not know.
        interaction: "combination", "substitutes", "sequential", "single", or "unstated" for a list of which the
            release does not say how it belongs together.
        direction: "supports" or "does-not-support".
        significance: "sensitivity", "resistance", "reduced-sensitivity" or "adverse-response".
        level: A validated, B clinical, C case study, D preclinical, E inferential: the source's own scale, not that
            of this project.
        rating: 1 to 5 stars; None when not rated.
        statement_hash: first 16 hexadecimal digits of the SHA-256 of the statement; the text itself is not kept.
        citation_id: PubMed identifier or the source's number for an abstract.
        source_type: "PubMed", "ASCO" or "ASH".
        nct: trial identifiers.
        snapshot: identifier of the snapshot.
    """

    evidence_id: int
    profile_text: str
    profile: Profile
    disease: str
    doid: str
    scope: str
    therapies: tuple[str, ...]
    unread_therapies: tuple[str, ...] = ()
    interaction: str
    direction: str
    significance: str
    level: str
    rating: int | None
    statement_hash: str
    citation_id: str
    source_type: str
    nct: tuple[str, ...]
    snapshot: str

    @property
    def markers(self) -> tuple[str, ...]:
        """Marker names in the profile, each once, in order."""
        return tuple(dict.fromkeys(term.marker for term in self.profile.terms() if term.marker))

    @property
    def says(self) -> str:
        """Which list it belongs to: "supporting", "resistance" or "does-not-support"."""
        if self.direction == "does-not-support":
            return "does-not-support"
        return "supporting" if self.significance == "sensitivity" else "resistance"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, as shown beside a verdict."""
        row = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "profile"}
        for name in ("therapies", "unread_therapies", "nct"):
            row[name] = list(row[name])
        row["profile"] = str(self.profile)
        row["says"] = self.says
        row["source"] = SOURCE
        return row


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that was not kept.

    Attributes:
        line: 1-based number of the row in the file, the header being 1; rows with line breaks in a cell count once.
        evidence_id: EID; None when the row has none.
        code: one of `REJECTIONS`.
        detail: the value that decided.
    """

    line: int
    evidence_id: int | None
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicRecord:
    """What a snapshot keeps of every row, for comparison with another one.

    Attributes:
        evidence_id: EID.
        evidence_type: Predictive, Prognostic, Predisposing, Diagnostic, Functional or Oncogenic.
        level: A to E.
        direction: as written; empty for "N/A".
        significance: as written, in the words of the newest release.
        profile: molecular profile as written (gene and variant joined in older releases).
        disease: as written.
        therapies: as written.
        flagged: whether a flag is open; False in releases without that column.
        kept: whether the row became a `CivicItem`.
        statement_hash: hash of the statement.
    """

    evidence_id: int
    evidence_type: str
    level: str
    direction: str
    significance: str
    profile: str
    disease: str
    therapies: str
    flagged: bool
    kept: bool
    statement_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicSnapshot:
    """One release of the evidence table.

    Attributes:
        date: day of the release; None when neither the caller nor the file name says it.
        sha256: hash of the file's bytes.
        columns: names of the columns, in order.
        rows_read: rows below the header.
        items: rows kept, by EID.
        rejections: rows not kept, in the order of the file.
        records: every row with an EID of its own.
    """

    date: dt.date | None
    sha256: str
    columns: tuple[str, ...]
    rows_read: int
    items: tuple[CivicItem, ...]
    rejections: tuple[Rejection, ...]
    records: Mapping[int, CivicRecord]

    @property
    def id(self) -> str:
        """Date and hash: what a verdict cites."""
        return _snapshot_id(self.date, self.sha256)

    @property
    def generation(self) -> str:
        """Which form of the table: "2018", "2020" or "2026"."""
        if "molecular_profile" in self.columns:
            return "2026"
        return "2020" if "citation_id" in self.columns else "2018"

    def counts(self) -> dict[str, Any]:
        """Rows read, kept and rejected by reason; read = kept + rejected."""
        by_code = Counter(item.code for item in self.rejections)
        return {
            "snapshot": self.id,
            "generation": self.generation,
            "rows_read": self.rows_read,
            "rows_kept": len(self.items),
            "rows_rejected": len(self.rejections),
            "rejected": {code: by_code[code] for code in REJECTIONS if by_code[code]},
        }


def _snapshot_id(date: dt.date | None, sha256: str) -> str:
    return f"civic-{date.isoformat() if date else 'undated'}-{sha256[:12]}"


# --- reading ---------------------------------------------------------------------------------------------------------

_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_RELEASE_DAY = re.compile(r"(?<!\d)(\d{2})-([A-Za-z]{3})-(\d{4})(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _day_of_name(name: str) -> dt.date | None:
    found = _ISO_DAY.search(name)
    try:
        if found is not None:
            return dt.date(int(found[1]), int(found[2]), int(found[3]))
        found = _RELEASE_DAY.search(name)
        if found is not None and found[2].lower() in _MONTHS:
            return dt.date(int(found[3]), _MONTHS.index(found[2].lower()) + 1, int(found[1]))
    except ValueError:
        return None
    return None


def read_snapshot(path: str | Path, *, date: dt.date | None = None) -> CivicSnapshot:
    """Read an evidence file.

    Args:
        path: a ClinicalEvidenceSummaries file of any release.
        date: day of the release; by default the day in the file name.

    Raises:
        UsageError: the file cannot be opened or is not UTF-8.
        UpstreamError: it has not the columns of an evidence file.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
    return parse_snapshot(data, date=date or _day_of_name(file.name), name=str(path))


def parse_snapshot(data: bytes, *, date: dt.date | None = None, name: str = "-") -> CivicSnapshot:
    """The same as `read_snapshot`, from the bytes of a file.

    Raises:
        UsageError: the bytes are not UTF-8.
        UpstreamError: they have not the columns of an evidence file.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"expected UTF-8 text, found the byte 0x{data[error.start]:02x}"
        raise UsageError(message, file=name) from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    try:
        header = tuple(next(reader, ()))
        rows = list(reader)
    except csv.Error as error:
        message = f"{name}, line {reader.line_num}: expected tab-separated text: {error}"
        raise UpstreamError(message) from None
    _check_columns(header, name)
    builder = _Builder(header, _snapshot_id(date, sha256 := bytes_hash(data)))
    for number, cells in enumerate(rows, start=2):
        builder.take(number, cells)
    return CivicSnapshot(
        date=date,
        sha256=sha256,
        columns=header,
        rows_read=len(rows),
        items=tuple(sorted(builder.items, key=lambda item: item.evidence_id)),
        rejections=tuple(builder.rejections),
        records=builder.records,
    )


def _check_columns(header: tuple[str, ...], name: str) -> None:
    missing = sorted(_REQUIRED - set(header))
    if "molecular_profile" not in header and not {"gene", "variant"} <= set(header):
        missing.append("molecular_profile (or gene and variant)")
    if missing:
        message = f"{name}: not an evidence table of CIViC, the column {missing[0]} is missing"
        raise UpstreamError(message)


class _RejectedError(Exception):
    """A row is not kept, by code and deciding value."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


def _reject(code: str, detail: str) -> NoReturn:
    raise _RejectedError(code, detail)


class _Builder:
    """Sorts the rows of one file."""

    def __init__(self, header: tuple[str, ...], snapshot: str) -> None:
        self.header = header
        self.snapshot = snapshot
        self.items: list[CivicItem] = []
        self.rejections: list[Rejection] = []
        self.records: dict[int, CivicRecord] = {}

    def take(self, line: int, cells: list[str]) -> None:
        """Keep or reject one row."""
        identifier: int | None = None
        row: dict[str, str] = {}
        item: CivicItem | None = None
        try:
            if len(cells) != len(self.header):
                _reject("malformed-row", f"{len(cells)} cells, {len(self.header)} columns")
            row = {key: value.strip() for key, value in zip(self.header, cells, strict=True)}
            if not row["evidence_id"].isdecimal():
                _reject("no-id", row["evidence_id"])
            identifier = int(row["evidence_id"])
            if identifier in self.records:
                _reject("duplicate-id", str(identifier))
            item = _item(row, identifier, self.snapshot)
            self.items.append(item)
        except _RejectedError as reason:
            self.rejections.append(Rejection(line, identifier, reason.code, reason.detail))
            if identifier is None or reason.code == "duplicate-id":
                return
        self.records[identifier] = _record(row, identifier, kept=item is not None)


def _record(row: Mapping[str, str], identifier: int, *, kept: bool) -> CivicRecord:
    direction = row["evidence_direction"]
    significance = _significance(row)
    return CivicRecord(
        evidence_id=identifier,
        evidence_type=row["evidence_type"],
        level=row["evidence_level"],
        direction="" if direction == "N/A" else direction,
        significance=_RENAMED.get(significance, significance),
        profile=row.get("molecular_profile") or f"{row.get('gene', '')} {row.get('variant', '')}",
        disease=row["disease"],
        therapies=_therapy_text(row),
        flagged=row.get("is_flagged", "false").lower() == "true",
        kept=kept,
        statement_hash=_statement_hash(row),
    )


def _significance(row: Mapping[str, str]) -> str:
    found = row.get("significance", row.get("clinical_significance", ""))
    return "" if found == "N/A" else found


def _therapy_text(row: Mapping[str, str]) -> str:
    return row.get("therapies", row.get("drugs", ""))


def _statement_hash(row: Mapping[str, str]) -> str:
    return bytes_hash(row.get("evidence_statement", "").encode())[:16]


def _item(row: Mapping[str, str], identifier: int, snapshot: str) -> CivicItem:
    """The kept form of a row.

    Raises:
        _RejectedError: by the order of `REJECTIONS`.
    """
    status = row.get("evidence_status", "accepted")
    if status != "accepted":
        _reject("not-accepted", status)
    if row.get("is_flagged", "false").lower() == "true":
        _reject("flagged", "true")
    if row["evidence_type"] != "Predictive":
        _reject("not-predictive", row["evidence_type"])
    scope = _scope(row["disease"], row["doid"])
    if not scope:
        _reject("other-disease", row["disease"])
    direction = _DIRECTIONS.get(row["evidence_direction"])
    if direction is None:
        _reject("no-direction", row["evidence_direction"])
    significance = SIGNIFICANCES.get(_significance(row))
    if significance is None:
        _reject("no-significance", _significance(row))
    if row["evidence_level"] not in _LEVELS:
        _reject("no-level", row["evidence_level"])
    therapies, unread, interaction = _therapies(row)
    text, profile = _profile(row)
    rating = row.get("rating", "")
    return CivicItem(
        evidence_id=identifier,
        profile_text=text,
        profile=profile,
        disease=row["disease"],
        doid=row["doid"],
        scope=scope,
        therapies=therapies,
        unread_therapies=unread,
        interaction=interaction,
        direction=direction,
        significance=significance,
        level=row["evidence_level"],
        rating=int(rating) if rating.isdecimal() else None,
        statement_hash=_statement_hash(row),
        citation_id=row.get("citation_id") or row.get("pubmed_id") or row.get("asco_abstract_id") or "",
        source_type=row.get("source_type") or "PubMed",
        nct=tuple(part.strip() for part in row.get("nct_ids", "").split(",") if part.strip()),
        snapshot=snapshot,
    )


def _scope(disease: str, doid: str) -> str:
    if doid in NSCLC_DOIDS:
        return "nsclc"
    if doid in LUNG_DOIDS:
        return "lung"
    if doid in PAN_CANCER_DOIDS or (not doid and disease.lower() in _PAN_CANCER_NAMES):
        return "pan-cancer"
    return ""


def _profile(row: Mapping[str, str]) -> tuple[str, Profile]:
    text = row.get("molecular_profile", "")
    try:
        if "molecular_profile" in row:
            profile = parse_profile(text)
        else:
            text = f"{row['gene']} {row['variant']}"
            profile = legacy_profile(row["gene"], row["variant"])
    except ProfileError:
        _reject("profile-unreadable", text)
    if not profile.nameable:
        _reject("marker-unknown", text)
    return text, profile


# --- therapies -------------------------------------------------------------------------------------------------------

_OUTSIDE = re.compile(r",(?![^(]*\))")
_REMARK = re.compile(r"\([^()]*\)?")
_ENDINGS = frozenset(
    {"regimen", "hydrochloride", "mesylate", "maleate", "dimaleate", "tosylate", "anhydrous", "compound", "zbco"}
)
_GROUPS: dict[str, tuple[str, ...]] = {
    "epidermal growth factor receptor tyrosine kinase inhibitor": ("egfr-tki",),
    "anti pd1 monoclonal antibody": ("anti-pd1-pdl1",),
    "anti pd l1 monoclonal antibody": ("anti-pd1-pdl1",),
}
"""Names of drug groups in the thesaurus that CIViC uses, and the group here."""


def _therapies(row: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    text = _therapy_text(row)
    names = [part.strip() for part in _OUTSIDE.split(text) if part.strip()]
    if not names:
        _reject("no-therapy", text)
    read = [(name, read_therapy(name)) for name in names]
    unread = tuple(name for name, found in read if not found)
    known = tuple(dict.fromkeys(component for _, found in read for component in found))
    stated = row.get("therapy_interaction_type") or row.get("drug_interaction_type") or ""
    interaction = stated.lower() or ("unstated" if len(names) > 1 else "single")
    if len(names) == 1 and len(known) > 1:
        interaction = "combination"
    if not known or (unread and interaction != "substitutes"):
        _reject("therapy-unknown", text)
    return known, unread, interaction


def read_therapy(name: str) -> tuple[str, ...]:
    """The canonical components of one therapy name; empty when the drug vocabulary does not know all of it.

    Stricter than the reading of a recommendation: no word or number may be left over, because "IPI-504" is not
    ipilimumab.
    """
    plain = _REMARK.sub(" ", name)
    tokens = words(plain)
    while len(tokens) > 1 and tokens[-1] in _ENDINGS:
        tokens.pop()
    group = _GROUPS.get(" ".join(tokens))
    if group is not None:
        return group
    if "/" in plain:
        parts = [read_therapy(part) for part in re.sub(r"\s+regimen\s*$", "", plain, flags=re.IGNORECASE).split("/")]
        if all(parts):
            return tuple(component for part in parts for component in part)
    if len(tokens) > 1 and tokens[-1] in ("inhibitor", "inhibitors") and (found_group := _component(tokens[:-1], 0)):
        return found_group
    for start in range(2 if tokens[:1] == ["adjuvant"] else 1):
        components = _component(tokens, start)
        if components:
            return components
    return ()


def _component(tokens: list[str], start: int) -> tuple[str, ...]:
    """The components that the tokens from `start` on name as a whole; empty when they do not."""
    found = lexicon().table.match(tokens, start) if start < len(tokens) else None
    if found is not None and found[0].role == "component" and start + found[1] == len(tokens):
        return found[0].components
    return ()


# --- what concerns a case --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicView:
    """What CIViC holds for the markers of a case and a regimen. It is shown; it decides nothing.

    Attributes:
        snapshot: identifier of the snapshot.
        supporting: items that say the marker predicts response to the regimen or a part of it.
        resistance: items that say it predicts resistance, less response or an adverse response.
        does_not_support: items whose study did not bear their statement out, inconclusive ones included.
    """

    snapshot: str
    supporting: tuple[CivicItem, ...] = ()
    resistance: tuple[CivicItem, ...] = ()
    does_not_support: tuple[CivicItem, ...] = ()

    @property
    def conflicting(self) -> bool:
        """Whether items speak on both sides; both are always shown."""
        return bool(self.supporting) and bool(self.resistance or self.does_not_support)

    @property
    def silent(self) -> bool:
        """Whether there is no item at all: "not in CIViC" is not "no evidence"."""
        return not (self.supporting or self.resistance or self.does_not_support)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "source": SOURCE,
            "snapshot": self.snapshot,
            "conflicting": self.conflicting,
            "silent": self.silent,
            "supporting": [item.to_dict() for item in self.supporting],
            "resistance": [item.to_dict() for item in self.resistance],
            "does_not_support": [item.to_dict() for item in self.does_not_support],
        }


def civic_for(snapshot: CivicSnapshot, markers: Facts | Iterable[str], regimen: Iterable[str]) -> CivicView:
    """What a snapshot holds for a case and a regimen.

    Args:
        snapshot: the snapshot.
        markers: the facts of a case, or names of markers that are present.
        regimen: canonical components of the recommendation.

    Returns:
        Items whose profile is present and whose therapy is the regimen or a part of it: best level first, then stars,
        then EID. A combination must be contained as a whole, and so must a list of which the release does not say how
        it belongs together; of substitutes and sequences one part is enough.
    """
    read = markers.marker if isinstance(markers, Facts) else _present(markers)
    components = frozenset(regimen)
    lists: dict[str, list[CivicItem]] = {"supporting": [], "resistance": [], "does-not-support": []}
    for item in snapshot.items:
        if concerns(item, components) and item.profile.state(read) == TRUE:
            lists[item.says].append(item)
    for found in lists.values():
        found.sort(key=lambda item: (item.level, -(item.rating or 0), item.evidence_id))
    return CivicView(
        snapshot=snapshot.id,
        supporting=tuple(lists["supporting"]),
        resistance=tuple(lists["resistance"]),
        does_not_support=tuple(lists["does-not-support"]),
    )


def _present(names: Iterable[str]) -> Any:
    present: set[str] = set()
    for name in names:
        present.add(name)
        present |= classes_of(name)
    return lambda name: TRUE if name in present else UNKNOWN


def concerns(item: CivicItem, components: frozenset[str]) -> bool:
    """Whether the therapy of an item is a regimen or a part of it."""
    if item.interaction in ("combination", "unstated"):
        return contains_regimen(item.therapies, components) is not None
    return any(contains_regimen((name,), components) is not None for name in item.therapies)


def conflicting_pairs(snapshot: CivicSnapshot, *, scope: str = "nsclc") -> dict[tuple[str, str], tuple[CivicItem, ...]]:
    """Profile and therapy for which the source holds items on both sides, with the items.

    Args:
        snapshot: the snapshot.
        scope: scope of the items that count.
    """
    groups: dict[tuple[str, str], list[CivicItem]] = {}
    for item in snapshot.items:
        if item.scope == scope:
            joint = " / " if item.interaction == "substitutes" else " + "
            groups.setdefault((str(item.profile), joint.join(sorted(item.therapies))), []).append(item)
    return {
        key: tuple(found)
        for key, found in sorted(groups.items())
        if any(item.says == "supporting" for item in found) and any(item.says != "supporting" for item in found)
    }


# --- two snapshots ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CivicChange:
    """One field of one evidence item that differs.

    Attributes:
        evidence_id: EID.
        field: "level", "direction", "significance" or "flagged".
        before: value in the older snapshot.
        after: value in the newer one.
        profile: molecular profile in the newer one.
        therapies: therapies in the newer one.
        relevant: whether either snapshot keeps the item for this tumor.
    """

    evidence_id: int
    field: str
    before: str
    after: str
    profile: str
    therapies: str
    relevant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicDiff:
    """What changed between two snapshots, over every row of both.

    Attributes:
        old: identifier of the older snapshot.
        new: identifier of the newer one.
        appeared: records only in the newer one.
        vanished: records only in the older one.
        changes: fields that differ, by EID.
    """

    old: str
    new: str
    appeared: tuple[CivicRecord, ...]
    vanished: tuple[CivicRecord, ...]
    changes: tuple[CivicChange, ...]

    def of(self, field: str, *, relevant: bool | None = None) -> tuple[CivicChange, ...]:
        """Changes of one field, all of them or only those of kept (or of other) items."""
        return tuple(
            item for item in self.changes if item.field == field and (relevant is None or item.relevant is relevant)
        )

    def counts(self) -> dict[str, Any]:
        """Counts of everything, and of what is kept for this tumor."""
        names = ("level", "direction", "significance", "flagged")
        return {
            "appeared": len(self.appeared),
            "vanished": len(self.vanished),
            **{f"{name}_changed": len(self.of(name)) for name in names},
            "relevant": {
                "appeared": sum(item.kept for item in self.appeared),
                "vanished": sum(item.kept for item in self.vanished),
                **{f"{name}_changed": len(self.of(name, relevant=True)) for name in names},
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "source": SOURCE,
            "old": self.old,
            "new": self.new,
            "counts": self.counts(),
            "appeared": [asdict(item) for item in self.appeared],
            "vanished": [asdict(item) for item in self.vanished],
            "changes": [asdict(item) for item in self.changes],
        }


def diff_snapshots(old: CivicSnapshot, new: CivicSnapshot) -> CivicDiff:
    """Compare two snapshots.

    Words that a newer release replaced without a change of meaning ("Sensitivity" by "Sensitivity/Response") are not
    a change.
    """
    changes: list[CivicChange] = []
    for identifier in sorted(old.records.keys() & new.records.keys()):
        before, after = old.records[identifier], new.records[identifier]
        changes.extend(
            CivicChange(
                evidence_id=identifier,
                field=name,
                before=str(getattr(before, name)),
                after=str(getattr(after, name)),
                profile=after.profile,
                therapies=after.therapies,
                relevant=before.kept or after.kept,
            )
            for name in ("level", "direction", "significance", "flagged")
            if getattr(before, name) != getattr(after, name)
        )
    return CivicDiff(
        old=old.id,
        new=new.id,
        appeared=tuple(new.records[key] for key in sorted(new.records.keys() - old.records.keys())),
        vanished=tuple(old.records[key] for key in sorted(old.records.keys() - new.records.keys())),
        changes=tuple(changes),
    )
