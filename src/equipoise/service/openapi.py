"""What OpenAPI says of each address: bodies, answers, examples (all invented)."""

from __future__ import annotations

from typing import Any

from equipoise.service.cds.shapes import Shape, shape_schema

TAGS: list[dict[str, str]] = [
    {"name": "audit", "description": "Compare documented recommendations with dated sources."},
    {"name": "evidence", "description": "What a verdict can rest on."},
    {"name": "CDS Hooks", "description": "Inside an order entry (https://cds-hooks.hl7.org/2.0/)."},
    {"name": "trail", "description": "The audit trail: read, verify by receipt, replay."},
    {"name": "system", "description": "State of the service."},
]
EXAMPLE_CASE: dict[str, Any] = {
    "case_id": "example-1",
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "setting": "metastatic",
    "ecog": 1,
    "biomarkers": ["EGFR L858R"],
    "prior_therapies": [],
    "recommendations": ["osimertinib"],
}
EXAMPLE_NOTE = "62-year-old woman, stage IVB lung adenocarcinoma, ECOG 1. EGFR L858R. No prior therapy. Recommendation: osimertinib."
EXAMPLE_FHIR: dict[str, Any] = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [
        {"resource": {"resourceType": "Patient", "id": "p1", "gender": "female"}},
        {
            "resource": {
                "resourceType": "Condition",
                "id": "c1",
                "subject": {"reference": "Patient/p1"},
                "code": {"coding": [{"system": "http://snomed.info/sct", "code": "254626006"}]},
            }
        },
        {
            "resource": {
                "resourceType": "MedicationRequest",
                "id": "m1",
                "status": "active",
                "intent": "proposal",
                "subject": {"reference": "Patient/p1"},
                "medicationCodeableConcept": {"text": "osimertinib"},
            }
        },
    ],
}

_TEXT = {"type": "string"}
_OBJECT: dict[str, Any] = {"type": "object"}
_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "request_id"],
            "properties": {
                "code": _TEXT,
                "message": _TEXT,
                "field": _TEXT,
                "line": {"type": "integer", "minimum": 1},
                "request_id": _TEXT,
            },
        }
    },
}
_WHY: dict[int, str] = {
    400: "The request is not well formed.",
    401: "No key, or one that is unknown or revoked.",
    403: "The key does not allow this.",
    404: "There is no such thing.",
    408: "The body did not come in time.",
    409: "It cannot be done with this entry.",
    412: "Prefetched data are missing, or only partly there.",
    413: "The body is too large.",
    415: "The media type is not read here.",
    422: "The body, or a parameter, cannot be read.",
    500: "The service failed.",
    503: "The service cannot answer now: the trail cannot be written, or too much waits.",
    504: "The document took too long.",
}
_KEYED: list[dict[str, list[str]]] = [{"bearer": []}, {"key": []}]
SECURITY_SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key of this service: eqp_..."},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def _answers(
    schema: dict[str, Any], *others: int, media: str = "application/json", words: str = "Done."
) -> dict[int | str, Any]:
    found: dict[int | str, Any] = {200: {"description": words, "content": {media: {"schema": schema}}}}
    for status in (*others, 500):
        found[status] = {"description": _WHY[status], "content": {"application/json": {"schema": _ERROR}}}
    return found


def _parameter(name: str, words: str, schema: dict[str, Any] | None = None, example: Any = None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": name,
        "in": "query",
        "required": False,
        "description": words,
        "schema": schema or _TEXT,
    }
    if example is not None:
        found["example"] = example
    return found


def _body(content: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": content}


def _path(name: str, words: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "description": words, "schema": schema}


_DAY = {"type": "string", "format": "date"}
_HOW: list[dict[str, Any]] = [
    _parameter("policy", "Id of a policy of this service (GET /policies); the first one by default.", None, "label"),
    _parameter("as_of", "Day for which the evidence is read; wins over a day that the case names.", _DAY, "2026-11-01"),
    _parameter("jurisdiction", "Of which the sources speak.", {"type": "string", "enum": ["US", "EU"]}, "US"),
    _parameter("format", "How the body is read.", {"type": "string", "enum": ["auto", "case", "fhir", "dnpm", "text"]}),
]
_RECEIPT: dict[str, Any] = {
    "type": "object",
    "required": ["seq", "hash"],
    "properties": {"seq": {"type": "integer", "minimum": 0}, "hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
}
VERDICT: dict[str, Any] = {
    "type": "object",
    "description": "One recommendation; every element is described in docs/semantics.md.",
    "required": [
        "label",
        "abstain",
        "headline",
        "reasons",
        "policy_hash",
        "evidence_hash",
        "case_hash",
        "as_of",
        "engine_version",
    ],
    "properties": {
        "label": {
            "type": "string",
            "enum": ["Supported", "Partially Supported", "Unsupported", "Insufficient Information"],
        },
        "abstain": {"type": "boolean"},
        "headline": {"type": "string", "maxLength": 139},
    },
}
_CASES: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["case_id", "verdicts"],
        "properties": {
            "case_id": _TEXT,
            "verdicts": {"type": "array", "items": VERDICT},
            "record": {
                "type": "object",
                "description": "What was found and ignored in a record, and why there is nothing to audit.",
            },
            "error": _OBJECT,
            "trail": _RECEIPT,
        },
    },
}
_CASE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A case (docs/semantics.md section 1), a FHIR R4 resource or bundle, or a DNPM record.",
}
_EXAMPLES = {
    "case": {"summary": "a case", "value": EXAMPLE_CASE},
    "note": {"summary": "a case with a note", "value": {"case_id": "example-2", "text": EXAMPLE_NOTE}},
    "fhir": {"summary": "a FHIR bundle", "value": EXAMPLE_FHIR},
}

