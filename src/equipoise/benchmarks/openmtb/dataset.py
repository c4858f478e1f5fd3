"""Reads benchmark cases: the published files (JSONL or JSON) and generated ones.

What a system may see (`inputs`) and what it is held against (`reference`) are parted here, once: no reference element
can reach a system that is given `BenchmarkCase.inputs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from equipoise.audit.verdict import LABELS
from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import Prediction, parse_json, read_json_lines, read_predictions, read_text

Inputs = Literal["full", "no-profile", "text"]
"""What a system is shown: every input field; all but the profile key; the text alone (patient summary, or note)."""

FIELD_NAMES: dict[str, str] = {
    "ecog_status": "ecog",
    "prior_therapy": "prior_therapies",
    "biomarker_validation": "biomarkers",
    "brain_metastasis": "brain_mets",
    "pdl1_expression": "pdl1",
}
"""The published names of fields that can be missing, and the Case's own; any other name is kept as it is."""

_REFERENCE_KEYS = frozenset(
    {
        "reference", "case_type", "error_type", "support_label", "should_abstain", "missing_fields",
        "ground_truth_therapy", "expected_label", "parent_id", "edit",
    }
)  # fmt: skip
"""Elements that speak of the answer or of how the case was made; no system sees them."""

_TEXT_KEYS = ("patient_summary", "text")
"""Where a case holds its text: the published name, and the Case's own, which stands beside the day it asks for."""
_PROFILE_KEY = "profile_key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a case is held against.

    Attributes:
        label: reference label.
        abstain: whether a system should abstain.
        missing_fields: fields that are needed and not documented, in the Case's names.
        error_type: the error put in; "none" for a clean case.
        case_type: "clean" or "adversarial".
        parent_id: the clean case it was made from; empty when it was made from none or that is not stated.
        edit: what was changed in the parent ({field, from, to}); None when nothing was or that is not stated.
    """

    label: str
    abstain: bool
    missing_fields: tuple[str, ...] = ()
    error_type: str = "none"
    case_type: str = "clean"
    parent_id: str = ""
    edit: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkCase:
    """One case of the benchmark.

    Attributes:
        case_id: identifier, unique in the file.
        inputs: what a system is shown, `case_id` included; holds no reference element.
        reference: what its answer is held against.
    """

    case_id: str
    inputs: Mapping[str, Any]
    reference: Reference


def load_cases(path: str | Path, *, inputs: Inputs = "full") -> tuple[BenchmarkCase, ...]:
    """The cases of a file, in its order.

    Args:
        path: JSONL with one case a line, or JSON with a list of cases or an object with the list under `cases`.
        inputs: what a system is shown.

    Raises:
        UsageError: no such file, an unknown value of `inputs`, or text asked of cases that have none.
        InputError: a broken line, a missing or repeated case_id, an unknown label, a wrong type; names file and line.
    """
    path = Path(path)
    cases = []
    for line, record in _records(path):
        try:
            cases.append(parse_case(record, inputs=inputs))
        except InputError as error:
            raise error.located(file=str(path), line=line) from error
    _require_unique(cases, file=str(path))
    if not cases:
        message = "the file holds no case"
        raise InputError(message, file=str(path))
    return tuple(cases)


def parse_case(record: Mapping[str, Any], *, inputs: Inputs = "full") -> BenchmarkCase:
    """One case of either form: published (reference elements beside the inputs) or generated (under `reference`).

    Raises:
        UsageError: an unknown value of `inputs`, or text asked of a case that has none.
        InputError: an element is missing or of the wrong type.
    """
    case_id = record.get("case_id")
    if not isinstance(case_id, str) or not case_id.strip():
        message = "expected a non-empty text"
        raise InputError(message, field="case_id")
    reference = _generated(record["reference"]) if "reference" in record else _published(record)
    return BenchmarkCase(case_id=case_id, inputs=_inputs(record, inputs), reference=reference)


def from_records(records: Iterable[Mapping[str, Any]], *, inputs: Inputs = "full") -> tuple[BenchmarkCase, ...]:
    """The same as `load_cases`, for records that are not in a file, such as generated ones.

    Raises:
        UsageError: as in `parse_case`.
        InputError: as in `parse_case`, or a repeated case_id.
    """
    cases = [parse_case(record, inputs=inputs) for record in records]
    _require_unique(cases, file=None)
    return tuple(cases)


def load_predictions(path: str | Path) -> tuple[Prediction, ...]:
    """Another system's answers, with the four labels and the Case's names of fields.

    Raises:
        UsageError: no such file.
        InputError: names file and line.
    """
    return read_predictions(path, labels=LABELS, field_names=FIELD_NAMES)


def dataset_hash(cases: Iterable[BenchmarkCase]) -> str:
    """Content hash over inputs and references, in order; equal for files that differ only in layout."""
    return content_hash(
        [
            [
                dict(case.inputs),
                case.reference.label,
                case.reference.abstain,
                sorted(case.reference.missing_fields),
                case.reference.error_type,
            ]
            for case in cases
        ]
    )


def _records(path: Path) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if path.suffix.lower() != ".json":
        yield from read_json_lines(path)
        return
    value = parse_json(read_text(path), file=str(path))
    if isinstance(value, dict):
        value = value.get("cases", value.get("benchmark_cases"))
    if not isinstance(value, list):
        message = "expected a list of cases, or an object with the list under `cases`"
        raise InputError(message, file=str(path))
    for number, record in enumerate(value, start=1):
        if not isinstance(record, dict):
            message = f"entry {number} of the list is not an object"
            raise InputError(message, file=str(path))
        yield None, record


def _inputs(record: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    if inputs not in get_args(Inputs):
        message = f"expected one of {', '.join(get_args(Inputs))}; found {inputs!r}"
        raise UsageError(message, field="inputs")
    if inputs == "text":
        name = next((key for key in _TEXT_KEYS if isinstance(record.get(key), str)), None)
        if name is None:
            names = " and no ".join(_TEXT_KEYS)
            message = f"inputs 'text' was asked for, and case {record.get('case_id')!r} has no {names}"
            raise UsageError(message, field=_TEXT_KEYS[0])
        day = {"as_of": record["as_of"]} if name == "text" and "as_of" in record else {}
        return {"case_id": record["case_id"], **day, name: record[name]}
    hidden = _REFERENCE_KEYS if inputs == "full" else _REFERENCE_KEYS | {_PROFILE_KEY}
    return {key: value for key, value in record.items() if key not in hidden}


def _published(record: Mapping[str, Any]) -> Reference:
    error_type = _text(record.get("error_type", "none"), "error_type")
    default = "clean" if error_type == "none" else "adversarial"
    return Reference(
        label=_label(record.get("support_label"), "support_label"),
        abstain=_flag(record.get("should_abstain"), "should_abstain"),
        missing_fields=_names(record.get("missing_fields", []), "missing_fields"),
        error_type=error_type,
        case_type=_text(record.get("case_type", default), "case_type"),
    )


def _generated(value: Any) -> Reference:
    if not isinstance(value, Mapping):
        message = "expected an object with label, abstain, missing_fields and error_type"
        raise InputError(message, field="reference")
    error_type = _text(value.get("error_type", "none"), "reference.error_type")
    edit = value.get("edit")
    if edit is not None and not isinstance(edit, Mapping):
        message = "expected an object with field, from and to"
        raise InputError(message, field="reference.edit")
    return Reference(
        label=_label(value.get("label"), "reference.label"),
        abstain=_flag(value.get("abstain"), "reference.abstain"),
        missing_fields=_names(value.get("missing_fields", []), "reference.missing_fields"),
        error_type=error_type,
        case_type="clean" if error_type == "none" else "adversarial",
        parent_id=_text(value.get("parent_id") or "", "reference.parent_id"),
        edit=edit,
    )


def _label(value: Any, field: str) -> str:
    if value not in LABELS:
        message = f"expected one of {', '.join(LABELS)}; found {value!r}"
        raise InputError(message, field=field)
    return str(value)


def _flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        message = f"expected true or false; found {value!r}"
        raise InputError(message, field=field)
    return value


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        message = f"expected a text; found {value!r}"
        raise InputError(message, field=field)
    return value


def _names(value: Any, field: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        message = f"expected a list of field names; found {value!r}"
        raise InputError(message, field=field)
    return tuple(sorted({FIELD_NAMES.get(item, item) for item in value}))


def _require_unique(cases: list[BenchmarkCase], *, file: str | None) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.case_id in seen:
            message = f"case_id {case.case_id!r} occurs twice"
            raise InputError(message, file=file, field="case_id")
        seen.add(case.case_id)
