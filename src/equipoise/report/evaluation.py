"""From run folders of one benchmark to the page that puts their systems side by side."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.outcomes.compare import DEFAULT_MEASURES, compare, rate_of
from equipoise.outcomes.measures import Count, Measure, count
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.report.benchmark import disagreement
from equipoise.report.comparison import compared_row
from equipoise.report.comparison import sentence as comparison_sentence
from equipoise.report.contexts import Fact
from equipoise.report.evaluation_contexts import (
    AbstentionRow,
    CollapseRow,
    EvaluationPage,
    JudgedRow,
    PairSection,
    ReplyRow,
    SpentRow,
    StandingRow,
)
from equipoise.report.inert import inert
from equipoise.report.measured import shown_rate
from equipoise.report.numbers import Rate, Score, listed, of
from equipoise.report.plots import Figure, Point, forest, heatmap, plane, states
from equipoise.report.wording import BADGES
from equipoise.statistics import NoConfidenceError, risk_coverage, wilson
from equipoise.statistics.estimate import Estimate

MOST_ROWS = 300
"""Misses, and as many unread replies, on the page; all of them go to the side file when there are more."""

MOST_CHARACTERS = 1500
"""Characters of a reply on the page."""

SIDE_FILE = "replies.jsonl"
"""Name of the side file."""

MOST_PAIRS = 10
"""Pairs of systems that are compared; with more, every system is compared with the first."""

RESAMPLES = 2000
"""Resamples of the ranks."""

OVER_REFUSAL = Measure(
    id="over_refusal_rate",
    event="label",
    values=("Unsupported",),
    where={"expected": ("Supported", "Partially Supported")},
)
FALSE_APPROVAL = Measure(
    id="false_approval_rate", event="label", values=("Supported",), where={"expected": ("Unsupported",)}
)
WITHOUT_INFORMATION = Measure(
    id="approvals_without_information_rate", event="label", values=("Supported",),
    where={"expected": ("Insufficient Information",)},
)  # fmt: skip
ACCURACY = Measure(id="accuracy", event="correct")
ABSTENTION = Measure(id="abstention_rate", event="abstained")

_KEYS = {FALSE_APPROVAL.id: "false_approvals", WITHOUT_INFORMATION.id: "approvals_without_information"}
_NAMES = {OVER_REFUSAL.id: "over-refusal", FALSE_APPROVAL.id: "false approval"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _System:
    """One system of a run: a run of its own, with its rows at hand."""

    name: str
    run: Run
    rows: list[dict[str, Any]]

    def counts(self, measure: Measure) -> tuple[Count, ...]:
        return count(self.run, measure)

    def estimate(self, measure: Measure) -> Estimate:
        return rate_of(self.counts(measure), None)


def evaluation_page(runs: Sequence[Run], references: Sequence[BenchmarkCase], *, seed: int = 42) -> EvaluationPage:
    """The page of several systems on the same cases.

    Args:
        runs: runs of one benchmark and dataset, each with one or more systems.
        references: what the items are held against; items that no run names are left out.
        seed: seed of the intervals.

    Raises:
        InputError: no run, a run without replies, or runs of different benchmarks or cases.
    """
    _require_alike(runs)
    systems = _systems(runs)
    items = {row["item"] for system in systems for row in system.rows}
    cases = {case.case_id: case for case in references if case.case_id in items}
    expected = [case.reference.label for case in cases.values()]
    constants = [_constant_rates(item.title, item.label.value, expected) for item in CONSTANTS]
    points = [Point(system.name, _rate(OVER_REFUSAL, system), _rate(FALSE_APPROVAL, system)) for system in systems] + [
        Point(name, over, approvals, constant=True) for name, over, approvals in constants
    ]
    ranks = _ranks(systems, np.random.default_rng(seed))
    order = sorted(range(len(systems)), key=lambda place: (ranks[place][0] or len(systems) + 1, systems[place].name))
    pairs, cautions = _pairs(systems, seed)
    misses, unread = _replies(systems)
    identity = [[run.info.run_id, run.info.dataset_hash] for run in runs]
    return EvaluationPage(
        title=f"{len(systems)} {'systems' if len(systems) > 1 else 'system'} on {runs[0].info.benchmark}",
        sentence=_sentence(systems, order, ranks),
        head=(
            Fact("benchmark", runs[0].info.benchmark),
            Fact("cases", f"{len(items)}, content hash {runs[0].info.dataset_hash or 'not stated'}"),
            Fact("systems", "; ".join(system.name for system in systems)),
        ),
        report_id=content_hash([identity, seed, [system.name for system in systems]]),
        cautions=cautions,
        pair=forest(
            "pair",
            "Both failure modes, beside constant systems",
            [(point.name, (point.over_refusal, point.false_approvals), point.constant) for point in points],
            ("over-refusal", "false approval"),
        ),
        states=states("states", [(system.name, _states(system)) for system in systems]),
        plane=plane("plane", points),
        standing=(
            *(_standing(systems[place], ranks[place]) for place in order),
            *(_constant_row(item.title, item.label.value, expected) for item in CONSTANTS),
        ),
        pairs=pairs,
        confusions=tuple(_confusion(place, system) for place, system in enumerate(systems, start=1)),
        collapse=tuple(_collapse(system) for system in systems),
        abstention=tuple(_abstention(system, cases, seed) for system in systems),
        judged=tuple(row for system in systems for row in _judged(system)),
        spent=tuple(_spent(system) for system in systems),
        misses=tuple(misses[:MOST_ROWS]),
        misses_total=len(misses),
        unread=tuple(unread[:MOST_ROWS]),
        unread_total=len(unread),
        side_file=SIDE_FILE if _needs_side_file(misses, unread) else "",
        methods=_methods(runs, seed),
    )


def side_file(runs: Sequence[Run], page: EvaluationPage) -> str:
    """All misses and unread replies whole, as JSONL; empty when the page holds them all.

    Args:
        runs: the runs of the page.
        page: the page.
    """
    if not page.side_file:
        return ""
    lines = []
    for run in runs:
        for row in run.outcomes.to_pylist():
            if row["state"] != ReplyState.OK or row["label"] != row["expected"]:
                kept = {name: row[name] for name in ("system", "item", "trial", "expected", "state", "label", "reply")}
                lines.append(
                    json.dumps(
                        {name: inert(value) if isinstance(value, str) else value for name, value in kept.items()},
                        ensure_ascii=False,
                    )
                )
    return "".join(f"{line}\n" for line in lines)


def _require_alike(runs: Sequence[Run]) -> None:
    if not runs:
        message = "expected at least one run"
        raise InputError(message)
    for run in runs:
        if run.outcomes.num_rows == 0:
            message = f"run {run.info.run_id} holds no reply"
            raise InputError(message)
    for name in ("benchmark", "dataset_hash"):
        values = sorted({str(getattr(run.info, name)) for run in runs})
        if len(values) > 1:
            message = (
                f"the runs differ in {name} ({', '.join(values)}); systems are put side by side on the same cases only"
            )
            raise InputError(message, field=name)


def _systems(runs: Sequence[Run]) -> list[_System]:
    names = Counter(name for run in runs for name in set(run.outcomes.column("system").to_pylist()))
    found = []
    for run in runs:
        for name in dict.fromkeys(run.outcomes.column("system").to_pylist()):
            part = run.outcomes.filter(pc.equal(run.outcomes.column("system"), name))
            shown = name if names[name] == 1 else f"{name} [{run.info.run_id}]"
            judged = run.judgements.filter(
                pc.is_in(run.judgements.column("reply_id"), value_set=part.column("reply_id").combine_chunks())
            )
            own = Run(info=run.info, outcomes=part, judgements=judged)
            found.append(_System(name=shown, run=own, rows=part.to_pylist()))
    return found


def _rate(measure: Measure, system: _System) -> Rate:
    """An estimate as the plots take it."""
    estimate = system.estimate(measure)
    n = estimate.n_used
    events = round((estimate.estimate or 0.0) * n)
    low, high = (0.0 if estimate.low is None else estimate.low), (1.0 if estimate.high is None else estimate.high)
    key = _KEYS.get(measure.id, measure.id)
    method = "exact, 95 %" if n and events in (0, n) else estimate.method.replace("95%", "95 %")
    return Rate(key, _NAMES[measure.id], events, n, low, high, method, estimate.n_left_out)


def _constant_rates(title: str, label: str, expected: Sequence[str]) -> tuple[str, Rate, Rate]:
    return title, *(_always(measure, label, expected) for measure in (OVER_REFUSAL, FALSE_APPROVAL))  # type: ignore[return-value]


def _always(measure: Measure, label: str, expected: Sequence[str]) -> Rate:
    n = sum(item in measure.where["expected"] for item in expected)
    events = n if label in measure.values else 0
    estimate = wilson(events, n) if n else None
    return Rate(
        _KEYS.get(measure.id, measure.id),
        _NAMES.get(measure.id, measure.id),
        events,
        n,
        float(estimate.low or 0.0) if estimate else 0.0,
        float(estimate.high or 0.0) if estimate else 1.0,
        "exact, 95 %",
    )


def _constant_row(title: str, label: str, expected: Sequence[str]) -> StandingRow:
    right = sum(item == label for item in expected)
    shown = []
    for measure in (OVER_REFUSAL, FALSE_APPROVAL, WITHOUT_INFORMATION):
        rate = _always(measure, label, expected)
        shown.append(shown_rate(rate.key, wilson(rate.events, rate.n)))
    accuracy = shown_rate(ACCURACY.id, wilson(right, len(expected)))
    return StandingRow(title, True, shown[0], shown[1], shown[2], accuracy, "")


def _standing(system: _System, rank: tuple[int, int, int]) -> StandingRow:
    shown = [
        shown_rate(_KEYS.get(measure.id, measure.id), system.estimate(measure))
        for measure in (OVER_REFUSAL, FALSE_APPROVAL, WITHOUT_INFORMATION, ACCURACY)
    ]
    text = f"{rank[0]} ({rank[1]} to {rank[2]})" if rank[0] else "not defined"
    return StandingRow(system.name, False, shown[0], shown[1], shown[2], shown[3], text)


def _ranks(systems: Sequence[_System], rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Rank by accuracy, 1 the highest, ties sharing the better rank, with a 95 % interval from resampled items; 0 when not
    defined. The pair of error rates ranks nobody: a system that always asks errs in neither.
    """
    items = sorted({row["item"] for system in systems for row in system.rows})
    place = {item: index for index, item in enumerate(items)}
    sums = np.zeros((2, len(systems), len(items)))
    for number, system in enumerate(systems):
        for one in system.counts(ACCURACY):
            if one.value is not None:
                sums[:, number, place[one.row["item"]]] += (one.value, 1)

    def ranks(weights: Any) -> Any:
        right, every = sums @ weights
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = right / every
        return 1 + (shares[None, :] > shares[:, None] + 1e-12).sum(axis=1)

    own, defined = ranks(np.ones(len(items))), sums[1].sum(axis=1) > 0
    draws = np.array(
        [
            ranks(np.bincount(rng.integers(0, len(items), len(items)), minlength=len(items)).astype(float))
            for _ in range(RESAMPLES)
        ]
    )
    low, high = (np.quantile(draws, level, axis=0, method="nearest") for level in (0.025, 0.975))
    return [
        (int(own[number]), int(min(low[number], own[number])), int(max(high[number], own[number])))
        if defined[number]
        else (0, 0, 0)
        for number in range(len(systems))
    ]


