"""Oversized, malformed and hostile requests: each is answered in one shape and logged, none crashes the service."""

from __future__ import annotations

import json

import pytest

from equipoise.service.settings import Limits
from service_example import CASE

JSON = {"Content-Type": "application/json"}
DEEP = 100_000

BODIES = {
    "empty": b"",
    "blank": b"   \n ",
    "no JSON": b"{",
    "not UTF-8": b'{"tumor": "\xff\xfe"}',
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "quite deep": b'{"tumor":"NSCLC","x":' + b'{"a":' * 900 + b"1" + b"}" * 901,
    "NaN": b'{"tumor": "NSCLC", "tmb": NaN, "recommendations": ["osimertinib"]}',
    "infinity": b'{"tumor": "NSCLC", "tmb": -Infinity}',
    "too large for a float": b'{"tumor": "NSCLC", "tmb": 1e999}',
    "a number of 5000 digits": b'{"age": ' + b"9" * 5000 + b"}",
    "a large age": b'{"age": 1e300, "tumor": "NSCLC", "recommendations": ["osimertinib"]}',
    "an element twice": b'{"ecog": 1, "ecog": 2, "recommendations": ["osimertinib"]}',
    "an element twice in a list": b'{"tumor": "NSCLC", "zzz": [{"a": 1, "a": 2}], "recommendations": ["osimertinib"]}',
    "a text": b'"hello"',
    "a number": b"17",
    "null": b"null",
    "an empty object": b"{}",
    "an empty list": b"[]",
    "another object": b'{"hello": "world"}',
    "wrong types": b'{"tumor": ["a"], "biomarkers": 17, "recommendations": {"x": []}, "prior_therapies": {"y": null}}',
    "lone surrogate": b'{"case_id": "\\ud800", "tumor": "NSCLC", "recommendations": ["osimertinib \\udfff"]}',
    "null bytes": b'{"case_id": "a\\u0000b", "tumor": "NSCLC", "recommendations": ["\\u0000"]}',
    "bundle of itself": b'{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Bundle", "entry": []}}]}',
    "bundle of nonsense": b'{"resourceType": "Bundle", "entry": [1, null, {"resource": 7}, {"resource": {"resourceType": 3}}]}',
    "script": b'{"case_id": "<script>alert(1)</script>", "tumor": "NSCLC", "recommendations": ["<img src=x>"]}',
    "many recommendations": json.dumps({"tumor": "NSCLC", "recommendations": ["osimertinib"] * 400}).encode(),
}


@pytest.mark.parametrize(
    "path",
    ["/audit", "/audit/batch", "/cds-services/equipoise-order-sign", "/cds-services/equipoise-order-sign/feedback"],
)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_hostile_body_is_answered_in_one_shape(running, path, body):
    answer = running.client.post(path, content=body, headers={**JSON, **running.as_role("admin")})
    assert answer.status_code in (200, 400, 413, 422)
    value = answer.json()
    if answer.status_code != 200:
        assert set(value) == {"error"}
        assert {"code", "message", "request_id"} <= set(value["error"])
    assert [line for line in running.log() if line["event"] == "failed"] == []
    assert running.log()[-1]["status"] == answer.status_code
    assert running.audit().status_code == 200


@pytest.mark.parametrize("name", ["NaN", "infinity", "too large for a float"])
def test_a_number_that_json_does_not_have_is_refused(running, name):
    answer = running.client.post("/audit", content=BODIES[name], headers=JSON)
    assert answer.status_code == 422
    assert "no number" in answer.json()["error"]["message"]


def test_a_text_that_only_looks_like_nan_is_taken(running):
    assert running.audit({**CASE, "remark": "NaN, Infinity, 1e999"}).status_code == 200


@pytest.mark.parametrize(
    "media",
    [
        "",
        "text/html",
        "application/xml",
        "multipart/form-data",
        "application/json; charset=utf-16",
        "application/octet-stream",
    ],
)
def test_another_media_type_is_refused(running, media):
    answer = running.client.post("/audit", content=b"{}", headers={"Content-Type": media})
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "media-type")
    assert running.log()[-1]["refused"] == "media type"


def test_a_packed_body_is_refused(running):
    answer = running.client.post("/audit", content=b"x", headers={**JSON, "Content-Encoding": "gzip"})
    assert answer.status_code == 415


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/evidence/../../etc/passwd",
        "/evidence/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/evidence/%00",
        "/evidence/" + "a" * 5000,
        "/trail/1%2f..",
        "/trail/-1",
        "/trail/1e9",
        "/assets/../../../etc/passwd",
        "/audit/",
        "/docs",
        "/nowhere",
    ],
)
def test_a_path_trick_finds_nothing(running, path):
    answer = running.client.get(path)
    assert answer.status_code in (400, 403, 404, 405)
    assert "root:" not in answer.text
    assert answer.json()["error"]["code"]
    assert "passwd" not in json.dumps(running.log())


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "GET"])
def test_another_method_is_refused(running, method):
    assert running.client.request(method, "/audit").status_code == 405


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer eqp_00000000_" + "A" * 43},
        {"Authorization": "Bearer " + "A" * 20_000},
        {"Authorization": "Bearer eqp_\u00e9".encode("latin-1")},
        {"Authorization": "", "X-API-Key": "nothing"},
        {"Authorization": ""},
    ],
)
def test_a_wrong_key_is_refused_and_not_logged(running, headers):
    answer = running.client.post("/audit", json=CASE, headers=headers)
    assert answer.status_code in (400, 401)
    line = running.log()[-1]
    assert "caller" not in line
    assert "AAAA" not in json.dumps(line)


