"""Stage 4: moderators vote on each rewrite; k votes "not harmful" keep it.

A vote that cannot be read is its own state. With h readable votes "not harmful" and u unreadable ones, a rewrite is kept
when h >= k, rejected when h + u < k, and undecided otherwise, or when fewer votes than demanded could be read: then the
unreadable votes could turn the result. Undecided is rejected too, under a reason of its own, so the number kept has bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Ask
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.prompts import Prompt, moderator_prompt
from equipoise.benchmarks.health_orsc.pipeline.stages.base import (
    Done,
    Planned,
    Rows,
    Stage,
    Work,
    excerpt,
    plan_length,
    reject,
)
from equipoise.benchmarks.health_orsc.pipeline.terms import Reason, Vote
from equipoise.benchmarks.health_orsc.pipeline.verdicts import Verdict, read_vote
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState

REWRITTEN = "rewrite/kept"


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    config = loaded.config
    spec = config.moderate
    return {
        "moderators": [
            {"id": one.id, "format": one.format, "model": config.models[one.model].identity()}
            for one in spec.moderators
        ],
        "keep": spec.keep,
        "readable": spec.readable,
        "seed": config.seed,
    }


def _prompts(loaded: Loaded) -> Mapping[str, Prompt]:
    return {
        one.id: moderator_prompt(one.format, loaded.path(one.prompt) if one.prompt else None)
        for one in loaded.config.moderate.moderators
    }


def _plan(loaded: Loaded, seeds: int, characters: int) -> Sequence[Planned]:
    config = loaded.config
    items = seeds * config.rewrite.per_seed
    longest = items * config.rewrite.most_words * 6
    prompts = _prompts(loaded)
    del characters
    return [
        Planned(model=one.model, calls=items, characters=plan_length(prompts[one.id], items, longest))
        for one in config.moderate.moderators
    ]


async def _run(work: Work) -> Done:
    spec = work.loaded.config.moderate
    items = work.inputs[REWRITTEN]
    repeats = _repeats(work)
    asks = (
        Ask(
            stage="moderate",
            model=one.model,
            prompt_hash=work.prompts[one.id].hash,
            system=work.prompts[one.id].system,
            user=work.prompts[one.id].filled(item["question"]),
            repeat=repeats[one.id],
        )
        for item in items
        for one in spec.moderators
    )
    answers = iter(await work.asker.ask(asks, len(items) * len(spec.moderators)))
    kept: Rows = []
    rejects: Rows = []
    votes: Rows = []
    for item in items:
        verdicts: dict[str, Verdict] = {}
        for one in spec.moderators:
            answer = next(answers)
            verdict = read_vote(answer, one.format)
            verdicts[one.id] = verdict
            votes.append(
                {
                    "id": item["id"],
                    "moderator": one.id,
                    "vote": verdict.value,
                    "state": verdict.state.value,
                    "detail": verdict.detail,
                    "why": verdict.why,
                    "reply": excerpt(answer.text),
                }
            )
        results = {name: verdict.value for name, verdict in verdicts.items()}
        count = Counter(results.values())
        row = {**item, "results": results, "score": count[Vote.NOT_HARMFUL], "unreadable": count[Vote.UNREADABLE]}
        reason = decide(count, keep=spec.keep, readable=spec.readable)
        if reason is None:
            kept.append(row)
        else:
            rejects.append(reject(row, reason))
    undecided = sum(row["reason"] == Reason.VOTE_UNDECIDED for row in rejects)
    return Done(
        entered=len(items),
        kept=kept,
        rejects=rejects,
        unit="rewrites",
        facts={
            "moderators": len(spec.moderators),
            "keep_at_least": spec.keep,
            "readable_at_least": spec.readable,
            "kept_at_least": len(kept),
            "kept_at_most": len(kept) + undecided,
            "by_moderator": _by_moderator(votes, [one.id for one in spec.moderators]),
            "agreement": agreement(votes, items, [one.id for one in spec.moderators], work.loaded.config.seed),
            "shared_models": _shared(work.loaded),
        },
        files={"votes": votes},
    )


def _repeats(work: Work) -> dict[str, int]:
    """Which of the moderators with the same model and prompt each one is, from 1: such moderators answer independently."""
    seen: Counter[tuple[str, str]] = Counter()
    result = {}
    for one in work.loaded.config.moderate.moderators:
        twin = (one.model, work.prompts[one.id].hash)
        seen[twin] += 1
        result[one.id] = seen[twin]
    return result


def decide(votes: Mapping[str, int], *, keep: int, readable: int) -> Reason | None:
    """What a vote comes to: None for kept, else why not.

    Args:
        votes: number of votes by `Vote`.
        keep: votes "not harmful" that keep an item.
        readable: readable votes that a decision needs.
    """
    harmless, unread = votes.get(Vote.NOT_HARMFUL, 0), votes.get(Vote.UNREADABLE, 0)
    read = harmless + votes.get(Vote.HARMFUL, 0)
    if read < readable:
        return Reason.VOTE_UNDECIDED
    if harmless >= keep:
        return None
    return Reason.VOTED_HARMFUL if harmless + unread < keep else Reason.VOTE_UNDECIDED


def _by_moderator(votes: Rows, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {}
    for name in names:
        own = [row for row in votes if row["moderator"] == name]
        result[name] = {vote.value: sum(row["vote"] == vote for row in own) for vote in Vote} | {
            "states": {state.value: sum(row["state"] == state for row in own) for state in ReplyState}
        }
    return result


def agreement(votes: Rows, items: Rows, names: Sequence[str], seed: int) -> dict[str, Any]:
    """Krippendorff's alpha of the moderators over the items, items of a family drawn together; unreadable votes are missing.

    Args:
        votes: one row an item and moderator.
        items: the items, with their family.
        names: the moderators.
        seed: seed of the interval.
    """
    import numpy as np

    from equipoise.statistics.agreement import krippendorff_alpha
    from equipoise.statistics.estimate import undefined

    if len(names) < 2 or not items:
        nothing = "fewer than two moderators" if items else "no item"
        return undefined(nothing).to_dict()
    said = {(row["id"], row["moderator"]): row["vote"] for row in votes if row["vote"] != Vote.UNREADABLE}
    table = np.empty((len(items), len(names)), dtype=object)
    for place, item in enumerate(items):
        table[place, :] = [said.get((item["id"], name)) for name in names]
    usable = [place for place in range(len(items)) if sum(cell is not None for cell in table[place]) >= 2]
    families = [item["family"] for item in items]
    several = len({families[place] for place in usable}) > 1
    if usable and not several:
        return undefined("all items are of one family", n_used=len(usable)).to_dict()
    return krippendorff_alpha(
        table,
        rng=np.random.default_rng(seed),
        categories=(Vote.HARMFUL.value, Vote.NOT_HARMFUL.value),
        clusters=families,
    ).to_dict()


def _shared(loaded: Loaded) -> list[list[str]]:
    """Moderators that are the same model with the same arguments: their votes are not independent."""
    groups: dict[str, list[str]] = {}
    for one in loaded.config.moderate.moderators:
        spec = loaded.config.models[one.model]
        groups.setdefault(content_hash([spec.model, spec.args]), []).append(one.id)
    return [names for names in groups.values() if len(names) > 1]


STAGE = Stage(
    id="moderate",
    number=4,
    version="1",
    inputs=(REWRITTEN,),
    settings=_settings,
    prompts=_prompts,
    run=_run,
    plan=_plan,
)
"""The stage."""
