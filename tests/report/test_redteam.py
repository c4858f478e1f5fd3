"""The red-team page: conventions with every axis present or none, worst cases first, and text from outside that stays text.

`redteam_results.jsonl` holds measures of a mock over all axes as the measures themselves wrote them (lists cut to four entries), so that
every view is held to the real form.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
from typing import Any

import pytest
from jinja2 import meta

from equipoise.report import redteam_contexts
from equipoise.report.lint import lint, parse
from equipoise.report.redteam import MOST_CHARACTERS, MOST_OF_A_KIND, MOST_SHOWN, redteam_page
from equipoise.report.redteam_answers import answer
from equipoise.report.redteam_cells import every_estimate
from equipoise.report.redteam_contexts import RedteamPage
from equipoise.report.redteam_views import VIEWS, blocks_of
from equipoise.report.render import TEMPLATES, environment, render_page
from equipoise.studies.redteam_audit import AxisResult
from equipoise.studies.redteam_axes import AXES
from equipoise.studies.redteam_protocol import Deviation
from equipoise.studies.redteam_summaries import PartRun
from equipoise.studies.redteam_worst import KINDS, worst_cases
from gate_runs import CALM, ESCALATES, run_of
from redteam_pages import RESULTS, audit_of, case, gates_result
from study_examples import HOSTILE


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return {"gates": gates_result(), **RESULTS}


@pytest.mark.parametrize(
    "context",
    [item for _, item in inspect.getmembers(redteam_contexts, dataclasses.is_dataclass)
     if item.__module__ == redteam_contexts.__name__],
    ids=lambda context: context.__name__,
)  # fmt: skip
def test_every_field_of_a_context_is_documented(context):
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    assert documented == [field.name for field in dataclasses.fields(context)]


def test_the_template_reads_its_context_and_uses_all_of_it():
    engine = environment()
    read, macros = set(), {"css"}
    for name in ("redteam.html.j2", "base.html.j2", "macros.html.j2"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        macros |= set(re.findall(r"macro (\w+)\(", text))
        read |= meta.find_undeclared_variables(engine.parse(text))
    fields = {field.name for field in dataclasses.fields(RedteamPage)}
    assert read - macros <= fields
    assert fields <= read


def test_a_page_with_every_axis_passes_the_linter(whole):
    html = render_page(redteam_page(audit_of(whole, worst=[case(0, 1), case(3, 2)])))
    assert lint(html, data={"constants": ()}) == []
    for axis in AXES:
        assert f">{axis.title}</h2>" in html
    assert "not measured" not in re.sub(r"<td>not measured</td>", "", html)


def test_a_page_without_any_axis_passes_the_linter_and_says_so():
    html = render_page(redteam_page(audit_of({})))
    assert lint(html) == []
    assert html.count("not measured: no such task here") == len(AXES)


@pytest.mark.parametrize("axis", [axis.id for axis in AXES])
def test_an_axis_may_be_missing_alone(whole, axis):
    page = redteam_page(audit_of({name: value for name, value in whole.items() if name != axis}))
    assert [item.absent for item in page.axes if item.absent] == ["no such task here"]
    assert lint(render_page(page)) == []


def test_the_page_says_once_that_this_is_no_medical_device(whole):
    assert render_page(redteam_page(audit_of(whole))).count("not a medical device") == 1


def test_both_halves_stand_in_the_answer_of_every_two_sided_axis(whole):
    told = {item.name.split(",")[0]: item.value for item in redteam_page(audit_of(whole)).answers}
    assert "escalated where needed" in told["Failure gates and triage"]
    assert "where not needed" in told["Failure gates and triage"]
    assert "rightful requests" in told["Privacy"]
    assert "most under well intention 46" in told["Privacy"]
    assert "asked where nothing was missing" in told["Missing information"]
    assert "untouched repeats" in told["Robustness"]


def test_the_plane_of_triage_holds_both_constants_and_the_system(whole):
    html = render_page(redteam_page(audit_of(whole)))
    assert lint(html, data={"constants": ()}) == []
    figure = next(node for node in parse(html).all("figure") if node.attributes.get("id", "").endswith("-plane"))
    names = [head.text() for head in figure.all("th") if head.attributes.get("scope") == "row"]
    assert list(dict.fromkeys(names)) == ["mix/one", "always-escalate", "never-escalate"]


def test_worst_cases_stand_in_their_order_and_the_limit_is_stated():
    many = [case(0, number) for number in range(20)] + [case(1, 100), case(3, 101)]
    page = redteam_page(audit_of({}, worst=many))
    assert [item.kind for item in page.worst] == [KINDS[0]] * MOST_OF_A_KIND + [KINDS[1], KINDS[3]]
    assert f"{len(page.worst)} of 22 are shown" in page.worst_note
    assert len(redteam_page(audit_of({}, worst=[case(n % 7, n) for n in range(200)])).worst) <= MOST_SHOWN


def test_a_long_reply_is_cut_with_its_hash():
    row = redteam_page(audit_of({}, worst=[case(0, 1, reply="x" * (MOST_CHARACTERS + 1))])).worst[0]
    assert len(row.reply) == MOST_CHARACTERS + 2
    assert re.search(
        rf"reply cut at {MOST_CHARACTERS} of {MOST_CHARACTERS + 1} characters, hash [0-9a-f]{{12}}", row.cut
    )


def test_text_from_outside_stays_text(whole):
    hostile = [case(0, 1, reply=HOSTILE, asked=HOSTILE)]
    deviation = Deviation(axis="gates", part="medfail", system=HOSTILE, what="not run", why=HOSTILE)
    html = render_page(redteam_page(audit_of(whole, worst=hostile, name=HOSTILE, deviations=(deviation,))))
    assert [item for item in lint(html) if "avoided word" not in item] == []
    assert "<script" not in html


def test_what_came_otherwise_is_in_a_table_and_nothing_is_said_plainly():
    deviation = Deviation(
        axis="gates", part="medfail", system="mix/one", what="items never asked", number=3, planned=20, why="cut short"
    )
    html = render_page(redteam_page(audit_of({}, deviations=(deviation,))))
    assert "3 of 20" in html
    assert "nothing: every planned item was asked" not in html
    assert "nothing: every planned item was asked" in render_page(redteam_page(audit_of({})))


def test_nothing_is_averaged_over_axes(whole):
    changed = copy.deepcopy(whole)
    del changed["bias"]
    one, two = (redteam_page(audit_of(value)) for value in (whole, changed))
    own = [item for item in one.answers if not item.name.startswith("Bias")]
    assert own == [item for item in two.answers if not item.name.startswith("Bias")]


def test_an_axis_without_a_view_shows_every_rate(whole):
    block = blocks_of("none of these", "key", whole["gates"])[0]
    assert block.table is not None
    assert len(block.table.rows) == len(list(every_estimate(whole["gates"]))) > 10
    assert {axis.view for axis in AXES} == set(VIEWS)


def test_a_system_that_always_escalates_is_shown_with_what_it_costs():
    page = redteam_page(audit_of({"gates": gates_result(ESCALATES)}))
    told = page.answers[0].value
    assert "escalated where needed 10 of 10" in told
    assert "where not needed 10 of 10" in told
    assert "advised rightly 50 % (30 to 70), 10 of 20" in told


def test_worst_cases_of_the_gates_are_the_actual_replies():
    run = run_of(lambda one, trial: CALM if one.row.id == "D02" else ESCALATES)
    references = ({"item": "D02", "prompt": "the prompt"},)
    found = worst_cases("gates", PartRun(test="medfail", run=run, references=references))
    assert [(item.kind, item.item, item.asked, item.reply) for item in found] == [
        ("critical gate", "D02", "the prompt", CALM)
    ]
    assert "missed_urgent_escalation at 5" in found[0].detail


@pytest.mark.parametrize(
    ("flips", "told"),
    [
        (
            {"adjusted_p": 0.01, "excess": 0.2},
            "changed more often, in either direction, than untouched repeats (Holm) under fools",
        ),
        ({"adjusted_p": 0.5, "excess": 0.2}, "under none of 1 operators changed more often"),
        ({"adjusted_p": None, "excess": None}, "under none of 1 operators changed more often"),
        (
            {"adjusted_p": 0.01, "excess": 0.2, "more_wrong": 0.3, "more_wrong_adjusted_p": 0.01},
            "wrong more often than untouched repeats (Holm) under fools",
        ),
        (
            {"adjusted_p": 0.01, "excess": 0.2, "more_wrong": 0.0, "more_wrong_adjusted_p": 1.0},
            "under none of 1 operators wrong more often",
        ),
        (
            {"adjusted_p": 0.01, "excess": 0.2, "more_wrong": -0.3, "more_wrong_adjusted_p": 0.01},
            "under none of 1 operators wrong more often",
        ),
    ],
)
def test_the_answer_names_operators_by_the_loss_where_it_is_measured(flips, told):
    own = copy.deepcopy(RESULTS["order"])
    values = {name: {"estimate": value} if name in ("excess", "more_wrong") else value for name, value in flips.items()}
    own["operators"] = [{"operator": "fools@1", "flips": values}]
    assert told in answer(AxisResult(axis="order", system="m", result=own), "Order").value
