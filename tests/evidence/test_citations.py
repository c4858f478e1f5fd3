"""A citation is held against regimen, biomarker, setting, line and claimed level."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.audit.pipeline import Auditor
from equipoise.cases.facts import Reading, facts_of
from equipoise.cases.formats import case_from_object
from equipoise.evidence.base import shipped_base
from equipoise.evidence.citations import ASPECTS, CODES, check_citations, citation_index, read_citation, trial_name
from equipoise.evidence.civic import parse_snapshot

AS_OF = dt.date(2026, 11, 30)
BASE = shipped_base()
AUDITOR = Auditor(as_of=AS_OF)
FIRST_LINE = {"setting": "metastatic", "biomarkers": ["EGFR L858R"], "prior_therapies": "none"}
ADJUVANT = {"setting": "adjuvant", "stage": "IIB", "biomarkers": ["EGFR L858R"], "prior_therapies": "none"}
IMMUNE = {
    "setting": "metastatic", "pdl1": {"tps": 60}, "biomarkers": {"EGFR": "negative", "ALK": "negative"},
    "prior_therapies": "none",
}  # fmt: skip


def findings(patient, regimen, citation, *, level="", with_facts=True, civic=None):
    recommendation = {"regimen": regimen, "citations": [citation] if isinstance(citation, str) else citation}
    if level:
        recommendation["level"] = level
    case = case_from_object({"tumor": "NSCLC", **patient, "recommendations": [recommendation]})
    (verdict,) = AUDITOR.audit(case)
    deciding = [BASE.get(use.id) for use in verdict.evidence]
    facts = facts_of(case, as_of=AS_OF, reading=Reading()) if with_facts else None
    return check_citations(case.recommendations[0], deciding, BASE, facts=facts, civic=civic)


@pytest.mark.parametrize("with_facts", [True, False])
@pytest.mark.parametrize(
    ("patient", "regimen", "citation", "aspect"),
    [
        (FIRST_LINE, "osimertinib", "PMID:29151359", None),
        (FIRST_LINE, "osimertinib", "pubmed.ncbi.nlm.nih.gov/29151359/", None),
        (FIRST_LINE, "osimertinib", "29151359", None),
        (FIRST_LINE, "osimertinib", "NCT02296125", None),
        (FIRST_LINE, "osimertinib", "FLAURA", None),
        (FIRST_LINE, "osimertinib", "flaura", None),
        (FIRST_LINE, "osimertinib", "Soria et al., the FLAURA trial, N Engl J Med 2018", None),
        (FIRST_LINE, "osimertinib", "Tagrisso label", None),
        (FIRST_LINE, "osimertinib", "osimertinib USPI 2024", None),
        (FIRST_LINE, "osimertinib", "NDA 208065", None),
        (FIRST_LINE, "osimertinib", "FLAURA2", "regimen"),
        (FIRST_LINE, "osimertinib", "Keytruda prescribing information", "regimen"),
        (FIRST_LINE, "osimertinib", "KEYNOTE-024", "regimen"),
        (FIRST_LINE, "osimertinib", "KN-024", "regimen"),
        (FIRST_LINE, "osimertinib", "ADAURA", "setting"),
        (FIRST_LINE, "osimertinib", "PMID: 32955177", "setting"),
        (FIRST_LINE, "osimertinib", "LAURA", "setting"),
        (ADJUVANT, "osimertinib", "ADAURA", None),
        (ADJUVANT, "osimertinib", "Tagrisso label", None),
        (ADJUVANT, "osimertinib", "FLAURA", "setting"),
        (IMMUNE, "pembrolizumab", "KEYNOTE-024", None),
        (IMMUNE, "pembrolizumab", "KEYNOTE 042", None),
        (IMMUNE, "pembrolizumab", "KEYNOTE-010", "line"),
        (IMMUNE, "pembrolizumab", "KEYNOTE-189", "regimen"),
        (IMMUNE, "nivolumab", "CheckMate 026", "direction"),
        ({**FIRST_LINE, "biomarkers": ["MET exon 14 skipping"]}, "crizotinib", "PMID 25264305", "biomarker"),
        ({**FIRST_LINE, "biomarkers": ["BRAF V600E"]}, "dabrafenib + trametinib", "BRF113928", None),
        ({**FIRST_LINE, "biomarkers": ["BRAF V600E"]}, "dabrafenib + trametinib", "PHAROS", "regimen"),
    ],
)
def test_a_citation_fits_or_the_aspect_is_named(patient, regimen, citation, aspect, with_facts):
    found = findings(patient, regimen, citation, with_facts=with_facts)
    assert [item.aspect for item in found] == ([aspect] if aspect else [])
    for item in found:
        assert item.code == "citation-mismatch"
        assert item.citation == citation
        assert item.text
        assert json.loads(json.dumps(item.to_dict()))["code"] == item.code


def test_the_trial_of_a_later_line_is_about_another_line():
    (item,) = findings(FIRST_LINE, "osimertinib", "AURA3")
    assert (item.code, item.aspect) == ("citation-mismatch", "line")
    assert item.assertions == ("nsclc.osimertinib.egfr-t790m.metastatic-after-egfr-tki",)


def test_what_is_not_on_file_is_a_note_and_no_mismatch():
    for citation in ("PMID:99999999", "NCT99999999", "NCCN NSCLC v3.2026", "personal communication", ""):
        (item,) = findings(FIRST_LINE, "osimertinib", citation)
        assert (item.code, item.aspect) == ("citation-unknown", "")


def test_a_citation_of_several_sources_is_right_when_one_of_them_is():
    assert findings(FIRST_LINE, "osimertinib", "FLAURA and ADAURA") == ()
    assert len(findings(FIRST_LINE, "osimertinib", ["FLAURA", "ADAURA", "PMID:99999999"])) == 2


def test_a_source_that_is_too_weak_for_the_claimed_level():
    patient = {**FIRST_LINE, "biomarkers": ["MET exon 14 skipping"]}
    (item,) = findings(patient, "crizotinib", "PROFILE 1001", level="A")
    assert (item.code, item.aspect) == ("level-overstated", "level")
    assert findings(patient, "crizotinib", "PROFILE 1001", level="B") == ()
    assert findings(patient, "crizotinib", "PROFILE 1001", level="Tier I") == ()


def test_no_citation_no_finding():
    assert findings(FIRST_LINE, "osimertinib", []) == ()


def test_without_deciding_assertions_and_facts_only_regimen_and_direction_are_judged():
    case = case_from_object(
        {"tumor": "NSCLC", "recommendations": [{"regimen": "osimertinib", "citations": ["AURA3", "KEYNOTE-024"]}]}
    )
    found = check_citations(case.recommendations[0], (), BASE)
    assert [(item.citation, item.aspect) for item in found] == [("KEYNOTE-024", "regimen")]


CIVIC = parse_snapshot(
    (
        "\t".join(
            ("molecular_profile", "disease", "doid", "therapies", "evidence_type", "evidence_direction",
             "evidence_level", "significance", "citation_id", "evidence_id")
        )
        + "\n"
        + "\n".join(
            "\t".join((profile, "Lung Non-small Cell Carcinoma", "3908", drug, "Predictive", "Supports", level,
                       says, pmid, str(number)))
            for number, (profile, drug, level, says, pmid) in enumerate(
                (
                    ("EGFR L858R", "Osimertinib", "D", "Sensitivity/Response", "90000001"),
                    ("EGFR C797S", "Osimertinib", "C", "Resistance", "90000002"),
                    ("KRAS G12C", "Sotorasib", "A", "Sensitivity/Response", "90000003"),
                    ("KRAS G12D", "Osimertinib", "B", "Sensitivity/Response", "90000004"),
                ),
                start=1,
            )
        )
    ).encode(),
    date=AS_OF,
)  # fmt: skip


def test_publications_are_also_looked_up_in_civic_when_a_snapshot_is_given():
    patient = {**FIRST_LINE, "biomarkers": ["EGFR L858R", {"name": "KRAS G12D", "status": "absent"}]}
    codes = {}
    for pmid in ("90000001", "90000002", "90000003", "90000004", "90000009"):
        found = findings(patient, "osimertinib", f"PMID:{pmid}", level="A", civic=CIVIC)
        codes[pmid] = [(item.code, item.aspect) for item in found]
    assert codes["90000001"] == [("level-overstated", "level")]
    assert codes["90000002"] == [("citation-mismatch", "direction")]
    assert codes["90000003"] == [("citation-mismatch", "regimen")]
    assert codes["90000004"] == [("citation-mismatch", "biomarker")]
    assert codes["90000009"] == [("citation-unknown", "")]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("FLAURA", "flaura"),
        ("ADAURA overall survival", "adaura"),
        ("KEYNOTE-189 (stage IV only)", "keynote189"),
        ("CheckMate 227 part 1b", "checkmate2271b"),
        ("Lung ART", "lungart"),
        ("Korean phase 2 trial", ""),
        ("EGFR T854A", ""),
        ("Osimertinib resistance mutations, sensitivity by allele", ""),
        ("phase 2 trial of cabozantinib in RET-rearranged lung cancer", ""),
    ],
)
def test_trial_names_at_the_head_of_titles(title, name):
    found = trial_name(title)
    assert found == name or (name == "checkmate2271b" and found == "checkmate227")


def test_a_word_of_running_text_is_no_trial():
    index = citation_index(BASE)
    assert "oak" in index.trials
    assert read_citation("A review of mutations by the Oak Ridge group, volume 3", index.trials).keys == ()
    assert read_citation("OAK", index.trials).keys == (("trial", "oak"),)


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read(text):
    found = findings(FIRST_LINE, "osimertinib", text) if text.strip() else ()
    for item in found:
        assert item.code in CODES
        assert item.aspect in (*ASPECTS, "")


def test_every_source_of_a_supporting_entry_is_found_under_its_numbers():
    index = citation_index(BASE)
    for assertion in BASE.assertions:
        for source in assertion.sources:
            if source.pmid is not None:
                assert ("pmid", str(source.pmid)) in index.entries
            for number in source.nct.split(";"):
                if number.strip():
                    assert ("nct", number.strip()) in index.entries


def test_the_index_is_built_once_and_the_check_changes_nothing():
    assert citation_index(BASE) is citation_index(BASE)
    case = case_from_object(
        {"tumor": "NSCLC", **FIRST_LINE, "recommendations": [{"regimen": "osimertinib", "citations": ["FLAURA"]}]}
    )
    deciding = [BASE.get("nsclc.osimertinib.egfr-common.metastatic-1l")]
    first = check_citations(case.recommendations[0], deciding, BASE)
    assert check_citations(case.recommendations[0], deciding, BASE) == first == ()
