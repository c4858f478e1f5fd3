"""Changes as reports write them, numbering of transcripts, and what place alone decides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cases.vocabulary import variants


def _protein(text):
    found = variants.parse_protein(text)
    assert len(found) == 1, (text, found)
    return found[0]


@pytest.mark.parametrize(
    ("written", "text", "kind"),
    [
        ("L858R", "L858R", "missense"),
        ("p.L858R", "L858R", "missense"),
        ("p.(Leu858Arg)", "L858R", "missense"),
        ("l858r", "L858R", "missense"),
        ("p.[Leu858Arg]", "L858R", "missense"),
        ("p.E746_A750del", "E746_A750del", "deletion"),
        ("E746-A750del", "E746_A750del", "deletion"),
        ("E746_A750del15", "E746_A750del", "deletion"),
        ("delE746_A750", "E746_A750del", "deletion"),
        ("ΔE746-A750", "E746_A750del", "deletion"),
        ("p.(Glu746_Ala750del)", "E746_A750del", "deletion"),
        ("L747_P753delinsS", "L747_P753delinsS", "delins"),
        ("L747_P753>S", "L747_P753delinsS", "delins"),
        ("p.Glu746_Ala750delinsIlePro", "E746_A750delinsIP", "delins"),
        ("V769_D770insASV", "V769_D770insASV", "insertion"),
        ("p.Asp770_Asn771insSerValAsp", "D770_N771insSVD", "insertion"),
        ("S768_D770dup", "S768_D770dup", "duplication"),
        ("H773dup", "H773dup", "duplication"),
        ("D770>GY", "D770delinsGY", "delins"),
        ("p.Q37*", "Q37*", "nonsense"),
        ("p.Gln37Ter", "Q37*", "nonsense"),
        ("p.Q37fs", "Q37fs", "frameshift"),
        ("p.Gln37Argfs*12", "Q37fs", "frameshift"),
        ("G719X", "G719X", "residue"),
        ("p.Q787=", "Q787=", "synonymous"),
        ("p.Gln787Gln", "Q787=", "synonymous"),
        ("D1010_splice", "D1010_splice", "splice"),
    ],
)
def test_protein(written, text, kind):
    found = _protein(written)
    assert (found.text, found.kind) == (text, kind)


@pytest.mark.parametrize(
    "text", ["", "V600", "EGFR", "c.34G>T", "A750_E746del", "E746_A750", "12", "p.", "L858R and more", "Z12X3"]
)
def test_not_a_protein_change(text):
    assert variants.parse_protein(text) == ()


def test_alternatives_of_one_residue():
    assert [one.text for one in variants.parse_protein("V600E/K")] == ["V600E", "V600K"]


@pytest.mark.parametrize(
    ("text", "gain"),
    [
        ("E746_A750del", -5),
        ("L747_P753delinsS", -6),
        ("V769_D770insASV", 3),
        ("S768_D770dup", 3),
        ("L858R", 0),
        ("L747_A750delinsPPPP", 0),
    ],
)
def test_gain(text, gain):
    assert _protein(text).gain == gain


@pytest.mark.parametrize(
    ("gene", "coding", "expected"),
    [
        ("EGFR", "c.2573T>G", "L858R"),
        ("EGFR", "c.2369C>T", "T790M"),
        ("EGFR", "c.2155G>A", "G719S"),
        ("EGFR", "c.2582T>A", "L861Q"),
        ("KRAS", "c.34G>T", "G12C"),
        ("KRAS", "c.37G>T", "G13C"),
        ("KRAS", "c.35G>A", "G12D"),
        ("KRAS", "c.183A>C", "Q61H"),
        ("KRAS", "c.436G>A", "A146T"),
        ("BRAF", "c.1799T>A", "V600E"),
        ("BRAF", "c.1799_1800delinsAA", "V600E"),
        ("BRAF", "c.1798_1799delinsAA", "V600K"),
        ("RET", "c.2753T>C", "M918T"),
        ("ERBB2", "c.929C>T", "S310F"),
    ],
)
def test_translated(gene, coding, expected):
    found = variants.translated(gene, variants.parse_coding(coding))
    assert found is not None
    assert found.text == expected


@pytest.mark.parametrize(
    ("gene", "coding"),
    [
        ("EGFR", "c.2573A>G"),
        ("EGFR", "c.2574_2575del"),
        ("EGFR", "c.1G>A"),
        ("MET", "c.3028+1G>T"),
        ("TP53", "c.100G>A"),
    ],
)
def test_not_translated(gene, coding):
    assert variants.translated(gene, variants.parse_coding(coding)) is None


@pytest.mark.parametrize("text", ["", "c.", "c.abc", "L858R", "c.-15G>A", "c.*12A>G"])
def test_not_a_coding_change(text):
    assert variants.parse_coding(text) is None


@pytest.mark.parametrize(
    ("gene", "written", "transcript", "expected"),
    [
        ("MET", "D1246N", "", "D1228N"),
        ("MET", "Y1248C", "", "Y1230C"),
        ("MET", "D1028H", "", "D1010H"),
        ("MET", "D1010N", "", "D1010N"),
        ("MET", "Y1021F", "", "Y1003F"),
        ("MET", "Y1003F", "", "Y1003F"),
        ("MET", "D1246N", "NM_001127500", "D1228N"),
        ("MET", "L982_D1028del", "", "L964_D1010del"),
        ("MET", "N375S", "NM_001127500", "N375S"),
        ("MET", "K1000R", "NM_001127500", "K982R"),
        ("MET", "K1000R", "NM_000245", "K1000R"),
        ("BRAF", "V640E", "", "V600E"),
        ("BRAF", "V600E", "", "V600E"),
        ("BRAF", "G509A", "", "G469A"),
        ("EGFR", "L858R", "NM_005228", "L858R"),
    ],
)
def test_renumbered(gene, written, transcript, expected):
    assert variants.renumbered(gene, _protein(written), transcript).text == expected


@pytest.mark.parametrize(
    ("gene", "text", "expected"),
    [
        ("EGFR", "E746_A750del", "exon19del"),
        ("EGFR", "L747_T751del", "exon19del"),
        ("EGFR", "L747_P753delinsS", "exon19del"),
        ("EGFR", "S752_I759del", "exon19del"),
        ("EGFR", "E709_T710delinsD", None),
        ("EGFR", "L747P", None),
        ("EGFR", "K745_E746insIPVAIK", "exon19ins"),
        ("EGFR", "V769_D770insASV", "exon20ins"),
        ("EGFR", "H773dup", "exon20ins"),
        ("EGFR", "D770delinsGY", "exon20ins"),
        ("EGFR", "A763_Y764insFQEA", "A763_Y764insFQEA"),
        ("EGFR", "S768I", None),
        ("EGFR", "V834_H835insA", None),
        ("ERBB2", "Y772_A775dup", "exon20ins"),
        ("ERBB2", "A775_G776insYVMA", "exon20ins"),
        ("ERBB2", "G776delinsVC", "exon20ins"),
        ("ERBB2", "I655_V659del", None),
        ("MET", "D1010H", "exon14skip"),
        ("MET", "L964_D1010del", "exon14skip"),
        ("MET", "T992I", None),
        ("MET", "Y1003F", None),
        ("KRAS", "G12_G13insA", None),
    ],
)
def test_by_position(gene, text, expected):
    assert variants.by_position(gene, _protein(text)) == expected


@pytest.mark.parametrize(
    ("coding", "skips"),
    [
        ("c.3028+1G>T", True),
        ("c.3028+2T>C", True),
        ("c.3082+1G>A", True),
        ("c.3028G>A", True),
        ("c.3082G>C", True),
        ("c.2888-1G>A", True),
        ("c.2888-18_2888-7del", True),
        ("c.2942-18_2942-7del", True),
        ("c.3024_3028+6del", True),
        ("c.2888-30C>T", False),
        ("c.3028+40G>A", False),
        ("c.3029C>T", False),
        ("c.2962C>T", False),
        ("c.2900A>G", False),
        ("c.3682G>A", False),
    ],
)
def test_splice_sites_of_met_exon_14(coding, skips):
    change = variants.renumbered_coding("MET", variants.parse_coding(coding))
    assert (variants.by_position("MET", None, change) == "exon14skip") is skips


@pytest.mark.parametrize(
    ("coding", "expected"),
    [
        ("c.2235_2249del", "exon19del"),
        ("c.2236_2250del15", "exon19del"),
        ("c.2237_2255delinsT", "exon19del"),
        ("c.2303_2311dup", "exon20ins"),
        ("c.2239_2240delinsCC", None),
        ("c.2235_2248del", None),
        ("c.2290_2291ins12", "A763_Y764insFQEA"),
    ],
)
def test_coding_changes_of_egfr_by_position(coding, expected):
    assert variants.by_position("EGFR", None, variants.parse_coding(coding)) == expected


@given(st.text(max_size=80))
def test_any_text_is_read_or_not(text):
    for one in variants.parse_protein(text):
        assert one.text
        assert variants.parse_protein(one.text)
    variants.parse_coding(text)


@given(st.text(alphabet="ACDEFGHIKLMNPQRSTVWYX*=_0123456789delinsupfs>.()p", max_size=40))
def test_what_is_read_is_read_again_the_same(text):
    for one in variants.parse_protein(text):
        again = variants.parse_protein(one.text)
        assert len(again) == 1
        assert again[0].text == one.text


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("A1" * 100_000, 0),
        ("p.(" * 100_000, 0),
        ("E746_A750ins" + "A" * 200_000, 0),
        ("c.1_" * 100_000, 0),
        ("V600E" + "/K" * 100_000, 100_001),
    ],
    ids=["letters", "brackets", "insertion", "places", "alternatives"],
)
def test_long_text_is_read_to_its_end(text, changes):
    """How the time grows is measured in benchmarks/reader_speed.py."""
    assert len(variants.parse_protein(text)) == changes
    assert variants.parse_coding(text) is None
