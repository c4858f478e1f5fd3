"""The detector: rules first, then the roles that the written rule names, then the scout; one verdict a judge, and one of the panel.

A fault that rules find for certain decides. Otherwise one fault that a judge calls present decides, whatever other roles say. If a
role could not be read and none found a fault, the judge's verdict has failed. If none failed and one cannot say, the judge cannot
say. Only when every role was read and clean, the scout included, is the verdict "absent".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio
from inspect_ai.model import GenerateConfig, get_model

from equipoise.benchmarks.das_hallucination.roles import SCALE, Presence, Role, roles_for, rubric_of
from equipoise.benchmarks.das_hallucination.rules import CERTAIN, VERSION, Finding, Found, check
from equipoise.benchmarks.das_replies import readings_of
from equipoise.evals.stress_rows import Reading
from equipoise.judging.call import judge
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.panel import Panel, PanelOutcome, Vote, combine
from equipoise.judging.rows import rows_of
from equipoise.outcomes.schema import ReplyState

RUBRIC = "das-hallucination"
ANY = "any"
RULES_JUDGE = "rules:citations"
DETECTOR_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge's roles come to.

    Attributes:
        state: ok, or that of the first role that could not be read.
        value: present, absent or cannot-say; None unless ok.
    """

    state: ReplyState
    value: Presence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """What the detector says of one reply.

    Attributes:
        verdict: the deciding verdict: of the only judge, or of the panel. With no judge: present when rules found a fault for certain,
            cannot-say otherwise.
        readings: every judgement: of rules, of each role by code, and the verdict of each judge.
    """

    verdict: Verdict
    readings: tuple[Reading, ...]


def verdict_of(roles: Mapping[Role, Sequence[tuple[ReplyState, str | None]]], *, by_rules: bool) -> Verdict:
    """The verdict of one judge.

    Args:
        roles: by role that ran, state and value of each of its codes.
        by_rules: whether rules found a fault for certain.
    """
    answers = [answer for own in roles.values() for answer in own]
    if by_rules or any(state is ReplyState.OK and value == Presence.PRESENT for state, value in answers):
        return Verdict(state=ReplyState.OK, value=Presence.PRESENT)
    failed = next((state for state, value in answers if state is not ReplyState.OK or value is None), None)
    if failed is not None:
        return Verdict(state=ReplyState.UNPARSED if failed is ReplyState.OK else failed, value=None)
    if not answers or any(value == Presence.CANNOT_SAY for _, value in answers):
        return Verdict(state=ReplyState.OK, value=Presence.CANNOT_SAY)
    return Verdict(state=ReplyState.OK, value=Presence.ABSENT)


async def detect(
    prompt: str, context: str, reply: str, *, panel: Panel | None, judges: Sequence[str], year: int
) -> Detection:
    """Look at one reply.

    Args:
        prompt: what was asked.
        context: what was given with it; may be empty.
        reply: the reply.
        panel: the panel; None for rules alone.
        judges: the judges that sit.
        year: the year of reading, for the years of citations.
    """
    found = check(reply, prompt=prompt, context=context, year=year)
    certain = any(item.finding in CERTAIN for item in found)
    readings = _of_rules(found)
    if panel is None:
        alone = Verdict(state=ReplyState.OK, value=Presence.PRESENT if certain else Presence.CANNOT_SAY)
        return Detection(verdict=alone, readings=tuple(readings))
    material = JudgeMaterial(item="reply", parts={"prompt": prompt, "context": context, "reply": reply})
    verdicts: dict[str, Verdict] = {}
    kept: dict[str, list[Reading]] = {}

    async def one(name: str) -> None:
        kept[name], verdicts[name] = await _one_judge(name, material, roles_for(prompt, context, reply), certain)

    async with anyio.create_task_group() as group:
        for name in judges:
            group.start_soon(one, name)
    for name in judges:
        readings += [*kept[name], _summary(name, verdicts[name])]
    if len(panel.judges) == 1:
        return Detection(verdict=verdicts[panel.judges[0]], readings=tuple(readings))
    together = _together(panel, [verdicts[name] for name in judges], judges)
    return Detection(verdict=together, readings=(*readings, _summary(panel.judge, together)))


async def _one_judge(
    name: str, material: JudgeMaterial, first: Sequence[Role], certain: bool
) -> tuple[list[Reading], Verdict]:
    answers: dict[Role, list[tuple[ReplyState, str | None]]] = {}
    kept: dict[Role, list[Reading]] = {}

    async def ask(role: Role) -> None:
        rubric = rubric_of(role)
        judged = (await judge(get_model(name), rubric, material, config=GenerateConfig())).verdict.judged
        answers[role] = [(item.state, item.value) for item in judged]
        kept[role] = readings_of(rows_of(judged, rubric=rubric, reply_id="", run="", judge=name), rubric)

    async with anyio.create_task_group() as group:
        for role in first:
            group.start_soon(ask, role)
    clean = all(state is ReplyState.OK and value == Presence.ABSENT for own in answers.values() for state, value in own)
    if clean and not certain:
        await ask(Role.SCOUT)
    readings = [reading for role in Role if role in kept for reading in kept[role]]
    return readings, verdict_of(answers, by_rules=certain)


def _together(panel: Panel, verdicts: Sequence[Verdict], judges: Sequence[str]) -> Verdict:
    votes = {
        name: [Vote(state=verdict.state, value=verdict.value.value if verdict.value else None)]
        for name, verdict in zip(judges, verdicts, strict=True)
    }
    result = combine(votes, rule=panel.rule, scale=SCALE, fewest=panel.fewest)
    if result.outcome is PanelOutcome.AGREED and result.value is not None:
        return Verdict(state=ReplyState.OK, value=Presence(result.value))
    return Verdict(state=ReplyState.UNPARSED, value=None)


def _summary(judge_name: str, verdict: Verdict) -> Reading:
    return Reading(
        judge=judge_name, rubric=RUBRIC, criterion=ANY, scale=SCALE.id, value=verdict.value.value if verdict.value else None,
        version=DETECTOR_VERSION, state=verdict.state,
    )  # fmt: skip


def _of_rules(found: Sequence[Found]) -> list[Reading]:
    here = {item.finding for item in found}
    return [
        Reading(
            judge=RULES_JUDGE, rubric="das-hallucination-rules", criterion=finding.value, scale=SCALE.id, version=VERSION,
            value=(Presence.PRESENT if finding in here else Presence.ABSENT).value, points=float(finding in here),
        )
        for finding in Finding
    ]  # fmt: skip
