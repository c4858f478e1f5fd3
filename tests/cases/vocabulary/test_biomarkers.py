"""Names, classes and report strings of biomarkers.

The published list of report strings was not written by the authors of the reader; it is graded by the last test. All other
strings here are this project's own.
"""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary import biomarkers
from equipoise.cases.vocabulary.biomarkers import classes_of, known_genes, marker, nothing_found, read_biomarkers

PRESENT, ABSENT, UNCERTAIN = FindingStatus.PRESENT, FindingStatus.ABSENT, FindingStatus.UNCERTAIN
NOT_TESTED, PENDING, UNKNOWN = FindingStatus.NOT_TESTED, FindingStatus.PENDING, FindingStatus.UNKNOWN


def _read(text):
    return {(one.name, one.status.value) for one in read_biomarkers(text)}


def _pairs(text):
    """`A B- C?` as pairs of name and status: - absent, ? uncertain, ~ not tested, ^ pending, ! unknown."""
    marks = {"-": "absent", "?": "uncertain", "~": "not_tested", "^": "pending", "!": "unknown"}
    return {(word[:-1], marks[word[-1]]) if word[-1] in marks else (word, "present") for word in text.split()}


# --- names and classes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("EGFR:L858R", "EGFR:common EGFR:any_mutation", "EGFR:PACC EGFR:exon19del EGFR:G719X|S768I|L861Q"),
        ("EGFR:E746_A750del", "EGFR:exon19del EGFR:common EGFR:any_mutation", "EGFR:exon20ins"),
        ("EGFR:L747_P753delinsS", "EGFR:exon19del", "EGFR:PACC"),
        ("EGFR:L747P", "EGFR:PACC EGFR:any_mutation", "EGFR:exon19del EGFR:common"),
        ("EGFR:V769_D770insASV", "EGFR:exon20ins EGFR:any_mutation", "EGFR:common"),
        ("EGFR:H773dup", "EGFR:exon20ins", ""),
        ("EGFR:A763_Y764insFQEA", "EGFR:any_mutation", "EGFR:exon20ins"),
        ("EGFR:G719A", "EGFR:G719X EGFR:G719X|S768I|L861Q EGFR:PACC EGFR:any_mutation", "EGFR:common"),
        ("EGFR:G719X", "EGFR:G719X|S768I|L861Q EGFR:any_mutation", ""),
        ("EGFR:S768I", "EGFR:G719X|S768I|L861Q EGFR:PACC", "EGFR:exon20ins"),
        ("EGFR:L861Q", "EGFR:G719X|S768I|L861Q", "EGFR:PACC EGFR:common"),
        ("EGFR:L861R", "EGFR:any_mutation", "EGFR:G719X|S768I|L861Q"),
        ("EGFR:T790M", "EGFR:any_mutation", "EGFR:other_resistance EGFR:exon20ins"),
        ("EGFR:L718Q", "EGFR:L718X EGFR:other_resistance", "EGFR:common"),
        ("EGFR:C797G", "EGFR:C797X EGFR:other_resistance", "EGFR:C797S"),
        ("EGFR:K745_E746insIPVAIK", "EGFR:exon19ins EGFR:any_mutation", "EGFR:exon19del"),
        ("EGFR:KDD", "EGFR:any_mutation", "EGFR:common"),
        ("EGFR:R521K", "", "EGFR:any_mutation"),
        ("EGFR:P848L", "", "EGFR:any_mutation"),
        ("KRAS:G12C", "KRAS:any_mutation", "KRAS:non-G12C"),
        ("KRAS:G12D", "KRAS:non-G12C KRAS:any_mutation KRAS:G12X", "KRAS:G12C"),
        ("KRAS:G13C", "KRAS:non-G12C", "KRAS:G12C"),
        ("KRAS:Q61H", "KRAS:non-G12C", ""),
        ("KRAS:A146T", "KRAS:non-G12C", ""),
        ("KRAS:K117N", "KRAS:non-G12C", ""),
        ("KRAS:H95Q", "KRAS:H95X KRAS:G12Ci_resistance", "KRAS:non-G12C"),
        ("KRAS:G12X", "KRAS:any_mutation", "KRAS:non-G12C KRAS:G12C"),
        ("NRAS:G12C", "NRAS:any_mutation", "KRAS:G12C"),
        ("HRAS:G12C", "HRAS:any_mutation", "KRAS:G12C"),
        ("BRAF:V600E", "BRAF:classI BRAF:any_mutation", "BRAF:classII BRAF:classIII"),
        ("BRAF:V600K", "BRAF:classI", "BRAF:V600E"),
        ("BRAF:K601E", "BRAF:classII", "BRAF:classI"),
        ("BRAF:L597R", "BRAF:classII", ""),
        ("BRAF:G469A", "BRAF:classII", "BRAF:classIII"),
        ("BRAF:G469E", "BRAF:classIII", "BRAF:classII"),
        ("BRAF:G464V", "BRAF:classII", ""),
        ("BRAF:D594N", "BRAF:classIII", ""),
        ("BRAF:G466V", "BRAF:classIII", ""),
        ("BRAF:N581S", "BRAF:classIII", ""),
        ("BRAF:G596R", "BRAF:classIII", ""),
        ("BRAF:K483M", "BRAF:classIII", ""),
        ("BRAF:fusion", "BRAF:classII BRAF:any_mutation", "BRAF:V600E"),
        ("ALK:G1202R", "ALK:missense", "ALK:fusion ALK:other_resistance"),
        ("ALK:I1171N", "ALK:I1171X ALK:missense", "ALK:fusion"),
        ("ALK:R1275Q", "ALK:missense", "ALK:fusion"),
        ("ROS1:D2033N", "ROS1:missense ROS1:other_resistance", "ROS1:fusion"),
        ("RET:M918T", "RET:missense", "RET:fusion"),
        ("RET:G810S", "RET:G810X RET:missense", "RET:fusion"),
        ("NTRK1:fusion", "NTRK:fusion", "NTRK2:fusion"),
        ("NTRK1:G595R", "NTRK:G595R NTRK:G595R|G623R NTRK:missense", "NTRK:fusion"),
        ("NTRK3:G623R", "NTRK:G623R NTRK:G595R|G623R", ""),
        ("NTRK1:G667C", "NTRK:G667C NTRK:G667X", "NTRK:G595R|G623R"),
        ("MET:D1228N", "MET:D1228X MET:D1228|Y1230", "MET:exon14skip"),
        ("MET:Y1003F", "MET:Y1003X", "MET:exon14skip"),
        ("MET:D1010N", "MET:exon14skip MET:any_mutation", ""),
        ("ERBB2:Y772_A775dup", "ERBB2:exon20ins ERBB2:TKD_mutation ERBB2:mutation", ""),
        ("ERBB2:L755P", "ERBB2:TKD_mutation ERBB2:mutation", "ERBB2:exon20ins"),
        ("ERBB2:V777L", "ERBB2:TKD_mutation", ""),
        ("ERBB2:L755_T759del", "ERBB2:TKD_mutation", "ERBB2:exon20ins"),
        ("ERBB2:S310F", "ERBB2:mutation", "ERBB2:TKD_mutation"),
        ("ERBB2:V659E", "ERBB2:mutation", "ERBB2:TKD_mutation"),
        ("ERBB2:V697L", "ERBB2:mutation", "ERBB2:TKD_mutation"),
        ("ERBB2:I655V", "", "ERBB2:mutation"),
        ("STK11:Q37*", "STK11:loss STK11|KEAP1:loss STK11:any_mutation", "KEAP1:loss"),
        ("KEAP1:loss", "STK11|KEAP1:loss", "STK11:loss"),
        ("STK11:F354L", "", "STK11:loss"),
        ("PD-L1:TPS>=50", "PD-L1:TPS>=1", "PD-L1:TC>=50|IC>=10"),
        ("dMMR", "MSI-H|dMMR", ""),
        ("FGFR3:S249C", "FGFR3:any_mutation FGFR3:mutation", "FGFR3:fusion"),
    ],
)
def test_classes(name, inside, outside):
    classes = classes_of(name)
    assert set(inside.split()) <= classes
    assert classes.isdisjoint(outside.split())
    assert name not in classes


