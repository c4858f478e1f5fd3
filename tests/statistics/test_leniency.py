from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import same_provider_leniency

NAMES = "abc"


def votes_of(rows):
    return {
        "subjects": [f"s{NAMES[row[1]]}" for row in rows],
        "judges": [f"j{NAMES[row[2]]}" for row in rows],
        "votes": [bool(row[3]) for row in rows],
        "own_judge": {f"s{name}": f"j{name}" for name in NAMES},
        "prompts": [f"p{row[0]}" for row in rows],
    }


def fit(data, **more):
    arguments = data | {"resamples": 300} | more
    return same_provider_leniency(**arguments, rng=np.random.default_rng(1))


def test_against_statsmodels(reference):
    made = reference["logistic"]
    result = fit(votes_of(made["rows"]))
    assert result.log_odds.estimate == pytest.approx(made["same_provider"], abs=1e-6)
    assert result.log_odds.low < result.log_odds.estimate < result.log_odds.high
    assert result.n_votes == len(made["rows"])


def test_smallest_p_is_printed(reference):
    test = fit(votes_of(reference["logistic"]["rows"])).permutation
    assert test.smallest_p == pytest.approx(1 / 6)
    assert test.p_value >= test.smallest_p
    assert "smallest p this design can give" in test.warnings[0]


def test_two_of_each_can_only_give_p_one():
    rng = np.random.default_rng(2)
    rows = [
        (prompt, subject, judge, rng.random() < (0.8 if subject == judge else 0.5))
        for prompt in range(60)
        for subject in range(2)
        for judge in range(2)
    ]
    data = votes_of(rows) | {"own_judge": {"sa": "ja", "sb": "jb"}}
    result = fit(data)
    assert result.permutation.p_value == result.permutation.smallest_p == 1.0
    assert result.by_map[0] == pytest.approx(-result.by_map[1])


def test_raw_gaps_by_hand():
    # every judge favourable half of the time on others, own judge always: gap 0.5 for each subject
    rows = [
        (prompt, subject, judge, prompt < (3 if subject == judge else 2))
        for prompt in range(4)
        for subject in range(3)
        for judge in range(3)
    ]
    result = fit(votes_of(rows))
    assert result.own_minus_peers == pytest.approx({"sa": 0.25, "sb": 0.25, "sc": 0.25})
    # on the other two subjects the judge is level with one peer and 0.25 below the own judge: mean gap -0.125
    assert result.difference_in_differences == pytest.approx({"sa": 0.375, "sb": 0.375, "sc": 0.375})
    assert result.judge_rates == pytest.approx({"ja": 7 / 12, "jb": 7 / 12, "jc": 7 / 12})


def test_failed_votes_are_left_out_and_counted(reference):
    data = votes_of(reference["logistic"]["rows"])
    data["votes"][0] = data["votes"][7] = None
    result = fit(data)
    assert result.n_left_out == result.permutation.n_left_out == 2
    assert result.log_odds.why_left_out == "the judge gave no vote"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"own_judge": {"sa": "ja", "sb": "jb"}}, "without one: sc"),
        ({"own_judge": {"sa": "ja", "sb": "ja", "sc": "jc"}}, "one judge of its own"),
        ({"prompts": ["one"]}, "for every vote"),
        ({"votes": "always"}, "do not determine"),
        ({"prompts": "single"}, "single cluster"),
    ],
)
def test_refusals(reference, change, match):
    data = votes_of(reference["logistic"]["rows"])
    if change.get("votes") == "always":
        change = {"votes": [True] * len(data["votes"])}
    if change.get("prompts") == "single":
        change = {"prompts": ["one"] * len(data["votes"])}
    with pytest.raises(ValueError, match=match):
        fit(data | change)
