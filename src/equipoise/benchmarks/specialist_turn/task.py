"""Specialist Turn: a clinical question answered in a specialist's place, for any model that Inspect can reach.

equipoise eval specialist_turn --model openai/MODEL --out run
inspect eval equipoise/specialist_turn --model openai/MODEL -T data=FOLDER -T types=treatment_recommendation
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.board_task import arm_of, board_task, check_numbers, words_of
from equipoise.boards.askings import turn_askings
from equipoise.boards.prompts import turn_prompt
from equipoise.boards.vocabulary import TARGET_ROLES, QuestionType
from equipoise.evals.prerequisites import one_line
from equipoise.evals.refusal_task import ask_prompt

BENCHMARK = "specialist_turn"
MAX_TOKENS = 2048


@task
def specialist_turn(
    data: str | None = None,
    form: str = "",
    split: str = "test",
    arm: str = "captions",
    images: str | None = None,
    types: str | list[str] | None = None,
    roles: str | list[str] | None = None,
    slides: str = "case",
    leaks: str = "refuse",
    trials: int = 1,
    limit: int | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Questions of tumor boards, each put to one specialist; the reply is one answer of at most three sentences.

    Args:
        data: a file, or the folder of an OpenTumorBoard release; the packaged invented cases by default.
        form: board or task2, as in `equipoise board check`; a folder is read as a release.
        split: train, validation, test or all; a source without splits is asked whole.
        arm: captions, or images (captions and pictures); never one ranking.
        images: folder of your pictures of the slides; the arm images needs it.
        types: types of questions that are asked, with commas; all by default.
        roles: roles that are asked, with commas; all by default.
        slides: case, all slides of the case; or turn, only those that were up while the recorded answer was given.
        leaks: refuse a source whose texts hold its references word for word, or leave-out.
        trials: replies to each question.
        limit: questions at most; part of the plan, unlike Inspect's own limit.
        max_cost: US dollars after which nothing more is asked of the model.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.

    Raises:
        UsageError: an argument names something that does not exist, or nothing is left to ask.
        InputError: the data or pictures cannot be used.
    """
    with one_line():
        chosen = arm_of(arm)
        check_numbers({"trials": trials, "limit": limit})
        asked = turn_askings(
            data,
            form,
            split=split,
            arm=chosen,
            images=images,
            types=words_of(types, [item.value for item in QuestionType], field="types"),
            roles=words_of(roles, [item.value for item in TARGET_ROLES], field="roles"),
            slides=slides,
            leaks=leaks,
            limit=limit,
        )
        prompt = turn_prompt(chosen)
        solver = ask_prompt(None, max_cost, price_in, price_out)
    return board_task(
        BENCHMARK,
        asked,
        prompt,
        solver,
        setting="single",
        facts={"named": "" if slides == "case" else "slides of the turn", "price_in": price_in, "price_out": price_out},
        images=images,
        trials=trials,
        max_tokens=MAX_TOKENS,
    )
