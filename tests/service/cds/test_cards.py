"""Worked cards: what is known, what is ordered, which card comes."""

from __future__ import annotations

import copy
import datetime as dt
import json
from pathlib import Path

import pytest
import yaml

from equipoise.report.wording import avoided
from equipoise.service.cds.answer import answer_order
from equipoise.service.cds.cards import OVERRIDE_REASONS, plain
from equipoise.service.cds.shapes import problems
from equipoise.service.engine import Engine
from equipoise.service.identity import card_of, new_request, request_of
from equipoise.service.problems import RefusedError

FIXTURES = Path(__file__).parent / "fixtures"
BASE = json.loads((FIXTURES / "order-sign.request.json").read_text(encoding="utf-8"))
SELECT = json.loads((FIXTURES / "order-select.request.json").read_text(encoding="utf-8"))
WORKED = yaml.safe_load((FIXTURES / "cards.yaml").read_text(encoding="utf-8"))
SUBJECT = {"reference": "Patient/p-4711"}


@pytest.fixture(scope="module")
def engine():
    return Engine(("label",))


def asked(engine):
    return engine.asked(today=dt.date(2026, 11, 1))


def order(name, number=1, **more):
    return {
        "resource": {
            "resourceType": "MedicationRequest",
            "id": f"draft-{number}",
            "status": "draft",
            "intent": "order",
            "medicationCodeableConcept": {"text": name},
            "subject": SUBJECT,
            **more,
        }
    }


def request_for(row):
    request = copy.deepcopy(BASE)
    more = {"meta": {"profile": ["urn:example:cancer-related-medication-request"]}} if row.get("of_cancer") else {}
    request["context"]["draftOrders"]["entry"] = [
        order(name, number, **more) for number, name in enumerate(row["order"], 1)
    ]
    for what, value in row.get("known", {}).items():
        observations = request["prefetch"]["observations"]["entry"]
        if what == "variant":
            gene, number, change = value
            parts = observations[1]["resource"]["component"]
            parts[0]["valueCodeableConcept"]["coding"][0] |= {"code": number, "display": gene}
            parts[1]["valueCodeableConcept"]["coding"][0] |= {"code": change, "display": change}
        elif what == "tumor":
            request["prefetch"]["conditions"]["entry"] = request["prefetch"]["conditions"]["entry"][:1]
            request["prefetch"]["conditions"]["entry"][0]["resource"]["code"]["coding"][0] |= {
                "code": value[0],
                "display": value[1],
            }
        elif what == "ecog":
            observations[0]["resource"]["valueInteger"] = value
        else:
            request["prefetch"][what] = value
    return request


@pytest.mark.parametrize("row", WORKED, ids=lambda row: row["name"])
def test_a_worked_card(engine, row):
    request = request_for(row)
    assert problems("request", request) == []
    answered = answer_order(engine, request, asked(engine), new_request(), row.get("ask_supported", False))
    assert problems("response", {"cards": list(answered.cards)}) == []
    if "label" in row:
        assert [label for one in answered.audited for label in one.labels] == [row["label"]]
    if "regimen" in row:
        assert [verdict["regimen"] for one in answered.audited for verdict in json.loads(one.verdicts)] == [
            row["regimen"]
        ]
    expected = row.get("card")
    if expected == "none":
        assert answered.cards == ()
    elif expected:
        assert len(answered.cards) == 1
        card = answered.cards[0]
        assert card["indicator"] == expected["indicator"]
        assert card["summary"].startswith(expected.get("starts", ""))
        assert card["summary"] == expected.get("summary", card["summary"])
        if expected.get("abstains"):
            assert "Equipoise does not decide this" in card["detail"]


def test_no_card_uses_a_word_that_we_avoid_or_asks_for_an_action(engine):
    for row in WORKED:
        for card in answer_order(engine, request_for(row), asked(engine), new_request(), True).cards:
            assert avoided(card["summary"]) == []
            assert "suggestions" not in card
            assert card["indicator"] != "critical"
            assert "not a medical device" in card["detail"]
            assert [one["code"] for one in card["overrideReasons"]] == [code for code, _ in OVERRIDE_REASONS]


def test_at_selection_only_the_selected_order_is_judged(engine):
    request = copy.deepcopy(SELECT)
    entries = request["context"]["draftOrders"]["entry"]
    entries[0]["resource"]["authoredOn"] = "2026-11-01"
    entries.append(order("sotorasib", 7, authoredOn="2026-10-31"))
    entries[1]["resource"]["authoredOn"] = "2026-11-01"
    answered = answer_order(engine, request, asked(engine), new_request(), True)
    regimens = [verdict["regimen"] for one in answered.audited for verdict in json.loads(one.verdicts)]
    assert regimens == [["osimertinib"]]
    request["context"]["selections"] = ["MedicationRequest/draft-7"]
    answered = answer_order(engine, request, asked(engine), new_request(), True)
    assert [verdict["regimen"] for one in answered.audited for verdict in json.loads(one.verdicts)] == [["sotorasib"]]


def test_a_selection_that_is_no_medicine_needs_no_data_and_sends_no_card(engine):
    request = copy.deepcopy(SELECT)
    scan = {"resourceType": "ServiceRequest", "id": "ct", "status": "draft", "intent": "order", "subject": SUBJECT}
    request["context"]["draftOrders"]["entry"].append({"resource": scan})
    request["context"]["selections"] = ["ServiceRequest/ct"]
    request["prefetch"] = {}
    answered = answer_order(engine, request, asked(engine), new_request(), True)
    assert (answered.cards, answered.audited) == ((), ())


