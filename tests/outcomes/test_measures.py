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


def test_a_reply_its_own_guard_withheld_is_a_refusal_and_no_failure_unless_the_item_has_a_key(tmp_path):
    from refusal_mocks import complies, items, rows, ruled, save

    own = rows("a", complies, items(8))
    own = [{**row, "state": "blocked", "label": None} if place < 3 else row for place, row in enumerate(own)]
    said = [ruled(own[0]["reply_id"], "block"), ruled(own[1]["reply_id"], "block"), ruled(own[2]["reply_id"], "pass"),
            ruled(own[3]["reply_id"], "block")]  # fmt: skip
    run = save(tmp_path, "a", own, said)
    refused = Measure(id="refused", event="label", values=("partial", "full"))
    assert [item.value for item in count(run, refused)][:4] == [1, 1, None, 0]
    assert [item.value for item in count(run, Measure(id="failed", event="failed"))][:4] == [0, 0, 1, 0]
    keyed = save(tmp_path, "k", [{**row, "expected": "none"} for row in own], said)
    assert [item.value for item in count(keyed, refused)][:3] == [None, None, None]
    assert [item.value for item in count(keyed, Measure(id="failed", event="failed"))][:3] == [1, 1, 1]
