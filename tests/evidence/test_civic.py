"""CIViC is read without loss, in its three forms, and shown without deciding."""

from __future__ import annotations

import datetime as dt
import json
import os
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.cases.facts import FALSE, TRUE, UNKNOWN, Reading, facts_of
from equipoise.cases.formats import case_from_object
from equipoise.errors import UpstreamError, UsageError
from equipoise.evidence.civic import (
    REJECTIONS,
    civic_for,
    conflicting_pairs,
    diff_snapshots,
    parse_snapshot,
    read_snapshot,
    read_therapy,
)
from equipoise.evidence.civic_profiles import ProfileError, legacy_profile, parse_profile

NEW = (
    "molecular_profile", "disease", "doid", "therapies", "therapy_interaction_type", "evidence_type",
    "evidence_direction", "evidence_level", "significance", "evidence_statement", "citation_id", "source_type",
    "nct_ids", "rating", "evidence_status", "evidence_id", "is_flagged",
)  # fmt: skip
OLD = (
    "gene", "variant", "disease", "doid", "drugs", "evidence_type", "evidence_direction", "evidence_level",
    "clinical_significance", "evidence_statement", "pubmed_id", "nct_ids", "rating", "evidence_status", "evidence_id",
)  # fmt: skip
BASE = {
    "molecular_profile": "EGFR L858R", "gene": "EGFR", "variant": "L858R", "disease": "Lung Non-small Cell Carcinoma",
    "doid": "3908", "therapies": "Erlotinib", "drugs": "Erlotinib", "evidence_type": "Predictive",
    "evidence_direction": "Supports", "evidence_level": "B", "significance": "Sensitivity/Response",
    "clinical_significance": "Sensitivity", "evidence_statement": "Invented for this test.", "citation_id": "1",
    "pubmed_id": "1", "source_type": "PubMed", "nct_ids": "NCT00000001, NCT00000002", "rating": "4",
    "evidence_status": "accepted", "evidence_id": "7", "is_flagged": "false",
}  # fmt: skip


def table(*rows, columns=NEW):
    lines = ["\t".join(columns)]
    lines.extend("\t".join({**BASE, **row}.get(name, "") for name in columns) for row in rows)
    return "\n".join(lines).encode() + b"\n"


def snapshot(*rows, columns=NEW, date=dt.date(2026, 5, 29)):
    return parse_snapshot(table(*rows, columns=columns), date=date)


def test_a_row_becomes_a_frozen_item():
    found = snapshot({})
    (item,) = found.items
    assert item.evidence_id == 7
    assert item.markers == ("EGFR:L858R",)
    assert item.therapies == ("erlotinib",)
    assert (item.interaction, item.direction, item.significance, item.level, item.rating) == (
        "single", "supports", "sensitivity", "B", 4,
    )  # fmt: skip
    assert item.scope == "nsclc"
    assert item.nct == ("NCT00000001", "NCT00000002")
    assert item.snapshot == found.id == f"civic-2026-05-29-{found.sha256[:12]}"
    assert len(item.statement_hash) == 16
    assert "Invented" not in json.dumps(item.to_dict())
    with pytest.raises(FrozenInstanceError):
        item.level = "A"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"evidence_id": ""}, "no-id"),
        ({"evidence_status": "submitted"}, "not-accepted"),
        ({"evidence_status": "rejected"}, "not-accepted"),
        ({"is_flagged": "true"}, "flagged"),
        ({"evidence_type": "Prognostic"}, "not-predictive"),
        ({"disease": "Colorectal Cancer", "doid": "9256"}, "other-disease"),
        ({"disease": "Lung Small Cell Carcinoma", "doid": "5409"}, "other-disease"),
        ({"evidence_direction": "N/A"}, "no-direction"),
        ({"significance": "N/A"}, "no-significance"),
        ({"significance": "Poor Outcome"}, "no-significance"),
        ({"evidence_level": ""}, "no-level"),
        ({"therapies": ""}, "no-therapy"),
        ({"therapies": "Unheardofinib"}, "therapy-unknown"),
        ({"therapies": "Erlotinib,Unheardofinib", "therapy_interaction_type": "Combination"}, "therapy-unknown"),
        ({"molecular_profile": "EGFR L858R AND ( EGFR T790M"}, "profile-unreadable"),
        ({"molecular_profile": "EGFR L858R AND"}, "profile-unreadable"),
        ({"molecular_profile": "UGT1A1 UGT1A1*28"}, "marker-unknown"),
        ({"molecular_profile": "EML4::ALK Fusion AND ABCB1 Overexpression"}, "marker-unknown"),
    ],
)
def test_every_rejection_is_coded(change, code):
    found = snapshot(change)
    assert found.items == ()
    assert [item.code for item in found.rejections] == [code]
    assert found.rejections[0].line == 2
    assert code in REJECTIONS


