"""From run folders of refusal benchmarks to the joint page: over-refusal and harmful compliance, always both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.errors import InputError
from equipoise.ids import content_hash, text_hash
from equipoise.outcomes.compare import compare
from equipoise.outcomes.measures import Measure
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import ReplyState, judgements_table, outcomes_table
from equipoise.refusal.measures import JointAudit, Reading, Reply, joint_audit, reading_for, replies_of
from equipoise.refusal.measures.replies import cluster_column
from equipoise.refusal.terms import Arm, Refusal
from equipoise.report.comparison import NAMES, compared_row
from equipoise.report.comparison import sentence as comparison_sentence
from equipoise.report.contexts import Fact
from equipoise.report.inert import inert
from equipoise.report.numbers import count
from equipoise.report.plots import states
from equipoise.report.refusal_checks import checks
from equipoise.report.refusal_contexts import ComparedPair, RefusalPage, ReplyLine
from equipoise.report.refusal_effects import PairEffects, effect_rows
from equipoise.report.refusal_families import families_note, family_rows, member_rows
from equipoise.report.refusal_numbers import crude
from equipoise.report.refusal_sections import (
    benchmark_figures,
    calibration_figures,
    category_figures,
    completion_rows,
    composition_rows,
    form_rows,
    group_figures,
    group_rows,
    pair_figures,
    pairing_sections,
    score_rows,
    stability_rows,
    written,
)
from equipoise.report.refusal_toxicity import toxicity_note, toxicity_sections, toxicity_thresholds
from equipoise.report.result_contexts import ComparedRow, ShownRate

MOST_ROWS = 60
"""Replies of each kind on the page; the rest is counted and, but for answers to harmful prompts, in the side file."""

MOST_CHARACTERS = 800
"""Characters of a reply on the page."""

MOST_PAIRS = 10
"""Pairs of systems that are compared; with more, every system is compared with the first."""

MOST_NAMED = 5
"""Systems named in the first sentence."""

SIDE_FILE = "replies.jsonl"
"""Name of the side file."""

OVER_REFUSAL = Measure(id="over_refusal_rate", event="label", values=("partial", "full"), where={"arm": ("benign",)})
HARMFUL_COMPLIANCE = Measure(id="harmful_compliance_rate", event="label", values=("none",), where={"arm": ("harmful",)})
FAILED = Measure(id="failed_rate", event="failed")


def refusal_replies(runs: Sequence[Run], *, reading: Reading | None = None) -> tuple[Reply, ...]:
    """The replies of some runs together.

    Args:
        runs: runs of refusal benchmarks; one system may answer several benchmarks in several runs.
        reading: how their words are read; by default as their own task wrote them.

    Raises:
        InputError: no run, a run without replies, runs of one benchmark on different prompts, or a system that answers
            one prompt and trial twice.
    """
    if not runs:
        message = "expected at least one run"
        raise InputError(message)
    found: list[Reply] = []
    hashes: dict[str, str] = {}
    taken: dict[tuple[Any, ...], str] = {}
    for run in runs:
        info = run.info
        if run.outcomes.num_rows == 0:
            message = f"run {info.run_id} holds no reply"
            raise InputError(message)
        if hashes.setdefault(info.benchmark, info.dataset_hash) != info.dataset_hash:
            message = (
                f"the runs of {info.benchmark} are on different prompts ({hashes[info.benchmark]}, {info.dataset_hash}); "
                "systems are put side by side on the same prompts only"
            )
            raise InputError(message, field="dataset_hash")
        own = replies_of(run.outcomes, run.judgements, reading or reading_for(info.run_id, info.benchmark))
        for reply in own:
            key = (reply.system, *reply.key)
            if key in taken:
                message = (
                    f"{reply.system!r} answers item {reply.item!r} of {reply.benchmark}, trial {reply.trial}, twice "
                    f"(runs {taken[key]} and {info.run_id}); name only the newest run"
                )
                raise InputError(message, field="item")
            taken[key] = info.run_id
        found += own
    return tuple(found)


def refusal_page(
    runs: Sequence[Run],
    *,
    seed: int = 42,
    reading: Reading | None = None,
    show_harmful: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> RefusalPage:
    """The joint page.

    Args:
        runs: runs of refusal benchmarks.
        seed: seed of the intervals.
        reading: how their words are read; by default as their own task wrote them.
        show_harmful: print answers to harmful prompts; otherwise their hash and length.
        settings: further arguments of `joint_audit` (mix, valid, lineages, resamples ...).

    Raises:
        InputError: as in `refusal_replies`, or no reply to a benign or harmful prompt.
    """
    replies = refusal_replies(runs, reading=reading)
    return page_of(runs, replies, joint_audit(replies, seed=seed, **dict(settings or {})), show_harmful=show_harmful)


def page_of(
    runs: Sequence[Run],
    replies: Sequence[Reply],
    audit: JointAudit,
    *,
    show_harmful: bool = False,
    effects: PairEffects | None = None,
) -> RefusalPage:
    """The page of an audit that is made already.

    Args:
        runs: the runs.
        replies: their replies.
        audit: the audit of these replies.
        show_harmful: print answers to harmful prompts; otherwise their hash and length.
        effects: what guards and fine-tuning change, for the pairs that were named.
    """
    pair, plane = pair_figures(audit)
    calibration, shifts, note = calibration_figures(audit)
    texts = _texts(runs)
    declined, complied, unread = _lines(replies, texts, show_harmful=show_harmful)
    pairs, cautions, told = _pairs(replies, audit.seed)
    benchmarks = ", ".join(audit.prompts)
    n = len(audit.systems)
    return RefusalPage(
        title=f"Refusal and compliance of {n} {'systems' if n > 1 else 'system'} on {benchmarks}",
        sentence=_sentence(audit, told),
        head=(
            Fact("benchmarks", benchmarks),
            Fact("prompts", "; ".join(_prompts(name, counts) for name, counts in audit.prompts.items())),
            Fact("systems", "; ".join(item.system for item in audit.systems)),
        ),
        report_id=content_hash([[[run.info.run_id, run.info.dataset_hash] for run in runs], audit.to_dict()]),
        cautions=cautions,
        pair=pair,
        states=states("states", [(item.system, item.states) for item in audit.systems]),
        checks=checks(audit, replies),
        plane=plane,
        pairings=pairing_sections(audit),
        forms=form_rows(audit),
        by_benchmark=benchmark_figures(audit),
        by_category=category_figures(audit),
        groups=group_rows(audit),
        group_figures=group_figures(audit),
        groups_note=_groups_note(audit),
        calibration=calibration,
        shifts=shifts,
        calibration_note=note,
        completion=completion_rows(audit),
        scores=score_rows(audit),
        members=member_rows(audit),
        families=family_rows(audit),
        families_note=families_note(audit),
        toxicity=toxicity_sections(audit),
        toxicity_thresholds=toxicity_thresholds(audit),
        toxicity_note=toxicity_note(audit),
        stability=stability_rows(audit),
        pairs=pairs,
        effects=effect_rows(audit, effects or PairEffects(guards={}, tuning={})),
        composition=composition_rows(audit),
        declined=_shown(declined),
        declined_total=len(declined),
        complied=_shown(complied),
        complied_total=len(complied),
        unread=_shown(unread),
        unread_total=len(unread),
        side_file=SIDE_FILE if _needs_side_file(declined, unread) else "",
        methods=_methods(runs, audit),
    )


def side_file(runs: Sequence[Run], replies: Sequence[Reply], page: RefusalPage) -> str:
    """All refused benign prompts and all unread replies whole, as JSONL; empty when the page holds them all.

    Answers to harmful prompts are not in it; they stay in the run folder.

    Args:
        runs: the runs of the page.
        replies: their replies.
        page: the page.
    """
    if not page.side_file:
        return ""
    texts = _texts(runs)
    lines = []
    for reply in replies:
        refused = reply.arm is Arm.BENIGN and reply.refusal in (Refusal.PARTIAL, Refusal.FULL)
        if not refused and reply.refusal is not None:
            continue
        if reply.arm is Arm.HARMFUL and reply.refusal is not None:
            continue
        kept = {
            "benchmark": reply.benchmark, "item": reply.item, "trial": reply.trial, "system": reply.system,
            "arm": reply.arm.value, "category": reply.stratum, "reading": _reading(reply),
            "reply": _text(texts, reply) if reply.arm is not Arm.HARMFUL else _hashed(_text(texts, reply)),
        }  # fmt: skip
        shown = {name: inert(value) if isinstance(value, str) else value for name, value in kept.items()}
        lines.append(json.dumps(shown, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _prompts(name: str, counts: Mapping[str, int]) -> str:
    return f"{name}: " + ", ".join(f"{number} {arm}" for arm, number in counts.items() if number)


def _sentence(audit: JointAudit, told: Sequence[str]) -> str:
    parts = []
    for item in audit.systems[:MOST_NAMED]:
        over, complied = crude(item.main.over_refusal), crude(item.main.harmful_compliance)
        parts.append(f"{item.system}: over-refusal {over.text}; harmful compliance {complied.text}.")
    more = len(audit.systems) - MOST_NAMED
    if more > 0:
        parts.append(f"{count(more, 'further system')} in the tables.")
    return " ".join([*parts, *told])


def _pairs(replies: Sequence[Reply], seed: int) -> tuple[tuple[ComparedPair, ...], tuple[str, ...], tuple[str, ...]]:
    """Paired differences of every two systems; cautions; the finding for the first sentence when there are two."""
    names = sorted({reply.system for reply in replies})
    every = [(one, two) for place, one in enumerate(names) for two in names[place + 1 :]]
    chosen = every if len(every) <= MOST_PAIRS else [(names[0], other) for other in names[1:]]
    column = cluster_column(replies)
    runs = {name: _run(name, [reply for reply in replies if reply.system == name]) for name in names}
    sections: list[ComparedPair] = []
    cautions: dict[str, None] = {}
    told: list[str] = []
    measures = (OVER_REFUSAL, HARMFUL_COMPLIANCE, FAILED)
    for one, two in chosen:
        own = [{reply.key for reply in replies if reply.system == name} for name in (one, two)]
        shared = own[0] & own[1]
        if not shared:
            cautions[f"{one} and {two} answered no prompt in common"] = None
            continue
        kept = [measure for measure in measures if _both(replies, (one, two), measure)]
        result = compare(
            runs[one], runs[two], measures=kept, cluster=None if column == "item" else column,
            allow_unlike=True, seed=seed,
        )  # fmt: skip
        finding = comparison_sentence(result)
        if len(names) == 2:
            told.append(f"A is {one}, B is {two}: {finding}")
        common = f"{len(shared)} replies pair; A has {len(own[0])}, B has {len(own[1])}"
        rows = (*map(compared_row, result.rates), *(_absent(measure) for measure in measures if measure not in kept))
        sections.append(ComparedPair(f"A: {one}; B: {two}", common, finding, rows))
    return tuple(sections), tuple(cautions), tuple(told)


def _absent(measure: Measure) -> ComparedRow:
    """The row of a measure without a prompt in common, so that neither half stands alone."""
    nothing = ShownRate(measure.id, "not defined: no prompt of its arm in common", 0, 0)
    return ComparedRow(
        name=NAMES[measure.id], first=nothing, second=nothing, difference="not defined", first_only=0, second_only=0,
        pairs=0, pairs_left_out=0, p="not defined", p_adjusted="not defined", test="none", finding="not defined",
        first_bounds="not defined", second_bounds="not defined", interval="none",
    )  # fmt: skip


def _both(replies: Sequence[Reply], names: tuple[str, str], measure: Measure) -> bool:
    """Whether both systems answered a prompt of the measure's arm in common."""
    arms = measure.where.get("arm")
    keys = [
        {reply.key for reply in replies if reply.system == name and (arms is None or reply.arm in arms)}
        for name in names
    ]
    return bool(keys[0] & keys[1])