@pytest.mark.parametrize(
    "name",
    "EGFR:T790M EGFR:C797S EGFR:L718Q EGFR:G724S EGFR:L792H EGFR:T854A ALK:G1202R ALK:L1196M ALK:I1171T ALK:C1156Y "
    "ROS1:G2032R ROS1:L2086F ROS1:D2033N RET:G810R RET:V804M NTRK1:G595R NTRK3:G623R NTRK1:G667C MET:D1228N MET:Y1230C "
    "KRAS:H95Q KRAS:Y96C KRAS:R68S EGFR:L718X RET:G810X MET:D1228X ALK:compound".split(),
)
def test_acquired(name):
    assert marker(name).acquired


@pytest.mark.parametrize(
    "name",
    "EGFR:L858R EGFR:exon19del KRAS:G12C KRAS:G12D ALK:fusion ALK:R1275Q RET:M918T MET:exon14skip BRAF:V600E".split(),
)
def test_primary(name):
    assert not marker(name).acquired


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("EGFR:L858R", "variant"),
        ("MET:exon14skip", "variant"),
        ("ALK:fusion", "fusion"),
        ("MET:amplification", "amplification"),
        ("MET:overexpression", "expression"),
        ("ERBB2:IHC3+", "expression"),
        ("PD-L1:TPS>=50", "expression"),
        ("STK11:loss", "loss"),
        ("transformation:SCLC", "transformation"),
    ],
)
def test_kind(name, kind):
    assert marker(name).kind == kind


