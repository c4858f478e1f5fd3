"""Board Simulation: a whole tumor board played to its conclusion, by one model or by one for each role.

equipoise eval board_simulation --model openai/MODEL --out run
equipoise eval board_simulation --model openai/MODEL --option tools=auditor --option as_of=2026-06-01 --out run-tools
equipoise eval board_simulation --model openai/MODEL --option players=agents --option tools=auditor --out run-agents
equipoise eval board_simulation --model openai/MODEL --option players=agents --option seats=surgeon=anthropic/MODEL,moderator=openai/OTHER
inspect eval equipoise/board_simulation --model openai/MODEL -T players=agents --model-role surgeon=anthropic/MODEL
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.solver import Solver

from equipoise.benchmarks.board_simulation.single import CALLS, MOST_CALLS, single_solver
from equipoise.benchmarks.board_task import arm_of, board_task, check_numbers
from equipoise.boards.askings import board_askings
from equipoise.boards.prompts import board_prompt
from equipoise.boards.single_prompts import single_prompt
from equipoise.boards.vocabulary import Role, role_of
from equipoise.errors import ConfigurationError, UsageError
from equipoise.evals.prerequisites import one_line
from equipoise.evals.refusal_task import ask_prompt
from equipoise.judging.seated import names_of

BENCHMARK = "board_simulation"
MAX_TOKENS = 8192
PLAYERS = ("single", "agents")
TOOLS = ("none", "evidence", "auditor")
AGENTS = "equipoise.benchmarks.board_simulation.agents"
"""Module of the solver of a board of agents."""


@task
def board_simulation(
    data: str | None = None,
    form: str = "",
    split: str = "test",
    arm: str = "captions",
    images: str | None = None,
    players: str = "single",
    tools: str = "none",
    as_of: str | None = None,
    jurisdiction: str = "US",
    policy: str = "label",
    roles: str | list[str] | None = None,
    seats: str | list[str] | None = None,
    max_turns: int = 24,
    max_tokens_total: int | None = None,
    min_speakers: int = 4,
    leaks: str = "refuse",
    trials: int = 1,
    limit: int | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Cases of tumor boards, each discussed to a conclusion.

    Args:
        data: a file, or the folder of an OpenTumorBoard release; the packaged invented cases by default.
        form: board, task1 or hospital, as in `equipoise board check`; a folder is read as a release.
        split: train, validation, test or all; a source without splits is asked whole.
        arm: captions, or images (captions and pictures); never one ranking.
        images: folder of your pictures of the slides; the arm images needs it.
        players: single, one model plays all; or agents, one model for each role, led by a moderator (Inspect's model roles).
        tools: none; evidence, the evidence base; auditor, that and the deterministic auditor, which also reads what is recommended.
        as_of: ISO day for which the tools read their sources; needed with tools.
        jurisdiction: of the tools.
        policy: of the auditor.
        roles: who sits on a board of agents beside the moderator, with commas; the same panel for every case by default.
        seats: ROLE=MODEL for roles of a board of agents, the moderator's too, that have a model of their own, with commas.
        max_turns: calls of specialists of a board of agents at most.
        max_tokens_total: tokens of a board of agents at most, over all its calls; None for no limit.
        min_speakers: roles that must have spoken before a board of agents can agree.
        leaks: refuse a source whose texts hold its references word for word, or leave-out.
        trials: replies to each case.
        limit: cases at most; part of the plan, unlike Inspect's own limit.
        max_cost: US dollars after which nothing more is asked of the model.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.

    Raises:
        UsageError: an argument names something that does not exist, or nothing is left to ask.
        InputError: the data or pictures cannot be used.
    """
    with one_line():
        chosen = arm_of(arm)
        check_numbers(
            {
                "trials": trials,
                "limit": limit,
                "max_turns": max_turns,
                "max_tokens_total": max_tokens_total,
                "min_speakers": min_speakers,
            }
        )
        setting = _setting(players, tools)
        seated = _seats(seats, players)
        asked = board_askings(data, form, split=split, arm=chosen, images=images, leaks=leaks, limit=limit)
        prompt = board_prompt(chosen)
        facts: dict[str, Any] = {"price_in": price_in, "price_out": price_out}
        calls = 1
        if players == "single" and tools == "none":
            solver = ask_prompt(None, max_cost, price_in, price_out)
        elif players == "single":
            kept: dict[str, Any] = {"tools": tools, "as_of": as_of, "jurisdiction": jurisdiction, "policy": policy}
            facts["board"] = kept
            prompt, calls = single_prompt(chosen, tools, MOST_CALLS), CALLS[tools]
            solver = single_solver(**kept, max_cost=max_cost, price_in=price_in, price_out=price_out)
        else:
            calls = 2 * max_turns + 3
            board = {"roles": roles, "tools": tools, "as_of": as_of, "jurisdiction": jurisdiction, "policy": policy, "max_turns": max_turns,
                     "max_tokens_total": max_tokens_total, "min_speakers": min_speakers}  # fmt: skip
            _check_seats(seated, roles)
            version, digest = _agents_prompts(roles, tools)
            facts["named"] = _told(board)
            facts |= {"board": board, "prompt_version": version, "prompt_hash": digest}
            solver = _agents(**board, max_cost=max_cost, price_in=price_in, price_out=price_out)
    return board_task(
        BENCHMARK,
        asked,
        prompt,
        solver,
        setting=setting,
        facts=facts,
        images=images,
        trials=trials,
        max_tokens=MAX_TOKENS,
        seats=seated,
        calls=calls,
    )


