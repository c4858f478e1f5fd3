from __future__ import annotations

import pytest

from equipoise.errors import InputError
from equipoise.outcomes import differences, merge, problems, unlike


def two(tools, **info):
    first = [tools.reply(1, "yes", system="s"), tools.reply(2, "no", system="s")]
    second = [tools.reply(1, "yes", system="t")]
    return (
        tools.run(first, [tools.judged(first[0], "met")]),
        tools.run(second, [tools.judged(second[0], "met")], **{"run_id": "z", "systems": ("t",)} | info),
    )


def test_merged_rows_keep_their_origin(tools):
    runs = two(tools)
    merged, allowed = merge(runs, run_id="both", created_at="2026-11-30")
    assert allowed == ()
    assert merged.info.systems == ("s", "t")
    assert merged.info.arguments["merged"] == ["a", "z"]
    assert merged.outcomes.column("reply_id").to_pylist() == ["a/r1s", "a/r2s", "z/r1t"]
    assert set(merged.outcomes.column("run").to_pylist()) == {"both"}
    assert merged.judgements.column("reply_id").to_pylist() == ["a/r1s", "z/r1t"]
    assert problems("outcomes", merged.outcomes) == problems("judgements", merged.judgements) == ()


@pytest.mark.parametrize(
    ("change", "text"),
    [({"dataset_hash": "other"}, "the dataset differs"), ({"prompts_hash": ""}, "the set of prompts differs (a: p, z: none stated)"),
     ({"benchmark": "c"}, "the benchmark differs")],
)  # fmt: skip
def test_unlike_runs_are_refused_unless_told(tools, change, text):
    runs = two(tools, **change)
    with pytest.raises(InputError) as caught:
        merge(runs, run_id="both", created_at="2026-11-30")
    assert text in str(caught.value)
    merged, allowed = merge(runs, run_id="both", created_at="2026-11-30", allow_unlike=True)
    assert any(text in item for item in allowed)
    assert "mixed" in (merged.info.dataset_hash, merged.info.prompts_hash, merged.info.benchmark)


@pytest.mark.parametrize(("column", "name"), [("judge", "judge"), ("rubric_hash", "rubric"), ("scale_hash", "scale")])
def test_other_judges_or_rubrics_are_refused(tools, column, name):
    first, second = [tools.reply(1, "yes", system="s")], [tools.reply(1, "yes", system="t")]
    runs = (
        tools.run(first, [tools.judged(first[0], "met")]),
        tools.run(second, [tools.judged(second[0], "met", **{column: "other"})], run_id="z"),
    )
    with pytest.raises(InputError, match=f"the {name} of criterion 'c' differs"):
        merge(runs, run_id="both", created_at="2026-11-30")


def test_policy_and_evidence_may_differ(tools):
    runs = two(tools, policy_hash="label", evidence_hash="e2")
    assert unlike(runs) == ()
    assert len(differences(runs)) == 2
    merged, _ = merge(runs, run_id="both", created_at="2026-11-30")
    assert merged.info.policy_hash == "mixed"


def test_one_system_in_two_runs_is_an_error(tools):
    runs = (tools.run([tools.reply(1, "yes")]), tools.run([tools.reply(1, "no")], run_id="z"))
    with pytest.raises(InputError, match="answers item 'i1' in a and in z"):
        merge(runs, run_id="both", created_at="2026-11-30")


def test_needs_two_different_runs(tools):
    run = tools.run([tools.reply(1, "yes")])
    for runs in ([run], [run, run]):
        with pytest.raises(InputError, match="two or more runs"):
            merge(runs, run_id="both", created_at="2026-11-30")