@pytest.mark.parametrize(
    "name",
    ["", "EGFR", "EGFR:", "EGFR:foo", "FOO:L858R", "L858R", "EGFR:p.L858R", "EGFR:l858r", "EGFR:V600E/K", "EGFR L858R"],
)
def test_not_a_name(name):
    assert marker(name) is None
    assert classes_of(name) == frozenset()


def test_an_unlisted_change_is_built():
    found = marker("EGFR:A750P")
    assert (found.name, found.gene, found.kind, found.acquired) == ("EGFR:A750P", "EGFR", "variant", False)


def test_another_numbering_comes_back_under_one_name():
    assert marker("MET:D1246N").name == "MET:D1228N"
    assert marker("BRAF:V640E").name == "BRAF:V600E"


def test_genes():
    assert {"EGFR", "ALK", "ROS1", "RET", "NTRK", "NTRK1", "MET", "ERBB2", "KRAS", "BRAF", "STK11"} <= known_genes()


def test_every_listed_name_is_read():
    data = biomarkers.catalogue()
    names = [name for name in data.kinds if not name.startswith("PD-L1") and "|KEAP1" not in name]
    names += [f"{gene}:fusion" for gene in ("ALK", "ROS1", "RET", "NTRK", "NTRK1", "NRG1")]
    names += ["MET:amplification", "EGFR:any_mutation", "EGFR:T790M", "ALK:G1202R", "KRAS:G12D", "STK11:loss"]
    for name in names:
        found = read_biomarkers(name)
        assert any(one.status is PRESENT and name in one.names for one in found), (name, found)


def test_every_class_has_a_source_and_every_change_is_well_formed():
    data = biomarkers.vocabulary("biomarkers")
    for row in data["classes"]:
        assert row["source"]
        assert row["gene"] in data["genes"]
    for gene, change in biomarkers.catalogue().exact:
        assert marker(f"{gene}:{change}") is not None, (gene, change)
    for name, ups in data["parents"].items():
        assert marker(name) is not None, name
        for up in ups:
            assert marker(up) is not None, up


# --- report strings ------------------------------------------------------------------------------------------------

