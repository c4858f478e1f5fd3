"""Short names of the statuses of a finding, as the modules of this grammar write them."""

from __future__ import annotations

from equipoise.cases.model import FindingStatus

PRESENT, ABSENT, UNCERTAIN = FindingStatus.PRESENT, FindingStatus.ABSENT, FindingStatus.UNCERTAIN
NOT_TESTED, PENDING, UNKNOWN = FindingStatus.NOT_TESTED, FindingStatus.PENDING, FindingStatus.UNKNOWN
