"""The sections that say how far the scores hold: the judges, and how the discussions went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equipoise.boards.judging.agreement import Agreement
from equipoise.outcomes.schema import ReplyState
from equipoise.report.board_cells import mean_cell, number, place_words, rests_on, stage_of
from equipoise.report.board_contexts import BoardSection
from equipoise.report.numbers import of
from equipoise.report.redteam_cells import quote, text
from equipoise.report.redteam_contexts import Block, Table, TableCell
from equipoise.studies.board_audit import BoardAudit
from equipoise.studies.board_conduct import KEPT, LEFT, NAMED, NO_CONCLUSION, Conduct
from equipoise.studies.board_scores import CONSTANTS, FEWEST_RECORDINGS

MOST_AUDITS = 60
"""Audits of recommendations on the page."""
MOST_NAMED = 3
"""Roles or states named in one cell."""


def judges_section(audit: BoardAudit) -> BoardSection:
    """Failures, agreement with each other and with clinicians, makers, means by judge, runs asked again."""
    blocks = [
        *_counts(audit),
        *_agreement(audit, clinicians=True),
        *_agreement(audit, clinicians=False),
        *_kin(audit),
        *_by_judge(audit),
        *_repeats(audit),
    ]
    return BoardSection(
        id="judges",
        title="How far the judges can be trusted",
        question="What they left without a verdict, how far they agree, and whether they judged models of their own maker.",
        blocks=tuple(blocks),
        absent="" if blocks else "nobody judged: only what needs no model was measured",
    )


def _counts(audit: BoardAudit) -> list[Block]:
    rows = tuple(
        (
            quote(item.judge),
            text(place_words(item.benchmark, "")),
            text(item.criterion.replace("-", " ")),
            text(item.asked),
            text(of(item.read, item.asked)),
            quote(
                ", ".join(f"{count} {_without(item.judge, state)}" for state, count in item.failures.items()) or "none"
            ),
            text(of(item.same, item.repeated) if item.repeated else "asked once"),
        )
        for item in audit.judges
    )
    if not rows:
        return []
    head = ("judge", "benchmark", "criterion", "replies", "with a verdict", "without, by state", "repeats all equal")
    note = "A verdict that could not be read or was never made is counted here; it is in no mean, as no low score and as no high one."
    return [Block(title="Verdicts and those that are missing", note=note, table=Table(head=head, rows=rows))]


def _without(judge: str, state: str) -> str:
    """A state without a verdict; what the table of judgements calls unparsed of a panel is that its judges came to none."""
    return "divided or too few" if judge.startswith("panel:") and state == ReplyState.UNPARSED else state


def _agreement(audit: BoardAudit, *, clinicians: bool) -> list[Block]:
    found = audit.agreements
    own = [item for item in found.pairs if bool(item.people) is clinicians]
    title = "Against clinicians" if clinicians else "Judges with each other"
    lost = [f"{found.unmatched} labels belong to no reply"] if found.unmatched else []
    lost += [f"{found.ambiguous} labels fit several replies"] if found.ambiguous else []
    told = f" {'; '.join(lost)}." if clinicians and lost else ""
    if not own:
        if clinicians and audit.main_judges:
            return [
                Block(
                    title=title,
                    note=f"No label of a clinician was read, so nothing says how right the judges are.{told}",
                )
            ]
        return []
    head = ("first", "second", "criterion", "arm and setting", "the same value", "within one step", "weighted kappa")
    note = (
        "Kappa is weighted by the square of the distance, and not weighted for a fault; its interval draws whole recordings. "
        "Systems that read nothing are left out, since all agree on them. Judges who "
        f"agree are not right for that.{told}"
    )
    return [Block(title=title, note=note, table=Table(head=head, rows=tuple(map(_agreement_row, own))))]


def _agreement_row(item: Agreement) -> tuple[TableCell, ...]:
    kappa = item.kappa
    few = item.recordings < FEWEST_RECORDINGS
    if kappa.estimate is None:
        words = f"not defined ({kappa.method.removeprefix('undefined: ')}), n {item.n}"
    elif few or kappa.low is None or kappa.high is None:
        words = f"{kappa.estimate:.2f} (interval not available), n {kappa.n_used}"
    else:
        words = f"{kappa.estimate:.2f} ({kappa.low:.2f} to {kappa.high:.2f}), n {kappa.n_used}"
    words = words.replace("-0.00", "0.00")
    return (
        quote(item.first),
        quote(item.second),
        text(item.criterion.replace("-", " ")),
        text(f"{item.arm}, {item.setting}"),
        text(of(round((item.exact or 0.0) * item.n), item.n)),
        text("-" if item.within_one is None else of(round(item.within_one * item.n), item.n)),
        TableCell(words, "score", "kappa", item.n),
    )


def _kin(audit: BoardAudit) -> list[Block]:
    if not audit.kinships:
        return []
    rows = tuple(
        (
            quote(item.judge),
            quote(item.system),
            quote(f"both of {item.maker}") if item.maker else text("the maker of one is not known"),
        )
        for item in audit.kinships
    )
    note = "A judge may be milder on a model of its own maker. Where a panel sat, such judges sat out unless the protocol says otherwise."
    return [
        Block(
            title="Judges and systems of one maker",
            note=note,
            table=Table(head=("judge", "system", "makers"), rows=rows),
        )
    ]


def _by_judge(audit: BoardAudit) -> list[Block]:
    judged = {mean.judge for mean in audit.means if mean.judge}
    if len(judged) < 2:
        return []
    lead = {(led.benchmark, led.rubric, led.criterion) for led in audit.led}
    means = [mean for mean in audit.means if mean.judge and (mean.benchmark, mean.rubric, mean.criterion) in lead]
    rows = tuple(
        (
            quote(mean.system),
            text(place_words(mean.benchmark, stage_of(mean))),
            quote(mean.judge),
            mean_cell(mean, "floored"),
            mean_cell(mean, "scored_only"),
            rests_on(mean),
        )
        for mean in sorted(means, key=lambda item: (item.benchmark, stage_of(item), item.system, item.judge))
    )
    head = ("system", "where", "judge", "floored", "scored only", "rests on")
    return [Block(title="The same means by each judge", table=Table(head=head, rows=rows, constants=CONSTANTS))]


def _repeats(audit: BoardAudit) -> list[Block]:
    if not audit.repeats:
        return []
    rows = tuple(
        (
            quote(item.system),
            text(place_words(item.benchmark, item.stage)),
            text(item.criterion),
            text(of(item.same, item.items)),
            text(number(item.spread, 3)),
            text(number(item.widest, 3)),
        )
        for item in audit.repeats
    )
    head = ("system", "where", "measure", "items with equal points in all runs", "mean spread within an item", "widest")
    note = "The same items asked again: the standard deviation within an item, in points, and the largest difference."
    return [Block(title="From run to run", note=note, table=Table(head=head, rows=rows, constants=CONSTANTS))]


def conduct_section(audit: BoardAudit) -> BoardSection:
    """How the discussions went, how they ended, and what the auditor told."""
    own = sorted(audit.conduct, key=lambda item: (item.arm, item.setting, item.system in CONSTANTS, item.system))
    blocks = []
    if own:
        blocks.append(Block(title="What was said", note=_RULES, table=_said(own)))
        ran = [item for item in own if item.recorded]
        if ran:
            blocks.append(Block(title="How boards of agents ended", note=_ENDS, table=_ended(ran)))
        told = [item for item in own if item.told]
        if told:
            blocks += [Block(title="The auditor and the boards", note=_TOLD, table=_auditor(told)), _audits(told)]
    return BoardSection(
        id="conduct",
        title="How the boards went",
        question="Who spoke, who decided for others, whose view was lost, what was repeated, how it ended.",
        blocks=tuple(blocks),
        absent="" if blocks else "no board was simulated",
    )


_RULES = (
    "Rules over words screen a discussion and replace no reader. Roles are those of the recorded board; a view is lost when the conclusion "
    "does not tell of it and nobody took it back; a decision is out of role when it is of a treatment in another specialty's field."
)
_ENDS = "Consensus, the limit of turns or of tokens, a stalemate, or a breakdown; a role that never spoke is named."
_TOLD = (
    "What the deterministic auditor said of each systemic therapy a board named. Kept: the conclusion still recommends it. Still named: "
    "the conclusion names a drug of it, for or against."
)


def _said(own: Sequence[Conduct]) -> Table:
    head = ("system", "arm and setting", "discussions read", "turns", "expected roles that spoke", "never spoke", "decisions out of role",
            "views against, lost", "turns repeated", "conclusions with a treatment nobody named, or decided otherwise")  # fmt: skip
    return Table(
        head=head,
        rows=tuple(
            (
                quote(item.system),
                text(f"{item.arm}, {item.setting}"),
                text(of(item.read, item.boards)),
                text(item.turns),
                text(of(item.spoke, item.expected)),
                text(_named(item.missing)),
                text(f"{item.breaches} in {item.with_breach} discussions"),
                text(
                    f"{of(item.lost, item.dissent)}"
                    + (f"; {item.not_told} without a conclusion" if item.not_told else "")
                ),
                text(of(item.repetitions, item.turns)),
                text(of(item.unmentioned, item.checked)),
            )
            for item in own
        ),
        constants=CONSTANTS,
    )


def _ended(own: Sequence[Conduct]) -> Table:
    head = ("system", "arm and setting", "boards", "ended by", "boards with a silent role", "silent roles", "consensus with a silent role",
            "calls without words", "early consensus not followed", "tokens")  # fmt: skip
    return Table(
        head=head,
        rows=tuple(
            (
                quote(item.system),
                text(f"{item.arm}, {item.setting}"),
                text(item.recorded),
                quote(_named(item.stops)),
                text(of(item.silent_in, item.recorded)),
                quote(_named(item.silent)),
                text(of(item.closed_early, item.recorded)),
                quote(_named(item.empty)),
                text(item.blocked),
                text(item.tokens),
            )
            for item in own
        ),
    )


def _auditor(own: Sequence[Conduct]) -> Table:
    head = ("system", "arm and setting", "audits", "left to a person", "spoke against", "of these told to the board", KEPT, NAMED, LEFT,
            NO_CONCLUSION)  # fmt: skip
    rows = []
    for item in own:
        against = [told for told in item.told if told.against]
        became = [told.became for told in against]
        rows.append(
            (
                quote(item.system),
                text(f"{item.arm}, {item.setting}"),
                text(len(item.told)),
                text(sum(bool(told.abstained) for told in item.told)),
                text(len(against)),
                text(sum(told.told for told in against)),
                *(text(became.count(word)) for word in (KEPT, NAMED, LEFT, NO_CONCLUSION)),
            )
        )
    return Table(head=head, rows=tuple(rows))


def _audits(own: Sequence[Conduct]) -> Block:
    listed = [(item, told) for item in own for told in item.told]
    listed.sort(key=lambda pair: (not pair[1].against, pair[1].became != KEPT))
    rows = tuple(
        (
            quote(told.item),
            quote(f"{item.system}, {item.setting}"),
            text(told.turn),
            quote(told.role),
            quote(told.regimen),
            quote(told.verdict),
            quote(", ".join(told.reasons) or "none"),
            text("yes" if told.abstained else "no"),
            text("yes" if told.told else "no"),
            text(told.became),
        )
        for item, told in listed[:MOST_AUDITS]
    )
    head = (
        "case",
        "system",
        "turn",
        "recommended by role",
        "regimen",
        "the auditor says",
        "reasons",
        "left to a person",
        "told to the board",
        "in the conclusion",
    )
    note = f"{len(rows)} of {len(listed)} are shown, those it speaks against first." if len(listed) > len(rows) else ""
    return Block(title="Every audit", note=note, table=Table(head=head, rows=rows))


def _named(counts: Mapping[str, int]) -> str:
    """The most frequent names with their counts, and how many others there are."""
    named = [f"{count} {name}" for name, count in list(counts.items())[:MOST_NAMED]]
    more = len(counts) - len(named)
    return ", ".join(named) + (f", {more} other{'' if more == 1 else 's'}" if more else "") or "none"