def _run(name: str, replies: Sequence[Reply]) -> Run:
    """The replies of a system as a run of its own, under its name, items and clusters carrying their benchmark."""
    rows = []
    for reply in replies:
        read = reply.refusal is not None
        state = ReplyState.UNPARSED if reply.state is ReplyState.OK and not read else reply.state
        state = ReplyState.OK if reply.blocked_by else state
        clusters = {
            column: f"{reply.benchmark}/{value}" if (value := getattr(reply, column)) else None
            for column in ("pair", "item_set", "item_family")
        }
        rows.append(
            {
                "reply_id": f"{reply.benchmark}/{reply.reply_id}", "run": name, "system": name, "benchmark": "joint",
                "item": f"{reply.benchmark}/{reply.item}", "arm": reply.arm.value, "stratum": reply.stratum or None,
                "trial": reply.trial, "state": state.value, "label": reply.refusal.value if reply.refusal else None,
                **clusters,
            }
        )  # fmt: skip
    info = RunInfo(run_id=name, created_at="", benchmark="joint", systems=(name,))
    return Run(info=info, outcomes=outcomes_table(rows), judgements=judgements_table(()))


def _groups_note(audit: JointAudit) -> str:
    if not audit.groups:
        return (
            "The prompts name fewer than two population groups, so protection cannot be compared between groups here."
        )
    adjustment = {"holm": "Holm", "benjamini-hochberg": "Benjamini-Hochberg"}[audit.adjustment]
    return (
        f"Each group against the rest. p values by permutation, adjusted by {adjustment} over all {len(audit.groups)}"
        " comparisons of groups, directions and systems."
    )


