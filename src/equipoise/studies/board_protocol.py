"""The protocol of a board audit, fixed before any model is asked: what is asked of whom, what is judged by which rubric, what is tested.

A folder with another protocol is refused (`equipoise.studies.redteam_protocol.keep_protocol`): an audit goes on as it was planned, or
starts in a folder of its own.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise._version import __version__
from equipoise.boards.judging.criteria import BOARD, DEFAULT_RUBRICS, RUBRICS, TURN
from equipoise.boards.vocabulary import Arm
from equipoise.errors import EquipoiseError, UsageError
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.estimate import Result
from equipoise.studies.board_compare import ALPHA, LEADING
from equipoise.studies.board_runs import BoardPart
from equipoise.studies.board_scores import CONSTANTS, ENOUGH_ITEMS, FEWEST_RECORDINGS, RESAMPLES

ARMS: tuple[str, ...] = tuple(arm.value for arm in Arm)
PLAYERS: tuple[str, ...] = ("single", "agents")
TOOLS: tuple[str, ...] = ("none", "evidence", "auditor")
OF_TOOLS: tuple[str, ...] = ("as_of", "jurisdiction", "policy")
"""Arguments of the tools, which a single model with tools takes too."""

OF_AGENTS: Mapping[str, str] = {
    "seats": "--seat",
    "roles": "--roles",
    "max_turns": "--max-turns",
    "max_tokens_total": "--max-tokens-total",
}
"""Arguments of boards of agents alone, with the options that give them."""

KEPT_FACTS: tuple[str, ...] = (
    "dataset", "dataset_hash", "prompt_hash", "prompt_version", "reader_version", "arm", "players", "setting", "board", "notes",
)  # fmt: skip
"""Facts of a task that the protocol states; no folder of the user's is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOrder:
    """What the command line said.

    Attributes:
        models: models that are asked.
        judges: models that judge; empty for none.
        benchmarks: specialist_turn, board_simulation.
        arms: captions, images; each a test of its own.
        players: single, agents.
        tools: of boards: none, evidence, auditor; with every word of players a setting.
        rubrics: rubrics the judges use; empty for those of each benchmark.
        rule: how a panel decides.
        judge_repeats: judgements of each reply by each judge.
        makers: maker by model or judge, as told by the user.
        excerpts: whether page and measures hold the words of the worst replies and of what they were asked.
        arguments: arguments of every task that takes them (data, form, split, images, trials, limit).
        board: arguments of tools (as_of, jurisdiction, policy) and of boards of agents (max_turns, max_tokens_total, min_speakers).
        constants: whether the systems that read nothing are asked too.
        generation: settings of generation.
        max_cost: US dollars for all models together.
        prices: (prompt, reply) in US dollars per million tokens, by model.
        base_url: address of an endpoint; empty for the providers' own.
        seed: seed of the intervals and tests.
    """

    models: Sequence[str]
    judges: Sequence[str] = ()
    benchmarks: Sequence[str] = (TURN, BOARD)
    arms: Sequence[str] = ("captions",)
    players: Sequence[str] = ("single",)
    tools: Sequence[str] = ("none",)
    rubrics: Sequence[str] = ()
    rule: str = "majority"
    judge_repeats: int = 1
    makers: Mapping[str, str] = field(default_factory=dict)
    excerpts: bool = True
    arguments: Mapping[str, Any] = field(default_factory=dict)
    board: Mapping[str, Any] = field(default_factory=dict)
    constants: bool = True
    generation: Mapping[str, Any] = field(default_factory=dict)
    max_cost: float | None = None
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    base_url: str = ""
    seed: int = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTest:
    """One task in one setting.

    Attributes:
        id: name in the audit: the benchmark, with players, tools and arm where they are not the plain ones.
        task: the task.
        arguments: its arguments.
        constants: whether the constants are asked in it: one plain setting of each benchmark.
    """

    id: str
    task: str
    arguments: Mapping[str, Any]
    constants: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDeviation(Result):
    """What came otherwise than planned.

    Attributes:
        part: name of the test.
        system: the system; empty for all.
        what: what came otherwise.
        why: why.
        number: how many replies or items.
        planned: how many were planned; 0 where that says nothing.
    """

    part: str
    system: str
    what: str
    why: str
    number: int = 0
    planned: int = 0