def _sentence(systems: Sequence[_System], order: Sequence[int], ranks: Sequence[tuple[int, int, int]]) -> str:
    parts = []
    for place in order[:4]:
        system = systems[place]
        over, approvals = (_rate(measure, system) for measure in (OVER_REFUSAL, FALSE_APPROVAL))
        parts.append(f"{system.name}: over-refusal {over.text}; false approval {approvals.text}.")
    if len(order) > 4:
        parts.append(f"{len(order) - 4} more are in the table.")
    if len(order) > 1 and ranks[order[0]][0]:
        first = [place for place in order if ranks[place][0] == 1]
        names = listed([systems[place].name for place in first])
        parts.append(f"Highest accuracy: {names}, {systems[first[0]].estimate(ACCURACY).n_used} replies read")
        parts[-1] += (
            f"; rank {ranks[first[0]][1]} to {ranks[first[0]][2]} over resampled cases." if len(first) == 1 else "."
        )
    return " ".join(parts)


def _states(system: _System) -> dict[str, int]:
    return dict(Counter(row["state"] for row in system.rows))


def _pairs(systems: Sequence[_System], seed: int) -> tuple[tuple[PairSection, ...], tuple[str, ...]]:
    every = [(one, two) for place, one in enumerate(systems) for two in systems[place + 1 :]]
    chosen = every if len(every) <= MOST_PAIRS else [(systems[0], other) for other in systems[1:]]
    sections: list[PairSection] = []
    cautions: dict[str, None] = {}
    for one, two in chosen:
        runs = [_renamed(item) for item in (one, two)]
        shared = {row["item"] for row in one.rows} & {row["item"] for row in two.rows}
        if not shared:
            cautions[f"{one.name} and {two.name} answered no case in common"] = None
            continue
        result = compare(
            *runs, measures=(OVER_REFUSAL, FALSE_APPROVAL, *DEFAULT_MEASURES), allow_unlike=True, seed=seed
        )
        for text in (*result.unlike, *result.differs):
            cautions[text] = None
        rows = tuple(compared_row(rate) for rate in result.rates)
        sections.append(PairSection(f"A: {one.name}; B: {two.name}", comparison_sentence(result), rows))
    return tuple(sections), tuple(cautions)