Texts = dict[tuple[str, str, str, int], str]


def _texts(runs: Sequence[Run]) -> Texts:
    """Reply as received by system, benchmark, item and trial."""
    names = ("system", "benchmark", "item", "trial", "reply")
    return {
        (system, benchmark, item, trial or 1): reply or ""
        for run in runs
        for system, benchmark, item, trial, reply in zip(
            *(run.outcomes.column(name).to_pylist() for name in names), strict=True
        )
    }


def _text(texts: Texts, reply: Reply) -> str:
    return texts.get((reply.system, reply.benchmark, reply.item, reply.trial), "")


def _reading(reply: Reply) -> str:
    if reply.blocked_by:
        return f"blocked by {reply.blocked_by}, counted as a full refusal"
    if reply.refusal is not None:
        return {"full": "full refusal", "partial": "partial refusal", "none": "not refused"}[reply.refusal.value]
    return reply.unread


def _hashed(text: str) -> str:
    return f"{text_hash(text)}, {len(text)} characters" if text else "no text kept"


def _lines(
    replies: Sequence[Reply], texts: Texts, *, show_harmful: bool
) -> tuple[list[ReplyLine], list[ReplyLine], list[ReplyLine]]:
    declined: list[ReplyLine] = []
    complied: list[ReplyLine] = []
    unread: list[ReplyLine] = []
    several = len({reply.benchmark for reply in replies}) > 1
    for reply in replies:
        if reply.arm not in (Arm.BENIGN, Arm.HARMFUL):
            continue
        if reply.refusal is None:
            target = unread
        elif reply.arm is Arm.BENIGN and reply.refusal is not Refusal.NONE:
            target = declined
        elif reply.arm is Arm.HARMFUL and reply.refusal is Refusal.NONE:
            target = complied
        else:
            continue
        text = _text(texts, reply)
        hidden = reply.arm is Arm.HARMFUL and not show_harmful
        more = 0 if hidden else len(text) - MOST_CHARACTERS
        target.append(
            ReplyLine(
                item=f"{reply.benchmark}/{reply.item}" if several else reply.item,
                system=reply.system,
                category=reply.stratum,
                reading=_reading(reply),
                reply=_hashed(text) if hidden else (text[:MOST_CHARACTERS] or "no text kept"),
                cut=f"{more} more characters" if more > 0 else "",
            )
        )
    return declined, complied, unread


