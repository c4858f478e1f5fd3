from __future__ import annotations

import json

import pytest

from equipoise.errors import ConfigurationError, InputError, UsageError
from equipoise.outcomes import Decision, gate, parse_protocol, read_protocol

TEXT = """
version: 1
name: release
benchmark: b
dataset_hash: d
lines:
  - id: accuracy
    metric: {event: correct}
    at_least: 0.8
    minimum_n: 50
  - id: wrongly yes
    metric: {event: label, values: ["yes"], where: {expected: ["no"]}}
    at_most: 0.1
    minimum_n: 10
"""


def one(**line):
    base = {"id": "line", "metric": {"event": "correct"}, "minimum_n": 1}
    return {"version": 1, "name": "p", "lines": [base | line]}


def decide(run, baseline=None, **line):
    top = {name: line.pop(name) for name in ("unparsed_all", "cluster") if name in line}
    protocol = one(**line)
    if "cluster" in top:
        protocol["cluster"] = top["cluster"]
    return gate(run, parse_protocol(protocol), baseline=baseline)


@pytest.mark.parametrize(
    ("hits", "condition", "decision", "code"),
    [
        (95, {"at_least": 0.8}, Decision.PASS, 0),
        (85, {"at_least": 0.8}, Decision.UNDECIDED, 3),
        (60, {"at_least": 0.8}, Decision.FAIL, 1),
        (5, {"at_most": 0.2}, Decision.PASS, 0),
        (18, {"at_most": 0.2}, Decision.UNDECIDED, 3),
        (50, {"at_most": 0.2}, Decision.FAIL, 1),
    ],
)
def test_thresholds(tools, hits, condition, decision, code):
    result = decide(tools.rates(hits, 100), **condition)
    assert result.decision is result.lines[0].decision is decision
    assert result.exit_code == code
    json.dumps(result.to_dict(), allow_nan=False)


def test_too_little_never_passes(tools):
    result = decide(tools.rates(20, 20), at_least=0.5, minimum_n=21)
    assert result.decision is Decision.UNDECIDED
    assert "20 readable replies, at least 21" in result.lines[0].reason
    assert decide(tools.rates(0, 0, failed=30), at_least=0.5).decision is Decision.UNDECIDED
    assert decide(tools.rates(3, 3), at_least=0.9).decision is Decision.UNDECIDED


@pytest.mark.parametrize(
    ("unparsed", "decision"),
    [("leave-out", Decision.PASS), ("unfavourable", Decision.FAIL), ("bounds", Decision.UNDECIDED)],
)
def test_unreadable_replies(tools, unparsed, decision):
    result = decide(tools.rates(95, 100, failed=60), at_least=0.8, unparsed=unparsed)
    line = result.lines[0]
    assert line.decision is decision
    assert line.n_failed == 60
    assert line.against.estimate == pytest.approx(95 / 160)
    assert line.favourable.estimate == pytest.approx(155 / 160)
    if unparsed == "bounds":
        assert "60 unreadable" in line.reason
    if unparsed == "leave-out":
        assert "left out" in line.reason


def test_unreadable_replies_count_against_a_ceiling(tools):
    line = decide(tools.rates(2, 100, failed=30), at_most=0.1, unparsed="unfavourable").lines[0]
    assert line.against.estimate == pytest.approx(32 / 130)
    assert line.decision is Decision.FAIL


def test_one_line_fails_the_gate(tools):
    rows = [tools.reply(number, "yes") for number in range(90)]
    rows += [tools.reply(100 + number, "yes", expected="no") for number in range(15)]
    result = gate(tools.run(rows), parse_protocol(one() | {"lines": [
        {"id": "a", "metric": {"event": "correct"}, "at_least": 0.5, "minimum_n": 10},
        {"id": "b", "metric": {"event": "correct"}, "at_least": 0.85, "minimum_n": 10},
        {"id": "c", "metric": {"event": "label", "values": ["yes"], "where": {"expected": ["no"]}}, "at_most": 0.1,
         "minimum_n": 10},
    ]}))  # fmt: skip
    assert [line.decision for line in result.lines] == [Decision.PASS, Decision.UNDECIDED, Decision.FAIL]
    assert result.decision is Decision.FAIL
    assert result.exit_code == 1


def test_clusters(tools):
    rows = [tools.reply(number, "yes", item_family=f"f{number // 50}") for number in range(100)]
    run = tools.run(rows)
    assert decide(run, at_least=0.9).decision is Decision.PASS
    clustered = decide(run, at_least=0.9, cluster="item_family")
    assert clustered.decision is Decision.UNDECIDED
    few = decide(run, at_least=0.1, cluster="item_family", minimum_clusters=10)
    assert "2 clusters, at least 10" in few.lines[0].reason
    alone = tools.run([tools.reply(number, "yes", item_family="f") for number in range(100)])
    assert decide(alone, at_least=0.1, cluster="item_family").decision is Decision.UNDECIDED