def test_a_proxy_header_changes_nothing(running):
    headers = {"X-Forwarded-For": "10.0.0.1", "X-Forwarded-Host": "evil.example", "X-HTTP-Method-Override": "DELETE"}
    assert running.client.post("/audit", json=CASE, headers=headers).status_code == 200
    assert "evil" not in json.dumps(running.log())


def test_another_name_of_the_host_is_refused(make):
    running = make(open=True, hosts=("testserver", "[::1]"))
    assert running.audit().status_code == 200
    for host in ("evil.example", "testserver.evil.example", "", "testserver@evil.example"):
        answer = running.client.post("/audit", json=CASE, headers={"Host": host})
        assert answer.status_code == 421
    assert running.client.post("/audit", json=CASE, headers={"Host": "[::1]:8080"}).status_code == 200


def test_an_oversized_body_is_refused_before_it_is_read(make):
    running = make(limits=Limits(document_bytes=1000, batch_bytes=3000))
    big = json.dumps({**CASE, "remark": "x" * 2000}).encode()
    for path, media in (("/audit", "application/json"), ("/audit/batch", "application/json")):
        answer = running.client.post(path, content=big, headers={"Content-Type": media})
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")
        assert answer.headers["connection"] == "close"
        assert running.log()[-1]["bytes"] == 0
    answer = running.client.post("/audit", content=iter([big[:600], big[600:]]), headers=JSON)
    assert answer.status_code == 413
    lines = {"Content-Type": "application/x-ndjson"}
    assert running.client.post("/audit/batch", content=big, headers=lines).status_code == 413
    assert running.client.post("/audit/batch", content=b"{}\n" * 1200, headers=lines).status_code == 413
    assert running.state.trail.head().seq == 0


@pytest.mark.parametrize(
    ("value", "field"),
    [([{}] * 1001, None), ({"recommendations": ["osimertinib"] * 201}, "recommendations")],
    ids=["cases", "recommendations"],
)
def test_a_small_body_that_asks_for_much_is_refused(running, value, field):
    answer = running.audit(value)
    assert answer.status_code == 422
    assert "at most" in answer.json()["error"]["message"]
    assert answer.json()["error"].get("field") == field


def test_many_small_cases_are_worked_on_beside(running):
    assert running.audit([{}] * 300).status_code == 200
    assert running.state.heavy._process is not None


def test_a_batch_with_too_many_entries_is_refused(make):
    running = make(limits=Limits(batch_entries=3))
    assert running.client.post("/audit/batch", json=[CASE] * 4).status_code == 422
    assert running.client.post("/audit/batch", json=[CASE] * 3).status_code == 200


def test_a_document_that_takes_too_long_is_given_up_and_the_next_one_is_answered(make):
    running = make(limits=Limits(work_seconds=0.05, inline_bytes=0))
    large = {**CASE, "remark": "x" * 5000}
    answer = running.client.post("/audit", json=large)
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "took-too-long")
    assert running.audit().status_code == 200


def test_a_failure_that_nobody_planned_for_is_answered_and_logged_without_its_text(running, monkeypatch):
    def fails(*_):
        message = "secret of Anna Beispiel"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(running.state.engine, "answer", fails)
    answer = running.audit()
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "Anna" not in answer.text
    failed = next(line for line in running.log() if line["event"] == "failed")
    assert failed["error"] == "ZeroDivisionError"
    assert any("fails" in place for place in failed["place"])
    assert "Anna" not in json.dumps(running.log())


def test_the_log_holds_no_patient_data(running):
    case = {**CASE, "case_id": "Anna Beispiel 1964-02-03", "remark": "lives in Examplestadt"}
    running.audit(case)
    running.audit({**case, "ecog": "Examplestadt"})
    running.client.get("/evidence", params={"q": "Examplestadt"})
    running.client.get("/evidence/Examplestadt")
    written = running.stream.getvalue()
    for word in ("Anna", "1964", "Examplestadt", "osimertinib", "NSCLC", *running.keys.values()):
        assert word not in written
    lines = [line for line in running.log() if line["event"] == "request"]
    assert [line["route"] for line in lines] == ["/audit", "/audit", "/evidence", "/evidence/{identifier}"]
    assert lines[0]["cases"] == [running.state.secret.pseudonym(case["case_id"])]
    assert lines[0]["caller"] == running.keys["audit"].split("_")[1]


def test_every_answer_carries_the_headers_that_keep_a_browser_safe(running):
    for path in ("/health", "/evidence", "/nowhere", "/sign-in", "/assets/page.css"):
        headers = running.client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert len(headers["x-request-id"]) == 36
        assert "server" not in headers


def test_no_other_site_may_call_unless_it_is_named(make):
    origin = {"Origin": "https://ehr.example"}
    assert "access-control-allow-origin" not in make().client.post("/audit", json=CASE, headers=origin).headers


def test_a_named_site_may_call(make):
    running = make(origins=("https://ehr.example",))
    good = running.client.post("/audit", json=CASE, headers={"Origin": "https://ehr.example"})
    assert good.headers["access-control-allow-origin"] == "https://ehr.example"
    other = running.client.post("/audit", json=CASE, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


def test_the_frameworks_own_telemetry_stays_off(make, monkeypatch):
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    app = make().client.app
    told = getattr(app, "_telemetry", None)
    assert told is None or not any(
        told[name] for name in ("tracing", "metrics", "logs", "operation_spans", "auto_configure")
    )
