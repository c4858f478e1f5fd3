"""What a column of driver genes says, and no more: a gene without its alteration gives no variant.

`EGFR` in a column of driver mutations says that EGFR is mutated, not how. `ALK`, `ROS1` and `RET` do not say whether they are fused or
mutated, and are left open.
"""

from __future__ import annotations

import re

from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.vocabulary.biomarkers import gene_level

_PATTERNS: tuple[tuple[re.Pattern[str], tuple[tuple[str, str], ...]], ...] = (
    (re.compile(r"([A-Z0-9]+)[ _]WT[ _]AMP"), (("{} amplification", "present"), ("{} mutation", "absent"))),
    (re.compile(r"([A-Z0-9]+)[ _]AMP[ _]MUT"), (("{} amplification", "present"), ("{} mutation", "present"))),
    (re.compile(r"([A-Z0-9]+)[ _]AMP"), (("{} amplification", "present"),)),
    (re.compile(r"([A-Z0-9]+)[ _](?:del|loss|DEL|LOSS)"), (("{} loss", "present"),)),
    (re.compile(r"([A-Z0-9]+)[ _]non-V600"), (("{} V600E", "absent"), ("{} mutation", "present"))),
    (re.compile(r"([A-Z0-9]+)[ _](?:MUT|mut|truncating|exon ?[0-9]+)"), (("{} mutation", "present"),)),
)
"""In the order in which they are tried; each whole cell against one."""
_FUSION = re.compile(r"([A-Z][A-Z0-9]+)(?:-|--|::)([A-Z][A-Z0-9]*[0-9])")
_GENE = re.compile(r"[A-Z][A-Z0-9]+")


def read_driver(cell: str, place: str, builder: CaseBuilder) -> None:
    """Read one cell of a column of drivers."""
    for pattern, findings in _PATTERNS:
        match = pattern.fullmatch(cell)
        if match:
            for name, status in findings:
                builder.marker(name.format(match[1]), status, place, assay="driver column")
            return
    fusion = _FUSION.fullmatch(cell)
    if fusion:
        builder.marker(f"{fusion[1]}::{fusion[2]} fusion", "present", place, assay="driver column")
    elif _GENE.fullmatch(cell) and gene_level(cell).endswith(("any_mutation", ":mutation")):
        builder.marker(f"{cell} mutation", "present", place, assay="driver column")
    else:
        builder.ignore(place, Reason.DRIVER, cell)
