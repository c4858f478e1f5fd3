from __future__ import annotations

import inspect

import pytest

from equipoise.audit import wording
from equipoise.audit.wording import ABSTAINING, REASON_CODES, abstention, headline, reason_sentence
from equipoise.report.wording import BADGES, abstention_line, avoided, usually_in

LONG = {
    "regimen": "amivantamab-and-hyaluronidase + carboplatin + fam-trastuzumab-deruxtecan + pemetrexed + tremelimumab",
    "date": "2026-11-01",
    "criterion": "the PD-L1 tumor proportion score of the specimen that was taken last",
    "value": "between one and forty-nine percent in two of three specimens",
    "required": "at least fifty percent in a specimen taken after the last therapy",
    "finding": "EGFR C797S in cis with T790M is listed as resistance to every third-generation inhibitor",
    "source": "Acquired resistance to a third-generation inhibitor, PMID 25939061, 2015-05-04",
    "caveats": ["interstitial lung disease under an earlier inhibitor of the same target, grade 2", "b"],
    "field": "the presence of a homozygous deletion of a gene nobody has named",
    "cells": [
        ("a very long value that nobody would write down like this", "Partially Supported"),
        ("none", "Unsupported"),
    ],
}


@pytest.mark.parametrize(
    ("label", "facts", "sentence"),
    [
        ("Supported", {}, "The evidence on file supports osimertinib for this case as documented, as of 2026-11-01."),
        (
            "Partially Supported",
            {"caveats": ["ECOG 3"]},
            "The evidence on file supports osimertinib with 1 point to weigh: ECOG 3.",
        ),
        (
            "Partially Supported",
            {"caveats": ["ECOG 3", "ILD"]},
            "The evidence on file supports osimertinib with 2 points to weigh: ECOG 3.",
        ),
        ("Partially Supported", {}, "The evidence on file supports osimertinib in part, as of 2026-11-01."),
        (
            "Unsupported",
            {"criterion": "the stage", "value": "IIA", "required": "IIIA or IIIB"},
            "The evidence on file does not support osimertinib here: the stage is IIA;"
            " the source requires IIIA or IIIB.",
        ),
        (
            "Unsupported",
            {"criterion": "the stage", "value": "IIA"},
            "The evidence on file does not support osimertinib here: the stage is IIA.",
        ),
        (
            "Unsupported",
            {"criterion": "the treatment history", "value": "no prior line"},
            "The evidence on file does not support osimertinib here: the treatment history shows no prior line.",
        ),
        (
            "Unsupported",
            {"criterion": "the stage", "required": "IIIA"},
            "The evidence on file does not support osimertinib here: for the stage the source requires IIIA.",
        ),
        (
            "Unsupported",
            {"required": "x"},
            "The evidence on file does not support osimertinib here: the source requires x.",
        ),
        (
            "Unsupported",
            {"finding": "x", "source": "S"},
            "The evidence on file does not support osimertinib here: x (S).",
        ),
        (
            "Unsupported",
            {},
            "The evidence on file does not support osimertinib for this case as documented, as of 2026-11-01.",
        ),
        (
            "Unsupported",
            {"contradicted": True, "finding": "EGFR C797S is present", "source": "PMID 25939061"},
            "The evidence on file speaks against osimertinib here: EGFR C797S is present, PMID 25939061.",
        ),
        (
            "Unsupported",
            {"contradicted": True},
            "The evidence on file speaks against osimertinib for this case as documented, as of 2026-11-01.",
        ),
        (
            "Insufficient Information",
            {
                "field": "biomarkers.ALK:fusion",
                "cells": [("ALK:fusion present", "Supported"), ("absent", "Unsupported")],
            },
            "No verdict: a result for ALK fusion is not documented."
            " With ALK fusion present: Supported; with absent: Unsupported.",
        ),
        (
            "Insufficient Information",
            {"field": "the stage and the histology"},
            "No verdict: the stage and the histology are not documented.",
        ),
        (
            "Insufficient Information",
            {"finding": "the note is not in English"},
            "No verdict: the note is not in English.",
        ),
        ("Insufficient Information", {}, "No verdict on osimertinib, as of 2026-11-01."),
    ],
)
def test_headlines(label: str, facts: dict, sentence: str) -> None:
    assert headline(label, regimen="osimertinib", date="2026-11-01", **facts) == sentence


