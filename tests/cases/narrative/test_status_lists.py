"""Lists under a status: what stands behind or below "Not detected:" is never read as found, and the list ends where it ends."""

from __future__ import annotations

import pytest

from equipoise.cases.narrative.reader import read_note
from equipoise.cases.vocabulary.biomarkers import read_biomarkers

ABSENT, PRESENT, PENDING, UNCERTAIN = "absent", "present", "pending", "uncertain"

NOTES = [
    ("Not detected: EGFR T790M;\nBRAF V600E; KRAS G12C.\n\nEGFR L858R detected.",
     {"EGFR:T790M": ABSENT, "BRAF:V600E": ABSENT, "KRAS:G12C": ABSENT, "EGFR:L858R": PRESENT}),
    ("Detected:\n- KRAS G12C\nNot detected:\n- EGFR exon 19 deletion\n- BRAF V600E\n",
     {"KRAS:G12C": PRESENT, "EGFR:exon19del": ABSENT, "BRAF:V600E": ABSENT}),
    ("DETECTED:\n  EGFR L858R  4.1%\n  MET amplification  ++\nNOT DETECTED: EGFR T790M; ALK, ROS1 fusions; BRAF V600E",
     {"EGFR:L858R": PRESENT, "MET:amplification": PRESENT, "EGFR:T790M": ABSENT, "ALK:fusion": ABSENT, "ROS1:fusion": ABSENT,
      "BRAF:V600E": ABSENT}),
    ("Pertinent negatives:\n* EGFR\n* ALK\n* BRAF V600E\nPathogenic variants:\n* KRAS G12C",
     {"EGFR:any_mutation": ABSENT, "ALK:fusion": ABSENT, "BRAF:V600E": ABSENT, "KRAS:G12C": PRESENT}),
    ("No alterations detected in the following genes:\n  EGFR\n  BRAF V600E",
     {"EGFR:any_mutation": ABSENT, "BRAF:V600E": ABSENT}),
    ("Variants of uncertain significance:\n- ALK R1275Q\n- EGFR R776H\n\nKRAS G12C detected",
     {"ALK:R1275Q": UNCERTAIN, "EGFR:R776H": UNCERTAIN, "KRAS:G12C": PRESENT}),
    ("Biomarkers pending:\nALK\nROS1\n\nEGFR exon 19 deletion",
     {"ALK:fusion": PENDING, "ROS1:fusion": PENDING, "EGFR:exon19del": PRESENT}),
    ("Mutations not detected\nEGFR T790M\nBRAF V600E", {"EGFR:T790M": ABSENT, "BRAF:V600E": ABSENT}),
    # where the list ends
    ("Not detected:\nEGFR, ALK, ROS1.\nShe has a KRAS G12C mutation.",
     {"EGFR:any_mutation": ABSENT, "ALK:fusion": ABSENT, "ROS1:fusion": ABSENT, "KRAS:G12C": PRESENT}),
    ("Not detected\nEGFR T790M\nDiagnosis: adenocarcinoma, EGFR L858R", {"EGFR:T790M": ABSENT, "EGFR:L858R": PRESENT}),
    ("MRI brain: negative\nEGFR L858R", {"EGFR:L858R": PRESENT}),
    ("Nodes negative.\nEGFR L858R", {"EGFR:L858R": PRESENT}),
    ("PD-L1: negative\nKRAS G12C", {"KRAS:G12C": PRESENT}),
    ("ALK: negative\nEGFR L858R", {"ALK:fusion": ABSENT, "EGFR:L858R": PRESENT}),
]  # fmt: skip


@pytest.mark.parametrize(("note", "expected"), NOTES, ids=[note.partition("\n")[0] for note, _ in NOTES])
def test_a_list_in_a_note(note, expected):
    case = read_note(note)
    assert {finding.name: str(finding.status) for finding in case.findings} == expected
    for finding in case.findings:
        assert note[finding.source.start : finding.source.end] == finding.source.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Not detected: EGFR T790M; BRAF V600E; KRAS G12C", [ABSENT, ABSENT, ABSENT]),
        ("Detected: KRAS G12C; not detected: EGFR L858R; BRAF V600E", [PRESENT, ABSENT, ABSENT]),
        ("Not detected: BRAF V600E; KRAS G12C. EGFR L858R", [ABSENT, ABSENT, PRESENT]),
        ("Not detected: EGFR T790M; BRAF V600E present; KRAS G12C", [ABSENT, PRESENT, ABSENT]),
        ("Not detected:\nEGFR T790M\nALK fusion\nDetected:\nKRAS G12C", [ABSENT, ABSENT, PRESENT]),
        ("VUS: ALK R1275Q; EGFR R776H", [UNCERTAIN, UNCERTAIN]),
        ("EGFR T790M not detected; BRAF V600E", [ABSENT, PRESENT]),
        ("EGFR: not detected; KRAS: G12C", [ABSENT, PRESENT]),
        ("Result: negative; KRAS G12C", [PRESENT]),
    ],
)
def test_a_list_in_a_report_string(text, expected):
    assert [str(finding.status) for finding in read_biomarkers(text)] == expected


def test_a_stain_of_ros1_by_its_clone_is_no_fusion():
    """Positive stains of ROS1 are confirmed by another method (CAP/IASLC/AMP 2018, doi:10.1016/j.jtho.2017.12.001)."""
    (finding,) = read_biomarkers("ROS1 D4D6 positive")
    assert str(finding.status) == UNCERTAIN