def test_a_row_of_wrong_length_and_a_repeated_id_are_rejected_and_counted():
    data = table({}, {}, {"evidence_id": "8"}) + b"one cell\n"
    found = parse_snapshot(data)
    assert [item.code for item in found.rejections] == ["duplicate-id", "malformed-row"]
    assert found.rows_read == len(found.items) + len(found.rejections) == 4
    assert found.id.startswith("civic-undated-")


def test_pan_cancer_and_lung_rows_are_kept_under_their_own_scope():
    found = snapshot(
        {"evidence_id": "1", "disease": "Cancer", "doid": "162"},
        {"evidence_id": "2", "disease": "Solid Tumor", "doid": ""},
        {"evidence_id": "3", "disease": "Lung Cancer", "doid": "1324"},
        {"evidence_id": "4", "disease": "Lung Adenocarcinoma", "doid": "3910"},
    )
    assert [item.scope for item in found.items] == ["pan-cancer", "pan-cancer", "lung", "nsclc"]


def test_the_three_forms_give_the_same_item():
    middle = tuple(
        {"pubmed_id": "citation_id"}.get(name, name)
        for name in (*OLD[:5], "drug_interaction_type", *OLD[5:], "source_type")
    )
    new, old = snapshot({}).items[0], snapshot({}, columns=OLD).items[0]
    between = snapshot({}, columns=middle)
    assert [snapshot({}, columns=columns).generation for columns in (OLD, middle, NEW)] == ["2018", "2020", "2026"]
    for item in (old, between.items[0]):
        assert item.markers == new.markers
        assert item.therapies == new.therapies
        assert item.significance == new.significance
        assert item.citation_id == new.citation_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EML4::ALK Fusion AND ALK G1202R", "(ALK:fusion AND ALK:G1202R)"),
        ("v::ALK Fusion OR v::ROS1 Fusion", "(ALK:fusion OR ROS1:fusion)"),
        ("EGFR L858R OR EGFR T790M AND EGFR C797S", "(EGFR:L858R OR (EGFR:T790M AND EGFR:C797S))"),
        ("RET M918T AND ( RET G810C OR RET G810S )", "(RET:M918T AND (RET:G810C OR RET:G810S))"),
        ("KIF5B::RET Fusion AND NOT RET G810R", "(RET:fusion AND NOT RET:G810R)"),
        ("KRAS G12/G13", "(KRAS:G12X OR KRAS:G13X)"),
        ("EGFR Wildtype", "NOT EGFR:any_mutation"),
        ("MET Splice Site (c.3028G>A)", "MET:exon14skip"),
        ("EGFR Exon 20 Insertion", "EGFR:exon20ins"),
        ("ERBB2 Kinase Domain Mutation", "ERBB2:TKD_mutation"),
        ("ALK Mutation", "ALK:missense"),
        ("BRAF V600", "BRAF:V600X"),
        ("TMB High", "[TMB High]"),
    ],
)
def test_profiles_of_the_current_form(text, expected):
    assert str(parse_profile(text)) == expected


@pytest.mark.parametrize(
    ("gene", "variant", "expected"),
    [
        ("ALK", "EML4-ALK C1156Y\u2013L1198F", "(ALK:fusion AND ALK:C1156Y AND ALK:L1198F)"),
        ("ALK", "EML4-ALK C1156Y and L1196M", "(ALK:fusion AND ALK:C1156Y AND ALK:L1196M)"),
        ("ALK", "ALK FUSION G1202R", "(ALK:fusion AND ALK:G1202R)"),
        ("ALK", "EML4-ALK E20;A20", "ALK:fusion"),
        ("ROS1", "CD74-ROS1 G2032R", "(ROS1:fusion AND ROS1:G2032R)"),
        ("ROS1", "REARRANGEMENT", "ROS1:fusion"),
        ("MET", "EXON 14 MUTATION + AMPLIFICATION", "(MET:exon14skip AND MET:amplification)"),
        ("EGFR", "Ex19 del L858R", "(EGFR:exon19del OR EGFR:L858R)"),
        ("ERBB2", "M774INSAYVM", "ERBB2:Y772_A775dup"),
        ("NTRK1", "NTRK1 FUSIONS", "NTRK1:fusion"),
    ],
)
def test_profiles_of_the_older_forms(gene, variant, expected):
    assert str(legacy_profile(gene, variant)) == expected


