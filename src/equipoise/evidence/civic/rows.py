"""One row of an evidence table as an item, or the reason why it is none, and as the record that is kept of every row."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.evidence.civic.items import CivicItem, CivicRecord
from equipoise.evidence.civic.rejection import reject
from equipoise.evidence.civic.therapies import therapies_of, therapy_text
from equipoise.evidence.civic_profiles import Profile, ProfileError, legacy_profile, parse_profile
from equipoise.ids import bytes_hash

NSCLC_DOIDS: frozenset[str] = frozenset({"3908", "3910", "3907", "4829", "6482"})
"""Non-small cell lung carcinoma, adenocarcinoma, squamous cell carcinoma, adenosquamous and acinar adenocarcinoma
of the lung."""

LUNG_DOIDS: frozenset[str] = frozenset({"1324", "3905"})
"""Lung cancer and lung carcinoma, without saying which."""

PAN_CANCER_DOIDS: frozenset[str] = frozenset({"162"})
"""Cancer of any organ."""

_PAN_CANCER_NAMES = frozenset({"solid tumor", "solid tumors, advanced"})
"""Diseases without a DOID that are not of one organ."""

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


def item_of(row: Mapping[str, str], identifier: int, snapshot: str) -> CivicItem:
    """The kept form of a row.

    Raises:
        RejectedError: by the order of `REJECTIONS`.
    """
    status = row.get("evidence_status", "accepted")
    if status != "accepted":
        reject("not-accepted", status)
    if row.get("is_flagged", "false").lower() == "true":
        reject("flagged", "true")
    if row["evidence_type"] != "Predictive":
        reject("not-predictive", row["evidence_type"])
    scope = _scope(row["disease"], row["doid"])
    if not scope:
        reject("other-disease", row["disease"])
    direction = _DIRECTIONS.get(row["evidence_direction"])
    if direction is None:
        reject("no-direction", row["evidence_direction"])
    significance = SIGNIFICANCES.get(_significance(row))
    if significance is None:
        reject("no-significance", _significance(row))
    if row["evidence_level"] not in _LEVELS:
        reject("no-level", row["evidence_level"])
    therapies, unread, interaction = therapies_of(row)
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


def record_of(row: Mapping[str, str], identifier: int, *, kept: bool) -> CivicRecord:
    """What is kept of every row with an id of its own, whether or not it became an item."""
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
        therapies=therapy_text(row),
        flagged=row.get("is_flagged", "false").lower() == "true",
        kept=kept,
        statement_hash=_statement_hash(row),
    )


def _significance(row: Mapping[str, str]) -> str:
    found = row.get("significance", row.get("clinical_significance", ""))
    return "" if found == "N/A" else found


def _statement_hash(row: Mapping[str, str]) -> str:
    return bytes_hash(row.get("evidence_statement", "").encode())[:16]


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
        reject("profile-unreadable", text)
    if not profile.nameable:
        reject("marker-unknown", text)
    return text, profile
