"""The answer that is judged: what was concluded or answered, taken out of a reply by the one reader of replies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from equipoise.boards.judging.criteria import TURN
from equipoise.boards.replies import read_board_reply, read_turn_reply
from equipoise.outcomes.schema import ReplyState


def answer_of(row: Mapping[str, Any]) -> str:
    """The answer of a row of the outcomes; empty when there is none that may be judged.

    Args:
        row: a row of the table.
    """
    if row["state"] != ReplyState.OK or not row.get("reply"):
        return ""
    return _read(str(row["benchmark"]), str(row["reply"]))


def reply_state(row: Mapping[str, Any]) -> str:
    """State of a reply: as the table has it, or unparsed when no answer can be taken out of it.

    A run that was read from another software's judgements keeps no texts; there the table's word counts.
    """
    if row["state"] != ReplyState.OK or row.get("reply") is None:
        return str(row["state"])
    return ReplyState.OK.value if answer_of(row) else ReplyState.UNPARSED.value


@lru_cache(maxsize=65536)
def _read(benchmark: str, reply: str) -> str:
    return read_turn_reply(reply).answer if benchmark == TURN else read_board_reply(reply).conclusion
