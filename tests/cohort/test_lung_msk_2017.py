"""The real study: counts that add up, outcomes remembered against audits of their own, and the figures that docs/cohort.md tells."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from pathlib import Path

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.cases.load import ReadItem
from equipoise.cases.model import FindingStatus
from equipoise.cohort.model import Cohort, Group, Standing
from equipoise.cohort.reading import read_cohort
from equipoise.cohort.tally import conflicts, standings
from equipoise.cohort.view import Desk, cohort_of
from equipoise.report.lint import lint, parse

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results" / "lung-msk-2017" / "cohort.html"
DAYS = (dt.date(2017, 12, 31), dt.date(2026, 11, 30))
Read = tuple[list[ReadItem], list[tuple[ReadItem, str]]]


@pytest.fixture(scope="module")
def read(data_dir: Path) -> Read:
    return read_cohort(data_dir / "cbioportal" / "lung_msk_2017__data_clinical_sample.txt")


@pytest.fixture(scope="module")
def found(read: Read) -> Cohort:
    return cohort_of("lung_msk_2017", *read, [Auditor(as_of=day) for day in DAYS])


@pytest.mark.data
def test_every_patient_and_sample_is_counted_once(found: Cohort) -> None:
    for day in DAYS:
        assert len({unit.id for unit in found.patients[day]}) == len(found.patients[day]) == 860
        assert len({unit.id for unit in found.samples[day]}) == len(found.samples[day]) == 915
        assert {unit.patient for unit in found.samples[day]} == {unit.id for unit in found.patients[day]}
    assert found.several == 54
    assert found.unreadable == ()
    assert dict(conflicts(found.patients[DAYS[1]])) == {"tmb": 49, "stage": 1}


@pytest.mark.data
def test_no_variant_is_inferred_from_a_gene(read: Read, found: Cohort) -> None:
    variants = {
        one.name
        for item, _ in read[1]
        if item.case is not None
        for one in item.case.findings
        if one.kind == "variant" and one.status is FindingStatus.PRESENT and one.specific
    }
    assert variants == set()
    for day in DAYS:
        for unit in found.samples[day]:
            held = {one.option.regimen for one in unit.named if one.standing is Standing.SUPPORTED}
            assert held <= {"trastuzumab deruxtecan"}


@pytest.mark.data
def test_remembered_outcomes_are_those_of_audits_of_their_own(read: Read, found: Cohort) -> None:
    drawn = sorted(read[1], key=lambda row: hashlib.sha256(row[0].case_id.encode()).hexdigest())[:16]
    for day in DAYS:
        auditor = Auditor(as_of=day)
        units = {unit.id: unit for unit in found.samples[day]}
        for item, patient in drawn:
            assert units[item.case_id] == Desk(auditor).unit(item, patient=patient)


@pytest.mark.data
def test_the_table_of_the_document_is_what_is_counted(found: Cohort) -> None:
    text = (ROOT / "docs" / "cohort.md").read_text(encoding="utf-8")
    names = {Group.NAMED: "named gene", Group.OTHER: "other systemic", Group.ALL: "all systemic"}
    for day in DAYS:
        for row in standings(found.patients[day], found.options[day], day):
            if row.group in names:
                cells = " | ".join(map(str, [*row.counts.values(), row.without]))
                assert f"| {day} {names[row.group]} | {cells} |" in text


def test_the_document_and_the_kept_page_tell_the_same() -> None:
    text = (ROOT / "docs" / "cohort.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (20\d\d-\d\d-\d\d [a-z ]+) \| ([\d |]+) \|$", text, re.MULTILINE)
    table = next(
        node
        for node in parse(PAGE.read_text(encoding="utf-8")).walk()
        if node.attributes.get("id") == "standings-patients"
    )
    kept = {row.all("th")[0].text(): [cell.text() for cell in row.all("td")] for row in table.all("tbody")[0].all("tr")}
    assert len(rows) == 6
    for name, cells in rows:
        assert kept[name][1:] == [cell.strip() for cell in cells.split("|")]


def test_the_kept_page_passes_the_linter_and_holds_no_row_of_a_patient() -> None:
    html = PAGE.read_text(encoding="utf-8")
    assert lint(html) == []
    assert "P-00" not in html
    assert "Open Database License" in html