STRINGS = """
EGFR L858R | EGFR:L858R
egfr l858r | EGFR:L858R
EGFR: L858R | EGFR:L858R
EGFR=L858R | EGFR:L858R
EGFR_L858R | EGFR:L858R
EGFR (ex 21 L858R) | EGFR:L858R
EGFR p.(Leu858Arg) | EGFR:L858R
EGFR c.2573T>G | EGFR:L858R
EGFR L858R (VAF 12%), TP53 R175H (VAF 30%) | EGFR:L858R TP53:R175H
T790M lost | EGFR:T790M-
loss of T790M | EGFR:T790M-
EGFR exon 19 deletion | EGFR:exon19del
EGFR Ex19del | EGFR:exon19del
EGFR del 19 | EGFR:exon19del
del19 | EGFR:exon19del
EGFR exon 19 deletion (p.E746_A750del) | EGFR:E746_A750del
EGFR exon 19 deleted | EGFR:exon19del
EGFR exon 19 mutation | EGFR:any_mutation
EGFR exon 19 insertion | EGFR:exon19ins
EGFR exon 20 insertion | EGFR:exon20ins
EGFR ex20ins | EGFR:exon20ins
EGFR exon 20 ins (D770_N771insSVD) | EGFR:D770_N771insSVD
EGFR exon 20 insertion A763_Y764insFQEA | EGFR:A763_Y764insFQEA
EGFR exon 20 T790M | EGFR:T790M
EGFR G719A and S768I | EGFR:G719A EGFR:S768I
EGFR L858R/T790M | EGFR:L858R EGFR:T790M
EGFR exon 19 deletion/T790M/C797S | EGFR:exon19del EGFR:T790M EGFR:C797S
EGFR ex19del -> T790M (2024) -> C797S (2025) | EGFR:exon19del EGFR:T790M EGFR:C797S
EGFR exon 19 deletion or L858R | EGFR:common
EGFR G719X/S768I/L861Q | EGFR:G719X|S768I|L861Q
EGFR wild type | EGFR:any_mutation-
EGFRwt, KRASmut | EGFR:any_mutation- KRAS:any_mutation
EGFR mutation positive | EGFR:any_mutation
EGFR-mutant | EGFR:any_mutation
EGFR exon 18-21: no mutation detected | EGFR:any_mutation-
EGFR T790M not detected | EGFR:T790M-
EGFR L858R and T790M not detected | EGFR:L858R- EGFR:T790M-
EGFR exon 19 deletion without T790M | EGFR:exon19del EGFR:T790M-
EGFR L858R positive, no other EGFR mutation | EGFR:L858R
EGFR L858R VUS | EGFR:L858R?
EGFR VUS p.A750P | EGFR:A750P?
EGFR L858R below the limit of detection | EGFR:L858R?
EGFR T790M germline | EGFR:T790M?
EGFR R521K |
EGFR p.Q787= |
EGFR A613T, likely benign |
EGFR pending | EGFR:any_mutation^
EGFR not tested | EGFR:any_mutation~
EGFR QNS | EGFR:any_mutation~
no EGFR mutation testing performed | EGFR:any_mutation~
EGFR unknown | EGFR:any_mutation!
EGFR | EGFR:any_mutation!
EGFR TKI |
no prior EGFR TKI |
ALK inhibitor |
ALK fusion/rearrangement | ALK:fusion
ALK+ | ALK:fusion
ALK-positive | ALK:fusion
ALK (+), ROS1 (-) | ALK:fusion ROS1:fusion-
EML4-ALK | ALK:fusion
EML4::ALK (E13;A20) | ALK:fusion
EML4(13)-ALK(20) | ALK:fusion
ALK V3 | ALK:fusion
VCL-ALK fusion | ALK:fusion
No ALK rearrangement identified | ALK:fusion-
There is no doubt about the ALK fusion | ALK:fusion
ALK FISH positive | ALK:fusion
ALK FISH: 8% of nuclei split (cut-off 15%) | ALK:fusion-
ALK FISH: 12% of nuclei split | ALK:fusion?
ALK FISH: 40% of nuclei split | ALK:fusion
ALK FISH equivocal (12% split signals, cut-off 15%) | ALK:fusion?
ALK IHC 3+ | ALK:fusion
ALK IHC 2+ | ALK:fusion?
ALK IHC (D5F3) negative | ALK:fusion-
ROS1 IHC positive | ROS1:fusion?
pan-TRK IHC positive | NTRK:fusion?
ALK copy number gain |
ALK missense | ALK:missense
ALK R1275Q | ALK:R1275Q
ALK R1275Q (VUS, not a fusion; crizotinib not indicated) | ALK:R1275Q?
ALK D1529E |
ALK G1202R and L1196M | ALK:G1202R ALK:L1196M ALK:compound
ALK/ROS1 fusion negative | ALK:fusion- ROS1:fusion-
ALK/ROS1 pending | ALK:fusion^ ROS1:fusion^
SLC34A2-ROS1 | ROS1:fusion
KIF5B-RET positive | RET:fusion
RET fus (KIF5B) | RET:fusion
RET M918T | RET:M918T
RET M918T? no - RET p.G810S | RET:M918T- RET:G810S
NTRK gene fusion, ETV6-NTRK3 | NTRK3:fusion
NTRK1/2/3 fusion not detected | NTRK:fusion-
NTRK1, NTRK2 and NTRK3 negative | NTRK1:fusion- NTRK2:fusion- NTRK3:fusion- NTRK:fusion-
CD74::NRG1 | NRG1:fusion
NRG1 rearrangement, DNA only | NRG1:fusion?
FGFR3::TACC3 | FGFR3:fusion
AGK::BRAF | BRAF:fusion
BRAF V600E | BRAF:V600E
BRAF V640E | BRAF:V600E
BRAF V600E/K | BRAF:classI
BRAF V600 mutation | BRAF:V600X
BRAF non-V600E mutation | BRAF:any_mutation
BRAF class II mutation | BRAF:classII
BRAF V600E (VE1) IHC positive | BRAF:V600E
KRAS p.Gly12Cys | KRAS:G12C
KRAS c.34G>T | KRAS:G12C
KRASG12C | KRAS:G12C
NRAS G12C | NRAS:G12C
HRAS G12C | HRAS:G12C
KRAS G13C | KRAS:G13C
KRAS codon 13 mutation | KRAS:any_mutation
KRAS codon 12/13 mutation, not specified | KRAS:any_mutation
KRAS non-G12C mutation | KRAS:non-G12C
KRAS G12D/G12V/other | KRAS:non-G12C
KRAS G12A/V | KRAS:non-G12C
KRAS G12C/G12D | KRAS:G12X
KRAS G12D not G12C | KRAS:G12D KRAS:G12C-
KRAS exon 2 wild type | KRAS:G12X- KRAS:G13X-
MET exon 14 skipping | MET:exon14skip
METex14 | MET:exon14skip
MET c.3028+1G>T | MET:exon14skip
MET D1010H | MET:D1010H
MET exon 14 skipping not detected | MET:exon14skip-
MET T1010I |
MET amplification | MET:amplification
MET not amplified | MET:amplification-
MET gain, not meeting criteria for amplification | MET:amplification-
MET polysomy | MET:amplification?
possible MET amplification | MET:amplification?
MET IHC 3+ in 60% of tumor cells | MET:overexpression
MET IHC 3+ in 20% of tumor cells | MET:overexpression-
MET IHC 2+ | MET:overexpression-
criteria were not met |
ERBB2 A775_G776insYVMA | ERBB2:A775_G776insYVMA
HER2 exon 20 insertion | ERBB2:exon20ins
HER2 (ERBB2) S310F | ERBB2:S310F
HER2 mutation | ERBB2:mutation
HER2 IHC 3+ | ERBB2:IHC3+
HER2 IHC 2+ | ERBB2:IHC2+ ERBB2:IHC3+-
HER2 FISH positive | ERBB2:amplification
STK11 loss | STK11:loss
STK11 p.Q37* | STK11:Q37*
KEAP1 frameshift | KEAP1:loss
EGFR R776H (VUS, insufficient evidence) | EGFR:R776H?
ALK I1171 | ALK:I1171X
HER2 TKD mutation | ERBB2:TKD_mutation
MET exon 14 skipping, RICTOR amplification | MET:exon14skip
EML4::ALK fusion and ABCB1 overexpression | ALK:fusion
EGFR L858R, GNAS R201C, T790M not detected | EGFR:L858R EGFR:T790M-
small cell transformation | transformation:SCLC
no small cell transformation | transformation:SCLC-
suspected transformation to small cell carcinoma | transformation:SCLC?
non-small cell carcinoma |
rule out T790M |
If EGFR or ALK positive: targeted therapy |
PD-L1 TPS 60% | PD-L1:TPS>=50
PD-L1 TPS 49% | PD-L1:TPS>=1
PD-L1 <1% | PD-L1:TPS>=1-
PD-L1 not tested | PD-L1:TPS>=1~
TMB 14 mut/Mb | TMB:>=10
TMB 4 mut/Mb | TMB:>=10-
MSI-H | MSI-H|dMMR
MSS | MSI-H|dMMR-
EGFR, ALK and ROS1 negative | EGFR:any_mutation- ALK:fusion- ROS1:fusion-
EGFR, ALK, KRAS G12C, BRAF V600E: not detected | EGFR:any_mutation- ALK:fusion- KRAS:G12C- BRAF:V600E-
NGS negative for EGFR, ALK, BRAF V600E, KRAS G12C | EGFR:any_mutation- ALK:fusion- BRAF:V600E- KRAS:G12C-
EGFR L858R, ALK negative | EGFR:L858R ALK:fusion-
EGFR L858R and ALK negative | EGFR:L858R ALK:fusion-
No EGFR, ALK or ROS1 alteration | EGFR:any_mutation- ALK:fusion- ROS1:fusion-
No EGFR mutation, ALK rearrangement detected | EGFR:any_mutation- ALK:fusion
EGFR mutation not identified, ALK fusion identified | EGFR:any_mutation- ALK:fusion
Positive: EGFR L858R; Negative: ALK, ROS1 | EGFR:L858R ALK:fusion- ROS1:fusion-
EGFR - / ALK - / ROS1 - | EGFR:any_mutation- ALK:fusion- ROS1:fusion-
EGFR ex19 del, brain MRI negative | EGFR:exon19del
neither MET exon 14 skipping nor a HER2 mutation | MET:exon14skip- ERBB2:mutation-
"""


