"""Reader for this project's own case fields (docs/semantics.md section 1): a mapping in, a `Case` out."""

from __future__ import annotations

import datetime as dt
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from equipoise.cases.formats import history, markers, recommendations
from equipoise.cases.formats.values import (
    as_list,
    date_of,
    first,
    is_mapping,
    is_unknown,
    join,
    text_of,
    tidy,
    whole_of,
)
from equipoise.cases.model import (
    Case,
    Documented,
    Interval,
    Source,
    Status,
    unknown,
)
from equipoise.cases.vocabulary.clinical import ecog_of_kps, read_condition, read_ecog
from equipoise.cases.vocabulary.histology import NSCLC, read_entity
from equipoise.cases.vocabulary.setting import CURATIVE, read_setting, settings_of_stage
from equipoise.cases.vocabulary.stage import read_stage
from equipoise.errors import CaseError
from equipoise.ids import canonical_json, content_hash, text_hash

T = TypeVar("T")

FIELDS: frozenset[str] = frozenset({
    "case_id", "as_of", "age", "sex", "ecog", "kps", "tumor", "histology", "stage", "stage_edition", "setting", "brain_mets",
    "biomarkers", "biomarkers_complete", "pdl1", "tmb", "msi", "prior_therapies", "comorbidities", "comedications", "qtc_ms",
    "recommendations", "recommendation", "text",
})  # fmt: skip
"""Top-level fields of the own format."""

_ABSENT_WORDS = frozenset(
    {"none", "no", "absent", "negative", "without", "no brain metastases", "none known", "no known brain metastases"}
)
_BRAIN = {
    "present": frozenset({"treated", "untreated"}), "yes": frozenset({"treated", "untreated"}),
    "brain metastases present": frozenset({"treated", "untreated"}),
    "treated": frozenset({"treated"}), "stable": frozenset({"treated", "untreated"}), "untreated": frozenset({"untreated"}),
    "active": frozenset({"untreated"}), "symptomatic": frozenset({"treated", "untreated"}),
}  # fmt: skip


def read_case(data: Mapping[str, Any], *, default_id: str = "") -> Case:
    """Build a case from the own fields.

    Args:
        data: the JSON object.
        default_id: id to use when the object has none.

    Raises:
        CaseError: a field holds something that cannot be read; the message names the field and what was expected.
    """
    text, digest = _digest(data)
    loose = text is None or _is_loose(text)
    get = {name: tidy(value) for name, value in data.items()}.get if loose else data.get
    found = markers.read(get("biomarkers"))
    ignored = [] if FIELDS.issuperset(data) else [str(key) for key in data if key not in FIELDS]
    ignored.extend(found.unread)
    tumor, histology = _tumor(get("tumor"), get("histology"))
    stage = _stage(get("stage"))
    conditions, not_read = _conditions(get("comorbidities"), get("comedications"))
    ignored.extend(not_read)
    recommended = recommendations.read(first(get("recommendations"), get("recommendation")))
    complete = get("biomarkers_complete")
    if complete is not None and not isinstance(complete, bool):
        msg = f"expected true or false, got {complete!r}"
        raise CaseError(msg, field="biomarkers_complete")
    case = Case(
        case_id=text_of(get("case_id"), "case_id") or default_id,
        as_of=date_of(get("as_of"), "as_of"),
        age=_scalar(get("age"), "age", _AGE, "years from 0 to 130", _meet),
        sex=_scalar(get("sex"), "sex", _sex, "text", None),
        ecog=_ecog(get("ecog"), get("kps")),
        tumor=tumor,
        histology=histology,
        stage=stage,
        stage_edition=whole_of(get("stage_edition"), "stage_edition"),
        setting=_situation(get("setting"), get("stage"), stage),
        brain_mets=_brain(get("brain_mets")),
        findings=found.findings,
        biomarkers_complete=found.nothing_else if complete is None else complete,
        pdl1=markers.pdl1(get("pdl1"), found.pdl1),
        tmb=markers.number(get("tmb"), "tmb", found.tmb),
        msi=markers.msi(get("msi"), found.msi),
        prior_therapies=history.read(get("prior_therapies")),
        conditions=conditions,
        qtc_ms=_scalar(get("qtc_ms"), "qtc_ms", _QTC, "milliseconds", _meet),
        recommendations=recommended,
        ignored_fields=tuple(ignored),
        content_hash=digest,
    )
    if data.get("text") is None:
        return case
    from equipoise.cases.narrative.merge import completed

    return completed(case, data["text"])