def _setting(players: str, tools: str) -> str:
    """Name of a setting: its players, and the tools where there are any.

    Raises:
        UsageError: an unknown word.
    """
    for name, value, known in (("players", players, PLAYERS), ("tools", tools, TOOLS)):
        if value not in known:
            message = f"expected one of {', '.join(known)}; found {value!r}"
            raise UsageError(message, field=name)
    return players if tools == "none" else f"{players}+{tools}"


def _agents(**arguments: Any) -> Solver:
    solver: Solver = importlib.import_module(AGENTS).agents_solver(**arguments)
    return solver


def _agents_prompts(roles: str | list[str] | None, tools: str) -> tuple[str, str]:
    """Version and hash of the instructions of a board of agents."""
    named = importlib.import_module("equipoise.boards.discussion").roles_named(roles)
    prompts = importlib.import_module("equipoise.boards.agent_prompts")
    return str(prompts.VERSION), str(prompts.prompts_hash(named, tools=tools))


def _seats(value: str | list[str] | None, players: str) -> dict[str, str]:
    """Model of each role that has one of its own, under Inspect's name of the role.

    Raises:
        UsageError: no role, no model, one named twice, or no board of agents.
    """
    found: dict[str, str] = {}
    for entry in names_of(value, field="seats"):
        name, _, model = entry.partition("=")
        role = role_of(name)
        if role is None or role is Role.UNKNOWN or "/" not in model:
            message = f"expected ROLE=PROVIDER/MODEL, such as surgeon=openai/MODEL; found {entry!r}"
            raise UsageError(message, field="seats")
        key = role.value.replace(" ", "_")
        if key in found:
            message = f"{role.value} is given twice"
            raise UsageError(message, field="seats")
        found[key] = model.strip()
    if found and players == "single":
        message = "seats belong to agents; say players=agents"
        raise UsageError(message, field="seats")
    return found


def _check_seats(seats: Mapping[str, str], roles: str | list[str] | None) -> None:
    """Whether everybody with a model of their own sits on the board, and whether those models can be had.

    Raises:
        UsageError: one does not sit there, or a model cannot be had.
    """
    from equipoise.evals.suite import require_models

    named = importlib.import_module("equipoise.boards.discussion").roles_named(roles)
    sitting = [str(role) for role in (Role.MODERATOR, *named)]
    for key, model in seats.items():
        name = key.replace("_", " ")
        if name not in sitting:
            message = f"{name} does not sit on this board; there sit {', '.join(sitting)} (name others with roles)"
            raise UsageError(message, field="seats")
        try:
            require_models([model])
        except ConfigurationError as error:
            raise UsageError(str(error), field="seats") from error


_PLAIN: Mapping[str, Any] = {"roles": None, "max_turns": 24, "max_tokens_total": None, "min_speakers": 4}


def _told(board: Mapping[str, Any]) -> str:
    """What of a board of agents is not the plain setting, in words; part of the name of the system."""
    return ", ".join(f"{name} {board[name]}" for name, plain in _PLAIN.items() if board[name] != plain)
