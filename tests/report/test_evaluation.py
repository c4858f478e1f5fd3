"""The page of several systems: conventions, numbers, and model text that stays text."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jinja2 import meta

from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.metrics import score
from equipoise.benchmarks.openmtb.questions import load_source
from equipoise.benchmarks.openmtb.scoring import predictions_of
from equipoise.errors import InputError
from equipoise.outcomes.run import Run, RunInfo, read_run, write_run
from equipoise.report import evaluation_contexts
from equipoise.report.evaluation import MOST_CHARACTERS, MOST_ROWS, evaluation_page, side_file
from equipoise.report.evaluation_contexts import EvaluationPage
from equipoise.report.evaluation_json import evaluation_json
from equipoise.report.lint import lint, parse
from equipoise.report.numbers import exact_bound
from equipoise.report.render import TEMPLATES, environment, render_page
from study_examples import HOSTILE

CASES = load_source().cases
STATES = ("empty", "blocked", "truncated", "unparsed", "error")


def row(place: int, system: str, label: str | None, *, state: str = "ok", **more: Any) -> dict[str, Any]:
    case = CASES[place]
    return {
        "reply_id": f"{system}/{place}/{more.get('trial', 1)}", "run": "r", "system": system, "benchmark": "openmtb",
        "item": case.case_id, "expected": case.reference.label, "stratum": case.reference.error_type, "trial": 1,
        "state": state, "label": label, "abstained": label == "Insufficient Information" if label else None,
    } | more  # fmt: skip


def save(folder: Path, name: str, rows: list[dict[str, Any]], *, dataset: str = "d", judged: Any = ()) -> Run:
    info = RunInfo(run_id=name, created_at="2026-11-30", benchmark="openmtb", dataset_hash=dataset, prompts_hash=name)
    rows = [{**item, "run": name} for item in rows]
    return read_run(write_run(folder / name, info, rows, [{**item, "run": name} for item in judged]))


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    right = [row(place, "good", CASES[place].reference.label, confidence=0.5 + place / 500, latency=1.0, tokens_in=5)
             for place in range(100)]  # fmt: skip
    for place in range(20):
        right[place]["label"] = "Unsupported" if right[place]["label"] != "Unsupported" else "Supported"
        right[place]["reply"] = f"{HOSTILE} {place}"
    bad = [row(place, "yes", "Supported") for place in range(90)]
    bad += [row(90 + place, "yes", None, state=state, reply=HOSTILE) for place, state in enumerate(STATES)]
    return [save(tmp_path, "a", right), save(tmp_path, "b", bad)]


@pytest.mark.parametrize(
    "context",
    [item for _, item in inspect.getmembers(evaluation_contexts, dataclasses.is_dataclass)
     if item.__module__ == evaluation_contexts.__name__],
    ids=lambda context: context.__name__,
)  # fmt: skip
def test_every_field_of_a_context_is_documented(context: type) -> None:
    documented = re.findall(r"^ {8}(\w+): ", context.__doc__ or "", re.MULTILINE)
    assert documented == [field.name for field in dataclasses.fields(context)]


def test_the_template_reads_its_context_and_uses_all_of_it() -> None:
    engine = environment()
    read: set[str] = set()
    macros: set[str] = {"css"}
    for name in ("evaluation.html.j2", "base.html.j2", "macros.html.j2"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        macros |= set(re.findall(r"macro (\w+)\(", text))
        read |= meta.find_undeclared_variables(engine.parse(text))
    assert read - macros == {field.name for field in dataclasses.fields(EvaluationPage)}


def test_the_page_keeps_the_conventions_and_is_the_same_twice(runs: list[Run]) -> None:
    page = evaluation_page(runs, CASES)
    html = render_page(page)
    assert lint(html) == []
    assert html == render_page(evaluation_page(runs, CASES))
    assert [item.name for item in page.standing[:2]] == ["good", "yes"]
    assert [item.rank for item in page.standing[:2]] == ["1 (1 to 1)", "2 (2 to 2)"]
    assert page.sentence in parse(html).text()


def test_every_reply_is_accounted_for(runs: list[Run]) -> None:
    page = evaluation_page(runs, CASES)
    assert page.unread_total == len(page.unread) == 5
    assert {item.answer for item in page.unread} == set(STATES)
    wrong = sum(case.reference.label != "Supported" for case in CASES[:90])
    assert page.misses_total == 20 + wrong
    states = {cells[0].text: [cell.text for cell in cells[1:]] for cells in page.states.rows}
    assert states["yes"] == ["95", "90", "1", "1", "1", "1", "1", "0"]
    approvals = sum(case.reference.label == "Unsupported" for case in CASES[:90])
    left = sum(case.reference.label == "Unsupported" for case in CASES[90:95])
    row_of = next(item for item in page.standing if item.name == "yes")
    assert row_of.false_approvals.text.startswith(f"{approvals} of {approvals}; ")
    assert row_of.false_approvals.left_out == left


def test_hostile_replies_are_shown_and_do_nothing(runs: list[Run]) -> None:
    html = render_page(evaluation_page(runs, CASES))
    assert lint(html) == []
    tree = parse(html)
    assert not [node for node in tree.walk() if node.tag in ("script", "img", "iframe")]
    assert "\x1b" not in html
    assert "⟨U+001B⟩" in html
    assert "&lt;script&gt;" in html


def test_too_many_or_too_long_replies_go_to_the_side_file(tmp_path: Path) -> None:
    rows = [row(place, "no", "Unsupported", reply="x" * (MOST_CHARACTERS + 5), trial=trial)
            for place in range(200) for trial in (1, 2, 3)]  # fmt: skip
    run = save(tmp_path, "a", rows)
    page = evaluation_page([run], CASES)
    assert len(page.misses) == MOST_ROWS < page.misses_total
    assert page.misses[0].cut == "5 more characters"
    lines = side_file([run], page).splitlines()
    assert len(lines) == page.misses_total
    assert len(json.loads(lines[0])["reply"]) == MOST_CHARACTERS + 5
    assert lint(render_page(page)) == []


def test_without_disagreement_there_is_no_side_file(tmp_path: Path) -> None:
    run = save(tmp_path, "a", [row(place, "good", CASES[place].reference.label) for place in range(40)])
    page = evaluation_page([run], CASES)
    html = render_page(page)
    assert side_file([run], page) == ""
    assert "no disagreement" in html
    assert "every reply was read" in html
    assert lint(html) == []


def test_certainty_orders_replies_only_when_every_one_states_it(runs: list[Run]) -> None:
    page = evaluation_page(runs, CASES)
    rows = {item.name: item.selective for item in page.abstention}
    assert getattr(rows["good"], "text", "").count(" to ") == 1
    assert "90 of 90 readable replies state no certainty" in str(rows["yes"])
    assert page.not_drawn == "Not drawn: yes; 90 of 90 readable replies state no certainty, and it never abstains."
    assert page.not_drawn in parse(render_page(page)).text()


def test_risk_against_coverage_is_drawn_with_its_operating_point(runs: list[Run]) -> None:
    """The 20 wrong replies are the least certain, so that the most certain half errs in none."""
    page = evaluation_page(runs, CASES)
    (figure,) = page.risk_coverage
    values = {row[1].text: [cell.text for cell in row[2:4]] for row in figure.rows}
    given = [case.reference.label != "Insufficient Information" for case in CASES[:100]]  # the others are abstained
    assert values["wrong, all answered"] == ["20", "100"]
    assert values["wrong, the 50 most certain"] == ["0", "50"]
    assert values["answered"] == [str(sum(given)), "100"]
    assert values["wrong among the answered"] == [str(sum(given[:20])), str(sum(given))]
    assert "AUGRC" in figure.note


def test_a_system_that_only_abstains_is_one_point_and_without_either_nothing_is_drawn(tmp_path: Path) -> None:
    asks = [row(place, "asks", CASES[place].reference.label) for place in range(80)]
    page = evaluation_page([save(tmp_path, "a", asks)], CASES)
    (figure,) = page.risk_coverage
    assert "<path" not in figure.svg
    assert "80 of 80 readable replies state no certainty" in figure.note
    assert lint(render_page(page)) == []
    never = [row(place, "never", "Supported") for place in range(80)]
    page = evaluation_page([save(tmp_path, "b", never)], CASES)
    html = render_page(page)
    assert page.risk_coverage == ()
    assert "Risk against coverage is not drawn: no system states its certainty" in html
    assert lint(html) == []


def test_the_same_certainty_everywhere_orders_nothing(tmp_path: Path) -> None:
    same = [row(place, "same", "Supported", confidence=0.9) for place in range(40)]
    page = evaluation_page([save(tmp_path, "a", same)], CASES)
    assert page.risk_coverage == ()
    assert "every reply states the same certainty, which orders nothing, and it never abstains" in page.not_drawn


def test_the_published_score_stands_beside_the_constant_systems(runs: list[Run]) -> None:
    every = list(CASES[:100])
    page = evaluation_page(runs, CASES)
    scores = {item.name: item.safety for item in page.standing}
    for system in CONSTANTS:
        assert scores[system.title] == f"{score(every, system.predict(every)).safety_score:.2f}"
    best = max(float(scores[system.title]) for system in CONSTANTS)
    assert f"gets up to {best:.2f} on these cases" in page.safety_note
    answers = predictions_of(runs[0].outcomes.to_pylist())
    assert scores["good"].startswith(f"{score(every, answers).safety_score:.2f} (")
    assert scores["good"].endswith(", n 100")
    assert scores["yes"].endswith("; 5 left out")
    assert page.safety_note in parse(render_page(page)).text()


def test_the_published_score_is_not_defined_without_its_parts(tmp_path: Path) -> None:
    clean = [place for place, case in enumerate(CASES) if case.reference.error_type == "none"][:30]
    page = evaluation_page([save(tmp_path, "a", [row(place, "s", "Supported") for place in clean])], CASES)
    assert {item.safety for item in page.standing} == {"not defined"}
    assert page.safety_note.startswith("The published Safety Score is not defined on these cases")
    assert lint(render_page(page)) == []


def test_repeats_count_cases_and_not_replies(tmp_path: Path) -> None:
    rows = [row(place, "good", CASES[place].reference.label, trial=trial) for place in range(60) for trial in (1, 2, 3)]
    rows[0]["label"] = "Supported" if rows[0]["label"] != "Supported" else "Unsupported"
    page = evaluation_page([save(tmp_path, "a", rows)], CASES)
    refused = sum(case.reference.label in ("Supported", "Partially Supported") for case in CASES[1:60])
    (found,) = page.repeats
    assert (found.trials, found.items, found.replies) == (3, 60, 180)
    assert found.flips.text.endswith("1 of 60")
    standing = page.standing[0].over_refusal if rows[0]["label"] == "Supported" else page.standing[0].false_approvals
    items = standing.n // 3
    bound = 100 * exact_bound(items)
    assert standing.text.startswith(f"0 of {3 * items}, {items} items; up to {bound:.1f} %")
    drawn = [cells for cells in page.pair.rows if cells[0].text == "good" and cells[2].text == "0"]
    assert drawn
    assert all(f"exact on {int(cells[3].text) // 3} items, 95 %" == cells[-1].text for cells in drawn)
    assert f"{bound:.1f}" in {cells[6].text for cells in drawn}
    assert refused
    html = render_page(page)
    assert "the bound rests on the number of cases" in html
    assert lint(html) == []


def test_what_differs_is_one_fact_a_kind(runs: list[Run]) -> None:
    page = evaluation_page(runs, CASES)
    assert [(item.name, item.value) for item in page.differences] == [("prompt differs", "a: good; b: yes")]
    assert page.differences[0].value in parse(render_page(page)).text()
    assert evaluation_page(runs[:1], CASES).differences == ()


def test_a_pair_is_printed_with_the_rates_of_the_leaderboard(runs: list[Run]) -> None:
    page = evaluation_page(runs, CASES)
    rows = {item.name: item for item in page.pairs[0].rows}
    standing = {item.name: item for item in page.standing}
    assert rows["false approval"].second == standing["yes"].false_approvals
    assert rows["over-refusal"].first == standing["good"].over_refusal
    assert rows["accuracy"].finding in ("higher in A", "cannot be separated")
    assert rows["replies that could not be read"].second_bounds == "does not apply"


def test_who_was_asked_fewer_cases_is_said_and_constants_cover_all(tmp_path: Path) -> None:
    short = save(tmp_path, "a", [row(place, "short", CASES[place].reference.label) for place in range(20)])
    whole = save(tmp_path, "b", [row(place, "whole", CASES[place].reference.label) for place in range(80)])
    page = evaluation_page([short, whole], CASES)
    assert page.cautions[0] == "asked fewer than all 80 cases, and rated over these: short 20"
    assert page.pairs[0].common == "20 cases in common; A was asked 20, B 80"
    assert page.standing[-1].accuracy.n == 80
    assert page.pairs[0].common in parse(render_page(page)).text()
    some = evaluation_page([short, whole], CASES[:75])
    assert some.cautions[1] == "5 cases without a known reference; the constant systems are without these"


def test_judgements_by_rule_are_counted(tmp_path: Path) -> None:
    rows = [row(place, "rag", CASES[place].reference.label) for place in range(40)]
    judged = [
        {
            "reply_id": item["reply_id"], "judge": "equipoise/auditor", "rubric": "retrieval-at-5", "rubric_hash": "h",
            "scale": "found", "scale_hash": "s", "criterion": "deciding assertion shown", "repeat": 1,
            "value": None if place < 10 else "yes" if place < 30 else "no", "in_scope": place >= 10, "state": "ok",
        }
        for place, item in enumerate(rows)
    ]  # fmt: skip
    page = evaluation_page([save(tmp_path, "a", rows, judged=judged)], CASES)
    assert [(item.value, item.rate.n) for item in page.judged] == [("yes", 30)]
    assert "20 of 30" in page.judged[0].rate.text
    assert lint(render_page(page)) == []


def test_runs_that_cannot_stand_side_by_side_are_refused(runs: list[Run], tmp_path: Path) -> None:
    other = save(tmp_path, "c", [row(0, "x", "Supported")], dataset="other")
    with pytest.raises(InputError, match="dataset_hash"):
        evaluation_page([runs[0], other], CASES)
    with pytest.raises(InputError, match="at least one"):
        evaluation_page([], CASES)
    with pytest.raises(InputError, match="no reply"):
        evaluation_page([save(tmp_path, "d", [])], CASES)


def test_the_same_system_in_two_runs_and_no_case_in_common(runs: list[Run], tmp_path: Path) -> None:
    again = save(tmp_path, "c", [row(place, "good", "Supported") for place in range(100, 140)])
    page = evaluation_page([runs[0], again], CASES)
    assert {item.name for item in page.standing if not item.constant} == {"good [a]", "good [c]"}
    assert page.pairs == ()
    assert any("no case in common" in text for text in page.cautions)
    assert lint(render_page(page)) == []


def test_replies_that_were_never_read_rank_nobody(tmp_path: Path) -> None:
    run = save(tmp_path, "a", [row(place, "mute", None, state="empty") for place in range(30)])
    page = evaluation_page([run], CASES)
    assert page.standing[0].rank == "not defined"
    assert lint(render_page(page)) == []


def test_many_systems_are_compared_with_the_first(tmp_path: Path) -> None:
    rows = [row(place, f"s{system}", "Supported" if (place + system) % 3 else "Unsupported")
            for system in range(7) for place in range(60)]  # fmt: skip
    page = evaluation_page([save(tmp_path, "a", rows)], CASES)
    assert [part.title for part in page.pairs] == [f"A: s0; B: s{other}" for other in range(1, 7)]
    assert lint(render_page(page)) == []


def test_the_json_holds_every_table_of_the_page_and_the_rates_as_numbers(runs):
    page = evaluation_page(runs, CASES, seed=3)
    value = json.loads(json.dumps(evaluation_json(runs, page, seed=3), allow_nan=False))
    assert set(value["tables"]) == {field.name for field in dataclasses.fields(EvaluationPage)}
    assert [item["name"] for item in value["tables"]["standing"]] == [row.name for row in page.standing]
    assert value["tables"]["plane"]["rows"] == [[cell.text for cell in cells] for cells in page.plane.rows]
    assert "<svg" not in json.dumps(value)
    good, yes = value["systems"]
    assert (good["system"], good["items"], good["states"]) == ("good", 100, {"ok": 100})
    assert yes["states"] == {"ok": 90, **dict.fromkeys(STATES, 1)}
    accuracy = good["rates"]["accuracy"]["estimate"]
    assert (accuracy["estimate"], accuracy["n_used"]) == (0.8, 100)
    shown = next(row for row in page.standing if row.name == "good").accuracy.text
    assert shown.startswith(f"{100 * accuracy['estimate']:.0f} % ({100 * accuracy['low']:.0f} to")
    assert {"over_refusal_rate", "false_approvals", "approvals_without_information", "failed_rate"} <= set(yes["rates"])
    (pair,) = value["pairs"]
    rate = next(item for item in pair["rates"] if item["measure"] == "accuracy")
    row_ = next(item for item in page.pairs[0].rows if item.name == "accuracy")
    assert (rate["first_only"], rate["second_only"]) == (row_.first_only, row_.second_only)


def test_hostile_text_stays_text_in_the_json(runs):
    page = evaluation_page(runs, CASES)
    value = evaluation_json(runs, page)
    assert any("<script>" in item["reply"] for item in value["tables"]["misses"])
