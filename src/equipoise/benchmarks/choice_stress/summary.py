"""A stress test on questions with options in a few lines, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.outcomes.run import Run
from equipoise.redteam.measures import robustness


def summary(run: Run) -> dict[str, Any]:
    """All measures of a run, as plain values."""
    return robustness(run).to_dict()


def lines(result: Mapping[str, Any]) -> list[str]:
    """The lines: untouched questions, then every operator, or the worst case of the adaptive loop."""
    told = [f"untouched questions, right: {_rate(result['clean'])}"]
    if result["repeats"] is not None:
        told.append(f"untouched repeats, right: {_rate(result['repeats'])}")
    if result["operators"]:
        told += ["", *_operators(result["operators"])]
    if result["order"] is not None:
        told += ["", _order(result["order"])]
    if result["adaptive"] is not None:
        told += ["", *_adaptive(result["adaptive"])]
    return told


_HEAD = (
    "operator",
    "mutants",
    "fooled",
    "of right",
    "95 %",
    "of all",
    "more wrong",
    "95 %",
    "p (Holm)",
    "excess flips",
    "not read",
)


def _operators(results: list[Mapping[str, Any]]) -> list[str]:
    rows = [_HEAD]
    for item in results:
        flips, conditional = item["flips"], item["conditional"]
        rows.append(
            (
                item["operator"].split("@")[0],
                f"{item['mutants']}/{item['items']}",
                f"{conditional['events']}/{conditional['out_of']}",
                _percent(conditional["estimate"]["estimate"]),
                _ends(conditional["estimate"]),
                _percent(item["end_to_end"]["estimate"]["estimate"]),
                _points(flips["more_wrong"]["estimate"]),
                _ends(flips["more_wrong"], points=True),
                "" if flips["more_wrong_adjusted_p"] is None else f"{flips['more_wrong_adjusted_p']:.3f}",
                _points(flips["excess"]["estimate"]),
                str(sum(item["failed"].values())),
            )
        )
    wide = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    told = [
        "  ".join(text.ljust(wide[0]) if place == 0 else text.rjust(wide[place]) for place, text in enumerate(row))
        for row in rows
    ]
    return [
        *told,
        "",
        "fooled: wrong under the attack where the untouched question was answered right; of right: of those, of all: of every question.",
        "more wrong: points by which replies are wrong more often under the attack than among untouched repeats of the same questions.",
        "excess flips: points by which right and wrong change places more often under the attack than among the repeats.",
    ]


def _order(result: Mapping[str, Any]) -> str:
    held = result["equivalence"]
    difference = held["difference"]
    return (
        f"order of options: shuffled minus untouched {_points(difference['estimate'])} points, 90 % interval "
        f"{_ends(difference, points=True)}; equivalence within {100 * held['margin']:g} points is {held['finding']}"
    )


def _adaptive(result: Mapping[str, Any]) -> list[str]:
    fooled, control = result["fooled"], result["control"]
    return [
        f"worst of up to {result['rounds']} rounds: a wrong reply to {_rate(fooled)} of the questions answered right",
        f"worst of as many untouched repeats: {_rate(control)}",
        f"excess: {_points(result['excess']['estimate'])} points, 95 % interval {_ends(result['excess'], points=True)}",
        "a worst case over several tries; not to be compared with what was asked once",
    ]


def _rate(value: Mapping[str, Any]) -> str:
    estimate = value["estimate"]
    bounds = ""
    if value["failed"]:
        bounds = f"; {value['failed']} not known, so {_percent(value['lowest'])} to {_percent(value['highest'])}"
    return f"{value['events']} of {value['out_of']}, {_percent(estimate['estimate'])} ({_ends(estimate)}{bounds})"


def _percent(value: float | None) -> str:
    return "not defined" if value is None else f"{100 * value:.1f} %"


def _points(value: float | None) -> str:
    return "not defined" if value is None else f"{100 * value:+.1f}"


def _ends(value: Mapping[str, Any], *, points: bool = False) -> str:
    if value["low"] is None:
        return "no interval"
    form = "+.1f" if points else ".1f"
    return f"{100 * value['low']:{form}} to {100 * value['high']:{form}}"