@pytest.mark.parametrize("label", BADGES)
@pytest.mark.parametrize("contradicted", [False, True])
@pytest.mark.parametrize("left_out", [(), ("field",), ("regimen",), ("regimen", "field"), ("criterion", "field")])
def test_headlines_stay_short_and_whole(label: str, contradicted: bool, left_out: tuple[str, ...]) -> None:
    facts = {name: "" if name in left_out else value for name, value in LONG.items()}
    sentence = headline(label, contradicted=contradicted, **facts)
    assert 0 < len(sentence) <= wording.HEADLINE_LENGTH
    assert sentence.endswith(".")
    assert "…" not in sentence
    assert not avoided(sentence)


def test_headline_of_no_label() -> None:
    with pytest.raises(ValueError, match="unknown label"):
        headline("Safe", regimen="x", date="")


FACTS = {
    "regimen": "osimertinib",
    "drug": "osimertinib",
    "tumor": "NSCLC",
    "jurisdiction": "US",
    "date": "2026-11-01",
    "source": "FLAURA, 2018-01-11",
    "statement": "First line of EGFR L858R.",
    "level": "B",
    "claimed": "A",
    "marker": "ALK:fusion",
    "variant": "EGFR:C797S",
    "assay": "FISH",
    "field": "ecog",
    "value": "v",
    "required": "r",
    "a": "ECOG 1",
    "b": "ECOG 3",
    "text": "xyz",
    "kind": "trial",
    "citation": "PMID 1234567",
    "known_for": "breast cancer",
}


@pytest.mark.parametrize("code", [*REASON_CODES, "a-code-of-a-policy"])
@pytest.mark.parametrize("facts", [{}, FACTS, *({name: value} for name, value in FACTS.items())])
def test_every_reason_has_a_sentence_whatever_is_known(code: str, facts: dict[str, str]) -> None:
    sentence, line = reason_sentence(code, **facts), abstention(code, **facts)
    assert sentence[0].isupper() or not sentence[0].isalpha()
    assert sentence.endswith(".")
    assert not sentence.endswith("..")
    assert "  " not in sentence
    assert "{" not in sentence
    assert "()" not in sentence
    assert line.startswith("Equipoise does not decide this: ")
    assert not avoided(sentence)
    assert not avoided(line)


@pytest.mark.parametrize(
    ("code", "facts", "sentence"),
    [
        ("input-missing", {"field": "ecog"}, "The ECOG performance status is needed and not documented."),
        ("input-conflicting", {"a": "60 %", "b": "5 %"}, "The record states 60 % and 5 %."),
        (
            "knowledge-silent",
            {"drug": "x", "tumor": "NSCLC", "jurisdiction": "EU", "date": "2026-01-01"},
            "Our sources do not cover x in NSCLC (EU, 2026-01-01); that is not evidence against it.",
        ),
        (
            "out-of-scope",
            {"covered": "NSCLC", "tumor": "melanoma"},
            "Tumors outside NSCLC are not assessed; the case is melanoma.",
        ),
        ("combination-unknown", {}, "The parts are known, this combination is not."),
        ("drug-unknown", {"text": "xyz"}, '"xyz" was not recognised as a drug.'),
        ("unsupported-language", {}, "The note is not in English."),
        ("biomarker-not-tested", {"marker": "ALK:fusion"}, "No result for ALK fusion is documented."),
        ("trial-recommendation", {}, "A trial is not judged against drug evidence."),
        ("non-drug-recommendation", {"kind": "ablation"}, "An ablation is not judged against drug evidence."),
        ("supported-lower-level", {"level": "B", "claimed": "A"}, "Supported only at level B; the record claims A."),
        ("entry-unverified", {}, "The deciding entry has not been checked by a person."),
        ("level-overstated", {"level": "B", "claimed": "A"}, "The record claims A, the source gives B."),
        (
            "citation-mismatch",
            {"citation": "PMID 1", "aspect": "tumor"},
            "PMID 1 does not concern this tumor.",
        ),
        (
            "variant-not-actionable",
            {"variant": "KRAS:G12D", "tumor": "NSCLC"},
            "KRAS G12D has no drug listed in NSCLC at the level that decides.",
        ),
        ("variant-uncertain", {"variant": "EGFR:A289V"}, "EGFR A289V is of uncertain significance."),
        (
            "resistance",
            {"variant": "EGFR:C797S", "drug": "any egfr-tki-3g", "source": "PMID 25939061"},
            "EGFR C797S is listed as resistance to any third-generation EGFR TKI (PMID 25939061).",
        ),
        (
            "withdrawn",
            {"indication": "exon 20 insertion; withdrawn", "date": "2023-10-03"},
            "Exon 20 insertion was withdrawn 2023-10-03.",
        ),
        (
            "wrong-context",
            {"drug": "olaparib", "known_for": "ovary", "tumor": "NSCLC"},
            "Olaparib is listed for ovary, not for NSCLC.",
        ),
        ("instruction-in-input", {}, "The input contains text addressed to software; it changed nothing."),
        (
            "biomarker-absent",
            {"marker": "ALK:fusion", "assay": "FISH", "date": "2026-09-01"},
            "ALK fusion is documented as not present (FISH, 2026-09-01).",
        ),
    ],
)
def test_sentences_of_the_conventions(code: str, facts: dict[str, str], sentence: str) -> None:
    assert reason_sentence(code, **facts) == sentence