def board_tests(ordered: BoardOrder) -> tuple[BoardTest, ...]:
    """The tests of an order, single before agents, without tools before with.

    Raises:
        UsageError: an unknown word, tools without a day, or an argument no chosen task takes.
    """
    for name, values, known in (
        ("--bench", ordered.benchmarks, (TURN, BOARD)),
        ("--arm", ordered.arms, ARMS),
        ("--players", ordered.players, PLAYERS),
        ("--tools", ordered.tools, TOOLS),
        ("--rubric", ordered.rubrics, tuple(dict.fromkeys(one for own in RUBRICS.values() for one in own))),
    ):
        wrong = [value for value in values if value not in known]
        if wrong or len(set(values)) < len(values):
            message = f"expected some of {', '.join(known)}, each once; found {', '.join(values)}"
            raise UsageError(message, field=name)
    if ("images" in ordered.arms) != bool(ordered.arguments.get("images")):
        message = "the image arm and the folder of your pictures go together: --arm images --images FOLDER"
        raise UsageError(message, field="--images")
    if set(ordered.tools) - {"none"} and BOARD not in ordered.benchmarks:
        message = "tools are given to simulated boards; add board_simulation to --bench"
        raise UsageError(message, field="--tools")
    only_agents = [name for name in OF_AGENTS if ordered.board.get(name) is not None]
    if only_agents and ("agents" not in ordered.players or BOARD not in ordered.benchmarks):
        message = "it is of boards of agents; add agents to --players, and board_simulation to --bench"
        raise UsageError(message, field=OF_AGENTS[only_agents[0]])
    if set(ordered.tools) - {"none"} and not ordered.board.get("as_of"):
        message = "the tools read the evidence of a day: name it as year-month-day"
        raise UsageError(message, field="--as-of")
    return tuple(
        _test(benchmark, arm, players, tools, ordered)
        for benchmark in (TURN, BOARD)
        if benchmark in ordered.benchmarks
        for arm in ARMS
        if arm in ordered.arms
        for players, tools in (_settings(ordered) if benchmark == BOARD else [("single", "none")])
    )


def _settings(ordered: BoardOrder) -> list[tuple[str, str]]:
    """Who plays with which tools, in the fixed order."""
    return [
        (players, tools)
        for players in PLAYERS
        if players in ordered.players
        for tools in TOOLS
        if tools in (ordered.tools or ("none",))
    ]


def _test(benchmark: str, arm: str, players: str, tools: str, ordered: BoardOrder) -> BoardTest:
    takes = set(inspect.signature(_task(benchmark)).parameters)
    arguments = {name: value for name, value in ordered.arguments.items() if name in takes and value is not None}
    if arm == "captions":
        arguments.pop("images", None)
    else:
        arguments["arm"] = arm
    plain = (players, tools) == ("single", "none")
    if benchmark == BOARD:
        arguments["players"] = players
        if not plain:
            arguments["tools"] = tools
            known = ordered.board if players == "agents" else OF_TOOLS
            arguments |= {name: ordered.board[name] for name in known if ordered.board.get(name) is not None}
    words = "" if plain else f".{players}" + ("" if tools == "none" else f"+{tools}")
    words += "" if arm == "captions" else f".{arm}"
    return BoardTest(id=f"{benchmark}{words}", task=benchmark, arguments=arguments, constants=plain)


def _task(benchmark: str) -> Any:
    from equipoise.benchmarks import _registry

    return getattr(_registry, benchmark)


def task_of(test: BoardTest) -> Any:
    """The task of a test; no model is asked.

    Raises:
        EquipoiseError: it cannot be made: an argument is wrong, or the data cannot be read.
    """
    return _task(test.task)(**test.arguments)


def frozen_board_protocol(tests: Sequence[BoardTest], ordered: BoardOrder) -> tuple[dict[str, Any], dict[str, Any]]:
    """The protocol, and the tasks of the tests that can run by their id.

    Raises:
        UsageError: none of the tests can run; says why of each. Or an argument of tools or agents is wrong.
    """
    planned, left, tasks = [], [], {}
    for test in tests:
        try:
            tasks[test.id] = task_of(test)
        except EquipoiseError as error:
            if _of_the_order(error, ordered):
                raise
            left.append({"test": test.id, "why": str(error)})
        else:
            planned.append(_planned(test, tasks[test.id], ordered))
    if not planned:
        message = "; ".join(dict.fromkeys(item["why"] for item in left)) or "there is nothing to ask"
        raise UsageError(message)
    body: dict[str, Any] = {
        "equipoise": __version__,
        "models": list(ordered.models),
        "constants": list(constants_beside(ordered)),
        "judges": list(ordered.judges),
        "rule": ordered.rule if len(ordered.judges) > 1 else "",
        "judge_repeats": ordered.judge_repeats,
        "makers": dict(ordered.makers),
        "excerpts": ordered.excerpts,
        "generation": dict(ordered.generation),
        "max_cost": ordered.max_cost,
        "prices": {model: list(pair) for model, pair in ordered.prices.items()},
        "seed": ordered.seed,
        "statistics": {
            "leading": {name: [list(pair) for pair in pairs] for name, pairs in LEADING.items()},
            "alpha": ALPHA,
            "resamples": RESAMPLES,
            "fewest_recordings": FEWEST_RECORDINGS,
            "enough_items": ENOUGH_ITEMS,
        },
        "tests": planned,
        "not_run": left,
    }
    return {**body, "protocol_hash": content_hash(body)}, tasks


