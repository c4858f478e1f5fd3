"""The identifier scrub, against invented texts written before it."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from equipoise.boards.curation.scrub import NOT_EVERYTHING, IdentifierKind, Known, scrub, write_key
from equipoise.errors import InputError

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "scrub_cases.yaml").read_text(encoding="utf-8"))


def scrubbed(text: str, **more: Any) -> str:
    return scrub({"t": text}, seed=7, **more).texts["t"]


@pytest.mark.parametrize("case", CASES["replaced"], ids=lambda case: case["id"])
def test_identifiers_are_replaced(case):
    result = scrub({"t": case["text"]}, seed=7, known_names=case.get("known", ()))
    text = result.texts["t"]
    assert [item for item in case["gone"] if item.casefold() in text.casefold()] == []
    assert [item for item in case.get("kept", ()) if item not in text] == []


@pytest.mark.parametrize("case", CASES["left_alone"], ids=lambda case: case["id"])
def test_words_of_medicine_are_left_alone(case):
    assert scrubbed(case["text"]) == case["text"]


def test_one_person_keeps_one_surrogate_in_every_form():
    texts = {
        "a": "Mr. Kowalczyk came. Jan Kowalczyk is fit.",
        "b": "so mr kowalczyk and kowalczyk's wife came",
        "c": "KOWALCZYK, JAN",
    }
    result = scrub(texts, seed=11, known=Known(patients=("Jan Kowalczyk",)))
    given_name, surname = next(item.surrogate for item in result.surrogates if item.original == "Jan Kowalczyk").split()
    assert result.texts["a"] == f"Mr. {surname} came. {given_name} {surname} is fit."
    assert result.texts["b"] == f"so mr {surname.lower()} and {surname.lower()}'s wife came"
    assert result.texts["c"] == f"{surname.upper()}, {given_name.upper()}"


def test_a_patient_and_a_clinician_of_one_surname_stay_two():
    result = scrub({"t": "Dr. Tremblett saw Mr. Tremblett."}, seed=2)
    names = re.findall(r"(?:Dr|Mr)\. (\w+)", result.texts["t"])
    assert len(set(names)) == 2
    assert "Tremblett" not in names
    kinds = {item.surrogate: item.kind for item in result.surrogates}
    assert kinds == {names[0]: IdentifierKind.CLINICIAN, names[1]: IdentifierKind.PATIENT}


def test_a_surrogate_is_no_word_of_the_texts():
    first = scrub({"t": "Mr. Kowalczyk came."}, seed=11).texts["t"].split()[1]
    again = scrub({"t": f"Mr. Kowalczyk came with {first}."}, seed=11).texts["t"].split()[1]
    assert again != first


def test_intervals_between_dates_are_kept():
    text = "Biopsy 2021-03-05, surgery on March 19, 2021, scan on the 2nd of April 2021."
    result = scrub({"t": text}, seed=4)
    found = re.fullmatch(
        r"Biopsy (\d+)-(\d+)-(\d+), surgery on (\w+) (\d+), (\d+), scan on the (\d+)\w\w of (\w+) (\d+)\.",
        result.texts["t"],
    )
    assert found is not None
    months = "January February March April May June July August September October November December".split()
    first = date(int(found[1]), int(found[2]), int(found[3]))
    second = date(int(found[6]), months.index(found[4]) + 1, int(found[5]))
    third = date(int(found[9]), months.index(found[8]) + 1, int(found[7]))
    assert (second - first).days == 14
    assert (third - second).days == 14
    assert (first - date(2021, 3, 5)).days == result.shift_days != 0


def test_dates_can_shrink_to_their_year():
    result = scrub(
        {"t": "Biopsy on March 5, 2021, scan on 04/02/2022, seen on the ninth of June."}, seed=4, mode="year"
    )
    assert result.texts["t"] == "Biopsy on 2021, scan on 2022, seen on the [date]."
    assert result.shift_days == 0


def test_order_of_day_and_month_is_taken_from_the_other_dates():
    sure = scrub({"a": "on 23/04/2021", "b": "on 04/05/2021"}, seed=4)
    assert sure.report.ambiguous_dates == 0
    unsure = scrub({"b": "on 04/05/2021"}, seed=4)
    assert unsure.report.ambiguous_dates == 1
    assert any("month first" in note for note in unsure.report.notes)


def test_a_year_of_birth_that_tells_an_age_over_89_goes():
    assert "1931" not in scrub({"t": "She was born in 1931 and seen in 2024."}, seed=1).texts["t"]
    assert "1950" in scrub({"t": "She was born in 1950 and seen in 2024."}, seed=1).texts["t"]


def test_a_number_found_by_its_cue_goes_everywhere():
    result = scrub({"a": "MRN 4471982.", "b": "She is 4471982 in the list."}, seed=1)
    tags = re.findall(r"\[number \d+\]", " ".join(result.texts.values()))
    assert tags == ["[number 1]", "[number 1]"]


def test_given_towns_hospitals_and_identifiers_go_without_a_cue():
    known = Known(towns=("Pellmoor",), hospitals=("Brannock",), identifiers=("Project Heron",))
    result = scrub({"t": "Pellmoor, Brannock, project heron."}, seed=1, known=known)
    assert result.texts["t"] == "[town 1], [hospital 1], [identifier 1]."


def test_the_report_holds_no_identifier_and_says_that_rules_miss():
    result = scrub(
        {"t": "Mr. Kowalczyk, MRN 4471982, lives in Tarrowfield. Last week Quorvash slides, zentrimar twice."}, seed=1
    )
    told = json.dumps(result.report.to_dict(), default=str)
    assert not any(word in told for word in ("Kowalczyk", "4471982", "Tarrowfield"))
    assert result.report.warning == NOT_EVERYTHING
    assert result.report.counts[IdentifierKind.PATIENT.value] == 1
    assert set(result.report.counts) == {kind.value for kind in IdentifierKind}
    left = {result.texts[item.text][item.start : item.end] for item in result.report.left}
    assert {"Quorvash", "zentrimar"} <= left


def test_a_name_is_found_in_lower_case_misspelled_and_without_its_apostrophe():
    text = "so mister kowalczyk is here\nkowalczik came back\nkowalczyks scan is stable\nthe gleason score is seven"
    result = scrub({"t": text}, seed=7).texts["t"]
    assert not any(form in result for form in ("kowalczyk", "kowalczik"))
    assert "the gleason score is seven" in result


def test_a_surname_that_is_a_word_goes_and_the_word_stays():
    text = "Mrs. Black asked about the black stool. I saw Brown, who has brown fat."
    result = scrub({"t": text}, seed=7).texts["t"]
    assert not any(form in result for form in ("Mrs. Black", "Brown"))
    assert "black stool" in result
    assert "brown fat" in result


def test_a_year_in_words_is_read_to_its_end():
    assert re.fullmatch(r"\w+ of 19(?:51|52|53)", scrub({"t": "november of nineteen fifty two"}, seed=3).texts["t"])


def test_holidays_days_without_month_and_dates_read_aloud_become_tags():
    texts = {"a": "since Thanksgiving", "b": "she fell on the fourteenth.", "c": "dob three fourteen fifty seven"}
    assert dict(scrub(texts, seed=3).texts) == {
        "a": "since [date]", "b": "she fell on the [date].", "c": "dob [date]"
    }  # fmt: skip


def test_no_list_is_read_when_the_scrub_is_imported():
    code = (
        "import equipoise.boards.curation.scrub\n"
        "from equipoise.boards.curation.identifiers import vocabulary\n"
        "assert vocabulary._list.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_three_hours_of_speech_with_forty_persons_take_seconds():
    names = [
        f"{start}{end}"
        for start in ("quorvan", "tibbel", "zentri", "havel")
        for end in "dott kern mossa rulle stad tamm vik wende zoll beck".split()
    ]
    said = (
        "the margins are clear and the nodes are negative so i would give chemotherapy and then look again in three months. "
        * 8
    )
    turns = {str(place): f"so mister {names[place % 40]} is here. {said}" for place in range(160)}
    assert sum(len(text.split()) for text in turns.values()) > 26_000
    start = time.monotonic()
    result = scrub(turns, seed=1)
    assert time.monotonic() - start < 60
    assert result.report.counts[IdentifierKind.PATIENT.value] >= 160


def test_every_replacement_stands_where_the_report_says():
    result = scrub({"t": "Mr. Kowalczyk (MRN 4471982) was seen on March 5, 2021 in Tarrowfield."}, seed=1)
    made = {item.surrogate for item in result.surrogates}
    shown = [result.texts[item.text][item.start : item.end] for item in result.report.replaced]
    assert len(shown) >= 3
    assert set(shown) == made


def test_the_key_is_written_apart_for_its_owner_alone(tmp_path):
    result = scrub({"t": "Mr. Kowalczyk came."}, seed=9)
    path = tmp_path / "keys" / "key.json"
    write_key(path, result, seed=9)
    write_key(path, result, seed=9)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    value = json.loads(path.read_text(encoding="utf-8"))
    assert value["surrogates"][0]["original"] == "Kowalczyk"
    assert value["texts_hash"] == result.hash
    assert [item.name for item in path.parent.iterdir()] == ["key.json"]


def test_the_same_seed_gives_the_same_texts_and_another_seed_others():
    texts = {"t": "Mr. Kowalczyk was seen on March 5, 2021."}
    assert scrub(texts, seed=5).texts == scrub(texts, seed=5).texts
    assert scrub(texts, seed=5).texts != scrub(texts, seed=6).texts


@pytest.mark.parametrize("more", [{"mode": "month"}, {"known": {"patients": ("",)}}])
def test_wrong_arguments_are_refused(more):
    with pytest.raises(InputError):
        scrub({"t": "x"}, seed=1, **({"known": Known(**more["known"])} if "known" in more else more))


@given(st.text(max_size=60), st.sampled_from(["Tremblett", "Vandermolen", "O'Rourke-Lindqvist"]))
def test_a_known_name_is_gone_whatever_stands_around_it(around, name):
    text = f"{around}\nSo {name} was seen; {name.lower()} is fit.\n{around}"
    result = scrub({"t": text}, seed=1, known_names=[f"Oda {name}"]).texts["t"]
    assert name.casefold() not in result.casefold()


@given(st.text(max_size=200))
def test_no_text_breaks_the_scrub_and_replacements_never_overlap(text):
    report = scrub({"t": text}, seed=1).report
    assert all(one.end <= two.start for one, two in zip(report.replaced, report.replaced[1:], strict=False))