@pytest.mark.parametrize("row", [line for line in STRINGS.splitlines() if line.strip()])
def test_report_strings(row):
    text, expected = (part.strip() for part in row.split(" |" if row.endswith("|") else " | ", 1))
    assert _read(text) == _pairs(expected.lstrip("|"))


@pytest.mark.parametrize("gene", ["NRAS", "HRAS"])
def test_another_ras_gene_is_not_kras(gene):
    names = frozenset().union(*(one.names for one in read_biomarkers(f"{gene} p.G12C (c.34G>T)")))
    assert "KRAS:G12C" not in names
    assert "KRAS:any_mutation" not in names


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("ERBB2/HER2 mutation/amplification", {"ERBB2:mutation", "ERBB2:amplification"}),
        ("HER2 positive", {"ERBB2:mutation", "ERBB2:amplification", "ERBB2:IHC3+"}),
        ("MET amplification or exon 14 skipping", {"MET:amplification", "MET:exon14skip"}),
        ("MET exon 14 mutation", {"MET:exon14skip"}),
    ],
)
def test_one_of_several(text, possible):
    (found,) = read_biomarkers(text)
    assert found.status is PRESENT
    assert found.possible == possible
    assert found.names == frozenset()
    assert not found.specific


def test_either_of_two_genes_establishes_neither():
    found = read_biomarkers("ALK/ROS1 fusion")
    assert [one.possible for one in found] == [frozenset({"ALK:fusion"}), frozenset({"ROS1:fusion"})]
    assert all(one.names == frozenset() for one in found)


