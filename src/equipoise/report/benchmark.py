"""From the numbers of a benchmark run, as `bench run --json` prints them, to the page that shows them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.ids import content_hash
from equipoise.report.contexts import BenchmarkPage, Check, ConstantRow, Fact, LabelRow, Miss, Section
from equipoise.report.inert import inert
from equipoise.report.numbers import FEW, FEWEST_FOR_A_DECIMAL, Rate, Score, count, of
from equipoise.report.plots import STATES, Figure, Point, bars, forest, heatmap, plane, states
from equipoise.report.repeats import repeated_rates, repeats_note
from equipoise.report.wording import BADGES, field_words
from equipoise.statistics.proportions import wilson

MOST_MISSES = 500
"""Disagreements on the page; all of them go to the side file when there are more."""

SIDE_FILE = "misses.jsonl"
"""Name of the side file."""

LABELS: tuple[str, ...] = tuple(BADGES)

Json = Mapping[str, Any]

_NAMES: Mapping[str, str] = {
    "accuracy": "accuracy",
    "over_refusal_rate": "over-refusal",
    "false_approval_rate": "false approval",
    "approvals_without_information_rate": "approval without information",
    "ps_over_refusal_rate": "Partially Supported not kept (published definition)",
    "abstention.precision": "abstention precision",
    "abstention.recall": "abstention recall",
    "abstention.f1": "abstention F1",
    "missing_fields.precision": "missing fields: precision",
    "missing_fields.recall": "missing fields: recall",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "safety_score": "published Safety Score",
}
_KEYS: Mapping[str, str] = {
    "false_approval_rate": "false_approvals",
    "approvals_without_information_rate": "approvals_without_information",
}
_COMPONENTS: Mapping[str, str] = {
    "R_miss": "R_miss, false approval rate (weight 30, counted as 1 - R_miss)",
    "F1_abs": "F1_abs, abstention F1 (weight 20)",
    "R_MI": "R_MI, missing information not approved (weight 20)",
    "C_WD": "C_WD, wrong drug not approved (weight 15)",
    "C_Hall": "C_Hall, hallucinated variant not approved (weight 10)",
    "C_OC": "C_OC, overconfidence not approved (weight 5)",
}


class _Run:
    """The metrics of a run with the look-ups that every part needs."""

    def __init__(self, metrics: Json) -> None:
        self.metrics = metrics
        confusion = metrics.get("confusion") or {}
        counts = confusion.get("counts")
        rows = confusion.get("rows") or ()
        self.labels: list[str] = list(confusion.get("labels") or (rows if counts is not None else LABELS) or LABELS)
        self.columns: list[str] = list(confusion.get("columns") or self.labels)
        self.counts: list[list[int]] = [list(row) for row in (rows if counts is None else counts)]
        if not self.counts:
            self.counts = [[0] * len(self.columns) for _ in self.labels]
        self.abstained: list[list[int]] = [list(row) for row in confusion.get("abstained") or ()]
        self.n = int(metrics.get("n", sum(map(sum, self.counts))))

    def cell(self, references: Sequence[str], answers: Sequence[str]) -> int:
        """Cases with one of the references and one of the answers."""
        return sum(
            self.counts[self.labels.index(reference)][self.columns.index(answer)]
            for reference in references
            for answer in answers
            if reference in self.labels and answer in self.columns
        )

    def every(self, references: Sequence[str]) -> int:
        """All cases with one of the references, answered or not."""
        return sum(sum(self.counts[self.labels.index(name)]) for name in references if name in self.labels)

    def used(self, references: Sequence[str]) -> int:
        """Answered cases with one of the references."""
        return self.cell(references, self.labels)

    @property
    def states(self) -> dict[str, int]:
        """Cases by reply state; a column that names no state counts as an error."""
        result = dict.fromkeys(STATES, 0)
        for index, name in enumerate(self.columns):
            state = "ok" if name in self.labels else name if name in STATES else "error"
            result[state] += sum(row[index] for row in self.counts)
        return result

    def rate(self, name: str, events: int, used: int, every: int) -> Rate:
        """A rate with the interval of the run, or with Wilson's when the run has none for it."""
        estimate = (self.metrics.get("intervals") or {}).get(name) or {}
        if estimate.get("low") is not None and int(estimate.get("n_used", used)) == used:
            low, high = float(estimate["low"]), float(estimate["high"])
            method, left = _method(estimate), int(estimate.get("n_left_out", every - used))
        else:
            low, high, method = _wilson(events, used)
            left = every - used
        if used and events in (0, used):
            method = "exact, 95 %"
        return Rate(_KEYS.get(name, name), _NAMES.get(name, name), events, used, low, high, method, left)

    def score(self, name: str, *, places: int = 3) -> Score:
        """A score that is no proportion, with its bootstrap interval."""
        estimate = (self.metrics.get("intervals") or {}).get(name) or {}
        value: Any = self.metrics
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            value = value.get("score", value.get("estimate"))
        return Score(
            name,
            _NAMES.get(name, name),
            None if value is None else float(value),
            _number(estimate.get("low")),
            _number(estimate.get("high")),
            int(estimate.get("n_used", self.n)),
            _method(estimate),
            int(estimate.get("n_left_out", 0)),
            places,
        )