def _is_loose(text: str) -> bool:
    """Whether canonical JSON may hold white space at the edge of a text, doubled, or other than a space.

    Plain substrings, since this is asked of every case. An escape says no more than "perhaps", and ASCII JSON escapes every other space.
    """
    return "  " in text or "\\" in text or '" ' in text or ' "' in text or not (text.isascii() or text.isprintable())


def _digest(data: Mapping[str, Any]) -> tuple[str | None, str]:
    """Canonical JSON and content hash of what was handed over; values JSON has no form for count as their text."""
    try:
        text = canonical_json(data)
        return text, text_hash(text)
    except (TypeError, ValueError):
        pass
    try:
        return None, content_hash(_jsonable(data))
    except UnicodeEncodeError:
        for name, value in data.items():
            try:
                content_hash(_jsonable({name: value}))
            except UnicodeEncodeError:
                msg = "expected Unicode text, found half of a surrogate pair"
                raise CaseError(msg, field=ascii(name).strip("'")) from None
        raise


def _jsonable(value: Any) -> Any:
    if is_mapping(value):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _sex(text: str) -> str | None:
    return text.strip().lower() or None


def _number(low: float, high: float) -> Callable[[str], Interval | None]:
    def read(text: str) -> Interval | None:
        try:
            number = float(text)
        except ValueError:
            return None
        return Interval(number, number) if low <= number <= high else None

    return read


_AGE = _number(0, 130)
_QTC = _number(0, 2000)


def _meet(one: Interval, two: Interval) -> Interval | None:
    low, high = max(one.low, two.low), min(one.high, two.high)
    return Interval(low, high) if low <= high else None


def _and(one: frozenset[Any], two: frozenset[Any]) -> frozenset[Any] | None:
    return one & two or None


def _scalar(
    value: Any, field: str, read: Callable[[str], T | None], expected: str, meet: Callable[[T, T], T | None] | None
) -> Documented[T]:
    """Read one value, or a list of statements of it that must not exclude each other."""
    if value is None:
        return unknown()
    if type(value) is str:
        if is_unknown(value):
            return unknown()
        single = read(value)
        if single is not None:
            return Documented(Status.VALUE, single, (), (Source(field, value),))
    elif type(value) is int:
        text = str(value)
        single = read(text)
        if single is not None:
            return Documented(Status.VALUE, single, (), (Source(field, text),))
    statements: list[tuple[T, str]] = []
    for item in as_list(value):
        if is_unknown(item):
            continue
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            msg = f"expected {expected}, got {item!r}"
            raise CaseError(msg, field=field)
        text = str(item)
        got = read(text)
        if got is None:
            msg = f"expected {expected}, got {text!r}"
            raise CaseError(msg, field=field)
        statements.append((got, text))
    return join(statements, field, meet)


def _ecog(ecog: Any, kps: Any) -> Documented[frozenset[int]]:
    if kps is None:
        if ecog is None:
            return unknown()
        if type(ecog) is int and 0 <= ecog <= 4:
            return _STATED_GRADES[ecog]
        if type(ecog) is str and len(ecog) <= _REMEMBERED:
            return _ecog_text(ecog)
    return _performance(ecog, kps)


@functools.lru_cache(maxsize=1024)
def _ecog_text(text: str) -> Documented[frozenset[int]]:
    return _performance(text, None)


def _performance(ecog: Any, kps: Any) -> Documented[frozenset[int]]:
    statements: list[tuple[frozenset[int], str, str]] = []
    if (
        isinstance(ecog, list | tuple)
        and ecog
        and all(isinstance(item, int) and not isinstance(item, bool) for item in ecog)
    ):
        grades = frozenset(ecog)
        if not grades <= {0, 1, 2, 3, 4}:
            msg = f"expected ECOG grades from 0 to 4, got {list(ecog)!r}"
            raise CaseError(msg, field="ecog")
        statements.append((grades, "ecog", ", ".join(map(str, sorted(grades)))))
    elif isinstance(ecog, int) and not isinstance(ecog, bool) and 0 <= ecog <= 4:
        statements.append((_GRADES[ecog], "ecog", str(ecog)))
    else:
        for item in as_list(ecog):
            if is_unknown(item):
                continue
            text = f"{item:g}" if isinstance(item, float) else str(item)
            read = None if (isinstance(item, bool) or is_mapping(item)) else read_ecog(text)
            if read is None:
                msg = f"expected an ECOG performance status from 0 to 4, a range or unknown, got {item!r}"
                raise CaseError(msg, field="ecog")
            statements.append((read, "ecog", text))
    for item in as_list(kps):
        if is_unknown(item):
            continue
        number = re.fullmatch(r"\s*(?:kps\s*)?([0-9]{1,3})\s*%?\s*", str(item), re.IGNORECASE)
        grades = ecog_of_kps(int(number[1])) if number else frozenset()
        if not grades:
            msg = f"expected a Karnofsky score from 10 to 100, got {item!r}"
            raise CaseError(msg, field="kps")
        statements.append((grades, "kps", str(item)))
    return join([(got, text) for got, _, text in statements], "ecog", _and, paths=[path for _, path, _ in statements])


