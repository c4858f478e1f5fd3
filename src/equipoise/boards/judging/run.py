"""A run folder of boards judged from end to end: facts taken out, rubrics asked, the table written. It goes on where it was cut short.

judge_run("run", ["openai/MODEL", "anthropic/MODEL", "mistral/MODEL"])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.boards.judging.answers import answer_of, reply_state
from equipoise.boards.judging.criteria import CATEGORY, DECISIONS, DEFAULT_RUBRICS, FACTS, RUBRICS, SCOPE
from equipoise.boards.judging.fact_source import FactSource
from equipoise.boards.judging.fact_store import REFERENCE, FactStore, text_key
from equipoise.boards.judging.facts import FACT_FORM, given_facts, listed_facts
from equipoise.boards.judging.material import BoardMaterial, narrower
from equipoise.boards.judging.references import BoardReference, read_references
from equipoise.boards.judging.scoping import settle, settled_scopes, unsettled, with_settled
from equipoise.errors import InputError, UsageError
from equipoise.judging.makers import made_by
from equipoise.judging.panel import FEWEST, RULES, Panel, Rule
from equipoise.judging.rubric import Rubric, load_rubric
from equipoise.outcomes.run import Run, read_run
from equipoise.outcomes.schema import ReplyState

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from equipoise.evals.budget import Budget
    from equipoise.judging.listing import ListReading
    from equipoise.judging.step import Settings

Told = Callable[[str, int, int], None]
"""Called with the rubric and the numbers of judgements made and wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricDone:
    """What became of one rubric.

    Attributes:
        rubric: identifier.
        hash: of the rubric.
        judges: who judged.
        panel: name of the panel in the table; empty without one.
        eligible: replies that can be judged.
        not_judged: replies that cannot, by state.
        made: judgements made in this start.
        there: judgements that were there already.
        not_made: judgements still to be made.
        calls: calls of judges.
        tokens_in: tokens of the prompts.
        tokens_out: tokens of the verdicts.
        cost: US dollars; None when not known.
        without_material: by message, replies that could not be judged.
        unreadable: by judge, state and reason, verdicts without a value.
        errors: by judge and message, judgements that came to nothing; the next start asks them again.
        notes: what a reader must know, such as judges of the same maker.
        stopped: why it ended early; empty when it did not.
    """

    rubric: str
    hash: str
    judges: tuple[str, ...]
    panel: str
    eligible: int
    not_judged: Mapping[str, int]
    made: int
    there: int
    not_made: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    without_material: Mapping[str, int]
    unreadable: Mapping[tuple[str, str, str], int]
    errors: Mapping[tuple[str, str], int]
    notes: tuple[str, ...]
    stopped: str


def rubrics_for(run: Run, wanted: Sequence[str] | None = None) -> tuple[str, ...]:
    """Rubrics of a run's benchmark: those named, or the ones that are asked by default.

    Raises:
        UsageError: the run is of another benchmark, or a rubric is none of its.
    """
    benchmarks = sorted(set(run.outcomes.column("benchmark").to_pylist()))
    strangers = [name for name in benchmarks if name not in RUBRICS]
    if strangers or not benchmarks:
        message = f"expected a run of {' or '.join(RUBRICS)}, found {', '.join(strangers) or 'no replies'}"
        raise UsageError(message, field="run")
    known = list(dict.fromkeys(name for benchmark in benchmarks for name in RUBRICS[benchmark]))
    if wanted is None:
        return tuple(dict.fromkeys(name for benchmark in benchmarks for name in DEFAULT_RUBRICS[benchmark]))
    for name in wanted:
        if name not in known:
            message = f"rubric {name!r} does not fit this run; expected one of {', '.join(known)}"
            raise UsageError(message, field="rubric")
    return tuple(dict.fromkeys(wanted))


