"""The sections of single measures: the four decisions, faults, facts and words, and groups of items."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.boards.judging.criteria import DECISION_KINDS, Kind
from equipoise.report.board_cells import (
    FEW_WORDS,
    fault_cell,
    fault_range,
    mean_cell,
    place_order,
    place_words,
    range_cell,
    rests_on,
    stage_of,
)
from equipoise.report.board_contexts import BoardSection
from equipoise.report.redteam_cells import quote, text
from equipoise.report.redteam_contexts import Block, Table, TableCell
from equipoise.studies.board_audit import BoardAudit
from equipoise.studies.board_scores import CONSTANTS, BoardMean


def decisions_section(audit: BoardAudit) -> BoardSection:
    """The decisions by kind, each over the references that take it."""
    means = [mean for mean in audit.means if mean.kind == Kind.DECISION.value and _main(audit, mean)]
    names = [name for name in DECISION_KINDS if any(mean.criterion == name for mean in means)]
    blocks = [Block(title=name.replace("-", " ").capitalize(), table=_decision_table(means, name)) for name in names]
    return BoardSection(
        id="decisions",
        title="The four decisions",
        question="Each decision of the recorded board that the reply kept, changed or reversed. What the reference does not decide was "
        "fixed before any judge read a reply: such a decision is out of scope and is no zero. Rows of two scales are never averaged.",
        blocks=tuple(blocks),
        absent="" if blocks else "nobody judged the decisions",
    )


def _decision_table(means: Sequence[BoardMean], name: str) -> Table:
    own = [mean for mean in means if mean.criterion == name]
    head = ("system", "arm and setting", "in scope", "out of scope", "scope not known", "floored", "scored only",
            "worst to highest possible", "scale", "rests on")  # fmt: skip
    return Table(
        head=head,
        rows=tuple(
            (
                quote(mean.system),
                text(stage_of(mean)),
                text(mean.in_scope),
                text(mean.out_of_scope),
                text(mean.scope_unknown),
                mean_cell(mean, "floored"),
                mean_cell(mean, "scored_only"),
                range_cell(mean),
                quote(mean.scale),
                rests_on(mean),
            )
            for mean in sorted(own, key=place_order)
        ),
        constants=CONSTANTS,
    )


def faults_section(audit: BoardAudit) -> BoardSection:
    """Critical errors and unsupported claims over the judged replies."""
    means = [mean for mean in audit.means if mean.kind == Kind.FLAG.value and _main(audit, mean)]
    by_system: dict[tuple[bool, str, str], dict[str, BoardMean]] = {}
    for mean in means:
        key = (mean.system in CONSTANTS, mean.system, stage_of(mean))
        by_system.setdefault(key, {})[mean.criterion] = mean
    names = list(dict.fromkeys(mean.criterion for mean in means))
    rows = tuple(
        (
            quote(system),
            text(stage),
            *(cell for name in names for cell in _fault_cells(own.get(name))),
            rests_on(next(iter(own.values()))),
        )
        for (_, system, stage), own in sorted(by_system.items())
    )
    head = (
        "system",
        "arm and setting",
        *(
            words
            for name in names
            for words in (f"{name.replace('-', ' ')}, of judged replies", "least to most it could be")
        ),
        "rests on",
    )
    note = (
        "The denominator is the replies that were read and judged; a reply that came to nothing can hold no fault and is not counted as "
        "free of one. Where the judges of a panel are divided there is no verdict: the rate is over the replies they agree on, "
        "which are not a sample of all, and the counts beside it hold the others either way."
    )
    block = Block(
        title="Faults in answers of specialists", note=note, table=Table(head=head, rows=rows, constants=CONSTANTS)
    )
    return BoardSection(
        id="faults",
        title="Critical errors and unsupported claims",
        question="Answers a judge called dangerous in a decision, or that say what nothing supports.",
        blocks=(block,) if rows else (),
        absent="" if rows else "nobody judged the answers of specialists",
    )


def _fault_cells(mean: BoardMean | None) -> tuple[TableCell, TableCell]:
    return (fault_cell(mean), fault_range(mean)) if mean is not None else (text("not judged"), text("-"))


def other_section(audit: BoardAudit) -> BoardSection:
    """Every other measure of the main judge, and every measure of words."""
    lead = {(led.benchmark, led.rubric, led.criterion, led.judge) for led in audit.led}
    means = [
        mean
        for mean in audit.means
        if mean.kind in (Kind.SCORE.value, Kind.SHARE.value)
        and _main(audit, mean)
        and (mean.benchmark, mean.rubric, mean.criterion, mean.judge) not in lead
    ]
    rows = tuple(
        (
            quote(mean.system),
            text(place_words(mean.benchmark, stage_of(mean))),
            text(f"{mean.rubric}, {mean.criterion}"),
            quote(mean.scale),
            mean_cell(mean, "floored"),
            mean_cell(mean, "scored_only"),
            range_cell(mean),
            rests_on(mean),
        )
        for mean in means
    )
    head = ("system", "where", "measure", "scale", "floored", "scored only", "worst to highest possible", "rests on")
    note = (
        "Likeness of words (ROUGE-L, embeddings) says little of clinical worth; a conclusion turned round can share most words with the "
        "reference."
    )
    return BoardSection(
        id="other",
        title="Facts and words",
        question="Facts of the reference in the reply and of the reply in the reference, and likeness of words.",
        blocks=(Block(title="Further measures", note=note, table=Table(head=head, rows=rows, constants=CONSTANTS)),)
        if rows
        else (),
        absent="" if rows else "nothing further was measured",
    )


def groups_section(audit: BoardAudit) -> BoardSection:
    """The leading measure by role, question type and site; facts by category."""
    blocks = []
    for by in ("role", "question type", "site", "category"):
        means = [mean for mean in audit.splits if mean.by == by]
        if means:
            blocks.append(Block(title=f"By {by}", table=_group_table(by, means)))
    return BoardSection(
        id="groups",
        title="By role, question type and site",
        question=f"Where the mean comes from. {FEW_WORDS}",
        blocks=tuple(blocks),
        absent="" if blocks else "the items have no groups",
    )


def _group_table(by: str, means: Sequence[BoardMean]) -> Table:
    order = sorted(
        means,
        key=lambda item: (
            item.benchmark,
            item.criterion,
            stage_of(item),
            item.value,
            item.system in CONSTANTS,
            item.system,
        ),
    )
    return Table(
        head=("system", by, "where", "measure", "floored", "scored only", "rests on"),
        rows=tuple(
            (
                quote(mean.system),
                quote(mean.value.replace("_", " ")),
                text(place_words(mean.benchmark, stage_of(mean))),
                text(mean.criterion),
                mean_cell(mean, "floored"),
                mean_cell(mean, "scored_only"),
                rests_on(mean),
            )
            for mean in order
        ),
        constants=CONSTANTS,
    )


def _main(audit: BoardAudit, mean: BoardMean) -> bool:
    """Whether a mean is of the judge the main figures are of, or of a measure without one."""
    return mean.judge in ("", audit.main_judges.get(mean.rubric))
