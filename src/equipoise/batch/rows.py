"""What one row of a batch says, and how it comes from a verdict."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.audit import report_generator
from equipoise.audit.report_generator import MAX_EVIDENCE
from equipoise.audit.safety_classifier import UNSPECIFIC
from equipoise.audit.verdict import SATISFIED, UNDETERMINED, Label

if TYPE_CHECKING:
    from equipoise.audit.pipeline import Auditor, Judgement
    from equipoise.audit.verdict import Alternative

OK, NOTHING, ERROR = "ok", "nothing", "error"
"""States of a row: judged; read, and there is nothing to judge; not read. The last is no judgement of the patient."""

NO_OPTION = "no-option-on-file"
"""Reason of a case for which `--options` finds nothing: no regimen on file is supported or undetermined."""


class Judged(NamedTuple):
    """What the decision key decides.

    Attributes:
        label: one of the four labels; empty without a verdict.
        abstain: whether a human decides; None without a verdict.
        reasons: reason codes, the deciding one first.
        level: level of the first assertion that speaks for it.
        missing_fields: fields that decide and are not documented.
        evidence: ids of the assertions that speak for it.
        evidence_against: ids of those that speak against it.
        caveats: names of the caveats that fire.
        caveats_open: names of the caveats that could not be assessed.
        alternatives: regimens that the evidence supports instead.
    """

    label: str = ""
    abstain: bool | None = None
    reasons: tuple[str, ...] = ()
    level: str = ""
    missing_fields: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    evidence_against: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    caveats_open: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


class Row(NamedTuple):
    """What a row says besides its place and the id and hash of its case.

    Attributes:
        state: one of `OK`, `NOTHING`, `ERROR`.
        recommendation_id: id of the recommendation.
        recommendation: the recommendation as written.
        regimen: its components, sorted.
        judged: what the decision key decides.
        ignored_fields: elements of the input that were not read.
        error: what is wrong with the case, without its place.
        error_field: the field concerned.
        as_of: day for which the evidence was read.
        decision_key: sixteen hexadecimal digits of the decision key; empty without a verdict.
        markers: names of the findings reported present, for the summary.
    """

    state: str
    recommendation_id: str = ""
    recommendation: str = ""
    regimen: tuple[str, ...] = ()
    judged: Judged = Judged()
    ignored_fields: tuple[str, ...] = ()
    error: str = ""
    error_field: str = ""
    as_of: str = ""
    decision_key: str = ""
    markers: tuple[str, ...] = ()


def judged_by(auditor: Auditor, judgement: Judgement) -> Judged:
    """What a judgement says that holds for every case of its decision key: what its verdict would say, without the words.

    Args:
        auditor: who judged.
        judgement: the judgement.
    """
    decision = judgement.decision
    speaks_for = judgement.speaks_for()[:MAX_EVIDENCE]
    fires = sorted([item.plan.assertion for item in decision.caveats if item.result is SATISFIED], key=_by_id)
    open_ = sorted([item.plan.assertion for item in decision.caveats if item.result is UNDETERMINED], key=_by_id)
    return Judged(
        str(decision.label),
        judgement.abstain,
        report_generator.codes(decision),
        speaks_for[0].assertion.level if speaks_for else "",
        decision.missing,
        tuple([item.plan.assertion.id for item in speaks_for]),
        tuple([item.plan.assertion.id for item in decision.against[:MAX_EVIDENCE]]),
        (*((UNSPECIFIC,) if decision.unspecific else ()), *[item.name for item in fires]),
        tuple([item.name for item in open_]),
        tuple([item.regimen for item in auditor.instead(judgement)]),
    )


_by_id = operator.attrgetter("id")


def judged_as(option: Alternative) -> Judged:
    """An option as a row has it."""
    return Judged(
        str(option.label), option.label is Label.INSUFFICIENT_INFORMATION, level=option.level, evidence=(option.id,)
    )


TEXT, FLAG, NUMBER, LIST = "text", "flag", "number", "list"


class Column(NamedTuple):
    """One column of the output.

    Attributes:
        name: its name.
        kind: `TEXT`, `FLAG`, `NUMBER` or `LIST` (of texts).
        help: what stands in it.
    """

    name: str
    kind: str
    help: str


COLUMNS: tuple[Column, ...] = (
    Column("place", NUMBER, "1-based place of the case in the input"),
    Column("line", NUMBER, "1-based line of the input where it has lines"),
    Column("case_id", TEXT, "id of the case; case-PLACE when it states none"),
    Column("state", TEXT, "ok, nothing (read, nothing to judge) or error (not read)"),
    Column("recommendation_id", TEXT, "id of the recommendation, or its place"),
    Column("recommendation", TEXT, "the recommendation as written"),
    Column("regimen", LIST, "its components"),
    Column("label", TEXT, "Supported, Partially Supported, Unsupported or Insufficient Information"),
    Column("abstain", FLAG, "whether a human decides"),
    Column("reasons", LIST, "reason codes, the deciding one first"),
    Column("level", TEXT, "level of the first assertion that speaks for it"),
    Column("missing_fields", LIST, "fields that decide and are not documented"),
    Column("evidence", LIST, "ids of the assertions that speak for it"),
    Column("evidence_against", LIST, "ids of the assertions that speak against it"),
    Column("caveats", LIST, "names of the caveats that fire"),
    Column("caveats_open", LIST, "names of the caveats that could not be assessed"),
    Column("alternatives", LIST, "regimens that the evidence supports instead"),
    Column("ignored_fields", LIST, "elements of the case that were not read"),
    Column("error", TEXT, "what is wrong with the case, and what was expected"),
    Column("error_field", TEXT, "the field concerned"),
    Column("as_of", TEXT, "day for which the evidence was read"),
    Column("decision_key", TEXT, "hash of everything that could influence the verdict"),
    Column("case_hash", TEXT, "hash of the case as handed over"),
    Column("policy", TEXT, "id of the policy"),
    Column("policy_hash", TEXT, "hash of the policy"),
    Column("evidence_hash", TEXT, "hash of the evidence base, overlays included"),
    Column("jurisdiction", TEXT, "of which the sources speak"),
    Column("engine_version", TEXT, "version of this package"),
)
"""Columns of a row, in order."""

FIXED = ("policy", "policy_hash", "evidence_hash", "jurisdiction", "engine_version")
"""Columns that hold one value in a whole batch."""

_OWN = ("place", "line", "case_id", "case_hash", *FIXED)
_OF_THE_KEY = (
    "label", "abstain", "reasons", "level", "missing_fields", "evidence", "evidence_against", "caveats", "caveats_open", "alternatives",
)  # fmt: skip
JUDGED: tuple[Column, ...] = tuple(column for column in COLUMNS if column.name in _OF_THE_KEY)
"""Columns that come from a `Judged`: its fields, in order."""

STATED: tuple[Column, ...] = tuple(column for column in COLUMNS if column.name not in (*_OWN, *_OF_THE_KEY))
"""Columns that come from a `Row` itself."""


def stated_cells(row: Row) -> tuple[Any, ...]:
    """The cells of `STATED`, in order."""
    return (
        row.state, row.recommendation_id, row.recommendation, row.regimen, row.ignored_fields, row.error, row.error_field, row.as_of,
        row.decision_key,
    )  # fmt: skip