def panel_for(judges: Sequence[str], rule: Rule | None, rubric: Rubric, *, keep_own: bool = False) -> Panel | None:
    """The panel of several judges; None for a single one or without a rule.

    A median needs an order: a rubric with a scale that has none is put together by majority.

    Raises:
        UsageError: a judge is named twice, or there is no such rule.
    """
    if rule is not None and rule not in RULES:
        message = f"expected one of {', '.join(RULES)}, or none; found {rule!r}"
        raise UsageError(message, field="rule")
    if rule is None or len(judges) < 2:
        return None
    ordered = all(item.scale.ordered for item in rubric.criteria)
    used: Rule = "majority" if rule == "median" and not ordered else rule
    return Panel(
        id=used, judges=tuple(judges), rule=used, fewest=min(FEWEST, len(judges)), leave_out_maker=not keep_own
    )


def judge_run(
    folder: str | Path,
    judges: Sequence[str] | Mapping[str, Model],
    *,
    rubrics: Sequence[str] | None = None,
    repeats: int = 1,
    rule: Rule | None = "median",
    keep_own: bool = False,
    facts: FactSource | None = None,
    facts_file: str | Path | None = None,
    settle_scope: bool = False,
    limit: int | None = None,
    makers: Mapping[str, str] | None = None,
    budget: Budget | None = None,
    settings: Settings | None = None,
    base_url: str | None = None,
    told: Told | None = None,
) -> tuple[RubricDone, ...]:
    """Judge the replies of a run folder; judgements go into the folder at once, and nothing is judged twice.

    Args:
        folder: a run folder of specialist_turn or board_simulation.
        judges: Inspect's names, or models by name.
        rubrics: identifiers; by default those of the benchmark, without facts and categories.
        repeats: times each judge is asked the same.
        rule: how several judges are put together: median, majority or unanimous; None for no panel. Scales without an order are put
            together by majority where the rule is median.
        keep_own: let judges of the maker of the model under test sit too.
        facts: where facts come from; by default the first judge takes them out of references and answers alike.
        facts_file: reference facts in TBFact's form, by item.
        settle_scope: have the judges settle which decisions a reference takes, from the reference alone, where nobody has said.
        limit: replies at most, the first of the run.
        makers: maker by model or judge, as told by the user.
        budget: money, for all calls together.
        settings: how judges are asked.
        base_url: address of the endpoint of judges given by name.
        told: told of the progress.

    Raises:
        UsageError: there is no run, a rubric does not fit, or a judge stands there twice.
        ConfigurationError: a judge cannot be had.
        InputError: the run is damaged, was judged by another version of a rubric, or no reply can be judged.
    """
    from equipoise.judging.models import load_judges

    path = Path(folder)
    run = read_run(path)
    wanted = rubrics_for(run, rubrics)
    if not judges:
        message = "name at least one judge"
        raise UsageError(message, field="judge")
    texts = [row["reply"] for row in run.outcomes.to_pylist() if row["state"] == ReplyState.OK]
    if texts and all(text is None for text in texts):
        message = "this run keeps no text of a reply, as one read from other software's judgements does; nothing can be judged in it"
        raise UsageError(message, field="run")
    models = dict(judges) if isinstance(judges, Mapping) else load_judges(list(judges), base_url=base_url)
    references = with_settled(read_references(path), path)
    done = []
    if settle_scope and DECISIONS in wanted:
        settled = settle_scopes(
            path, models, repeats=repeats, limit=limit, makers=makers, budget=budget, settings=settings, told=told
        )
        if settled is not None:
            done.append(settled)
            references = with_settled(references, path)
    left = () if settle_scope or DECISIONS not in wanted else unsettled(references)
    for name in wanted:
        if name == CATEGORY:
            done.append(
                _settle_categories(path, references, models, rule, limit=limit, budget=budget, settings=settings)
            )
        source, store, notes = None, None, []
        if name == FACTS:
            store = FactStore(path)
            source = facts_source(run, facts, next(iter(models)), facts_file)
            notes = take_facts(
                run, references, source, store, models, facts_file=facts_file, limit=limit, budget=budget,
                settings=settings, base_url=base_url,
            )  # fmt: skip
        material = BoardMaterial(rubric=name, references=references, facts=source, store=store)
        one = _judge(path, load_rubric(name), material, models, repeats=repeats, rule=rule, keep_own=keep_own,
                     limit=limit, makers=makers, budget=budget, settings=settings, told=told)  # fmt: skip
        if name == DECISIONS and left and one.notes != (LACKING["scope"],):
            notes = [
                f"of {len(left)} references nobody has said which of the four decisions they take; what is open was not judged; {SETTLE}"
            ]
        done.append(replace(one, notes=(*notes, *one.notes)))
    return tuple(done)


