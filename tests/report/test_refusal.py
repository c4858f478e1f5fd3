"""The joint page: conventions, corners, one finding, ranges, and text from outside that stays text."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re

import pytest
from jinja2 import meta

from equipoise.errors import InputError
from equipoise.refusal.terms import Arm
from equipoise.report import refusal_contexts
from equipoise.report.lint import lint, parse
from equipoise.report.refusal import MOST_CHARACTERS, MOST_ROWS, refusal_page, refusal_replies, side_file
from equipoise.report.refusal_contexts import RefusalPage
from equipoise.report.refusal_numbers import bounds_text, drawn, part_text, share_text
from equipoise.report.render import TEMPLATES, environment, render_page
from equipoise.statistics import cluster_robust_rate, missing_reply_bounds, wilson
from equipoise.statistics.estimate import Estimate
from refusal_mocks import careful, complies, five, items, judged, people, refuses, rows, save
from study_examples import HOSTILE

QUICK = {"resamples": 100, "permutations": 2000}


def page_of(runs, **more):
    settings = {**QUICK, **more.pop("settings", {})}
    return refusal_page(runs, settings=settings, **more)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return five(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def page(runs):
    return page_of(runs, settings={"valid": {Arm.BENIGN: 0.633}})


@pytest.mark.parametrize(
    "context",
    [item for _, item in inspect.getmembers(refusal_contexts, dataclasses.is_dataclass)
     if item.__module__ == refusal_contexts.__name__],
    ids=lambda context: context.__name__,
)  # fmt: skip
def test_every_field_of_a_context_is_documented(context):
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    assert documented == [field.name for field in dataclasses.fields(context)]


def test_the_template_reads_its_context_and_uses_all_of_it():
    engine = environment()
    read, macros = set(), {"css"}
    for name in ("refusal.html.j2", "base.html.j2", "macros.html.j2"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        macros |= set(re.findall(r"macro (\w+)\(", text))
        read |= meta.find_undeclared_variables(engine.parse(text))
    assert read - macros == {field.name for field in dataclasses.fields(RefusalPage)}


def test_the_page_keeps_the_conventions_and_is_the_same_twice(runs, page):
    html = render_page(page)
    assert lint(html, data={"constants": ("always refuses", "always complies")}) == []
    again = render_page(page_of(runs, settings={"valid": {Arm.BENIGN: 0.633}}))
    assert html == again
    assert page.sentence in parse(html).text()


def test_constant_systems_and_their_mocks_lie_at_the_corners(page):
    cells = {(row[0].text, row[1].text): row[2].text + "/" + row[3].text for row in page.plane.rows}
    assert cells["always-refuse", "over-refusal"] == "160/160"
    assert cells["always-refuse", "harmful compliance"] == "0/160"
    assert cells["always-comply", "over-refusal"] == "0/160"
    assert cells["always-comply", "harmful compliance"] == "160/160"
    points = re.findall(r'<polygon points="[^"]*" class="marker constant open"', page.plane.svg)
    assert len(points) == 2
    assert {"always refuses", "always complies"} <= {name for name, _ in cells}


def test_the_corners_are_drawn_whatever_the_number_of_prompts(tmp_path):
    run = save(tmp_path, "few", rows("few", careful, items(8)))
    plane = page_of([run]).plane
    assert len(re.findall(r'class="marker constant open"', plane.svg)) == 2
    assert "Not drawn for too few cases: few." in plane.description
    alone = save(tmp_path, "benign", rows("benign", careful, items(60)[:30]))
    html = render_page(page_of([alone]))
    assert len(re.findall(r'class="marker constant open"', html)) >= 2
    assert lint(html) == []
    assert "without the harmful arm one failure mode is not seen at all" in html


def test_the_system_that_refuses_one_group_is_named_with_its_corrected_p(page):
    found = [row for row in page.groups if row.finding != "cannot be separated"]
    assert [(row.system, row.group, row.direction) for row in found] == [("one-group", "violet", "over-protection")]
    assert found[0].finding == "more often refused"
    p, adjusted = re.fullmatch(r"(\S+) \((\S+)\)", found[0].p).groups()
    assert float(p) < float(adjusted) <= 0.05
    check = next(item for item in page.checks if item.name == "groups protected alike")
    assert (check.state, "violet (one-group, over-protection)" in check.text) == ("fired", True)


def test_every_reply_is_in_a_state_and_unread_ones_are_listed(page):
    states = {cells[0].text: [int(cell.text) for cell in cells[1:]] for cells in page.states.rows}
    assert states["unreadable"][0] == sum(states["unreadable"][1:]) == 320
    assert states["unreadable"][1] == 320 - page.unread_total == 286
    assert {line.reading for line in page.unread} == {"blocked", "empty", "truncated", "unparsed", "error"}
    row = next(item for item in page.pairings[0].rows if item.name == "unreadable")
    assert row.over_refusal.left_out == 17
    assert "17 of 160 not read" in row.unread


def test_each_form_of_a_rate_is_there_or_says_why_not(page):
    forms = {(row.system, row.measure.split(",")[0]): row for row in page.forms}
    careful_ = forms["careful", "over-refusal"]
    assert careful_.corrected.startswith("19 % (")
    assert careful_.label_validity == "0 to 22 %"
    assert "too few human labels" in forms["careful", "harmful compliance"].corrected
    other = forms["one-group", "harmful compliance"]
    assert other.corrected == "not done: no reply of this model and arm has a human label"
    assert other.label_validity.startswith("not bounded")


def test_calibration_is_drawn_or_its_absence_said(page, tmp_path):
    assert page.calibration is not None
    assert page.shifts is not None
    assert [row[0].text for row in page.calibration.rows] == ["careful, benign"] * 2 + ["careful, harmful"] * 2
    assert "not corrected" in page.shifts.svg
    without = page_of([save(tmp_path, "a", rows("a", careful, items(40)))])
    assert without.calibration is None
    assert without.calibration_note.startswith("No reply has a human label")
    assert next(item for item in without.checks if "people" in item.name).state == "could not be assessed"


def test_the_page_says_what_a_corrected_interval_was_made_of(page, tmp_path):
    text = next(row.corrected for row in page.forms if row.system == "careful" and row.measure.startswith("over"))
    assert text.endswith("; bootstrap over 80 clusters of replies and 80 of labels, 15 positive and 65 negative labels")
    assert "clusters of labelled replies for its sensitivity and specificity" in page.calibration_note
    alone = [{**row, "item_set": None} for row in rows("a", careful, items(400))]
    single = page_of([save(tmp_path, "alone", alone, people(alone, 7))])
    assert "Lang-Reiczigel, replies independent" in single.forms[0].corrected
    assert "bootstrap" not in single.calibration_note


def test_labels_of_one_benchmark_do_not_pass_for_another(tmp_path):
    first = rows("a", careful, items(400), benchmark="first")
    runs = [
        save(tmp_path, "a", first, people(first, 7)),
        save(tmp_path, "b", rows("a", careful, items(60), benchmark="second")),
    ]
    found = page_of(runs)
    assert found.forms[0].corrected.endswith(
        "the human labels are of other prompts: no reply of benchmark second has a human label"
    )
    check = next(item for item in found.checks if item.name == "classifier held against people")
    assert (check.state, "no reply of benchmark second has a human label" in check.text) == ("fired", True)
    assert lint(render_page(found)) == []


def test_safe_completion_is_never_one_number_without_its_name(page):
    family = [row for row in page.completion if row.name.startswith("safe completion")]
    assert [row.name[16:19] for row in family] == ["(a)", "(b)", "(c)"]
    assert all(" / " in row.definition for row in family)


def test_paired_differences_show_both_discordant_counts(runs):
    found = page_of([run for run in runs if run.info.run_id in ("careful", "one-group")])
    (section,) = found.pairs
    over = section.rows[0]
    assert (over.name, over.first_only, over.second_only) == ("over-refusal", 16, 34)
    assert "A is careful, B is one-group:" in found.sentence
    assert section.sentence in found.sentence


def test_an_empty_category_is_refused_on_the_page(tmp_path):
    def hides(item, trial):
        return ("blocked", None) if item["stratum"] == "mood" and item["arm"] == "benign" else "none"

    run = save(tmp_path, "a", rows("a", hides, items(80)))
    found = page_of([run])
    assert found.forms[0].standardised.startswith("not done: no item in mood")
    check = next(item for item in found.checks if item.name == "no empty category")
    assert (check.state, "mood" in check.text) == ("fired", True)


def test_answers_to_harmful_prompts_are_named_by_hash_unless_asked_for(tmp_path):
    run = save(tmp_path, "a", [{**row, "reply": f"SECRET {row['item']}"} for row in rows("a", complies, items(40))])
    hidden, shown = render_page(page_of([run])), render_page(page_of([run], show_harmful=True))
    assert "SECRET harmful" not in hidden
    assert re.search(r"[0-9a-f]{8,}, \d+ characters", hidden)
    assert "SECRET harmful-3" in shown
    assert lint(shown) == []


def test_hostile_text_is_shown_and_does_nothing(tmp_path):
    def hostile(item, trial):
        return ("unparsed", None) if item["item"].endswith("7") else "full"

    bad = [{**row, "reply": HOSTILE, "stratum": HOSTILE[:40], "group": f"{HOSTILE[:30]} {place % 2}"}
           for place, row in enumerate(rows(f"s {HOSTILE}", hostile, items(60)))]  # fmt: skip
    html = render_page(page_of([save(tmp_path, "a", bad)]))
    assert lint(html) == []
    tree = parse(html)
    assert not [node for node in tree.walk() if node.tag in ("script", "img", "iframe")]
    assert "\x1b" not in html


def test_long_and_many_replies_go_to_the_side_file_but_for_harmful_answers(tmp_path):
    long = [{**row, "reply": "x" * (MOST_CHARACTERS + 3)} for row in rows("a", refuses, items(200))]
    other = [{**row, "reply": "y" * 5} for row in rows("b", complies, items(200))]
    runs = [save(tmp_path, "a", long), save(tmp_path, "b", other)]
    page = page_of(runs)
    assert (len(page.declined), page.declined_total) == (MOST_ROWS, 100)
    assert page.declined[0].cut == "3 more characters"
    lines = [json.loads(line) for line in side_file(runs, refusal_replies(runs), page).splitlines()]
    assert len(lines) == 100
    assert {line["arm"] for line in lines} == {"benign"}
    assert all(len(line["reply"]) == MOST_CHARACTERS + 3 for line in lines)


def test_the_room_for_replies_is_shared_by_the_systems(tmp_path):
    runs = [save(tmp_path, name, rows(name, refuses, items(200))) for name in ("a", "b", "c")]
    shown = page_of(runs).declined
    assert {name: sum(line.system == name for line in shown) for name in "abc"} == dict.fromkeys("abc", MOST_ROWS // 3)


def test_a_benchmark_of_one_arm_still_names_the_other_half_everywhere(tmp_path):
    runs = []
    for name, answer in (("a", careful), ("b", refuses)):
        own = rows(name, answer, items(80)[:40])
        said = [
            judged(row["reply_id"], "refusal", word, judge=f"judge-{word}") for row in own for word in ("none", "full")
        ]
        runs.append(save(tmp_path, name, own, said))
    page = page_of(runs)
    assert lint(render_page(page)) == []
    assert [row.name for row in page.pairs[0].rows] == [
        "over-refusal",
        "replies that could not be read",
        "harmful compliance",
    ]
    assert page.pairs[0].rows[2].finding == "not defined"
    assert len([row for row in page.composition if row.measure.startswith("harmful")]) == 2


def test_one_system_over_two_benchmarks_is_one_system(tmp_path):
    first = save(tmp_path, "a", rows("a", careful, items(60), benchmark="first"))
    second = save(tmp_path, "b", rows("a", careful, items(60)[:30], benchmark="second"))
    page = page_of([first, second])
    assert [row.name for row in page.pairings[0].rows] == ["a", "always refuses", "always complies"]
    assert page.pairings[0].rows[0].over_refusal.n == 60
    assert [row[0].text for row in page.by_benchmark[0].rows[::2]] == ["first", "second"]
    assert lint(render_page(page)) == []


def test_runs_that_do_not_belong_together_are_refused(tmp_path):
    own = rows("a", careful, items(20))
    one, two = save(tmp_path, "1", own), save(tmp_path, "2", own)
    with pytest.raises(InputError, match="twice"):
        refusal_page([one, two])
    with pytest.raises(InputError, match="different prompts"):
        refusal_page([one, save(tmp_path, "3", rows("b", careful, items(20)), dataset="other")])
    with pytest.raises(InputError, match="at least one run"):
        refusal_page([])


def test_judges_apart_fire_a_check(tmp_path):
    own = rows("a", careful, items(160))
    said = [judged(row["reply_id"], "refusal", "none", judge="lenient") for row in own]
    said += [judged(row["reply_id"], "refusal", "full", judge="strict") for row in own]
    page = page_of([save(tmp_path, "a", own, [*said, *people(own)])])
    check = next(item for item in page.checks if item.name == "judges agree")
    assert (check.state, "intervals of two judges lie apart" in check.text) == ("fired", True)
    assert len([row for row in page.stability if "by strict" in row.name]) == 2


def test_a_rate_over_clusters_prints_its_own_bound_at_no_event():
    clusters = [f"c{place % 20}" for place in range(100)]
    clustered, plain = drawn("k", "n", cluster_robust_rate([0.0] * 100, clusters)), drawn("k", "n", wilson(0, 100))
    assert plain.text == "0 of 100; up to 3.6 %"
    assert clustered.text == "0 of 100; up to 18.0 %"
    assert clustered.ends == (0.0, clustered.high)
    assert clustered.bounds == ("0", "0.0", "18.0")
    assert drawn("k", "n", wilson(0, 0)).text == "not defined: no item"
    assert drawn("k", "n", wilson(2, 5)).text == "2 of 5"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(estimate=0.25, low=0.2, high=0.31, method="m", n_used=300), "25.0 % (20.0 to 31.0), n 300"),
        (Estimate(estimate=-0.02, low=-0.1, high=0.05, method="m", n_used=50),
         "-2 % (-10 to 5), n 50; outside 0 to 100, the labels may not fit these replies"),
        (Estimate(estimate=0.2, low=None, high=None, method="m", n_used=50), "20 % (interval not available), n 50"),
        (Estimate(estimate=0.2, low=0.1, high=0.3, method="m", n_used=5), "n 5, below 10"),
        (None, "not done: because"),
    ],
)  # fmt: skip
def test_a_share_that_is_no_count_is_printed_with_its_number(estimate, text):
    assert share_text(estimate, "because") == text


def test_bounds_name_what_was_not_read():
    assert bounds_text(missing_reply_bounds(5, 40, 10), "") == "10 to 30 %, 10 of 50 not read"
    assert bounds_text(None, "none given") == "none given"


def test_a_part_of_a_gap_without_interval_says_so():
    part = Estimate(estimate=0.123, low=None, high=None, method="undefined in all of them, 95%", n_used=40)
    assert part_text(part) == "+12.3 points (interval not available)"
    whole = Estimate(estimate=0.123, low=0.1, high=0.2, method="m", n_used=400)
    assert part_text(whole) == "+12.3 points (+10.0 to +20.0)"