@pytest.mark.parametrize("text", ["", "AND", "EGFR L858R OR", "( EGFR L858R", "EGFR L858R )", "NOT", "( " * 30])
def test_a_broken_profile_is_an_error(text):
    with pytest.raises(ProfileError):
        parse_profile(text)


@given(st.text(alphabet="ABEGFRLT0123456789:() /*>_-", max_size=60))
@settings(max_examples=300)
def test_any_text_is_a_profile_or_a_profile_error(text):
    try:
        profile = parse_profile(text)
    except ProfileError:
        return
    assert profile.state(lambda name: UNKNOWN) == UNKNOWN


def test_states_of_a_profile_follow_kleene():
    profile = parse_profile("EGFR L858R AND NOT EGFR T790M")
    assert profile.state({"EGFR:L858R": TRUE, "EGFR:T790M": FALSE}.__getitem__) == TRUE
    assert profile.state({"EGFR:L858R": TRUE, "EGFR:T790M": UNKNOWN}.__getitem__) == UNKNOWN
    assert profile.state({"EGFR:L858R": UNKNOWN, "EGFR:T790M": TRUE}.__getitem__) == FALSE


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Alectinib (CH5424802)", ("alectinib",)),
        ("ARRY-142886", ("selumetinib",)),
        ("Imatinib Mesylate", ("imatinib",)),
        ("EGFR Inhibitor", ("egfr-tki",)),
        ("Epidermal Growth Factor Receptor Tyrosine Kinase Inhibitor", ("egfr-tki",)),
        ("PD1 Inhibitor", ("anti-pd1-pdl1",)),
        ("Platinum Compound", ("platinum",)),
        ("Ipilimumab/Nivolumab Regimen", ("ipilimumab", "nivolumab")),
        ("IPI-504", ()),
        ("MDM2 Inhibitor AMGMDS3", ()),
        ("", ()),
    ],
)
def test_therapy_names_are_read_strictly(name, expected):
    assert read_therapy(name) == expected


def test_what_concerns_a_case_is_shown_on_both_sides_and_never_decides():
    found = snapshot(
        {"evidence_id": "1", "evidence_level": "C", "rating": "3"},
        {"evidence_id": "2", "evidence_level": "A"},
        {"evidence_id": "3", "significance": "Resistance"},
        {"evidence_id": "4", "evidence_direction": "Does Not Support"},
        {"evidence_id": "5", "therapies": "Gefitinib"},
        {"evidence_id": "6", "molecular_profile": "EGFR T790M"},
        {"evidence_id": "7", "therapies": "Erlotinib,Gefitinib", "therapy_interaction_type": "Substitutes"},
        {"evidence_id": "8", "therapies": "Erlotinib,Bevacizumab", "therapy_interaction_type": "Combination"},
        {"evidence_id": "9", "molecular_profile": "EGFR Mutation"},
        {"evidence_id": "10", "significance": "Reduced Sensitivity"},
    )
    case = case_from_object({"tumor": "NSCLC", "biomarkers": ["EGFR L858R"]})
    facts = facts_of(case, as_of=dt.date(2026, 11, 30), reading=Reading())
    for markers in (facts, ["EGFR:L858R"]):
        view = civic_for(found, markers, {"erlotinib"})
        assert [item.evidence_id for item in view.supporting] == [2, 7, 9, 1]
        assert [item.evidence_id for item in view.resistance] == [3, 10]
        assert [item.evidence_id for item in view.does_not_support] == [4]
        assert view.conflicting
        assert not view.silent
        assert "label" not in view.to_dict()
        assert json.loads(json.dumps(view.to_dict()))["snapshot"] == found.id
    both = civic_for(found, facts, {"erlotinib", "bevacizumab"})
    assert 8 in [item.evidence_id for item in both.supporting]
    nothing = civic_for(found, ["KRAS:G12C"], {"sotorasib"})
    assert nothing.silent
    assert not nothing.conflicting
    assert list(conflicting_pairs(found)) == [("EGFR:L858R", "erlotinib")]


def test_a_list_without_its_relation_counts_as_a_whole_only():
    found = snapshot({"drugs": "Erlotinib,Bevacizumab"}, columns=OLD)
    assert found.items[0].interaction == "unstated"
    assert civic_for(found, ["EGFR:L858R"], {"erlotinib"}).silent
    assert not civic_for(found, ["EGFR:L858R"], {"erlotinib", "bevacizumab"}).silent


