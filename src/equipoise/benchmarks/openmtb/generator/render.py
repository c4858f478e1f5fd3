"""A draft as the JSON form of a case (docs/semantics.md, section 1)."""

from __future__ import annotations

from typing import Any

from equipoise.benchmarks.openmtb.generator.drafts import AS_OF, NOS, Draft, Found, Given, Style
from equipoise.benchmarks.openmtb.generator.draw import Draw

_MISSING = object()
_WORDS = {
    "present": "",
    "absent": " negative",
    "uncertain": ", uncertain significance",
    "not_tested": " not tested",
    "pending": " pending",
}
_IMPLIED = ("IVA", "IVB")


def render(draft: Draft) -> dict[str, Any]:
    """The case without `case_id`, in the record's own order of fields."""
    style = draft.style
    fields: dict[str, Any] = {
        "as_of": AS_OF.isoformat(),
        "age": draft.age,
        "sex": draft.sex,
        "ecog": _ecog(draft),
        "tumor": style.tumor,
        "histology": _or_undocumented(
            None if draft.histology == NOS and style.undocumented == "" else draft.histology, style
        ),
        "stage": f"Stage {draft.stage}" if style.stage_word else draft.stage,
        "setting": _setting(draft),
        "brain_mets": _brain(draft),
        "biomarkers": [_marker(item, style) for item in sorted(draft.found, key=lambda item: item.place)],
        "pdl1": _pdl1(draft),
        "prior_therapies": _history(draft),
        "recommendations": _recommendations(draft),
    }
    if style.recommendation == "single":
        fields["recommendation"] = fields.pop("recommendations")
    if draft.tmb is not None:
        fields["tmb"] = draft.tmb
    if draft.stable:
        fields["msi"] = "MSS"
    if draft.qtc is not None:
        fields["qtc_ms"] = draft.qtc
    if draft.comorbidities:
        fields["comorbidities"] = dict.fromkeys(draft.comorbidities, False)
    if draft.no_ppi:
        fields["comedications"] = {"proton pump inhibitor": False}
    names = Draw(f"fields {style.order}").shuffled(_ALL)
    return {name: fields[name] for name in names if fields.get(name, _MISSING) is not _MISSING}


_ALL = (
    "as_of", "age", "sex", "ecog", "tumor", "histology", "stage", "setting", "brain_mets", "biomarkers", "pdl1", "tmb",
    "msi", "qtc_ms", "comorbidities", "comedications", "prior_therapies", "recommendations", "recommendation",
)  # fmt: skip


def _or_undocumented(value: Any, style: Style) -> Any:
    """The value, or what the record holds in its place; `_MISSING` when it leaves the element out."""
    if value is not None:
        return value
    return _MISSING if style.undocumented == "" else style.undocumented


def _ecog(draft: Draft) -> Any:
    if draft.ecog is None:
        return _or_undocumented(None, draft.style)
    if len(draft.ecog) > 1:
        return f"{draft.ecog[0]}-{draft.ecog[-1]}"
    return str(draft.ecog[0]) if draft.style.ecog_text else draft.ecog[0]


def _setting(draft: Draft) -> Any:
    if draft.setting == "metastatic" and draft.stage in _IMPLIED and not draft.style.state_setting:
        return _MISSING
    return _or_undocumented(draft.setting, draft.style)


def _brain(draft: Draft) -> Any:
    values = {"none": False, "treated": "treated", "present": True, None: None}
    return _or_undocumented(values[draft.brain], draft.style)


def _pdl1(draft: Draft) -> Any:
    if draft.tps is None:
        return _or_undocumented(None, draft.style)
    if draft.style.tps == 0:
        return {"tps": draft.tps}
    return f"TPS {draft.tps}%" if draft.style.tps == 1 else f"{draft.tps}%"


def _marker(item: Found, style: Style) -> Any:
    if style.markers == "text":
        return item.text + _WORDS[item.status]
    if style.markers == "short" and item.status == "present":
        return {"name": item.text}
    entry: dict[str, Any] = {"name": item.text, "status": item.status}
    if style.markers == "dated" and item.status not in ("not_tested", "pending"):
        month, day = 1 + int(item.place * 9), 1 + int(item.place * 997) % 28
        entry |= {"assay": "NGS panel", "date": f"2026-{month:02d}-{day:02d}"}
    return entry


def _drugs(regimen: str, style: Style) -> str:
    parts = Draw(f"drugs {style.order} {len(regimen.split(' + '))}").shuffled(regimen.split(" + "))
    if style.capital:
        parts = [part[0].upper() + part[1:] for part in parts]
    return style.separator.join(parts)


def _history(draft: Draft) -> Any:
    style = draft.style
    if draft.history is None:
        return _or_undocumented(None, style)
    if not draft.history:
        return ([], "none", "treatment-naive")[style.none]
    if style.history == "objects":
        return [_course(course, draft.history, style) for course in draft.history]
    marks = ("{} ({})", "{}, {}")
    texts = [marks[style.history_mark].format(_drugs(course.drugs, style), course.outcome) for course in draft.history]
    if style.history == "list":
        return texts
    return ("; ", " -> ")[style.history_mark].join(texts)


def _course(course: Given, history: tuple[Given, ...], style: Style) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "drugs": _drugs(course.drugs, style),
        "setting": course.setting,
        "outcome": course.outcome,
        "ended": course.ended.isoformat(),
    }
    late = [other for other in history if other.setting in ("advanced", "metastatic")]
    if course in late:
        entry["line"] = late.index(course) + 1
    return entry


def _recommendations(draft: Draft) -> Any:
    text = _drugs(draft.regimen, draft.style)
    if draft.style.recommendation == "objects":
        return [{"id": "r1", "regimen": text}]
    return text if draft.style.recommendation == "single" else [text]
