"""What a cohort comes to: options audited once a key and alike, genes that give no variant, patients apart from samples."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from cohort.examples import ROWS, write_study
from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label
from equipoise.cases.load import ReadItem
from equipoise.cohort.model import GROUPS, Cohort, Group, Standing, Unit, deciding_sets
from equipoise.cohort.reading import read_cohort
from equipoise.cohort.tally import conflicts, decided, field_sets, regimens, standings
from equipoise.cohort.view import Desk, cohort_of, systemic_options
from equipoise.errors import UsageError

THEN, NOW = dt.date(2017, 12, 31), dt.date(2026, 11, 30)


@pytest.fixture(scope="module")
def auditors() -> tuple[Auditor, Auditor]:
    return Auditor(as_of=THEN), Auditor(as_of=NOW)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[ReadItem], list[tuple[ReadItem, str]]]:
    return read_cohort(write_study(tmp_path_factory.mktemp("study")))


@pytest.fixture(scope="module")
def found(read: tuple[list[ReadItem], list[tuple[ReadItem, str]]], auditors: tuple[Auditor, Auditor]) -> Cohort:
    return cohort_of("study", *read, auditors)


def unit(found: Cohort, name: str, day: dt.date = NOW) -> Unit:
    return next(item for item in (*found.patients[day], *found.samples[day]) if item.id == name)


def label(item: Unit, regimen: str) -> Label:
    return next(one.label for one in item.outcomes if one.option.regimen == regimen)


def via(item: Unit, regimen: str) -> tuple[str, ...]:
    return next(one.via for one in item.named if one.option.regimen == regimen)


def test_an_option_is_systemic_and_belongs_to_its_day(auditors: tuple[Auditor, Auditor]) -> None:
    then, now = ({option.regimen: option for option in systemic_options(one, one.as_of)} for one in auditors)
    assert {"surgery", "radiotherapy"}.isdisjoint(now)
    assert not any("radiotherapy" in name or "surgery" in name or "fields" in name for name in now)
    assert "sotorasib" in now
    assert "sotorasib" not in then
    assert now["osimertinib"].guided
    assert now["afatinib"].guided
    assert not now["pembrolizumab"].guided
    assert not now["platinum + chemotherapy"].guided
    assert "EGFR" in now["osimertinib"].genes


@pytest.mark.parametrize("policy", ["label", "openmtb-2026"])
def test_a_remembered_outcome_is_that_of_an_audit_of_its_own(
    read: tuple[list[ReadItem], list[tuple[ReadItem, str]]], policy: str
) -> None:
    auditor = Auditor(as_of=NOW, policy=policy)
    desk = Desk(auditor)
    items = [item for item, _ in read[1]]
    for item in items:
        desk.unit(item, patient=item.case_id)
    made = desk.audits
    for item in items:
        remembered, own = desk.unit(item, patient="p"), Desk(auditor).unit(item, patient="p")
        assert remembered == own
    assert desk.audits == made


def test_equal_patients_are_audited_once(tmp_path: Path) -> None:
    rows = tuple((f"X-{n}", f"X-{n}-T1", "", "LUAD", "1", "IV", "EGFR", "YES", str(1 + n % 8)) for n in range(40))
    patients, _ = read_cohort(write_study(tmp_path, rows))
    desk = Desk(Auditor(as_of=NOW))
    desk.unit(patients[0], patient="X-0")
    first = desk.audits
    for item in patients[1:]:
        desk.unit(item, patient=item.case_id)
    assert desk.audits == first


@pytest.mark.parametrize(
    ("name", "regimen", "marker"),
    [
        ("X-1", "osimertinib", "EGFR:L858R"),
        ("X-2", "sotorasib", "KRAS:G12C"),
        ("X-3", "alectinib", "ALK:fusion"),
    ],
)
def test_a_gene_gives_no_variant_and_says_which_would_decide(
    found: Cohort, name: str, regimen: str, marker: str
) -> None:
    item = unit(found, name)
    assert label(item, regimen) is Label.INSUFFICIENT_INFORMATION
    assert regimen not in item.to_dict()["supported"]
    assert marker in via(item, regimen)


def test_a_variant_that_is_excluded_is_not_filled_in(found: Cohort) -> None:
    item = unit(found, "X-4")
    assert label(item, "dabrafenib + trametinib") is Label.UNSUPPORTED
    assert all("BRAF:V600E" not in one.via for one in item.named)


def test_only_the_named_gene_is_left_open_in_its_group(found: Cohort) -> None:
    item = unit(found, "X-2")
    assert item.genes == {"KRAS"}
    assert item.named
    for outcome in item.named:
        assert "KRAS" in outcome.option.genes
        for fields in (*outcome.decide, *outcome.partly):
            assert {one for one in fields if one.startswith("biomarkers")} <= {"biomarkers.KRAS"}


def test_the_evidence_of_2017_holds_less(found: Cohort) -> None:
    then, now = unit(found, "X-2", THEN), unit(found, "X-2", NOW)
    assert then.standing(Group.NAMED) is None
    assert now.standing(Group.NAMED) is Standing.COULD


def test_a_patient_with_two_samples_counts_once_and_names_what_disagrees(found: Cohort) -> None:
    assert len(found.patients[NOW]) == 7
    assert len(found.samples[NOW]) == len(ROWS)
    assert found.several == 1
    assert found.differ[NOW] == 1
    assert unit(found, "X-5").conflicts == ("stage", "tmb")
    assert unit(found, "X-5-T1").conflicts == unit(found, "X-5-T2").conflicts == ()
    assert dict(conflicts(found.patients[NOW])) == {"stage": 1, "tmb": 1}


def test_the_lines_of_a_sample_are_its_own(found: Cohort) -> None:
    assert label(unit(found, "X-5-T1"), "pemetrexed + platinum") is Label.SUPPORTED
    assert label(unit(found, "X-5-T2"), "pemetrexed + platinum") is not Label.SUPPORTED
    assert label(unit(found, "X-5"), "pemetrexed + platinum") is not Label.SUPPORTED


def test_a_tumor_outside_the_base_is_not_assessed(found: Cohort) -> None:
    item = unit(found, "X-6")
    assert item.not_assessed == "out-of-scope"
    assert item.standing() is None
    assert item.to_dict()["groups"] == {}


def test_counts_add_up(found: Cohort) -> None:
    for units, of in ((found.patients[NOW], 7), (found.samples[NOW], len(ROWS))):
        rows = standings(units, found.options[NOW], NOW)
        assert [row.group for row in rows] == list(GROUPS)
        assert {row.n for row in rows} == {of}
        assert {row.not_assessed for row in rows} == {1}
    for row in decided(found.patients[NOW], NOW):
        options = sum(len(item.of(row.group)) for item in found.patients[NOW])
        assert row.decided + row.waiting + row.silent == options
        assert row.lowest is not None
        assert row.highest is not None
        assert row.middle is not None
        assert 0 <= row.lowest <= row.middle <= row.highest <= 1


def test_the_smallest_sets_of_a_patient_are_counted(found: Cohort) -> None:
    item = unit(found, "X-2")
    sets = deciding_sets(item.named)
    assert sets
    assert len({len(fields) for fields, _ in sets}) == 1
    assert (("biomarkers.KRAS",), sum(("biomarkers.KRAS",) in one.decide for one in item.named)) in sets
    rows = {row.fields: row for row in field_sets(found.patients[NOW], Group.NAMED)}
    assert rows["biomarkers.KRAS",].always == 1
    assert rows["biomarkers.EGFR",].sometimes == 2


def test_a_marker_guided_regimen_counts_patients_whose_gene_is_named(found: Cohort) -> None:
    rows = {row.regimen: row for row in regimens(found)}
    assert sum(rows["sotorasib"].counts[NOW].values()) == 1
    assert THEN not in rows["sotorasib"].counts
    assert sum(rows["pemetrexed + platinum"].counts[NOW].values()) == 6


def test_records_without_samples_give_patients_alone(auditors: tuple[Auditor, Auditor], tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"case_id": "a", "tumor": "NSCLC", "stage": "IVB", "biomarkers": ["EGFR L858R"], "prior_therapies": []}\n'
        '{"case_id": "b", "ecog": "many"}\n',
        encoding="utf-8",
    )
    patients, samples = read_cohort(file)
    assert samples == []
    whole = cohort_of("cases", patients, samples, auditors)
    assert "osimertinib" in unit(whole, "a").to_dict()["supported"]
    assert [case_id for case_id, _ in whole.unreadable] == ["b"]
    assert unit(whole, "b").not_assessed == "unreadable"


def test_a_file_without_patients_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "data_clinical_sample.txt"
    file.write_text("PATIENT_ID\tSAMPLE_ID\n", encoding="utf-8")
    with pytest.raises(UsageError, match="expected at least one patient"):
        read_cohort(file)


@pytest.mark.parametrize(
    "histories", [("docetaxel", "docetaxel; gemcitabine"), ("docetaxel; gemcitabine", "docetaxel")]
)
def test_a_record_with_two_sessions_is_one_patient_with_the_longest_history(histories: tuple[str, str]) -> None:
    from equipoise.cases.formats import case_from_object
    from equipoise.cases.formats.record.model import Record
    from equipoise.cohort.reading import _once

    items = []
    for name, history in zip(("a", "a/2"), histories, strict=True):
        data = {"case_id": name, "tumor": "NSCLC", "prior_therapies": history}
        record = Record(format="fhir", case_id=name, data=data)
        items.append(ReadItem(1, None, case_from_object(data), None, name, data, record))
    kept = _once(items)
    assert len(kept) == 1
    assert kept[0].case is not None
    assert len(kept[0].case.prior_therapies.value or ()) == 2


def test_words_in_a_column_of_drivers_are_no_genes(found: Cohort) -> None:
    assert unit(found, "X-5-T1").genes == frozenset()
    assert unit(found, "X-3").genes == {"ALK"}


def test_a_line_without_drugs_may_have_been_what_a_source_asks_for(found: Cohort) -> None:
    after, before = unit(found, "X-7", THEN), unit(found, "X-1", THEN)
    assert "EGFR:T790M" in via(after, "osimertinib")
    assert via(before, "osimertinib") == ()
    assert label(after, "osimertinib") is Label.INSUFFICIENT_INFORMATION
    docetaxel = next(one for one in after.outcomes if one.option.regimen == "docetaxel")
    assert (docetaxel.standing, docetaxel.partly) == (Standing.COULD, (("prior_therapies",),))


def test_one_line_is_no_history_of_two_courses(
    auditors: tuple[Auditor, Auditor], monkeypatch: pytest.MonkeyPatch
) -> None:
    from equipoise.cases.formats import case_from_object
    from equipoise.cohort import view

    monkeypatch.setattr(view, "HISTORIES", (("pembrolizumab", "carboplatin + pemetrexed"),))
    data = {"tumor": "NSCLC", "histology": "adenocarcinoma", "setting": "metastatic", "tmb": 2}
    desk = Desk(auditors[1])
    could = []
    for lines in (1, 2):
        courses = [{"drugs": "unnamed systemic therapy", "line": place} for place in range(1, lines + 1)]
        case = case_from_object({**data, "case_id": "a", "prior_therapies": courses})
        outcomes = desk.unit(ReadItem(1, None, case, None, "a", data), patient="a").outcomes
        could.append(next(one.standing for one in outcomes if one.option.regimen == "docetaxel"))
    assert could == [Standing.OPEN, Standing.COULD]


def test_every_history_that_is_tried_is_read_whole() -> None:
    from equipoise.cohort.view import HISTORIES, read_history

    for history in HISTORIES:
        courses = read_history([{"drugs": drugs} for drugs in history]).value or ()
        assert len(courses) == len(history)
        assert all(course.drugs and not course.unread for course in courses)


@pytest.mark.parametrize(
    ("stages", "late", "setting"),
    [
        (("IV",), "YES", {"metastatic"}),
        (("Stage IVA",), "YES", {"metastatic"}),
        (("IB",), "YES", {"advanced", "metastatic"}),
        (("IV", "IB"), "YES", {"advanced", "metastatic"}),
    ],
)
def test_stage_iv_that_recurred_is_metastatic(
    stages: tuple[str, ...], late: str, setting: set[str], tmp_path: Path
) -> None:
    rows = tuple(("X-1", f"X-1-T{n}", "", "LUAD", "0", stage, "EGFR", late, "4") for n, stage in enumerate(stages))
    patients, _ = read_cohort(write_study(tmp_path / "study", rows))
    assert patients[0].case is not None
    assert patients[0].case.setting.value == setting