@pytest.mark.parametrize(
    ("text", "specific"),
    [
        ("EGFR L858R", True),
        ("EGFR exon 19 deletion", True),
        ("ALK fusion", True),
        ("EGFR mutation", False),
        ("EGFR exon 21 mutation, not further specified", False),
        ("KRAS G12D/G12V/other", False),
        ("BRAF V600 mutation", False),
        ("HER2 mutation", False),
    ],
)
def test_specific(text, specific):
    (found,) = read_biomarkers(text)
    assert found.specific is specific


def test_what_is_absent_carries_no_class():
    (found,) = read_biomarkers("EGFR T790M not detected")
    assert found.names == {"EGFR:T790M"}


def test_source_is_what_was_read():
    text = "Größe 3 cm; EGFR L858R detected; ALK negative"
    first, second = read_biomarkers(text, field="note")
    assert (first.source.field, first.source.text) == ("note", "EGFR L858R detected")
    assert text[first.source.start : first.source.end] == first.source.text
    assert second.source.text == "ALK negative"


def test_places_are_code_points_behind_letters_that_grow_in_lower_case():
    text = "İİİ EGFR L858R"
    (found,) = read_biomarkers(text)
    assert text[found.source.start : found.source.end] == "EGFR L858R"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("No actionable alteration detected", True),
        ("no targetable driver mutations", True),
        ("NGS negative", True),
        ("No actionable EGFR mutation", False),
        ("Quantity not sufficient", False),
        ("EGFR L858R", False),
        ("no fever", False),
    ],
)
def test_nothing_found(text, found):
    assert nothing_found(text) is found


