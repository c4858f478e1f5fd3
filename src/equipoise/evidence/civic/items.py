"""What is kept of CIViC: items, rejected rows, a short record of every row, and the snapshot that holds them."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from equipoise.evidence.civic.rejection import REJECTIONS
from equipoise.evidence.civic_profiles import Profile

SOURCE = "CIViC"
"""Name of this source wherever it is shown."""


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
        return snapshot_id(self.date, self.sha256)

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


def snapshot_id(date: dt.date | None, sha256: str) -> str:
    """The identifier that a verdict cites: day of the release, and the first 12 digits of the hash."""
    return f"civic-{date.isoformat() if date else 'undated'}-{sha256[:12]}"
