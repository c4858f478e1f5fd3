"""From the bytes of a request to verdicts: readers by content, auditors kept by policy, and what the trail has to remember of each case."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from equipoise.audit.pipeline import Auditor
from equipoise.audit.policy import Policy, load_policy
from equipoise.audit.verdict import Verdict
from equipoise.cases.load import ReadItem, read_objects
from equipoise.cases.record_files import FORMATS, read_stream
from equipoise.errors import CaseError, UsageError
from equipoise.evidence.base import EvidenceBase, check_jurisdiction, load_overlay, shipped_base
from equipoise.service.problems import Problem, problem_of
from equipoise.service.settings import Settings
from equipoise.service.strict import refuse_non_finite

READ_AS: tuple[str, ...] = ("auto", "case", "fhir", "dnpm", "text")
"""What a body can be said to be; `auto` looks at its content."""

MOST_DAYS = 256
MOST_AUDITS = 250_000
"""After so many different days or audits the auditors are built anew, so that no caller can make them remember without end."""

MOST_CASES = 1000
MOST_RECOMMENDATIONS = 200
"""Cases of one document, and recommendations of one case: an answer is some hundred times as long as the shortest case."""

FIRST_DAY = dt.date(1990, 1, 1)
"""Earliest day for which evidence is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request asks for beside its body.

    Attributes:
        policy: id of a policy of this service.
        jurisdiction: of which the sources speak.
        as_of: day for which the evidence is read; wins over a day that the case names. None leaves it to the case, then to `today`.
        today: the day of the service.
        form: one of `READ_AS`.
    """

    policy: str
    jurisdiction: str
    as_of: dt.date | None
    today: dt.date
    form: str = "auto"

    def to_dict(self) -> dict[str, Any]:
        """What the trail keeps, so that the verdict can be made again."""
        return {
            "policy": self.policy,
            "jurisdiction": self.jurisdiction,
            "as_of": self.as_of.isoformat() if self.as_of else None,
            "today": self.today.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What one case of a request came to.

    Attributes:
        case_id: id of the case; one without is named by its place, a note by its content.
        named: whether the id is the case's own, by which it can be found again.
        case: the case as it was audited, as JSON; of a record, in the own format.
        verdicts: the verdicts, as JSON; the bytes that a replay has to give again.
        labels: label of each verdict.
        as_of: day for which the evidence was read.
        policy_hash: content hash of the policy.
        evidence_hash: content hash of the evidence.
        engine_version: version of this package.
        record: what was read of a record, as JSON; empty for a case.
        nothing: why a record gives nothing to audit; empty otherwise.
        problem: why there is no verdict; None when there is.
    """

    case_id: str
    named: bool = True
    case: bytes = b""
    verdicts: bytes = b"[]"
    labels: tuple[str, ...] = ()
    as_of: str = ""
    policy_hash: str = ""
    evidence_hash: str = ""
    engine_version: str = ""
    record: bytes = b""
    nothing: str = ""
    problem: Problem | None = None

    @property
    def verdict_hash(self) -> str:
        """SHA-256 of the verdicts' bytes, in hexadecimal."""
        return hashlib.sha256(self.verdicts).hexdigest()


