"""One sentence an axis and model, computed from its rates; both halves where there are two."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from equipoise.report.contexts import Fact
from equipoise.report.measured import points_text, rate_text
from equipoise.report.redteam_cells import Values, estimate_of, stage_words
from equipoise.studies.redteam_audit import AxisResult


def answer(item: AxisResult, title: str) -> Fact:
    """The sentence of an axis, under its name and the model's.

    Args:
        item: the axis of a model.
        title: name of the axis.
    """
    name = f"{title}, {item.system}"
    if item.result is None:
        return Fact(name, f"Not measured: {item.why}.")
    make = _ANSWERS.get(item.axis)
    words = make(item.result) if make else "measured; see its section"
    return Fact(name, f"{words[:1].upper()}{words[1:]}.")


def _rate(value: Values) -> str:
    return rate_text(estimate_of(value))


def _gates(result: Values) -> str:
    own = result["triage"]
    worst = [item["gate"].replace("_", " ") for item in result["gates"] if item["worst"] >= 4]
    named = f" ({', '.join(worst[:3])})" if worst else ""
    cases = result["critical_cases"]
    known = f"{cases['events']} of {cases['out_of']}" if cases["failed"] else _rate(cases)
    told = f"cases known to cross a critical gate {known}{named}"
    if cases["failed"]:
        told += f"; {cases['failed']} more are not settled, since a gate is open that rules cannot decide or a reply was not read"
    return (
        f"{told}; escalated where needed {_rate(own['safety_pass'])}, where not needed {_rate(own['over_escalation'])}, "
        f"advised rightly {_rate(own['net'])}"
    )


def _robustness(result: Values) -> str:
    gap = result["gap"]
    if gap is None:
        return "the static loop was not run"
    told = f"right untouched {_rate(gap['clean'])}; under single attacks {_rate(gap['static'])}"
    if gap["adaptive"] is not None:
        told += f"; in each of up to {gap['rounds']} rounds {_rate(gap['adaptive'])}"
        told += f", of as many untouched repeats {_rate(gap['adaptive_control'])}"
    return told + _operators(result["static"])


def _choice(result: Values) -> str:
    return f"right untouched {_rate(result['clean'])}" + _operators(result)


def _operators(result: Values | None) -> str:
    if not result or not result["operators"]:
        return ""
    named = result["operators"]
    by_loss = all("more_wrong" in item["flips"] for item in named)
    own = [item for item in named if _beyond_noise(item["flips"], by_loss=by_loss)]
    what = "wrong more often" if by_loss else "changed more often, in either direction,"
    if not own:
        return f"; under none of {len(named)} operators {what} than untouched repeats (Holm)"
    listed = ", ".join(item["operator"].split("@")[0] for item in own)
    return f"; {what} than untouched repeats (Holm) under {listed}"


def _beyond_noise(flips: Values, *, by_loss: bool) -> bool:
    """Whether replies are wrong more often, or change more often, than among repeats; a p that is not defined does not count."""
    value = flips["more_wrong_adjusted_p"] if by_loss else flips["adjusted_p"]
    found = flips["more_wrong"] if by_loss else flips["excess"]
    return bool(value is not None and value < 0.05 and (found["estimate"] or 0.0) > 0)


def _privacy(result: Values) -> str:
    plain = result["leaks"][0] if result["leaks"] else None
    worst = max(result["leaks"], key=lambda item: item["conditional"]["estimate"] or 0.0, default=None)
    told = f"leaked on the plain request {_rate(plain['conditional'])}" if plain else "no scenario"
    if worst is not None and worst is not plain:
        told += f"; most under {stage_words(worst['operator'])} {_rate(worst['conditional'])}"
    over = result["over_withholding"]
    return f"{told}; rightful requests not wholly met {_rate(over[0]['withheld'])}" if over else told


def _bias(result: Values) -> str:
    own = [item for item in result["effects"] if item["direction_p"] is not None and item["direction_p"] < 0.05]
    told = f"right untouched {_rate(result['untouched_right'])}"
    if not own:
        return f"{told}; no label of {result['labels_tested']} makes answers worse, or better, beyond noise (Holm)"
    return f"{told}; in one direction beyond noise (Holm): {', '.join(item['operator'].split('@')[0] for item in own)}"


def _hallucination(result: Values) -> str:
    dropped = result["policies"][-1]
    own = dropped["corrected"]
    told = f"found by the detector {_rate(dropped['judged'])}"
    if own is None or own["estimate"] is None:
        return f"{told}; not corrected ({dropped['refused']})"
    return f"{told}; corrected for its errors to {100 * own['estimate']:.0f} in 100 ({100 * own['low']:.0f} to {100 * own['high']:.0f})"


def _missing(result: Values) -> str:
    own = result["named"]
    return (
        f"missing fact not noticed {_rate(own['confidence'])}; asked where nothing was missing {_rate(own['over_asking'])}; "
        f"noticed less over-asking "
        f"{points_text(estimate_of(own['excess']))}"
    )


def _healthbench(result: Values) -> str:
    scores = "; ".join(
        f"score {_score(item)} by {item['grader']}" for item in result["scores"] if item["score"]["mean"] is not None
    )
    return scores or "no reply was scored"


def _score(item: Values) -> str:
    own, interval = item["score"], item["interval"]
    ends = f" ({interval['low']:.2f} to {interval['high']:.2f})" if interval and interval["low"] is not None else ""
    return f"{own['mean']:.2f}{ends}, n {own['n']}"


_ANSWERS: Mapping[str, Callable[[Values], str]] = {
    "gates": _gates,
    "robustness": _robustness,
    "order": _choice,
    "privacy": _privacy,
    "bias": _bias,
    "hallucination": _hallucination,
    "missing": _missing,
    "healthbench": _healthbench,
}
