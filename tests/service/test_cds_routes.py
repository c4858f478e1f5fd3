"""CDS Hooks over HTTP: discovery, a call with its entry on the trail, feedback that finds its card, refusals; and the counters."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from equipoise.service.access.keys import Role
from equipoise.service.cds.shapes import problems
from equipoise.service.identity import request_of
from equipoise.service.trail.replay import Outcome, replay

FIXTURES = Path(__file__).parent / "cds" / "fixtures"
SIGN = "/cds-services/equipoise-order-sign"
SELECT = "/cds-services/equipoise-order-select"


def fixture(name):
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def call(drug="alectinib", name="order-sign.request.json"):
    value = fixture(name)
    value["context"]["draftOrders"]["entry"][0]["resource"]["medicationCodeableConcept"] = {"text": drug}
    return value


def test_discovery_needs_no_key_and_keeps_its_shape(running):
    del running.client.headers["Authorization"]
    answer = running.client.get("/cds-services")
    assert answer.status_code == 200
    assert problems("discovery", answer.json()) == []
    assert [(one["id"], one["hook"]) for one in answer.json()["services"]] == [
        ("equipoise-order-select", "order-select"),
        ("equipoise-order-sign", "order-sign"),
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (SELECT, "order-select.request.json"),
        (SIGN, "order-sign.request.json"),
        (SIGN, "order-sign.authorised.request.json"),
    ],
)
def test_a_call_is_answered_with_cards_and_is_on_the_trail(running, path, name):
    answer = running.client.post(path, json=call(name=name))
    assert answer.status_code == 200
    assert problems("response", answer.json()) == []
    (card,) = answer.json()["cards"]
    assert card["indicator"] == "info"
    entry = running.state.trail.entry(1)
    assert entry.fields["request"] == request_of(card["uuid"]) == answer.headers["x-request-id"]
    assert json.loads(entry.payload.more)["cards"] == [card["uuid"]]
    assert replay(entry, running.state.engine).outcome is Outcome.SAME


def test_the_access_token_and_the_server_are_neither_kept_nor_logged(running):
    running.client.post(SIGN, json=fixture("order-sign.authorised.request.json"))
    entry = running.state.trail.entry(1)
    kept = entry.header.encode() + entry.payload.case + entry.payload.verdicts + entry.payload.more
    for words in ("an-opaque-token", "fhir.hospital.example"):
        assert words.encode() not in kept
        assert words not in running.stream.getvalue()


def test_a_supported_order_sends_no_card_and_is_on_the_trail(running):
    answer = running.client.post(SIGN, json=call("osimertinib"))
    assert answer.json() == {"cards": []}
    assert running.state.trail.entry(1).fields["facts"]["labels"] == ["Supported"]


def test_a_supported_order_sends_one_when_that_is_asked_for(make):
    running = make(cards_for_supported=True, public_url="https://cds.hospital.example")
    (card,) = running.client.post(SIGN, json=call("osimertinib")).json()["cards"]
    assert card["indicator"] == "info"
    assert card["links"][-1]["url"].startswith("https://cds.hospital.example/evidence/nsclc.osimertinib")


def test_an_order_that_is_no_cancer_drug_leaves_nothing(running):
    assert running.client.post(SIGN, json=call("ondansetron")).json() == {"cards": []}
    assert running.state.trail.head().seq == 0


@pytest.mark.parametrize(
    ("path", "change", "status", "field"),
    [
        (SIGN, {"hook": "order-select"}, 400, "context.selections"),
        (SELECT, {}, 400, "hook"),
        (SIGN, {"hookInstance": "17"}, 400, "hookInstance"),
        (SIGN, {"prefetch": {}}, 412, "prefetch.patient"),
        (SIGN, {"context": {}}, 400, "context.draftOrders"),
        ("/cds-services/nowhere", {}, 404, None),
    ],
)
def test_a_call_that_cannot_be_answered_says_why(running, path, change, status, field):
    answer = running.client.post(path, json={**call(), **change})
    assert (answer.status_code, answer.json()["error"].get("field")) == (status, field)


def test_a_large_call_is_answered_the_same(running):
    small = running.client.post(SIGN, json=call()).json()["cards"][0]
    padded = {**call(), "extension": {"x": "y" * 80_000}}
    large = running.client.post(SIGN, json=padded).json()["cards"][0]
    assert {**small, "uuid": ""} == {**large, "uuid": ""}


def test_feedback_is_on_the_trail_beside_its_card(running):
    (card,) = running.client.post(SIGN, json=call()).json()["cards"]
    value = fixture("feedback.reason.json")
    for row in value["feedback"]:
        row["card"] = card["uuid"]
    answer = running.client.post(f"{SIGN}/feedback", json=value)
    assert (answer.status_code, answer.json()) == (200, {})
    entries = list(running.state.trail.entries(kind="feedback"))
    assert [one.fields["facts"]["about"] for one in entries] == [running.state.trail.entry(1).fields["request"]] * 2
    assert [one.fields["facts"]["outcome"] for one in entries] == ["overridden", "overridden"]
    assert b"Discussed on the ward round." in entries[0].payload.more
    assert "ward round" not in entries[0].header
    assert "ward round" not in running.stream.getvalue()


def test_too_much_feedback_at_once_is_refused(running):
    value = fixture("feedback.overridden.json")
    value["feedback"] *= 501
    assert running.client.post(f"{SIGN}/feedback", json=value).status_code == 413
    assert running.state.trail.head().seq == 0


@pytest.mark.parametrize("path", [SIGN, f"{SIGN}/feedback"])
def test_a_call_needs_a_key_with_the_role(running, path):
    assert running.client.post(path, json={}, headers=running.as_role(Role.TRAIL)).status_code == 403
    del running.client.headers["Authorization"]
    assert running.client.post(path, json={}).status_code == 401


def test_the_counters_count_what_happened(running):
    running.client.post(SIGN, json=call())
    running.client.post(SIGN, json=call("osimertinib"))
    running.client.post(f"{SIGN}/feedback", json=fixture("feedback.overridden.json"))
    running.client.post("/audit", content=b"x", headers={"Content-Type": "text/html"})
    running.client.get("/nowhere/at-all")
    text = running.client.get("/metrics").text
    for line in (
        'equipoise_verdicts_total{label="Insufficient Information"} 1',
        'equipoise_verdicts_total{label="Supported"} 1',
        'equipoise_cards_total{indicator="info"} 1',
        'equipoise_feedback_total{outcome="overridden"} 1',
        'equipoise_refused_total{reason="media type"} 1',
        'equipoise_requests_total{method="GET",route="unmatched",status="404"} 1',
        "equipoise_trail_entries_total 3",
        "equipoise_trail_healthy 1",
    ):
        assert line in text.splitlines()
    names = set(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    for line in text.splitlines():
        if not line.startswith("#"):
            assert re.fullmatch(r'[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+', line), line
            assert re.sub(r"_(bucket|sum|count)$", "", line.split("{")[0].split(" ")[0]) in names
    bucket = [line for line in text.splitlines() if 'le="+Inf",route="/cds-services/{identifier}"' in line]
    assert bucket[0].endswith(" 2")


def test_the_counters_need_a_key_unless_they_are_open(make):
    running = make(open_metrics=True)
    del running.client.headers["Authorization"]
    assert running.client.get("/metrics").status_code == 200
    assert running.client.get("/policies").status_code == 401


def test_health_needs_no_key(running):
    del running.client.headers["Authorization"]
    assert running.client.get("/health").json()["status"] == "alive"
    assert running.client.get("/ready").json()["status"] == "ready"
    assert running.client.get("/metrics").status_code == 401
    assert [
        line for line in running.log() if line["event"] == "request" and line["route"] in ("/health", "/ready")
    ] == []
