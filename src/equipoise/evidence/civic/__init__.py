"""CIViC as a second, separately named source: read from its evidence TSV without loss, shown beside a verdict, never
deciding one.

CIViC has no field for line, stage, setting or approval, so an item says that a marker and a drug were studied
together and with what result, and no more. Each row of a file is either kept as a `CivicItem` or rejected with a
coded reason. A snapshot also keeps a short record of every row, so that two snapshots can be compared over everything
they hold. Content: CC0-1.0, https://civicdb.org.
"""

from __future__ import annotations

from equipoise.evidence.civic.difference import CivicChange, CivicDiff, diff_snapshots
from equipoise.evidence.civic.items import SOURCE, CivicItem, CivicRecord, CivicSnapshot, Rejection
from equipoise.evidence.civic.matching import CivicView, civic_for, concerns, conflicting_pairs
from equipoise.evidence.civic.reading import parse_snapshot, read_snapshot
from equipoise.evidence.civic.rejection import REJECTIONS
from equipoise.evidence.civic.rows import LUNG_DOIDS, NSCLC_DOIDS, PAN_CANCER_DOIDS, SIGNIFICANCES
from equipoise.evidence.civic.therapies import read_therapy

__all__ = [
    "LUNG_DOIDS",
    "NSCLC_DOIDS",
    "PAN_CANCER_DOIDS",
    "REJECTIONS",
    "SIGNIFICANCES",
    "SOURCE",
    "CivicChange",
    "CivicDiff",
    "CivicItem",
    "CivicRecord",
    "CivicSnapshot",
    "CivicView",
    "Rejection",
    "civic_for",
    "concerns",
    "conflicting_pairs",
    "diff_snapshots",
    "parse_snapshot",
    "read_snapshot",
    "read_therapy",
]