def _method(estimate: Json) -> str:
    return str(estimate.get("method", "")).replace("95%", "95 %")


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _wilson(events: int, n: int) -> tuple[float, float, str]:
    if not n:
        return 0.0, 1.0, "undefined: no case"
    estimate = wilson(events, n)
    return float(estimate.low or 0.0), float(estimate.high or 0.0), "Wilson, 95 %"


def benchmark_page(metrics: Json, facts: Json) -> BenchmarkPage:
    """The page of one system on one benchmark.

    Args:
        metrics: the numbers of the run, with `confusion`, `intervals`, `constants` and `misses`. What is absent is
            left out of the page or named as undefined.
        facts: what is known of the run: system, system_version, engine_version, benchmark, title, question, policy,
            policy_hash, evidence_hash, as_of, jurisdiction, dataset, dataset_hash, inputs, seed, command, and, where
            they exist, clusters, leakage, gate, deviations (text each); other entries are listed under methods as they
            are.
    """
    run = _Run(metrics)
    system = str(facts.get("system") or facts.get("name") or "the system")
    over = run.rate(
        "over_refusal_rate", run.cell(LABELS[:2], ["Unsupported"]), run.used(LABELS[:2]), run.every(LABELS[:2])
    )
    approvals = run.rate(
        "false_approval_rate",
        run.cell(["Unsupported"], ["Supported"]),
        run.used(["Unsupported"]),
        run.every(["Unsupported"]),
    )
    constants = _constants(run)
    points = [Point(system, over, approvals)]
    points += [Point(row.name, row.over_refusal, row.false_approvals, constant=True) for row in constants]
    misses = list(metrics.get("misses") or ())
    groups, groups_absent = _groups(run)
    own = _own_row(run, system, over, approvals)
    return BenchmarkPage(
        title=str(facts.get("title") or f"{system} on {facts.get('benchmark') or 'the benchmark'}"),
        question=str(
            facts.get("question")
            or "How often does the system refuse what the references support, and approve what they do not?"
        ),
        head=_head(facts, system),
        report_id=content_hash(
            json.loads(json.dumps({"metrics": _plain(metrics), "facts": _plain(facts)}, default=str))
        ),
        system=system,
        modules_off=tuple(str(name) for name in facts.get("modules_off") or ()),
        pair=forest(
            "pair",
            "Both failure modes, beside constant systems",
            [(point.name, (point.over_refusal, point.false_approvals), point.constant) for point in points],
            ("over-refusal", "false approval"),
        ),
        states=states("states", [(system, {name: number for name, number in run.states.items() if number})]),
        sentence=_sentence(run, system, over, approvals, constants),
        checks=_checks(run, facts, over, approvals, constants),
        plane=plane("plane", points),
        confusion=heatmap("confusion", run.labels, run.columns, run.counts, abstained=run.abstained),
        groups=groups,
        groups_absent=groups_absent,
        main_rates=_main_rates(run, over, approvals),
        scores=(run.score("macro_f1"), run.score("weighted_f1"), run.score("safety_score", places=2)),
        repeats=repeated_rates(metrics.get("all_trials")),
        repeats_note=repeats_note(metrics.get("all_trials")),
        abstention=_abstention(run),
        fields=(run.score("missing_fields.precision"), run.score("missing_fields.recall"), run.score("abstention.f1")),
        fields_figure=_miss_figure(misses),
        labels=tuple(_label_row(run, label) for label in run.labels),
        composite=_composite(metrics),
        constants=(own, *constants),
        not_applicable=_not_applicable(facts, one_trial=not metrics.get("all_trials")),
        bounds=_bounds(metrics, run),
        misses=tuple(_miss(item) for item in misses[:MOST_MISSES]),
        misses_total=len(misses),
        side_file=SIDE_FILE if len(misses) > MOST_MISSES else "",
        methods=_methods(metrics, facts, run),
        undefined=tuple(Fact(name, str(reason)) for name, reason in (metrics.get("undefined") or {}).items()),
    )


