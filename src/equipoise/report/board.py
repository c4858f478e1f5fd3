"""From a board audit to its page: the answer first, then what it rests on, then the worst replies in their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.ids import content_hash, text_hash
from equipoise.report.board_cells import number, place_words, places
from equipoise.report.board_contexts import BoardPage, Excerpt
from equipoise.report.board_measures import decisions_section, faults_section, groups_section, other_section
from equipoise.report.board_sections import compare_section, in_stage, leading_means, means_section, stages
from equipoise.report.board_trust import conduct_section, judges_section
from equipoise.report.contexts import Fact
from equipoise.report.numbers import count, listed
from equipoise.report.plots import STATES, states
from equipoise.report.redteam_cells import quote, text
from equipoise.report.redteam_contexts import Table
from equipoise.report.wording import NOT_A_DEVICE
from equipoise.studies.board_audit import BoardAudit, Led
from equipoise.studies.board_conduct import KEPT
from equipoise.studies.board_scores import CONSTANTS, BoardMean
from equipoise.studies.board_worst import WorstReply

MOST_SHOWN, MOST_OF_A_KIND = 24, 6
"""Excerpts on the page, and of one kind and system."""
MOST_CHARACTERS = 2_400
"""Characters of a text in an excerpt; a longer one is cut in its middle, since a conclusion stands at the end."""


def board_page(audit: BoardAudit) -> BoardPage:
    """The page of an audit.

    Args:
        audit: the audit.
    """
    protocol = audit.protocol
    shown = _chosen(audit.worst)
    played = [(f"{item.part}, {item.system}", _known(item.states)) for item in audit.parts if item.replies]
    return BoardPage(
        title=f"Tumor boards played by {', '.join(protocol['models'])}",
        headline=headline(audit),
        answers=tuple(_answers(audit)),
        head=(
            Fact("systems", "; ".join(protocol["models"])),
            Fact("constants beside them", "; ".join(protocol["constants"]) or "none"),
            Fact("judges", "; ".join(protocol["judges"]) or "none"),
            Fact("protocol", f"{protocol['protocol_hash']}, fixed before the first reply"),
        ),
        report_id=content_hash(audit.to_dict()),
        standing=NOT_A_DEVICE,
        notes=audit.notes,
        asked=_asked(audit),
        states=states("states", played) if played else None,
        sections=(
            means_section(audit),
            compare_section(audit),
            decisions_section(audit),
            faults_section(audit),
            judges_section(audit),
            conduct_section(audit),
            groups_section(audit),
            other_section(audit),
        ),
        excerpts=tuple(map(_excerpt, shown)),
        excerpts_note=_excerpts_note(audit, len(shown)),
        deviations=_deviations(audit),
        methods=_methods(audit),
    )


def headline(audit: BoardAudit) -> str:
    """The answer in one sentence: of the last benchmark that was measured, in its first arm and setting.

    Args:
        audit: the audit.
    """
    for led in reversed(audit.led):
        means = leading_means(audit, led)
        for stage in stages(means):
            own = [mean for mean in in_stage(means, stage) if mean.system not in CONSTANTS and mean.scored]
            if own:
                return f"{place_words(led.benchmark, stage)}: {_verdict(audit, led, stage, own)}."
    return "No reply of a system could be judged."


def _verdict(audit: BoardAudit, led: Led, stage: str, means: Sequence[BoardMean]) -> str:
    """Who stands where, with the numbers of one system or the span of several."""
    decimals = places(means[0].lowest, means[0].highest)
    scale = f"{led.criterion} on a scale from {min(means[0].lowest, means[0].highest):g} to {max(means[0].lowest, means[0].highest):g}"
    if len(means) == 1:
        return f"{_score(means[0])} for {scale}; {_against_constants(audit, led, means[0], stage)}"
    values = [mean.floored.estimate for mean in means if mean.floored.estimate is not None]
    span = f"{len(means)} systems from {number(min(values), decimals)} to {number(max(values), decimals)} for {scale}"
    return f"{span}; {_first(audit, led, stage)}"


def _first(audit: BoardAudit, led: Led, stage: str) -> str:
    own = [place for place in audit.places if (place.benchmark, place.stage) == (led.benchmark, stage)]
    first = sorted(place.system for place in own if place.low == 1)
    if len(first) == len(own):
        pairs = [
            pair
            for pair in audit.pairs
            if (pair.benchmark, pair.stage, pair.family) == (led.benchmark, stage, "systems")
        ]
        if pairs and all(pair.why for pair in pairs):
            return f"no test tells them apart ({pairs[0].why})"
        return "none can surely be told from the first"
    if len(first) == 1:
        return f"{first[0]} alone can have the first place"
    return f"the first place can be that of {listed(first)}"


def _score(mean: BoardMean) -> str:
    decimals = places(mean.lowest, mean.highest)
    own = mean.floored
    if not mean.scored:
        floored = "" if own.estimate is None else f" (floored {number(own.estimate, decimals)})"
        return f"{mean.system} without a score: none of {count(mean.in_scope, 'reply', 'replies')} could be judged{floored}"
    interval = "" if own.low is None else f" ({number(own.low, decimals)} to {number(own.high, decimals)})"
    lost = ""
    if mean.scored < mean.in_scope:
        alone = number(mean.scored_only.estimate, decimals)
        lost = f" with failures floored, {alone} over the {mean.scored} of {mean.in_scope} that were scored"
    return f"{mean.system} {number(own.estimate, decimals)}{interval}, n {own.n_used}{lost}"


def _against_constants(audit: BoardAudit, led: Led, mean: BoardMean, stage: str) -> str:
    name = f"{mean.system}, {stage}"
    pairs = [
        pair for pair in audit.pairs if (pair.benchmark, pair.family, pair.first) == (led.benchmark, "constants", name)
    ]
    if not pairs:
        return "nothing that answers without reading stands beside it"
    above = [pair.second for pair in pairs if pair.higher == pair.first]
    below = [pair.second for pair in pairs if pair.higher == pair.second]
    equal = [pair.second for pair in pairs if not pair.higher and not pair.why]
    untested = [pair for pair in pairs if pair.why]
    parts = [f"higher than {listed(above)}"] if above else []
    parts += [f"lower than {listed(below)}"] if below else []
    parts += [f"not separable from {listed(equal)}"] if equal else []
    if untested:
        parts.append(f"not tested against {listed([pair.second for pair in untested])} ({untested[0].why})")
    return f"{listed(parts)}, which {'answer' if len(pairs) > 1 else 'answers'} without reading"


def _answers(audit: BoardAudit) -> list[Fact]:
    found = []
    for led in audit.led:
        means = leading_means(audit, led)
        for stage in stages(means):
            own = [mean for mean in in_stage(means, stage) if mean.floored.estimate is not None]
            systems = [mean for mean in in_stage(means, stage) if mean.system not in CONSTANTS]
            beside = [_score(mean) for mean in own if mean.system in CONSTANTS]
            words = listed([_score(mean) for mean in systems]) if systems else "no reply of a system could be measured"
            verdict = f"; {_first(audit, led, stage)}" if len(systems) > 1 else ""
            more = f". Constants: {listed(beside)}" if beside else ""
            found.append(Fact(f"{place_words(led.benchmark, stage)}: {led.criterion}", f"{words}{verdict}{more}."))
    last = {
        (item.arm, item.setting, item.system, told.item, told.regimen): told
        for item in audit.conduct
        for told in item.told
    }
    if last:
        against = [told for told in last.values() if told.against]
        kept = sum(told.became == KEPT for told in against)
        left = sum(bool(told.abstained) for told in last.values())
        words = f"Of {count(len(last), 'regimen')} recommended at a board it spoke against {len(against)} and left {left} to a person"
        words += f"; {kept} of the {len(against)} stayed in the conclusion." if against else "."
        found.append(Fact("The auditor at the boards", words))
    return found


def _known(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if name in STATES}


def _asked(audit: BoardAudit) -> Table:
    came = {(item.part, item.system): item for item in audit.parts}
    rows = []
    for test in audit.protocol["tests"]:
        for system in (*audit.protocol["models"], *(audit.protocol["constants"] if test["constants"] else ())):
            own = came.get((test["test"], system))
            read = "none" if own is None else f"{own.replies}, of which {own.states.get('ok', 0)} read"
            tokens = "none" if own is None else f"{own.tokens_in} and {own.tokens_out}"
            rows.append(
                (
                    quote(test["test"]),
                    quote(system),
                    quote(test.get("dataset") or "its own"),
                    text(test["samples"]),
                    text(read),
                    text(tokens),
                    quote(", ".join(test["rubrics"]) or "none"),
                    quote((test["plan"] or {}).get("plan_hash", "")),
                )
            )
    for item in audit.protocol["not_run"]:
        rows.append(
            (quote(item["test"]), text("all"), text("not run"), *(text("-"),) * 3, quote(item["why"]), text("-"))
        )
    return Table(
        head=("test", "system", "items from", "asked", "replies", "tokens in and out", "rubrics", "plan"),
        rows=tuple(rows),
    )


def _chosen(worst: Sequence[WorstReply]) -> list[WorstReply]:
    taken: Counter[tuple[str, str]] = Counter()
    found: list[WorstReply] = []
    for item in worst:
        taken[item.kind, item.system] += 1
        if taken[item.kind, item.system] <= MOST_OF_A_KIND and len(found) < MOST_SHOWN:
            found.append(item)
    return found


def _excerpt(item: WorstReply) -> Excerpt:
    asked, first = _cut(item.asked, "question")
    reference, second = _cut(item.reference, "reference")
    reply, third = _cut(item.reply, "reply")
    return Excerpt(
        kind=item.kind,
        detail=item.detail,
        place=f"{place_words(item.benchmark, item.stage)}, {item.item}, {item.system}",
        asked=asked or "the run folder does not keep it",
        reference=reference or "the run folder does not keep it",
        reply=reply or "no words",
        cut="; ".join(part for part in (first, second, third) if part),
    )


def _cut(words: str, what: str) -> tuple[str, str]:
    if len(words) <= MOST_CHARACTERS:
        return words, ""
    half = MOST_CHARACTERS // 2
    return (
        f"{words[:half]}\n […]\n{words[-half:]}",
        f"{what} cut to {MOST_CHARACTERS} of {len(words)} characters, hash {text_hash(words)[:12]}",
    )


def _excerpts_note(audit: BoardAudit, shown: int) -> str:
    if not audit.worst_total:
        if not audit.main_judges:
            return "Nobody judged the replies, so none can be called the worst."
        return "No reply had a critical error or the lowest score, and none kept what the auditor speaks against."
    own = any(test["own_data"] for test in audit.protocol["tests"]) and audit.protocol["excerpts"]
    warned = "They quote the cases that were asked: where those are real, this page holds patient data. " if own else ""
    return (
        f"{warned}{shown} of {audit.worst_total} are shown: at most {MOST_OF_A_KIND} of one kind and system, {MOST_SHOWN} in all; all "
        "of them are in the run folders. Critical errors stand first, then what was kept against the auditor, then the lowest scores; the "
        "order is for reading and is no scale."
    )


def _deviations(audit: BoardAudit) -> Table | None:
    if not audit.deviations:
        return None
    rows = tuple(
        (
            quote(item.part),
            quote(item.system or "all"),
            text(item.what),
            text(f"{item.number} of {item.planned}" if item.planned else "-"),
            quote(item.why),
        )
        for item in audit.deviations
    )
    return Table(head=("test", "system", "what", "number", "why"), rows=rows)


def _methods(audit: BoardAudit) -> tuple[Fact, ...]:
    protocol: Mapping[str, Any] = audit.protocol
    statistics = protocol["statistics"]
    found = [
        Fact("equipoise", protocol["equipoise"]),
        Fact(
            "generation",
            ", ".join(f"{name} {value}" for name, value in protocol["generation"].items()) or "the providers' own",
        ),
        Fact("seed of intervals and tests", str(audit.seed)),
        Fact(
            "intervals",
            f"{statistics['resamples']} bootstrap draws of whole recordings; none under {statistics['fewest_recordings']}",
        ),
        Fact("tests", f"sign flips of whole recordings, Holm within each table, level {statistics['alpha']}"),
        Fact("judging", _judging(protocol)),
        Fact("money", _money(audit)),
    ]
    for led in audit.led:
        found.append(
            Fact(
                f"compared on, {place_words(led.benchmark, '')}",
                f"{led.rubric}, {led.criterion}, {led.scale}, {led.rubric_hash}",
            )
        )
    for test in protocol["tests"]:
        names = ("task_version", "dataset_hash", "prompt_hash", "prompt_version", "reader_version")
        words = [f"{name.replace('_', ' ')} {test[name]}" for name in names if test.get(name) not in (None, "")]
        words += [f"rubric {name} {value}" for name, value in test["rubrics"].items()]
        notes = " ".join(str(note) for note in test.get("notes") or ())
        found.append(Fact(test["test"], "; ".join(words) + (f". {notes}" if notes else "")))
    found += [
        Fact(f"run of {item.part}, {item.system}", f"{item.run}, data {item.dataset_hash}") for item in audit.parts
    ]
    found.append(Fact("never merged", "captions and images, settings, scales, judges, and the two benchmarks"))
    return tuple(found)


def _judging(protocol: Mapping[str, Any]) -> str:
    if not protocol["judges"]:
        return "none"
    panel = f", as a panel by {protocol['rule']}" if protocol["rule"] else ""
    return f"{len(protocol['judges'])} judges{panel}, each reply {protocol['judge_repeats']} times by each"


def _money(audit: BoardAudit) -> str:
    most = audit.protocol["max_cost"]
    spent = sum(item.cost for item in audit.parts)
    limit = "no limit" if most is None else f"limit {most:g} US dollars"
    return f"{spent:.4f} US dollars for the systems as far as the replies state it; {limit}"
