from __future__ import annotations

import pytest

from equipoise.errors import InputError
from equipoise.outcomes import Measure
from equipoise.outcomes.measures import by_key, count


def values(run, **measure):
    return [item.value for item in count(run, Measure(id="m", **measure))]


def test_events(tools):
    run = tools.run(
        [
            tools.reply(1, "yes", abstained=False),
            tools.reply(2, "no", abstained=True),
            tools.reply(3, None, state="blocked"),
            tools.reply(4, "maybe", expected=None),
        ]
    )
    assert values(run, event="correct") == [1, 0, None]
    assert values(run, event="label", values=("no", "maybe")) == [0, 1, None, 1]
    assert values(run, event="abstained") == [0, 1, None, None]
    assert values(run, event="failed") == [0, 0, 1, 0]


def test_where_restricts(tools):
    run = tools.run([tools.reply(1, "yes", stratum="x"), tools.reply(2, "no", stratum="y"), tools.reply(3, "no")])
    assert values(run, event="correct", where={"stratum": ("y",)}) == [0]
    assert values(run, event="correct", where={"stratum": ("x", "y"), "expected": ("no",)}) == []


def test_of_several_attempts_the_last_counts(tools):
    run = tools.run([tools.reply(1, None, state="error", attempt=1), tools.reply(1, "yes", attempt=2)])
    assert values(run, event="correct") == [1]


def test_the_same_answered_twice_is_an_error(tools):
    run = tools.run([tools.reply(1, "yes", tokens_in=1), tools.reply(1, "yes") | {"reply_id": "other"}])
    with pytest.raises(InputError, match="twice"):
        count(run, Measure(id="m", event="correct"))


def test_several_arms_must_be_told_apart_to_be_paired(tools):
    run = tools.run([tools.reply(1, "yes", arm="x"), tools.reply(1, "no", arm="y")])
    counts = count(run, Measure(id="m", event="correct"))
    assert [item.value for item in counts] == [1, 0]
    with pytest.raises(InputError, match="several arms"):
        by_key(counts, run)
    assert values(run, event="correct", where={"arm": ("y",)}) == [0]


def test_judged(tools):
    rows = [tools.reply(number, "yes") for number in range(4)]
    run = tools.run(
        rows,
        [
            tools.judged(rows[0], "met"),
            tools.judged(rows[0], "not met", judge="k"),
            tools.judged(rows[1], "not met"),
            tools.judged(rows[2], None, state="unparsed"),
            tools.judged(rows[3], None, in_scope=False),
            tools.judged(rows[3], "met", criterion="other"),
        ],
    )
    assert values(run, event="judged", criterion="c", values=("met",)) == [1, 0, 0, None]
    assert values(run, event="judged", criterion="c", values=("met",), judge="k") == [0]


def test_the_system_must_be_clear(tools):
    run = tools.run([tools.reply(1, "yes", system="s"), tools.reply(1, "no", system="t")])
    measure = Measure(id="m", event="correct")
    with pytest.raises(InputError, match="2 systems; name one of s, t"):
        count(run, measure)
    with pytest.raises(InputError, match="no system 'u'"):
        count(run, measure, system="u")
    assert [item.value for item in count(run, measure, system="t")] == [0]


@pytest.mark.parametrize(
    ("measure", "match"),
    [
        ({"event": "correct", "where": {"colour": ("red",)}}, "no column colour"),
        ({"event": "label"}, "which values"),
        ({"event": "judged", "values": ("met",)}, "which criterion"),
    ],
)
def test_refusals(measure, match):
    with pytest.raises(InputError, match=match):
        Measure(id="m", **measure)
