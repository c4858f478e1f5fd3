"""The analysis on labels made by hand, so that every figure can be counted; and on the published expert labels."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from equipoise.errors import InputError
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table
from equipoise.statistics import cohen_kappa, fleiss_kappa, wilson
from equipoise.studies import reproduce
from equipoise.study.adjudication import disagreements
from equipoise.study.analysis import analyse
from equipoise.study.exporting import study_run
from equipoise.study.importing import import_items, import_labels
from equipoise.study.planner import plan_items
from equipoise.study.protocol import load_protocol
from equipoise.study.shipped import template
from equipoise.study.store import create_store

AT = "2026-11-30T12:00:00+00:00"
S, P, U, I = "Supported", "Partially Supported", "Unsupported", "Insufficient Information"  # noqa: E741
PROTOCOL = load_protocol(template("four-label").text)


def run_of(labels, protocol=PROTOCOL, *, expected=None, extra=(), judgements=(), **columns):
    """A run of labels by rater and item; None is an item without a label."""
    rows = []
    for rater, given in labels.items():
        for place, (item, label) in enumerate(given.items(), start=1):
            row = {"reply_id": f"{rater}:{item}:1", "system": rater, "item": item, "label": label, "item_set": "main"}
            row |= {"state": "empty" if label is None else "ok", "trial": 1, "conversation": rater, "turn": place}
            row |= {"expected": (expected or {}).get(item)}
            rows.append(row | {name: values.get((rater, item)) for name, values in columns.items()})
    rows += list(extra)
    info = RunInfo(run_id="r", created_at=AT, benchmark="b", protocol_hash=protocol.hash)
    table = outcomes_table([{"run": "r", "benchmark": "b", **row} for row in rows])
    return Run(info=info, outcomes=table, judgements=judgements_table(judgements))


def named(*labels):
    return {f"i{number}": label for number, label in enumerate(labels)}


FIRST = named(S, S, P, U, U, I, I, S, P, U)
SECOND = named(S, P, P, U, U, S, I, S, S, None)


def test_agreement_is_that_of_the_statistics_on_the_items_both_labelled():
    found = analyse(run_of({"a": FIRST, "b": SECOND}), PROTOCOL)
    assert (found.items, found.shared, found.disagreed) == (10, 9, 3)
    one, two = list(FIRST.values()), list(SECOND.values())
    wanted = cohen_kappa(one, two, rng=np.random.default_rng(42), categories=found.labels, resamples=2000)
    assert found.overall.kappa == wanted
    assert (found.overall.percent.estimate, found.overall.percent.n_left_out) == (6 / 9, 1)
    assert [(row.rater, row.given, row.labelled, row.left_out) for row in found.progress] == [
        ("a", 10, 10, 0),
        ("b", 10, 9, 1),
    ]


def test_the_table_of_two_raters_is_counted_row_by_row():
    table = analyse(run_of({"a": FIRST, "b": SECOND}), PROTOCOL).confusions[0]
    assert (table.first, table.second) == ("a", "b")
    assert table.rows == ((2, 1, 0, 0), (1, 1, 0, 0), (0, 0, 2, 0), (1, 0, 0, 1))


def test_a_label_stands_against_all_others():
    rows = {row.name: row for row in analyse(run_of({"a": FIRST, "b": SECOND}), PROTOCOL).by_label}
    assert list(rows) == [S, P, U, I]
    assert rows[U].percent.estimate == 1
    assert rows[I].percent.estimate == 8 / 9
    assert rows[S].share == 7 / 19


def test_where_raters_differ_is_counted_by_line_reference_stratum_and_field():
    missing = {("a", "i5"): ["ecog"], ("a", "i6"): ["ecog", "stage"], ("b", "i6"): ["stage"]}
    stratum = {(rater, f"i{number}"): "even" if number % 2 == 0 else "odd" for rater in "ab" for number in range(10)}
    run = run_of({"a": FIRST, "b": SECOND}, expected=FIRST, missing_fields=missing, stratum=stratum)
    found = {(row.kind, row.name): (row.disagreed, row.items) for row in analyse(run, PROTOCOL).where}
    assert found == {
        ("line", f"{S} / {P}"): (2, 3),
        ("line", f"{S} / {I}"): (1, 3),
        ("reference", S): (1, 3),
        ("reference", P): (1, 2),
        ("reference", I): (1, 2),
        ("reference", U): (0, 2),
        ("stratum", "odd"): (2, 4),
        ("stratum", "even"): (1, 5),
        ("missing field", "ecog"): (1, 2),
        ("missing field", "stage"): (0, 1),
    }


def test_where_raters_differ_is_counted_by_the_error_put_in_and_by_the_reason_of_the_decisions():
    errors = {(rater, f"i{number}"): "line-shift" for rater in "ab" for number in range(3)}
    codes = {"i1": "slip", "i5": "missing-information", "i8": "slip"}
    decided = [
        {"reply_id": f"adjudicated:{item}:1", "system": "adjudicated", "item": item, "label": S, "item_set": "main",
         "state": "ok", "trial": 1, "reply": json.dumps({"code": code, "reason": "x"})}
        for item, code in codes.items()
    ]  # fmt: skip
    run = run_of({"a": FIRST, "b": SECOND}, operator=errors, extra=decided)
    where = {(row.kind, row.name): (row.disagreed, row.items) for row in analyse(run, PROTOCOL).where}
    assert {key: value for key, value in where.items() if key[0] in ("error type", "decision")} == {
        ("error type", "line-shift"): (1, 3),
        ("decision", "slip"): (2, 3),
        ("decision", "missing-information"): (1, 3),
    }


def test_more_than_two_raters_have_fleiss_kappa_and_every_pair():
    third = named(S, S, P, U, U, I, I, S, P, U)
    found = analyse(run_of({"a": FIRST, "b": SECOND, "c": third}), PROTOCOL)
    table = [list(row) for row in zip(FIRST.values(), SECOND.values(), third.values(), strict=True)]
    assert found.overall.kappa == fleiss_kappa(table, rng=np.random.default_rng(42), resamples=2000)
    assert [(row.first, row.second) for row in found.confusions] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert any("Fleiss" in text for text in found.notes)


def test_raters_who_never_meet_all_together_have_alpha():
    split = {
        "a": named(S, U, S, U) | {f"x{number}": S for number in range(3)},
        "b": named(S, U, U, U) | {f"y{number}": U for number in range(3)},
        "c": {f"x{number}": S for number in range(3)} | {f"y{number}": (U, S, U)[number] for number in range(3)},
    }
    found = analyse(run_of(split), PROTOCOL)
    assert found.overall.kappa.estimate is None
    assert found.overall.alpha.n_used == found.shared == 10
    assert {row.measure for row in found.plan} == {"alpha", "percent"}


def test_one_rater_has_no_agreement_and_nothing_fails():
    found = analyse(run_of({"a": FIRST}), PROTOCOL)
    assert found.overall.kappa.estimate is None
    assert (found.shared, found.confusions) == (0, ())


def test_repeats_training_and_attention_enter_no_agreement():
    value = yaml.safe_load(template("four-label").text)
    value["attention"] = {"items": [{"item": "plain", "expected": {"label": U}}], "at_least": 0.8}
    protocol = load_protocol(yaml.safe_dump(value))
    extra = [
        {"reply_id": f"{rater}:{item}:2", "system": rater, "item": item, "label": label, "state": "ok", "trial": 2}
        | {"item_set": purpose}
        for rater, item, label, purpose in (
            ("a", "plain", U, "attention"),
            ("b", "plain", S, "attention"),
            ("a", "i0", S, "repeat"),
            ("a", "i1", U, "repeat"),
            ("b", "t", S, "training"),
        )
    ]
    run = run_of({"a": FIRST, "b": SECOND}, protocol, extra=extra)
    plain = analyse(run_of({"a": FIRST, "b": SECOND}, protocol), protocol)
    found = analyse(run, protocol)
    assert found.overall == plain.overall
    assert found.items == 10
    assert [(row.rater, row.right, row.answered, row.told_apart) for row in found.attention] == [
        ("a", 1, 1, False),
        ("b", 0, 1, True),
    ]
    assert found.courses[0].repeated == wilson(1, 2)


def test_drift_is_told_by_thirds_of_the_queue():
    same = {f"i{number}": (S, U)[number % 2] for number in range(30)}
    later = {item: label if number < 20 else P for number, (item, label) in enumerate(same.items())}
    course = analyse(run_of({"a": same, "b": later}), PROTOCOL).courses[1]
    assert [part.estimate for part in course.thirds] == [1, 1, 0]
    assert course.shares == ((0.5, 0, 0.5, 0), (0.5, 0, 0.5, 0), (0, 1, 0, 0))
    # Fisher's exact test of 10 of 10 against 0 of 10: 2 / C(20, 10)
    assert course.first_and_last.p_value == pytest.approx(2 / 184756)


def test_drift_is_not_assessed_on_few_labels():
    course = analyse(run_of({"a": FIRST, "b": SECOND}), PROTOCOL).courses[0]
    assert (course.thirds, course.why_not) == ((), "fewer than 15 items with a second label")


def decision(item, label):
    return {"reply_id": f"adjudicated:{item}:1", "system": "adjudicated", "item": item, "label": label, "state": "ok"} | {
        "item_set": "main", "trial": 1,
    }  # fmt: skip


def test_a_rater_stands_against_the_reference_and_never_against_a_consensus_that_contains_the_rater():
    run = run_of({"a": FIRST, "b": SECOND}, expected=FIRST, extra=[decision("i1", P), decision("i5", S)])
    found = {(row.system, row.basis): row.percent for row in analyse(run, PROTOCOL).against}
    assert set(found) == {
        ("a", "reference"),
        ("b", "reference"),
        ("adjudicated", "reference"),
        ("consensus", "reference"),
    }
    assert found["a", "reference"].estimate == 1
    assert found["b", "reference"].estimate == 6 / 9
    # Six items that both call the same, and the two decided ones; the decisions differ from the reference.
    assert (found["consensus", "reference"].estimate, found["consensus", "reference"].n_used) == (6 / 8, 8)


def other_run(labels):
    rows = [
        {"run": "o", "benchmark": "b", "reply_id": item, "system": "agent", "item": item, "label": label}
        | {"state": "unparsed" if label is None else "ok"}
        for item, label in labels
    ]
    info = RunInfo(run_id="o", created_at=AT, benchmark="b")
    return Run(info=info, outcomes=outcomes_table(rows), judgements=judgements_table([]))


def test_an_agent_stands_against_reference_consensus_and_each_rater():
    agent = other_run([*FIRST.items()][:8] + [("i8", None), ("i9", "Unsafe")])
    found = analyse(run_of({"a": FIRST, "b": SECOND}, expected=FIRST), PROTOCOL, others=[agent])
    rows = {row.basis: row.percent for row in found.against if row.system == "agent"}
    assert set(rows) == {"reference", "consensus", "a", "b"}
    assert (rows["a"].estimate, rows["a"].n_used, rows["a"].n_left_out) == (1, 8, 2)
    assert rows["b"].estimate == 6 / 8
    share = next(row for row in found.prevalence if row.system == "agent")
    assert (share.seen.estimate, share.seen.n_left_out) == (2 / 8, 2)
    assert share.corrected is None
    assert "too few human labels of one class" in share.refused


def test_a_prevalence_is_corrected_where_the_labels_allow_it():
    both = {f"i{number}": U if number < 40 else S for number in range(100)}
    agent = [(item, S if number in (0, 1, 2, 3) else label) for number, (item, label) in enumerate(both.items())]
    agent += [(f"more{number}", U if number < 90 else S) for number in range(200)]
    found = analyse(run_of({"a": both, "b": both}), PROTOCOL, others=[other_run(agent)])
    share = next(row for row in found.prevalence if row.system == "agent")
    # Sensitivity 36 of 40, specificity 60 of 60: (126 / 300) / 0.9
    assert share.corrected.estimate == pytest.approx(126 / 300 / 0.9)
    assert share.refused == ""


def test_a_system_that_answers_an_item_twice_is_refused():
    with pytest.raises(InputError, match="agent answered item 'i0' more than once"):
        analyse(run_of({"a": FIRST, "b": SECOND}), PROTOCOL, others=[other_run([("i0", S), ("i0", S)])])


def test_labels_of_another_protocol_are_refused():
    run = run_of({"a": FIRST, "b": SECOND})
    with pytest.raises(InputError, match="the labels were exported under the protocol other, not"):
        analyse(replace(run, info=replace(run.info, protocol_hash="other")), PROTOCOL)
    with pytest.raises(InputError, match="the label 'Unsafe' of a:i0:1 is not in the protocol"):
        analyse(run_of({"a": named("Unsafe"), "b": named(S)}), PROTOCOL)


def test_a_narrower_interval_needs_items_by_the_square():
    kappa, percent = wilson(50, 100), wilson(5, 0 + 5)
    half = kappa.half_width
    rows = [row for row in plan_items(kappa, percent) if row.measure == "kappa"]
    assert [row.items for row in rows] == [int(np.ceil(100 * (half / target) ** 2)) for target in (0.15, 0.10, 0.05)]
    without = plan_items(replace(kappa, low=None, high=None), percent)
    assert {row.items for row in without if row.measure == "kappa"} == {None}


def test_the_same_labels_give_the_same_bytes():
    run = run_of({"a": FIRST, "b": SECOND})
    assert json.dumps(analyse(run, PROTOCOL).to_dict()) == json.dumps(analyse(run, PROTOCOL).to_dict())


# --- the published expert labels ---------------------------------------------------------------------------------------------

RENAME = {"Insufficient Info": I}


def expert_study(tmp_path, data_dir, *, five):
    value = yaml.safe_load(template("four-label").text)
    value["items"] |= {"reference": "support_label", "stratum": "error_type"}
    if five:
        value["questions"][0]["options"].append({"value": "Unsafe", "key": "5"})
    store = create_store(tmp_path / f"{five}.sqlite", yaml.safe_dump(value), at=AT)
    numbers = itertools.count()
    import_items(store, data_dir / "openmtb" / "cases.jsonl", at=AT)
    done = import_labels(
        store,
        data_dir / "openmtb" / "expert_annotations.csv",
        item="case_id",
        columns={"oncologist_a_label": "a", "oncologist_b_label": "b"},
        at=AT,
        draw=lambda _: f"id{next(numbers)}",
        rename=RENAME if five else RENAME | {"Unsafe": U},
    )
    assert done.new == 100
    return store


@pytest.fixture(scope="module")
def published(data_dir):
    """Figures of the statistics part, by id."""
    return {row.id: row for row in reproduce("openmtb", data_dir, seed=42).rows}


@pytest.mark.data
@pytest.mark.parametrize(
    ("five", "figure"), [(True, "experts.kappa.five_labels"), (False, "experts.kappa.four_labels")]
)
def test_the_published_expert_labels_give_the_kappa_of_the_statistics_part(tmp_path, data_dir, published, five, figure):
    with expert_study(tmp_path, data_dir, five=five) as store:
        found = analyse(study_run(store, at=AT), store.protocol).overall.kappa
    wanted = published[figure]
    assert found.estimate == pytest.approx(wanted.ours, abs=1e-9)
    # The resamples differ in number (2,000 and 10,000), so the ends agree to within their own error.
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=0.02)


@pytest.mark.data
def test_the_published_disagreement_sits_at_missing_information(tmp_path, data_dir, published):
    with expert_study(tmp_path, data_dir, five=False) as store:
        found = analyse(study_run(store, at=AT), store.protocol)
        assert len(disagreements(store)) == found.disagreed == 16
    wanted = published["experts.insufficient.agreement"]
    place = next(row for row in found.where if (row.kind, row.name) == ("reference", I))
    assert (place.items - place.disagreed, place.items) == (wanted.details["agreed"], wanted.details["cases"])
    assert 1 - place.rate.estimate == pytest.approx(wanted.ours)
    lines = [row for row in found.where if row.kind == "line"]
    assert (lines[0].name, lines[0].disagreed) == (f"{S} / {I}", 7)