def settle_scopes(
    folder: str | Path,
    models: Mapping[str, Model],
    *,
    repeats: int = 1,
    limit: int | None = None,
    makers: Mapping[str, str] | None = None,
    budget: Budget | None = None,
    settings: Settings | None = None,
    told: Told | None = None,
) -> RubricDone | None:
    """Have the judges settle which decisions references take, from the references alone, where nobody has said.

    Args:
        folder: a run folder of board_simulation.
        models: judges by name.
        repeats: as for `judge_run`.
        limit: as there.
        makers: as there.
        budget: as there.
        settings: as there.
        told: as there.

    Returns:
        What became of it; None where nothing is open.

    Raises:
        InputError: the run is damaged, or was judged by another version of the rubric.
    """
    path = Path(folder)
    references = with_settled(read_references(path), path)
    asked = settled_scopes(path)
    if all(name in asked for name in unsettled(references)):
        return None
    material = BoardMaterial(rubric=SCOPE, references=references)
    one = _judge(path, load_rubric(SCOPE), material, models, repeats=repeats, rule="majority", keep_own=True,
                 limit=limit, makers=makers, budget=budget, settings=settings, told=told)  # fmt: skip
    number = settle(path, read_run(path), references, one.panel or one.judges[0])
    open_ = len(unsettled(with_settled(references, path)))
    return replace(one, notes=(f"scope of {number} references settled; {open_} still open", *one.notes))


def _judge(
    folder: Path, rubric: Rubric, material: BoardMaterial, models: Mapping[str, Model], *, repeats: int,
    rule: Rule | None, keep_own: bool, limit: int | None, makers: Mapping[str, str] | None, budget: Budget | None,
    settings: Settings | None, told: Told | None,
) -> RubricDone:  # fmt: skip
    from equipoise.judging.folder import open_folder, unreadable
    from equipoise.judging.step import Settings as Asked
    from equipoise.judging.step import ask_all, facts_of, store, table_rows

    asked = settings or Asked()
    panel = panel_for(tuple(models), rule, rubric, keep_own=keep_own)
    known: dict[str, Any] = facts_of(rubric, tuple(models), repeats, panel, asked) | {"makers": dict(makers or {})}
    if material.facts is not None:
        known["facts"] = material.facts.to_dict()
    run = read_run(folder)
    lacking = _all_lack(run, material, limit)
    if lacking:
        store(folder, run, run.judgements.to_pylist(), known)
        return _nothing(rubric, tuple(models), panel, lacking)
    work = open_folder(folder, rubric, material, tuple(models), panel=panel, repeats=repeats, limit=limit,
                       makers=makers, again=asked.again,
                       stale=narrower(folder, run, material.references) if rubric.id == DECISIONS else ())  # fmt: skip
    spent = ask_all(work.plan, models, work.journal, budget=budget, settings=asked,
                    told=None if told is None else lambda made, all_: told(rubric.id, made, all_))  # fmt: skip
    rows = table_rows(work.run, work.journal, rubric, panel=panel, sitting=work.plan.sitting)
    store(folder, work.run, rows, known)
    notes = list(work.plan.warnings)
    if rule == "median" and panel is not None and panel.rule != rule:
        notes.append(f"rubric {rubric.id} has a scale without an order: its judges are put together by majority")
    return RubricDone(
        rubric=rubric.id, hash=rubric.hash, judges=tuple(models), panel=panel.judge if panel is not None else "",
        eligible=work.plan.eligible, not_judged=work.plan.not_judged, made=spent.judged + spent.copied,
        there=work.plan.done, not_made=spent.not_asked, calls=spent.calls, tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out, cost=spent.cost, without_material=work.plan.without_material,
        unreadable=dict(unreadable(work).most_common()), errors=dict(spent.errors.most_common()), notes=tuple(notes), stopped=spent.stopped,
    )  # fmt: skip