def test_every_code_of_the_engine_has_its_sentence() -> None:
    """Codes the engine can name are words joined by hyphens in its sources that also stand in the contract page."""
    from pathlib import Path

    import equipoise.audit as package

    contract = (Path(__file__).parents[2] / "docs" / "semantics.md").read_text(encoding="utf-8")
    section = contract[contract.index("## 6. The verdict") :]
    import re

    codes = set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)+)`", section)) - {"openmtb-2026"}
    assert codes <= set(REASON_CODES), sorted(codes - set(REASON_CODES))
    assert set(ABSTAINING) <= set(REASON_CODES)
    assert inspect.getfile(package)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("ecog", "the ECOG performance status"),
        ("biomarkers.ALK:fusion", "a result for ALK fusion"),
        ("biomarkers.ALK", "a result for ALK"),
        ("EGFR:exon19del", "a result for EGFR exon 19 deletion"),
        ("pdl1.other", "the PD-L1 expression"),
        ("comorbidities.ild", "interstitial lung disease"),
        ("comedications.ppi", "use of a proton pump inhibitor"),
        ("something else", "something else"),
    ],
)
def test_fields_in_words(field: str, words: str) -> None:
    assert wording.field_words(field) == words


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("No result for ALK is documented.", "no result for ALK is documented."),
        ("ALK G1202R is of uncertain significance.", "ALK G1202R is of uncertain significance."),
        ("PD-L1 is conflicting.", "PD-L1 is conflicting."),
        ("A trial is not judged.", "a trial is not judged."),
    ],
)
def test_abstention_from_a_reason(sentence: str, line: str) -> None:
    assert abstention_line(sentence) == f"Equipoise does not decide this: {line}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("This is safe and proven.", ["safe", "proven"]),
        ("The published Safety Score", []),
        ("Recommended by nobody, recommended to nobody", ["recommended by"]),
        ('The record says "must give"', []),
        ("There is no evidence", ["no evidence"]),
        ("fail-safe", []),
        ("CONFIRMED", ["confirmed"]),
    ],
)
def test_words_to_avoid(text: str, found: list[str]) -> None:
    assert avoided(text) == found


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("ecog", "oncology clinic note"),
        ("biomarkers.ALK", "molecular pathology report"),
        ("ALK:fusion", "molecular pathology report"),
        ("comorbidities.ild", "problem list"),
        ("mood", ""),
    ],
)
def test_where_a_field_is_usually_documented(field: str, place: str) -> None:
    assert usually_in(field) == place


def test_caveat_line() -> None:
    assert wording.caveat_line("ECOG 3", says="enrolled 0 to 1", source="FLAURA", date="2018-01-11") == (
        "ECOG 3 - enrolled 0 to 1 - FLAURA, 2018-01-11"
    )
    assert wording.caveat_line("ECOG 3") == "ECOG 3"
