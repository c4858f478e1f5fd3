"""The study of attack validity: a blinded, stratified sample, sheets that no spreadsheet runs, agreement, and corrected success."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from equipoise.benchmarks.das_bias.loader import load as load_bias
from equipoise.benchmarks.das_bias.variants import plan_of
from equipoise.benchmarks.validity_sheets import (
    FOR_RATERS,
    KEPT,
    KEY,
    PROTOCOL,
    SHEET,
    SHEET_LINES,
    fooled_of,
    items_of,
    operators_named,
    read_key,
    read_sheets,
    write_sheets,
)
from equipoise.cli.main import app
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RunInfo, write_run
from equipoise.redteam.operators import KeyRelation, choice_item, static_set
from equipoise.redteam.validity import (
    CLAIMS,
    QUESTIONS,
    Rating,
    corrected_success,
    draw_sample,
    is_valid,
    read_validity,
)

ITEMS = items_of("das_bias")
MADE = static_set(ITEMS, seed=42, operators=operators_named(["identity", "answer_negation"]))
VALID = {"one_question": "yes", "right_answer": "", "relation_holds": "yes", "realistic": "yes"}


def sample(seed=1, per_operator=2):
    return draw_sample(ITEMS, MADE.mutants, per_operator=per_operator, seed=seed)


def fill(folder, name, answers):
    """A filled copy of the sheet; `answers` makes the answers of a row from its number and cells."""
    heads, *rows = csv.reader(io.StringIO((folder / FOR_RATERS / SHEET).read_text(encoding="utf-8-sig")))
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        for place, row in enumerate(rows):
            cells = dict(zip(heads, row, strict=True)) | answers(place, dict(zip(heads, row, strict=True)))
            writer.writerow([cells[head] for head in heads])
    return path


# the sample


def test_the_sample_is_stratified_seeded_and_independent_of_the_order_of_items():
    one = sample()
    counts = {}
    for case in one.cases:
        counts[case.key()["operator"]] = counts.get(case.key()["operator"], 0) + 1
    assert set(counts.values()) == {2}
    assert len(counts) == 17
    again = draw_sample(tuple(reversed(ITEMS)), tuple(reversed(MADE.mutants)), per_operator=2, seed=1)
    assert again.sample_hash == one.sample_hash != sample(seed=2).sample_hash
    operators = [case.key()["operator"] for case in one.cases]
    assert operators != sorted(operators)


def test_a_parent_that_changed_is_refused():
    other = choice_item(ITEMS[0].id, "Another question?", ["a", "b"], "A")
    with pytest.raises(InputError, match="is not among the items, or has changed"):
        draw_sample((other, *ITEMS[1:]), MADE.mutants, per_operator=1, seed=1)


def test_no_mutant_or_no_pair():
    with pytest.raises(UsageError, match="at least one pair"):
        draw_sample(ITEMS, MADE.mutants, per_operator=0, seed=1)


def test_every_relation_has_a_claim():
    assert set(CLAIMS) == set(KeyRelation)


# the files


def test_raters_see_neither_operator_nor_identifier_nor_key(tmp_path):
    made = sample()
    raters, kept = write_sheets(made, tmp_path)
    assert {path.name for path in raters.iterdir()} == {SHEET, SHEET_LINES, PROTOCOL}
    assert {path.name for path in kept.iterdir()} == {KEY}
    shown = "".join(path.read_text(encoding="utf-8") for path in raters.iterdir())
    for case in made.cases:
        for hidden in (case.mutant.item.id, case.mutant.parent_id, *case.mutant.chain, case.mutant.content_hash):
            assert hidden not in shown
    lines = [json.loads(line) for line in (raters / SHEET_LINES).read_text(encoding="utf-8").splitlines()]
    assert set(lines[0]) == {"case", "text_a", "text_b", "claim"}
    assert made.sample_hash in (raters / PROTOCOL).read_text(encoding="utf-8")


def test_a_text_that_a_spreadsheet_would_run_is_made_inert(tmp_path):
    item = choice_item("x", '=HYPERLINK("http://example.org") What is right?', ["a", "b", "c"], "A")
    made = static_set([item], seed=1, operators=operators_named(["answer_negation"]))
    raters, _ = write_sheets(draw_sample([item], made.mutants, per_operator=1, seed=1), tmp_path)
    row = list(csv.reader(io.StringIO((raters / SHEET).read_text(encoding="utf-8-sig"))))[1]
    assert row[1].startswith("'=HYPERLINK")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_an_earlier_key_is_not_replaced_by_accident(tmp_path):
    write_sheets(sample(), tmp_path)
    with pytest.raises(UsageError, match="key of an earlier export"):
        write_sheets(sample(seed=2), tmp_path)
    write_sheets(sample(seed=2), tmp_path, overwrite=True)


def test_a_changed_key_is_refused(tmp_path):
    _, kept = write_sheets(sample(), tmp_path)
    value = json.loads((kept / KEY).read_text(encoding="utf-8"))
    value["cases"][0]["operator"] = "other@1"
    (kept / KEY).write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match="the key was changed"):
        read_key(kept / KEY)
    (kept / KEY).write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="not the key of a validity study"):
        read_key(kept / KEY)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (
            lambda place, row: {"realistic": "perhaps"},
            "line 2, field realistic: expected yes, no, cannot-say or nothing",
        ),
        (lambda place, row: {"case": "V-999"}, "line 2, field case: pair 'V-999' is not in the key"),
        (lambda place, row: {"case": "V-001"}, "line 3, field case: pair 'V-001' stands on line 2 already"),
    ],
)
def test_a_sheet_names_line_and_column(tmp_path, answers, words):
    _, kept = write_sheets(sample(), tmp_path)
    with pytest.raises(InputError, match=words):
        read_sheets([fill(tmp_path, "AB.csv", answers)], read_key(kept / KEY))


def test_short_answers_are_read_and_empty_rows_are_no_rating(tmp_path):
    _, kept = write_sheets(sample(), tmp_path)

    def answers(place, row):
        return {"one_question": "Y", "relation_holds": "n", "realistic": "?"} if place == 0 else {}

    (rating,) = read_sheets([fill(tmp_path, "AB.csv", answers)], read_key(kept / KEY))
    assert (rating.case, rating.rater) == ("V-001", "AB")
    assert rating.answers == {"one_question": "yes", "relation_holds": "no", "realistic": "cannot-say"}


# what it comes to


@pytest.mark.parametrize(
    ("answers", "key", "expected"),
    [
        ({}, "B", True),
        ({"relation_holds": "no"}, "B", False),
        ({"one_question": "no"}, "B", False),
        ({"relation_holds": "cannot-say"}, "B", None),
        ({"right_answer": "b"}, "B", True),
        ({"right_answer": "C"}, "B", False),
        ({"right_answer": "C, A"}, "A+C", True),
        ({"right_answer": "none"}, None, True),
        ({"right_answer": "A"}, None, False),
    ],
)
def test_a_mutant_is_valid_when_question_claim_and_key_hold(answers, key, expected):
    assert is_valid({**VALID, **answers}, {"key": key, "has_options": True}) is expected


def keyed(n, operator="op@1"):
    return [
        {
            "case": f"V-{place}",
            "operator": operator,
            "item": f"m{place}",
            "relation": "same",
            "key": "A",
            "has_options": True,
        }
        for place in range(n)
    ]


def rated(verdicts, rater):
    return [
        Rating(case=f"V-{place}", rater=rater, answers={**VALID, "relation_holds": verdict})
        for place, verdict in enumerate(verdicts)
    ]


def test_agreement_and_shares_are_those_worked_out_by_hand():
    one, two = ["yes"] * 7 + ["no"] * 3, ["yes"] * 6 + ["no"] * 4
    ratings = [*rated(one, "A"), *rated(two, "B")]
    result = read_validity(keyed(10), {"op@1": 40}, ratings, rng=np.random.default_rng(1), resamples=200)
    # observed 9/10; by chance 0.7 * 0.6 + 0.3 * 0.4 = 0.54
    assert result.kappa.estimate == pytest.approx((0.9 - 0.54) / (1 - 0.54))
    # AC1: mean share of yes 0.65, so 2 * 0.65 * 0.35 = 0.455 by chance
    assert result.ac1.estimate == pytest.approx((0.9 - 0.455) / (1 - 0.455))
    (own,) = result.operators
    assert (own.valid.estimate, own.valid.n_used, own.valid.n_left_out) == (6 / 9, 9, 1)
    assert (own.mutants, own.sampled) == (40, 10)
    assert result.by_question["one_question"].estimate == 1.0


def test_one_rater_has_no_agreement_and_a_pair_is_not_rated_twice():
    result = read_validity(keyed(3), {}, rated(["yes"] * 3, "A"), rng=np.random.default_rng(1))
    assert result.kappa.estimate is None
    assert result.operators[0].valid.estimate == 1.0
    with pytest.raises(InputError, match="rated twice by A"):
        read_validity(keyed(3), {}, rated(["yes"] * 3, "A") * 2, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="'V-3' is not in the key"):
        read_validity(keyed(3), {}, rated(["yes"] * 4, "A"), rng=np.random.default_rng(1))


def test_success_by_invalid_mutants_does_not_count():
    ratings = rated(["yes"] * 5 + ["no"] * 5, "A")
    fooled = {"op@1": {f"m{place}": place < 8 for place in range(10)}}
    (own,) = corrected_success(keyed(10), ratings, fooled, {"op@1": (20, 10)})
    assert own.end_to_end.estimate == 8 / 20
    assert own.valid_among_fooled.estimate == 5 / 8
    assert own.corrected.estimate == pytest.approx(5 / 20)
    assert own.corrected.low < 5 / 20 < own.corrected.high < own.end_to_end.high
    (unrated,) = corrected_success(keyed(10), (), fooled, {"op@1": (20, 10)})
    assert unrated.corrected.estimate is None
    (held,) = corrected_success(keyed(10), ratings, {"op@1": dict.fromkeys(fooled["op@1"], False)}, {"op@1": (20, 10)})
    assert (held.corrected.estimate, held.corrected.high) == (0.0, held.end_to_end.high)


def test_fooled_is_right_before_and_wrong_after_by_majority_of_readable_replies():
    def row(item, operator, label, trial, state="ok"):
        return {
            "system": "s", "item": item, "item_family": "q", "operator": operator, "label": label, "expected": "A", "trial": trial,
            "state": state, "arm": "attacked" if operator else "repeat",
        }  # fmt: skip

    rows = [row("q", None, label, place) for place, label in enumerate("AAB")]
    rows += [row("m1", "x@1", label, place) for place, label in enumerate("BBA")]
    rows += [row("m2", "y@1", "A", 1), row("m3", "z@1", None, 1, "blocked")]
    rows += [row("q", "system_warning@1", "B", 1), row("m4", "system_warning@1+w@1", "B", 1)]
    assert fooled_of(rows) == {"x@1": {"m1": True}, "y@1": {"m2": False}, "w@1": {"m4": False}}
    with pytest.raises(InputError, match="adaptive"):
        fooled_of([{**rows[0], "arm": "adaptive"}])


# the commands


def test_the_commands_go_from_items_to_corrected_success(tmp_path):
    out = tmp_path / "study"
    export = [
        "redteam",
        "validity-export",
        "--set",
        "das_bias",
        "--operator",
        "identity.unhoused",
        "--per-operator",
        "30",
    ]
    done = CliRunner().invoke(app, [*export, "--out", str(out)])
    assert done.exit_code == 0, done.output
    votes, plan = plan_of(load_bias(), seed=42, votes=1, families=["identity"])
    rows = []
    for vote in votes:
        hit = vote.operator == "identity.unhoused@1"
        label = ("B" if vote.reference()["expected"] == "A" else "A") if hit else vote.reference()["expected"]
        own = {"reply_id": vote.sample_id, "run": "r", "system": "s", "benchmark": "das_bias", "state": "ok"}
        rows.append({**vote.reference(), **own, "label": label})
    logs = {"logs": [{"plan": plan.to_dict()}]}
    info = RunInfo(run_id="r", created_at="2026-01-01T00:00:00", benchmark="das_bias", systems=("s",), arguments=logs)
    write_run(tmp_path / "run", info, rows, ())

    def answers(place, row):
        return {**VALID, "relation_holds": "no" if place < 2 else "yes"}

    sheet = fill(out, "AB.csv", answers)
    read = ["redteam", "validity-read", str(out / KEPT / KEY), str(sheet), "--run", str(tmp_path / "run")]
    done = CliRunner().invoke(app, [*read, "--json"])
    assert done.exit_code == 0, done.output
    value = json.loads(done.output.splitlines()[-1])
    (own,) = value["corrected"]
    assert own["end_to_end"]["estimate"] == 1.0
    assert own["corrected"]["estimate"] == pytest.approx(20 / 22)
    assert value["operators"][0]["valid"]["estimate"] == pytest.approx(20 / 22)
    told = CliRunner().invoke(app, read)
    assert "90.9 %" in told.output
    assert "identity.unhoused@1" in told.output


def test_sheets_without_an_answer_are_told(tmp_path):
    _, kept = write_sheets(sample(), tmp_path)
    sheet = fill(tmp_path, "AB.csv", lambda place, row: {})
    done = CliRunner().invoke(app, ["redteam", "validity-read", str(kept / KEY), str(sheet)])
    assert isinstance(done.exception, InputError)
    assert "no sheet holds an answer" in str(done.exception)


def test_every_set_and_operator_is_named_or_refused():
    assert len(items_of("das_privacy")) == 40
    with pytest.raises(UsageError, match="no set 'nope'"):
        items_of("nope")
    with pytest.raises(UsageError, match="no operator 'nope'"):
        operators_named(["nope"])
    assert len(QUESTIONS) == 4