_GRADES = tuple(frozenset({grade}) for grade in range(5))
_STATED_GRADES: tuple[Documented[frozenset[int]], ...] = tuple(
    Documented(Status.VALUE, grades, (), (Source("ecog", str(grade)),)) for grade, grades in enumerate(_GRADES)
)
_REMEMBERED = 400
"""Longest text, in characters, whose reading is remembered: the same words mean the same in every case."""


def _tumor(tumor: Any, histology: Any) -> tuple[Documented[str], Documented[frozenset[str]]]:
    """What is documented of tumor and histology; remembered where both are short texts or missing."""
    if _is_short(tumor) and _is_short(histology):
        return _tumor_text(tumor, histology)
    return _entity(tumor, histology)


@functools.lru_cache(maxsize=4096)
def _tumor_text(tumor: str | None, histology: str | None) -> tuple[Documented[str], Documented[frozenset[str]]]:
    return _entity(tumor, histology)


def _is_short(value: Any) -> bool:
    return value is None or (type(value) is str and len(value) <= _REMEMBERED)


def _stage(value: Any) -> Documented[frozenset[str]]:
    return _stage_text(value) if _is_short(value) else _read_stage(value)


def _read_stage(value: Any) -> Documented[frozenset[str]]:
    return _scalar(value, "stage", read_stage, "a stage such as IIIB or IV", _and)


_stage_text = functools.lru_cache(maxsize=4096)(_read_stage)


def _situation(setting: Any, stage_value: Any, stage: Documented[frozenset[str]]) -> Documented[frozenset[str]]:
    """What is documented of the setting beside the stage; remembered where both are short texts or missing."""
    if _is_short(setting) and _is_short(stage_value):
        return _situation_text(setting, stage_value)
    return _setting(setting, stage)


@functools.lru_cache(maxsize=4096)
def _situation_text(setting: str | None, stage: str | None) -> Documented[frozenset[str]]:
    return _setting(setting, _stage(stage))


def _entity(tumor: Any, histology: Any) -> tuple[Documented[str], Documented[frozenset[str]]]:
    tumors: list[tuple[str, str]] = []
    kinds: list[tuple[frozenset[str], str]] = []
    paths: list[str] = []
    for field, value in (("tumor", tumor), ("histology", histology)):
        for item in as_list(value):
            if is_unknown(item):
                continue
            if not isinstance(item, str):
                msg = f"expected the name of a {field}, got {item!r}"
                raise CaseError(msg, field=field)
            entity = read_entity(item)
            if entity is None:
                continue
            if entity.tumor is not None and (field == "tumor" or entity.tumor == NSCLC or not tumors):
                tumors.append((entity.tumor, item))
            if entity.histology is not None:
                kinds.append((entity.histology, item))
                paths.append(field)
    return join(tumors, "tumor", None), join(kinds, "histology", _and, paths=paths)


def _setting(value: Any, stage: Documented[frozenset[str]]) -> Documented[frozenset[str]]:
    stated = _scalar(
        value, "setting", read_setting, "a setting such as adjuvant, neoadjuvant, unresectable or metastatic", _and
    )
    if stage.value is None:
        return stated
    implied = settings_of_stage(stage.value)
    if stated.status is Status.UNKNOWN:
        return Documented(
            Status.VALUE, implied, sources=(Source("stage", stage.sources[0].text if stage.sources else ""),)
        )
    if stated.value is not None and implied == {"metastatic"} and stated.value <= CURATIVE:
        texts = (f"stage {stage.sources[0].text}" if stage.sources else "stage IV", stated.sources[0].text)
        return Documented(Status.CONFLICTING, stated=texts, sources=stated.sources)
    return stated


def _brain(value: Any) -> Documented[frozenset[str]]:
    if value is None:
        return unknown()
    if value is False:
        return _NO_BRAIN
    if type(value) is str and len(value) <= _REMEMBERED:
        return _brain_text(value)
    return _brain_statements(value)


_NO_BRAIN: Documented[frozenset[str]] = Documented(Status.ABSENT, sources=(Source("brain_mets", "False"),))