AUDIT: dict[str, Any] = {
    "tags": ["audit"],
    "responses": _answers(
        {"type": "object", "required": ["request_id", "cases"], "properties": {"request_id": _TEXT, "cases": _CASES}},
        400, 401, 403, 408, 413, 415, 422, 503, 504,
        words="One result a case; a case without a verdict says why.",
    ),
    "openapi_extra": {
        "security": _KEYED,
        "parameters": _HOW,
        "requestBody": _body(
            {
                "application/json": {"schema": _CASE_SCHEMA, "examples": _EXAMPLES},
                "application/fhir+json": {"schema": _CASE_SCHEMA, "example": EXAMPLE_FHIR},
                "text/plain": {"schema": _TEXT, "example": EXAMPLE_NOTE},
            }
        ),
    },
}  # fmt: skip
BATCH: dict[str, Any] = {
    "tags": ["audit"],
    "responses": _answers(
        {
            "type": "object",
            "required": ["request_id", "entries"],
            "properties": {
                "request_id": _TEXT,
                "entries": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["place"],
                        "properties": {"place": {"type": "integer", "minimum": 1}, "cases": _CASES, "error": _OBJECT},
                    },
                },
            },
        },
        400, 401, 403, 408, 413, 415, 422, 503, 504,
        words="One entry a document, in order. For lines the answer is lines too.",
    ),
    "openapi_extra": {
        "security": _KEYED,
        "parameters": _HOW,
        "requestBody": _body(
            {
                "application/json": {
                    "schema": {"type": "array", "items": {"anyOf": [_CASE_SCHEMA, _TEXT]}},
                    "example": [EXAMPLE_CASE, EXAMPLE_FHIR, EXAMPLE_NOTE],
                },
                "application/x-ndjson": {"schema": _TEXT, "example": '{"tumor": "NSCLC", "recommendations": ["osimertinib"]}\n'},
            }
        ),
    },
}  # fmt: skip
BATCH["responses"][200]["content"]["application/x-ndjson"] = {"schema": _TEXT}

_ASSERTION: dict[str, Any] = {
    "type": "object",
    "required": ["id", "regimen", "direction", "level", "statement", "sources", "verified"],
}
EVIDENCE_LIST: dict[str, Any] = {
    "tags": ["evidence"],
    "responses": _answers(
        {
            "type": "object",
            "required": ["evidence_hash", "total", "assertions"],
            "properties": {"total": {"type": "integer"}, "assertions": {"type": "array", "items": _ASSERTION}},
        },
        400, 401, 403,
    ),
    "openapi_extra": {
        "security": _KEYED,
        "parameters": [
            _parameter("q", "Words; every one must occur.", None, "osimertinib adjuvant"),
            _parameter("drug", "A drug or regimen in any spelling.", None, "osimertinib"),
            _parameter(
                "direction",
                "What it says.",
                {"type": "string", "enum": ["supports", "resistance", "not-indicated", "contraindicated", "caution"]},
            ),
            _parameter("jurisdiction", "Of which it speaks."),
            _parameter("as_of", "Only what holds on this day.", _DAY),
            _parameter("verified", "Only what was checked, or only the rest.", {"type": "string", "enum": ["true", "false"]}),
            _parameter("offset", "Where to begin.", {"type": "integer", "minimum": 0, "maximum": 1000000}),
            _parameter("limit", "How many.", {"type": "integer", "minimum": 1, "maximum": 500}),
        ],
    },
}  # fmt: skip
EVIDENCE: dict[str, Any] = {
    "tags": ["evidence"],
    "responses": _answers(
        {"type": "object", "required": ["evidence_hash", "assertion"], "properties": {"assertion": _ASSERTION}},
        400,
        401,
        403,
        404,
    ),
    "openapi_extra": {
        "security": _KEYED,
        "parameters": [
            {
                **_path("identifier", "Id of an assertion.", _TEXT),
                "example": "nsclc.osimertinib.egfr-common.metastatic-1l",
            }
        ],
    },
}
POLICIES: dict[str, Any] = {
    "tags": ["evidence"],
    "responses": _answers(
        {"type": "object", "required": ["policies"], "properties": {"policies": {"type": "array", "items": _OBJECT}}},
        400,
        401,
        403,
    ),
    "openapi_extra": {"security": _KEYED},
}