def _renamed(system: _System) -> Run:
    """The run under the name of its system, so that a comparison can name both sides."""
    return replace(system.run, info=replace(system.run.info, run_id=system.name))


def _confusion(place: int, system: _System) -> Figure:
    columns = [*LABELS, *(state for state in ReplyState if state is not ReplyState.OK)]
    cells: Counter[tuple[str, str]] = Counter()
    abstained: Counter[tuple[str, str]] = Counter()
    for row in system.rows:
        cell = (row["expected"], row["label"] if row["state"] == ReplyState.OK else row["state"])
        cells[cell] += 1
        abstained[cell] += bool(row["abstained"])
    used = [name for name in columns if name in LABELS or any(cells[label, name] for label in LABELS)]
    figure = heatmap(
        f"confusion-{place}",
        list(LABELS),
        [str(name) for name in used],
        [[cells[label, name] for name in used] for label in LABELS],
        abstained=[[abstained[label, name] for name in used] for label in LABELS],
    )
    return replace(figure, title=f"{figure.title}: {system.name}")


def _collapse(system: _System) -> CollapseRow:
    used = Counter(row["label"] for row in system.rows if row["state"] == ReplyState.OK)
    if not used:
        return CollapseRow(system.name, "none", of(0, 0), ", ".join(LABELS))
    label, number = max(used.items(), key=lambda item: (item[1], -LABELS.index(item[0])))
    never = [name for name in LABELS if name not in used]
    return CollapseRow(system.name, label, of(number, used.total()), ", ".join(never) or "none")


