"""TNM to stage groups: the table of Goldstraw 2016 (PMID 26762738), and what the 9th edition changes."""

from __future__ import annotations

import pytest

from equipoise.cases.vocabulary.tnm import find_tnm, groups_of_tnm


@pytest.mark.parametrize(
    ("t", "n", "m", "groups"),
    [
        ("is", "0", "0", {"0"}), ("1mi", "0", "0", {"IA1"}), ("1a", "0", "0", {"IA1"}), ("1b", "0", "0", {"IA2"}),
        ("1c", "0", "0", {"IA3"}),
        ("2a", "0", "0", {"IB"}), ("2b", "0", "0", {"IIA"}), ("3", "0", "0", {"IIB"}), ("4", "0", "0", {"IIIA"}),
        ("1a", "1", "0", {"IIB"}), ("2b", "1", "0", {"IIB"}), ("3", "1", "0", {"IIIA"}), ("4", "1", "0", {"IIIA"}),
        ("1c", "2", "0", {"IIIA"}), ("2a", "2", "0", {"IIIA"}), ("3", "2", "0", {"IIIB"}), ("4", "2", "0", {"IIIB"}),
        ("1b", "3", "0", {"IIIB"}), ("2b", "3", "0", {"IIIB"}), ("3", "3", "0", {"IIIC"}), ("4", "3", "0", {"IIIC"}),
        ("2", "0", "0", {"IB", "IIA"}), ("1", "0", "0", {"IA1", "IA2", "IA3"}),
        ("4", "3", "1a", {"IVA"}), ("1a", "0", "1b", {"IVA"}), ("x", "x", "1c", {"IVB"}), ("2", "2", "1", {"IVA", "IVB"}),
        ("0", "0", "0", set()), ("x", "0", "0", set()), ("2a", "x", "0", set()),
    ],
)  # fmt: skip
def test_eighth_edition(t, n, m, groups):
    assert groups_of_tnm(t, n, m) == groups


@pytest.mark.parametrize(
    ("t", "n", "groups"),
    [
        ("1a", "1", {"IIA"}),
        ("1c", "2a", {"IIB"}),
        ("1c", "2b", {"IIIA"}),
        ("2a", "2a", {"IIIA"}),
        ("2a", "2b", {"IIIB"}),
        ("3", "2a", {"IIIA"}),
        ("3", "2b", {"IIIB"}),
        ("4", "2a", {"IIIB"}),
        ("3", "1", {"IIIA"}),
    ],
)
def test_ninth_edition(t, n, groups):
    assert groups_of_tnm(t, n, "0", edition=9) == groups


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("ct2an2m0", {"IIIA"}), ("pt3 pn1", {"IIIA"}), ("t4 n3 m0", {"IIIC"}), ("m1c1", {"IVB"}), ("t2b, n0, m1b", {"IVA"}),
        ("l4 mets, t790m, n3 nurse", None), ("ct1cn0", {"IA3"}),
    ],
)  # fmt: skip
def test_in_text(text, groups):
    found = find_tnm(text)
    assert (found[0][2] if found else None) == groups
