"""Generated pages of the knowledge base: complete, escaped, the same bytes every time."""

from __future__ import annotations

import datetime as dt
from html.parser import HTMLParser

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.errors import EvidenceError
from equipoise.evidence.base import build_base, read_knowledge
from equipoise.evidence.model import Direction
from equipoise.evidence.page import (
    TARGETS,
    coverage_page,
    coverage_words,
    drugs_of,
    knowledge_page,
    last_checked,
    read_indications,
    resistance_markers,
    resistance_page,
    resistance_pairs,
    write_pages,
)

AS_OF = dt.date(2026, 11, 30)
BASE = build_base(read_knowledge()[0])
DRIVERS = {
    "EGFR": "EGFR L858R", "ALK": "ALK fusion", "ROS1": "ROS1 fusion", "RET": "RET fusion", "NTRK1": "NTRK1 fusion",
    "NTRK2": "NTRK2 fusion", "NTRK3": "NTRK3 fusion", "MET": "MET exon 14 skipping", "ERBB2": "ERBB2 Y772_A775dup",
    "KRAS": "KRAS G12C",
}  # fmt: skip


class Checker(HTMLParser):
    """Balance of tags, ids and what must not be there."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.ids = []
        self.links = []
        self.bad = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag in ("script", "iframe", "img", "link") or any(name.startswith("on") for name in found):
            self.bad.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_without_script():
    text = knowledge_page(BASE, as_of=AS_OF)
    assert text == knowledge_page(BASE, as_of=AS_OF)
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.bad == []
    assert len(checker.ids) == len(set(checker.ids))
    assert {item.id for item in BASE.assertions} <= set(checker.ids)
    assert {link.removeprefix("#") for link in checker.links} <= set(checker.ids)
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_every_text_of_the_base_is_escaped():
    overlay = BASE.with_overlay(
        [
            {
                "id": 'x"><script>alert(1)</script>', "regimen": "osimertinib", "direction": "supports", "level": "A",
                "jurisdiction": "US", "valid_from": dt.date(2020, 1, 1), "statement": "<b>bold</b> & more",
                "sources": [{"title": "<img src=x onerror=alert(1)>"}],
                "verified": {"state": "not-verified", "reason": "<i>nobody</i>"},
            }
        ],
        name="hostile",
    )  # fmt: skip
    text = knowledge_page(overlay, as_of=AS_OF)
    checker = Checker()
    checker.feed(text)
    assert checker.bad == []
    for raw in ("<script", "<img", "<b>bold", "<i>nobody"):
        assert raw not in text
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in text


def test_ended_entries_say_so():
    text = knowledge_page(BASE, as_of=AS_OF)
    row = text.split('<tr id="nsclc.mobocertinib.egfr-exon20ins.metastatic-after-platinum"')[1].split("</tr>")[0]
    assert "supports (ended)" in row
    assert "2021-09-15 to 2023-10-03" in row


def test_coverage_in_words():
    assert coverage_words("osimertinib", BASE).startswith("Coverage: US complete since 2020-01-01")
    assert coverage_words("ibrutinib", BASE).startswith("No use here; known for")
    assert coverage_words("cisplatin", BASE).startswith("Coverage open")
    assert coverage_words("nothing", BASE) == "No row in the coverage table."


def test_every_label_indication_is_held_or_has_a_reason():
    rows = read_indications()
    assert len(rows) >= 90
    assert sum(bool(row.assertions) for row in rows) >= 80
    known = {item.id: item for item in BASE.assertions}
    for row in rows:
        assert bool(row.assertions) != bool(row.reason), row
        for identifier in row.assertions:
            assert known[identifier].direction is Direction.SUPPORTS, identifier
        if row.assertions and row.until is None:
            assert any(known[one].valid_to is None for one in row.assertions), row
            assert min(known[one].valid_from for one in row.assertions) == row.since, row


def test_every_approved_entry_stands_under_an_indication():
    listed = {identifier for row in read_indications() for identifier in row.assertions}
    approved = {
        item.id
        for item in BASE.assertions
        if item.direction is Direction.SUPPORTS
        and item.jurisdiction == "US"
        and item.level == "A"
        and item.approval in ("regular", "accelerated")
    }
    assert sorted(approved - listed) == []


@pytest.mark.parametrize(
    "drug",
    ["adagrasib", "ensartinib", "taletrectinib", "zidesamtinib", "telisotuzumab vedotin", "encorafenib", "binimetinib",
     "cemiplimab", "lorlatinib", "repotrectinib", "larotrectinib", "sotorasib", "pembrolizumab"],
)  # fmt: skip
def test_drugs_of_which_civic_says_little_are_here_at_label_level(drug):
    rows = [row for row in read_indications() if drug in row.regimen and row.assertions]
    assert rows


def test_the_coverage_page_lists_every_row():
    rows = read_indications()
    text = coverage_page(BASE, rows, as_of=AS_OF)
    assert text == coverage_page(BASE, rows, as_of=AS_OF)
    for row in rows:
        for identifier in row.assertions:
            assert f"`{identifier}`" in text
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(line.count("|") - line.count("\\|") in (3, 7) for line in table)


def test_a_broken_list_of_indications_is_an_error():
    good = "- {label: a, regimen: b, indication: c, since: 2020-01-01, "
    for data in (b"- 1", b"- {label: a}", (good + "}").encode(), (good + "reason: x, assertions: [y]}").encode()):
        with pytest.raises(EvidenceError):
            read_indications(data)
    rows = read_indications((good + "assertions: [nobody]}").encode())
    with pytest.raises(EvidenceError, match="nobody"):
        coverage_page(BASE, rows, as_of=AS_OF)


def test_every_resistance_variant_meets_every_drug_of_its_class():
    pairs = resistance_pairs(BASE, as_of=AS_OF)
    assert len({(pair.marker, pair.drug) for pair in pairs}) == len(pairs)
    expected = sum(len(resistance_markers(gene)) * len(drugs_of(name)) for gene, name in TARGETS.items())
    assert len(pairs) == expected
    found = {(pair.marker, pair.drug): pair for pair in pairs}
    for marker, drug in (
        ("EGFR:T790M", "gefitinib"), ("EGFR:C797S", "osimertinib"), ("ALK:G1202R", "alectinib"),
        ("ROS1:G2032R", "crizotinib"), ("ROS1:L2086F", "lorlatinib"), ("RET:G810X", "selpercatinib"),
        ("NTRK1:G595R", "larotrectinib"), ("NTRK3:G623R", "entrectinib"), ("MET:D1228X", "capmatinib"),
        ("MET:Y1230X", "crizotinib"), ("KRAS:Y96X", "sotorasib"), ("KRAS:H95X", "adagrasib"),
    ):  # fmt: skip
        assert found[marker, drug].against, (marker, drug)
    assert found["ALK:G1202R", "lorlatinib"].active
    assert not found["KRAS:H95X", "sotorasib"].against


@pytest.mark.parametrize("gene", sorted(TARGETS))
def test_the_audit_says_resistance_exactly_where_the_table_does(gene):
    auditor = Auditor(as_of=AS_OF, evidence=BASE)
    for pair in resistance_pairs(BASE, as_of=AS_OF):
        if pair.gene != gene:
            continue
        case = {
            "tumor": "NSCLC", "setting": "metastatic",
            "biomarkers": [DRIVERS[gene], {"name": pair.marker, "status": "present"}],
            "recommendations": [pair.drug],
        }  # fmt: skip
        (verdict,) = auditor.audit(case)
        codes = [reason.code for reason in verdict.reasons]
        said = "resistance" in codes and verdict.evidence_against[0].id in {item.id for item in pair.against}
        if pair.against:
            assert verdict.label == "Unsupported", (pair.marker, pair.drug, codes)
            assert said, (pair.marker, pair.drug, codes)
        else:
            assert not said, (pair.marker, pair.drug, codes)


def test_the_resistance_page_counts_what_it_shows():
    pairs = resistance_pairs(BASE, as_of=AS_OF)
    text = resistance_page(BASE, as_of=AS_OF)
    assert f"{len(pairs)} pairs" in text
    assert f"nothing of {sum(pair.silent for pair in pairs)}" in text
    assert "| T790M | " in text


def test_pages_are_written(tmp_path):
    names = [path.name for path in write_pages(tmp_path / "docs", as_of=last_checked(BASE))]
    assert names == ["knowledge.html", "coverage.md", "resistance.md"]
    assert all((tmp_path / "docs" / name).stat().st_size > 1000 for name in names)