def _abstention(system: _System, cases: Mapping[str, BenchmarkCase], seed: int) -> AbstentionRow:
    stated = [
        (bool(row["abstained"]), cases[row["item"]].reference.abstain)
        for row in system.rows
        if row["abstained"] is not None and row["item"] in cases
    ]
    left = len(system.rows) - len(stated)
    hits = sum(own and asked for own, asked in stated)
    return AbstentionRow(
        system.name,
        shown_rate(ABSTENTION.id, system.estimate(ABSTENTION)),
        shown_rate("abstention.precision", wilson(hits, sum(own for own, _ in stated), n_left_out=left)),
        shown_rate("abstention.recall", wilson(hits, sum(asked for _, asked in stated), n_left_out=left)),
        _selective(system, seed),
    )


def _selective(system: _System, seed: int) -> Score | str:
    read = [row for row in system.rows if row["state"] == ReplyState.OK and row["expected"] is not None]
    stated = [row for row in read if row["confidence"] is not None]
    if len(stated) < len(read) or not read:
        return f"not defined: {len(read) - len(stated)} of {len(read)} readable replies state no certainty"
    try:
        curve = risk_coverage(
            [row["confidence"] for row in read],
            [float(row["label"] == row["expected"]) for row in read],
            rng=np.random.default_rng(seed),
            clusters=[row["item"] for row in read],
        )
    except NoConfidenceError:
        return "not defined: every reply states the same certainty, which orders nothing"
    area = curve.augrc
    return Score(
        "augrc", "area under the generalised risk-coverage curve", area.estimate, area.low, area.high, area.n_used,
        area.method, len(system.rows) - len(read),
    )  # fmt: skip


