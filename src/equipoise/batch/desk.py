"""Reads one case of a batch and judges it: distinct decision keys once, for as long as they are remembered."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple

from equipoise.audit.alternatives import options as list_options
from equipoise.audit.pipeline import Auditor
from equipoise.batch.key import Key, case_key, case_of, digest, reads_of, recommendation_key
from equipoise.batch.rows import ERROR, NO_OPTION, NOTHING, OK, Judged, Row, judged_as, judged_by
from equipoise.cases.formats import case_from_object
from equipoise.cases.load import line_value
from equipoise.cases.model import Case, FindingStatus, Recommendation
from equipoise.errors import CaseError

_UNSTATED = "\x00"
"""Default id that no input can state."""

MAX_KEYS = 100_000
"""Most decision keys a process remembers; when more come, the older half is forgotten and would be judged again."""


class Answer(NamedTuple):
    """What a case comes to.

    Attributes:
        rows: its rows, at least one.
        case_id: the id it states; empty when it states none.
        case_hash: hash of what was handed over; empty when it could not be read.
        keyed: how often it was looked up by a decision key: once a recommendation, or once for all its options.
    """

    rows: tuple[Row, ...]
    case_id: str
    case_hash: str
    keyed: int = 0


class Desk:
    """An auditor with what it has judged. One stands in every process."""

    def __init__(self, auditor: Auditor, *, options: bool = False, max_keys: int = MAX_KEYS) -> None:
        """Sit down.

        Args:
            auditor: policy, evidence, jurisdiction and day.
            options: list what would be supported, in place of auditing what is recommended.
            max_keys: most decision keys to remember.
        """
        self.auditor = auditor
        self.options = options
        self.audited = 0
        self._max_keys = max_keys
        self._reads = reads_of(auditor, cited=False)
        self._reads_cited = reads_of(auditor, cited=True)
        self._judged: dict[bytes, tuple[Judged, ...]] = {}
        self._regimens: dict[frozenset[str], tuple[str, ...]] = {}

    def answer(self, payload: bytes | Mapping[str, Any] | CaseError) -> Answer:
        """Read and judge one case; whatever is wrong with it becomes a row.

        Args:
            payload: a line, an object of any known format, or why there is none.
        """
        value: Any = line_value(payload) if type(payload) is bytes else payload
        if isinstance(value, CaseError):
            return _failed(value, "")
        try:
            case = case_from_object(value, default_id=_UNSTATED)
        except CaseError as error:
            return _failed(error, _stated_id(value))
        try:
            rows = self._rows(case)
        except CaseError as error:
            return _failed(error, _stated_id(value))
        except Exception as error:  # a defect of ours must not cost the rest of a cohort; it is counted and shown
            return _failed(CaseError(f"the audit failed ({type(error).__name__}); please report it"), _stated_id(value))
        case_id = "" if case.case_id == _UNSTATED else case.case_id
        return Answer(rows, case_id, case.content_hash, 1 if self.options else len(rows))

    def _rows(self, case: Case) -> tuple[Row, ...]:
        day = case.as_of or self.auditor.as_of
        markers = tuple(sorted({item.name for item in case.findings if item.status is FindingStatus.PRESENT}))
        if self.options:
            return self._options(case, day, markers)
        plain: Key | None = None
        rows: list[Row] = []
        for item in case.recommendations or (None,):
            if item is not None and item.citations:
                key = case_key(case, day, self._reads_cited)
            else:
                key = plain = plain or case_key(case, day, self._reads)
            asked = recommendation_key(item)
            name = digest((key, asked))
            judged = self._judged.get(name)
            if judged is None:
                judged = self._remember(name, (self._judge(key, asked),))
            rows.append(_row(case, item, judged[0], self._regimen(item), day, name, markers))
        return tuple(rows)

    def _judge(self, key: Key, asked: Key | None) -> Judged:
        case = case_of(key, asked)
        return judged_by(
            self.auditor, self.auditor.judge(case, case.recommendations[0] if case.recommendations else None)
        )

    def _options(self, case: Case, day: dt.date, markers: tuple[str, ...]) -> tuple[Row, ...]:
        key = case_key(case, day, self._reads)
        name = digest((key, "options"))
        judged = self._judged.get(name)
        if judged is None:
            found = list_options(self.auditor, case_of(key, None))
            judged = self._remember(
                name, tuple([judged_as(item)._replace(alternatives=(item.regimen,)) for item in found])
            )
        code = name.hex()[:16]
        if not judged:
            nothing = Judged(reasons=(NO_OPTION,))
            return (Row(NOTHING, "", "", (), nothing, case.ignored_fields, "", "", day.isoformat(), code, markers),)
        return tuple(
            [
                Row(
                    OK, "", item.alternatives[0], tuple(item.alternatives[0].split(" + ")), item._replace(alternatives=()),
                    case.ignored_fields, "", "", day.isoformat(), code, markers,
                )
                for item in judged
            ]
        )  # fmt: skip

    def _remember(self, name: bytes, judged: tuple[Judged, ...]) -> tuple[Judged, ...]:
        self.audited += 1
        if len(self._judged) >= self._max_keys:
            for old in list(self._judged)[: len(self._judged) // 2]:
                del self._judged[old]
        self._judged[name] = judged
        return judged

    def _regimen(self, item: Recommendation | None) -> tuple[str, ...]:
        if item is None:
            return ()
        found = self._regimens.get(item.components)
        if found is None:
            found = tuple(sorted(item.components))
            if len(self._regimens) < self._max_keys:
                self._regimens[item.components] = found
        return found


def _row(
    case: Case,
    item: Recommendation | None,
    judged: Judged,
    regimen: tuple[str, ...],
    day: dt.date,
    name: bytes,
    markers: tuple[str, ...],
) -> Row:
    return Row(
        OK,
        item.id if item is not None else "",
        item.text if item is not None else "",
        regimen,
        judged,
        case.ignored_fields,
        "",
        "",
        day.isoformat(),
        name.hex()[:16],
        markers,
    )


def nothing(code: str, case_id: str) -> Answer:
    """The answer for a record of a hospital that was read and holds nothing to audit.

    Args:
        code: coded reason.
        case_id: id of the record.
    """
    return Answer((Row(NOTHING, judged=Judged(reasons=(code,))),), case_id, "")


def _failed(error: CaseError, case_id: str) -> Answer:
    return Answer((Row(ERROR, error=error.message, error_field=error.field or ""),), case_id, "")


def _stated_id(value: Any) -> str:
    stated = value.get("case_id") if isinstance(value, Mapping) else None
    if isinstance(stated, str | int) and not isinstance(stated, bool):
        return str(stated).encode(errors="replace").decode()
    return ""
