"""The scores of a run folder: one row a reply, criterion, judge and repeat, failures and what is out of scope among them.

One rule for all rubrics. A reply that failed has a row by every judge, in scope, without points. A judge that failed has one too. Where a
reference's scope was frozen, what a judge says of scope counts for nothing: a judge that calls a decision in scope out of it has failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.boards.judging.answers import answer_of, reply_state
from equipoise.boards.judging.categories import category_rows, known_categories
from equipoise.boards.judging.criteria import BY_RUBRIC, CATEGORY, DECISION_KINDS, FACTS, TEXT, CriterionForm, Kind
from equipoise.boards.judging.fact_source import FactSource
from equipoise.boards.judging.fact_store import FactStore
from equipoise.boards.judging.item_facts import fact_rows
from equipoise.boards.judging.items import NOT_ASKED, NOT_JUDGED, SCOPE_UNKNOWN, ItemScore
from equipoise.boards.judging.nearness import CRITERION
from equipoise.boards.judging.panel_points import HAS_POINTS, MEDIAN, Judged, panel_points
from equipoise.boards.judging.references import BoardReference, read_references
from equipoise.boards.judging.scoping import with_settled
from equipoise.boards.judging.word_scores import word_rows
from equipoise.boards.vocabulary import category_of
from equipoise.judging.makers import made_by
from equipoise.judging.rows import OUTCOME
from equipoise.outcomes.run import Run, read_run
from equipoise.outcomes.schema import ReplyState

Rows = Mapping[str, Mapping[str, Any]]
"""Rows of one reply, judge and repeat by criterion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Who judges by a rubric in a run.

    Attributes:
        rubric: identifier.
        hash: of the rubric.
        judges: judges and panels with the number of their repeats.
        left_out: judges that sit out for replies of their own maker.
        makers: maker by name, as told by the user.
    """

    rubric: str
    hash: str
    judges: Mapping[str, int]
    left_out: frozenset[str]
    makers: Mapping[str, str]

    @property
    def members(self) -> tuple[str, ...]:
        """The judges that are no panel."""
        return tuple(name for name in self.judges if not name.startswith("panel:"))

    def sits(self, judge: str, row: Mapping[str, Any]) -> bool:
        """Whether a judge is to judge a reply."""
        if judge not in self.left_out:
            return True
        name = str(row["model"] or row["system"])
        subject = made_by(name, provider=row["provider"], family=row["model_family"], given=self.makers)
        return not made_by(judge, given=self.makers).makers & subject.makers


def scores_of(folder: str | Path) -> tuple[ItemScore, ...]:
    """All scores of a run folder, in the order of the outcomes.

    Args:
        folder: a run folder of the benchmarks specialist_turn or board_simulation, judged or not.

    Raises:
        UsageError: there is no run in the folder.
        InputError: the run is damaged, or keeps nothing to judge against.
    """
    run = read_run(folder)
    references = with_settled(read_references(folder), folder)
    askings = askings_of(run)
    grouped: dict[tuple[str, str], dict[tuple[str, int], dict[str, Mapping[str, Any]]]] = {}
    for judged in run.judgements.to_pylist():
        if judged["rubric"] in BY_RUBRIC and not str(judged["criterion"]).endswith(OUTCOME):
            own = grouped.setdefault((judged["reply_id"], judged["rubric"]), {})
            own.setdefault((judged["judge"], int(judged["repeat"])), {})[judged["criterion"]] = judged
    facts = (run.info.arguments.get("judging") or {}).get(FACTS, {}).get("facts")
    source = FactSource.from_dict(facts) if facts else None
    store = FactStore(folder) if source is not None else None
    classified = any(category_of(str(label or "")) for label in run.outcomes.column("label").to_pylist())
    embedders = {
        row["judge"]: str(row["rubric_hash"])
        for row in run.judgements.to_pylist()
        if row["rubric"] == TEXT and row["criterion"] == CRITERION
    }
    categories = known_categories(references, folder) if any(one.rubric == CATEGORY for one in askings) else {}
    found: list[ItemScore] = []
    for row in run.outcomes.to_pylist():
        reference = references.get(str(row["item"])) or BoardReference(
            item=str(row["item"]), recording=str(row["item"])
        )
        base = _base(row, reference)
        found += word_rows(
            base,
            answer_of(row),
            reference,
            row,
            grouped.get((row["reply_id"], TEXT), {}),
            embedders=embedders,
            classified=classified,
        )
        for asking in askings:
            for judge, repeats in asking.judges.items():
                if not asking.sits(judge, row):
                    continue
                for repeat in range(1, repeats + 1):
                    judged = grouped.get((row["reply_id"], asking.rubric), {})
                    rows: Rows = judged.get((judge, repeat), {})
                    score = replace(base, rubric=asking.rubric, judge=judge, repeat=repeat, rubric_hash=asking.hash)
                    if asking.rubric == CATEGORY:
                        found += category_rows(score, rows, categories.get(reference.item))
                    elif asking.rubric == FACTS:
                        found += fact_rows(score, rows, reference, answer_of(row), source, store)
                    else:
                        forms = BY_RUBRIC[asking.rubric]
                        if judge == MEDIAN:
                            sitting = [name for name in asking.members if asking.sits(name, row)]
                            rows = _between(rows, judged, sitting, forms)
                        found += (_score(score, form, rows, reference) for form in forms)
    return tuple(found)


def askings_of(run: Run) -> tuple[Asking, ...]:
    """By rubric, in the order of the criteria: who judged, from the table and from what the run says of its judging."""
    told: Mapping[str, Any] = run.info.arguments.get("judging") or {}
    found = []
    judged = run.judgements.select(["rubric", "judge", "repeat", "rubric_hash"]).to_pylist()
    for rubric in BY_RUBRIC:
        if rubric == TEXT:
            continue
        facts = told.get(rubric) or {}
        judges = {str(name): int(facts.get("repeats", 1)) for name in facts.get("judges", ())}
        panel = facts.get("panel") or {}
        if panel:
            judges[f"panel:{panel['id']}"] = 1
        hashes = {facts["hash"]} if facts else set()
        for row in judged:
            if row["rubric"] == rubric:
                judges[row["judge"]] = max(judges.get(row["judge"], 1), int(row["repeat"]))
                hashes.add(row["rubric_hash"])
        if judges:
            left = frozenset(panel.get("judges", ())) if panel.get("leave_out_maker") else frozenset()
            found.append(
                Asking(
                    rubric=rubric, hash=", ".join(sorted(hashes)), judges=dict(sorted(judges.items())), left_out=left,
                    makers=facts.get("makers") or {},
                )
            )  # fmt: skip
    return tuple(found)


def _base(row: Mapping[str, Any], reference: BoardReference) -> ItemScore:
    """What all scores of a reply share."""
    return ItemScore(
        system=str(row["system"]),
        benchmark=str(row["benchmark"]),
        arm=str(row["arm"] or ""),
        setting=str(row["operator"] or ""),
        item=str(row["item"]),
        recording=str(row["recording"] or reference.recording),
        stratum=str(row["stratum"] or reference.stratum),
        role=str(reference.role or row["group"] or ""),
        rubric="",
        criterion="",
        scale="",
        lowest=0,
        highest=1,
        points=None,
        in_scope=True,
        reply_state=reply_state(row),
        judge_state=NOT_JUDGED,
        judge="",
        repeat=1,
        trial=int(row["trial"] or 1),
        reply_id=str(row["reply_id"]),
        site=reference.site,
    )


def _score(base: ItemScore, form: CriterionForm, rows: Rows, reference: BoardReference) -> ItemScore:
    own = replace(
        base, criterion=form.criterion, scale=form.scale, lowest=form.lowest, highest=form.highest,
        scope_hash=reference.scope_hash if form.kind is Kind.DECISION else "",
    )  # fmt: skip
    row = rows.get(form.criterion)
    frozen = reference.in_scope(DECISION_KINDS[form.criterion]) if form.kind is Kind.DECISION else True
    if frozen is None and row is not None and row["state"] == ReplyState.OK:
        told = row["in_scope"]
        if told is False and row["value"] is None and not form.rubric.startswith("board-"):
            return replace(own, in_scope=False, judge_state=ReplyState.OK.value)
        frozen = True if row["points"] is not None else None
    if frozen is None:
        return replace(own, in_scope=False, judge_state=SCOPE_UNKNOWN)
    if frozen is False:
        return replace(own, in_scope=False, judge_state=NOT_ASKED)
    if own.reply_state != ReplyState.OK:
        return replace(own, in_scope=form.kind is not Kind.FLAG, judge_state=NOT_ASKED)
    if row is None:
        return own
    if row["state"] == ReplyState.OK and row["points"] is None:
        return replace(own, judge_state=ReplyState.UNPARSED.value)
    return replace(own, points=row["points"], judge_state=str(row["state"]))


def _between(rows: Rows, judged: Judged, sitting: Sequence[str], forms: Sequence[CriterionForm]) -> Rows:
    """A panel's rows with the middle of its judges' points where the scale has one; a question nobody has asked stays without."""
    found = dict(rows)
    for form in forms:
        row = found.get(form.criterion)
        if row is not None and form.kind in HAS_POINTS:
            points = panel_points(judged, sitting, form.criterion)
            if points is not None:
                found[form.criterion] = {**row, "points": points, "state": ReplyState.OK.value}
    return found


def missing(scores: Sequence[ItemScore]) -> Iterator[ItemScore]:
    """Scores in scope that have no points."""
    return (item for item in scores if item.in_scope and item.points is None)
