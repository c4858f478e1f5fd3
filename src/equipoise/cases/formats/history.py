"""Reads prior therapies: a list of entries, one string with several lines, or the statement that there were none."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.values import as_list, date_of, is_mapping, is_unknown
from equipoise.cases.model import Documented, Outcome, PriorTherapy, Source, Status, unknown
from equipoise.cases.vocabulary.clinical import read_outcome
from equipoise.cases.vocabulary.drugs import Regimen, read_regimen
from equipoise.cases.vocabulary.setting import read_setting
from equipoise.errors import CaseError

_NONE = re.compile(
    r"\s*(?:none|nil|no|no (?:prior|previous) (?:systemic )?(?:anti-?cancer )?(?:therapy|therapies|treatment|treatments|lines)|"
    r"(?:treatment|therapy|tx|systemic therapy)[- ]na(?:i|\u00ef)ve|untreated|na(?:i|\u00ef)ve)\s*(?:[(\[].*[)\]])?\s*\.?\s*",
    re.IGNORECASE,
)
_NONE_START = re.compile(r"\s*none\b", re.IGNORECASE)
_LINES = re.compile(r"\s*(?:\u2192|->|=>|;|\bthen\b|\bfollowed by\b)\s*", re.IGNORECASE)
_OUTCOME_WORDS = re.compile(
    r"\b(?:progress\w*|pd|on or after|relaps\w*|refractory|failed|resistan\w*|toxicit\w+|intoleran\w*|pneumonitis|"
    r"adverse|complet\w*|finished|"
    r"ongoing|current(?:ly)?|stable|disease|response|remission|stopped|discontinued|due|after|because|no|without|evidence|not|on|recurrence)\b",
    re.IGNORECASE,
)
_FIELDS = frozenset({"drugs", "regimen", "line", "setting", "outcome", "ended", "started", "text"})


def read(value: Any) -> Documented[tuple[PriorTherapy, ...]]:
    """What is documented of prior therapies.

    Args:
        value: the element; an empty list or a word such as "none" is a documented absence, None and "unknown" are not documented.

    Raises:
        CaseError: an entry cannot be read.
    """
    if isinstance(value, list | tuple) and not value:
        return Documented(Status.ABSENT, sources=(Source("prior_therapies", "[]"),))
    if is_unknown(value):
        return unknown()
    if isinstance(value, bool):
        if value:
            msg = "expected the prior therapies by name, or none, got true"
            raise CaseError(msg, field="prior_therapies")
        return Documented(Status.ABSENT, sources=(Source("prior_therapies", "false"),))
    found: list[PriorTherapy] = []
    said_none = False
    for place, item in enumerate(as_list(value)):
        path = f"prior_therapies[{place}]" if isinstance(value, list | tuple) else "prior_therapies"
        if isinstance(item, str):
            if is_unknown(item):
                continue
            if _NONE.fullmatch(item):
                said_none = True
                continue
            found.extend(_entry({"drugs": part}, path) for part in _LINES.split(item) if part.strip())
        elif is_mapping(item):
            found.append(_entry(item, path))
        else:
            msg = f"expected text or an object with drugs, line, setting and outcome, got {item!r}"
            raise CaseError(msg, field=path)
    if said_none and found:
        return Documented(
            Status.CONFLICTING,
            stated=("none", *(entry.source.text for entry in found)),
            sources=(Source("prior_therapies"),),
        )
    if said_none:
        return Documented(
            Status.ABSENT, sources=(Source("prior_therapies", str(value if isinstance(value, str) else "none")),)
        )
    if not found:
        return unknown()
    return Documented(Status.VALUE, tuple(found), sources=tuple(entry.source for entry in found))


def _entry(item: Mapping[str, Any], path: str) -> PriorTherapy:
    if not _FIELDS.issuperset(item):
        extra = [key for key in item if key not in _FIELDS]
        msg = f"unknown element {extra[0]!r}; expected one of {', '.join(sorted(_FIELDS))}"
        raise CaseError(msg, field=path)
    named = item.get("drugs")
    if named is None:
        named = next((item[key] for key in ("regimen", "text") if item.get(key) is not None), None)
    text = " + ".join(map(str, named)) if isinstance(named, list | tuple) else str(named or "")
    if not text.strip():
        msg = "expected the drugs of a prior therapy"
        raise CaseError(msg, field=f"{path}.drugs")
    regimen, outcome = _remembered_course(text) if len(text) <= 400 else _course(text)
    stated = item.get("outcome")
    if stated is not None and not is_unknown(stated):
        outcome = _outcome(stated, f"{path}.outcome")
    setting = regimen.settings
    if item.get("setting") is not None and not is_unknown(item["setting"]):
        setting = read_setting(str(item["setting"]))
        if setting is None:
            msg = f"expected a setting such as adjuvant or metastatic, got {item['setting']!r}"
            raise CaseError(msg, field=f"{path}.setting")
    line = item.get("line")
    if line is not None and not is_unknown(line):
        if isinstance(line, bool) or not re.fullmatch(r"\s*[0-9]{1,2}\s*", str(line)):
            msg = f"expected a line number, got {line!r}"
            raise CaseError(msg, field=f"{path}.line")
        line = int(line)
    else:
        line = None
    return PriorTherapy(
        drugs=regimen.components,
        unread=regimen.unread,
        outcome=outcome,
        setting=setting,
        line=line,
        ended=date_of(item.get("ended"), f"{path}.ended"),
        source=Source(path, text),
    )


def _course(text: str) -> tuple[Regimen, Outcome]:
    """What the words of an entry name, and how it ended by them."""
    return read_regimen(_OUTCOME_WORDS.sub(" ", text)), read_outcome(text)


_remembered_course = functools.lru_cache(maxsize=4096)(_course)


_OUTCOMES: dict[str, Outcome] = {item.value: item for item in Outcome}


def _outcome(stated: Any, field: str) -> Outcome:
    text = str(stated).strip().lower()
    known = _OUTCOMES.get(text)
    if known is not None:
        return known
    read = read_outcome(text)
    if read is Outcome.UNKNOWN:
        expected = ", ".join(item.value for item in Outcome)
        msg = f"expected one of {expected}, got {stated!r}"
        raise CaseError(msg, field=field)
    return read