def _shape(shape: Shape) -> dict[str, Any]:
    found: dict[str, Any] = shape_schema(shape)
    return found


_SERVICE = _path(
    "identifier",
    "Id of a service (GET /cds-services).",
    {"type": "string", "enum": ["equipoise-order-select", "equipoise-order-sign"]},
)
CDS_DISCOVERY: dict[str, Any] = {"tags": ["CDS Hooks"], "responses": _answers(_shape("discovery"), 400)}
CDS_CALL: dict[str, Any] = {
    "tags": ["CDS Hooks"],
    "responses": _answers(
        _shape("response"),
        400,
        401,
        403,
        404,
        408,
        412,
        413,
        415,
        422,
        503,
        504,
        words="Cards; none when there is nothing to say.",
    ),
    "openapi_extra": {
        "security": _KEYED,
        "parameters": [_SERVICE],
        "requestBody": _body({"application/json": {"schema": _shape("request")}}),
    },
}
CDS_FEEDBACK: dict[str, Any] = {
    "tags": ["CDS Hooks"],
    "responses": _answers({"type": "object", "maxProperties": 0}, 400, 401, 403, 404, 408, 413, 415, 503),
    "openapi_extra": {
        "security": _KEYED,
        "parameters": [_SERVICE],
        "requestBody": _body({"application/json": {"schema": _shape("feedback")}}),
    },
}

_ENTRY: dict[str, Any] = {"type": "object", "required": ["seq", "hash", "kind", "at", "caller", "facts"]}
_NUMBER = _path("number", "Number of the entry.", {"type": "integer", "minimum": 1, "maximum": 100000000000})
TRAIL_HEAD: dict[str, Any] = {
    "tags": ["trail"],
    "responses": _answers(_RECEIPT, 400, 401, 403, 503),
    "openapi_extra": {"security": _KEYED},
}
TRAIL_SEARCH: dict[str, Any] = {
    "tags": ["trail"],
    "responses": _answers(
        {"type": "object", "required": ["entries"], "properties": {"entries": {"type": "array", "items": _ENTRY}}},
        400, 401, 403, 408, 413, 415, 422, 503,
    ),
    "openapi_extra": {
        "security": _KEYED,
        "requestBody": _body(
            {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "case_id": {"type": "string", "maxLength": 500},
                            "request": {"type": "string", "maxLength": 500},
                            "kind": {"type": "string", "enum": ["audit", "feedback", "access", "deletion"]},
                            "since": {"type": "string", "maxLength": 40},
                            "before": {"type": "string", "maxLength": 40},
                            "after": {"type": "integer", "minimum": 0, "maximum": 100000000000},
                            "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
                        },
                    },
                    "example": {"case_id": "example-1"},
                }
            }
        ),
    },
}  # fmt: skip
TRAIL_ENTRY: dict[str, Any] = {
    "tags": ["trail"],
    "responses": _answers(_ENTRY, 400, 401, 403, 404, 503),
    "openapi_extra": {"security": _KEYED, "parameters": [_NUMBER]},
}
TRAIL_REPLAY: dict[str, Any] = {
    "tags": ["trail"],
    "responses": _answers(
        {
            "type": "object",
            "required": ["seq", "outcome", "versions", "differences", "reason"],
            "properties": {"outcome": {"type": "string", "enum": ["same", "differs", "broken", "deleted", "impossible"]}},
        },
        400, 401, 403, 404, 409, 503,
    ),
    "openapi_extra": {"security": _KEYED, "parameters": [_NUMBER]},
}  # fmt: skip
_STATUS: dict[str, Any] = {"type": "object", "required": ["status", "version"]}
HEALTH: dict[str, Any] = {"tags": ["system"], "responses": _answers(_STATUS, 400)}
READY: dict[str, Any] = {"tags": ["system"], "responses": _answers(_STATUS, 400, 503)}
METRICS: dict[str, Any] = {
    "tags": ["system"],
    "responses": _answers(_TEXT, 400, 401, 403, media="text/plain"),
    "openapi_extra": {"security": _KEYED},
}