def _judged(system: _System) -> list[JudgedRow]:
    rows = []
    judged = system.run.judgements.to_pylist()
    for criterion in dict.fromkeys(item["criterion"] for item in judged):
        values = dict.fromkeys(item["value"] for item in judged if item["criterion"] == criterion and item["value"])
        for value in sorted(values):
            if value == "no":
                continue
            measure = Measure(id="judged", event="judged", values=(value,), criterion=criterion)
            rate = shown_rate("judged", rate_of(count(system.run, measure), None))
            rows.append(JudgedRow(system.name, criterion, value, rate))
    return rows


def _spent(system: _System) -> SpentRow:
    def total(name: str, form: str) -> str:
        values = [row[name] for row in system.rows if row[name] is not None]
        return form.format(sum(values)) if values else "not stated"

    times = [row["latency"] for row in system.rows if row["latency"] is not None]
    median, late = (f"{np.quantile(times, level):.2f}" if times else "not stated" for level in (0.5, 0.95))
    return SpentRow(
        system.name, len(system.rows), total("tokens_in", "{}"), total("tokens_out", "{}"), total("cost", "{:.4f}"),
        median, late,
    )  # fmt: skip


def _replies(systems: Sequence[_System]) -> tuple[list[ReplyRow], list[ReplyRow]]:
    misses: list[ReplyRow] = []
    unread: list[ReplyRow] = []
    for system in systems:
        for row in system.rows:
            ok = row["state"] == ReplyState.OK
            if ok and row["label"] == row["expected"]:
                continue
            reply, reference = row["reply"] or "", row["expected"] or ""
            more = len(reply) - MOST_CHARACTERS
            (misses if ok else unread).append(
                ReplyRow(
                    case_id=row["item"],
                    system=system.name,
                    reference=reference,
                    reference_badge=BADGES.get(reference, ""),
                    answer=row["label"] if ok else row["state"],
                    answer_badge=BADGES.get(row["label"], "") if ok else "",
                    kind=disagreement(reference, row["label"]) if ok else "",
                    reply=reply[:MOST_CHARACTERS],
                    cut=f"{more} more characters" if more > 0 else "",
                )
            )
    return misses, unread


def _needs_side_file(misses: Sequence[ReplyRow], unread: Sequence[ReplyRow]) -> bool:
    return max(len(misses), len(unread)) > MOST_ROWS or any(row.cut for row in (*misses, *unread))


def _methods(runs: Sequence[Run], seed: int) -> tuple[Fact, ...]:
    facts = [
        Fact("over-refusal", "Supported or Partially Supported called Unsupported, of all of these that were read"),
        Fact("false approval", "Unsupported called Supported, of all Unsupported that were read"),
        Fact(
            "rank",
            f"by accuracy among the systems, ties share the better rank; interval over {RESAMPLES} resamples of the cases",
        ),
        Fact("intervals", "95 %, Wilson; robust to repeats where a case was answered more than once"),
        Fact("p values", "paired tests, adjusted within each pair of systems by Holm"),
        Fact("seed", str(seed)),
    ]
    for run in runs:
        info = run.info
        hashes = {
            "dataset": info.dataset_hash, "prompts": info.prompts_hash, "protocol": info.protocol_hash,
            "evidence": info.evidence_hash, "policy": info.policy_hash,
        }  # fmt: skip
        facts.append(
            Fact(
                f"run {info.run_id}",
                f"{info.created_at}; {', '.join(info.systems)}; "
                + "; ".join(f"{name} {value or 'none'}" for name, value in hashes.items())
                + "; "
                + ", ".join(f"{name} {version}" for name, version in info.versions.items()),
            )
        )
        for log in info.arguments.get("logs", ()) if isinstance(info.arguments, Mapping) else ():
            facts.append(Fact(f"settings of {log.get('model')}", json.dumps(log.get("settings"), sort_keys=True)))
    return tuple(facts)
