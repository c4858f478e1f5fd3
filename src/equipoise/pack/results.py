"""The results of runs as fields: the rates of `equipoise report` and the scores of `equipoise bench`, not made anew."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.benchmarks.openmtb.rates import ACCURACY, FALSE_APPROVAL, MEASURES, OVER_REFUSAL
from equipoise.benchmarks.openmtb.results import benchmark_result
from equipoise.benchmarks.openmtb.run import BENCHMARK as OPENMTB
from equipoise.benchmarks.openmtb.scoring import predictions_of, read_references
from equipoise.outcomes.compare import DEFAULT_MEASURES, Comparison, compare, rate_of
from equipoise.outcomes.measures import KEY, Measure, count
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.pack.sources import Source
from equipoise.pack.tree import Tree, cut
from equipoise.report.benchmark import disagreement
from equipoise.report.comparison import NAMES
from equipoise.report.evaluation import MOST_PAIRS, evaluation_page
from equipoise.report.evaluation_contexts import EvaluationPage
from equipoise.report.measured import rate_text
from equipoise.statistics.estimate import Estimate

MOST_MISSES = 500
"""Replies that differ, named in pack.json; the number of all stands beside."""

EXCERPT = 160
"""Characters of a reply that are quoted."""

QUOTED: frozenset[str] = frozenset({OPENMTB})
"""Benchmarks whose replies may be quoted; of all others a hash stands, because their prompts can be harmful."""

RATES: tuple[Measure, ...] = MEASURES
"""Rates of an OpenMTB run, those of the evaluation page."""

_TOLD = (OVER_REFUSAL.id, FALSE_APPROVAL.id, ACCURACY.id)

SCORES: tuple[str, ...] = (
    "macro_f1", "weighted_f1", "abstention.f1", "missing_fields.precision", "missing_fields.recall", "safety_score",
)  # fmt: skip
"""Scores of an OpenMTB run that are no rates of replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One system of a run.

    Attributes:
        source: the run it is of.
        system: its name.
        shown: its name, with that of the run where two runs have it.
        run: the run with the rows of this system alone.
    """

    source: Source
    system: str
    shown: str
    run: Run


def parts(sources: Sequence[Source]) -> list[Part]:
    """Every system of every run, in their order.

    Args:
        sources: the runs.
    """
    found = [(item, name) for item in sources for name in dict.fromkeys(item.run.outcomes.column("system").to_pylist())]
    names = [name for _, name in found]
    return [
        Part(
            source=item,
            system=name,
            shown=name if names.count(name) == 1 else f"{name} [{item.run.info.run_id}]",
            run=_only(item.run, name),
        )
        for item, name in found
    ]


def _only(run: Run, system: str) -> Run:
    outcomes = run.outcomes.filter(pc.equal(run.outcomes.column("system"), system))
    replies = outcomes.column("reply_id").combine_chunks()
    judged = run.judgements.filter(pc.is_in(run.judgements.column("reply_id"), value_set=replies))
    return Run(info=run.info, outcomes=outcomes, judgements=judged)


def add_results(tree: Tree, sources: Sequence[Source], *, seed: int) -> EvaluationPage | None:
    """Adds measures, constants, comparisons and misses to the fields.

    Args:
        tree: the fields.
        sources: the runs.
        seed: seed of the intervals.

    Returns:
        The evaluation page of the OpenMTB runs, whose figures the pack shows; None without such a run.

    Raises:
        InputError: nothing says what the items of an OpenMTB run are held against.
    """
    every = parts(sources)
    openmtb = [item for item in sources if item.run.info.benchmark == OPENMTB]
    references: dict[str, BenchmarkCase] = {}
    for item in openmtb:
        references |= {case.case_id: case for case in read_references(item.folder, item.run)}
    files = [item.outcomes_file for item in sources]
    metrics: list[dict[str, Any]] = []
    strata: list[dict[str, Any]] = []
    constants: dict[str, Any] = {}
    for part in every:
        measures = RATES if part.run.info.benchmark == OPENMTB else DEFAULT_MEASURES
        for measure in measures:
            metrics.append(_metric(part, measure.id, rate_of(count(part.run, measure, system=part.system), None)))
        if part.run.info.benchmark == OPENMTB:
            result = _openmtb(part, references, seed)
            metrics += [_score(part, name, result) for name in SCORES]
            strata += _catches(part, result)
            constants = constants or dict(result["constants"])
    tree.put("metrics", metrics, files, text=_summary(metrics))
    tree.put("strata", strata, files, text=_stratum_text(strata))
    tree.put("subgroups", _groups(every), files)
    if openmtb:
        used = [path for item in openmtb for path in (item.outcomes_file, item.file("references.jsonl")) if path]
        text = f"{', '.join(str(row['title']) for row in constants.values())}, in pack.json"
        tree.put("constants", [{"id": name, **row} for name, row in constants.items()], used, text=text)
    tree.put("confusion", _confusion(every), files, text="counts by system, in pack.json")
    _add_paired(tree, every, seed)
    _add_misses(tree, every)
    if not openmtb:
        return None
    return evaluation_page([item.run for item in openmtb], list(references.values()), seed=seed)


def compared(one: Part, two: Part, *, seed: int) -> Comparison:
    """Two systems, reply by reply, as `equipoise report` compares them.

    Args:
        one: a system.
        two: another.
        seed: seed of the intervals.

    Raises:
        InputError: no reply of one has a counterpart in the other.
    """
    both = {one.run.info.benchmark, two.run.info.benchmark} == {OPENMTB}
    measures = (OVER_REFUSAL, FALSE_APPROVAL, *DEFAULT_MEASURES) if both else DEFAULT_MEASURES
    return compare(
        one.run, two.run, measures=measures, first_system=one.system, second_system=two.system, allow_unlike=True,
        seed=seed,
    )  # fmt: skip


def comparable(one: Part, two: Part) -> bool:
    """Whether two systems answered a case in common, of the same benchmark and cases."""
    alike = (one.run.info.benchmark, one.run.info.dataset_hash) == (two.run.info.benchmark, two.run.info.dataset_hash)
    return alike and bool(_keys(one) & _keys(two))


def _keys(part: Part) -> set[tuple[Any, ...]]:
    return {tuple(row[name] for name in KEY) for row in part.run.outcomes.select(list(KEY)).to_pylist()}


def paired_row(result: Comparison, first: str, second: str) -> dict[str, Any]:
    """A comparison as plain values.

    Args:
        result: the comparison.
        first: name of the first system.
        second: name of the second.
    """
    return {
        "first": first,
        "second": second,
        "adjustment": result.adjustment,
        "measures": [
            {
                "name": rate.measure,
                "difference": rate.difference.to_dict(),
                "p": rate.test.p_value,
                "p_adjusted": rate.p_adjusted,
                "first_only": rate.first_only,
                "second_only": rate.second_only,
            }
            for rate in result.rates
        ],
    }


def _metric(part: Part, name: str, estimate: Estimate) -> dict[str, Any]:
    return {
        "name": name,
        "system": part.shown,
        "run": part.source.name,
        "estimate": estimate.estimate,
        "low": estimate.low,
        "high": estimate.high,
        "method": estimate.method,
        "n_used": estimate.n_used,
        "n_left_out": estimate.n_left_out,
        "cluster": "item",
        "bounds": _bounds(estimate),
        "text": rate_text(estimate),
    }


def _bounds(estimate: Estimate) -> dict[str, float] | None:
    """The rate with everything left out counted against and for it; None when nothing was left out."""
    if not estimate.n_left_out or estimate.estimate is None:
        return None
    events, total = estimate.estimate * estimate.n_used, estimate.n_used + estimate.n_left_out
    return {"low": events / total, "high": (events + estimate.n_left_out) / total}


def _openmtb(part: Part, references: Mapping[str, BenchmarkCase], seed: int) -> dict[str, Any]:
    rows = part.run.outcomes.to_pylist()
    cases = [references[item] for item in dict.fromkeys(row["item"] for row in rows) if item in references]
    return benchmark_result(cases, predictions_of(rows), seed=seed)


def _score(part: Part, name: str, result: Mapping[str, Any]) -> dict[str, Any]:
    estimate = result["intervals"][name]
    kept = {key: estimate[key] for key in ("estimate", "low", "high", "method", "n_used", "n_left_out")}
    return {"name": name, "system": part.shown, "run": part.source.name, **kept, "cluster": "item", "bounds": None}


def _catches(part: Part, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": "not called Supported", "system": part.shown, "run": part.source.name, "stratum": name,
            **{key: result["intervals"][f"catch_rates.{name}"][key] for key in ("estimate", "low", "high", "n_used")},
        }
        for name in result["catch_rates"]
    ]  # fmt: skip


def _groups(every: Sequence[Part]) -> list[dict[str, Any]]:
    found = []
    for part in every:
        rows = [
            row for row in part.run.outcomes.select(["system", "group"]).to_pylist() if row["system"] == part.system
        ]
        for group in sorted({row["group"] for row in rows if row["group"] is not None}):
            for base in (Measure(id="accuracy", event="correct"), Measure(id="failed_rate", event="failed")):
                measure = Measure(id=base.id, event=base.event, where={"group": (group,)})
                counts = count(part.run, measure, system=part.system)
                if counts:
                    found.append({"group": group, **_metric(part, measure.id, rate_of(counts, None))})
    return found


def _confusion(every: Sequence[Part]) -> list[dict[str, Any]]:
    found = []
    for part in every:
        cells: dict[str, dict[str, int]] = {}
        for row in part.run.outcomes.to_pylist():
            answer = row["label"] if row["state"] == ReplyState.OK else row["state"]
            line = cells.setdefault(str(row["expected"] or f"no reference, arm {row['arm'] or 'not stated'}"), {})
            line[str(answer)] = line.get(str(answer), 0) + 1
        if cells:
            counts = {name: dict(sorted(line.items())) for name, line in sorted(cells.items())}
            found.append({"system": part.shown, "run": part.source.name, "counts": counts})
    return found


def _add_paired(tree: Tree, every: Sequence[Part], seed: int) -> None:
    pairs = [(one, two) for place, one in enumerate(every) for two in every[place + 1 :] if comparable(one, two)]
    if not pairs:
        tree.reasons["paired"] = "no second system answered the same cases"
        return
    chosen = pairs if len(pairs) <= MOST_PAIRS else [pair for pair in pairs if pair[0] is every[0]]
    rows = [paired_row(compared(one, two, seed=seed), one.shown, two.shown) for one, two in chosen]
    files = [part.source.outcomes_file for pair in chosen for part in pair]
    tree.put("paired", rows, files, text="; ".join(f"{row['first']} and {row['second']}" for row in rows))


def _add_misses(tree: Tree, every: Sequence[Part]) -> None:
    rows: list[dict[str, Any]] = []
    keyed = 0
    for part in every:
        quoted = part.run.info.benchmark in QUOTED
        for row in part.run.outcomes.to_pylist():
            if row["expected"] is None:
                continue
            keyed += 1
            if row["state"] != ReplyState.OK or row["label"] == row["expected"]:
                continue
            reply = row["reply"] or ""
            rows.append(
                {
                    "system": part.shown,
                    "run": part.source.name,
                    "item": row["item"],
                    "trial": row["trial"],
                    "reference": row["expected"],
                    "answer": row["label"],
                    "kind": disagreement(row["expected"], row["label"]) if quoted else "",
                    "reply_sha256": hashlib.sha256(reply.encode("utf-8", "surrogatepass")).hexdigest(),
                    "excerpt": cut(reply, EXCERPT) if quoted else "",
                }
            )
    if not keyed:
        tree.reasons["misses"] = "no case of these runs has a reference"
        return
    value = {"total": len(rows), "of": keyed, "rows": rows[:MOST_MISSES]}
    text = f"{len(rows)} of {keyed} replies differ from the reference"
    tree.put("misses", value, [part.source.outcomes_file for part in every], text=text)


def _summary(metrics: Sequence[Mapping[str, Any]]) -> str:
    """Both failure modes and accuracy of the first system, with intervals; the rest by number."""
    systems = list(dict.fromkeys(row["system"] for row in metrics))
    own = {row["name"]: row for row in metrics if row["system"] == systems[0]}
    told = [f"{NAMES.get(name, name)} {own[name]['text']}" for name in _TOLD if name in own]
    more = f"; {len(own) - len(told)} more measures" if len(own) > len(told) else ""
    others = f", and {len(systems) - 1} more systems" if len(systems) > 2 else ", and one more system"
    return f"{systems[0]}: {', '.join(told)}{more}{others if len(systems) > 1 else ''}, in pack.json"


def _stratum_text(strata: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(row["stratum"] for row in strata))
    return f"by {', '.join(names)}, with intervals, in pack.json" if names else ""