def test_margin_against_a_baseline(tools):
    base = tools.rates(300, 400, run="z")
    line = {"margin": 0.05, "higher_is_better": True}
    assert decide(tools.rates(305, 400), base, **line).decision is Decision.PASS
    assert decide(tools.rates(200, 400), base, **line).decision is Decision.FAIL
    assert decide(tools.rates(20, 30), tools.rates(21, 30, run="z"), **line).decision is Decision.UNDECIDED
    lower = {"margin": 0.05, "higher_is_better": False}
    assert decide(tools.rates(200, 400), base, **lower).decision is Decision.PASS
    with pytest.raises(InputError, match="baseline run is needed for line"):
        decide(tools.rates(20, 30), **line)


def test_margin_with_unreadable_replies(tools):
    base = tools.rates(300, 460, run="z")
    run = tools.rates(300, 400, failed=60)
    line = {"margin": 0.05, "higher_is_better": True}
    out = decide(run, base, **line, unparsed="leave-out").lines[0]
    assert out.decision is Decision.PASS
    assert out.n_failed == 60
    bounds = decide(tools.rates(240, 400, failed=60), tools.rates(240, 400, failed=60, run="z"), **line)
    assert bounds.decision is Decision.UNDECIDED
    against = decide(
        tools.rates(240, 400, failed=60), tools.rates(240, 400, failed=60, run="z"), **line, unparsed="unfavourable"
    )
    assert against.decision is Decision.FAIL


def test_baseline_must_be_alike(tools):
    base = tools.run([tools.reply(1, "yes")], run_id="z", dataset_hash="other")
    with pytest.raises(InputError, match="baseline is not alike"):
        decide(tools.rates(3, 5), base, margin=0.1, higher_is_better=True)


def test_whether_it_was_written_beforehand_is_told(tools, tmp_path):
    path = tmp_path / "protocol.yaml"
    path.write_text(TEXT, encoding="utf-8")
    protocol = read_protocol(path)
    rows = [tools.reply(number, "yes") for number in range(60)]
    rows += [tools.reply(100 + number, "no", expected="no") for number in range(60)]
    late = gate(tools.run(rows), protocol)
    assert not late.named_by_run
    assert "written beforehand" in late.warnings[0]
    early = gate(tools.run(rows, protocol_hash=protocol.hash), protocol)
    assert early.named_by_run
    assert early.warnings == ()
    assert early.decision is Decision.PASS


def test_another_benchmark_or_dataset_is_refused(tools, tmp_path):
    protocol = parse_protocol(one(at_least=0.5) | {"benchmark": "c"})
    with pytest.raises(InputError, match="for benchmark 'c'"):
        gate(tools.rates(3, 5), protocol)
    protocol = parse_protocol(one(at_least=0.5) | {"dataset_hash": "e"})
    with pytest.raises(InputError, match="for dataset 'e'"):
        gate(tools.rates(3, 5), protocol)
    with pytest.raises(UsageError, match="no such file"):
        read_protocol(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (one(), "exactly one of at_least, at_most, margin; found 0"),
        (one(at_least=0.5, at_most=0.6), "found 2"),
        (one(margin=0.1), "margin needs it"),
        (one(at_least=0.5, higher_is_better=True), "belongs to margin"),
        (one(at_least=1.5), "lines.0.at_least"),
        (one(at_least=0.5, minimum_n=0), "minimum_n"),
        (one(at_least=0.5, tolerance=0.1), "lines.0.tolerance"),
        (one(at_least=0.5, metric={"event": "label"}), "which values"),
        (one(at_least=0.5, metric={"event": "correct", "where": {"colour": ["red"]}}), "no column colour"),
        (one(at_least=0.5) | {"cluster": "colour"}, "no column 'colour'"),
        (one(at_least=0.5) | {"unparsed": "drop"}, "unparsed"),
        (one(at_least=0.5) | {"version": 2}, "version"),
        ({"version": 1, "name": "p", "lines": []}, "lines"),
        ({"version": 1, "name": "p", "lines": one(at_least=0.5)["lines"] * 2}, "named twice: line"),
        ("text", "protocol"),
    ],
)
def test_a_protocol_that_says_something_else_is_refused(value, match):
    with pytest.raises(ConfigurationError, match=match):
        parse_protocol(value)


def test_all_problems_are_listed(tmp_path):
    path = tmp_path / "protocol.yaml"
    path.write_text("version: 1\nlines:\n  - {id: a}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_protocol(path)
    for place in ("name", "lines.0.metric", "lines.0.minimum_n"):
        assert place in str(caught.value)
    path.write_text("lines: [", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="not readable YAML"):
        read_protocol(path)


def test_equal_protocols_have_equal_hashes():
    first = parse_protocol(one(at_least=0.5))
    assert first.hash == parse_protocol(one(at_least=0.5) | {"level": 0.95}).hash
    assert first.hash != parse_protocol(one(at_least=0.51)).hash