@functools.lru_cache(maxsize=1024)
def _brain_text(text: str) -> Documented[frozenset[str]]:
    return _brain_statements(text)


def _brain_statements(value: Any) -> Documented[frozenset[str]]:
    statements: list[tuple[frozenset[str], str]] = []
    for item in as_list(value):
        if is_unknown(item):
            continue
        text = str(item).strip().lower()
        if item is False or item == 0 or text in _ABSENT_WORDS or text == "false":
            statements.append((frozenset(), str(item)))
        elif item is True or item == 1 or text == "true":
            statements.append((_BRAIN["present"], str(item)))
        elif text in _BRAIN:
            statements.append((_BRAIN[text], str(item)))
        else:
            msg = f"expected true, false, treated, untreated or unknown, got {item!r}"
            raise CaseError(msg, field="brain_mets")
    if not statements:
        return unknown()
    sources = tuple(Source("brain_mets", text) for _, text in statements)
    first = statements[0][0]
    both = [got for got, _ in statements if bool(got) == bool(first)]
    merged = frozenset.intersection(*both)
    if len(both) < len(statements) or (first and not merged):
        return Documented(Status.CONFLICTING, stated=tuple(text for _, text in statements), sources=sources)
    return Documented(Status.VALUE, merged, sources=sources) if merged else Documented(Status.ABSENT, sources=sources)


def _conditions(comorbidities: Any, comedications: Any) -> tuple[dict[str, Documented[bool]], list[str]]:
    found: dict[str, Documented[bool]] = {}
    ignored: list[str] = []
    for field, value in (("comorbidities", comorbidities), ("comedications", comedications)):
        if value is None or is_unknown(value):
            continue
        items: Iterable[tuple[Any, Any]]
        if is_mapping(value):
            items = value.items()
        elif isinstance(value, list | tuple):
            items = (pair for item in value for pair in (item.items() if is_mapping(item) else ((item, True),)))
            if not value:
                _none_of(field, found)
        elif isinstance(value, str):
            if value.strip().lower() in _ABSENT_WORDS:
                _none_of(field, found)
                continue
            items = ((item, True) for item in re.split(r"[;,]", value))
        else:
            msg = f"expected a list of names, or an object of name and true or false, got {value!r}"
            raise CaseError(msg, field=field)
        for name, stated in items:
            known = read_condition(name if type(name) is str else str(name))
            if known is None:
                ignored.append(f"{field}.{name}")
                continue
            state = (
                _condition_answer(field, name, stated)
                if type(name) is str and (stated is True or stated is False)
                else _condition_state(stated, f"{field}.{name}")
            )
            previous = found.get(known)
            if previous is not None and previous.known and state.known and previous.status is not state.status:
                state = Documented(
                    Status.CONFLICTING, stated=("present", "absent"), sources=(*previous.sources, *state.sources)
                )
            if state.status is not Status.UNKNOWN or known not in found:
                found[known] = state
    return found, ignored


_COMEDICATIONS = frozenset({"cyp3a-inducer", "cyp3a-inhibitor", "ppi", "steroids"})
_COMORBIDITIES = frozenset({"ild", "autoimmune", "transplant", "hsct", "hemoptysis", "vte"})


def _none_of(field: str, found: dict[str, Documented[bool]]) -> None:
    names = _COMEDICATIONS if field == "comedications" else _COMORBIDITIES
    for name in sorted(names):
        found.setdefault(name, Documented(Status.ABSENT, sources=(Source(field, "none"),)))


@functools.lru_cache(maxsize=4096)
def _condition_answer(field: str, name: str, stated: bool) -> Documented[bool]:
    """The state of a condition that is answered with true or false."""
    return _condition_state(stated, f"{field}.{name}")


def _condition_state(stated: Any, field: str) -> Documented[bool]:
    source = (Source(field, str(stated)),)
    if stated is True:
        return Documented(Status.VALUE, True, sources=source)
    if stated is False:
        return Documented(Status.ABSENT, sources=source)
    if is_unknown(stated):
        return unknown()
    text = str(stated).strip().lower()
    if text in ("yes", "present", "true", "active", "current"):
        return Documented(Status.VALUE, True, sources=source)
    if text in ("no", "absent", "false", "none", "never"):
        return Documented(Status.ABSENT, sources=source)
    msg = f"expected true, false or unknown, got {stated!r}"
    raise CaseError(msg, field=field)


def as_of_of(data: Mapping[str, Any]) -> dt.date | None:
    """The day a case object asks for; None when it names none.

    Raises:
        CaseError: it is not an ISO date.
    """
    return date_of(data.get("as_of"), "as_of")