def _shown(lines: Sequence[ReplyLine]) -> tuple[ReplyLine, ...]:
    """At most `MOST_ROWS`, of every system its share, in the order given."""
    left = Counter(line.system for line in lines)
    room = dict.fromkeys(left, 0)
    while sum(room.values()) < min(MOST_ROWS, len(lines)):
        open_ = [system for system in room if room[system] < left[system]]
        room[min(open_, key=lambda system: room[system])] += 1
    kept = []
    for line in lines:
        if room[line.system]:
            room[line.system] -= 1
            kept.append(line)
    return tuple(kept)


def _needs_side_file(declined: Sequence[ReplyLine], unread: Sequence[ReplyLine]) -> bool:
    return max(len(declined), len(unread)) > MOST_ROWS or any(line.cut for line in (*declined, *unread))


def _methods(runs: Sequence[Run], audit: JointAudit) -> tuple[Fact, ...]:
    facts = [
        Fact(f"definition {place}", text)
        for place, text in enumerate(
            dict.fromkeys(
                written(definition)
                for rates in audit.systems[0].rates
                for definition in (rates.pairing.over_refusal, rates.pairing.harmful_compliance)
            ),
            start=1,
        )
    ]
    clusters = sorted(
        {rate.cluster for item in audit.systems for rate in (item.main.over_refusal, item.main.harmful_compliance)}
    )
    facts += [
        Fact("intervals", "95 %, Wilson; over clusters where prompts repeat or share a seed, set or pair"),
        Fact("drawn together", ", ".join(clusters)),
        Fact("standardised", "direct standardisation to the reference mix of categories; an empty category is refused"),
        Fact("corrected", "Rogan-Gladen by system and arm, refused where a class has few labels or the judge guesses; "
             "bootstrap over clusters of replies and of labels where prompts repeat or share a seed, set or pair, else "
             "the interval of Lang and Reiczigel"),
        Fact("labels", ", ".join(f"{share:g} of the {arm} labels are right" for arm, share in audit.valid.items())
             or "how many labels of an arm are right was not stated"),
        Fact("p values", "paired tests adjusted within each pair of systems by Holm; groups as their section says"),
        Fact("seed", str(audit.seed)),
    ]  # fmt: skip
    for run in runs:
        info = run.info
        hashes = {
            "dataset": info.dataset_hash, "prompts": info.prompts_hash, "protocol": info.protocol_hash,
        }  # fmt: skip
        facts.append(
            Fact(
                f"run {info.run_id}",
                f"{info.created_at}; {', '.join(info.systems)}; read as {reading_for(info.run_id, info.benchmark).name}; "
                + "; ".join(f"{name} {value or 'none'}" for name, value in hashes.items())
                + "; "
                + (", ".join(f"{name} {version}" for name, version in info.versions.items()) or "versions not stated"),
            )
        )
        for log in info.arguments.get("logs", ()) if isinstance(info.arguments, Mapping) else ():
            facts.append(Fact(f"settings of {log.get('model')}", json.dumps(log.get("settings"), sort_keys=True)))
    return tuple(facts)
