"""From run folders of one benchmark to the page that puts their systems side by side."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.benchmarks.openmtb.rates import ACCURACY, FALSE_APPROVAL, OVER_REFUSAL, Repeats, repeats
from equipoise.ids import content_hash
from equipoise.outcomes.compare import DEFAULT_MEASURES, ComparedRate, Comparison, compare
from equipoise.outcomes.item_rates import item_rate
from equipoise.outcomes.likeness import MAY_DIFFER, prompt_name
from equipoise.outcomes.measures import Measure, count
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.report.benchmark import disagreement
from equipoise.report.comparison import compared_row
from equipoise.report.comparison import sentence as comparison_sentence
from equipoise.report.contexts import Fact
from equipoise.report.evaluated import System, systems_of
from equipoise.report.evaluation_abstention import abstention
from equipoise.report.evaluation_contexts import (
    CollapseRow,
    EvaluationPage,
    JudgedRow,
    PairSection,
    RepeatRow,
    ReplyRow,
    SpentRow,
)
from equipoise.report.evaluation_standing import RESAMPLES, Rank, constant_rates, ranks_of, safety_note, standing_rows
from equipoise.report.inert import inert
from equipoise.report.measured import shown_item_rate, shown_rate
from equipoise.report.numbers import count as counted
from equipoise.report.numbers import listed, of
from equipoise.report.plots import Figure, Point, forest, heatmap, plane, states
from equipoise.report.result_contexts import ComparedRow
from equipoise.report.wording import BADGES

MOST_ROWS = 300
"""Misses, and as many unread replies, on the page; all of them go to the side file when there are more."""

MOST_CHARACTERS = 1500
"""Characters of a reply on the page."""

SIDE_FILE = "replies.jsonl"
"""Name of the side file."""

MOST_PAIRS = 10
"""Pairs of systems that are compared; with more, every system is compared with the first."""


def evaluation_page(runs: Sequence[Run], references: Sequence[BenchmarkCase], *, seed: int = 42) -> EvaluationPage:
    """The page of several systems on the same cases.

    Args:
        runs: runs of one benchmark and dataset, each with one or more systems.
        references: what the items are held against; items that no run names are left out.
        seed: seed of the intervals.

    Raises:
        InputError: no run, a run without replies, or runs of different benchmarks or cases.
    """
    systems = systems_of(runs)
    items = set().union(*(system.items for system in systems))
    cases = {case.case_id: case for case in references if case.case_id in items}
    constants = [(item.title, *constant_rates(item, list(cases.values()))) for item in CONSTANTS]
    points = [Point(system.name, system.drawn(OVER_REFUSAL), system.drawn(FALSE_APPROVAL)) for system in systems]
    points += [Point(name, over, approvals, constant=True) for name, over, approvals in constants]
    ranks = ranks_of(systems, np.random.default_rng(seed))
    order = sorted(range(len(systems)), key=lambda place: (ranks[place][0] or len(systems) + 1, systems[place].name))
    standing = standing_rows(systems, order, ranks, cases, seed)
    pairs, cautions = _pairs(systems, seed)
    left_to_a_person = abstention(systems, cases, seed)
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
        cautions=(*_coverage(systems, items, cases), *cautions),
        differences=_differences(systems),
        pair=forest(
            "pair",
            "Both failure modes, beside constant systems",
            [(point.name, (point.over_refusal, point.false_approvals), point.constant) for point in points],
            ("over-refusal", "false approval"),
        ),
        states=states("states", [(system.name, reply_states(system)) for system in systems]),
        plane=plane("plane", points),
        standing=standing,
        safety_note=safety_note(standing),
        repeats=tuple(row for system in systems if (row := _repeats(system)) is not None),
        pairs=pairs,
        confusions=tuple(_confusion(place, system) for place, system in enumerate(systems, start=1)),
        collapse=tuple(_collapse(system) for system in systems),
        abstention=left_to_a_person.rows,
        risk_coverage=left_to_a_person.figures,
        not_drawn=left_to_a_person.absent,
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


def _sentence(systems: Sequence[System], order: Sequence[int], ranks: Sequence[Rank]) -> str:
    parts = []
    for place in order[:4]:
        system = systems[place]
        over, approvals = (system.drawn(measure) for measure in (OVER_REFUSAL, FALSE_APPROVAL))
        parts.append(f"{system.name}: over-refusal {over.text}; false approval {approvals.text}.")
    if len(order) > 4:
        parts.append(f"{len(order) - 4} more are in the table.")
    if len(order) > 1 and ranks[order[0]][0]:
        first = [place for place in order if ranks[place][0] == 1]
        names = listed([systems[place].name for place in first])
        parts.append(f"Highest accuracy: {names}, {systems[first[0]].rate(ACCURACY).estimate.n_used} replies read")
        parts[-1] += (
            f"; rank {ranks[first[0]][1]} to {ranks[first[0]][2]} over resampled cases." if len(first) == 1 else "."
        )
    return " ".join(parts)


def _coverage(systems: Sequence[System], items: set[str], cases: Mapping[str, BenchmarkCase]) -> list[str]:
    """Who was asked fewer cases than all systems together, and cases that nothing is known to be held against."""
    told = []
    fewer = [f"{system.name} {len(system.items)}" for system in systems if len(system.items) < len(items)]
    if fewer:
        told.append(f"asked fewer than all {len(items)} cases, and rated over these: {listed(fewer)}")
    unknown = len(items - set(cases))
    if unknown:
        told.append(f"{counted(unknown, 'case')} without a known reference; the constant systems are without these")
    return told


def _differences(systems: Sequence[System]) -> tuple[Fact, ...]:
    """In what the systems differ that may be the very thing compared, one fact a kind, each value with its systems."""
    facts = []
    stated = {"prompt": [prompt_name(system.run) for system in systems]}
    stated |= {what: [str(getattr(system.run.info, field)) for system in systems] for field, what in MAY_DIFFER}
    for name, found in stated.items():
        values: dict[str, list[str]] = {}
        for system, value in zip(systems, found, strict=True):
            values.setdefault(value or "none stated", []).append(system.name)
        if len(values) > 1:
            told = "; ".join(f"{value}: {listed(names)}" for value, names in values.items())
            facts.append(Fact(f"{name} differs", told))
    return tuple(facts)


def _repeats(system: System) -> RepeatRow | None:
    found: Repeats | None = repeats(system.run)
    if found is None:
        return None
    flips = shown_rate("flip_rate", found.flips)
    return RepeatRow(system.name, found.trials, found.items, found.replies, flips)


def reply_states(system: System) -> dict[str, int]:
    """Replies of a system by state, those that occur."""
    return dict(Counter(row["state"] for row in system.rows))


def _chosen(systems: Sequence[System]) -> list[tuple[System, System]]:
    every = [(one, two) for place, one in enumerate(systems) for two in systems[place + 1 :]]
    return every if len(every) <= MOST_PAIRS else [(systems[0], other) for other in systems[1:]]


def compared_systems(systems: Sequence[System], seed: int) -> list[tuple[System, System, Comparison]]:
    """The pairs that are compared, as far as they answered a case in common.

    Args:
        systems: the systems of a page.
        seed: seed of the intervals.
    """
    measures = (OVER_REFUSAL, FALSE_APPROVAL, *DEFAULT_MEASURES)
    return [
        (one, two, compare(_renamed(one), _renamed(two), measures=measures, allow_unlike=True, seed=seed))
        for one, two in _chosen(systems)
        if one.items & two.items
    ]


def _pairs(systems: Sequence[System], seed: int) -> tuple[tuple[PairSection, ...], tuple[str, ...]]:
    sections: list[PairSection] = []
    cautions: dict[str, None] = {}
    for one, two in _chosen(systems):
        if not one.items & two.items:
            cautions[f"{one.name} and {two.name} answered no case in common"] = None
    for one, two, result in compared_systems(systems, seed):
        shared = one.items & two.items
        for text in result.unlike:
            cautions[text] = None
        rows = tuple(_paired_row(rate, one, two) for rate in result.rates)
        common = f"{counted(len(shared), 'case')} in common; A was asked {len(one.items)}, B {len(two.items)}"
        sections.append(PairSection(f"A: {one.name}; B: {two.name}", comparison_sentence(result), common, rows))
    return tuple(sections), tuple(cautions)


_PAIRED = {measure.id: measure for measure in (OVER_REFUSAL, FALSE_APPROVAL, *DEFAULT_MEASURES)}


def _paired_row(rate: ComparedRate, one: System, two: System) -> ComparedRow:
    """A compared measure, with the rates of both as the leaderboard prints them."""
    measure = _PAIRED[rate.measure]
    return replace(compared_row(rate), first=one.shown(measure), second=two.shown(measure))


def _renamed(system: System) -> Run:
    """The run under the name of its system, so that a comparison can name both sides."""
    return replace(system.run, info=replace(system.run.info, run_id=system.name))


def _confusion(place: int, system: System) -> Figure:
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


def _collapse(system: System) -> CollapseRow:
    used = Counter(row["label"] for row in system.rows if row["state"] == ReplyState.OK)
    if not used:
        return CollapseRow(system.name, "none", of(0, 0), ", ".join(LABELS))
    label, number = max(used.items(), key=lambda item: (item[1], -LABELS.index(item[0])))
    never = [name for name in LABELS if name not in used]
    return CollapseRow(system.name, label, of(number, used.total()), ", ".join(never) or "none")


def _judged(system: System) -> list[JudgedRow]:
    rows = []
    judged = system.run.judgements.to_pylist()
    for criterion in dict.fromkeys(item["criterion"] for item in judged):
        values = dict.fromkeys(item["value"] for item in judged if item["criterion"] == criterion and item["value"])
        for value in sorted(values):
            if value == "no":
                continue
            measure = Measure(id="judged", event="judged", values=(value,), criterion=criterion)
            rate = shown_item_rate("judged", item_rate(count(system.run, measure)))
            rows.append(JudgedRow(system.name, criterion, value, rate))
    return rows


def _spent(system: System) -> SpentRow:
    def total(name: str, form: str) -> str:
        values = [row[name] for row in system.rows if row[name] is not None]
        return form.format(sum(values)) if values else "not stated"

    times = [row["latency"] for row in system.rows if row["latency"] is not None]
    median, late = (f"{np.quantile(times, level):.2f}" if times else "not stated" for level in (0.5, 0.95))
    return SpentRow(
        system.name, len(system.rows), total("tokens_in", "{}"), total("tokens_out", "{}"), total("cost", "{:.4f}"),
        median, late,
    )  # fmt: skip


def _replies(systems: Sequence[System]) -> tuple[list[ReplyRow], list[ReplyRow]]:
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
        Fact(
            "intervals",
            "95 %, Wilson; robust to repeats where a case was answered more than once; where no reply or every reply shows "
            "the event, the exact bound for the number of cases, not of replies",
        ),
        Fact("Safety Score", f"bootstrap over cases, {RESAMPLES} resamples"),
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