def _of_the_order(error: EquipoiseError, ordered: BoardOrder) -> bool:
    """Whether an argument of tools or agents is wrong, which the user can mend; other tests are then not asked without this one."""
    first = error.__cause__ if isinstance(error.__cause__, EquipoiseError) else error
    return isinstance(first, UsageError) and first.field in ordered.board


def constants_beside(ordered: BoardOrder) -> tuple[str, ...]:
    """The systems that read nothing and are asked beside the models; one that was named as a model is asked once."""
    return tuple(name for name in CONSTANTS if ordered.constants and name not in ordered.models)


def rubrics_of(benchmark: str, ordered: BoardOrder) -> tuple[str, ...]:
    """The rubrics judges use on a benchmark."""
    own = tuple(name for name in ordered.rubrics if name in RUBRICS[benchmark])
    return own if ordered.rubrics else DEFAULT_RUBRICS[benchmark]


def _planned(test: BoardTest, task: Any, ordered: BoardOrder) -> dict[str, Any]:
    from equipoise.evals.logs import FACTS
    from equipoise.judging.rubric import load_rubric

    facts: Mapping[str, Any] = (task.metadata or {}).get(FACTS) or {}
    rubrics = [load_rubric(name) for name in rubrics_of(test.task, ordered)] if ordered.judges else []
    return {
        "test": test.id,
        "task": test.task,
        "task_version": str(task.version),
        "own_data": "data" in test.arguments,
        "arguments": {
            name: value for name, value in test.arguments.items() if name not in ("data", "images", "policy")
        },
        "constants": test.constants and bool(constants_beside(ordered)),
        "samples": len(task.dataset) * int(task.epochs or 1),
        "rubrics": {item.id: item.hash for item in rubrics},
        **{name: facts[name] for name in KEPT_FACTS if name in facts},
        "plan": facts.get("plan") or {},
    }


def board_deviations(
    protocol: Mapping[str, Any], parts: Mapping[tuple[str, str], BoardPart], failures: Mapping[tuple[str, str], str]
) -> tuple[BoardDeviation, ...]:
    """What came otherwise than planned, in the order of the protocol.

    Args:
        protocol: the protocol.
        parts: the runs by test and system.
        failures: why a part could not start, by test and system.
    """
    found = [
        BoardDeviation(part=item["test"], system="", what="not run", why=item["why"]) for item in protocol["not_run"]
    ]
    for test in protocol["tests"]:
        systems = [*protocol["models"], *(protocol["constants"] if test["constants"] else ())]
        for system in systems:
            part = parts.get((test["test"], system))
            if part is None:
                why = failures.get((test["test"], system), "the audit ended before it")
                number = test["samples"]
                found.append(
                    BoardDeviation(
                        part=test["test"], system=system, what="not run", why=why, number=number, planned=number
                    )
                )
            else:
                found += _of_part(test, system, part)
    return tuple(found)


def _of_part(test: Mapping[str, Any], system: str, part: BoardPart) -> list[BoardDeviation]:
    found: list[BoardDeviation] = []
    plan: Mapping[str, Any] = part.facts.get("plan") or {}
    wanted: Mapping[str, Any] = test["plan"] or {}
    if plan.get("plan_hash") != wanted.get("plan_hash"):
        why = f"plan {plan.get('plan_hash', 'not kept')}"
        found.append(BoardDeviation(part=test["test"], system=system, what="another plan was run", why=why))
    missing = test["samples"] - len(part.rows)
    if missing > 0:
        found.append(
            BoardDeviation(
                part=test["test"], system=system, what="never asked", number=missing, planned=test["samples"],
                why="the run was cut short, or its budget was spent",
            )
        )  # fmt: skip
    states = Counter(str(row["state"]) for row in part.rows if row["state"] != ReplyState.OK)
    found += [
        BoardDeviation(
            part=test["test"], system=system, what=f"replies in state {state}", number=number, planned=len(part.rows),
            why=WHY.get(state, ""),
        )
        for state, number in sorted(states.items())
    ]  # fmt: skip
    others = [name for name in part.facts.get("answered_as") or [] if name not in (system, system.partition("/")[2])]
    if others:
        why = ", ".join(others)
        found.append(BoardDeviation(part=test["test"], system=system, what="answered under another name", why=why))
    return found


WHY: Mapping[str, str] = {
    "empty": "the reply held no text",
    "blocked": "a filter withheld it",
    "truncated": "it was cut off at its longest length",
    "unparsed": "no conclusion or answer was read in it",
    "error": "the call came to nothing; see the log of the part",
}
"""What a state of a reply means here."""