def test_two_snapshots_compared():
    old = snapshot(
        {"evidence_id": "1"}, {"evidence_id": "2"}, {"evidence_id": "3", "evidence_type": "Prognostic"},
        {"evidence_id": "4"}, columns=OLD, date=dt.date(2018, 5, 18),
    )  # fmt: skip
    new = snapshot(
        {"evidence_id": "2", "evidence_level": "C"},
        {"evidence_id": "3", "evidence_type": "Prognostic", "evidence_direction": "Does Not Support"},
        {"evidence_id": "4", "significance": "Resistance", "is_flagged": "true"},
        {"evidence_id": "5"},
    )
    diff = diff_snapshots(old, new)
    assert [item.evidence_id for item in diff.vanished] == [1]
    assert [item.evidence_id for item in diff.appeared] == [5]
    assert [(item.evidence_id, item.before, item.after) for item in diff.of("level")] == [(2, "B", "C")]
    assert [item.evidence_id for item in diff.of("direction")] == [3]
    assert diff.of("direction", relevant=True) == ()
    assert [item.evidence_id for item in diff.of("significance")] == [4]
    assert [item.evidence_id for item in diff.of("flagged")] == [4]
    assert json.loads(json.dumps(diff.to_dict()))["counts"]["vanished"] == 1
    assert diff_snapshots(old, old).changes == ()


def test_what_is_no_evidence_table_is_an_error(tmp_path):
    with pytest.raises(UpstreamError, match="molecular_profile"):
        parse_snapshot(b"evidence_id\tdisease\tdoid\tevidence_type\tevidence_direction\tevidence_level\n")
    with pytest.raises(UpstreamError, match="disease"):
        parse_snapshot(b"a\tb\n")
    with pytest.raises(UpstreamError):
        parse_snapshot(b"")
    with pytest.raises(UsageError, match="UTF-8"):
        parse_snapshot(b"\xff\xfe")
    with pytest.raises(UsageError):
        read_snapshot(tmp_path / "missing.tsv")


def test_the_day_is_read_from_either_form_of_file_name(tmp_path):
    for name, day in (("2026-05-29-x.tsv", dt.date(2026, 5, 29)), ("01-Oct-2026-x.tsv", dt.date(2026, 10, 1)),
                      ("nightly.tsv", None), ("2026-13-40-x.tsv", None)):  # fmt: skip
        (tmp_path / name).write_bytes(table({}))
        assert read_snapshot(tmp_path / name).date == day
    assert read_snapshot(tmp_path / "nightly.tsv", date=dt.date(2020, 1, 1)).date == dt.date(2020, 1, 1)


# --- the public releases ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def releases():
    root = os.environ.get("EQUIPOISE_DATA")
    if not root:
        pytest.skip("EQUIPOISE_DATA is not set; it names the folder with the public files")
    return {file.name[:4]: read_snapshot(file) for file in sorted((Path(root) / "civic").glob("*.tsv"))}


@pytest.mark.data
def test_every_row_of_every_release_is_kept_or_rejected_with_a_reason(releases):
    rows = {"2018": 2525, "2020": 3537, "2026": 4854}
    for year, found in releases.items():
        assert found.generation == year
        assert found.rows_read == rows[year]
        assert found.rows_read == len(found.items) + len(found.rejections)
        assert len(found.records) == found.rows_read
        assert {item.code for item in found.rejections} <= set(REJECTIONS)
        assert len(found.items) > 300


@pytest.mark.data
def test_between_2018_and_2026_items_vanished_and_levels_changed(releases):
    counts = diff_snapshots(releases["2018"], releases["2026"]).counts()
    assert counts["vanished"] == 27
    assert counts["level_changed"] == 96
    assert counts["appeared"] == 2356
    levels = {item.evidence_id: item for item in diff_snapshots(releases["2018"], releases["2026"]).of("level")}
    assert (levels[1785].before, levels[1785].after) == ("A", "C")
    assert (levels[103].before, levels[103].after) == ("A", "B")


@pytest.mark.data
def test_the_newest_release_shows_the_adjuvant_trial_and_not_the_first_line_one(releases):
    """A matcher on gene, variant and drug alone would take the adjuvant trial for a metastatic first line."""
    view = civic_for(releases["2026"], ["EGFR:L858R"], {"osimertinib"})
    assert view.supporting[0].evidence_id == 11219
    assert all(item.citation_id != "29151359" for item in releases["2026"].items)


@pytest.mark.data
def test_conflicts_of_the_newest_release_are_shown(releases):
    pairs = conflicting_pairs(releases["2026"])
    assert ("KRAS:any_mutation", "docetaxel + selumetinib") in pairs
    assert ("EGFR:T790M", "afatinib") in pairs
    view = civic_for(releases["2026"], ["EGFR:T790M"], {"afatinib"})
    assert view.conflicting