def _settle_categories(
    folder: Path, references: Mapping[str, BoardReference], models: Mapping[str, Model], rule: Rule | None, *,
    limit: int | None, budget: Budget | None, settings: Settings | None,
) -> RubricDone:  # fmt: skip
    from equipoise.boards.judging.category_asking import settle_references
    from equipoise.judging.step import Settings as Asked

    rubric = load_rubric(CATEGORY)
    panel = panel_for(tuple(models), rule, rubric, keep_own=True)
    plan, spent, notes = settle_references(
        folder, read_run(folder), rubric, references, models, panel=panel, limit=limit, budget=budget,
        settings=settings or Asked(),
    )  # fmt: skip
    return RubricDone(
        rubric=f"{CATEGORY}, references", hash=rubric.hash, judges=tuple(models), panel=panel.judge if panel is not None else "",
        eligible=plan.eligible, not_judged={}, made=spent.judged + spent.copied, there=plan.done, not_made=spent.not_asked,
        calls=spent.calls, tokens_in=spent.tokens_in, tokens_out=spent.tokens_out, cost=spent.cost, without_material={},
        unreadable={}, errors=dict(spent.errors.most_common()), notes=tuple(notes), stopped=spent.stopped,
    )  # fmt: skip


SETTLE = "settle it with --scope-judge"
"""What `equipoise board judge` is told to do where scope is open."""

LACKING: Mapping[str, str] = {
    "facts": "no facts of any reply could be had, so that none was judged on facts",
    "scope": f"nobody has said which decisions the references take, so that no decision was judged; {SETTLE}",
}
"""What is said when all replies lack the same."""


def _all_lack(run: Run, material: BoardMaterial, limit: int | None) -> str:
    """What all replies that could be judged lack, facts or scope, in words; empty when one of them does not."""
    lacking: set[str] = set()
    for row in [row for row in run.outcomes.to_pylist() if reply_state(row) == ReplyState.OK][:limit]:
        try:
            material.material_for(row)
        except InputError as error:
            lacking.add(error.field or "")
        else:
            return ""
    return LACKING.get(next(iter(lacking)), "") if len(lacking) == 1 else ""


def _nothing(rubric: Rubric, judges: tuple[str, ...], panel: Panel | None, why: str) -> RubricDone:
    return RubricDone(
        rubric=rubric.id, hash=rubric.hash, judges=judges, panel=panel.judge if panel is not None else "", eligible=0,
        not_judged={}, made=0, there=0, not_made=0, calls=0, tokens_in=0, tokens_out=0, cost=None, without_material={},
        unreadable={}, errors={}, notes=(why,), stopped="",
    )  # fmt: skip


def facts_source(run: Run, wanted: FactSource | None, extractor: str, facts_file: str | Path | None) -> FactSource:
    """Where facts come from: as the user says, else as in the judgements that are there, else a file, else the extractor.

    Raises:
        UsageError: the run was judged on other facts; one table cannot hold both.
    """
    told: dict[str, Any] = ((run.info.arguments.get("judging") or {}).get(FACTS) or {}).get("facts") or {}
    judged = bool(told) and FACTS in run.judgements.column("rubric").to_pylist()
    if wanted is None and facts_file is not None:
        wanted = FactSource(reference="given", extractor=extractor, given=Path(facts_file).name)
    if not judged:
        return wanted or FactSource(reference="model", extractor=extractor)
    source = wanted or FactSource.from_dict(told)
    if source.to_dict() != told:
        was = f"references {told['reference']}, taken out by {told['extractor']}"
        message = f"this run was judged on other facts ({was}); name the same, or judge a copy of the run"
        raise UsageError(message, field="facts")
    return source