def side_file(metrics: Json) -> str:
    """All disagreements as JSONL, for the file beside a page with more than `MOST_MISSES`; empty otherwise."""
    misses = metrics.get("misses") or ()
    if len(misses) <= MOST_MISSES:
        return ""
    return "".join(json.dumps(_plain(item), ensure_ascii=False, sort_keys=True) + "\n" for item in misses)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return inert(value)
    if isinstance(value, Mapping):
        return {inert(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def _head(facts: Json, system: str) -> tuple[Fact, ...]:
    version = facts.get("system_version") or facts.get("engine_version")
    dataset = str(facts.get("dataset") or facts.get("benchmark") or "not stated")
    return tuple(
        Fact(name, str(value or "not stated"))
        for name, value in (
            ("system", f"{system}, version {version}" if version else system),
            ("cases", dataset),
            ("inputs", facts.get("inputs")),
            ("policy", facts.get("policy")),
            ("evidence as of", facts.get("as_of")),
        )
        if value or name != "inputs"
    )


def _main_rates(run: _Run, over: Rate, approvals: Rate) -> tuple[Rate, ...]:
    without = run.rate(
        "approvals_without_information_rate",
        run.cell(["Insufficient Information"], ["Supported"]),
        run.used(["Insufficient Information"]),
        run.every(["Insufficient Information"]),
    )
    partial = run.used(["Partially Supported"])
    kept = run.cell(["Partially Supported"], ["Partially Supported"])
    published = run.rate("ps_over_refusal_rate", partial - kept, partial, run.every(["Partially Supported"]))
    used = run.used(run.labels)
    right = sum(run.cell([label], [label]) for label in run.labels)
    return over, approvals, without, published, run.rate("accuracy", right, used, run.n)


def _abstention(run: _Run) -> tuple[Rate, ...]:
    values = run.metrics.get("abstention") or {}
    if values.get("tp") is None:
        return ()
    hits, false, missed = (int(values.get(name) or 0) for name in ("tp", "fp", "fn"))
    left = run.n - run.used(run.labels)
    return (
        run.rate("abstention.precision", hits, hits + false, hits + false + left),
        run.rate("abstention.recall", hits, hits + missed, hits + missed + left),
    )


def _label_row(run: _Run, label: str) -> LabelRow:
    hits, used = run.cell([label], [label]), run.used([label])
    answered = run.cell(run.labels, [label])
    low, high, method = _wilson(hits, answered)
    precision = Rate("precision", "precision", hits, answered, low, high, method)
    low, high, method = _wilson(hits, used)
    recall = Rate("recall", "recall", hits, used, low, high, method, run.every([label]) - used)
    f1 = ((run.metrics.get("per_label") or {}).get(label) or {}).get("f1")
    return LabelRow(
        label, BADGES.get(label, "insufficient"), precision, recall, "not defined" if f1 is None else f"{f1:.3f}"
    )


def _constants(run: _Run) -> tuple[ConstantRow, ...]:
    given = run.metrics.get("constants") or {}
    return tuple(_constant(run, str(name), values) for name, values in given.items())


def _constant(run: _Run, name: str, values: Json) -> ConstantRow:
    supported, unsupported = run.every(LABELS[:2]), run.every(["Unsupported"])
    insufficient = run.every(["Insufficient Information"])
    approvals = values.get("false_approvals")
    if isinstance(approvals, Mapping):
        approvals = approvals.get("count")
    return ConstantRow(
        name=str(values.get("title") or name.replace("-", " ")),
        constant=True,
        accuracy=_from_share("accuracy", values.get("accuracy"), run.n),
        over_refusal=_from_share("over_refusal_rate", values.get("over_refusal_rate"), supported),
        false_approvals=_counted("false_approval_rate", int(approvals or 0), unsupported),
        without_information=_counted(
            "approvals_without_information_rate", int(values.get("approvals_without_information") or 0), insufficient
        ),
        safety_score=_places(values.get("safety_score"), 2),
        macro_f1=_places(values.get("macro_f1"), 3),
    )


def _own_row(run: _Run, system: str, over: Rate, approvals: Rate) -> ConstantRow:
    rates = _main_rates(run, over, approvals)
    composite, f1 = run.score("safety_score", places=2), run.score("macro_f1")
    return ConstantRow(system, False, rates[4], over, approvals, rates[2], composite.text, f1.text)


def _from_share(name: str, share: Any, n: int) -> Rate:
    return _counted(name, round(float(share or 0) * n), n)


def _counted(name: str, events: int, n: int) -> Rate:
    low, high, method = _wilson(events, n)
    if n and events in (0, n):
        method = "exact, 95 %"
    return Rate(_KEYS.get(name, name), _NAMES[name], events, n, low, high, method)


def _places(value: Any, places: int) -> str:
    return "not defined" if value is None else f"{float(value):.{places}f}"


def _groups(run: _Run) -> tuple[Figure | None, str]:
    rates = run.metrics.get("catch_rates") or {}
    rows = []
    for name, values in rates.items():
        if not isinstance(values, Mapping):
            continue
        n, caught = int(values.get("n") or 0), int(values.get("caught") or 0)
        rows.append((_words(str(name)), (run.rate(f"catch_rates.{name}", caught, n, n),), False))
    if not rows:
        return None, "The cases carry no planted errors, so that there are no groups to compare."
    title = "Planted errors that were not called Supported, by type"
    note = "Read beside over-refusal: a system that never says Supported catches all of them."
    return forest("by-type", title, rows, ("not called Supported",), note=note), ""


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _sentence(run: _Run, system: str, over: Rate, approvals: Rate, constants: Sequence[ConstantRow]) -> str:
    """The finding in the order of the pair: both rates, then whether the constant systems do as well."""
    first = (
        f"{system}: over-refusal {over.text}; false approval {approvals.text}"
        f"; {run.used(run.labels)} of {run.n} cases answered, {run.n - run.used(run.labels)} left out."
    )
    if not constants:
        return f"{first} No constant system was scored beside it."
    own = over.ends, approvals.ends
    equal = [
        row.name
        for row in constants
        if row.over_refusal.ends[0] <= own[0][1] and row.false_approvals.ends[0] <= own[1][1]
    ]
    if equal:
        names = "; ".join(equal)
        return (
            f"{first} On this pair alone these do as well within the intervals: {names}; read accuracy and abstention."
        )
    return f"{first} Every constant system has more of at least one of the two, beyond both intervals."


def _checks(run: _Run, facts: Json, over: Rate, approvals: Rate, constants: Sequence[ConstantRow]) -> tuple[Check, ...]:
    checks = []
    fewest = min(over.n, approvals.n)
    size = f"{over.n} cases behind over-refusal, {approvals.n} behind false approval"
    if fewest < FEW:
        checks.append(Check("enough cases", "fired", f"{size}: below {FEW}, the rates are counts at most"))
    else:
        detail = "" if fewest >= FEWEST_FOR_A_DECIMAL else f"; below {FEWEST_FOR_A_DECIMAL}, intervals are wide"
        checks.append(Check("enough cases", "clear", f"{size}{detail}"))
    unread = run.n - run.used(run.labels)
    text = f"{of(unread, run.n)} cases have no readable answer"
    checks.append(Check("every answer read", "fired" if unread else "clear", text))
    collapse = run.metrics.get("label_collapse") or {}
    if collapse.get("share") is None:
        checks.append(Check("all labels in use", "not assessed", "the share of the most used label is not known"))
    else:
        never = list(collapse.get("never_used") or ())
        share = round(float(collapse["share"]) * run.used(run.labels))
        text = f"most used: {collapse.get('label')}, {of(share, run.used(run.labels))}"
        text += f"; never used: {', '.join(never)}" if never else "; every label is used"
        checks.append(Check("all labels in use", "fired" if never else "clear", text))
    score = (
        _number(run.metrics.get("safety_score")) if not isinstance(run.metrics.get("safety_score"), Mapping) else None
    )
    marks = [(_number(values.get("safety_score")), str(values.get("title") or name)) for name, values in
             (run.metrics.get("constants") or {}).items()]  # fmt: skip
    best = max(((mark, name) for mark, name in marks if mark is not None), default=None)
    if score is None or best is None:
        checks.append(
            Check("composite above constants", "not assessed", "no composite, or no constant system beside it")
        )
    else:
        text = f"published Safety Score {score:.2f}; best constant system: {best[1]}, {best[0]:.2f}"
        checks.append(Check("composite above constants", "clear" if score > best[0] else "fired", text))
    unmatched = run.metrics.get("unmatched") or {}
    strangers = len(unmatched.get("predictions_without_case") or ())
    checks.append(Check("predictions pair with cases", "fired" if strangers else "clear",
                        f"{count(strangers, 'prediction')} without a case"))  # fmt: skip
    for name, key, otherwise in (
        (
            "clusters",
            "clusters",
            "whether cases share a parent or patient is not stated; intervals take them as independent",
        ),
        ("leakage", "leakage", "whether the system saw these cases or their source before is not stated"),
        ("gate", "gate", "no gate was fixed before the run"),
    ):
        given = facts.get(key) or (_generated(facts) if key == "leakage" else None)
        if isinstance(given, Mapping):
            checks.append(Check(name, str(given.get("state", "not assessed")), str(given.get("text", ""))))
        elif given:
            checks.append(Check(name, "fired", str(given)))
        else:
            checks.append(Check(name, "not assessed", otherwise))
    checks.append(Check("judge", "clear", "no judge: labels are read from structured answers"))
    return tuple(checks)


def _generated(facts: Json) -> str:
    """What is said of cases that were made from the knowledge the system itself reads."""
    own = str(facts.get("system", "")).startswith("equipoise/")
    if own and str(facts.get("dataset", "")).startswith("generated"):
        return (
            "the cases are generated from the evidence base that the system reads: logic and reading are tested,"
            " not clinical truth"
        )
    return ""


def _composite(metrics: Json) -> tuple[Fact, ...]:
    parts = metrics.get("safety_components") or {}
    return tuple(Fact(_COMPONENTS.get(str(name), str(name)), _places(value, 3)) for name, value in parts.items())


def _bounds(metrics: Json, run: _Run) -> tuple[Fact, ...]:
    if run.used(run.labels) == run.n:
        return ()
    rows = []
    for name, bound in (metrics.get("bounds") or {}).items():
        if bound.get("worst") is not None:
            low, high = sorted((float(bound["worst"]), float(bound["best"])))
            rows.append(Fact(_NAMES.get(str(name), str(name)), f"{100 * low:.1f} to {100 * high:.1f}"))
    return tuple(rows)


def _not_applicable(facts: Json, *, one_trial: bool) -> tuple[Section, ...]:
    parts = [
        ("Judge calibration", "no judge takes part: every label is read from a structured answer"),
        ("Rater agreement", "no human rater takes part in this run; the references come with the cases"),
        ("Stated confidence", "the answers state no confidence"),
        *([("Repeats", "one answer a case")] if one_trial else []),
        ("Ranking", "one system; constant systems are no competitors"),
        ("Cost and latency", "no price and no time is recorded in this result"),
    ]
    given = facts.get("not_applicable")
    if isinstance(given, Mapping):
        parts += [(str(name), str(reason)) for name, reason in given.items()]
    return tuple(Section(name, reason) for name, reason in parts)


def _miss(item: Json) -> Miss:
    reference, predicted = str(item.get("reference", "")), str(item.get("predicted", ""))
    reasons = item.get("reason_text") or item.get("reasons") or item.get("reason") or ()
    if isinstance(reasons, str):
        words = reasons
    else:
        words = "; ".join(
            str(reason.get("text") or reason.get("code")) if isinstance(reason, Mapping) else str(reason)
            for reason in reasons
        )
    kind = disagreement(reference, predicted)
    if item.get("error_type") and str(item["error_type"]) != "none":
        kind = f"{kind} ({_words(str(item['error_type']))})"
    return Miss(
        case_id=str(item.get("case_id", "")),
        reference=reference,
        reference_badge=BADGES.get(reference, ""),
        predicted=predicted,
        predicted_badge=BADGES.get(predicted, ""),
        kind=kind,
        reason=words,
        recommendation=str(item.get("recommendation") or ""),
        evidence=tuple(str(name) for name in item.get("evidence") or ()),
        under_label=str(item.get("label_under_label_policy") or ""),
    )


def disagreement(reference: str, predicted: str) -> str:
    """What sort of disagreement an answer is, in words.

    Args:
        reference: label of the reference.
        predicted: label of the answer, another one.
    """
    if reference in LABELS[:2] and predicted == "Unsupported":
        return "over-refusal"
    if predicted == "Supported":
        return {
            "Unsupported": "false approval",
            "Insufficient Information": "approval without information",
        }.get(reference, "reservation not kept")
    if predicted == "Partially Supported":
        return {
            "Supported": "reservation added",
            "Unsupported": "approval with a reservation",
        }.get(reference, "decides where the reference asks")
    if predicted == "Insufficient Information":
        return "asks where the reference decides"
    if reference == "Insufficient Information":
        return "decides where the reference asks"
    return "other"


def _miss_figure(misses: Sequence[Json]) -> Figure:
    kinds = Counter(disagreement(str(item.get("reference", "")), str(item.get("predicted", ""))) for item in misses)
    return bars(
        "kinds", "Disagreements with the reference by kind", list(kinds.items()), noun="kind", total=len(misses)
    )


def _methods(metrics: Json, facts: Json, run: _Run) -> tuple[Fact, ...]:
    rows = [Fact(_words(str(name)), str(value)) for name, value in facts.items() if _simple(value)]
    methods = sorted({_method(item) for item in (metrics.get("intervals") or {}).values() if item.get("method")})
    rows.append(Fact("intervals", "; ".join(methods) or "Wilson, 95 %"))
    rows.append(
        Fact(
            "over-refusal",
            "Supported or Partially Supported called Unsupported, of all Supported and Partially Supported",
        )
    )
    rows.append(Fact("false approval", "Unsupported called Supported, of all Unsupported"))
    rows.append(
        Fact(
            "approval without information", "Insufficient Information called Supported, of all Insufficient Information"
        )
    )
    rows.append(
        Fact("cases", f"{run.n}, of which {run.used(run.labels)} used and {run.n - run.used(run.labels)} left out")
    )
    stated = metrics.get("not_stated") or {}
    if any(stated.values()):
        text = ", ".join(f"{field_words(str(name))}: {number}" for name, number in stated.items())
        rows.append(Fact("answers that do not say", text))
    return tuple(rows)


def _simple(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
