"""What a board audit asks: its tests, the frozen protocol, and what came otherwise."""

from __future__ import annotations

import dataclasses

import pytest

from board_runs_help import DISCUSSION, write_part
from equipoise.boards.judging.criteria import ALIGNMENT, BOARD, DECISIONS, EQUIVALENCE, FACTS, TURN
from equipoise.errors import UsageError
from equipoise.ids import content_hash
from equipoise.studies.board_protocol import (
    BoardOrder,
    board_deviations,
    board_tests,
    frozen_board_protocol,
    rubrics_of,
)

ORDER = BoardOrder(models=("mock/one",), arguments={"limit": 2})


def ordered(**more):
    return dataclasses.replace(ORDER, **more)


def test_each_setting_is_a_test_of_its_own_and_constants_are_asked_in_plain_ones_only():
    tests = board_tests(
        ordered(players=("agents", "single"), tools=("auditor", "none"), board={"as_of": "2026-06-01", "max_turns": 5})
    )
    assert [(test.id, test.constants) for test in tests] == [
        (TURN, True), (BOARD, True), (f"{BOARD}.single+auditor", False), (f"{BOARD}.agents", False),
        (f"{BOARD}.agents+auditor", False),
    ]  # fmt: skip
    assert tests[1].arguments == {"limit": 2, "players": "single"}
    assert tests[2].arguments == {"limit": 2, "players": "single", "tools": "auditor", "as_of": "2026-06-01"}
    assert tests[4].arguments == {
        "limit": 2,
        "players": "agents",
        "tools": "auditor",
        "as_of": "2026-06-01",
        "max_turns": 5,
    }


def test_each_arm_is_a_test_of_its_own_and_only_the_image_arm_has_pictures():
    tests = board_tests(ordered(arms=("images", "captions"), arguments={"images": "pictures"}))
    assert [test.id for test in tests] == [TURN, f"{TURN}.images", BOARD, f"{BOARD}.images"]
    assert "images" not in tests[0].arguments
    assert (tests[1].arguments["arm"], tests[1].arguments["images"]) == ("images", "pictures")
    assert all(test.constants for test in tests)


def test_one_benchmark_alone():
    assert [test.id for test in board_tests(ordered(benchmarks=(TURN,)))] == [TURN]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"benchmarks": ("chess",)}, "expected some of"),
        ({"players": ("single", "single")}, "each once"),
        ({"arms": ("smells",)}, "captions, images"),
        ({"arms": ("images",)}, "--images FOLDER"),
        ({"arguments": {"images": "pictures"}}, "--images FOLDER"),
        ({"tools": ("auditor",)}, "year-month-day"),
        (
            {"tools": ("auditor",), "benchmarks": (TURN,), "board": {"as_of": "2026-06-01"}},
            "board_simulation to --bench",
        ),
        ({"tools": ("auditor",), "players": ("agents",)}, "year-month-day"),
        ({"rubrics": ("refusal",)}, "board-equivalence"),
    ],
)
def test_a_wrong_order_is_refused(more, words):
    with pytest.raises(UsageError, match=words):
        board_tests(ordered(**more))


def test_the_protocol_holds_its_own_hash_and_changes_with_the_order():
    one, tasks = frozen_board_protocol(board_tests(ORDER), ORDER)
    body = {name: value for name, value in one.items() if name != "protocol_hash"}
    assert one["protocol_hash"] == content_hash(body)
    assert set(tasks) == {TURN, BOARD}
    assert [item["samples"] for item in one["tests"]] == [2, 2]
    other = ordered(seed=43)
    assert frozen_board_protocol(board_tests(other), other)[0]["protocol_hash"] != one["protocol_hash"]


def test_no_folder_of_the_user_stands_in_the_protocol(tmp_path):
    more = ordered(arguments={"data": str(tmp_path / "none.jsonl"), "form": "board"})
    with pytest.raises(UsageError, match=r"none\.jsonl"):
        frozen_board_protocol(board_tests(more), more)
    protocol, _ = frozen_board_protocol(board_tests(ORDER), ORDER)
    assert all("data" not in item["arguments"] for item in protocol["tests"])


def test_rubrics_by_benchmark():
    assert rubrics_of(TURN, ORDER) == (EQUIVALENCE,)
    assert rubrics_of(BOARD, ORDER) == (ALIGNMENT, DECISIONS)
    assert rubrics_of(BOARD, ordered(rubrics=(FACTS, EQUIVALENCE))) == (FACTS,)
    assert rubrics_of(TURN, ordered(rubrics=(ALIGNMENT,))) == ()


def test_what_came_otherwise_is_counted(tmp_path):
    protocol, _ = frozen_board_protocol(board_tests(ORDER), ORDER)
    part = write_part(tmp_path / "run", [{"item": "c1", "reply": DISCUSSION, "state": "truncated"}])
    found = board_deviations(protocol, {(BOARD, "mock/one"): part}, {(TURN, "mock/one"): "no key"})
    told = {(item.part, item.system, item.what): (item.number, item.planned, item.why) for item in found}
    assert told[TURN, "mock/one", "not run"] == (2, 2, "no key")
    assert told[BOARD, "mock/one", "never asked"][:2] == (1, 2)
    assert told[BOARD, "mock/one", "replies in state truncated"][:2] == (1, 1)
    assert told[BOARD, "mock/one", "another plan was run"]
    assert told[BOARD, "equipoise/board-silent", "not run"] == (2, 2, "the audit ended before it")