def to_bytes(value: Any) -> bytes:
    """JSON in ASCII, so that any text can be written and read again; keys stay in their order, which a verdict can depend on."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_stands_twice).encode()


def _stands_twice(value: Any) -> NoReturn:
    """An element that stood twice with two values has its error in its place."""
    if isinstance(value, CaseError):
        raise value
    message = f"expected plain JSON, got {type(value).__name__}"
    raise TypeError(message)


class Engine:
    """Auditors of a service, by policy and jurisdiction.

    Args:
        policies: ids of shipped policies or YAML files, the default first.
        overlays: files of a hospital's own assertions.
        jurisdiction: default of a request.

    Raises:
        UsageError: a policy, file or jurisdiction does not exist.
        ConfigurationError: a policy or overlay breaks its contract.
    """

    def __init__(self, policies: tuple[str, ...], overlays: tuple[Path, ...] = (), jurisdiction: str = "US") -> None:
        loaded = [load_policy(name) for name in policies]
        self.policies: dict[str, Policy] = {policy.id: policy for policy in loaded}
        if len(self.policies) < len(loaded):
            message = "two policies have the same id"
            raise UsageError(message, field="--policy")
        base = shipped_base()
        for path in overlays:
            base = load_overlay(path, base)
        self.base: EvidenceBase = base
        self.default_policy = loaded[0].id
        self.jurisdiction = check_jurisdiction(jurisdiction)
        self._auditors: dict[tuple[str, str], Auditor] = {}
        self._days: set[dt.date] = set()
        self._audits = 0

    @classmethod
    def of(cls, settings: Settings) -> Engine:
        """The engine that settings describe."""
        return cls(settings.policies, settings.overlays, settings.jurisdiction)

    def asked(
        self, *, today: dt.date, policy: str = "", as_of: str = "", jurisdiction: str = "", form: str = "auto"
    ) -> Asked:
        """The parameters of a request, checked.

        Raises:
            UsageError: one of them names nothing that this service has.
        """
        name = policy or self.default_policy
        if name not in self.policies:
            message = f"expected one of {', '.join(self.policies)}, got {name[:80]!r}"
            raise UsageError(message, field="policy")
        if form not in READ_AS:
            message = f"expected one of {', '.join(READ_AS)}, got {form[:80]!r}"
            raise UsageError(message, field="format")
        return Asked(
            policy=name,
            jurisdiction=_jurisdiction(jurisdiction or self.jurisdiction),
            as_of=_day(as_of, today) if as_of else None,
            today=today,
            form=form,
        )

    def auditor(self, asked: Asked) -> Auditor:
        """The auditor of a policy and jurisdiction."""
        key = (asked.policy, asked.jurisdiction)
        found = self._auditors.get(key)
        if found is None:
            found = self._auditors[key] = Auditor(
                as_of=asked.today,
                policy=self.policies[asked.policy],
                evidence=self.base,
                jurisdiction=asked.jurisdiction,
            )
        return found

    def answer(self, data: bytes, asked: Asked) -> tuple[Audited, ...]:
        """Audit everything that a body holds.

        Args:
            data: a case, a record or a note.
            asked: how to read and audit it.

        Returns:
            One result a case, in the order of the body; a case that cannot be read is one with a problem.

        Raises:
            UsageError: the body as a whole cannot be read.
        """
        found: list[Audited] = []
        for item in read_body(data, asked.form):
            if len(found) >= MOST_CASES:
                message = f"expected at most {MOST_CASES} cases in one document; POST /audit/batch takes more"
                raise UsageError(message)
            found.append(self.audited(item, asked))
        return tuple(found)

    def audited(self, item: ReadItem, asked: Asked) -> Audited:
        """Audit one case."""
        return self.judged(item, asked)[0]

    def judged(self, item: ReadItem, asked: Asked) -> tuple[Audited, tuple[Verdict, ...]]:
        """Audit one case; the verdicts themselves come beside what the trail keeps of them."""
        record = to_bytes(item.record.to_dict()) if item.record is not None else b""
        if item.record is not None and item.record.nothing is not None:
            return Audited(case_id=item.case_id, record=record, nothing=item.record.nothing.value), ()
        if item.case is None:
            error = item.error or CaseError("the case cannot be read")
            return Audited(case_id=item.case_id, record=record, problem=problem_of(error)), ()
        try:
            verdicts = self.verdicts(item, asked)
            case = to_bytes(item.data)
        except (CaseError, RecursionError) as error:
            return Audited(case_id=item.case_id, record=record, problem=problem_of(error)), ()
        first = verdicts[0]
        found = Audited(
            case_id=item.case_id,
            named=item.record is not None or bool(isinstance(item.data, dict) and item.data.get("case_id")),
            case=case,
            verdicts=to_bytes([verdict.to_dict() for verdict in verdicts]),
            labels=tuple(str(verdict.label) for verdict in verdicts),
            as_of=first.as_of.isoformat(),
            policy_hash=first.policy_hash,
            evidence_hash=first.evidence_hash,
            engine_version=first.engine_version,
            record=record,
        )
        return found, verdicts

    def verdicts(self, item: ReadItem, asked: Asked) -> tuple[Verdict, ...]:
        """Verdicts of a case that could be read, on the day that is asked for.

        Raises:
            CaseError: its day is outside what can be asked.
        """
        case = item.case
        if case is None:
            raise item.error or CaseError("the case cannot be read")
        day = asked.as_of or case.as_of or asked.today
        if not FIRST_DAY <= day <= _last(asked.today):
            message = f"expected a day from {FIRST_DAY} to {_last(asked.today)}, got {day}"
            raise CaseError(message, field="as_of")
        if len(case.recommendations) > MOST_RECOMMENDATIONS:
            message = f"expected at most {MOST_RECOMMENDATIONS} recommendations, got {len(case.recommendations)}"
            raise CaseError(message, field="recommendations")
        self._remember(day)
        return self.auditor(asked).audit(replace(case, as_of=day))

    def _remember(self, day: dt.date) -> None:
        self._audits += 1
        self._days.add(day)
        if len(self._days) > MOST_DAYS or self._audits > MOST_AUDITS:
            self._audits = 0
            self._days = {day}
            self._auditors = {}
            self.base = self.base.fresh()


def read_body(data: bytes, form: str) -> Iterator[ReadItem]:
    """The cases of a body.

    Raises:
        UsageError: it is broken, or of no known format.
    """
    if not data.strip():
        message = "expected a case, a record or a note, got an empty body"
        raise UsageError(message)
    if form == "text":
        note = _text(data)
        return read_objects([{"case_id": note_id(note), "text": note}], name="body")
    refuse_non_finite(data, "body")
    return read_stream(data, name="body", form=form if form in FORMATS else "auto")


def note_id(note: str) -> str:
    """Id of a note that comes without one: the same text has the same."""
    return f"note-{hashlib.sha256(note.encode(errors='surrogatepass')).hexdigest()[:12]}"


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"expected UTF-8 text, found the byte 0x{data[error.start]:02x}"
        raise UsageError(message) from None


def _jurisdiction(text: str) -> str:
    try:
        return check_jurisdiction(text[:80])
    except UsageError as error:
        raise UsageError(error.message, field="jurisdiction") from None


def _day(text: str, today: dt.date) -> dt.date:
    try:
        day = dt.date.fromisoformat(text[:40])
    except ValueError:
        message = f"expected a date as YYYY-MM-DD, got {text[:40]!r}"
        raise UsageError(message, field="as_of") from None
    if not FIRST_DAY <= day <= _last(today):
        message = f"expected a day from {FIRST_DAY} to {_last(today)}, got {day}"
        raise UsageError(message, field="as_of")
    return day


def _last(today: dt.date) -> dt.date:
    return today + dt.timedelta(days=366)