_WORDS = (
    "EGFR ALK ROS1 MET KRAS BRAF HER2 NTRK1 L858R T790M p.G12C c.34G>T exon 19 deletion insertion fusion EML4-ALK "
    "negative positive no not detected pending VUS or and , ; : / ( ) . \n 3+ 60% FISH IHC PD-L1 TPS TMB MSI-H if wild type amplification"
).split(" ")


@given(st.text(max_size=200) | st.lists(st.sampled_from(_WORDS), max_size=25).map(" ".join))
def test_any_string_is_read(text):
    for one in read_biomarkers(text):
        assert one.source.start is not None
        assert 0 <= one.source.start <= one.source.end <= len(text)
        assert one.source.text == text[one.source.start : one.source.end]
        assert one.names or one.possible
        assert one.possible or one.name in one.names
        assert one.kind in biomarkers.KINDS


@given(st.sampled_from("ACDEFGHIKLMNPQRSTVWY"), st.integers(10, 1500), st.sampled_from("ACDEFGHIKLMNPQRSTVWY"))
def test_a_change_is_read_the_same_in_every_spelling(ref, place, alt):
    if ref == alt or ("EGFR", f"{ref}{place}{alt}") in biomarkers.catalogue().polymorphisms:
        return
    name = f"{ref}{place}{alt}"
    spellings = ("EGFR {}", "EGFR p.{}", "EGFR mutation {} detected", "EGFR: p.({})")
    for text in (*(spelling.format(name) for spelling in spellings), f"egfr {name.lower()}"):
        assert _read(text) == {(f"EGFR:{name}", "present")}
    assert _read(f"EGFR {name} not detected") == {(f"EGFR:{name}", "absent")}
    assert _read(f"EGFR {name} (VUS)") == {(f"EGFR:{name}", "uncertain")}


@pytest.mark.parametrize(
    "unit",
    ["EGFR L858R, ALK negative; ", "EGFR L858R ", "EGFR, ", "EGFR/", "A", "(", "ALK-", "1", " ", "c.1_",
     "p.(", "no ", "not a ", "5% ", "A::B ",
     "KRAS G12D or ", "G12D/", "PD-L1 60%, ", "msi ", "exon 19 ", "E746_A750ins", "transformed to high-grade ", "negative: ", "if ", "\n"],
)  # fmt: skip
def test_long_text_is_read_to_its_end(unit):
    """Whether the time stays linear is measured in benchmarks/reader_speed.py, not here."""
    found = read_biomarkers(unit * (20_000 // len(unit)))
    assert all(0 <= one.source.start <= one.source.end <= 20_000 + len(unit) for one in found)


@pytest.mark.data
def test_published_report_strings(data_dir):
    with (data_dir / "nsclc" / "biomarker_strings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 150
    wrong, false_matches, graded = [], [], 0
    for row in rows:
        accepted = {name for name in row["accepted_names"].split(";") if name}
        found = read_biomarkers(row["report_string"])
        names = frozenset().union(*(one.names for one in found if one.status is PRESENT))
        expected = row["expected"] == "match"
        if accepted:
            matched = not accepted.isdisjoint(names)
        elif row["normalised_biomarker"] == "none":
            matched = nothing_found(row["report_string"]) and not names
        else:
            gene = row["normalised_biomarker"].partition(":")[0]
            matched = f"{gene}:any_mutation" in names
        graded += 1
        if matched != expected:
            wrong.append(row["report_string"])
            if not expected:
                false_matches.append(row["report_string"])
    assert false_matches == []
    assert len(wrong) <= 0.02 * graded, wrong