def test_a_selection_that_is_no_draft_is_refused(engine):
    request = copy.deepcopy(SELECT)
    request["context"]["selections"] = ["MedicationRequest/nowhere"]
    with pytest.raises(RefusedError) as refused:
        answer_order(engine, request, asked(engine), new_request())
    assert (refused.value.problem.status, refused.value.problem.field) == (400, "context.selections.0")


@pytest.mark.parametrize("key", ["patient", "conditions", "observations", "statements", "requests", "procedures"])
def test_a_prefetch_key_that_is_not_there_is_a_missing_precondition(engine, key):
    request = copy.deepcopy(BASE)
    del request["prefetch"][key]
    with pytest.raises(RefusedError) as refused:
        answer_order(engine, request, asked(engine), new_request())
    assert (refused.value.problem.status, refused.value.problem.field) == (412, f"prefetch.{key}")


@pytest.mark.parametrize(
    "value",
    [
        {
            "resourceType": "Bundle",
            "type": "searchset",
            "link": [{"relation": "next", "url": "https://x.example/2"}],
            "entry": [],
        },
        {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "timeout"}]},
    ],
    ids=["a page is missing", "the client failed"],
)
def test_data_that_are_only_partly_there_are_a_missing_precondition(engine, value):
    request = copy.deepcopy(BASE)
    request["prefetch"]["statements"] = value
    with pytest.raises(RefusedError) as refused:
        answer_order(engine, request, asked(engine), new_request())
    assert (refused.value.problem.status, refused.value.problem.field) == (412, "prefetch.statements")


def test_an_order_for_another_patient_is_refused(engine):
    request = copy.deepcopy(BASE)
    request["context"]["draftOrders"]["entry"][0]["resource"]["subject"] = {"reference": "Patient/somebody-else"}
    with pytest.raises(RefusedError) as refused:
        answer_order(engine, request, asked(engine), new_request())
    assert refused.value.problem.field == "context.draftOrders"


def ongoing(name, number):
    return {**order(name, number)["resource"], "status": "active", "authoredOn": "2026-02-01"}


def test_an_order_under_way_is_a_therapy_and_no_recommendation(engine):
    request = request_for({"order": ["osimertinib"]})
    request["prefetch"]["requests"] = {"resourceType": "Bundle", "entry": [{"resource": ongoing("gefitinib", 9)}]}
    answered = answer_order(engine, request, asked(engine), new_request(), True)
    case = json.loads(answered.audited[0].case)
    outcomes = {one["drugs"]: one["outcome"] for one in case["prior_therapies"]}
    assert outcomes == {"surgery": "completed", "gefitinib": "ongoing"}
    assert [one["regimen"] for one in case["recommendations"]] == ["osimertinib"]


def test_the_same_drug_under_way_is_a_renewal_and_no_earlier_therapy(engine):
    request = request_for({"order": ["osimertinib"]})
    request["prefetch"]["requests"] = {"resourceType": "Bundle", "entry": [{"resource": ongoing("Osimertinib", 9)}]}
    answered = answer_order(engine, request, asked(engine), new_request(), True)
    assert [one["drugs"] for one in json.loads(answered.audited[0].case)["prior_therapies"]] == ["surgery"]
    assert answered.audited[0].labels == ("Supported",)


def test_a_proposal_of_somebody_else_is_neither_judged_nor_a_therapy(engine):
    request = request_for({"order": ["osimertinib"]})
    other = {**ongoing("sotorasib", 9), "intent": "proposal"}
    request["prefetch"]["requests"] = {"resourceType": "Bundle", "entry": [{"resource": other}]}
    answered = answer_order(engine, request, asked(engine), new_request(), True)
    case = json.loads(answered.audited[0].case)
    assert [one["regimen"] for one in case["recommendations"]] == ["osimertinib"]
    assert "sotorasib" not in json.dumps(case)


def test_a_draft_of_which_the_whole_is_not_there_says_that_nothing_was_audited(engine):
    request = request_for({"order": ["osimertinib"]})
    request["context"]["draftOrders"]["entry"][0]["resource"]["intent"] = "option"
    answered = answer_order(engine, request, asked(engine), new_request())
    assert [card["summary"].startswith("Not audited:") for card in answered.cards] == [True]
    assert problems("response", {"cards": list(answered.cards)}) == []


def test_a_card_finds_its_request():
    request = new_request()
    assert {request_of(card_of(request, number)) for number in (1, 17, 65535)} == {request}
    assert len({card_of(request, number) for number in range(1, 300)}) == 299


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("<img src=x onerror=alert(1)>", r"\<img src=x onerror=alert(1)\>"),
        ("[click](https://evil.example)", r"\[click\](https:\//evil.example)"),
        ("see www.evil.example or a@b.example", r"see www\.evil.example or a\@b.example"),
        ("- a list\n# a heading", r"\- a list \# a heading"),
        ("1. first", r"1\. first"),
        ("*bold* _and_ `code` ~x~ | &lt;", r"\*bold\* \_and\_ \`code\` \~x\~ \| \&lt;"),
        ("hid\u202eden", "hid⟨U+202E⟩den"),
        ("PD-L1 >= 50 % (TPS)", r"PD-L1 \>= 50 % (TPS)"),
    ],
)
def test_text_from_outside_means_nothing_in_markdown(words, shown):
    assert plain(words) == shown


def test_a_hostile_drug_name_comes_out_inert(engine):
    name = "[examplinib](javascript:alert(1)) <b>\n# x"
    row = {"order": [name], "of_cancer": True}
    answered = answer_order(engine, request_for(row), asked(engine), new_request())
    card = answered.cards[0]
    assert "\n" not in card["summary"]
    assert "](javascript" not in card["detail"]
    assert "<b>" not in card["detail"].replace("\\<b\\>", "")