def take_facts(
    run: Run, references: Mapping[str, BoardReference], source: FactSource, store: FactStore, models: Mapping[str, Model], *,
    facts_file: str | Path | None, limit: int | None, budget: Budget | None, settings: Settings | None,
    base_url: str | None = None,
) -> list[str]:  # fmt: skip
    """Have the facts of references and answers taken out that are not there yet.

    Returns:
        What a reader must know, in sentences.

    Raises:
        UsageError: facts are said to be given, and no file is named.
        ConfigurationError: the extractor cannot be had.
    """
    from equipoise.judging.list_call import list_all
    from equipoise.judging.models import load_judges

    notes = [f"facts are taken out of answers by {source.extractor}; of references: {source.reference}"]
    if source.reference == "given":
        judged = FACTS in run.judgements.column("rubric").to_pylist()
        notes += _give(references, source, store, facts_file, judged=judged)
    rows = [row for row in run.outcomes.to_pylist() if reply_state(row) == ReplyState.OK][:limit]
    pairs = [(references[row["item"]], answer_of(row)) for row in rows if row["item"] in references]
    if source.reference == "model" and any(len(reference.references) > 1 for reference, _ in pairs):
        notes.append("of several acceptable references the one with the highest recall counts")
    subjects = {str(row["model"] or row["system"]) for row in rows}
    own = [name for name in sorted(subjects) if made_by(name).makers & made_by(source.extractor).makers]
    if own:
        notes.append(f"{source.extractor}, which takes out the facts, is of the maker of {', '.join(own)}")
    wanted = source.wanted(pairs, store)
    if not wanted:
        return notes
    model = models.get(source.extractor) or load_judges([source.extractor], base_url=base_url)[source.extractor]
    sides = Counter(text for _, text in wanted)
    by_text: dict[str, list[str]] = {text: [side for side, own in wanted if own == text] for text in sides}

    def kept(text: str, reading: ListReading, raw: str) -> None:
        facts = listed_facts(reading.entries)
        for side in by_text[text]:
            store.add(side, text_key(text, source.by), facts, by=source.extractor, form=FACT_FORM.hash,
                      state=reading.state, why=reading.why, raw=raw)  # fmt: skip

    spent = list_all(FACT_FORM, list(by_text), model, source.extractor, kept=kept, budget=budget, settings=settings)
    failed: Counter[str] = Counter()
    for side, text in wanted:
        line = store.lines.get((side, text_key(text, source.by)))
        if line is None or line["state"] != ReplyState.OK:
            failed["nobody was asked" if line is None else f"{line['state']} ({line['why']})"] += 1
    notes += [f"{number} texts without facts: {why}" for why, number in failed.most_common()]
    if spent.stopped:
        notes.append(spent.stopped)
    return notes


def _give(
    references: Mapping[str, BoardReference], source: FactSource, store: FactStore, facts_file: str | Path | None, *,
    judged: bool,
) -> list[str]:  # fmt: skip
    if facts_file is None and judged:
        return []
    if facts_file is None:
        message = "name the file of the reference facts"
        raise UsageError(message, field="facts")
    found, problems = given_facts(facts_file)
    notes = [str(problem) for problem in problems]
    strangers = [name for name in found if name not in references]
    if found and len(strangers) == len(found):
        message = f"no item of this run stands in the file; the first there is {strangers[0]!r}"
        raise InputError(message, file=str(facts_file))
    for name, own in found.items():
        key = text_key(name, source.given)
        if name in references and store.facts(REFERENCE, key) != own:
            if judged:
                message = f"facts of item {name!r} are not those the run was judged on; judge a copy of the run"
                raise InputError(message, file=str(facts_file))
            store.add(REFERENCE, key, own, by=source.given, form="")
    left = [name for name in references if name not in found]
    if left:
        notes.append(f"{len(left)} items have no facts in the file and get no score on facts, the first {left[0]!r}")
    return notes
